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
    /// One for each device of the context, since each has its own variables; one for all if there are none.
    instances: Arc<[Arc<oxur_compiler::Program>]>,
    /// Which modules are this program's.
    own: Range<usize>,
}

impl Code {
    /// Links modules for a context of so many devices.
    pub(super) fn new(parts: &[Part], options: &BuildOptions, devices: usize) -> Result<Self, Error> {
        let link = || oxur_compiler::Program::link(parts, &options.for_compiler());
        let first = link()?;
        let more = if first.has_variables() {
            devices.saturating_sub(1)
        } else {
            0
        };
        let more = (0..more).map(|_| link());
        Ok(Self {
            instances: std::iter::once(Ok(first)).chain(more).collect::<Result<_, _>>()?,
            own: 0..parts.len(),
        })
    }

    /// The same code, for a program that has these modules of it.
    pub(super) fn part(&self, own: Range<usize>) -> Self {
        Self {
            instances: self.instances.clone(),
            own,
        }
    }

    /// That of a device, by the device's place in the context.
    pub(super) fn instance(&self, place: usize) -> &Arc<oxur_compiler::Program> {
        self.instances.get(place).unwrap_or(&self.instances[0])
    }

    /// The kernels of this program.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &Arc<KernelInfo>> {
        self.instances[0].kernels_of(&self.own)
    }

    /// Whether this program has such a kernel.
    pub(crate) fn has_kernel(&self, name: &str) -> bool {
        self.kernels().any(|kernel| kernel.name == name)
    }

    /// A kernel that can run, for each instance. The first call compiles it.
    pub(crate) fn kernel(&self, name: &str) -> Result<Vec<Arc<Kernel>>, Error> {
        if !self.has_kernel(name) {
            return Err(Error::NoKernel(name.to_owned()));
        }
        self.instances.iter().map(|program| program.kernel(name)).collect()
    }

    /// Where a function is, for a device, that is called through pointers.
    pub(super) fn function(&self, name: &str, place: usize) -> Result<*const u8, Error> {
        self.instance(place).function(name)
    }

    /// A variable of this program, for a device.
    pub(super) fn global(&self, name: &CStr, place: usize) -> Option<Global> {
        self.instance(place).global(name.to_str().ok()?, &self.own)
    }

    /// Whether somebody has a kernel of it, or the address of a variable.
    pub(super) fn is_used(&self) -> bool {
        self.instances.iter().any(|program| program.is_used())
    }
}
