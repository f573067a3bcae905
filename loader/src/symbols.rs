// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The C symbols of the functions that adapters have: jumps through pointers, which leave all arguments in place.
//!
//! At first the pointers lead to the dispatcher in [`exports`], which finds the adapter of each call. While a layer is
//! enabled, they lead to [`exports::layered`]. Without layers, if our own adapter is the only one, they lead directly to
//! the adapter, which checks its arguments itself. In a process of release 2025.3 some lead to [`v2025`].
#![allow(non_snake_case, reason = "functions have their C names")]

use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use oxur_api::*;

use crate::{exports, v2025};

/// The function that a symbol jumps to.
pub(crate) type Target = AtomicPtr<()>;

/// Code for a function that adapters have. `exports` has the symbols of the functions that the loader implements.
macro_rules! of_adapters {
    (loader $($code:tt)*) => {};
    ($via:tt $($code:tt)*) => { $($code)* };
}

macro_rules! targets {
    ({} table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($params:tt)*);
    )*) => { $( of_adapters! { $via
        pub(crate) static $name: Target = Target::new(exports::$name as *const () as *mut ());
    } )* };
}

/// The target of each symbol.
#[allow(non_upper_case_globals, reason = "each has the function's name")]
pub(crate) mod target {
    use super::*;

    oxur_api::for_each_table! { targets {} }
    oxur_api::legacy_functions! { targets {} }
}

/// The symbols of the functions in a table.
trait Symbols {
    /// Leads them to the functions of an adapter, except for those that the adapter lacks.
    fn lead_to_adapter(&self);
    fn lead_to_dispatcher();
    fn lead_to_layers();
}

macro_rules! symbols {
    ({} table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($params:tt)*);
    )*) => {
        $( of_adapters! { $via
            #[doc = concat!("The symbol of [`", stringify!($name), "`](crate::exports::", stringify!($name), ").")]
            ///
            /// # Safety
            /// The arguments must be what the specification of the function requires.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name() {
                #[cfg(target_arch = "x86_64")]
                std::arch::naked_asm!("jmp qword ptr [rip + {target}]", target = sym target::$name);
                #[cfg(target_arch = "aarch64")]
                std::arch::naked_asm!(
                    "adrp x16, {target}",
                    "ldr x16, [x16, :lo12:{target}]",
                    "br x16",
                    target = sym target::$name,
                );
            }
        } )*

        impl Symbols for $table {
            fn lead_to_adapter(&self) {
                $( of_adapters! { $via
                    if let Some(function) = self.$slot {
                        target::$name.store(function as *const () as *mut (), Ordering::Relaxed);
                    }
                } )*
            }

            fn lead_to_dispatcher() {
                $( of_adapters! { $via
                    target::$name.store(exports::$name as *const () as *mut (), Ordering::Relaxed);
                } )*
            }

            fn lead_to_layers() {
                $( of_adapters! { $via
                    target::$name.store(exports::layered::$name as *const () as *mut (), Ordering::Relaxed);
                } )*
            }
        }
    };
}

oxur_api::for_each_table! { symbols {} }
oxur_api::legacy_functions! { symbols {} }

macro_rules! lead {
    ({ to_adapter $tables:ident } table $member:ident: $($rest:tt)*) => {
        $tables.$member.lead_to_adapter();
    };
    ({ $lead:ident } table $member:ident: $table:ident = $($rest:tt)*) => {
        $table::$lead();
    };
}

static LEAD_TO_ADAPTER: AtomicBool = AtomicBool::new(false);

/// Whether symbols lead directly to an adapter.
pub(crate) fn lead_to_one_adapter() -> bool {
    LEAD_TO_ADAPTER.load(Ordering::Relaxed)
}

/// Leads symbols directly to the adapter with these functions.
pub(crate) fn lead_to_adapter(table: &DdiTable, legacy: &LegacyDdiTable) {
    oxur_api::for_each_table! { lead { to_adapter table } }
    legacy.lead_to_adapter();
    LEAD_TO_ADAPTER.store(true, Ordering::Relaxed);
}

/// Leads symbols to the dispatcher, which finds the adapter of each call.
pub(crate) fn lead_to_dispatcher() {
    oxur_api::for_each_table! { lead { lead_to_dispatcher } }
    LegacyDdiTable::lead_to_dispatcher();
    LEAD_TO_ADAPTER.store(false, Ordering::Relaxed);
    v2025::lead_symbols();
}

/// Leads symbols to the layers, which call the dispatcher.
pub(crate) fn lead_to_layers() {
    oxur_api::for_each_table! { lead { lead_to_layers } }
    LegacyDdiTable::lead_to_layers();
    LEAD_TO_ADAPTER.store(false, Ordering::Relaxed);
    v2025::lead_symbols();
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C-unwind" fn finish(queue: QueueHandle) -> ResultCode {
        assert!(queue.is_null());
        ResultCode::ERROR_DEVICE_LOST
    }

    #[test]
    fn symbols_lead_where_they_are_led() {
        // SAFETY: the symbol has the parameters of the function. Without an adapter the handle is not read.
        let call = || unsafe {
            let symbol: pfn::urQueueFinish = std::mem::transmute(urQueueFinish as *const ());
            symbol(QueueHandle::default())
        };
        assert_eq!(call(), ResultCode::ERROR_UNINITIALIZED);
        let mut table = DdiTable::default();
        table.Queue.pfnFinish = Some(finish);
        lead_to_adapter(&table, &LegacyDdiTable::default());
        assert!(lead_to_one_adapter());
        assert_eq!(call(), ResultCode::ERROR_DEVICE_LOST);
        // Functions that the adapter lacks keep their target.
        let flush = target::urQueueFlush.load(Ordering::Relaxed);
        assert_eq!(flush, exports::urQueueFlush as *const () as *mut ());
        lead_to_layers();
        assert!(!lead_to_one_adapter());
        assert_eq!(call(), ResultCode::ERROR_UNINITIALIZED);
        let finish = target::urQueueFinish.load(Ordering::Relaxed);
        assert_eq!(finish, exports::layered::urQueueFinish as *const () as *mut ());
        lead_to_dispatcher();
        assert_eq!(call(), ResultCode::ERROR_UNINITIALIZED);
    }
}
