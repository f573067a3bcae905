// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions that programs import and the compiler itself defines: those of `devicelib`, and `assert`.

/// The function of an import that no module defines.
pub fn known_import(name: &str) -> Option<KnownImport> {
    Some(match name {
        "__devicelib_ConvertFToBF16INTEL" => KnownImport::ToBFloat16,
        "__devicelib_ConvertBF16ToFINTEL" => KnownImport::FromBFloat16,
        "__devicelib_assert_fail" | "__assert_fail" => KnownImport::Assert,
        _ => return None,
    })
}

/// A function that the compiler defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownImport {
    /// Takes the address of a float, returns its bits.
    ToBFloat16,
    /// Takes the address of the bits, returns a float.
    FromBFloat16,
    /// Stops the kernel with a message.
    Assert,
}
