// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Calls emitted code, which takes the way of a kernel's: LLVM's passes, the object file, the loader, the table of symbols.

use spirv::OpenclStd100Op as Op;

use super::wrapper;
use crate::builtins::symbols;
use crate::codegen::{Loaded, Object};
use crate::llvm::{Context, Machine, Module, Type};

/// A wrapper (see [`wrapper`]) that was compiled: up to five pointers.
pub struct Compiled {
    address: *const u8,
    _code: Loaded,
}

impl Compiled {
    /// Compiles an instruction; `types` gives its operands' types and that of its result.
    pub fn new(op: Op, types: impl for<'c> Fn(&'c Context) -> Vec<Type<'c>>, literals: &[u32]) -> Self {
        Self::build(op, |context, module| {
            wrapper(context, module, "test", op, &types(context), literals).unwrap_or_else(|e| panic!("{op:?}: {e}"));
        })
    }

    /// Compiles a module's function `test`, which takes up to five pointers.
    pub fn build(what: impl std::fmt::Debug, build: impl for<'c> FnOnce(&'c Context, &Module<'c>)) -> Self {
        Self::build_with(what, build, &[])
    }

    /// As [`Compiled::build`], with other functions in place of the library's.
    pub fn build_with(
        what: impl std::fmt::Debug,
        build: impl for<'c> FnOnce(&'c Context, &Module<'c>),
        instead: &[(&'static str, *const ())],
    ) -> Self {
        let context = Context::new();
        let module = Module::new(&context, "test");
        build(&context, &module);
        let machine = Machine::host().unwrap();
        machine.set_target(&module);
        module.verify().unwrap_or_else(|e| panic!("{what:?}: {e}\n{module}"));
        machine.run_passes(&module, "default<O2>", false).unwrap();
        let object = machine.emit(&module, false).unwrap();
        let all = || instead.iter().copied().chain(symbols());
        let resolve = |name: &str| all().find(|(n, _)| *n == name).map(|(_, address)| address.cast());
        let code = Object::parse(&object).unwrap().load(resolve).unwrap();
        Self {
            address: code.symbol("test").unwrap(),
            _code: code,
        }
    }

    /// Calls it.
    ///
    /// # Safety
    /// The pointers are good for what the instruction reads and writes, in the order of the operands, the result last.
    pub unsafe fn call(&self, pointers: &[*mut u8]) {
        let mut all = [std::ptr::null_mut(); 5];
        all[..pointers.len()].copy_from_slice(pointers);
        let [a, b, c, d, e] = all;
        // SAFETY: the function takes as many pointers, or fewer: the ABI lets callers pass more.
        unsafe {
            let function: unsafe extern "C" fn(*mut u8, *mut u8, *mut u8, *mut u8, *mut u8) =
                std::mem::transmute(self.address);
            function(a, b, c, d, e);
        }
    }
}
