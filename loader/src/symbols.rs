// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! C symbols that jump through pointers and leave all arguments in place.
//!
//! These are the functions that 2026.2 dropped, and those that clients of 2025 call with other parameters. At first the
//! pointers lead to [`exports`], which finds the adapter of each call. This lookup is slower for dropped functions. So if our
//! own adapter is the only one and no layer is enabled, their pointers lead directly to the adapter, which checks its arguments
//! itself. A direct jump would gain nothing for all other functions, so `exports` has their symbols. In a process of release
//! 2025 some pointers lead to [`v2025_3`](crate::v2025_3) and [`v2025_2`](crate::v2025_2).
#![allow(non_snake_case, reason = "functions have their C names")]

use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use oxur_api::*;

use crate::exports;
use crate::v2025_2::changed_in_2025_3;
use crate::v2025_3::changed_after_2025_3;

/// The function that a symbol jumps to.
pub(crate) type Target = AtomicPtr<()>;

macro_rules! symbols {
    ($($name:ident)*) => { $(
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
    )* };
}

macro_rules! targets {
    ($($name:ident)*) => { $(
        pub(crate) static $name: Target = Target::new(exports::$name as *const () as *mut ());
    )* };
}

/// Calls `$macro!` with the names of all functions of the table of dropped functions.
macro_rules! dropped {
    ({$macro:ident} table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($params:tt)*);
    )*) => { $macro! { $($name)* } };
}

macro_rules! bind {
    ({} table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($params:tt)*);
    )*) => {
        /// Makes symbols jump directly to the adapter with these functions.
        pub(crate) fn bind_direct(legacy: &LegacyDdiTable) {
            $( if let Some(function) = legacy.$slot {
                target::$name.store(function as *const () as *mut (), Ordering::Relaxed);
            } )*
            BOUND_DIRECT.store(true, Ordering::Relaxed);
        }

        /// Makes symbols jump to the dispatcher, which finds the adapter of each call.
        pub(crate) fn unbind() {
            $( target::$name.store(exports::$name as *const () as *mut (), Ordering::Relaxed); )*
            BOUND_DIRECT.store(false, Ordering::Relaxed);
        }
    };
}

/// The target of each symbol.
#[allow(non_upper_case_globals, reason = "each has the function's name")]
pub(crate) mod target {
    use super::*;

    oxur_api::legacy_functions! { dropped {targets} }
    changed_after_2025_3! { targets }
    changed_in_2025_3! { targets }
}

oxur_api::legacy_functions! { dropped {symbols} }
changed_after_2025_3! { symbols }
changed_in_2025_3! { symbols }
oxur_api::legacy_functions! { bind {} }

static BOUND_DIRECT: AtomicBool = AtomicBool::new(false);

/// Whether symbols jump directly to an adapter.
pub(crate) fn is_bound_direct() -> bool {
    BOUND_DIRECT.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use std::ptr::null;

    use super::*;

    unsafe extern "C-unwind" fn set_value(
        kernel: KernelHandle,
        _: u32,
        _: usize,
        _: *const KernelArgValueProperties,
        _: *const c_void,
    ) -> ResultCode {
        assert!(kernel.is_null());
        ResultCode::ERROR_DEVICE_LOST
    }

    #[test]
    fn symbols_lead_where_they_are_led() {
        // SAFETY: the symbol has the parameters of the function. Without an adapter the handle is not read.
        let call = || unsafe {
            let symbol: pfn::urKernelSetArgValue = std::mem::transmute(urKernelSetArgValue as *const ());
            symbol(KernelHandle::default(), 0, 0, null(), null())
        };
        assert_eq!(call(), ResultCode::ERROR_UNINITIALIZED);
        bind_direct(&LegacyDdiTable {
            pfnKernelSetArgValue: Some(set_value),
            ..LegacyDdiTable::default()
        });
        assert!(is_bound_direct());
        assert_eq!(call(), ResultCode::ERROR_DEVICE_LOST);
        // Functions that the adapter lacks keep their target.
        let set_local = target::urKernelSetArgLocal.load(Ordering::Relaxed);
        assert_eq!(set_local, exports::urKernelSetArgLocal as *const () as *mut ());
        unbind();
        assert!(!is_bound_direct());
        assert_eq!(call(), ResultCode::ERROR_UNINITIALIZED);
    }
}
