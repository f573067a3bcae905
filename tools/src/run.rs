// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur run`: sets the environment that puts oxur under a SYCL program, and executes the program in its own process.
//! `oxur graph` uses the same environment for a child process.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Args;

use crate::lib_folder::{Choice, OpenClAvailability};
use crate::sycl::{Entry, Sycl};
use crate::{Failure, as_gpu, level_zero, lib_folder, onemkl, search, sycl};

/// Runs a command on our libraries. Returns only on failure, or with `dry_run`.
pub fn main(options: &RunOptions, dry_run: bool, command: &[OsString]) -> Result<ExitCode, Failure> {
    let mut prepared = prepare(options, command)?;
    if dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    let error = prepared.exec();
    Err(cannot_run(&prepared, &error))
}

/// The options that choose the libraries for a command.
#[derive(Args)]
pub struct RunOptions {
    /// Use only this adapter of ours (opencl, cpu, ...) or this file; may be repeated. Default: the CPU adapter, unless
    /// an OpenCL driver has the CPU, and the OpenCL adapter, if any driver accepts SPIR-V
    #[arg(long, value_name = "NAME|PATH")]
    adapter: Vec<OsString>,
    /// The libsycl that the command loads, if it is not found automatically
    #[arg(long, value_name = "PATH")]
    libsycl: Option<PathBuf>,
    /// Use the CPU adapter, and show the CPU as a GPU to these libraries of the program, which accept only GPUs. A name is
    /// a file name prefix. Without a list: the libraries of llama.cpp, oneDAL and dpctl
    #[arg(long, value_name = "LIBRARY,...", num_args = 0..=1, require_equals = true)]
    as_gpu: Option<Option<String>>,
    /// Put oxur's Level Zero driver, whose device is the CPU, under the command instead of a GPU's. SYCL programs reach it
    /// through oxur's Level Zero adapter, which is loaded before the others, unless --adapter names other adapters
    #[arg(long, conflicts_with = "as_gpu")]
    level_zero: bool,
    /// Check the arguments of all Unified Runtime calls, and report wrong arguments and leaked objects on stderr
    #[arg(long)]
    validate: bool,
}

/// The variables that enable the validation layers of the loader, ours or libsycl's own.
const VALIDATION: [(&str, &str); 2] = [
    ("UR_ENABLE_LAYERS", "UR_LAYER_FULL_VALIDATION"),
    ("UR_LOG_VALIDATION", "level:info;flush:info;output:stderr"),
];

/// The failure for a program that cannot be started.
pub fn cannot_run(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("{}: {error}", command.get_program().display()), "").with_code(126)
}

/// A command with the environment that puts our libraries under it. Prints this environment.
pub fn prepare(options: &RunOptions, command: &[OsString]) -> Result<Command, Failure> {
    let folder = lib_folder::find()?;
    let named = lib_folder::choose(&folder, &options.adapter)?;
    let program = search::program(Path::new(&command[0])).ok_or_else(|| {
        Failure::new(
            format!("{}: command not found", command[0].display()),
            "check the name and PATH",
        )
        .with_code(127)
    })?;
    let sycl = match &options.libsycl {
        Some(path) => Some(Sycl::read(path).ok_or_else(|| {
            Failure::new(
                format!("{} is not a libsycl", path.display()),
                "name a libsycl.so.8 or libsycl.so.9",
            )
        })?),
        None => sycl::of_command(&program),
    };
    if let Some(sycl) = &sycl {
        sycl.check()?;
    } else if options.level_zero && named.is_empty() {
        // The command needs only our driver.
        return only_level_zero(options, &folder, &program, command);
    }
    let seen_as_gpu = as_gpu::libraries(options.as_gpu.as_ref())?;
    let choice = if named.is_empty() && seen_as_gpu.is_some() {
        Choice {
            paths: lib_folder::choose(&folder, &["cpu".into()])?,
            reason: None,
        }
    } else if named.is_empty() {
        let mut choice = lib_folder::by_default(&folder, || {
            opencl_availability(&environment(&folder, &[], sycl.as_ref()))
        })?;
        if options.level_zero {
            // Before the others, as in the loader: programs use the first device of a type.
            choice
                .paths
                .splice(0..0, lib_folder::choose(&folder, &["level_zero".into()])?);
        }
        choice
    } else {
        Choice {
            paths: named,
            reason: None,
        }
    };
    let mut variables = environment(&folder, &choice.paths, sycl.as_ref());
    if let Some(libraries) = &seen_as_gpu {
        if !lib_folder::has(&choice.paths, "cpu") {
            return Err(Failure::new(
                "--as-gpu shows the device of oxur's CPU adapter as a GPU, but --adapter does not name that adapter",
                "add `--adapter cpu`, or omit --adapter",
            ));
        }
        variables.extend(as_gpu::variables(&folder, libraries)?);
    }
    onemkl::put(&folder, &choice.paths, &mut variables)?;
    if options.level_zero {
        level_zero::put(&folder, &mut variables)?;
    }
    if options.validate {
        variables.extend(validation());
    }
    match &sycl {
        Some(sycl) => eprintln!("oxur: libsycl: {}", sycl.describe()),
        None => eprintln!(
            "oxur: no libsycl found for {}: the environment is set up for all releases (--libsycl PATH names one)",
            program.display()
        ),
    }
    if let Some(reason) = choice.reason {
        eprintln!("oxur: {reason}");
    }
    if let Some(libraries) = &seen_as_gpu {
        eprintln!("oxur: the CPU is a GPU for {libraries}, and a CPU for all other libraries");
    }
    Ok(with_variables(&program, command, variables))
}

/// A command that runs on our Level Zero driver. It finds all other libraries itself.
fn only_level_zero(
    options: &RunOptions,
    folder: &Path,
    program: &Path,
    command: &[OsString],
) -> Result<Command, Failure> {
    let mut variables = Vec::new();
    level_zero::put(folder, &mut variables)?;
    if options.validate {
        variables.extend(validation());
    }
    Ok(with_variables(program, command, variables))
}

/// The variables of [`VALIDATION`].
fn validation() -> impl Iterator<Item = Variable> {
    VALIDATION.into_iter().map(|(name, value)| (name, value.into()))
}

/// A variable and its value.
pub type Variable = (&'static str, OsString);

/// A command with these variables. Prints them.
fn with_variables(program: &Path, command: &[OsString], variables: Vec<Variable>) -> Command {
    for (name, value) in &variables {
        eprintln!("oxur: {name}={}", value.display());
    }
    let mut prepared = Command::new(program);
    prepared.arg0(&command[0]).args(&command[1..]).envs(variables);
    prepared
}

/// The OpenCL devices for a program with these variables. A child process queries them, because drivers leave threads behind,
/// and this process will execute the program.
fn opencl_availability(variables: &[(&'static str, OsString)]) -> OpenClAvailability {
    let output = env::current_exe().and_then(|exe| {
        Command::new(exe)
            .arg("opencl-offer")
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
    });
    let output = output.map(|output| output.stdout).unwrap_or_default();
    // A driver may print other lines, or crash.
    let output = String::from_utf8_lossy(&output);
    let last = output.lines().last().unwrap_or_default();
    OpenClAvailability::ALL
        .into_iter()
        .find(|(_, word)| *word == last)
        .map_or(OpenClAvailability::Nothing, |(availability, _)| availability)
}

/// The variables that put our libraries under a libsycl, or under any release if `sycl` is `None`.
pub fn environment(folder: &Path, adapters: &[PathBuf], sycl: Option<&Sycl>) -> Vec<(&'static str, OsString)> {
    let mut variables = vec![("UR_ADAPTERS_FORCE_LOAD", lib_folder::force_load(adapters))];
    let old = search::library_path();
    let mut path = old.clone();
    // First, so that it precedes the loader next to libsycl.
    if sycl.is_none_or(|sycl| sycl.entry == Entry::Loader) {
        path.retain(|other| other != folder);
        path.insert(0, folder.to_owned());
    }
    // libsycl finds the OpenCL library next to it. Our adapter is in another folder, and should find the same library.
    if let Some(sycl) = sycl {
        let beside = sycl.folder().to_owned();
        if beside.join("libOpenCL.so.1").exists() && !path.contains(&beside) && !is_system(&beside) {
            path.push(beside.clone());
        }
        let driver = beside.join("libintelocl.so");
        if driver.exists()
            && ["OCL_ICD_FILENAMES", "OCL_ICD_VENDORS"]
                .iter()
                .all(|name| env::var_os(name).is_none())
        {
            variables.push(("OCL_ICD_FILENAMES", driver.into_os_string()));
        }
    }
    if path != old {
        let joined = path
            .iter()
            .map(|folder| folder.as_os_str())
            .collect::<Vec<_>>()
            .join(OsStr::new(":"));
        variables.push(("LD_LIBRARY_PATH", joined));
    }
    variables
}

fn is_system(folder: &Path) -> bool {
    search::system().iter().any(|system| system == folder)
}
