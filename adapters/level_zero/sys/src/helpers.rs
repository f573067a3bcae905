// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! What the headers have as macros, and what Rust adds to their types.

use core::error::Error;
use core::fmt;

use crate::{
    ZE_RESULT_SUCCESS, ze_api_version_t, ze_result_t, ze_structure_type_t, zel_component_version_t,
    zel_structure_type_t, zel_version_t, zes_structure_type_t, zet_structure_type_t,
};

/// A structure that begins with its type, `stype`.
pub trait Structure {
    /// The enumeration of the tag: that of core, tools, sysman or runtime.
    type Tag;

    /// What `stype` of this structure is. Of two values, it is the one that the headers recommend: for
    /// `ze_device_properties_t` that of version 1.2, whose timer is in cycles per second.
    const STRUCTURE_TYPE: Self::Tag;
}

macro_rules! tags {
    ($($tag:ident)*) => { $(
        impl From<$tag> for u32 {
            fn from(tag: $tag) -> Self {
                tag.0
            }
        }
    )* };
}
tags!(ze_structure_type_t zet_structure_type_t zes_structure_type_t zel_structure_type_t);

/// The headers' macro of this name: a version of the API or of an extension.
#[allow(non_snake_case)]
pub const fn ZE_MAKE_VERSION(major: u32, minor: u32) -> u32 {
    (major << 16) | (minor & 0xffff)
}

/// The headers' macro of this name.
#[allow(non_snake_case)]
pub const fn ZE_MAJOR_VERSION(version: u32) -> u32 {
    version >> 16
}

/// The headers' macro of this name.
#[allow(non_snake_case)]
pub const fn ZE_MINOR_VERSION(version: u32) -> u32 {
    version & 0xffff
}

/// The headers' macro of this name.
#[allow(non_snake_case)]
pub const fn ZE_BIT(index: u32) -> u32 {
    1 << index
}

impl ze_result_t {
    /// `Ok` for `ZE_RESULT_SUCCESS`. Anything else is `Err`, `ZE_RESULT_NOT_READY` as well.
    pub const fn ok(self) -> Result<(), Self> {
        if self.0 == ZE_RESULT_SUCCESS.0 {
            Ok(())
        } else {
            Err(self)
        }
    }
}

impl Error for ze_result_t {}

impl ze_api_version_t {
    /// The first number of the version.
    pub const fn major(self) -> u32 {
        ZE_MAJOR_VERSION(self.0)
    }

    /// The second number of the version.
    pub const fn minor(self) -> u32 {
        ZE_MINOR_VERSION(self.0)
    }
}

impl fmt::Display for zel_version_t {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl zel_component_version_t {
    /// The name of the component, as in `loader`. `None` if it is not UTF-8.
    pub fn name(&self) -> Option<&str> {
        text(&self.component_name)
    }
}

/// The text of a fixed array of characters, up to the first zero. `None` if it is not UTF-8.
///
/// ```
/// # use level_zero_sys::*;
/// let mut properties = ze_device_properties_t::default();
/// properties.name[0] = b'A' as _;
/// assert_eq!(text(&properties.name), Some("A"));
/// ```
pub fn text(characters: &[core::ffi::c_char]) -> Option<&str> {
    // SAFETY: characters of C and bytes have the same size and no invalid values.
    let bytes = unsafe { core::slice::from_raw_parts(characters.as_ptr().cast::<u8>(), characters.len()) };
    core::str::from_utf8(bytes.split(|&byte| byte == 0).next()?).ok()
}

/// The list of a function that tells how long its list is where it gets no room for it. `empty` fills the places of the list
/// before the function does.
///
/// ```
/// # use level_zero_sys::*;
/// # fn f(ze: &Loader) -> Result<(), Box<dyn std::error::Error>> {
/// // SAFETY: `list` passes room for as many handles as it says, or null.
/// let drivers = list(std::ptr::null_mut(), |count, drivers| unsafe { ze.zeDriverGet(count, drivers)?.ok()?; Ok(()) });
/// # let drivers: Result<Vec<ze_driver_handle_t>, Box<dyn std::error::Error>> = drivers;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of the function.
pub fn list<T: Clone, N: Copy + Default + TryInto<usize>, E>(
    empty: T,
    get: impl Fn(&mut N, *mut T) -> Result<(), E>,
) -> Result<Vec<T>, E> {
    let mut count = N::default();
    get(&mut count, core::ptr::null_mut())?;
    let length = |count: N| count.try_into().unwrap_or(0);
    let mut list = vec![empty; length(count)];
    if !list.is_empty() {
        get(&mut count, list.as_mut_ptr())?;
        list.truncate(length(count));
    }
    Ok(list)
}
