// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur cache`: shows and clears the CPU adapter's cache of compiled kernels, by the adapter's own rules.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use oxur_cache::environment::{FOLDER, FromEnvironment, LIMIT};
use oxur_cache::{CacheConfig, CacheContents, CacheUsage, Origin};

use crate::Failure;

/// The release of this command, and of the CPU adapter that it comes with.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What to do with the cache.
#[derive(clap::Subcommand)]
pub enum Action {
    /// Say where the cache is, and what is in it
    Info,
    /// Remove all kernels from the cache; programs that run meanwhile go on, and fill it again
    Clear,
}

/// Shows or clears the cache that programs with the same variables use.
pub fn main(action: &Action) -> Result<ExitCode, Failure> {
    let environment = FromEnvironment::read();
    for problem in &environment.ignored {
        eprintln!("oxur: {problem}");
    }
    match action {
        Action::Info => info(&environment),
        Action::Clear => clear(&environment),
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
        0 => println!("limit:    the cache is off ({LIMIT}); what is in the folder is not used"),
        CacheConfig::DEFAULT_LIMIT => println!("limit:    {}", size(CacheConfig::DEFAULT_LIMIT)),
        limit => println!("limit:    {} ({LIMIT})", size(limit)),
    }
    let contents = cache.contents().map_err(|error| unusable(folder, &error))?;
    match &contents {
        Some(contents) => print(contents),
        None => println!("content:  none, the folder is not there"),
    }
    // A cache that is off is not written to, and nobody wants it to be.
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
            Origin::FirstFormat => ("a compiler with an older format of files".into(), true),
            Origin::Unknown => ("unknown, damaged or no files of the cache".into(), false),
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
            format!("the cache is off ({FOLDER}), so no folder is known"),
            format!("unset {FOLDER} to clear the default folder, or name the one to clear"),
        ));
    };
    let Some(cleared) = cache.clear().map_err(|error| unusable(folder, &error))? else {
        println!("nothing to remove: {} is not there", folder.display());
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
        "run it as the user whose cache it is, and on a file system that is not read-only",
    ))
}

fn no_home() -> Failure {
    Failure::new(
        "there is no cache: neither XDG_CACHE_HOME nor HOME is the whole path of a folder",
        format!("set one of them, or {FOLDER}"),
    )
}

/// A folder that cannot be opened, or that programs refuse since others may have put code there.
fn unusable(folder: &Path, error: &io::Error) -> Failure {
    let hint = match error.kind() {
        ErrorKind::PermissionDenied => {
            format!("the folder must be yours and writable for nobody else (chmod go-w), or name another by {FOLDER}")
        }
        _ => format!("remove what is in the way, or name another folder by {FOLDER}"),
    };
    Failure::new(format!("the cache {} cannot be used: {error}", folder.display()), hint)
}

fn read_only(folder: &Path, is_there: bool, error: &io::Error) -> Failure {
    let what = if is_there { "written to" } else { "made" };
    Failure::new(
        format!(
            "new kernels are not kept, since {} cannot be {what}: {error}",
            folder.display()
        ),
        format!("make it writable for you, or name another folder by {FOLDER}"),
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
    // A time to come: the clock was set back.
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
