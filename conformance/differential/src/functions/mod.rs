// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of OpenCL.std on our two modes, in the interpreter and on Intel's driver, against what they really give:
//! for each function and type the largest error, in units of the last place, over many arguments.

mod exact;
mod format;
mod geometric;
mod inputs;
mod integers;
mod judge;
mod row;
mod subject;
mod table;

use std::sync::Mutex;
use std::time::Instant;

use format::{DOUBLE, FLOAT, Format, HALF};
use row::Row;
use table::Bound;

use crate::opencl::{self, Driver};
use crate::worker::{Failure, ThreadContext, for_each};

/// How a question about a function begins.
pub const QUESTION: &str = "function ";

/// How a question ends that is not to be answered with Intel's driver, which died of it.
const ALONE: &str = "alone";

const FORMATS: [(&str, Format); 3] = [("half", HALF), ("float", FLOAT), ("double", DOUBLE)];

/// The logarithm of how many arguments a function is tried with.
pub const DENSITY: u32 = 15;

/// A function for one type.
#[derive(Clone)]
enum Item {
    Float(&'static table::Function, &'static str, Format),
    Geometric(&'static geometric::Function, &'static str, Format),
    Integer(&'static integers::Function, integers::Type),
}

impl Item {
    fn name(&self) -> String {
        match self {
            Self::Float(function, ty, _) => format!("{} {ty}", function.name),
            Self::Geometric(function, ty, _) => format!("{} {ty}", function.name),
            Self::Integer(function, ty) => format!("{} {}", function.name, ty.scalar.name),
        }
    }
}

/// All of them.
fn items() -> Vec<Item> {
    let mut all = Vec::new();
    for function in table::FUNCTIONS {
        let has = |format: &Format| function.bound(*format) != Bound::Missing;
        let formats = FORMATS.into_iter().filter(|(_, format)| has(format));
        all.extend(formats.map(|(ty, format)| Item::Float(function, ty, format)));
    }
    for function in geometric::FUNCTIONS {
        let formats = FORMATS
            .into_iter()
            .filter(|(ty, _)| !function.is_of_float || *ty == "float");
        all.extend(formats.map(|(ty, format)| Item::Geometric(function, ty, format)));
    }
    for function in integers::FUNCTIONS {
        all.extend(function.types().into_iter().map(|ty| Item::Integer(function, ty)));
    }
    all
}

/// Tests those of some names, `sin` or `sin:half`, or all; prints the table and tells whether ours are all right.
pub fn test(names: &[String], density: u32) -> Result<bool, String> {
    let start = Instant::now();
    let mut chosen = items();
    if !names.is_empty() {
        let is_named = |item: &Item, name: &String| {
            let own = item.name();
            own.replace(' ', ":") == *name || own.split(' ').next() == Some(name)
        };
        if let Some(unknown) = names
            .iter()
            .find(|name| !chosen.iter().any(|item| is_named(item, name)))
        {
            return Err(format!("there is no function {unknown}"));
        }
        chosen.retain(|item| names.iter().any(|name| is_named(item, name)));
    }
    let done: Mutex<Vec<(usize, Result<Row, String>)>> = Mutex::new(Vec::new());
    let numbered: Vec<(usize, Item)> = chosen.into_iter().enumerate().collect();
    for_each(&numbered, |worker, (index, item)| {
        let outcome = ask(worker, &item.name(), density);
        done.lock().expect("no thread panics here").push((*index, outcome));
    });
    let mut done = done.into_inner().expect("no thread panics here");
    done.sort_by_key(|(index, _)| *index);
    Ok(report(&numbered, done, start))
}

fn ask(worker: &mut Option<ThreadContext>, name: &str, density: u32) -> Result<Row, String> {
    let question = format!("{QUESTION}{name} {density}");
    let mut answer = ThreadContext::ask(worker, &question);
    let mut death = None;
    if let Err(Failure::DriverDied(message)) = &answer {
        death = message.lines().last().map(str::to_string);
        answer = ThreadContext::ask(worker, &format!("{question} {ALONE}"));
    }
    let line = answer.map_err(|failure| format!("{name}: {failure}"))?;
    let mut row = Row::decode(&line).ok_or_else(|| format!("{name}: {line}"))?;
    if let Some(death) = death {
        row.absence = death;
    }
    Ok(row)
}

/// Prints the table, and what is wrong.
fn report(items: &[(usize, Item)], done: Vec<(usize, Result<Row, String>)>, start: Instant) -> bool {
    let (mut wrong, mut theirs, mut absent) = (Vec::new(), Vec::new(), Vec::new());
    println!(
        "The largest errors of OpenCL.std's functions, in units of the last place (of those that are allowed an \"abs\" error,\n\
         absolute; of those of integers, how many results are wrong), and how far our modes are apart.\n\n{}",
        Row::head()
    );
    let (mut calls, mut types) = (0, 0);
    for (_, outcome) in done {
        match outcome {
            Ok(row) => {
                println!("{row}");
                wrong.extend(row.faults());
                theirs.extend(row.driver_fault());
                if !row.absence.is_empty() && opencl::is_available() {
                    absent.push(format!("{} {}: {}", row.name, row.ty, row.absence));
                }
                calls += row.calls;
                types += 1;
            }
            Err(message) => wrong.push(message),
        }
    }
    let list = |title: &str, lines: &[String]| {
        if !lines.is_empty() {
            println!("\n{title}:\n  {}", lines.join("\n  "));
        }
    };
    list(
        "Intel's driver is out of specification, which is not held against us",
        &theirs,
    );
    list("Intel's driver has no part in", &absent);
    list("WRONG", &wrong);
    let mut names: Vec<_> = items.iter().map(|(_, item)| item.name()).collect();
    names
        .iter_mut()
        .for_each(|name| name.truncate(name.find(' ').unwrap_or(name.len())));
    names.dedup();
    println!(
        "\n{} functions, {types} with their types, {calls} calls in {:.0} s: {} wrong, {} of Intel's driver",
        names.len(),
        start.elapsed().as_secs_f64(),
        wrong.len(),
        theirs.len()
    );
    wrong.is_empty()
}

/// What a process answers to a question, which follows [`QUESTION`].
pub fn answer(question: &str, driver: Option<&Driver>) -> Result<String, String> {
    let words: Vec<&str> = question.split(' ').collect();
    let [name, ty, density, rest @ ..] = words.as_slice() else {
        return Err(format!("no function: {question}"));
    };
    let own = format!("{name} {ty}");
    let (index, item) = (0..)
        .zip(items())
        .find(|(_, item)| item.name() == own)
        .ok_or_else(|| format!("there is no {own}"))?;
    let density = density.parse().map_err(|e| format!("{density}: {e}"))?;
    let driver = driver.filter(|_| rest.is_empty());
    let row = match item {
        Item::Float(function, ty, format) => judge::float(function, ty, format, &widths(index), density, driver),
        Item::Geometric(function, ty, format) => judge::geometric(function, ty, format, density, driver),
        Item::Integer(function, ty) => judge::integer(function, ty, &widths(index), density, driver),
    };
    row.map(|row| row.encode())
}

/// The widths of vectors that a function is tried with: single numbers, and two of the others by turns.
fn widths(index: usize) -> [u32; 3] {
    let vectors = [2, 3, 4, 8, 16];
    [1, vectors[index % 5], vectors[(index + 2) % 5]]
}
