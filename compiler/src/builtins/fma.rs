// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Fused multiplications and additions, also of halfs on targets that compute with floats.

use llvm_sys::LLVMIntPredicate::LLVMIntEQ;
use llvm_sys::LLVMRealPredicate::LLVMRealONE;

use crate::llvm::{Builder, Module, Value};

/// `x y + z`, rounded once. `fuses_halfs` says whether the target has an instruction for halfs: LLVM would fuse floats, and round twice.
pub fn fma<'c>(module: &Module<'c>, b: &Builder<'c>, fuses_halfs: bool, args: [Value<'c>; 3]) -> Value<'c> {
    let ty = args[0].ty();
    match ty.bits() == 16 && !fuses_halfs {
        true => of_halfs(module, b, args),
        false => b.intrinsic(module, "llvm.fma", &[ty], &args),
    }
}

/// The product is a float. The sum is one that is rounded to odd: where it is not exact, the one of its two neighbours whose last bit
/// is 1. Of that the nearest half is the one of the exact sum, since floats have more than two bits more than halfs (S. Boldo and
/// G. Melquiond, "Emulation of a FMA and correctly rounded sums", IEEE Transactions on Computers 57, 2008).
fn of_halfs<'c>(module: &Module<'c>, b: &Builder<'c>, args: [Value<'c>; 3]) -> Value<'c> {
    let (context, half) = (module.context(), args[0].ty());
    let bits = half.with_scalar(context.int(32));
    let [x, y, z] = args.map(|v| b.fpcast(v, half.with_scalar(context.float(32))));
    let product = b.fmul(x, y);
    let sum = b.fadd(product, z);
    // What the exact sum has more than this one: "TwoSum" (D. Knuth). It is NaN if the sum is not finite.
    let addend = b.fsub(sum, product);
    let more = b.fadd(b.fsub(product, b.fsub(sum, addend)), b.fsub(z, addend));
    let is_inexact = b.fcmp(LLVMRealONE, more, more.ty().zero());
    let [more, nearest] = [more, sum].map(|v| b.bitcast(v, bits));
    let is_even = b.icmp(LLVMIntEQ, b.and(nearest, bits.int(1)), bits.zero());
    // The other neighbour is further from zero if what is missing has the sum's sign.
    let step = b.or(b.ashr(b.xor(more, nearest), bits.int(31)), bits.int(1));
    let odd = b.select(b.and(is_inexact, is_even), b.add(nearest, step), nearest);
    b.fpcast(b.bitcast(odd, sum.ty()), half)
}
