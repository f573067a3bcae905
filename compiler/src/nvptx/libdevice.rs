// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! NVIDIA's library of mathematical functions, as bitcode: `libdevice.10.bc`.
//!
//! It is not part of this compiler. It comes with CUDA's toolkit and with NVIDIA's packages on PyPI (`nvidia-nvvm`,
//! `nvidia-cuda-nvcc-cu12`). Only kernels need it that call functions which neither PTX nor we have.

use std::path::{Path, PathBuf};

use oxur_fork::OnceLock;

use crate::Error;
use crate::llvm;

/// The variable that names the file.
pub const VARIABLE: &str = "UR_CUDA_LIBDEVICE";

/// The bitcode, read once.
pub fn bitcode() -> Result<&'static [u8], Error> {
    static BITCODE: OnceLock<Result<Vec<u8>, String>> = OnceLock::new();
    match BITCODE.get_or_init(read) {
        Ok(bitcode) => Ok(bitcode),
        Err(what) => Err(Error::Unsupported {
            feature: "a mathematical function without libdevice.10.bc".into(),
            what: what.clone(),
        }),
    }
}

fn read() -> Result<Vec<u8>, String> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        let path = PathBuf::from(named);
        return std::fs::read(&path).map_err(|error| format!("{VARIABLE}: {}: {error}", path.display()));
    }
    let places = places();
    match places.iter().find_map(|path| Some((path, std::fs::read(path).ok()?))) {
        Some((path, bitcode)) => {
            log::info!("libdevice: {}", path.display());
            Ok(bitcode)
        }
        None => Err(format!(
            "install CUDA's toolkit or `pip install nvidia-nvvm`, or name the file by {VARIABLE}"
        )),
    }
}

/// Where it usually is, best first.
fn places() -> Vec<PathBuf> {
    const FILE: &str = "nvvm/libdevice/libdevice.10.bc";
    let mut places = Vec::new();
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        places.extend(std::env::var_os(variable).map(|folder| Path::new(&folder).join(FILE)));
    }
    // A Python environment that is active, of which programs run, or in whose folder `lib` this library is: the `python` of
    // an environment is often a link to the system's.
    let mut roots: Vec<PathBuf> = std::env::var_os("VIRTUAL_ENV").into_iter().map(PathBuf::from).collect();
    let program = std::fs::read_link("/proc/self/exe").ok();
    let program_root = program
        .as_deref()
        .and_then(|path| path.parent()?.parent())
        .map(Path::to_path_buf);
    roots.extend(program_root);
    let own_root = llvm::own_file().and_then(|file| Some(file.parent()?.parent()?.to_owned()));
    roots.extend(own_root);
    for packages in roots.iter().flat_map(|root| site_packages(root)) {
        for package in ["nvidia/cu13", "nvidia/cuda_nvcc"] {
            places.push(packages.join(package).join(FILE));
        }
    }
    places.push(Path::new("/usr/local/cuda").join(FILE));
    places.push(Path::new("/opt/cuda").join(FILE));
    places.push(PathBuf::from("/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc"));
    places
}

/// `lib/python3.*/site-packages` of a root, and Debian's `dist-packages`.
fn site_packages(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root.join("lib")) else {
        return Vec::new();
    };
    let folders = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"));
    folders
        .flat_map(|entry| ["site-packages", "dist-packages"].map(|packages| entry.path().join(packages)))
        .collect()
}
