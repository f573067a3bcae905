// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur-compiler`: compiles SPIR-V modules, and shows what becomes of them and what is kept.

mod bisect;
mod compile;
mod launch;
mod pass_log;
mod pass_times;
mod reduce;
mod run;
mod show;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand, ValueEnum};
use oxur_compiler::passes::{self, Limit};
use oxur_compiler::{CacheConfig, Error, FastMath, Mode, Module, Options, Part, Program, Target, Tier};

#[global_allocator]
static ALLOCATOR: oxur_compiler::Allocator = oxur_compiler::Allocator;

/// Compiles SPIR-V kernels for this CPU.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// What to compile for: host, or nvptx64:sm_90 and the like.
    #[arg(long, global = true, default_value = "host")]
    target: Target,
    /// Compile one work-item at a time: the reference.
    #[arg(long, global = true)]
    scalar: bool,
    /// Compile as for the first launch, in a few milliseconds.
    #[arg(long, global = true)]
    quick: bool,
    /// Let floating-point arithmetic deviate from its rules.
    #[arg(long, global = true, value_enum, value_name = "HOW")]
    fast_math: Vec<Permission>,
    /// Modules to link with each of the others.
    #[arg(long, global = true)]
    link: Vec<PathBuf>,
    /// Take compiled code from this folder, and keep it there. `cache` uses the user's folder if none is named.
    #[arg(long, global = true, value_name = "FOLDER")]
    cache: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Compile every kernel of the modules and tell how that went.
    Compile {
        /// The modules.
        modules: Vec<PathBuf>,
        /// A line of JSON a kernel, instead of text.
        #[arg(long)]
        json: bool,
        /// Tell the processor time of each stage, on the standard error stream.
        #[arg(long)]
        times: bool,
        /// Tell the time of each pass, of ours and of LLVM's, instead of anything else.
        #[arg(long)]
        pass_times: bool,
        #[arg(long, hide = true)]
        log_passes: bool,
        /// This kernel only.
        #[arg(long)]
        kernel: Option<String>,
        /// Write the PTX of each kernel into this folder.
        #[arg(long, value_name = "FOLDER")]
        output: Option<PathBuf>,
        /// Have NVIDIA's assembler check the PTX: where ptxas is.
        #[arg(long, value_name = "PROGRAM")]
        ptxas: Option<PathBuf>,
    },
    /// List the kernels of modules with their parameters.
    List {
        /// The modules.
        modules: Vec<PathBuf>,
    },
    /// Show a kernel after a stage.
    Print {
        /// The module.
        module: PathBuf,
        /// The kernel; the first one if none is named.
        #[arg(long)]
        kernel: Option<String>,
        /// Which stage.
        #[arg(long, value_enum, default_value_t = show::Stage::Optimize)]
        stage: show::Stage,
        /// Which code of those that a kernel has for groups of different sizes.
        #[arg(long)]
        variant: Option<String>,
    },
    /// Run a kernel, and show what is in memory then.
    Run {
        #[command(flatten)]
        launch: launch::Launch,
        #[command(flatten)]
        how: run::How,
    },
    /// Find the pass that makes the results of a kernel other than the interpreter's.
    Bisect {
        #[command(flatten)]
        launch: launch::Launch,
    },
    /// Make a module smaller whose kernel has other results than the interpreter's. Needs spirv-reduce.
    Reduce {
        /// The smaller module.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        #[command(flatten)]
        launch: launch::Launch,
    },
    /// Tell how much compiled code is kept.
    Cache {
        /// Remove it.
        #[arg(long)]
        clear: bool,
    },
}

/// What OpenCL's options of the names allow.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Permission {
    /// -cl-no-signed-zeros
    NoSignedZeros,
    /// -cl-finite-math-only
    FiniteOnly,
    /// -cl-unsafe-math-optimizations
    Unsafe,
    /// -cl-fast-relaxed-math
    Relaxed,
    /// No permission, but the opposite: -cl-fp32-correctly-rounded-divide-sqrt
    ExactDivision,
}

/// The permissions that are named.
fn fast_math(named: &[Permission]) -> FastMath {
    let mut all = FastMath::default();
    for permission in named {
        all |= match permission {
            Permission::NoSignedZeros => FastMath::NO_SIGNED_ZEROS,
            Permission::FiniteOnly => FastMath::FINITE_ONLY,
            Permission::Unsafe => FastMath::UNSAFE,
            Permission::Relaxed => FastMath::RELAXED,
            Permission::ExactDivision => FastMath::default(),
        };
    }
    if named.contains(&Permission::ExactDivision) {
        all = all.without(FastMath::INEXACT_DIVISION);
    }
    all
}

fn main() -> ExitCode {
    // If the reader of a pipe exits early, as head does, the command ends like any other.
    // SAFETY: no other thread runs yet.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let cli = Cli::parse();
    let mut log = env_logger::Builder::from_default_env();
    if matches!(cli.command, Command::Compile { times: true, .. }) {
        log.filter_module("oxur_compiler::stage_times", log::LevelFilter::Debug);
    }
    log.init();
    let options = Options {
        target: cli.target,
        mode: if cli.scalar { Mode::Scalar } else { Mode::Fast },
        tier: if cli.quick { Tier::Quick } else { Tier::Best },
        fast_math: fast_math(&cli.fast_math),
        cache: cli.cache.as_ref().map_or_else(CacheConfig::off, CacheConfig::at),
        ..Options::default()
    };
    if matches!(cli.command, Command::Compile { log_passes: true, .. }) {
        passes::limit(Limit::NONE);
    }
    let done = match &cli.command {
        Command::Compile { pass_times: true, .. } => pass_times::tell(),
        Command::Compile {
            modules,
            json,
            kernel,
            output,
            ptxas,
            ..
        } => {
            let how = compile::How {
                json: *json,
                only: kernel.as_deref(),
                output: output.as_deref(),
                ptxas: ptxas.as_deref(),
            };
            modules
                .iter()
                .try_for_each(|m| compile::compile(m, &cli.link, &options, &how))
        }
        Command::List { modules } => modules.iter().try_for_each(|m| show::list(m, &cli.link, &options)),
        Command::Print {
            module,
            kernel,
            stage,
            variant,
        } => {
            let which = (kernel.as_deref(), variant.as_deref());
            show::print(module, &cli.link, &options, which, *stage)
        }
        Command::Run { launch, how } => return run::main(launch, how, &cli.link, &options),
        // Other processes get the launch as it stands on the command line.
        Command::Bisect { .. } => bisect::bisect(),
        Command::Reduce { output, launch } => reduce::reduce(launch, output),
        Command::Cache { clear } => cache(cli.cache.as_deref(), *clear),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("oxur-compiler: {message}");
            ExitCode::FAILURE
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Links a module with the others that were named.
fn link(path: &Path, others: &[PathBuf], options: &Options) -> Result<Result<Arc<Program>, Error>, String> {
    let mut parts = Vec::new();
    for path in std::iter::once(path).chain(others.iter().map(PathBuf::as_path)) {
        match Module::parse(&read(path)?) {
            Ok(module) => parts.push(Part::new(module)),
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Program::link(&parts, options))
}

fn cache(folder: Option<&Path>, clear: bool) -> Result<(), String> {
    let cache = folder.map_or_else(CacheConfig::user, CacheConfig::at);
    let place = cache.folder().ok_or("there is no home, and so no cache")?.display();
    let usage = if clear {
        cache.clear().and_then(|cleared| {
            let cleared = cleared.unwrap_or_default();
            cleared.error.map_or(Ok(cleared.removed), Err)
        })
    } else {
        cache.usage()
    };
    let usage = usage.map_err(|error| format!("{place}: {error}"))?;
    let removed = if clear { "removed " } else { "" };
    println!("{place}: {removed}{} entries, {} KiB", usage.entries, usage.bytes >> 10);
    Ok(())
}
