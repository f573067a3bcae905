// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a work-item knows of itself and of its group: the primitives that `lower` calls and `workgroup` defines, and
//! SPIR-V's built-in variables made of them.
//!
//! A primitive is a declared function whose first parameter is the item. `lower` leaves them undefined; how they are
//! answered is what tells one way of running a work-group from another.

use spirv::BuiltIn;

use crate::llvm::{Builder, Context, Function, Module, Type, Value};

/// A primitive of a work-item that takes no more than a dimension.
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
        // An item's own are the same each time, so that one call may stand for all.
        function
            .attribute("nounwind", 0)
            .attribute("willreturn", 0)
            .attribute("memory", 0)
    }
}

/// Says that no id or size is larger than [`MAX_ID`].
pub fn set_ranges(module: &Module<'_>) {
    for primitive in WorkItemIntrinsic::ALL
        .into_iter()
        .filter(|&p| p != WorkItemIntrinsic::LocalMemory)
    {
        if let Some(function) = module.function(primitive.name()) {
            function.result_range(64, 0, MAX_ID + 1);
        }
    }
}

/// No id, size or offset is larger in code that was widened: a launch beyond it uses other code.
pub const MAX_ID: u64 = i32::MAX as u64;

/// What items of a sub-group do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupCollective {
    /// `(item, site) -> void`: all items of the group come here before one goes on.
    Barrier,
    /// `(item, site) -> void`: the same for the sub-group.
    SubGroupBarrier,
    /// `(item, site, i1) -> i64`: a bit for each item that came with `true`.
    Ballot,
    /// `(item, site, T, i32 lane) -> T`: what the item of that number came with.
    Shuffle,
    /// `(item, site, T) -> T`: all values put together.
    Reduce(ReduceOp),
    /// `(item, site, T) -> T`: the values up to one's own put together.
    InclusiveScan(ReduceOp),
    /// `(item, site, T) -> T`: the values before one's own put together.
    ExclusiveScan(ReduceOp),
}

/// How two values become one.
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
    const ALL: [Self; 13] = [
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

    /// The value that changes nothing.
    pub fn identity<'c>(self, ty: Type<'c>) -> Value<'c> {
        let signed_max = || ty.int((1u128 << (ty.bits() - 1)) as u64 - 1);
        match self {
            Self::Add | Self::Or | Self::Xor | Self::UMax => ty.zero(),
            Self::Mul => ty.int(1),
            Self::And | Self::UMin => ty.ones(),
            Self::SMin => signed_max(),
            Self::SMax => ty.int((1u128 << (ty.bits() - 1)) as u64),
            // Minus zero, so that the sum of one item's minus zero is that.
            Self::FAdd => ty.real(-0.0),
            Self::FMul => ty.real(1.0),
            Self::FMin => ty.real(f64::INFINITY),
            Self::FMax => ty.real(f64::NEG_INFINITY),
        }
    }

    /// Puts two values together.
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

    /// What a function of a name is.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix("oxur.")?;
        let mut parts = name.split('.');
        let combine = |name: Option<&str>| ReduceOp::ALL.into_iter().find(|c| Some(c.name()) == name);
        Some(match parts.next()? {
            "barrier" => Self::Barrier,
            "sub_group_barrier" => Self::SubGroupBarrier,
            "ballot" => Self::Ballot,
            "shuffle" => Self::Shuffle,
            "reduce" => Self::Reduce(combine(parts.next())?),
            "inclusive_scan" => Self::InclusiveScan(combine(parts.next())?),
            "exclusive_scan" => Self::ExclusiveScan(combine(parts.next())?),
            _ => return None,
        })
    }

    /// The function's declaration for values of a type.
    pub fn declare<'c>(self, module: &Module<'c>, ty: Option<Type<'c>>) -> Function<'c> {
        let cx = module.context();
        let name = self.name(ty);
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
        module
            .add_function(&name, result.function(&params))
            .attribute("nounwind", 0)
            .attribute("convergent", 0)
    }
}

/// Which value a built-in variable holds, element by element.
pub fn built_in<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    item: Value<'c>,
    built_in: BuiltIn,
    dimension: u32,
    sub_group_size: u32,
) -> Option<Value<'c>> {
    let cx: &'c Context = module.context();
    let wide = cx.int(64);
    let call = |primitive: WorkItemIntrinsic| {
        let function = primitive.declare(module);
        if primitive.has_dimension() {
            b.call(function, &[item, cx.int(32).int(dimension.into())])
        } else {
            b.call(function, &[item])
        }
    };
    let at = |primitive: WorkItemIntrinsic, d: u64| b.call(primitive.declare(module), &[item, cx.int(32).int(d)]);
    // Without the offset.
    let position = |d: u64| {
        b.sub(
            at(WorkItemIntrinsic::GlobalId, d),
            at(WorkItemIntrinsic::GlobalOffset, d),
        )
    };
    let lanes = wide.int(sub_group_size.into());
    // A mask of the bits below this lane's: (1 << lane) - 1.
    let below = || b.sub(b.shl(wide.int(1), call(WorkItemIntrinsic::Lane)), wide.int(1));
    let own = || b.shl(wide.int(1), call(WorkItemIntrinsic::Lane));
    let present = || {
        let size = sub_group_items(module, b, item, sub_group_size);
        b.lshr(wide.ones(), b.sub(wide.int(64), size))
    };
    // Masks are four words of 32 bits.
    let word = |mask: Value<'c>| match dimension {
        0 => b.and(mask, wide.int(0xffff_ffff)),
        1 => b.lshr(mask, wide.int(32)),
        _ => wide.int(0),
    };
    Some(match built_in {
        BuiltIn::LocalInvocationId => call(WorkItemIntrinsic::LocalId),
        BuiltIn::WorkgroupId => call(WorkItemIntrinsic::GroupId),
        BuiltIn::WorkgroupSize | BuiltIn::EnqueuedWorkgroupSize => call(WorkItemIntrinsic::LocalSize),
        BuiltIn::GlobalSize => call(WorkItemIntrinsic::GlobalSize),
        BuiltIn::GlobalOffset => call(WorkItemIntrinsic::GlobalOffset),
        BuiltIn::NumWorkgroups => call(WorkItemIntrinsic::NumGroups),
        BuiltIn::WorkDim => call(WorkItemIntrinsic::Dimensions),
        BuiltIn::LocalInvocationIndex => call(WorkItemIntrinsic::LocalLinearId),
        BuiltIn::GlobalInvocationId => call(WorkItemIntrinsic::GlobalId),
        BuiltIn::GlobalLinearId => {
            let row = b.add(b.mul(position(2), at(WorkItemIntrinsic::GlobalSize, 1)), position(1));
            b.add(b.mul(row, at(WorkItemIntrinsic::GlobalSize, 0)), position(0))
        }
        BuiltIn::SubgroupLocalInvocationId => call(WorkItemIntrinsic::Lane),
        BuiltIn::SubgroupId => call(WorkItemIntrinsic::SubGroup),
        BuiltIn::SubgroupMaxSize => lanes,
        BuiltIn::SubgroupSize => sub_group_items(module, b, item, sub_group_size),
        BuiltIn::NumSubgroups | BuiltIn::NumEnqueuedSubgroups => sub_groups(module, b, item, sub_group_size),
        BuiltIn::SubgroupEqMask => word(own()),
        BuiltIn::SubgroupLtMask => word(below()),
        BuiltIn::SubgroupLeMask => word(b.or(below(), own())),
        BuiltIn::SubgroupGeMask => word(b.and(b.not(below()), present())),
        BuiltIn::SubgroupGtMask => word(b.and(b.not(b.or(below(), own())), present())),
        _ => return None,
    })
}

/// How many items this item's sub-group has: the last one of a group may have fewer.
pub fn sub_group_items<'c>(module: &Module<'c>, b: &Builder<'c>, item: Value<'c>, sub_group_size: u32) -> Value<'c> {
    let wide = module.context().int(64);
    let lanes = wide.int(sub_group_size.into());
    let first = b.mul(b.call(WorkItemIntrinsic::SubGroup.declare(module), &[item]), lanes);
    let rest = b.sub(b.call(WorkItemIntrinsic::GroupSize.declare(module), &[item]), first);
    b.intrinsic(module, "llvm.umin", &[wide], &[rest, lanes])
}

/// How many sub-groups the group has.
pub fn sub_groups<'c>(module: &Module<'c>, b: &Builder<'c>, item: Value<'c>, sub_group_size: u32) -> Value<'c> {
    let wide = module.context().int(64);
    let size = b.call(WorkItemIntrinsic::GroupSize.declare(module), &[item]);
    b.udiv(
        b.add(size, wide.int(u64::from(sub_group_size) - 1)),
        wide.int(sub_group_size.into()),
    )
}
