// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Failed assertions of kernels.
//!
//! A fault would make all that the process has on the device unusable, and a trap is one. So the work-item whose assertion
//! fails first leaves a record in pinned memory and ends (`oxur_compiler::nvptx`), as others do that fail. Each launch of a
//! kernel with assertions has a record of its own, which is looked at when it is complete: then the text is written, and the
//! launch has failed. What is behind it in its stream runs.

use std::ffi::CStr;
use std::sync::atomic::{AtomicU32, Ordering};

use kit::UrResult;
use oxur_adapter_kit as kit;
use oxur_compiler::nvptx::AssertRecord;
use oxur_cuda_sys::*;
use oxur_fork::{Mutex, OnceLock};

use crate::driver::{self, cu_get};
use crate::primary::Primary;

/// The code of a failed assertion for `urAdapterGetLastError`: that of the CPU adapter.
pub(crate) const ASSERTION: i32 = 1;

/// How many records are allocated at once.
const RECORDS: usize = 64;

/// What a record has in `state` once it is filled.
const FILLED: u32 = 2;

/// Records that no launch has. They are zero.
#[derive(Default)]
pub(crate) struct Records(Mutex<Vec<usize>>);

impl Records {
    /// The context is current.
    fn take(&self) -> UrResult<usize> {
        if let Some(free) = self.0.lock().pop() {
            return Ok(free);
        }
        let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
        let size = RECORDS * size_of::<AssertRecord>();
        // SAFETY: a place for the address; the memory has the size that is zeroed.
        let base = unsafe {
            let base = cu_get!(cuMemHostAlloc(_, size, flags): *mut std::ffi::c_void = std::ptr::null_mut())?;
            base.write_bytes(0, size);
            base as usize
        };
        let others = (1..RECORDS).map(|at| base + at * size_of::<AssertRecord>());
        self.0.lock().extend(others);
        Ok(base)
    }
}

/// The record of a launch. It goes when the launch is complete.
pub(crate) struct Record {
    address: usize,
    primary: &'static Primary,
    /// What was written of it.
    text: OnceLock<String>,
}

impl Record {
    /// One for a launch. The context is current.
    pub(crate) fn new(primary: &'static Primary) -> UrResult<Self> {
        Ok(Self {
            address: primary.records.take()?,
            primary,
            text: OnceLock::new(),
        })
    }

    /// Where the device finds it.
    pub(crate) fn address(&self) -> u64 {
        self.address as u64
    }

    fn state(&self) -> &AtomicU32 {
        let record = self.address as *mut AssertRecord;
        // SAFETY: records are never freed, and all access to this member is atomic.
        unsafe { AtomicU32::from_ptr(&raw mut (*record).state) }
    }

    /// What has failed in the launch, which is complete: the text is on standard error then.
    pub(crate) fn failure(&self) -> Option<&str> {
        if self.state().load(Ordering::Acquire) != FILLED {
            return None;
        }
        // SAFETY: a record that is filled, which nobody changes any more.
        let record = unsafe { &*(self.address as *const AssertRecord) };
        Some(self.text.get_or_init(|| write(record)))
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if driver::is_gone() {
            return;
        }
        self.failure();
        if self.state().load(Ordering::Relaxed) != 0 {
            // SAFETY: the launch is complete, so nobody else uses it.
            unsafe { (self.address as *mut AssertRecord).write_bytes(0, 1) };
        }
        self.primary.records.0.lock().push(self.address);
    }
}

/// Writes the text of a record, in the form of the CPU adapter, and returns it.
#[cold]
fn write(record: &AssertRecord) -> String {
    let text = |bytes: &[u8]| match CStr::from_bytes_until_nul(bytes) {
        Ok(text) if !text.is_empty() => text.to_string_lossy().into_owned(),
        _ => "?".to_owned(),
    };
    let ([gx, gy, gz], [lx, ly, lz]) = (record.global_id, record.local_id);
    let (file, line, function) = (text(&record.file), record.line, text(&record.function));
    let expression = text(&record.expression);
    {
        // The standard library's lock of stderr is held.
        let _section = oxur_fork::section();
        eprintln!(
            "{file}:{line}: {function}: global id: [{gx},{gy},{gz}], local id: [{lx},{ly},{lz}] Assertion \
             `{expression}` failed."
        );
    }
    let message = format!("an assertion failed: {file}:{line}: {function}: {expression}");
    log::error!("a kernel failed: {message}");
    message
}
