// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `ur_types!`: one notation for every kind of C type in the ABI.
//!
//! Each item becomes the Rust type and a description ([`crate::meta::Type`]) with the C names, a static of the type's name in
//! the module `described`. The C headers, the printing and the layout tests use the description. The notation is
//!
//! ```text
//! /// documentation
//! kind RustName = c_name, argument { body }
//! ```
//!
//! | kind | argument | body | Rust |
//! |---|---|---|---|
//! | `enum` | prefix of the enumerators | `NAME = value => (type of the answer, optional),` | newtype over `u32` with constants |
//! | `flags` | prefix of the bits | `NAME = 1 << n,` | `bitflags` over `u32` |
//! | `struct` | its `StructureType`, if it has one | `[attributes] field: Type,` | `#[repr(C)] struct` |
//! | `union` | | `[attributes] field: Type,` | `#[repr(C)] union` |
//! | `handle` | | | newtype over a pointer |
//! | `alias` | | the type | `type` |
//! | `callback` | type of the result | `[attributes] parameter: Type,` | `Option<unsafe extern "C" fn>` |
//! | `string` | | a C string literal | constant |
//!
//! An enumeration is a newtype instead of a Rust `enum`, because a C caller may pass any value.

macro_rules! ur_types {
    ($( $(#[doc = $doc:literal])* $kind:ident $name:ident = $c:ident $(, $arg:ident)? { $($body:tt)* } )*) => {
        $( ur_types! { @$kind [$($doc)*] $name $c [$($arg)?] $($body)* } )*

        /// Every type of this module, in the order of the C header.
        pub const TYPES: &[&$crate::meta::Type] = &[$(&described::$name),*];

        /// The descriptions of the types, under the same names.
        #[allow(non_upper_case_globals, reason = "each has the type's name")]
        pub mod described {
            use super::*;
            $(
                #[doc = concat!("Describes [`", stringify!($name), "`](super::", stringify!($name), ").")]
                pub static $name: $crate::meta::Type = ur_types! { @meta $kind [$($doc)*] $name $c [$($arg)?] $($body)* };
            )*
        }
    };

    (@enum [$($doc:literal)*] $name:ident $c:ident [$prefix:ident]
        $( $(#[doc = $vdoc:literal])* $v:ident $($cname:literal)? = $value:expr $(=> ($($ty:tt)*))?, )*) => {
        $(#[doc = $doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u32);

        #[allow(missing_docs, reason = "the table may leave a name to speak for itself")]
        #[allow(clippy::identity_op, reason = "a version is written (0 << 16) | 12")]
        impl $name {
            $( $(#[doc = $vdoc])* pub const $v: Self = Self($value); )*
        }

        impl $crate::meta::Named for $name {
            const VARIANTS: &'static [$crate::meta::Variant] = &[
                $( $crate::meta::Variant {
                    name: concat!(stringify!($prefix), ur_types!(@or $($cname,)? stringify!($v),)),
                    value: Self::$v.0,
                    doc: concat!($($vdoc, "\n"),*),
                    answer: ur_types!(@answer $($($ty)*)?),
                } ),*
            ];

            fn number(self) -> u32 {
                self.0
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::meta::fmt_enum(self.0, <Self as $crate::meta::Named>::VARIANTS, stringify!($c), f)
            }
        }
    };

    (@flags [$($doc:literal)*] $name:ident $c:ident [$prefix:ident]
        $( $(#[doc = $vdoc:literal])* $v:ident = $value:expr, )*) => {
        bitflags::bitflags! {
            $(#[doc = $doc])*
            #[repr(transparent)]
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
            pub struct $name: u32 {
                $( $(#[doc = $vdoc])* const $v = $value; )*
                // A caller's unknown bits are kept: the callee decides whether they are an error.
                const _ = !0;
            }
        }

        impl $crate::meta::Named for $name {
            const VARIANTS: &'static [$crate::meta::Variant] = &[
                $( $crate::meta::Variant {
                    name: concat!(stringify!($prefix), stringify!($v)),
                    value: Self::$v.bits(),
                    doc: concat!($($vdoc, "\n"),*),
                    answer: None,
                } ),*
            ];

            fn number(self) -> u32 {
                self.bits()
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::meta::fmt_flags(self.bits(), <Self as $crate::meta::Named>::VARIANTS, f)
            }
        }
    };

    (@struct [$($doc:literal)*] $name:ident $c:ident [$($stype:ident)?]
        $( $(#[doc = $fdoc:literal])* [$($attr:tt)*] $f:ident: $ty:ty, )*) => {
        $(#[doc = $doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs, reason = "stype and pNext mean the same in every structure")]
        pub struct $name { $( $(#[doc = $fdoc])* pub $f: $ty, )* }

        impl Default for $name {
            fn default() -> Self {
                // SAFETY: every structure of the ABI is a C structure of integers, floats, pointers and handles,
                // for all of which the all-zero pattern is a valid value.
                #[allow(unused_mut)]
                let mut new: Self = unsafe { core::mem::zeroed() };
                $( new.stype = StructureType::$stype; )?
                new
            }
        }

        $( impl $crate::Tagged for $name { const STYPE: StructureType = StructureType::$stype; } )?
    };

    (@union [$($doc:literal)*] $name:ident $c:ident []
        $( $(#[doc = $fdoc:literal])* [$($attr:tt)*] $f:ident: $ty:ty, )*) => {
        $(#[doc = $doc])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub union $name { $( $(#[doc = $fdoc])* pub $f: $ty, )* }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($c), " {..}"))
            }
        }
    };

    (@handle [$($doc:literal)*] $name:ident $c:ident []) => {
        $(#[doc = $doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(pub *mut c_void);

        impl $crate::Handle for $name {
            fn from_ptr(pointer: *mut c_void) -> Self { Self(pointer) }
            fn as_ptr(self) -> *mut c_void { self.0 }
        }

        impl Default for $name {
            fn default() -> Self { Self(core::ptr::null_mut()) }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result { self.0.fmt(f) }
        }

        // SAFETY: a handle is an opaque number to its holder. The objects behind handles may be used from any thread, as
        // the specification requires.
        unsafe impl Send for $name {}
        // SAFETY: as above; the type gives no access to memory.
        unsafe impl Sync for $name {}
    };

    (@alias [$($doc:literal)*] $name:ident $c:ident [] $ty:ty) => {
        $(#[doc = $doc])*
        pub type $name = $ty;
    };

    (@callback [$($doc:literal)*] $name:ident $c:ident [$($ret:ident)?]
        $( $(#[doc = $pdoc:literal])* [$($attr:tt)*] $p:ident: $ty:ty, )*) => {
        $(#[doc = $doc])*
        pub type $name = Option<unsafe extern "C" fn($($p: $ty),*) $(-> $ret)?>;
    };

    (@string [$($doc:literal)*] $name:ident $c:ident [] $value:literal) => {
        $(#[doc = $doc])*
        pub const $name: &core::ffi::CStr = $value;
    };

    (@meta enum [$($doc:literal)*] $name:ident $c:ident [$prefix:ident] $($body:tt)*) => {
        ur_types!(@type $name $c [$($doc)*] [$crate::meta::Layout::of::<$name>()] $crate::meta::Kind::Enum {
            prefix: stringify!($prefix),
            variants: <$name as $crate::meta::Named>::VARIANTS,
        })
    };
    (@meta flags [$($doc:literal)*] $name:ident $c:ident [$prefix:ident] $($body:tt)*) => {
        ur_types!(@type $name $c [$($doc)*] [$crate::meta::Layout::of::<$name>()] $crate::meta::Kind::Flags {
            prefix: stringify!($prefix),
            variants: <$name as $crate::meta::Named>::VARIANTS,
        })
    };
    (@meta struct [$($doc:literal)*] $name:ident $c:ident [$($stype:ident)?]
        $( $(#[doc = $fdoc:literal])* [$($attr:tt)*] $f:ident: $ty:ty, )*) => {
        ur_types!(@type $name $c [$($doc)*] [ur_types!(@layout $name $($f)*)] $crate::meta::Kind::Struct {
            fields: fields! { $( [$($fdoc)*] [$($attr)*] $f: $ty, )* },
        })
    };
    (@meta union [$($doc:literal)*] $name:ident $c:ident []
        $( $(#[doc = $fdoc:literal])* [$($attr:tt)*] $f:ident: $ty:ty, )*) => {
        ur_types!(@type $name $c [$($doc)*] [ur_types!(@layout $name $($f)*)] $crate::meta::Kind::Union {
            fields: fields! { $( [$($fdoc)*] [$($attr)*] $f: $ty, )* },
        })
    };
    (@meta handle [$($doc:literal)*] $name:ident $c:ident []) => {
        ur_types!(@type $name $c [$($doc)*] [$crate::meta::Layout::of::<$name>()] $crate::meta::Kind::Handle)
    };
    (@meta alias [$($doc:literal)*] $name:ident $c:ident [] $ty:ty) => {
        ur_types!(@type $name $c [$($doc)*] [$crate::meta::Layout::of::<$name>()] $crate::meta::Kind::Alias {
            ty: $crate::meta::ty!($ty),
        })
    };
    (@meta callback [$($doc:literal)*] $name:ident $c:ident [$($ret:ident)?]
        $( $(#[doc = $pdoc:literal])* [$($attr:tt)*] $p:ident: $ty:ty, )*) => {
        ur_types!(@type $name $c [$($doc)*] [$crate::meta::Layout::of::<$name>()] $crate::meta::Kind::Callback {
            params: fields! { $( [$($pdoc)*] [$($attr)*] $p: $ty, )* },
            result: ur_types!(@or $(Some($crate::meta::ty!($ret)),)? None,),
        })
    };
    (@meta string [$($doc:literal)*] $name:ident $c:ident [] $value:literal) => {
        ur_types!(@type $name $c [$($doc)*] [] $crate::meta::Kind::String { value: $value })
    };

    (@type $name:ident $c:ident [$($doc:literal)*] [$($layout:expr)?] $kind:expr) => {
        $crate::meta::Type {
            name: stringify!($name),
            c_name: stringify!($c),
            doc: concat!($($doc, "\n"),*),
            kind: $kind,
            layout: ur_types!(@or $(Some($layout),)? None,),
        }
    };
    (@layout $name:ident $($f:ident)*) => {
        $crate::meta::Layout { offsets: &[$(core::mem::offset_of!($name, $f)),*], ..$crate::meta::Layout::of::<$name>() }
    };
    (@answer) => { None };
    (@answer $ty:ty) => { Some($crate::meta::Answer { ty: $crate::meta::ty!($ty), optional: false }) };
    (@answer $ty:ty, optional) => { Some($crate::meta::Answer { ty: $crate::meta::ty!($ty), optional: true }) };
    (@or $first:expr, $($rest:expr,)?) => { $first };
}

/// The members of a structure or the parameters of a function: `[doc] [attributes] name: Type, …`.
macro_rules! fields {
    ($( [$($doc:literal)*] [$($name:tt $(($($argument:tt)*))?),*] $field:ident: $ty:ty, )*) => {
        &{
            #[allow(dead_code, reason = "most attributes name no sibling")]
            const NAMES: &[&str] = &[$(stringify!($field)),*];
            [$( $crate::meta::Field {
                name: stringify!($field),
                ty: $crate::meta::ty!($ty),
                attributes: {
                    #[allow(unused_mut, reason = "most have only a direction")]
                    let mut attributes = $crate::meta::Attributes::IN;
                    $( attribute!(attributes NAMES $name $(($($argument)*))?); )*
                    attributes
                },
                doc: concat!($($doc, "\n"),*),
            } ),*]
        }
    };
}

/// Sets an attribute of the notation.
macro_rules! attribute {
    ($attributes:ident $names:ident in) => {
        $attributes.direction = $crate::meta::Direction::In
    };
    ($attributes:ident $names:ident out) => {
        $attributes.direction = $crate::meta::Direction::Out
    };
    ($attributes:ident $names:ident inout) => {
        $attributes.direction = $crate::meta::Direction::InOut
    };
    ($attributes:ident $names:ident optional) => {
        $attributes.optional = true
    };
    ($attributes:ident $names:ident nocheck) => {
        $attributes.nocheck = true
    };
    ($attributes:ident $names:ident alloc) => {
        $attributes.reference = Some($crate::meta::Reference::Alloc)
    };
    ($attributes:ident $names:ident retain) => {
        $attributes.reference = Some($crate::meta::Reference::Retain)
    };
    ($attributes:ident $names:ident release) => {
        $attributes.reference = Some($crate::meta::Reference::Release)
    };
    ($attributes:ident $names:ident range($(0,)? $count:ident)) => {
        $attributes.count = Some($crate::meta::Sibling::named(stringify!($count), $names))
    };
    ($attributes:ident $names:ident typename($name:ident, $size:ident)) => {
        $attributes.property = Some($crate::meta::Property {
            name: $crate::meta::Sibling::named(stringify!($name), $names),
            size: $crate::meta::Sibling::named(stringify!($size), $names),
        })
    };
    // The part of a memory object or allocation that a command accesses, in the specification's notation. It has no effect.
    ($attributes:ident $names:ident bounds($offset:tt, $($size:tt)*)) => {};
    ($attributes:ident $names:ident tagged_by($tag:ident)) => {
        $attributes.tag = Some($crate::meta::Sibling::named(stringify!($tag), $names))
    };
}
