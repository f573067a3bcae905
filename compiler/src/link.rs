// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Linking: finds the definition of each import, the program's variables, and its kernels with their parameters.

mod layout;
mod scan;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use oxur_fork::Mutex;
use spirv::{Decoration, ExecutionMode, LinkageType, Op, StorageClass};

pub use layout::layout;
use scan::Scans;

use crate::known_imports::{KnownImport, known_import};
use crate::options::{Options, Part};
use crate::spirv::{EntryPoint, Id, Module, Reach, Type, built_in, is_by_value, is_of_sub_groups, storage_class};
use crate::{AddressSpace, Error, FastMath, KernelInfo, Param, ParamKind, Target};

/// The definition of an id in one of the modules.
pub type Place = (usize, Id);

/// Linked modules.
pub struct Linked {
    /// The modules.
    pub parts: Vec<Part>,
    exports: HashMap<String, Place>,
    /// The kernels.
    pub kernels: Vec<LinkedKernel>,
    /// What they are linked for.
    pub target: Target,
    /// The fast-math permissions of all floating-point instructions.
    pub fast_math: FastMath,
    /// The variables that live as long as the program.
    pub globals: Vec<GlobalVariable>,
    /// Those of them that are variables of other programs, by their indices.
    pub shared: BTreeSet<usize>,
    global_of: HashMap<Place, usize>,
    /// The names of the variables that modules define.
    pub global_names: Vec<GlobalName>,
    /// The functions that are called through pointers.
    pub pointed: Vec<Place>,
    pointed_of: HashMap<Place, usize>,
    /// The size and alignment of structures and arrays. They are cached, because nested types may contain a type an
    /// exponential number of times.
    layouts: Mutex<HashMap<Place, (u64, u64)>>,
}

/// A kernel in a module.
pub struct LinkedKernel {
    /// Its properties.
    pub info: Arc<KernelInfo>,
    /// Its function.
    pub place: Place,
    /// The offsets of its local variables in a work-group's local memory.
    pub locals: HashMap<Place, u64>,
    /// The offset in local memory of the values of sub-groups, for collectives of a work-group: [`VALUE_SIZE`] bytes
    /// each.
    pub values: u64,
    /// Whether all floating-point contraction is forbidden (`ContractionOff`).
    pub no_contraction: bool,
}

/// The size of a sub-group's value in a collective of the work-group, in bytes.
pub const VALUE_SIZE: u64 = 8;

/// A variable that lives as long as the program.
pub struct GlobalVariable {
    /// Where it is defined.
    pub place: Place,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it is read-only.
    pub is_constant: bool,
}

/// The names of a variable in a module that defines it. If several modules define the same variable, only one
/// definition is used, but the names of all remain valid.
pub struct GlobalName {
    /// The module.
    pub part: usize,
    /// The linkage name.
    pub name: Option<String>,
    /// The name by which the host reaches it.
    pub host_name: Option<String>,
    /// The definition that is used.
    pub place: Place,
}

impl Linked {
    /// Links modules.
    pub fn new(parts: &[Part], options: &Options) -> Result<Self, Error> {
        let mut linked = Self {
            parts: parts.to_vec(),
            exports: HashMap::new(),
            kernels: Vec::new(),
            target: options.target,
            fast_math: options.fast_math,
            globals: Vec::new(),
            shared: BTreeSet::new(),
            global_of: HashMap::new(),
            global_names: Vec::new(),
            pointed: Vec::new(),
            pointed_of: HashMap::new(),
            layouts: Mutex::new(HashMap::new()),
        };
        linked.find_exports()?;
        linked.find_globals()?;
        linked.find_pointed();
        linked.find_kernels(options)?;
        Ok(linked)
    }

    /// A module.
    pub fn module(&self, part: usize) -> &Module {
        &self.parts[part].module
    }

    fn find_exports(&mut self) -> Result<(), Error> {
        let mut again = Vec::new();
        for (part, Part { module, .. }) in self.parts.iter().enumerate() {
            let functions = module.functions().iter().filter(|f| f.defined).map(|f| f.id);
            for id in functions.chain(module.variables().iter().copied()) {
                match module.linkage(id) {
                    Some((name, LinkageType::Export)) => {
                        if let Some(&(other, known)) = self.exports.get(&name)
                            && self.parts[other].module.linkage(known).map(|l| l.1) == Some(LinkageType::Export)
                        {
                            again.push(format!(
                                "{name} is defined in module {other} and again in module {part}"
                            ));
                        }
                        self.exports.insert(name, (part, id));
                    }
                    Some((name, LinkageType::LinkOnceODR)) => {
                        self.exports.entry(name).or_insert((part, id));
                    }
                    _ => {}
                }
            }
        }
        all_well(again)
    }

    /// The definition of a function or variable, which may be in another module; an error if there is none.
    pub fn resolve(&self, (part, id): Place) -> Result<Place, Error> {
        match self.module(part).linkage(id) {
            Some((name, LinkageType::Import)) => self.exports.get(&name).copied().ok_or_else(|| undefined(&[name])),
            // All users must use the same definition.
            Some((name, LinkageType::LinkOnceODR)) => Ok(self.exports.get(&name).copied().unwrap_or((part, id))),
            _ => Ok((part, id)),
        }
    }

    /// The definition of an exported name.
    pub fn export(&self, name: &str) -> Option<Place> {
        self.exports.get(name).copied()
    }

    /// The index of a variable among the program's.
    pub fn global(&self, place: Place) -> Option<usize> {
        self.global_of.get(&place).copied()
    }

    /// The index of a function among those that are called through pointers.
    pub fn pointed(&self, place: Place) -> Option<usize> {
        self.pointed_of.get(&place).copied()
    }

    fn find_globals(&mut self) -> Result<(), Error> {
        for part in 0..self.parts.len() {
            let module = self.parts[part].module.clone();
            for &id in module.variables() {
                let Some(class) = storage_class(&module, id) else {
                    continue;
                };
                let is_mutable = class == StorageClass::CrossWorkgroup;
                let linkage = module.linkage(id);
                let is_shared = linkage.is_some();
                let is_import = linkage.as_ref().is_some_and(|l| l.1 == LinkageType::Import);
                if built_in(&module, id).is_some()
                    || is_import
                    || !(is_mutable || is_shared && class != StorageClass::Workgroup)
                {
                    continue;
                }
                let place = self.resolve((part, id))?;
                self.global_names.push(GlobalName {
                    part,
                    name: linkage.map(|l| l.0),
                    host_name: module.host_name(id),
                    place,
                });
                if place != (part, id) {
                    continue;
                }
                let size = match module.value_type(id).and_then(|ty| module.ty(ty)) {
                    Some(Type::Pointer(_, pointee)) => layout(self, part, *pointee)?.0,
                    _ => continue,
                };
                self.global_of.insert((part, id), self.globals.len());
                self.globals.push(GlobalVariable {
                    place,
                    size,
                    is_constant: !is_mutable || module.decoration(id, Decoration::Constant).is_some(),
                });
            }
        }
        Ok(())
    }

    fn find_pointed(&mut self) {
        for part in 0..self.parts.len() {
            let module = self.parts[part].module.clone();
            let mut targets: Vec<Id> = Vec::new();
            // Constants come before the first function.
            let end = module.functions().first().map_or(module.words().len(), |f| f.start);
            for inst in module.instructions(5, end) {
                if inst.op == Op::ConstantFunctionPointerINTEL {
                    targets.extend(inst.operands().first());
                }
            }
            let referenced = module
                .functions()
                .iter()
                .filter(|f| f.defined && module.decoration(f.id, Decoration::ReferencedIndirectlyINTEL).is_some());
            targets.extend(referenced.map(|f| f.id));
            for id in targets {
                // An undefined function is an error only if a kernel uses it.
                let Ok(place) = self.resolve((part, id)) else { continue };
                if !self.pointed_of.contains_key(&place) {
                    self.pointed_of.insert(place, self.pointed.len());
                    self.pointed.push(place);
                }
            }
        }
    }

    fn find_kernels(&mut self, options: &Options) -> Result<(), Error> {
        let mut found = HashMap::new();
        let mut again = Vec::new();
        let mut missing = BTreeSet::new();
        let mut scans = Scans::default();
        for part in 0..self.parts.len() {
            let module = self.parts[part].module.clone();
            for entry in module.entry_points() {
                if let Some(other) = found.insert(entry.name.clone(), part) {
                    again.push(format!(
                        "the kernel {} is in module {other} and again in module {part}",
                        entry.name
                    ));
                }
                let kernel = self.kernel(part, &module, entry, &mut scans, &mut missing)?;
                self.kernels.push(kernel);
            }
        }
        all_well(again)?;
        if options.allow_unresolved || missing.is_empty() {
            return Ok(());
        }
        Err(undefined(&missing.into_iter().collect::<Vec<_>>()))
    }

    /// Everything that a function reaches, in all modules. Undefined imports are added to `missing`.
    fn reach(&self, start: Place, missing: &mut BTreeSet<String>) -> Vec<(usize, Reach)> {
        let mut reached: HashMap<usize, Reach> = HashMap::new();
        // How many functions and variables of each part were resolved.
        let mut resolved: HashMap<usize, [usize; 2]> = HashMap::new();
        let mut todo = vec![start];
        let mut done = std::collections::HashSet::new();
        while let Some((part, id)) = todo.pop() {
            if !done.insert((part, id)) {
                continue;
            }
            let module = self.module(part);
            let reach = reached.entry(part).or_default();
            reach.add(module, id);
            let [functions, variables] = resolved.entry(part).or_default();
            let fresh = reach.functions[*functions..]
                .iter()
                .chain(&reach.variables[*variables..]);
            for &id in fresh {
                match self.resolve((part, id)) {
                    Ok(place) if place != (part, id) => todo.push(place),
                    Err(_) if built_in(module, id).is_none() => {
                        missing.extend(
                            module
                                .linkage(id)
                                .map(|l| l.0)
                                .filter(|name| known_import(name).is_none()),
                        );
                    }
                    _ => {}
                }
            }
            (*functions, *variables) = (reach.functions.len(), reach.variables.len());
        }
        let mut reached: Vec<_> = reached.into_iter().collect();
        reached.sort_by_key(|r| r.0);
        reached
    }

    /// Whether a function stops a kernel that calls it, as that of a failed assertion does. The compiler defines it.
    fn stops_kernels(&self, place: Place) -> bool {
        let module = self.module(place.0);
        let is_import = module.function(place.1).is_some_and(|function| !function.defined);
        let name = || module.linkage(place.1).and_then(|(name, _)| known_import(&name));
        let stops = matches!(name(), Some(KnownImport::Assert | KnownImport::RayQuery));
        is_import && stops && self.resolve(place).is_err()
    }

    fn kernel(
        &self,
        part: usize,
        module: &Module,
        entry: &EntryPoint,
        scans: &mut Scans,
        missing: &mut BTreeSet<String>,
    ) -> Result<LinkedKernel, Error> {
        let reach = self.reach((part, entry.function), missing);
        let mut locals = HashMap::new();
        let mut local_memory = 0u64;
        let mut has_barriers = false;
        let mut has_device_barrier = false;
        let mut has_collectives = false;
        let mut sees_sub_groups = false;
        let mut has_rows = false;
        let mut has_assertions = false;
        for (part, reach) in &reach {
            let module = self.module(*part);
            has_assertions |= match reach.indirect_calls {
                // Any function may be called.
                true => (0..self.parts.len()).any(|part| {
                    let functions = self.parts[part].module.functions().iter();
                    functions
                        .map(|function| function.id)
                        .any(|id| self.stops_kernels((part, id)))
                }),
                false => reach.functions.iter().any(|&id| self.stops_kernels((*part, id))),
            };
            for &id in &reach.variables {
                sees_sub_groups |= is_of_sub_groups(module, id);
                let Some(Type::Pointer(StorageClass::Workgroup, pointee)) =
                    module.value_type(id).and_then(|ty| module.ty(ty))
                else {
                    continue;
                };
                let (size, align) = layout(self, *part, *pointee)?;
                let align = module
                    .decoration(id, Decoration::Alignment)
                    .and_then(|o| o.first())
                    .map_or(align, |&a| align.max(u64::from(a).next_power_of_two().min(4096)));
                local_memory = local_memory
                    .checked_next_multiple_of(align)
                    .filter(|m| m.checked_add(size).is_some_and(|end| end <= 1 << 31))
                    .ok_or_else(|| Error::Link(format!("kernel {} has too much local memory", entry.name)))?;
                locals.insert((*part, id), local_memory);
                local_memory += size;
            }
            for &id in &reach.functions {
                let scan = scans.of((*part, id), self)?;
                if let Some(word) = scan.unsupported {
                    let inst = module.instructions(word, word + 1).next().expect("the scan found it");
                    return Err(inst.unsupported(&format!("in kernel {}", entry.name)));
                }
                has_barriers |= scan.group_ops;
                has_device_barrier |= scan.device_barrier;
                has_collectives |= scan.collectives;
                sees_sub_groups |= scan.sub_group_ops;
                has_rows |= scan.rows;
            }
        }
        let mut info = KernelInfo {
            name: entry.name.clone(),
            has_barriers,
            has_device_barrier,
            has_assertions,
            ..KernelInfo::default()
        };
        info.sub_group_size = self.target.sub_group_size();
        let mut no_contraction = false;
        for (mode, operands) in &entry.modes {
            let size = || match operands.as_slice() {
                &[x, y, z, ..] => Some([x, y, z]),
                _ => None,
            };
            match mode {
                ExecutionMode::LocalSize => info.required_work_group_size = size(),
                ExecutionMode::LocalSizeId => {
                    let values: Vec<u32> = operands
                        .iter()
                        .map(|&id| self.constant(part, id).map(|c| c as u32).unwrap_or(1))
                        .collect();
                    info.required_work_group_size = values.try_into().ok();
                }
                ExecutionMode::LocalSizeHint => info.work_group_size_hint = size(),
                ExecutionMode::MaxWorkgroupSizeINTEL => {
                    info.max_work_group_size = size().map(|s| s.iter().fold(1u32, |p, &n| p.saturating_mul(n)));
                }
                ExecutionMode::SubgroupSize => {
                    let wanted = operands.first().copied().unwrap_or(0);
                    if !self.target.has_sub_group_size(wanted) {
                        return Err(Error::Unsupported {
                            feature: format!("a sub-group size of {wanted}"),
                            what: format!("kernel {}: 4, 8, 16, 32 and 64 are supported", entry.name),
                        });
                    }
                    info.sub_group_size = wanted;
                    info.sub_group_size_required = true;
                }
                ExecutionMode::SubgroupsPerWorkgroup => info.sub_groups_per_work_group = operands.first().copied(),
                ExecutionMode::ContractionOff => no_contraction = true,
                _ => {}
            }
        }
        let wide = self.target.collective_width();
        let may_be_wider = has_collectives
            && !sees_sub_groups
            && !info.sub_group_size_required
            && info.sub_groups_per_work_group.is_none()
            // Rows that do not fill a sub-group take longer.
            && info
                .required_work_group_size
                .map_or(!has_rows, |[row, ..]| row.is_multiple_of(wide));
        info.collective_width = match may_be_wider {
            true => wide,
            false => info.sub_group_size,
        };
        let values = local_memory.next_multiple_of(VALUE_SIZE);
        if has_collectives {
            let sub_groups = self
                .target
                .max_work_group_size()
                .div_ceil(info.collective_width as usize);
            local_memory = values + VALUE_SIZE * sub_groups as u64;
        }
        info.local_memory = local_memory as usize;
        let function = module.function(entry.function).expect("the module was checked");
        let mut offset = 0u64;
        for &id in &function.params {
            let (kind, size, align) = self.param(part, module, id)?;
            offset = offset.next_multiple_of(align);
            info.args_align = info.args_align.max(align as usize);
            info.params.push(Param {
                kind,
                size: size as usize,
                offset: offset as usize,
                name: module.name(id).unwrap_or_default().to_string(),
            });
            offset += size.max(1);
        }
        info.args_size = offset.next_multiple_of(8) as usize;
        Ok(LinkedKernel {
            info: Arc::new(info),
            place: (part, entry.function),
            locals,
            values,
            no_contraction,
        })
    }

    fn param(&self, part: usize, module: &Module, id: Id) -> Result<(ParamKind, u64, u64), Error> {
        let ty = module.value_type(id).unwrap_or_default();
        Ok(match module.ty(ty) {
            Some(Type::Pointer(class, pointee)) => match class {
                StorageClass::Function if is_by_value(module, id) => {
                    let (size, align) = layout(self, part, *pointee)?;
                    (ParamKind::Value, size, align)
                }
                StorageClass::Workgroup => (ParamKind::Local, 8, 8),
                StorageClass::UniformConstant => (ParamKind::Pointer(AddressSpace::Constant), 8, 8),
                StorageClass::CrossWorkgroup => (ParamKind::Pointer(AddressSpace::Global), 8, 8),
                _ => (ParamKind::Pointer(AddressSpace::Generic), 8, 8),
            },
            Some(Type::Image(..)) => (ParamKind::Image, 8, 8),
            Some(Type::Sampler) => (ParamKind::Sampler, 8, 8),
            _ => {
                let (size, align) = layout(self, part, ty)?;
                (ParamKind::Value, size, align)
            }
        })
    }

    /// The value of a constant integer, with specialization.
    pub fn constant(&self, part: usize, id: Id) -> Option<u64> {
        let Part { module, constants } = &self.parts[part];
        if let Some(spec) = module.spec_id(id)
            && let Some((_, bytes)) = constants.iter().find(|(s, _)| *s == spec)
        {
            let mut wide = [0; 8];
            let len = bytes.len().min(8);
            wide[..len].copy_from_slice(&bytes[..len]);
            return Some(u64::from_le_bytes(wide));
        }
        if let Some(value) = module.constant(id) {
            return Some(value);
        }
        let inst = module.def(id)?;
        match inst.op {
            Op::SpecConstant => {
                let low = u64::from(*inst.words.get(3)?);
                Some(low | inst.words.get(4).map_or(0, |&high| u64::from(high) << 32))
            }
            Op::ConstantTrue | Op::SpecConstantTrue => Some(1),
            Op::ConstantFalse | Op::SpecConstantFalse => Some(0),
            _ => None,
        }
    }
}

/// An error with all messages, if there are any.
fn all_well(again: Vec<String>) -> Result<(), Error> {
    match again.is_empty() {
        true => Ok(()),
        false => Err(Error::Link(again.join("; "))),
    }
}

/// The error for undefined names.
fn undefined(names: &[String]) -> Error {
    if let Some(name) = names.iter().find(|name| name.starts_with("llvm.genx.")) {
        // ESIMD functions are not code of a work-item, but of a GPU's vector thread.
        return Error::Unsupported {
            feature: "ESIMD".into(),
            what: format!("capability VectorComputeINTEL, function {name}"),
        };
    }
    Error::Link(format!("nothing defines {}", names.join(", ")))
}
