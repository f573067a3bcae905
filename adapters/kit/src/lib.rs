// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What turns a set of safe traits into a Unified Runtime adapter.
//!
//! An adapter names its objects in an implementation of [`Backend`], implements a trait for each, and ends with
//! `kit::export_adapter!(Backend)`. The kit has everything between the C ABI and those traits: handles and their
//! reference counts, argument checks, queries, wait lists, the DDI tables, panic containment, logging.
//!
//! There is one file an object. Each has the trait that an adapter implements, whose default methods answer
//! `ERROR_UNSUPPORTED_FEATURE`, and below it the C entry points that decode the arguments and call the trait.
//! `examples/smallest.rs` is the smallest complete adapter; docs/adapters.md explains it.
#![cfg_attr(test, allow(clippy::disallowed_types, reason = "tests fork by themselves"))]

pub use oxur_api as ur;
use oxur_api::DdiTable;
/// Locks, which are safe over a fork: an adapter uses no others.
pub use oxur_fork as fork;

pub mod args;
mod chain;
mod context_usm;
mod error;
mod handle;
mod info;
pub mod table;
mod thread_cache;
pub mod usm_cache;
mod wait;

mod absent;
mod adapter;
mod at_exit;
mod bindless;
mod bindless_copy;
mod capture;
mod client_call;
mod command;
mod command_buffer;
mod context;
mod deferred_drop;
mod device;
mod device_defaults;
mod device_global;
mod driver_event;
mod driver_program;
mod driver_use;
pub mod emulate;
mod enqueue;
mod entry_hook;
mod event;
mod external_fd;
mod foreign_memory;
mod graph;
mod graph_dump;
pub mod groups;
mod host_pipe;
pub mod icd_loader;
mod image_shape;
mod in_flight;
mod ipc;
mod kernel;
mod legacy;
mod library;
mod libsycl_compat;
mod loan;
mod mem;
mod memory_export;
pub mod memory_ipc;
pub mod memory_queue;
mod native_ref;
mod own_threads;
mod peer;
mod physical_mem;
mod platform;
mod program;
mod program_builds;
mod queue;
mod recycle;
mod sampler;
mod shared_contexts;
mod short_list;
mod spirv;
mod tbb;
mod unique_id;
mod usm;
mod usm_mem;
mod virtual_mem;
mod watcher;

pub use absent::{
    Absent, NoCommandBuffer, NoExecutableGraph, NoExternalMem, NoExternalSemaphore, NoGraph, NoKernel, NoMem,
    NoPhysicalMem, NoProgram, NoSampler, NoUsmPool,
};
pub use adapter::Adapter;
pub use bindless::{
    BindlessCopy, BindlessImage, BindlessImages, BindlessPlace, BindlessSide, BindlessUse, ExternalMem,
    ExternalSemaphore, OsHandle, SemaphoreOperation,
};
pub use bindless_copy::BindlessBox;
pub use capture::Capture;
pub use command::{
    BoxedLaunch, BufferRect, Command, DeviceGlobal, HostTask, ImageRect, Launch, LaunchProperties, Objects,
    OwnedCommand, OwnedDeviceGlobal, OwnedLaunch, OwnedRange, PlainLaunch, Range,
};
pub use command_buffer::{
    BufferCommand, Change, Changed, CommandBuffer, CommandList, CommandSignal, FEW_COMMANDS, Finalized, LaunchChange,
    NativeCommand, Node, Settings, Signal, SignalOf, SoftwareCommandBuffer, SoftwareRuns,
};
pub use context::{Context, Deleters};
pub use context_usm::{
    CacheLimit, ContextUsm, MemoryProvider, UsmAllocation, UsmHeapPool, UsmPlace, note_usm_change, usm_generation,
};
pub use deferred_drop::{defer_drop, defer_drop_by};
pub use device::{Device, spirv_image_rank};
pub use device_defaults::{default_device_info, vector_width};
pub use device_global::DeviceGlobals;
pub use driver_event::{Current, DriverEvent, EventSignal, NewEvent};
pub use driver_program::{DriverProgram, ProgramBinary, ProgramCode};
pub use driver_use::DriverUse;
pub use entry_hook::Subject;
pub use error::{UrError, UrResult, unsupported};
pub use event::{Callback, Event, SoftwareEvent};
pub use external_fd::ExternalFd;
pub use foreign_memory::{ForeignMemory, MemoryOf};
pub use graph::{CapturedGraph, ExecutableGraph, Graph, GraphCell, SoftwareExecutableGraph, SoftwareGraph};
pub use graph_dump::{CommandTimings, Span};
pub use handle::{Borrowed, HandleCell, HandleGroup, HandleKind, Object, export, handle_of, take};
pub use host_pipe::HostPipe;
pub use image_shape::{ImageLimits, ImageShape, PixelSteps};
pub use in_flight::{BusyMark, InFlight, Markers, TrackedQueue};
pub use info::InfoOut;
pub use ipc::{Ipc, IpcExport};
pub use kernel::{
    Arg, ArgCache, ArgKey, ArgObjects, Args, ArgsIter, ExecInfo, Kernel, KernelCloneEmulation, LateSnapshot, OwnArgs,
    SnapshotCache,
};
pub use library::library_of;
pub use loan::Loans;
pub use mem::{BufferProperties, HostPointer, ImageCreate, Mem};
pub use memory_export::MemoryExport;
pub use memory_ipc::{MemoryIpc, SharedMemory};
pub use memory_queue::{BoxSide, MemoryCommand, MemoryQueue, Submission};
pub use native_ref::{CountedObject, NativeObject, NativeOwned, NativeRef};
pub use own_threads::is_closed;
pub use oxur_environment as environment;
pub use physical_mem::{DriverMemory, DriverPhysicalMem, PhysicalMem};
pub use platform::{Platform, usable};
pub use program::{LinkFailure, Program};
pub use program_builds::{Build, no_function};
pub use queue::{Queue, QueueNativeProperties, QueueProperties, begin_native_by_barrier};
pub use recycle::recycled;
pub use sampler::{DriverSampler, NativeSampler, Sampler, SamplerMip, SamplerProperties};
pub use shared_contexts::SharedContexts;
pub use spirv::{check_spirv, check_spirv_constants};
pub use thread_cache::{CachedOwner, ThreadCache};
pub use unique_id::{UniqueId, WeakRegistry};
pub use usm::{UsmAlloc, UsmKind, UsmPool, UsmPoolBuffer, UsmPoolProperties, UsmProperties, UsmRequest};
pub use usm_mem::{BufferMemory, Moved, NoImage, UsmMem, UsmMemImage, check_host_flags};
pub use virtual_mem::{MemAccess, VirtualMem};
pub use wait::{EventOut, WaitList};
pub use watcher::{Marker, Watch, Watcher};

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
    type Context: Context<Self>
        + UsmAlloc<Self>
        + VirtualMem<Self>
        + Ipc<Self>
        + BindlessImages<Self>
        + MemoryExport<Self>;
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
    /// A graph that commands are captured into: [`SoftwareGraph`] where the driver captures nothing, and [`NoGraph`]
    /// where there are to be none.
    type Graph: Graph<Self>;
    /// What is run of a graph: [`SoftwareExecutableGraph`] or [`NoExecutableGraph`].
    type ExecutableGraph: ExecutableGraph<Self>;
    /// A pool of USM.
    type UsmPool: UsmPool<Self>;
    /// A piece of physical memory; [`NoPhysicalMem`] where there is none.
    type PhysicalMem: PhysicalMem<Self>;
    /// Memory of another API; [`NoExternalMem`] where none can be imported.
    type ExternalMem: ExternalMem<Self>;
    /// A semaphore of another API; [`NoExternalSemaphore`] where none can be imported.
    type ExternalSemaphore: ExternalSemaphore<Self>;

    /// Whether the adapter calls a driver with gates of its own for forks, as most are to be thought: then the kit holds no lock
    /// while it calls the adapter for a command buffer. A child of `fork` finds nothing in one that another thread was busy with.
    const CALLS_DRIVER: bool = true;

    /// Whether [`enter`](Self::enter) and [`leave`](Self::leave) do anything. Where they do not, calls are as if there were
    /// none.
    const ENTRY_HOOKS: bool = false;

    /// A call of the client's comes in. This is for what a driver keeps for each thread, such as its current context; if it
    /// fails, so does the call. Calls nest: a host task, or a function that is called when an object goes, may make others.
    fn enter(_subject: Subject<'_, Self>) -> UrResult<()> {
        Ok(())
    }

    /// A call that was entered is over.
    fn leave() {}

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
                unsafe {
                    let _entered = $crate::entry_hook::enter::<$b>(|| $crate::entry_hook::subject!($b; $($p),*))?;
                    $body
                }
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
                    let recorded = || Ok($record.into());
                    $crate::capture::record::<$b>(&$queue, (num_events, events), place, recorded())
                }
            }
            let handle = $queue;
            let $queue = $crate::handle::object::<$b::Queue>(handle)?;
            if $crate::capture::joins_capture::<$b>(&$queue, num_events, events) {
                std::hint::cold_path();
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
