// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Every function of the API, found by name in a library.
#![allow(non_snake_case, reason = "functions, tables and parameters have their C names")]
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

use oxur_api::*;

use crate::{Error, Result};

/// Hides the constructor of the type of this name, which a parameter could not be named after otherwise.
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

/// All functions of a loaded library: as methods that turn the code into a `Result`, and as the pointers themselves.
///
/// A library of another release lacks some: their pointers are `None`, their methods answer [`Error::NotExported`].
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
    ({$part:ident} table $member:ident: $table:ident = $ctable:ident, $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = ($slot:ident, $($id:tt)*), via $via:ident (
            $( $(#[doc = $pdoc:literal])* [$($attr:tt)*] $p:ident: $ty:ty, )*
        ) -> [$($error:ident),*];
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
            /// The arguments must be what the specification of the function asks for.
            #[inline]
            pub unsafe fn $name(&self, $($p: $ty),*) -> Result<()> {
                let Some(function) = self.$part.$member.$slot else {
                    return Err(Error::NotExported(stringify!($name)));
                };
                // SAFETY: the caller vouches for the arguments.
                match unsafe { function($($p),*) } {
                    ResultCode::SUCCESS => Ok(()),
                    code => Err(Error::Ur { function: stringify!($name), code }),
                }
            }
        )* }
    };
}

oxur_api::for_each_table! { functions {ddi} }
oxur_api::legacy_functions! { functions {other} }
oxur_api::loader_functions! { functions {other} }

impl Fns {
    /// Looks every function up in `library`.
    pub(crate) fn resolve(library: &libloading::Library) -> Self {
        macro_rules! all {
            ($($member:ident)*) => { DdiTable { $($member: Resolve::resolve(library)),* } };
        }
        Self {
            ddi: all! {
                Adapter Platform Context Event EventExp Program ProgramExp Kernel Queue QueueExp Sampler Mem PhysicalMem
                Enqueue EnqueueExp USM USMExp BindlessImagesExp CommandBufferExp GraphExp IPCExp MemoryExportExp UsmP2PExp
                VirtualMem Device DeviceExp
            },
            other: LoaderTables {
                Legacy: Resolve::resolve(library),
                Loader: Resolve::resolve(library),
            },
        }
    }
}
