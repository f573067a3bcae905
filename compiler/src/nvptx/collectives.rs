// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Defines the collectives of sub-groups and work-groups by instructions that exchange values in a warp.
//!
//! A sub-group is a warp, or an aligned part of one. Its work-items need not run in step, so each of these instructions
//! names those that take part by a mask, and waits for them. Where all take part, the mask comes from the size of the
//! group: the last sub-group may have fewer items, and which threads happen to run together says nothing. Where only
//! some take part, the hardware is asked who is here, or the code knows ([`partial`](super::partial)).

use llvm_sys::LLVMIntPredicate as I;

use super::intrinsics::{group_size, lane, linear_id, register};
use crate::intrinsics::{DEVICE_BARRIER, GroupCollective, Members, ReduceOp};
use crate::llvm::{Builder, Function, Kind, Module, Type, Value};
use crate::target::Sm;
use crate::target::nvptx64::WARP;

/// The first compute capability with reductions of a warp in one instruction, for integers of 32 bits.
const HAS_REDUX: u32 = 80;

/// Defines those that the module uses.
pub fn define(module: &Module<'_>, sm: Sm, sub_group_size: u32) {
    // A definition may declare another one.
    loop {
        let open = module
            .functions()
            .into_iter()
            .filter(|f| f.is_declaration())
            .find_map(|function| {
                let (collective, members) = GroupCollective::with_members(&function.name())?;
                Some((function, collective, members))
            });
        let Some((function, collective, members)) = open else {
            break;
        };
        function.internal().attribute("alwaysinline", 0);
        let b = Builder::at_end(module.context(), function.append_block("entry"));
        let warp = Warp {
            module,
            function,
            b: &b,
            sm,
            size: sub_group_size,
        };
        warp.define(collective, members);
    }
    if let Some(function) = module.function(DEVICE_BARRIER).filter(|f| f.is_declaration()) {
        super::finish::device_barrier(module, function);
    }
}

/// A function that is being defined.
struct Warp<'m, 'c> {
    module: &'m Module<'c>,
    function: Function<'c>,
    b: &'m Builder<'c>,
    sm: Sm,
    /// The size of a sub-group.
    size: u32,
}

/// How `shfl` finds the thread whose value is taken.
#[derive(Clone, Copy)]
enum From {
    /// The one with this number.
    Index,
    /// The one this many below; none means the own value.
    Below,
    /// The one this many above; none means the own value.
    Above,
}

impl<'c> Warp<'_, 'c> {
    fn define(&self, collective: GroupCollective, members: Members) {
        let b = self.b;
        let result = match collective {
            GroupCollective::Barrier => {
                self.call("llvm.nvvm.barrier.cta.sync.aligned.all", &[self.word(0)]);
                None
            }
            GroupCollective::SubGroupBarrier => {
                self.call("llvm.nvvm.bar.warp.sync", &[self.mask(members)]);
                None
            }
            GroupCollective::Ballot => {
                let bits = self.call(
                    "llvm.nvvm.vote.ballot.sync",
                    &[self.mask(members), self.function.param(2)],
                );
                // The own sub-group's.
                let bits = b.lshr(bits, self.first_lane());
                let bits = match self.size {
                    WARP => bits,
                    size => b.and(bits, self.word((1 << size) - 1)),
                };
                Some(b.zext_or_trunc(bits, self.module.context().int(64)))
            }
            GroupCollective::Shuffle => {
                let lane = self.function.param(3);
                Some(self.shuffle(self.mask(members), self.function.param(2), lane, From::Index))
            }
            GroupCollective::Reduce(_) | GroupCollective::InclusiveScan(_) | GroupCollective::ExclusiveScan(_)
                if members != Members::All =>
            {
                return self.among_some(collective, members);
            }
            GroupCollective::Reduce(how) => Some(self.reduce(how, self.function.param(2))),
            GroupCollective::InclusiveScan(how) => Some(self.scan(how, self.function.param(2))),
            GroupCollective::ExclusiveScan(how) => {
                let value = self.function.param(2);
                let scanned = self.scan(how, value);
                let below = self.shuffle(self.mask(Members::All), scanned, self.word(1), From::Below);
                let is_first = b.icmp(I::LLVMIntEQ, self.lane(), self.word(0));
                Some(b.select(is_first, how.identity(value.ty()), below))
            }
        };
        b.ret(result);
    }

    fn call(&self, name: &str, args: &[Value<'c>]) -> Value<'c> {
        self.b.intrinsic(self.module, name, &[], args)
    }

    fn word(&self, value: u32) -> Value<'c> {
        self.module.context().int(32).int(value.into())
    }

    fn lane(&self) -> Value<'c> {
        lane(self.module, self.b, self.size)
    }

    /// The number in the warp of the sub-group's first item.
    fn first_lane(&self) -> Value<'c> {
        match self.size {
            WARP => self.word(0),
            size => {
                let own = register(self.module, self.b, "laneid");
                self.b.and(own, self.word(!(size - 1)))
            }
        }
    }

    /// How many items the sub-group has.
    fn items(&self) -> Value<'c> {
        let b = self.b;
        let linear = linear_id(self.module, b);
        let first = b.and(linear, self.word(!(self.size - 1)));
        let rest = b.sub(group_size(self.module, b), first);
        let word = self.module.context().int(32);
        b.intrinsic(self.module, "llvm.umin", &[word], &[rest, self.word(self.size)])
    }

    /// A bit for each thread of the warp that takes part.
    fn mask(&self, members: Members) -> Value<'c> {
        let b = self.b;
        match members {
            Members::All => {
                let bits = b.lshr(self.word(u32::MAX), b.sub(self.word(WARP), self.items()));
                b.shl(bits, self.first_lane())
            }
            Members::Given => {
                let parameters = self.function.function_type().params().len() as u32;
                let own = b.zext_or_trunc(self.function.param(parameters - 1), self.module.context().int(32));
                b.shl(own, self.first_lane())
            }
            Members::Active => {
                let here = self.call("llvm.nvvm.activemask", &[]);
                match self.size {
                    WARP => here,
                    size => b.and(here, b.shl(self.word((1 << size) - 1), self.first_lane())),
                }
            }
        }
    }

    /// Takes the value of another item, for numbers of 8 to 64 bits.
    fn shuffle(&self, mask: Value<'c>, value: Value<'c>, by: Value<'c>, from: From) -> Value<'c> {
        let b = self.b;
        let cx = self.module.context();
        let ty = value.ty();
        let bits = b.bitcast(value, cx.int(ty.bits()));
        let moved = if ty.bits() == 64 {
            let [low, high] = [0, 32].map(|at| {
                let word = b.zext_or_trunc(b.lshr(bits, bits.ty().int(at)), cx.int(32));
                b.zext_or_trunc(self.shuffle_word(mask, word, by, from), bits.ty())
            });
            b.or(low, b.shl(high, bits.ty().int(32)))
        } else {
            let word = b.zext_or_trunc(bits, cx.int(32));
            b.zext_or_trunc(self.shuffle_word(mask, word, by, from), bits.ty())
        };
        b.bitcast(moved, ty)
    }

    fn shuffle_word(&self, mask: Value<'c>, word: Value<'c>, by: Value<'c>, from: From) -> Value<'c> {
        // The threads of a part have the upper bits of their numbers in common; the lowest five say where it ends.
        let parts = (WARP - self.size) << 8;
        let (name, clamp) = match from {
            From::Index => ("llvm.nvvm.shfl.sync.idx.i32", parts | 31),
            From::Below => ("llvm.nvvm.shfl.sync.up.i32", parts),
            From::Above => ("llvm.nvvm.shfl.sync.down.i32", parts | 31),
        };
        self.call(name, &[mask, word, by, self.word(clamp)])
    }

    /// Powers of two below the sub-group's size.
    fn steps(&self) -> impl DoubleEndedIterator<Item = u32> {
        (0..self.size.trailing_zeros()).map(|n| 1 << n)
    }

    /// Combines the values of all items.
    fn reduce(&self, how: ReduceOp, value: Value<'c>) -> Value<'c> {
        let b = self.b;
        let mask = self.mask(Members::All);
        if let Some(reduced) = self.redux(how, mask, value) {
            return reduced;
        }
        let (lane, items) = (self.lane(), self.items());
        let total = self.steps().rev().fold(value, |sum, step| {
            let theirs = self.shuffle(mask, sum, self.word(step), From::Above);
            let is_there = b.icmp(I::LLVMIntULT, b.add(lane, self.word(step)), items);
            b.select(is_there, how.apply(self.module, b, sum, theirs), sum)
        });
        self.shuffle(mask, total, self.word(0), From::Index)
    }

    /// The same, by one instruction.
    fn redux(&self, how: ReduceOp, mask: Value<'c>, value: Value<'c>) -> Option<Value<'c>> {
        let ty = value.ty();
        if self.sm.number() < HAS_REDUX || !matches!(ty.kind(), Kind::Int(8 | 16 | 32)) {
            return None;
        }
        let name = match how {
            ReduceOp::Add => "add",
            ReduceOp::SMin => "min",
            ReduceOp::SMax => "max",
            ReduceOp::UMin => "umin",
            ReduceOp::UMax => "umax",
            ReduceOp::And => "and",
            ReduceOp::Or => "or",
            ReduceOp::Xor => "xor",
            _ => return None,
        };
        let (b, word) = (self.b, self.module.context().int(32));
        let wide = match how {
            ReduceOp::SMin | ReduceOp::SMax => b.sext_or_trunc(value, word),
            _ => b.zext_or_trunc(value, word),
        };
        let reduced = self.call(&format!("llvm.nvvm.redux.sync.{name}"), &[wide, mask]);
        Some(b.zext_or_trunc(reduced, ty))
    }

    /// Combines the values of the items up to the own one.
    fn scan(&self, how: ReduceOp, value: Value<'c>) -> Value<'c> {
        let b = self.b;
        let (mask, lane) = (self.mask(Members::All), self.lane());
        self.steps().fold(value, |sum, step| {
            let theirs = self.shuffle(mask, sum, self.word(step), From::Below);
            let is_there = b.icmp(I::LLVMIntUGE, lane, self.word(step));
            b.select(is_there, how.apply(self.module, b, theirs, sum), sum)
        })
    }

    /// Combines the values of those that are here. If these are all, in the same way as where that is known.
    fn among_some(&self, collective: GroupCollective, members: Members) {
        let (b, cx) = (self.b, self.module.context());
        let value = self.function.param(2);
        let ty: Type<'c> = value.ty();
        let all_function = collective.declare(self.module, Some(ty), Members::All);
        let [all, some, each, one, done] =
            ["all", "some", "each", "one", "done"].map(|name| self.function.append_block(name));
        let here = self.mask(members);
        b.cond_br(b.icmp(I::LLVMIntEQ, here, self.mask(Members::All)), all, some);
        b.go_to_end(all);
        b.ret(Some(b.call(
            all_function,
            &[self.function.param(0), self.function.param(1), value],
        )));

        b.go_to_end(some);
        let own = register(self.module, b, "laneid");
        let below = b.sub(b.shl(self.word(1), own), self.word(1));
        let (how, counted) = match collective {
            GroupCollective::InclusiveScan(how) => (how, b.or(below, b.shl(self.word(1), own))),
            GroupCollective::ExclusiveScan(how) => (how, below),
            GroupCollective::Reduce(how) => (how, self.word(u32::MAX)),
            _ => unreachable!("only these combine values"),
        };
        b.br(each);
        b.go_to_end(each);
        // All that are here go through the values of all that are here.
        let (rest, sum) = (b.phi(cx.int(32)), b.phi(ty));
        b.cond_br(b.icmp(I::LLVMIntNE, rest, self.word(0)), one, done);
        b.go_to_end(one);
        let from = self
            .b
            .intrinsic(self.module, "llvm.cttz", &[cx.int(32)], &[rest, cx.int(1).int(1)]);
        let theirs = self.shuffle(here, value, from, From::Index);
        let is_counted = b.icmp(I::LLVMIntNE, b.and(b.lshr(counted, from), self.word(1)), self.word(0));
        let next = b.select(is_counted, how.apply(self.module, b, sum, theirs), sum);
        let fewer = b.and(rest, b.sub(rest, self.word(1)));
        b.br(each);
        rest.add_incoming(&[(here, some), (fewer, one)]);
        sum.add_incoming(&[(how.identity(ty), some), (next, one)]);
        b.go_to_end(done);
        b.ret(Some(sum));
    }
}
