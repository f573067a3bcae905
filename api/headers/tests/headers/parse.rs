// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The facts that C compilers read from headers. clang's syntax tree has the declarations; a generated program, compiled with
//! gcc, prints the layouts.

use crate::facts::{Facts, Member, Space, tidy};
use crate::run;
use oxur_headers::names;
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The reference's headers use `bool` and attributes, which are not C99.
const PROGRAM: &str = "#include <stdbool.h>\n#include \"unified-runtime/ur_ddi.h\"\n";

/// A node of clang's syntax tree.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    name: String,
    #[serde(rename = "type")]
    ty: Option<NodeType>,
    value: Option<String>,
    tag_used: Option<String>,
    #[serde(default)]
    complete_definition: bool,
    #[serde(default)]
    inner: Vec<Node>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeType {
    qual_type: String,
}

impl Node {
    fn ty(&self) -> &str {
        self.ty.as_ref().map_or("", |ty| &ty.qual_type)
    }

    fn children<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Node> {
        self.inner.iter().filter(move |node| node.kind == kind)
    }

    /// The API's declarations of this kind.
    fn declarations<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Node> {
        self.children(kind).filter(|node| {
            let name = node.name.strip_prefix("ox").unwrap_or(&node.name);
            name.strip_prefix("ur")
                .is_some_and(|rest| rest.starts_with(|c: char| c == '_' || c.is_ascii_uppercase()))
        })
    }

    fn records(&self) -> impl Iterator<Item = &Node> {
        self.declarations("RecordDecl")
            .filter(|record| record.complete_definition)
    }

    /// The value of the constant expression below this node.
    fn constant(&self) -> Option<&str> {
        self.value
            .as_deref()
            .or_else(|| self.inner.iter().find_map(Node::constant))
    }
}

/// The facts in `include/unified-runtime/`.
pub fn facts(include: &Path, define: Option<&str>) -> Facts {
    let compiler = |name: &str| {
        let mut command = Command::new(name);
        command
            .args(["-x", "c", "-std=gnu2x", "-I"])
            .arg(include)
            .args(define.map(|define| format!("-D{define}")));
        command
    };
    let tree = run(
        compiler("clang").args(["-fsyntax-only", "-Xclang", "-ast-dump=json", "-"]),
        PROGRAM,
    );
    let tree: Node = serde_json::from_str(&tree).expect("clang prints its syntax tree");
    let layout = layouts(compiler("gcc"), &tree);
    let space = |name: &str| Space {
        size: layout[&format!("{name} size")],
        align: layout[&format!("{name} align")],
    };

    // Names that are derived from a function's name.
    let functions = || tree.declarations("FunctionDecl").map(|function| &*function.name);
    let ids: HashMap<_, _> = functions()
        .map(|name| (names::id(name), format!("{name}.id")))
        .collect();
    let params: HashMap<_, _> = functions()
        .map(|name| (names::params(name), format!("{name}.params")))
        .collect();
    let pointers: HashMap<_, _> = functions()
        .map(|name| (names::pointer(name), format!("{name}.pointer")))
        .collect();

    let mut facts = Facts::default();
    for declaration in tree.declarations("EnumDecl") {
        facts.ty(&declaration.name, "enum", space(&declaration.name));
        for variant in declaration.children("EnumConstantDecl") {
            let name = format!("{}.{}", declaration.name, variant.name);
            let value = variant
                .constant()
                .unwrap_or_else(|| panic!("{name} has no value of its own"));
            facts.add(ids.get(&variant.name).unwrap_or(&name), value);
        }
    }
    for record in tree.records() {
        let member = |field: &Node| Member {
            name: field.name.clone(),
            ty: field.ty().to_owned(),
            offset: layout[&format!("{}.{} offset", record.name, field.name)],
            size: layout[&format!("{}.{} size", record.name, field.name)],
        };
        let members: Vec<_> = record.children("FieldDecl").map(member).collect();
        let keyword = record.tag_used.as_deref().expect("struct or union");
        facts.aggregate(
            params.get(&record.name).unwrap_or(&record.name),
            keyword,
            space(&record.name),
            &members,
        );
    }
    for typedef in tree.declarations("TypedefDecl") {
        let (name, ty) = (&typedef.name, tidy(typedef.ty()));
        let opaque = ty.strip_suffix('*').unwrap_or(&ty);
        if opaque == format!("{name}_") {
            facts.ty(name, "handle", space(name));
        } else if opaque != *name {
            facts.ty(pointers.get(name).unwrap_or(name), &ty, space(name));
        }
    }
    for function in tree.declarations("FunctionDecl") {
        let (result, _) = function.ty().split_once(" (").expect("a function's type");
        let params: Vec<_> = function
            .children("ParmVarDecl")
            .map(|param| (param.ty().to_owned(), param.name.clone()))
            .collect();
        facts.function(&function.name, result, &params);
    }
    let list = fs::read_to_string(include.join("unified-runtime/ur_api_funcs.def")).expect("every generation has it");
    for line in list.lines() {
        if let Some(name) = line.strip_prefix("_UR_API(").and_then(|rest| rest.strip_suffix(')')) {
            facts.add(format!("{name}.listed"), "in ur_api_funcs.def");
        }
    }
    for line in run(compiler("clang").args(["-E", "-dM", "-"]), PROGRAM).lines() {
        let (name, value) = line
            .strip_prefix("#define ")
            .unwrap_or_default()
            .split_once(' ')
            .unwrap_or_default();
        if name.starts_with("UR_") && !name.contains('(') && (value.starts_with('"') || value.starts_with("0x")) {
            let number = value
                .strip_prefix("0x")
                .and_then(|digits| u32::from_str_radix(digits, 16).ok());
            facts.add(name, number.map_or(value.to_owned(), |number| number.to_string()));
        }
    }
    facts
}

/// Sizes, alignments and offsets of all types, as a compiled program prints them.
fn layouts(mut compiler: Command, tree: &Node) -> HashMap<String, usize> {
    let mut program = format!("{PROGRAM}#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n");
    let mut print = |name: &str, value: &str| writeln!(program, "  printf(\"{name} %zu\\n\", {value});").unwrap();
    let records = tree.records().map(|record| &record.name);
    let opaque = |name: &&String| !name.ends_with("_t_");
    let enums = tree.declarations("EnumDecl").map(|declaration| &declaration.name);
    let typedefs = tree
        .declarations("TypedefDecl")
        .map(|typedef| &typedef.name)
        .filter(opaque);
    let mut types: Vec<_> = records.chain(enums).chain(typedefs).collect();
    types.sort();
    types.dedup();
    for name in types {
        print(&format!("{name} size"), &format!("sizeof({name})"));
        print(&format!("{name} align"), &format!("_Alignof({name})"));
    }
    for record in tree.records() {
        let name = &record.name;
        for field in record.children("FieldDecl").map(|field| &field.name) {
            print(&format!("{name}.{field} offset"), &format!("offsetof({name}, {field})"));
            print(
                &format!("{name}.{field} size"),
                &format!("sizeof((({name} *)0)->{field})"),
            );
        }
    }
    program.push_str("}\n");
    let directory = tempfile::tempdir().expect("a folder for the program");
    let binary = directory.path().join("layouts");
    run(compiler.args(["-w", "-", "-o"]).arg(&binary), &program);
    let printed = run(&mut Command::new(&binary), "");
    let lines = printed
        .lines()
        .map(|line| line.rsplit_once(' ').expect("a name and a number"));
    lines
        .map(|(name, number)| (name.to_owned(), number.parse().expect("a number")))
        .collect()
}
