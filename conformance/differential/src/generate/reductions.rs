// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reductions and scans of all operations, of work-groups and sub-groups: of floating-point numbers, too, where the result is exact in
//! any order. OpenCL C has no functions for all of SPIR-V's operations: `instructions.rs` knows those.

use super::Generator;
use super::types::{Scalar, Ty};

/// What calls an instruction, as [`crate::instructions`] makes it of a function.
pub(super) const INTEGER: [&str; 4] = ["IMul", "BitwiseAnd", "BitwiseOr", "BitwiseXor"];
pub(super) const LOGICAL: [&str; 3] = ["LogicalAnd", "LogicalOr", "LogicalXor"];
/// The types that those of integers and of floating-point numbers have.
pub(super) const INTEGERS: [&str; 5] = ["char", "short", "int", "uint", "long"];

/// Who takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The work-group.
    Group,
    /// All items of a sub-group.
    SubGroup,
    /// Those items of a sub-group that come together.
    Active,
}

impl Generator {
    fn reduced_integer(&mut self) -> Ty {
        let ints = [(32, true), (32, true), (32, false), (64, true), (16, true), (8, true)];
        let ints = ints.map(|(bits, signed)| Scalar::Int { bits, signed });
        Ty::of(self.rng.pick(&ints))
    }

    /// A type of floating-point numbers. Those of 16 bits have no exact sums of large groups.
    fn reduced_float(&mut self) -> Scalar {
        match self.random_float() {
            Scalar::Float(16) if self.has.large => Scalar::Float(32),
            other => other,
        }
    }

    /// A small whole number as one with a floating point: sums of a group are exact.
    fn whole_number(&mut self, scalar: Scalar) -> String {
        let value = self.expression(Ty::INT, 1);
        let (mask, shift) = if scalar.bits() == 16 { (7, 3) } else { (255, 100) };
        format!("({})((({value}) & {mask}) - {shift})", scalar.name())
    }

    /// A number whose products are exact: 1 or -1, of one item another.
    fn factor(&mut self, scalar: Scalar) -> String {
        let (condition, at) = (self.condition(1), self.rng.below(8));
        let other = self.rng.pick(&["0.5f", "3.0f", "-4.0f"]);
        format!(
            "({0})(lid == {at} ? {other} : {condition} ? -1.0f : 1.0f)",
            scalar.name()
        )
    }

    /// A reduction or a scan, whose value is remembered. With `kinds` of reductions only, groups may run as one vector.
    pub(super) fn reduction(&mut self, scope: Scope, only_reduces: bool) {
        let kind = if only_reduces { 0 } else { self.rng.below(3) };
        let is_uniform = scope == Scope::Group && kind == 0;
        let floats = if self.has.floats { 45 } else { 15 };
        let (ty, value) = match self.rng.chance(floats) {
            true => {
                let scalar = self.reduced_float();
                (Ty::of(scalar), self.reduction_of_floats(scope, kind, scalar))
            }
            false if self.rng.chance(30) => (Ty::INT, self.reduction_of_conditions(scope, kind)),
            false => {
                let ty = self.reduced_integer();
                (ty, self.reduction_of_integers(scope, kind, ty))
            }
        };
        self.remember(ty, &value, is_uniform);
    }

    /// The call of a function of OpenCL C.
    fn named(scope: Scope, kind: usize, how: &str, value: &str) -> String {
        let scope = match scope {
            Scope::Group => "work_group",
            Scope::SubGroup => "sub_group",
            Scope::Active => "sub_group_non_uniform",
        };
        let kind = ["reduce", "scan_inclusive", "scan_exclusive"][kind];
        format!("{scope}_{kind}_{how}({value})")
    }

    /// The call that becomes an instruction.
    fn instruction(scope: Scope, kind: usize, name: &str, value: &str) -> String {
        let scope = if scope == Scope::Group { 2 } else { 3 };
        format!("__spirv_Group{name}KHR({scope}u, {kind}u, {value})")
    }

    fn reduction_of_integers(&mut self, scope: Scope, kind: usize, ty: Ty) -> String {
        let value = format!("({})({})", ty.name(), self.expression(ty, 2));
        let which = self.rng.below(INTEGER.len());
        match scope {
            Scope::Active => {
                let how = self.rng.pick(&["add", "min", "max", "mul", "and", "or", "xor"]);
                Self::named(scope, kind, how, &value)
            }
            _ => Self::instruction(scope, kind, INTEGER[which], &value),
        }
    }

    fn reduction_of_conditions(&mut self, scope: Scope, kind: usize) -> String {
        let condition = self.condition(2);
        let which = self.rng.below(LOGICAL.len());
        match scope {
            Scope::Active => {
                let how = ["logical_and", "logical_or", "logical_xor"][which];
                format!("{} != 0", Self::named(scope, kind, how, &format!("({condition}) != 0")))
            }
            _ => Self::instruction(scope, kind, LOGICAL[which], &format!("(bool)({condition})")),
        }
    }

    fn reduction_of_floats(&mut self, scope: Scope, kind: usize, scalar: Scalar) -> String {
        let how = self.rng.pick(&["add", "add", "min", "max", "mul"]);
        let call = match (how, scope) {
            ("mul", Scope::Active) => Self::named(scope, kind, how, &self.factor(scalar)),
            ("mul", _) => Self::instruction(scope, kind, "FMul", &self.factor(scalar)),
            _ => Self::named(scope, kind, how, &self.whole_number(scalar)),
        };
        // A zero's sign is free.
        format!("{call} + ({})0.0f", scalar.name())
    }
}
