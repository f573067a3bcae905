// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Types.

use std::marker::PhantomData;

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::{Context, Value};

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'c>(pub(crate) LLVMTypeRef, PhantomData<&'c Context>);

/// What kind of type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No value.
    Void,
    /// An integer of so many bits.
    Int(u32),
    /// A floating-point number of so many bits.
    Float(u32),
    /// A pointer.
    Pointer,
    /// A vector of so many elements.
    Vector(u32),
    /// An array of so many elements.
    Array(u64),
    /// A structure.
    Struct,
    /// Something else.
    Other,
}

impl Context {
    /// `iN`.
    pub fn int(&self, bits: u32) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::new(unsafe { LLVMIntTypeInContext(self.raw(), bits) })
    }

    /// `half`, `float` or `double`.
    ///
    /// # Panics
    /// If `bits` is none of 16, 32 and 64.
    pub fn float(&self, bits: u32) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::new(unsafe {
            match bits {
                16 => LLVMHalfTypeInContext(self.raw()),
                32 => LLVMFloatTypeInContext(self.raw()),
                64 => LLVMDoubleTypeInContext(self.raw()),
                _ => panic!("there is no float of {bits} bits"),
            }
        })
    }

    /// `ptr`, in the address space that all values are in.
    pub fn ptr(&self) -> Type<'_> {
        self.ptr_in(0)
    }

    /// `ptr addrspace(n)`.
    pub fn ptr_in(&self, space: u32) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::new(unsafe { LLVMPointerTypeInContext(self.raw(), space) })
    }

    /// `void`.
    pub fn void(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::new(unsafe { LLVMVoidTypeInContext(self.raw()) })
    }

    /// `token`, of which there is one value, written as zero.
    pub fn token(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::new(unsafe { LLVMTokenTypeInContext(self.raw()) })
    }

    /// A structure.
    pub fn structure<'c>(&'c self, members: &[Type<'c>], packed: bool) -> Type<'c> {
        let mut raw: Vec<_> = members.iter().map(|t| t.0).collect();
        // SAFETY: the types are of a context that outlives the result.
        Type::new(unsafe { LLVMStructTypeInContext(self.raw(), raw.as_mut_ptr(), raw.len() as u32, packed.into()) })
    }
}

impl<'c> Type<'c> {
    pub(crate) fn new(raw: LLVMTypeRef) -> Self {
        Self(raw, PhantomData)
    }

    /// A vector of this.
    pub fn vector(self, len: u32) -> Self {
        // SAFETY: a live type; lowering makes vectors of scalars only.
        Self::new(unsafe { LLVMVectorType(self.0, len) })
    }

    /// An array of this.
    pub fn array(self, len: u64) -> Self {
        // SAFETY: a live type.
        Self::new(unsafe { LLVMArrayType2(self.0, len) })
    }

    /// A function that returns this.
    pub fn function(self, params: &[Self]) -> Self {
        let mut raw: Vec<_> = params.iter().map(|t| t.0).collect();
        // SAFETY: live types.
        Self::new(unsafe { LLVMFunctionType(self.0, raw.as_mut_ptr(), raw.len() as u32, 0) })
    }

    /// What kind of type it is.
    pub fn kind(self) -> Kind {
        use LLVMTypeKind::*;
        // SAFETY: a live type, and each question is asked of types that have the answer.
        unsafe {
            match LLVMGetTypeKind(self.0) {
                LLVMVoidTypeKind => Kind::Void,
                LLVMIntegerTypeKind => Kind::Int(LLVMGetIntTypeWidth(self.0)),
                LLVMHalfTypeKind => Kind::Float(16),
                LLVMFloatTypeKind => Kind::Float(32),
                LLVMDoubleTypeKind => Kind::Float(64),
                LLVMPointerTypeKind => Kind::Pointer,
                LLVMVectorTypeKind => Kind::Vector(LLVMGetVectorSize(self.0)),
                LLVMArrayTypeKind => Kind::Array(LLVMGetArrayLength2(self.0)),
                LLVMStructTypeKind => Kind::Struct,
                _ => Kind::Other,
            }
        }
    }

    /// The element of a vector or array; the type itself if it is neither.
    pub fn scalar(self) -> Self {
        match self.kind() {
            // SAFETY: it has elements.
            Kind::Vector(_) | Kind::Array(_) => Self::new(unsafe { LLVMGetElementType(self.0) }),
            _ => self,
        }
    }

    /// How many elements a vector has.
    pub fn lanes(self) -> Option<u32> {
        match self.kind() {
            Kind::Vector(n) => Some(n),
            _ => None,
        }
    }

    /// The same shape, one value or a vector, of other elements.
    pub fn with_scalar(self, scalar: Type<'c>) -> Self {
        match self.lanes() {
            Some(n) => scalar.vector(n),
            None => scalar,
        }
    }

    /// Whether it is an integer or a vector of them.
    pub fn is_int(self) -> bool {
        self.lanes_of(|k| matches!(k, Kind::Int(_)))
    }

    /// Whether it is a floating-point number or a vector of them.
    pub fn is_float(self) -> bool {
        self.lanes_of(|k| matches!(k, Kind::Float(_)))
    }

    /// Whether it is a pointer or a vector of them.
    pub fn is_ptr(self) -> bool {
        self.lanes_of(|k| k == Kind::Pointer)
    }

    fn lanes_of(self, test: impl Fn(Kind) -> bool) -> bool {
        match self.kind() {
            Kind::Vector(_) => test(self.scalar().kind()),
            kind => test(kind),
        }
    }

    /// How many bits a number, or each number of a vector, has. Pointers have 64.
    pub fn bits(self) -> u32 {
        match self.kind() {
            Kind::Int(n) | Kind::Float(n) => n,
            Kind::Vector(_) => self.scalar().bits(),
            _ => 64,
        }
    }

    /// An integer of another width, of the same context.
    pub fn bits_of_width(self, bits: u32) -> Type<'c> {
        // SAFETY: the context of a live type.
        Self::new(unsafe { LLVMIntTypeInContext(LLVMGetTypeContext(self.0), bits) })
    }

    /// The types of a structure's members.
    pub fn members(self) -> Vec<Type<'c>> {
        if self.kind() != Kind::Struct {
            return Vec::new();
        }
        // SAFETY: a structure, and room for as many members as it has.
        unsafe {
            let count = LLVMCountStructElementTypes(self.0) as usize;
            let mut raw = vec![std::ptr::null_mut(); count];
            LLVMGetStructElementTypes(self.0, raw.as_mut_ptr());
            raw.into_iter().map(Self::new).collect()
        }
    }

    /// What a function of this type returns.
    pub fn returns(self) -> Type<'c> {
        // SAFETY: asked of function types only.
        Self::new(unsafe { LLVMGetReturnType(self.0) })
    }

    /// The parameters of a function of this type.
    pub fn params(self) -> Vec<Type<'c>> {
        // SAFETY: asked of function types only, with room for all.
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.0) as usize];
            LLVMGetParamTypes(self.0, raw.as_mut_ptr());
            raw.into_iter().map(Self::new).collect()
        }
    }

    /// The integer, or the low bits of one, of this type; sign-extended if it is wider than 64 bits.
    pub fn int(self, value: u64) -> Value<'c> {
        match self.lanes() {
            // SAFETY: an integer type.
            None => Value::new(unsafe { LLVMConstInt(self.0, value, (value as i64 != 0 && self.bits() > 64).into()) }),
            Some(_) => self.splat(self.scalar().int(value)),
        }
    }

    /// The floating-point number of this type that is nearest.
    pub fn real(self, value: f64) -> Value<'c> {
        match self.lanes() {
            // SAFETY: a floating-point type.
            None => Value::new(unsafe { LLVMConstReal(self.0, value) }),
            Some(_) => self.splat(self.scalar().real(value)),
        }
    }

    /// A vector of equal constants.
    pub fn splat(self, value: Value<'c>) -> Value<'c> {
        Value::vector(&vec![value; self.lanes().unwrap_or(1) as usize])
    }

    /// Whether there are values of it: not of `void`, nor of functions.
    pub fn has_values(self) -> bool {
        !matches!(self.kind(), Kind::Void | Kind::Other)
    }

    /// Zero, null, or an aggregate of them.
    pub fn zero(self) -> Value<'c> {
        // SAFETY: a live type of values.
        Value::new(unsafe { LLVMConstNull(self.0) })
    }

    /// A value that may be anything.
    pub fn poison(self) -> Value<'c> {
        // SAFETY: a live type of values.
        Value::new(unsafe { LLVMGetPoison(self.0) })
    }

    /// A value that may be anything, but does no harm.
    pub fn undef(self) -> Value<'c> {
        // SAFETY: a live type of values.
        Value::new(unsafe { LLVMGetUndef(self.0) })
    }

    /// All bits set.
    pub fn ones(self) -> Value<'c> {
        // SAFETY: an integer type.
        Value::new(unsafe { LLVMConstAllOnes(self.0) })
    }
}

impl std::fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: a live type.
        f.write_str(&super::take_message(unsafe { LLVMPrintTypeToString(self.0) }))
    }
}
