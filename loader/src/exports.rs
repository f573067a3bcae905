// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of the ABI, expanded from their table.
//!
//! Each function looks up its target and jumps to it. The target is the adapter's function, found by the handle, or, if a
//! layer is enabled, the function of the same name in `layered`, which calls the adapter through the layers. All have the
//! same signature, and the only call is at the end, so it compiles to a jump that leaves the arguments in place.
//!
//! Most symbols are here, and some in [`symbols`](crate::symbols).
#![allow(non_snake_case, reason = "functions and parameters have their C names")]
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

/// The items that the names in the table refer to.
mod prelude {
    pub(super) use oxur_api::*;

    /// Hides the constructor of the type of this name. Otherwise no parameter could have the name.
    #[allow(dead_code, reason = "it is there for its name")]
    pub(super) fn DeviceType() {}
}

/// The adapter's table that the parameter `$via`, or the first element of a list, leads to.
macro_rules! table {
    ((first of $array:ident, $count:ident: $empty:ident, $null_element:ident)) => {{
        let (empty, null_element) = (ResultCode::$empty, ResultCode::$null_element);
        // SAFETY: the caller vouches for the list.
        unsafe { crate::dispatch::table_of_first($count, $array, empty, null_element) }
    }};
    ($via:ident) => {{
        // SAFETY: the caller vouches for the handle.
        unsafe { crate::dispatch::table_of($via) }
    }};
}

/// The function behind a name, or the code of the failure to find it.
macro_rules! function {
    // The loader implements it.
    ($kind:ident loader $member:ident $slot:ident $name:ident) => {
        Ok::<pfn::$name, ResultCode>(crate::own::$name)
    };
    (adapter $via:tt $member:ident $slot:ident $name:ident) => {
        match table!($via) {
            Ok(table) => table.$member.$slot.ok_or(ResultCode::ERROR_UNSUPPORTED_FEATURE),
            Err(code) => Err(code),
        }
    };
    (legacy $via:tt $member:ident $slot:ident $name:ident) => {
        match table!($via) {
            Ok(table) => match crate::legacy::table_of_first(table) {
                Some(legacy) => legacy.$slot.ok_or(ResultCode::ERROR_UNSUPPORTED_FEATURE),
                // A search would need registers that hold arguments, so it is in a separate function.
                None => Ok(crate::exports::slow_path::$name as pfn::$name),
            },
            Err(code) => Err(code),
        }
    };
    (slow_path $via:tt $member:ident $slot:ident $name:ident) => {
        match table!($via) {
            Ok(table) => crate::legacy::table_of(table)
                .$slot
                .ok_or(ResultCode::ERROR_UNSUPPORTED_FEATURE),
            Err(code) => Err(code),
        }
    };
}

/// The function that layers call: mostly `$function`, but the emulation intercepts some while it is in use.
macro_rules! emulated {
    (@seen $name:ident $function:expr) => {
        match crate::arg_emulation::in_use() {
            true => Ok(crate::arg_emulation::seen::$name as pfn::$name),
            false => $function,
        }
    };
    (urKernelCreate: $function:expr) => { emulated!(@seen urKernelCreate $function) };
    (urKernelCreateWithNativeHandle: $function:expr) => { emulated!(@seen urKernelCreateWithNativeHandle $function) };
    (urKernelRelease: $function:expr) => { emulated!(@seen urKernelRelease $function) };
    (urCommandBufferAppendKernelLaunchExp: $function:expr) => {
        emulated!(@seen urCommandBufferAppendKernelLaunchExp $function)
    };
    ($other:ident: $function:expr) => { $function };
}

/// Exports a function under its C symbol, unless [`symbols`](crate::symbols) does.
macro_rules! symbol {
    (legacy $name:ident $function:item) => {
        $function
    };
    ($kind:ident urBindlessImagesImageCopyExp $function:item) => {
        $function
    };
    ($kind:ident urBindlessImagesSampledImageCreateExp $function:item) => {
        $function
    };
    ($kind:ident urPhysicalMemCreate $function:item) => {
        $function
    };
    ($kind:ident urPlatformGet $function:item) => {
        $function
    };
    ($kind:ident urSamplerCreate $function:item) => {
        $function
    };
    ($kind:ident urSamplerRelease $function:item) => {
        $function
    };
    ($kind:ident urSamplerRetain $function:item) => {
        $function
    };
    ($kind:ident urVirtualMemGranularityGetInfo $function:item) => {
        $function
    };
    ($kind:ident urProgramBuildExp $function:item) => {
        $function
    };
    ($kind:ident urProgramCompileExp $function:item) => {
        $function
    };
    ($kind:ident urProgramLinkExp $function:item) => {
        $function
    };
    ($kind:ident $name:ident $function:item) => {
        #[unsafe(no_mangle)]
        $function
    };
}

macro_rules! export {
    ({$kind:ident} table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($p:ident: $ty:ty),*);
    )*) => { $( symbol! { $kind $name
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// The arguments must be what the specification of the function asks for.
        pub unsafe extern "C-unwind" fn $name($($p: $ty),*) -> ResultCode {
            let function = if crate::layers::any() {
                Ok(layered::$name as pfn::$name)
            } else {
                emulated!($name: function!($kind $via $member $slot $name))
            };
            match function {
                // SAFETY: the caller vouches for the arguments.
                Ok(function) => unsafe { function($($p),*) },
                Err(code) => code,
            }
        }
    } )* };
}

macro_rules! direct {
    ({$kind:ident} table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($p:ident: $ty:ty),*);
    )*) => { $(
        #[inline(always)]
        pub(super) unsafe extern "C-unwind" fn $name($($p: $ty),*) -> ResultCode {
            match emulated!($name: function!($kind $via $member $slot $name)) {
                // SAFETY: the caller vouches for the arguments.
                Ok(function) => unsafe { function($($p),*) },
                Err(code) => code,
            }
        }
    )* };
}

macro_rules! layered {
    ({$kind:ident} table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($p:ident: $ty:ty),*);
    )*) => { $(
        #[cold]
        #[inline(never)]
        pub(super) unsafe extern "C-unwind" fn $name($($p: $ty),*) -> ResultCode {
            static CALL_SITE: crate::layers::CallSite =
                crate::layers::CallSite::new($table::META.functions, stringify!($name));
            let arguments = [$((&raw const $p).cast::<c_void>()),*];
            // SAFETY: each pointer leads to the argument of the type that the table gives it, and the caller vouches
            // for the values.
            unsafe { crate::layers::run(&CALL_SITE, &arguments, &mut || super::direct::$name($($p),*)) }
        }
    )* };
}

macro_rules! tables {
    ({} table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($params:tt)*);
    )*) => {
        #[doc = concat!("Fills a [`", stringify!($table), "`] with the loader's own functions.")]
        ///
        /// # Safety
        /// `pDdiTable`, unless null, must be writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $getter(version: ApiVersion, pDdiTable: *mut $table) -> ResultCode {
            if pDdiTable.is_null() {
                return ResultCode::ERROR_INVALID_NULL_POINTER;
            }
            if version.0 >> 16 != ApiVersion::CURRENT.0 >> 16 || version > ApiVersion::CURRENT {
                return ResultCode::ERROR_UNSUPPORTED_VERSION;
            }
            // SAFETY: not null, and the caller vouches for the rest.
            unsafe { pDdiTable.write($table { $($slot: Some($name)),* }) };
            ResultCode::SUCCESS
        }
    };
}

use prelude::*;

oxur_api::for_each_table! { export {adapter} }
oxur_api::legacy_functions! { export {legacy} }
oxur_api::loader_functions! { export {loader} }
oxur_api::for_each_table! { tables {} }

/// Without layers.
mod direct {
    use super::prelude::*;

    oxur_api::for_each_table! { direct {adapter} }
    oxur_api::legacy_functions! { direct {legacy} }
    oxur_api::loader_functions! { direct {loader} }
}

/// The functions for older clients, on other adapters than the first.
mod slow_path {
    use super::prelude::*;

    oxur_api::legacy_functions! { direct {slow_path} }
}

/// With layers.
mod layered {
    use super::prelude::*;

    oxur_api::for_each_table! { layered {adapter} }
    oxur_api::legacy_functions! { layered {legacy} }
    oxur_api::loader_functions! { layered {loader} }
}
