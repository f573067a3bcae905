// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! What bindgen does not make: the table of functions that a loader fills, names of values, and structure types.

use std::collections::BTreeMap;

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{Attribute, Expr, ExprLit, File, ForeignItem, Ident, Item, ItemStruct, Lit, Meta, Type, UseTree};

use crate::headers::Headers;

/// Takes the functions out of the bindings, where they would be symbols to link with.
pub fn generate(bindings: &mut File, headers: &Headers) -> File {
    rename(bindings);
    let functions = functions(bindings);
    let names = names(bindings);
    let structures = structures(bindings);
    let table = table(&functions);
    let (major, minor) = headers.api;
    let revision = &headers.revision;
    syn::parse_quote! {
        /// The version of the API in the headers that this crate was built with.
        pub const API_VERSION: ze_api_version_t = ze_api_version_t(ZE_MAKE_VERSION(#major, #minor));
        /// The revision of the specification in the headers that this crate was built with, as in `1.17.24`.
        pub const HEADERS_REVISION: &str = #revision;
        #table
        #names
        #structures
    }
}

/// Gives a type the name of its typedef: C's `typedef struct _ze_fence_desc_t {..} ze_fence_desc_t`. Handles keep the
/// underscore, because the typedef is the name of the pointer.
fn rename(bindings: &mut File) {
    struct Rename(BTreeMap<Ident, Ident>);

    impl VisitMut for Rename {
        fn visit_ident_mut(&mut self, ident: &mut Ident) {
            if let Some(name) = self.0.get(ident) {
                *ident = name.clone();
            }
        }

        // The arguments of offset_of! are mere tokens.
        fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
            call.tokens = self.tokens(std::mem::take(&mut call.tokens));
        }
    }

    impl Rename {
        fn tokens(&self, tokens: TokenStream) -> TokenStream {
            let renamed = tokens.into_iter().map(|token| match token {
                TokenTree::Ident(ident) => TokenTree::Ident(self.0.get(&ident).cloned().unwrap_or(ident)),
                TokenTree::Group(group) => TokenTree::Group(Group::new(group.delimiter(), self.tokens(group.stream()))),
                other => other,
            });
            renamed.collect()
        }
    }

    let mut renamed = Rename(BTreeMap::new());
    bindings.items.retain(|item| {
        let (from, to) = match item {
            Item::Use(item) => {
                let UseTree::Path(path) = &item.tree else { return true };
                let UseTree::Rename(names) = &*path.tree else {
                    return true;
                };
                (names.ident.clone(), names.rename.clone())
            }
            Item::Type(item) => {
                let Type::Path(from) = &*item.ty else { return true };
                let Some(from) = from.path.get_ident() else { return true };
                (from.clone(), item.ident.clone())
            }
            _ => return true,
        };
        // Other typedefs are names of something else, or second names.
        let is_own = from
            .to_string()
            .strip_prefix('_')
            .is_some_and(|from| to == from || to == format!("{from}_t"));
        if is_own {
            renamed.0.insert(from, to);
        }
        !is_own
    });
    renamed.visit_file_mut(bindings);
}

struct Function {
    docs: Vec<Attribute>,
    name: Ident,
    parameters: Vec<(Ident, Type)>,
    output: syn::ReturnType,
}

fn functions(bindings: &mut File) -> Vec<Function> {
    let mut functions = Vec::new();
    bindings.items.retain_mut(|item| {
        let Item::ForeignMod(block) = item else { return true };
        for item in std::mem::take(&mut block.items) {
            let ForeignItem::Fn(function) = item else { continue };
            let parameters = function.sig.inputs.iter().map(|argument| match argument {
                syn::FnArg::Typed(typed) => match &*typed.pat {
                    syn::Pat::Ident(name) => (name.ident.clone(), (*typed.ty).clone()),
                    _ => unreachable!("bindgen names parameters"),
                },
                syn::FnArg::Receiver(_) => unreachable!("C has no methods"),
            });
            functions.push(Function {
                parameters: parameters.collect(),
                docs: docs(&function.attrs),
                name: function.sig.ident,
                output: function.sig.output,
            });
        }
        false
    });
    functions
}

fn table(functions: &[Function]) -> TokenStream {
    let names: Vec<_> = functions.iter().map(|function| &function.name).collect();
    let symbols: Vec<_> = names.iter().map(|name| c_string(&name.to_string())).collect();
    let fields = functions.iter().map(
        |Function {
             docs: _,
             name,
             parameters,
             output,
         }| {
            let parameters = parameters.iter().map(|(name, ty)| quote!(#name: #ty));
            let doc = format!("See [`{name}`](Functions::{name}()).");
            quote! { #[doc = #doc] pub #name: Option<unsafe extern "C" fn(#(#parameters),*) #output>, }
        },
    );
    let methods = functions.iter().map(
        |Function {
             docs,
             name,
             parameters,
             output,
         }| {
            let (arguments, types): (Vec<_>, Vec<_>) = parameters.iter().cloned().unzip();
            let output = match output {
                syn::ReturnType::Default => quote!(()),
                syn::ReturnType::Type(_, output) => output.to_token_stream(),
            };
            let text = name.to_string();
            quote! {
                #(#docs)*
                #[doc = "\n\n# Safety\n\nThe arguments must be what the specification of Level Zero asks for."]
                #[inline]
                pub unsafe fn #name(&self, #(#arguments: #types),*) -> Result<#output, MissingFunction> {
                    match self.#name {
                        // SAFETY: the function has this type by the headers; the arguments are the caller's promise.
                        Some(function) => Ok(unsafe { function(#(#arguments),*) }),
                        None => Err(MissingFunction { name: #text }),
                    }
                }
            }
        },
    );
    quote! {
        /// Pointers to all functions of Level Zero's headers. Those that a library lacks are `None`.
        ///
        /// Each function is a method as well, which answers [`MissingFunction`] where the field is `None`.
        #[derive(Clone, Copy, Default)]
        pub struct Functions {
            #(#fields)*
        }

        impl Functions {
            /// The names of all functions.
            pub const NAMES: &[&core::ffi::CStr] = &[#(#symbols),*];

            /// Asks for each function by name.
            ///
            /// # Safety
            ///
            /// What `find` returns must be null or a function of that name with the type that the headers give it. The
            /// table must not outlive the library that the functions belong to.
            pub unsafe fn load(mut find: impl FnMut(&'static core::ffi::CStr) -> *const core::ffi::c_void) -> Self {
                // SAFETY: by the caller's promise they are null, which is `None`, or functions of the fields' types.
                unsafe { Self { #(#names: core::mem::transmute(find(#symbols)),)* } }
            }

            #(#methods)*
        }
    }
}

/// `Debug` and `Display` for enumerations, which print `ZE_RESULT_ERROR_DEVICE_LOST`.
fn names(bindings: &mut File) -> TokenStream {
    let mut values: BTreeMap<String, Vec<(u64, Ident)>> = BTreeMap::new();
    for item in &bindings.items {
        let Item::Const(constant) = item else { continue };
        let (Type::Path(ty), Expr::Call(call)) = (&*constant.ty, &*constant.expr) else {
            continue;
        };
        let Some(Expr::Lit(ExprLit {
            lit: Lit::Int(value), ..
        })) = call.args.first()
        else {
            continue;
        };
        let name = ty.path.segments.last().expect("a type has a name").ident.to_string();
        let value = value.base10_parse().expect("an enumeration's value is a number");
        values.entry(name).or_default().push((value, constant.ident.clone()));
    }
    let mut out = TokenStream::new();
    for item in &mut bindings.items {
        let Item::Struct(item) = item else { continue };
        let Some(constants) = values.get_mut(&item.ident.to_string()) else {
            continue;
        };
        remove_derive(item, "Debug");
        // Of several names of a value, as of ZE_API_VERSION_1_17 and ZE_API_VERSION_CURRENT, the first is the name.
        constants.sort_by_key(|(value, _)| *value);
        constants.dedup_by_key(|(value, _)| *value);
        let ty = &item.ident;
        let plain = ty.to_string();
        let (constants, texts): (Vec<_>, Vec<_>) = constants.iter().map(|(_, name)| (name, name.to_string())).unzip();
        out.extend(quote! {
            impl #ty {
                /// The name of the value in the headers. `None` if they do not have it.
                pub const fn name(self) -> Option<&'static str> {
                    match self {
                        #(#constants => Some(#texts),)*
                        _ => None,
                    }
                }
            }

            impl core::fmt::Display for #ty {
                fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                    match self.name() {
                        Some(name) => f.pad(name),
                        None => write!(f, "{}({:#x})", #plain, self.0),
                    }
                }
            }

            impl core::fmt::Debug for #ty {
                fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                    core::fmt::Display::fmt(self, f)
                }
            }
        });
    }
    out
}

/// `Default` that fills `stype`, for structures that have one. The headers say in a comment of each value which
/// structure it is of.
fn structures(bindings: &mut File) -> TokenStream {
    // Second names of structures, of which the comments may speak.
    let aliases: BTreeMap<String, String> = (bindings.items.iter())
        .filter_map(|item| match item {
            Item::Type(item) => match &*item.ty {
                Type::Path(ty) => Some((item.ident.to_string(), ty.path.get_ident()?.to_string())),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let mut types: BTreeMap<String, (bool, Ident)> = BTreeMap::new();
    for item in &bindings.items {
        let Item::Const(constant) = item else { continue };
        if !constant.ident.to_string().contains("_STRUCTURE_TYPE_") {
            continue;
        }
        let comment: String = docs(&constant.attrs).iter().filter_map(text).collect();
        let Some((_, rest)) = comment.split_once("::") else {
            continue;
        };
        let name = rest
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .next()
            .unwrap_or_default();
        let name = aliases.get(name).map_or(name, String::as_str).to_owned();
        // Of two, the first that is not deprecated: ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2.
        let new = (comment.contains("deprecated"), constant.ident.clone());
        let old = types.entry(name).or_insert_with(|| new.clone());
        if old.0 && !new.0 {
            *old = new;
        }
    }
    let mut out = TokenStream::new();
    let mut tagged = Vec::new();
    for item in &mut bindings.items {
        let Item::Struct(item) = item else { continue };
        let Some(field) = item
            .fields
            .iter()
            .find(|field| field.ident.as_ref().is_some_and(|name| name == "stype"))
        else {
            continue;
        };
        let tag = field.ty.clone();
        let Some((_, value)) = types.get(&item.ident.to_string()) else {
            continue;
        };
        remove_derive(item, "Default");
        let ty = &item.ident;
        tagged.push(ty.to_string());
        out.extend(quote! {
            impl Structure for #ty {
                type Tag = #tag;
                const STRUCTURE_TYPE: #tag = #value;
            }

            /// All zero but `stype`.
            impl Default for #ty {
                fn default() -> Self {
                    // SAFETY: the headers' structures are integers, pointers and arrays of those, which may be zero.
                    let zeroed: Self = unsafe { core::mem::zeroed() };
                    Self { stype: #value, ..zeroed }
                }
            }
        });
    }
    bindings.items.retain(|item| {
        let Item::Impl(item) = item else { return true };
        let is_default = item
            .trait_
            .as_ref()
            .is_some_and(|(_, path, _)| path.segments.last().is_some_and(|segment| segment.ident == "Default"));
        let Type::Path(ty) = &*item.self_ty else { return true };
        !(is_default
            && ty
                .path
                .get_ident()
                .is_some_and(|name| tagged.contains(&name.to_string())))
    });
    out
}

fn remove_derive(item: &mut ItemStruct, name: &str) {
    for attribute in &mut item.attrs {
        if !attribute.path().is_ident("derive") {
            continue;
        }
        let mut kept = Vec::new();
        attribute
            .parse_nested_meta(|meta| {
                if !meta.path.is_ident(name) {
                    kept.push(meta.path);
                }
                Ok(())
            })
            .expect("bindgen derives by paths");
        *attribute = syn::parse_quote!(#[derive(#(#kept),*)]);
    }
}

fn docs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
        .cloned()
        .collect()
}

fn text(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text), ..
        }) => Some(text.value()),
        _ => None,
    }
}

fn c_string(text: &str) -> Lit {
    let text = std::ffi::CString::new(text).expect("names have no zero");
    Lit::CStr(syn::LitCStr::new(&text, Span::call_site()))
}
