// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Puts the functions that a kernel calls behind it. Each has registers, local memory and a return address of its own there,
//! so a function cannot call itself.

use std::collections::HashSet;

use super::decode::{Inst, Op, Operand};

/// The code of a kernel or of a function.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub body: Vec<Inst>,
    pub registers: usize,
    /// Those of 16 bits.
    pub narrow: HashSet<usize>,
    /// Bytes of local memory of a thread.
    pub local_size: usize,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    /// Where its parameters and results are in its local memory, and their sizes.
    pub params: Vec<(usize, usize)>,
    pub results: Vec<(usize, usize)>,
    /// The register that has the return address.
    pub back: usize,
    pub part: Part,
}

/// A call of a function that was found.
#[derive(Clone, Debug)]
pub struct Call {
    pub target: usize,
    pub back: usize,
    /// Bytes of local memory that are copied before: from, to, size.
    pub copies: Vec<(usize, usize, usize)>,
}

/// Where a function is.
struct Place<'a> {
    function: &'a Function,
    body: usize,
    registers: usize,
    local: usize,
}

/// What CUDA has for kernels that print.
const VPRINTF: &str = "vprintf";

/// Makes a call of `vprintf` an instruction; `false` for another call.
fn print(inst: &mut Inst) -> bool {
    let is_name = |arg: &Operand| matches!(arg, Operand::Label(name) if name == VPRINTF);
    let Some(name) = inst.args.iter().position(is_name) else {
        return false;
    };
    inst.op = match (&inst.op, inst.args.get(name + 1)) {
        (Op::Call(_), Some(Operand::Vector(all))) => match all[..] {
            [Operand::Passed(format), Operand::Passed(arguments)] => Op::Print(format, arguments),
            _ => return false,
        },
        // Its result is not looked at.
        _ => Op::Nothing,
    };
    inst.args.clear();
    true
}

fn find<'a>(functions: &'a [Function], inst: &Inst) -> Result<&'a Function, String> {
    let name = inst.args.iter().find_map(|arg| match arg {
        Operand::Label(name) => Some(name),
        _ => None,
    });
    let name = name.ok_or("a call through a pointer is not interpreted")?;
    let found = functions.iter().find(|function| function.name == *name);
    found.ok_or_else(|| format!("{name}, which is called, is not defined"))
}

/// Refuses functions that call themselves.
fn check(part: &Part, functions: &[Function], path: &mut Vec<String>) -> Result<(), String> {
    for inst in part.body.iter().filter(|inst| matches!(inst.op, Op::Call(_))) {
        if print(&mut inst.clone()) {
            continue;
        }
        let function = find(functions, inst)?;
        if path.contains(&function.name) {
            return Err(format!("{} calls itself", function.name));
        }
        path.push(function.name.clone());
        check(&function.part, functions, path)?;
        path.pop();
    }
    Ok(())
}

/// Appends what a kernel calls.
pub fn link(kernel: Part, functions: &[Function]) -> Result<Part, String> {
    check(&kernel, functions, &mut Vec::new())?;
    let (mut all, mut places): (Part, Vec<Place<'_>>) = (kernel, Vec::new());
    let mut at = 0;
    while at < all.body.len() {
        if matches!(all.body[at].op, Op::Call(_) | Op::Results(_)) && !print(&mut all.body[at]) {
            let function = find(functions, &all.body[at])?;
            let known = places.iter().position(|place| std::ptr::eq(place.function, function));
            let known = known.unwrap_or_else(|| {
                places.push(append(&mut all, function));
                places.len() - 1
            });
            resolve(&mut all.body[at], &places[known])?;
        }
        at += 1;
    }
    Ok(all)
}

fn append<'a>(all: &mut Part, function: &'a Function) -> Place<'a> {
    let place = Place {
        function,
        body: all.body.len(),
        registers: all.registers,
        local: all.local_size.next_multiple_of(16),
    };
    let own = &function.part;
    all.body.extend(own.body.iter().map(|inst| moved(inst.clone(), &place)));
    all.narrow
        .extend(own.narrow.iter().map(|register| register + place.registers));
    all.registers += own.registers;
    all.local_size = place.local + own.local_size;
    place
}

/// An instruction of a function where it is appended.
fn moved(mut inst: Inst, place: &Place<'_>) -> Inst {
    if let Some((register, _)) = &mut inst.guard {
        *register += place.registers;
    }
    match &mut inst.op {
        Op::Branch(target) => *target += place.body,
        Op::Print(format, arguments) => {
            *format += place.local;
            *arguments += place.local;
        }
        Op::BranchTo(targets) => targets.iter_mut().for_each(|target| *target += place.body),
        Op::Return(back) => *back = Some(place.function.back + place.registers),
        _ => {}
    }
    inst.args.iter_mut().for_each(|arg| move_operand(arg, place));
    inst
}

fn move_operand(arg: &mut Operand, place: &Place<'_>) {
    match arg {
        Operand::Register(register) | Operand::Not(register) => *register += place.registers,
        Operand::Local(offset) | Operand::Passed(offset) => *offset += place.local,
        Operand::Vector(all) => all.iter_mut().for_each(|one| move_operand(one, place)),
        Operand::Memory(base, _) => move_operand(base, place),
        _ => {}
    }
}

/// Says where a call goes and what it copies, or what is copied behind it.
fn resolve(inst: &mut Inst, place: &Place<'_>) -> Result<(), String> {
    let name = inst.args.iter().position(|arg| matches!(arg, Operand::Label(_)));
    let name = name.ok_or("a call of nothing")?;
    let offsets = |at: Option<usize>| match at.and_then(|at| inst.args.get(at)) {
        Some(Operand::Vector(all)) => {
            let offset = |arg: &Operand| match arg {
                Operand::Passed(offset) => Ok(*offset),
                other => Err(format!("{other:?} is no parameter of a call")),
            };
            all.iter().map(offset).collect::<Result<Vec<usize>, String>>()
        }
        _ => Ok(Vec::new()),
    };
    let (given, taken) = (offsets(Some(name + 1))?, offsets(name.checked_sub(1))?);
    let (function, local) = (place.function, place.local);
    if given.len() != function.params.len() || taken.len() > function.results.len() {
        return Err(format!("{} is called with other parameters than it has", function.name));
    }
    inst.op = match inst.op {
        Op::Results(_) => {
            let pairs = taken.iter().zip(&function.results);
            Op::Results(pairs.map(|(to, (from, size))| (from + local, *to, *size)).collect())
        }
        _ => Op::Call(Some(Box::new(Call {
            target: place.body,
            back: function.back + place.registers,
            copies: {
                let pairs = given.iter().zip(&function.params);
                pairs.map(|(from, (to, size))| (*from, to + local, *size)).collect()
            },
        }))),
    };
    Ok(())
}
