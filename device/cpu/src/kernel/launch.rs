// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Launches: the checks of a range, and the work of a command.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use oxur_compiler::{Fault, KernelInfo, Launch, NdRange, PreparedRange, ThreadContext};

use super::Kernel;
use super::args::Packed;
use crate::exec::{Cost, Execution, Pool, Work};
use crate::limits;

/// Why a kernel cannot run with a range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The kernel cannot run in such work-groups.
    #[error("{0}")]
    WorkGroups(String),
    /// The work-groups must all run at the same time.
    #[error("{groups} work-groups cannot run at the same time: at most {most} can")]
    TooManyGroups {
        /// How many there are.
        groups: u64,
        /// How many can run at the same time.
        most: u64,
    },
}

/// Checks that a kernel can run with this range. Returns the number of work-groups.
#[inline]
pub fn check_range(info: &KernelInfo, range: &NdRange) -> Result<u64, LaunchError> {
    let (mut groups, mut size) = (Some(1u64), 1u64);
    for d in 0..range.dimensions as usize {
        let (global, local) = (range.global_size[d], range.local_size[d]);
        if local > limits::WORK_GROUP_SIZE as u64 || !global.is_multiple_of(local) {
            return Err(no_groups(info, range));
        }
        size *= local;
        groups = groups.and_then(|groups| groups.checked_mul(global / local));
    }
    let most = info.max_work_group_size.map_or(limits::WORK_GROUP_SIZE as u64, |size| {
        u64::from(size).min(limits::WORK_GROUP_SIZE as u64)
    });
    let sub_groups = |sub_groups: u32| size.div_ceil(info.sub_group_size.into()) == sub_groups.into();
    let fits = size <= most
        && info
            .required_work_group_size
            .is_none_or(|required| required.map(u64::from) == range.local_size)
        && info.sub_groups_per_work_group.is_none_or(sub_groups);
    match groups {
        // The limit keeps sums of group counts from overflowing.
        Some(groups) if fits && groups <= u64::MAX >> 2 => Ok(groups),
        _ => Err(no_groups(info, range)),
    }
}

#[cold]
fn no_groups(info: &KernelInfo, range: &NdRange) -> LaunchError {
    let KernelInfo {
        name,
        required_work_group_size: required,
        max_work_group_size: most,
        ..
    } = info;
    let NdRange {
        global_size: global,
        local_size: local,
        ..
    } = range;
    let why = match (required, most) {
        (Some(required), _) => format!("which needs work-groups of {required:?}"),
        (None, most) => {
            let most = most.unwrap_or(limits::WORK_GROUP_SIZE as u32);
            format!("whose work-groups have up to {most} work-items and divide the range")
        }
    };
    LaunchError::WorkGroups(format!(
        "cannot launch {global:?} work-items in work-groups of {local:?} for the kernel {name}, {why}"
    ))
}

/// Whether the work-groups of a launch need a thread each, because they may wait for each other. `cooperative` says that the
/// client wants them to run at the same time.
#[inline]
pub fn check_cooperative(
    info: &KernelInfo,
    pool: &'static Pool,
    cooperative: bool,
    groups: u64,
) -> Result<bool, LaunchError> {
    if info.has_device_barrier {
        // The barrier limits the number of groups even if the client did not ask for a cooperative launch.
        let most = u64::from(limits::COOPERATIVE_GROUPS);
        return if groups > most {
            Err(LaunchError::TooManyGroups { groups, most })
        } else {
            Ok(false)
        };
    }
    let cooperative = cooperative && groups > 1;
    // Each group needs its own thread: a group that spins on memory cannot be suspended for another one.
    if cooperative {
        let wanted = usize::try_from(groups).unwrap_or(usize::MAX);
        let most = pool.guaranteed_concurrency(wanted) as u64;
        if groups > most {
            return Err(LaunchError::TooManyGroups { groups, most });
        }
    }
    Ok(cooperative)
}

/// Runs work-groups.
///
/// # Safety
/// The arguments must have been packed for this kernel, and their pointers must be valid for its accesses. `range` must have
/// been prepared for it.
#[inline]
pub unsafe fn run<M>(
    kernel: &oxur_compiler::Kernel,
    args: &Packed<M>,
    range: PreparedRange,
    groups: Range<u64>,
    worker: &mut ThreadContext,
) -> Result<(), Fault> {
    let launch = Launch {
        args: args.block(),
        range,
        local_memory: args.local_memory(),
    };
    // SAFETY: passed on to the caller. The arguments own references to their objects.
    unsafe { kernel.run(&launch, groups, worker) }
}

/// The work of a launch.
pub struct LaunchWork<M> {
    kernel: Arc<Kernel>,
    device_index: usize,
    args: Packed<M>,
    range: PreparedRange,
    groups: u64,
    cooperative: bool,
}

impl<M> LaunchWork<M> {
    /// The work of a launch on the device with this index, of as many groups as [`check_range`] found. `cooperative` is what
    /// [`check_cooperative`] returned.
    ///
    /// # Safety
    /// As [`run`], for the kernel's code for that device, until the command is over.
    pub unsafe fn new(
        kernel: Arc<Kernel>,
        device_index: usize,
        args: Packed<M>,
        range: PreparedRange,
        groups: u64,
        cooperative: bool,
    ) -> Self {
        Self {
            kernel,
            device_index,
            args,
            range,
            groups,
            cooperative,
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Arc<Kernel> {
        &self.kernel
    }

    fn cost_of_groups(&self) -> &Cost {
        self.kernel.cost(self.device_index, &self.range)
    }

    /// The number of work-groups.
    pub fn groups(&self) -> u64 {
        self.groups
    }

    /// The arguments.
    pub fn args(&self) -> &Packed<M> {
        &self.args
    }

    /// The arguments, for changes.
    pub fn args_mut(&mut self) -> &mut Packed<M> {
        &mut self.args
    }
}

impl<M: Any + Send + Sync> Work for LaunchWork<M> {
    fn chunks(&self) -> u64 {
        // The compiler's runtime interleaves the groups of a kernel with a device barrier on one thread.
        if self.kernel.info().has_device_barrier {
            1
        } else {
            self.groups
        }
    }

    fn execution(&self) -> Execution {
        if self.cooperative {
            Execution::Gang
        } else {
            Execution::Parallel
        }
    }

    fn cost(&self, chunks: u64) -> Option<u64> {
        self.cost_of_groups().of(chunks)
    }

    fn is_due(&self) -> bool {
        self.cost_of_groups().is_due()
    }

    fn learn(&self, chunks: u64, cycles: u64) {
        self.cost_of_groups().learn(chunks, cycles);
    }

    fn describe(&self) -> String {
        self.kernel.describe()
    }

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        let groups = if self.kernel.info().has_device_barrier {
            0..self.groups
        } else {
            chunks
        };
        // SAFETY: the caller of `new` guarantees it.
        unsafe {
            run(
                self.kernel.compiled(self.device_index),
                &self.args,
                self.range,
                groups,
                worker,
            )
        }
    }
}
