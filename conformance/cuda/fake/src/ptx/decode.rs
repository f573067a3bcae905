// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reads instructions: what cannot run is refused when a module is loaded.

use std::collections::HashMap;

use super::Param;
use super::cluster::ClusterFact;
use super::link::{Call, Candidates, Part, Passed, Target};
use super::ops::{self, Ty};
use super::parse::Names;

/// An operand.
#[derive(Clone, Debug)]
pub enum Operand {
    Register(usize),
    /// A predicate, inverted.
    Not(usize),
    Immediate(u64),
    Special(Special),
    /// The address of a variable, by its place among those of the module, and bytes behind it.
    Global(usize, u64),
    /// The offset of dynamic shared memory, behind the static.
    Dynamic,
    /// The offset of a variable in local memory.
    Local(usize),
    /// That of a parameter or a result of a function, which is in local memory, too.
    Passed(Passed),
    /// The address of a function, by its place among the routines of the module.
    Routine(usize),
    Label(String),
    Vector(Vec<Operand>),
    Memory(Box<Operand>, i64),
    Nothing,
}

/// Registers that threads find.
#[derive(Clone, Copy, Debug)]
pub enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    Lane,
    Warp,
    /// Lanes `lt`, `le`, `eq`, `ge`, `gt` this one.
    Mask(&'static str),
    Clock,
    DynamicShared,
    Cluster(ClusterFact),
}

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Generic,
    Global,
    Shared,
    /// Shared memory of any block of the cluster.
    Cluster,
    Local,
    Param,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    /// Where it is in the text.
    pub line: u32,
    /// A predicate that decides whether it runs, and whether it is inverted.
    pub guard: Option<(usize, bool)>,
    pub op: Op,
    pub args: Vec<Operand>,
}

/// What an instruction does. Most compute the first operand of the others.
#[derive(Clone, Debug)]
pub enum Op {
    /// Of so many bytes.
    Move(usize),
    Load(Space, Ty),
    Store(Space, Ty),
    /// The name, and whether there is a result.
    Atomic(&'static str, Space, Ty, bool),
    Unary(&'static str, Ty),
    Binary(&'static str, &'static str, Ty),
    /// The same of both halves of a register.
    BinaryOfPairs(&'static str, Ty),
    MultiplyAdd(&'static str, Ty),
    /// A sum or a difference, perhaps with a product, in extended precision.
    Extended(Extended),
    /// The comparison, how it is combined with a predicate, and the type.
    SetPredicate(&'static str, Option<&'static str>, Ty),
    /// The same into a register: of a float, if that is so.
    Set(&'static str, Ty, bool),
    Select,
    /// To, from, rounding, saturation.
    Convert(Ty, Ty, &'static str, bool),
    /// Two floats to two halves in a register: the first is the upper one.
    ConvertPair,
    /// To a space, or from it.
    ConvertAddress(Space, bool),
    Branch(usize),
    /// To one of several places, by the first operand.
    BranchTo(Vec<usize>),
    Call(Box<Call>),
    /// `vprintf`: where in local memory the addresses of the format and of the arguments are.
    Print(usize, usize),
    Return,
    Exit,
    Trap,
    /// Of the block; the threads of a warp come to the same one, if that is so.
    Barrier(bool),
    /// Of the cluster: a thread has come, or waits for all of them.
    ClusterArrive,
    ClusterWait,
    /// The address of shared memory of another block.
    MapAddress,
    WarpBarrier,
    /// How lanes are found.
    Shuffle(&'static str),
    Vote(&'static str),
    Match(&'static str, Ty),
    /// Of the lanes of a mask.
    Reduce(&'static str, Ty),
    ActiveMask,
    ExtractBits(Ty),
    InsertBits(Ty),
    Permute,
    /// To the left, or to the right; wrapping, or clamping.
    Funnel(bool, bool),
    Nothing,
    /// Lets others run.
    Sleep,
}

/// How `add`, `sub` and `mad` compute in extended precision.
#[derive(Clone, Copy, Debug)]
pub struct Extended {
    pub subtracts: bool,
    /// The half of a product that the sum is with, if it is.
    pub product: Option<&'static str>,
    pub ty: Ty,
    /// Whether it takes the carry, and whether it leaves one.
    pub takes: bool,
    pub leaves: bool,
}

/// What calls by addresses name.
enum Declared {
    Prototype { results: Vec<usize>, params: Vec<usize> },
    Functions(Vec<String>),
}

/// What CUDA has for kernels that print.
const VPRINTF: &str = "vprintf";

/// Reads the instructions of a kernel.
pub struct Decoder {
    registers: HashMap<String, usize>,
    local: HashMap<String, usize>,
    passed: HashMap<String, Passed>,
    local_size: usize,
    params: HashMap<String, usize>,
    labels: HashMap<String, usize>,
    /// Lists of labels, by their names.
    targets: HashMap<String, Vec<String>>,
    /// The functions that calls by addresses may call, by their names.
    candidates: HashMap<String, Declared>,
    body: Vec<Inst>,
}

const COMPARISONS: [&str; 18] = [
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
];

/// A word of a list, with the lifetime of the list.
fn one_of(list: &[&'static str], word: &str) -> Option<&'static str> {
    list.iter().find(|known| **known == word).copied()
}

impl Decoder {
    pub fn new(params: &[Param]) -> Self {
        Self {
            registers: HashMap::new(),
            local: HashMap::new(),
            passed: HashMap::new(),
            local_size: 0,
            params: params.iter().map(|param| (param.name.clone(), param.offset)).collect(),
            labels: HashMap::new(),
            targets: HashMap::new(),
            candidates: HashMap::new(),
            body: Vec::new(),
        }
    }

    pub fn add_register(&mut self, name: String) {
        let next = self.registers.len();
        self.registers.entry(name).or_insert(next);
    }

    pub fn add_local(&mut self, name: String, align: usize, size: usize) {
        let offset = self.room(align, size);
        self.local.insert(name, offset);
    }

    /// A parameter or a result of a function, for it or for a call. Returns where it is in local memory.
    pub fn add_passed(&mut self, name: String, align: usize, size: usize) -> Passed {
        let offset = self.room(align, size);
        let passed = Passed { offset, size };
        self.passed.insert(name, passed);
        passed
    }

    fn room(&mut self, align: usize, size: usize) -> usize {
        let offset = self.local_size.next_multiple_of(align.max(1));
        self.local_size = offset + size;
        offset
    }

    pub fn label(&mut self, name: String) {
        self.labels.insert(name, self.body.len());
    }

    pub fn add_targets(&mut self, name: String, labels: Vec<String>) {
        self.targets.insert(name, labels);
    }

    /// The sizes of what calls by an address return and take.
    pub fn add_prototype(&mut self, name: String, results: Vec<usize>, params: Vec<usize>) {
        self.candidates.insert(name, Declared::Prototype { results, params });
    }

    /// The functions that calls by an address may call.
    pub fn add_call_targets(&mut self, name: String, functions: Vec<String>) {
        self.candidates.insert(name, Declared::Functions(functions));
    }

    pub fn register(&self, name: &str) -> Result<usize, String> {
        self.registers
            .get(name)
            .copied()
            .ok_or_else(|| format!("there is no register {name}"))
    }

    /// What a word stands for.
    pub fn operand(&self, word: &str, names: &Names) -> Result<Operand, String> {
        if let Some(&register) = self.registers.get(word) {
            return Ok(Operand::Register(register));
        }
        if word.starts_with('%') {
            return special(word)
                .map(Operand::Special)
                .ok_or_else(|| format!("{word} is not known"));
        }
        if let Some(&offset) = self.local.get(word) {
            return Ok(Operand::Local(offset));
        }
        if let Some(&passed) = self.passed.get(word) {
            return Ok(Operand::Passed(passed));
        }
        if let Some(&offset) = self.params.get(word).or_else(|| names.shared.get(word)) {
            return Ok(Operand::Immediate(offset as u64));
        }
        if let Some(&at) = names.globals.get(word) {
            return Ok(Operand::Global(at, 0));
        }
        if names.dynamic.iter().any(|name| name == word) {
            return Ok(Operand::Dynamic);
        }
        Ok(Operand::Label(word.to_owned()))
    }

    pub fn add(
        &mut self,
        line: u32,
        guard: Option<(usize, bool)>,
        name: &str,
        args: Vec<Operand>,
    ) -> Result<(), String> {
        let (op, args) = match name.split('.').next() {
            Some("call") => (self.call(args)?, Vec::new()),
            _ => {
                let op = op(name).filter(is_known);
                (op.ok_or_else(|| format!("{name} is not interpreted"))?, args)
            }
        };
        self.body.push(Inst { line, guard, op, args });
        Ok(())
    }

    /// A call: results, what is called, parameters, and, for an address, the functions that it may be of.
    fn call(&self, args: Vec<Operand>) -> Result<Op, String> {
        let mut args = args.into_iter().peekable();
        let taken = passed(args.next_if(is_list))?;
        let callee = args.next().ok_or("a call of nothing")?;
        let given = passed(args.next_if(is_list))?;
        let target = match (callee, args.next()) {
            (Operand::Label(name), None) if name == VPRINTF => {
                let [format, arguments] = given[..] else {
                    return Err("vprintf has a format and arguments".to_owned());
                };
                return Ok(Op::Print(format.offset, arguments.offset));
            }
            (Operand::Label(name), None) => Target::Named(name),
            (address @ Operand::Register(_), Some(Operand::Label(list))) => {
                let candidates = match self.candidates.get(&list) {
                    Some(Declared::Prototype { results, params }) => {
                        let is_like = |all: &[Passed], sizes: &[usize]| all.iter().map(|one| &one.size).eq(sizes);
                        if !is_like(&given, params) || !is_like(&taken, results) {
                            return Err(format!("a call has other parameters than {list}"));
                        }
                        Candidates::Prototype
                    }
                    Some(Declared::Functions(all)) => Candidates::Named(all.clone()),
                    None => return Err(format!("there is no prototype or list {list}")),
                };
                Target::Address(address, candidates)
            }
            (callee, _) => return Err(format!("{callee:?} is called, or without a prototype")),
        };
        Ok(Op::Call(Box::new(Call { target, given, taken })))
    }

    /// What was read. Calls and addresses do not know their functions yet.
    pub fn finish(mut self, name: &str, params: Vec<Passed>, results: Vec<Passed>) -> Result<Part, String> {
        for inst in &mut self.body {
            if let Op::BranchTo(places) = &mut inst.op {
                let Some(Operand::Label(name)) = inst.args.pop() else {
                    return Err("a branch without a list of labels".to_owned());
                };
                let labels = self
                    .targets
                    .get(&name)
                    .ok_or_else(|| format!("there is no list {name}"))?;
                for label in labels {
                    let place = self.labels.get(label);
                    places.push(*place.ok_or_else(|| format!("there is no label {label}"))?);
                }
                continue;
            }
            if let Op::Branch(target) = &mut inst.op {
                let [Operand::Label(label)] = &inst.args[..] else {
                    return Err("a branch without a label".to_owned());
                };
                *target = *self
                    .labels
                    .get(label)
                    .ok_or_else(|| format!("there is no label {label}"))?;
                inst.args.clear();
            }
        }
        // Behind the last instruction the code of another part begins.
        self.body.push(Inst {
            line: self.body.last().map_or(0, |last| last.line),
            guard: None,
            op: Op::Return,
            args: Vec::new(),
        });
        Ok(Part {
            name: name.to_owned(),
            is_kernel: false,
            params,
            results,
            body: self.body,
            registers: self.registers.len(),
            local_size: self.local_size,
        })
    }
}

fn is_list(arg: &Operand) -> bool {
    matches!(arg, Operand::Vector(_))
}

/// The parameters or results in a list of a call.
fn passed(list: Option<Operand>) -> Result<Vec<Passed>, String> {
    let Some(Operand::Vector(all)) = list else {
        return Ok(Vec::new());
    };
    let one = |arg| match arg {
        Operand::Passed(passed) => Ok(passed),
        other => Err(format!("{other:?} is no parameter of a call")),
    };
    all.into_iter().map(one).collect()
}

fn special(word: &str) -> Option<Special> {
    let (name, part) = word.split_once('.').unwrap_or((word, "x"));
    let d = ["x", "y", "z"].iter().position(|axis| *axis == part)?;
    Some(match name {
        "%tid" => Special::Tid(d),
        "%ntid" => Special::Ntid(d),
        "%ctaid" => Special::Ctaid(d),
        "%nctaid" => Special::Nctaid(d),
        "%laneid" => Special::Lane,
        "%warpid" => Special::Warp,
        "%lanemask_lt" => Special::Mask("lt"),
        "%lanemask_le" => Special::Mask("le"),
        "%lanemask_eq" => Special::Mask("eq"),
        "%lanemask_ge" => Special::Mask("ge"),
        "%lanemask_gt" => Special::Mask("gt"),
        "%clock" | "%clock64" | "%globaltimer" => Special::Clock,
        "%dynamic_smem_size" => Special::DynamicShared,
        "%clusterid" => Special::Cluster(ClusterFact::Id(d)),
        "%nclusterid" => Special::Cluster(ClusterFact::Count(d)),
        "%cluster_ctaid" => Special::Cluster(ClusterFact::Block(d)),
        "%cluster_nctaid" => Special::Cluster(ClusterFact::Blocks(d)),
        "%cluster_ctarank" => Special::Cluster(ClusterFact::Rank),
        "%cluster_nctarank" => Special::Cluster(ClusterFact::Ranks),
        "%is_explicit_cluster" => Special::Cluster(ClusterFact::IsExplicit),
        _ => return None,
    })
}

fn space(words: &[&str]) -> Space {
    let of = |word: &&str| match word.split("::").next().unwrap_or_default() {
        "shared" if word.ends_with("::cluster") => Some(Space::Cluster),
        "global" | "const" => Some(Space::Global),
        "shared" => Some(Space::Shared),
        "local" => Some(Space::Local),
        "param" => Some(Space::Param),
        _ => None,
    };
    words.iter().find_map(of).unwrap_or(Space::Generic)
}

/// What an instruction does, by its name with all suffixes; `None` if it is not interpreted.
fn op(name: &str) -> Option<Op> {
    let words: Vec<&str> = name.split('.').collect();
    let (&base, rest) = words.split_first()?;
    let types: Vec<Ty> = rest.iter().filter_map(|word| Ty::of(word)).collect();
    let ty = types.last().copied();
    let has = |word| rest.contains(&word);
    if base == "cvt" && rest == ["rn", "f16x2", "f32"] {
        return Some(Op::ConvertPair);
    }
    if let &[packed @ ("u16x2" | "s16x2")] = rest {
        let name = one_of(&["add", "sub", "min", "max"], base)?;
        return Some(Op::BinaryOfPairs(name, Ty::of(packed.trim_end_matches("x2"))?));
    }
    // Other packed halves and wide registers are not here.
    if has("f16x2") || has("bf16x2") || has("b128") {
        return None;
    }
    let mode = ["hi", "lo", "wide", "relu"]
        .into_iter()
        .find(|mode| has(mode))
        .unwrap_or("");
    let takes = matches!(base, "addc" | "subc" | "madc");
    if takes || has("cc") {
        return Some(Op::Extended(Extended {
            subtracts: base.starts_with("sub"),
            product: base.starts_with("mad").then_some(mode),
            ty: ty?,
            takes,
            leaves: has("cc"),
        }));
    }
    Some(match base {
        "mov" => Op::Move(ty?.size()),
        "ld" | "ldu" => Op::Load(space(rest), ty?),
        "st" => Op::Store(space(rest), ty?),
        "atom" | "red" => {
            let all = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"];
            let name = rest.iter().find_map(|word| one_of(&all, word))?;
            Op::Atomic(name, space(rest), ty?, base == "atom")
        }
        "add" | "sub" | "mul" | "mul24" | "div" | "rem" | "min" | "max" | "and" | "or" | "xor" | "shl" | "shr"
        | "copysign" => {
            let all = [
                "add", "sub", "mul", "div", "rem", "min", "max", "and", "or", "xor", "shl", "shr", "copysign",
            ];
            if has("sat") || has("NaN") {
                return None;
            }
            Op::Binary(one_of(&all, base)?, mode, ty?)
        }
        "mad" | "fma" if !has("sat") && !has("relu") => Op::MultiplyAdd(mode, ty?),
        "neg" | "abs" | "not" | "sqrt" | "rsqrt" | "rcp" | "sin" | "cos" | "ex2" | "lg2" | "tanh" | "popc" | "clz"
        | "brev" => {
            let all = [
                "neg", "abs", "not", "sqrt", "rsqrt", "rcp", "sin", "cos", "ex2", "lg2", "tanh", "popc", "clz", "brev",
            ];
            Op::Unary(one_of(&all, base)?, ty?)
        }
        "setp" => {
            let comparison = rest.iter().find_map(|word| one_of(&COMPARISONS, word))?;
            let combined = rest.iter().find_map(|word| one_of(&["and", "or", "xor"], word));
            Op::SetPredicate(comparison, combined, ty?)
        }
        "set" => {
            let comparison = rest.iter().find_map(|word| one_of(&COMPARISONS, word))?;
            Op::Set(comparison, ty?, types.first()?.is_float())
        }
        "selp" => Op::Select,
        "cvt" => {
            let all = ["rni", "rzi", "rmi", "rpi", "rn", "rz", "rm", "rp"];
            let rounding = rest.iter().find_map(|word| one_of(&all, word)).unwrap_or("");
            let [to, from] = types[..] else { return None };
            Op::Convert(to, from, rounding, has("sat"))
        }
        "cvta" => Op::ConvertAddress(space(rest), has("to")),
        "bra" => Op::Branch(0),
        "brx" => Op::BranchTo(Vec::new()),
        "ret" => Op::Return,
        "exit" => Op::Exit,
        "trap" | "brkpt" => Op::Trap,
        // With a number of threads they are not here.
        "bar" if has("warp") => Op::WarpBarrier,
        "barrier" if has("cluster") && has("arrive") => Op::ClusterArrive,
        "barrier" if has("cluster") && has("wait") => Op::ClusterWait,
        "mapa" => Op::MapAddress,
        "bar" | "barrier" if has("sync") => Op::Barrier(name.starts_with("bar.") || has("aligned")),
        "membar" | "fence" | "prefetch" | "discard" => Op::Nothing,
        "nanosleep" => Op::Sleep,
        "shfl" => Op::Shuffle(
            rest.iter()
                .find_map(|word| one_of(&["idx", "up", "down", "bfly"], word))?,
        ),
        "vote" => Op::Vote(
            rest.iter()
                .find_map(|word| one_of(&["any", "all", "uni", "ballot"], word))?,
        ),
        "match" => Op::Match(rest.iter().find_map(|word| one_of(&["any", "all"], word))?, ty?),
        "redux" => {
            let all = ["add", "min", "max", "and", "or", "xor"];
            Op::Reduce(rest.iter().find_map(|word| one_of(&all, word))?, ty?)
        }
        "activemask" => Op::ActiveMask,
        "bfe" => Op::ExtractBits(ty?),
        "bfi" => Op::InsertBits(ty?),
        "prmt" if rest == ["b32"] => Op::Permute,
        "shf" => Op::Funnel(has("l"), has("wrap")),
        _ => return None,
    })
}

/// Whether the functions of [`ops`] know what an instruction asks of them: asked before it runs.
fn is_known(op: &Op) -> bool {
    match *op {
        Op::Unary(name, ty) => ops::unary(name, ty, 1).is_some(),
        Op::Binary(name, mode, ty) => ops::binary(name, mode, ty, 1, 1).is_some(),
        Op::Atomic(name, _, ty, _) => ops::atomic(name, ty, 1, 1, 1).is_some(),
        _ => true,
    }
}
