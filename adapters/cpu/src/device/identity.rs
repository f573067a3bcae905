// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_CPU_PLATFORM_NAME` and `UR_CPU_VENDOR_ID`: another name of the platform, and another vendor of its devices, for
//! programs that accept only those that they know.

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
        .get_or_init(|| {
            let value = std::env::var("UR_CPU_VENDOR_ID").ok()?;
            let vendor = parse(&value);
            if vendor.is_none() {
                log::warn!("UR_CPU_VENDOR_ID={value:?} is ignored: it is no number such as 0x8086");
            }
            vendor
        })
        .unwrap_or(actual)
}

fn parse(value: &str) -> Option<u32> {
    match value.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => value.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn numbers() {
        assert_eq!(parse("0x8086"), Some(0x8086));
        assert_eq!(parse("32902"), Some(0x8086));
        for wrong in ["", "0x", "8086h", "-1", "0x100000000"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
