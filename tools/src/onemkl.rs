// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! oneMKL on NVIDIA GPUs: with the CUDA adapter, a library is preloaded that has oneMKL's functions for its queues.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::as_gpu::{self, LD_PRELOAD};
use crate::run::Variable;
use crate::{Failure, lib_folder};

/// The library, in the folder of ours.
const PRELOAD: &str = "onemkl/liboxur_onemkl_preload.so";

/// Adds what preloads the library, if the CUDA adapter is among the adapters. Builds without it are usual: it needs oneMKL.
pub fn put(folder: &Path, adapters: &[PathBuf], variables: &mut Vec<Variable>) -> Result<(), Failure> {
    let library = folder.join(PRELOAD);
    if !lib_folder::has(adapters, "cuda") || !library.exists() {
        return Ok(());
    }
    as_gpu::check_preload(&library)?;
    let known = variables.iter().position(|(name, _)| *name == LD_PRELOAD);
    let others = match known {
        Some(place) => as_gpu::paths(&variables.remove(place).1),
        None => as_gpu::preloaded(),
    };
    let mut value = library.clone().into_os_string();
    for other in others
        .into_iter()
        .filter(|other| other.file_name() != library.file_name())
    {
        value.push(":");
        value.push(OsString::from(other));
    }
    variables.push((LD_PRELOAD, value));
    Ok(())
}
