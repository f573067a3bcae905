// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The `oxur` command: `info` lists devices, `run` runs a SYCL program on oxur, `graph` draws the graphs of a program, `doctor`
//! explains what is missing, `cache` shows, fills and clears the compiled kernels on disk.
//!
//! Exit codes: 0 for success, 1 for a failure or a problem found, 2 for wrong usage. `run`, `graph` and `cache warm` exit with the
//! code of their command, or, as shells do, with 126 or 127 if it cannot be run or found.

mod as_gpu;
mod cache;
mod child;
mod doctor;
mod elf;
mod graph;
mod info;
mod level_zero;
mod lib_folder;
mod onemkl;
mod opencl;
mod run;
mod search;
mod shell;
mod svg;
mod sycl;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "oxur",
    version,
    about = "The oneAPI Unified Runtime in Rust: devices, programs, diagnosis"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List adapters, platforms and devices, and what they support
    Info {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Query this loader, ours or another, instead of the one next to this command
        #[arg(long, value_name = "PATH")]
        loader: Option<PathBuf>,
        /// Load only this adapter of ours (opencl, cpu, ...) or this file; may be repeated
        #[arg(long, value_name = "NAME|PATH")]
        adapter: Vec<OsString>,
    },
    /// Run a SYCL program on oxur's libraries
    #[command(after_help = "\
Examples:
  oxur run -- python -c 'import dpctl; print(dpctl.get_devices())'
  oxur run --as-gpu -- python infer.py
  oxur run --as-gpu=libmine,my_program -- ./my_program
  ONEAPI_DEVICE_SELECTOR=level_zero:gpu oxur run --level-zero -- ./my_program")]
    Run {
        #[command(flatten)]
        options: run::RunOptions,
        /// Print the environment that would be set, and do not run
        #[arg(long)]
        dry_run: bool,
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
    /// Run a SYCL program on oxur's libraries and write a dump of each graph and command buffer that it creates
    #[command(after_help = "\
Dumps are graph-PROCESS-NUMBER.dot, in Graphviz's language DOT; with --svg also SVG, for browsers. They show the
commands, their dependencies, and when each command ran in the last run.

Examples:
  oxur graph --svg -o dumps -- python train.py
  oxur graph --svg dumps/graph-4711-1.dot")]
    Graph {
        #[command(flatten)]
        options: run::RunOptions,
        /// Also draw each dump as SVG, next to the DOT file
        #[arg(long)]
        svg: bool,
        /// The folder for the dumps
        #[arg(short, long, value_name = "FOLDER", default_value = ".")]
        output: PathBuf,
        /// Draw these DOT files instead of running a command
        #[arg(
            value_name = "FILE",
            requires = "svg",
            conflicts_with = "command",
            required_unless_present = "command"
        )]
        files: Vec<PathBuf>,
        /// The command and its arguments
        #[arg(last = true)]
        command: Vec<OsString>,
    },
    /// Explain what is missing for SYCL programs to run, and what to install
    Doctor {
        /// The environment is already the one that `run` would set
        #[arg(long, hide = true)]
        inside: bool,

        /// The command to be run; its libsycl is examined as well
        #[arg(last = true)]
        command: Vec<OsString>,
    },
    /// Show, fill or clear the cache of compiled kernels on disk
    #[command(after_help = "\
UR_CPU_CACHE and UR_CPU_CACHE_SIZE have the same effect as for programs. The exit code is 1 if the cache cannot be used, and
0 if it is off or empty.")]
    Cache {
        #[command(subcommand)]
        action: cache::Action,
    },
    /// Print the completions for a shell
    #[command(after_help = "Example: oxur completions bash >~/.local/share/bash-completion/completions/oxur")]
    Completions {
        /// The shell
        shell: shell::Shell,
    },
    /// Write man pages of all commands to a folder
    #[command(hide = true)]
    ManPages {
        /// The folder
        folder: PathBuf,
    },
    /// Print in one word which devices OpenCL drivers have for SYCL programs
    #[command(hide = true)]
    OpenclOffer,
}

/// A failure, and what to do next.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Failure {
    message: String,
    /// The next step, for the user.
    hint: String,
    /// The exit code.
    code: u8,
}

impl Failure {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
            code: 1,
        }
    }

    fn with_code(self, code: u8) -> Self {
        Self { code, ..self }
    }

    fn print(&self) {
        eprintln!("oxur: {self}");
        if !self.hint.is_empty() {
            eprintln!("oxur: {}", self.hint);
        }
    }
}

fn main() -> ExitCode {
    // If the reader of a pipe exits early, as head does, the command ends like any other.
    // SAFETY: no other thread runs yet.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let result = match Cli::parse().command {
        Command::Info { json, loader, adapter } => info::main(json, loader, &adapter),
        Command::Run {
            options,
            dry_run,
            command,
        } => run::main(&options, dry_run, &command),
        Command::Graph { files, .. } if !files.is_empty() => graph::draw(&files),
        Command::Graph {
            options,
            svg,
            output,
            command,
            ..
        } => graph::main(&options, svg, &output, &command),
        Command::Doctor { inside, command } => doctor::main(inside, &command),
        Command::Cache { action } => cache::main(&action),
        Command::Completions { shell } => shell::completions(shell),
        Command::ManPages { folder } => shell::man_pages(&folder),
        Command::OpenclOffer => {
            let offer = lib_folder::OpenClAvailability::here();
            let word = lib_folder::OpenClAvailability::ALL
                .iter()
                .find(|(other, _)| *other == offer);
            println!("\n{}", word.map_or("", |(_, word)| word));
            Ok(ExitCode::SUCCESS)
        }
    };
    result.unwrap_or_else(|failure| {
        failure.print();
        ExitCode::from(failure.code)
    })
}
