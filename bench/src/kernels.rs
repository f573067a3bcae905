// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How fast compiled kernels are, and how fast they are compiled: our CPU adapter beside Intel's OpenCL CPU driver, which our
//! OpenCL adapter drives. One loader has both adapters; they take turns in one process, and the results of each kernel are
//! compared before it is measured. Native code may be a third side.
//!
//! The driver is that of 2026.2, the other rows have that of 2026.1: these have a process of their own.

pub mod build;
mod cases;
mod compile;
mod native;
mod side;
mod table;

use std::process::Command;

use oxur_client::Loader;

use crate::environment::Environment;
use crate::stack::Failure;
use crate::ur;
use cases::Case;
use side::{INTEL, NATIVE, OURS, Prepared, SIDES, Side};
use table::Table;

/// The first word of such a process.
pub const WORD: &str = "kernels";
/// The word of a process that builds a module.
pub const BUILD: &str = "build";

/// The names of all rows, or of those with native code.
pub fn names(with_native: bool) -> Vec<String> {
    let mut cases = cases::all();
    cases.retain(|case| !with_native || native::has(case));
    let kernels = cases.into_iter().map(|case| case.name);
    let compiled = if with_native { Vec::new() } else { compile::names() };
    kernels.chain(compiled).collect()
}

/// Measures the rows of these names in a process of their own, also beside native code if `native`; gives whether the goals
/// are met.
pub fn measure(
    environment: &Environment,
    rows: &[String],
    seconds: f64,
    json: bool,
    native: bool,
) -> Result<bool, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args([
            crate::children::CHILD,
            WORD,
            &seconds.to_string(),
            &json.to_string(),
            &native.to_string(),
        ])
        .args(rows)
        .args(environment.arguments())
        .env("LD_LIBRARY_PATH", environment.newer_driver())
        // A row begins when the best code is there.
        .env("UR_CPU_TIER", "best");
    if native {
        command.env(native::VARIABLE.0, native::VARIABLE.1);
    }
    match command.status()?.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err("the kernels could not be measured".into()),
    }
}

/// What that process does: `words` are the seconds, whether to write JSON, whether native code is a side, and the names of
/// the rows. Goals for native code that could not be compiled are not met.
///
/// # Safety
/// No other thread may use the environment.
pub unsafe fn work(words: &[&str], environment: &Environment) -> Result<bool, Failure> {
    let [seconds, json, native, rows @ ..] = words else {
        return Err("seconds, json, native and the names of rows".into());
    };
    let (seconds, json, native): (f64, bool, bool) = (seconds.parse()?, json.parse()?, native.parse()?);
    let mut cases = cases::all();
    cases.retain(|case| rows.contains(&case.name.as_str()));
    let library = native.then(|| native::load(environment)).and_then(|library| {
        library
            .inspect_err(|error| eprintln!("oxur-bench: without native code: {error}"))
            .ok()
    });
    let mut table = Table::new(json, library.is_some());
    // First, while this process has no threads: the modules are built by others.
    let compiled = compile::measure(rows, environment)?;
    if !cases.is_empty() {
        // SAFETY: the caller's promise.
        let loader = unsafe { open(environment, &["cpu", "opencl"]) }?;
        let [ours, intel] = [0, 1].map(|adapter| Side::new(&loader, adapter));
        let (ours, intel) = (ours?, intel?);
        table.head(&format!("{} / {}", intel.name()?, ours.name()?));
        for case in &cases {
            // SAFETY: `bench/native` has functions for the kernels of `bench/kernels`, with their arguments.
            let native = library.map(|library| unsafe { Prepared::native(library, &ours, case) });
            let (intel, ours) = (Prepared::new(&intel, case)?, Prepared::new(&ours, case)?);
            let mut sides = [Some(intel), Some(ours), native.transpose()?];
            let verdict = compare(case, &mut sides)?;
            let rounds = side::take_turns(&mut sides, seconds)?;
            table.kernel(case, &rounds, verdict);
        }
    }
    table.compiled(&compiled);
    table.end();
    let has_all = library.is_some() || !native;
    // The exit handlers of two stacks, whose threads are alive, are better not called: see `main`.
    Ok(table.good() && has_all)
}

/// What the process of [`BUILD`] does: the time until a module's first kernel is ready, by the clock and of processors, in nanoseconds.
///
/// # Safety
/// No other thread may use the environment.
pub unsafe fn build(words: &[&str], environment: &Environment) -> Result<(), Failure> {
    let [adapter, module, ..] = words else {
        return Err("an adapter and a module".into());
    };
    // SAFETY: the caller's promise.
    let loader = unsafe { open(environment, &[adapter]) }?;
    let [wall, processor] = compile::build(&Side::new(&loader, 0)?, module.as_ref())?;
    println!("{} {}", wall.as_nanos(), processor.as_nanos());
    Ok(())
}

/// Our loader with these of our adapters, on the driver of 2026.2.
///
/// # Safety
/// No other thread may use the environment.
unsafe fn open(environment: &Environment, adapters: &[&str]) -> Result<Loader, Failure> {
    let icd = environment.newer_driver().join("libintelocl.so");
    if !icd.exists() {
        return Err(format!("{} is missing: `scripts/setup.sh clients`", icd.display()).into());
    }
    let adapters: Vec<_> = adapters.iter().map(|name| environment.our_adapter(name)).collect();
    let adapters: Vec<_> = adapters.iter().map(|path| path.as_path()).collect();
    // SAFETY: the caller's promise.
    unsafe {
        std::env::set_var("OCL_ICD_FILENAMES", &icd);
        ur::open(&environment.ours, &adapters)
    }
}

/// Runs all from the same memory, and says where they differ from Intel's.
fn compare(case: &Case, sides: &mut [Option<Prepared>; SIDES]) -> Result<Result<(), String>, Failure> {
    for side in sides.iter_mut().flatten() {
        side.first_run()?;
    }
    let output = |side: usize| sides[side].as_ref().map(Prepared::output);
    let against = |side| match (output(INTEL), output(side)) {
        (Some(intel), Some(other)) => case.compare(intel, other),
        _ => Ok(()),
    };
    Ok(against(OURS).and_then(|()| against(NATIVE).map_err(|error| format!("native code: {error}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_native_code() {
        // 22 in the order of the report, and two merges.
        assert_eq!(names(true).len(), 24);
        assert!(names(true).iter().all(|name| names(false).contains(name)));
    }
}
