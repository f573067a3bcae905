// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Keys of the cache: the hash of everything that determines compiled code.

/// The name of compiled code in the cache.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key(pub [u8; 32]);

impl Key {
    /// The path of its file. The first byte names a folder, so that no folder holds too many files.
    pub fn path(&self) -> String {
        let hex = blake3::Hash::from_bytes(self.0).to_hex();
        format!("{}/{}", &hex[..2], &hex[2..])
    }
}
