// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The state of an event that processes share.
//!
//! Each signal of the event has a number, and a slot in shared memory that records its end. The state of the event is that
//! of the signal that any process began last. A wait for an earlier signal is not affected by later ones.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::exec::futex;
use oxur_device_cpu::pages;
use oxur_device_cpu::shared_file::{Kind, Opened, SharedFile};
use oxur_fork::Mutex;

use crate::device_error::invalid_handle;

/// The maximum number of unfinished signals of an event.
const SLOTS: usize = 1024;

/// The shared memory. Another process may write anything, so it has only integers, for which every value is valid.
#[repr(C)]
struct State {
    /// The number of the last signal that was begun; 0 before the first.
    last: AtomicU64,
    slots: [Slot; SLOTS],
}

/// The state of a signal. Signals whose numbers are equal modulo [`SLOTS`] reuse a slot.
#[repr(C)]
struct Slot {
    /// The number of the last signal that has ended, shifted left by one. Bit 0 says whether it failed.
    over: AtomicU64,
    /// The low 32 bits of the number of the last signal that was begun, then the id of the process that began it.
    begun: AtomicU64,
    /// The start time of that process, because process ids are reused.
    started: AtomicU64,
}

/// The state of an event, mapped into this process.
pub(crate) struct SharedEvent {
    state: &'static State,
    /// The file to export, if this process created the event.
    file: Option<Arc<SharedFile>>,
}

impl SharedEvent {
    /// Creates the state of a new event.
    pub(crate) fn new() -> UrResult<Self> {
        let file = SharedFile::new(size()).map_err(|error| no_state(&error))?;
        Ok(Self {
            state: map(&file)?,
            file: Some(Arc::new(file)),
        })
    }

    /// Opens the state of an event that another process exported.
    pub(crate) fn open(data: &[u8]) -> UrResult<Self> {
        let Opened { file, offset, size } = SharedFile::open(Kind::Event, data).map_err(invalid_handle)?;
        if (offset, size) != (0, self::size()) {
            kit::bail!(ERROR_INVALID_VALUE: "the IPC handle has the wrong range for an event");
        }
        Ok(Self {
            state: map(&file)?,
            file: None,
        })
    }

    /// The handle by which others can open the event, and the file, which must be kept until they have. `None` if this
    /// process did not create the event.
    pub(crate) fn export(&self) -> Option<(Box<[u8]>, Arc<SharedFile>)> {
        let file = self.file.as_ref()?;
        Some((file.export(Kind::Event, 0, size() as u64).into(), file.clone()))
    }

    fn slot(&self, signal: u64) -> &Slot {
        &self.state.slots[signal as usize % SLOTS]
    }

    /// The last signal that was begun.
    pub(crate) fn last(&self) -> u64 {
        self.state.last.load(Ordering::Acquire)
    }

    /// Begins a signal, which this process will [end](Self::end).
    pub(crate) fn begin(&self) -> UrResult<u64> {
        let mut last = self.last();
        loop {
            let signal = last + 1;
            let earlier = signal.saturating_sub(SLOTS as u64);
            if self.outcome(earlier).is_none() && !self.fail_if_lost(earlier) {
                kit::bail!(ERROR_OUT_OF_RESOURCES: "a shared event has {SLOTS} unfinished signals");
            }
            let begun = self
                .state
                .last
                .compare_exchange_weak(last, signal, Ordering::AcqRel, Ordering::Acquire);
            if let Err(now) = begun {
                last = now;
                continue;
            }
            let slot = self.slot(signal);
            let process = std::process::id();
            slot.started
                .store(start_of(process).unwrap_or_default(), Ordering::Relaxed);
            slot.begun.store(signal << 32 | u64::from(process), Ordering::Release);
            return Ok(signal);
        }
    }

    /// Ends a signal.
    pub(crate) fn end(&self, signal: u64, failed: bool) {
        let slot = self.slot(signal);
        slot.over.fetch_max(signal << 1 | u64::from(failed), Ordering::AcqRel);
        futex::wake_all_shared(low_half(&slot.over));
    }

    /// Whether a signal succeeded, if it has ended.
    pub(crate) fn outcome(&self, signal: u64) -> Option<bool> {
        let over = self.slot(signal).over.load(Ordering::Acquire);
        // A slot is reused only after its signal has ended. The result is lost then, and counts as success.
        (over >> 1 >= signal).then_some(over >> 1 != signal || over & 1 == 0)
    }

    /// Waits until a signal has ended. Returns whether it succeeded.
    pub(crate) fn wait(&self, signal: u64) -> bool {
        /// The interval of checks whether the process that must end the signal still exists.
        const CHECK_INTERVAL: Duration = Duration::from_millis(100);
        let over = &self.slot(signal).over;
        let mut was_unknown = false;
        loop {
            let now = over.load(Ordering::Acquire);
            if let Some(outcome) = self.outcome(signal) {
                return outcome;
            }
            if futex::wait_shared(low_half(over), now as u32, CHECK_INTERVAL) {
                continue;
            }
            match self.is_lost(signal) {
                Some(false) => {}
                // The process is between two stores in `begin`. If that is still so after another interval, it is gone.
                None if !was_unknown => was_unknown = true,
                _ => self.end(signal, true),
            }
        }
    }

    /// Fails a signal if its process is gone. Returns whether it is.
    fn fail_if_lost(&self, signal: u64) -> bool {
        let lost = self.is_lost(signal) == Some(true);
        if lost {
            self.end(signal, true);
        }
        lost
    }

    /// Whether the process that began a signal is gone. `None` if the process has not been recorded.
    fn is_lost(&self, signal: u64) -> Option<bool> {
        let slot = self.slot(signal);
        let begun = slot.begun.load(Ordering::Acquire);
        if begun >> 32 != signal & u64::from(u32::MAX) {
            return None;
        }
        let started = slot.started.load(Ordering::Relaxed);
        Some(start_of(begun as u32).unwrap_or_default() != started)
    }
}

impl Drop for SharedEvent {
    fn drop(&mut self) {
        // SAFETY: `map` mapped the pages, and `self` had the only reference.
        unsafe { pages::unmap(std::ptr::from_ref(self.state) as usize, size()) };
    }
}

/// A signal that this process has begun. It fails if it is dropped without [`Signalling::end`].
pub(crate) struct Signalling {
    event: Arc<SharedEvent>,
    signal: u64,
    over: bool,
}

impl Signalling {
    pub(crate) fn begin(event: &Arc<SharedEvent>) -> UrResult<Self> {
        Ok(Self {
            signal: event.begin()?,
            event: event.clone(),
            over: false,
        })
    }

    /// The number of the signal.
    pub(crate) fn number(&self) -> u64 {
        self.signal
    }

    pub(crate) fn end(&mut self, failed: bool) {
        self.over = true;
        self.event.end(self.signal, failed);
    }
}

impl Drop for Signalling {
    fn drop(&mut self) {
        if !self.over {
            self.event.end(self.signal, true);
        }
    }
}

/// The low half of a number, for futexes, which have 32 bits.
fn low_half(number: &AtomicU64) -> &AtomicU32 {
    let pointer = std::ptr::from_ref(number).cast::<AtomicU32>();
    // SAFETY: the low half comes first (x86-64 is little-endian), is live and aligned. Only the kernel reads it by this
    // reference.
    unsafe { &*pointer }
}

/// The start time of a process in clock ticks; `None` if it does not run.
fn start_of(process: u32) -> Option<u64> {
    static OWN: Mutex<Option<(u32, u64)>> = Mutex::new(None);
    let is_own = process == std::process::id();
    if is_own && let Some((_, started)) = OWN.lock().filter(|(known, _)| *known == process) {
        return Some(started);
    }
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The process name is in parentheses, and may contain spaces and parentheses.
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    // A zombie has ended, too.
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    let started = fields.nth(18)?.parse().ok()?;
    if is_own {
        *OWN.lock() = Some((process, started));
    }
    Some(started)
}

fn size() -> usize {
    size_of::<State>().next_multiple_of(pages::page())
}

fn map(file: &impl std::os::fd::AsRawFd) -> UrResult<&'static State> {
    let start = pages::map_file(file, 0, size(), 0).map_err(|error| no_state(&error))?;
    // SAFETY: the mapping has this size and stays until `drop`. All fields are atomic, and every value is valid.
    Ok(unsafe { &*(start as *const State) })
}

fn no_state(error: &std::io::Error) -> UrError {
    kit::error!(ERROR_OUT_OF_RESOURCES: "no memory for a shared event: {error}")
}

#[cfg(test)]
mod tests {
    use kit::ur::ResultCode;

    use super::*;

    fn opened(event: &SharedEvent) -> SharedEvent {
        let (data, _file) = event.export().unwrap();
        SharedEvent::open(&data).unwrap()
    }

    #[test]
    fn signals_are_seen_by_all() {
        let made = Arc::new(SharedEvent::new().unwrap());
        let other = opened(&made);
        assert!(other.export().is_none());
        assert_eq!((other.last(), other.outcome(0)), (0, Some(true)), "complete at first");
        let first = made.begin().unwrap();
        let second = other.begin().unwrap();
        assert_eq!((first, second, made.last()), (1, 2, 2));
        assert_eq!((made.outcome(1), other.outcome(2)), (None, None));
        made.end(second, false);
        assert_eq!((other.outcome(1), other.outcome(2)), (None, Some(true)));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| other.wait(first));
            made.end(first, true);
            assert!(!waits.join().unwrap());
        });
        // A signal that is dropped without an end.
        drop(Signalling::begin(&made).unwrap());
        assert_eq!(other.outcome(3), Some(false));
    }

    #[test]
    fn signals_are_limited_by_the_slots() {
        let event = SharedEvent::new().unwrap();
        for signal in 1..=SLOTS as u64 {
            assert_eq!(event.begin().unwrap(), signal);
        }
        assert_eq!(event.begin().unwrap_err().code(), ResultCode::ERROR_OUT_OF_RESOURCES);
        event.end(1, true);
        assert_eq!(event.begin().unwrap(), SLOTS as u64 + 1);
        assert_eq!(event.outcome(1), Some(false));
        event.end(SLOTS as u64 + 1, false);
        assert_eq!(event.outcome(1), Some(true), "the slot was reused");
        assert!(event.begin().is_err(), "the second signal is unfinished");
    }

    #[test]
    fn signals_of_a_lost_process_fail() {
        let event = SharedEvent::new().unwrap();
        let (left, own) = (event.begin().unwrap(), event.begin().unwrap());
        assert_eq!(event.is_lost(own), Some(false));
        // As if an earlier process with the same id had begun it.
        event.slot(left).started.fetch_sub(1, Ordering::Relaxed);
        assert!(!event.wait(left));
        assert_eq!((event.outcome(left), event.outcome(own)), (Some(false), None));
        // As if the process had ended before it recorded its id.
        let unknown = event.begin().unwrap();
        event.slot(unknown).begun.store(0, Ordering::Relaxed);
        assert!(!event.wait(unknown));
    }
}
