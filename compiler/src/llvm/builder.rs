// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The builder of instructions.

use std::ffi::c_char;
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};

use super::{Block, Context, Function, Module, Type, Value};

/// How an atomic operation is ordered.
type Ordering = LLVMAtomicOrdering;

/// Builds instructions at a place in a block.
pub struct Builder<'c>(pub(super) LLVMBuilderRef, PhantomData<&'c Context>);

const NO_NAME: *const c_char = c"".as_ptr();

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $function:ident),* $(,)?) => { $(
        $(#[$doc])*
        pub fn $name(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
            // SAFETY: the builder stands in a block; operands of the instruction's types (see the top of the folder).
            Value::new(unsafe { $function(self.0, a.0, b.0, NO_NAME) })
        }
    )* };
}

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident = $function:ident),* $(,)?) => { $(
        $(#[$doc])*
        pub fn $name(&self, a: Value<'c>) -> Value<'c> {
            // SAFETY: the builder stands in a block; an operand of the instruction's type (see the top of the folder).
            Value::new(unsafe { $function(self.0, a.0, NO_NAME) })
        }
    )* };
}

// The SAFETY of this file: the builder is positioned in a block of a live function, and operands have the types that
// the instruction takes. `llvm/mod.rs` says who ensures that.
impl<'c> Builder<'c> {
    /// An unpositioned builder.
    pub fn new(context: &'c Context) -> Self {
        // SAFETY: the context is alive.
        Self(unsafe { LLVMCreateBuilderInContext(context.raw()) }, PhantomData)
    }

    /// A builder at the end of a block.
    pub fn at_end(context: &'c Context, block: Block<'c>) -> Self {
        let builder = Self::new(context);
        builder.go_to_end(block);
        builder
    }

    /// Moves to the end of a block.
    pub fn go_to_end(&self, block: Block<'c>) {
        // SAFETY: a live block.
        unsafe { LLVMPositionBuilderAtEnd(self.0, block.0) };
    }

    /// Moves in front of an instruction.
    pub fn go_before(&self, instruction: Value<'c>) {
        // SAFETY: an instruction in a block.
        unsafe { LLVMPositionBuilderBefore(self.0, instruction.0) };
    }

    /// Moves to the start of a block, after its phis.
    pub fn go_to_start(&self, block: Block<'c>) {
        match block
            .instructions()
            .into_iter()
            .find(|i| i.opcode() != Some(LLVMOpcode::LLVMPHI))
        {
            Some(first) => self.go_before(first),
            None => self.go_to_end(block),
        }
    }

    /// The block of the builder.
    pub fn block(&self) -> Block<'c> {
        // SAFETY: it stands in one.
        Block::new(unsafe { LLVMGetInsertBlock(self.0) })
    }

    /// Inserts an instruction that is in no block.
    pub fn insert(&self, instruction: Value<'c>) -> Value<'c> {
        // SAFETY: see above.
        unsafe { LLVMInsertIntoBuilder(self.0, instruction.0) };
        instruction
    }

    binary! {
        /// Integer addition.
        add = LLVMBuildAdd,
        /// Integer subtraction.
        sub = LLVMBuildSub,
        /// Integer multiplication.
        mul = LLVMBuildMul,
        /// Unsigned division.
        udiv = LLVMBuildUDiv,
        /// Signed division.
        sdiv = LLVMBuildSDiv,
        /// Unsigned remainder.
        urem = LLVMBuildURem,
        /// Signed remainder, of the dividend's sign.
        srem = LLVMBuildSRem,
        /// Shift left.
        shl = LLVMBuildShl,
        /// Shift right, zeros come in.
        lshr = LLVMBuildLShr,
        /// Shift right, the sign comes in.
        ashr = LLVMBuildAShr,
        /// Bitwise and.
        and = LLVMBuildAnd,
        /// Bitwise or.
        or = LLVMBuildOr,
        /// Bitwise exclusive or.
        xor = LLVMBuildXor,
        /// Floating-point addition.
        fadd = LLVMBuildFAdd,
        /// Floating-point subtraction.
        fsub = LLVMBuildFSub,
        /// Floating-point multiplication.
        fmul = LLVMBuildFMul,
        /// Floating-point division.
        fdiv = LLVMBuildFDiv,
        /// Floating-point remainder, as `fmod`.
        frem = LLVMBuildFRem,
        /// An element of a vector.
        extract_element = LLVMBuildExtractElement,
    }

    unary! {
        /// Integer negation.
        neg = LLVMBuildNeg,
        /// Bitwise negation.
        not = LLVMBuildNot,
        /// Floating-point negation: only the sign changes.
        fneg = LLVMBuildFNeg,
        /// Freeze: an undefined value becomes an arbitrary, but fixed one.
        freeze = LLVMBuildFreeze,
    }

    /// An arithmetic instruction by LLVM's opcode.
    pub fn binary(&self, opcode: LLVMOpcode, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildBinOp(self.0, opcode, a.0, b.0, NO_NAME) })
    }

    /// Compares integers or pointers.
    pub fn icmp(&self, predicate: LLVMIntPredicate, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildICmp(self.0, predicate, a.0, b.0, NO_NAME) })
    }

    /// Compares floating-point numbers.
    pub fn fcmp(&self, predicate: LLVMRealPredicate, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildFCmp(self.0, predicate, a.0, b.0, NO_NAME) })
    }

    /// Select: one of two values.
    pub fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildSelect(self.0, condition.0, yes.0, no.0, NO_NAME) })
    }

    /// Converts.
    pub fn cast(&self, opcode: LLVMOpcode, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildCast(self.0, opcode, value.0, ty.0, NO_NAME) })
    }

    /// Reinterprets bits.
    pub fn bitcast(&self, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        if value.ty() == ty {
            value
        } else {
            self.cast(LLVMOpcode::LLVMBitCast, value, ty)
        }
    }

    /// Truncates or zero-extends an integer.
    pub fn zext_or_trunc(&self, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        match value.ty().bits().cmp(&ty.bits()) {
            std::cmp::Ordering::Less => self.cast(LLVMOpcode::LLVMZExt, value, ty),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.cast(LLVMOpcode::LLVMTrunc, value, ty),
        }
    }

    /// Truncates or sign-extends an integer.
    pub fn sext_or_trunc(&self, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        match value.ty().bits().cmp(&ty.bits()) {
            std::cmp::Ordering::Less => self.cast(LLVMOpcode::LLVMSExt, value, ty),
            _ => self.zext_or_trunc(value, ty),
        }
    }

    /// Truncates or extends a floating-point number.
    pub fn fpcast(&self, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        match value.ty().bits().cmp(&ty.bits()) {
            std::cmp::Ordering::Less => self.cast(LLVMOpcode::LLVMFPExt, value, ty),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.cast(LLVMOpcode::LLVMFPTrunc, value, ty),
        }
    }

    /// A vector with one element replaced.
    pub fn insert_element(&self, vector: Value<'c>, element: Value<'c>, index: Value<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildInsertElement(self.0, vector.0, element.0, index.0, NO_NAME) })
    }

    /// Shuffles the elements of two vectors. An index of `u32::MAX` leaves an element undefined.
    pub fn shuffle(&self, a: Value<'c>, b: Value<'c>, indices: &[u32]) -> Value<'c> {
        let index = self.context_of(a).int32();
        let mask: Vec<_> = indices
            .iter()
            .map(|&i| {
                if i == u32::MAX {
                    index.poison()
                } else {
                    index.int(i.into())
                }
            })
            .collect();
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildShuffleVector(self.0, a.0, b.0, Value::vector(&mask).0, NO_NAME) })
    }

    /// Broadcasts a value to all elements of a vector.
    pub fn splat(&self, value: Value<'c>, lanes: u32) -> Value<'c> {
        let vector = value.ty().vector(lanes);
        if value.is_const() {
            return vector.splat(value);
        }
        let zero = self.context_of(value).int32().int(0);
        let one = self.insert_element(vector.poison(), value, zero);
        self.shuffle(one, vector.poison(), &vec![0; lanes as usize])
    }

    fn context_of(&self, value: Value<'c>) -> Scalars<'c> {
        // SAFETY: a live value.
        Scalars(unsafe { LLVMGetTypeContext(LLVMTypeOf(value.0)) }, PhantomData)
    }

    /// A member of an aggregate.
    pub fn extract_value(&self, aggregate: Value<'c>, index: u32) -> Value<'c> {
        // SAFETY: see above; the index is in range.
        Value::new(unsafe { LLVMBuildExtractValue(self.0, aggregate.0, index, NO_NAME) })
    }

    /// An aggregate with one member replaced.
    pub fn insert_value(&self, aggregate: Value<'c>, member: Value<'c>, index: u32) -> Value<'c> {
        // SAFETY: see above; the index is in range.
        Value::new(unsafe { LLVMBuildInsertValue(self.0, aggregate.0, member.0, index, NO_NAME) })
    }

    /// Allocates a variable on the stack.
    pub fn alloca(&self, ty: Type<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildAlloca(self.0, ty.0, NO_NAME) })
    }

    /// Allocates an array on the stack.
    pub fn alloca_array(&self, ty: Type<'c>, count: Value<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildArrayAlloca(self.0, ty.0, count.0, NO_NAME) })
    }

    /// Reads memory.
    pub fn load(&self, ty: Type<'c>, address: Value<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildLoad2(self.0, ty.0, address.0, NO_NAME) })
    }

    /// Writes memory.
    pub fn store(&self, value: Value<'c>, address: Value<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildStore(self.0, value.0, address.0) })
    }

    /// Computes an address.
    pub fn gep(&self, ty: Type<'c>, address: Value<'c>, indices: &[Value<'c>], in_bounds: bool) -> Value<'c> {
        let mut raw: Vec<_> = indices.iter().map(|v| v.0).collect();
        // SAFETY: see above.
        Value::new(unsafe {
            if in_bounds {
                LLVMBuildInBoundsGEP2(self.0, ty.0, address.0, raw.as_mut_ptr(), raw.len() as u32, NO_NAME)
            } else {
                LLVMBuildGEP2(self.0, ty.0, address.0, raw.as_mut_ptr(), raw.len() as u32, NO_NAME)
            }
        })
    }

    /// Adds a number of bytes to an address.
    pub fn offset(&self, address: Value<'c>, bytes: Value<'c>) -> Value<'c> {
        self.gep(self.context_of(address).int8(), address, &[bytes], false)
    }

    /// A phi without incoming values yet.
    pub fn phi(&self, ty: Type<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildPhi(self.0, ty.0, NO_NAME) })
    }

    /// Puts a phi with other incoming values in the place of one.
    pub fn replace_phi(&self, phi: Value<'c>, incoming: &[(Value<'c>, Block<'c>)]) {
        self.go_before(phi);
        let new = self.phi(phi.ty());
        new.add_incoming(incoming);
        phi.replace_with(new);
        phi.erase();
    }

    /// Has the phis of a block take from `to` what came from `from`.
    pub fn move_phis(&self, block: Block<'c>, from: Block<'c>, to: Block<'c>) {
        for phi in block.phis() {
            let moved = |(value, at)| (value, if at == from { to } else { at });
            let incoming: Vec<_> = phi.incoming().into_iter().map(moved).collect();
            self.replace_phi(phi, &incoming);
        }
    }

    /// An unconditional branch.
    pub fn br(&self, to: Block<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildBr(self.0, to.0) })
    }

    /// A conditional branch.
    pub fn cond_br(&self, condition: Value<'c>, yes: Block<'c>, no: Block<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildCondBr(self.0, condition.0, yes.0, no.0) })
    }

    /// A switch.
    pub fn switch(&self, value: Value<'c>, default: Block<'c>, cases: &[(Value<'c>, Block<'c>)]) -> Value<'c> {
        // SAFETY: see above; the cases are constants.
        unsafe {
            let switch = LLVMBuildSwitch(self.0, value.0, default.0, cases.len() as u32);
            for (on, to) in cases {
                LLVMAddCase(switch, on.0, to.0);
            }
            Value::new(switch)
        }
    }

    /// Returns from the function.
    pub fn ret(&self, value: Option<Value<'c>>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe {
            match value {
                Some(value) => LLVMBuildRet(self.0, value.0),
                None => LLVMBuildRetVoid(self.0),
            }
        })
    }

    /// Unreachable.
    pub fn unreachable(&self) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildUnreachable(self.0) })
    }

    /// Calls a function.
    pub fn call(&self, function: Function<'c>, args: &[Value<'c>]) -> Value<'c> {
        self.call_pointer(function.function_type(), function.into(), args)
    }

    /// Calls a function pointer.
    pub fn call_pointer(&self, ty: Type<'c>, function: Value<'c>, args: &[Value<'c>]) -> Value<'c> {
        let mut raw: Vec<_> = args.iter().map(|v| v.0).collect();
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildCall2(self.0, ty.0, function.0, raw.as_mut_ptr(), raw.len() as u32, NO_NAME) })
    }

    /// Calls an intrinsic by its name, overloaded for these types.
    pub fn intrinsic(&self, module: &Module<'c>, name: &str, types: &[Type<'c>], args: &[Value<'c>]) -> Value<'c> {
        self.call(module.intrinsic(name, types), args)
    }

    /// An atomic read-modify-write operation, which returns the old value.
    pub fn atomic_rmw(
        &self,
        operation: LLVMAtomicRMWBinOp,
        address: Value<'c>,
        value: Value<'c>,
        ordering: Ordering,
    ) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildAtomicRMW(self.0, operation, address.0, value.0, ordering, 0) })
    }

    /// An atomic compare-and-exchange, which returns the old value and whether it matched.
    pub fn cmpxchg(
        &self,
        address: Value<'c>,
        expected: Value<'c>,
        value: Value<'c>,
        success: Ordering,
        failure: Ordering,
    ) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildAtomicCmpXchg(self.0, address.0, expected.0, value.0, success, failure, 0) })
    }

    /// Makes a load or a store atomic.
    pub fn set_ordering(&self, access: Value<'c>, ordering: Ordering) {
        // SAFETY: a load or a store.
        unsafe { LLVMSetOrdering(access.0, ordering) };
    }

    /// A fence.
    pub fn fence(&self, ordering: Ordering) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildFence(self.0, ordering, 0, NO_NAME) })
    }

    /// Limits an atomic operation or a fence to the threads of a scope, by LLVM's name for it.
    pub fn set_scope(&self, operation: Value<'c>, scope: &str) -> Value<'c> {
        // SAFETY: an atomic instruction; the name is read.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(operation.0));
            let id = LLVMGetSyncScopeID(context, scope.as_ptr().cast(), scope.len());
            LLVMSetAtomicSyncScopeID(operation.0, id);
        }
        operation
    }

    /// Copies memory that does not overlap.
    pub fn memcpy(&self, to: Value<'c>, to_align: u32, from: Value<'c>, from_align: u32, size: Value<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildMemCpy(self.0, to.0, to_align, from.0, from_align, size.0) })
    }

    /// Fills memory with a byte.
    pub fn memset(&self, to: Value<'c>, align: u32, byte: Value<'c>, size: Value<'c>) -> Value<'c> {
        // SAFETY: see above.
        Value::new(unsafe { LLVMBuildMemSet(self.0, to.0, byte.0, size.0, align) })
    }

    /// Sets the fast-math flags of an instruction that has them.
    pub fn fast_math(&self, value: Value<'c>, flags: u32) -> Value<'c> {
        // SAFETY: a live value; the first question keeps others away.
        unsafe {
            if flags != 0 && !LLVMIsAInstruction(value.0).is_null() && LLVMCanValueUseFastMathFlags(value.0) != 0 {
                LLVMSetFastMathFlags(value.0, flags);
            }
        }
        value
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { LLVMDisposeBuilder(self.0) };
    }
}

/// The types that the builder itself needs.
struct Scalars<'c>(LLVMContextRef, PhantomData<&'c Context>);

impl<'c> Scalars<'c> {
    fn int32(&self) -> Type<'c> {
        // SAFETY: the context of a live value.
        Type::new(unsafe { LLVMInt32TypeInContext(self.0) })
    }

    fn int8(&self) -> Type<'c> {
        // SAFETY: the context of a live value.
        Type::new(unsafe { LLVMInt8TypeInContext(self.0) })
    }
}
