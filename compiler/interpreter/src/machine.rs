// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the items of a launch have in common: memory, counters, and what is reported.

use std::collections::HashSet;

use spirv::{BuiltIn, StorageClass};

use crate::fault::{Kind, Result, fault, unsupported};
use crate::item::Item;
use crate::launch::{Finding, NdRange, Options, Report};
use crate::memory::Memory;
use crate::module::Module;
use crate::ops;
use crate::race::{Access, Shape};
use crate::value::{Scalar, Value};

/// How many barriers a group or a sub-group passed that order a kind of memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Epochs {
    pub local: u32,
    pub global: u32,
}

/// The most findings that are kept.
const MAX_FINDINGS: usize = 64;

/// A launch.
pub(crate) struct Machine<'m> {
    pub module: &'m Module,
    pub memory: &'m mut Memory,
    pub options: &'m Options,
    pub range: NdRange,
    pub shape: Shape,
    /// The group that runs: its id, and its size, which is smaller at the end of a range.
    pub group: [u64; 3],
    pub group_size: [u64; 3],
    pub epochs: Epochs,
    /// The same of its sub-groups.
    pub sub_epochs: Vec<Epochs>,
    pub report: Report,
    /// The instruction that runs.
    pub word: usize,
    /// Where findings are, so that each is told once.
    found: HashSet<(usize, u32)>,
}

impl<'m> Machine<'m> {
    pub fn new(
        module: &'m Module,
        memory: &'m mut Memory,
        options: &'m Options,
        range: NdRange,
        sub_group_size: u32,
    ) -> Self {
        Self {
            module,
            memory,
            options,
            range,
            shape: Shape {
                group: range.local.iter().product::<u64>() as u32,
                sub_group: sub_group_size,
            },
            group: [0; 3],
            group_size: range.local,
            epochs: Epochs::default(),
            sub_epochs: Vec::new(),
            report: Report::default(),
            word: 0,
            found: HashSet::new(),
        }
    }

    /// Notes something that is wrong.
    pub fn find(&mut self, kind: Kind, item: &Item, other: u32, detail: impl FnOnce(&Self) -> String) {
        if self.report.findings.len() >= MAX_FINDINGS || !self.found.insert((self.word, other)) {
            return;
        }
        let detail = detail(self);
        let place = self.module.place(self.word);
        self.report.findings.push(Finding {
            kind,
            detail,
            place,
            item: item.global,
        });
    }

    /// Checks an access and notes it for races.
    fn check(
        &mut self,
        item: &Item,
        address: Scalar,
        size: u64,
        align: u64,
        is_write: bool,
        is_atomic: bool,
    ) -> Result<()> {
        if !address.is_defined() {
            return fault(Kind::UndefinedValue, "the address is undefined");
        }
        let bits = address.bits;
        let (allocation, at) = self.memory.locate(bits, size, is_write)?;
        if !bits.is_multiple_of(align.max(1)) {
            return fault(
                Kind::Misaligned,
                format!("offset {at} of {:?} memory is no multiple of {align}", allocation.class),
            );
        }
        let (epoch, sub_epoch) = match allocation.class {
            StorageClass::Workgroup => (
                self.epochs.local,
                self.sub_epochs.get(item.sub_group).map_or(0, |e| e.local),
            ),
            StorageClass::CrossWorkgroup => (
                self.epochs.global,
                self.sub_epochs.get(item.sub_group).map_or(0, |e| e.global),
            ),
            _ => {
                if let Some(built_in) = allocation.built_in {
                    let values = self.built_in(item, built_in)?;
                    let (allocation, _) = self.memory.locate(bits, size, false)?;
                    let length = allocation.bytes.len();
                    // A vector of three has the room of four.
                    let part = length / values.len().next_power_of_two();
                    if !matches!(part, 4 | 8) {
                        return unsupported(format!("{built_in:?} of {length} bytes"));
                    }
                    for (i, value) in values.into_iter().enumerate() {
                        allocation.write(i * part, part, Scalar::new(value));
                    }
                }
                return Ok(());
            }
        };
        if !self.options.finds_races || size == 0 {
            return Ok(());
        }
        let now = Access {
            item: item.number,
            epoch,
            sub_epoch,
            word: self.word as u32,
            is_atomic,
        };
        let shadow = allocation.shadow.get_or_insert_default();
        if let Some(other) = shadow.access(at, size as usize, now, is_write, self.shape) {
            let class = allocation.class;
            self.find(Kind::Race, item, other.word, |own| {
                let what = if is_write { "a write" } else { "a read" };
                format!(
                    "{what} of offset {at} of {class:?} memory races with item {} of group {}, {}",
                    other.item % own.shape.group,
                    other.item / own.shape.group,
                    own.module.place(other.word as usize)
                )
            });
        }
        Ok(())
    }

    /// Reads a value.
    pub fn load(
        &mut self,
        item: &Item,
        address: Scalar,
        ty: u32,
        align: Option<u64>,
        is_atomic: bool,
    ) -> Result<Value> {
        let layout = self.module.types.layout(ty)?;
        self.check(
            item,
            address,
            layout.size,
            align.unwrap_or(layout.align),
            false,
            is_atomic,
        )?;
        let (allocation, at) = self.memory.locate(address.bits, layout.size, false)?;
        ops::memory::read(&self.module.types, allocation, at, ty)
    }

    /// Writes a value.
    pub fn store(
        &mut self,
        item: &Item,
        address: Scalar,
        ty: u32,
        value: &Value,
        align: Option<u64>,
        is_atomic: bool,
    ) -> Result<()> {
        let layout = self.module.types.layout(ty)?;
        ops::check_shape(&self.module.types, ty, value)?;
        self.check(
            item,
            address,
            layout.size,
            align.unwrap_or(layout.align),
            true,
            is_atomic,
        )?;
        let (allocation, at) = self.memory.locate(address.bits, layout.size, true)?;
        let is_shared = allocation.class == StorageClass::CrossWorkgroup;
        ops::memory::write(&self.module.types, allocation, at, ty, value)?;
        if is_shared && !value.is_defined() {
            self.find(Kind::UndefinedValue, item, 0, |_| {
                format!("what is written at offset {at} is undefined")
            });
        }
        Ok(())
    }

    /// Copies bytes, which may be undefined.
    pub fn copy(&mut self, item: &Item, to: Scalar, from: Scalar, size: u64, aligns: [u64; 2]) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        self.check(item, from, size, aligns[1], false, false)?;
        self.check(item, to, size, aligns[0], true, false)?;
        let (source, at) = self.memory.locate(from.bits, size, false)?;
        let range = at..at + size as usize;
        let (bytes, undef) = (source.bytes[range.clone()].to_vec(), source.undef[range].to_vec());
        let (target, at) = self.memory.locate(to.bits, size, true)?;
        let range = at..at + size as usize;
        target.bytes[range.clone()].copy_from_slice(&bytes);
        target.undef[range].copy_from_slice(&undef);
        Ok(())
    }

    /// What a built-in variable holds for an item.
    fn built_in(&self, item: &Item, built_in: BuiltIn) -> Result<Vec<u64>> {
        let range = &self.range;
        let groups = || std::array::from_fn::<u64, 3, _>(|d| range.global[d].div_ceil(range.local[d].max(1))).to_vec();
        let sub_groups = |sizes: [u64; 3]| sizes.iter().product::<u64>().div_ceil(self.shape.sub_group.into());
        let ballot = |f: &dyn Fn(u32) -> bool| {
            let lanes = (0..self.shape.sub_group).filter(|&lane| f(lane));
            let mut words = vec![0u64; 4];
            lanes.for_each(|lane| words[lane as usize / 32] |= 1 << (lane % 32));
            words
        };
        Ok(match built_in {
            BuiltIn::GlobalInvocationId => item.global.to_vec(),
            BuiltIn::LocalInvocationId => item.local.to_vec(),
            BuiltIn::WorkgroupId => self.group.to_vec(),
            BuiltIn::NumWorkgroups => groups(),
            BuiltIn::WorkgroupSize => self.group_size.to_vec(),
            BuiltIn::EnqueuedWorkgroupSize => range.local.to_vec(),
            BuiltIn::GlobalSize => range.global.to_vec(),
            BuiltIn::GlobalOffset => range.offset.to_vec(),
            BuiltIn::WorkDim => vec![range.dimensions.into()],
            BuiltIn::LocalInvocationIndex => vec![item.local_index.into()],
            BuiltIn::GlobalLinearId => {
                let id = |d: usize| item.global[d].wrapping_sub(range.offset[d]);
                vec![(id(2) * range.global[1] + id(1)) * range.global[0] + id(0)]
            }
            BuiltIn::SubgroupSize => vec![item.sub_group_size.into()],
            BuiltIn::SubgroupMaxSize => vec![self.shape.sub_group.into()],
            BuiltIn::NumSubgroups => vec![sub_groups(self.group_size)],
            BuiltIn::NumEnqueuedSubgroups => vec![sub_groups(range.local)],
            BuiltIn::SubgroupId => vec![item.sub_group as u64],
            BuiltIn::SubgroupLocalInvocationId => vec![item.lane.into()],
            BuiltIn::SubgroupEqMask => ballot(&|lane| lane == item.lane),
            BuiltIn::SubgroupGeMask => ballot(&|lane| lane >= item.lane),
            BuiltIn::SubgroupGtMask => ballot(&|lane| lane > item.lane),
            BuiltIn::SubgroupLeMask => ballot(&|lane| lane <= item.lane),
            BuiltIn::SubgroupLtMask => ballot(&|lane| lane < item.lane),
            other => return unsupported(format!("the built-in variable {other:?}")),
        })
    }
}
