// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The DDI table of an adapter: an entry point in every slot.
//!
//! Each slot first gets a function, expanded from the one table, that answers `ERROR_UNSUPPORTED_FEATURE`; the modules of the objects
//! then put theirs. So a function that the ABI gains is answered truthfully before anybody implements it.

use oxur_fork::OnceLock;

use oxur_api::*;

use crate::Backend;

macro_rules! unsupported {
    ({} table $member:ident: $table:ident = $ctable:ident, $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = ($slot:ident $($number:tt)*), via $via:ident (
            $( $(#[doc = $pdoc:literal])* [$($attr:tt)*] $p:ident: $ty:ty, )*
        ) -> [$($error:ident),*];
    )*) => {
        impl Unsupported for $table {
            fn unsupported() -> Self {
                $(
                    #[allow(non_snake_case)]
                    unsafe extern "C" fn $name($(_: $ty),*) -> ResultCode {
                        log::debug!(concat!(stringify!($name), ": this adapter does not have it"));
                        ResultCode::ERROR_UNSUPPORTED_FEATURE
                    }
                )*
                Self { $($slot: Some($name)),* }
            }
        }
    };
}

/// A table whose functions answer that they are not supported.
pub trait Unsupported {
    /// Makes it.
    fn unsupported() -> Self;
}

for_each_table! { unsupported {} }
oxur_api::legacy_functions! { unsupported {} }

macro_rules! all_unsupported {
    ($($member:ident),* $(,)?) => { DdiTable { $($member: Unsupported::unsupported()),* } };
}

/// All tables of this library's adapter: the standard ones and the one for older clients.
pub struct Tables {
    /// `ur_dditable_t`.
    pub ddi: DdiTable,
    /// The functions that 2026.2 dropped.
    pub legacy: LegacyDdiTable,
}

static TABLES: OnceLock<Tables> = OnceLock::new();

/// The tables, made when they are first asked for.
pub fn tables<B: Backend>() -> &'static Tables {
    let tables = TABLES.get_or_init(|| {
        oxur_log::init(B::NAME);
        let mut tables = Tables {
            ddi: all_unsupported!(
                Adapter,
                Platform,
                Context,
                Event,
                EventExp,
                Program,
                ProgramExp,
                Kernel,
                Queue,
                QueueExp,
                Sampler,
                Mem,
                PhysicalMem,
                Enqueue,
                EnqueueExp,
                USM,
                USMExp,
                BindlessImagesExp,
                CommandBufferExp,
                GraphExp,
                IPCExp,
                MemoryExportExp,
                UsmP2PExp,
                VirtualMem,
                Device,
                DeviceExp,
            ),
            legacy: Unsupported::unsupported(),
        };
        let t = &mut tables.ddi;
        crate::adapter::entries::<B>(t);
        crate::platform::entries::<B>(t);
        crate::device::entries::<B>(t);
        crate::context::entries::<B>(t);
        crate::queue::entries::<B>(t);
        crate::enqueue::entries::<B>(t);
        crate::event::entries::<B>(t);
        crate::mem::entries::<B>(t);
        crate::sampler::entries::<B>(t);
        crate::usm::entries::<B>(t);
        crate::virtual_mem::entries::<B>(t);
        crate::program::entries::<B>(t);
        crate::kernel::entries::<B>(t);
        crate::command_buffer::entries::<B>(t);
        crate::capture::entries::<B>(t);
        crate::graph::entries::<B>(t);
        crate::legacy::entries::<B>(&mut tables.legacy);
        tables
    });
    crate::handle::set_ddi(&tables.ddi);
    tables
}

/// The body of a `urGet*ProcAddrTable`.
///
/// # Safety
/// `out`, unless null, must be writable.
pub unsafe fn give<T: Copy>(version: ApiVersion, table: &T, out: *mut T) -> ResultCode {
    if out.is_null() {
        return ResultCode::ERROR_INVALID_NULL_POINTER;
    }
    // Versions share the major number as long as the layout only grows.
    if version.0 >> 16 != ApiVersion::CURRENT.0 >> 16 || version.0 > ApiVersion::CURRENT.0 {
        return ResultCode::ERROR_UNSUPPORTED_VERSION;
    }
    // SAFETY: the caller vouches for it.
    unsafe { out.write(*table) };
    ResultCode::SUCCESS
}

/// Exports the C functions by which a loader finds the adapter `$backend`, a type that implements [`Backend`].
#[macro_export]
macro_rules! export_adapter {
    ($backend:ty) => {
        const _: () = {
            use $crate::__export_tables as export_tables;
            type ExportedBackend = $backend;

            $crate::ur::for_each_table! { export_tables {} }

            /// Gives the functions that older clients call; the loader of this project asks for it.
            ///
            /// # Safety
            /// `out`, unless null, must be writable.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn oxurGetLegacyProcAddrTable(
                version: $crate::ur::ApiVersion,
                out: *mut $crate::ur::LegacyDdiTable,
            ) -> $crate::ur::ResultCode {
                // SAFETY: the caller's promise is the same.
                unsafe { $crate::table::give(version, &$crate::table::tables::<ExportedBackend>().legacy, out) }
            }
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __export_tables {
    ({} table $member:ident: $table:ident = $ctable:ident, $getter:ident; $($functions:tt)*) => {
        /// Gives a loader one of the adapter's tables.
        ///
        /// # Safety
        /// `out`, unless null, must be writable.
        #[allow(non_snake_case)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $getter(
            version: $crate::ur::ApiVersion,
            out: *mut $crate::ur::$table,
        ) -> $crate::ur::ResultCode {
            // SAFETY: the caller's promise is the same.
            unsafe {
                $crate::table::give(
                    version,
                    &$crate::table::tables::<ExportedBackend>().ddi.$member,
                    out,
                )
            }
        }
    };
}
