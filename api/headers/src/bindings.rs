// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Runs cbindgen on the generated source, and adds the macros.

use crate::source::{self, Source};
use crate::{functions, names};
use cbindgen::{Config, DocumentationStyle, Language, Layout, Style};
use oxur_api::TYPES;
use oxur_api::meta::Kind;
use std::fmt::Write;
use std::fs;

const LICENCE: &str = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception";
const ORIGIN: &str = "Written by `cargo run -p oxur-headers` from the tables in api/. Edit those.";

/// Macros of `ur_api.h` that do not come from the tables.
const MACROS: &str = r#"
/// A version of the API, as in ur_api_version_t, of its two numbers.
#define UR_MAKE_VERSION(_major, _minor) (((_major) << 16) | ((_minor) & 0x0000ffff))
/// The first number of a version.
#define UR_MAJOR_VERSION(_ver) ((_ver) >> 16)
/// The second number of a version.
#define UR_MINOR_VERSION(_ver) ((_ver) & 0x0000ffff)

/// The bit with this number.
#define UR_BIT(_i) (1 << (_i))

#ifndef UR_APICALL
/// Calling convention of the API's functions.
#if defined(_WIN32)
#define UR_APICALL __cdecl
#else
#define UR_APICALL
#endif
#endif

#ifndef UR_APIEXPORT
/// Declares a function that the loader exports.
#if defined(_WIN32)
#define UR_APIEXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define UR_APIEXPORT __attribute__((visibility("default")))
#else
#define UR_APIEXPORT
#endif
#endif

#ifndef UR_DLLEXPORT
/// Declares a function that an adapter exports.
#define UR_DLLEXPORT UR_APIEXPORT
#endif
"#;

/// `ur_api.h`.
pub fn api() -> String {
    let mut macros = MACROS.to_owned();
    for ty in TYPES.iter().copied().flatten() {
        match ty.kind {
            Kind::String { value } => {
                let text = value.to_str().expect("the strings of the ABI are ASCII");
                let doc: Vec<_> = ty.doc.lines().map(str::trim).collect();
                write!(
                    macros,
                    "\n/// {}\n#define {} \"{text}\"\n",
                    doc.join("\n/// "),
                    ty.c_name
                )
                .unwrap();
            }
            Kind::Flags { prefix, variants } => {
                let known = variants.iter().fold(0, |bits, variant| bits | variant.value);
                write!(macros, "\n/// The bits that {} does not define.\n", ty.c_name).unwrap();
                writeln!(macros, "#define {} {:#010x}", names::mask(prefix), !known).unwrap();
            }
            _ => {}
        }
    }
    let about = "The oneAPI Unified Runtime 0.12, in the generation of the 2026.2 releases.\n\
                 \n\
                 Any function may also return UR_RESULT_ERROR_UNINITIALIZED, UR_RESULT_ERROR_DEVICE_LOST and\n\
                 UR_RESULT_ERROR_ADAPTER_SPECIFIC. Define UR_OXUR_LEGACY_API to get the functions that 2026.2 dropped and\n\
                 that oxur's loader still exports.";
    let config = Config {
        include_guard: Some("UR_API_H_INCLUDED".to_owned()),
        sys_includes: ["stdbool.h", "stddef.h", "stdint.h"].map(str::to_owned).into(),
        ..config(about, "UR_APIEXPORT")
    };
    header(config, &macros, source::api_types(), source::api_functions())
}

/// `ur_ddi.h`.
pub fn ddi() -> String {
    let about = "The tables of functions by which the loader calls adapters.";
    let config = Config {
        include_guard: Some("UR_DDI_H_INCLUDED".to_owned()),
        includes: vec!["unified-runtime/ur_api.h".to_owned()],
        ..config(about, "UR_DLLEXPORT")
    };
    header(config, "", source::ddi_types(), source::ddi_functions())
}

/// `ur_api_funcs.def`.
pub fn function_list() -> String {
    let mut text =
        format!("// {LICENCE}\n// {ORIGIN}\n// Calls _UR_API for every function; define it before including this.\n\n");
    for function in functions() {
        writeln!(text, "_UR_API({})", function.name).unwrap();
    }
    text
}

/// The common configuration of the headers. `about` is the comment at the top, `export` the macro before functions.
fn config(about: &str, export: &str) -> Config {
    let about: String = about
        .lines()
        .map(|line| format!("// {line}").trim_end().to_owned() + "\n")
        .collect();
    let mut config = Config {
        header: Some(format!("// {LICENCE}\n//\n{about}//\n// {ORIGIN}")),
        ..style()
    };
    config.function.prefix = Some(export.to_owned());
    config.function.args = Layout::Vertical;
    config
}

/// The style of the declarations.
fn style() -> Config {
    Config {
        language: Language::C,
        cpp_compat: true,
        style: Style::Both,
        no_includes: true,
        documentation_style: DocumentationStyle::Cxx,
        line_length: 120,
        tab_width: 4,
        defines: [("feature = legacy".to_owned(), "UR_OXUR_LEGACY_API".to_owned())].into(),
        ..Config::default()
    }
}

/// A header with macros, then types, then functions.
///
/// cbindgen processes the functions without the types. Otherwise it would write `enum ur_result_t` for `ur_result_t`.
fn header(mut config: Config, macros: &str, types: Source, functions: Source) -> String {
    config.after_includes = Some(format!("{macros}\n{}", generate(style(), types)));
    let text = generate(config, functions);
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn generate(mut config: Config, source: Source) -> String {
    config.export.include = source.names;
    let directory = tempfile::tempdir().expect("a folder for cbindgen to read from");
    let file = directory.path().join("source.rs");
    fs::write(&file, source.text).expect("the folder is ours");
    let bindings = cbindgen::Builder::new().with_src(file).with_config(config).generate();
    let mut text = Vec::new();
    bindings.expect("cbindgen reads the source").write(&mut text);
    String::from_utf8(text).expect("the tables are UTF-8")
}
