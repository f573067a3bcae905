// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The errors of calls.

use std::path::PathBuf;

use oxur_api::ResultCode;

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The function returned an error code.
    #[error("{function} returned {code:?}")]
    Ur {
        /// The function.
        function: &'static str,
        /// The code.
        code: ResultCode,
    },
    /// The library has no function of this name, because it belongs to another release.
    #[error("the library does not export {0}")]
    NotExported(&'static str),
    /// The library could not be loaded.
    #[error("cannot load {path}: {source}")]
    Load {
        /// The library.
        path: PathBuf,
        /// The dynamic linker's message.
        source: libloading::Error,
    },
    /// The answer to a query has a wrong size for its type.
    #[error("{function} returned {size} bytes, which is not the size of {expected}")]
    Answer {
        /// The function.
        function: &'static str,
        /// The size of the answer.
        size: usize,
        /// The requested Rust type.
        expected: &'static str,
    },
    /// A string argument contains a NUL.
    #[error("a string has a NUL byte inside")]
    Nul(#[from] std::ffi::NulError),
}

impl Error {
    /// The error code, if the function was called and returned one.
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
