// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The one table of functions, and what this crate makes of it: DDI structures, function types, descriptions.
//!
//! Each file holds one DDI table as a macro that hands its text to a callback macro:
//!
//! ```text
//! table Device: DeviceDdiTable = ur_device_dditable_t, urGetDeviceProcAddrTable;
//!
//! /// documentation
//! fn urDeviceGet = (pfnGet, 8), via hPlatform (
//!     /// documentation
//!     [in] hPlatform: PlatformHandle,
//!     …
//! ) -> [ERROR_INVALID_NULL_HANDLE, …];
//! ```
//!
//! `(slot, id)` are the member of the DDI structure and the value of the `ur_function_t` enumerator, followed by
//! `since "…"` or `until "…"` for functions that not every release has. `via` names the parameter whose DDI pointer
//! tells the adapter to call; `via loader` marks functions that the loader answers itself. Every function returns
//! `ur_result_t`; the list after the arrow has its documented errors.
//!
//! [`for_each_table!`](crate::for_each_table) applies a callback to all of them; the loader's trampolines, the kit's entry points and the
//! C headers come from there.
#![allow(non_snake_case, reason = "slots and parameters have their C names")]

mod adapter;
mod bindless_images_exp;
mod command_buffer_exp;
mod context;
mod device;
mod device_exp;
mod enqueue;
mod enqueue_exp;
mod event;
mod event_exp;
mod graph_exp;
mod ipc_exp;
mod kernel;
mod legacy;
mod loader;
mod mem;
mod memory_export_exp;
mod physical_mem;
mod platform;
mod program;
mod program_exp;
mod queue;
mod queue_exp;
mod sampler;
mod usm;
mod usm_exp;
mod usm_p2p_exp;
mod virtual_mem;

/// Calls `$callback! { $args table … fn … }` once for each DDI table, in the order of `ur_dditable_t`.
#[macro_export]
macro_rules! for_each_table {
    ($callback:ident $args:tt) => {
        $crate::adapter_functions! { $callback $args }
        $crate::platform_functions! { $callback $args }
        $crate::context_functions! { $callback $args }
        $crate::event_functions! { $callback $args }
        $crate::event_exp_functions! { $callback $args }
        $crate::program_functions! { $callback $args }
        $crate::program_exp_functions! { $callback $args }
        $crate::kernel_functions! { $callback $args }
        $crate::queue_functions! { $callback $args }
        $crate::queue_exp_functions! { $callback $args }
        $crate::sampler_functions! { $callback $args }
        $crate::mem_functions! { $callback $args }
        $crate::physical_mem_functions! { $callback $args }
        $crate::enqueue_functions! { $callback $args }
        $crate::enqueue_exp_functions! { $callback $args }
        $crate::usm_functions! { $callback $args }
        $crate::usm_exp_functions! { $callback $args }
        $crate::bindless_images_exp_functions! { $callback $args }
        $crate::command_buffer_exp_functions! { $callback $args }
        $crate::graph_exp_functions! { $callback $args }
        $crate::ipc_exp_functions! { $callback $args }
        $crate::memory_export_exp_functions! { $callback $args }
        $crate::usm_p2p_exp_functions! { $callback $args }
        $crate::virtual_mem_functions! { $callback $args }
        $crate::device_functions! { $callback $args }
        $crate::device_exp_functions! { $callback $args }
    };
}

macro_rules! ddi_tables {
    ({} table $member:ident: $table:ident = $ctable:ident, $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = ($slot:ident, $id:literal $(, since $since:literal)? $(, until $until:literal)?), via $via:ident (
            $( $(#[doc = $pdoc:literal])* [$($attr:tt)*] $p:ident: $ty:ty, )*
        ) -> [$($error:ident),*];
    )*) => {
        #[doc = concat!("`", stringify!($ctable), "`: what `", stringify!($getter), "` fills.")]
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $table {
            $( $(#[doc = $doc])* pub $slot: Option<pfn::$name>, )*
        }

        impl $table {
            /// The table as data.
            pub const META: Table = Table {
                member: stringify!($member),
                c_name: stringify!($ctable),
                getter: stringify!($getter),
                functions: &[$( Function {
                    name: stringify!($name),
                    slot: stringify!($slot),
                    id: $id,
                    since: option!($($since)?),
                    until: option!($($until)?),
                    params: &[$( Field {
                        name: stringify!($p),
                        ty: stringify!($ty),
                        attributes: stringify!($($attr)*),
                        doc: &[$($pdoc),*],
                    } ),*],
                    errors: &[$(stringify!($error)),*],
                    doc: &[$($doc),*],
                } ),*],
                layout: Layout { offsets: &[$(core::mem::offset_of!($table, $slot)),*], ..Layout::of::<$table>() },
            };
        }
    };
}

macro_rules! option {
    () => {
        None
    };
    ($value:literal) => {
        Some($value)
    };
}

macro_rules! function_types {
    ({} table $member:ident: $table:ident = $ctable:ident, $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = ($($slot:tt)*), via $via:ident (
            $( $(#[doc = $pdoc:literal])* [$($attr:tt)*] $p:ident: $ty:ty, )*
        ) -> [$($error:ident),*];
    )*) => {
        $( $(#[doc = $doc])* pub type $name = unsafe extern "C-unwind" fn($($p: $ty),*) -> ResultCode; )*
    };
}

use crate::meta::{Field, Function, Layout, Table};

for_each_table! { ddi_tables {} }
crate::legacy_functions! { ddi_tables {} }
crate::loader_functions! { ddi_tables {} }

/// The types of the functions, each under the function's name.
#[allow(non_camel_case_types, reason = "a function's type has the function's name")]
pub mod pfn {
    use crate::types::*;

    crate::for_each_table! { function_types {} }
    crate::legacy_functions! { function_types {} }
    crate::loader_functions! { function_types {} }
}

/// `ur_dditable_t`: all tables of an adapter. The first word of every handle points to one.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs, reason = "each member is the table of its name")]
pub struct DdiTable {
    pub Adapter: AdapterDdiTable,
    pub Platform: PlatformDdiTable,
    pub Context: ContextDdiTable,
    pub Event: EventDdiTable,
    pub EventExp: EventExpDdiTable,
    pub Program: ProgramDdiTable,
    pub ProgramExp: ProgramExpDdiTable,
    pub Kernel: KernelDdiTable,
    pub Queue: QueueDdiTable,
    pub QueueExp: QueueExpDdiTable,
    pub Sampler: SamplerDdiTable,
    pub Mem: MemDdiTable,
    pub PhysicalMem: PhysicalMemDdiTable,
    pub Enqueue: EnqueueDdiTable,
    pub EnqueueExp: EnqueueExpDdiTable,
    pub USM: UsmDdiTable,
    pub USMExp: UsmExpDdiTable,
    pub BindlessImagesExp: BindlessImagesExpDdiTable,
    pub CommandBufferExp: CommandBufferExpDdiTable,
    pub GraphExp: GraphExpDdiTable,
    pub IPCExp: IpcExpDdiTable,
    pub MemoryExportExp: MemoryExportExpDdiTable,
    pub UsmP2PExp: UsmP2pExpDdiTable,
    pub VirtualMem: VirtualMemDdiTable,
    pub Device: DeviceDdiTable,
    pub DeviceExp: DeviceExpDdiTable,
}
