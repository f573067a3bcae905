// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Random kernels: a seed decides on a kernel in OpenCL C and the ranges to run it over.
//!
//! A kernel's result is the same on every right implementation: arithmetic wraps, shifts and divisions are guarded, and indices
//! that may be out of bounds; each item writes only places of its own, local memory is exchanged between barriers, shared counters know only one operation each.
//! What is computed with floating-point numbers is rounded in one way only; functions that need not be exact are
//! called last, and their results go to buffers of their own, which are compared with a tolerance.
//!
//! Not generated: blocks of several elements for each item that a sub-group writes (`lanes.rs`).

mod collective;
mod expression;
mod lanes;
mod neighbours;
mod pointer;
mod prelude;
mod reductions;
mod shifted;
mod statement;
mod types;

use crate::data::{Buffer, ITEMS};
use crate::range::Range;
use crate::rng::Rng;
use types::{INTS, Scalar, Ty};

/// A kernel to test.
#[derive(Clone, Debug)]
pub struct Case {
    /// OpenCL C: one kernel, of the name `k`, with the parameters that [`crate::data`] has.
    pub source: String,
    /// What to run it over.
    pub ranges: Vec<Range>,
    /// Whether it tells sub-groups apart. Another implementation may form them in another way where rows are no multiples of them.
    pub sub_group: Option<usize>,
    /// clang's options.
    pub options: Vec<&'static str>,
}

/// A variable that expressions may read.
#[derive(Clone, Debug)]
struct Var {
    name: String,
    ty: Ty,
    /// Whether it may be written.
    mutable: bool,
    /// Whether all items of a group have the same value.
    uniform: bool,
    /// Whether its magnitude is small: signed arithmetic with it does not overflow.
    small: bool,
}

/// A private array.
#[derive(Clone, Debug)]
struct Array {
    name: String,
    scalar: Scalar,
    /// A power of two.
    length: usize,
}

/// A helper function.
#[derive(Clone, Debug)]
struct Helper {
    name: String,
    params: Vec<Ty>,
    result: Ty,
}

/// What a kernel has of the grammar.
#[derive(Clone, Copy, Debug)]
struct Features {
    vectors: bool,
    half: bool,
    double: bool,
    floats: bool,
    /// Barriers and collectives of the work-group.
    groups: bool,
    /// Groups of more items than local memory has places for: collectives only.
    large: bool,
    /// What groups have that run as one vector: items meet often, and have no arrays.
    meets: bool,
    /// The size of sub-groups, if it uses them.
    sub_group: Option<usize>,
    structs: bool,
    atomics: bool,
    loops: bool,
    /// Reductions of all operations and types, and the other collectives of sub-groups.
    collectives: bool,
    /// Windows of inputs of all lengths.
    windows: bool,
    /// Variables that are pointers.
    pointers: bool,
    function_pointers: bool,
}

/// A kernel in the making.
struct Generator {
    rng: Rng,
    /// For what the grammar had not from the beginning.
    more: Rng,
    has: Features,
    text: String,
    indent: usize,
    vars: Vec<Var>,
    arrays: Vec<Array>,
    /// Names of private structures.
    structs: Vec<String>,
    pointers: Vec<pointer::Pointer>,
    families: Vec<pointer::Family>,
    callees: Vec<pointer::Callee>,
    helpers: Vec<Helper>,
    /// Indices that need a guard.
    shifted: Vec<shifted::Shifted>,
    next: usize,
    /// Whether all items of a group come here together.
    uniform: bool,
    /// The nearest loop, if `break` and `continue` may be used in it.
    in_loop: bool,
    in_helper: Option<Ty>,
    may_return: bool,
    /// How many statements may still be made.
    budget: usize,
    /// How the results of a buffer lie: an item's side by side, or those of all items.
    strided: u32,
    /// How many loops are around.
    loops: usize,
}

/// The kernel of a seed. With `FOCUS=groups` all kernels have barriers, and groups that may run as one vector.
pub fn case(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let floats = rng.chance(60);
    let meets = std::env::var("FOCUS").is_ok_and(|focus| focus == "groups");
    let groups = rng.chance(45) || meets;
    let large = groups && rng.chance(25) && !meets;
    let has = Features {
        vectors: rng.chance(30),
        half: floats && rng.chance(25),
        double: floats && rng.chance(50),
        floats,
        groups,
        large,
        meets: false,
        sub_group: rng.chance(30).then(|| rng.pick(&[4, 8, 16, 16, 32, 64])),
        structs: rng.chance(40),
        atomics: rng.chance(40),
        loops: rng.chance(85),
        collectives: false,
        windows: false,
        pointers: false,
        function_pointers: false,
    };
    // From a generator of its own, so that other seeds stay what they are.
    let mut demands = Rng::new(!seed);
    let demands_size = groups && !large && demands.chance(40) && !meets;
    // Groups of one size: those of a launch's size run as one vector, those in a row with their loops, from the second launch.
    let has_one_size = groups && !large && !demands_size && (demands.chance(60) || meets);
    let has = match demands_size && demands.chance(70) || has_one_size {
        // What trees of barriers have: those of known size run as one vector.
        true => Features {
            sub_group: None,
            atomics: false,
            loops: has_one_size && has.loops,
            structs: has.structs && !has_one_size,
            meets: has_one_size,
            ..has
        },
        false => has,
    };
    let has = later_features(seed, has);
    let may_return = !has.groups && has.sub_group.is_none() && rng.chance(60);
    let budget = 12 + rng.below(30);
    let strided = rng.bits() as u32;
    let generator = Generator {
        rng,
        more: Rng::new(seed ^ 0xbe51de),
        has,
        text: String::new(),
        indent: 0,
        vars: Vec::new(),
        arrays: Vec::new(),
        structs: Vec::new(),
        pointers: Vec::new(),
        families: Vec::new(),
        callees: Vec::new(),
        helpers: Vec::new(),
        shifted: Vec::new(),
        next: 0,
        uniform: true,
        in_loop: false,
        in_helper: None,
        may_return,
        budget,
        strided,
        loops: 0,
    };
    let mut case = generator.whole();
    if demands_size {
        demand_size(&mut demands, &mut case);
    }
    if has_one_size {
        let items = demands.pick(&[8, 16, 32, 64, 128, 256]);
        let local = match demands.chance(50) {
            true => [items, 1, 1],
            false => demands.pick(&ODD_SIZES),
        };
        have_size(&mut demands, &mut case, local);
    }
    have_columns(seed, &mut case);
    case
}

/// Where groups are columns of the range, has so many beside each other that some run together, and there is a rest.
fn have_columns(seed: u64, case: &mut Case) {
    let mut rng = Rng::new(seed ^ 0xc01);
    let are_columns = |range: &&mut Range| range.local[0] == 1 && range.dimensions > 1;
    for range in case.ranges.iter_mut().filter(are_columns) {
        let most = ITEMS * range.groups[0] / range.items();
        if rng.chance(80) {
            range.groups[0] = rng.pick(&[8, 11, 16, 19, 37]).min(most);
        }
    }
}

/// Adds what the grammar had not from the beginning, from a generator of its own: a third of the seeds stay what they were.
fn later_features(seed: u64, has: Features) -> Features {
    let mut rng = Rng::new(seed ^ 0x1a7e);
    if rng.chance(33) {
        return has;
    }
    // Memory that pointers refer to keeps groups from being one vector.
    let may_point = !has.meets || rng.chance(20);
    let collectives = rng.chance(70);
    let sub_group = rng.pick(&[4, 8, 16, 16, 32, 64]);
    let has_more_lanes = collectives && !has.meets && rng.chance(45);
    Features {
        collectives,
        sub_group: has.sub_group.or_else(|| has_more_lanes.then_some(sub_group)),
        windows: rng.chance(50),
        pointers: rng.chance(50) && may_point,
        function_pointers: rng.chance(30) && may_point,
        ..has
    }
}

/// Sizes of groups that have several rows, or are no power of two.
const ODD_SIZES: [[usize; 3]; 16] = [
    [8, 8, 1],
    [16, 16, 1],
    [24, 4, 1],
    [20, 12, 1],
    [10, 10, 1],
    [5, 3, 1],
    [4, 4, 4],
    [7, 3, 2],
    [16, 2, 2],
    [2, 9, 1],
    [1, 96, 1],
    [1, 1, 12],
    [100, 1, 1],
    [24, 1, 1],
    [9, 1, 1],
    [250, 1, 1],
];

/// Has a kernel demand a size of groups.
fn demand_size(rng: &mut Rng, case: &mut Case) {
    const KERNEL: &str = "kernel void k(";
    let local = match rng.chance(70) {
        true => [rng.pick(&[4, 8, 16, 32, 64, 128, 256]), 1, 1],
        false => rng.pick(&[
            [16, 4, 1],
            [16, 16, 1],
            [8, 8, 1],
            [16, 2, 2],
            [48, 1, 1],
            [100, 1, 1],
            [5, 3, 1],
        ]),
    };
    have_size(rng, case, local);
    let [x, y, z] = local;
    let demand = format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))\n{KERNEL}");
    case.source = case.source.replacen(KERNEL, &demand, 1);
}

/// Has all groups be of one size.
fn have_size(rng: &mut Rng, case: &mut Case, local: [usize; 3]) {
    for range in &mut case.ranges {
        let most = ITEMS / local.iter().product::<usize>();
        *range = Range {
            dimensions: 3,
            local,
            groups: match local[1..] == [1, 1] {
                true => [rng.pick(&[1, 2, 3]).min(most), 1, 1],
                false => [rng.pick(&[1, 2]), rng.pick(&[1, 2]), 1],
            },
            ..*range
        };
    }
}

/// A kernel that somebody wrote: behind the same prelude, over the same ranges each.
pub fn written(source: &str) -> Case {
    let sub_group = source
        .split_once("sub_group_size(")
        .and_then(|s| s.1.split(')').next()?.parse().ok());
    let all = Features {
        vectors: true,
        half: true,
        double: true,
        floats: true,
        groups: true,
        large: false,
        meets: false,
        sub_group,
        structs: true,
        atomics: true,
        loops: true,
        collectives: true,
        windows: true,
        pointers: true,
        function_pointers: true,
    };
    let one = |local, groups, offset| Range {
        dimensions: 1,
        offset: [offset, 0, 0],
        local: [local, 1, 1],
        groups: [groups, 1, 1],
    };
    let many = |local| Range {
        dimensions: 3,
        offset: [3, 0, 1],
        local,
        groups: [2, 1, 2],
    };
    let ranges = [
        one(64, 2, 0),
        one(48, 3, 8),
        one(13, 3, 0),
        one(33, 2, 5),
        one(1, 5, 0),
        many([5, 3, 2]),
        many([16, 2, 1]),
    ];
    Case {
        source: prelude::text(&all) + source,
        ranges: ranges.to_vec(),
        sub_group,
        options: vec!["-O1"],
    }
}

impl Generator {
    fn whole(mut self) -> Case {
        self.text += &prelude::text(&self.has);
        for _ in 0..self.rng.below(4) {
            self.helper();
        }
        if self.has.function_pointers {
            self.family();
        }
        self.kernel();
        let large = self.has.large;
        let random = |rng: &mut Rng| if large { Range::large(rng) } else { Range::random(rng) };
        let ranges = (0..3).map(|_| random(&mut self.rng)).collect();
        let mut options = vec![self.rng.pick(&["-O0", "-O1", "-O1", "-O2", "-O2"])];
        if self.rng.chance(15) {
            options.push("-fwrapv");
        }
        Case {
            source: self.text,
            ranges,
            sub_group: self.has.sub_group,
            options,
        }
    }

    fn line(&mut self, text: impl AsRef<str>) {
        for _ in 0..self.indent {
            self.text.push_str("  ");
        }
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    fn name(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    fn declare(&mut self, name: &str, ty: Ty, mutable: bool, uniform: bool, small: bool) {
        self.vars.push(Var {
            name: name.into(),
            ty,
            mutable,
            uniform,
            small,
        });
    }

    fn random_scalar(&mut self) -> Scalar {
        if self.has.floats && self.rng.chance(35) {
            return self.random_float();
        }
        // Most code has these.
        if self.rng.chance(45) {
            Ty::INT.scalar
        } else {
            self.rng.pick(&INTS)
        }
    }

    fn random_float(&mut self) -> Scalar {
        match self.rng.below(4) {
            0 if self.has.half => Scalar::Float(16),
            1 | 2 if self.has.double => Scalar::Float(64),
            _ => Scalar::Float(32),
        }
    }

    fn random_type(&mut self) -> Ty {
        let scalar = self.random_scalar();
        let count = if self.has.vectors && self.rng.chance(25) {
            self.rng.pick(&[2, 3, 4, 4, 8, 16])
        } else {
            1
        };
        Ty { scalar, count }
    }

    /// A function that kernels call, with control flow of its own.
    fn helper(&mut self) {
        let name = self.name("f");
        let params: Vec<Ty> = (0..1 + self.rng.below(3)).map(|_| self.random_type()).collect();
        let result = self.random_type();
        self.function(name, params, result);
    }

    /// The same of a type.
    fn function(&mut self, name: String, params: Vec<Ty>, result: Ty) {
        let names: Vec<String> = params.iter().map(|_| self.name("p")).collect();
        let list: Vec<String> = params
            .iter()
            .zip(&names)
            .map(|(t, n)| format!("{} {n}", t.name()))
            .collect();
        let attribute = self.rng.pick(&[
            "",
            "__attribute__((noinline)) ",
            "inline __attribute__((always_inline)) ",
        ]);
        self.open(format!(
            "static {attribute}{} {name}({}) {{",
            result.name(),
            list.join(", ")
        ));
        let (vars, budget) = (std::mem::take(&mut self.vars), self.budget);
        let (has, may_return) = (self.has, self.may_return);
        self.has.groups = false;
        self.has.sub_group = None;
        self.has.atomics = false;
        for (ty, name) in params.iter().zip(&names) {
            self.declare(name, *ty, true, false, false);
        }
        (self.uniform, self.budget, self.in_helper, self.may_return) =
            (false, 4 + self.rng.below(6), Some(result), true);
        self.statements(2);
        let value = self.expression(result, 2);
        self.line(format!("return {value};"));
        self.close();
        (self.vars, self.budget, self.in_helper, self.may_return, self.has) = (vars, budget, None, may_return, has);
        self.arrays.clear();
        self.structs.clear();
        self.pointers.clear();
        self.callees.clear();
        self.uniform = true;
        self.helpers.push(Helper { name, params, result });
    }

    fn kernel(&mut self) {
        if let Some(size) = self.has.sub_group {
            self.line(format!("__attribute__((intel_reqd_sub_group_size({size})))"));
        }
        self.open("kernel void k(PARAMETERS) {");
        self.line("ulong fold = 0;");
        for local in collective::LOCALS {
            if self.has.groups {
                self.line(local);
            }
        }
        // An item's number in the range, from 0; types differ, so that indices are extended in different ways.
        let ids = self.rng.pick(&["int", "uint", "size_t", "long"]);
        for d in 0..3 {
            let id = self.id_of_dimension(d, ids);
            self.line(format!("const {ids} x{d} = {id};"));
        }
        let g = "(x2 * get_global_size(1) + x1) * get_global_size(0) + x0";
        let ty = self.rng.pick(&["int", "uint", "size_t"]);
        self.line(format!("const {ty} g = {g};"));
        self.line("const int gi = g, lid = get_local_linear_id(), lx = get_local_id(0), ly = get_local_id(1);");
        self.line("const int items = get_local_size(0) * get_local_size(1) * get_local_size(2);");
        self.line("const int group = get_group_id(0) + get_group_id(1) * 2 + get_group_id(2) * 3;");
        for (name, uniform) in [
            ("gi", false),
            ("lid", false),
            ("lx", false),
            ("ly", false),
            ("items", true),
            ("group", true),
        ] {
            self.declare(name, Ty::INT, false, uniform, true);
        }
        self.declare("n", Ty::INT, false, true, true);
        for (name, bits) in [("s.b", 32), ("s.c", 64), ("s.a", 8)] {
            self.declare(name, Ty::of(Scalar::Int { bits, signed: true }), false, true, false);
        }
        if self.has.sub_group.is_some() {
            self.line("const int lane = get_sub_group_local_id(), lanes = get_sub_group_size();");
            self.declare("lane", Ty::INT, false, false, true);
        }
        // What is passed by value may be written: each item has a copy.
        if self.has.structs && self.rng.chance(50) {
            self.structs.push("s.own".into());
        }
        self.shifted_indices();
        self.statements(4);
        // What variables hold in the end is the result, too.
        let vars: Vec<Var> = self.vars.iter().filter(|v| v.mutable).cloned().collect();
        for var in vars {
            self.store_value(&var.name, var.ty);
        }
        for array in self.arrays.clone() {
            self.line(format!("for (int i = 0; i < {}; i++)", array.length));
            self.indent += 1;
            self.line(format!(
                "fold += hash_{}({}[i]) * (i + 3);",
                array.scalar.name(),
                array.name
            ));
            self.indent -= 1;
        }
        let place = self.place("ol");
        self.line(format!("{place} = fold;"));
        self.close();
    }

    /// A place of the item's in a buffer of results.
    fn place(&mut self, buffer: &str) -> String {
        let (index, found) = Buffer::ALL
            .iter()
            .enumerate()
            .find(|b| b.1.name == buffer)
            .expect("it is one of them");
        let slot = self.rng.below(found.slots());
        if self.strided >> index & 1 != 0 {
            format!("{buffer}[g * {} + {slot}]", found.slots())
        } else if slot == 0 {
            format!("{buffer}[g]")
        } else {
            format!("{buffer}[g + {}]", slot * ITEMS)
        }
    }
}
