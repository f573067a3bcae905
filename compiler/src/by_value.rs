// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reads arguments that are structures where they are: in the block of arguments, which no kernel changes.
//!
//! SYCL passes what a kernel captures by value, and kernels copy it to private variables. LLVM removes such a copy if it
//! can take the variable apart. It cannot where an index is computed, as of an array in a structure. A work-item then copies
//! all of the structure, the vectorizer has a copy for each lane, and reads it with gathers.

use std::ops::Range;

use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashMap;

use crate::llvm::{Builder, Function, Module, Value};
use crate::workgroup::offsets;

/// The block of a kernel's arguments.
#[derive(Clone, Copy)]
pub struct ArgumentBlock<'c> {
    /// Its address, a parameter of the kernel that is `noalias` and `readonly`.
    pub address: Value<'c>,
    /// Its alignment, a power of two.
    pub align: u64,
    /// Its size, if LLVM knows it: no address may be outside then.
    pub size: Option<u64>,
}

/// Has private variables that are copies of arguments no longer copied, where nothing changes the copy. The kernel's calls should
/// be inlined, and variables that LLVM can take apart should be gone. Returns whether there were any.
pub fn read_in_place<'c>(module: &Module<'c>, kernel: Function<'c>, block: ArgumentBlock<'c>) -> bool {
    let all = kernel.blocks().into_iter().flat_map(|block| block.instructions());
    let variables: Vec<Value<'c>> = all.filter(|inst| inst.opcode() == Some(L::LLVMAlloca)).collect();
    let mut is_changed = false;
    // Where one is no longer a copy, one that is copied from it may be a copy of arguments.
    while let Some((variable, copy)) = variables
        .iter()
        .find_map(|&variable| Some((variable, ArgumentCopy::of(module, variable, block)?)))
    {
        copy.remove(module, variable, kernel, block);
        is_changed = true;
    }
    is_changed
}

/// How many bytes of a variable an argument may lack: those at its end that are padding.
const MOST_PADDING: u64 = 64;

/// How a variable, or a part of it, is a copy of arguments.
struct ArgumentCopy<'c> {
    /// Where the variable would begin in the block, in bytes.
    shift: u64,
    /// What reads the copy: loads, and calls that copy from it.
    reads: Vec<Value<'c>>,
    /// What makes the copy.
    writes: Vec<Value<'c>>,
}

impl<'c> ArgumentCopy<'c> {
    fn of(module: &Module<'c>, variable: Value<'c>, block: ArgumentBlock<'c>) -> Option<Self> {
        let count = variable.operand(0).as_const_int();
        let uses = Uses::of(module, variable).filter(|_| count == Some(1))?;
        (0..uses.copies.len()).find_map(|which| Self::by(module, variable, &uses, which, block))
    }

    /// By one of the calls that copy to it.
    fn by(
        module: &Module<'c>,
        variable: Value<'c>,
        uses: &Uses<'c>,
        which: usize,
        block: ArgumentBlock<'c>,
    ) -> Option<Self> {
        let (copy, to) = &uses.copies[which];
        let shift = offset_in(module, block, copy.operand(1))?.checked_sub(to.start)?;
        let whole = module.size_of(variable.allocated_type());
        let end = shift.checked_add(whole)?;
        let is_in_block = block.size.is_none_or(|size| end <= size);
        let (mut writes, mut copied) = (vec![*copy], vec![to.clone()]);
        let other_copies = uses.copies.iter().enumerate().filter(|(i, _)| *i != which);
        let mut others: Vec<Range<u64>> = other_copies.map(|(_, (_, to))| to.clone()).collect();
        for (store, at) in &uses.stores {
            let value = store.operand(0);
            let is_load = value.opcode() == Some(L::LLVMLoad) && !value.is_volatile() && !value.is_atomic();
            // What is there in the block anyway.
            if is_load && offset_in(module, block, value.operand(0)) == shift.checked_add(at.start) {
                writes.push(*store);
                copied.push(at.clone());
            } else {
                others.push(at.clone());
            }
        }
        let meet = |a: &Range<u64>, b: &Range<u64>| a.start < b.end && b.start < a.end;
        if others.iter().any(|other| copied.iter().any(|part| meet(other, part))) {
            return None;
        }
        // Then an index that is computed may reach any byte: nobody reads those that were never written.
        let is_all = others.is_empty() && is_in_block && whole.saturating_sub(to.end - to.start) <= MOST_PADDING;
        let mut reads = Vec::new();
        for (read, at) in &uses.reads {
            match at {
                None if is_all => reads.push(*read),
                None => return None,
                Some(at) if copied.iter().any(|part| part.start <= at.start && at.end <= part.end) => reads.push(*read),
                Some(at) if copied.iter().any(|part| meet(at, part)) => return None,
                Some(_) => {}
            }
        }
        Some(Self { shift, reads, writes })
    }

    /// Has the arguments read instead.
    fn remove(self, module: &Module<'c>, variable: Value<'c>, kernel: Function<'c>, block: ArgumentBlock<'c>) {
        let cx = module.context();
        for write in self.writes {
            write.erase();
        }
        let b = Builder::new(cx);
        b.go_to_start(kernel.blocks()[0]);
        let place = b.offset(block.address, cx.int(64).int(self.shift));
        let mut moved = FxHashMap::from_iter([(variable, place)]);
        let align = match self.shift {
            0 => block.align,
            shift => block.align.min(1 << shift.trailing_zeros()),
        } as u32;
        for read in self.reads {
            match read.opcode() {
                Some(L::LLVMLoad) => {
                    read.set_operand(0, moved_to(&b, read.operand(0), &mut moved));
                    read.align(read.get_align().min(align));
                }
                _ => {
                    read.set_operand(1, moved_to(&b, read.operand(1), &mut moved));
                    read.call_argument_attribute(1, "align", 1);
                }
            }
        }
    }
}

/// An address in a variable, as one in the block.
fn moved_to<'c>(b: &Builder<'c>, address: Value<'c>, moved: &mut FxHashMap<Value<'c>, Value<'c>>) -> Value<'c> {
    if let Some(&moved) = moved.get(&address) {
        return moved;
    }
    let base = moved_to(b, address.operand(0), moved);
    b.go_before(address);
    let clone = b.insert(address.clone_instruction());
    clone.set_operand(0, base);
    moved.insert(address, clone);
    clone
}

/// What is done with a variable, by the bytes of it.
#[derive(Default)]
struct Uses<'c> {
    /// Loads, and calls that copy from it. None: somewhere in it.
    reads: Vec<(Value<'c>, Option<Range<u64>>)>,
    /// Stores of one value.
    stores: Vec<(Value<'c>, Range<u64>)>,
    /// Calls that copy to it.
    copies: Vec<(Value<'c>, Range<u64>)>,
}

/// An address in a variable.
struct Address<'c> {
    value: Value<'c>,
    /// What is constant of its offset, in bytes. Negative numbers wrap.
    constant: u64,
    /// Whether there are computed indices. They may reach all of the variable: an index of `i - 1` begins in front of its array.
    is_computed: bool,
}

impl<'c> Uses<'c> {
    /// None if there are others, so that nobody knows what is in the variable, or where its address goes.
    fn of(module: &Module<'c>, variable: Value<'c>) -> Option<Self> {
        let mut found = Self::default();
        let mut addresses = vec![Address {
            value: variable,
            constant: 0,
            is_computed: false,
        }];
        while let Some(address) = addresses.pop() {
            for user in address.value.users() {
                match user.opcode()? {
                    L::LLVMGetElementPtr if is_address_in(user, address.value) => {
                        addresses.push(address.step(module, user));
                    }
                    L::LLVMLoad if !user.is_volatile() && !user.is_atomic() => {
                        let size = module.size_of(user.ty());
                        found.reads.push((user, address.constant_range(size)));
                    }
                    L::LLVMStore if user.operand(0) != address.value && !user.is_volatile() && !user.is_atomic() => {
                        let size = module.size_of(user.operand(0).ty());
                        found.stores.push((user, address.constant_range(size)?));
                    }
                    L::LLVMCall => found.call(user, &address)?,
                    _ => return None,
                }
            }
        }
        Some(found)
    }

    fn call(&mut self, call: Value<'c>, address: &Address<'c>) -> Option<()> {
        let name = call.callee()?.name();
        if name.starts_with("llvm.lifetime.") {
            return Some(());
        }
        // From the second operand to the first, so many bytes; the last says whether it is volatile.
        if !name.starts_with("llvm.memcpy.") || call.operand(3).as_const_int() != Some(0) {
            return None;
        }
        let size = call.operand(2).as_const_int()?;
        match (call.operand(0) == address.value, call.operand(1) == address.value) {
            (true, false) => self.copies.push((call, address.constant_range(size)?)),
            (false, true) => self.reads.push((call, address.constant_range(size))),
            _ => return None,
        }
        Some(())
    }
}

impl<'c> Address<'c> {
    fn step(&self, module: &Module<'c>, gep: Value<'c>) -> Self {
        let (mut constant, mut is_computed) = (self.constant, self.is_computed);
        for (index, bytes) in offsets(module, gep) {
            match index {
                None => constant = constant.wrapping_add(bytes),
                Some(_) => is_computed = true,
            }
        }
        Self {
            value: gep,
            constant,
            is_computed,
        }
    }

    /// The bytes from there, if no index is computed.
    fn constant_range(&self, size: u64) -> Option<Range<u64>> {
        let end = self.constant.checked_add(size)?;
        (!self.is_computed).then_some(self.constant..end)
    }
}

/// Whether an address is computed from another with scalar indices.
fn is_address_in<'c>(gep: Value<'c>, base: Value<'c>) -> bool {
    gep.operand(0) == base && gep.ty().lanes().is_none() && !gep.operands()[1..].contains(&base)
}

/// Where in the block an address is, if that is constant.
fn offset_in<'c>(module: &Module<'c>, block: ArgumentBlock<'c>, mut address: Value<'c>) -> Option<u64> {
    let mut offset = 0_u64;
    while address != block.address {
        if address.opcode() != Some(L::LLVMGetElementPtr) || address.ty().lanes().is_some() {
            return None;
        }
        for (index, bytes) in offsets(module, address) {
            offset = offset.checked_add(bytes).filter(|_| index.is_none())?;
        }
        address = address.operand(0);
    }
    Some(offset)
}
