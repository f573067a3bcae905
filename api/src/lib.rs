// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The ABI of the oneAPI Unified Runtime 0.12, as of the 2026.2 releases, in Rust.
//!
//! [`types`] has every type. A single table describes all functions ([`for_each_table!`]); the DDI structures, the loader's
//! symbols, the adapters' entry points and the C headers are generated from it. Types have the Rust form of their C names
//! (`ur_device_info_t` is [`DeviceInfo`], `UR_DEVICE_INFO_NAME` is [`DeviceInfo::NAME`]). Members and parameters keep
//! their C names.

#[macro_use]
mod macros;
pub mod callback;
mod functions;
pub mod meta;
pub mod older;
pub mod outline;
mod types;

pub use functions::*;
pub use types::*;

/// A handle: a pointer to an object that starts with a pointer to its adapter's [`DdiTable`].
pub trait Handle: Copy {
    /// Converts an address to a handle.
    fn from_ptr(pointer: *mut c_void) -> Self;
    /// The address.
    fn as_ptr(self) -> *mut c_void;
    /// Whether this is the null handle.
    fn is_null(self) -> bool {
        self.as_ptr().is_null()
    }
}

/// A structure whose first member identifies its type.
pub trait Tagged {
    /// The value of its `stype`.
    const STYPE: StructureType;
}
