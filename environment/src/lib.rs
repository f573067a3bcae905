// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Environment variables with values of a few kinds, and a warning about an invalid value.
//!
//! [`ALL`] lists those of oxur that can have an invalid value. A library reads a variable when it first needs it:
//!
//! ```
//! let scalar = oxur_environment::CPU_MODE.word() == Some("scalar");
//! ```
//!
//! An empty variable counts as unset. An invalid value counts as unset, too, and causes a [warning](warn), because the variable does
//! not do what the user expects.

mod known;
mod size;
mod warning;

use std::ffi::OsString;
use std::path::PathBuf;

use size::Limit;

pub use known::*;
pub use warning::warn;

/// A variable.
#[derive(Debug)]
pub struct Variable {
    name: &'static str,
    values: Values,
}

/// The values that a variable can have.
#[derive(Debug)]
pub enum Values {
    /// One of these words, in capitals or not.
    Word(&'static [&'static str]),
    /// Some of these words, with commas between them.
    Words(&'static [&'static str]),
    /// `1`, `on`, `yes`, `true`, `0`, `off`, `no` or `false`.
    Switch,
    /// A number of these, 1 at least.
    Count(&'static str),
    /// A number of 32 bits, such as `0x8086` or `32902`.
    Id,
    /// A number of bytes, or `off`.
    Size,
    /// The absolute path of a folder, or `off`.
    FolderOrOff,
}

/// What [`Values::FolderOrOff`] says.
#[derive(Debug, PartialEq, Eq)]
pub enum Folder {
    /// No folder.
    Off,
    /// This one.
    At(PathBuf),
}

impl Variable {
    /// The variable of a name.
    pub const fn new(name: &'static str, values: Values) -> Self {
        Self { name, values }
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The values that it can have.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Describes an invalid value. `None` if the value is valid or unset.
    pub fn problem(&self) -> Option<String> {
        let value = self.value()?;
        let text = value.to_str().map(str::trim);
        let understood = match self.values {
            Values::Word(words) => text.is_some_and(|text| word_of(words, text).is_some()),
            Values::Words(words) => text.is_some_and(|text| list(text).all(|text| word_of(words, text).is_some())),
            Values::Switch => text.is_some_and(|text| switch(text).is_some()),
            Values::Count(_) => text.is_some_and(|text| count(text).is_some()),
            Values::Id => text.is_some_and(|text| id(text).is_some()),
            Values::Size => text.is_some_and(|text| size::parse(text).is_some()),
            Values::FolderOrOff => folder(value.clone()).is_some(),
        };
        (!understood).then(|| self.refuse(&value.display().to_string(), &self.valid()))
    }

    /// Warns that the variable's value is ignored, and why.
    pub fn ignore(&self, why: &str) {
        let value = self.value().unwrap_or_default();
        warn(&self.refuse(&value.display().to_string(), why));
    }

    /// Whether the value is this word. There is no warning: another library of the process reads the variable, too, and warns.
    pub fn is(&self, word: &str) -> bool {
        let value = self.value();
        value.is_some_and(|value| value.to_string_lossy().trim().eq_ignore_ascii_case(word))
    }

    /// Which of the words the value is.
    pub fn word(&self) -> Option<&'static str> {
        let Values::Word(words) = self.values else {
            unreachable!("{} has no word", self.name)
        };
        self.read(|text| word_of(words, text))
    }

    /// Those of the words that the value names. A list with any other is ignored as a whole.
    pub fn words(&self) -> Vec<&'static str> {
        let Values::Words(words) = self.values else {
            unreachable!("{} has no words", self.name)
        };
        let all = self.read(|text| list(text).map(|text| word_of(words, text)).collect());
        all.unwrap_or_default()
    }

    /// Whether the value is on.
    pub fn switch(&self) -> Option<bool> {
        self.read(switch)
    }

    /// The value as a number that is not 0.
    pub fn count(&self) -> Option<usize> {
        self.read(count)
    }

    /// The value as any number.
    pub fn id(&self) -> Option<u32> {
        self.read(id)
    }

    /// The value as a size in bytes; `default` where it says nothing.
    pub fn size(&self, default: usize) -> usize {
        match self.read(size::parse) {
            Some(Limit::Bytes(bytes)) => bytes,
            Some(Limit::Default) | None => default,
        }
    }

    /// The value as a folder.
    pub fn folder(&self) -> Option<Folder> {
        let value = self.value()?;
        let folder = folder(value);
        if folder.is_none() {
            self.ignore(&self.valid());
        }
        folder
    }

    fn value(&self) -> Option<OsString> {
        std::env::var_os(self.name).filter(|value| !value.is_empty())
    }

    fn read<T>(&self, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let value = self.value()?;
        let parsed = value.to_str().and_then(|text| parse(text.trim()));
        if parsed.is_none() {
            self.ignore(&self.valid());
        }
        parsed
    }

    fn refuse(&self, value: &str, why: &str) -> String {
        format!("{}={value} is ignored: {why}", self.name)
    }

    /// The values that it can have, in words.
    fn valid(&self) -> String {
        match self.values {
            Values::Word(words) => format!("it is {}", enumerate(words)),
            Values::Words(words) => format!("it is a list of {}", enumerate(words)),
            Values::Switch => "it is `1` or `0`".to_owned(),
            Values::Count(things) => format!("it is a number of {things}, 1 at least"),
            Values::Id => "it is a number such as 0x8086".to_owned(),
            Values::Size => size::VALID.to_owned(),
            Values::FolderOrOff => "it is `off` or the whole path of a folder".to_owned(),
        }
    }
}

/// `a`, `b` or `c`.
fn enumerate(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn word_of(words: &[&'static str], text: &str) -> Option<&'static str> {
    words.iter().copied().find(|word| word.eq_ignore_ascii_case(text))
}

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty())
}

fn switch(text: &str) -> Option<bool> {
    match &*text.to_ascii_lowercase() {
        "1" | "on" | "yes" | "true" => Some(true),
        "0" | "off" | "no" | "false" => Some(false),
        _ => None,
    }
}

fn count(text: &str) -> Option<usize> {
    text.parse().ok().filter(|count| *count > 0)
}

fn id(text: &str) -> Option<u32> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        // `from_str_radix` takes a sign.
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn folder(value: OsString) -> Option<Folder> {
    let path = PathBuf::from(value);
    match path.to_str() {
        Some(text) if text == "0" || text.eq_ignore_ascii_case("off") => Some(Folder::Off),
        _ => path.is_absolute().then_some(Folder::At(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(word_of(&["fast", "scalar"], "Scalar"), Some("scalar"));
        assert_eq!(word_of(&["fast", "scalar"], "scala"), None);
        assert_eq!(list(" a,, b ").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(["1", "On", "TRUE", "yes"].map(switch), [Some(true); 4]);
        assert_eq!(["0", "off", "False", "no"].map(switch), [Some(false); 4]);
        assert_eq!(["2", "onn", ""].map(switch), [None; 3]);
        assert_eq!(["1", "16"].map(count), [Some(1), Some(16)]);
        assert_eq!(["0", "-1", "two", "1.5"].map(count), [None; 4]);
        assert_eq!(["0x8086", "0X8086", "32902"].map(id), [Some(0x8086); 3]);
        assert_eq!(["", "0x", "8086h", "-1", "0x+1", "0x100000000"].map(id), [None; 6]);
        let folder = |text: &str| folder(text.into());
        assert_eq!(["off", "OFF", "0"].map(folder), [const { Some(Folder::Off) }; 3]);
        assert_eq!(folder("/a"), Some(Folder::At("/a".into())));
        assert_eq!(folder("a"), None);
    }

    #[test]
    fn words_are_enumerated() {
        assert_eq!(enumerate(&["a"]), "`a`");
        assert_eq!(enumerate(&["a", "b"]), "`a` or `b`");
        assert_eq!(enumerate(&["a", "b", "c"]), "`a`, `b` or `c`");
    }

    /// The words in backquotes of the documentation.
    fn documented() -> Vec<&'static str> {
        let text = include_str!("../../docs/environment.md");
        text.split('`').skip(1).step_by(2).collect()
    }

    #[test]
    fn all_are_documented() {
        let documented = documented();
        for variable in ALL {
            assert!(
                documented.contains(&variable.name),
                "docs/environment.md lacks {}",
                variable.name
            );
        }
    }

    /// The other way round: a new variable is in the list, or any value is right, or it has a grammar of its own.
    #[test]
    fn all_that_are_documented_are_checked() {
        let elsewhere = [
            "OXUR_LIB",
            "UR_ADAPTERS_FORCE_LOAD",
            "UR_ADAPTERS_SEARCH_PATH",
            "UR_CPU_DEVICE_TYPE",
            "UR_CPU_PLATFORM_NAME",
            "UR_CUDA_LIBDEVICE",
            "UR_ENABLE_LAYERS",
            "UR_GRAPH_DUMP",
        ];
        let elsewhere = |name| elsewhere.contains(&name);
        let is_variable = |name: &&str| {
            let others = ["UR_LAYER_", "UR_LOG_", "UR_RESULT_", "UR_LOADER_USE_"];
            let is_ours = name.starts_with("UR_") || name.starts_with("OXUR_");
            let is_name = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            is_ours && is_name && !others.iter().any(|prefix| name.starts_with(prefix))
        };
        let mut found = 0;
        for name in documented().into_iter().filter(is_variable) {
            found += 1;
            let checked = ALL.iter().any(|variable| variable.name == name);
            assert!(checked != elsewhere(name), "{name}");
        }
        assert!(found > 20, "{found}");
    }
}
