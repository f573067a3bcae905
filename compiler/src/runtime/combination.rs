// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reductions and scans where items run one by one. The first item of a sub-group that asks computes the results of all, which
//! would take each of them as long.
//!
//! Floating-point numbers are combined in the order of vector code (`workgroup/vector/collectives.rs`), so that results are the same.

use crate::abi::{LANES, Rendezvous};
use crate::intrinsics::{GroupCollective, ReduceOp};

/// How numbers are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combination {
    op: ReduceOp,
    /// Of a number, which is in the low bits of a word.
    bits: u32,
    form: Form,
}

/// Which result an item gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Reduce,
    InclusiveScan,
    ExclusiveScan,
}

impl Combination {
    /// The combination for a collective of numbers of so many bits; `None` if it is none, or one that compiled code does itself.
    pub fn new(collective: GroupCollective, bits: u32) -> Option<Self> {
        let (form, op) = match collective {
            GroupCollective::Reduce(op) => (Form::Reduce, op),
            GroupCollective::InclusiveScan(op) => (Form::InclusiveScan, op),
            GroupCollective::ExclusiveScan(op) => (Form::ExclusiveScan, op),
            _ => return None,
        };
        let is_possible = match op {
            // LLVM's minimum, whatever that makes of zeros.
            ReduceOp::FMin | ReduceOp::FMax => false,
            ReduceOp::FAdd | ReduceOp::FMul => matches!(bits, 32 | 64),
            _ => bits <= 64,
        };
        is_possible.then_some(Self { op, bits, form })
    }

    /// As a word.
    pub fn encode(self) -> u32 {
        u32::from_le_bytes([self.op as u8, self.bits as u8, self.form as u8, 0])
    }

    fn decode(word: u32) -> Self {
        let [op, bits, form, _] = word.to_le_bytes();
        Self {
            op: ReduceOp::ALL[usize::from(op)],
            bits: bits.into(),
            form: [Form::Reduce, Form::InclusiveScan, Form::ExclusiveScan][usize::from(form)],
        }
    }

    /// All bits of a number.
    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// [`ReduceOp::identity`].
    fn identity(self) -> u64 {
        match (self.op, self.bits) {
            (ReduceOp::Add | ReduceOp::Or | ReduceOp::Xor | ReduceOp::UMax, _) => 0,
            (ReduceOp::Mul, _) => 1,
            (ReduceOp::And | ReduceOp::UMin, _) => self.mask(),
            (ReduceOp::SMin, _) => self.mask() >> 1,
            (ReduceOp::SMax, _) => self.mask() & !(self.mask() >> 1),
            (ReduceOp::FAdd, 32) => (-0.0_f32).to_bits().into(),
            (ReduceOp::FMul, 32) => 1.0_f32.to_bits().into(),
            (ReduceOp::FAdd, _) => (-0.0_f64).to_bits(),
            (ReduceOp::FMul, _) => 1.0_f64.to_bits(),
            (ReduceOp::FMin | ReduceOp::FMax, _) => unreachable!("compiled code does that itself"),
        }
    }

    /// [`ReduceOp::apply`].
    #[inline]
    fn combine(self, x: u64, y: u64) -> u64 {
        let signed = |bits: u64| (bits << (64 - self.bits)) as i64;
        let floats = [x, y].map(|bits| f32::from_bits(bits as u32));
        let doubles = [x, y].map(f64::from_bits);
        match (self.op, self.bits) {
            (ReduceOp::Add, _) => x.wrapping_add(y) & self.mask(),
            (ReduceOp::Mul, _) => x.wrapping_mul(y) & self.mask(),
            (ReduceOp::SMin, _) => std::cmp::min_by_key(x, y, |&x| signed(x)),
            (ReduceOp::SMax, _) => std::cmp::max_by_key(x, y, |&x| signed(x)),
            (ReduceOp::UMin, _) => x.min(y),
            (ReduceOp::UMax, _) => x.max(y),
            (ReduceOp::And, _) => x & y,
            (ReduceOp::Or, _) => x | y,
            (ReduceOp::Xor, _) => x ^ y,
            (ReduceOp::FAdd, 32) => (floats[0] + floats[1]).to_bits().into(),
            (ReduceOp::FMul, 32) => (floats[0] * floats[1]).to_bits().into(),
            (ReduceOp::FAdd, _) => (doubles[0] + doubles[1]).to_bits(),
            (ReduceOp::FMul, _) => (doubles[0] * doubles[1]).to_bits(),
            (ReduceOp::FMin | ReduceOp::FMax, _) => unreachable!("compiled code does that itself"),
        }
    }

    /// Puts the results of a sub-group in the place of the operands.
    fn apply(self, meeting: &mut Rendezvous) {
        let identity = self.identity();
        // More lanes, which nobody is in, would change nothing.
        let lanes = LANES - meeting.mask.leading_zeros() as usize;
        let all = &mut meeting.slots[..lanes.next_power_of_two()];
        for (lane, value) in all.iter_mut().enumerate() {
            if meeting.mask >> lane & 1 == 0 {
                *value = identity;
            }
        }
        match self.form {
            // The upper half with the lower one, until one is left.
            Form::Reduce => {
                let mut half = all.len() / 2;
                while half > 0 {
                    for lane in 0..half {
                        all[lane] = self.combine(all[lane], all[lane + half]);
                    }
                    half /= 2;
                }
                all.fill(all[0]);
            }
            // In steps of 1, 2, 4, ... lanes.
            Form::InclusiveScan | Form::ExclusiveScan => {
                let mut step = 1;
                while step < all.len() {
                    for lane in (0..all.len()).rev() {
                        let below = if lane < step { identity } else { all[lane - step] };
                        all[lane] = self.combine(below, all[lane]);
                    }
                    step *= 2;
                }
                if self.form == Form::ExclusiveScan {
                    all.rotate_right(1);
                    all[0] = identity;
                }
            }
        }
    }
}

/// Called by compiled code of each item of a sub-group that takes part in a collective, when all have left their operands: puts the
/// results in the place of the operands, once.
///
/// # Safety
/// The meeting must be the item's, which has not been to another one since, and the word that of a combination.
pub(super) unsafe extern "C" fn oxur_combine(meeting: *mut Rendezvous, how: u32) {
    // SAFETY: passed on to the caller: items run one by one, and nobody else uses it while one does.
    let meeting = unsafe { &mut *meeting };
    if !std::mem::replace(&mut meeting.is_combined, true) {
        Combination::decode(how).apply(meeting);
    }
}

/// Called by compiled code of each item of a sub-group after a collective of all of it: combines so many words of local memory, one
/// after the other, once.
///
/// # Safety
/// The meeting must be the item's, which has not been to another one since, and the word that of a combination. No item may
/// write to these words before the next collective of the sub-group.
pub(super) unsafe extern "C" fn oxur_combine_words(
    meeting: *mut Rendezvous,
    first: *const u64,
    count: u64,
    how: u32,
) -> u64 {
    // SAFETY: passed on to the caller: items run one by one, and nobody else uses it while one does.
    let meeting = unsafe { &mut *meeting };
    *meeting.words.get_or_insert_with(|| {
        let how = Combination::decode(how);
        let words = (0..count as usize).map(|index| {
            // SAFETY: passed on to the caller. Not all of a word may be written, which makes no difference to whoever reads it here.
            unsafe { first.add(index).read_unaligned() & how.mask() }
        });
        words.fold(how.identity(), |so_far, word| how.combine(so_far, word))
    })
}
