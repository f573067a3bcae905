// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pointers in variables: to private variables and elements, to other pointers, to inputs, and to functions.
//!
//! What a pointer refers to lives at least as long as the pointer: it was there when the pointer was declared. OpenCL C has no
//! function pointers; clang has them as an extension, `__cl_clang_function_pointers`.

use super::types::Ty;
use super::{Generator, Helper, Var};
use crate::data::INPUTS;

/// How a pointer is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `*p`
    Plain,
    /// `**p`
    Twice,
    /// `*p[i]`, of two.
    Array,
    /// `p[i]`, of a buffer of inputs.
    Input,
}

/// A private variable that is a pointer, or an array of them.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    name: String,
    kind: Kind,
    /// Of what it refers to in the end.
    ty: Ty,
    /// The address space of its type: `private `, or nothing, which is the generic one.
    space: &'static str,
    /// What it may be set to.
    targets: Vec<String>,
}

/// Functions of one type, which are called through pointers.
#[derive(Clone, Debug)]
pub(super) struct Family {
    /// The name of the pointer's type.
    name: String,
    members: Vec<String>,
    params: Vec<Ty>,
    result: Ty,
}

/// A variable with the address of one of a family, or an array of two.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    name: String,
    is_array: bool,
    family: usize,
}

impl Generator {
    /// Whether code has pointers of any kind.
    pub(super) fn has_indirection(&self) -> bool {
        self.has.pointers || self.has.function_pointers
    }

    /// A statement about a pointer.
    pub(super) fn pointer(&mut self) {
        match self.has.function_pointers && !self.families.is_empty() && (self.rng.chance(40) || !self.has.pointers) {
            true => self.callee(),
            false if self.has.pointers => self.data_pointer(),
            false => self.assignment(),
        }
    }

    fn data_pointer(&mut self) {
        if self.pointers.is_empty() || self.rng.chance(35) {
            return match self.rng.below(6) {
                0 if self.in_helper.is_none() => self.input_pointer(),
                1..=3 => self.pointer_to_pointer(),
                _ => self.plain_pointer(),
            };
        }
        let pointer = self.pointers[self.rng.below(self.pointers.len())].clone();
        if pointer.kind == Kind::Input || self.rng.chance(40) {
            return self.redirect(&pointer);
        }
        let (place, value) = (self.referent(&pointer), self.expression(pointer.ty, 2));
        self.line(format!("{place} = {value};"));
    }

    /// What a pointer refers to.
    fn referent(&mut self, pointer: &Pointer) -> String {
        let name = &pointer.name;
        match pointer.kind {
            Kind::Plain => format!("(*{name})"),
            Kind::Twice => format!("(**{name})"),
            Kind::Array => format!("(*{name}[{}])", self.array_index(2)),
            Kind::Input => format!("{name}[{}]", self.index()),
        }
    }

    /// Addresses of variables and elements of a type.
    fn targets(&mut self, ty: Ty) -> Vec<String> {
        let vars = self.vars.iter().filter(|v| v.mutable && v.ty == ty);
        let mut targets: Vec<_> = vars.map(|v| format!("&{}", v.name)).collect();
        for array in self.arrays.clone().iter().filter(|a| Ty::of(a.scalar) == ty) {
            let at = self.rng.below(array.length);
            targets.push(match self.rng.chance(50) {
                true => format!("&{}[{at}]", array.name),
                false => format!("{} + {at}", array.name),
            });
        }
        targets
    }

    fn one_of(&mut self, targets: &[String]) -> String {
        targets[self.rng.below(targets.len())].clone()
    }

    /// One of the targets, or one of two by a condition.
    fn address(&mut self, targets: &[String]) -> String {
        let first = self.one_of(targets);
        match self.rng.chance(60) {
            true => format!("({} ? {first} : {})", self.condition(1), self.one_of(targets)),
            false => first,
        }
    }

    fn plain_pointer(&mut self) {
        let mutable: Vec<Var> = self.vars.iter().filter(|v| v.mutable).cloned().collect();
        if mutable.is_empty() {
            return self.variable();
        }
        let ty = mutable[self.rng.below(mutable.len())].ty;
        let targets = self.targets(ty);
        let (name, space) = (self.name("q"), self.rng.pick(&["private ", ""]));
        let kind = self.rng.pick(&[Kind::Plain, Kind::Plain, Kind::Array]);
        let first = self.address(&targets);
        let ty_name = ty.name();
        match kind {
            Kind::Array => {
                let second = self.address(&targets);
                self.line(format!("{space}{ty_name} *{name}[2] = {{ {first}, {second} }};"));
            }
            _ => self.line(format!("{space}{ty_name} *{name} = {first};")),
        }
        self.pointers.push(Pointer {
            name,
            kind,
            ty,
            space,
            targets,
        });
    }

    fn pointer_to_pointer(&mut self) {
        let plain: Vec<Pointer> = self
            .pointers
            .iter()
            .filter(|p| p.kind == Kind::Plain)
            .cloned()
            .collect();
        if plain.is_empty() {
            return self.plain_pointer();
        }
        let first = plain[self.rng.below(plain.len())].clone();
        let same = plain.iter().filter(|p| p.ty == first.ty && p.space == first.space);
        let same: Vec<Pointer> = same.cloned().collect();
        let second = same[self.rng.below(same.len())].clone();
        // Either may be set through this one, to what both may refer to.
        let targets: Vec<_> = first
            .targets
            .iter()
            .filter(|t| second.targets.contains(t))
            .cloned()
            .collect();
        let name = self.name("q");
        let outer = self.rng.pick(&["private ", ""]);
        let value = self.address(&[format!("&{}", first.name), format!("&{}", second.name)]);
        self.line(format!("{}{} *{outer}*{name} = {value};", first.space, first.ty.name()));
        self.pointers.push(Pointer {
            name,
            kind: Kind::Twice,
            ty: first.ty,
            space: first.space,
            targets,
        });
    }

    fn input_pointer(&mut self) {
        let scalar = self.random_scalar();
        let scalar = if scalar.is_float() { scalar } else { scalar.as_int(true) };
        let buffer = super::expression::inputs(scalar);
        // Indices go 59 beyond the items at most.
        const MOST: usize = INPUTS - crate::data::ITEMS - 60;
        let targets: Vec<_> = (0..3).map(|_| format!("{buffer} + {}", self.rng.below(MOST))).collect();
        let (name, value) = (self.name("q"), self.address(&targets));
        let space = self.rng.pick(&["global const ", "const "]);
        self.line(format!("{space}{} *{name} = {value};", scalar.name()));
        self.pointers.push(Pointer {
            name,
            kind: Kind::Input,
            ty: Ty::of(scalar),
            space,
            targets,
        });
    }

    /// Has a pointer refer to something else.
    fn redirect(&mut self, pointer: &Pointer) {
        if pointer.targets.is_empty() {
            return self.assignment();
        }
        let value = self.address(&pointer.targets);
        let place = match pointer.kind {
            Kind::Plain | Kind::Input => pointer.name.clone(),
            Kind::Twice => format!("*{}", pointer.name),
            Kind::Array => format!("{}[{}]", pointer.name, self.array_index(2)),
        };
        let condition = match self.rng.chance(40) {
            true => format!("if ({}) ", self.condition(1)),
            false => String::new(),
        };
        self.line(format!("{condition}{place} = {value};"));
    }

    /// A value of a type through a pointer, if there is one.
    pub(super) fn indirect(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let callees: Vec<_> = self
            .callees
            .iter()
            .filter(|c| self.families[c.family].result == ty)
            .cloned()
            .collect();
        if !callees.is_empty() && self.rng.chance(50) {
            let callee = callees[self.rng.below(callees.len())].clone();
            let function = match callee.is_array {
                true => format!("{}[{}]", callee.name, self.array_index(2)),
                false => callee.name,
            };
            let params = self.families[callee.family].params.clone();
            let args: Vec<_> = params.iter().map(|&p| self.expression(p, depth - 1)).collect();
            return Some(format!("{function}({})", args.join(", ")));
        }
        let pointers: Vec<_> = self.pointers.iter().filter(|p| p.ty == ty).cloned().collect();
        if let Some(last) = pointers.len().checked_sub(1) {
            let pointer = pointers[self.rng.below(last + 1)].clone();
            return Some(self.referent(&pointer));
        }
        // Whether two are the same.
        let plain: Vec<_> = self
            .pointers
            .iter()
            .filter(|p| p.kind == Kind::Plain)
            .cloned()
            .collect();
        if ty != Ty::INT || plain.is_empty() {
            return None;
        }
        let pointer = plain[self.rng.below(plain.len())].clone();
        let other = self.one_of(&pointer.targets);
        Some(format!("(int)({} == {other})", pointer.name))
    }

    /// Functions of one type, and the type of pointers to them.
    pub(super) fn family(&mut self) {
        let params: Vec<Ty> = (0..1 + self.rng.below(3)).map(|_| self.random_type()).collect();
        let result = self.random_type();
        let first = self.helpers.len();
        for _ in 0..2 + self.rng.below(2) {
            let name = self.name("f");
            self.function(name, params.clone(), result);
        }
        let members = self.helpers[first..].iter().map(|h: &Helper| h.name.clone()).collect();
        let name = self.name("F");
        let list: Vec<_> = params.iter().map(|p| p.name()).collect();
        self.line(format!("typedef {} (*{name})({});", result.name(), list.join(", ")));
        self.families.push(Family {
            name,
            members,
            params,
            result,
        });
    }

    /// A statement about a variable with the address of a function.
    fn callee(&mut self) {
        if self.callees.is_empty() || self.rng.chance(35) {
            let family = self.rng.below(self.families.len());
            let Family { name: ty, members, .. } = self.families[family].clone();
            let (name, is_array) = (self.name("c"), self.rng.chance(30));
            let first = self.address(&members);
            match is_array {
                true => {
                    let second = self.address(&members);
                    self.line(format!("{ty} {name}[2] = {{ {first}, {second} }};"));
                }
                false => self.line(format!("{ty} {name} = {first};")),
            }
            return self.callees.push(Callee { name, is_array, family });
        }
        let callee = self.callees[self.rng.below(self.callees.len())].clone();
        let members = self.families[callee.family].members.clone();
        let value = self.address(&members);
        let place = match callee.is_array {
            true => format!("{}[{}]", callee.name, self.array_index(2)),
            false => callee.name,
        };
        self.line(format!("{place} = {value};"));
    }
}
