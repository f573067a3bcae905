// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels for NVIDIA GPUs: their PTX with what the interpreter computes, in a folder that `nvptx.py` takes to a machine
//! that has such a GPU and nothing else of ours.
//!
//! The folder has `buffers.json`, what the buffers are; `data-N.bin`, the bytes of all of them before a launch, then those
//! of the structure and of the number; `SEED.ptx`; `SEED-N.bin`, what a launch changes; and `launches.json`, a line each.

use std::fmt::Write as _;
use std::path::Path;

use oxur_compiler::{Module, Options, Part, Program, Sm, Target};

use crate::case::{Unit, interpret};
use crate::data::{Buffer, Data, Element, Role};
use crate::{compile, oracle};

/// How many different inputs there are.
const INPUTS: u64 = 4;

/// The most work-items of a group that a GPU runs.
const GROUP: usize = 1024;

/// Writes the kernels of seeds. Seeds whose kernel this target does not have, or the interpreter finds fault with, are told
/// and left out.
pub fn export(folder: &Path, sm: Sm, seeds: std::ops::Range<u64>) -> Result<bool, String> {
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    put("buffers.json", buffers().as_bytes())?;
    for n in 0..INPUTS {
        let data = Data::new(n);
        let words = data.buffers.iter().flatten().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = words.chain(data.args).chain(data.n).collect();
        put(&format!("data-{n}.bin"), &bytes)?;
    }
    let (mut launches, mut kernels) = (String::new(), 0);
    for seed in seeds {
        match kernel(seed, sm, &put) {
            Ok(lines) => {
                launches += &lines;
                kernels += 1;
            }
            Err(why) => println!("{seed}: {why}"),
        }
    }
    put("launches.json", launches.as_bytes())?;
    println!("{kernels} kernels, {} launches", launches.lines().count());
    Ok(kernels > 0)
}

fn buffers() -> String {
    let lines = Buffer::ALL.iter().map(|buffer| {
        let (kind, size) = match buffer.element {
            Element::Int(size) => ("int", size),
            Element::Float(size) => ("float", size),
            Element::About(size) => ("about", size),
        };
        let is_input = buffer.role == Role::Input;
        let bytes = buffer.words() * 8;
        let name = buffer.name;
        format!(r#"{{"name": "{name}", "kind": "{kind}", "size": {size}, "input": {is_input}, "bytes": {bytes}}}"#)
    });
    format!("[{}]\n", lines.collect::<Vec<_>>().join(",\n"))
}

/// Writes a file of a name.
type Put<'a> = &'a dyn Fn(&str, &[u8]) -> Result<(), String>;

/// The lines of a kernel's launches.
fn kernel(seed: u64, sm: Sm, put: Put<'_>) -> Result<String, String> {
    let case = Unit::Seed(seed).case()?;
    let name = format!("nvptx-{seed}");
    let spirv = match compile::spirv(&name, &case.source, &case.options)? {
        Some(spirv) => spirv,
        None => compile::spirv(&name, &case.source, &["-O0"])?.ok_or("llvm-spirv-14 does not translate it")?,
    };
    let module = Module::parse(&spirv).map_err(|error| error.to_string())?;
    let options = Options {
        target: Target::Nvptx64(sm),
        ..Options::default()
    };
    let program = Program::link(&[Part::new(module)], &options).map_err(|error| error.to_string())?;
    let unit = program.nvptx_unit("k").map_err(|error| error.to_string())?;
    let ptx = unit.compile().map_err(|error| error.to_string())?;
    let entry = unit.entry("k").ok_or("the unit has not its kernel")?;
    let oracle = oracle::parse(&spirv).map_err(|error| format!("interpreter: {error}"))?;
    let (mut lines, inputs) = (String::new(), seed % INPUTS);
    for (i, range) in case
        .ranges
        .iter()
        .enumerate()
        .filter(|(_, range)| range.group_size() <= GROUP)
    {
        let before = Data::new(inputs);
        let after = interpret(&oracle, before.clone(), seed, range).map_err(|error| format!("interpreter: {error}"))?;
        put(&format!("{seed}-{i}.bin"), &changes(&before, &after))?;
        let params: Vec<_> = entry
            .info
            .params
            .iter()
            .map(|param| format!("[{}, {}]", param.offset, param.size))
            .collect();
        _ = writeln!(
            lines,
            r#"{{"seed": {seed}, "launch": {i}, "symbol": "{}", "inputs": {inputs}, "params": [{}], "block": {}, "range": {}, "shared": {}, "dimensions": {}, "offset": {:?}, "local": {:?}, "groups": {:?}}}"#,
            entry.symbol,
            params.join(", "),
            entry.block_size,
            entry.range_offset,
            entry.info.local_memory,
            range.dimensions,
            range.offset,
            range.local,
            range.groups,
        );
    }
    put(&format!("{seed}.ptx"), ptx.as_bytes_with_nul())?;
    compile::forget(&name);
    Ok(lines)
}

/// For each buffer the first word that differs, how many from there on may, and these.
fn changes(before: &Data, after: &Data) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (old, new) in before.buffers.iter().zip(&after.buffers) {
        let differs = |&i: &usize| old[i] != new[i];
        let first = (0..new.len()).find(differs).unwrap_or(0);
        let end = (0..new.len()).rev().find(differs).map_or(0, |last| last + 1);
        for number in [first, end - first] {
            bytes.extend((number as u32).to_le_bytes());
        }
        bytes.extend(new[first..end].iter().flat_map(|word| word.to_le_bytes()));
    }
    bytes
}
