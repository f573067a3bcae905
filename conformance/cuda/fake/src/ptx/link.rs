// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Puts the code of all kernels and functions of a module behind each other, and finds what calls and addresses mean.

use std::collections::{HashMap, HashSet};

use super::decode::{Inst, Op, Operand};
use super::{Code, Symbol};

/// The code of a kernel or of a function.
#[derive(Debug, Default)]
pub struct Part {
    pub name: String,
    pub is_kernel: bool,
    /// Where parameters and results of a function are in its local memory.
    pub params: Vec<Passed>,
    pub results: Vec<Passed>,
    pub body: Vec<Inst>,
    pub registers: usize,
    /// Bytes of local memory of a call.
    pub local_size: usize,
}

/// A parameter or a result: where it is in the local memory of a call, and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    pub offset: usize,
    pub size: usize,
}

/// A kernel or a function in a module.
#[derive(Debug)]
pub struct Routine {
    pub name: String,
    pub params: Vec<Passed>,
    pub results: Vec<Passed>,
    /// Where its code begins.
    pub start: usize,
    pub registers: usize,
    /// Bytes of local memory of a call.
    pub local_size: usize,
    is_kernel: bool,
    /// Those that it calls by their names.
    calls: Vec<usize>,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    pub target: Target,
    /// What is passed, and where results go, in the local memory of the caller.
    pub given: Vec<Passed>,
    pub taken: Vec<Passed>,
}

/// What a call calls.
#[derive(Clone, Debug)]
pub enum Target {
    /// A function that is not looked for yet.
    Named(String),
    /// One of the module's routines.
    Routine(usize),
    /// The function whose address is in a register, and which those are that it can be.
    Address(Operand, Candidates),
}

/// The functions that an address can be of.
#[derive(Clone, Debug)]
pub enum Candidates {
    /// Those that have the parameters and results of the call, as the prototype says.
    Prototype,
    Named(Vec<String>),
    Listed(Vec<usize>),
}

fn sizes(all: &[Passed]) -> impl Iterator<Item = usize> + '_ {
    all.iter().map(|passed| passed.size)
}

impl Routine {
    /// Whether a call passes what the routine takes, and takes what it returns.
    pub fn fits(&self, call: &Call) -> bool {
        let takes_results = call.taken.is_empty() || sizes(&call.taken).eq(sizes(&self.results));
        takes_results && sizes(&call.given).eq(sizes(&self.params))
    }
}

/// Bytes of local memory that calls by names need, as far as functions do not call themselves.
pub fn depth(routines: &[Routine], routine: usize) -> usize {
    fn deepest(routines: &[Routine], routine: usize, path: &mut Vec<usize>) -> usize {
        if path.contains(&routine) {
            return 0;
        }
        path.push(routine);
        let calls = routines[routine].calls.iter();
        let behind = calls.map(|&called| deepest(routines, called, path)).max();
        path.pop();
        routines[routine].local_size + behind.unwrap_or(0)
    }
    deepest(routines, routine, &mut Vec::new())
}

/// Links the parts of a module, whose variables have these places among its globals.
pub fn link(code: &mut Code, parts: Vec<Part>, globals: &HashMap<String, usize>) -> Result<(), String> {
    let find = |names: &HashMap<String, usize>, name: &str| names.get(name).copied();
    let mut names = HashMap::new();
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_kernel) {
        names.entry(part.name.clone()).or_insert(at);
    }
    let mut bodies = Vec::new();
    for part in parts {
        let start = bodies.len();
        let mut routine = Routine {
            name: part.name,
            params: part.params,
            results: part.results,
            start,
            registers: part.registers,
            local_size: part.local_size,
            is_kernel: part.is_kernel,
            calls: Vec::new(),
        };
        let wrong = |what: String| format!("{}: {what}", routine.name);
        let mut calls = HashSet::new();
        for mut inst in part.body {
            match &mut inst.op {
                Op::Branch(target) => *target += start,
                Op::BranchTo(targets) => targets.iter_mut().for_each(|target| *target += start),
                Op::Call(call) => {
                    resolve(call, &names).map_err(wrong)?;
                    if let Target::Routine(called) = call.target {
                        calls.insert(called);
                    }
                }
                _ => {}
            }
            for arg in &mut inst.args {
                name(arg, &names).map_err(wrong)?;
            }
            bodies.push(inst);
        }
        routine.calls = calls.into_iter().collect();
        code.routines.push(routine);
    }
    for inst in &bodies {
        if let Op::Call(call) = &inst.op
            && let Target::Routine(called) = call.target
            && !code.routines[called].fits(call)
        {
            let name = &code.routines[called].name;
            return Err(format!(
                "line {}: {name} is called with other parameters than it has",
                inst.line
            ));
        }
    }
    code.body = bodies;
    for global in &mut code.globals {
        for (_, symbol) in &mut global.symbols {
            if let Symbol::Named(name) = symbol {
                *symbol = match (find(globals, name), find(&names, name)) {
                    (Some(at), _) => Symbol::Global(at),
                    (None, Some(at)) => Symbol::Routine(at),
                    _ => return Err(format!("{name}, whose address is in {}, is not defined", global.name)),
                };
            }
        }
    }
    Ok(())
}

/// Finds the functions that a call names.
fn resolve(call: &mut Call, names: &HashMap<String, usize>) -> Result<(), String> {
    let find = |name: &String| {
        let found = names.get(name).copied();
        found.ok_or_else(|| format!("{name}, which is called, is not defined"))
    };
    match &mut call.target {
        Target::Named(name) => call.target = Target::Routine(find(name)?),
        Target::Address(_, candidates) => {
            if let Candidates::Named(all) = candidates {
                *candidates = Candidates::Listed(all.iter().map(find).collect::<Result<_, _>>()?);
            }
        }
        Target::Routine(_) => {}
    }
    Ok(())
}

/// Makes a name the address of a function.
fn name(arg: &mut Operand, names: &HashMap<String, usize>) -> Result<(), String> {
    match arg {
        Operand::Label(label) => {
            let found = names.get(label).ok_or_else(|| format!("{label} is not known"))?;
            *arg = Operand::Routine(*found);
            Ok(())
        }
        Operand::Vector(all) => all.iter_mut().try_for_each(|one| name(one, names)),
        Operand::Memory(base, _) => name(base, names),
        _ => Ok(()),
    }
}

impl Routine {
    /// Whether its address can be taken: kernels are launched.
    pub fn is_function(&self) -> bool {
        !self.is_kernel
    }
}
