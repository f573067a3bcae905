// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Values: constants, instructions, parameters, functions, and blocks.

use std::ffi::CString;
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMUnnamedAddr};

use super::{Context, Type, take_message};
use crate::fast_math::flag;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'c>(pub(crate) LLVMValueRef, PhantomData<&'c Context>);

/// A function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Function<'c>(pub(crate) LLVMValueRef, PhantomData<&'c Context>);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block<'c>(pub(crate) LLVMBasicBlockRef, PhantomData<&'c Context>);

/// The fast-math flags that make poison of what they exclude. The others are permissions.
const NO_NAN_OR_INF: u32 = flag::NO_NAN | flag::NO_INFINITY;

// The SAFETY of this file: handles are of live objects of their context; where an object must be of a kind, the caller
// of the method has it, and the comment says so.
impl<'c> Value<'c> {
    pub(crate) fn new(raw: LLVMValueRef) -> Self {
        Self(raw, PhantomData)
    }

    /// Its type.
    pub fn ty(self) -> Type<'c> {
        // SAFETY: see above.
        Type::new(unsafe { LLVMTypeOf(self.0) })
    }

    /// A constant vector.
    pub fn vector(elements: &[Value<'c>]) -> Self {
        let mut raw: Vec<_> = elements.iter().map(|v| v.0).collect();
        // SAFETY: constants.
        Self::new(unsafe { LLVMConstVector(raw.as_mut_ptr(), raw.len() as u32) })
    }

    /// A constant array.
    pub fn array(element: Type<'c>, elements: &[Value<'c>]) -> Self {
        let mut raw: Vec<_> = elements.iter().map(|v| v.0).collect();
        // SAFETY: constants of the type.
        Self::new(unsafe { LLVMConstArray2(element.0, raw.as_mut_ptr(), raw.len() as u64) })
    }

    /// A constant structure.
    pub fn structure(context: &'c Context, members: &[Value<'c>], packed: bool) -> Self {
        let mut raw: Vec<_> = members.iter().map(|v| v.0).collect();
        // SAFETY: constants.
        Self::new(unsafe { LLVMConstStructInContext(context.raw(), raw.as_mut_ptr(), raw.len() as u32, packed.into()) })
    }

    /// Whether it is a constant.
    pub fn is_const(self) -> bool {
        // SAFETY: see above.
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// Whether it is the constant zero, null, or an aggregate of them.
    pub fn is_null(self) -> bool {
        // SAFETY: see above.
        unsafe { LLVMIsNull(self.0) != 0 }
    }

    /// The value of a constant integer.
    pub fn as_const_int(self) -> Option<u64> {
        // SAFETY: see above.
        unsafe {
            (!LLVMIsAConstantInt(self.0).is_null() && self.ty().bits() <= 64).then(|| LLVMConstIntGetZExtValue(self.0))
        }
    }

    /// The value of a constant integer, whose highest bit is its sign.
    pub fn as_const_signed(self) -> Option<i64> {
        let number = self.as_const_int()?;
        let rest = 64 - self.ty().bits();
        Some((number << rest).cast_signed() >> rest)
    }

    /// An element of a constant vector; `None` if it is no constant that LLVM can take apart.
    pub fn const_element(self, index: u32) -> Option<Self> {
        // SAFETY: the second question is asked of constants only.
        let element = unsafe {
            if !self.is_const() {
                return None;
            }
            LLVMGetAggregateElement(self.0, index)
        };
        (!element.is_null()).then(|| Self::new(element))
    }

    /// The value of a constant float or double.
    pub fn as_const_real(self) -> Option<f64> {
        if !self.ty().is_float() || self.ty().bits() < 32 {
            return None;
        }
        let mut loses = 0;
        // SAFETY: see above.
        unsafe { (!LLVMIsAConstantFP(self.0).is_null()).then(|| LLVMConstRealGetDouble(self.0, &mut loses)) }
    }

    /// Reinterprets the bits of a constant.
    pub fn const_bitcast(self, ty: Type<'c>) -> Self {
        // SAFETY: a constant, of a type with as many bits.
        Self::new(unsafe { LLVMConstBitCast(self.0, ty.0) })
    }

    /// Makes a call one that LLVM must not make depend on further conditions.
    pub fn convergent_call(self) -> Self {
        // SAFETY: a call; the name is read.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"convergent".as_ptr(), 10);
            let attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(self.0)), kind, 0);
            LLVMAddCallSiteAttribute(self.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
        self
    }

    /// Names it, for those who read the IR.
    pub fn name(self, name: &str) -> Self {
        // SAFETY: the bytes are copied.
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) };
        self
    }

    /// Its name.
    pub fn get_name(self) -> String {
        let mut len = 0;
        // SAFETY: the name lives as long as the value is not renamed.
        unsafe {
            let name = LLVMGetValueName2(self.0, &mut len);
            String::from_utf8_lossy(std::slice::from_raw_parts(name.cast::<u8>(), len)).into_owned()
        }
    }

    /// Adds the incoming values of a phi.
    pub fn add_incoming(self, incoming: &[(Value<'c>, Block<'c>)]) {
        let mut values: Vec<_> = incoming.iter().map(|i| i.0.0).collect();
        let mut blocks: Vec<_> = incoming.iter().map(|i| i.1.0).collect();
        // SAFETY: a phi, and values of its type.
        unsafe { LLVMAddIncoming(self.0, values.as_mut_ptr(), blocks.as_mut_ptr(), values.len() as u32) };
    }

    /// The incoming values of a phi.
    pub fn incoming(self) -> Vec<(Value<'c>, Block<'c>)> {
        // SAFETY: a phi.
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|i| {
                    (
                        Value::new(LLVMGetIncomingValue(self.0, i)),
                        Block::new(LLVMGetIncomingBlock(self.0, i)),
                    )
                })
                .collect()
        }
    }

    /// Sets the alignment, in bytes, of a load, a store, an `alloca` or a global.
    pub fn align(self, bytes: u32) -> Self {
        // SAFETY: one of these; a power of two.
        unsafe { LLVMSetAlignment(self.0, bytes) };
        self
    }

    /// Makes a load or a store volatile.
    pub fn volatile(self, volatile: bool) -> Self {
        // SAFETY: one of these.
        unsafe { LLVMSetVolatile(self.0, volatile.into()) };
        self
    }

    /// What kind of instruction it is; `None` for what is none.
    pub fn opcode(self) -> Option<LLVMOpcode> {
        // SAFETY: see above.
        unsafe { (!LLVMIsAInstruction(self.0).is_null()).then(|| LLVMGetInstructionOpcode(self.0)) }
    }

    /// Its operands.
    pub fn operands(self) -> Vec<Value<'c>> {
        // SAFETY: see above; the index is in range.
        unsafe {
            (0..LLVMGetNumOperands(self.0).max(0) as u32)
                .map(|i| Value::new(LLVMGetOperand(self.0, i)))
                .collect()
        }
    }

    /// One operand.
    pub fn operand(self, index: u32) -> Value<'c> {
        // SAFETY: the caller knows that it has one.
        Value::new(unsafe { LLVMGetOperand(self.0, index) })
    }

    /// A copy of an instruction, in no block yet.
    pub fn clone_instruction(self) -> Self {
        // SAFETY: an instruction.
        Self::new(unsafe { LLVMInstructionClone(self.0) })
    }

    /// Puts another operand in.
    pub fn set_operand(self, index: u32, value: Value<'c>) {
        // SAFETY: a user with such an operand, of this type.
        unsafe { LLVMSetOperand(self.0, index, value.0) };
    }

    /// Whether a `zext` is of what is not negative.
    pub fn has_nneg(self) -> bool {
        // SAFETY: asked of such an instruction only.
        self.opcode() == Some(LLVMOpcode::LLVMZExt) && unsafe { LLVMGetNNeg(self.0) != 0 }
    }

    /// Whether the two sides of an `or` have no bit in common.
    pub fn is_disjoint(self) -> bool {
        // SAFETY: asked of such an instruction only.
        self.opcode() == Some(LLVMOpcode::LLVMOr) && unsafe { LLVMGetIsDisjoint(self.0) != 0 }
    }

    /// Whether a sum of integers is poison where it wraps as an unsigned number.
    pub fn is_sum_without_wrap(self) -> bool {
        // SAFETY: asked of such an instruction only.
        self.is_disjoint() || self.opcode() == Some(LLVMOpcode::LLVMAdd) && unsafe { LLVMGetNUW(self.0) != 0 }
    }

    /// Marks a sum, difference, product, shift to the left or truncation as poison where it wraps, as a signed or as an unsigned number.
    /// Not where it was folded to something else.
    pub fn promise_no_wrap(self, signed: bool, unsigned: bool) {
        use LLVMOpcode::*;
        if matches!(self.opcode(), Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMTrunc)) {
            // SAFETY: such an instruction.
            unsafe {
                LLVMSetNSW(self.0, signed.into());
                LLVMSetNUW(self.0, unsigned.into());
            }
        }
    }

    /// Drops flags, attributes and metadata that make the result poison, or the behaviour undefined, where they do not hold:
    /// `nsw`, `nneg`, `inbounds`, `nnan`, ranges, and so on.
    pub fn drop_poison_generating_annotations(self) {
        use LLVMOpcode::*;
        const RESULT: u32 = 0;
        // SAFETY: each is set on instructions that may have it; the list of metadata is freed once.
        unsafe {
            match self.opcode() {
                Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMTrunc) => {
                    LLVMSetNSW(self.0, 0);
                    LLVMSetNUW(self.0, 0);
                }
                Some(LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr) => LLVMSetExact(self.0, 0),
                Some(LLVMZExt | LLVMUIToFP) => LLVMSetNNeg(self.0, 0),
                Some(LLVMOr) => LLVMSetIsDisjoint(self.0, 0),
                Some(LLVMICmp) => LLVMSetICmpSameSign(self.0, 0),
                Some(LLVMGetElementPtr) => LLVMGEPSetNoWrapFlags(self.0, 0),
                Some(LLVMCall) => {
                    for name in ["range", "noundef", "nonnull", "align", "nofpclass"] {
                        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
                        for place in RESULT..=LLVMGetNumArgOperands(self.0) {
                            LLVMRemoveCallSiteEnumAttribute(self.0, place, kind);
                        }
                    }
                }
                _ => {}
            }
            let flags = self.get_fast_math();
            if flags & NO_NAN_OR_INF != 0 {
                LLVMSetFastMathFlags(self.0, flags & !NO_NAN_OR_INF);
            }
            let mut count = 0;
            let entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(self.0, &mut count);
            for i in 0..count as u32 {
                LLVMSetMetadata(
                    self.0,
                    LLVMValueMetadataEntriesGetKind(entries, i),
                    std::ptr::null_mut(),
                );
            }
            LLVMDisposeValueMetadataEntries(entries);
        }
    }

    /// The alignment, in bytes, of a load or store.
    pub fn get_align(self) -> u32 {
        // SAFETY: one of these.
        unsafe { LLVMGetAlignment(self.0) }
    }

    /// Whether a load or store is volatile.
    pub fn is_volatile(self) -> bool {
        // SAFETY: one of these.
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    /// Whether a load or store is atomic.
    pub fn is_atomic(self) -> bool {
        // SAFETY: one of these.
        unsafe { LLVMGetOrdering(self.0) != llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic }
    }

    /// The type that an `alloca` reserves.
    pub fn allocated_type(self) -> Type<'c> {
        // SAFETY: one of these.
        Type::new(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// The type that a `getelementptr` steps over first.
    pub fn source_element_type(self) -> Type<'c> {
        // SAFETY: one of these.
        Type::new(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// How a comparison of integers compares.
    pub fn int_predicate(self) -> llvm_sys::LLVMIntPredicate {
        // SAFETY: one of these.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// How a comparison of floating-point numbers compares.
    pub fn real_predicate(self) -> llvm_sys::LLVMRealPredicate {
        // SAFETY: one of these.
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    /// The fast-math flags of an instruction that has them, else none.
    pub fn get_fast_math(self) -> u32 {
        // SAFETY: an instruction; the first question keeps others away.
        unsafe {
            if LLVMCanValueUseFastMathFlags(self.0) != 0 {
                LLVMGetFastMathFlags(self.0)
            } else {
                0
            }
        }
    }

    /// The member numbers of an `extractvalue` or `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        // SAFETY: one of these.
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self.0), LLVMGetNumIndices(self.0) as usize).to_vec() }
    }

    /// The elements that a `shufflevector` takes; `u32::MAX` for one that may be anything.
    pub fn shuffle_pattern(self) -> Vec<u32> {
        // SAFETY: one of these; the index is in range.
        unsafe {
            let any = LLVMGetUndefMaskElem();
            (0..LLVMGetNumMaskElements(self.0))
                .map(|i| LLVMGetMaskValue(self.0, i))
                .map(|m| if m == any { u32::MAX } else { m as u32 })
                .collect()
        }
    }

    /// Adds an attribute to an argument of a call.
    pub fn call_argument_attribute(self, index: u32, name: &str, value: u64) -> Self {
        // SAFETY: a call; attributes of arguments count from 1.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(self.0)), kind, value);
            LLVMAddCallSiteAttribute(self.0, index + 1, attribute);
        }
        self
    }

    /// The alignment that an argument of a call is known to have, in bytes.
    pub fn call_argument_align(self, index: u32) -> u32 {
        // SAFETY: a call; attributes of arguments count from 1.
        let align = unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, index + 1, kind);
            (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute))
        };
        align.map_or(1, |align| align as u32)
    }

    /// Adds an attribute without a value to a call.
    pub fn call_attribute(self, name: &str) -> Self {
        // SAFETY: a call; the attributes of the call itself are those of the function, whose index is all ones.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(self.0)), kind, 0);
            LLVMAddCallSiteAttribute(self.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
        self
    }

    /// What an atomic operation does.
    pub fn atomic_operation(self) -> Option<llvm_sys::LLVMAtomicRMWBinOp> {
        // SAFETY: the second question is asked of such instructions only.
        unsafe { (!LLVMIsAAtomicRMWInst(self.0).is_null()).then(|| LLVMGetAtomicRMWBinOp(self.0)) }
    }

    /// Whether it is a fence for the threads of a scope, by LLVM's name for it.
    pub fn is_fence_of(self, scope: &str) -> bool {
        // SAFETY: a fence has a scope; the name is read.
        self.opcode() == Some(LLVMOpcode::LLVMFence)
            && unsafe {
                let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
                LLVMGetAtomicSyncScopeID(self.0) == LLVMGetSyncScopeID(context, scope.as_ptr().cast(), scope.len())
            }
    }

    /// Takes an instruction out of its block, and deletes it. Nothing may use it any more.
    pub fn erase(self) {
        // SAFETY: an instruction in a block, without uses.
        unsafe { LLVMInstructionEraseFromParent(self.0) };
    }

    /// Takes an instruction out of its block. It has to be inserted elsewhere.
    pub fn detach(self) {
        // SAFETY: an instruction in a block.
        unsafe { LLVMInstructionRemoveFromParent(self.0) };
    }

    /// Puts another value in its place everywhere.
    pub fn replace_with(self, other: Value<'c>) {
        // SAFETY: of the same type.
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) };
    }

    /// The function that a call calls, if it is called directly.
    pub fn callee(self) -> Option<Function<'c>> {
        // SAFETY: see above.
        unsafe {
            if LLVMIsACallInst(self.0).is_null() {
                return None;
            }
            let callee = LLVMGetCalledValue(self.0);
            (!LLVMIsAFunction(callee).is_null()).then(|| Function::new(callee))
        }
    }

    /// The block of an instruction.
    pub fn block(self) -> Block<'c> {
        // SAFETY: an instruction.
        Block::new(unsafe { LLVMGetInstructionParent(self.0) })
    }

    /// Those instructions that use it, one entry a use.
    pub fn users(self) -> Vec<Value<'c>> {
        let mut users = Vec::new();
        // SAFETY: see above; the list ends with null.
        unsafe {
            let mut at = LLVMGetFirstUse(self.0);
            while !at.is_null() {
                users.push(Value::new(LLVMGetUser(at)));
                at = LLVMGetNextUse(at);
            }
        }
        users
    }
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: a live value.
        f.write_str(&take_message(unsafe { LLVMPrintValueToString(self.0) }))
    }
}

impl<'c> From<Function<'c>> for Value<'c> {
    fn from(function: Function<'c>) -> Self {
        Self::new(function.0)
    }
}

impl<'c> Function<'c> {
    pub(crate) fn new(raw: LLVMValueRef) -> Self {
        Self(raw, PhantomData)
    }

    /// The function's type: what it takes and returns.
    pub fn function_type(self) -> Type<'c> {
        // SAFETY: a function.
        Type::new(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    /// Its name.
    pub fn name(self) -> String {
        Value::from(self).get_name()
    }

    /// A parameter.
    pub fn param(self, index: u32) -> Value<'c> {
        // SAFETY: the caller knows that it has one.
        Value::new(unsafe { LLVMGetParam(self.0, index) })
    }

    /// All of them.
    pub fn params(self) -> Vec<Value<'c>> {
        // SAFETY: a function.
        let count = unsafe { LLVMCountParams(self.0) };
        (0..count).map(|i| self.param(i)).collect()
    }

    /// Adds a block at its end.
    pub fn append_block(self, name: &str) -> Block<'c> {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: a function of the context.
        Block::new(unsafe {
            LLVMAppendBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(self.0)), self.0, name.as_ptr())
        })
    }

    /// Its blocks; none for a declaration.
    pub fn blocks(self) -> Vec<Block<'c>> {
        // SAFETY: room for all of them.
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); LLVMCountBasicBlocks(self.0) as usize];
            LLVMGetBasicBlocks(self.0, raw.as_mut_ptr());
            raw.into_iter().map(Block::new).collect()
        }
    }

    /// Whether it has no body.
    pub fn is_declaration(self) -> bool {
        // SAFETY: a function.
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// Whether it has an attribute, for example `convergent`.
    pub fn has_attribute(self, name: &str) -> bool {
        // SAFETY: a function; the name is read.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetEnumAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, kind).is_null()
        }
    }

    /// The number of an attribute, for example of `memory`.
    pub fn attribute_value(self, name: &str) -> Option<u64> {
        // SAFETY: a function; the name is read.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, kind);
            (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute))
        }
    }

    /// Seen in its module only.
    pub fn internal(self) -> Self {
        // SAFETY: a function.
        unsafe {
            LLVMSetLinkage(self.0, LLVMLinkage::LLVMInternalLinkage);
            LLVMSetUnnamedAddress(self.0, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
        }
        self
    }

    /// Adds an attribute of LLVM's, for example `alwaysinline`, with its number, if it has one.
    pub fn attribute(self, name: &str, value: u64) -> Self {
        // SAFETY: the name is read; an attribute that there is.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            debug_assert_ne!(kind, 0, "{name}");
            let attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(self.0)), kind, value);
            LLVMAddAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
        self
    }

    /// Says that a function does no more to memory than to read it.
    pub fn reads_memory(self) -> Self {
        // LLVM 22 distinguishes six kinds of memory, with two bits each. 1 means read.
        self.attribute("memory", 0b01_01_01_01_01_01)
    }

    /// Says that the result is an integer from `low` to below `high`.
    pub fn result_range(self, bits: u32, low: u64, high: u64) -> Self {
        // SAFETY: the name is read; a range of the result's width, one word each.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"range".as_ptr(), 5);
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            let attribute = LLVMCreateConstantRangeAttribute(context, kind, bits, &low, &high);
            LLVMAddAttributeAtIndex(self.0, llvm_sys::LLVMAttributeReturnIndex, attribute);
        }
        self
    }

    /// Adds an attribute to a parameter.
    pub fn param_attribute(self, index: u32, name: &str, value: u64) -> Self {
        // SAFETY: as above; attributes of parameters count from 1.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            debug_assert_ne!(kind, 0, "{name}");
            let attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(self.0)), kind, value);
            LLVMAddAttributeAtIndex(self.0, index + 1, attribute);
        }
        self
    }

    /// Adds a text attribute, for example `target-cpu`.
    pub fn text_attribute(self, name: &str, value: &str) -> Self {
        // SAFETY: the texts are copied.
        unsafe {
            let attribute = LLVMCreateStringAttribute(
                LLVMGetTypeContext(LLVMTypeOf(self.0)),
                name.as_ptr().cast(),
                name.len() as u32,
                value.as_ptr().cast(),
                value.len() as u32,
            );
            LLVMAddAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
        self
    }

    /// Deletes it with its blocks, whose values only they use.
    pub fn delete_with_body(self) {
        for block in self.blocks() {
            for instruction in block.instructions() {
                if instruction.ty().kind() != super::Kind::Void {
                    instruction.replace_with(instruction.ty().poison());
                }
            }
        }
        self.delete();
    }

    /// Deletes it. Nothing may use it any more.
    pub fn delete(self) {
        // SAFETY: without uses.
        unsafe { LLVMDeleteFunction(self.0) };
    }
}

impl std::fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Value::from(*self).fmt(f)
    }
}

impl<'c> Block<'c> {
    pub(crate) fn new(raw: LLVMBasicBlockRef) -> Self {
        Self(raw, PhantomData)
    }

    /// Its instructions, in order.
    pub fn instructions(self) -> Vec<Value<'c>> {
        let mut all = Vec::new();
        // SAFETY: a live block; the list ends with null.
        unsafe {
            let mut at = LLVMGetFirstInstruction(self.0);
            while !at.is_null() {
                all.push(Value::new(at));
                at = LLVMGetNextInstruction(at);
            }
        }
        all
    }

    /// Its phis, which are its first instructions.
    pub fn phis(self) -> Vec<Value<'c>> {
        let is_phi = |inst: &Value<'c>| inst.opcode() == Some(LLVMOpcode::LLVMPHI);
        self.instructions().into_iter().take_while(is_phi).collect()
    }

    /// Its last instruction, if that ends it.
    pub fn terminator(self) -> Option<Value<'c>> {
        // SAFETY: a live block.
        let raw = unsafe { LLVMGetBasicBlockTerminator(self.0) };
        (!raw.is_null()).then(|| Value::new(raw))
    }

    /// Where control may go from here.
    pub fn successors(self) -> Vec<Block<'c>> {
        // SAFETY: a terminator; the index is in range.
        self.terminator().map_or_else(Vec::new, |t| unsafe {
            (0..LLVMGetNumSuccessors(t.0))
                .map(|i| Block::new(LLVMGetSuccessor(t.0, i)))
                .collect()
        })
    }

    /// The blocks from which control may come here, each once.
    pub fn predecessors(self) -> Vec<Self> {
        // SAFETY: a live block. Instructions that use it are terminators; other users are constants, and have no opcode.
        let users = Value::new(unsafe { LLVMBasicBlockAsValue(self.0) }).users();
        let mut blocks = Vec::new();
        for block in users
            .into_iter()
            .filter(|user| user.opcode().is_some())
            .map(Value::block)
        {
            if !blocks.contains(&block) {
                blocks.push(block);
            }
        }
        blocks
    }

    /// Has control go to another block wherever it went to one.
    pub fn redirect(self, from: Block<'c>, to: Block<'c>) {
        let terminator = self.terminator().expect("a block ends with a terminator");
        for (at, successor) in (0..).zip(self.successors()) {
            if successor == from {
                // SAFETY: a terminator with such a successor, and a live block.
                unsafe { LLVMSetSuccessor(terminator.0, at, to.0) };
            }
        }
    }

    /// Its function.
    pub fn function(self) -> Function<'c> {
        // SAFETY: a live block.
        Function::new(unsafe { LLVMGetBasicBlockParent(self.0) })
    }

    /// Puts it behind another, which may be of another function.
    pub fn move_after(self, other: Block<'c>) {
        // SAFETY: live blocks.
        unsafe { LLVMMoveBasicBlockAfter(self.0, other.0) };
    }
}

impl std::fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: a live block.
        Value::new(unsafe { LLVMBasicBlockAsValue(self.0) }).get_name().fmt(f)
    }
}
