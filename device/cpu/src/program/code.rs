// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Linked code: what a program can run.

use std::ffi::CStr;
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxur_compiler::{Error, Global, Kernel, KernelInfo, Part};

use super::options::BuildOptions;

/// A linked program. A client's program is all of it or, after a dynamic link, a part.
#[derive(Clone)]
pub struct Code {
    linked: Arc<Linked>,
    /// The range of this program's modules.
    own: Range<usize>,
}

/// The linked code, shared by all programs that are a part of it.
struct Linked {
    /// One for each device, because each has its own variables; a single one if there are none.
    instances: Box<[Arc<oxur_compiler::Program>]>,
    modules: usize,
    /// The number of [`Claim`]s.
    claims: AtomicUsize,
}

/// A claim on code, held while a kernel is created or an address is looked up. Until then nothing else shows that the
/// code is in use.
pub struct Claim(Code);

impl Deref for Claim {
    type Target = Code;

    fn deref(&self) -> &Code {
        &self.0
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Release, so that who sees the count drop also sees the kernel.
        self.0.linked.claims.fetch_sub(1, Ordering::Release);
    }
}

impl Code {
    /// Links modules for this many devices.
    pub fn new(parts: &[Part], options: &BuildOptions, devices: usize) -> Result<Self, Error> {
        Self::with(parts, options, devices, &[])
    }

    /// The same, where there is code already of some of the modules, for as many devices: their variables stay the
    /// same.
    pub fn with(parts: &[Part], options: &BuildOptions, devices: usize, others: &[Self]) -> Result<Self, Error> {
        let link = |device: usize| {
            let others: Vec<_> = others.iter().map(|other| other.instance(device).clone()).collect();
            oxur_compiler::Program::link_with(parts, &options.for_compiler(), &others)
        };
        let first = link(0)?;
        let more = if first.has_variables() {
            devices.saturating_sub(1)
        } else {
            0
        };
        let more = (1..=more).map(link);
        let linked = Linked {
            instances: std::iter::once(Ok(first)).chain(more).collect::<Result<_, _>>()?,
            modules: parts.len(),
            claims: AtomicUsize::new(0),
        };
        Ok(Self {
            linked: Arc::new(linked),
            own: 0..parts.len(),
        })
    }

    /// The same code, for the program with these modules.
    pub fn part(&self, own: Range<usize>) -> Self {
        Self {
            linked: self.linked.clone(),
            own,
        }
    }

    /// Whether other programs own the rest of the code, without which this one cannot run.
    pub fn is_part(&self) -> bool {
        self.own.len() < self.linked.modules
    }

    /// Claims the code. The caller must prevent that the program gets other code meanwhile.
    pub fn claim(&self) -> Claim {
        self.linked.claims.fetch_add(1, Ordering::Relaxed);
        Claim(self.clone())
    }

    /// The instance of a device, by its index.
    pub fn instance(&self, place: usize) -> &Arc<oxur_compiler::Program> {
        let instances = &self.linked.instances;
        instances.get(place).unwrap_or(&instances[0])
    }

    /// The kernels of this program.
    pub fn kernels(&self) -> impl Iterator<Item = &Arc<KernelInfo>> {
        self.linked.instances[0].kernels_of(&self.own)
    }

    /// Whether this program has such a kernel.
    pub fn has_kernel(&self, name: &str) -> bool {
        self.kernels().any(|kernel| kernel.name == name)
    }

    /// A kernel that can run, for each instance. The first call compiles it.
    pub fn kernel(&self, name: &str) -> Result<Vec<Arc<Kernel>>, Error> {
        if !self.has_kernel(name) {
            return Err(Error::NoKernel(name.to_owned()));
        }
        let instances = self.linked.instances.iter();
        instances.map(|program| program.kernel(name)).collect()
    }

    /// The address of a function, for function pointers on a device.
    pub fn function(&self, name: &str, place: usize) -> Result<*const u8, Error> {
        self.instance(place).function(name)
    }

    /// A variable of this program, for a device.
    pub fn global(&self, name: &CStr, place: usize) -> Option<Global> {
        self.instance(place).global(name.to_str().ok()?, &self.own)
    }

    /// A variable of all that the program was linked with, for a device: one that it imports.
    pub fn imported_global(&self, name: &CStr, place: usize) -> Option<Global> {
        self.instance(place)
            .global(name.to_str().ok()?, &(0..self.linked.modules))
    }

    /// Whether a kernel of the code exists, or an address of a variable is known or claimed.
    pub fn is_used(&self) -> bool {
        let Linked { instances, claims, .. } = &*self.linked;
        claims.load(Ordering::Acquire) != 0 || instances.iter().any(|program| program.is_used())
    }
}
