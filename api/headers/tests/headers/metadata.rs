// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The facts from the Rust types and the tables.

use crate::facts::{Facts, Member, Space, tidy};
use oxur_api::meta::{Field, Function, Kind, Layout, Table, Ty, Type};
use oxur_api::{DdiTable, TABLES, TYPES, for_each_table};
use oxur_headers::names::{self, c_type};
use oxur_headers::{LEGACY, functions};

/// The facts, with or without the functions that 2026.2 dropped.
pub fn facts(legacy: bool) -> Facts {
    let mut facts = Facts::default();
    for ty in TYPES.iter().copied().flatten() {
        facts.rust_type(ty);
    }
    for function in functions() {
        facts.api_function(function);
        facts.add(format!("{}.listed", function.name), "in ur_api_funcs.def");
    }
    TABLES.iter().for_each(|table| facts.ddi_table(table));
    if legacy {
        LEGACY
            .functions
            .iter()
            .for_each(|function| facts.api_function(function));
        facts.ddi_table(LEGACY);
    }
    let space = Space {
        size: size_of::<DdiTable>(),
        align: align_of::<DdiTable>(),
    };
    facts.aggregate("ur_dditable_t", "struct", space, &members_of_all());
    facts.ty("ur_function_t", "enum", Space { size: 4, align: 4 });
    facts.add("ur_function_t.UR_FUNCTION_FORCE_UINT32", i32::MAX.to_string());
    facts
}

/// The members of `ur_dditable_t`.
fn members_of_all() -> Vec<Member> {
    let mut members = Vec::new();
    macro_rules! push {
        ($members:ident table $member:ident: $table:ident = $($rest:tt)*) => {
            $members.push(Member {
                name: stringify!($member).to_owned(),
                ty: oxur_api::$table::META.c_name.to_owned(),
                offset: std::mem::offset_of!(DdiTable, $member),
                size: size_of::<oxur_api::$table>(),
            });
        };
    }
    for_each_table! { push members }
    members
}

impl Facts {
    fn rust_type(&mut self, ty: &Type) {
        if let Kind::String { value } = ty.kind {
            return self.add(ty.c_name, format!("{:?}", value.to_str().expect("it is ASCII")));
        }
        let layout = ty.layout.expect("only strings have none");
        let space = space(layout);
        match ty.kind {
            Kind::Enum { prefix, variants } => {
                self.ty(ty.c_name, "enum", space);
                for variant in variants {
                    self.add(format!("{}.{}", ty.c_name, variant.name), variant.value.to_string());
                }
                self.add(format!("{}.{prefix}FORCE_UINT32", ty.c_name), i32::MAX.to_string());
            }
            Kind::Flags { prefix, variants } => {
                let bits = names::bits(ty.c_name);
                self.ty(ty.c_name, "uint32_t", space);
                self.ty(&bits, "enum", space);
                let mut unknown = !0;
                for variant in variants {
                    self.add(format!("{bits}.{}", variant.name), variant.value.to_string());
                    unknown &= !variant.value;
                }
                self.add(format!("{bits}.{prefix}FORCE_UINT32"), i32::MAX.to_string());
                self.add(names::mask(prefix), unknown.to_string());
            }
            Kind::Struct { fields } => self.aggregate(ty.c_name, "struct", space, &members(fields, layout)),
            Kind::Union { fields } => self.aggregate(ty.c_name, "union", space, &members(fields, layout)),
            Kind::Handle => self.ty(ty.c_name, "handle", space),
            Kind::Alias { ty: Ty::Usize } => self.ty(ty.c_name, "uintptr_t", space),
            Kind::Alias { ty: target } => self.ty(ty.c_name, &tidy(&c_type(&target)), space),
            Kind::Callback { params, result } => self.ty(
                ty.c_name,
                &pointer(result.map_or("void".to_owned(), |ty| c_type(&ty)), params),
                space,
            ),
            Kind::String { .. } => unreachable!("it has no layout"),
        }
    }

    fn api_function(&mut self, function: &Function) {
        let params: Vec<_> = function
            .params
            .iter()
            .map(|p| (c_type(&p.ty), p.c_name().to_owned()))
            .collect();
        self.function(function.name, "ur_result_t", &params);
        if function.id != 0 {
            self.add(format!("{}.id", function.name), function.id.to_string());
        }
        if !params.is_empty() {
            let size = size_of::<*const ()>();
            let members = params.iter().enumerate().map(|(i, (ty, name))| Member {
                name: format!("p{name}"),
                ty: format!("{ty} *"),
                offset: i * size,
                size,
            });
            let space = Space {
                size: params.len() * size,
                align: size,
            };
            self.aggregate(
                &format!("{}.params", function.name),
                "struct",
                space,
                &members.collect::<Vec<_>>(),
            );
        }
    }

    fn ddi_table(&mut self, table: &Table) {
        let mut members = Vec::new();
        for (function, &offset) in table.functions.iter().zip(table.layout.offsets) {
            let ty = pointer("ur_result_t".to_owned(), function.params);
            self.pointer(function.name, &ty);
            let (name, ty) = (function.slot.to_owned(), names::pointer(function.name));
            members.push(Member {
                name,
                ty,
                offset,
                size: size_of::<Option<fn()>>(),
            });
        }
        self.aggregate(table.c_name, "struct", space(table.layout), &members);
        let params = [
            ("ur_api_version_t", "version"),
            (&format!("{} *", table.c_name), "pDdiTable"),
        ];
        self.pointer(
            table.getter,
            &tidy(&format!("ur_result_t (*)({}, {})", params[0].0, params[1].0)),
        );
        self.function(
            table.getter,
            "ur_result_t",
            &params.map(|(ty, name)| (ty.to_owned(), name.to_owned())),
        );
    }

    fn pointer(&mut self, function: &str, ty: &str) {
        let size = size_of::<Option<fn()>>();
        self.ty(&format!("{function}.pointer"), ty, Space { size, align: size });
    }
}

fn space(layout: Layout) -> Space {
    Space {
        size: layout.size,
        align: layout.align,
    }
}

fn members(fields: &[Field], layout: Layout) -> Vec<Member> {
    let fields = fields.iter().zip(layout.offsets);
    let member = |(field, &offset): (&Field, _)| Member {
        name: field.c_name().to_owned(),
        ty: c_type(&field.ty),
        offset,
        size: 0, // Only tables need it.
    };
    fields.map(member).collect()
}

fn pointer(result: String, params: &[Field]) -> String {
    let params: Vec<_> = params.iter().map(|param| c_type(&param.ty)).collect();
    tidy(&format!("{result} (*)({})", params.join(", ")))
}
