// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Entry points of launches.
//!
//! Nearly all launches wait for nothing and ask for nothing special. They have ways of their own, so that what the others
//! need takes no registers from them: all that a launch costs here is some nanoseconds, and that was half of it.

use oxur_api::*;

use crate::capture::is_active;
use crate::command::trace::trace;
use crate::entry_hook::enter;
use crate::error::guard;
use crate::handle::{Borrowed, object_if};
use crate::{Args, Backend, Command, EventOut, Launch, Queue, Range, Subject, UrResult, WaitList, command_entry};

/// A launch that waits for nothing and asks for nothing special. `None` if the queue captures, or there is something to
/// complain of: saying so is for the general way.
///
/// # Safety
/// As the C functions.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the C ABI decides")]
unsafe fn plain<'a, B: Backend>(
    function: &'static str,
    queue: QueueHandle,
    kernel: KernelHandle,
    dimensions: u32,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    args: impl FnOnce() -> UrResult<Args<'a, B>>,
    event: EventOut<'_, B>,
) -> Option<ResultCode> {
    // SAFETY: passed on to the caller.
    unsafe {
        let queue = object_if::<B::Queue>(queue).filter(|queue| !is_active::<B>(queue))?;
        let kernel = object_if::<B::Kernel>(kernel)?;
        let range = Range::if_valid(dimensions, offset, global, local)?;
        Some(guard(function, || {
            let _entered = enter::<B>(|| Subject::Queue(Borrowed::reborrow(&queue)))?;
            let launch = Launch::plain(kernel, range, args()?);
            let command = Command::Launch(launch);
            trace("runs", &queue, &command);
            queue.submit(command, false, WaitList::empty(), event)
        }))
    }
}

/// Writes the entry point of a launch with these parameters behind the work-group size, and these arguments.
macro_rules! launches {
    ($( fn $name:ident($($p:ident: $ty:ty),*) with $args:expr; )*) => {
        $(
            #[allow(non_snake_case, clippy::too_many_arguments, reason = "the C ABI decides")]
            pub(crate) unsafe extern "C-unwind" fn $name<B: Backend>(
                queue: QueueHandle, kernel: KernelHandle, dimensions: u32, offset: *const usize, global: *const usize,
                local: *const usize, $($p: $ty,)* properties: *const KernelLaunchExtProperties, num_events: u32,
                events: *const EventHandle, event: *mut EventHandle,
            ) -> ResultCode {
                // SAFETY: as that of the C function.
                unsafe {
                    let name = stringify!($name);
                    let args = || $args;
                    // One jump for what is nearly always so.
                    if !local.is_null()
                        && (event as usize | events as usize | properties as usize | num_events as usize) == 0
                        && let Some(result) = plain::<B>(
                            name, queue, kernel, dimensions, offset, global, local, args, EventOut::none(),
                        )
                    {
                        return result;
                    }
                    with_event::$name::<B>(
                        queue, kernel, dimensions, offset, global, local, $($p,)* properties, num_events, events, event,
                    )
                }
            }
        )*

        /// Launches that leave an event, or have no work-group size.
        mod with_event {
            use super::*;

            $(
                #[inline(never)]
                #[allow(non_snake_case, clippy::too_many_arguments, reason = "the C ABI decides")]
                pub(super) unsafe extern "C-unwind" fn $name<B: Backend>(
                    queue: QueueHandle, kernel: KernelHandle, dimensions: u32, offset: *const usize,
                    global: *const usize, local: *const usize, $($p: $ty,)*
                    properties: *const KernelLaunchExtProperties, num_events: u32, events: *const EventHandle,
                    event: *mut EventHandle,
                ) -> ResultCode {
                    // SAFETY: as that of the C function.
                    unsafe {
                        let name = stringify!($name);
                        let args = || $args;
                        if num_events == 0
                            && events.is_null()
                            && properties.is_null()
                            && let Some(result) = plain::<B>(
                                name, queue, kernel, dimensions, offset, global, local, args, EventOut::new(event),
                            )
                        {
                            return result;
                        }
                        general::$name::<B>(
                            queue, kernel, dimensions, offset, global, local, $($p,)* properties, num_events, events,
                            event,
                        )
                    }
                }
            )*
        }

        /// All launches.
        mod general {
            use super::*;

            command_entry! { $(
                #[inline(never)]
                pub(super) fn $name<B>(
                    queue, kernel: KernelHandle, dimensions: u32, offset: *const usize, global: *const usize,
                    local: *const usize, $($p: $ty,)* properties: *const KernelLaunchExtProperties; wait, event
                ) {
                    let launch = Launch::new(kernel, dimensions, offset, global, local, $args?)?
                        .with_properties(stringify!($name), properties)?;
                    let command: Command<'_, B> = Command::Launch(launch);
                } run {
                    trace("runs", &queue, &command);
                    queue.submit(command, false, wait, event)
                } record {
                    command
                }
            )* }
        }
    };
}

launches! {
    fn urEnqueueKernelLaunch() with UrResult::Ok(Args::none());
    fn urEnqueueKernelLaunchWithArgsExp(num_args: u32, arguments: *const ExpKernelArgProperties)
        with Args::new(num_args, arguments);
}
