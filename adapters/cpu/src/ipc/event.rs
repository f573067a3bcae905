// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The state of an event that processes share.
//!
//! Each signal of the event has a number, and a place in shared memory where its end is noted. An event stands for the
//! last signal that was begun, in whatever process; what waits for an earlier one goes on waiting for that.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use kit::ur::ResultCode;
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use super::SharedFile;
use super::file::{Kind, Opened};
use crate::exec::futex;
use crate::usm::pages;

/// How many signals of an event may be under way.
const SLOTS: usize = 1024;

/// What is in the memory. Another process may write anything there: nothing but numbers is read from it.
#[repr(C)]
struct State {
    /// The number of the last signal that was begun; 0 before the first.
    last: AtomicU64,
    slots: [Slot; SLOTS],
}

/// The place of each signal whose number is the same modulo the number of slots.
#[repr(C)]
struct Slot {
    /// The number of the last signal that is over, times two; one more if it failed.
    over: AtomicU64,
    /// The lower half of the number of the last signal that was begun, and below that the process that did.
    begun: AtomicU64,
    /// When that process was started: another may have its number by now.
    started: AtomicU64,
}

/// The state of an event, mapped into this process.
pub(crate) struct SharedEvent {
    state: &'static State,
    /// What others open it by, if it was made here.
    file: Option<Arc<SharedFile>>,
}

impl SharedEvent {
    /// That of a new event.
    pub(crate) fn new() -> UrResult<Self> {
        let file = SharedFile::new(size()).map_err(|error| no_state(&error))?;
        Ok(Self {
            state: map(&file)?,
            file: Some(Arc::new(file)),
        })
    }

    /// That of an event of another process, which gave these bytes.
    pub(crate) fn open(data: &[u8]) -> UrResult<Self> {
        let Opened { file, offset, size } = SharedFile::open(Kind::Event, data)?;
        if (offset, size) != (0, self::size()) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                "what another process shares is another part of an event",
            ));
        }
        Ok(Self {
            state: map(&file)?,
            file: None,
        })
    }

    /// The bytes by which others open it, and what must stay until they have. An event that was opened has none.
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
            if self.outcome(earlier).is_none() && !self.give_up(earlier) {
                return Err(UrError::with_message(
                    ResultCode::ERROR_OUT_OF_RESOURCES,
                    format!("{SLOTS} signals of an event that processes share are under way"),
                ));
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

    /// A signal is over.
    pub(crate) fn end(&self, signal: u64, failed: bool) {
        let slot = self.slot(signal);
        slot.over.fetch_max(signal << 1 | u64::from(failed), Ordering::AcqRel);
        futex::wake_all_shared(low_half(&slot.over));
    }

    /// Whether a signal went well, if it is over.
    pub(crate) fn outcome(&self, signal: u64) -> Option<bool> {
        let over = self.slot(signal).over.load(Ordering::Acquire);
        // One that had the same place later was begun when this one was over. How that ended nobody wanted to know.
        (over >> 1 >= signal).then_some(over >> 1 != signal || over & 1 == 0)
    }

    /// Waits until a signal is over. Says whether it went well.
    pub(crate) fn wait(&self, signal: u64) -> bool {
        /// How often it looks whether the process that is to end the signal is still there.
        const PATIENCE: Duration = Duration::from_millis(100);
        let over = &self.slot(signal).over;
        let mut was_unknown = false;
        loop {
            let now = over.load(Ordering::Acquire);
            if let Some(outcome) = self.outcome(signal) {
                return outcome;
            }
            if futex::wait_shared(low_half(over), now as u32, PATIENCE) {
                continue;
            }
            match self.is_lost(signal) {
                Some(false) => {}
                // It was about to leave its number. Not for so long.
                None if !was_unknown => was_unknown = true,
                _ => self.end(signal, true),
            }
        }
    }

    /// Ends a signal that nobody will end any more. Says whether it did.
    fn give_up(&self, signal: u64) -> bool {
        let lost = self.is_lost(signal) == Some(true);
        if lost {
            self.end(signal, true);
        }
        lost
    }

    /// Whether the process that began a signal is gone. Nothing if it is not known which that was.
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
        // SAFETY: pages that `map` mapped, and nobody looks at them any more.
        unsafe { pages::unmap(std::ptr::from_ref(self.state) as usize, size()) };
    }
}

/// A signal that this process has begun. It fails if nobody says how it ended.
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

    /// Its number.
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

/// What the system sleeps on: a number of 32 bits.
fn low_half(number: &AtomicU64) -> &AtomicU32 {
    let pointer = std::ptr::from_ref(number).cast::<AtomicU32>();
    // SAFETY: the first half of a live number, which is the lower one, aligned; only the system reads it by this.
    unsafe { &*pointer }
}

/// When a process that runs was started, in ticks of the system's clock.
fn start_of(process: u32) -> Option<u64> {
    static OWN: Mutex<Option<(u32, u64)>> = Mutex::new(None);
    let is_own = process == std::process::id();
    if is_own && let Some((_, started)) = OWN.lock().filter(|(known, _)| *known == process) {
        return Some(started);
    }
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may have blanks and parentheses in it.
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    // One that has ended stays until its parent asks for its end.
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
    // SAFETY: so many bytes, for whose values there are no rules, which all change atomically; mapped until `drop`.
    Ok(unsafe { &*(start as *const State) })
}

fn no_state(error: &std::io::Error) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_OUT_OF_RESOURCES,
        format!("no memory for an event that processes share: {error}"),
    )
}

#[cfg(test)]
mod tests {
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
        // One that nobody ends.
        drop(Signalling::begin(&made).unwrap());
        assert_eq!(other.outcome(3), Some(false));
    }

    #[test]
    fn as_many_as_there_are_places() {
        let event = SharedEvent::new().unwrap();
        for signal in 1..=SLOTS as u64 {
            assert_eq!(event.begin().unwrap(), signal);
        }
        assert_eq!(event.begin().unwrap_err().code(), ResultCode::ERROR_OUT_OF_RESOURCES);
        event.end(1, true);
        assert_eq!(event.begin().unwrap(), SLOTS as u64 + 1);
        assert_eq!(event.outcome(1), Some(false));
        event.end(SLOTS as u64 + 1, false);
        assert_eq!(event.outcome(1), Some(true), "nobody knows any more");
        assert!(event.begin().is_err(), "the second is not over");
    }

    #[test]
    fn what_a_process_leaves_behind_fails() {
        let event = SharedEvent::new().unwrap();
        let (left, own) = (event.begin().unwrap(), event.begin().unwrap());
        assert_eq!(event.is_lost(own), Some(false));
        // As if another process had begun it that had the number of this one before.
        event.slot(left).started.fetch_sub(1, Ordering::Relaxed);
        assert!(!event.wait(left));
        assert_eq!((event.outcome(left), event.outcome(own)), (Some(false), None));
        // And one that did not come to leave its number.
        let unknown = event.begin().unwrap();
        event.slot(unknown).begun.store(0, Ordering::Relaxed);
        assert!(!event.wait(unknown));
    }
}
