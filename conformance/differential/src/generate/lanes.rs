// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Operations of sub-groups beside reductions: clusters, rotations, elections, ballots and what they are asked for, blocks of memory.
//!
//! Blocks are written one element of an item at a time only: more would be places of other items.

use super::Generator;
use super::reductions::Scope;
use super::types::{Scalar, Ty};
use crate::data::{Buffer, ITEMS};

/// The types of values that are exchanged.
pub(super) const EXCHANGED: [&str; 4] = ["int", "uint", "long", "float"];

/// The elements of blocks: the type of an element, the functions' suffix, the buffers of inputs and of results.
pub(super) const BLOCKS: [(&str, &str, &str, &str); 4] = [
    ("uchar", "_uc", "vc", "oc"),
    ("ushort", "_us", "vs", "os"),
    ("uint", "", "vi", "oi"),
    ("ulong", "_ul", "vl", "ol"),
];

impl Generator {
    /// An operation of a sub-group. Where items may have parted, only what is allowed there.
    pub(super) fn lane_operation(&mut self) {
        let scope = if self.uniform { Scope::SubGroup } else { Scope::Active };
        let all = if self.uniform { 12 } else { 7 };
        match self.rng.below(all) {
            0 | 1 => self.reduction(scope, false),
            2 => self.clustered(),
            3 => {
                let elect = "sub_group_elect() != 0";
                self.remember(Ty::INT, elect, false);
            }
            4 | 5 => self.asked_ballot(),
            6 => {
                let ty = self.exchanged();
                let value = format!("({})({})", ty.name(), self.expression(ty, 1));
                match ty.scalar.is_float() || self.rng.chance(50) {
                    true => self.remember(ty, &format!("sub_group_broadcast_first({value})"), false),
                    false => {
                        self.remember(
                            Ty::INT,
                            &format!("sub_group_non_uniform_all_equal({value}) != 0"),
                            false,
                        );
                    }
                }
            }
            7 => self.reduction(Scope::Active, false),
            8 | 9 => self.rotation(),
            10 => self.block_read(),
            _ => self.block_write(),
        }
    }

    fn lanes(&self) -> usize {
        self.has.sub_group.unwrap_or(4)
    }

    fn exchanged(&mut self) -> Ty {
        let int = |bits, signed| Scalar::Int { bits, signed };
        let all = [int(32, true), int(32, false), int(64, true), Scalar::Float(32)];
        Ty::of(self.rng.pick(&all))
    }

    /// A power of two: how many lanes a cluster has.
    fn cluster(&mut self) -> usize {
        let sizes: Vec<usize> = [1, 2, 4, 8, 16, 32, 64]
            .into_iter()
            .filter(|&n| n <= self.lanes())
            .collect();
        self.rng.pick(&sizes)
    }

    /// A reduction of each cluster of lanes.
    fn clustered(&mut self) {
        let size = self.cluster();
        match self.rng.below(4) {
            0 => {
                let (condition, how) = (self.condition(1), self.rng.pick(&["and", "or", "xor"]));
                let call = format!("sub_group_clustered_reduce_logical_{how}(({condition}) != 0, {size}u) != 0");
                self.remember(Ty::INT, &call, false);
            }
            1 => {
                let (value, how) = (self.expression(Ty::INT, 1), self.rng.pick(&["add", "min", "max"]));
                let value = format!("(float)((({value}) & 255) - 100)");
                let call = format!("sub_group_clustered_reduce_{how}({value}, {size}u) + 0.0f");
                self.remember(Ty::of(Scalar::Float(32)), &call, false);
            }
            _ => {
                let ty = self.exchanged();
                let ty = if ty.scalar.is_float() { Ty::INT } else { ty };
                let how = self.rng.pick(&["add", "min", "max", "mul", "and", "or", "xor"]);
                let value = format!("({})({})", ty.name(), self.expression(ty, 1));
                let call = format!("sub_group_clustered_reduce_{how}({value}, {size}u)");
                self.remember(ty, &call, false);
            }
        }
    }

    /// A ballot, and a question about its bits.
    fn asked_ballot(&mut self) {
        let condition = self.condition(1);
        let name = self.name("b");
        // Somebody always votes yes, so that there is a first and a last.
        self.line(format!(
            "const uint4 {name} = sub_group_ballot((({condition}) != 0) | (sub_group_elect() != 0));"
        ));
        let call = match self.rng.below(8) {
            0 => format!("sub_group_ballot_bit_count({name})"),
            1 => format!("sub_group_ballot_inclusive_scan({name})"),
            2 => format!("sub_group_ballot_exclusive_scan({name})"),
            3 => format!("sub_group_ballot_find_lsb({name})"),
            4 => format!("sub_group_ballot_find_msb({name})"),
            5 => {
                let index = self.expression(Ty::INT, 1);
                let end = self.lanes();
                format!("sub_group_ballot_bit_extract({name}, (uint)({index}) % {end}u) != 0")
            }
            6 => {
                let mask = self.rng.pick(&["eq", "ge", "gt", "le", "lt"]);
                format!("popcount(as_ulong({name}.xy & get_sub_group_{mask}_mask().xy))")
            }
            // The same ballot for all lanes, as it has to be.
            _ => format!("sub_group_inverse_ballot({name}) != 0"),
        };
        self.remember(Ty::INT, &format!("(int)({call})"), false);
    }

    /// The value of the lane at a distance, in the sub-group or in a cluster.
    fn rotation(&mut self) {
        let (ty, name) = (self.exchanged(), self.name("v"));
        let ty_name = ty.name();
        let value = self.expression(ty, 1);
        let by = match self.rng.chance(70) {
            true => self.rng.below(2 * self.lanes()).to_string(),
            false => self.same(64),
        };
        let cluster = if self.rng.chance(50) { self.cluster() } else { 0 };
        let (end, last) = match cluster {
            0 => (self.lanes(), String::new()),
            size => (size, format!(", {size}u")),
        };
        self.line(format!("{ty_name} {name} = {value};"));
        self.line(format!("{{ const uint by = {by};"));
        // A sub-group may lack the lanes behind the last item.
        self.line(format!(
            "const uint from = (lane & ~{0}) + ((lane + by) & {0});",
            end - 1
        ));
        self.line(format!(
            "{ty_name} moved = __spirv_GroupNonUniformRotateKHR(3u, {name}, by{last});"
        ));
        self.line(format!("{name} = from < lanes ? moved : {name}; }}"));
        self.declare(&name, ty, true, false, false);
    }

    /// Elements of inputs that lie side by side, one or some for each lane.
    fn block_read(&mut self) {
        let (ty, suffix, buffer, _) = self.rng.pick(&BLOCKS);
        let count = self.rng.pick(&[1, 1, 2, 4, 8]);
        let start = match self.rng.chance(50) {
            true => format!("get_sub_group_id() * {}", self.lanes() * count),
            false => self.same(128),
        };
        let more = 4 * self.rng.below(8);
        // 64 lanes read 8 elements each at most.
        let place = format!("((uint)({start}) & 4095) + {more}");
        let wide = if count == 1 { String::new() } else { count.to_string() };
        let read = format!("intel_sub_group_block_read{suffix}{wide}((global const {ty} *){buffer} + {place})");
        let Some(scalar) = super::types::INTS.into_iter().find(|scalar| scalar.name() == ty) else {
            return;
        };
        let ty = Ty { scalar, count };
        if self.has.vectors || count == 1 {
            return self.remember(ty, &read, false);
        }
        let [one, other] = [(); 2].map(|()| self.rng.below(count));
        let name = self.name("b");
        self.line(format!("const {} {name} = {read};", ty.name()));
        self.remember(Ty::of(scalar), &format!("{name}.s{one:x} ^ {name}.s{other:x}"), false);
    }

    /// A result of each item, written as a block where the places of a sub-group lie side by side and are aligned as they must be.
    fn block_write(&mut self) {
        let (ty, suffix, _, buffer) = self.rng.pick(&BLOCKS);
        let found = Buffer::ALL.iter().position(|b| b.name == buffer);
        let index = found.expect("it is one of them");
        if self.strided >> index & 1 != 0 {
            return self.block_read();
        }
        let slot = self.rng.below(Buffer::ALL[index].slots()) * ITEMS;
        let value = self.expression(Ty::INT, 1);
        let name = self.name("b");
        self.line(format!("const {ty} {name} = ({ty})({value});"));
        self.open("if (get_local_size(1) * get_local_size(2) == 1 && ((int)(g - lane) & 15) == 0) {");
        self.line(format!(
            "intel_sub_group_block_write{suffix}((global {ty} *){buffer} + (g - lane) + {slot}, {name});"
        ));
        self.indent -= 1;
        self.open("} else {");
        self.line(format!("{buffer}[g + {slot}] = {name};"));
        self.close();
    }
}
