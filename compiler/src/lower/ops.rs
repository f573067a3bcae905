// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Instructions without side effects: arithmetic, conversions, comparisons, bits.

use llvm_sys::{LLVMIntPredicate as I, LLVMOpcode as L, LLVMRealPredicate as F};
use spirv::Op;

use crate::builtins;
use crate::fast_math::flag;
use crate::llvm::{Builder, Kind, Module, Type, Value};
use crate::target::Target;

/// The context of building such an instruction.
pub struct Ops<'a, 'c> {
    /// The module, for intrinsics.
    pub module: &'a Module<'c>,
    /// The position.
    pub builder: &'a Builder<'c>,
    /// Fast-math flags.
    pub flags: u32,
    /// What the code is for.
    pub target: Target,
}

type Result<T> = std::result::Result<T, String>;

fn fail<T>(what: impl Into<String>) -> Result<T> {
    Err(what.into())
}

impl<'c> Ops<'_, 'c> {
    /// Builds the instruction; `None` for other instructions.
    pub fn value(&self, op: Op, ty: Type<'c>, args: &[Value<'c>]) -> Result<Option<Value<'c>>> {
        let b = self.builder;
        let value = match op {
            Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SRem
            | Op::SMod
            | Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor => {
                let [x, y] = self.ints(ty, args)?;
                match op {
                    Op::IAdd => b.add(x, y),
                    Op::ISub => b.sub(x, y),
                    Op::IMul => b.mul(x, y),
                    Op::BitwiseAnd => b.and(x, y),
                    Op::BitwiseOr => b.or(x, y),
                    Op::BitwiseXor => b.xor(x, y),
                    _ => self.division(op, x, y),
                }
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                let [x, count] = self.exactly(args)?;
                if x.ty() != ty || !ty.is_int() || !count.ty().is_int() || count.ty().lanes() != ty.lanes() {
                    return fail("operands do not fit the result");
                }
                // In SPIR-V the shift count may have another width. Counts that are too large are undefined in both.
                let count = b.zext_or_trunc(count, ty);
                match op {
                    Op::ShiftLeftLogical => b.shl(x, count),
                    Op::ShiftRightLogical => b.lshr(x, count),
                    _ => b.ashr(x, count),
                }
            }
            Op::SNegate => b.neg(self.ints::<1>(ty, args)?[0]),
            Op::Not => b.not(self.ints::<1>(ty, args)?[0]),
            Op::LogicalNot => b.not(self.ints::<1>(ty, args)?[0]),
            Op::LogicalAnd => self.ints(ty, args).map(|[x, y]| b.and(x, y))?,
            Op::LogicalOr => self.ints(ty, args).map(|[x, y]| b.or(x, y))?,
            Op::LogicalEqual => self.ints(ty, args).map(|[x, y]| b.icmp(I::LLVMIntEQ, x, y))?,
            Op::LogicalNotEqual => self.ints(ty, args).map(|[x, y]| b.xor(x, y))?,
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => {
                let [x, y] = self.floats(ty, args)?;
                match op {
                    Op::FAdd => self.sum(x, y, false),
                    Op::FSub => self.sum(x, y, true),
                    Op::FMul => self.fast(b.fmul(x, y)),
                    Op::FDiv => self.fast(b.fdiv(x, y)),
                    Op::FRem => b.frem(x, y),
                    _ => self.fmod(x, y),
                }
            }
            Op::FNegate => self.fast(b.fneg(self.floats::<1>(ty, args)?[0])),
            Op::FmaKHR => {
                let args: [_; 3] = self.floats(ty, args)?;
                builtins::fma(self.module, b, self.target.fuses_halfs(), args)
            }
            Op::VectorTimesScalar => {
                let [vector, scalar] = self.exactly(args)?;
                let Some(lanes) = ty
                    .lanes()
                    .filter(|_| vector.ty() == ty && ty.is_float() && scalar.ty() == ty.scalar())
                else {
                    return fail("it takes a vector of floating-point numbers and one such number");
                };
                self.fast(b.fmul(vector, b.splat(scalar, lanes)))
            }
            Op::Dot => {
                let [x, y] = self.exactly(args)?;
                let Some(lanes) = x
                    .ty()
                    .lanes()
                    .filter(|_| x.ty() == y.ty() && x.ty().is_float() && x.ty().scalar() == ty)
                else {
                    return fail("it takes two vectors of floating-point numbers");
                };
                let products = self.fast(b.fmul(x, y));
                (1..lanes).fold(self.element(products, 0), |sum, i| {
                    self.fast(b.fadd(sum, self.element(products, i)))
                })
            }
            Op::Select => {
                let [condition, yes, no] = self.exactly(args)?;
                let bools = matches!(condition.ty().scalar().kind(), Kind::Int(1)) && condition.ty().is_int();
                if !bools
                    || yes.ty() != ty
                    || no.ty() != ty
                    || condition.ty().lanes().is_some() && condition.ty().lanes() != ty.lanes()
                {
                    return fail("operands do not fit the result");
                }
                self.fast(b.select(condition, yes, no))
            }
            _ => {
                if let Some(predicate) = int_comparison(op) {
                    return self.compare_ints(predicate, ty, args).map(Some);
                }
                if let Some(predicate) = float_comparison(op) {
                    let [x, y] = self.exactly(args)?;
                    if x.ty() != y.ty() || !x.ty().is_float() || !self.bools(ty, x.ty()) {
                        return fail("it compares floating-point numbers of one type");
                    }
                    return Ok(Some(b.fcmp(predicate, x, y)));
                }
                return self.others(op, ty, args);
            }
        };
        Ok(Some(value))
    }

    fn others(&self, op: Op, ty: Type<'c>, args: &[Value<'c>]) -> Result<Option<Value<'c>>> {
        let b = self.builder;
        Ok(Some(match op {
            Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => {
                let [x] = self.exactly(args)?;
                if !x.ty().is_float() || !self.bools(ty, x.ty()) {
                    return fail("it tests floating-point numbers");
                }
                match op {
                    Op::IsNan => b.fcmp(F::LLVMRealUNO, x, x),
                    Op::SignBitSet => {
                        let bits = b.bitcast(x, self.same_bits(x.ty()));
                        b.icmp(I::LLVMIntSLT, bits, bits.ty().zero())
                    }
                    _ => {
                        // llvm.is.fpclass: 1 signalling NaN, 2 quiet NaN, 4 -inf, 8 -normal, 16 -subnormal, 32 -0, 64 +0,
                        // 128 +subnormal, 256 +normal, 512 +inf.
                        let classes = match op {
                            Op::IsInf => 0x204,
                            Op::IsFinite => 0x1f8,
                            _ => 0x108,
                        };
                        let mask = self.context_int(32, x).int(classes);
                        b.intrinsic(self.module, "llvm.is.fpclass", &[x.ty()], &[x, mask])
                    }
                }
            }
            Op::Any | Op::All => {
                let [x] = self.exactly(args)?;
                if x.ty().lanes().is_none() || !self.bools(x.ty(), x.ty()) || ty != x.ty().scalar() {
                    return fail("it takes a vector of truth values");
                }
                let name = if op == Op::Any {
                    "llvm.vector.reduce.or"
                } else {
                    "llvm.vector.reduce.and"
                };
                b.intrinsic(self.module, name, &[x.ty()], &[x])
            }
            Op::BitCount | Op::BitReverse => {
                let [x] = self.exactly(args)?;
                if !x.ty().is_int()
                    || !ty.is_int()
                    || x.ty().lanes() != ty.lanes()
                    || op == Op::BitReverse && x.ty() != ty
                {
                    return fail("it takes integers");
                }
                if op == Op::BitReverse {
                    b.intrinsic(self.module, "llvm.bitreverse", &[ty], &[x])
                } else {
                    b.zext_or_trunc(b.intrinsic(self.module, "llvm.ctpop", &[x.ty()], &[x]), ty)
                }
            }
            Op::BitFieldInsert => {
                let [base, insert, offset, count] = self.exactly(args)?;
                self.ints::<2>(ty, &[base, insert])?;
                let (offset, mask) = self.field(ty, offset, count)?;
                let mask = b.shl(mask, offset);
                b.or(b.and(base, b.not(mask)), b.and(b.shl(insert, offset), mask))
            }
            Op::BitFieldUExtract | Op::BitFieldSExtract => {
                let [base, offset, count] = self.exactly(args)?;
                self.ints::<1>(ty, &[base])?;
                let (offset, mask) = self.field(ty, offset, count)?;
                let field = b.and(b.lshr(base, offset), mask);
                if op == Op::BitFieldUExtract {
                    field
                } else {
                    // The field's own sign bit: (f ^ s) - s.
                    let sign = b.xor(mask, b.lshr(mask, ty.int(1)));
                    b.sub(b.xor(field, sign), sign)
                }
            }
            Op::IAddCarry | Op::ISubBorrow => {
                let [x, y] = self.exactly(args)?;
                let part = x.ty();
                self.ints::<2>(part, &[x, y])?;
                let (sum, carry) = if op == Op::IAddCarry {
                    let sum = b.add(x, y);
                    (sum, b.icmp(I::LLVMIntULT, sum, x))
                } else {
                    (b.sub(x, y), b.icmp(I::LLVMIntULT, x, y))
                };
                self.pair(ty, sum, b.zext_or_trunc(carry, part))?
            }
            Op::UMulExtended | Op::SMulExtended => {
                let [x, y] = self.exactly(args)?;
                let part = x.ty();
                self.ints::<2>(part, &[x, y])?;
                let wide = part.with_scalar(self.context_int(part.bits() * 2, x));
                let extend = |v| {
                    if op == Op::UMulExtended {
                        b.zext_or_trunc(v, wide)
                    } else {
                        b.sext_or_trunc(v, wide)
                    }
                };
                let product = b.mul(extend(x), extend(y));
                let high = b.lshr(product, wide.int(part.bits().into()));
                self.pair(ty, b.zext_or_trunc(product, part), b.zext_or_trunc(high, part))?
            }
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                self.int_dot(op, ty, args)?
            }
            Op::ConvertFToS
            | Op::ConvertFToU
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::FConvert
            | Op::SConvert
            | Op::UConvert
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::Bitcast
            | Op::PtrCastToCrossWorkgroupINTEL
            | Op::CrossWorkgroupCastToPtrINTEL => {
                let [x] = self.exactly(args)?;
                self.convert(op, ty, x)?
            }
            Op::PtrCastToGeneric | Op::GenericCastToPtr => {
                let [x] = self.exactly(args)?;
                if !x.ty().is_ptr() || x.ty() != ty {
                    return fail("it takes pointers");
                }
                x
            }
            Op::ConvertFToBF16INTEL | Op::ConvertBF16ToFINTEL => {
                let [x] = self.exactly(args)?;
                let narrow = op == Op::ConvertFToBF16INTEL;
                let (float, bits) = if narrow { (x.ty(), ty) } else { (ty, x.ty()) };
                if !float.is_float()
                    || float.bits() != 32
                    || !bits.is_int()
                    || bits.bits() != 16
                    || float.lanes() != bits.lanes()
                {
                    return fail("it converts between 32 bit floating-point numbers and 16 bit integers");
                }
                if narrow {
                    self.float_to_bfloat16(x, bits)
                } else {
                    self.bfloat16_to_float(x, float)
                }
            }
            Op::SatConvertSToU | Op::SatConvertUToS => {
                let [x] = self.exactly(args)?;
                if !x.ty().is_int() || !ty.is_int() || x.ty().lanes() != ty.lanes() {
                    return fail("it converts integers");
                }
                self.saturate(x, ty, op == Op::SatConvertSToU, op == Op::SatConvertUToS)
            }
            Op::PtrEqual | Op::PtrNotEqual => {
                let [x, y] = self.exactly(args)?;
                if !x.ty().is_ptr() || x.ty() != y.ty() || ty.bits() != 1 || !ty.is_int() {
                    return fail("it compares pointers");
                }
                b.icmp(if op == Op::PtrEqual { I::LLVMIntEQ } else { I::LLVMIntNE }, x, y)
            }
            Op::VectorExtractDynamic => {
                let [vector, index] = self.exactly(args)?;
                if vector.ty().lanes().is_none()
                    || vector.ty().scalar() != ty
                    || !matches!(index.ty().kind(), Kind::Int(_))
                {
                    return fail("operands do not fit the result");
                }
                b.extract_element(vector, index)
            }
            Op::VectorInsertDynamic => {
                let [vector, element, index] = self.exactly(args)?;
                if vector.ty() != ty
                    || ty.lanes().is_none()
                    || element.ty() != ty.scalar()
                    || !matches!(index.ty().kind(), Kind::Int(_))
                {
                    return fail("operands do not fit the result");
                }
                b.insert_element(vector, element, index)
            }
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR | Op::ArithmeticFenceEXT => {
                let Some(&x) = args.first().filter(|x| x.ty() == ty) else {
                    return fail("operands do not fit the result");
                };
                match op {
                    Op::ExpectKHR if args.get(1).is_some_and(|e| e.ty() == ty) && matches!(ty.kind(), Kind::Int(_)) => {
                        b.intrinsic(self.module, "llvm.expect", &[ty], &[x, args[1]])
                    }
                    Op::ArithmeticFenceEXT if ty.is_float() => {
                        b.intrinsic(self.module, "llvm.arithmetic.fence", &[ty], &[x])
                    }
                    _ => x,
                }
            }
            _ => return Ok(None),
        }))
    }

    fn exactly<const N: usize>(&self, args: &[Value<'c>]) -> Result<[Value<'c>; N]> {
        args.try_into()
            .map_err(|_| format!("it takes {N} operands, not {}", args.len()))
    }

    fn ints<const N: usize>(&self, ty: Type<'c>, args: &[Value<'c>]) -> Result<[Value<'c>; N]> {
        if !ty.is_int() || args.iter().any(|a| a.ty() != ty) {
            return fail("operands and result must be integers of one type");
        }
        self.exactly(args)
    }

    fn floats<const N: usize>(&self, ty: Type<'c>, args: &[Value<'c>]) -> Result<[Value<'c>; N]> {
        if !ty.is_float() || args.iter().any(|a| a.ty() != ty) {
            return fail("operands and result must be floating-point numbers of one type");
        }
        self.exactly(args)
    }

    /// Whether a type has as many booleans as another has elements.
    fn bools(&self, ty: Type<'c>, of: Type<'c>) -> bool {
        ty.is_int() && ty.bits() == 1 && ty.lanes() == of.lanes()
    }

    /// A sum or a difference. With a product it is contracted here, if it may be: LLVM would do that or not by how it optimizes,
    /// and all tiers should compute the same.
    fn sum(&self, x: Value<'c>, y: Value<'c>, is_difference: bool) -> Value<'c> {
        let b = self.builder;
        let ty = x.ty();
        let product = |v: Value<'c>| {
            let is = v.opcode() == Some(L::LLVMFMul) && v.get_fast_math() & flag::CONTRACT != 0;
            is.then(|| (v.operand(0), v.operand(1)))
        };
        let fused = |p, q, r| b.intrinsic(self.module, "llvm.fma", &[ty], &[p, q, r]);
        let may = self.flags & flag::CONTRACT != 0 && self.target.has_fma() && ty.bits() >= 32;
        let value = match (product(x).filter(|_| may), product(y).filter(|_| may)) {
            (Some((p, q)), _) => fused(p, q, if is_difference { b.fneg(y) } else { y }),
            (None, Some((p, q))) => fused(if is_difference { b.fneg(p) } else { p }, q, x),
            (None, None) if is_difference => b.fsub(x, y),
            (None, None) => b.fadd(x, y),
        };
        b.fast_math(value, self.flags & !flag::CONTRACT)
    }

    fn fast(&self, value: Value<'c>) -> Value<'c> {
        self.builder.fast_math(value, self.flags)
    }

    fn element(&self, vector: Value<'c>, index: u32) -> Value<'c> {
        self.builder
            .extract_element(vector, self.context_int(32, vector).int(index.into()))
    }

    fn context_int(&self, bits: u32, _near: Value<'c>) -> Type<'c> {
        self.module.context().int(bits)
    }

    /// Integers as wide as floating-point numbers.
    fn same_bits(&self, ty: Type<'c>) -> Type<'c> {
        ty.with_scalar(self.module.context().int(ty.bits()))
    }

    /// Integer division. Division by zero, and of the least number by -1, gives an arbitrary value and does not trap.
    fn division(&self, op: Op, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        let b = self.builder;
        let ty = x.ty();
        let is_const = y.is_const()
            && y.as_const_int()
                .is_some_and(|v| v != 0 && v != u64::MAX >> (64 - ty.bits().min(64)));
        let one = ty.int(1);
        let mut divisor = y;
        if !is_const {
            divisor = b.select(b.icmp(I::LLVMIntEQ, y, ty.zero()), one, y);
        }
        if matches!(op, Op::UDiv | Op::UMod) {
            return if op == Op::UDiv {
                b.udiv(x, divisor)
            } else {
                b.urem(x, divisor)
            };
        }
        // For -1: the negated dividend, and remainder 0.
        let negative = (!is_const).then(|| b.icmp(I::LLVMIntEQ, y, ty.ones()));
        if let Some(negative) = negative {
            divisor = b.select(negative, one, divisor);
        }
        match op {
            Op::SDiv => {
                let quotient = b.sdiv(x, divisor);
                negative.map_or(quotient, |n| b.select(n, b.neg(x), quotient))
            }
            Op::SRem => b.srem(x, divisor),
            _ => {
                // The sign of the divisor.
                let rest = b.srem(x, divisor);
                let differs = b.icmp(I::LLVMIntSLT, b.xor(rest, y), ty.zero());
                let wrong = b.and(differs, b.icmp(I::LLVMIntNE, rest, ty.zero()));
                b.select(wrong, b.add(rest, y), rest)
            }
        }
    }

    /// The remainder with the divisor's sign.
    fn fmod(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        let b = self.builder;
        let rest = b.frem(x, y);
        let zero = rest.ty().zero();
        let differs = b.xor(b.fcmp(F::LLVMRealOLT, rest, zero), b.fcmp(F::LLVMRealOLT, y, zero));
        let wrong = b.and(differs, b.fcmp(F::LLVMRealONE, rest, zero));
        b.select(wrong, b.fadd(rest, y), rest)
    }

    fn compare_ints(&self, predicate: I, ty: Type<'c>, args: &[Value<'c>]) -> Result<Value<'c>> {
        let [x, y] = self.exactly(args)?;
        if x.ty() != y.ty() || !(x.ty().is_int() || x.ty().is_ptr()) || !self.bools(ty, x.ty()) {
            return fail("it compares integers of one type");
        }
        Ok(self.builder.icmp(predicate, x, y))
    }

    /// The offset of a bit field, and a mask of its width.
    fn field(&self, ty: Type<'c>, offset: Value<'c>, count: Value<'c>) -> Result<(Value<'c>, Value<'c>)> {
        let b = self.builder;
        if !offset.ty().is_int()
            || !count.ty().is_int()
            || offset.ty().lanes().is_some()
            || count.ty().lanes().is_some()
        {
            return fail("offset and count must be integers");
        }
        let widen = |v| {
            let v = b.zext_or_trunc(v, ty.scalar());
            ty.lanes().map_or(v, |n| b.splat(v, n))
        };
        let (offset, count) = (widen(offset), widen(count));
        let bits = ty.int(ty.bits().into());
        let ones = b.lshr(ty.ones(), b.sub(bits, count));
        // A shift by the full width is poison.
        let none = b.icmp(I::LLVMIntEQ, count, ty.zero());
        let offset = b.select(none, ty.zero(), offset);
        Ok((offset, b.select(none, ty.zero(), ones)))
    }

    fn pair(&self, ty: Type<'c>, low: Value<'c>, high: Value<'c>) -> Result<Value<'c>> {
        if ty.members() != [low.ty(), high.ty()] {
            return fail("the result must be a structure of two such integers");
        }
        Ok(self
            .builder
            .insert_value(self.builder.insert_value(ty.undef(), low, 0), high, 1))
    }

    fn int_dot(&self, op: Op, ty: Type<'c>, args: &[Value<'c>]) -> Result<Value<'c>> {
        let b = self.builder;
        let saturates = matches!(op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        let (Some(&x), Some(&y)) = (args.first(), args.get(1)) else {
            return fail("it takes two vectors");
        };
        if x.ty() != y.ty() || !x.ty().is_int() || !matches!(ty.kind(), Kind::Int(_)) {
            return fail("it takes integers");
        }
        // Four bytes may be packed into one integer.
        let packed = self.module.context().int(8).vector(4);
        let (x, y) = match x.ty().lanes() {
            Some(_) => (x, y),
            None if x.ty().bits() == 32 => (b.bitcast(x, packed), b.bitcast(y, packed)),
            None => return fail("it takes vectors"),
        };
        let wide = x.ty().with_scalar(ty);
        if ty.bits() < x.ty().bits() {
            return fail("the result is narrower than the elements");
        }
        let signed = |v| b.sext_or_trunc(v, wide);
        let unsigned = |v| b.zext_or_trunc(v, wide);
        let product = match op {
            Op::SDot | Op::SDotAccSat => b.mul(signed(x), signed(y)),
            Op::UDot | Op::UDotAccSat => b.mul(unsigned(x), unsigned(y)),
            _ => b.mul(signed(x), unsigned(y)),
        };
        let sum = b.intrinsic(self.module, "llvm.vector.reduce.add", &[wide], &[product]);
        if !saturates {
            return Ok(sum);
        }
        let Some(&base) = args.get(2).filter(|a| a.ty() == ty) else {
            return fail("it takes an accumulator");
        };
        let name = if op == Op::UDotAccSat {
            "llvm.uadd.sat"
        } else {
            "llvm.sadd.sat"
        };
        Ok(b.intrinsic(self.module, name, &[ty], &[sum, base]))
    }

    fn convert(&self, op: Op, ty: Type<'c>, x: Value<'c>) -> Result<Value<'c>> {
        let b = self.builder;
        let from = x.ty();
        let lanes = from.lanes() == ty.lanes();
        let wrong = || fail("operand and result are of types that it does not convert between");
        Ok(match op {
            Op::ConvertFToS | Op::ConvertFToU if from.is_float() && ty.is_int() && lanes => b.cast(
                if op == Op::ConvertFToS {
                    L::LLVMFPToSI
                } else {
                    L::LLVMFPToUI
                },
                x,
                ty,
            ),
            Op::ConvertSToF | Op::ConvertUToF if from.is_int() && ty.is_float() && lanes => b.cast(
                if op == Op::ConvertSToF {
                    L::LLVMSIToFP
                } else {
                    L::LLVMUIToFP
                },
                x,
                ty,
            ),
            Op::FConvert if from.is_float() && ty.is_float() && lanes => b.fpcast(x, ty),
            // SPV_KHR_bfloat16 values are integers here.
            Op::FConvert if from.is_float() && from.bits() == 32 && ty.is_int() && ty.bits() == 16 && lanes => {
                self.float_to_bfloat16(x, ty)
            }
            Op::FConvert if from.is_int() && from.bits() == 16 && ty.is_float() && ty.bits() == 32 && lanes => {
                self.bfloat16_to_float(x, ty)
            }
            Op::SConvert if from.is_int() && ty.is_int() && lanes => b.sext_or_trunc(x, ty),
            Op::UConvert if from.is_int() && ty.is_int() && lanes => b.zext_or_trunc(x, ty),
            Op::ConvertPtrToU if from.is_ptr() && ty.is_int() && lanes => b.cast(L::LLVMPtrToInt, x, ty),
            Op::ConvertUToPtr if from.is_int() && ty.is_ptr() && lanes => b.cast(L::LLVMIntToPtr, x, ty),
            Op::PtrCastToCrossWorkgroupINTEL | Op::CrossWorkgroupCastToPtrINTEL if from == ty && ty.is_ptr() => x,
            Op::Bitcast => {
                let size = |t: Type<'c>| match t.scalar().kind() {
                    Kind::Int(n) | Kind::Float(n) => Some(u64::from(n) * u64::from(t.lanes().unwrap_or(1))),
                    Kind::Pointer => Some(64 * u64::from(t.lanes().unwrap_or(1))),
                    _ => None,
                };
                if size(from).is_none() || size(from) != size(ty) {
                    return wrong();
                }
                match (from.is_ptr(), ty.is_ptr()) {
                    (true, false) => {
                        let int = from.with_scalar(self.module.context().int(64));
                        b.bitcast(b.cast(L::LLVMPtrToInt, x, int), ty)
                    }
                    (false, true) => {
                        let int = ty.with_scalar(self.module.context().int(64));
                        b.cast(L::LLVMIntToPtr, b.bitcast(x, int), ty)
                    }
                    _ => b.bitcast(x, ty),
                }
            }
            _ => return wrong(),
        })
    }

    /// Rounds to nearest even and keeps NaNs.
    fn float_to_bfloat16(&self, x: Value<'c>, ty: Type<'c>) -> Value<'c> {
        let b = self.builder;
        let wide = ty.with_scalar(self.module.context().int(32));
        let bits = b.bitcast(x, wide);
        let odd = b.and(b.lshr(bits, wide.int(16)), wide.int(1));
        let rounded = b.lshr(b.add(bits, b.add(odd, wide.int(0x7fff))), wide.int(16));
        let quiet = b.or(b.lshr(bits, wide.int(16)), wide.int(0x40));
        b.zext_or_trunc(b.select(b.fcmp(F::LLVMRealUNO, x, x), quiet, rounded), ty)
    }

    fn bfloat16_to_float(&self, x: Value<'c>, ty: Type<'c>) -> Value<'c> {
        let b = self.builder;
        let wide = x.ty().with_scalar(self.module.context().int(32));
        b.bitcast(b.shl(b.zext_or_trunc(x, wide), wide.int(16)), ty)
    }

    /// Converts an integer with saturation.
    pub fn saturate(&self, x: Value<'c>, ty: Type<'c>, from_signed: bool, to_signed: bool) -> Value<'c> {
        let b = self.builder;
        let from = x.ty();
        // One bit wider than both types, so that all values compare as signed.
        let wide = from.with_scalar(self.module.context().int(from.bits().max(ty.bits()) + 1));
        let value = if from_signed {
            b.sext_or_trunc(x, wide)
        } else {
            b.zext_or_trunc(x, wide)
        };
        let bits = ty.bits();
        let (low, high) = if to_signed {
            let high = b.lshr(wide.ones(), wide.int((wide.bits() - bits + 1).into()));
            (b.not(high), high)
        } else {
            (wide.zero(), b.lshr(wide.ones(), wide.int((wide.bits() - bits).into())))
        };
        let above = b.intrinsic(self.module, "llvm.smax", &[wide], &[value, low]);
        b.zext_or_trunc(b.intrinsic(self.module, "llvm.smin", &[wide], &[above, high]), ty)
    }

    /// Converts to a floating-point number with rounding to zero (1), up (2) or down (3); `None` for other conversions.
    /// The value is rounded to nearest first, and corrected by one step if that went in the wrong direction.
    pub fn directed(&self, op: Op, x: Value<'c>, ty: Type<'c>, mode: u32) -> Option<Value<'c>> {
        let b = self.builder;
        let near = self.convert(op, ty, x).ok()?;
        // Compared in a type that holds both.
        let (above, below) = if op == Op::FConvert {
            if x.ty().bits() <= ty.bits() {
                return Some(near);
            }
            let back = b.fpcast(near, x.ty());
            (b.fcmp(F::LLVMRealOGT, back, x), b.fcmp(F::LLVMRealOLT, back, x))
        } else {
            let signed = op == Op::ConvertSToF;
            let back = self.saturate_float(near, x.ty(), signed);
            let (greater, less) = if signed {
                (I::LLVMIntSGT, I::LLVMIntSLT)
            } else {
                (I::LLVMIntUGT, I::LLVMIntULT)
            };
            // Values beyond the range of the integer were saturated.
            let limit = ty.real(2f64.powi(x.ty().bits() as i32 - i32::from(signed)));
            let beyond = b.fcmp(F::LLVMRealOGE, near, limit);
            let beneath = b.fcmp(F::LLVMRealOEQ, near, ty.real(f64::NEG_INFINITY));
            (
                b.or(b.icmp(greater, back, x), beyond),
                b.or(b.icmp(less, back, x), beneath),
            )
        };
        let bits = b.bitcast(near, self.same_bits(ty));
        let negative = b.icmp(I::LLVMIntSLT, bits, bits.ty().zero());
        let one = bits.ty().int(1);
        let is_zero = b.fcmp(F::LLVMRealOEQ, near, ty.zero());
        let sign = b.shl(one, bits.ty().int(u64::from(ty.bits()) - 1));
        // One step up or down in value. From zero, to the smallest number of that sign.
        let up = b.select(is_zero, one, b.select(negative, b.sub(bits, one), b.add(bits, one)));
        let down = b.select(
            is_zero,
            b.or(sign, one),
            b.select(negative, b.add(bits, one), b.sub(bits, one)),
        );
        let (go_down, go_up) = match mode {
            1 => {
                let zero = if op == Op::FConvert {
                    b.fcmp(F::LLVMRealOLT, x, x.ty().zero())
                } else {
                    negative
                };
                (b.and(above, b.not(zero)), b.and(below, zero))
            }
            2 => (above.ty().zero(), below),
            _ => (above, below.ty().zero()),
        };
        let result = b.select(go_down, down, b.select(go_up, up, bits));
        Some(b.bitcast(result, ty))
    }

    /// Converts a floating-point number to an integer with saturation, NaN to 0.
    pub fn saturate_float(&self, x: Value<'c>, ty: Type<'c>, signed: bool) -> Value<'c> {
        let name = if signed { "llvm.fptosi.sat" } else { "llvm.fptoui.sat" };
        // LLVM 22 converts halfs with AVX512-FP16 so that NaN becomes the least number of a type of 16 bits.
        let x = match x.ty().bits() {
            16 => self
                .builder
                .fpcast(x, x.ty().with_scalar(self.module.context().float(32))),
            _ => x,
        };
        self.builder.intrinsic(self.module, name, &[ty, x.ty()], &[x])
    }
}

fn int_comparison(op: Op) -> Option<I> {
    Some(match op {
        Op::IEqual => I::LLVMIntEQ,
        Op::INotEqual => I::LLVMIntNE,
        Op::UGreaterThan => I::LLVMIntUGT,
        Op::SGreaterThan => I::LLVMIntSGT,
        Op::UGreaterThanEqual => I::LLVMIntUGE,
        Op::SGreaterThanEqual => I::LLVMIntSGE,
        Op::ULessThan => I::LLVMIntULT,
        Op::SLessThan => I::LLVMIntSLT,
        Op::ULessThanEqual => I::LLVMIntULE,
        Op::SLessThanEqual => I::LLVMIntSLE,
        _ => return None,
    })
}

fn float_comparison(op: Op) -> Option<F> {
    Some(match op {
        Op::FOrdEqual => F::LLVMRealOEQ,
        Op::FUnordEqual => F::LLVMRealUEQ,
        Op::FOrdNotEqual | Op::LessOrGreater => F::LLVMRealONE,
        Op::FUnordNotEqual => F::LLVMRealUNE,
        Op::FOrdLessThan => F::LLVMRealOLT,
        Op::FUnordLessThan => F::LLVMRealULT,
        Op::FOrdGreaterThan => F::LLVMRealOGT,
        Op::FUnordGreaterThan => F::LLVMRealUGT,
        Op::FOrdLessThanEqual => F::LLVMRealOLE,
        Op::FUnordLessThanEqual => F::LLVMRealULE,
        Op::FOrdGreaterThanEqual => F::LLVMRealOGE,
        Op::FUnordGreaterThanEqual => F::LLVMRealUGE,
        Op::Ordered => F::LLVMRealORD,
        Op::Unordered => F::LLVMRealUNO,
        _ => return None,
    })
}
