// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Represents an ABI as comparable facts: pairs of a name and a fact.
//!
//! | name | fact |
//! |---|---|
//! | `ur_device_info_t` | kind of type, size, alignment |
//! | `ur_device_info_t.UR_DEVICE_INFO_TYPE` | value |
//! | `ur_base_desc_t.stype` | offset and type of the member |
//! | `ur_device_dditable_t.pfnGet` | the member before it, and its type |
//! | `urDeviceGet` | type of the function with the names of the parameters |
//! | `urDeviceGet.id` | its number in `ur_function_t` |
//! | `urDeviceGet.listed` | `ur_api_funcs.def` contains it |
//! | `urDeviceGet.pointer` | type of a pointer to it |
//! | `urDeviceGet.params`, `urDeviceGet.params.phPlatform` | the structure of pointers to its parameters |
//! | `UR_MEM_FLAGS_MASK` | the value of the macro |
//!
//! A member of a table has a predecessor instead of an offset. So an additional or missing function changes one fact, and not
//! those of all later functions. This requires members without gaps, which the code that creates the facts asserts.

use std::collections::BTreeMap;

/// Facts by name.
#[derive(Default)]
pub struct Facts(pub BTreeMap<String, String>);

/// Size and alignment of a type in bytes.
#[derive(Clone, Copy)]
pub struct Space {
    pub size: usize,
    pub align: usize,
}

/// A member of a structure or union.
pub struct Member {
    pub name: String,
    pub ty: String,
    pub offset: usize,
    pub size: usize,
}

impl Facts {
    /// Adds a fact.
    pub fn add(&mut self, name: impl Into<String>, fact: impl Into<String>) {
        let name = name.into();
        let (name, before) = (name.clone(), self.0.insert(name, fact.into()));
        assert!(before.is_none(), "{name} is there twice");
    }

    /// Adds a type.
    pub fn ty(&mut self, name: &str, kind: &str, space: Space) {
        self.add(name, format!("{kind}, {} bytes aligned to {}", space.size, space.align));
    }

    /// Adds a structure or union.
    pub fn aggregate(&mut self, name: &str, keyword: &str, space: Space, members: &[Member]) {
        if name.ends_with("_dditable_t") {
            return self.table(name, space, members);
        }
        self.ty(name, keyword, space);
        for member in members {
            self.add(
                format!("{name}.{}", member.name),
                format!("at {}: {}", member.offset, tidy(&member.ty)),
            );
        }
    }

    fn table(&mut self, name: &str, space: Space, members: &[Member]) {
        self.add(name, "table");
        let (mut before, mut end) = ("the start", 0);
        for member in members {
            assert_eq!(member.offset, end, "{name} has a gap at {}", member.name);
            self.add(
                format!("{name}.{}", member.name),
                format!("after {before}: {}", tidy(&member.ty)),
            );
            (before, end) = (&member.name, member.offset + member.size);
        }
        assert_eq!((space.size, space.align), (end, 8), "{name} has a gap at its end");
    }

    /// Adds a function, given the types and names of its parameters.
    pub fn function(&mut self, name: &str, result: &str, params: &[(String, String)]) {
        let params: Vec<_> = params.iter().map(|(ty, name)| format!("{} {name}", tidy(ty))).collect();
        self.add(name, format!("{result}({})", params.join(", ")));
    }
}

/// The normalized spelling of a type.
///
/// A top-level `const` of a parameter is removed, as in C's rules for function types.
pub fn tidy(ty: &str) -> String {
    let words = ["*", "(", ")", ","]
        .iter()
        .fold(ty.to_owned(), |ty, sign| ty.replace(sign, &format!(" {sign} ")));
    let words = words
        .split_whitespace()
        .filter(|word| !["struct", "union", "enum"].contains(word));
    let words: Vec<_> = words.map(|word| if word == "_Bool" { "bool" } else { word }).collect();
    let is_value = |i: usize| [None, Some(&","), Some(&")")].contains(&words.get(i + 2));
    let words: Vec<_> = (0..words.len())
        .filter(|&i| words[i] != "const" || !is_value(i))
        .map(|i| words[i])
        .collect();
    let signs = [(" *", "*"), ("( ", "("), (" )", ")"), (") (", ")("), (" ,", ",")];
    signs
        .iter()
        .fold(words.join(" "), |ty, (from, to)| ty.replace(from, to))
}
