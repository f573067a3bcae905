// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `ty!`: the description of a type, in the spelling of the tables of `oxur-api`.
//!
//! It is a procedural macro because a macro by example cannot inspect a `$ty:ty` fragment, and a trait cannot distinguish an
//! alias from its target.

use proc_macro::TokenStream;
use quote::quote;
use syn::{Error, Type, parse_macro_input, spanned::Spanned};

/// Expands to an `oxur_api::meta::Ty`: `ty!(*const DeviceHandle)` is
/// `Ty::Pointer { mutable: false, target: &Ty::Named(&described::DeviceHandle) }`.
///
/// Only `oxur-api` itself can use it.
#[proc_macro]
pub fn ty(input: TokenStream) -> TokenStream {
    let ty = parse_macro_input!(input as Type);
    describe(&ty).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn describe(ty: &Type) -> Result<proc_macro2::TokenStream, Error> {
    Ok(match ty {
        Type::Group(group) => describe(&group.elem)?,
        Type::Paren(paren) => describe(&paren.elem)?,
        Type::Ptr(pointer) => {
            let (target, mutable) = (
                describe(&pointer.elem)?,
                matches!(pointer.mutability, syn::PointerMutability::Mut(_)),
            );
            quote! { crate::meta::Ty::Pointer { mutable: #mutable, target: const { &#target } } }
        }
        Type::Array(array) => {
            let (element, length) = (describe(&array.elem)?, &array.len);
            quote! { crate::meta::Ty::Array { element: const { &#element }, length: #length } }
        }
        Type::Slice(slice) => {
            let element = describe(&slice.elem)?;
            quote! { crate::meta::Ty::Slice { element: const { &#element } } }
        }
        Type::Path(path) => {
            let name = path
                .path
                .get_ident()
                .ok_or_else(|| Error::new(path.span(), "the tables name types without a path"))?;
            let primitive = match name.to_string().as_str() {
                "c_void" => quote! { Void },
                "c_char" => quote! { Char },
                "c_int" => quote! { Int },
                "bool" => quote! { Bool },
                "u8" => quote! { U8 },
                "u16" => quote! { U16 },
                "u32" => quote! { U32 },
                "i32" => quote! { I32 },
                "u64" => quote! { U64 },
                "usize" => quote! { Usize },
                "f32" => quote! { F32 },
                _ => quote! { Named(&crate::described::#name) },
            };
            quote! { crate::meta::Ty::#primitive }
        }
        other => return Err(Error::new(other.span(), "the ABI has no such type")),
    })
}
