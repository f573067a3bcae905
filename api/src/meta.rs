// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The ABI as data: what the macros of this crate know about each type and function, for whoever prints, checks or
//! generates (the C headers, the tracing layer, the layout tests).

use core::ffi::CStr;
use core::fmt;

/// A C type of the ABI.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    /// Name in Rust, for example `DeviceInfo`.
    pub name: &'static str,
    /// Name in C, for example `ur_device_info_t`.
    pub c_name: &'static str,
    /// Documentation, a line an element.
    pub doc: &'static [&'static str],
    /// What kind of type, and its parts.
    pub kind: Kind,
    /// How Rust lays it out; `None` for a string constant.
    pub layout: Option<Layout>,
}

/// A type's place in memory, as the Rust compiler chose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Offsets of the members in declaration order; empty where there are none.
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

/// The kinds of C types that the ABI has.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// An enumeration of 32 bits.
    Enum {
        /// What every enumerator's name starts with.
        prefix: &'static str,
        /// Enumerators in declaration order.
        variants: &'static [Variant],
    },
    /// A set of bits in a `uint32_t`, with the enumeration of the single bits.
    Flags {
        /// What every bit's name starts with.
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
        /// The Rust spelling of that type.
        ty: &'static str,
    },
    /// A pointer to a function that the client gives.
    Callback {
        /// Parameters in order.
        params: &'static [Field],
        /// The Rust name of the type of the result, `None` for `void`.
        result: Option<&'static str>,
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
    /// Documentation, a line an element.
    pub doc: &'static [&'static str],
    /// For a property that a `Get*Info` function reports: what the answer is.
    pub answer: Option<Answer>,
}

/// The type of the answer to a query.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Rust spelling; a slice is an array of as many elements as the answer's size says.
    pub ty: &'static str,
    /// Whether an implementation may answer `UNSUPPORTED_ENUMERATION`.
    pub optional: bool,
}

/// A member of a structure or a parameter of a function.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name, the same in C and Rust but for Rust's `r#`.
    pub name: &'static str,
    /// Rust spelling of its type.
    pub ty: &'static str,
    /// Attributes of the table: `in`, `out`, `inout`, `optional`, `range(count)`, `alloc`, `retain`, `release`, ….
    pub attributes: &'static str,
    /// Documentation, a line an element.
    pub doc: &'static [&'static str],
}

impl Field {
    /// The name as C spells it.
    pub fn c_name(&self) -> &'static str {
        self.name.strip_prefix("r#").unwrap_or(self.name)
    }

    /// Whether the table gives this parameter the attribute `name`.
    pub fn has(&self, name: &str) -> bool {
        self.attributes.split(',').any(|a| a.trim() == name)
    }

    /// The parameter that holds the number of elements behind this pointer.
    pub fn count(&self) -> Option<&'static str> {
        let (_, rest) = self.attributes.split_once("range(")?;
        Some(rest.split(')').next().unwrap_or(rest).trim())
    }
}

/// A function of the ABI.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Name, for example `urDeviceGet`.
    pub name: &'static str,
    /// Field of its DDI table, for example `pfnGet`.
    pub slot: &'static str,
    /// Value of its `ur_function_t` enumerator; 0 where the ABI gives it none.
    pub id: u32,
    /// First release that has it, where that is later than 2026.0.
    pub since: Option<&'static str>,
    /// Last release that has it, for the functions that 2026.2 dropped.
    pub until: Option<&'static str>,
    /// Parameters in order.
    pub params: &'static [Field],
    /// Documented errors, without the `UR_RESULT_` in front, beside those that any function may give: `UNINITIALIZED`, `DEVICE_LOST`,
    /// `ADAPTER_SPECIFIC`.
    pub errors: &'static [&'static str],
    /// Documentation, a line an element.
    pub doc: &'static [&'static str],
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
    /// How Rust lays it out.
    pub layout: Layout,
}

/// Types whose values have names.
pub trait Named: Copy {
    /// The names.
    const VARIANTS: &'static [Variant];

    /// The largest value that has a name.
    const LAST: u32 = last(Self::VARIANTS);

    /// All bits of the values that have names: what a value of flags may have.
    const MASK: u32 = mask(Self::VARIANTS);

    /// The value as C has it.
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

/// Writes the C name of an enumerator, or its number where no name is known.
pub fn fmt_enum<T: Named>(value: u32, c_name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match T::VARIANTS.iter().find(|v| v.value == value) {
        Some(variant) => f.write_str(variant.name),
        None => write!(f, "({c_name}){value}"),
    }
}

/// Writes the C names of the set bits, joined by ` | `.
pub fn fmt_flags<T: Named>(bits: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut rest = bits;
    let mut separator = "";
    for variant in T::VARIANTS.iter().filter(|v| v.value != 0 && bits & v.value == v.value) {
        write!(f, "{separator}{}", variant.name)?;
        rest &= !variant.value;
        separator = " | ";
    }
    if rest != 0 || bits == 0 {
        write!(f, "{separator}{rest:#x}")?;
    }
    Ok(())
}
