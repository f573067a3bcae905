// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Calls: work-item intrinsics, collectives, LLVM's intrinsics, mathematical functions, and everything else one lane at a
//! time.

use super::divergence::VectorShape;
use super::emit::{Emit, Result, Wide};
use crate::abi::{LocalIds, layout};
use crate::builtins;
use crate::fast_math::flag;
use crate::intrinsics::{DEVICE_BARRIER, GroupCollective, GroupReduction, WorkItemIntrinsic};
use crate::llvm::{Function, Kind, Type, Value};
use crate::passes::may_run;

/// Elementwise intrinsics, with the number of operands that are vectors. Further operands are the same for all lanes.
const ELEMENTWISE: &[(&str, u32)] = &[
    ("llvm.abs", 1),
    ("llvm.bitreverse", 1),
    ("llvm.bswap", 1),
    ("llvm.ceil", 1),
    ("llvm.copysign", 2),
    ("llvm.ctlz", 1),
    ("llvm.ctpop", 1),
    ("llvm.cttz", 1),
    ("llvm.fabs", 1),
    ("llvm.floor", 1),
    ("llvm.fma", 3),
    ("llvm.fmuladd", 3),
    ("llvm.fptosi.sat", 1),
    ("llvm.fptoui.sat", 1),
    ("llvm.fshl", 3),
    ("llvm.fshr", 3),
    ("llvm.is.fpclass", 1),
    ("llvm.maximum", 2),
    ("llvm.maxnum", 2),
    ("llvm.minimum", 2),
    ("llvm.minnum", 2),
    ("llvm.nearbyint", 1),
    ("llvm.rint", 1),
    ("llvm.round", 1),
    ("llvm.roundeven", 1),
    ("llvm.sadd.sat", 2),
    ("llvm.smax", 2),
    ("llvm.smin", 2),
    ("llvm.sqrt", 1),
    ("llvm.ssub.sat", 2),
    ("llvm.trunc", 1),
    ("llvm.uadd.sat", 2),
    ("llvm.umax", 2),
    ("llvm.umin", 2),
    ("llvm.usub.sat", 2),
];

/// The elementwise intrinsic of a mangled name, with the number of vector operands.
fn elementwise(name: &str) -> Option<(&'static str, u32)> {
    // The longest match: `llvm.fma` is also a prefix of others.
    ELEMENTWISE
        .iter()
        .copied()
        .filter(|(base, _)| name.strip_prefix(base).is_some_and(|rest| rest.starts_with('.')))
        .max_by_key(|(base, _)| base.len())
}

/// Whether a call is of an intrinsic that computes all elements of vectors alike, and of nothing else.
pub fn is_elementwise(name: &str) -> bool {
    const OF_VECTORS: [&str; 9] = [
        "fabs", "fma", "fmuladd", "maxnum", "minnum", "smax", "smin", "umax", "umin",
    ];
    elementwise(name).is_some_and(|(base, _)| OF_VECTORS.iter().any(|c| base.strip_prefix("llvm.") == Some(c)))
}

/// Whether a call is of an intrinsic that compiles to an instruction or two.
pub fn is_cheap(name: &str) -> bool {
    const CHEAP: [&str; 8] = ["abs", "fabs", "fma", "fmuladd", "smax", "smin", "umax", "umin"];
    elementwise(name).is_some_and(|(base, _)| CHEAP.iter().any(|c| base.strip_prefix("llvm.") == Some(c)))
}

/// Whether a function of LLVM's only tells what holds. Vector code does without.
pub fn is_hint(name: &str) -> bool {
    name.starts_with("llvm.assume") || name.starts_with("llvm.experimental.noalias")
}

/// Whether a function has no effect but a result that depends on its arguments only.
pub fn is_pure(function: Function<'_>) -> bool {
    elementwise(&function.name()).is_some()
        || function.attribute_value("memory") == Some(0) && !function.has_attribute("convergent")
}

impl<'c> Emit<'_, 'c> {
    pub(super) fn call(&mut self, inst: Value<'c>) -> Result<Option<Wide<'c>>> {
        let Some(callee) = inst.callee() else {
            return Err("a call through a pointer".into());
        };
        let name = callee.name();
        if let Some(primitive) = WorkItemIntrinsic::from_name(&name) {
            return match (primitive, self.shapes.of(inst)) {
                (_, VectorShape::Varying) => self.ids(inst, primitive).map(|v| Some(Wide::Vector(v))),
                // Lane 0 is the first item.
                (WorkItemIntrinsic::Lane, _) => Ok(Some(Wide::Scalar(inst.ty().zero()))),
                _ => self.emit_uniform(inst).map(|v| Some(Wide::Scalar(v))),
            };
        }
        if let Some(exchange) = GroupCollective::from_name(&name) {
            return self.exchange(inst, exchange);
        }
        if self.outlined(inst, callee, &name)? {
            return Ok(None);
        }
        if let Some(GroupReduction(how)) = GroupReduction::from_name(&name) {
            return self.group_reduction(inst, how).map(|all| Some(Wide::Scalar(all)));
        }
        if name == DEVICE_BARRIER {
            self.b.call(callee, &[self.function.param(0)]);
            return Ok(None);
        }
        if name.starts_with("llvm.lifetime") || is_hint(&name) {
            return Ok(None);
        }
        if name.starts_with("llvm.stack") {
            return Err("a variable of a length that is computed".into());
        }
        if !callee.is_declaration() {
            return Err(format!("a call of {name}"));
        }
        let operands = inst.operands();
        let args = &operands[..operands.len() - 1];
        if self.shapes.of(inst) != VectorShape::Varying && is_pure(callee) {
            return self.emit_uniform(inst).map(|v| Some(Wide::Scalar(v)));
        }
        if let Some((base, elements)) = elementwise(&name) {
            return self
                .elementwise(inst, base, elements, args)
                .map(|v| Some(Wide::Vector(v)));
        }
        if let Some(value) = self.vector_variant(inst, &name, args)? {
            return Ok(Some(Wide::Vector(value)));
        }
        let value = self.scalarize(inst)?;
        Ok((inst.ty().kind() != Kind::Void).then_some(value))
    }

    /// The local or global ids of lanes that may be in several rows of the group.
    fn ids(&mut self, inst: Value<'c>, which: WorkItemIntrinsic) -> Result<Value<'c>> {
        let dimension = inst.operand(1).as_const_int().filter(|&d| d < 3);
        let Some(dimension) = dimension else {
            return Err(format!("{} of a dimension that is computed", which.name()));
        };
        let (b, wide, lanes) = (&self.b, self.cx.int(64), u64::from(self.lanes));
        if let Some(group) = self.group {
            let local = (0..self.lanes).map(|lane| wide.int(group.local_id(lane, dimension as u32).into()));
            let local = Value::vector(&local.collect::<Vec<_>>());
            return Ok(match which {
                WorkItemIntrinsic::LocalId => local,
                _ => b.add(b.splat(self.first_global_id(dimension), self.lanes), local),
            });
        }
        let member = |base, offset: u64, ty| b.load(ty, b.offset(base, wide.int(offset))).align(8);
        let item = self.function.param(0);
        let group = member(item, layout::ITEM_GROUP, self.cx.ptr());
        let first = member(item, layout::ITEM_LINEAR_ID, wide);
        let of_sub_group = b.offset(
            member(group, layout::GROUP_IDS, self.cx.ptr()),
            b.mul(first, wide.int(LocalIds::BYTES)),
        );
        let place = b.offset(of_sub_group, wide.int(dimension * lanes * 2));
        let local = b.load(self.cx.int(16).vector(self.lanes), place).align(2);
        let local = b.zext_or_trunc(local, wide.vector(self.lanes));
        if which == WorkItemIntrinsic::LocalId {
            return Ok(local);
        }
        Ok(b.add(b.splat(self.first_global_id(dimension), self.lanes), local))
    }

    fn elementwise(&mut self, inst: Value<'c>, base: &str, elements: u32, args: &[Value<'c>]) -> Result<Value<'c>> {
        let mut wide = Vec::new();
        for (i, &arg) in args.iter().enumerate() {
            wide.push(if (i as u32) < elements {
                self.vector(arg)?
            } else if self.shapes.of(arg) == VectorShape::Uniform {
                self.first(arg)?
            } else {
                return Err(format!("{base} with a flag that differs between lanes"));
            });
        }
        let result = self.wide_type(inst.ty())?;
        if matches!(base, "llvm.fptosi.sat" | "llvm.fptoui.sat")
            && may_run("saturating conversions")
            && let Some(value) = self.saturate(wide[0], result, base == "llvm.fptosi.sat")
        {
            return Ok(value);
        }
        let types: Vec<Type<'c>> = match base {
            "llvm.fptosi.sat" | "llvm.fptoui.sat" => vec![result, wide[0].ty()],
            _ => vec![wide[0].ty()],
        };
        let value = self.b.intrinsic(self.module, base, &types, &wide);
        Ok(self.b.fast_math(value, inst.get_fast_math()))
    }

    /// Calls the vector form of a mathematical function, several times if it is narrower.
    fn vector_variant(&mut self, inst: Value<'c>, name: &str, args: &[Value<'c>]) -> Result<Option<Value<'c>>> {
        let relaxed = inst.get_fast_math() & flag::APPROXIMATE != 0;
        let Some(variant) = builtins::vector_variant(name, self.lanes, relaxed) else {
            return Ok(None);
        };
        let width = variant.lanes;
        if !self.lanes.is_multiple_of(width) || args.iter().any(|a| !a.ty().is_float()) || !inst.ty().is_float() {
            return Ok(None);
        }
        let element = self.cx.float(variant.bits);
        let mut wide = Vec::new();
        for &arg in args {
            let arg = self.vector(arg)?;
            wide.push(self.b.fpcast(arg, element.vector(self.lanes)));
        }
        let part = element.vector(width);
        let function = self
            .module
            .declare(&variant.name, part.function(&vec![part; args.len()]));
        function
            .attribute("nounwind", 0)
            .attribute("willreturn", 0)
            .attribute("memory", 0);
        let mut parts = Vec::new();
        for start in (0..self.lanes).step_by(width as usize) {
            let pattern: Vec<u32> = (start..start + width).collect();
            let args: Vec<_> = wide
                .iter()
                .map(|&w| {
                    if width == self.lanes {
                        w
                    } else {
                        self.b.shuffle(w, w.ty().poison(), &pattern)
                    }
                })
                .collect();
            parts.push(self.b.call(function, &args));
        }
        Ok(Some(self.b.fpcast(self.joined(parts), inst.ty().vector(self.lanes))))
    }
}
