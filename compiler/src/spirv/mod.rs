// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! SPIR-V modules: parsed into an index over their words, and checked.
//!
//! A module keeps its words as they are. The index says where things are: which instruction defines an id, its
//! decorations, where functions begin. Only functions that a kernel reaches are read again, by `lower`. The grammar,
//! which distinguishes ids from literals, is rspirv's. Its data representation is not used, because it rejects modules
//! with unknown enumerants, and building it takes longer than the rest of a build.

mod instruction;
mod parse;
mod queries;
mod reach;
mod types;
mod validate;
mod write_only;

use std::collections::HashMap;
use std::sync::Arc;

use ::spirv::{Decoration, ExecutionMode, LinkageType, Op};
use oxur_fork::OnceLock;

pub use instruction::{Inst, string};
pub use queries::{built_in, is_by_value, is_of_row, is_of_sub_groups, storage_class};
pub use reach::Reach;
pub use types::Type;
pub use write_only::write_only_params;

use crate::Error;

/// The id of a type, value or other entity in a module.
pub type Id = u32;

/// A parsed and checked module.
pub struct Module {
    words: Vec<u32>,
    /// The offset of the instruction that defines an id, by id; 0 if there is none.
    defs: Vec<u32>,
    /// The type of an id's value, by id; 0 if there is none.
    value_types: Vec<Id>,
    types: HashMap<Id, Type>,
    decorations: HashMap<Id, Vec<Decorated>>,
    member_decorations: HashMap<Id, Vec<(u32, Decorated)>>,
    names: HashMap<Id, String>,
    ext_sets: HashMap<Id, ExtSet>,
    functions: Vec<Function>,
    function_of: HashMap<Id, usize>,
    /// The uses of each function, computed when they are first needed.
    uses: Vec<OnceLock<reach::Uses>>,
    variables: Vec<Id>,
    entry_points: Vec<EntryPoint>,
    capabilities: Vec<u32>,
    spec_constants: Vec<(u32, usize)>,
    spec_ids: HashMap<Id, u32>,
    digest: OnceLock<[u8; 32]>,
}

/// A decoration and its operands.
#[derive(Clone, Debug)]
pub struct Decorated {
    /// The decoration.
    pub decoration: Decoration,
    /// Its operands.
    pub operands: Vec<u32>,
}

/// A function, defined or declared.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its id.
    pub id: Id,
    /// Its return type.
    pub result: Id,
    /// Its parameters.
    pub params: Vec<Id>,
    /// The offset of its `OpFunction`, in words.
    pub start: usize,
    /// The offset of its `OpFunctionEnd`.
    pub end: usize,
    /// Whether it has a body.
    pub defined: bool,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    /// Its name.
    pub name: String,
    /// The function.
    pub function: Id,
    /// The offset of its `OpEntryPoint`, in words.
    pub offset: usize,
    /// Its execution modes with their operands.
    pub modes: Vec<(ExecutionMode, Vec<u32>)>,
}

/// An extended instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtSet {
    /// OpenCL.std.
    OpenCl,
    /// Debug information, which has no effect.
    Debug,
    /// An unknown set.
    Unknown,
}

impl Module {
    /// Parses and checks a module of the Kernel execution model.
    pub fn parse(bytes: &[u8]) -> Result<Arc<Self>, Error> {
        parse::parse(bytes).map(Arc::new)
    }

    /// The specialization constants that may be set: `SpecId` and size in bytes.
    pub fn specialization_constants(&self) -> &[(u32, usize)] {
        &self.spec_constants
    }

    /// The capabilities that it declares, by their numbers.
    pub fn capabilities(&self) -> &[u32] {
        &self.capabilities
    }

    /// The names of its kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.entry_points.iter().map(|e| e.name.as_str())
    }

    /// Its kernels.
    pub fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
    }

    /// Its words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// A cryptographic hash of its words, computed when it is first needed.
    pub fn digest(&self) -> &[u8; 32] {
        self.digest.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            // Converted to bytes in blocks, which is a copy on little-endian machines.
            let mut bytes = [0; 4096];
            for words in self.words.chunks(bytes.len() / 4) {
                for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
                    to.copy_from_slice(&word.to_le_bytes());
                }
                hasher.update(&bytes[..words.len() * 4]);
            }
            hasher.finalize().into()
        })
    }

    /// Its functions.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The function of an id.
    pub fn function(&self, id: Id) -> Option<&Function> {
        self.function_of.get(&id).map(|&i| &self.functions[i])
    }

    /// The variables outside of functions.
    pub fn variables(&self) -> &[Id] {
        &self.variables
    }

    /// Whether an instruction is outside of all functions.
    fn is_global(&self, offset: usize) -> bool {
        self.functions.first().is_none_or(|f| offset < f.start)
    }

    /// The instruction that defines an id.
    pub fn def(&self, id: Id) -> Option<Inst<'_>> {
        match self.defs.get(id as usize) {
            None | Some(0) => None,
            Some(&at) => Some(self.at(at as usize)),
        }
    }

    /// The instruction at an offset, in words. There is one, because `parse` has checked the module.
    fn at(&self, offset: usize) -> Inst<'_> {
        Inst::new(&self.words, offset).expect("instructions were counted when the module was parsed")
    }

    /// The instructions between two offsets.
    pub fn instructions(&self, start: usize, end: usize) -> impl Iterator<Item = Inst<'_>> {
        let mut at = start;
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let inst = self.at(at);
            at += inst.words.len();
            Some(inst)
        })
    }

    /// Whether it has floating-point types.
    pub fn has_floats(&self) -> bool {
        self.types.values().any(|ty| matches!(ty, Type::Float(_)))
    }

    /// The type that an id declares.
    pub fn ty(&self, id: Id) -> Option<&Type> {
        self.types.get(&id)
    }

    /// The type of an id's value.
    pub fn value_type(&self, id: Id) -> Option<Id> {
        match self.value_types.get(id as usize) {
            None | Some(0) => None,
            Some(&ty) => Some(ty),
        }
    }

    /// The decorations of an id.
    pub fn decorations(&self, id: Id) -> &[Decorated] {
        self.decorations.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The operands of a decoration of an id.
    pub fn decoration(&self, id: Id, decoration: Decoration) -> Option<&[u32]> {
        self.decorations(id)
            .iter()
            .find(|d| d.decoration == decoration)
            .map(|d| d.operands.as_slice())
    }

    /// The decorations of the members of a structure.
    pub fn member_decorations(&self, id: Id) -> &[(u32, Decorated)] {
        self.member_decorations.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The name that `OpName` gives an id.
    pub fn name(&self, id: Id) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }

    /// The extended instruction set of an id.
    pub fn ext_set(&self, id: Id) -> Option<ExtSet> {
        self.ext_sets.get(&id).copied()
    }

    /// The `SpecId` of a specialization constant.
    pub fn spec_id(&self, id: Id) -> Option<u32> {
        self.spec_ids.get(&id).copied()
    }

    /// The linkage of a function or variable: its name, and whether it is exported, imported, or `linkonce_odr`.
    pub fn linkage(&self, id: Id) -> Option<(String, LinkageType)> {
        let operands = self.decoration(id, Decoration::LinkageAttributes)?;
        let (name, used) = string(operands)?;
        Some((name, LinkageType::from_u32(*operands.get(used)?)?))
    }

    /// The names that other modules must define: not those that the compiler knows, nor variables like
    /// `__spirv_BuiltInGlobalInvocationId`.
    pub fn imports(&self) -> Vec<String> {
        let mut names: Vec<_> = self.linkage_names(|kind| kind == LinkageType::Import);
        let is_known = |name: &str| crate::known_imports::known_import(name).is_some() || name.starts_with("__spirv_");
        names.retain(|name| !is_known(name));
        names
    }

    /// The names that other modules may use.
    pub fn exports(&self) -> Vec<String> {
        self.linkage_names(|kind| kind != LinkageType::Import)
    }

    fn linkage_names(&self, is_wanted: impl Fn(LinkageType) -> bool) -> Vec<String> {
        let functions = self.functions().iter().map(|function| function.id);
        let named = functions.chain(self.variables().iter().copied());
        let wanted = named.filter_map(|id| self.linkage(id).filter(|(_, kind)| is_wanted(*kind)));
        wanted.map(|(name, _)| name).collect()
    }

    /// The host name of a variable.
    pub fn host_name(&self, id: Id) -> Option<String> {
        let operands = self.decoration(id, Decoration::HostAccessINTEL)?;
        string(operands.get(1..)?).map(|s| s.0)
    }

    /// The value of a constant integer, unless it is a specialization constant.
    pub fn constant(&self, id: Id) -> Option<u64> {
        let inst = self.def(id)?;
        match inst.op {
            Op::Constant => match inst.words.get(3..)? {
                [low] => Some(u64::from(*low)),
                [low, high, ..] => Some(u64::from(*low) | u64::from(*high) << 32),
                [] => None,
            },
            Op::ConstantNull => Some(0),
            _ => None,
        }
    }
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module")
            .field("kernels", &self.kernels().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
