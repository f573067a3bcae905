// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a compiler for CUDA says of its PTX, and libsycl hands over with it.

use std::collections::HashMap;
use std::ffi::{CStr, CString};

/// What is known of a program's kernels and variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Metadata {
    /// The work-group sizes that kernels require, by the names of these.
    sizes: HashMap<CString, [u32; 3]>,
    /// The symbols of variables, by the names that clients know.
    symbols: HashMap<CString, CString>,
}

impl Metadata {
    /// Takes an entry. What is not known, or is malformed, says nothing.
    pub(super) fn add(&mut self, name: &CStr, value: &[u8]) {
        let name = name.to_bytes();
        let Some(at) = name.iter().rposition(|&byte| byte == b'@') else {
            return;
        };
        let (Ok(of), value) = (CString::new(&name[..at]), content(value)) else {
            return;
        };
        match &name[at..] {
            b"@reqd_work_group_size" => {
                let (words, rest) = value.as_chunks::<4>();
                if rest.is_empty() && (1..=3).contains(&words.len()) {
                    let mut size = [1; 3];
                    for (size, word) in size.iter_mut().zip(words) {
                        *size = u32::from_le_bytes(*word);
                    }
                    if !size.contains(&0) {
                        self.sizes.insert(of, size);
                    }
                }
            }
            b"@global_id_mapping" => {
                let text = value.strip_suffix(b"\0").unwrap_or(value);
                if let Ok(symbol) = CString::new(text) {
                    self.symbols.insert(of, symbol);
                }
            }
            _ => log::debug!("metadata {:?} says nothing here", String::from_utf8_lossy(name)),
        }
    }

    /// Adds what another program says.
    pub(super) fn merge(&mut self, other: &Self) {
        self.sizes
            .extend(other.sizes.iter().map(|(name, size)| (name.clone(), *size)));
        let symbols = other.symbols.iter();
        self.symbols
            .extend(symbols.map(|(name, symbol)| (name.clone(), symbol.clone())));
    }

    /// The work-group size that a kernel requires.
    pub(super) fn required_size(&self, kernel: &CStr) -> Option<[u32; 3]> {
        self.sizes.get(kernel).copied()
    }

    /// The symbol of a variable.
    pub(super) fn symbol<'a>(&'a self, name: &'a CStr) -> &'a CStr {
        self.symbols.get(name).map_or(name, |symbol| symbol)
    }
}

/// The bytes of a value, in front of which its length may be: in bits or bytes, a number of eight bytes.
fn content(value: &[u8]) -> &[u8] {
    match value.split_first_chunk::<8>() {
        Some((length, rest)) => {
            let length = u64::from_le_bytes(*length);
            let own = rest.len() as u64;
            if length == 8 * own || length == own {
                rest
            } else {
                value
            }
        }
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use super::Metadata;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn with_length(bits: u64, value: &[u8]) -> Vec<u8> {
        [&bits.to_le_bytes(), value].concat()
    }

    #[test]
    fn sizes_of_one_to_three_dimensions() {
        for (value, expected) in [
            (words(&[32]), Some([32, 1, 1])),
            (words(&[8, 4]), Some([8, 4, 1])),
            (words(&[8, 4, 2]), Some([8, 4, 2])),
            (with_length(32, &words(&[32])), Some([32, 1, 1])),
            (with_length(96, &words(&[8, 4, 2])), Some([8, 4, 2])),
            (with_length(12, &words(&[8, 4, 2])), Some([8, 4, 2])),
            (words(&[8, 0, 2]), None),
            (words(&[1, 2, 3, 4]), None),
            (vec![1, 2, 3], None),
            (Vec::new(), None),
        ] {
            let mut metadata = Metadata::default();
            metadata.add(c"k@reqd_work_group_size", &value);
            assert_eq!(metadata.required_size(c"k"), expected, "{value:?}");
            assert_eq!(metadata.required_size(c"other"), None);
        }
    }

    #[test]
    fn symbols_of_variables() {
        let mut metadata = Metadata::default();
        metadata.add(c"a@b@global_id_mapping", &with_length(48, b"symbol"));
        metadata.add(c"plain@global_id_mapping", b"other\0");
        metadata.add(c"bad@global_id_mapping", b"o\0r");
        metadata.add(c"unknown", b"other");
        metadata.add(c"unknown@something", b"other");
        assert_eq!(metadata.symbol(c"a@b"), c"symbol");
        assert_eq!(metadata.symbol(c"plain"), c"other");
        assert_eq!(metadata.symbol(c"bad"), c"bad");
        assert_eq!(metadata.symbol(c"unknown"), c"unknown");
        let mut both = Metadata::default();
        both.add(c"k@reqd_work_group_size", &words(&[4]));
        both.merge(&metadata);
        assert_eq!(both.symbol(c"plain"), c"other");
        assert_eq!(both.required_size(c"k"), Some([4, 1, 1]));
    }
}
