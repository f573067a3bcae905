// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Calls emitted code: LLVM's own just-in-time compiler, which is for these tests only.

use std::ffi::{CStr, CString};

use llvm_sys::execution_engine::*;
use spirv::OpenclStd100Op as Op;

use super::wrapper;
use crate::builtins::symbols;
use crate::llvm::{Context, Machine, Module, Type};

/// A wrapper (see [`wrapper`]) that was compiled: up to five pointers.
pub struct Compiled {
    engine: LLVMExecutionEngineRef,
    address: u64,
    // Dropped last: the engine owns the module, which lives in the context.
    _context: Box<Context>,
}

impl Compiled {
    /// Compiles an instruction; `types` gives its operands' types and that of its result.
    pub fn new(op: Op, types: impl for<'c> Fn(&'c Context) -> Vec<Type<'c>>, literals: &[u32]) -> Self {
        let context = Box::new(Context::new());
        let machine = Machine::host().unwrap();
        let module = Module::new(&context, "test");
        machine.adopt(&module);
        wrapper(&context, &module, "test", op, &types(&context), literals).unwrap_or_else(|e| panic!("{op:?}: {e}"));
        module.verify().unwrap_or_else(|e| panic!("{op:?}: {e}\n{module}"));
        machine.run_passes(&module, "default<O2>").unwrap();
        let names: Vec<_> = symbols().collect();
        let declared = module.functions().into_iter().filter(|f| f.is_declaration());
        let (raw, mut engine, mut message) = (module.0, std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the module is given away, and so not dropped here; addresses are those of functions.
        let address = unsafe {
            LLVMLinkInMCJIT();
            let mut options = std::mem::zeroed();
            LLVMInitializeMCJITCompilerOptions(&mut options, size_of_val(&options));
            options.OptLevel = 2;
            let failed =
                LLVMCreateMCJITCompilerForModule(&mut engine, raw, &mut options, size_of_val(&options), &mut message);
            assert_eq!(failed, 0, "{:?}", CStr::from_ptr(message));
            for function in declared {
                if let Some((_, address)) = names.iter().find(|(name, _)| *name == function.name()) {
                    LLVMAddGlobalMapping(engine, function.0, address.cast_mut().cast());
                }
            }
            let name = CString::new("test").unwrap();
            LLVMGetFunctionAddress(engine, name.as_ptr())
        };
        std::mem::forget(module);
        assert_ne!(address, 0);
        Self {
            engine,
            address,
            _context: context,
        }
    }

    /// Calls it.
    ///
    /// # Safety
    /// The pointers are good for what the instruction reads and writes, in the order of the operands, the result last.
    pub unsafe fn call(&self, pointers: &[*mut u8]) {
        let mut all = [std::ptr::null_mut(); 5];
        all[..pointers.len()].copy_from_slice(pointers);
        let [a, b, c, d, f] = all;
        // SAFETY: the function takes as many pointers, or fewer: the ABI lets callers pass more.
        unsafe {
            let function: extern "C" fn(*mut u8, *mut u8, *mut u8, *mut u8, *mut u8) =
                std::mem::transmute(self.address as usize);
            function(a, b, c, d, f);
        }
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        // SAFETY: ours; it owns the module.
        unsafe { LLVMDisposeExecutionEngine(self.engine) };
    }
}
