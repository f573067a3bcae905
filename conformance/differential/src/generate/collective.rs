// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What items do together: barriers and local memory, collectives of the work-group and of sub-groups.

use super::Generator;
use super::reductions::Scope;
use super::types::{Scalar, Ty};

/// Local memory of every kernel with barriers.
pub(super) const LOCALS: [&str; 3] = [
    "local int m_int[256];",
    "local long m_long[256];",
    "local int tally[8];",
];

/// A ballot's bits: sub-groups have up to 64 items.
fn ballot(condition: &str) -> String {
    format!("as_ulong(sub_group_ballot({condition}).xy)")
}

impl Generator {
    fn number(&mut self) -> Ty {
        let ints = [(32, true), (32, true), (32, false), (64, true)].map(|(bits, signed)| Scalar::Int { bits, signed });
        Ty::of(self.rng.pick(&ints))
    }

    /// A new variable with the value.
    pub(super) fn remember(&mut self, ty: Ty, value: &str, uniform: bool) {
        let name = self.name(if uniform { "u" } else { "v" });
        let constant = if uniform { "const " } else { "" };
        self.line(format!("{constant}{} {name} = {value};", ty.name()));
        self.declare(&name, ty, !uniform, uniform, false);
    }

    /// A statement of the work-group or of a sub-group.
    pub(super) fn collective(&mut self) {
        let has_group = self.has.groups && self.uniform;
        match self.has.sub_group {
            Some(_) if !has_group || self.rng.chance(60) => self.sub_group(),
            _ if has_group => self.work_group(),
            _ => self.assignment(),
        }
    }

    /// A statement of the whole work-group.
    pub(super) fn work_group(&mut self) {
        if self.has.collectives && self.rng.chance(40) {
            return self.reduction(Scope::Group, self.has.meets);
        }
        // What is in front needs places in local memory for all items.
        let first = if self.has.large { 5 } else { 0 };
        let which = match self.has.meets {
            // No counters, and no collectives but reductions.
            true => self.rng.pick(&[0, 0, 0, 4, 4, 6]),
            false => first + self.rng.below(10 - first),
        };
        match which {
            // Items exchange values.
            0..=3 => {
                let (memory, bits) = self.rng.pick(&[("m_int", 32), ("m_int", 32), ("m_long", 64)]);
                let ty = Ty::of(Scalar::Int { bits, signed: true });
                let value = self.expression(ty, 2);
                self.line(format!("{memory}[lid] = {value};"));
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                let other = match self.rng.below(4) {
                    0 => "items - 1 - lid".into(),
                    1 => format!("(lid + {}) % items", self.rng.below(40)),
                    2 => format!("({} & 1023) % items", self.integer_index()),
                    _ => self.rng.below(2).to_string() + " * (items - 1)",
                };
                self.remember(ty, &format!("{memory}[{other}]"), false);
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
            }
            // A tree of sums.
            4 => {
                let value = self.expression(Ty::INT, 1);
                self.line(format!("m_int[lid] = {value};"));
                self.open("for (int h = 128; h > 0; h >>= 1) {");
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                self.line(
                    "if (lid < h && lid + h < items) m_int[lid] = (int)((uint)m_int[lid] + (uint)m_int[lid + h]);",
                );
                self.close();
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                self.remember(Ty::INT, "m_int[0]", true);
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
            }
            // Local counters.
            5 => {
                self.line("if (lid == 0) for (int i = 0; i < 8; i++) tally[i] = i;");
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                let (index, value, condition) = (self.small(1), self.expression(Ty::INT, 1), self.condition(1));
                self.line(format!("if ({condition}) atomic_add(&tally[({index}) & 7], {value});"));
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                let at = self.rng.below(8);
                self.remember(Ty::INT, &format!("tally[{at}]"), true);
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
            }
            6 => {
                let ty = self.number();
                let (value, how) = (self.expression(ty, 2), self.rng.pick(&["add", "min", "max"]));
                self.remember(ty, &format!("work_group_reduce_{how}({value})"), true);
            }
            7 => {
                let ty = self.number();
                let (value, how) = (self.expression(ty, 2), self.rng.pick(&["add", "min", "max"]));
                let kind = self.rng.pick(&["inclusive", "exclusive"]);
                self.remember(ty, &format!("work_group_scan_{kind}_{how}({value})"), false);
            }
            8 => {
                let (condition, which) = (self.condition(2), self.rng.pick(&["any", "all"]));
                self.remember(Ty::INT, &format!("work_group_{which}({condition}) != 0"), true);
            }
            _ => {
                let ty = self.number();
                let value = self.expression(ty, 2);
                let from = self
                    .rng
                    .pick(&["0, 0, 0", "get_local_size(0) - 1, 0, 0", "0, get_local_size(1) - 1, 0"]);
                self.remember(ty, &format!("work_group_broadcast({value}, {from})"), true);
            }
        }
    }

    fn integer_index(&mut self) -> String {
        let value = self.expression(Ty::INT, 1);
        format!("({value})")
    }

    /// A statement of a sub-group. Where items may have parted, only what is allowed there.
    pub(super) fn sub_group(&mut self) {
        if self.has.collectives && self.rng.chance(60) && (self.uniform || self.loops == 0) {
            return self.lane_operation();
        }
        let ty = self.number();
        let how = self.rng.pick(&["add", "min", "max"]);
        let kind = self.rng.pick(&["reduce", "scan_inclusive", "scan_exclusive"]);
        if !self.uniform {
            // Not in loops: which items go round together is an implementation's choice.
            if self.loops > 0 {
                return;
            }
            let value = self.expression(ty, 1);
            return match self.rng.below(3) {
                0 => {
                    let condition = self.condition(1);
                    let which = self.rng.pick(&["any", "all"]);
                    self.remember(
                        Ty::INT,
                        &format!("sub_group_non_uniform_{which}({condition}) != 0"),
                        false,
                    );
                }
                1 => {
                    let condition = self.condition(1);
                    self.remember(Ty::INT, &format!("popcount({})", ballot(&condition)), false);
                }
                _ => self.remember(ty, &format!("sub_group_non_uniform_{kind}_{how}({value})"), false),
            };
        }
        let value = self.expression(ty, 2);
        let c = self.rng.below(9);
        match self.rng.below(8) {
            0 | 1 => self.remember(ty, &format!("sub_group_{kind}_{how}({value})"), false),
            2 => {
                let from = self.rng.pick(&["0", "lanes - 1"]);
                self.remember(ty, &format!("sub_group_broadcast({value}, {from})"), false);
            }
            3 => {
                let from = match self.rng.below(4) {
                    0 => "lanes - 1 - lane".into(),
                    1 => format!("(lane + {c}) % lanes"),
                    2 => format!("min(lane ^ {c}, lanes - 1)"),
                    _ => format!("(uint)({}) % (uint)lanes", self.expression(Ty::INT, 1)),
                };
                self.remember(ty, &format!("sub_group_shuffle({value}, (uint)({from}))"), false);
            }
            4 => {
                let name = self.name("v");
                // Less than a sub-group has.
                let delta = (1 + c % 5).min(self.has.sub_group.unwrap_or(1) - 1);
                let ty_name = ty.name();
                let (way, exists) = self.rng.pick(&[("up", "lane >= "), ("down", "lanes - lane > ")]);
                self.line(format!("{ty_name} {name} = {value};"));
                let moved = format!("intel_sub_group_shuffle_{way}({name}, {name}, {delta}u)");
                self.line(format!(
                    "{{ {ty_name} moved = {moved}; {name} = {exists}{delta} ? moved : {name}; }}"
                ));
                self.declare(&name, ty, true, false, false);
            }
            5 => {
                let condition = self.condition(1);
                self.remember(Ty::INT, &format!("(int)({} % 1000003)", ballot(&condition)), false);
            }
            6 => {
                let condition = self.condition(1);
                let which = self.rng.pick(&["any", "all"]);
                self.remember(Ty::INT, &format!("sub_group_{which}({condition}) != 0"), false);
            }
            _ => {
                let value = self.expression(Ty::INT, 1);
                // Small whole numbers: sums are exact in any order.
                self.line(format!(
                    "fold += hash_float(sub_group_reduce_add((float)(({value}) & 255)));"
                ));
            }
        }
    }
}
