// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_OPENCL_USM_POOL`: how much free USM a context keeps.
//!
//! - `0` or `off`: none. Each allocation is the driver's own, and `urUSMFree` waits for the commands that may use the
//!   memory, as far as the driver's `clMemBlockingFreeINTEL` does. This is for programs that free memory in use, and
//!   for finding them.
//! - a number of bytes, with `K`, `M` or `G` for powers of 1024: that much.
//! - not set: 512 MiB. `on` is the same.

use std::sync::OnceLock;

const DEFAULT: usize = 512 << 20;

/// What the environment says, read once.
pub(super) fn from_environment() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        let Some(value) = std::env::var_os("UR_OPENCL_USM_POOL") else {
            return DEFAULT;
        };
        value.to_str().and_then(parse).unwrap_or_else(|| {
            log::warn!(
                "UR_OPENCL_USM_POOL={} is ignored: it is `off` or a size such as 256M",
                value.display()
            );
            DEFAULT
        })
    })
}

fn parse(value: &str) -> Option<usize> {
    let value = value.trim().to_ascii_lowercase();
    match &*value {
        "off" => return Some(0),
        "on" => return Some(DEFAULT),
        _ => {}
    }
    let (digits, unit) = match value.strip_suffix(['k', 'm', 'g']) {
        Some(digits) => (digits, &value[digits.len()..]),
        None => (&*value, ""),
    };
    let shift = match unit {
        "k" => 10,
        "m" => 20,
        "g" => 30,
        _ => 0,
    };
    digits.trim_end().parse::<usize>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        assert_eq!(parse("0"), Some(0));
        assert_eq!(parse("OFF"), Some(0));
        assert_eq!(parse("on"), Some(DEFAULT));
        assert_eq!(parse("4096"), Some(4096));
        assert_eq!(parse(" 64k "), Some(64 << 10));
        assert_eq!(parse("256M"), Some(256 << 20));
        assert_eq!(parse("2 G"), Some(2 << 30));
        for wrong in ["", "k", "-1", "1.5G", "10T", "99999999999999G", "1kk"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
