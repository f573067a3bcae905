// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sizes of caches.
//!
//! - `0` or `off`: nothing is cached.
//! - a number of bytes, with `K`, `M` or `G` for powers of 1024: the limit.
//! - not set, empty or `on`: the default.

/// The values that there are, in words.
pub(crate) const VALID: &str = "it is `off` or a size such as 256M";

/// The limit of a cache.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Default,
    Bytes(usize),
}

pub(crate) fn parse(value: &str) -> Option<Limit> {
    let value = value.trim().to_ascii_lowercase();
    match &*value {
        "off" => return Some(Limit::Bytes(0)),
        "on" => return Some(Limit::Default),
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
    let bytes = digits.trim_end().parse::<usize>().ok()?.checked_mul(1 << shift)?;
    Some(Limit::Bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        let bytes = |bytes| Some(Limit::Bytes(bytes));
        assert_eq!(parse("0"), bytes(0));
        assert_eq!(parse("OFF"), bytes(0));
        assert_eq!(parse("on"), Some(Limit::Default));
        assert_eq!(parse("4096"), bytes(4096));
        assert_eq!(parse(" 64k "), bytes(64 << 10));
        assert_eq!(parse("256M"), bytes(256 << 20));
        assert_eq!(parse("2 G"), bytes(2 << 30));
        for wrong in ["k", "-1", "1.5G", "10T", "99999999999999G", "1kk"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
