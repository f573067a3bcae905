// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Piglit's tests on the first device of the adapter under test. `make test-piglit` runs them.
//!
//! ```text
//! piglit [WORD...]      the files with one of the words in their names, or all
//! ```
//!
//! `OXUR_TEST_LOADER` and `UR_ADAPTERS_FORCE_LOAD` name the libraries, `CLANG_OPTIONS` has more options for clang, such as `-O0`.

use std::process::ExitCode;
use std::ptr::null;

use oxur_conformance::Rig;
use oxur_conformance::api::{Backend, ProgramInfo};
use oxur_conformance::client::{self, Arg, Kernel, Usm, UsmRequest};
use oxur_piglit::{LaunchArgument, Program, Test};

/// What Level Zero does not tell kernels: a launch has three sizes there, of which those behind the last that is not one do not
/// count as dimensions.
const NOT_ON_LEVEL_ZERO: [&str; 2] = ["get_work_dim (2)", "get_work_dim (3)"];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let names = match oxur_piglit::names(&words) {
        Ok(names) => names,
        Err(message) => {
            eprintln!("piglit: {message}");
            return ExitCode::FAILURE;
        }
    };
    let rig = Rig::new();
    let (mut passed, mut failed) = (0, 0);
    for name in &names {
        let (tests, failures) = run(&rig, name);
        for failure in &failures {
            println!("{name}: {failure}");
        }
        failed += failures.len();
        passed += tests.saturating_sub(failures.len());
    }
    println!("{} files: {passed} tests passed, {failed} failed", names.len());
    if failed == 0 && !names.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// How many tests a file has, where one that must only build counts as one, and what failed.
fn run(rig: &Rig, name: &str) -> (usize, Vec<String>) {
    let mut program = match Program::read(name) {
        Ok(program) => program,
        Err(message) => return (1, vec![message]),
    };
    if rig.backend() == Backend::LEVEL_ZERO {
        program
            .tests
            .retain(|test| !NOT_ON_LEVEL_ZERO.contains(&test.name.as_str()));
    }
    let built = client::Program::with_il(&rig.context, &program.spirv).and_then(|built| {
        built.build(&rig.context, "")?;
        // Those of a file that only must build, too. An adapter may compile them as late as here.
        let names: String = built.info(ProgramInfo::KERNEL_NAMES)?;
        for name in names.split(';').filter(|name| !name.is_empty()) {
            Kernel::new(&built, name)?;
        }
        Ok(built)
    });
    let built = match built {
        Ok(built) => built,
        Err(error) => return (1, vec![format!("{error:?}")]),
    };
    let test = |test: &Test| {
        let outcome = Kernel::new(&built, &test.kernel)
            .map_err(|error| format!("{error:?}"))
            .and_then(|kernel| test.run(|arguments| launch(rig, &kernel, test, arguments)));
        outcome.err().map(|message| format!("{}: {message}", test.name))
    };
    (
        program.tests.len().max(1),
        program.tests.iter().filter_map(test).collect(),
    )
}

/// Launches a kernel on memory of the device.
fn launch(rig: &Rig, kernel: &Kernel, test: &Test, arguments: &mut [LaunchArgument<'_>]) -> Result<(), String> {
    let memory = arguments.iter().map(|argument| match argument {
        LaunchArgument::Memory(words) => allocate(rig, size_of_val(*words)).map(Some),
        _ => Ok(None),
    });
    let memory: Vec<Option<Usm>> = memory.collect::<client::Result<_>>().map_err(text)?;
    copy(rig, arguments, &memory, Direction::ToDevice).map_err(text)?;
    let given = arguments.iter().zip(&memory).map(|pair| match pair {
        (LaunchArgument::Value(bytes), _) => Arg::Value(bytes),
        (LaunchArgument::Local(size), _) => Arg::Local(*size),
        (LaunchArgument::Memory(_), usm) => Arg::Pointer(usm.as_ref().map_or(null(), |usm| usm.ptr())),
    });
    let given: Vec<Arg<'_>> = given.collect();
    // SAFETY: the kernels do what Piglit's sources say, in memory of the sizes that the tests give, which is there until
    // the copies back are complete.
    let launched = unsafe { rig.queue.launch(kernel, &test.range, &given, &[]) }.map_err(text)?;
    // That tells of a fault of the kernel.
    launched.wait().map_err(text)?;
    copy(rig, arguments, &memory, Direction::ToHost).map_err(text)
}

fn text(error: client::Error) -> String {
    format!("{error:?}")
}

fn allocate(rig: &Rig, size: usize) -> client::Result<Usm> {
    let request = UsmRequest {
        align: 128,
        ..UsmRequest::default()
    };
    Usm::device(&rig.context, &rig.device, size, request)
}

#[derive(Clone, Copy)]
enum Direction {
    ToDevice,
    ToHost,
}

/// Copies all memory of arguments, and waits for it.
fn copy(
    rig: &Rig,
    arguments: &mut [LaunchArgument<'_>],
    memory: &[Option<Usm>],
    direction: Direction,
) -> client::Result<()> {
    for (argument, usm) in arguments.iter_mut().zip(memory) {
        let (LaunchArgument::Memory(words), Some(usm)) = (argument, usm) else {
            continue;
        };
        let host = words.as_mut_ptr().cast();
        let (to, from) = match direction {
            Direction::ToDevice => (usm.ptr(), host),
            Direction::ToHost => (host, usm.ptr()),
        };
        // SAFETY: both are as large, and there until the copy is complete.
        unsafe { rig.queue.memcpy(true, to, from, usm.len(), &[])? };
    }
    Ok(())
}
