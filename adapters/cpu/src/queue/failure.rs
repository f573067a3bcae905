// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Failures of commands, until they are reported to the client.

use std::sync::atomic::{AtomicBool, Ordering};

use kit::UrError;
use oxur_adapter_kit as kit;
use oxur_compiler::Fault;
use oxur_device_cpu::exec::Failure;
use oxur_fork::Mutex;

/// The first failure of a queue's command since the last one was reported: an error code of this adapter and a message.
#[derive(Default)]
pub(crate) struct Failures {
    /// Whether `first` may be set, so that `urQueueFinish` usually takes no lock.
    any: AtomicBool,
    first: Mutex<Option<(i32, String)>>,
}

impl Failures {
    /// Records that `command` failed.
    #[cold]
    pub(super) fn add(&self, command: &str, failure: &Failure) {
        if let Failure::Dependency = failure {
            // The failure of the dependency is the one to report.
            return log::debug!("{command} was not run: {failure}");
        }
        let message = format!("{command} failed: {failure}");
        log::error!("{message}");
        let mut first = self.first.lock();
        first.get_or_insert((code(failure), message));
        self.any.store(true, Ordering::Release);
    }

    /// Returns the first failure as an error, once.
    #[inline]
    pub(super) fn report(&self) -> Result<(), UrError> {
        if self.any.load(Ordering::Acquire) {
            self.report_first()
        } else {
            Ok(())
        }
    }

    #[cold]
    fn report_first(&self) -> Result<(), UrError> {
        match self.take() {
            Some((code, message)) => Err(UrError::native(code, message)),
            None => Ok(()),
        }
    }

    /// Takes the message of the first failure, which the caller reports by other means: `urQueueFinish` then succeeds.
    #[cold]
    pub(crate) fn take_message(&self) -> Option<String> {
        self.take().map(|(_, message)| message)
    }

    fn take(&self) -> Option<(i32, String)> {
        let mut first = self.first.lock();
        self.any.store(false, Ordering::Release);
        first.take()
    }
}

/// The adapter-specific error code of a failure, for `urAdapterGetLastError`. docs/support.md lists the codes.
fn code(failure: &Failure) -> i32 {
    match failure {
        Failure::Fault(Fault::Assert(_)) => 1,
        Failure::Fault(Fault::Memory(_)) => 2,
        Failure::Fault(Fault::StackOverflow) => 3,
        Failure::Fault(Fault::Signal(_)) => 4,
        Failure::Fault(Fault::BarrierDivergence) => 5,
        Failure::Fault(Fault::OutOfMemory) => 6,
        Failure::Step(_, failure) => code(failure),
        Failure::NoThread => 7,
        Failure::Panic(_) | Failure::Dependency => 8,
    }
}

#[cfg(test)]
mod tests {
    use kit::ur::ResultCode;

    use super::*;

    #[test]
    fn the_first_failure_is_reported_once() {
        let failures = Failures::default();
        assert!(failures.report().is_ok());
        failures.add("the kernel a", &Failure::Fault(Fault::Memory(16)));
        failures.add("the kernel b", &Failure::Fault(Fault::StackOverflow));
        failures.add("the kernel c", &Failure::Dependency);
        let error = failures.report().unwrap_err();
        assert_eq!(error.code(), ResultCode::ERROR_ADAPTER_SPECIFIC);
        assert!(
            error
                .to_string()
                .contains("the kernel a failed: invalid memory access at 0x10")
        );
        assert!(failures.report().is_ok());
        failures.add("the kernel d", &Failure::NoThread);
        assert!(failures.take_message().unwrap().contains("the kernel d"));
        assert!(failures.report().is_ok());
    }
}
