// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Splits a kernel where its items wait.
//!
//! All of it becomes one function of the frame, which begins with a switch to where the item was. What is live there is in the frame:
//! it is stored behind its definition, and loaded in each block that uses it. LLVM's fast register allocator does the same
//! with what other blocks use, in the stack.

use llvm_sys::LLVMOpcode as L;

use super::SUSPEND;
use crate::abi::{FRAME_ALIGN, layout};
use crate::control_flow::ControlFlow;
use crate::intrinsics::KERNEL;
use crate::llvm::{Block, Builder, Context, Function, Module, Value};
use crate::workgroup::Entry;

/// The members of a frame. What the item keeps is behind them.
mod member {
    /// The code that goes on, or null at the end.
    pub const RESUME: u64 = crate::abi::layout::FRAME_RESUME;
    pub const ITEM: u64 = 8;
    pub const ARGS: u64 = 16;
    /// Where it goes on, as an `i32`: 0 is the beginning.
    pub const PLACE: u64 = 24;
    pub const END: u64 = 28;
}

/// A frame of so many bytes is too large for any item.
const TOO_LARGE: u64 = u64::MAX;

/// Makes the entry point of a kernel, and splits it. Gives the size of its frame, and of the variables in it; [`TOO_LARGE`] where
/// the kernel cannot have one, and the module is unusable.
pub fn split(module: &Module<'_>) -> (u64, u64) {
    let cx = module.context();
    let kernel = module.function(KERNEL).expect("a kernel was lowered");
    let resume = module
        .add_function("kernel.resume", cx.void().function(&[cx.ptr()]))
        .internal();
    entry(module, resume);
    let begin = resume.append_block("begin");
    let first = kernel.blocks()[0];
    kernel.blocks().into_iter().fold(begin, |last, block| {
        block.move_after(last);
        block
    });
    let b = Builder::at_end(cx, begin);
    let mut frame = FrameLayout {
        module,
        address: resume.param(0),
        bytes: member::END,
    };
    for (index, offset) in [(0, member::ITEM), (1, member::ARGS)] {
        kernel.param(index).replace_with(b.load(cx.ptr(), frame.at(&b, offset)));
    }
    kernel.delete();
    if saves_stack(module) || !frame.place_variables(&b, first) {
        return (TOO_LARGE, 0);
    }
    let variables = frame.bytes - member::END;
    end_items(&frame, resume);
    let places = split_at_places(module);
    let cfg = ControlFlow::new(resume);
    frame.keep_values(&cfg, &places);
    let narrow = cx.int(32);
    let place = b.load(narrow, frame.at(&b, member::PLACE));
    let cases: Vec<_> = (1..).map(|n| narrow.int(n)).zip(places).collect();
    b.switch(place, first, &cases);
    for (number, place) in cases {
        let before = cfg.blocks[cfg.predecessors[cfg.number(place)][0]];
        before.terminator().expect("it leads to the place").erase();
        b.go_to_end(before);
        b.store(number, frame.at(&b, member::PLACE));
        b.ret(None);
    }
    (frame.bytes, variables)
}

/// The entry point, which prepares the frame of an item. The runtime resumes it then.
fn entry<'c>(module: &Module<'c>, resume: Function<'c>) {
    let cx = module.context();
    let function = module.add_function(Entry::Item.symbol(), cx.ptr().function(&[cx.ptr(), cx.ptr()]));
    let b = Builder::at_end(cx, function.append_block("entry"));
    let (item, args) = (function.param(0), function.param(1));
    let wide = cx.int(64);
    let frame = b.load(cx.ptr(), b.offset(item, wide.int(layout::ITEM_FRAME)));
    let members = [
        (member::RESUME, resume.into()),
        (member::ITEM, item),
        (member::ARGS, args),
        (member::PLACE, cx.int(32).zero()),
    ];
    for (offset, value) in members {
        b.store(value, b.offset(frame, wide.int(offset)));
    }
    b.ret(Some(frame));
}

/// Whether a module keeps an address of the stack for later, which is another one when the item goes on.
fn saves_stack(module: &Module<'_>) -> bool {
    let saves = |function: &Function<'_>| function.name().starts_with("llvm.stacksave");
    module.functions().iter().any(saves)
}

/// Where everything is in a frame.
struct FrameLayout<'m, 'c> {
    module: &'m Module<'c>,
    /// Its address in the function.
    address: Value<'c>,
    /// Its size so far.
    bytes: u64,
}

impl<'c> FrameLayout<'_, 'c> {
    /// The address of what is at an offset.
    fn at(&self, b: &Builder<'c>, offset: u64) -> Value<'c> {
        b.offset(self.address, self.module.context().int(64).int(offset))
    }

    /// Makes room; gives its offset.
    fn reserve(&mut self, size: u64, align: u64) -> Option<u64> {
        let offset = self.bytes.checked_next_multiple_of(align)?;
        self.bytes = offset.checked_add(size)?;
        Some(offset)
    }

    /// Moves the variables of the function into the frame. Not if that has no room for them, or their size is not known.
    fn place_variables(&mut self, b: &Builder<'c>, first: Block<'c>) -> bool {
        let is_variable = |inst: &Value<'c>| inst.opcode() == Some(L::LLVMAlloca);
        for block in first.function().blocks() {
            for variable in block.instructions().into_iter().filter(is_variable) {
                let count = variable.operand(0).as_const_int().filter(|_| block == first);
                let size = self.module.size_of(variable.allocated_type());
                let align = u64::from(variable.get_align());
                let size = count.and_then(|count| size.checked_mul(count));
                let offset = size
                    .filter(|_| align <= FRAME_ALIGN)
                    .and_then(|size| self.reserve(size, align));
                let Some(offset) = offset else { return false };
                for user in variable.users() {
                    // That is said of variables in the stack only.
                    let callee = user.callee().map(|function| function.name());
                    if callee.is_some_and(|name| name.starts_with("llvm.lifetime")) {
                        user.erase();
                    }
                }
                variable.replace_with(self.at(b, offset));
                variable.erase();
            }
        }
        true
    }

    /// Keeps what is used after a wait: where it is defined it is stored, and each other block that uses it loads it.
    fn keep_values(&mut self, cfg: &ControlFlow<'c>, places: &[Block<'c>]) {
        let b = Builder::new(self.module.context());
        let places: Vec<_> = places.iter().map(|&place| cfg.number(place)).collect();
        // What the first block defines is there after each return.
        for (home, instructions) in cfg.instructions.iter().enumerate().skip(1) {
            for (at, &value) in instructions.iter().enumerate() {
                if !value.ty().has_values() {
                    continue;
                }
                let mut uses = cfg.uses(value);
                uses.retain(|used| used.block != home);
                let alive = cfg.alive(home, uses.iter().map(|used| used.block));
                if !places.iter().any(|place| alive.contains(place)) {
                    continue;
                }
                let align = self.module.align_of(value.ty()).min(FRAME_ALIGN);
                let size = self.module.size_of(value.ty());
                let offset = self.reserve(size, align).expect("values are small");
                // Phis come first in a block.
                b.go_before(instructions[(at + 1).max(cfg.phis[home])]);
                b.store(value, self.at(&b, offset)).align(align as u32);
                cfg.load_where_used(&b, &uses, || {
                    b.load(value.ty(), self.at(&b, offset)).align(align as u32)
                });
            }
        }
    }
}

/// Tells the runtime where items end.
fn end_items<'c>(frame: &FrameLayout<'_, 'c>, function: Function<'c>) {
    let b = Builder::new(frame.module.context());
    let ends = function.blocks().into_iter().filter_map(Block::terminator);
    for end in ends.filter(|end| end.opcode() == Some(L::LLVMRet)) {
        b.go_before(end);
        let none = frame.module.context().ptr().zero();
        b.store(none, frame.at(&b, member::RESUME));
    }
}

/// Splits blocks where items wait. Gives the blocks behind these places.
fn split_at_places<'c>(module: &Module<'c>) -> Vec<Block<'c>> {
    let Some(function) = module.function(SUSPEND) else {
        return Vec::new();
    };
    let waits = Value::from(function).users().into_iter();
    let places = waits.map(|wait| {
        let place = split_before(module.context(), wait);
        wait.erase();
        place
    });
    let places = places.collect();
    function.delete();
    places
}

/// Moves an instruction and those behind it into a new block, to which its block leads.
fn split_before<'c>(cx: &'c Context, first: Value<'c>) -> Block<'c> {
    let before = first.block();
    let rest = before.function().append_block("rest");
    rest.move_after(before);
    let b = Builder::at_end(cx, rest);
    for successor in before.successors() {
        b.move_phis(successor, before, rest);
    }
    b.go_to_end(rest);
    for inst in before.instructions().into_iter().skip_while(|&inst| inst != first) {
        inst.detach();
        b.insert(inst);
    }
    b.go_to_end(before);
    b.br(rest);
    rest
}
