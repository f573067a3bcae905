// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The block of parameters of a launch.

use std::ffi::c_void;

use kit::ur::ResultCode;
use kit::{Arg, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::nvptx::LaunchRange;
use smallvec::SmallVec;

use super::Grid;
use crate::Cuda;
use crate::program::{Interface, Param, Told};

/// A block, in words so that it is aligned.
type Block = SmallVec<[u64; 32]>;

/// Arguments that were set.
#[derive(Clone)]
pub(super) struct Settings {
    block: Block,
    /// A bit for each that was not set yet.
    missing: SmallVec<[u64; 1]>,
    /// The sizes of those in local memory.
    local: SmallVec<[(u32, usize); 2]>,
}

/// What the driver gets.
pub(crate) struct Packed {
    block: Block,
    /// Bytes of shared memory.
    pub(super) shared: u32,
}

/// Addresses of what a launch has for itself, or 0.
#[derive(Clone, Copy, Default)]
pub(super) struct Words {
    /// What a failed assertion fills.
    pub(super) assertion: u64,
    /// What all work-groups wait at.
    pub(super) barrier: u64,
}

impl Packed {
    /// Where the driver finds each parameter. A kernel that our compiler made has one: the block.
    #[inline(always)]
    pub(super) fn params(&mut self, interface: &Interface) -> SmallVec<[*mut c_void; 16]> {
        let base = self.block.as_mut_ptr().cast::<c_void>();
        match interface.told {
            Some(_) => SmallVec::from_slice(&[base]),
            None => interface
                .params
                .iter()
                .map(|param| base.wrapping_byte_add(param.offset))
                .collect(),
        }
    }

    /// Tells the kernel its range: all of it, and the first work-group of this part of the launch.
    #[inline(always)]
    pub(super) fn set_range(&mut self, told: Told, grid: &Grid, first_group: [u32; 3], words: Words) {
        let range = LaunchRange {
            global_size: grid.global.map(|size| size as u64),
            global_offset: grid.offset.map(|offset| offset as u64),
            num_groups: grid.groups,
            first_group,
            dimensions: grid.dimensions,
            reserved: 0,
            assertion: words.assertion,
            grid_barrier: words.barrier,
        };
        let place = bytes(&mut self.block)[told.range_offset..][..size_of::<LaunchRange>()].as_mut_ptr();
        // SAFETY: so many bytes; the structure has no padding that anybody reads.
        unsafe { place.cast::<LaunchRange>().write_unaligned(range) };
    }
}

/// The bytes of a block.
fn bytes(block: &mut Block) -> &mut [u8] {
    let length = size_of_val(&block[..]);
    // SAFETY: the words' own memory; bytes have any value.
    unsafe { std::slice::from_raw_parts_mut(block.as_mut_ptr().cast(), length) }
}

impl Settings {
    /// None of the arguments.
    pub(super) fn new(interface: &Interface) -> Self {
        let count = interface.params.len();
        let mut missing = SmallVec::from_elem(u64::MAX, count.div_ceil(64));
        if !count.is_multiple_of(64)
            && let Some(last) = missing.last_mut()
        {
            *last = (1 << (count % 64)) - 1;
        }
        Self {
            block: SmallVec::from_elem(0, interface.block_size.div_ceil(8)),
            missing,
            local: SmallVec::new(),
        }
    }

    /// Sets an argument.
    #[inline(always)]
    pub(super) fn set(&mut self, interface: &Interface, arg: &Arg<'_, Cuda>) -> UrResult<()> {
        let index = arg.index();
        let param = interface
            .params
            .get(index as usize)
            .ok_or_else(|| no_argument(interface, index))?;
        if param
            .is_local
            .is_some_and(|is_local| is_local != matches!(arg, Arg::Local(..)))
        {
            return Err(wrong_kind(index));
        }
        match *arg {
            Arg::Value(_, value) => self.put(param, index, value)?,
            Arg::Pointer(_, pointer) => self.put(param, index, &pointer.addr().to_ne_bytes())?,
            Arg::Mem(_, ref mem, _) => {
                let address = mem.as_ref().map_or(0, |mem| mem.address());
                self.put(param, index, &address.to_ne_bytes())?;
            }
            Arg::Local(_, size) => {
                if size == 0 {
                    return Err(UrError::with_message(
                        ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                        format!("argument {index} is local memory of no bytes"),
                    ));
                }
                self.local.retain(|(known, _)| *known != index);
                // By their places, whatever the order in which they are set.
                let at = self.local.partition_point(|(known, _)| *known < index);
                self.local.insert(at, (index, size));
            }
            // There are none.
            Arg::Sampler(..) => return kit::unsupported(),
        }
        self.missing[index as usize / 64] &= !(1 << (index % 64));
        Ok(())
    }

    #[inline(always)]
    fn put(&mut self, param: &Param, index: u32, value: &[u8]) -> UrResult<()> {
        if value.len() != param.size {
            return Err(wrong_size(index, param.size, value.len()));
        }
        bytes(&mut self.block)[param.offset..][..value.len()].copy_from_slice(value);
        Ok(())
    }

    /// The block of a launch, which has all arguments.
    pub(super) fn pack(&self, interface: &Interface, work_group_memory: usize) -> UrResult<Packed> {
        self.clone().into_packed(interface, work_group_memory)
    }

    /// The same, of arguments that are for one launch.
    #[inline(always)]
    pub(super) fn into_packed(mut self, interface: &Interface, work_group_memory: usize) -> UrResult<Packed> {
        if self.missing.iter().any(|&bits| bits != 0) {
            return Err(self.not_all());
        }
        let mut shared = interface.local_memory;
        for &(index, size) in &self.local {
            // As aligned as the largest type is.
            shared = shared.next_multiple_of(128);
            let param = &interface.params[index as usize];
            let offset = (shared as u64).to_ne_bytes();
            let length = param.size.min(offset.len());
            bytes(&mut self.block)[param.offset..][..length].copy_from_slice(&offset[..length]);
            shared += size;
        }
        Ok(Packed {
            block: self.block,
            shared: u32::try_from(shared + work_group_memory).unwrap_or(u32::MAX),
        })
    }

    #[cold]
    fn not_all(&self) -> UrError {
        let first = self.missing.iter().position(|&bits| bits != 0).unwrap_or(0);
        let index = first * 64 + self.missing[first].trailing_zeros() as usize;
        UrError::with_message(
            ResultCode::ERROR_INVALID_KERNEL_ARGS,
            format!("argument {index} of the kernel was not set"),
        )
    }
}

#[cold]
fn no_argument(interface: &Interface, index: u32) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
        format!(
            "there is no argument {index}: the kernel has {}",
            interface.params.len()
        ),
    )
}

#[cold]
fn wrong_size(index: u32, own: usize, given: usize) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
        format!("argument {index} of the kernel has {own} bytes, not {given}"),
    )
}

#[cold]
fn wrong_kind(index: u32) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_KERNEL_ARGS,
        format!("argument {index} is local memory and the kernel's is not, or the other way round"),
    )
}
