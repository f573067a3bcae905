// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A memory pool of CUDA for the device memory of a device: neither to take memory nor to give it back waits for commands,
//! as `cuMemAlloc` and `cuMemFree` do.

use kit::UrResult;
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::Mutex;

use crate::driver::{self, cu, cu_get};

/// The pool, and the stream in whose order memory comes and goes. There is nothing else in it.
pub(crate) struct MemoryPool {
    raw: CUmemoryPool,
    stream: CUstream,
    /// The other devices that may use its memory.
    open_to: Mutex<Vec<CUdevice>>,
}

// SAFETY: CUDA's handles may be used from any thread.
unsafe impl Send for MemoryPool {}
// SAFETY: as above.
unsafe impl Sync for MemoryPool {}

/// Memory of a device.
pub(crate) fn on_device(device: CUdevice) -> CUmemLocation {
    CUmemLocation {
        kind: CU_MEM_LOCATION_TYPE_DEVICE,
        id: device,
    }
}

impl MemoryPool {
    /// That of a device, whose context is current. It stays until the process ends.
    pub(crate) fn new(device: CUdevice) -> UrResult<Self> {
        let properties = CUmemPoolProps {
            allocType: CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: 0,
            location: on_device(device),
            win32SecurityAttributes: std::ptr::null_mut(),
            maxSize: 0,
            usage: 0,
            reserved: [0; 54],
        };
        // SAFETY: a place for the pool, and a description.
        let raw = unsafe { cu_get!(cuMemPoolCreate(_, &properties): CUmemoryPool = std::ptr::null_mut()) }?;
        Self::with(raw).inspect_err(|_| {
            // SAFETY: a live pool, of which nobody else knows.
            if let Err(error) = unsafe { cu!(cuMemPoolDestroy(raw)) } {
                log::warn!("a memory pool is leaked: {error}");
            }
        })
    }

    /// With a pool that was made.
    fn with(raw: CUmemoryPool) -> UrResult<Self> {
        // SAFETY: a live pool, and a place for the stream.
        unsafe {
            // Else what is free goes back to the system whenever anybody waits for a stream. The driver takes it if there
            // is no other memory.
            let mut all = u64::MAX;
            let attribute = CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            cu!(cuMemPoolSetAttribute(raw, attribute, (&raw mut all).cast()))?;
            let flags = CU_STREAM_NON_BLOCKING;
            let stream = cu_get!(cuStreamCreateWithPriority(_, flags, 0): CUstream = std::ptr::null_mut())?;
            Ok(Self {
                raw,
                stream,
                open_to: Mutex::default(),
            })
        }
    }

    /// Takes memory. The context of the device is current.
    pub(crate) fn allocate(&self, size: usize) -> UrResult<CUdeviceptr> {
        let (pool, stream) = (self.raw, self.stream);
        // SAFETY: a place for the address; a live pool and stream.
        unsafe {
            let address = cu_get!(cuMemAllocFromPoolAsync(_, size, pool, stream): CUdeviceptr = 0)?;
            // Other streams may use it when this one has come so far, as it nearly always has. To ask takes half as long as to
            // wait for nothing.
            if (driver::api().cuStreamQuery)(stream) == CUDA_SUCCESS {
                return Ok(address);
            }
            match cu!(cuStreamSynchronize(stream)) {
                Ok(()) => Ok(address),
                Err(error) => {
                    if let Err(leak) = self.free(address) {
                        log::warn!("{size} bytes of device memory are leaked: {leak}");
                    }
                    Err(error)
                }
            }
        }
    }

    /// Gives memory back that no command uses. The context of the device is current.
    pub(crate) fn free(&self, address: CUdeviceptr) -> UrResult<()> {
        // SAFETY: memory of the pool that nobody uses any more.
        unsafe { cu!(cuMemFreeAsync(address, self.stream)) }
    }

    /// Whether another device may use the memory.
    pub(crate) fn is_open_to(&self, device: CUdevice) -> bool {
        self.open_to.lock().contains(&device)
    }

    /// Lets a peer use the memory from now on, also what was allocated before.
    pub(crate) fn open_to(&self, device: CUdevice) -> UrResult<()> {
        let access = CUmemAccessDesc {
            location: on_device(device),
            flags: CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // SAFETY: a live pool and a description.
        unsafe { cu!(cuMemPoolSetAccess(self.raw, &access, 1)) }?;
        self.open_to.lock().push(device);
        Ok(())
    }
}
