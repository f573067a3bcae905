// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How the table of commands becomes C functions.

use std::sync::Arc;

use crate::command::trace::trace;
use crate::{Backend, Command, EventOut, Queue, UrResult, WaitList};

/// Writes the C functions of commands: for each command
///
/// - `enqueue NAME(PARAMETERS)`: the function that enqueues it, with the parameters between the queue and the wait list.
///   `blocks if B`: the call waits for the command if that parameter is true. If the queue captures, or waits for a command
///   that was captured, the command becomes part of the graph instead.
///   `inlined`: the command is so frequent that the function has the adapter's code for it; the others share one call.
/// - `append NAME(PARAMETERS)`: the function that appends it to a command buffer, with the parameters between the command
///   buffer and the sync points; `inlined` as above. `waits if CONDITION`: it then appends a command that does nothing. That
///   is no part of the block, so that the adapter's code is for the one command that the block makes.
/// - a block that checks the parameters and makes a [`Command`](crate::Command) of them, for both.
macro_rules! command_table {
    ($(
        $(enqueue $enqueue:ident($($p:ident: $ty:ty),* $(,)?) $(blocks if $blocking:ident)?
            $(, $inlined:ident)?;)?
        $(append $append:ident($($ap:ident: $aty:ty),* $(,)?) $(waits if $nothing:expr)? $(, $append_inlined:ident)?;)?
        $decode:block
    )*) => {
        $( $( $crate::command_entry! {
            fn $enqueue<B>(queue $(, $p: $ty)*; wait, event) {
                let command: $crate::Command<'_, B> = $decode;
                command.check_usm(queue.context())?;
            } run {
                let blocking = $crate::enqueue::table::blocking!($($blocking)?);
                $crate::enqueue::table::submit!($($inlined)? queue, command, blocking, wait, event)
            } record {
                $($crate::capture::reject_blocking($blocking)?;)?
                command
            }
        } )? )*

        $( $( $crate::entry! {
            pub(crate) fn $append<B>(
                buffer: ExpCommandBufferHandle, $($ap: $aty,)* num_points: u32,
                points: *const ExpCommandBufferSyncPoint, num_events: u32, events: *const EventHandle,
                point: *mut ExpCommandBufferSyncPoint, event: *mut EventHandle,
                handle: *mut ExpCommandBufferCommandHandle,
            ) {
                let buffer = object::<B::CommandBuffer>(buffer)?;
                let command: $crate::Command<'_, B> = $decode;
                let (points, events) = ((num_points, points), (num_events, events));
                $(if $nothing {
                    std::hint::cold_path();
                    return $crate::command_buffer::append::<B>(
                        &buffer, Command::Wait, points, events, point, event, handle,
                    );
                })?
                $crate::enqueue::table::append!($($append_inlined)?)(&buffer, command, points, events, point, event, handle)
            }
        } )? )*
    };
}
pub(super) use command_table;

/// Whether a call blocks that may have a parameter for it.
macro_rules! blocking {
    () => {
        false
    };
    ($blocking:ident) => {
        $blocking
    };
}
pub(super) use blocking;

/// Submits a command, `inlined` or not.
macro_rules! submit {
    (inlined $queue:ident, $command:ident, $($rest:tt)*) => {{
        $crate::command::trace::trace("runs", &*$queue, &$command);
        $queue.submit($command, $($rest)*)
    }};
    ($queue:ident, $($rest:tt)*) => { $crate::enqueue::table::submit_command::<B>(&$queue, $($rest)*) };
}
pub(super) use submit;

/// What appends a command, `inlined` or not.
macro_rules! append {
    (inlined) => {
        $crate::command_buffer::append_inlined::<B>
    };
    () => {
        $crate::command_buffer::append::<B>
    };
}
pub(super) use append;

/// [`Queue::submit`], once for all commands that are not frequent: adapters inline their part of it.
#[inline(never)]
pub(crate) fn submit_command<B: Backend>(
    queue: &Arc<B::Queue>,
    command: Command<'_, B>,
    blocking: bool,
    wait: WaitList<'_, B>,
    event: EventOut<'_, B>,
) -> UrResult<()> {
    trace("runs", queue, &command);
    queue.submit(command, blocking, wait, event)
}
