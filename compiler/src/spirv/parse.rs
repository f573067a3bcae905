// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From bytes to a [`Module`]: one pass over all instructions, then [`validate`].

use std::collections::{HashMap, HashSet};

use oxur_fork::OnceLock;
use spirv::{Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op};

use super::validate::validate;
use super::{Decorated, EntryPoint, ExtSet, Function, Id, Inst, Module, Type, string};
use crate::Error;

const MAGIC: u32 = 0x0723_0203;

/// SPIR-V's limit of ids (2.17).
const MOST_IDS: u32 = 0x3f_ffff;

/// The most decorations and execution modes that are copied: a large group applied to many ids would exhaust memory.
const MOST_COPIES: usize = 1 << 20;

pub(super) fn malformed<T>(offset: usize, what: impl Into<String>) -> Result<T, Error> {
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
    validate(&module)?;
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
