// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Running a kernel over a range.

use std::collections::BTreeSet;

use spirv::StorageClass;

use crate::fault::{Fault, Kind, Place, fault, unsupported};
use crate::group;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::module::{Kernel, Module, Parameter};

/// What a kernel runs over. Unused dimensions have a size of 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// How many dimensions were asked for.
    pub dimensions: u32,
    /// How many items there are.
    pub global: [u64; 3],
    /// How many of them form a group. Groups at the end may be smaller.
    pub local: [u64; 3],
    /// The first global id.
    pub offset: [u64; 3],
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// An address of [`Memory`], or 0.
    Pointer(u64),
    /// As many bytes as the parameter has.
    Value(Vec<u8>),
    /// So many bytes that each group has.
    Local(usize),
}

/// In which order items of a group run between barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// From the first to the last.
    #[default]
    Forwards,
    /// From the last to the first.
    Backwards,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The size of sub-groups, unless the kernel asks for one.
    pub sub_group_size: u32,
    /// The most instructions of all items together.
    pub step_limit: u64,
    /// Whether to look for data races.
    pub finds_races: bool,
    /// The order of items and of groups.
    pub schedule: Schedule,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            sub_group_size: 16,
            step_limit: 2_000_000_000,
            finds_races: true,
            schedule: Schedule::Forwards,
        }
    }
}

/// Something that is wrong with a kernel, though it went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// [`Kind::Race`] or [`Kind::UndefinedValue`].
    pub kind: Kind,
    /// More of it.
    pub detail: String,
    /// The instruction.
    pub place: Place,
    /// The global id of the work-item.
    pub item: [u64; 3],
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.item;
        write!(
            f,
            "{:?}: {}, {}, work-item ({x}, {y}, {z})",
            self.kind, self.detail, self.place
        )
    }
}

/// What a launch did besides changing memory.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many instructions all items ran.
    pub steps: u64,
    /// Races, and undefined values that were written to memory of all items: the first of each instruction.
    pub findings: Vec<Finding>,
    /// What the kernel printed.
    pub printed: String,
    /// The functions that ran whose results may differ between right implementations, with their widths:
    /// see [`crate::tolerance`].
    pub inexact: BTreeSet<(String, u32)>,
    /// Whether there were fences, or atomics that acquire or release: they may order what counts as a race here.
    pub uses_fences: bool,
    /// Whether an operation may be computed with less precision, by its `FPFastMathMode`.
    pub is_relaxed: bool,
}

/// Runs all groups of a range.
pub fn run(
    module: &Module,
    kernel: &Kernel,
    range: NdRange,
    arguments: &[Argument],
    memory: &mut Memory,
    options: &Options,
) -> Result<Report, Box<Fault>> {
    if let Some(obstacle) = &kernel.obstacle {
        return unsupported(obstacle.clone());
    }
    if kernel.local_size.is_some_and(|size| size != range.local) {
        return fault(
            Kind::BadLaunch,
            format!("the kernel wants groups of {:?}", kernel.local_size),
        );
    }
    let product = |sizes: [u64; 3]| sizes.iter().try_fold(1u64, |n, &size| n.checked_mul(size));
    let (items, group_size) = (product(range.global), product(range.local));
    if items.is_none_or(|items| items >= 1 << 31) || group_size.is_none_or(|size| size == 0 || size > 1 << 16) {
        return fault(Kind::BadLaunch, "the range is too large, or a group is empty");
    }
    let sub_group_size = kernel.sub_group_size.unwrap_or(options.sub_group_size);
    if !(1..=128).contains(&sub_group_size) {
        return fault(Kind::BadLaunch, format!("sub-groups of {sub_group_size}"));
    }
    if arguments.len() != kernel.parameters.len() {
        return fault(Kind::BadLaunch, format!("{} arguments", arguments.len()));
    }
    let mut locals = Vec::new();
    let mut given = Vec::new();
    for (index, (argument, parameter)) in arguments.iter().zip(&kernel.parameters).enumerate() {
        given.push(match (argument, parameter) {
            (Argument::Local(size), Parameter::Local) => {
                let address = memory.allocate_in(StorageClass::Workgroup, *size)?;
                locals.push(address);
                Argument::Pointer(address)
            }
            (Argument::Pointer(_), Parameter::Pointer) => argument.clone(),
            (Argument::Value(bytes), Parameter::Value(size)) if bytes.len() == *size => argument.clone(),
            _ => return fault(Kind::BadLaunch, format!("argument {index} does not fit {parameter:?}")),
        });
    }
    for allocation in memory.all() {
        allocation.shadow = None;
    }
    let group_memory: Vec<u64> = module
        .group_variables()
        .into_iter()
        .chain(locals.iter().copied())
        .collect();
    let mut machine = Machine::new(module, memory, options, range, sub_group_size);
    let counts: [u64; 3] = std::array::from_fn(|d| range.global[d].div_ceil(range.local[d].max(1)));
    let total = counts.iter().product::<u64>();
    for n in 0..total {
        let n = match options.schedule {
            Schedule::Forwards => n,
            Schedule::Backwards => total - 1 - n,
        };
        let id = [n % counts[0], n / counts[0] % counts[1], n / counts[0] / counts[1]];
        group::run(&mut machine, kernel, &given, &group_memory, id, n)?;
    }
    let report = machine.report;
    for address in locals {
        memory.release(address);
    }
    Ok(report)
}
