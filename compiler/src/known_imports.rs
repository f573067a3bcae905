// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions that programs import and the compiler itself defines: those of `devicelib`, `assert`, and ray queries.

/// The function of an import that no module defines.
pub fn known_import(name: &str) -> Option<KnownImport> {
    Some(match name {
        "__devicelib_ConvertFToBF16INTEL" => KnownImport::ToBFloat16,
        "__devicelib_ConvertBF16ToFINTEL" => KnownImport::FromBFloat16,
        "__devicelib_assert_fail" | "__assert_fail" => KnownImport::Assert,
        "intel_is_traversal_done" | "intel_has_committed_hit" => KnownImport::RayQuery,
        _ if RAY_QUERIES.iter().any(|beginning| name.starts_with(beginning)) => KnownImport::RayQuery,
        _ => return None,
    })
}

/// How functions for rays begin, which are in the drivers of Intel's GPUs.
const RAY_QUERIES: [&str; 3] = ["intel_ray_query_", "intel_get_hit_", "intel_get_ray_"];

/// A function that the compiler defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownImport {
    /// Takes the address of a float, returns its bits.
    ToBFloat16,
    /// Takes the address of the bits, returns a float.
    FromBFloat16,
    /// Stops the kernel with a message.
    Assert,
    /// Stops the kernel, which asked for the hardware of Intel's GPUs. Programs that import such functions ask the device first.
    RayQuery,
}
