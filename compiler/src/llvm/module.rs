// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Modules.

use std::ffi::{CStr, CString};

use llvm_sys::LLVMLinkage;
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
#[cfg(test)]
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::prelude::*;

use super::{Context, Function, Type, Value, take_message};

/// A module. It borrows its context.
pub struct Module<'c>(pub(crate) LLVMModuleRef, pub(super) &'c Context);

impl<'c> Module<'c> {
    /// An empty module.
    pub fn new(context: &'c Context, name: &str) -> Self {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the context is alive.
        Self(
            unsafe { LLVMModuleCreateWithNameInContext(name.as_ptr(), context.raw()) },
            context,
        )
    }

    /// Parses a module from text.
    #[cfg(test)]
    pub fn parse(context: &'c Context, text: &str) -> Result<Self, String> {
        let text = CString::new(text).map_err(|e| e.to_string())?;
        let (mut module, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the text ends with a zero, which is not part of the buffer but must be there.
        let failed = unsafe {
            let buffer =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(text.as_ptr(), text.as_bytes().len(), c"ir".as_ptr());
            let failed = LLVMParseIRInContext2(context.raw(), buffer, &mut module, &mut message) != 0;
            LLVMDisposeMemoryBuffer(buffer);
            failed
        };
        if failed {
            Err(take_message(message))
        } else {
            Ok(Self(module, context))
        }
    }

    /// Its context.
    pub fn context(&self) -> &'c Context {
        self.1
    }

    /// Checks all rules of LLVM's IR.
    pub fn verify(&self) -> Result<(), String> {
        let mut message = std::ptr::null_mut();
        // SAFETY: a live module.
        let broken =
            unsafe { LLVMVerifyModule(self.0, LLVMVerifierFailureAction::LLVMReturnStatusAction, &mut message) != 0 };
        let message = take_message(message);
        if broken { Err(message) } else { Ok(()) }
    }

    /// Adds a function.
    pub fn add_function(&self, name: &str, ty: Type<'c>) -> Function<'c> {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: a function type of this context.
        Function::new(unsafe { LLVMAddFunction(self.0, name.as_ptr(), ty.0) })
    }

    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<Function<'c>> {
        let name = CString::new(name).ok()?;
        // SAFETY: a live module.
        let raw = unsafe { LLVMGetNamedFunction(self.0, name.as_ptr()) };
        (!raw.is_null()).then(|| Function::new(raw))
    }

    /// The function of this name, which is declared if it does not exist.
    pub fn declare(&self, name: &str, ty: Type<'c>) -> Function<'c> {
        self.function(name).unwrap_or_else(|| self.add_function(name, ty))
    }

    /// All functions.
    pub fn functions(&self) -> Vec<Function<'c>> {
        let mut all = Vec::new();
        // SAFETY: a live module; the list ends with null.
        unsafe {
            let mut at = LLVMGetFirstFunction(self.0);
            while !at.is_null() {
                all.push(Function::new(at));
                at = LLVMGetNextFunction(at);
            }
        }
        all
    }

    /// The declaration of an intrinsic, overloaded for these types, for example `llvm.fma`.
    ///
    /// # Panics
    /// If there is no intrinsic of the name.
    pub fn intrinsic(&self, name: &str, types: &[Type<'c>]) -> Function<'c> {
        let mut raw: Vec<_> = types.iter().map(|t| t.0).collect();
        // SAFETY: the name is read; types of this context.
        unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            assert_ne!(id, 0, "there is no intrinsic {name}");
            Function::new(LLVMGetIntrinsicDeclaration(self.0, id, raw.as_mut_ptr(), raw.len()))
        }
    }

    /// Adds a global variable: a definition if it has an initial value, else a declaration.
    pub fn add_global(&self, name: &str, ty: Type<'c>, initial: Option<Value<'c>>, constant: bool) -> Value<'c> {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: a type and a constant of this context.
        unsafe {
            let global = LLVMAddGlobal(self.0, ty.0, name.as_ptr());
            if let Some(initial) = initial {
                LLVMSetInitializer(global, initial.0);
                LLVMSetLinkage(global, LLVMLinkage::LLVMInternalLinkage);
            }
            LLVMSetGlobalConstant(global, constant.into());
            Value::new(global)
        }
    }

    /// The global variable of a name.
    pub fn global(&self, name: &str) -> Option<Value<'c>> {
        let name = CString::new(name).ok()?;
        // SAFETY: a live module.
        let raw = unsafe { LLVMGetNamedGlobal(self.0, name.as_ptr()) };
        (!raw.is_null()).then(|| Value::new(raw))
    }

    /// Sets the initial value of a variable, which defines it with external linkage.
    pub fn initialize(&self, global: Value<'c>, initial: Value<'c>) {
        // SAFETY: a global variable and a constant of its type.
        unsafe { LLVMSetInitializer(global.0, initial.0) };
    }

    /// Sets the data layout, so that sizes are right.
    pub fn set_layout(&self, layout: &CStr) {
        // SAFETY: a live module; the text is copied.
        unsafe { LLVMSetDataLayout(self.0, layout.as_ptr()) };
    }

    /// The size of a type in bytes, with padding, on this machine.
    pub fn size_of(&self, ty: Type<'c>) -> u64 {
        // SAFETY: the layout lives as long as the module; a type that has a size.
        unsafe { llvm_sys::target::LLVMABISizeOfType(llvm_sys::target::LLVMGetModuleDataLayout(self.0), ty.0) }
    }

    /// The alignment of a type in bytes, on this machine.
    pub fn align_of(&self, ty: Type<'c>) -> u64 {
        // SAFETY: the layout lives as long as the module; a type that has a size.
        unsafe {
            let layout = llvm_sys::target::LLVMGetModuleDataLayout(self.0);
            llvm_sys::target::LLVMABIAlignmentOfType(layout, ty.0).into()
        }
    }

    /// The offset of a structure's member, in bytes.
    pub fn offset_of(&self, structure: Type<'c>, member: u32) -> u64 {
        // SAFETY: the layout lives as long as the module; a structure with such a member.
        unsafe {
            let layout = llvm_sys::target::LLVMGetModuleDataLayout(self.0);
            llvm_sys::target::LLVMOffsetOfElement(layout, structure.0, member)
        }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: ours. Handles of its values may be left, but are not used: they are kept beside the module only.
        unsafe { LLVMDisposeModule(self.0) };
    }
}

impl std::fmt::Display for Module<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: a live module; the text is ours to dispose of.
        unsafe {
            let text = LLVMPrintModuleToString(self.0);
            let result = f.write_str(&CStr::from_ptr(text).to_string_lossy());
            LLVMDisposeMessage(text);
            result
        }
    }
}
