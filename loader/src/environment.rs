// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reads environment variables with texts and lists; `oxur_environment` has the others. Every variable is read when the loader
//! is initialized, because clients set some of them themselves.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Adapters to load instead of searching.
pub(crate) const FORCE_LOAD: &str = "UR_ADAPTERS_FORCE_LOAD";
/// Folders to search first.
pub(crate) const SEARCH_PATH: &str = "UR_ADAPTERS_SEARCH_PATH";
/// Layers to enable.
pub(crate) const ENABLE_LAYERS: &str = "UR_ENABLE_LAYERS";
/// The devices that the program sees.
pub(crate) const DEVICE_SELECTOR: &str = "ONEAPI_DEVICE_SELECTOR";

/// The variable's text, `None` if it is unset or empty.
pub(crate) fn text(variable: &str) -> Option<String> {
    let value = std::env::var_os(variable).filter(|value| !value.is_empty())?;
    Some(value.to_string_lossy().into_owned())
}

/// The paths in a variable, separated by any of `separators`; `None` where it is unset or empty.
pub(crate) fn paths(variable: &str, separators: &[u8]) -> Option<Vec<PathBuf>> {
    let value = std::env::var_os(variable).filter(|value| !value.is_empty())?;
    let paths = split(value.as_bytes(), separators);
    Some(paths.into_iter().map(|path| OsString::from_vec(path).into()).collect())
}

/// The words in a variable, separated by commas.
pub(crate) fn words(variable: &str) -> Vec<String> {
    let value = std::env::var_os(variable).unwrap_or_default();
    split(value.as_bytes(), b",")
        .iter()
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

/// Splits at separators outside single or double quotes. Removes quotes, surrounding blanks and empty elements.
fn split(value: &[u8], separators: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = vec![Vec::new()];
    let mut quote = None;
    for &byte in value {
        match quote {
            Some(end) if byte == end => quote = None,
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None if separators.contains(&byte) => parts.push(Vec::new()),
            _ => parts.last_mut().expect("there is always a last part").push(byte),
        }
    }
    parts
        .into_iter()
        .map(|part| part.trim_ascii().to_vec())
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(value: &str, separators: &[u8]) -> Vec<String> {
        split(value.as_bytes(), separators)
            .into_iter()
            .map(|part| String::from_utf8(part).unwrap())
            .collect()
    }

    #[test]
    fn lists() {
        assert_eq!(strings("a, b ,,c", b","), ["a", "b", "c"]);
        assert_eq!(strings("\"/a,b\",'/c:d'", b",:"), ["/a,b", "/c:d"]);
        assert_eq!(strings("/a:/b,/c", b",:"), ["/a", "/b", "/c"]);
        assert_eq!(strings("\"unclosed,still", b","), ["unclosed,still"]);
        assert!(strings(" , ", b",").is_empty());
    }
}
