// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur-compiler`: compiles SPIR-V modules, and shows what becomes of them and what is kept.

use std::ffi::CStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::{Parser, Subcommand, ValueEnum};
use oxur_compiler::{CacheConfig, Error, FastMath, Mode, Module, Options, Part, Program, Sm, Target, Tier};

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
        #[arg(long, value_enum, default_value_t = Stage::Optimize)]
        stage: Stage,
        /// Which code of those that a kernel has for groups of different sizes.
        #[arg(long)]
        variant: Option<String>,
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

#[derive(Clone, Copy, ValueEnum)]
enum Stage {
    /// LLVM IR for one work-item.
    Lower,
    /// LLVM IR for one work-group.
    Workgroup,
    /// That, optimized.
    Optimize,
    /// Assembly.
    Assembly,
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
    let done = match &cli.command {
        Command::Compile {
            modules,
            json,
            kernel,
            output,
            ptxas,
            ..
        } => {
            let how = How {
                json: *json,
                only: kernel.as_deref(),
                output: output.as_deref(),
                ptxas: ptxas.as_deref(),
            };
            modules.iter().try_for_each(|m| compile(m, &cli.link, &options, &how))
        }
        Command::List { modules } => modules.iter().try_for_each(|m| list(m, &cli.link, &options)),
        Command::Print {
            module,
            kernel,
            stage,
            variant,
        } => {
            let which = (kernel.as_deref(), variant.as_deref());
            print(module, &cli.link, &options, which, *stage)
        }
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

/// What a kernel needs that is not there.
fn missing(error: &Error) -> Option<&str> {
    match error {
        Error::Unsupported { feature, .. } => Some(feature),
        Error::Link(what) => Some(what),
        _ => None,
    }
}

/// What to compile of a module, what to do with it, and how to report.
struct How<'a> {
    json: bool,
    only: Option<&'a str>,
    output: Option<&'a Path>,
    ptxas: Option<&'a Path>,
}

/// What a kernel was compiled to.
enum Compiled {
    /// Machine code: how many items it runs at a time.
    Code { lanes: u32, from_cache: bool },
    /// So many bytes of PTX.
    Ptx(usize),
}

fn compile_kernel(program: &Arc<Program>, name: &str, target: Target, how: &How<'_>) -> Result<Compiled, Error> {
    let Target::Nvptx64(sm) = target else {
        let kernel = program.kernel(name)?;
        return Ok(Compiled::Code {
            lanes: kernel.lanes(),
            from_cache: kernel.is_from_cache(),
        });
    };
    let unit = program.nvptx_unit(name)?;
    let ptx = unit.compile()?;
    if let Some(folder) = how.output {
        let path = folder.join(unit.key()).with_extension("ptx");
        std::fs::write(&path, ptx.as_bytes())
            .map_err(|error| Error::Codegen(format!("{}: {error}", path.display())))?;
    }
    if let Some(ptxas) = how.ptxas {
        check(&ptx, sm, ptxas).map_err(Error::Codegen)?;
    }
    Ok(Compiled::Ptx(ptx.as_bytes().len()))
}

/// Has ptxas assemble PTX.
fn check(ptx: &CStr, sm: Sm, ptxas: &Path) -> Result<(), String> {
    let file = std::env::temp_dir().join(format!("oxur-compiler-{}.ptx", std::process::id()));
    std::fs::write(&file, ptx.to_bytes()).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut command = std::process::Command::new(ptxas);
    command
        .arg(format!("--gpu-name={sm}"))
        .args(["--output-file", "/dev/null"])
        .arg(&file);
    let output = command
        .output()
        .map_err(|error| format!("{}: {error}", ptxas.display()));
    _ = std::fs::remove_file(&file);
    let output = output?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("ptxas: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

fn compile(path: &Path, others: &[PathBuf], options: &Options, how: &How<'_>) -> Result<(), String> {
    // A module that does not link has kernels all the same: each of them fails.
    let names: Vec<String> = match Module::parse(&read(path)?) {
        Ok(module) => module.kernels().map(str::to_string).collect(),
        Err(_) => vec![String::new()],
    };
    let program = link(path, others, options)?;
    for name in names.iter().filter(|n| how.only.is_none_or(|o| o == n.as_str())) {
        let start = Instant::now();
        let program = program.as_ref().map_err(Error::clone);
        let result = program.and_then(|program| compile_kernel(program, name, options.target, how));
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let mut out = std::io::stdout().lock();
        let written = if how.json {
            let error = result.as_ref().err();
            let line = serde_json::json!({
                "module": path.display().to_string(),
                "kernel": name,
                "ok": error.is_none(),
                "error": error.map(ToString::to_string),
                "missing": error.and_then(missing),
                "ms": ms,
                "cached": matches!(result, Ok(Compiled::Code { from_cache: true, .. })),
            });
            writeln!(out, "{line}")
        } else {
            match result {
                Ok(Compiled::Code { from_cache: true, .. }) => writeln!(out, "{ms:8.3} ms  {name} (from the cache)"),
                Ok(Compiled::Code { lanes, .. }) => writeln!(out, "{ms:8.1} ms  x{lanes:<2} {name}"),
                Ok(Compiled::Ptx(bytes)) => writeln!(out, "{ms:8.1} ms  {bytes} bytes of PTX {name}"),
                Err(error) => writeln!(out, "  failed     {name}: {error}"),
            }
        };
        written.and_then(|()| out.flush()).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn list(path: &Path, others: &[PathBuf], options: &Options) -> Result<(), String> {
    let program = link(path, others, options)?.map_err(|e| format!("{}: {e}", path.display()))?;
    for kernel in program.kernels() {
        println!("{}", kernel.name);
        println!(
            "  sub-groups of {}{}, {} bytes of local memory, {}",
            kernel.sub_group_size,
            if kernel.sub_group_size_required {
                " (required)"
            } else {
                ""
            },
            kernel.local_memory,
            if kernel.has_barriers {
                "work-items wait for each other"
            } else {
                "no barriers"
            }
        );
        let write_only = program.write_only_params(&kernel.name);
        for (index, param) in kernel.params.iter().enumerate() {
            let is_write_only = index < 64 && write_only >> index & 1 != 0;
            println!(
                "  {:5} {:4} bytes  {:?}{}  {}",
                param.offset,
                param.size,
                param.kind,
                if is_write_only { ", write-only" } else { "" },
                param.name
            );
        }
    }
    Ok(())
}

fn print(
    path: &Path,
    others: &[PathBuf],
    options: &Options,
    (kernel, variant): (Option<&str>, Option<&str>),
    stage: Stage,
) -> Result<(), String> {
    let program = link(path, others, options)?.map_err(|e| e.to_string())?;
    let first = program.kernels().first().map(|k| k.name.clone());
    let kernel = kernel
        .map(str::to_string)
        .or(first)
        .ok_or("the module has no kernels")?;
    let stage = match stage {
        Stage::Lower => "lower",
        Stage::Workgroup => "workgroup",
        Stage::Optimize => "optimize",
        Stage::Assembly => "assembly",
    };
    print!("{}", program.print(&kernel, stage, variant).map_err(|e| e.to_string())?);
    Ok(())
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
