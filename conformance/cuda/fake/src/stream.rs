// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Streams, of which each is a thread, and events.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use oxur_cuda_sys::*;

use crate::device::Device;
use crate::setting;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A count that threads wait for.
#[derive(Default)]
pub struct Count {
    value: Mutex<u64>,
    changed: Condvar,
}

impl Count {
    fn get(&self) -> u64 {
        *lock(&self.value)
    }

    pub fn raise(&self, to: u64) {
        let mut value = lock(&self.value);
        *value = to.max(*value);
        self.changed.notify_all();
    }

    /// Waits until it has this value, or the device fails.
    pub fn wait(&self, least: u64, device: &Device) -> Result<(), CUresult> {
        let mut value = lock(&self.value);
        while *value < least {
            device.check()?;
            let waited = self.changed.wait_timeout(value, Duration::from_millis(1));
            value = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(value);
        device.check()
    }
}

type Command = Box<dyn FnOnce(&Device) -> Result<(), CUresult> + Send>;

/// How many commands a stream has room for by default: about as many as those of an H100's driver, which differs by command.
const ROOM: u64 = 256;

/// A stream.
pub struct Stream {
    pub device: &'static Device,
    sender: Arc<Mutex<(Sender<Command>, u64)>>,
    done: Arc<Count>,
    /// How many commands it has room for.
    room: u64,
}

/// How many commands a stream got, and how many are complete.
type Progress = (Weak<Mutex<(Sender<Command>, u64)>>, Arc<Count>);

/// All streams, by the numbers of their devices.
static STREAMS: Mutex<Vec<(i32, Progress)>> = Mutex::new(Vec::new());

/// Waits for all streams of a device.
pub fn wait_all(device: &Device) -> Result<(), CUresult> {
    let streams: Vec<(u64, Arc<Count>)> = {
        let mut streams = lock(&STREAMS);
        streams.retain(|(_, (sender, _))| sender.strong_count() != 0);
        let own = streams.iter().filter(|(of, _)| *of == device.ordinal);
        own.filter_map(|(_, (sender, done))| Some((lock(&*sender.upgrade()?).1, done.clone())))
            .collect()
    };
    streams
        .iter()
        .try_for_each(|(submitted, done)| done.wait(*submitted, device))
}

impl Stream {
    pub fn new(device: &'static Device) -> Self {
        let (send, receive) = channel::<Command>();
        let done = Arc::new(Count::default());
        let count = done.clone();
        let late = setting("FAKE_CUDA_DELAY", 0);
        std::thread::spawn(move || {
            let mut random = 0x9e37_79b9_7f4a_7c15_u64 ^ Arc::as_ptr(&count) as u64;
            for (command, number) in receive.iter().zip(1..) {
                if late != 0 {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    std::thread::sleep(Duration::from_micros(random % late));
                }
                // After a fault, nothing runs any more.
                if device.check().is_ok()
                    && let Err(fault) = command(device)
                {
                    device.fail(fault);
                }
                count.raise(number);
            }
        });
        let sender = Arc::new(Mutex::new((send, 0)));
        lock(&STREAMS).push((device.ordinal, (Arc::downgrade(&sender), done.clone())));
        let room = setting("FAKE_CUDA_ROOM", ROOM).max(1);
        Self {
            device,
            sender,
            done,
            room,
        }
    }

    /// Submits a command. The caller waits while the stream is full.
    pub fn submit(
        &self,
        command: impl FnOnce(&Device) -> Result<(), CUresult> + Send + 'static,
    ) -> Result<(), CUresult> {
        self.device.check()?;
        // A statement of its own: others may ask meanwhile.
        let submitted = lock(&self.sender).1;
        self.done.wait((submitted + 1).saturating_sub(self.room), self.device)?;
        let mut sender = lock(&self.sender);
        sender.1 += 1;
        // The thread ends with the sender.
        sender.0.send(Box::new(command)).map_err(|_| CUDA_ERROR_UNKNOWN)
    }

    pub fn is_idle(&self) -> bool {
        let submitted = lock(&self.sender).1;
        self.done.get() >= submitted
    }

    /// Waits for all commands so far.
    pub fn wait(&self) -> Result<(), CUresult> {
        let submitted = lock(&self.sender).1;
        self.done.wait(submitted, self.device)
    }
}

/// An event.
#[derive(Default)]
pub struct Event {
    timed: bool,
    /// The device of the last record.
    device: Mutex<Option<&'static Device>>,
    recorded: Mutex<u64>,
    reached: Count,
    time: Mutex<Option<Instant>>,
}

impl Event {
    pub fn new(timed: bool) -> Self {
        Self {
            timed,
            ..Self::default()
        }
    }

    /// Records it behind the commands of a stream.
    pub fn record(self: &Arc<Self>, stream: &Stream) -> Result<(), CUresult> {
        let mut recorded = lock(&self.recorded);
        *recorded += 1;
        *lock(&self.device) = Some(stream.device);
        let (event, number) = (self.clone(), *recorded);
        stream.submit(move |_| {
            *lock(&event.time) = Some(Instant::now());
            event.reached.raise(number);
            Ok(())
        })
    }

    pub fn is_over(&self) -> bool {
        let recorded = *lock(&self.recorded);
        self.reached.get() >= recorded
    }

    /// Waits for the last record.
    pub fn wait(&self, device: &Device) -> Result<(), CUresult> {
        let recorded = *lock(&self.recorded);
        self.reached.wait(recorded, device)
    }

    /// Has a stream wait for the last record, or until the device that is to come there fails.
    pub fn hold(self: &Arc<Self>, stream: &Stream) -> Result<(), CUresult> {
        let (event, recorded) = (self.clone(), *lock(&self.recorded));
        let Some(by) = *lock(&self.device) else {
            return Ok(());
        };
        stream.submit(move |device| {
            _ = event.reached.wait(recorded, by);
            device.check()
        })
    }

    /// Milliseconds from this one to a later one.
    pub fn elapsed(&self, end: &Self) -> Result<f32, CUresult> {
        if !self.timed || !end.timed {
            return Err(CUDA_ERROR_INVALID_HANDLE);
        }
        if !self.is_over() || !end.is_over() {
            return Err(CUDA_ERROR_NOT_READY);
        }
        match (*lock(&self.time), *lock(&end.time)) {
            (Some(start), Some(end)) => Ok(end.saturating_duration_since(start).as_secs_f64() as f32 * 1e3),
            _ => Err(CUDA_ERROR_INVALID_HANDLE),
        }
    }
}

/// Has a stream wait until a word has a value, or a later one.
pub fn wait_value(stream: &Stream, word: usize, value: u32) -> Result<(), CUresult> {
    stream.submit(move |device| {
        // SAFETY: the caller has found the word in pinned memory.
        let word = unsafe { AtomicU32::from_ptr(word as *mut u32) };
        while word.load(Ordering::Acquire).wrapping_sub(value).cast_signed() < 0 {
            device.check()?;
            std::thread::sleep(Duration::from_micros(20));
        }
        Ok(())
    })
}

/// Has a stream write a word.
pub fn write_value(stream: &Stream, word: usize, value: u32) -> Result<(), CUresult> {
    stream.submit(move |_| {
        // SAFETY: the caller has found the word in pinned memory.
        unsafe { AtomicU32::from_ptr(word as *mut u32) }.store(value, Ordering::Release);
        Ok(())
    })
}
