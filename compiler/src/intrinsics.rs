// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What one work-item asks of its work-group: the contract between `lower`, which calls these functions, and the target,
//! which defines them: `workgroup` for the CPU, `nvptx` for NVIDIA GPUs.
//!
//! Each is a declared function of LLVM IR whose first parameter is the item. How they are defined depends on how a
//! work-group runs: item by item, in vectors, as coroutines, or each item in a thread of a GPU.

use std::ffi::CStr;

use crate::llvm::{Builder, Function, Module, Type, Value};

/// The function that a kernel becomes.
pub const KERNEL: &str = "kernel";

/// The runtime's function for a barrier of the whole device: `(item)`.
pub const DEVICE_BARRIER: &str = "oxur_device_barrier";

/// A query of a work-item, whose only operand is a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkItemIntrinsic {
    /// `(item, dimension) -> i64`
    LocalId,
    /// `(item, dimension) -> i64`
    GroupId,
    /// `(item, dimension) -> i64`
    LocalSize,
    /// `(item, dimension) -> i64`
    GlobalSize,
    /// `(item, dimension) -> i64`
    GlobalOffset,
    /// `(item, dimension) -> i64`
    NumGroups,
    /// `(item, dimension) -> i64`
    GlobalId,
    /// `(item) -> i64`
    Dimensions,
    /// `(item) -> i64`: the number of the item in its group, dimension 0 fastest.
    LocalLinearId,
    /// `(item) -> i64`: how many items the group has.
    GroupSize,
    /// `(item) -> ptr`: the group's local memory.
    LocalMemory,
    /// `(item) -> i64`: the number of the item in its sub-group.
    Lane,
    /// `(item) -> i64`: the number of the sub-group.
    SubGroup,
}

impl WorkItemIntrinsic {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::LocalId,
        Self::GroupId,
        Self::LocalSize,
        Self::GlobalSize,
        Self::GlobalOffset,
        Self::NumGroups,
        Self::GlobalId,
        Self::Dimensions,
        Self::LocalLinearId,
        Self::GroupSize,
        Self::LocalMemory,
        Self::Lane,
        Self::SubGroup,
    ];

    /// The intrinsic of a function's name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|intrinsic| intrinsic.name() == name)
    }

    /// The function's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::LocalId => "oxur.local_id",
            Self::GroupId => "oxur.group_id",
            Self::LocalSize => "oxur.local_size",
            Self::GlobalSize => "oxur.global_size",
            Self::GlobalOffset => "oxur.global_offset",
            Self::NumGroups => "oxur.num_groups",
            Self::GlobalId => "oxur.global_id",
            Self::Dimensions => "oxur.dimensions",
            Self::LocalLinearId => "oxur.local_linear_id",
            Self::GroupSize => "oxur.group_size",
            Self::LocalMemory => "oxur.local_memory",
            Self::Lane => "oxur.lane",
            Self::SubGroup => "oxur.sub_group",
        }
    }

    /// Whether it takes a dimension.
    pub fn has_dimension(self) -> bool {
        (self as u32) < Self::Dimensions as u32
    }

    /// The function's declaration.
    pub fn declare<'c>(self, module: &Module<'c>) -> Function<'c> {
        let cx = module.context();
        if let Some(known) = module.function(self.name()) {
            return known;
        }
        let params = if self.has_dimension() {
            vec![cx.ptr(), cx.int(32)]
        } else {
            vec![cx.ptr()]
        };
        let result = if self == Self::LocalMemory {
            cx.ptr()
        } else {
            cx.int(64)
        };
        let function = module.add_function(self.name(), result.function(&params));
        // The values never change for one item, so LLVM may merge calls.
        function
            .attribute("nounwind", 0)
            .attribute("willreturn", 0)
            .attribute("memory", 0)
    }
}

/// Tells LLVM that no id or size is larger than [`MAX_ID`].
pub fn set_ranges(module: &Module<'_>) {
    for intrinsic in WorkItemIntrinsic::ALL
        .into_iter()
        .filter(|&p| p != WorkItemIntrinsic::LocalMemory)
    {
        if let Some(function) = module.function(intrinsic.name()) {
            function.result_range(64, 0, MAX_ID + 1);
        }
    }
}

/// Puts numbers in the place of sizes of groups, which have this one, and tells LLVM how large local ids are.
pub fn set_size(module: &Module<'_>, size: [u32; 3]) {
    let wide = module.context().int(64);
    let items = size.iter().map(|&n| u64::from(n)).product();
    let largest = size.iter().copied().max().map_or(1, u64::from);
    for (intrinsic, end) in [
        (WorkItemIntrinsic::LocalId, largest),
        (WorkItemIntrinsic::LocalLinearId, items),
    ] {
        if let Some(function) = module.function(intrinsic.name()) {
            function.result_range(64, 0, end);
        }
    }
    let of_dimension = |call: Value<'_>| {
        let dimension = call.operand(1).as_const_int()?;
        size.get(dimension as usize).copied().map(u64::from)
    };
    for intrinsic in [
        WorkItemIntrinsic::LocalSize,
        WorkItemIntrinsic::GroupSize,
        WorkItemIntrinsic::LocalId,
    ] {
        let calls = module
            .function(intrinsic.name())
            .map(|function| Value::from(function).users());
        for call in calls.into_iter().flatten() {
            let number = match intrinsic {
                WorkItemIntrinsic::GroupSize => Some(items),
                WorkItemIntrinsic::LocalSize => of_dimension(call),
                // Where there is only one.
                _ => of_dimension(call).filter(|&n| n == 1).map(|_| 0),
            };
            if let Some(number) = number {
                call.replace_with(wide.int(number));
                call.erase();
            }
        }
    }
}

/// The largest id, size or offset in vectorized code. A launch beyond it uses scalar code.
pub const MAX_ID: u64 = i32::MAX as u64;

/// The mark of instructions that write to local memory.
pub const STORE_TO_LOCAL: &CStr = c"oxur.local";

/// The runtime's function `(item, address)` that tells the storage class of what an address refers to.
pub const STORAGE_CLASS: &str = "oxur_storage_class";

/// The scope of fences that order nothing but accesses of the items of a group to each other. LLVM joins fences of one scope only.
pub const GROUP_SCOPE: &str = "oxur.group";

/// An operation of all items of a work-group or sub-group together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupCollective {
    /// `(item, site) -> void`: a barrier of the work-group.
    Barrier,
    /// `(item, site) -> void`: a barrier of the sub-group.
    SubGroupBarrier,
    /// `(item, site, i1) -> i64`: a bit for each item whose operand is true.
    Ballot,
    /// `(item, site, T, i32 lane) -> T`: the value of another lane.
    Shuffle,
    /// `(item, site, T) -> T`: all values combined.
    Reduce(ReduceOp),
    /// `(item, site, T) -> T`: the values of the lanes up to the own one combined.
    InclusiveScan(ReduceOp),
    /// `(item, site, T) -> T`: the values of the lanes before the own one combined.
    ExclusiveScan(ReduceOp),
}

/// Which items take part in an operation of a sub-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Members {
    /// All of the sub-group. On the CPU also those that reach the operation: the vectorizer knows them.
    All,
    /// Those that reach the operation together, which are known when it runs. `oxur.active.` begins the name.
    Active,
    /// Those of a mask, a bit for each item of the sub-group, which is one more parameter (`i64`). `oxur.given.` begins the
    /// name.
    #[cfg(feature = "nvptx")]
    Given,
}

impl Members {
    /// What their names begin with.
    fn prefix(self) -> &'static str {
        match self {
            Self::All => "oxur.",
            Self::Active => "oxur.active.",
            #[cfg(feature = "nvptx")]
            Self::Given => "oxur.given.",
        }
    }
}

/// The operation of a reduction or scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// Integer sum.
    Add,
    /// Integer product.
    Mul,
    /// Lesser signed integer.
    SMin,
    /// Greater signed integer.
    SMax,
    /// Lesser unsigned integer.
    UMin,
    /// Greater unsigned integer.
    UMax,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Floating-point sum.
    FAdd,
    /// Floating-point product.
    FMul,
    /// Lesser floating-point number.
    FMin,
    /// Greater floating-point number.
    FMax,
}

impl ReduceOp {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 13] = [
        Self::Add,
        Self::Mul,
        Self::SMin,
        Self::SMax,
        Self::UMin,
        Self::UMax,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::FAdd,
        Self::FMul,
        Self::FMin,
        Self::FMax,
    ];

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Mul => "mul",
            Self::SMin => "smin",
            Self::SMax => "smax",
            Self::UMin => "umin",
            Self::UMax => "umax",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::FAdd => "fadd",
            Self::FMul => "fmul",
            Self::FMin => "fmin",
            Self::FMax => "fmax",
        }
    }

    /// Whether it is for floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Self::FAdd | Self::FMul | Self::FMin | Self::FMax)
    }

    /// The identity of the operation.
    pub fn identity<'c>(self, ty: Type<'c>) -> Value<'c> {
        let signed_max = || ty.int((1u128 << (ty.bits() - 1)) as u64 - 1);
        match self {
            Self::Add | Self::Or | Self::Xor | Self::UMax => ty.zero(),
            Self::Mul => ty.int(1),
            Self::And | Self::UMin => ty.ones(),
            Self::SMin => signed_max(),
            Self::SMax => ty.int((1u128 << (ty.bits() - 1)) as u64),
            // Minus zero, because 0.0 + -0.0 is 0.0.
            Self::FAdd => ty.real(-0.0),
            Self::FMul => ty.real(1.0),
            Self::FMin => ty.real(f64::INFINITY),
            Self::FMax => ty.real(f64::NEG_INFINITY),
        }
    }

    /// Combines two values.
    pub fn apply<'c>(self, module: &Module<'c>, b: &Builder<'c>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        let call = |name| b.intrinsic(module, name, &[x.ty()], &[x, y]);
        match self {
            Self::Add => b.add(x, y),
            Self::Mul => b.mul(x, y),
            Self::SMin => call("llvm.smin"),
            Self::SMax => call("llvm.smax"),
            Self::UMin => call("llvm.umin"),
            Self::UMax => call("llvm.umax"),
            Self::And => b.and(x, y),
            Self::Or => b.or(x, y),
            Self::Xor => b.xor(x, y),
            Self::FAdd => b.fadd(x, y),
            Self::FMul => b.fmul(x, y),
            Self::FMin => call("llvm.minnum"),
            Self::FMax => call("llvm.maxnum"),
        }
    }
}

/// `(item, ptr, i64) -> T`: combines the values of so many sub-groups, which are words of local memory, in turn. It has a body, and
/// where items run one by one the runtime does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CombineValues(pub ReduceOp);

impl CombineValues {
    /// The function's name for values of a type.
    pub fn name(self, ty: Type<'_>) -> String {
        format!("oxur.combine_values.{}.{ty:?}", self.0.name())
    }

    /// The operation of a function's name.
    pub fn from_name(name: &str) -> Option<Self> {
        let (op, _) = name.strip_prefix("oxur.combine_values.")?.split_once('.')?;
        ReduceOp::from_name(op).map(Self)
    }
}

/// `(item, T, i32 size) -> T`: all values of a work-group combined: those of each sub-group of this size first. It is in code for whole
/// groups only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupReduction(pub ReduceOp);

impl GroupReduction {
    /// The function for values of a type.
    pub fn declare<'c>(self, module: &Module<'c>, ty: Type<'c>) -> Function<'c> {
        let cx = module.context();
        let name = format!("oxur.group_reduction.{}.{ty:?}", self.0.name());
        let function = module.declare(&name, ty.function(&[cx.ptr(), ty, cx.int(32)]));
        // As a barrier, it must stay where all items come.
        function.attribute("nounwind", 0).attribute("convergent", 0)
    }

    /// The operation of a function's name.
    pub fn from_name(name: &str) -> Option<Self> {
        let (op, _) = name.strip_prefix("oxur.group_reduction.")?.split_once('.')?;
        ReduceOp::from_name(op).map(Self)
    }
}

impl GroupCollective {
    /// The function's name for values of a type.
    pub fn name(self, ty: Option<Type<'_>>) -> String {
        let ty = ty.map(|t| format!(".{t:?}")).unwrap_or_default();
        match self {
            Self::Barrier => "oxur.barrier".into(),
            Self::SubGroupBarrier => "oxur.sub_group_barrier".into(),
            Self::Ballot => "oxur.ballot".into(),
            Self::Shuffle => format!("oxur.shuffle{ty}"),
            Self::Reduce(c) => format!("oxur.reduce.{}{ty}", c.name()),
            Self::InclusiveScan(c) => format!("oxur.inclusive_scan.{}{ty}", c.name()),
            Self::ExclusiveScan(c) => format!("oxur.exclusive_scan.{}{ty}", c.name()),
        }
    }

    /// The collective of a function's name, if all take part.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix("oxur.")?;
        let mut parts = name.split('.');
        Some(match parts.next()? {
            "barrier" => Self::Barrier,
            "sub_group_barrier" => Self::SubGroupBarrier,
            "ballot" => Self::Ballot,
            "shuffle" => Self::Shuffle,
            "reduce" => Self::Reduce(ReduceOp::from_name(parts.next()?)?),
            "inclusive_scan" => Self::InclusiveScan(ReduceOp::from_name(parts.next()?)?),
            "exclusive_scan" => Self::ExclusiveScan(ReduceOp::from_name(parts.next()?)?),
            _ => return None,
        })
    }

    /// The same, and who takes part.
    #[cfg(feature = "nvptx")]
    pub fn with_members(name: &str) -> Option<(Self, Members)> {
        let some = [Members::Active, Members::Given];
        let found = some
            .into_iter()
            .find_map(|members| Some((name.strip_prefix(members.prefix())?, members)));
        match found {
            Some((rest, members)) => Self::from_name(&format!("oxur.{rest}")).map(|collective| (collective, members)),
            None => Self::from_name(name).map(|collective| (collective, Members::All)),
        }
    }

    /// The function's declaration for values of a type.
    pub fn declare<'c>(self, module: &Module<'c>, ty: Option<Type<'c>>, members: Members) -> Function<'c> {
        let cx = module.context();
        let mut name = self.name(ty);
        name.replace_range(.."oxur.".len(), members.prefix());
        if let Some(known) = module.function(&name) {
            return known;
        }
        let mut params = vec![cx.ptr(), cx.int(32)];
        let result = match self {
            Self::Barrier | Self::SubGroupBarrier => cx.void(),
            Self::Ballot => {
                params.push(cx.int(1));
                cx.int(64)
            }
            _ => {
                let ty = ty.expect("values have a type");
                params.push(ty);
                if self == Self::Shuffle {
                    params.push(cx.int(32));
                }
                ty
            }
        };
        #[cfg(feature = "nvptx")]
        if members == Members::Given {
            params.push(cx.int(64));
        }
        module
            .add_function(&name, result.function(&params))
            .attribute("nounwind", 0)
            .attribute("convergent", 0)
    }
}
