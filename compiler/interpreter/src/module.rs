// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A module: its types, constants, variables and functions, ready to be run.

use std::collections::HashMap;

use spirv::{BuiltIn, Decoration, ExecutionMode, Op, StorageClass};

use crate::fault::{Fault, Place, Result, malformed, unsupported};
use crate::float::Rounding;
use crate::function::{self, Function};
use crate::memory::{Memory, static_address};
use crate::ops;
use crate::parse::{self, Raw};
use crate::types::{Type, Types};
use crate::value::{Scalar, Value, mask};

/// Set in the slot of an id that is the same in all functions.
const GLOBAL: u32 = 1 << 31;
/// The slot of an id that has no value.
const NONE: u32 = u32::MAX;

/// The most decorations of an id.
const MAX_DECORATIONS: usize = 1000;

/// Where the value of an id is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    Global(usize),
    Local(usize),
    None,
}

/// What decorations say about an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    pub no_signed_wrap: bool,
    pub no_unsigned_wrap: bool,
    pub is_saturated: bool,
    pub rounding: Option<Rounding>,
    /// Bits of `FPFastMathMode`.
    pub fast_math: u32,
}

/// An instruction of a function, or a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst {
    pub op: Op,
    pub ty: u32,
    pub result: u32,
    /// Where its operands are among the words.
    pub start: usize,
    pub end: usize,
    pub word: usize,
    pub flags: Flags,
    /// See [`function::is_non_uniform`].
    pub is_non_uniform: bool,
}

/// A variable of the module, or a function that a pointer may lead to.
#[derive(Clone, Debug)]
struct Static {
    class: StorageClass,
    size: u64,
    ty: u32,
    initializer: u32,
    built_in: Option<BuiltIn>,
    function: Option<u32>,
    is_constant: bool,
}

/// What a parameter of a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The address of memory that all items see, or of constants.
    Pointer,
    /// The size of memory that each group has.
    Local,
    /// So many bytes.
    Value(usize),
}

/// An entry point.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The size of work-groups that it asks for.
    pub local_size: Option<[u64; 3]>,
    /// The size of sub-groups that it asks for.
    pub sub_group_size: Option<u32>,
    pub(crate) function: u32,
    /// Why it cannot be run.
    pub(crate) obstacle: Option<String>,
}

/// A parsed module.
#[derive(Debug)]
pub struct Module {
    pub(crate) words: Vec<u32>,
    pub(crate) types: Types,
    pub(crate) functions: Vec<Function>,
    pub(crate) globals: Vec<Value>,
    /// Whether there are operations of the items that are active.
    pub(crate) has_non_uniform: bool,
    instructions: Vec<Raw>,
    slots: Vec<u32>,
    type_of: Vec<u32>,
    /// The number of a label's block, or of a function.
    number_of: Vec<u32>,
    statics: Vec<Static>,
    names: HashMap<u32, String>,
    strings: HashMap<u32, String>,
    imports: HashMap<u32, String>,
    decorations: HashMap<u32, Vec<(Decoration, Vec<u32>)>>,
    kernels: Vec<Kernel>,
}

impl Module {
    /// Parses the words of a module. `spec_constants` are values that replace the defaults of specialization constants,
    /// by their `SpecId`.
    pub fn parse(bytes: &[u8], spec_constants: &[(u32, u64)]) -> std::result::Result<Self, Box<Fault>> {
        let words = parse::words(bytes)?;
        let (instructions, bound) = parse::instructions(&words)?;
        let bound = bound as usize;
        let mut module = Self {
            words,
            types: Types::default(),
            functions: Vec::new(),
            globals: Vec::new(),
            has_non_uniform: false,
            instructions: Vec::new(),
            slots: vec![NONE; bound],
            type_of: vec![0; bound],
            number_of: vec![NONE; bound],
            statics: Vec::new(),
            names: HashMap::new(),
            strings: HashMap::new(),
            imports: HashMap::new(),
            decorations: HashMap::new(),
            kernels: Vec::new(),
        };
        let mut entries = Vec::new();
        let mut modes = Vec::new();
        for raw in &instructions {
            let located = |fault: Box<Fault>| module_fault(fault, raw);
            module.annotation(raw, &mut entries, &mut modes).map_err(located)?;
        }
        let first = instructions.iter().position(|raw| raw.op == Op::Function);
        let (declarations, functions) = instructions.split_at(first.unwrap_or(instructions.len()));
        for raw in declarations {
            module
                .declaration(raw, spec_constants)
                .map_err(|fault| module_fault(fault, raw))?;
        }
        function::read(&mut module, functions)?;
        module.instructions = instructions;
        for (id, name) in entries {
            let kernel = module.kernel_of(id, name, &modes)?;
            module.kernels.push(kernel);
        }
        Ok(module)
    }

    /// The entry points.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Names, decorations, and what else stands before types.
    fn annotation(
        &mut self,
        raw: &Raw,
        entries: &mut Vec<(u32, String)>,
        modes: &mut Vec<(u32, u32, Vec<u32>)>,
    ) -> Result<()> {
        let operands = self.words[raw.operands.clone()].to_vec();
        let operand = |index: usize| match operands.get(index) {
            Some(word) => Ok(*word),
            None => malformed("too few operands"),
        };
        match raw.op {
            Op::Name => {
                self.names.insert(operand(0)?, parse::string(&operands[1..]).0);
            }
            Op::String => {
                self.strings.insert(raw.result, parse::string(&operands).0);
            }
            Op::ExtInstImport => {
                self.imports.insert(raw.result, parse::string(&operands).0);
            }
            Op::EntryPoint if operand(0)? == 6 => {
                entries.push((operand(1)?, parse::string(&operands[2..]).0));
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                modes.push((operand(0)?, operand(1)?, operands[2..].to_vec()));
            }
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                // Decorations that are not known are those of other devices.
                if let Some(decoration) = Decoration::from_u32(operand(1)?) {
                    let all = self.decorations.entry(operand(0)?).or_default();
                    all.push((decoration, operands[2..].to_vec()));
                }
            }
            Op::GroupDecorate => {
                if let Some(group) = self.decorations.get(&operand(0)?).cloned() {
                    for target in &operands[1..] {
                        let all = self.decorations.entry(*target).or_default();
                        // Groups of groups double with each step.
                        if all.len() + group.len() > MAX_DECORATIONS {
                            return unsupported("as many decorations");
                        }
                        all.extend(group.clone());
                    }
                }
            }
            Op::MemoryModel => {
                let (addressing, memory) = (operand(0)?, operand(1)?);
                if (addressing, memory) != (2, 2) {
                    return unsupported("another memory model than Physical64 OpenCL");
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Types, constants, variables.
    fn declaration(&mut self, raw: &Raw, spec_constants: &[(u32, u64)]) -> Result<()> {
        let operands = self.words[raw.operands.clone()].to_vec();
        let name = format!("{:?}", raw.op);
        if name.starts_with("Type") {
            let (id, operands) = match (raw.op, operands.as_slice()) {
                (Op::TypeForwardPointer, [id, class]) if (*id as usize) < self.slots.len() => (*id, vec![*class]),
                (Op::TypeForwardPointer, _) => return malformed("OpTypeForwardPointer without its operands"),
                _ => (raw.result, operands),
            };
            let is_packed = self.decoration(id, Decoration::CPacked).is_some();
            let globals = &self.globals;
            let slots = &self.slots;
            let length = |id: u32| match slots.get(id as usize).map(|&slot| (slot & !GLOBAL) as usize) {
                Some(slot) if slots[id as usize] != NONE => {
                    let value = globals.get(slot).map(Value::scalar).transpose()?.unwrap_or_default();
                    if value.bits == 0 {
                        return malformed("an array of no elements");
                    }
                    Ok(value.bits)
                }
                _ => malformed("the length of an array is no constant"),
            };
            return self.types.declare(raw.op, id, &operands, is_packed, length);
        }
        let spec = self.decoration(raw.result, Decoration::SpecId).and_then(|o| o.first());
        let spec = spec
            .and_then(|id| spec_constants.iter().find(|s| s.0 == *id))
            .map(|s| s.1);
        let value = match raw.op {
            Op::ConstantTrue => Value::bits(1),
            Op::ConstantFalse => Value::bits(0),
            Op::SpecConstantTrue => Value::bits((spec.unwrap_or(1) != 0).into()),
            Op::SpecConstantFalse => Value::bits((spec.unwrap_or(0) != 0).into()),
            Op::Constant | Op::SpecConstant => {
                let width = self.types.width(raw.ty)?;
                let low = operands.first().copied().unwrap_or(0);
                let high = operands.get(1).copied().unwrap_or(0);
                let literal = u64::from(low) | u64::from(high) << 32;
                Value::bits(spec.unwrap_or(literal) & mask(width))
            }
            Op::ConstantComposite | Op::SpecConstantComposite => {
                operands.iter().map(|&id| self.global(id)).collect::<Result<Value>>()?
            }
            Op::ConstantNull => self.null(raw.ty)?,
            Op::Undef => self.undefined(raw.ty)?,
            Op::SpecConstantOp => {
                let inst = self.inst(raw);
                let Some(op) = operands.first().and_then(|&op| Op::from_u32(op)) else {
                    return malformed("OpSpecConstantOp without an opcode");
                };
                let start = inst.start + 1;
                let inst = Inst { op, start, ..inst };
                match ops::evaluate(self, &inst, &|id| self.global(id))? {
                    Some(value) => value,
                    None => return unsupported(format!("OpSpecConstantOp of Op{op:?}")),
                }
            }
            Op::Variable => self.variable(raw, &operands)?,
            Op::ConstantFunctionPointerINTEL => {
                let Some(&function) = operands.first() else {
                    return malformed("too few operands");
                };
                self.statics.push(Static {
                    class: StorageClass::CodeSectionINTEL,
                    size: 0,
                    ty: 0,
                    initializer: 0,
                    built_in: None,
                    function: Some(function),
                    is_constant: true,
                });
                Value::bits(static_address(self.statics.len() - 1))
            }
            _ if raw.result == 0 || raw.ty == 0 => return Ok(()),
            op => return unsupported(format!("Op{op:?} outside of a function")),
        };
        ops::check_shape(&self.types, raw.ty, &value)?;
        self.define_global(raw.result, raw.ty, value)
    }

    fn define_global(&mut self, id: u32, ty: u32, value: Value) -> Result<()> {
        if self.slots[id as usize] != NONE {
            return malformed(format!("%{id} is defined twice"));
        }
        self.slots[id as usize] = self.globals.len() as u32 | GLOBAL;
        self.type_of[id as usize] = ty;
        self.globals.push(value);
        Ok(())
    }

    fn variable(&mut self, raw: &Raw, operands: &[u32]) -> Result<Value> {
        let class = operands.first().and_then(|&class| StorageClass::from_u32(class));
        let built_in = self.decoration(raw.result, Decoration::BuiltIn).and_then(|o| o.first());
        let built_in = built_in.and_then(|&number| BuiltIn::from_u32(number));
        let class = match class {
            Some(
                class @ (StorageClass::Workgroup
                | StorageClass::CrossWorkgroup
                | StorageClass::UniformConstant
                | StorageClass::Input),
            ) => class,
            other => return unsupported(format!("a variable of the module in storage class {other:?}")),
        };
        let ty = self.types.pointee(raw.ty)?;
        let size = self.types.layout(ty)?.size;
        self.statics.push(Static {
            class,
            size,
            ty,
            initializer: operands.get(1).copied().unwrap_or(0),
            built_in,
            function: None,
            is_constant: class == StorageClass::UniformConstant || built_in.is_some(),
        });
        Ok(Value::bits(static_address(self.statics.len() - 1)))
    }

    /// Puts the variables into memory, in the order of their addresses.
    pub(crate) fn allocate_statics(&self, memory: &mut Memory) -> Result<()> {
        for variable in &self.statics {
            let address = memory.allocate_in(variable.class, variable.size as usize)?;
            let value = if variable.initializer != 0 {
                Some(self.global(variable.initializer)?)
            } else {
                None
            };
            let (allocation, _) = memory.locate(address, 0, false)?;
            if let Some(value) = value {
                allocation.undef.fill(0);
                ops::memory::write(&self.types, allocation, 0, variable.ty, &value)?;
            } else if variable.class == StorageClass::CrossWorkgroup {
                // Clients rely on zeros, as those of C have them.
                allocation.undef.fill(0);
            }
            allocation.built_in = variable.built_in;
            allocation.function = variable.function;
            allocation.is_read_only = variable.is_constant;
        }
        Ok(())
    }

    /// The numbers of the variables that each group has.
    pub(crate) fn group_variables(&self) -> Vec<u64> {
        let all = self.statics.iter().enumerate();
        all.filter(|(_, s)| s.class == StorageClass::Workgroup)
            .map(|(index, _)| static_address(index))
            .collect()
    }

    fn kernel_of(&self, id: u32, name: String, modes: &[(u32, u32, Vec<u32>)]) -> Result<Kernel> {
        let Some(function) = self.function(id) else {
            return malformed(format!("the entry point {name} is no function"));
        };
        let mut parameters = Vec::new();
        for &(parameter, ty) in &function.parameters {
            parameters.push(match self.types.get(ty)? {
                Type::Pointer { class, .. } => match class {
                    StorageClass::Workgroup => Parameter::Local,
                    StorageClass::Function => {
                        if !self.is_by_value(parameter) {
                            return unsupported("a kernel's pointer to private memory");
                        }
                        Parameter::Value(self.types.layout(self.types.pointee(ty)?)?.size as usize)
                    }
                    _ => Parameter::Pointer,
                },
                Type::Int(_) | Type::Float(_) | Type::Vector(..) | Type::Struct { .. } | Type::Array(..) => {
                    Parameter::Value(self.types.layout(ty)?.size as usize)
                }
                // Images and the like: a kernel that has them is not run.
                _ => Parameter::Pointer,
            });
        }
        let mut kernel = Kernel {
            name,
            parameters,
            local_size: None,
            sub_group_size: None,
            function: id,
            obstacle: None,
        };
        let opaque = function.parameters.iter().any(|&(_, ty)| {
            matches!(
                self.types.get(ty),
                Ok(Type::Other(_) | Type::Event | Type::Void | Type::Bool) | Err(_)
            )
        });
        if opaque {
            kernel.obstacle = Some("a parameter of an opaque type".into());
        }
        for (_, mode, operands) in modes.iter().filter(|mode| mode.0 == id) {
            match (ExecutionMode::from_u32(*mode), operands.as_slice()) {
                (Some(ExecutionMode::LocalSize), &[x, y, z]) => kernel.local_size = Some([x, y, z].map(u64::from)),
                (Some(ExecutionMode::SubgroupSize), &[size]) => kernel.sub_group_size = Some(size),
                (
                    Some(
                        mode @ (ExecutionMode::RoundingModeRTZ
                        | ExecutionMode::RoundingModeRTPINTEL
                        | ExecutionMode::RoundingModeRTNINTEL
                        | ExecutionMode::DenormFlushToZero
                        | ExecutionMode::FloatingPointModeALTINTEL
                        | ExecutionMode::LocalSizeId),
                    ),
                    _,
                ) => kernel.obstacle = Some(format!("the execution mode {mode:?}")),
                _ => {}
            }
        }
        Ok(kernel)
    }

    /// Whether a parameter is a pointer to a copy that the caller makes.
    pub(crate) fn is_by_value(&self, parameter: u32) -> bool {
        let all = self.decorations.get(&parameter).map(Vec::as_slice).unwrap_or_default();
        all.iter()
            .any(|(decoration, o)| *decoration == Decoration::FuncParamAttr && o.first() == Some(&2))
    }

    /// The first decoration of a kind.
    pub(crate) fn decoration(&self, id: u32, kind: Decoration) -> Option<&[u32]> {
        let all = self.decorations.get(&id)?;
        all.iter().find(|d| d.0 == kind).map(|d| d.1.as_slice())
    }

    /// An instruction with what decorations say of it.
    pub(crate) fn inst(&self, raw: &Raw) -> Inst {
        let mut flags = Flags::default();
        let all = self.decorations.get(&raw.result).map(Vec::as_slice).unwrap_or_default();
        for (decoration, operands) in all.iter().filter(|_| raw.result != 0) {
            match (decoration, operands.first()) {
                (Decoration::NoSignedWrap, _) => flags.no_signed_wrap = true,
                (Decoration::NoUnsignedWrap, _) => flags.no_unsigned_wrap = true,
                (Decoration::SaturatedConversion, _) => flags.is_saturated = true,
                (Decoration::FPRoundingMode, Some(mode)) => {
                    flags.rounding = match mode {
                        0 => Some(Rounding::NearestEven),
                        1 => Some(Rounding::Zero),
                        2 => Some(Rounding::Positive),
                        3 => Some(Rounding::Negative),
                        _ => None,
                    };
                }
                (Decoration::FPFastMathMode, Some(bits)) => flags.fast_math = *bits,
                _ => {}
            }
        }
        Inst {
            op: raw.op,
            ty: raw.ty,
            result: raw.result,
            start: raw.operands.start,
            end: raw.operands.end,
            word: raw.word,
            flags,
            is_non_uniform: function::is_non_uniform(raw.op),
        }
    }

    /// The operand of an instruction.
    pub(crate) fn operand(&self, inst: &Inst, index: usize) -> Result<u32> {
        match self.words.get(inst.start + index) {
            Some(word) if inst.start + index < inst.end => Ok(*word),
            _ => malformed(format!("Op{:?} has too few operands", inst.op)),
        }
    }

    /// Its operands from an index on.
    pub(crate) fn operands(&self, inst: &Inst, from: usize) -> &[u32] {
        self.words.get(inst.start + from..inst.end).unwrap_or_default()
    }

    pub(crate) fn slot(&self, id: u32) -> Slot {
        match self.slots.get(id as usize) {
            None | Some(&NONE) => Slot::None,
            Some(slot) if slot & GLOBAL != 0 => Slot::Global((slot & !GLOBAL) as usize),
            Some(slot) => Slot::Local(*slot as usize),
        }
    }

    /// Gives an id of a function a slot.
    pub(crate) fn define_local(&mut self, id: u32, ty: u32, slot: usize) -> Result<()> {
        if self.slots[id as usize] != NONE {
            return malformed(format!("%{id} is defined twice"));
        }
        self.slots[id as usize] = slot as u32;
        self.type_of[id as usize] = ty;
        Ok(())
    }

    /// The value of a constant.
    pub(crate) fn global(&self, id: u32) -> Result<Value> {
        match self.slot(id) {
            Slot::Global(slot) => Ok(self.globals[slot].clone()),
            _ => malformed(format!("%{id} is no constant")),
        }
    }

    /// The type of a value.
    pub(crate) fn type_of(&self, id: u32) -> Result<u32> {
        match self.type_of.get(id as usize) {
            Some(0) | None => malformed(format!("%{id} has no type")),
            Some(ty) => Ok(*ty),
        }
    }

    /// Gives a label, or a function, a number.
    pub(crate) fn set_number(&mut self, id: u32, number: usize) -> Result<()> {
        match self.number_of.get_mut(id as usize) {
            Some(place) if *place == NONE => *place = number as u32,
            _ => return malformed(format!("%{id} is defined twice")),
        }
        Ok(())
    }

    /// The number of a label or a function.
    pub(crate) fn number(&self, id: u32) -> Option<usize> {
        match self.number_of.get(id as usize) {
            None | Some(&NONE) => None,
            Some(number) => Some(*number as usize),
        }
    }

    pub(crate) fn function(&self, id: u32) -> Option<&Function> {
        self.functions.get(self.number(id)?).filter(|f| f.id == id)
    }

    /// The name of a set of extended instructions.
    pub(crate) fn import(&self, id: u32) -> &str {
        self.imports.get(&id).map(String::as_str).unwrap_or_default()
    }

    /// The name of an id, or its number.
    pub(crate) fn name(&self, id: u32) -> String {
        match self.names.get(&id) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => id.to_string(),
        }
    }

    /// Zeros of a type.
    pub(crate) fn null(&self, ty: u32) -> Result<Value> {
        self.fill(ty, &|_| Scalar::default())
    }

    /// A value of which nothing is defined.
    pub(crate) fn undefined(&self, ty: u32) -> Result<Value> {
        self.fill(ty, &Scalar::undefined)
    }

    fn fill(&self, ty: u32, scalar: &dyn Fn(u32) -> Scalar) -> Result<Value> {
        match self.types.get(ty)? {
            Type::Vector(element, count) => {
                let part = self.fill(*element, scalar)?;
                Ok((0..*count).map(|_| part.clone()).collect())
            }
            Type::Array(element, count) => {
                let part = self.fill(*element, scalar)?;
                Ok((0..*count).map(|_| part.clone()).collect())
            }
            Type::Struct { members, .. } => members.iter().map(|&member| self.fill(member, scalar)).collect(),
            _ => Ok(scalar(self.types.width(ty)?).into()),
        }
    }

    /// Where an instruction is, for messages.
    pub(crate) fn place(&self, word: usize) -> Place {
        let at = self.instructions.partition_point(|raw| raw.word < word);
        let Some(raw) = self.instructions.get(at) else {
            return Place::default();
        };
        let mut line = None;
        let mut function = String::new();
        for before in self.instructions[..=at].iter().rev() {
            match before.op {
                Op::Line if line.is_none() => {
                    if let [file, number, ..] = self.words[before.operands.clone()] {
                        let file = self.strings.get(&file).cloned().unwrap_or_default();
                        line = Some(Some((file, number)));
                    }
                }
                Op::NoLine | Op::Label | Op::Function if line.is_none() => line = Some(None),
                _ => {}
            }
            if before.op == Op::Function {
                function = self.name(before.result);
                break;
            }
        }
        Place {
            word,
            opcode: format!("Op{:?}", raw.op),
            result: (raw.result != 0).then(|| self.name(raw.result)),
            function,
            line: line.flatten(),
        }
    }
}

/// Adds where it is to a fault of a declaration.
fn module_fault(mut fault: Box<Fault>, raw: &Raw) -> Box<Fault> {
    fault.place.get_or_insert_with(|| Place {
        word: raw.word,
        opcode: format!("Op{:?}", raw.op),
        result: (raw.result != 0).then(|| raw.result.to_string()),
        ..Place::default()
    });
    fault
}
