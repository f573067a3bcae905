// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What can go wrong in a call.

use std::path::PathBuf;

use oxur_api::ResultCode;

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The function answered with an error code.
    #[error("{function} returned {code:?}")]
    Ur {
        /// The function.
        function: &'static str,
        /// What it returned.
        code: ResultCode,
    },
    /// The library has no function of this name: it is of another release.
    #[error("the library does not export {0}")]
    NotExported(&'static str),
    /// The library could not be loaded.
    #[error("cannot load {path}: {source}")]
    Load {
        /// The library.
        path: PathBuf,
        /// What the dynamic linker says.
        source: libloading::Error,
    },
    /// The answer to a query has a size that its type cannot have.
    #[error("{function} answered with {size} bytes, which is no {expected}")]
    Answer {
        /// The function.
        function: &'static str,
        /// How long the answer is.
        size: usize,
        /// The Rust type that was asked for.
        expected: &'static str,
    },
    /// A string argument has a NUL inside.
    #[error("a string has a NUL byte inside")]
    Nul(#[from] std::ffi::NulError),
}

impl Error {
    /// The error code, where the function was called and gave one.
    pub fn code(&self) -> Option<ResultCode> {
        match self {
            Self::Ur { code, .. } => Some(*code),
            _ => None,
        }
    }
}

impl PartialEq<ResultCode> for Error {
    fn eq(&self, other: &ResultCode) -> bool {
        self.code() == Some(*other)
    }
}
