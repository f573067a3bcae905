// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What commands and the host can wait for: the place of a command in a lane, an event that the client made with CUDA,
//! a word of memory that the host writes, and a command that waits for such a word.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::{Mutex, OnceLock};

use crate::driver::{cu, cu_get};
use crate::held::{self, Held, Refusal};
use crate::lane::Point;
use crate::primary::{self, Primary};

/// What can be waited for.
#[derive(Clone)]
pub(crate) enum Signal {
    /// The command at a place in a lane.
    Point(Arc<Point>),
    /// An event of the client's.
    Native(Arc<NativeEvent>),
    /// The host.
    Host(Arc<HostSignal>),
    /// A command that may not be submitted yet.
    Held(Arc<Held>),
    /// Nothing: it is there.
    Complete,
}

impl Signal {
    /// Whether it is there, or will never be.
    pub(crate) fn is_over(&self) -> bool {
        match self {
            Self::Point(point) => point.is_over(),
            Self::Native(event) => event.primary.activate().is_err() || primary::is_over(event.raw),
            Self::Host(signal) => signal.is_over() || signal.is_lost(),
            Self::Held(held) => match held.end() {
                Some(Ok(end)) => end.is_over(),
                Some(Err(_)) => true,
                None => false,
            },
            Self::Complete => true,
        }
    }

    /// What it is, of a command that was held up and is submitted.
    #[inline]
    pub(crate) fn now(&self) -> &Self {
        match self {
            Self::Held(held) => match held.end() {
                Some(Ok(end)) => end.now(),
                _ => self,
            },
            _ => self,
        }
    }

    /// What the host has to do before a stream can wait for it.
    pub(crate) fn blocker(&self) -> Option<&HostSignal> {
        match self {
            Self::Host(host) => (!host.is_over()).then_some(host),
            Self::Held(held) => held.blocker(),
            Self::Point(_) | Self::Native(_) | Self::Complete => None,
        }
    }

    /// Whether the driver has refused its command, the host has failed to do it, or it is known that an assertion of it has
    /// failed.
    pub(crate) fn has_failed(&self) -> bool {
        match self.now() {
            Self::Held(held) => matches!(held.end(), Some(Err(_))),
            Self::Point(point) => point.failure().is_some(),
            Self::Host(signal) => signal.failure().is_some(),
            _ => false,
        }
    }

    /// Whether it has failed because the device has, as far as that is known.
    pub(crate) fn is_loss(&self) -> bool {
        match self.now() {
            Self::Held(held) => matches!(held.end(), Some(Err(refusal)) if refusal.is_loss()),
            Self::Host(signal) => signal.failure().is_some_and(Refusal::is_loss),
            _ => false,
        }
    }

    /// Has its command submitted, also if the host holds it up. The stream waits for the host then.
    pub(crate) fn force(&self) -> UrResult<()> {
        match self {
            Self::Held(held) => held.force(),
            _ => Ok(()),
        }
    }

    /// Waits for it.
    pub(crate) fn wait(&self) -> UrResult<()> {
        match self {
            Self::Point(point) => point.wait(),
            Self::Native(event) => {
                let _current = event.primary.activate()?;
                // SAFETY: a live event.
                unsafe { cu!(cuEventSynchronize(event.raw)) }
            }
            Self::Host(signal) => signal.wait(),
            Self::Held(held) => held.wait(),
            Self::Complete => Ok(()),
        }
    }
}

/// An event that the client made with CUDA.
pub(crate) struct NativeEvent {
    pub(crate) raw: CUevent,
    owned: bool,
    primary: &'static Primary,
}

// SAFETY: CUDA's handles may be used from any thread.
unsafe impl Send for NativeEvent {}
// SAFETY: as above.
unsafe impl Sync for NativeEvent {}

impl NativeEvent {
    /// # Safety
    /// The event is live, for as long as this if it is not `owned`; else the client gives it up.
    pub(crate) unsafe fn new(raw: CUevent, owned: bool, primary: &'static Primary) -> Self {
        Self { raw, owned, primary }
    }

    /// Whether its command has failed. The driver is not lost.
    pub(crate) fn has_failed(&self) -> bool {
        !matches!(primary::query(self.raw), CUDA_SUCCESS | CUDA_ERROR_NOT_READY)
    }
}

impl Drop for NativeEvent {
    fn drop(&mut self) {
        if self.owned && !crate::driver::is_gone() {
            // SAFETY: the client has given it up.
            if let Err(error) = unsafe { cu!(cuEventDestroy(self.raw)) } {
                log::warn!("an event is leaked: {error}");
            }
        }
    }
}

/// Words of memory that streams wait for.
///
/// A word only ever counts up, and each signal waits for a value of its own: a stream that is late finds the word past
/// its value, whoever has the word by then.
#[derive(Default)]
pub(crate) struct SignalWords(Mutex<Vec<(usize, u32)>>);

/// How many words are allocated at once.
const WORDS: usize = 1024;

impl SignalWords {
    /// A word, and a value that it does not have yet. The context is current.
    fn take(&self) -> UrResult<(usize, u32)> {
        if let Some(free) = self.0.lock().pop() {
            return Ok(free);
        }
        let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
        let size = WORDS * size_of::<AtomicU32>();
        // SAFETY: a place for the address; the memory has the size that is zeroed.
        let base = unsafe {
            let base = cu_get!(cuMemHostAlloc(_, size, flags): *mut std::ffi::c_void = std::ptr::null_mut())?;
            base.write_bytes(0, size);
            base as usize
        };
        let mut free = self.0.lock();
        free.extend((1..WORDS).map(|index| (base + index * size_of::<AtomicU32>(), 1)));
        Ok((base, 1))
    }
}

/// Something that the host will do.
pub(crate) struct HostSignal {
    word: usize,
    value: u32,
    primary: &'static Primary,
    /// Whether it will be told when what it stands for began and ended.
    timed: bool,
    times: OnceLock<(u64, u64)>,
    /// When a stream was told to give it, in place of the host, or 0.
    awaited: AtomicU64,
    /// Why the host has not done what it stands for.
    failure: OnceLock<Refusal>,
    /// Commands that it holds up.
    held: Mutex<Vec<Arc<Held>>>,
}

/// How long a thread sleeps until it looks whether the device has failed.
const SLEEP: libc::timespec = libc::timespec {
    tv_sec: 0,
    tv_nsec: 200_000_000,
};

impl HostSignal {
    /// One that has not happened.
    pub(crate) fn new(primary: &'static Primary) -> UrResult<Self> {
        let _current = primary.activate()?;
        let (word, value) = primary.words.take()?;
        Ok(Self {
            word,
            value,
            primary,
            timed: false,
            times: OnceLock::new(),
            awaited: AtomicU64::new(0),
            failure: OnceLock::new(),
            held: Mutex::default(),
        })
    }

    /// One of which it will be told when what it stands for began and ended.
    pub(crate) fn timed(primary: &'static Primary) -> UrResult<Self> {
        let mut signal = Self::new(primary)?;
        signal.timed = true;
        Ok(signal)
    }

    /// Whether that is told.
    pub(crate) fn is_timed(&self) -> bool {
        self.timed
    }

    fn word(&self) -> &AtomicU32 {
        // SAFETY: words are never freed, and all access to them is atomic.
        unsafe { AtomicU32::from_ptr(self.word as *mut u32) }
    }

    /// It will not happen: who waits for it gets this error.
    pub(crate) fn fail(&self, error: UrError) {
        _ = self.failure.set(error.into());
        self.signal();
    }

    /// Why it has not happened, if it never will.
    pub(crate) fn failure(&self) -> Option<&Refusal> {
        self.failure.get()
    }

    /// Whether it never will because the device has failed whose stream gives it.
    pub(crate) fn is_lost(&self) -> bool {
        match self.awaited.load(Ordering::Acquire) {
            0 => false,
            since => primary::host_time() >= since.saturating_add(primary::LOOK_EVERY) && self.primary.is_lost(),
        }
    }

    /// It has happened: submits the commands that it held up.
    pub(crate) fn signal(&self) {
        held::release(self.set());
    }

    /// The same by a thread that has to go on, as that which watches events.
    pub(crate) fn signal_only(&self) {
        held::release_elsewhere(self.set());
    }

    /// Keeps a command until it has happened. `false` says that it has.
    pub(crate) fn hold_back(&self, command: &Arc<Held>) -> bool {
        let mut held = self.held.lock();
        let is_early = !self.is_over();
        if is_early {
            held.push(command.clone());
        }
        is_early
    }

    /// Returns what it held up.
    fn set(&self) -> Vec<Arc<Held>> {
        self.word().store(self.value, Ordering::Release);
        let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: a live word.
        unsafe { libc::syscall(libc::SYS_futex, self.word, operation, i32::MAX) };
        std::mem::take(&mut *self.held.lock())
    }

    /// Whether it has.
    pub(crate) fn is_over(&self) -> bool {
        let passed = self.word().load(Ordering::Acquire).wrapping_sub(self.value);
        passed.cast_signed() >= 0
    }

    /// Sleeps until it has. It never will where the host waits for a device that has failed.
    pub(crate) fn wait(&self) -> UrResult<()> {
        while !self.is_over() {
            let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
            let (before, most) = (self.value.wrapping_sub(1), SLEEP);
            // SAFETY: a live word and time.
            let woken = unsafe { libc::syscall(libc::SYS_futex, self.word, operation, before, &raw const most) };
            if woken != 0 && !self.is_over() {
                let _current = self.primary.activate()?;
                self.primary.own_lane()?.check()?;
            }
        }
        self.failure().map_or(Ok(()), |failure| Err(failure.error()))
    }

    /// What it stands for began and ended then.
    pub(crate) fn note_times(&self, began: u64, ended: u64) {
        _ = self.times.set((began, ended));
    }

    /// When that was, if it is known.
    pub(crate) fn times(&self) -> Option<(u64, u64)> {
        self.times.get().copied()
    }

    /// Has a stream give it, in place of the host. The stream's context is current.
    pub(crate) fn reach(&self, stream: CUstream) -> UrResult<()> {
        // SAFETY: as in `hold`.
        unsafe { cu!(cuStreamWriteValue32(stream, self.word as u64, self.value, 0)) }?;
        self.awaited.store(primary::host_time(), Ordering::Release);
        Ok(())
    }

    /// Has a stream wait for it. The stream's context is current.
    pub(crate) fn hold(&self, stream: CUstream) -> UrResult<()> {
        let (word, flags) = (self.word as u64, CU_STREAM_WAIT_VALUE_GEQ);
        // SAFETY: a live stream, and a word that is never freed and that all devices reach at the same address.
        unsafe { cu!(cuStreamWaitValue32(stream, word, self.value, flags)) }
    }
}

impl Drop for HostSignal {
    fn drop(&mut self) {
        // What nobody has signalled would hold streams forever. Commands have it, so it holds up none of them.
        self.set();
        let next = (self.word, self.value.wrapping_add(1));
        self.primary.words.0.lock().push(next);
    }
}
