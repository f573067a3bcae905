// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur-compiler list` and `print`: what is in a module, and what becomes of a kernel.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use oxur_compiler::Options;

use crate::link;

/// A stage of the compiler.
#[derive(Clone, Copy, ValueEnum)]
pub enum Stage {
    /// LLVM IR for one work-item.
    Lower,
    /// That, as the vectorizer reads it.
    Prepare,
    /// The same with what the vectorizer infers: which values differ between lanes, and where these part.
    Shapes,
    /// LLVM IR for one work-group.
    Workgroup,
    /// That, optimized.
    Optimize,
    /// Assembly.
    Assembly,
}

/// Lists the kernels of a module.
pub fn list(path: &Path, others: &[PathBuf], options: &Options) -> Result<(), String> {
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

/// Shows a kernel after a stage.
pub fn print(
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
        Stage::Prepare => "prepare",
        Stage::Shapes => "shapes",
        Stage::Workgroup => "workgroup",
        Stage::Optimize => "optimize",
        Stage::Assembly => "assembly",
    };
    print!("{}", program.print(&kernel, stage, variant).map_err(|e| e.to_string())?);
    Ok(())
}
