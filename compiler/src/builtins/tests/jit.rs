// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Compiles and calls emitted code in the same way as kernels: LLVM's passes, the object file, the loader, the symbol tables.

use spirv::OpenclStd100Op as Op;

use super::wrapper;
use crate::builtins::symbols;
use crate::codegen::{Loaded, Object};
use crate::llvm::{Context, Machine, Module, Type};
use crate::target::math::vector_symbol;

/// A compiled [`wrapper`]: a function of up to five pointers.
pub struct Compiled {
    address: *const u8,
    _code: Loaded,
}

impl Compiled {
    /// Compiles an instruction. `types` returns the types of its operands and of its result.
    pub fn new(op: Op, types: impl for<'c> Fn(&'c Context) -> Vec<Type<'c>>, literals: &[u32]) -> Self {
        Self::build(op, |context, module| {
            wrapper(context, module, "test", op, &types(context), literals).unwrap_or_else(|e| panic!("{op:?}: {e}"));
        })
    }

    /// Compiles a module whose function `test` takes up to five pointers.
    pub fn build(what: impl std::fmt::Debug, build: impl for<'c> FnOnce(&'c Context, &Module<'c>)) -> Self {
        Self::build_with(what, build, &[])
    }

    /// As [`Compiled::build`], but replaces functions of the library.
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
        let resolve = |name: &str| {
            let own = all().find(|(n, _)| *n == name).map(|(_, address)| address.cast());
            own.or_else(|| vector_symbol(name))
        };
        let code = Object::parse(&object).unwrap().load(resolve).unwrap();
        Self {
            address: code.symbol("test").unwrap(),
            _code: code,
        }
    }

    /// Calls the function.
    ///
    /// # Safety
    /// The pointers must be valid for the operands that the instruction reads and writes, in order, with the result last.
    pub unsafe fn call(&self, pointers: &[*mut u8]) {
        let mut all = [std::ptr::null_mut(); 5];
        all[..pointers.len()].copy_from_slice(pointers);
        let [a, b, c, d, e] = all;
        // SAFETY: the function takes this many pointers or fewer. The ABI allows callers to pass more.
        unsafe {
            let function: unsafe extern "C" fn(*mut u8, *mut u8, *mut u8, *mut u8, *mut u8) =
                std::mem::transmute(self.address);
            function(a, b, c, d, e);
        }
    }
}
