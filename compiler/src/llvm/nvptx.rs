// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What only the target nvptx64 needs of LLVM: its machine, kernels, linking with bitcode.

use std::ffi::CString;

use llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use llvm_sys::core::*;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::target_machine::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode};

use oxur_fork::OnceLock;

use super::target::initialize;
use super::{Builder, Function, Kind, Machine, Module, Type, Value};
use crate::target::{Sm, Target};

impl Machine {
    /// An NVIDIA GPU.
    pub fn nvptx64(sm: Sm) -> Result<Self, String> {
        initialize();
        let target = Target::Nvptx64(sm);
        static ONCE: OnceLock<()> = OnceLock::new();
        ONCE.get_or_init(|| target.initialize());
        let level = LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive;
        Self::create(target, level, LLVMRelocMode::LLVMRelocDefault, None)
    }
}

impl<'c> Module<'c> {
    /// Links with functions of a library, in bitcode: those that this module declares, and what they call. Only these are parsed.
    pub fn link_with_library(&self, machine: &Machine, bitcode: &'static [u8]) -> Result<(), String> {
        let mut library = std::ptr::null_mut();
        // SAFETY: the bytes live for ever, and the module takes the buffer.
        let failed = unsafe {
            let (start, size) = (bitcode.as_ptr().cast(), bitcode.len());
            let buffer = LLVMCreateMemoryBufferWithMemoryRange(start, size, c"bitcode".as_ptr(), 0);
            LLVMGetBitcodeModuleInContext2(self.1.raw(), buffer, &mut library) != 0
        };
        if failed {
            return Err("it is no bitcode that LLVM can read".into());
        }
        let library = Self(library, self.1);
        machine.set_target(&library);
        for function in library.functions() {
            if !function.is_declaration() {
                // The linker takes a `linkonce` function only if something calls it.
                // SAFETY: a function.
                unsafe { LLVMSetLinkage(function.0, LLVMLinkage::LLVMLinkOnceODRLinkage) };
            }
        }
        self.link(library)
    }

    /// Moves all of another module of the same context into this one.
    pub fn link(&self, other: Self) -> Result<(), String> {
        let raw = other.0;
        std::mem::forget(other);
        // SAFETY: live modules of one context; the call disposes of the other one.
        let failed = unsafe { LLVMLinkModules2(self.0, raw) != 0 };
        if failed {
            Err("the modules define the same names".into())
        } else {
            Ok(())
        }
    }

    /// All global variables.
    pub fn globals(&self) -> Vec<Value<'c>> {
        let mut all = Vec::new();
        // SAFETY: a live module; the list ends with null.
        unsafe {
            let mut at = LLVMGetFirstGlobal(self.0);
            while !at.is_null() {
                all.push(Value::new(at));
                at = LLVMGetNextGlobal(at);
            }
        }
        all
    }

    /// Adds the declaration of a variable in an address space.
    pub fn declare_in(&self, name: &str, ty: Type<'c>, space: u32) -> Value<'c> {
        self.global(name).unwrap_or_else(|| {
            let name = CString::new(name).unwrap_or_default();
            // SAFETY: a type of this context.
            Value::new(unsafe { LLVMAddGlobalInAddressSpace(self.0, ty.0, name.as_ptr(), space) })
        })
    }
}

impl<'c> Builder<'c> {
    /// A result for each element of vectors, as a vector of type `ty`; of operands that are no vectors, one result.
    pub fn by_elements<const N: usize>(
        &self,
        ty: Type<'c>,
        operands: [Value<'c>; N],
        one: impl Fn([Value<'c>; N]) -> Value<'c>,
    ) -> Value<'c> {
        let Some(lanes) = ty.lanes() else { return one(operands) };
        (0..lanes).fold(ty.poison(), |all, lane| {
            let lane = ty.bits_of_width(32).int(lane.into());
            let elements = operands.map(|operand| self.extract_element(operand, lane));
            self.insert_element(all, one(elements), lane)
        })
    }

    /// Inline assembly, which may read and write memory. `has_effects` says that it stays though nobody needs the result.
    pub fn assembly(
        &self,
        text: &str,
        constraints: &str,
        result: Type<'c>,
        args: &[Value<'c>],
        has_effects: bool,
    ) -> Value<'c> {
        let ty = result.function(&args.iter().map(|arg| arg.ty()).collect::<Vec<_>>());
        // SAFETY: the texts are copied; a type of this context.
        let code = Value::new(unsafe {
            LLVMGetInlineAsm(
                ty.0,
                text.as_ptr().cast(),
                text.len(),
                constraints.as_ptr().cast(),
                constraints.len(),
                has_effects.into(),
                0,
                llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
                0,
            )
        });
        self.call_pointer(ty, code, args)
    }
}

impl<'c> Function<'c> {
    /// Says that a parameter is passed by value, in memory: its type, and its alignment in bytes.
    pub fn by_value(self, index: u32, ty: Type<'c>, align: u32) -> Self {
        // SAFETY: the name is read; a type of the function's context.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let attribute = LLVMCreateTypeAttribute(LLVMGetTypeContext(ty.0), kind, ty.0);
            LLVMAddAttributeAtIndex(self.0, index + 1, attribute);
        }
        self.param_attribute(index, "align", align.into())
    }

    /// Adds a text attribute to a parameter.
    pub fn param_text_attribute(self, index: u32, name: &str) -> Self {
        // SAFETY: the text is copied.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            let (text, length) = (name.as_ptr().cast(), name.len() as u32);
            let attribute = LLVMCreateStringAttribute(context, text, length, text, 0);
            LLVMAddAttributeAtIndex(self.0, index + 1, attribute);
        }
        self
    }

    /// Makes it the entry point of a kernel on an NVIDIA GPU.
    pub fn ptx_kernel(self) -> Self {
        // SAFETY: a function.
        unsafe { LLVMSetFunctionCallConv(self.0, llvm_sys::LLVMCallConv::LLVMPTXKernelCallConv as u32) };
        self
    }
}

impl<'c> Value<'c> {
    /// Whether an atomic operation or a fence is for all threads of the system.
    pub fn is_system_scope(self) -> bool {
        // SAFETY: an atomic operation or a fence; the name is read.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            LLVMGetAtomicSyncScopeID(self.0) == LLVMGetSyncScopeID(context, c"".as_ptr(), 0)
        }
    }

    /// Makes a variable seen in its module only.
    pub fn internal(self) -> Self {
        // SAFETY: a global variable.
        unsafe { LLVMSetLinkage(self.0, LLVMLinkage::LLVMInternalLinkage) };
        self
    }

    /// Whether a variable is defined here.
    pub fn is_definition(self) -> bool {
        // SAFETY: a global variable.
        unsafe { LLVMIsDeclaration(self.0) == 0 }
    }

    /// The text that a constant pointer refers to, up to its zero. `None` if it is no constant, or of no array of bytes with
    /// an initial value.
    pub fn constant_text(self) -> Option<Vec<u8>> {
        let (mut at, mut offset) = (self.0, 0);
        // SAFETY: each question is asked of values that have the answer.
        unsafe {
            while LLVMIsAGlobalVariable(at).is_null() {
                if LLVMIsAConstantExpr(at).is_null() {
                    return None;
                }
                match LLVMGetConstOpcode(at) {
                    LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMBitCast => {}
                    // The optimizer's offsets are in bytes.
                    LLVMOpcode::LLVMGetElementPtr
                        if LLVMGetNumOperands(at) == 2
                            && Type::new(LLVMGetGEPSourceElementType(at)).kind() == Kind::Int(8) =>
                    {
                        offset += Value::new(LLVMGetOperand(at, 1)).as_const_int()?;
                    }
                    _ => return None,
                }
                at = LLVMGetOperand(at, 0);
            }
            let initial = LLVMGetInitializer(at);
            if initial.is_null() {
                return None;
            }
            if LLVMIsNull(initial) != 0 {
                return Some(Vec::new());
            }
            if LLVMIsAConstantDataSequential(initial).is_null() || LLVMIsConstantString(initial) == 0 {
                return None;
            }
            let mut length = 0;
            let bytes = LLVMGetAsString(initial, &mut length).cast::<u8>();
            let all = std::slice::from_raw_parts(bytes, length).get(usize::try_from(offset).ok()?..)?;
            Some(all.iter().copied().take_while(|&c| c != 0).collect())
        }
    }

    /// The address space of a pointer.
    pub fn address_space(self) -> u32 {
        // SAFETY: a pointer.
        unsafe { LLVMGetPointerAddressSpace(LLVMTypeOf(self.0)) }
    }
}
