// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Copies between pageable memory and that of CUDA, through pinned chunks.
//!
//! The driver has one thread copy into one pinned buffer, and gets 7 to 10 GB/s of the 55 that the bus has. Here some
//! threads take chunks in turn. Each has two pinned chunks and a stream: it copies one while the other travels.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use kit::{UrResult, emulate};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::{Mutex, OnceLock};

use crate::driver::{self, cu, cu_get};
use crate::primary::Primary;

/// Up to this size the driver is faster to the device: it begins at once, and puts few bytes between the commands.
pub(crate) const SMALL_UPLOAD: usize = 1 << 20;

/// The same from the device.
pub(crate) const SMALL_DOWNLOAD: usize = 192 << 10;

/// The sizes of chunks.
const CHUNKS: std::ops::RangeInclusive<usize> = 256 << 10..=2 << 20;

/// How many bytes are worth another thread.
const PER_THREAD: usize = 512 << 10;

/// How many threads copy at most: with so many the bus is the limit.
const THREADS: usize = 6;

/// A copy of which a side is pageable memory.
#[derive(Clone, Copy)]
pub(crate) struct Staged {
    pub(crate) dst: usize,
    pub(crate) src: usize,
    pub(crate) size: usize,
    pub(crate) way: Way,
}

/// Where the bytes go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    ToDevice,
    FromDevice,
    /// The host reaches both sides.
    OnHost,
}

/// What the threads of a copy share.
struct Job {
    copy: Staged,
    chunk: usize,
    next: AtomicUsize,
}

impl Job {
    /// The next chunk: where it begins, and its size.
    fn take(&self) -> Option<(usize, usize)> {
        let begin = self.next.fetch_add(self.chunk, Ordering::Relaxed);
        (begin < self.copy.size).then(|| (begin, self.chunk.min(self.copy.size - begin)))
    }
}

impl Staged {
    /// Whether it is faster than the driver's copy.
    pub(crate) fn is_large(&self) -> bool {
        match self.way {
            Way::ToDevice => self.size > SMALL_UPLOAD,
            Way::FromDevice => self.size > SMALL_DOWNLOAD,
            Way::OnHost => true,
        }
    }

    /// Copies, and returns when all is there. What the copy has to wait for is over.
    ///
    /// # Safety
    /// Both sides are good for the size.
    pub(crate) unsafe fn run(self, primary: &'static Primary) -> UrResult<()> {
        if self.way == Way::OnHost {
            // SAFETY: the caller vouches for both sides.
            unsafe { (self.dst as *mut u8).copy_from(self.src as *const u8, self.size) };
            return Ok(());
        }
        let threads = (self.size / PER_THREAD).clamp(1, most_threads());
        let chunk = (self.size / (2 * threads)).next_multiple_of(64 << 10);
        let chunk = chunk.clamp(*CHUNKS.start(), *CHUNKS.end());
        let job = Arc::new(Job {
            copy: self,
            chunk,
            next: AtomicUsize::new(0),
        });
        let (send, receive) = channel();
        for _ in 1..threads {
            let (job, send) = (job.clone(), send.clone());
            let started = emulate::run_on_thread(Box::new(move || {
                // SAFETY: `run` returns when this has.
                _ = send.send(unsafe { work(primary, &job) });
            }));
            if let Err(error) = started {
                log::debug!("a copy has fewer threads: {error}");
            }
        }
        drop(send);
        // SAFETY: the caller vouches for both sides.
        let own = unsafe { work(primary, &job) };
        receive.iter().fold(own, Result::and)
    }
}

fn most_threads() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (cores / 2).clamp(1, THREADS)
    })
}

/// Copies chunks until there are no more.
///
/// # Safety
/// Both sides of the copy are good for its size.
unsafe fn work(primary: &'static Primary, job: &Job) -> UrResult<()> {
    let _current = primary.activate()?;
    let copier = primary.copiers.take()?;
    // SAFETY: passed on to the caller.
    let copied = unsafe {
        match job.copy.way {
            Way::ToDevice => copier.upload(job),
            _ => copier.download(job),
        }
    };
    // One that has failed may still be at it.
    // SAFETY: a live stream.
    if copied.is_ok() || unsafe { cu!(cuStreamSynchronize(copier.stream)) }.is_ok() {
        primary.copiers.put(copier);
    }
    copied
}

/// Pinned chunks that wait for copies.
#[derive(Default)]
pub(crate) struct Copiers(Mutex<Vec<Copier>>);

/// A stream, and two pinned chunks. They stay until the process ends: the driver waits for the device to take them back.
pub(crate) struct Copier {
    stream: CUstream,
    chunks: [(usize, CUevent); 2],
}

// SAFETY: CUDA's handles may be used from any thread.
unsafe impl Send for Copier {}

impl Copiers {
    /// One that nobody uses. The context is current.
    pub(crate) fn take(&self) -> UrResult<Copier> {
        let kept = self.0.lock().pop();
        match kept {
            Some(copier) => Ok(copier),
            None => Copier::new(),
        }
    }

    /// Gives one back whose copies are complete.
    pub(crate) fn put(&self, copier: Copier) {
        self.0.lock().push(copier);
    }
}

/// One that could not be made, or whose copy has failed and cannot be waited for. The memory of the latter stays.
impl Drop for Copier {
    fn drop(&mut self) {
        if driver::is_gone() {
            return;
        }
        let events = self
            .chunks
            .iter()
            .map(|(_, event)| *event)
            .filter(|event| !event.is_null());
        // SAFETY: a live stream and events, which nobody else uses.
        let mut gone = events
            .map(|event| unsafe { cu!(cuEventDestroy(event)) })
            .fold(Ok(()), UrResult::and);
        if !self.stream.is_null() {
            // SAFETY: as above.
            gone = gone.and(unsafe { cu!(cuStreamDestroy(self.stream)) });
        }
        if let Err(error) = gone {
            log::warn!("a stream for copies is leaked: {error}");
        }
    }
}

impl Copier {
    fn new() -> UrResult<Self> {
        let size = *CHUNKS.end();
        let mut new = Self {
            stream: std::ptr::null_mut(),
            chunks: [(0, std::ptr::null_mut()); 2],
        };
        let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
        // The memory last: to give it back, the driver would wait for the device.
        // SAFETY: places for what is made.
        unsafe {
            cu!(cuStreamCreateWithPriority(&mut new.stream, CU_STREAM_NON_BLOCKING, 0))?;
            for (_, event) in &mut new.chunks {
                cu!(cuEventCreate(event, CU_EVENT_DISABLE_TIMING))?;
            }
            let memory = cu_get!(cuMemHostAlloc(_, 2 * size, flags): *mut std::ffi::c_void = std::ptr::null_mut())?;
            new.chunks[0].0 = memory as usize;
            new.chunks[1].0 = memory as usize + size;
        }
        Ok(new)
    }

    /// Pinned memory of [`SMALL_UPLOAD`] bytes at least.
    pub(crate) fn memory(&self) -> *mut u8 {
        self.chunks[0].0 as *mut u8
    }

    /// # Safety
    /// As [`work`].
    unsafe fn upload(&self, job: &Job) -> UrResult<()> {
        let (dst, src) = (job.copy.dst, job.copy.src);
        for (memory, event) in self.chunks.iter().cycle() {
            let Some((begin, size)) = job.take() else { break };
            // SAFETY: a live stream and event; the chunk is free when the event is there.
            unsafe {
                cu!(cuEventSynchronize(*event))?;
                (*memory as *mut u8).copy_from_nonoverlapping((src + begin) as *const u8, size);
                cu!(cuMemcpyAsync((dst + begin) as u64, *memory as u64, size, self.stream))?;
                cu!(cuEventRecord(*event, self.stream))?;
            }
        }
        // SAFETY: a live stream.
        unsafe { cu!(cuStreamSynchronize(self.stream)) }
    }

    /// # Safety
    /// As [`work`].
    unsafe fn download(&self, job: &Job) -> UrResult<()> {
        let (dst, src) = (job.copy.dst, job.copy.src);
        let mut before: Option<(usize, CUevent, usize, usize)> = None;
        for (memory, event) in self.chunks.iter().cycle() {
            let next = job.take();
            // SAFETY: a live stream and event; the chunk was emptied before.
            unsafe {
                if let Some((begin, size)) = next {
                    cu!(cuMemcpyAsync(*memory as u64, (src + begin) as u64, size, self.stream))?;
                    cu!(cuEventRecord(*event, self.stream))?;
                }
                if let Some((memory, event, begin, size)) = before {
                    cu!(cuEventSynchronize(event))?;
                    ((dst + begin) as *mut u8).copy_from_nonoverlapping(memory as *const u8, size);
                }
            }
            before = next.map(|(begin, size)| (*memory, *event, begin, size));
            if before.is_none() {
                break;
            }
        }
        Ok(())
    }
}
