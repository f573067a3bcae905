// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_CPU_PLATFORM_NAME` and `UR_CPU_VENDOR_ID`: another name of the platform, and another vendor of its devices, for
//! programs that accept only those that they know.

use oxur_adapter_kit as kit;
use oxur_fork::OnceLock;

/// The platform's name.
pub(crate) fn platform_name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| match std::env::var("UR_CPU_PLATFORM_NAME") {
        Ok(name) if !name.is_empty() => name,
        _ => String::from("oxur CPU"),
    })
}

/// The vendor that devices report, whose processor is of the vendor `actual`.
pub(super) fn vendor_id(actual: u32) -> u32 {
    static VENDOR: OnceLock<Option<u32>> = OnceLock::new();
    VENDOR
        .get_or_init(|| kit::environment::CPU_VENDOR_ID.id())
        .unwrap_or(actual)
}
