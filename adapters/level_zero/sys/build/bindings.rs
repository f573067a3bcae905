// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! What bindgen makes of the headers.

use std::path::Path;

use bindgen::callbacks::{DeriveInfo, EnumVariantCustomBehavior, EnumVariantValue, ParseCallbacks, TypeKind};

use crate::headers::Headers;

pub fn generate(wrapper: &Path, headers: &Headers) -> Result<String, String> {
    let names = "_?(ze|zes|zet|zer|zel|ZE|ZES|ZET|ZER|ZEL)_?[A-Za-z0-9_]*";
    let bindings = bindgen::Builder::default()
        .header(wrapper.to_str().ok_or("the path of the crate is not UTF-8")?)
        // The headers name each other relative to their own folder.
        .clang_arg(format!("-I{}", headers.folder.display()))
        .allowlist_type(names)
        .allowlist_var(names)
        .allowlist_function(names)
        // Not a Rust enum: a value that this crate does not know may come from a newer driver or client.
        .default_enum_style(bindgen::EnumVariation::NewType {
            is_bitfield: false,
            is_global: true,
        })
        // Plain integers, as are the fields and parameters that combine them.
        .constified_enum("_?ze[a-z]*_.*_flags?_t")
        .prepend_enum_name(false)
        .generate_cstr(true)
        .derive_default(true)
        .derive_debug(true)
        .impl_debug(true)
        .use_core()
        .formatter(bindgen::Formatter::None)
        .parse_callbacks(Box::new(Callbacks))
        .generate();
    bindings
        .map(|bindings| bindings.to_string())
        .map_err(|error| format!("bindgen: {error}"))
}

#[derive(Debug)]
struct Callbacks;

impl ParseCallbacks for Callbacks {
    fn header_file(&self, filename: &str) {
        println!("cargo::rerun-if-changed={filename}");
    }

    fn include_file(&self, filename: &str) {
        println!("cargo::rerun-if-changed={filename}");
    }

    fn enum_variant_behavior(
        &self,
        _enum_name: Option<&str>,
        variant: &str,
        _value: EnumVariantValue,
    ) -> Option<EnumVariantCustomBehavior> {
        // They only make C compilers take four bytes.
        variant
            .ends_with("_FORCE_UINT32")
            .then_some(EnumVariantCustomBehavior::Hide)
    }

    fn add_derives(&self, info: &DeriveInfo<'_>) -> Vec<String> {
        let derives: &[&str] = match info.name {
            _ if info.kind == TypeKind::Enum => &["Default", "PartialOrd", "Ord"],
            "_zel_version" => &["PartialEq", "Eq", "PartialOrd", "Ord", "Hash"],
            name if name.contains("uuid") => &["PartialEq", "Eq", "Hash"],
            _ => &[],
        };
        derives.iter().map(|&name| name.to_owned()).collect()
    }

    /// Doxygen to Markdown.
    fn process_comment(&self, comment: &str) -> Option<String> {
        let mut out = String::new();
        for line in comment.lines() {
            let line = line.trim_end();
            let text = line.trim_start().trim_start_matches('<').trim_start();
            let text = text.strip_prefix('@').map_or(text, |command| {
                let rest = command.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
                match command.split(' ').next().unwrap_or_default() {
                    "brief" | "details" => rest,
                    _ => command,
                }
            });
            out.push_str(&text.replace('[', "\\[").replace(']', "\\]").replace('<', "&lt;"));
            out.push('\n');
        }
        Some(out)
    }
}
