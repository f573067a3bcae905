// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The ABI as data: descriptions of each type and function, for code that prints, checks or generates (the C headers, the
//! tracing layer, the layout tests).

use core::ffi::CStr;
use core::fmt;

use crate::ResultCode;
pub(crate) use oxur_api_macros::ty;

/// A C type of the ABI.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    /// Name in Rust, for example `DeviceInfo`.
    pub name: &'static str,
    /// Name in C, for example `ur_device_info_t`.
    pub c_name: &'static str,
    /// Documentation, in lines.
    pub doc: &'static str,
    /// The kind of type, and its parts.
    pub kind: Kind,
    /// Its layout in Rust; `None` for a string constant.
    pub layout: Option<Layout>,
}

/// A type, in the spelling of the tables.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the primitive types speak for themselves")]
pub enum Ty {
    /// `void`, behind a pointer.
    Void,
    Bool,
    /// `char`.
    Char,
    /// `int`.
    Int,
    U8,
    U16,
    U32,
    I32,
    U64,
    Usize,
    F32,
    /// `*const T` or `*mut T`.
    Pointer {
        mutable: bool,
        target: &'static Ty,
    },
    /// `[T; N]`.
    Array {
        element: &'static Ty,
        length: usize,
    },
    /// `[T]`: the answer to a query. Its size determines the number of elements.
    Slice {
        element: &'static Ty,
    },
    /// A type of the ABI.
    Named(&'static Type),
}

impl Ty {
    /// The size of a value in bytes; `None` for `void`, slices and strings.
    pub const fn size(&self) -> Option<usize> {
        Some(match self {
            Self::Bool | Self::Char | Self::U8 => 1,
            Self::U16 => 2,
            Self::Int | Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 => 8,
            Self::Usize | Self::Pointer { .. } => size_of::<usize>(),
            Self::Array { element, length } => match element.size() {
                Some(size) => size * *length,
                None => return None,
            },
            Self::Named(named) => match named.layout {
                Some(layout) => layout.size,
                None => return None,
            },
            Self::Void | Self::Slice { .. } => return None,
        })
    }

    /// The target of a pointer.
    pub const fn pointee(&self) -> Option<&'static Ty> {
        match self {
            Self::Pointer { target, .. } => Some(target),
            _ => None,
        }
    }

    /// The kind of a type of the ABI.
    pub const fn kind(&self) -> Option<Kind> {
        match self {
            Self::Named(named) => Some(named.kind),
            _ => None,
        }
    }

    /// Whether it is a handle, and not a pointer to one.
    pub const fn is_handle(&self) -> bool {
        matches!(self.kind(), Some(Kind::Handle))
    }
}

/// A type's layout, as the Rust compiler chose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Offsets of the members in declaration order; empty if there are none.
    pub offsets: &'static [usize],
}

impl Layout {
    /// The layout of a type without members.
    pub const fn of<T>() -> Self {
        Self {
            size: size_of::<T>(),
            align: align_of::<T>(),
            offsets: &[],
        }
    }
}

/// The kinds of C types in the ABI.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// An enumeration of 32 bits.
    Enum {
        /// The prefix of all enumerators.
        prefix: &'static str,
        /// Enumerators in declaration order.
        variants: &'static [Variant],
    },
    /// A set of bits in a `uint32_t`, with the enumeration of the single bits.
    Flags {
        /// The prefix of all bits.
        prefix: &'static str,
        /// Bits in declaration order.
        variants: &'static [Variant],
    },
    /// A structure.
    Struct {
        /// Members in memory order.
        fields: &'static [Field],
    },
    /// A union.
    Union {
        /// Members, all at offset 0.
        fields: &'static [Field],
    },
    /// A pointer to an incomplete structure.
    Handle,
    /// Another name of a type.
    Alias {
        /// That type.
        ty: Ty,
    },
    /// A pointer to a client function.
    Callback {
        /// Parameters in order.
        params: &'static [Field],
        /// The type of the result, `None` for `void`.
        result: Option<Ty>,
    },
    /// A string constant: a macro in C.
    String {
        /// Its text.
        value: &'static CStr,
    },
}

/// An enumerator.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Full name in C, for example `UR_DEVICE_INFO_NAME`.
    pub name: &'static str,
    /// Its value.
    pub value: u32,
    /// Documentation, in lines.
    pub doc: &'static str,
    /// For a property of a `Get*Info` function: the type of its answer.
    pub answer: Option<Answer>,
}

/// The type of the answer to a query.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// A slice is an array. The answer's size determines the number of elements.
    pub ty: Ty,
    /// Whether an implementation may answer `UNSUPPORTED_ENUMERATION`.
    pub optional: bool,
}

/// A member of a structure or a parameter of a function.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name, the same in C and Rust except for Rust's `r#`.
    pub name: &'static str,
    /// Its type.
    pub ty: Ty,
    /// Its attributes in the table.
    pub attributes: Attributes,
    /// Documentation, in lines.
    pub doc: &'static str,
}

impl Field {
    /// The name in C.
    pub fn c_name(&self) -> &'static str {
        self.name.strip_prefix("r#").unwrap_or(self.name)
    }
}

/// The direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The function reads it.
    In,
    /// The function writes it.
    Out,
    /// Both.
    InOut,
}

impl Direction {
    /// The spelling in the headers: `in`, `out`, `inout`.
    pub fn name(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::InOut => "inout",
        }
    }
}

/// The effect of a call on the references to a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// `alloc`: the result carries a reference for the caller to release.
    Alloc,
    /// `retain`: one more.
    Retain,
    /// `release`: one less.
    Release,
}

/// Another member of the same structure, or another parameter of the same function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sibling(u8);

impl Sibling {
    /// The sibling with a name.
    ///
    /// # Panics
    /// Panics, at compile time, if there is none.
    pub(crate) const fn named(name: &str, all: &[&str]) -> Self {
        let mut index = 0;
        while index < all.len() {
            if is_same(all[index], name) || is_raw(all[index], name) {
                return Self(index as u8);
            }
            index += 1;
        }
        panic!("an attribute names a parameter or member that is not there")
    }

    /// Its index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The type and size of a value that depends on a property: `typename(propName, propSize)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property {
    /// The parameter with the property.
    pub name: Sibling,
    /// The parameter with the size of the value in bytes.
    pub size: Sibling,
}

/// The attributes of a parameter or member in the table.
#[derive(Clone, Copy, Debug)]
pub struct Attributes {
    /// `in`, `out`, `inout`.
    pub direction: Direction,
    /// `optional`: may be null.
    pub optional: bool,
    /// `nocheck`: may be null although it is not a pointer.
    pub nocheck: bool,
    /// `alloc`, `retain`, `release`.
    pub reference: Option<Reference>,
    /// `range(count)`: a list whose length is in that sibling.
    pub count: Option<Sibling>,
    /// `typename(propName, propSize)`.
    pub property: Option<Property>,
    /// `tagged_by(type)`: the member that determines which member of this union is valid.
    pub tag: Option<Sibling>,
}

impl Attributes {
    /// The attributes of a parameter that has only `in`.
    pub(crate) const IN: Self = Self {
        direction: Direction::In,
        optional: false,
        nocheck: false,
        reference: None,
        count: None,
        property: None,
        tag: None,
    };

    /// Whether the function reads the previous value.
    pub const fn is_in(&self) -> bool {
        !matches!(self.direction, Direction::Out)
    }

    /// Whether the function only writes it.
    pub const fn is_out(&self) -> bool {
        matches!(self.direction, Direction::Out)
    }
}

/// Whether two strings are equal, for constants.
pub const fn is_same(a: &str, b: &str) -> bool {
    ends_with(a, b, 0)
}

/// Whether `a` is `b` with Rust's `r#` before it.
const fn is_raw(a: &str, b: &str) -> bool {
    let raw = a.as_bytes();
    raw.len() > 2 && raw[0] == b'r' && raw[1] == b'#' && ends_with(a, b, 2)
}

/// Whether `a` from byte `from` on is `b`.
const fn ends_with(a: &str, b: &str, from: usize) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() + from {
        return false;
    }
    let mut at = 0;
    while at < b.len() {
        if a[at + from] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// A function of the ABI.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Name, for example `urDeviceGet`.
    pub name: &'static str,
    /// Field of its DDI table, for example `pfnGet`.
    pub slot: &'static str,
    /// Value of its `ur_function_t` enumerator; 0 if it has none.
    pub id: u32,
    /// First release that has it, if that is later than 2026.0.
    pub since: Option<&'static str>,
    /// Last release that has it, for functions that 2026.2 dropped.
    pub until: Option<&'static str>,
    /// Parameters in order.
    pub params: &'static [Field],
    /// The documented errors, without those of [`Function::ANY`].
    pub errors: &'static [ResultCode],
    /// Documentation, in lines.
    pub doc: &'static str,
}

impl Function {
    /// The errors that any function may return.
    pub const ANY: [ResultCode; 3] = [
        ResultCode::ERROR_UNINITIALIZED,
        ResultCode::ERROR_DEVICE_LOST,
        ResultCode::ERROR_ADAPTER_SPECIFIC,
    ];

    /// Whether the specification allows the function to return `code`.
    pub fn documents(&self, code: ResultCode) -> bool {
        documents(self.errors, code)
    }

    /// The parameter with a name.
    pub fn param(&self, name: &str) -> Option<(usize, &'static Field)> {
        self.params.iter().enumerate().find(|(_, param)| param.name == name)
    }
}

/// Whether a function with these documented errors may return `code`.
pub(crate) fn documents(errors: &[ResultCode], code: ResultCode) -> bool {
    code == ResultCode::SUCCESS || Function::ANY.contains(&code) || errors.contains(&code)
}

/// A DDI table: a structure of function pointers that an adapter fills.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its member in `ur_dditable_t`, for example `Device`.
    pub member: &'static str,
    /// Name in C, for example `ur_device_dditable_t`.
    pub c_name: &'static str,
    /// The symbol that an adapter exports to fill it.
    pub getter: &'static str,
    /// Its functions, in the order of the slots.
    pub functions: &'static [Function],
    /// Its layout in Rust.
    pub layout: Layout,
}

/// Types whose values have names.
pub trait Named: Copy {
    /// The names.
    const VARIANTS: &'static [Variant];

    /// The largest value that has a name.
    const LAST: u32 = last(Self::VARIANTS);

    /// All bits of the values that have names: the valid bits of flags.
    const MASK: u32 = mask(Self::VARIANTS);

    /// The value in C.
    fn number(self) -> u32;
}

const fn mask(variants: &[Variant]) -> u32 {
    let (mut index, mut mask) = (0, 0);
    while index < variants.len() {
        mask |= variants[index].value;
        index += 1;
    }
    mask
}

const fn last(variants: &[Variant]) -> u32 {
    let (mut index, mut last) = (0, 0);
    while index < variants.len() {
        if variants[index].value > last {
            last = variants[index].value;
        }
        index += 1;
    }
    last
}

/// Writes the C name of an enumerator, or its number if it has no name.
pub fn fmt_enum(value: u32, variants: &[Variant], c_name: &str, f: &mut impl fmt::Write) -> fmt::Result {
    match variants.iter().find(|v| v.value == value) {
        Some(variant) => f.write_str(variant.name),
        None => write!(f, "({c_name}){value:#x}"),
    }
}

/// Writes the C names of the set bits, joined by ` | `.
pub fn fmt_flags(bits: u32, variants: &[Variant], f: &mut impl fmt::Write) -> fmt::Result {
    let mut rest = bits;
    let mut separator = "";
    for variant in variants.iter().filter(|v| v.value != 0 && bits & v.value == v.value) {
        write!(f, "{separator}{}", variant.name)?;
        rest &= !variant.value;
        separator = " | ";
    }
    if rest != 0 || bits == 0 {
        write!(f, "{separator}{rest:#x}")?;
    }
    Ok(())
}
