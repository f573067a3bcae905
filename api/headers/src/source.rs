// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Writes the tables as Rust source with C names. Only cbindgen reads this source; it is never compiled.

use crate::{LEGACY, docs, functions, names};
use oxur_api::meta::{Field, Function, Kind, Table, Ty, Type, Variant};
use oxur_api::{TABLES, TYPES};
use std::fmt::{Display, Write};

/// Marks items that only `UR_OXUR_LEGACY_API` declares.
const LEGACY_ONLY: &str = "#[cfg(feature = \"legacy\")]\n";

/// Rust source, and the names of its items in order.
#[derive(Default)]
pub struct Source {
    /// The text.
    pub text: String,
    /// The names.
    pub names: Vec<String>,
    /// Inserted before each item.
    attribute: &'static str,
}

/// The types of `ur_api.h`.
pub fn api_types() -> Source {
    let mut source = Source::default();
    source.function_ids();
    for ty in TYPES.iter().copied().flatten() {
        source.ty(ty);
    }
    source
}

/// The functions of `ur_api.h`, each with the structure of its parameters.
pub fn api_functions() -> Source {
    let mut source = Source::default();
    for function in functions() {
        source.function(function);
        source.params(function);
    }
    source.attribute = LEGACY_ONLY;
    for function in LEGACY.functions {
        source.function(function);
        source.params(function);
    }
    source
}

/// The types of `ur_ddi.h`.
pub fn ddi_types() -> Source {
    let mut source = Source::default();
    for table in TABLES {
        source.table(table);
    }
    source.attribute = LEGACY_ONLY;
    source.table(LEGACY);
    source
}

/// The functions of `ur_ddi.h`, and the table of all tables.
pub fn ddi_functions() -> Source {
    let mut source = Source::default();
    for table in TABLES {
        source.getter(table, "Every adapter exports it.");
    }
    let doc = ["All tables of an adapter. The first word of every handle points to one."];
    let members = TABLES
        .iter()
        .map(|table| (Vec::new(), table.member, table.c_name.to_owned()));
    source.aggregate("struct", &doc, "ur_dditable_t", members);
    source.attribute = LEGACY_ONLY;
    source.getter(LEGACY, "An adapter may export it beside the others.");
    source
}

impl Source {
    /// Starts an item.
    fn item(&mut self, doc: &[impl Display], declaration: &str, name: &str) {
        self.doc("", doc);
        write!(self.text, "{}pub {declaration} {name}", self.attribute).unwrap();
        self.names.push(name.to_owned());
    }

    fn doc(&mut self, indent: &str, lines: &[impl Display]) {
        for line in lines {
            writeln!(self.text, "{indent}/// {line}").unwrap();
        }
    }

    fn ty(&mut self, ty: &Type) {
        let doc: Vec<&str> = ty.doc.lines().map(str::trim).collect();
        match ty.kind {
            Kind::Enum { prefix, variants } => {
                self.enumeration(&doc, ty.c_name, prefix, variants, |value| value.to_string())
            }
            Kind::Flags { prefix, variants } => {
                self.alias(&doc, ty.c_name, "u32");
                let doc = [format!("The bits of {}.", ty.c_name)];
                self.enumeration(&doc, &names::bits(ty.c_name), prefix, variants, |value| {
                    match value.is_power_of_two() {
                        true => format!("1 << {}", value.trailing_zeros()),
                        false => value.to_string(),
                    }
                });
            }
            Kind::Struct { fields } => self.aggregate("struct", &doc, ty.c_name, fields.iter().map(member)),
            Kind::Union { fields } => self.aggregate("union", &doc, ty.c_name, fields.iter().map(member)),
            Kind::Handle => {
                let object = format!("{}_", ty.c_name);
                self.item(&[""; 0], "struct", &object);
                self.text.push_str(" { opaque: [u8; 0] }\n");
                self.alias(&doc, ty.c_name, &format!("*mut {object}"));
            }
            // C has a type for integers that hold pointers. The ABI uses it only for aliases.
            Kind::Alias { ty: Ty::Usize } => self.alias(&doc, ty.c_name, "uintptr_t"),
            Kind::Alias { ty: target } => self.alias(&doc, ty.c_name, &names::rename(&target)),
            Kind::Callback { params, result } => {
                let mut lines: Vec<String> = doc.iter().map(|line| line.to_string()).collect();
                lines.push(String::new());
                for param in params {
                    let [first, rest @ ..] = &docs::member(param)[..] else {
                        unreachable!("it has a tag")
                    };
                    lines.push(format!(
                        "@param{}",
                        first.replacen("] ", &format!("] {} ", param.c_name()), 1)
                    ));
                    lines.extend_from_slice(rest);
                }
                let result = result
                    .map(|result| format!(" -> {}", names::rename(&result)))
                    .unwrap_or_default();
                self.alias(
                    &lines,
                    ty.c_name,
                    &format!("Option<unsafe extern \"C\" fn({}){result}>", parameters(params)),
                );
            }
            // A macro, which cbindgen cannot generate.
            Kind::String { .. } => {}
        }
    }

    fn enumeration(
        &mut self,
        doc: &[impl Display],
        name: &str,
        prefix: &str,
        variants: &[Variant],
        number: impl Fn(u32) -> String,
    ) {
        self.text.push_str("#[repr(C)]\n");
        self.item(doc, "enum", name);
        self.text.push_str(" {\n");
        for variant in variants {
            self.doc("    ", &docs::variant(variant));
            writeln!(self.text, "    {} = {},", variant.name, number(variant.value)).unwrap();
        }
        writeln!(self.text, "    {prefix}FORCE_UINT32 = {},\n}}", i32::MAX).unwrap();
    }

    /// `ur_function_t`, in the order of the numbers.
    fn function_ids(&mut self) {
        let legacy = LEGACY.functions.iter().map(|function| (function, LEGACY_ONLY));
        let mut all: Vec<_> = functions()
            .into_iter()
            .map(|function| (function, ""))
            .chain(legacy)
            .collect();
        all.sort_by_key(|(function, _)| function.id);
        self.text.push_str("#[repr(C)]\n");
        self.item(
            &["A number for each function, for layers that report calls."],
            "enum",
            "ur_function_t",
        );
        self.text.push_str(" {\n");
        for (function, attribute) in all.into_iter().filter(|(function, _)| function.id != 0) {
            writeln!(self.text, "    /// {}", function.name).unwrap();
            writeln!(
                self.text,
                "    {attribute}{} = {},",
                names::id(function.name),
                function.id
            )
            .unwrap();
        }
        writeln!(self.text, "    UR_FUNCTION_FORCE_UINT32 = {},\n}}", i32::MAX).unwrap();
    }

    fn alias(&mut self, doc: &[impl Display], name: &str, ty: &str) {
        self.item(doc, "type", name);
        writeln!(self.text, " = {ty};").unwrap();
    }

    fn aggregate<'a>(
        &mut self,
        keyword: &str,
        doc: &[impl Display],
        name: &str,
        members: impl Iterator<Item = (Vec<String>, &'a str, String)>,
    ) {
        self.text.push_str("#[repr(C)]\n");
        self.item(doc, keyword, name);
        self.text.push_str(" {\n");
        for (doc, name, ty) in members {
            self.doc("    ", &doc);
            writeln!(self.text, "    pub {name}: {ty},").unwrap();
        }
        self.text.push_str("}\n");
    }

    fn function(&mut self, function: &Function) {
        self.prototype(&docs::function(function), function.name, &parameters(function.params));
    }

    fn prototype(&mut self, doc: &[impl Display], name: &str, params: &str) {
        self.text.push_str("#[no_mangle]\n");
        self.item(doc, "unsafe extern \"C\" fn", name);
        writeln!(self.text, "({params}) -> ur_result_t {{}}").unwrap();
    }

    /// The structure in which the tracing layer passes a call: a pointer to each parameter.
    fn params(&mut self, function: &Function) {
        if function.params.is_empty() {
            return;
        }
        let doc = [format!("The parameters of {}, each by its address.", function.name)];
        let names: Vec<String> = function
            .params
            .iter()
            .map(|param| format!("p{}", param.c_name()))
            .collect();
        let members = function.params.iter().zip(&names);
        let members =
            members.map(|(param, name)| (Vec::new(), name.as_str(), format!("*mut {}", names::rename(&param.ty))));
        self.aggregate("struct", &doc, &names::params(function.name), members);
    }

    fn table(&mut self, table: &Table) {
        for function in table.functions {
            let doc = [format!("Points to {}.", function.name)];
            self.pointer(&doc, function.name, &parameters(function.params));
        }
        let members = table.functions.iter();
        let members = members.map(|function| (Vec::new(), function.slot, names::pointer(function.name)));
        let doc = [format!("What {} fills.", table.getter)];
        self.aggregate("struct", &doc, table.c_name, members);
    }

    /// The function that fills a table, and the type of a pointer to it.
    fn getter(&mut self, table: &Table, exported: &str) {
        let doc = [
            &format!("Fills an adapter's {}. {exported}", table.c_name),
            "",
            "@param[in] version the caller's version of the API",
            "@param[in,out] pDdiTable the table to fill",
            "",
            "@returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`",
        ];
        let params = format!("version: ur_api_version_t, pDdiTable: *mut {}", table.c_name);
        self.prototype(&doc, table.getter, &params);
        self.pointer(&[format!("Points to {}.", table.getter)], table.getter, &params);
    }

    fn pointer(&mut self, doc: &[String], function: &str, params: &str) {
        let ty = format!("Option<unsafe extern \"C\" fn({params}) -> ur_result_t>");
        self.alias(doc, &names::pointer(function), &ty);
    }
}

fn parameters(params: &[Field]) -> String {
    let params: Vec<_> = params
        .iter()
        .map(|param| format!("{}: {}", param.name, names::rename(&param.ty)))
        .collect();
    params.join(", ")
}

fn member(field: &Field) -> (Vec<String>, &str, String) {
    (docs::member(field), field.name, names::rename(&field.ty))
}
