// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur cache`: shows, fills and clears the cache of compiled kernels, with the same code as the adapters.

mod warm;
mod watch;

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use oxur_cache::environment::{FOLDER, FromEnvironment, LIMIT};
use oxur_cache::{CacheConfig, CacheContents, CacheUsage, Origin};

pub use watch::Watch;

use crate::Failure;
use crate::run::RunOptions;

/// The release of this command, and of the CPU adapter that it comes with.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The action on the cache.
#[derive(clap::Subcommand)]
pub enum Action {
    /// Show the folder, the limit and the contents of the cache
    Info,
    /// Remove all kernels from the cache; running programs continue, and fill it again
    Clear,
    /// Run a SYCL program as `oxur run` does, and have all code of the kernels that it launches compiled and cached, so that later
    /// runs compile nothing. The program takes longer, because its kernels wait for their best code
    #[command(after_help = "\
Ends with the exit code or the signal of the program. What was added to the cache is printed on stderr. The exit code is 1 if
the cache is off, or if the folder cannot be written to: the program is not run then.

Later runs find what they launch with the same arguments of the compiler, on a CPU or GPU of the same model. Launches with groups
of other sizes may need more code.

Examples:
  oxur cache warm -- python script.py
  UR_CPU_CACHE=/kernels oxur cache warm --adapter cpu -- ./my_program")]
    Warm {
        #[command(flatten)]
        options: RunOptions,
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
}

/// Shows, fills or clears the cache that programs with the same variables use.
pub fn main(action: &Action) -> Result<ExitCode, Failure> {
    match action {
        Action::Info => info(&FromEnvironment::read()),
        Action::Clear => clear(&FromEnvironment::read()),
        Action::Warm { options, command } => warm::main(options, command),
    }
}

fn info(environment: &FromEnvironment) -> Result<ExitCode, Failure> {
    let cache = &environment.config;
    let Some(folder) = cache.place() else {
        if !environment.is_named {
            return Err(no_home());
        }
        println!("the cache is off ({FOLDER})");
        return Ok(ExitCode::SUCCESS);
    };
    let whence = if environment.is_named { FOLDER } else { "the default" };
    println!("folder:   {} ({whence})", folder.display());
    match cache.limit() {
        0 => println!("limit:    the cache is off ({LIMIT}); its entries are not used"),
        CacheConfig::DEFAULT_LIMIT => println!("limit:    {}", size(CacheConfig::DEFAULT_LIMIT)),
        limit => println!("limit:    {} ({LIMIT})", size(limit)),
    }
    let contents = cache.contents().map_err(|error| unusable(folder, &error))?;
    match &contents {
        Some(contents) => print(contents),
        None => println!("content:  none, the folder does not exist"),
    }
    // A cache that is off need not be writable.
    match cache.check_writable() {
        Err(error) if cache.limit() > 0 => Err(read_only(folder, contents.is_some(), &error)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn print(contents: &CacheContents) {
    println!("content:  {}", amount(contents.usage));
    if let (Some(oldest), Some(newest)) = (contents.least_recent, contents.most_recent) {
        println!("last use: oldest {}, newest {}", ago(oldest), ago(newest));
    }
    let mut others = CacheUsage::default();
    let mut title = "made by:";
    for (origin, usage) in &contents.by_origin {
        let (made_by, is_other) = match origin {
            Origin::Compiler(compiler) => (compiler.to_string(), compiler.version() != VERSION),
            Origin::FirstFormat => ("a compiler with an older file format".into(), true),
            Origin::Unknown => (
                "unknown: damaged files, or files that do not belong to the cache".into(),
                false,
            ),
        };
        println!("{title:9} {made_by}: {}", amount(*usage));
        title = "";
        if is_other {
            others.entries += usage.entries;
            others.bytes += usage.bytes;
        }
    }
    println!("entries of other versions than {VERSION}: {}", amount(others));
}

fn clear(environment: &FromEnvironment) -> Result<ExitCode, Failure> {
    let cache = &environment.config;
    let Some(folder) = cache.place() else {
        if !environment.is_named {
            return Err(no_home());
        }
        return Err(Failure::new(
            format!("the cache is off ({FOLDER}), so there is no folder to clear"),
            format!("unset {FOLDER} to clear the default folder, or name the one to clear"),
        ));
    };
    let Some(cleared) = cache.clear().map_err(|error| unusable(folder, &error))? else {
        println!("nothing to remove: {} does not exist", folder.display());
        return Ok(ExitCode::SUCCESS);
    };
    println!("removed {} from {}", amount(cleared.removed), folder.display());
    let Some(error) = cleared.error else {
        return Ok(ExitCode::SUCCESS);
    };
    Err(Failure::new(
        format!(
            "{} cannot be removed from {}: {error}",
            amount(cleared.kept),
            folder.display()
        ),
        "run it as the owner of the cache, on a file system that is not read-only",
    ))
}

fn no_home() -> Failure {
    Failure::new(
        "there is no cache: neither XDG_CACHE_HOME nor HOME is an absolute path",
        format!("set one of them, or {FOLDER}"),
    )
}

/// A folder that cannot be opened, or that programs reject because others may have put code there.
fn unusable(folder: &Path, error: &io::Error) -> Failure {
    let hint = match error.kind() {
        ErrorKind::PermissionDenied => {
            format!(
                "the folder must belong to you, and nobody else may write to it (chmod go-w); or name another one in {FOLDER}"
            )
        }
        _ => format!("remove the obstacle, or name another folder in {FOLDER}"),
    };
    Failure::new(format!("the cache {} cannot be used: {error}", folder.display()), hint)
}

fn read_only(folder: &Path, is_there: bool, error: &io::Error) -> Failure {
    let what = if is_there { "written to" } else { "created" };
    Failure::new(
        format!(
            "new kernels are not cached, because {} cannot be {what}: {error}",
            folder.display()
        ),
        format!("make it writable for you, or name another folder in {FOLDER}"),
    )
}

fn amount(usage: CacheUsage) -> String {
    let noun = if usage.entries == 1 { "entry" } else { "entries" };
    format!("{} {noun}, {}", usage.entries, size(usage.bytes))
}

fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1023.95 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

fn ago(then: SystemTime) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")];
    // A time in the future: the clock was set back.
    let age = SystemTime::now()
        .duration_since(then)
        .unwrap_or(Duration::ZERO)
        .as_secs();
    let (length, unit) = UNITS.into_iter().find(|(length, _)| age >= *length).unwrap_or(UNITS[3]);
    match age / length {
        1 => format!("1 {unit} ago"),
        number => format!("{number} {unit}s ago"),
    }
}
