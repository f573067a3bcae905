// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices, their contexts, and faults.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use oxur_cuda_sys::*;

use crate::setting;

/// A device with its primary context, whose handle is the address of this.
pub struct Device {
    pub ordinal: i32,
    pub retained: AtomicU32,
    /// What all calls answer once a kernel has failed.
    fault: AtomicI32,
}

impl Device {
    /// The fault that has happened, if any.
    pub fn check(&self) -> Result<(), CUresult> {
        match self.fault.load(Ordering::Acquire) {
            0 => Ok(()),
            fault => Err(CUresult(fault)),
        }
    }

    /// A kernel has failed.
    pub fn fail(&self, fault: CUresult) {
        _ = self
            .fault
            .compare_exchange(0, fault.0, Ordering::AcqRel, Ordering::Acquire);
    }

    /// The handle of its context.
    pub fn context(&self) -> CUcontext {
        std::ptr::from_ref(self).cast_mut().cast()
    }
}

static STARTED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static CURRENT: Cell<CUcontext> = const { Cell::new(null_mut()) };
}

/// All devices.
pub fn all() -> &'static [Device] {
    static ALL: OnceLock<Vec<Device>> = OnceLock::new();
    ALL.get_or_init(|| {
        let device = |ordinal| Device {
            ordinal,
            retained: AtomicU32::new(0),
            fault: AtomicI32::new(0),
        };
        (0..setting("FAKE_CUDA_DEVICES", 1) as i32).map(device).collect()
    })
}

/// Starts the driver in this process.
pub fn start() -> Result<(), CUresult> {
    if all().is_empty() {
        return Err(CUDA_ERROR_NO_DEVICE);
    }
    STARTED.store(std::process::id(), Ordering::Relaxed);
    Ok(())
}

/// Whether the driver is started. It is not in a child of the process that has started it.
pub fn started() -> Result<(), CUresult> {
    match STARTED.load(Ordering::Relaxed) == std::process::id() {
        true => Ok(()),
        false => Err(CUDA_ERROR_NOT_INITIALIZED),
    }
}

/// A device by its number.
pub fn get(device: CUdevice) -> Result<&'static Device, CUresult> {
    started()?;
    usize::try_from(device)
        .ok()
        .and_then(|at| all().get(at))
        .ok_or(CUDA_ERROR_INVALID_DEVICE)
}

/// Whether a device reaches the memory of another.
pub fn are_peers(device: CUdevice, other: CUdevice) -> bool {
    device != other && setting("FAKE_CUDA_PEERS", 1) != 0
}

/// The device of a context.
pub fn of(context: CUcontext) -> Result<&'static Device, CUresult> {
    all()
        .iter()
        .find(|device| device.context() == context)
        .ok_or(CUDA_ERROR_INVALID_CONTEXT)
}

/// Makes a context current.
pub fn set_current(context: CUcontext) {
    CURRENT.set(context);
}

/// The handle of the current context, or null.
pub fn current_handle() -> CUcontext {
    CURRENT.get()
}

/// The device whose context is current, unless a kernel has failed.
pub fn current() -> Result<&'static Device, CUresult> {
    started()?;
    let device = of(CURRENT.get())?;
    device.check()?;
    Ok(device)
}
