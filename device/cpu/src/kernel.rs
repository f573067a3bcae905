// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels: compiled code, the arguments of a launch, and its range.

pub mod args;
mod launch;
mod local_size;
mod null_stores;

use std::sync::Arc;

use oxur_compiler::{Error, KernelInfo, PreparedRange};

use self::args::ArgValue;
use self::local_size::Chosen;
use self::null_stores::NullStores;
use crate::exec::Cost;
use crate::limits;
use crate::program::Code;

pub use self::launch::{LaunchError, LaunchWork, check_cooperative, check_range, run};

/// A kernel that can run.
pub struct Kernel {
    /// The code for the first device, and its interface.
    compiled: Arc<oxur_compiler::Kernel>,
    /// The code for the other devices, if the program has variables: each device has its own instances.
    for_others: Vec<Arc<oxur_compiler::Kernel>>,
    cost: Cost,
    /// The same while the code is quick code, which says nothing about the best code.
    quick_cost: Cost,
    /// The last choice of a work-group size.
    chosen: Chosen,
    null_stores: NullStores,
}

impl Kernel {
    /// A kernel of linked code. The first one of this name compiles it.
    pub fn new(code: &Code, name: &str) -> Result<Self, Error> {
        let mut compiled = code.kernel(name)?;
        let for_others = compiled.drain(1..).collect();
        Ok(Self {
            compiled: compiled.remove(0),
            for_others,
            cost: Cost::default(),
            quick_cost: Cost::default(),
            chosen: Chosen::default(),
            null_stores: NullStores::default(),
        })
    }

    /// Has stores through null pointers do nothing, as on a GPU.
    pub fn discard_null_stores(&mut self) {
        self.null_stores.are_discarded = true;
    }

    /// What the code gets for an argument that the client gave: another one for a null pointer, if it only stores through that and
    /// [such stores do nothing](Self::discard_null_stores).
    #[inline]
    pub fn replace_null<'a, M>(&self, index: usize, arg: ArgValue<'a, M>) -> ArgValue<'a, M> {
        self.null_stores.replace(&self.compiled, index, arg)
    }

    /// The interface: what a launch must provide.
    #[inline]
    pub fn info(&self) -> &KernelInfo {
        self.compiled.info()
    }

    /// What a work-group of a range costs, on the device with this index.
    #[inline]
    pub fn cost(&self, device_index: usize, range: &PreparedRange) -> &Cost {
        if self.compiled(device_index).is_quick(range) {
            &self.quick_cost
        } else {
            &self.cost
        }
    }

    /// The code for the device with this index among those that the program was linked for.
    #[inline]
    pub fn compiled(&self, device_index: usize) -> &oxur_compiler::Kernel {
        match device_index.checked_sub(1) {
            None => &self.compiled,
            Some(other) => self.for_others.get(other).unwrap_or(&self.compiled),
        }
    }

    /// The most work-items that a work-group can have.
    pub fn max_local_size(&self) -> usize {
        let info = self.info();
        match (info.required_work_group_size, info.max_work_group_size) {
            (Some(size), _) => size.iter().map(|side| *side as usize).product(),
            (None, Some(most)) => (most as usize).clamp(1, limits::WORK_GROUP_SIZE),
            (None, None) => limits::WORK_GROUP_SIZE,
        }
    }

    /// The same where the device has work-groups of no more than `most`, unless the kernel requires one.
    pub fn max_local_size_within(&self, most: usize) -> usize {
        match self.info().required_work_group_size {
            Some(_) => self.max_local_size(),
            None => self.max_local_size().min(most),
        }
    }

    /// The work-group size of a launch on so many threads that names none: the one that the kernel requires, or a divisor of
    /// the global size, which has one to three dimensions.
    pub fn choose_local_size(&self, threads: usize, global: &[usize]) -> [usize; 3] {
        match self.info().required_work_group_size {
            Some(size) => size.map(|side| side as usize),
            None => self.chosen.get(global, threads, self.info(), self.max_local_size()),
        }
    }

    /// The known attributes of the kernel, in OpenCL's notation.
    pub fn attributes(&self) -> String {
        let info = self.info();
        let size = |name: &str, size: Option<[u32; 3]>| size.map(|[x, y, z]| format!("{name}({x},{y},{z})"));
        let sub_group =
            (info.sub_group_size_required).then(|| format!("intel_reqd_sub_group_size({})", info.sub_group_size));
        let all = [
            size("reqd_work_group_size", info.required_work_group_size),
            size("work_group_size_hint", info.work_group_size_hint),
            sub_group,
        ];
        all.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// The kernel, for a message.
    pub fn describe(&self) -> String {
        format!("the kernel {}", self.info().name)
    }
}
