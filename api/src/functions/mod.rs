// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The table of all functions, and what is generated from it: DDI structures, function types, descriptions.
//!
//! Each file holds the text of one DDI table:
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
//! leads to the adapter, or `(first of LIST, COUNT: A, B)` for the first element of a list: A is the result for an
//! empty list, B for a null element. `via loader` marks functions that the loader implements itself. Every function
//! returns `ur_result_t`; the list after the arrow has its documented errors.
//!
//! This text generates two things. Its types, attributes and errors become constants ([`Table`], `DeviceDdiTable::META`),
//! which the compiler checks: an attribute that names a missing parameter does not compile. Its signatures go to the
//! callback macros of [`for_each_table!`](crate::for_each_table), from which the loader's symbols, the kit's entry points
//! and the client's methods expand.
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

/// Calls `$callback! { $args MEMBER: TABLE = FUNCTIONS; … }` with every DDI table, in the order of `ur_dditable_t`: its
/// member there, its type, and the macro that holds its text.
///
/// To get the functions of each table, use [`for_each_table!`](crate::for_each_table).
#[macro_export]
macro_rules! ddi_members {
    ($callback:ident $args:tt) => {
        $crate::__ddi_members! { [$callback] $args }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __ddi_members {
    ([$($callback:tt)*] $args:tt) => {
        $($callback)*! { $args
            Adapter: AdapterDdiTable = adapter_functions;
            Platform: PlatformDdiTable = platform_functions;
            Context: ContextDdiTable = context_functions;
            Event: EventDdiTable = event_functions;
            EventExp: EventExpDdiTable = event_exp_functions;
            Program: ProgramDdiTable = program_functions;
            ProgramExp: ProgramExpDdiTable = program_exp_functions;
            Kernel: KernelDdiTable = kernel_functions;
            Queue: QueueDdiTable = queue_functions;
            QueueExp: QueueExpDdiTable = queue_exp_functions;
            Sampler: SamplerDdiTable = sampler_functions;
            Mem: MemDdiTable = mem_functions;
            PhysicalMem: PhysicalMemDdiTable = physical_mem_functions;
            Enqueue: EnqueueDdiTable = enqueue_functions;
            EnqueueExp: EnqueueExpDdiTable = enqueue_exp_functions;
            USM: UsmDdiTable = usm_functions;
            USMExp: UsmExpDdiTable = usm_exp_functions;
            BindlessImagesExp: BindlessImagesExpDdiTable = bindless_images_exp_functions;
            CommandBufferExp: CommandBufferExpDdiTable = command_buffer_exp_functions;
            GraphExp: GraphExpDdiTable = graph_exp_functions;
            IPCExp: IpcExpDdiTable = ipc_exp_functions;
            MemoryExportExp: MemoryExportExpDdiTable = memory_export_exp_functions;
            UsmP2PExp: UsmP2pExpDdiTable = usm_p2p_exp_functions;
            VirtualMem: VirtualMemDdiTable = virtual_mem_functions;
            Device: DeviceDdiTable = device_functions;
            DeviceExp: DeviceExpDdiTable = device_exp_functions;
        }
    };
}

/// Calls `$callback!` once for each DDI table, in the order of `ur_dditable_t`, with its functions:
///
/// ```text
/// $callback! { $args table Device: DeviceDdiTable = urGetDeviceProcAddrTable;
///     #[doc = "…"] fn urDeviceGet = pfnGet via hPlatform (hPlatform: PlatformHandle, …);
///     …
/// }
/// ```
///
/// The part after `via` is one token tree. `device_functions! { $callback $args }` and similar macros do so for one table;
/// `legacy_functions!` has the functions that 2026.2 dropped, `loader_functions!` those that the loader implements.
#[macro_export]
macro_rules! for_each_table {
    ($callback:ident $args:tt) => {
        $crate::__ddi_members! { [$crate::__for_each_member] { $callback $args } }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __for_each_member {
    ({ $callback:ident $args:tt } $($member:ident: $table:ident = $functions:ident;)*) => {
        $( $crate::$functions! { $callback $args } )*
    };
}

/// Processes every table's text: `[describe]` generates the structure and its description, `[callback args]` receives only the
/// signatures.
#[doc(hidden)]
#[macro_export]
macro_rules! __table {
    ([describe] $($text:tt)*) => {
        describe! { $($text)* }
    };
    ([$callback:ident $args:tt] table $member:ident: $table:ident = $ctable:ident, $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = ($slot:ident, $($number:tt)*), via $via:tt (
            $( $(#[doc = $pdoc:literal])* [$($attribute:tt)*] $p:ident: $ty:ty, )*
        ) -> [$($error:ident),*];
    )*) => {
        $callback! { $args table $member: $table = $getter;
            $( $(#[doc = $doc])* fn $name = $slot via $via ($($p: $ty),*); )*
        }
    };
}

use crate::ResultCode;
use crate::meta::{Function, Layout, Table};
use crate::outline::{FunctionOutline, TableOutline};

/// `DeviceDdiTable` and its `META`, from the text of a table.
macro_rules! describe {
    (table $member:ident: $table:ident = $ctable:ident, $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = ($slot:ident, $id:literal $(, since $since:literal)? $(, until $until:literal)?), via $via:tt (
            $( $(#[doc = $pdoc:literal])* [$($attribute:tt)*] $p:ident: $ty:ty, )*
        ) -> [$($error:ident),*];
    )*) => {
        #[doc = concat!("`", stringify!($ctable), "`: what `", stringify!($getter), "` fills.")]
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $table {
            $( $(#[doc = $doc])* pub $slot: Option<pfn::$name>, )*
        }

        impl $table {
            /// The names of the table, without parameters.
            pub const OUTLINE: &TableOutline = &TableOutline {
                member: stringify!($member),
                functions: &[$( FunctionOutline {
                    name: stringify!($name),
                    since: option!($($since)?),
                    errors: &[$(ResultCode::$error),*],
                } ),*],
            };

            /// The table as data.
            pub const META: &Table = &Table {
                member: stringify!($member),
                c_name: stringify!($ctable),
                getter: stringify!($getter),
                functions: &[$( Function {
                    name: stringify!($name),
                    slot: stringify!($slot),
                    id: $id,
                    since: option!($($since)?),
                    until: option!($($until)?),
                    params: fields! { $( [$($pdoc)*] [$($attribute)*] $p: $ty, )* },
                    errors: &[$(ResultCode::$error),*],
                    doc: concat!($($doc, "\n"),*),
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
    ({} table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($p:ident: $ty:ty),*);
    )*) => {
        $( $(#[doc = $doc])* pub type $name = unsafe extern "C-unwind" fn($($p: $ty),*) -> ResultCode; )*
    };
}

/// `ur_dditable_t` and the list of its tables' descriptions.
macro_rules! all_tables {
    ({} $($member:ident: $table:ident = $functions:ident;)*) => {
        $( crate::$functions! { describe } )*

        /// `ur_dditable_t`: all tables of an adapter. The first word of every handle points to one.
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default)]
        #[allow(missing_docs, reason = "each member is the table of its name")]
        pub struct DdiTable {
            $( pub $member: $table, )*
        }

        /// The DDI tables, in the order of `ur_dditable_t`. [`LegacyDdiTable`] and [`LoaderFunctions`] are not among them.
        pub const TABLES: &[&Table] = &[$($table::META),*];

        /// The same without parameters.
        pub const TABLE_OUTLINES: &[&TableOutline] = &[$($table::OUTLINE),*];
    };
}

crate::ddi_members! { all_tables {} }
crate::legacy_functions! { describe }
crate::loader_functions! { describe }

/// The types of the functions, each under the function's name.
#[allow(non_camel_case_types, reason = "a function's type has the function's name")]
pub mod pfn {
    use crate::types::*;

    crate::for_each_table! { function_types {} }
    crate::legacy_functions! { function_types {} }
    crate::loader_functions! { function_types {} }
}
