// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Failures of commands, until a wait reports them.

use std::sync::atomic::{AtomicBool, Ordering};

use level_zero_sys::*;
use oxur_device_cpu::exec::Failure;
use oxur_fork::Mutex;

use crate::entry::{Error, ZeResult};

/// The first failure of a context's commands since the last one was reported.
#[derive(Default)]
pub(crate) struct Failures {
    any: AtomicBool,
    first: Mutex<Option<String>>,
}

impl Failures {
    /// Notes that `command` failed.
    #[cold]
    pub(crate) fn add(&self, command: &str, failure: &Failure) {
        if let Failure::Dependency = failure {
            // The failure of the dependency is the one to report.
            return;
        }
        let message = format!("{command} failed: {failure}");
        log::error!("{message}");
        self.first.lock().get_or_insert(message);
        self.any.store(true, Ordering::Release);
    }

    /// Reports the first failure, once. As with a GPU that faults, the device is lost to the commands that did.
    pub(crate) fn report(&self) -> ZeResult {
        if !self.any.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut first = self.first.lock();
        self.any.store(false, Ordering::Release);
        match first.take() {
            Some(message) => Err(Error::new(ZE_RESULT_ERROR_DEVICE_LOST, message)),
            None => Ok(()),
        }
    }
}
