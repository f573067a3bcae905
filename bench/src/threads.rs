// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tiny kernels from several threads at once. A repetition is as many launches of each thread: as long as there is a CPU
//! for each, and nothing that they share, more threads take no longer than one.

use std::ffi::c_void;
use std::rc::Rc;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::measure::Subject;
use crate::rows::{Goal, Work};
use crate::stack::{FourArgs, Kind, Line, Stack};

/// How long a thread waits for others to be awake: with fewer CPUs than threads they never are.
const PATIENCE: Duration = Duration::from_micros(200);
/// What a thread works on, in bytes: memory that no other thread's is near to.
const APART: usize = 256;

/// What threads have together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// A queue and a kernel each.
    Nothing,
    /// One queue.
    Queue,
    /// One kernel, and a queue each. Only our adapters allow that: in OpenCL a kernel has the arguments of the last thread.
    Kernel,
}

/// The threads of a row.
#[derive(Clone, Copy, Debug)]
pub struct Crew {
    /// How many.
    threads: usize,
    /// How many launches a thread makes in a repetition: many, since threads do not begin at the same moment, and since it
    /// matters what happens while one of them has no CPU.
    launches: u32,
    /// What they have together.
    pub shared: Shared,
    /// Each waits for its queue after each launch, and else in the end.
    finish: bool,
}

/// The rows of threads that make so many launches each.
pub fn rows(launches: u32, mut row: impl FnMut(String, Goal, Work)) {
    for (finish, how) in [(false, "enqueue"), (true, "enqueue + finish")] {
        for (shared, name) in [
            (Shared::Nothing, ", a queue each"),
            (Shared::Queue, ", one queue"),
            (Shared::Kernel, ", one kernel"),
        ] {
            for threads in [1, 2, 4] {
                let name = match (threads, shared) {
                    (1, Shared::Nothing) => "1 thread".to_owned(),
                    (1, _) => continue,
                    _ => format!("{threads} threads{name}"),
                };
                let work = Work::Threads(Crew {
                    threads,
                    launches,
                    shared,
                    finish,
                });
                row(
                    format!("threads: {name}: {launches} launches each, {how}"),
                    Goal::NotSlower,
                    work,
                );
            }
        }
    }
}

/// An address that a thread of its own uses.
#[derive(Clone, Copy)]
struct Place(*mut c_void);

// SAFETY: each thread has a place of its own in shared memory.
unsafe impl Send for Place {}

impl Place {
    fn args(self, summand: i32) -> FourArgs {
        FourArgs {
            out: self.0,
            input: self.0.wrapping_byte_add(APART / 2),
            factor: 3,
            summand,
        }
    }
}

/// What a row runs on one stack.
pub fn subject<S: Stack>(stack: Rc<S>, crew: Crew) -> Subject {
    let lines = stack.lines(crew.threads, crew.shared);
    let memory = stack.alloc(Kind::Shared, APART * crew.threads, false);
    let places: Vec<Place> = (0..crew.threads)
        .map(|i| Place(memory.wrapping_byte_add(APART * i)))
        .collect();
    let mut lines = lines;
    Box::new(move |n| {
        let count = n * crew.launches;
        for place in &places {
            let args = place.args(0);
            // SAFETY: shared memory that no command uses at present.
            unsafe {
                (
                    args.out.cast::<i32>().write(0),
                    args.input.cast_mut().cast::<i32>().write(7),
                )
            };
        }
        let (start, awake) = (Barrier::new(crew.threads), AtomicUsize::new(0));
        let work = |line: &S::Line, place: Place| {
            start.wait();
            // Who sleeps comes later than who was the last: nobody begins before all are awake.
            awake.fetch_add(1, Ordering::Relaxed);
            let slept = Instant::now();
            while awake.load(Ordering::Relaxed) != crew.threads && slept.elapsed() < PATIENCE {
                std::hint::spin_loop();
            }
            let began = Instant::now();
            for i in 1..=count {
                line.launch(place.args(i as i32));
                if crew.finish {
                    line.finish();
                }
            }
            line.finish();
            (began, Instant::now())
        };
        let times: Vec<_> = std::thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> = lines
                .iter_mut()
                .zip(&places)
                .map(|(line, &place)| scope.spawn(move || work(line, place)))
                .collect();
            let done = threads.into_iter().map(|thread| thread.join());
            done.map(|times| times.expect("a thread that measures does not panic"))
                .collect()
        });
        for place in &places {
            // SAFETY: all queues are finished.
            let found = unsafe { place.0.cast::<i32>().read_volatile() };
            assert_eq!(found, 3 * 7 + count as i32, "what a thread's last launch left");
        }
        let began = times.iter().map(|time| time.0).min();
        let ended = times.iter().map(|time| time.1).max();
        ended.zip(began).map(|(ended, began)| ended - began).unwrap_or_default()
    })
}
