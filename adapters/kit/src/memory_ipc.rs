// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! USM of devices that processes share by bytes, where the driver makes bytes of an allocation.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

use crate::error::{UrError, UrResult};
use crate::ur::UsmType;
use crate::{Backend, Context, ForeignMemory, IpcExport, MemoryOf, MemoryProvider, UsmAllocation};

/// The driver's part of sharing USM: it makes `N` bytes of an allocation.
pub trait MemoryIpc<B: Backend, const N: usize>: MemoryProvider<Device = B::Device> {
    /// Refuses where the driver shares no memory.
    fn require_ipc(&self) -> UrResult<()>;

    /// Shares USM of a device that this context allocated.
    fn share(&self, memory: &UsmAllocation<Self>) -> UrResult<SharedMemory<N>>;

    /// Maps the allocation of another process. Its address, and how many bytes it has.
    fn open_shared(&self, device: &Arc<B::Device>, handle: [u8; N]) -> UrResult<(usize, usize)>;

    /// Unmaps what [`open_shared`](Self::open_shared) mapped for a device.
    fn close_shared(&self, device: &Arc<B::Device>, base: usize) -> UrResult<()>;
}

/// An allocation that is shared.
pub struct SharedMemory<const N: usize> {
    /// The driver's bytes.
    pub handle: [u8; N],
    /// Where the allocation starts that the driver knows: ours may be a part of it.
    pub base: usize,
    /// What must stay as long as the client has the bytes.
    pub keep: Box<dyn Any + Send>,
}

/// Writes the methods of [`Ipc`](crate::Ipc) that share USM, in an implementation for a context that has [`MemoryIpc`].
#[macro_export]
macro_rules! memory_ipc_methods {
    ($backend:ty) => {
        fn ipc_export_mem(
            self: &::std::sync::Arc<Self>,
            memory: *mut ::std::ffi::c_void,
        ) -> $crate::UrResult<$crate::IpcExport> {
            $crate::memory_ipc::export_memory::<$backend, _>(self, memory)
        }

        fn ipc_open_mem(
            self: &::std::sync::Arc<Self>,
            device: &::std::sync::Arc<<$backend as $crate::Backend>::Device>,
            data: &[u8],
        ) -> $crate::UrResult<*mut ::std::ffi::c_void> {
            $crate::memory_ipc::open_memory::<$backend, _>(self, device, data)
        }

        fn ipc_close_mem(self: &::std::sync::Arc<Self>, memory: *mut ::std::ffi::c_void) -> $crate::UrResult<()> {
            $crate::memory_ipc::close_memory::<$backend, _>(self, memory)
        }
    };
}

/// Memory of others that a context with [`MemoryIpc`] has.
fn foreign<P: MemoryProvider>(context: &P) -> UrResult<&ForeignMemory<P>> {
    context
        .foreign_memory()
        .ok_or_else(|| crate::ur::ResultCode::ERROR_UNSUPPORTED_FEATURE.into())
}

/// As [`Ipc::ipc_export_mem`](crate::Ipc::ipc_export_mem).
pub fn export_memory<B: Backend, const N: usize>(context: &Arc<B::Context>, memory: *mut c_void) -> UrResult<IpcExport>
where
    B::Context: MemoryIpc<B, N>,
{
    context.require_ipc()?;
    let foreign = foreign(&**context)?;
    let is_own = |found: &UsmAllocation<_>| found.kind == UsmType::DEVICE && foreign.find(memory.addr()).is_none();
    let found = context.usm().find(&**context, memory.addr()).filter(is_own);
    let found = found.ok_or_else(
        || crate::error!(ERROR_INVALID_VALUE: "{memory:p} is no device USM of this context that could be shared"),
    )?;
    let SharedMemory { handle, base, keep } = context.share(&found)?;
    let bytes = IpcBytes {
        handle,
        offset: found.base - base,
        size: found.size,
    };
    Ok(IpcExport {
        data: bytes.write(),
        keep,
    })
}

/// As [`Ipc::ipc_open_mem`](crate::Ipc::ipc_open_mem).
pub fn open_memory<B: Backend, const N: usize>(
    context: &Arc<B::Context>,
    device: &Arc<B::Device>,
    data: &[u8],
) -> UrResult<*mut c_void>
where
    B::Context: MemoryIpc<B, N>,
{
    context.require_ipc()?;
    context.check_device(device)?;
    let bytes = IpcBytes::read(data)?;
    let (base, length) = context
        .open_shared(device, bytes.handle)
        .map_err(IpcBytes::<N>::refused)?;
    if let Err(error) = bytes.check_part(length) {
        context.close_shared(device, base)?;
        return Err(error);
    }
    let memory = base + bytes.offset;
    foreign(&**context)?.add(MemoryOf::Process, memory, base, bytes.size, Some(device));
    Ok(memory as *mut c_void)
}

/// As [`Ipc::ipc_close_mem`](crate::Ipc::ipc_close_mem).
pub fn close_memory<B: Backend, const N: usize>(context: &Arc<B::Context>, memory: *mut c_void) -> UrResult<()>
where
    B::Context: MemoryIpc<B, N>,
{
    let (base, device) = foreign(&**context)?.remove(MemoryOf::Process, memory)?;
    context.close_shared(device.as_ref().expect("it was opened for a device"), base)
}

/// What the client carries to another process: the driver's bytes of an allocation, and the part of it that is meant.
struct IpcBytes<const N: usize> {
    /// The driver's.
    handle: [u8; N],
    /// Where the memory starts in the allocation.
    offset: usize,
    /// How many bytes it has.
    size: usize,
}

impl<const N: usize> IpcBytes<N> {
    /// As the client gets them.
    fn write(&self) -> Box<[u8]> {
        [&self.handle[..], &self.offset.to_ne_bytes(), &self.size.to_ne_bytes()]
            .concat()
            .into()
    }

    /// From what another process has written.
    fn read(data: &[u8]) -> UrResult<Self> {
        let parts = data.split_first_chunk().and_then(|(handle, numbers)| {
            let (offset, size) = numbers.split_first_chunk()?;
            Some(Self {
                handle: *handle,
                offset: usize::from_ne_bytes(*offset),
                size: usize::from_ne_bytes(size.try_into().ok()?),
            })
        });
        parts.ok_or_else(|| Self::refused("their number is wrong"))
    }

    /// The error of bytes that are no handle.
    #[cold]
    fn refused(why: impl std::fmt::Display) -> UrError {
        crate::error!(ERROR_INVALID_VALUE: "the bytes are no handle of memory that another process shares: {why}")
    }

    /// Refuses a part that is not in an allocation of `length` bytes.
    fn check_part(&self, length: usize) -> UrResult<()> {
        match self.offset.checked_add(self.size) {
            Some(end) if end <= length => Ok(()),
            _ => Err(Self::refused(format_args!(
                "{} bytes at {} are not in it",
                self.size, self.offset
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::IpcBytes;

    #[test]
    fn bytes_for_another_process() {
        let bytes = IpcBytes {
            handle: [1, 2, 3],
            offset: 16,
            size: 48,
        };
        let written = bytes.write();
        let read = IpcBytes::<3>::read(&written).expect("they are whole");
        assert_eq!((read.handle, read.offset, read.size), ([1, 2, 3], 16, 48));
        assert!(read.check_part(64).is_ok() && read.check_part(63).is_err());
        assert!(IpcBytes::<3>::read(&written[1..]).is_err() && IpcBytes::<4>::read(&written).is_err());
    }
}
