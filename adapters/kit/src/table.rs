// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The DDI table of an adapter: an entry point in every slot.
//!
//! The module of an object defines entry points and implements [`EntryPoints`] for its table by [`entry_points!`]. Slots
//! that it has no function for get one that answers `ERROR_UNSUPPORTED_FEATURE`. So nothing lists functions by hand, and a
//! function that the ABI gains is answered truthfully before anybody implements it.

mod older;
mod older_loader;

use oxur_api::older::OlderLayout;
use oxur_api::*;
use oxur_fork::OnceLock;

use self::older::OlderTables;
use self::older_loader::Caller;
use crate::Backend;

/// For each function of the ABI one that answers `ERROR_UNSUPPORTED_FEATURE`.
#[allow(non_snake_case, reason = "they have their C names")]
#[allow(clippy::too_many_arguments, reason = "the C ABI decides")]
#[allow(dead_code, reason = "most are hidden by the function that does the work")]
pub(crate) mod unsupported {
    use oxur_api::*;

    use crate::Backend;

    macro_rules! unsupported {
        ({} table $member:ident: $table:ident = $getter:ident; $(
            $(#[doc = $doc:literal])*
            fn $name:ident = $slot:ident via $via:tt ($($p:ident: $ty:ty),*);
        )*) => { $(
            pub(crate) unsafe extern "C-unwind" fn $name<B: Backend>($(_: $ty),*) -> ResultCode {
                log::debug!(concat!(stringify!($name), ": the adapter {} does not have it"), B::NAME);
                ResultCode::ERROR_UNSUPPORTED_FEATURE
            }
        )* };
    }

    for_each_table! { unsupported {} }
    legacy_functions! { unsupported {} }
}

/// A table whose functions call an adapter's objects.
pub(crate) trait EntryPoints<B: Backend> {
    /// Makes it.
    fn entry_points() -> Self;
}

/// Implements [`EntryPoints`] for a table, as in `oxur_api::queue_functions! { entry_points {} }`, by the functions of the
/// module that uses it and of the modules that are named between the braces. Those of [`unsupported`] come in by a glob,
/// which what the module defines hides.
macro_rules! entry_points {
    ({ $($module:ident)* } table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($p:ident: $ty:ty),*);
    )*) => {
        #[allow(unused_imports, reason = "a module may have all functions of its table")]
        use $crate::table::unsupported::*;

        impl<B: $crate::Backend> $crate::table::EntryPoints<B> for oxur_api::$table {
            fn entry_points() -> Self {
                $( use $crate::$module::*; )*
                Self { $($slot: Some($name::<B>)),* }
            }
        }
    };
}
pub(crate) use entry_points;

macro_rules! all_entry_points {
    ({ $b:ident } $($member:ident: $table:ident = $functions:ident;)*) => {
        DdiTable { $($member: EntryPoints::<$b>::entry_points()),* }
    };
}

/// All tables of this library's adapter: the standard ones and the one for older clients.
pub struct Tables {
    /// `ur_dditable_t`.
    pub ddi: DdiTable,
    /// The functions that 2026.2 dropped.
    pub legacy: LegacyDdiTable,
    older: OnceLock<OlderTables>,
}

impl Tables {
    pub(crate) fn older(&self, layout: OlderLayout) -> &OlderTables {
        self.older.get_or_init(|| OlderTables::new(self, layout))
    }
}

static TABLES: OnceLock<Tables> = OnceLock::new();

/// The tables, made when they are first asked for.
pub fn tables<B: Backend>() -> &'static Tables {
    let tables = TABLES.get_or_init(|| {
        oxur_log::init(B::NAME);
        let mut tables = Tables {
            ddi: ddi_members! { all_entry_points { B } },
            legacy: EntryPoints::<B>::entry_points(),
            older: OnceLock::new(),
        };
        B::extend(&mut tables.ddi);
        tables
    });
    crate::handle::set_first_ddi(&tables.ddi);
    tables
}

/// The version of the kit, as a string of C.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// The body of a `urGet*ProcAddrTable` for a `table` of `tables`, which is `member` of `ur_dditable_t`.
///
/// # Safety
/// `out`, unless null, must be writable, for as large a table as the loader knows that calls.
pub unsafe fn fill_ddi_table<T: Copy>(
    version: ApiVersion,
    tables: &'static Tables,
    member: &str,
    table: &T,
    out: *mut T,
) -> ResultCode {
    if out.is_null() {
        return ResultCode::ERROR_INVALID_NULL_POINTER;
    }
    // Versions share the major number as long as the layout only grows.
    if version.0 >> 16 != ApiVersion::CURRENT.0 >> 16 || version.0 > ApiVersion::CURRENT.0 {
        return ResultCode::ERROR_UNSUPPORTED_VERSION;
    }
    let refused = |release: &str| {
        log::error!(
            "a libur_loader.so.0 of this process is of {release}: it gets no devices of this adapter. Use oxur's loader: \
             `oxur run`"
        );
        ResultCode::ERROR_UNSUPPORTED_VERSION
    };
    let layout = match older_loader::caller() {
        Caller::Current => None,
        Caller::Older(layout) => Some(layout),
        Caller::Unknown => return refused("2025.3 or an older release, whose tables have another layout"),
    };
    // All handles lead to tables of one layout.
    static SERVED: OnceLock<Option<OlderLayout>> = OnceLock::new();
    let served = SERVED.get_or_init(|| {
        if let Some(layout) = layout {
            crate::handle::set_ddi(tables.older(layout).all());
        }
        layout
    });
    if *served != layout {
        return refused("another release than the loader that has this adapter already");
    }
    match layout {
        // SAFETY: the caller vouches for it.
        None => unsafe { out.write(*table) },
        // SAFETY: as above.
        Some(layout) => unsafe { tables.older(layout).fill(member, out.cast()) },
    }
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

            const NAME: &str = concat!(env!("CARGO_PKG_NAME"), "\0");

            /// Which adapter it is, so that this project's loader notices when it finds two installations of one.
            #[unsafe(no_mangle)]
            #[allow(non_upper_case_globals, reason = "it has its C name")]
            pub static oxurAdapter: [u8; NAME.len()] = *NAME.as_bytes().first_chunk().unwrap();

            /// The version of the kit. What loader and adapter agree on besides the standard holds within one version.
            #[unsafe(no_mangle)]
            #[allow(non_upper_case_globals, reason = "it has its C name")]
            pub static oxurVersion: [u8; $crate::table::VERSION.len()] =
                *$crate::table::VERSION.as_bytes().first_chunk().unwrap();

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
                unsafe {
                    let tables = $crate::table::tables::<ExportedBackend>();
                    $crate::table::fill_ddi_table(version, tables, "Legacy", &tables.legacy, out)
                }
            }
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __export_tables {
    ({} table $member:ident: $table:ident = $getter:ident; $($functions:tt)*) => {
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
                let tables = $crate::table::tables::<ExportedBackend>();
                $crate::table::fill_ddi_table(version, tables, stringify!($member), &tables.ddi.$member, out)
            }
        }
    };
}
