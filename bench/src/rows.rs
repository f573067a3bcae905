// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What is measured on every stack, row by row.

use std::cell::Cell;
use std::ffi::c_void;
use std::rc::Rc;

use crate::measure::Subject;
use crate::silent;
use crate::stack::{Call, Commands, FourArgs, Kind, Launch, Means, Stack, WITH_ARGS, timed};
use crate::threads::{self, Crew};

/// What a row shall show of ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// It is there for the figures.
    None,
    /// Not slower than Intel's.
    NotSlower,
    /// At most such a part of Intel's.
    Ratio(f64),
    /// What the stack adds to the layer below is at most such a part of what Intel's adds.
    Overhead(f64),
    /// The same, and at most so many nanoseconds.
    OverheadAndAtMost(f64, f64),
    /// Not slower than the layer below.
    NotSlowerThanBelow,
    /// At most so many nanoseconds.
    AtMost(f64),
}

/// A row of the report.
#[derive(Clone, Debug)]
pub struct Row {
    /// Names it.
    pub name: String,
    /// What it shall show.
    pub goal: Goal,
    /// What runs.
    pub work: Work,
}

/// What runs once a repetition.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// A launch of the kernel without arguments, or of the one with four.
    Launch {
        /// How.
        launch: Launch,
        /// Whether there are four arguments.
        four: bool,
        /// Whether each repetition waits for the queue; else the batch does so in the end, and that is not measured.
        finish: bool,
    },
    /// A launch of the kernel with four arguments, all of which are others than before. With [`Work::Launch`] it is one of
    /// them: what stays need not be set again.
    LaunchAnew(Launch),
    /// So many launches of the kernel with four arguments, one by one, and waiting for the last.
    Launches(u32),
    /// The same launches by what was recorded before. The layer below is our stack, where they are submitted one by one.
    Replay(Means, u32),
    /// A new value for an argument of a launch in a command buffer.
    Update,
    /// A recording of so many launches, made ready to run.
    Record(Means, u32),
    /// A command buffer of so many commands, finalized; `whole` says that making and releasing it counts, too.
    Finalize {
        /// What is in it.
        commands: Commands,
        /// How many.
        count: u32,
        /// Whether it is all that is measured, or the call alone.
        whole: bool,
    },
    /// Launches of several threads at once.
    Threads(Crew),
    /// The release of an event of a launch that is complete; of each by itself, or of all of a batch.
    ReleaseEvent {
        /// Each by itself.
        single: bool,
    },
    /// A blocking copy of so many bytes.
    Memcpy(usize),
    /// An allocation that is freed.
    Alloc {
        /// Of which kind.
        kind: Kind,
        /// Of how many bytes.
        size: usize,
        /// From a pool that the client made.
        pool: bool,
        /// Whether a byte of each page is written.
        touch: bool,
    },
    /// Adapters, platforms, devices.
    Enumerate,
    /// A number of the device's.
    ComputeUnits,
    /// A string of the device's.
    Name,
    /// An event behind all commands, waited for and released.
    BarrierEvent,
    /// Waiting for an event that has happened.
    WaitAgain,
    /// A reference to an event, taken and given back.
    RetainRelease,
    /// A blocking write to a variable of the program.
    GlobalWrite,
    /// A blocking read.
    GlobalRead,
}

impl Work {
    /// How many repetitions a batch may have.
    pub fn most(&self) -> u32 {
        match self {
            // So many launches wait in a queue at most.
            Self::Launch {
                launch: Launch { silent: false, .. },
                finish: false,
                ..
            }
            | Self::LaunchAnew(Launch { silent: false, .. }) => 128,
            Self::Record(_, count) => (100_000 / count).max(1),
            Self::Finalize { count, .. } => (10_000 / count).max(1),
            Self::ReleaseEvent { .. } => 128,
            _ => 100_000,
        }
    }
}

/// All rows, in the order of the report.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |name: String, goal: Goal, work: Work| rows.push(Row { name, goal, work });
    for (title, silent, finish) in [
        ("launch, silent driver", true, false),
        ("launch, enqueue", false, false),
        ("launch, enqueue + finish", false, true),
    ] {
        for (four, count) in [(false, 0), (true, 4)] {
            for call in [Call::SetArgs, Call::WithArgs] {
                for (event, local, how) in [
                    (false, true, ""),
                    (true, true, ", event"),
                    (false, false, ", null local"),
                ] {
                    let old = if call == Call::SetArgs { "set args" } else { "with args" };
                    let goal = if finish { Goal::NotSlower } else { Goal::Overhead(0.5) };
                    let launch = Launch {
                        call,
                        event,
                        local,
                        silent,
                    };
                    row(
                        format!("{title}: {count} args, {old}{how}"),
                        goal,
                        Work::Launch { launch, four, finish },
                    );
                }
            }
        }
    }
    for (title, silent) in [("silent driver", true), ("enqueue", false)] {
        for (call, old) in [(Call::SetArgs, "set args"), (Call::WithArgs, "with args")] {
            let launch = Launch {
                call,
                event: false,
                local: true,
                silent,
            };
            // Half of Intel's is not to be had: five calls that do no more than check handles take that.
            row(
                format!("launch, {title}: 4 new args, {old}"),
                Goal::NotSlower,
                Work::LaunchAnew(launch),
            );
        }
    }
    for (size, text) in [(8, "8 B"), (64 << 10, "64 KiB"), (64 << 20, "64 MiB")] {
        row(
            format!("usm memcpy, blocking: {text}"),
            Goal::NotSlower,
            Work::Memcpy(size),
        );
    }
    let sizes = [(64, "64 B"), (4 << 10, "4 KiB"), (1 << 20, "1 MiB")];
    for pool in [false, true] {
        for (kind, of) in [(Kind::Device, "device"), (Kind::Shared, "shared"), (Kind::Host, "host")] {
            for (size, text) in sizes {
                let from = if pool { ", pool" } else { "" };
                let work = Work::Alloc {
                    kind,
                    size,
                    pool,
                    touch: false,
                };
                row(
                    format!("usm alloc + free: {of} {text}{from}"),
                    Goal::AtMost(100.0),
                    work,
                );
            }
        }
    }
    let work = Work::Alloc {
        kind: Kind::Shared,
        size: 1 << 20,
        pool: false,
        touch: true,
    };
    row("usm alloc + touch + free: shared 1 MiB".into(), Goal::NotSlower, work);
    command_buffers(&mut row, None);
    row("enumeration, warm".into(), Goal::NotSlower, Work::Enumerate);
    row("device info: compute units".into(), Goal::NotSlower, Work::ComputeUnits);
    row("device info: name".into(), Goal::NotSlower, Work::Name);
    row(
        "event: barrier, wait, release".into(),
        Goal::NotSlower,
        Work::BarrierEvent,
    );
    row(
        "event: wait for a complete one".into(),
        Goal::Overhead(0.5),
        Work::WaitAgain,
    );
    row("event: retain, release".into(), Goal::NotSlower, Work::RetainRelease);
    releases(&mut row);
    row("device global: write 256 B".into(), Goal::NotSlower, Work::GlobalWrite);
    row("device global: read 256 B".into(), Goal::NotSlower, Work::GlobalRead);
    threads::rows(1000, &mut row);
    rows
}

/// The rows of releases of events.
pub fn releases(mut row: impl FnMut(String, Goal, Work)) {
    for (single, text, goal) in [
        // Intel's queue holds its last event. So it goes with the next launch, which is in the row `launch, enqueue + finish`
        // with an event.
        (true, "a launch, waited for", Goal::None),
        (false, "launches, all finished", Goal::NotSlower),
    ] {
        let work = Work::ReleaseEvent { single };
        row(format!("event: release of {text}"), goal, work);
    }
}

/// Prepares what a row runs on one stack; `None` where the stack has no such thing.
pub fn subject<S: Stack>(stack: &Rc<S>, work: Work) -> Option<Subject> {
    let stack = stack.clone();
    Some(match work {
        Work::Launch {
            launch,
            four: false,
            finish,
        } => launches(stack, launch, finish),
        Work::Launch {
            launch,
            four: true,
            finish,
        } => launches_with_four(stack, launch, finish, false),
        Work::LaunchAnew(launch) => launches_with_four(stack, launch, false, true),
        Work::Launches(count) => many_launches(stack, count),
        Work::Replay(means, count) => return replays(stack, means, count),
        Work::Update => return updates(stack),
        Work::Record(means, count) => return records(stack, means, count),
        Work::Finalize { commands, count, whole } => return finalizes(stack, commands, count, whole),
        Work::Threads(crew) => threads::subject(stack, crew),
        Work::ReleaseEvent { single } => release_events(stack, single),
        Work::Memcpy(size) => memcpy(stack, size),
        Work::Alloc { pool: true, .. } if !stack.has_pool() => return None,
        Work::Alloc {
            kind,
            size,
            pool,
            touch,
        } => alloc(stack, kind, size, pool, touch),
        Work::Enumerate => {
            let devices = stack.enumerate();
            Box::new(move |n| {
                let mut seen = 0;
                let took = timed(|| (0..n).for_each(|_| seen += stack.enumerate()));
                assert_eq!(seen, devices * n as usize, "the number of devices");
                took
            })
        }
        Work::ComputeUnits => Box::new(move |n| {
            let mut sum = 0;
            let took = timed(|| (0..n).for_each(|_| sum += stack.compute_units()));
            assert!(sum > 0, "a device has compute units");
            took
        }),
        Work::Name => Box::new(move |n| {
            let (mut name, mut size) = ([0; 256], 0);
            let took = timed(|| (0..n).for_each(|_| size = stack.name(&mut name)));
            assert!(
                size > 1 && name[size - 2] != 0 && name[size - 1] == 0,
                "a name that ends with its only NUL"
            );
            took
        }),
        Work::BarrierEvent => Box::new(move |n| {
            timed(|| {
                for _ in 0..n {
                    let event = stack.barrier();
                    stack.wait(event);
                    stack.release(event);
                }
            })
        }),
        Work::WaitAgain => with_event(stack, S::wait),
        Work::RetainRelease => with_event(stack, |stack, event| {
            stack.retain(event);
            stack.release(event);
        }),
        Work::GlobalWrite => global(stack, |stack, values| stack.write_global(c"table", values)),
        Work::GlobalRead => global(stack, |stack, values| stack.read_global(c"table", values)),
    })
}

/// Events of a batch, which are released after the measurement; but within it where the repetition waits.
struct Events<S: Stack> {
    stack: Rc<S>,
    pending: Vec<S::Event>,
}

impl<S: Stack> Events<S> {
    fn new(stack: Rc<S>) -> Self {
        Self {
            stack,
            pending: Vec::with_capacity(1 << 17),
        }
    }

    /// Repeats a launch as `finish` says, and sees to it that all is done in the end.
    fn run(
        &mut self,
        n: u32,
        launch: Launch,
        finish: bool,
        one: impl Fn(&S) -> Option<S::Event>,
    ) -> std::time::Duration {
        let stack = &*self.stack;
        let (silent_launches, silent_events) = (silent::launches(), silent::events());
        let took = timed(|| {
            for _ in 0..n {
                let event = one(stack);
                match event {
                    // A client that has an event waits for that. The silent driver's are released at once.
                    Some(event) if finish => {
                        stack.wait(event);
                        stack.release(event);
                    }
                    Some(event) if launch.silent => stack.release(event),
                    Some(event) => self.pending.push(event),
                    None if finish => stack.finish(),
                    None => {}
                }
            }
        });
        if launch.silent {
            assert_eq!(
                silent::launches() - silent_launches,
                u64::from(n),
                "{}: launches that got to the driver",
                stack.title()
            );
            // Intel's queue holds the last event until the next one comes.
            let kept = silent::events() - silent_events;
            assert!(
                kept.abs() <= 1,
                "{}: {kept} events are leaked, or released twice",
                stack.title()
            );
        } else {
            stack.finish();
        }
        self.pending.drain(..).for_each(|event| stack.release(event));
        took
    }
}

fn launches<S: Stack>(stack: Rc<S>, launch: Launch, finish: bool) -> Subject {
    let mut events = Events::new(stack.clone());
    let counted = move || {
        let mut counter = [0];
        stack.read_global(c"counter", &mut counter);
        counter[0]
    };
    Box::new(move |n| {
        let before = counted();
        let took = events.run(n, launch, finish, |stack| stack.launch(launch));
        let expected = if launch.silent { 0 } else { n as i32 };
        assert_eq!(counted().wrapping_sub(before), expected, "how often the kernel ran");
        took
    })
}

fn launches_with_four<S: Stack>(stack: Rc<S>, launch: Launch, finish: bool, anew: bool) -> Subject {
    let memory = Memory::new(&stack, Kind::Shared, 64);
    let mut events = Events::new(stack);
    let mut round = 0;
    Box::new(move |n| {
        // Two of each, by turns, if all arguments are to be others.
        let turn = |time: i32| if anew { time & 1 } else { 0 };
        let out = |turn: i32| memory.at(16 * turn as usize).cast::<i32>();
        let input = |turn: i32| memory.at(32 + 16 * turn as usize).cast::<i32>();
        round += 1;
        for turn in [0, 1] {
            // SAFETY: shared memory that no command uses at present.
            unsafe { (out(turn).write(0), input(turn).write(round)) };
        }
        // Each launch has another summand, as those of a program have.
        let last = Cell::new(0);
        let took = events.run(n, launch, finish, |stack| {
            last.set(last.get() + 1);
            let turn = turn(last.get());
            stack.launch_four(
                launch,
                FourArgs {
                    out: out(turn).cast(),
                    input: input(turn).cast(),
                    factor: 3 + turn,
                    summand: last.get(),
                },
            )
        });
        let turn = turn(n as i32);
        let expected = if launch.silent {
            0
        } else {
            (3 + turn) * round + n as i32
        };
        // SAFETY: the queue is finished.
        let found = unsafe { out(turn).read_volatile() };
        assert_eq!(found, expected, "what the last launch left");
        took
    })
}

/// What launches of `multiply_add` work on: two numbers.
struct Numbers<S: Stack>(Memory<S>);

impl<S: Stack> Numbers<S> {
    fn new(stack: &Rc<S>) -> Self {
        Self(Memory::new(stack, Kind::Shared, 64))
    }

    fn args(&self, summand: i32) -> FourArgs {
        FourArgs {
            out: self.0.at(0),
            input: self.0.at(32),
            factor: 3,
            summand,
        }
    }

    /// The host's turn: the next number that is multiplied.
    fn put(&self, input: i32) {
        // SAFETY: shared memory that no command uses at present.
        unsafe {
            (
                self.0.at(0).cast::<i32>().write(0),
                self.0.at(32).cast::<i32>().write(input),
            )
        };
    }

    fn check(&self, expected: i32) {
        // SAFETY: the queue is finished.
        let found = unsafe { self.0.at(0).cast::<i32>().read_volatile() };
        assert_eq!(found, expected, "what the last launch left");
    }
}

fn many_launches<S: Stack>(stack: Rc<S>, count: u32) -> Subject {
    let (numbers, mut round) = (Numbers::new(&stack), 0);
    Box::new(move |n| {
        round += 1;
        numbers.put(round);
        let took = timed(|| {
            for _ in 0..n {
                for i in 0..count {
                    stack.launch_four(WITH_ARGS, numbers.args(i as i32));
                }
                stack.finish();
            }
        });
        numbers.check(3 * round + count as i32 - 1);
        took
    })
}

fn replays<S: Stack>(stack: Rc<S>, means: Means, count: u32) -> Option<Subject> {
    let (numbers, mut round) = (Numbers::new(&stack), 0);
    let recording = stack.record(means, count, numbers.args(5))?;
    Some(Box::new(move |n| {
        round += 1;
        numbers.put(round);
        let took = timed(|| {
            for _ in 0..n {
                stack.replay(&recording);
                stack.finish();
            }
        });
        numbers.check(3 * round + 5);
        took
    }))
}

fn updates<S: Stack>(stack: Rc<S>) -> Option<Subject> {
    let numbers = Numbers::new(&stack);
    let buffer = stack.record(Means::CommandBuffer, 100, numbers.args(5))?;
    Some(Box::new(move |n| {
        numbers.put(7);
        let took = timed(|| (1..=n).for_each(|i| stack.update(&buffer, i as i32)));
        stack.replay(&buffer);
        stack.finish();
        numbers.check(3 * 7 + n as i32);
        took
    }))
}

fn records<S: Stack>(stack: Rc<S>, means: Means, count: u32) -> Option<Subject> {
    let numbers = Numbers::new(&stack);
    drop(stack.record(means, 1, numbers.args(5))?);
    Some(Box::new(move |n| {
        let mut last = None;
        let took = timed(|| (0..n).for_each(|i| last = stack.record(means, count, numbers.args(i as i32))));
        numbers.put(7);
        stack.replay(&last.take().expect("at least one was recorded"));
        stack.finish();
        numbers.check(3 * 7 + n as i32 - 1);
        took
    }))
}

fn finalizes<S: Stack>(stack: Rc<S>, commands: Commands, count: u32, whole: bool) -> Option<Subject> {
    let numbers = Numbers::new(&stack);
    let last = count as i32 + 5;
    drop(stack.append(commands, count, numbers.args(last))?);
    Some(Box::new(move |n| {
        let append = || {
            let appended = stack.append(commands, count, numbers.args(last));
            appended.expect("there was one before")
        };
        let one = || {
            let appended = append();
            let took = timed(|| stack.finalize(&appended));
            (took, appended)
        };
        let took = match whole {
            true => timed(|| {
                for _ in 0..n {
                    stack.finalize(&append());
                }
            }),
            // A client finalizes what it has just appended.
            false => (0..n).map(|_| one().0).sum(),
        };
        numbers.put(7);
        stack.replay(&one().1);
        stack.finish();
        numbers.check(match commands {
            Commands::Launches => 3 * 7 + last,
            Commands::Fills => last,
            Commands::Copies => 7,
        });
        took
    }))
}

/// The rows of command buffers and graphs. `most` is what a kernel of a replay may take, in nanoseconds, if there is such a goal.
pub fn command_buffers(mut row: impl FnMut(String, Goal, Work), most: Option<f64>) {
    for count in [10, 100, 1000] {
        row(
            format!("{count} launches: one by one, finish"),
            Goal::None,
            Work::Launches(count),
        );
        let goal = most.map_or(Goal::NotSlowerThanBelow, |most| Goal::AtMost(most * f64::from(count)));
        row(
            format!("{count} launches: replay, finish"),
            goal,
            Work::Replay(Means::CommandBuffer, count),
        );
        row(
            format!("{count} launches: graph replay, finish"),
            Goal::NotSlowerThanBelow,
            Work::Replay(Means::Graph, count),
        );
    }
    let goal = most.map_or(Goal::None, |_| Goal::AtMost(200.0));
    row("command buffer: update of one argument".into(), goal, Work::Update);
    for count in [1000, 10_000] {
        row(
            format!("command buffer: create, append {count}, finalize"),
            Goal::None,
            Work::Record(Means::CommandBuffer, count),
        );
        row(
            format!("graph: capture {count}, instantiate"),
            Goal::None,
            Work::Record(Means::Graph, count),
        );
    }
    for (commands, text) in [
        (Commands::Launches, "launches"),
        (Commands::Fills, "fills"),
        (Commands::Copies, "copies"),
    ] {
        for count in [10, 100, 1000] {
            for (whole, how) in [(false, "finalize alone"), (true, "create, append, finalize, release")] {
                let work = Work::Finalize { commands, count, whole };
                row(format!("command buffer: {count} {text}, {how}"), Goal::NotSlower, work);
            }
        }
    }
}

/// An allocation that is freed at the end of a row.
struct Memory<S: Stack> {
    address: *mut c_void,
    stack: Rc<S>,
}

impl<S: Stack> Memory<S> {
    fn new(stack: &Rc<S>, kind: Kind, size: usize) -> Self {
        Self {
            address: stack.alloc(kind, size, false),
            stack: stack.clone(),
        }
    }

    /// An address in it. A method, so that a closure that uses it keeps all of the allocation, and not its address.
    fn at(&self, offset: usize) -> *mut c_void {
        self.address.wrapping_byte_add(offset)
    }
}

impl<S: Stack> Drop for Memory<S> {
    fn drop(&mut self) {
        self.stack.free(self.address);
    }
}

/// How many pairs of buffers copies take turns with. Where the pages of one are, and so which lines of the caches they share, makes a
/// difference that is larger than what adapters take.
const PLACES: usize = 16;

fn memcpy<S: Stack>(stack: Rc<S>, size: usize) -> Subject {
    let new = || Memory::new(&stack, Kind::Shared, size);
    let places: Vec<_> = (0..PLACES).map(|_| (new(), new())).collect();
    let mut round = 0usize;
    Box::new(move |n| {
        let (to, from) = &places[round % PLACES];
        let (to, from) = (to.at(0).cast::<u8>(), from.at(0).cast::<u8>());
        // SAFETY: shared memory of that size, which no command uses.
        let (to_bytes, from_bytes) = unsafe {
            (
                std::slice::from_raw_parts_mut(to, size),
                std::slice::from_raw_parts_mut(from, size),
            )
        };
        // All of it the first time, which maps its pages; then both ends and the middle.
        if round < PLACES {
            to_bytes.fill(0);
            from_bytes.fill(1);
        }
        round += 1;
        let mark = round as u8;
        let marks = [0, size / 2, size - 1];
        marks.iter().for_each(|at| from_bytes[*at] = mark);
        let took = timed(|| (0..n).for_each(|_| stack.memcpy(to.cast(), from.cast(), size)));
        assert!(marks.iter().all(|at| to_bytes[*at] == mark), "the copy");
        took
    })
}

fn alloc<S: Stack>(stack: Rc<S>, kind: Kind, size: usize, pool: bool, touch: bool) -> Subject {
    let write = move |memory: *mut c_void, step: usize| {
        for at in (0..size).step_by(step) {
            // SAFETY: inside of a new allocation; device memory of a CPU is the host's, too.
            unsafe { memory.cast::<u8>().add(at).write_volatile(7) };
        }
    };
    Box::new(move |n| {
        let took = timed(|| {
            for _ in 0..n {
                let memory = stack.alloc(kind, size, pool);
                if touch {
                    write(memory, 4096);
                }
                stack.free(memory);
            }
        });
        // Two that are alive at the same time are two, and each is as large as asked for.
        let (a, b) = (stack.alloc(kind, size, pool), stack.alloc(kind, size, pool));
        assert!(a.addr().abs_diff(b.addr()) >= size, "two allocations overlap");
        assert!(
            a.addr().is_multiple_of(64) || size < 64,
            "an allocation is aligned for every type"
        );
        for memory in [a, b] {
            write(memory, 64);
            stack.free(memory);
        }
        took
    })
}

fn with_event<S: Stack>(stack: Rc<S>, one: impl Fn(&S, S::Event) + 'static) -> Subject {
    Box::new(move |n| {
        let event = stack.barrier();
        stack.wait(event);
        let took = timed(|| (0..n).for_each(|_| one(&stack, event)));
        stack.release(event);
        took
    })
}

fn release_events<S: Stack>(stack: Rc<S>, single: bool) -> Subject {
    let numbers = Numbers::new(&stack);
    let mut events = Vec::with_capacity(128);
    Box::new(move |n| {
        numbers.put(7);
        let launch = Launch {
            event: true,
            ..WITH_ARGS
        };
        let event = |i: u32| {
            let event = stack.launch_four(launch, numbers.args(i as i32));
            event.expect("an event was asked for")
        };
        let took = if single {
            let one = |i| {
                let event = event(i);
                stack.wait(event);
                timed(|| stack.release(event))
            };
            (1..=n).map(one).sum()
        } else {
            events.extend((1..=n).map(event));
            stack.finish();
            timed(|| events.drain(..).for_each(|event| stack.release(event)))
        };
        numbers.check(3 * 7 + n as i32);
        took
    })
}

fn global<S: Stack>(stack: Rc<S>, one: impl Fn(&S, &mut [i32]) + 'static) -> Subject {
    let mut values = [0; 64];
    Box::new(move |n| {
        values.iter_mut().for_each(|value| *value += 1);
        stack.write_global(c"table", &values);
        let (mut given, mut read) = (values, [0; 64]);
        let took = timed(|| (0..n).for_each(|_| one(&stack, &mut given)));
        stack.read_global(c"table", &mut read);
        assert!(given == values && read == values, "the variable's value");
        took
    })
}
