// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Expressions: of every type, and conditions, indices, and numbers that are the same in the whole group.

use super::types::{INTS, Scalar, Ty};
use super::{Generator, Var};
use crate::data::{INPUTS, ITEMS};

/// The buffer of inputs of a type.
pub(super) fn inputs(scalar: Scalar) -> &'static str {
    match (scalar.is_float(), scalar.bits()) {
        (false, 8) => "vc",
        (false, 16) => "vs",
        (false, 32) => "vi",
        (false, _) => "vl",
        (true, 16) => "vh",
        (true, 32) => "vf",
        (true, _) => "vd",
    }
}

impl Generator {
    /// An expression of a type.
    pub(super) fn expression(&mut self, ty: Ty, depth: usize) -> String {
        match ty.scalar {
            _ if ty.is_vector() => self.vector(ty, depth),
            Scalar::Int { .. } => self.integer(ty.scalar, depth),
            Scalar::Float(_) => self.float(ty.scalar, depth),
        }
    }

    fn of(&mut self, scalar: Scalar, depth: usize) -> String {
        self.expression(Ty::of(scalar), depth)
    }

    fn find(&mut self, fits: impl Fn(&Var) -> bool) -> Option<Var> {
        let found: Vec<&Var> = self.vars.iter().filter(|v| fits(v)).collect();
        // What was made last is read more often.
        let at = self
            .rng
            .below(found.len().max(1))
            .max(self.rng.below(found.len().max(1)));
        found.get(at).map(|&v| v.clone())
    }

    /// Something simple of a number's type.
    fn leaf(&mut self, scalar: Scalar) -> String {
        match self.rng.below(10) {
            0..=4 => {
                if let Some(var) = self.find(|v| v.ty == Ty::of(scalar)) {
                    return var.name;
                }
            }
            5 | 6 if self.in_helper.is_none() => return self.input(scalar),
            7 => {
                if let Some(var) = self.find(|v| v.ty.scalar == scalar && v.ty.is_vector()) {
                    let digit = self.rng.below(var.ty.count);
                    return format!("{}.s{digit:x}", var.name);
                }
            }
            8 => {
                if let Some(var) = self.find(|v| !v.ty.is_vector() && !v.ty.scalar.is_float()) {
                    return format!("({}){}", scalar.name(), var.name);
                }
            }
            _ => {}
        }
        self.constant(scalar)
    }

    /// A constant.
    pub(super) fn constant(&mut self, scalar: Scalar) -> String {
        let ty = scalar.name();
        if scalar.is_float() {
            let value = self
                .rng
                .pick(&["0.0", "1.0", "-2.25", "0.5", "3.0", "100.75", "-7.0", "0.0625"]);
            return if scalar == Scalar::Float(64) {
                value.into()
            } else {
                format!("({ty}){value}f")
            };
        }
        let bits = scalar.bits();
        let high = 1u64 << (bits - 1);
        let value = match self.rng.below(6) {
            0 => self.rng.pick(&[high, high - 1, u64::MAX, bits.into()]),
            1 => self.rng.bits(),
            _ => self.rng.below(20) as u64,
        };
        let value = if bits == 64 { value } else { value & ((1 << bits) - 1) };
        if value < 100 {
            format!("({ty}){value}")
        } else {
            format!("({ty}){value:#x}")
        }
    }

    /// An element of a buffer of inputs.
    fn input(&mut self, scalar: Scalar) -> String {
        let buffer = inputs(scalar);
        if scalar.is_signed() && self.rng.chance(12) {
            return format!("({}){}", scalar.name(), self.window(buffer, scalar));
        }
        let index = if !self.shifted.is_empty() && self.rng.chance(25) {
            let read = self.guarded_read(buffer, scalar);
            return format!("({}){read}", scalar.name());
        } else {
            self.index()
        };
        if scalar.is_float() || scalar.is_signed() {
            format!("{buffer}[{index}]")
        } else {
            format!("({}){buffer}[{index}]", scalar.name())
        }
    }

    /// The exclusive or of some elements that lie together: of a window that each item has for itself, upwards or downwards.
    fn window(&mut self, buffer: &str, scalar: Scalar) -> String {
        let step = match self.has.windows {
            true => self.rng.pick(&[1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8]),
            false => self.rng.pick(&[1, 2, 2, 3, 3, 4, 4, 5, 8]),
        };
        // Where groups may be large, items with the same low bits of an id have the same window.
        let most = INPUTS / step - 1;
        let own = match self.rng.below(6) {
            0 => format!("(uint)gi % {most}"),
            1 => format!("(gi & 511) * {step}"),
            2 if !self.has.large => format!("(255 - lx) * {step}"),
            3 if !self.has.large => format!("lid * {step}"),
            _ if !self.has.large => format!("(size_t)lx * {step}"),
            _ => format!("(lid & 1023) * {step}"),
        };
        if step == 3 && scalar.bits() == 32 && self.rng.chance(50) {
            let member = self.rng.pick(&["x", "y", "z"]);
            let other = self.rng.pick(&["x", "y", "z"]);
            let own = own.trim_end_matches(" * 3");
            return format!(
                "(((global const struct Three *){buffer})[({own}) & 511].{member} ^ ((global const struct Three *){buffer})[({own}) & 511].{other})"
            );
        }
        let reads: Vec<_> = (0..1 + self.rng.below(step))
            .map(|_| format!("{buffer}[({own}) + {}]", self.rng.below(step)))
            .collect();
        format!("({})", reads.join(" ^ "))
    }

    /// An index into inputs, written in one of the ways that a compiler may see through.
    pub(super) fn index(&mut self) -> String {
        let c = self.rng.below(60);
        match self.rng.below(20) {
            0..=3 => "g".into(),
            4 => format!("g + {c}"),
            5 => format!("{} - g", ITEMS - 1),
            6 => "g / 2".into(),
            7 => format!("(g * 2) & {}", ITEMS - 1),
            8 => format!("(long)gi + {c}"),
            9 => format!("(size_t)(gi + {c})"),
            10 => "(ushort)gi".into(),
            11 => "(uchar)(gi + 200)".into(),
            12 => format!("gi ^ {c}"),
            13 => format!("lx + {c}"),
            14 if self.has.large => format!("(uint)(lid * 3) & {}", ITEMS - 1),
            14 => "(uint)(lid * 3)".into(),
            15 => format!("(uint)n * 3 + {c}"),
            16 => format!("(uint)(gi - {c}) & {}", ITEMS - 1),
            _ => {
                let small = self.small(2);
                format!("({small}) & {}", ITEMS - 1)
            }
        }
    }

    /// An `int` of a small magnitude, by signed arithmetic that does not overflow.
    pub(super) fn small(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(30) {
            return match self.find(|v| v.small) {
                Some(var) if self.rng.chance(75) => var.name,
                _ => self.rng.below(24).to_string(),
            };
        }
        let a = self.small(depth - 1);
        match self.rng.below(5) {
            0 | 1 => format!("({a} + {})", self.small(depth - 1)),
            2 => format!("({a} - {})", self.small(depth - 1)),
            3 => format!("{a} * {}", self.rng.below(9)),
            _ => format!("({a} & {})", self.rng.pick(&[1, 3, 7, 15, 31])),
        }
    }

    /// An `int` that is the same in the whole group, below `end`, a power of two.
    pub(super) fn same(&mut self, end: usize) -> String {
        match self.find(|v| v.uniform && v.ty == Ty::INT) {
            Some(var) if self.rng.chance(80) => {
                let more = self.rng.below(9);
                format!("(int)((uint){} + {more} & {})", var.name, end - 1)
            }
            _ => self.rng.below(end).to_string(),
        }
    }

    /// A condition that is the same in the whole group.
    pub(super) fn same_condition(&mut self) -> String {
        let (a, end) = (self.same(16), self.rng.below(16));
        let op = self.rng.pick(&["<", ">", "==", "!=", "<="]);
        format!("{a} {op} {end}")
    }

    /// A condition.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        let depth_below = depth.saturating_sub(1);
        match self.rng.below(10) {
            0 if depth > 0 => format!("({} && {})", self.condition(depth_below), self.condition(depth_below)),
            1 if depth > 0 => format!("({} || {})", self.condition(depth_below), self.condition(depth_below)),
            2 if depth > 0 => format!("!({})", self.condition(depth_below)),
            3 | 4 => {
                let (a, b) = (self.small(1), self.small(1));
                format!("({a} {} {b})", self.rng.pick(&["<", ">", "=="]))
            }
            5 => {
                let mask = self.rng.pick(&[1, 2, 3, 4, 7]);
                format!("({} & {mask})", self.integer(Ty::INT.scalar, depth_below))
            }
            6 if self.in_helper.is_none() => format!("(lid % {} == {})", 2 + self.rng.below(5), self.rng.below(3)),
            7 if self.has.floats => {
                let scalar = self.random_float();
                let (a, b) = (self.float(scalar, depth_below), self.float(scalar, depth_below));
                match self.rng.below(4) {
                    0 => format!("isgreater({a}, {b})"),
                    1 => format!("isunordered({a}, {b})"),
                    _ => format!("({a} {} {b})", self.rng.pick(&["<", ">=", "==", "!=", ">"])),
                }
            }
            8 if self.has.vectors => {
                let ty = Ty {
                    scalar: self.rng.pick(&INTS).as_int(true),
                    count: self.rng.pick(&[2, 3, 4]),
                };
                let (a, b) = (self.vector(ty, depth_below), self.vector(ty, depth_below));
                format!("{}({a} < {b})", self.rng.pick(&["any", "all"]))
            }
            _ => {
                let scalar = self.rng.pick(&INTS);
                let (a, b) = (self.of(scalar, depth_below), self.of(scalar, depth_below));
                format!("({a} {} {b})", self.rng.pick(&["<", ">", "<=", ">=", "==", "!="]))
            }
        }
    }

    /// What every type may be made of.
    fn common(&mut self, ty: Ty, depth: usize) -> Option<String> {
        if self.has_indirection()
            && self.rng.chance(40)
            && let Some(value) = self.indirect(ty, depth)
        {
            return Some(value);
        }
        match self.rng.below(4) {
            0 => Some(format!(
                "({} ? {} : {})",
                self.condition(depth - 1),
                self.expression(ty, depth - 1),
                self.expression(ty, depth - 1)
            )),
            1 => {
                let array = self.arrays.iter().find(|a| Ty::of(a.scalar) == ty)?.clone();
                Some(format!("{}[{}]", array.name, self.array_index(array.length)))
            }
            2 => {
                let helpers: Vec<_> = self.helpers.iter().filter(|h| h.result == ty).cloned().collect();
                if helpers.is_empty() {
                    return None;
                }
                let helper = helpers[self.rng.below(helpers.len())].clone();
                let args: Vec<_> = helper.params.iter().map(|&p| self.expression(p, depth - 1)).collect();
                Some(format!("{}({})", helper.name, args.join(", ")))
            }
            _ => {
                let mut names = self.structs.clone();
                // What is passed by value, and not written.
                names.extend(self.in_helper.is_none().then(|| "s.fixed".to_string()));
                if names.is_empty() {
                    return None;
                }
                let name = names.swap_remove(self.rng.below(names.len()));
                match ty {
                    Ty {
                        scalar: Scalar::Int { bits: 16, signed: true },
                        count: 1,
                    } => Some(format!("{name}.x")),
                    Ty {
                        scalar: Scalar::Int { bits: 64, signed: true },
                        count: 1,
                    } => Some(format!("{name}.y")),
                    Ty::INT => Some(format!("{name}.z[{}]", self.array_index(4))),
                    Ty {
                        scalar: Scalar::Float(32),
                        count: 1,
                    } => Some(format!("{name}.w")),
                    _ => None,
                }
            }
        }
    }

    /// An index into a private array.
    pub(super) fn array_index(&mut self, length: usize) -> String {
        match self.rng.below(3) {
            0 => self.rng.below(length).to_string(),
            _ => format!("({}) & {}", self.small(1), length - 1),
        }
    }

    fn integer(&mut self, scalar: Scalar, depth: usize) -> String {
        if depth == 0 || self.rng.chance(15) {
            return self.leaf(scalar);
        }
        let (ty, bits) = (scalar.name(), scalar.bits());
        let below = depth - 1;
        match self.rng.below(16) {
            0..=3 => {
                let (a, b, wide) = (self.of(scalar, below), self.of(scalar, below), scalar.wrapping().name());
                format!(
                    "({ty})(({wide})({a}) {} ({wide})({b}))",
                    self.rng.pick(&["+", "-", "*", "+"])
                )
            }
            4 | 5 => format!(
                "({ty})({} {} {})",
                self.of(scalar, below),
                self.rng.pick(&["&", "|", "^"]),
                self.of(scalar, below)
            ),
            6 => format!(
                "({ty})({}{})",
                self.rng.pick(&["~", "~", "-(ulong)"]),
                self.leaf(scalar)
            ),
            7 => {
                let (a, b) = (self.of(scalar, below), self.of(scalar, below));
                format!("({ty})({a} {} ({b} & {}))", self.rng.pick(&["<<", ">>"]), bits - 1)
            }
            8 => {
                let (a, b) = (self.of(scalar, below), self.of(scalar, below));
                let name = self.rng.pick(&["div", "rem"]);
                match self.rng.below(3) {
                    0 => format!(
                        "({ty})({a} {} ({ty}){})",
                        self.rng.pick(&["/", "%"]),
                        1 + self.rng.below(100)
                    ),
                    _ => format!("{name}_{ty}({a}, {b})"),
                }
            }
            9 => {
                let other = self.rng.pick(&INTS);
                let value = self.of(other, below);
                if self.rng.chance(30) {
                    format!("convert_{ty}_sat(({})({value}))", other.name())
                } else {
                    format!("({ty})({value})")
                }
            }
            10 if self.has.floats => {
                let other = self.random_float();
                let value = self.float(other, below);
                if other.bits() == bits && self.rng.chance(40) {
                    return format!("as_{ty}(bits_{}({value}))", other.name());
                }
                let value = without_nan(Ty::of(scalar), Ty::of(other), value);
                format!(
                    "convert_{ty}_sat{}({value})",
                    self.rng.pick(&["", "_rte", "_rtz", "_rtp", "_rtn"])
                )
            }
            11 => format!("({ty})({})", self.small(2)),
            12 | 13 => self.common(Ty::of(scalar), depth).unwrap_or_else(|| self.leaf(scalar)),
            _ => self.integer_function(Ty::of(scalar), below),
        }
    }

    /// A builtin function of integers, or of vectors of them.
    fn integer_function(&mut self, ty: Ty, below: usize) -> String {
        let name = ty.name();
        let signed = ty.with(ty.scalar.as_int(true));
        let unsigned = ty.with(ty.scalar.as_int(false));
        // A number may have been promoted.
        let typed = |own: &mut Self, ty: Ty| {
            let value = own.expression(ty, below);
            if ty.is_vector() {
                value
            } else {
                format!("({})({value})", ty.name())
            }
        };
        let arg = |own: &mut Self| typed(own, ty);
        match self.rng.below(12) {
            0 => format!("as_{name}(abs({}))", typed(self, signed)),
            1 => {
                let (a, b) = (typed(self, unsigned), typed(self, unsigned));
                format!("as_{name}(abs_diff({a}, {b}))")
            }
            2 => {
                let function = self.rng.pick(&["add_sat", "sub_sat", "hadd", "rhadd"]);
                format!("{function}({}, {})", arg(self), arg(self))
            }
            3 => format!("{}({})", self.rng.pick(&["clz", "popcount", "ctz"]), arg(self)),
            4 => format!("mul_hi({}, {})", arg(self), arg(self)),
            // Intel's driver does not always saturate more bits.
            5 if ty.scalar.bits() < 32 => format!("mad_sat({}, {}, {})", arg(self), arg(self), arg(self)),
            6 | 7 => format!("{}({}, {})", self.rng.pick(&["min", "max"]), arg(self), arg(self)),
            8 => {
                let splat = |value: u32| format!("({name}){value}");
                format!("clamp({}, {}, {})", arg(self), splat(3), splat(90))
            }
            9 => format!("rotate({}, {})", arg(self), arg(self)),
            10 => format!("bitselect({}, {}, {})", arg(self), arg(self), arg(self)),
            _ => format!("select({}, {}, {})", arg(self), arg(self), typed(self, signed)),
        }
    }

    fn float(&mut self, scalar: Scalar, depth: usize) -> String {
        if depth == 0 || self.rng.chance(20) {
            return self.leaf(scalar);
        }
        let (ty, below) = (scalar.name(), depth - 1);
        match self.rng.below(13) {
            0..=3 => format!(
                "({} {} {})",
                self.of(scalar, below),
                self.rng.pick(&["+", "-", "*"]),
                self.of(scalar, below)
            ),
            4 => {
                let function = self.rng.pick(&["fabs", "floor", "ceil", "trunc", "rint", "round", "-"]);
                format!("{function}({})", self.of(scalar, below))
            }
            // A zero's sign is free.
            5 => {
                let function = self.rng.pick(&["fmin", "fmax"]);
                format!(
                    "({function}({}, {}) + ({ty})0.0f)",
                    self.of(scalar, below),
                    self.of(scalar, below)
                )
            }
            6 => format!(
                "copysign({}, number_{ty}({}))",
                self.of(scalar, below),
                self.of(scalar, below)
            ),
            7 if scalar.bits() > 16 => {
                format!(
                    "fma({}, {}, {})",
                    self.of(scalar, below),
                    self.of(scalar, below),
                    self.of(scalar, below)
                )
            }
            8 if scalar.bits() == 64 => format!("({} / {})", self.of(scalar, below), self.of(scalar, below)),
            8 if scalar.bits() == 32 => format!("ldexp({}, (int)({}) & 15)", self.of(scalar, below), self.small(1)),
            9 => {
                let other = self.rng.pick(&INTS);
                let mode = self.rng.pick(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
                format!("convert_{ty}{mode}(({})({}))", other.name(), self.of(other, below))
            }
            10 => {
                let other = self.random_float();
                format!("convert_{ty}({})", self.of(other, below))
            }
            _ => self.common(Ty::of(scalar), depth).unwrap_or_else(|| self.leaf(scalar)),
        }
    }

    /// A function whose result need not be exact, of a `float` or a `double`.
    pub(super) fn about(&mut self, scalar: Scalar) -> String {
        let ty = scalar.name();
        let x = self.of(scalar, 1);
        // Moderate numbers, where functions are well-conditioned.
        let x = format!("clamp(number_{ty}({x}), ({ty})-8, ({ty})8)");
        match self.rng.below(10) {
            0 => format!("exp({x})"),
            1 => format!("exp2({x})"),
            2 => format!("log(fabs({x}) + ({ty})2)"),
            3 => format!("atan({x} + ({ty})9)"),
            4 => format!("sqrt(fabs({x}))"),
            5 => format!("pow(fabs({x}) + ({ty})1, ({ty})1.5)"),
            6 => format!("rsqrt(fabs({x}) + ({ty})1)"),
            7 => format!("({x} / ({ty})3)"),
            8 => format!("cbrt({x} + ({ty})10)"),
            _ => format!("cos({x} / ({ty})16)"),
        }
    }

    fn vector(&mut self, ty: Ty, depth: usize) -> String {
        let name = ty.name();
        if depth == 0 || self.rng.chance(25) {
            return self.vector_leaf(ty);
        }
        let below = depth - 1;
        let is_float = ty.scalar.is_float();
        match self.rng.below(11) {
            0..=2 if is_float => format!(
                "({} {} {})",
                self.vector(ty, below),
                self.rng.pick(&["+", "-", "*"]),
                self.vector(ty, below)
            ),
            0..=2 => {
                let wide = ty.with(ty.scalar.as_int(false)).name();
                let (a, b) = (self.vector(ty, below), self.vector(ty, below));
                format!(
                    "as_{name}(as_{wide}({a}) {} as_{wide}({b}))",
                    self.rng.pick(&["+", "-", "*"])
                )
            }
            3 if is_float => format!(
                "{}({})",
                self.rng.pick(&["fabs", "floor", "trunc"]),
                self.vector(ty, below)
            ),
            3 => format!(
                "({} {} {})",
                self.vector(ty, below),
                self.rng.pick(&["&", "|", "^"]),
                self.vector(ty, below)
            ),
            4 if !is_float => {
                let (a, b) = (self.vector(ty, below), self.vector(ty, below));
                format!(
                    "({a} {} ({b} & ({name}){}))",
                    self.rng.pick(&["<<", ">>"]),
                    ty.scalar.bits() - 1
                )
            }
            5 if is_float => {
                let other = ty.with(self.rng.pick(&INTS));
                format!("convert_{name}({})", self.vector(other, below))
            }
            5 => {
                let other = ty.with(self.random_scalar());
                let value = self.vector(other, below);
                format!("convert_{name}_sat({})", without_nan(ty, other, value))
            }
            6 => {
                let (a, b) = (self.vector(ty, below), self.vector(ty, below));
                format!(
                    "select({a}, {b}, {} < {})",
                    self.vector(ty, below),
                    self.vector_leaf(ty)
                )
            }
            7 if matches!(ty.count, 2 | 4 | 8 | 16) => {
                let digits: Vec<String> = (0..ty.count).map(|_| self.rng.below(ty.count).to_string()).collect();
                let mask = ty.with(ty.scalar.as_int(false)).name();
                let mask = format!("({mask})({})", digits.join(", "));
                format!("shuffle({}, {mask})", self.vector(ty, below))
            }
            8 if ty.count <= 4 => {
                let digits: String = (0..ty.count).map(|_| self.rng.below(ty.count).to_string()).collect();
                format!("({}).s{digits}", self.vector(ty, below))
            }
            9 if !is_float => self.integer_function(ty, below),
            10 => {
                let wide: Option<Var> =
                    self.find(|v| v.ty.scalar == ty.scalar && v.ty.count == ty.count * 2 && ty.count != 3);
                match wide {
                    Some(var) => format!("{}.{}", var.name, self.rng.pick(&["lo", "hi", "even", "odd"])),
                    None => self.vector_leaf(ty),
                }
            }
            _ => self.common(ty, depth).unwrap_or_else(|| self.vector_leaf(ty)),
        }
    }

    fn vector_leaf(&mut self, ty: Ty) -> String {
        let name = ty.name();
        if self.rng.chance(50)
            && let Some(var) = self.find(|v| v.ty == ty)
        {
            return var.name;
        }
        if self.rng.chance(35) && self.in_helper.is_none() {
            let element = if ty.scalar.is_float() {
                ty.scalar
            } else {
                ty.scalar.as_int(true)
            };
            let buffer = inputs(element);
            let start = self.rng.pick(&["g", "gi", "lx", "3"]);
            let count = ty.count;
            let load = match self.rng.below(6) {
                // One after the other: 16 of each of 511 are within all inputs.
                0 | 1 if !self.has.large => format!("vload{count}(lx, {buffer})"),
                2 => format!("vload{count}(gi & 511, {buffer})"),
                3 => format!("vload{count}(511 - (gi & 511), {buffer})"),
                4 => format!(
                    "(gi < {} ? vload{count}(gi, {buffer}) : ({})({}))",
                    INPUTS / count,
                    ty.with(element).name(),
                    self.constant(element)
                ),
                _ => format!("vload{count}(0, {buffer} + {start})"),
            };
            return if element == ty.scalar {
                load
            } else {
                format!("as_{name}({load})")
            };
        }
        if ty.count <= 4 && self.rng.chance(60) {
            let parts: Vec<_> = (0..ty.count).map(|_| self.leaf(ty.scalar)).collect();
            return format!("({name})({})", parts.join(", "));
        }
        format!("({name})({})", self.leaf(ty.scalar))
    }
}

/// A value that is to be converted with saturation. Intel's driver makes the largest `uint` of NaN, and not zero (OpenCL
/// C, 6.4.3.3).
fn without_nan(ty: Ty, other: Ty, value: String) -> String {
    let wrong = ty.scalar.bits() == 32 && !ty.scalar.is_signed() && other.scalar.is_float();
    if wrong {
        format!("fmax({value}, ({})0)", other.name())
    } else {
        value
    }
}
