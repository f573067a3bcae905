// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Some programs accept only GPUs. `UR_CPU_DEVICE_TYPE=gpu` makes the CPU device report itself as a GPU to the libraries of a
//! list, and as a CPU to all others. oneMKL, for example, must keep seeing a CPU.
//!
//! This crate defines the variable's grammar and the default list ([`Libraries`]), and finds the library that asks
//! ([`calling_library`]). Three parts of oxur use it:
//! - The CPU adapter answers the queries that libsycl forwards every time: `urDeviceGet`, the platform's name.
//! - libsycl asks for the type of a device only once, and caches it. `liboxur_as_gpu_preload.so` is preloaded and interposes the
//!   functions of libsycl that answer from this cache, and those whose answers libsycl itself must not see.
//! - The `oxur` command sets up both.

mod caller;

use std::ffi::OsStr;
use std::fmt;

pub use caller::{CallingLibrary, calling_library, find_library, is_preloaded};

/// The environment variable.
pub const VARIABLE: &str = "UR_CPU_DEVICE_TYPE";

/// The library to preload, by its file name and soname.
pub const PRELOAD: &str = "liboxur_as_gpu_preload.so";

/// The vendor id that a device of the CPU adapter reports to the preloaded library: "oxur". By this id the library recognizes
/// these devices; it must not change the types of others.
pub const VENDOR_ID: u32 = u32::from_be_bytes(*b"oxur");

/// The minimum number of compute units of a GPU: llama.cpp divides by a sixteenth of their number.
pub const COMPUTE_UNITS: u32 = 16;

/// The libraries that are known to accept only GPUs, and to work on the CPU adapter.
const DEFAULT: [&str; 5] = [
    // llama.cpp, whisper.cpp and stable-diffusion.cpp.
    "libggml-sycl",
    // oneDAL and its Python modules.
    "libonedal",
    "_onedal",
    // dpctl, from which these get their queues, and its Python modules: they count where libDPCTL tail-calls libsycl.
    "libDPCTL",
    "_sycl_",
];

/// A list of libraries, by file name prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Libraries(Vec<String>);

/// An invalid value of [`VARIABLE`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// Another type.
    #[error("it is `cpu`, `gpu`, or `gpu:` and a list of libraries")]
    Type,
    /// A list without a name.
    #[error("`gpu:` is followed by names of libraries, with commas between them")]
    Empty,
    /// A name with a folder.
    #[error("{0}: libraries are named by the beginnings of their file names, without a folder")]
    Folder(String),
}

impl Default for Libraries {
    fn default() -> Self {
        Self(DEFAULT.map(str::to_owned).to_vec())
    }
}

impl Libraries {
    /// Parses a value of [`VARIABLE`]: `cpu` or nothing (`None`), `gpu`, or `gpu:LIBRARY,...`.
    pub fn parse(value: &OsStr) -> Result<Option<Self>, Invalid> {
        match value.to_str().map(str::trim) {
            Some("" | "cpu") => Ok(None),
            Some("gpu") => Ok(Some(Self::default())),
            Some(text) => match text.strip_prefix("gpu:") {
                Some(list) => Self::list(list).map(Some),
                None => Err(Invalid::Type),
            },
            None => Err(Invalid::Type),
        }
    }

    /// Parses a list, separated by commas. A trailing `*` in a name is ignored.
    pub fn list(list: &str) -> Result<Self, Invalid> {
        let names = list.split(',').map(|name| name.trim().trim_end_matches('*'));
        let names: Vec<_> = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
        match names.iter().find(|name| name.contains('/')) {
            Some(name) => Err(Invalid::Folder(name.clone())),
            None if names.is_empty() => Err(Invalid::Empty),
            None => Ok(Self(names)),
        }
    }

    /// Whether a library of this file name is in the list.
    pub fn contains(&self, file_name: &[u8]) -> bool {
        self.0.iter().any(|name| file_name.starts_with(name.as_bytes()))
    }

    /// The value of [`VARIABLE`] for the list.
    pub fn value(&self) -> String {
        if *self == Self::default() {
            "gpu".to_owned()
        } else {
            format!("gpu:{}", self.0.join(","))
        }
    }
}

/// For people: `libonedal*, libDPCTL*`.
impl fmt::Display for Libraries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            write!(f, "{}{name}*", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value: &str) -> Result<Option<Libraries>, Invalid> {
        Libraries::parse(value.as_ref())
    }

    #[test]
    fn values() {
        assert_eq!(parse(""), Ok(None));
        assert_eq!(parse("cpu"), Ok(None));
        assert_eq!(parse("gpu"), Ok(Some(Libraries::default())));
        assert_eq!(
            parse("gpu:liba, libb*,,"),
            Ok(Some(Libraries(vec!["liba".into(), "libb".into()])))
        );
        for wrong in ["GPU", "gpu,liba", "1", "accelerator", "cpu:liba"] {
            assert_eq!(parse(wrong), Err(Invalid::Type), "{wrong}");
        }
        // An empty name would be a prefix of every file name.
        for wrong in ["gpu:", "gpu: , ", "gpu:*"] {
            assert_eq!(parse(wrong), Err(Invalid::Empty), "{wrong}");
        }
        assert_eq!(parse("gpu:a,/lib/b.so"), Err(Invalid::Folder("/lib/b.so".into())));
    }

    #[test]
    fn names_are_beginnings() {
        let list = Libraries::list("libonedal,my_program").unwrap();
        assert!(list.contains(b"libonedal_dpc.so.4") && list.contains(b"my_program"));
        assert!(!list.contains(b"libmkl_sycl_blas.so.6") && !list.contains(b"not_libonedal.so") && !list.contains(b""));
        // Wheels add a hash to the names of the libraries that they bundle.
        assert!(Libraries::default().contains(b"libggml-sycl-65454d23.so"));
        assert!(!Libraries::default().contains(b"libmkl_sycl_blas.so.6"));
    }

    #[test]
    fn values_of_lists() {
        for value in ["gpu", "gpu:liba", "gpu:liba,libb"] {
            assert_eq!(parse(value).unwrap().unwrap().value(), value);
        }
        assert_eq!(Libraries::list("liba,libb").unwrap().to_string(), "liba*, libb*");
    }
}
