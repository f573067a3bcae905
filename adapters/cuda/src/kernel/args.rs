// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The block of parameters of a launch.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::{Arc, Weak};

use kit::ur::MemFlags;
use kit::{Arg, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::nvptx::LaunchRange;
use oxur_compiler::{ParamKind, place_local};
use oxur_cuda_sys::CUdeviceptr;
use smallvec::SmallVec;

use super::Grid;
use crate::program::{Interface, Param, Told};
use crate::{Cuda, Device, Mem};

/// A block, in words so that it is aligned.
type Block = SmallVec<[u64; BLOCK]>;

/// How many words most blocks have at most.
const BLOCK: usize = 32;

/// How many words are written at once, where a block has no more. A number that is known takes no call of `memset` or `memcpy`,
/// whose code and tables the driver may have evicted.
const FEW: usize = 16;

/// How many parameters most kernels of PTX have at most.
const PARAMS: usize = 16;

/// Arguments that were set.
#[derive(Clone)]
pub(super) struct Settings {
    block: Block,
    which: Which,
    moving: MovingArgs,
}

/// Arguments that are buffers which move, by their numbers. Where they are follows from the device of a launch.
pub(super) type MovingArgs = SmallVec<[MovingArg; 1]>;

/// One of them. Who has set it keeps the buffer, or has a snapshot that does.
#[derive(Clone)]
pub(super) struct MovingArg {
    pub(super) index: u32,
    pub(super) mem: Weak<Mem>,
    pub(super) access: MemFlags,
}

/// Which arguments were set, and what is only known when all are.
#[derive(Clone)]
struct Which {
    /// A bit for each that was not set yet, of the first 64 and of the others.
    missing: u64,
    more: Vec<u64>,
    /// The sizes of those in local memory.
    local: SmallVec<[(u32, usize); 2]>,
    /// A bit for each null pointer, of the first 64.
    nulls: u64,
}

/// What the driver gets. It is large, so it is made where it stays.
pub(crate) struct Packed {
    block: Block,
    /// Bytes of shared memory.
    pub(super) shared: u32,
    /// A bit for each null pointer, of the first 64.
    pub(super) nulls: u64,
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
    /// Of nothing yet.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            block: Block::new(),
            shared: 0,
            nulls: 0,
        }
    }

    /// Calls a function with the places where the driver finds each parameter. A kernel that our compiler made has one: the
    /// block.
    #[inline(always)]
    pub(crate) fn with_params<T>(&mut self, interface: &Interface, call: impl FnOnce(*mut *mut c_void) -> T) -> T {
        let base = self.block.as_mut_ptr().cast::<c_void>();
        let mut few = [MaybeUninit::uninit(); PARAMS];
        let mut many;
        let places = match &interface.params[..] {
            _ if interface.told.is_some() => {
                few[0].write(base);
                &mut few[..]
            }
            params => {
                let places = match params.len() <= PARAMS {
                    true => &mut few[..],
                    false => {
                        many = vec![MaybeUninit::uninit(); params.len()];
                        &mut many[..]
                    }
                };
                for (place, param) in places.iter_mut().zip(params) {
                    place.write(base.wrapping_byte_add(param.offset));
                }
                places
            }
        };
        // The driver reads as many as the kernel has.
        call(places.as_mut_ptr().cast())
    }

    /// Takes the arguments of one launch. There were none. Where buffers are that move, [`Self::locate`] writes.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        interface: &Interface,
        args: kit::Args<'_, Cuda>,
        work_group_memory: usize,
    ) -> UrResult<()> {
        clear(&mut self.block, interface);
        let mut which = Which::none(interface);
        let block = bytes(&mut self.block);
        for arg in args.iter() {
            which.set(block, interface, &arg?)?;
        }
        self.shared = which.finish(block, interface, work_group_memory)?;
        self.nulls = which.nulls;
        Ok(())
    }

    /// Makes it one of nothing again.
    pub(crate) fn reset(&mut self) {
        self.block.clear();
        (self.shared, self.nulls) = (0, 0);
    }

    /// Replaces an argument that is in the block. `false` says that more than that changes with it, or that it is no argument of the
    /// kernel.
    #[inline(always)]
    pub(crate) fn replace(&mut self, interface: &Interface, arg: &Arg<'_, Cuda>) -> bool {
        let Some(param) = interface.params.get(arg.index() as usize) else {
            return false;
        };
        let address;
        let value = match *arg {
            Arg::Value(_, value) => value,
            Arg::Pointer(_, pointer) => {
                address = pointer.addr().to_ne_bytes();
                &address
            }
            Arg::Mem(..) | Arg::Local(..) | Arg::Sampler(..) => return false,
        };
        let is_plain = match param.kind {
            // It may have been local memory before.
            None => self.shared == 0,
            Some(ParamKind::Value) => true,
            Some(ParamKind::Pointer(_)) => value != [0; size_of::<CUdeviceptr>()],
            _ => false,
        };
        let place = bytes(&mut self.block).get_mut(param.offset..);
        let Some(place) = place.and_then(|place| place.get_mut(..param.size)) else {
            return false;
        };
        if !is_plain || value.len() != param.size {
            return false;
        }
        place.copy_from_slice(value);
        true
    }

    /// Has parameters, a bit for each, point to an address in place of none.
    #[cold]
    pub(super) fn point_to(&mut self, interface: &Interface, params: u64, address: CUdeviceptr) -> UrResult<()> {
        let block = bytes(&mut self.block);
        for index in (0..u64::BITS).filter(|index| params >> index & 1 != 0) {
            put(block, &interface.params[index as usize], index, &address.to_ne_bytes())?;
        }
        Ok(())
    }

    /// Writes where buffers are that move, for a launch on a device: those of `args`, or, if there are none, those that were set before.
    #[cold]
    pub(super) fn locate(
        &mut self,
        interface: &Interface,
        args: kit::Args<'_, Cuda>,
        set_before: &MovingArgs,
        device: &Device,
    ) -> UrResult<()> {
        let block = bytes(&mut self.block);
        let mut locate = |index: u32, mem: &Mem| {
            let address = mem.address_on(device)?.to_ne_bytes();
            put(block, &interface.params[index as usize], index, &address)
        };
        for arg in args.iter() {
            if let Arg::Mem(index, Some(mem), _) = arg?
                && mem.moves()
            {
                locate(index, &mem)?;
            }
        }
        for &MovingArg { index, ref mem, .. } in set_before {
            let mem = mem.upgrade().ok_or_else(
                || kit::error!(ERROR_INVALID_KERNEL_ARGS: "the buffer that is argument {index} was released"),
            )?;
            locate(index, &mem)?;
        }
        Ok(())
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
#[inline(always)]
fn bytes(block: &mut Block) -> &mut [u8] {
    let length = size_of_val(&block[..]);
    // SAFETY: the words' own memory; bytes have any value.
    unsafe { std::slice::from_raw_parts_mut(block.as_mut_ptr().cast(), length) }
}

/// Makes an empty block one of zeros.
#[inline(always)]
fn clear(block: &mut Block, interface: &Interface) {
    let words = interface.block_size.div_ceil(8);
    match words <= FEW && !block.spilled() {
        // SAFETY: there is room for more words than that, and all of them are written.
        true => unsafe {
            block.as_mut_ptr().cast::<[u64; FEW]>().write([0; FEW]);
            block.set_len(words);
        },
        false => block.resize(words, 0),
    }
}

/// Makes an empty block a copy.
#[inline(always)]
fn copy(block: &mut Block, from: &Block) {
    match from.len() <= FEW && !block.spilled() && !from.spilled() {
        // SAFETY: both have room for more words than that; what is copied beyond the length of the first has no value in the second
        // either.
        true => unsafe {
            let words: [MaybeUninit<u64>; FEW] = from.as_ptr().cast::<[MaybeUninit<u64>; FEW]>().read();
            block.as_mut_ptr().cast::<[MaybeUninit<u64>; FEW]>().write(words);
            block.set_len(from.len());
        },
        false => block.extend_from_slice(from),
    }
}

impl Settings {
    /// None of the arguments.
    pub(super) fn new(interface: &Interface) -> Self {
        let mut block = Block::new();
        clear(&mut block, interface);
        Self {
            block,
            which: Which::none(interface),
            moving: MovingArgs::new(),
        }
    }

    /// Sets an argument.
    pub(super) fn set(&mut self, interface: &Interface, arg: &Arg<'_, Cuda>) -> UrResult<()> {
        self.which.set(bytes(&mut self.block), interface, arg)?;
        let index = arg.index();
        if !self.moving.is_empty() {
            self.moving.retain(|known| known.index != index);
        }
        if let Arg::Mem(_, Some(ref mem), access) = *arg
            && mem.moves()
        {
            let mem = Arc::downgrade(mem);
            self.moving.push(MovingArg { index, mem, access });
        }
        Ok(())
    }

    /// Those that are buffers which move.
    #[inline(always)]
    pub(super) fn moving(&self) -> &MovingArgs {
        &self.moving
    }

    /// The block of a launch, which has all arguments. There was none.
    #[inline(always)]
    pub(super) fn pack(&self, interface: &Interface, work_group_memory: usize, packed: &mut Packed) -> UrResult<()> {
        copy(&mut packed.block, &self.block);
        let block = bytes(&mut packed.block);
        packed.shared = self.which.finish(block, interface, work_group_memory)?;
        packed.nulls = self.which.nulls;
        Ok(())
    }
}

impl Which {
    #[inline(always)]
    fn none(interface: &Interface) -> Self {
        let (missing, more) = match interface.params.len() {
            count @ 0..64 => ((1 << count) - 1, Vec::new()),
            count => (u64::MAX, Self::more(count - 64)),
        };
        Self {
            missing,
            more,
            local: SmallVec::new(),
            nulls: 0,
        }
    }

    #[cold]
    fn more(count: usize) -> Vec<u64> {
        let mut more = vec![u64::MAX; count.div_ceil(64)];
        if !count.is_multiple_of(64)
            && let Some(last) = more.last_mut()
        {
            *last = (1 << (count % 64)) - 1;
        }
        more
    }

    /// Sets an argument.
    #[inline(always)]
    fn set(&mut self, block: &mut [u8], interface: &Interface, arg: &Arg<'_, Cuda>) -> UrResult<()> {
        let index = arg.index();
        let param = interface
            .params
            .get(index as usize)
            .ok_or_else(|| no_argument(interface, index))?;
        if param.kind.is_some_and(|kind| !fits(kind, arg)) {
            return Err(wrong_kind(index));
        }
        let is_pointer = matches!(param.kind, Some(ParamKind::Pointer(_)));
        let is_null = is_pointer
            && match *arg {
                Arg::Value(_, value) => value == [0; size_of::<CUdeviceptr>()],
                Arg::Pointer(_, pointer) => pointer.is_null(),
                Arg::Mem(_, ref mem, _) => mem.is_none(),
                Arg::Local(..) | Arg::Sampler(..) => false,
            };
        let bit = 1_u64.checked_shl(index).unwrap_or(0);
        match is_null {
            true => self.nulls |= bit,
            false => self.nulls &= !bit,
        }
        match *arg {
            Arg::Value(_, value) => put(block, param, index, value)?,
            Arg::Pointer(_, pointer) => put(block, param, index, &pointer.addr().to_ne_bytes())?,
            Arg::Mem(_, ref mem, _) => {
                let word = match mem {
                    Some(mem) => word_of(mem, param, index)?,
                    None if param.kind == Some(ParamKind::Image) => return Err(wrong_kind(index)),
                    None => 0,
                };
                put(block, param, index, &word.to_ne_bytes())?;
            }
            Arg::Local(_, size) => {
                if size == 0 {
                    kit::bail!(ERROR_INVALID_KERNEL_ARGUMENT_SIZE: "argument {index} is local memory of no bytes");
                }
                self.local.retain(|(known, _)| *known != index);
                // By their places, whatever the order in which they are set.
                let at = self.local.partition_point(|(known, _)| *known < index);
                self.local.insert(at, (index, size));
            }
            Arg::Sampler(_, ref sampler) => {
                if param.kind.is_none() {
                    return Err(wrong_kind(index));
                }
                put(block, param, index, &u64::from(sampler.raw.0).to_ne_bytes())?;
            }
        }
        let is_set = !(1 << (index % 64));
        match index {
            0..64 => self.missing &= is_set,
            _ => self.more[index as usize / 64 - 1] &= is_set,
        }
        Ok(())
    }

    /// Writes what is known when all arguments are. Returns how many bytes of shared memory a launch has.
    #[inline(always)]
    fn finish(&self, block: &mut [u8], interface: &Interface, work_group_memory: usize) -> UrResult<u32> {
        if self.missing != 0 || self.more.iter().any(|&bits| bits != 0) {
            return Err(self.not_all());
        }
        let mut params = self.local.iter().map(|(index, _)| &interface.params[*index as usize]);
        let sizes = self.local.iter().map(|(_, size)| *size);
        let placed = place_local(interface.local_memory, sizes, |offset| {
            if let Some(param) = params.next() {
                let offset = offset.to_ne_bytes();
                let length = param.size.min(offset.len());
                block[param.offset..][..length].copy_from_slice(&offset[..length]);
            }
        });
        // What no number holds is refused as what no device has.
        let shared = placed.unwrap_or(usize::MAX);
        Ok(u32::try_from(shared.saturating_add(work_group_memory)).unwrap_or(u32::MAX))
    }

    #[cold]
    fn not_all(&self) -> UrError {
        let mut all = std::iter::once(&self.missing)
            .chain(&self.more)
            .zip((0_u32..).step_by(64));
        let first = all.find(|(bits, _)| **bits != 0);
        let index = first.map_or(0, |(bits, at)| at + bits.trailing_zeros());
        kit::error!(ERROR_INVALID_KERNEL_ARGS: "argument {index} of the kernel was not set")
    }
}

/// What a kernel gets of a memory object: 0 of a buffer that moves.
#[inline(always)]
fn word_of(mem: &Mem, param: &Param, index: u32) -> UrResult<usize> {
    match param.kind == Some(ParamKind::Image) {
        false if !kit::Mem::is_image(mem) => Ok(mem.address()),
        true => Ok(mem.image()?.descriptor()),
        false => Err(wrong_kind(index)),
    }
}

/// Whether an argument can be that of a parameter.
#[inline(always)]
fn fits(kind: ParamKind, arg: &Arg<'_, Cuda>) -> bool {
    match kind {
        ParamKind::Local => matches!(arg, Arg::Local(..)),
        ParamKind::Image => matches!(arg, Arg::Mem(..)),
        ParamKind::Sampler => matches!(arg, Arg::Sampler(..)),
        _ => !matches!(arg, Arg::Local(..) | Arg::Sampler(..)),
    }
}

#[inline(always)]
fn put(block: &mut [u8], param: &Param, index: u32, value: &[u8]) -> UrResult<()> {
    if value.len() != param.size {
        return Err(wrong_size(index, param.size, value.len()));
    }
    block[param.offset..][..value.len()].copy_from_slice(value);
    Ok(())
}

#[cold]
fn no_argument(interface: &Interface, index: u32) -> UrError {
    kit::error!(
        ERROR_INVALID_KERNEL_ARGUMENT_INDEX: "there is no argument {index}: the kernel has {}", interface.params.len()
    )
}

#[cold]
fn wrong_size(index: u32, own: usize, given: usize) -> UrError {
    kit::error!(ERROR_INVALID_KERNEL_ARGUMENT_SIZE: "argument {index} of the kernel has {own} bytes, not {given}")
}

#[cold]
fn wrong_kind(index: u32) -> UrError {
    kit::error!(
        ERROR_INVALID_KERNEL_ARGS:
            "argument {index} is local memory, an image or a sampler, and the kernel's is not, or the other way round"
    )
}
