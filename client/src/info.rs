// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queries: converts the bytes of an answer to Rust values.

use oxur_api::*;

use crate::{Error, Result};

/// Types for which any bytes of the right length are a value.
///
/// # Safety
/// Every bit pattern must be valid, and there must be no padding.
pub unsafe trait Plain: Copy + 'static {}

/// A type that the answer to a query can be converted to.
pub trait FromInfo: Sized {
    /// The value of these bytes, or `None` if the length is wrong.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

macro_rules! plain {
    ($($ty:ty),* $(,)?) => { $(
        // SAFETY: an integer, a float, a pointer or a C structure of such, without padding.
        unsafe impl Plain for $ty {}
    )* };
}

plain! {
    u8, i8, u16, i16, u32, i32, u64, i64, usize, f32, f64, [usize; 3], *mut c_void, *mut u8,
    Backend, LoggerLevel, DeviceType, DeviceMemCacheType, DeviceLocalMemType, DevicePartition, DevicePartitionProperty,
    DeviceFpCapabilityFlags, DeviceExecCapabilityFlags, DeviceAffinityDomainFlags, MemoryOrderCapabilityFlags,
    MemoryScopeCapabilityFlags, DeviceUsmAccessCapabilityFlags, DeviceThrottleReasonsFlags, KernelLaunchPropertiesFlags,
    DeviceCommandBufferUpdateCapabilityFlags, ExpDevice2dBlockArrayCapabilityFlags, QueueFlags, CommandType, EventStatus,
    SamplerAddressingMode, SamplerFilterMode, UsmType, ImageFormat, ProgramBuildStatus, ProgramBinaryType,
    VirtualMemAccessFlags, AdapterHandle, PlatformHandle, DeviceHandle, ContextHandle, QueueHandle, EventHandle,
    ProgramHandle, KernelHandle, MemHandle, SamplerHandle, UsmPoolHandle,
}

impl<T: Plain> FromInfo for T {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        // SAFETY: the length is that of the type, and any bytes are a value of it.
        (bytes.len() == size_of::<T>()).then(|| unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
    }
}

impl FromInfo for bool {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Bool::from_bytes(bytes).map(|value| value != 0)
    }
}

impl<T: Plain> FromInfo for Vec<T> {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let chunks = bytes.chunks_exact(size_of::<T>());
        chunks
            .remainder()
            .is_empty()
            .then(|| chunks.filter_map(T::from_bytes).collect())
    }
}

impl FromInfo for String {
    /// The text up to its NUL. `None` if there is no NUL, unless the answer is empty.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let end = if bytes.is_empty() {
            0
        } else {
            bytes.iter().position(|b| *b == 0)?
        };
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }
}

/// Queries the size, then the value.
pub(crate) fn query<T: FromInfo>(
    function: &'static str,
    get: impl Fn(usize, *mut c_void, *mut usize) -> Result<()>,
) -> Result<T> {
    let mut size = 0;
    get(0, core::ptr::null_mut(), &mut size)?;
    // u64, so that the library can write an aligned value.
    let mut buffer = vec![0u64; size.div_ceil(8)];
    if size > 0 {
        get(size, buffer.as_mut_ptr().cast(), core::ptr::null_mut())?;
    }
    // SAFETY: the buffer has at least `size` initialised bytes.
    let bytes = unsafe { core::slice::from_raw_parts(buffer.as_ptr().cast::<u8>(), size) };
    T::from_bytes(bytes).ok_or(Error::Answer {
        function,
        size,
        expected: core::any::type_name::<T>(),
    })
}

/// The bytes of values.
pub(crate) fn bytes_of<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: the memory of a slice of a type without padding is initialised bytes.
    unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Queries a count, then as many handles.
pub(crate) fn list<T: Plain + Default>(get: impl Fn(u32, *mut T, *mut u32) -> Result<()>) -> Result<Vec<T>> {
    let mut count = 0;
    get(0, core::ptr::null_mut(), &mut count)?;
    let mut handles = vec![T::default(); count as usize];
    if count > 0 {
        get(count, handles.as_mut_ptr(), core::ptr::null_mut())?;
    }
    Ok(handles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        assert_eq!(u32::from_bytes(&[1, 0, 0, 0]), Some(1));
        assert_eq!(u32::from_bytes(&[1, 0, 0]), None);
        assert_eq!(Vec::<u16>::from_bytes(&[1, 0, 2, 0]), Some(vec![1, 2]));
        assert_eq!(Vec::<u16>::from_bytes(&[1, 0, 2]), None);
        assert_eq!(bool::from_bytes(&[2]), Some(true));
        assert_eq!(String::from_bytes(b"ab\0"), Some("ab".into()));
        assert_eq!(String::from_bytes(b"ab"), None);
        assert_eq!(String::from_bytes(b""), Some(String::new()));
    }
}
