// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The ABI of the oneAPI Unified Runtime 0.12, in the generation of the 2026.2 releases, in Rust.
//!
//! [`types`] has every type; the functions stand once in a table ([`for_each_table!`]) from which the DDI structures, the
//! loader's symbols, the adapters' entry points and the C headers come. Types have Rust's form of their C names
//! (`ur_device_info_t` is [`DeviceInfo`], `UR_DEVICE_INFO_NAME` is [`DeviceInfo::NAME`]); members and parameters have
//! the C names unchanged.

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

/// A handle: a pointer to something that starts with a pointer to its adapter's [`DdiTable`].
pub trait Handle: Copy {
    /// Makes a handle of an address.
    fn from_ptr(pointer: *mut c_void) -> Self;
    /// The address.
    fn as_ptr(self) -> *mut c_void;
    /// Whether this is the null handle.
    fn is_null(self) -> bool {
        self.as_ptr().is_null()
    }
}

/// A structure that says by its first member what it is.
pub trait Tagged {
    /// What its `stype` must hold.
    const STYPE: StructureType;
}
