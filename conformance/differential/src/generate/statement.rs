// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Statements: variables, control flow, arrays, structures, results, counters.

use super::types::{INTS, Scalar, Ty};
use super::{Array, Generator, Var};
use crate::data::{Buffer, SHARED_COUNTERS};

/// The buffer for results of a type.
fn results(ty: Ty) -> &'static str {
    match (ty.scalar.is_float(), ty.scalar.bits()) {
        (false, 8) => "oc",
        (false, 16) => "os",
        (false, 32) => "oi",
        (false, _) => "ol",
        (true, 16) => "oh",
        (true, 32) => "of",
        (true, _) => "od",
    }
}

/// A vector of the type that buffers of results have.
fn as_signed(value: &str, ty: Ty) -> String {
    match ty.scalar.is_float() || ty.scalar.is_signed() {
        true => value.into(),
        false => format!("as_{}({value})", ty.with(ty.scalar.as_int(true)).name()),
    }
}

impl Generator {
    /// Some statements, of which control flow nests as deep as `depth`.
    pub(super) fn statements(&mut self, depth: usize) {
        if depth == 4 || self.in_helper.is_some() && self.loops == 0 && depth == 2 {
            while self.budget > 0 {
                self.statement(depth);
            }
            return;
        }
        for _ in 0..1 + self.rng.below(4) {
            self.statement(depth);
        }
    }

    /// Statements in braces, with variables of their own.
    pub(super) fn body(&mut self, depth: usize) {
        let (vars, arrays, structs) = (self.vars.len(), self.arrays.len(), self.structs.len());
        let (pointers, callees) = (self.pointers.len(), self.callees.len());
        self.statements(depth);
        self.pointers.truncate(pointers);
        self.callees.truncate(callees);
        self.vars.truncate(vars);
        self.arrays.truncate(arrays);
        self.structs.truncate(structs);
    }

    fn statement(&mut self, depth: usize) {
        self.budget = self.budget.saturating_sub(1);
        let is_kernel = self.in_helper.is_none();
        if self.has_indirection() && self.rng.chance(15) {
            return self.pointer();
        }
        if self.has.collectives && is_kernel && self.rng.chance(12) {
            return self.collective();
        }
        if is_kernel && self.more.chance(6) {
            return self.neighbours();
        }
        match self.rng.below(100) {
            0..=17 => self.variable(),
            18..=35 => self.assignment(),
            36 if is_kernel && self.loops < 2 => self.sweep(),
            37..=38 if is_kernel && self.loops < 2 => self.walk(),
            36..=43 if is_kernel => self.result(),
            44..=53 if depth > 0 => self.branch(depth - 1),
            54..=57 if depth > 0 => self.same_branch(depth - 1),
            58..=67 if depth > 0 && self.has.loops && self.loops < 3 => self.repetition(depth - 1),
            68..=69 if depth > 0 => self.choice(depth - 1),
            70 if is_kernel && self.loops < 2 => self.two_loops(),
            71..=81 if self.has.meets && self.uniform => self.work_group(),
            71..=81 if self.has.meets && depth > 0 => self.branch(depth - 1),
            71..=81 if self.has.meets => self.assignment(),
            71..=73 => self.array(),
            74..=77 if is_kernel => self.guarded_write(depth),
            74..=77 => self.array(),
            78..=81 if self.has.structs => self.structure(),
            82..=85 if self.in_loop => {
                let (condition, jump) = (self.condition(1), self.rng.pick(&["break", "continue"]));
                self.line(format!("if ({condition}) {jump};"));
            }
            86 if self.may_return => {
                let condition = self.condition(1);
                match self.in_helper {
                    Some(ty) => {
                        let value = self.expression(ty, 1);
                        self.line(format!("if ({condition}) return {value};"));
                    }
                    None if self.rng.chance(40) => self.line(format!("if ({condition}) return;")),
                    None => {}
                }
            }
            87..=90 if self.has.atomics => self.counter(),
            91..=95 if self.has.groups && self.uniform => self.work_group(),
            96..=99 if self.has.sub_group.is_some() => self.sub_group(),
            _ => self.assignment(),
        }
    }

    pub(super) fn variable(&mut self) {
        let ty = self.random_type();
        let name = self.name("v");
        let value = self.expression(ty, 2);
        self.line(format!("{} {name} = {value};", ty.name()));
        self.declare(&name, ty, true, false, false);
    }

    pub(super) fn assignment(&mut self) {
        let mutable: Vec<Var> = self.vars.iter().filter(|v| v.mutable).cloned().collect();
        if mutable.is_empty() {
            return self.variable();
        }
        let var = mutable[self.rng.below(mutable.len())].clone();
        if var.ty.is_vector() && self.rng.chance(30) {
            let (digit, value) = (self.rng.below(var.ty.count), self.expression(Ty::of(var.ty.scalar), 2));
            return self.line(format!("{}.s{digit:x} = {value};", var.name));
        }
        let value = self.expression(var.ty, 3);
        if !var.ty.scalar.is_float() && self.rng.chance(25) {
            let op = self.rng.pick(&["^=", "|=", "&="]);
            return self.line(format!("{} {op} {value};", var.name));
        }
        self.line(format!("{} = {value};", var.name));
    }

    /// Writes something to a buffer of results.
    pub(super) fn result(&mut self) {
        if self.has.floats && self.rng.chance(20) {
            let double = self.has.double && self.rng.chance(50);
            let value = self.about(Scalar::Float(if double { 64 } else { 32 }));
            let place = self.place(if double { "ad" } else { "af" });
            return self.line(format!("{place} = {value};"));
        }
        let scalar = self.random_scalar();
        let value = self.expression(Ty::of(scalar), 2);
        self.store_value(&format!("({value})"), Ty::of(scalar));
    }

    /// The address of the item's own results, if these lie side by side and are as many as a vector has elements.
    fn own_window(&mut self, ty: Ty) -> Option<String> {
        let name = results(ty);
        let (index, buffer) = Buffer::ALL.iter().enumerate().find(|b| b.1.name == name)?;
        let slots = buffer.slots();
        let has = self.strided >> index & 1 != 0 && ty.count <= slots && self.rng.chance(80);
        has.then(|| format!("{name} + g * {slots} + {}", self.rng.below(slots - ty.count + 1)))
    }

    /// Writes a value to a buffer of results.
    pub(super) fn store_value(&mut self, value: &str, ty: Ty) {
        if ty.is_vector() {
            if let Some(place) = self.own_window(ty) {
                return self.line(format!("vstore{}({}, 0, {place});", ty.count, as_signed(value, ty)));
            }
            for i in 0..ty.count {
                self.line(format!("fold = fold * 5 + hash_{}({value}.s{i:x});", ty.scalar.name()));
            }
            return;
        }
        if self.rng.chance(30) {
            return self.line(format!("fold = fold * 3 + hash_{}({value});", ty.scalar.name()));
        }
        let place = self.place(results(ty));
        self.line(format!("{place} = {value};"));
    }

    /// Makes statements that only some items of a group come to.
    pub(super) fn apart(&mut self, make: impl FnOnce(&mut Self)) {
        let uniform = std::mem::replace(&mut self.uniform, false);
        make(self);
        self.uniform = uniform;
    }

    fn branch(&mut self, depth: usize) {
        let condition = match self.has.meets && self.in_helper.is_none() && self.rng.chance(40) {
            true => "lid == 0".into(),
            false => self.condition(2),
        };
        self.open(format!("if ({condition}) {{"));
        self.apart(|own| own.body(depth));
        if self.rng.chance(50) {
            self.indent -= 1;
            self.open("} else {");
            self.apart(|own| own.body(depth));
        }
        self.close();
    }

    fn same_branch(&mut self, depth: usize) {
        let condition = self.same_condition();
        self.open(format!("if ({condition}) {{"));
        self.body(depth);
        if self.rng.chance(40) {
            self.indent -= 1;
            self.open("} else {");
            self.body(depth);
        }
        self.close();
    }

    fn choice(&mut self, depth: usize) {
        let same = self.rng.chance(25);
        let value = if same { self.same(8) } else { self.integer_choice() };
        self.open(format!("switch ({value}) {{"));
        // A `continue` here would be the loop's, a `break` is not.
        let in_loop = std::mem::replace(&mut self.in_loop, false);
        let uniform = self.uniform;
        self.uniform &= same;
        let cases = 2 + self.rng.below(3);
        for case in 0..cases {
            let label = if case + 1 == cases && self.rng.chance(60) {
                "default".into()
            } else {
                format!("case {}", case * 2)
            };
            self.open(format!("{label}: {{"));
            self.body(depth);
            self.close();
            if self.rng.chance(75) {
                self.line("break;");
            }
        }
        (self.in_loop, self.uniform) = (in_loop, uniform);
        self.close();
    }

    fn integer_choice(&mut self) -> String {
        let value = self.expression(Ty::INT, 1);
        format!("({value}) & 7")
    }

    fn repetition(&mut self, depth: usize) {
        let counter = self.name("i");
        let same = self.rng.chance(50);
        let bound = if same {
            self.same(8)
        } else {
            format!("(({}) & 7)", self.expression(Ty::INT, 1))
        };
        let (in_loop, uniform) = (self.in_loop, self.uniform);
        // Items may leave such a loop at different times.
        self.in_loop = !same || self.rng.chance(50);
        self.uniform = uniform && same && !self.in_loop;
        self.loops += 1;
        let vars = self.vars.len();
        let step = 1 + self.rng.below(3);
        let kind = self.rng.below(10);
        let scalar = if kind < 6 && self.rng.chance(50) {
            self.rng.pick(&INTS)
        } else {
            Ty::INT.scalar
        };
        match kind {
            0..=5 => {
                let ty = scalar.name();
                self.open(format!(
                    "for ({ty} {counter} = 0; {counter} < {bound}; {counter} += {step}) {{"
                ));
            }
            6 => self.open(format!(
                "for (int {counter} = {bound}; {counter} > 0; {counter} -= {step}) {{"
            )),
            7 => {
                // A loop with its way out in the middle.
                self.in_loop = false;
                self.line(format!("int {counter} = {bound};"));
                self.open("while (true) {");
                self.body(depth / 2);
                self.line(format!("if (--{counter} < 0) break;"));
            }
            8 => {
                self.line(format!("int {counter} = {bound};"));
                self.open(format!("while ({counter}-- > 0) {{"));
            }
            _ => {
                self.line(format!("int {counter} = {bound};"));
                self.open("do {");
            }
        }
        if kind == 7 || kind == 9 {
            // `continue` would go on without counting.
            self.uniform = uniform && same;
            self.in_loop = false;
        }
        // In a loop that all items go round together, its counter is the same.
        let counted_together = self.uniform;
        self.declare(&counter, Ty::of(scalar), false, counted_together, true);
        self.body(depth);
        self.vars.truncate(vars);
        self.indent -= 1;
        self.line(if kind == 9 {
            format!("}} while (--{counter} > 0);")
        } else {
            "}".into()
        });
        self.loops -= 1;
        (self.in_loop, self.uniform) = (in_loop, uniform);
    }

    /// A loop in another one, of which one place goes on in either, as where a program continues the outer one. One of them gets
    /// what a number was before, the other what it is next.
    fn two_loops(&mut self) {
        // Rarely: Intel's driver may optimize them for minutes.
        if !self.rng.chance(15) {
            return self.assignment();
        }
        let [x, y, last, round] = ["v", "v", "v", "i"].map(|name| self.name(name));
        let [outer, inner, end] = ["outer", "inner", "end"].map(|name| self.name(name));
        let values = [(); 2].map(|()| self.expression(Ty::INT, 1));
        self.line(format!(
            "int {x} = {}, {y} = {}, {last} = 0, {round} = 0;",
            values[0], values[1]
        ));
        self.line(format!("{outer}: {x} ^= (int)((uint){last} << 3);"));
        let rounds = 2 + self.rng.below(8);
        self.line(format!("{inner}: if (++{round} > {rounds}) goto {end};"));
        self.loops += 1;
        self.apart(|own| {
            own.result();
            own.assignment();
        });
        self.loops -= 1;
        let next = self.name("v");
        self.line(format!("int {next} = (int)((uint){x} * 3u + (uint){round});"));
        let mask = self.rng.pick(&[1, 3, 8, 16]);
        self.line(format!(
            "if (({next} ^ {y}) & {mask}) {{ {x} = {next}; goto {inner}; }}"
        ));
        if self.rng.chance(30) {
            self.apart(Self::result);
        }
        self.line(format!("{last} = {x}; {x} = {y}; {y} = {next};"));
        self.line(format!("goto {outer};"));
        self.line(format!("{end}: fold = fold * 7 + (uint){x} * 3u + (uint){last};"));
        for name in [x, y] {
            self.declare(&name, Ty::INT, true, false, false);
        }
    }

    fn array(&mut self) {
        if self.arrays.is_empty() || self.rng.chance(25) {
            let scalar = self.random_scalar();
            let length = self.rng.pick(&[2, 4, 8, 16]);
            let name = self.name("a");
            let ty = scalar.name();
            self.line(format!("{ty} {name}[{length}];"));
            if self.rng.chance(50) {
                let factor = self.rng.below(9);
                self.line(format!(
                    "for (int i = 0; i < {length}; i++) {name}[i] = ({ty})(i * {factor});"
                ));
            } else {
                for i in 0..length {
                    let value = self.expression(Ty::of(scalar), 1);
                    self.line(format!("{name}[{i}] = {value};"));
                }
            }
            self.arrays.push(Array { name, scalar, length });
            return;
        }
        let array = self.arrays[self.rng.below(self.arrays.len())].clone();
        let (index, value) = (self.array_index(array.length), self.expression(Ty::of(array.scalar), 2));
        self.line(format!("{}[{index}] = {value};", array.name));
    }

    fn structure(&mut self) {
        let (short, long) = (
            Scalar::Int { bits: 16, signed: true },
            Scalar::Int { bits: 64, signed: true },
        );
        if self.structs.is_empty() || self.rng.chance(30) {
            let name = self.name("t");
            match self.structs.last().cloned() {
                Some(other) if self.rng.chance(50) => self.line(format!("struct Pair {name} = {other};")),
                _ => {
                    let (x, y) = (self.expression(Ty::of(short), 1), self.expression(Ty::of(long), 1));
                    let z: Vec<_> = (0..4).map(|_| self.expression(Ty::INT, 1)).collect();
                    self.line(format!(
                        "struct Pair {name} = {{ {x}, {y}, {{ {} }}, 1.5f }};",
                        z.join(", ")
                    ));
                }
            }
            self.structs.push(name);
            return;
        }
        let name = self.structs[self.rng.below(self.structs.len())].clone();
        match self.rng.below(4) {
            0 => {
                let value = self.expression(Ty::of(short), 2);
                self.line(format!("{name}.x = {value};"));
            }
            1 => {
                let value = self.expression(Ty::of(long), 2);
                self.line(format!("{name}.y = {value};"));
            }
            2 => {
                let (index, value) = (self.array_index(4), self.expression(Ty::INT, 2));
                self.line(format!("{name}.z[{index}] = {value};"));
            }
            _ => {
                let other = self.structs[self.rng.below(self.structs.len())].clone();
                if other != name {
                    self.line(format!("{name} = {other};"));
                }
            }
        }
    }

    /// Counts something, in a counter of all items or the item's own.
    fn counter(&mut self) {
        let own = format!("&counters[{SHARED_COUNTERS} + g]");
        let value = self.expression(Ty::INT, 2);
        match self.rng.below(8) {
            0..=3 => {
                // Each shared counter knows one operation, so that the order does not matter.
                let (i, operation) = self.rng.pick(&[
                    (0, "add"),
                    (1, "max"),
                    (2, "min"),
                    (3, "or"),
                    (4, "and"),
                    (5, "xor"),
                    (6, "add"),
                ]);
                let index = self.small(1);
                self.line(format!(
                    "atomic_{operation}(&counters[{} + (({index}) & 7)], {value});",
                    i * 8
                ));
            }
            4 => {
                let name = self.name("v");
                let expected = self.expression(Ty::INT, 1);
                self.line(format!(
                    "int {name} = atomic_cmpxchg({own}, {expected} & 255, {value});"
                ));
                self.declare(&name, Ty::INT, true, false, false);
            }
            5 => self.line("atomic_inc(&counters[48 + (lid & 7)]);"),
            _ => {
                let name = self.name("v");
                let operation = self.rng.pick(&["add", "sub", "xchg", "min", "xor"]);
                self.line(format!("int {name} = atomic_{operation}({own}, {value});"));
                self.declare(&name, Ty::INT, true, false, false);
            }
        }
    }
}
