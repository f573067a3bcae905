// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A safe wrapper of LLVM's C API: contexts own everything, and all else is a handle that cannot outlive its context.
//!
//! All values have one Rust type, whatever their LLVM type is. SPIR-V instructions take scalars and vectors alike, so
//! distinct types (inkwell's) would need a match at every use. In return, callers of the builder must ensure that
//! operands have the types that the instruction takes. `lower` checks them against SPIR-V's rules, and
//! [`Module::verify`] checks the result before it is used.

mod builder;
mod fatal_errors;
mod library;
mod metadata;
mod module;
#[cfg(feature = "nvptx")]
mod nvptx;
mod out_of_memory;
mod predicate;
mod target;
mod types;
mod value;

pub use builder::Builder;
pub use fatal_errors::{block_signals, isolated};
pub(crate) use library::{open, own_file};
pub use module::Module;
pub use out_of_memory::Allocator;
pub use predicate::{inverse, swapped};
pub use target::{Machine, host_cpu, limit_passes};
pub use types::{Kind, Type};
pub use value::{Block, Function, Value};

use std::ffi::{CStr, c_char};

use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// Owns all types and constants of a compilation. Used by one thread at a time.
pub struct Context(LLVMContextRef);

impl Context {
    /// An empty context.
    ///
    /// # Panics
    /// If LLVM cannot be opened. [`isolated`] reports that as an error.
    pub fn new() -> Self {
        library::open_or_panic();
        // SAFETY: has no preconditions.
        let context = unsafe { LLVMContextCreate() };
        fatal_errors::note_problems(context);
        Self(context)
    }

    /// A context whose modules nobody reads: values and blocks lose their names, which cost time and are only for people.
    pub fn without_names() -> Self {
        let context = Self::new();
        // SAFETY: a live context.
        unsafe { LLVMContextSetDiscardValueNames(context.0, 1) };
        context
    }

    pub(crate) fn raw(&self) -> LLVMContextRef {
        self.0
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: our own, and nothing borrows it any more.
        unsafe { LLVMContextDispose(self.0) };
    }
}

/// Copies a message of LLVM's and disposes of it.
pub(crate) fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: a string of LLVM's that is ours to dispose of, once.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
