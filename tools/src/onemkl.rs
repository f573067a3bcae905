// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! oneMKL on NVIDIA GPUs: with the CUDA adapter, a library is preloaded that has oneMKL's functions for its queues.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::as_gpu::{self, LD_PRELOAD};
use crate::run::Variable;
use crate::{Failure, lib_folder};

/// The library.
const PRELOAD: &str = "liboxur_onemkl_preload.so";

/// Adds what preloads the library, if the CUDA adapter is among the adapters. Builds without it are usual: it needs oneMKL.
pub fn put(folder: &Path, adapters: &[PathBuf], variables: &mut Vec<Variable>) -> Result<(), Failure> {
    if !lib_folder::has(adapters, "cuda") {
        return Ok(());
    }
    // In a Python environment it is beside the adapter.
    let beside = lib_folder::of_package(folder, "cuda").map(|adapter| adapter.with_file_name(PRELOAD));
    let places = [Some(folder.join("onemkl").join(PRELOAD)), beside];
    let Some(library) = places.into_iter().flatten().find(|path| path.exists()) else {
        return Ok(());
    };
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
