// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Raw bindings of oneAPI Level Zero.

mod bindings;

pub use bindings::*;

/// A function that the loader does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the Level Zero loader of this system has no {name}: install a newer one")]
pub struct MissingFunction {
    /// The name of the function.
    pub name: &'static str,
}

/// A structure whose first field tells its type.
pub trait Structure {
    /// The type of the tag.
    type Tag;
    /// What `stype` has to be.
    const STRUCTURE_TYPE: Self::Tag;
}

/// A version of the API, as [`ze_api_version_t`] holds it.
#[expect(non_snake_case, reason = "the name of the headers' macro")]
pub const fn ZE_MAKE_VERSION(major: u32, minor: u32) -> u32 {
    major << 16 | minor & 0xffff
}
