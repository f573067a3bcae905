// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A work-item: its calls, its values, and what each instruction does to them.

use spirv::{Op, StorageClass};

use crate::atomics;
use crate::ext;
use crate::fault::{Kind, Result, fault, malformed, unsupported};
use crate::function::Function;
use crate::machine::Machine;
use crate::module::{Inst, Module, Slot};
use crate::ops;
use crate::value::{Scalar, Value, mask};

/// The most calls in each other.
const MAX_CALLS: usize = 2000;

/// A call.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The number of the function.
    pub function: usize,
    /// The number of the block.
    pub block: usize,
    /// The next instruction.
    pub at: usize,
    /// How often each loop went round, by its first block, if that matters.
    rounds: Vec<u64>,
    values: Vec<Value>,
    /// Variables, which go with the call.
    variables: Vec<u64>,
}

/// Who has to come to an instruction before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// All items of the group.
    Group,
    /// All items of the sub-group.
    SubGroup,
    /// The items of the sub-group that take the same way.
    Active,
}

/// What an item does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    Waiting(Wait),
    Done,
}

/// A work-item.
#[derive(Debug)]
pub(crate) struct Item {
    /// Its number in the launch, group by group.
    pub number: u32,
    pub global: [u64; 3],
    pub local: [u64; 3],
    /// Its number in the group.
    pub local_index: u32,
    pub sub_group: usize,
    pub lane: u32,
    /// How many items its sub-group has.
    pub sub_group_size: u32,
    pub frames: Vec<Frame>,
    pub state: State,
}

impl Frame {
    /// The beginning of a function.
    pub fn new(module: &Module, number: usize, arguments: Vec<Value>) -> Result<Self> {
        let function = &module.functions[number];
        if function.blocks.is_empty() {
            return unsupported(format!("the function {} is imported", module.name(function.id)));
        }
        if arguments.len() != function.parameters.len() {
            return malformed(format!(
                "a call of {} with {} arguments",
                module.name(function.id),
                arguments.len()
            ));
        }
        let mut values = arguments;
        for (value, &(_, ty)) in values.iter().zip(&function.parameters) {
            ops::check_shape(&module.types, ty, value)?;
        }
        values.resize(function.slots, Value::Unset);
        Ok(Self {
            function: number,
            block: 0,
            rounds: vec![
                0;
                if module.has_non_uniform {
                    function.blocks.len()
                } else {
                    0
                }
            ],
            at: function.blocks[0].insts.start,
            values,
            variables: Vec::new(),
        })
    }

    /// The value of an id.
    pub fn value(&self, module: &Module, id: u32) -> Result<Value> {
        let value = match module.slot(id) {
            Slot::Global(slot) => module.globals.get(slot),
            Slot::Local(slot) => self.values.get(slot),
            Slot::None => None,
        };
        match value {
            None | Some(Value::Unset) => malformed(format!("%{id} has no value here")),
            Some(value) => Ok(value.clone()),
        }
    }

    pub fn set(&mut self, module: &Module, inst: &Inst, value: Value) -> Result<()> {
        ops::check_shape(&module.types, inst.ty, &value)?;
        match module.slot(inst.result) {
            Slot::Local(slot) if slot < self.values.len() => self.values[slot] = value,
            _ => return malformed(format!("%{} is no result", inst.result)),
        }
        Ok(())
    }

    /// Where it is: loops with their rounds, from the outermost on, the block, the instruction. What comes first is less.
    pub fn position(&self, module: &Module) -> Vec<(usize, u64)> {
        let blocks = &module.functions[self.function].blocks;
        let block = &blocks[self.block];
        let rounds = |&head: &usize| (blocks[head].order, self.rounds.get(head).copied().unwrap_or(0));
        let loops = block.loops.iter().map(rounds);
        let end = [(block.order, 0), (self.function, self.at as u64)];
        loops.chain(end).collect()
    }

    /// Remembers a variable.
    pub fn own(&mut self, address: u64) {
        self.variables.push(address);
    }
}

impl Item {
    /// The innermost call.
    pub fn frame(&mut self) -> Result<&mut Frame> {
        match self.frames.last_mut() {
            Some(frame) => Ok(frame),
            None => malformed("the item has no call"),
        }
    }

    /// The instruction that comes next.
    pub fn inst<'m>(&self, module: &'m Module) -> Result<&'m Inst> {
        let frame = self.frames.last();
        let inst = frame.and_then(|frame| module.functions.get(frame.function)?.insts.get(frame.at));
        match inst {
            Some(inst) => Ok(inst),
            None => malformed("a function without an end"),
        }
    }

    /// The value of an instruction's operand.
    pub fn operand(&self, module: &Module, inst: &Inst, index: usize) -> Result<Value> {
        let id = module.operand(inst, index)?;
        match self.frames.last() {
            Some(frame) => frame.value(module, id),
            None => malformed("the item has no call"),
        }
    }

    pub fn scalar(&self, module: &Module, inst: &Inst, index: usize) -> Result<Scalar> {
        self.operand(module, inst, index)?.scalar()
    }

    /// A number that decides about something, so it has to be defined.
    pub fn decisive(&self, module: &Module, inst: &Inst, index: usize, what: &str) -> Result<u64> {
        let value = self.scalar(module, inst, index)?;
        if value.is_defined() {
            Ok(value.bits)
        } else {
            fault(Kind::UndefinedValue, format!("{what} is undefined"))
        }
    }

    /// Sets the result of an instruction and goes on.
    pub fn finish(&mut self, module: &Module, inst: &Inst, value: Option<Value>) -> Result<()> {
        let frame = self.frame()?;
        if let Some(value) = value {
            frame.set(module, inst, value)?;
        }
        frame.at += 1;
        Ok(())
    }

    /// Runs the next instruction.
    pub fn step(&mut self, machine: &mut Machine<'_>) -> Result<()> {
        let module = machine.module;
        let inst = self.inst(module)?;
        machine.word = inst.word;
        machine.report.steps += 1;
        if machine.report.steps > machine.options.step_limit {
            return fault(
                Kind::StepLimit,
                format!("more than {} instructions", machine.options.step_limit),
            );
        }
        if inst.flags.fast_math & !3 != 0 {
            machine.report.is_relaxed = true;
        }
        let frame = self.frame()?;
        let evaluated = ops::evaluate(module, inst, &|id| frame.value(module, id))?;
        if let Some(value) = evaluated {
            if inst.op == Op::Dot {
                machine
                    .report
                    .inexact
                    .insert(("OpDot".into(), module.types.width(inst.ty)?));
            }
            return self.finish(module, inst, Some(value));
        }
        if let Some(wait) = self.waits(module, inst)? {
            self.state = State::Waiting(wait);
            return Ok(());
        }
        if let Some(value) = atomics::run(machine, self, inst)? {
            return self.finish(module, inst, value);
        }
        self.execute(machine, inst)
    }

    /// Whether an instruction waits for other items.
    fn waits(&self, module: &Module, inst: &Inst) -> Result<Option<Wait>> {
        let name = || format!("{:?}", inst.op);
        let is_group = matches!(
            inst.op,
            Op::ControlBarrier | Op::GroupAsyncCopy | Op::GroupWaitEvents | Op::GroupAll | Op::GroupAny
        ) || matches!(inst.op as u32, 263..=271 | 6401..=6408);
        if is_group {
            let scope = self.decisive(module, inst, 0, "the scope")?;
            return match scope {
                2 => Ok(Some(Wait::Group)),
                3 => Ok(Some(Wait::SubGroup)),
                other => unsupported(format!("Op{} of scope {other}", name())),
            };
        }
        if matches!(inst.op, Op::SubgroupBlockReadINTEL | Op::SubgroupBlockWriteINTEL) {
            return Ok(Some(Wait::SubGroup));
        }
        Ok(inst.is_non_uniform.then_some(Wait::Active))
    }

    /// What is no matter of values alone.
    fn execute(&mut self, machine: &mut Machine<'_>, inst: &Inst) -> Result<()> {
        let module = machine.module;
        match inst.op {
            Op::Load => {
                let (address, ty) = (self.scalar(module, inst, 0)?, inst.ty);
                let align = alignment(module.operands(inst, 1))?;
                let value = machine.load(self, address, ty, align[0], false)?;
                self.finish(module, inst, Some(value))
            }
            Op::Store => {
                let (address, value) = (self.scalar(module, inst, 0)?, self.operand(module, inst, 1)?);
                let ty = module.type_of(module.operand(inst, 1)?)?;
                let align = alignment(module.operands(inst, 2))?;
                machine.store(self, address, ty, &value, align[0], false)?;
                self.finish(module, inst, None)
            }
            Op::CopyMemory | Op::CopyMemorySized => {
                let (to, from) = (self.scalar(module, inst, 0)?, self.scalar(module, inst, 1)?);
                let (size, natural, rest) = if inst.op == Op::CopyMemory {
                    let ty = module.types.pointee(module.type_of(module.operand(inst, 0)?)?)?;
                    let layout = module.types.layout(ty)?;
                    (layout.size, layout.align, 2)
                } else {
                    (self.decisive(module, inst, 2, "the size")?, 1, 3)
                };
                let aligns = alignment(module.operands(inst, rest))?.map(|align| align.unwrap_or(natural));
                machine.copy(self, to, from, size, aligns)?;
                self.finish(module, inst, None)
            }
            Op::Variable => {
                let ty = module.types.pointee(inst.ty)?;
                if module.operand(inst, 0)? != StorageClass::Function as u32 {
                    return unsupported("a variable of a function in another storage class");
                }
                let size = module.types.layout(ty)?.size;
                let address = machine.memory.allocate_in(StorageClass::Function, size as usize)?;
                self.frame()?.own(address);
                if !module.operands(inst, 1).is_empty() {
                    let value = self.operand(module, inst, 1)?;
                    machine.store(self, Scalar::new(address), ty, &value, None, false)?;
                }
                self.finish(module, inst, Some(Value::bits(address)))
            }
            Op::LifetimeStart | Op::LifetimeStop => {
                let address = self.decisive(module, inst, 0, "the address")?;
                if let Some(allocation) = machine.memory.of(address) {
                    allocation.undef.fill(0xff);
                }
                self.finish(module, inst, None)
            }
            Op::GenericCastToPtrExplicit => {
                let address = self.decisive(module, inst, 0, "the pointer")?;
                let wanted = StorageClass::from_u32(module.operand(inst, 1)?);
                let class = machine.memory.of(address).map(|a| a.class);
                let value = if class.is_some() && class == wanted { address } else { 0 };
                self.finish(module, inst, Some(Value::bits(value)))
            }
            Op::GenericPtrMemSemantics => {
                let address = self.decisive(module, inst, 0, "the pointer")?;
                let semantics = match machine.memory.of(address).map(|a| a.class) {
                    Some(StorageClass::Workgroup) => 0x100,
                    Some(StorageClass::CrossWorkgroup) => 0x200,
                    _ => 0,
                };
                self.finish(module, inst, Some(Value::bits(semantics)))
            }
            Op::MemoryBarrier => {
                machine.report.uses_fences = true;
                self.finish(module, inst, None)
            }
            Op::AssumeTrueKHR => match self.decisive(module, inst, 0, "the assumption")? {
                0 => fault(Kind::Unreachable, "an assumption does not hold"),
                _ => self.finish(module, inst, None),
            },
            Op::ExtInst => {
                let value = ext::call(machine, self, inst)?;
                self.finish(module, inst, value)
            }
            Op::FunctionCall => {
                let Some(number) = module.number(module.operand(inst, 0)?) else {
                    return malformed("a call of something that is no function");
                };
                self.call(machine, inst, number)
            }
            Op::FunctionPointerCallINTEL => {
                let address = self.decisive(module, inst, 0, "the pointer")?;
                let function = machine.memory.of(address).and_then(|a| a.function);
                match function.and_then(|id| module.number(id)) {
                    Some(number) => self.call(machine, inst, number),
                    None => fault(Kind::DanglingPointer, format!("a call of {address:#x}")),
                }
            }
            Op::Branch => self.jump(machine, module.operand(inst, 0)?),
            Op::BranchConditional => {
                let condition = self.decisive(module, inst, 0, "the condition of a branch")?;
                self.jump(machine, module.operand(inst, if condition != 0 { 1 } else { 2 })?)
            }
            Op::Switch => {
                let selector = self.decisive(module, inst, 0, "the selector of a switch")?;
                let width = module.types.width(module.type_of(module.operand(inst, 0)?)?)?;
                let words = if width > 32 { 2 } else { 1 };
                let cases = module.operands(inst, 2);
                let found = cases.chunks_exact(words + 1).find(|case| {
                    let high = if words == 2 { u64::from(case[1]) << 32 } else { 0 };
                    (u64::from(case[0]) | high) & mask(width) == selector
                });
                let target = match found {
                    Some(case) => case[words],
                    None => module.operand(inst, 1)?,
                };
                self.jump(machine, target)
            }
            Op::Return => self.leave(machine, None),
            Op::ReturnValue => {
                let value = self.operand(module, inst, 0)?;
                self.leave(machine, Some(value))
            }
            Op::Unreachable => fault(Kind::Unreachable, "OpUnreachable is reached"),
            op => unsupported(format!("Op{op:?}")),
        }
    }

    fn call(&mut self, machine: &mut Machine<'_>, inst: &Inst, number: usize) -> Result<()> {
        let module = machine.module;
        let arguments = module.operands(inst, 1).len();
        let arguments = (0..arguments).map(|i| self.operand(module, inst, i + 1));
        let mut arguments = arguments.collect::<Result<Vec<_>>>()?;
        let Some(function) = module.functions.get(number) else {
            return malformed("a call of something that is no function");
        };
        if self.frames.len() >= MAX_CALLS {
            return fault(Kind::StackOverflow, format!("{MAX_CALLS} calls in each other"));
        }
        // What the function writes to a copy is not the caller's.
        let mut copies = Vec::new();
        for (argument, &(parameter, ty)) in arguments.iter_mut().zip(&function.parameters) {
            if module.is_by_value(parameter) {
                let layout = module.types.layout(module.types.pointee(ty)?)?;
                let copy = machine
                    .memory
                    .allocate_in(StorageClass::Function, layout.size as usize)?;
                copies.push(copy);
                let aligns = [1, layout.align];
                machine.copy(self, Scalar::new(copy), argument.scalar()?, layout.size, aligns)?;
                *argument = Value::bits(copy);
            }
        }
        let mut frame = Frame::new(module, number, arguments)?;
        frame.variables.extend(copies);
        self.frames.push(frame);
        Ok(())
    }

    /// Ends a call.
    fn leave(&mut self, machine: &mut Machine<'_>, value: Option<Value>) -> Result<()> {
        let module = machine.module;
        let Some(frame) = self.frames.pop() else {
            return malformed("a return without a call");
        };
        for address in frame.variables {
            machine.memory.release(address);
        }
        if self.frames.is_empty() {
            self.state = State::Done;
            return Ok(());
        }
        let inst = self.inst(module)?;
        let is_void = *module.types.get(inst.ty)? == crate::types::Type::Void;
        if is_void != value.is_none() {
            return malformed("a return with a value that the caller does not want, or without one that it does");
        }
        self.finish(module, inst, value)
    }

    /// Goes to a block. All values that meet there are read before one is set.
    fn jump(&mut self, machine: &mut Machine<'_>, label: u32) -> Result<()> {
        let module = machine.module;
        let frame = self.frame()?;
        let function: &Function = &module.functions[frame.function];
        let number = module.number(label).unwrap_or(usize::MAX);
        let Some(block) = function.blocks.get(number).filter(|block| block.label == label) else {
            return malformed(format!("%{label} is no block of the function"));
        };
        let from = function.blocks[frame.block].label;
        let phis = &function.insts[block.insts.start..block.insts.start + block.phis];
        let mut values = Vec::new();
        for phi in phis {
            let pairs = module.operands(phi, 0).chunks_exact(2);
            let Some(pair) = pairs.into_iter().find(|pair| pair[1] == from) else {
                return malformed(format!("OpPhi %{} has no value for block %{from}", phi.result));
            };
            values.push(frame.value(module, pair[0])?);
        }
        for (phi, value) in phis.iter().zip(values) {
            frame.set(module, phi, value)?;
        }
        if let Some(rounds) = frame.rounds.get_mut(number) {
            // From outside, a loop begins anew.
            let is_inside = function.blocks[frame.block].loops.contains(&number);
            *rounds = if is_inside { *rounds + 1 } else { 0 };
        }
        frame.block = number;
        frame.at = block.insts.start + block.phis;
        Ok(())
    }
}

/// The alignments that memory operands name, of the target and of the source.
fn alignment(operands: &[u32]) -> Result<[Option<u64>; 2]> {
    let mut result = [None, None];
    let mut rest = operands;
    for at in 0..2 {
        let Some((&bits, more)) = rest.split_first() else {
            break;
        };
        rest = more;
        if bits & 2 != 0 {
            let Some((&align, more)) = rest.split_first() else {
                return malformed("memory operands without the alignment");
            };
            result[at] = Some(u64::from(align));
            rest = more;
        }
        // Scopes and lists of aliases follow.
        let ids = [0x8, 0x10, 0x10000, 0x20000]
            .iter()
            .filter(|&bit| bits & bit != 0)
            .count();
        rest = rest.get(ids..).unwrap_or_default();
        if at == 0 {
            result[1] = result[0];
        }
    }
    Ok(result)
}
