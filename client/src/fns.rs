// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Every function of the API, found by name in a library.
#![allow(non_snake_case, reason = "functions, tables and parameters have their C names")]
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

use std::sync::OnceLock;

use oxur_api::meta::{Function, Table};
use oxur_api::*;

use crate::{Error, Result};

/// Hides the constructor of the type of this name. Otherwise no parameter could have the name.
#[allow(dead_code, reason = "it is there for its name")]
fn DeviceType() {}

/// The functions that are in no DDI table of the current release.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoaderTables {
    /// The functions that 2026.2 dropped.
    pub Legacy: LegacyDdiTable,
    /// The loader's own functions.
    pub Loader: LoaderFunctions,
}

/// All functions of a loaded library, as methods that convert the code into a `Result`, and as raw pointers.
///
/// A library of another release lacks some of them: their pointers are `None`, and their methods return
/// [`Error::NotExported`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Fns {
    /// The functions that adapters implement.
    pub ddi: DdiTable,
    /// The others.
    pub other: LoaderTables,
}

/// A table whose entries can be looked up.
trait Resolve {
    /// Fills the table from the symbols of `library`.
    fn resolve(library: &libloading::Library) -> Self;
}

macro_rules! functions {
    ({$part:ident} table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($p:ident: $ty:ty),*);
    )*) => {
        impl Resolve for $table {
            fn resolve(library: &libloading::Library) -> Self {
                Self { $(
                    // SAFETY: a symbol of this name has this type in every release of the ABI.
                    $slot: unsafe { library.get::<pfn::$name>(concat!(stringify!($name), "\0").as_bytes()) }
                        .ok()
                        .map(|symbol| *symbol),
                )* }
            }
        }

        impl Fns { $(
            $(#[doc = $doc])*
            ///
            /// # Safety
            /// The arguments must be what the specification of the function requires.
            #[inline]
            pub unsafe fn $name(&self, $($p: $ty),*) -> Result<()> {
                let Some(function) = self.$part.$member.$slot else {
                    return Err(Error::NotExported(stringify!($name)));
                };
                // SAFETY: the caller vouches for the arguments.
                match unsafe { function($($p),*) } {
                    ResultCode::SUCCESS => Ok(()),
                    code => Err(failed($table::META, stringify!($name), code)),
                }
            }
        )* }
    };
}

/// Observes the errors that functions return.
pub type ErrorObserver = fn(&'static Function, ResultCode);

static OBSERVER: OnceLock<ErrorObserver> = OnceLock::new();

/// Calls `observer` with every error, in the thread of the call and before the caller gets the result. A process has one
/// observer: the first one stays.
pub fn observe_errors(observer: ErrorObserver) {
    let _ = OBSERVER.set(observer);
}

#[cold]
fn failed(table: &'static Table, name: &'static str, code: ResultCode) -> Error {
    if let Some(observer) = OBSERVER.get() {
        let function = table.functions.iter().find(|function| function.name == name);
        observer(function.expect("the methods expand from the table"), code);
    }
    Error::Ur { function: name, code }
}

oxur_api::for_each_table! { functions {ddi} }
oxur_api::legacy_functions! { functions {other} }
oxur_api::loader_functions! { functions {other} }

impl Fns {
    /// Looks every function up in `library`.
    pub(crate) fn resolve(library: &libloading::Library) -> Self {
        macro_rules! all {
            ({} $($member:ident: $table:ident = $functions:ident;)*) => {
                DdiTable { $($member: Resolve::resolve(library)),* }
            };
        }
        Self {
            ddi: ddi_members! { all {} },
            other: LoaderTables {
                Legacy: Resolve::resolve(library),
                Loader: Resolve::resolve(library),
            },
        }
    }
}
