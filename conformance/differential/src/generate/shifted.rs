// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Indices that are only right under a guard: below zero, or wrapped, for items that must not use them.

use std::fmt::Write as _;

use super::Generator;
use super::types::{Scalar, Ty};
use crate::data::{Buffer, INPUTS, Role, SHIFTED};

/// An index of the item's own into a buffer, of a type, that may be out of bounds.
#[derive(Clone, Debug)]
pub(super) struct Shifted {
    /// The variable.
    pub(super) name: String,
    /// The buffer that it is for, and what that consists of.
    pub(super) buffer: &'static str,
    pub(super) element: Scalar,
    signed: bool,
    /// How many elements are the item's own.
    pub(super) step: usize,
}

impl Shifted {
    /// A condition that holds where the index, and as many behind it, are below an end.
    pub(super) fn guard(&self, end: usize, rng: &mut crate::rng::Rng) -> String {
        let name = &self.name;
        if !self.signed {
            return format!("{name} < {end}");
        }
        // No index of a buffer's own is beyond its end.
        if end == SHIFTED && rng.chance(50) {
            return rng.pick(&["$ >= 0", "$ > -1", "0 <= $", "!($ < 0)"]).replace('$', name);
        }
        rng.pick(&["$ >= 0 && $ < END", "$ > -1 && $ < END", "$ < END && $ >= 0"])
            .replace('$', name)
            .replace("END", &end.to_string())
    }
}

impl Generator {
    /// Declares an index for each of the buffers. Each item has another one: items write no places of others.
    pub(super) fn shifted_indices(&mut self) {
        for buffer in Buffer::ALL.iter().filter(|buffer| buffer.role == Role::Shifted) {
            let name = self.name("j");
            let ty = self
                .rng
                .pick(&["int", "int", "int", "uint", "long", "size_t", "short", "ushort"]);
            let step: isize = self.rng.pick(&[1, 1, 1, 1, 2, 3, -1, -1, -2]);
            let few = self.rng.below(60);
            let many = self.rng.below(3000);
            let offset = self.rng.pick(&[few, few, few, many, 0]);
            let factor = match step {
                1 => "gi".to_string(),
                -1 => "-gi".to_string(),
                _ => format!("gi * {step}"),
            };
            // Upwards from below zero, downwards to below zero.
            let value = match (step > 0, self.rng.below(3)) {
                (true, 0) => format!("({ty}){factor} - ({ty}){offset}"),
                (true, _) => format!("{factor} - {offset}"),
                (false, 0) => format!("({ty}){offset} + ({ty})({factor})"),
                (false, _) => format!("{offset} + {factor}"),
            };
            self.line(format!("const {ty} {name} = ({ty})({value});"));
            let signed = !ty.starts_with('u') && ty != "size_t";
            if ty == "int" {
                self.declare(&name, Ty::INT, false, false, true);
            }
            let bits = match buffer.ty {
                "char" => 8,
                "short" => 16,
                "int" => 32,
                _ => 64,
            };
            self.shifted.push(Shifted {
                name,
                buffer: buffer.name,
                element: Scalar::Int { bits, signed: true },
                signed,
                step: step.unsigned_abs(),
            });
        }
    }

    fn random_shifted(&mut self) -> Shifted {
        self.shifted[self.rng.below(self.shifted.len())].clone()
    }

    /// Changes a place of the item's, if there is one.
    pub(super) fn guarded_write(&mut self, depth: usize) {
        let index = self.random_shifted();
        let guard = index.guard(SHIFTED, &mut self.rng);
        let place = format!("{}[{}]", index.buffer, index.name);
        let wide = index.element.wrapping().name();
        let value = self.expression(Ty::of(index.element), 1);
        let statement = match self.rng.below(3) {
            0 => format!("{place} = {value};"),
            _ => format!("{place} = ({wide}){place} + ({wide})({value});"),
        };
        match self.rng.below(4) {
            0 if depth > 0 => {
                self.open(format!("if ({guard}) {{"));
                self.apart(|own| own.body(depth - 1));
                self.line(statement);
                self.close();
            }
            1 => {
                let condition = self.condition(1);
                self.line(format!(
                    "if ({guard}) {{ if ({condition}) {statement} else {place} ^= 5; }}"
                ));
            }
            _ => self.line(format!("if ({guard}) {statement}")),
        }
    }

    /// An element of an input's buffer, or a constant where the index is not in it.
    pub(super) fn guarded_read(&mut self, buffer: &str, scalar: Scalar) -> String {
        let index = self.random_shifted();
        let further = self.rng.below(40);
        let guard = index.guard(INPUTS - 40, &mut self.rng);
        let name = &index.name;
        let index = match further {
            0..20 => name.clone(),
            _ => format!("{name} + {further}"),
        };
        let other = self.constant(scalar);
        format!("(({guard}) ? {buffer}[{index}] : {other})")
    }

    /// Goes through an input from an index that may be below zero.
    pub(super) fn sweep(&mut self) {
        let counter = self.name("i");
        let ty = self.rng.pick(&["int", "int", "long"]);
        let (offset, step) = (self.rng.below(3000), 1500 + self.rng.below(2000));
        let first = self.rng.pick(&["gi", "gi", "gi * 2", "lid", "lx * 3"]);
        let (buffer, element) = self
            .rng
            .pick(&[("vi", "int"), ("vc", "char"), ("vl", "long"), ("vs", "short")]);
        let mut guard = format!("{counter} >= 0");
        if self.rng.chance(30) {
            let condition = self.condition(1);
            let _ = write!(guard, " && {condition}");
        }
        self.line(format!(
            "for ({ty} {counter} = {first} - {offset}; {counter} < {INPUTS}; {counter} += {step}) \
             if ({guard}) fold = fold * 3 + hash_{element}({buffer}[{counter}]);"
        ));
    }

    /// Goes through an input side by side with the other items, as reductions do: all of them leave the loop in the same round, or in
    /// two that follow each other, unless a number sends one out.
    pub(super) fn walk(&mut self) {
        let [counter, sum] = ["i", "v"].map(|name| self.name(name));
        let ty = self.rng.pick(&["int", "uint", "long", "ulong"]);
        let first = self.rng.pick(&["gi", "gi", "lid", "lx", "gi * 2"]);
        let (step, rounds) = (1500 + self.rng.below(2000), 1 + self.rng.below(6));
        let end = INPUTS - self.rng.below(300);
        let own_end = format!("({ty})({first} + {})", rounds * step);
        let bound = match self.rng.below(3) {
            0 => end.to_string(),
            1 => format!("min(({ty}){end}, {own_end})"),
            _ => format!("({own_end} < ({ty}){end} ? {own_end} : ({ty}){end})"),
        };
        let (buffer, element) = self
            .rng
            .pick(&[("vi", "int"), ("vc", "char"), ("vl", "long"), ("vs", "short")]);
        let start = self.expression(Ty::INT, 1);
        self.line(format!("{element} {sum} = ({element})({start});"));
        let compare = self.rng.pick(&["<", "<", "<="]);
        let last = if compare == "<" { bound } else { format!("{bound} - 1") };
        self.open(format!(
            "for ({ty} {counter} = ({ty})({first}); {counter} {compare} {last}; {counter} += {step}) {{"
        ));
        let number = format!("{buffer}[{counter}]");
        // A way out of two loops.
        let out = self.rng.chance(25).then(|| self.name("out"));
        if let Some(out) = &out {
            let (inner, mask, rounds) = (self.name("k"), self.rng.pick(&[3, 31, 127]), 1 + self.rng.below(3));
            self.open(format!("for (int {inner} = 0; {inner} < {rounds}; ++{inner}) {{"));
            self.line(format!("if ((({number} ^ {inner}) & {mask}) == 1) goto {out};"));
            self.line(format!("fold = fold * 3 + {inner};"));
            if self.rng.chance(50) {
                self.result_in_loop();
            }
            self.close();
        }
        if self.rng.chance(25) {
            let mask = self.rng.pick(&[1, 7, 63, 127]);
            self.line(format!("if (({number} & {mask}) == 1) break;"));
        }
        let statement = match self.rng.below(3) {
            0 => format!("{sum} = {number} > {sum} ? {number} : {sum};"),
            1 => format!("{sum} ^= {number};"),
            _ => format!("fold = fold * 3 + hash_{element}({number});"),
        };
        self.line(statement);
        if self.rng.chance(25) {
            self.result_in_loop();
        }
        self.close();
        if let Some(out) = out {
            self.line(format!("{out}:;"));
        }
        self.line(format!("fold = fold * 5 + hash_{element}({sum});"));
    }

    /// Writes something where not all items are.
    fn result_in_loop(&mut self) {
        self.loops += 1;
        self.apart(Self::result);
        self.loops -= 1;
    }
}
