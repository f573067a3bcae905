// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From SPIR-V to LLVM IR for one work-item.
//! A kernel becomes `void kernel(ptr item, ptr args)`. Other functions get the item as an additional first parameter.
//! Whatever depends on how work-items run, such as ids and barriers, is a call of an [intrinsic](crate::intrinsics),
//! which the target defines. Values are addresses of one address space, which holds all storage classes; only accesses
//! name others, for targets that want that. Operands are checked against SPIR-V's rules here, so that a malformed module
//! is an error with an offset and not a crash in LLVM.

mod async_copy;
mod atomics;
mod blocks;
mod built_ins;
mod calls;
mod clusters;
mod composites;
mod constants;
mod function;
mod groups;
mod memory;
mod ops;
mod types;

use std::collections::HashMap;

use crate::Error;
use crate::intrinsics::{KERNEL, Members};
use crate::link::{Linked, LinkedKernel, Place};
use crate::llvm::{self, Block, Builder, Context, Function, Value};
use crate::spirv::{self, Id, Inst, Type};

pub use constants::{global_index, global_name, pointed_name};

/// The state of lowering one LLVM module: a kernel, or the variables of a program.
pub struct ModuleLowering<'c> {
    /// The context.
    pub context: &'c Context,
    /// The module.
    pub module: llvm::Module<'c>,
    linked: &'c Linked,
    /// The kernel; `None` for the module that defines variables and functions that are called through pointers.
    kernel: Option<&'c LinkedKernel>,
    types: HashMap<(usize, Id), llvm::Type<'c>>,
    constants: HashMap<(usize, Id), Value<'c>>,
    functions: HashMap<Place, Function<'c>>,
    globals: HashMap<usize, Value<'c>>,
    todo: Vec<Place>,
    scratch: Option<Block<'c>>,
    defines_globals: bool,
    /// The current depth of nested constants.
    depth: usize,
    /// The number of barriers and group operations so far. Each has a unique number, its site, so that LLVM does not take two for
    /// one. Scalar code gets others, whose order counts (`workgroup/convergence.rs`).
    sites: u32,
}

/// Lowers a kernel and all that it calls.
pub fn kernel<'c>(
    context: &'c Context,
    linked: &'c Linked,
    kernel: &'c LinkedKernel,
) -> Result<llvm::Module<'c>, Error> {
    let mut unit = ModuleLowering::new(context, linked, Some(kernel), &kernel.info.name);
    let ty = context.void().function(&[context.ptr(), context.ptr()]);
    let function = unit.module.add_function(KERNEL, ty);
    // Kernels cannot write to the item or to the block of arguments. So structures in there need no copy for each item,
    // unless the item changes its own.
    for param in 0..2 {
        function
            .param_attribute(param, "noalias", 0)
            .param_attribute(param, "readonly", 0);
    }
    unit.keep_together(function);
    unit.lower(kernel.place, function, true)?;
    unit.finish()
}

/// Lowers the variables of a program with their initial values, and the functions that are called through pointers.
pub fn globals<'c>(context: &'c Context, linked: &'c Linked) -> Result<llvm::Module<'c>, Error> {
    let mut unit = ModuleLowering::new(context, linked, None, "globals");
    unit.defines_globals = true;
    for (index, &place) in linked.pointed.iter().enumerate() {
        let Some(function) = linked.module(place.0).function(place.1) else {
            continue;
        };
        let ty = unit.function_type(place.0, function)?;
        let made = unit.module.add_function(&pointed_name(index), ty);
        unit.keep_together(made);
        unit.functions.insert(place, made);
        unit.todo.push(place);
    }
    for (index, global) in linked.globals.iter().enumerate() {
        if linked.shared.contains(&index) {
            continue;
        }
        let (part, id) = global.place;
        let module = linked.module(part);
        let pointee = unit.pointee(part, id).unwrap_or_default();
        let ty = unit.ty(part, pointee)?;
        if !ty.has_values() {
            return Err(Error::Malformed {
                offset: 0,
                what: format!("variable {id}: there are no values of its type"),
            });
        }
        let value = unit
            .globals
            .entry(index)
            .or_insert_with(|| unit.module.add_global(&global_name(index), ty, None, false));
        let value = *value;
        value.align(16);
        let initial = match module.def(id).and_then(|i| i.operands().get(1).copied()) {
            Some(initial) => unit.constant(part, initial)?,
            None => ty.zero(),
        };
        if initial.ty() != ty {
            return Err(Error::Malformed {
                offset: 0,
                what: format!("variable {id}: its initial value has another type"),
            });
        }
        unit.module.initialize(value, initial);
    }
    unit.finish()
}

impl<'c> ModuleLowering<'c> {
    fn new(context: &'c Context, linked: &'c Linked, kernel: Option<&'c LinkedKernel>, name: &str) -> Self {
        let module = llvm::Module::new(context, name);
        module.set_layout(linked.target.layout());
        Self {
            context,
            module,
            linked,
            kernel,
            types: HashMap::new(),
            constants: HashMap::new(),
            functions: HashMap::new(),
            globals: HashMap::new(),
            todo: Vec::new(),
            scratch: None,
            defines_globals: false,
            depth: 0,
            sites: 0,
        }
    }

    fn finish(mut self) -> Result<llvm::Module<'c>, Error> {
        while let Some(place) = self.todo.pop() {
            let function = self.functions[&place];
            self.lower(place, function, false)?;
        }
        if let Some(block) = self.scratch {
            block.function().delete();
        }
        Ok(self.module)
    }

    /// A block for folding constants.
    fn scratch(&mut self) -> Block<'c> {
        *self.scratch.get_or_insert_with(|| {
            let ty = self.context.void().function(&[]);
            self.module.add_function("scratch", ty).append_block("")
        })
    }

    /// The pointee of a pointer value.
    fn pointee(&self, part: usize, id: Id) -> Option<Id> {
        let module = self.linked.module(part);
        match module.ty(module.value_type(id)?)? {
            Type::Pointer(_, pointee) => Some(*pointee),
            _ => None,
        }
    }

    fn function_type(&mut self, part: usize, function: &spirv::Function) -> Result<llvm::Type<'c>, Error> {
        let module = self.linked.module(part);
        let mut params = vec![self.context.ptr()];
        for &param in &function.params {
            params.push(self.ty(part, module.value_type(param).unwrap_or_default())?);
        }
        Ok(self.ty(part, function.result)?.function(&params))
    }

    /// The function of a definition, which is lowered later if it was not yet.
    fn function(&mut self, place: Place) -> Result<Function<'c>, Error> {
        if let Some(&known) = self.functions.get(&place) {
            return Ok(known);
        }
        let module = self.linked.module(place.0);
        let function = module.function(place.1).ok_or_else(|| Error::Malformed {
            offset: 0,
            what: format!("{} is called, but is no function", place.1),
        })?;
        let ty = self.function_type(place.0, function)?;
        let name = module
            .linkage(place.1)
            .map(|l| l.0)
            .or_else(|| module.name(place.1).map(str::to_string));
        let name = format!("f.{}.{}.{}", place.0, place.1, name.unwrap_or_default());
        let made = self.module.add_function(&name, ty).internal().attribute("nounwind", 0);
        self.keep_together(made);
        self.functions.insert(place, made);
        self.todo.push(place);
        Ok(made)
    }

    /// Where the items that take part in an operation are not known before it runs, calls of functions that may have
    /// such operations must not come to depend on further conditions. LLVM finds out for which functions that is so.
    fn keep_together(&self, function: Function<'c>) {
        if self.linked.target.parts_lanes() {
            function.attribute("convergent", 0);
        }
    }

    fn site(&mut self) -> Value<'c> {
        self.sites += 1;
        self.context.int(32).int(self.sites.into())
    }
}

/// A function while it is lowered.
struct FunctionLowering<'u, 'c> {
    unit: &'u mut ModuleLowering<'c>,
    part: usize,
    module: &'c spirv::Module,
    function: Function<'c>,
    builder: Builder<'c>,
    /// A builder in the entry block, for variables and work-item queries.
    entry: Builder<'c>,
    item: Value<'c>,
    values: HashMap<Id, Value<'c>>,
    blocks: HashMap<Id, Block<'c>>,
    /// The last LLVM block of each SPIR-V block: an instruction may need several.
    ends: HashMap<Id, Block<'c>>,
    phis: Vec<(Value<'c>, Inst<'c>)>,
    no_contraction: bool,
    /// The blocks that close loops which the module asks to unroll.
    unrolled: Vec<Id>,
    /// Who takes part in the group instruction that is lowered.
    members: Members,
}
