// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What of a program can run: modules that the compiler has linked.

use std::ffi::CStr;
use std::ops::Range;
use std::sync::Arc;

use oxur_compiler::{Error, Global, Kernel, KernelInfo, Part};

use super::options::BuildOptions;

/// A linked program, of which a program of UR is all or, after a dynamic link, a part.
#[derive(Clone)]
pub(crate) struct Code {
    program: Arc<oxur_compiler::Program>,
    /// Which modules are this program's.
    own: Range<usize>,
}

impl Code {
    /// Links modules.
    pub(super) fn new(parts: &[Part], options: &BuildOptions) -> Result<Self, Error> {
        Ok(Self {
            program: oxur_compiler::Program::link(parts, &options.for_compiler())?,
            own: 0..parts.len(),
        })
    }

    /// The same code, for a program that has these modules of it.
    pub(super) fn part(&self, own: Range<usize>) -> Self {
        Self {
            program: self.program.clone(),
            own,
        }
    }

    /// The kernels of this program.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &Arc<KernelInfo>> {
        self.program.kernels_of(&self.own)
    }

    /// Whether this program has such a kernel.
    pub(crate) fn has_kernel(&self, name: &str) -> bool {
        self.kernels().any(|kernel| kernel.name == name)
    }

    /// A kernel that can run. The first call compiles it.
    pub(crate) fn kernel(&self, name: &str) -> Result<Arc<Kernel>, Error> {
        match self.has_kernel(name) {
            true => self.program.kernel(name),
            false => Err(Error::NoKernel(name.to_owned())),
        }
    }

    /// Where a function is that is called through pointers.
    pub(super) fn function(&self, name: &str) -> Result<*const u8, Error> {
        self.program.function(name)
    }

    /// A variable of this program.
    pub(super) fn global(&self, name: &CStr) -> Option<Global> {
        self.program.global(name.to_str().ok()?, &self.own)
    }

    /// Whether somebody has a kernel of it, or the address of a variable.
    pub(super) fn is_used(&self) -> bool {
        self.program.is_used()
    }
}
