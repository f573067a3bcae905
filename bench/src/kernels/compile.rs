// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How long it takes until the first kernel of a module is ready: modules of dpnp, as it ships them, each in a process of its
//! own. The driver of Intel keeps nothing; our adapter is measured without a cache on disk and with one that has the module.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use oxur_client::{Kernel, Program};

use super::side::{Side, processor_time};
use crate::children::CHILD;
use crate::environment::Environment;
use crate::stack::{Failure, timed};

/// What the kernels of dpnp's functions have in their names.
const MODULES: [(&str, &str); 6] = [
    ("sum", "reduction_over_group_temps_krn"),
    ("sort, radix", "radix_sort_reorder"),
    ("sort, merge", "merge_adjacent_blocks_to_temp"),
    ("cumsum", "inclusive_scan_1d_iter"),
    ("add", "add_strided_kernel"),
    ("histogram", "histogram"),
];
/// How often each is built.
const ROUNDS: usize = 3;

/// The times of a module: a line a round; Intel's, ours without the cache, ours from it.
pub struct Compiled {
    /// Names the row.
    pub name: String,
    /// The times.
    pub rounds: Vec<[Built; 3]>,
}

/// What a build took, in nanoseconds.
#[derive(Clone, Copy)]
pub struct Built {
    /// On the clock.
    pub wall: f64,
    /// Of processors.
    pub processor: f64,
}

/// The names of the rows.
pub fn names() -> Vec<String> {
    MODULES.iter().map(|(title, _)| name(title)).collect()
}

fn name(title: &str) -> String {
    format!("kernels: compile dpnp's {title}")
}

/// Measures the rows of these names.
pub fn measure(rows: &[&str], environment: &Environment) -> Result<Vec<Compiled>, Failure> {
    let wanted: Vec<_> = MODULES
        .iter()
        .filter(|(title, _)| rows.contains(&name(title).as_str()))
        .collect();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/corpus/dpnp");
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    if !corpus.is_dir() {
        eprintln!(
            "oxur-bench: {} is missing, so no module of dpnp is compiled",
            corpus.display()
        );
        return Ok(Vec::new());
    }
    let cache = std::env::temp_dir().join(format!("oxur-bench-cache-{}", std::process::id()));
    let mut compiled = Vec::new();
    let found = find(&corpus, &wanted.iter().map(|(_, text)| *text).collect::<Vec<_>>())?;
    for ((title, _), module) in wanted.iter().zip(found) {
        let Some(module) = module else {
            eprintln!("oxur-bench: {} has no module for {title}", corpus.display());
            continue;
        };
        let child = |adapter, cache: &Path| child(environment, adapter, &module, cache);
        // Fills the cache.
        child("cpu", &cache)?;
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            rounds.push([
                child("opencl", "off".as_ref())?,
                child("cpu", "off".as_ref())?,
                child("cpu", &cache)?,
            ]);
        }
        compiled.push(Compiled {
            name: name(title),
            rounds,
        });
    }
    std::fs::remove_dir_all(&cache)?;
    Ok(compiled)
}

/// For each text the first module whose first kernel has it in its name.
fn find(corpus: &Path, texts: &[&str]) -> Result<Vec<Option<PathBuf>>, Failure> {
    let mut files: Vec<_> = std::fs::read_dir(corpus)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    let mut found = vec![None; texts.len()];
    for file in files {
        if found.iter().all(Option::is_some) {
            break;
        }
        let Some(kernel) = first_kernel(&std::fs::read(&file)?) else {
            continue;
        };
        for (place, text) in found.iter_mut().zip(texts) {
            if place.is_none() && kernel.contains(text) {
                *place = Some(file.clone());
            }
        }
    }
    Ok(found)
}

/// The name of the first entry point.
fn first_kernel(spirv: &[u8]) -> Option<String> {
    const ENTRY_POINT: u32 = 15;
    const HEADER: usize = 5;
    let words: Vec<u32> = spirv
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let mut at = HEADER;
    while let Some(&first) = words.get(at) {
        let length = (first >> 16) as usize;
        if first & 0xffff == ENTRY_POINT {
            // Operation, model and id come before the name.
            let text: Vec<u8> = words
                .get(at + 3..at + length)?
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect();
            let end = text.iter().position(|byte| *byte == 0)?;
            return String::from_utf8(text[..end].to_vec()).ok();
        }
        at += length.max(1);
    }
    None
}

fn child(environment: &Environment, adapter: &str, module: &Path, cache: &Path) -> Result<Built, Failure> {
    let output = Command::new(std::env::current_exe()?)
        .args([CHILD, super::BUILD, adapter])
        .arg(module)
        .args(environment.arguments())
        .env("UR_CPU_CACHE", cache)
        // As users have it: until the first code is there.
        .env_remove("UR_CPU_TIER")
        .stderr(std::process::Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("{}: {}", module.display(), output.status).into());
    }
    let text = String::from_utf8(output.stdout)?;
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        [wall, processor] => Ok(Built {
            wall: wall.parse()?,
            processor: processor.parse()?,
        }),
        _ => Err(format!("a child wrote {text}").into()),
    }
}

/// What the process of such a child does.
pub fn build(side: &Side, module: &Path) -> Result<[Duration; 2], Failure> {
    let il = std::fs::read(module)?;
    let name = first_kernel(&il).ok_or("a module without kernels")?;
    let mut kernel = None;
    let before = processor_time();
    let took = timed(|| {
        let make = || {
            let program = Program::with_il(&side.context, &il)?;
            program.build(&side.context, "")?;
            Kernel::new(&program, &name)
        };
        kernel = Some(make());
    });
    match kernel {
        Some(Ok(_)) => Ok([took, processor_time() - before]),
        Some(Err(error)) => Err(error.into()),
        None => Err("nothing was built".into()),
    }
}
