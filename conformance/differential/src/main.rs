// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The differential test: random kernels, those of `kernels/` and those of the conformance suite on the compiler's scalar
//! mode, on its fast mode and on the quick code of that, in the interpreter and on Intel's OpenCL driver. A difference of
//! results is printed with the seed and the kernel's source.
//!
//! Piglit's tests, too, whose authors say what results must be, and the functions of OpenCL.std: the largest error of each, on
//! all of these. [`HELP`] says how it is called.

mod case;
mod compile;
mod data;
mod functions;
mod generate;
mod instructions;
mod launch;
mod nvptx;
mod opencl;
mod oracle;
mod ours;
mod piglit;
mod range;
mod reduce;
mod rng;
mod suite;
mod worker;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use case::Unit;
use worker::for_each;

const HELP: &str = "\
differential                          all of it: the kernels, the seeds and the functions
differential kernels                  the kernels of kernels/ and of the conformance suite, and the seeds that SEEDS names
differential functions [OPTION] [NAME...]
                                      the functions of OpenCL.std: all, or those named (sin, sin:half, mad_sat:uchar)
  --density N                         with about 2^N arguments each, special ones aside (15; half has no more than 2^16)
differential piglit [WORD...]         Piglit's tests (conformance/piglit): the files with one of the words in their names, or all
differential SEED|NAME...             these kernels
differential show SEED                its source
differential reduce SEED              a smaller source that fails in the same way
differential nvptx FOLDER [SM]        the seeds that SEEDS names as PTX (sm_70), with the interpreter's results: nvptx.py runs
                                      them on an NVIDIA GPU
differential SEED=FILE                the source of a file with what else a seed decides: inputs, ranges, clang's options;
                                      or a module, if it is a FILE.spvasm

SEEDS     how many seeds, or FIRST..END (240)
FOCUS     groups: all seeds have barriers, and groups that may run as one vector
JOBS      how many tests run at a time (as many as there are cores)
LIMIT     how many seconds a kernel may take until it hangs (120)
DRIVER    none: without Intel's driver, which takes most of the time
INTEL_OPTIONS
          build options for Intel's driver: -cl-opt-disable tells whether its optimizer is what differs

Sources of kernels that fail stay in target/differential/. It fails if our two modes differ, are out of specification, or
differ from the interpreter (compiler/interpreter); if quick code and the best code differ by a bit; and if the interpreter
finds undefined behaviour in a kernel. What Intel's driver does wrong with a function, or alone with a kernel, is told only. A
kernel on which the driver crashes, or does not end, is compared with what it does with its optimizer off. Without the driver
(make setup) our two modes are compared.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["serve"] => {
            env_logger::init();
            worker::serve(|question, driver| match question.strip_prefix(functions::QUESTION) {
                Some(function) => functions::answer(function, driver),
                None => Unit::answer(question, driver),
            })
            .map(|()| true)
        }
        ["help" | "--help" | "-h", ..] => {
            print!("{HELP}");
            Ok(true)
        }
        ["show", unit] => Unit::parse(unit).case().map(|case| {
            print!("{}", describe(&case));
            true
        }),
        ["reduce", seed] => seed
            .parse()
            .map_err(|_| "no seed".to_string())
            .and_then(reduce::reduce)
            .map(|source| {
                print!("{source}");
                true
            }),
        ["nvptx", folder] => seeds().and_then(|seeds| nvptx::export(folder.as_ref(), Default::default(), seeds)),
        ["nvptx", folder, sm] => seeds().and_then(|seeds| nvptx::export(folder.as_ref(), sm.parse()?, seeds)),
        ["kernels"] => everything().map(|units| test(&units)),
        ["piglit", ..] => piglit::names(&arguments[1..]).map(|units| test(&units)),
        ["functions", "--density", density, ..] => density
            .parse()
            .map_err(|e| format!("--density {density}: {e}"))
            .and_then(|density| functions::test(&arguments[3..], density)),
        ["functions", ..] => functions::test(&arguments[1..], functions::DENSITY),
        [] => everything().and_then(|units| {
            let (kernels, functions) = (test(&units), functions::test(&[], functions::DENSITY)?);
            Ok(kernels && functions)
        }),
        _ => Ok(test(&arguments)),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("differential: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The kernels of the folder, those of the suite, and seeds.
fn everything() -> Result<Vec<String>, String> {
    let mut units = Vec::new();
    for entry in std::fs::read_dir(case::folder()).map_err(|e| e.to_string())? {
        let path = entry.map_err(|e| e.to_string())?.path();
        units.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    units.sort();
    units.extend(suite::names());
    units.extend(seeds()?.map(|seed| seed.to_string()));
    Ok(units)
}

/// Those that SEEDS names.
fn seeds() -> Result<std::ops::Range<u64>, String> {
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| "240".into());
    let (first, end) = seeds.split_once("..").unwrap_or(("0", &seeds));
    let number = |text: &str| text.parse::<u64>().map_err(|e| format!("SEEDS={seeds}: {e}"));
    Ok(number(first)?..number(end)?)
}

fn describe(case: &generate::Case) -> String {
    let ranges: Vec<String> = case.ranges.iter().map(ToString::to_string).collect();
    format!(
        "{}\n// {}; {}\n",
        case.source,
        ranges.join("; "),
        case.options.join(" ")
    )
}

/// Tests them and tells how that went: whether all are right.
fn test(units: &[String]) -> bool {
    let start = Instant::now();
    let (wide, compared, unoptimized) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let failed = Mutex::new(Vec::new());
    if !opencl::is_available() {
        println!("without Intel's driver: our two modes and the interpreter only");
    }
    for_each(units, |worker, unit| match Unit::test(worker, unit) {
        Ok(passed) => {
            wide.fetch_add(usize::from(passed.lanes > 1), Ordering::Relaxed);
            compared.fetch_add(usize::from(passed.is_compared), Ordering::Relaxed);
            if let Some(dissent) = passed.dissent {
                println!("{unit}: Intel's driver alone differs: {dissent}");
            }
            if let Some(death) = passed.death {
                unoptimized.fetch_add(usize::from(passed.is_compared), Ordering::Relaxed);
                let instead = if passed.is_compared {
                    "without its optimizer it agrees with ours"
                } else {
                    "our modes agree"
                };
                println!("{unit}: Intel's driver: {death}; {instead}");
            }
        }
        Err(message) => {
            let source = Unit::parse(unit).case().map_or_else(|e| e, |case| describe(&case));
            let mut failed = failed.lock().expect("no thread panics here");
            println!("== {unit}\n{source}\n{unit}: {}\n", message.trim_end());
            failed.push(unit.as_str());
        }
    });
    let failed = failed.into_inner().expect("no thread panics here");
    println!(
        "{} kernels in {:.0} s: {} run several items at a time, {} on Intel's driver, too, {} of them without \
         its optimizer; {} fail{}{}",
        units.len(),
        start.elapsed().as_secs_f64(),
        wide.into_inner(),
        compared.into_inner(),
        unoptimized.into_inner(),
        failed.len(),
        if failed.is_empty() { "" } else { ": " },
        failed.join(" ")
    );
    failed.is_empty()
}
