// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reductions over clusters: items of a sub-group whose numbers differ in the low bits only.

use llvm_sys::LLVMIntPredicate as I;

use super::FunctionLowering;
use crate::intrinsics::ReduceOp;
use crate::llvm::Value;

impl<'c> FunctionLowering<'_, 'c> {
    /// A reduction over items whose numbers differ in the low bits only, of those that are there.
    pub(super) fn clustered(&mut self, value: Value<'c>, how: ReduceOp, size: u64) -> Value<'c> {
        let cx = self.unit.context;
        let here = self.ballot(cx.int(1).int(1));
        let all = u64::MAX >> (64 - self.sub_group_size().clamp(1, 64));
        let is_whole = self.builder.icmp(I::LLVMIntEQ, here, here.ty().int(all));
        let [whole, part, done] =
            ["cluster.whole", "cluster.part", "cluster"].map(|name| self.function.append_block(name));
        self.builder.cond_br(is_whole, whole, part);
        let results = [(whole, None), (part, Some(here))].map(|(block, here)| {
            self.builder.go_to_end(block);
            let result = self.in_clusters(value, how, size, here);
            let end = self.builder.block();
            self.builder.br(done);
            (result, end)
        });
        self.builder.go_to_end(done);
        let result = self.builder.phi(value.ty());
        result.add_incoming(&results);
        result
    }

    /// The same in steps, in each of which two halves of a cluster meet. An item takes the result of its counterpart in the other half, or
    /// of the first one that is `here`: all of a half have the same.
    fn in_clusters(&mut self, value: Value<'c>, how: ReduceOp, size: u64, here: Option<Value<'c>>) -> Value<'c> {
        let mut result = value;
        for step in (0..size.ilog2()).map(|log| 1 << log) {
            let lane = self.lane();
            let other = self.builder.xor(lane, lane.ty().int(step));
            let Some(here) = here else {
                let theirs = self.shuffle(result, other);
                result = how.apply(&self.unit.module, &self.builder, result, theirs);
                continue;
            };
            let b = &self.builder;
            let first = b.zext_or_trunc(
                b.and(other, lane.ty().int(u64::from(u32::MAX) & !(step - 1))),
                here.ty(),
            );
            let half = b.and(b.lshr(here, first), here.ty().int(u64::MAX >> (64 - step)));
            let is_empty = b.icmp(I::LLVMIntEQ, half, here.ty().zero());
            let first = b.zext_or_trunc(first, lane.ty());
            let place = self.first_of(half);
            let place = self.builder.add(first, place);
            let theirs = self.shuffle(result, place);
            let both = how.apply(&self.unit.module, &self.builder, result, theirs);
            result = self.builder.select(is_empty, result, both);
        }
        result
    }
}
