// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that failed, until the client knows.

use std::sync::atomic::{AtomicBool, Ordering};

use kit::UrError;
use oxur_adapter_kit as kit;
use oxur_compiler::Fault;
use oxur_fork::Mutex;

use crate::exec::Failure;

/// The first command of a queue that failed since the client was told of one.
#[derive(Default)]
pub(crate) struct Failures {
    some: AtomicBool,
    first: Mutex<Option<(i32, String)>>,
}

impl Failures {
    /// A command failed; `what` it was.
    #[cold]
    pub(super) fn add(&self, what: &str, failure: &Failure) {
        if let Failure::Before = failure {
            // The one that it waited for has been told of.
            return log::debug!("{what} is not run: {failure}");
        }
        let words = format!("{what} failed: {failure}");
        log::error!("{words}");
        let mut first = self.first.lock();
        first.get_or_insert((code(failure), words));
        self.some.store(true, Ordering::Release);
    }

    /// What the client should be told, once.
    #[inline]
    pub(super) fn tell(&self) -> Result<(), UrError> {
        if self.some.load(Ordering::Acquire) {
            self.tell_first()
        } else {
            Ok(())
        }
    }

    #[cold]
    fn tell_first(&self) -> Result<(), UrError> {
        match self.take() {
            Some((code, words)) => Err(UrError::native(code, words)),
            None => Ok(()),
        }
    }

    /// The client knows, by an event.
    #[cold]
    pub(crate) fn told(&self) -> Option<String> {
        self.take().map(|(_, words)| words)
    }

    fn take(&self) -> Option<(i32, String)> {
        let mut first = self.first.lock();
        self.some.store(false, Ordering::Release);
        first.take()
    }
}

/// Our own code of a failure, for `urAdapterGetLastError`. docs/support.md has them.
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
        Failure::Panic(_) | Failure::Before => 8,
    }
}

#[cfg(test)]
mod tests {
    use kit::ur::ResultCode;

    use super::*;

    #[test]
    fn the_first_is_told_once() {
        let failures = Failures::default();
        assert!(failures.tell().is_ok());
        failures.add("the kernel a", &Failure::Fault(Fault::Memory(16)));
        failures.add("the kernel b", &Failure::Fault(Fault::StackOverflow));
        failures.add("the kernel c", &Failure::Before);
        let error = failures.tell().unwrap_err();
        assert_eq!(error.code(), ResultCode::ERROR_ADAPTER_SPECIFIC);
        assert!(
            error
                .to_string()
                .contains("the kernel a failed: invalid memory access at 0x10")
        );
        assert!(failures.tell().is_ok());
        failures.add("the kernel d", &Failure::NoThread);
        assert!(failures.told().unwrap().contains("the kernel d"));
        assert!(failures.tell().is_ok());
    }
}
