// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From bytes to a [`Module`]: one pass over all instructions, then the checks that need the whole module.

use std::collections::{HashMap, HashSet};

use oxur_fork::OnceLock;
use spirv::{Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op};

use super::{Decorated, EntryPoint, ExtSet, Function, Id, Inst, Module, Type, string};
use crate::Error;

const MAGIC: u32 = 0x0723_0203;

/// SPIR-V's limit of ids (2.17).
const MOST_IDS: u32 = 0x3f_ffff;

/// The deepest nesting of types, so that recursion over types ends on hostile modules. SPIR-V's limit for structures is
/// 255.
const DEEPEST_TYPE: usize = 255;

/// The most decorations and execution modes that are copied: a large group applied to many ids would exhaust memory.
const MOST_COPIES: usize = 1 << 20;

fn malformed<T>(offset: usize, what: impl Into<String>) -> Result<T, Error> {
    Err(Error::Malformed {
        offset,
        what: what.into(),
    })
}

fn words(bytes: &[u8]) -> Result<Vec<u32>, Error> {
    if bytes.len() < 20 {
        return malformed(
            0,
            format!("{} bytes are no module: its header alone has 20", bytes.len()),
        );
    }
    if !bytes.len().is_multiple_of(4) {
        return malformed(bytes.len(), "the length is no multiple of four bytes");
    }
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let swap = match word(&bytes[..4]) {
        MAGIC => false,
        magic if magic.swap_bytes() == MAGIC => true,
        magic => {
            return malformed(
                0,
                format!("it begins with {magic:#010x}, which is not SPIR-V's number {MAGIC:#010x}"),
            );
        }
    };
    Ok(bytes
        .chunks_exact(4)
        .map(|b| if swap { word(b).swap_bytes() } else { word(b) })
        .collect())
}

pub(super) fn parse(bytes: &[u8]) -> Result<Module, Error> {
    let words = words(bytes)?;
    let (major, minor) = ((words[1] >> 16) & 0xff, (words[1] >> 8) & 0xff);
    if major != 1 || minor > 6 {
        return Err(Error::Unsupported {
            feature: format!("SPIR-V {major}.{minor}"),
            what: "1.0 to 1.6 are".into(),
        });
    }
    let bound = words[3];
    if bound == 0 || bound > MOST_IDS {
        return malformed(12, format!("the bound of ids is {bound}: it must be 1 to {MOST_IDS}"));
    }
    let mut module = Module {
        words: Vec::new(),
        defs: vec![0; bound as usize],
        value_types: vec![0; bound as usize],
        types: HashMap::new(),
        decorations: HashMap::new(),
        member_decorations: HashMap::new(),
        names: HashMap::new(),
        ext_sets: HashMap::new(),
        functions: Vec::new(),
        function_of: HashMap::new(),
        uses: Vec::new(),
        variables: Vec::new(),
        entry_points: Vec::new(),
        capabilities: Vec::new(),
        spec_constants: Vec::new(),
        spec_ids: HashMap::new(),
        digest: OnceLock::new(),
    };
    let mut parser = Parser {
        module: &mut module,
        open: None,
        groups: Vec::new(),
        modes: HashMap::new(),
        kernels: HashSet::new(),
    };
    let mut at = 5;
    while at < words.len() {
        let Some(inst) = Inst::new(&words, at) else {
            return malformed(
                at * 4,
                "an instruction of no words, or one that runs over the end of the module",
            );
        };
        parser.take(&inst)?;
        at += inst.words.len();
    }
    parser.finish(words.len())?;
    module.words = words;
    module.uses = super::reach::places(module.functions.len());
    module.find_spec_constants();
    check(&module)?;
    Ok(module)
}

/// A decoration by its number, or by the number that it had before its extension was final.
fn decoration(number: u32) -> Option<Decoration> {
    match number {
        // SPV_INTEL_global_variable_decorations, which DPC++ still writes.
        6147 => Some(Decoration::HostAccessINTEL),
        _ => Decoration::from_u32(number),
    }
}

struct Parser<'a> {
    module: &'a mut Module,
    /// The current function, and whether a block of it has begun.
    open: Option<Function>,
    /// Decoration groups, and their targets.
    groups: Vec<(Id, Vec<Id>)>,
    modes: HashMap<Id, Vec<(ExecutionMode, Vec<u32>)>>,
    /// The names of the kernels so far.
    kernels: HashSet<String>,
}

impl Parser<'_> {
    fn take(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        if let Some(id) = inst.result() {
            let Some(def) = self.module.defs.get_mut(id as usize).filter(|_| id != 0) else {
                return Err(inst.malformed(format!("it defines the id {id}, which is not below the bound")));
            };
            if *def != 0 {
                return Err(inst.malformed(format!("the id {id} is defined twice")));
            }
            *def = inst.offset as u32;
            if let Some(ty) = inst.result_type() {
                self.module.value_types[id as usize] = ty;
            }
        }
        if self.open.is_some() {
            self.inside(inst)
        } else {
            self.outside(inst)
        }
    }

    fn inside(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let function = self.open.as_mut().expect("a function is open");
        match inst.op {
            Op::FunctionParameter => {
                if function.defined {
                    return Err(inst.malformed("a parameter behind the first block"));
                }
                function
                    .params
                    .push(inst.result().ok_or_else(|| inst.malformed("it has no id"))?);
            }
            Op::Label => function.defined = true,
            Op::Function => return Err(inst.malformed("a function inside of another")),
            Op::FunctionEnd => {
                function.end = inst.offset;
                let function = self.open.take().expect("a function is open");
                self.module.function_of.insert(function.id, self.module.functions.len());
                self.module.functions.push(function);
            }
            _ => {}
        }
        Ok(())
    }

    fn outside(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let module = &mut *self.module;
        match inst.op {
            Op::MemoryModel => match MemoryModel::from_u32(inst.operand(1)?) {
                Some(MemoryModel::OpenCL) => {}
                other => {
                    return Err(Error::Unsupported {
                        feature: format!("memory model {other:?}"),
                        what: "modules for OpenCL are supported; this one is for another API".into(),
                    });
                }
            },
            Op::ExtInstImport => {
                let (name, _) = string(inst.operands()).ok_or_else(|| inst.malformed("its name has no end"))?;
                let set = match name.as_str() {
                    "OpenCL.std" => ExtSet::OpenCl,
                    "OpenCL.DebugInfo.100" | "DebugInfo" | "SPIRV.debug" => ExtSet::Debug,
                    name if name.starts_with("NonSemantic.") => ExtSet::Debug,
                    _ => ExtSet::Unknown,
                };
                module.ext_sets.insert(inst.result().unwrap_or_default(), set);
            }
            Op::EntryPoint => {
                let model = inst.operand(0)?;
                if model != ExecutionModel::Kernel as u32 {
                    return Err(Error::Unsupported {
                        feature: format!("execution model {:?}", ExecutionModel::from_u32(model)),
                        what: "kernels are supported".into(),
                    });
                }
                let (name, _) = inst
                    .operands()
                    .get(2..)
                    .and_then(string)
                    .ok_or_else(|| inst.malformed("its name has no end"))?;
                if !self.kernels.insert(name.clone()) {
                    return Err(inst.malformed(format!("there are two kernels {name}")));
                }
                module.entry_points.push(EntryPoint {
                    name,
                    function: inst.operand(1)?,
                    offset: inst.offset,
                    modes: Vec::new(),
                });
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                if let Some(mode) = ExecutionMode::from_u32(inst.operand(1)?) {
                    let modes = self.modes.entry(inst.operand(0)?).or_default();
                    modes.push((mode, inst.operands()[2..].to_vec()));
                }
            }
            Op::Name => {
                if let Some((name, _)) = inst.operands().get(1..).and_then(string) {
                    module.names.insert(inst.operand(0)?, name);
                }
            }
            Op::Capability => {
                let number = inst.operand(0)?;
                // 6146 was GlobalVariableDecorationsINTEL.
                if Capability::from_u32(number).is_none() && number != 6146 {
                    return Err(Error::Unsupported {
                        feature: format!("capability {number}"),
                        what: "it is none that the SPIR-V grammar knows".into(),
                    });
                }
                module.capabilities.push(number);
            }
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                // Unknown decorations are hints, because others need a capability.
                if let Some(decoration) = decoration(inst.operand(1)?) {
                    let operands = inst.operands()[2..].to_vec();
                    module
                        .decorations
                        .entry(inst.operand(0)?)
                        .or_default()
                        .push(Decorated { decoration, operands });
                }
            }
            Op::MemberDecorate | Op::MemberDecorateString => {
                if let Some(decoration) = decoration(inst.operand(2)?) {
                    let operands = inst.operands()[3..].to_vec();
                    let member = inst.operand(1)?;
                    module
                        .member_decorations
                        .entry(inst.operand(0)?)
                        .or_default()
                        .push((member, Decorated { decoration, operands }));
                }
            }
            Op::GroupDecorate => {
                let targets = inst.operands().get(1..).unwrap_or(&[]).to_vec();
                self.groups.push((inst.operand(0)?, targets));
            }
            Op::Function => {
                self.open = Some(Function {
                    id: inst.result().ok_or_else(|| inst.malformed("it has no id"))?,
                    result: inst.result_type().ok_or_else(|| inst.malformed("it has no type"))?,
                    params: Vec::new(),
                    start: inst.offset,
                    end: 0,
                    defined: false,
                });
            }
            Op::Variable => module.variables.extend(inst.result()),
            _ => {
                if let Some(ty) = Type::new(inst)? {
                    let id = inst.result().ok_or_else(|| inst.malformed("it has no id"))?;
                    module.types.insert(id, ty);
                }
            }
        }
        Ok(())
    }

    fn finish(self, end: usize) -> Result<(), Error> {
        let module = self.module;
        if let Some(function) = self.open {
            return malformed(end * 4, format!("the function {} has no end", function.id));
        }
        let mut copies = 0usize;
        let mut copy = |count: usize| {
            copies = copies.saturating_add(count);
            if copies <= MOST_COPIES {
                return Ok(());
            }
            Err(Error::Unsupported {
                feature: format!("more than {MOST_COPIES} decorations by groups and modes of shared functions"),
                what: String::new(),
            })
        };
        for (group, targets) in self.groups {
            let Some(decorations) = module.decorations.get(&group).cloned() else {
                continue;
            };
            for target in targets {
                copy(decorations.len())?;
                module
                    .decorations
                    .entry(target)
                    .or_default()
                    .extend(decorations.iter().cloned());
            }
        }
        for entry in &mut module.entry_points {
            if let Some(modes) = self.modes.get(&entry.function) {
                copy(modes.len())?;
                entry.modes.clone_from(modes);
            }
        }
        Ok(())
    }
}

/// Checks of the whole module: types are well-founded, kernels exist, constants have the right size.
fn check(module: &Module) -> Result<(), Error> {
    let mut depths = HashMap::new();
    for (&id, ty) in &module.types {
        depth(module, id, &mut depths, 0, 0)?;
        if let Type::Array(_, length) = ty {
            let op = module.def(*length).map(|d| d.op);
            let is_constant = op.is_some_and(|op| format!("{op:?}").contains("Constant"));
            if !is_constant {
                return malformed(
                    place(module, id),
                    format!("the length of array type {id} is no constant"),
                );
            }
        }
    }
    for entry in &module.entry_points {
        if !module.function(entry.function).is_some_and(|f| f.defined) {
            return malformed(
                entry.offset * 4,
                format!("the kernel {} has no function with a body", entry.name),
            );
        }
    }
    Ok(())
}

/// The offset of the instruction that defines an id, in bytes.
fn place(module: &Module, id: Id) -> usize {
    module.defs.get(id as usize).map_or(0, |&word| word as usize * 4)
}

/// How deep a type nests, or an error if it is recursive. A pointer does not contain its pointee. `user` is the offset
/// where the type is used.
fn depth(module: &Module, id: Id, known: &mut HashMap<Id, usize>, above: usize, user: usize) -> Result<usize, Error> {
    let at = place(module, id);
    if let Some(&depth) = known.get(&id) {
        return Ok(depth);
    }
    if above > DEEPEST_TYPE {
        return malformed(
            at,
            format!("type {id} nests more than {DEEPEST_TYPE} deep, or contains itself"),
        );
    }
    let Some(ty) = module.types.get(&id) else {
        return malformed(user, format!("{id} is used as a type, but is none"));
    };
    let parts: Vec<Id> = match ty {
        Type::Vector(element, _) => {
            match module.types.get(element) {
                Some(Type::Bool | Type::Int(_) | Type::Float(_) | Type::BFloat16 | Type::Pointer(..)) => {}
                _ => {
                    return malformed(
                        at,
                        format!("type {id} is a vector of what is no number, truth value or pointer"),
                    );
                }
            }
            vec![*element]
        }
        Type::Array(element, _) => vec![*element],
        Type::SampledImage(image) => vec![*image],
        Type::Struct(members) => members.clone(),
        Type::Function(result, params) => std::iter::once(*result).chain(params.iter().copied()).collect(),
        _ => Vec::new(),
    };
    let mut deepest = 0;
    for part in parts {
        if !matches!(ty, Type::Function(..)) && matches!(module.types.get(&part), Some(Type::Void | Type::Function(..)))
        {
            return malformed(at, format!("type {id} has a part that is no value"));
        }
        deepest = deepest.max(depth(module, part, known, above + 1, at)?);
    }
    known.insert(id, deepest + 1);
    Ok(deepest + 1)
}

impl Module {
    /// The specialization constants, those with a `SpecId`, in module order.
    pub(super) fn find_spec_constants(&mut self) {
        let mut found: Vec<(u32, u32, usize)> = Vec::new();
        for (&id, decorations) in &self.decorations {
            let Some(spec) = decorations.iter().find(|d| d.decoration == Decoration::SpecId) else {
                continue;
            };
            let (Some(&spec), Some(ty)) = (spec.operands.first(), self.value_type(id)) else {
                continue;
            };
            let size = match self.types.get(&ty) {
                Some(Type::Bool) => 1,
                Some(Type::Int(bits) | Type::Float(bits)) => (bits.div_ceil(8)) as usize,
                Some(Type::BFloat16) => 2,
                _ => continue,
            };
            self.spec_ids.insert(id, spec);
            found.push((self.defs[id as usize], spec, size));
        }
        found.sort_unstable();
        self.spec_constants = found.into_iter().map(|(_, spec, size)| (spec, size)).collect();
    }
}
