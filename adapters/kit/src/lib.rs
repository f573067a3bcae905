// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What turns a set of safe traits into a Unified Runtime adapter.
//!
//! An adapter names its objects in an implementation of [`Backend`], implements a trait for each, and ends with
//! `kit::export_adapter!(Backend)`. The kit has everything between the C ABI and those traits: handles and their
//! reference counts, argument checks, queries, wait lists, the DDI tables, panic containment, logging.
//!
//! There is one file an object. Each has the trait that an adapter implements, whose default methods answer
//! `ERROR_UNSUPPORTED_FEATURE`, and below it the C entry points that decode the arguments and call the trait.
//! `tests/empty.rs` holds the smallest complete adapter.
//!
//! Bindless images and memory export have no trait yet: their slots answer
//! `ERROR_UNSUPPORTED_FEATURE`.
#![cfg_attr(test, allow(clippy::disallowed_types, reason = "tests fork by themselves"))]

pub use oxur_api as ur;
use oxur_api::DdiTable;
/// Locks, which are safe over a fork: an adapter uses no others.
pub use oxur_fork as fork;

pub mod args;
mod environment;
mod error;
mod handle;
mod info;
pub mod table;
pub mod usm_cache;
mod wait;

mod adapter;
mod capture;
mod client;
mod client_call;
mod command;
mod command_buffer;
mod context;
mod device;
pub mod emulate;
mod enqueue;
mod event;
mod graph;
mod graph_dump;
mod ipc;
mod kernel;
mod legacy;
pub mod libopencl;
mod mem;
mod peer;
mod physical_mem;
mod platform;
mod program;
mod queue;
mod recycle;
mod sampler;
mod usm;
mod virtual_mem;

pub use adapter::Adapter;
pub use capture::Capture;
pub use command::{
    BufferRect, Command, DeviceGlobal, HostTask, Launch, LaunchProperties, Objects, OwnedCommand, OwnedDeviceGlobal,
    OwnedLaunch, OwnedRange, Range,
};
pub use command_buffer::{
    BufferCommand, CommandBuffer, CommandList, Node, Settings, Signal, SignalOf, SoftwareCommandBuffer,
};
pub use context::{Context, Deleters};
pub use device::Device;
pub use environment::size_from_environment;
pub use error::{UrError, UrResult, unsupported};
pub use event::{Callback, Event, SoftwareEvent};
pub use graph_dump::{CommandTimings, Span};
pub use handle::{Borrowed, HandleCell, HandleGroup, HandleKind, Object, export, handle_of, take};
pub use info::InfoOut;
pub use ipc::{Ipc, IpcExport};
pub use kernel::{Arg, Args, ExecInfo, Kernel};
pub use mem::{HostPointer, ImageCreate, Mem};
pub use physical_mem::{NoPhysicalMem, PhysicalMem};
pub use platform::Platform;
pub use program::{LinkFailure, Program};
pub use queue::Queue;
pub use recycle::recycled;
pub use sampler::Sampler;
pub use usm::{UsmAlloc, UsmKind, UsmPool, UsmPoolLimits, UsmRequest};
pub use virtual_mem::VirtualMem;
pub use wait::{EventOut, WaitList};

/// What an adapter's own entry points need, which it puts into the tables by [`Backend::extend`].
pub mod entry_point {
    pub use crate::error::guard;
    pub use crate::handle::{object, optional_object};
}

/// The objects of an adapter.
pub trait Backend: Sized + Send + Sync + 'static {
    /// Names the adapter in `UR_LOG_<NAME>`, for example `opencl`.
    const NAME: &'static str;

    /// The adapter itself; there is one.
    type Adapter: Adapter<Self>;
    /// A driver's platform.
    type Platform: Platform<Self>;
    /// A device or sub-device.
    type Device: Device<Self>;
    /// A context.
    type Context: Context<Self> + UsmAlloc<Self> + VirtualMem<Self> + Ipc<Self>;
    /// A queue.
    type Queue: Queue<Self>;
    /// An event.
    type Event: Event<Self>;
    /// A buffer or an image.
    type Mem: Mem<Self>;
    /// A sampler.
    type Sampler: Sampler<Self>;
    /// A program.
    type Program: Program<Self>;
    /// A kernel.
    type Kernel: Kernel<Self>;
    /// A command buffer; [`SoftwareCommandBuffer`] where the driver has none.
    type CommandBuffer: CommandBuffer<Self>;
    /// A pool of USM.
    type UsmPool: UsmPool<Self>;
    /// A piece of physical memory; [`NoPhysicalMem`] where there is none.
    type PhysicalMem: PhysicalMem<Self>;

    /// Puts entry points of the adapter's own into the tables, in place of the kit's: for functions that have no trait, or
    /// whose trait does not fit the driver. Called once, before a loader sees the tables. [`entry_point`] has what such a
    /// function decodes its arguments by.
    fn extend(_tables: &mut DdiTable) {}
}

/// Writes C entry points. The body of each is a block of type `UrResult<()>` that runs guarded.
macro_rules! entry {
    ($( $(#[$attribute:meta])* $vis:vis fn $name:ident<$b:ident>($($p:ident: $ty:ty),* $(,)?) $body:block )*) => { $(
        $(#[$attribute])*
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the C ABI decides")]
        $vis unsafe extern "C-unwind" fn $name<$b: $crate::Backend>($($p: $ty),*) -> oxur_api::ResultCode {
            $crate::error::guard(stringify!($name), move || {
                // SAFETY: the caller of the C function vouches, as the specification demands, that pointers that are
                // not null point to what their types say, and that handles are null or from a UR function. What can be
                // checked is checked by the functions of `args` and `handle`.
                unsafe { $body }
            })
        }
    )* };
}
use entry;

/// Defines entry points of commands: those of `entry`, with the queue first, and the wait list and the event last. Two
/// blocks follow the decoding of the other parameters. `run` submits the command to the queue, and is a `UrResult<()>`.
/// If the queue captures, or waits for a captured command, `record` makes the value that becomes a
/// [`Recorded`](crate::capture::Recorded).
macro_rules! command_entry {
    ($( $(#[$attribute:meta])* $vis:vis fn $name:ident<$b:ident>($queue:ident $(, $p:ident: $ty:ty)*; $wait:ident, $event:ident) { $($decode:tt)* }
        run $run:block record $record:block
    )*) => { $crate::entry! { $(
        $(#[$attribute])*
        $vis fn $name<$b>(
            $queue: oxur_api::QueueHandle $(, $p: $ty)*, num_events: u32, events: *const oxur_api::EventHandle,
            place: *mut oxur_api::EventHandle,
        ) {
            // A function of its own, so that what is kept for it takes no registers from the other way.
            #[cold]
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "the C ABI decides")]
            unsafe fn recorded<$b: $crate::Backend>(
                $queue: oxur_api::QueueHandle $(, $p: $ty)*, num_events: u32, events: *const oxur_api::EventHandle,
                place: *mut oxur_api::EventHandle,
            ) -> $crate::UrResult<()> {
                // SAFETY: as that of the C function.
                unsafe {
                    let $queue = $crate::handle::object::<$b::Queue>($queue)?;
                    let $event = $crate::EventOut::<$b>::new(place);
                    _ = &$event;
                    $($decode)*
                    $crate::capture::record::<$b, _>(&$queue, (num_events, events), place, || Ok($record.into()))
                }
            }
            let handle = $queue;
            let $queue = $crate::handle::object::<$b::Queue>(handle)?;
            if $crate::capture::joins_capture::<$b>(&$queue, num_events, events) {
                return recorded::<$b>(handle $(, $p)*, num_events, events, place);
            }
            $($decode)*
            let $wait = $crate::WaitList::new(num_events, events)?;
            let $event = $crate::EventOut::new(place);
            $run
        }
    )* } };
}
use command_entry;
