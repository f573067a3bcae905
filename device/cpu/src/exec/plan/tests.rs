// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of plans whose steps run closures.

use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::*;
use crate::exec::clock;
use crate::exec::tests::{Calls, pool};

impl Plan {
    /// A plan of these steps. `before` yields the dependencies of each.
    fn new<'a>(steps: Vec<Step>, before: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut plan = PlanBuilder::default();
        steps
            .into_iter()
            .zip(before)
            .for_each(|(step, before)| plan.push(step, before));
        plan.finish()
    }
}

fn command(plan: &Plan) -> Arc<dyn Node> {
    Task::new(pool(), plan.clone(), false)
}

/// Runs the plan and waits. Returns whether it succeeded.
fn go(plan: &Plan) -> bool {
    let command = command(plan);
    submit(command.clone());
    command.wait()
}

fn step(
    (chunks, execution, cost): (u64, Execution, Option<u64>),
    run: impl Fn(Range<u64>) -> Result<(), Fault> + Send + Sync + 'static,
) -> Step {
    Step {
        work: Arc::new(Calls {
            chunks,
            execution,
            cost,
            run,
        }),
        external: None,
    }
}

fn short(run: impl Fn() + Send + Sync + 'static) -> Step {
    step((1, Execution::Parallel, Some(10)), move |_| {
        run();
        Ok(())
    })
}

/// A command that ends when the sender sends or is dropped.
fn gate() -> (Arc<dyn Node>, Sender<()>) {
    let (send, receive) = channel();
    let receive = Mutex::new(receive);
    let work = Calls {
        chunks: 1,
        execution: Execution::Host,
        cost: None,
        run: move |_| {
            _ = receive.lock().recv();
            Ok(())
        },
    };
    (Task::new(pool(), work, false), send)
}

/// A pseudo-random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// In random graphs, all chunks of each step run once per run, after the dependencies of the step.
#[test]
fn random_graphs() {
    for seed in 0..150 {
        let mut random = Random(seed);
        let count = 1 + random.below(if seed % 10 == 0 { 2000 } else { 60 });
        let before: Vec<Vec<u32>> = (0..count)
            .map(|step| match step {
                0 => vec![],
                _ => (0..random.below(4)).map(|_| random.below(step) as u32).collect(),
            })
            .map(|mut before: Vec<u32>| {
                before.sort_unstable();
                before.dedup();
                before
            })
            .collect();
        let done: Arc<Vec<AtomicU64>> = Arc::new((0..count).map(|_| AtomicU64::new(0)).collect());
        let kinds: Vec<_> = (0..count)
            .map(|_| match random.below(12) {
                0 => (0, Execution::Parallel, None),
                1 => (50, Execution::Parallel, None),
                2 => (7, Execution::Parallel, Some(10 * SHORT)),
                3 => (1, Execution::Host, None),
                4 => (2, Execution::Gang, None),
                _ => (1 + random.below(3) as u64, Execution::Parallel, Some(100)),
            })
            .collect();
        let run = Arc::new(AtomicU64::new(0));
        let steps = (0..count)
            .map(|place| {
                let (kinds, before, done, run) = (kinds.clone(), before[place].clone(), done.clone(), run.clone());
                step(kinds[place], move |chunks| {
                    let runs = run.load(Ordering::Relaxed);
                    for before in &before {
                        let expected = kinds[*before as usize].0 * runs;
                        assert_eq!(done[*before as usize].load(Ordering::Relaxed), expected);
                    }
                    done[place].fetch_add(chunks.end - chunks.start, Ordering::Relaxed);
                    Ok(())
                })
            })
            .collect();
        let plan = Plan::new(steps, before.iter().map(|before| &**before));
        for runs in 1..6 {
            run.store(runs, Ordering::Relaxed);
            assert!(go(&plan), "seed {seed}");
            for (place, (chunks, ..)) in kinds.iter().enumerate() {
                assert_eq!(
                    done[place].load(Ordering::Relaxed),
                    chunks * runs,
                    "seed {seed}, step {place}"
                );
            }
        }
    }
}

#[test]
fn nothing_at_all() {
    let plan = Plan::new(vec![], [].into_iter());
    assert!(go(&plan) && plan.is_shorter(0));
}

#[test]
fn short_plans_run_where_they_are() {
    let count = Arc::new(AtomicU64::new(0));
    let add = |n: u64| {
        let count = count.clone();
        short(move || _ = count.fetch_add(n, Ordering::Relaxed))
    };
    let mut plan = Plan::new(vec![add(1), add(2)], [&[][..], &[0][..]].into_iter());
    assert!(plan.is_shorter(20) && !plan.is_shorter(19));
    assert!(plan.run_inline(&mut ThreadContext::new()).is_ok());
    assert_eq!(count.load(Ordering::Relaxed), 3);

    // A copy is what it was.
    let old = plan.clone();
    plan.change(1, add(20));
    assert!(go(&old));
    assert_eq!(count.load(Ordering::Relaxed), 6);
    assert!(go(&plan));
    assert_eq!(count.load(Ordering::Relaxed), 27);

    plan.change(
        0,
        step((1, Execution::Parallel, Some(1)), |_| Err(Fault::StackOverflow)),
    );
    let (what, _) = plan.run_inline(&mut ThreadContext::new()).unwrap_err();
    assert_eq!(what, "a closure");
}

/// What fails ends the run, and only this run; a panic does, too.
#[test]
fn failures() {
    let after = Arc::new(AtomicU64::new(0));
    let bad = Arc::new(AtomicU64::new(1));
    for execution in [Execution::Parallel, Execution::Host] {
        for cost in [Some(1), None] {
            let steps = vec![
                {
                    let bad = bad.clone();
                    step((1, execution, cost), move |_| match bad.load(Ordering::Relaxed) {
                        0 => Ok(()),
                        1 => Err(Fault::StackOverflow),
                        _ => panic!("on purpose"),
                    })
                },
                {
                    let after = after.clone();
                    short(move || _ = after.fetch_add(1, Ordering::Relaxed))
                },
            ];
            let plan = Plan::new(steps, [&[][..], &[0][..]].into_iter());
            after.store(0, Ordering::Relaxed);
            for (kind, well) in [(1, false), (0, true), (2, false), (0, true)] {
                bad.store(kind, Ordering::Relaxed);
                assert_eq!(go(&plan), well);
            }
            assert_eq!(after.load(Ordering::Relaxed), 2);
        }
    }
}

/// Steps wait for external commands in each run, and signal external commands once.
#[test]
fn external_synchronization() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let order = order.clone();
        short(move || order.lock().push(what))
    };
    let (opened, open) = gate();
    let end = Task::new(
        pool(),
        Calls {
            chunks: 0,
            execution: Execution::Parallel,
            cost: None,
            run: |_| Ok(()),
        },
        false,
    );
    let end: Arc<dyn Node> = end;
    let signal = Arc::new(Signal::new(end.clone(), 0));
    let mut steps = vec![note("first"), note("gated"), note("free"), note("last")];
    steps[1].external = Some(Arc::new(ExternalSync {
        dependencies: vec![opened.clone()],
        signal: Some(signal.clone()),
        ..ExternalSync::default()
    }));
    let plan = Plan::new(steps, [&[][..], &[0][..], &[0][..], &[1, 2][..]].into_iter());
    let command = command(&plan);
    submit(command.clone());
    while order.lock().len() < 2 {
        thread::yield_now();
    }
    assert!(!end.is_over() && !command.is_over());
    submit(opened.clone());
    open.send(()).unwrap();
    assert!(command.wait() && end.wait());
    assert_eq!(*order.lock(), ["first", "free", "gated", "last"]);
    assert!(go(&plan), "the gate stays open, and the signal is given");

    // A signal that will never come is a failure for those who wait.
    let late: Arc<dyn Node> = Task::new(
        pool(),
        Calls {
            chunks: 0,
            execution: Execution::Parallel,
            cost: None,
            run: |_| Ok(()),
        },
        false,
    );
    drop(Signal::new(late.clone(), 0));
    assert!(!late.wait() && late.failed());
}

/// Runs of one plan at the same time do not disturb each other: each has its own memory.
#[test]
fn many_runs_at_once() {
    let count = Arc::new(AtomicU64::new(0));
    let steps = (0..50)
        .map(|_| {
            let count = count.clone();
            step((20, Execution::Parallel, None), move |chunks| {
                count.fetch_add(chunks.end - chunks.start, Ordering::Relaxed);
                Ok(())
            })
        })
        .collect();
    let before: Vec<Vec<u32>> = (0..50u32)
        .map(|step| step.checked_sub(3).into_iter().collect())
        .collect();
    let plan = Plan::new(steps, before.iter().map(|before| &**before));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..20).for_each(|_| assert!(go(&plan))));
        }
    });
    assert_eq!(count.load(Ordering::Relaxed), 8 * 20 * 50 * 20);
}

/// Keeps when each step ran: in the run that is going on, and in the last complete one.
#[derive(Default)]
struct Times(Mutex<[Spans; 2]>);

/// When each step began and ended.
type Spans = [Option<(u64, u64)>; 4];

impl Times {
    fn last(&self) -> Spans {
        self.0.lock()[1]
    }
}

impl StepTimes for Times {
    fn begin(&self) {
        self.0.lock()[0] = Default::default();
    }

    fn add(&self, step: usize, began: u64, ended: u64) {
        let span = &mut self.0.lock()[0][step];
        let (first, last) = span.unwrap_or((began, ended));
        *span = Some((first.min(began), last.max(ended)));
    }

    fn end(&self) {
        let runs = &mut *self.0.lock();
        runs[1] = runs[0];
    }
}

#[test]
fn timed_plans_tell_when_steps_ran() {
    let fails = Arc::new(AtomicBool::new(false));
    let sleeps = |kind, ns| {
        step(kind, move |_| {
            thread::sleep(std::time::Duration::from_nanos(ns));
            Ok(())
        })
    };
    let last = {
        let fails = fails.clone();
        step((1, Execution::Host, None), move |_| {
            match fails.load(Ordering::Relaxed) {
                true => Err(Fault::StackOverflow),
                false => Ok(()),
            }
        })
    };
    let steps = vec![
        sleeps((1, Execution::Parallel, Some(10)), 1_000),
        sleeps((40, Execution::Parallel, None), 100_000),
        sleeps((0, Execution::Parallel, None), 0),
        last,
    ];
    let times = Arc::new(Times::default());
    let before = [&[][..], &[0][..], &[0][..], &[1, 2][..]];
    let mut plan = Plan::new(steps, before.into_iter()).timed(&(times.clone() as Arc<dyn StepTimes>));
    assert!(go(&plan));
    let ran = times.last();
    let [Some(first), Some(long), None, Some(end)] = ran else {
        panic!("{ran:?}")
    };
    assert!(first.0 + 1_000 <= first.1 && first.1 <= long.0);
    assert!(long.0 + 100_000 <= long.1 && long.1 <= end.0);
    assert!(end.1 <= clock::now());

    fails.store(true, Ordering::Relaxed);
    assert!(!go(&plan));
    assert_eq!(times.last(), ran, "a run that fails is not complete");

    plan.change(1, short(|| ()));
    plan.change(3, short(|| ()));
    assert!(plan.run_inline(&mut ThreadContext::new()).is_ok());
    let ran = times.last();
    let [Some(first), Some(second), None, Some(last)] = ran else {
        panic!("{ran:?}")
    };
    assert!(end.1 <= first.0 && first.1 <= second.0 && second.1 <= last.0);
}
