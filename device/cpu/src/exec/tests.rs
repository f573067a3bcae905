// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests with commands that run closures.

use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use oxur_compiler::{Fault, ThreadContext};

use super::*;

/// Work that calls a closure for each range of chunks.
pub(super) struct Calls<F> {
    pub(super) chunks: u64,
    pub(super) execution: Execution,
    pub(super) cost: Option<u64>,
    pub(super) run: F,
}

impl<F: Fn(std::ops::Range<u64>) -> Result<(), Fault> + Send + Sync + 'static> Work for Calls<F> {
    fn chunks(&self) -> u64 {
        self.chunks
    }

    fn execution(&self) -> Execution {
        self.execution
    }

    fn cost(&self, chunks: u64) -> Option<u64> {
        self.cost.map(|cost| cost * chunks)
    }

    fn describe(&self) -> String {
        "a closure".to_owned()
    }

    fn run(&self, chunks: std::ops::Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        (self.run)(chunks)
    }
}

pub(super) fn pool() -> &'static Pool {
    let cpus: Vec<usize> = (0..thread::available_parallelism().map_or(1, usize::from)).collect();
    Pool::of(&cpus, 4, true)
}

fn chunks(
    count: u64,
    run: impl Fn(std::ops::Range<u64>) -> Result<(), Fault> + Send + Sync + 'static,
) -> Arc<dyn Node> {
    let work = Calls {
        chunks: count,
        execution: Execution::Parallel,
        cost: None,
        run,
    };
    Task::new(pool(), work, true)
}

fn one(run: impl Fn() + Send + Sync + 'static) -> Arc<dyn Node> {
    chunks(1, move |_| {
        run();
        Ok(())
    })
}

fn host_task(run: impl Fn() + Send + Sync + 'static) -> Arc<dyn Node> {
    let run = move |_| {
        run();
        Ok(())
    };
    Task::new(
        pool(),
        Calls {
            chunks: 1,
            execution: Execution::Host,
            cost: None,
            run,
        },
        false,
    )
}

fn none() -> Arc<dyn Node> {
    chunks(0, |_| panic!("nothing to run"))
}

/// A command that ends when the sender sends or is dropped.
fn gate() -> (Arc<dyn Node>, std::sync::mpsc::Sender<()>) {
    let (send, receive) = channel();
    let receive = std::sync::Mutex::new(receive);
    (host_task(move || _ = receive.lock().unwrap().recv()), send)
}

fn start(node: &Arc<dyn Node>, after: &[&Arc<dyn Node>]) {
    after.iter().for_each(|before| node.wait_for(before, true));
    submit(node.clone());
}

#[test]
fn each_chunk_runs_once() {
    for count in [1, 2, 3, 100, 10_000] {
        let seen: Arc<Vec<_>> = Arc::new((0..count).map(|_| AtomicU32::new(0)).collect());
        let node = {
            let seen = seen.clone();
            chunks(count, move |range| {
                range.for_each(|i| _ = seen[i as usize].fetch_add(1, Ordering::Relaxed));
                Ok(())
            })
        };
        assert_eq!(node.status(), Status::Queued);
        start(&node, &[]);
        assert!(node.wait() && node.is_over());
        assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1));
        let times = node.profiling_times().unwrap();
        assert!(0 < times.queued && times.queued <= times.submitted);
        assert!(times.submitted <= times.started && times.started <= times.ended);
    }
}

#[test]
fn dependencies_order_commands() {
    let count = Arc::new(AtomicU64::new(0));
    let (first, open) = gate();
    start(&first, &[]);
    let mut last = first.clone();
    for i in 0..1000 {
        let next = {
            let count = count.clone();
            one(move || assert_eq!(count.fetch_add(1, Ordering::Relaxed), i))
        };
        start(&next, &[&last]);
        last = next;
    }
    assert_eq!(count.load(Ordering::Relaxed), 0);
    open.send(()).unwrap();
    assert!(last.wait());
    assert_eq!(count.load(Ordering::Relaxed), 1000);
}

#[test]
fn a_long_chain_of_markers() {
    let (first, open) = gate();
    let mut last = first.clone();
    for _ in 0..100_000 {
        let next = none();
        start(&next, &[&last]);
        last = next;
    }
    start(&first, &[]);
    open.send(()).unwrap();
    assert!(last.wait());
}

#[test]
fn a_random_graph() {
    let mut random = 12345u32;
    let mut next = move |below: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % below
    };
    for _ in 0..20 {
        let done: Arc<Vec<_>> = Arc::new((0..200).map(|_| AtomicBool::new(false)).collect());
        let mut nodes: Vec<Arc<dyn Node>> = Vec::new();
        for i in 0..200 {
            let before: Vec<usize> = if i == 0 {
                vec![]
            } else {
                (0..next(4)).map(|_| next(i)).collect()
            };
            let count = [0, 1, 1, 7][next(4)];
            let node = {
                let (done, before) = (done.clone(), before.clone());
                chunks(count, move |range| {
                    assert!(before.iter().all(|&b| done[b].load(Ordering::Acquire)));
                    if range.start == 0 {
                        done[i].store(true, Ordering::Release);
                    }
                    Ok(())
                })
            };
            if count == 0 {
                // A marker runs no code that could set the flag.
                done[i].store(true, Ordering::Release);
            }
            let before: Vec<_> = before.iter().map(|&b| &nodes[b]).collect();
            start(&node, &before);
            nodes.push(node);
        }
        assert!(nodes.iter().all(|node| node.wait()));
    }
}

#[test]
fn failures_propagate_to_strict_dependents() {
    let (first, open) = gate();
    let bad = chunks(100, |range| {
        if range.contains(&50) {
            Err(Fault::StackOverflow)
        } else {
            Ok(())
        }
    });
    let ran = Arc::new(AtomicBool::new(false));
    let after = {
        let ran = ran.clone();
        one(move || ran.store(true, Ordering::Relaxed))
    };
    let marker = none();
    let merely_later = one(|| ());
    start(&first, &[]);
    start(&bad, &[&first]);
    start(&after, &[&bad]);
    start(&marker, &[&after]);
    merely_later.wait_for(&bad, false);
    submit(merely_later.clone());
    open.send(()).unwrap();
    assert!(!bad.wait() && !after.wait() && !marker.wait());
    assert!(merely_later.wait() && !ran.load(Ordering::Relaxed));
    // A dependency on a command that has already failed.
    let late = one(|| ());
    start(&late, &[&bad]);
    assert!(!late.wait());
}

#[test]
fn a_panic_is_a_failure() {
    let node = one(|| panic!("a test's"));
    start(&node, &[]);
    assert!(!node.wait());
}

#[test]
fn work_is_dropped_before_the_command_is_over() {
    struct Tells(Arc<AtomicUsize>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    for i in 1..100 {
        let tells = Tells(drops.clone());
        let node = chunks(i % 7, move |_| {
            _ = &tells;
            Ok(())
        });
        start(&node, &[]);
        assert!(node.wait());
        assert_eq!(drops.load(Ordering::Relaxed) as u64, i);
    }
    let tells = Tells(drops.clone());
    drop(one(move || _ = &tells));
    assert_eq!(drops.load(Ordering::Relaxed), 100, "one that never ran");
}

#[test]
fn gang_chunks_may_wait_for_each_other() {
    for _ in 0..50 {
        let here = Arc::new(AtomicU32::new(0));
        let count = pool().concurrency() as u64;
        let run = move |_| {
            here.fetch_add(1, Ordering::Relaxed);
            while here.load(Ordering::Relaxed) < count as u32 {
                thread::yield_now();
            }
            Ok(())
        };
        let work = Calls {
            chunks: count,
            execution: Execution::Gang,
            cost: None,
            run,
        };
        let node: Arc<dyn Node> = Task::new(pool(), work, false);
        start(&node, &[]);
        assert!(node.wait());
    }
}

/// Where threads keep apart: two CPUs, which are all that this thread may use.
#[test]
fn threads_of_a_pair_run_all_chunks() {
    let cpus = crate::machine::topology::affinity().unwrap();
    let cpus = cpus[..2].to_vec();
    system::set_affinity(system::this_thread(), &system::CpuSet::of(&cpus));
    let pool = Pool::of(&cpus, 2, true);
    // Long work, short work, work of unknown cost, and chunks that wait for each other.
    for (execution, cost, count) in [
        (Execution::Parallel, Some(1 << 40), 7),
        (Execution::Parallel, Some(3_000_000), 64),
        (Execution::Parallel, Some(20_000), 64),
        (Execution::Parallel, None, 2),
        (Execution::Gang, None, 2),
    ] {
        for _ in 0..200 {
            let ran = Arc::new(AtomicU64::new(0));
            let seen = ran.clone();
            let run = move |chunks: std::ops::Range<u64>| {
                seen.fetch_add(chunks.end - chunks.start, Ordering::Relaxed);
                let begun = Instant::now();
                while execution == Execution::Gang && seen.load(Ordering::Relaxed) < count {
                    thread::yield_now();
                }
                // Some go on for long enough that threads look where they are.
                while cost == Some(3_000_000) && begun.elapsed() < Duration::from_micros(60) {}
                Ok(())
            };
            let work = Calls {
                chunks: count,
                execution,
                cost: cost.map(|all| all / count),
                run,
            };
            let node: Arc<dyn Node> = Task::new(pool, work, false);
            start(&node, &[]);
            assert!(node.wait());
            assert_eq!(ran.load(Ordering::Relaxed), count, "{execution:?}, {cost:?}");
        }
    }
}

#[test]
fn all_threads_count_while_others_start_them() {
    let cpus: Vec<usize> = (0..thread::available_parallelism().map_or(1, usize::from)).collect();
    for concurrency in 2..30 {
        // A new one, as no other test has these.
        let pool = Pool::of(&cpus, concurrency, false);
        let together = std::sync::Barrier::new(4);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    together.wait();
                    assert_eq!(pool.guaranteed_concurrency(concurrency), concurrency);
                });
            }
        });
    }
}

#[test]
fn gangs_are_limited_by_the_threads_that_start() {
    // ThreadSanitizer allows no threads in the child.
    if std::env::var_os("TSAN_OPTIONS").is_some() {
        return;
    }
    const CONCURRENCY: usize = 500;
    const NOBODY: libc::uid_t = 65534;
    /// The number of threads of a user.
    fn tasks_of(user: libc::uid_t) -> u64 {
        let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let own = processes.filter(|process| process.metadata().is_ok_and(|data| data.uid() == user));
        let tasks = own.filter_map(|process| std::fs::read_dir(process.path().join("task")).ok());
        tasks.map(|tasks| tasks.count() as u64).sum()
    }
    let cpus: Vec<usize> = (0..thread::available_parallelism().map_or(1, usize::from)).collect();
    const OTHERS: i32 = 3;
    // SAFETY: the child leaves by `_exit`, or is killed.
    let ending = || unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::alarm(120);
            // The limit allows some of the threads. It counts per user and does not apply to root.
            let user = match libc::getuid() {
                0 => NOBODY,
                user => user,
            };
            let most = tasks_of(user) + 40;
            let limit = libc::rlimit {
                rlim_cur: most,
                rlim_max: most,
            };
            if libc::setrlimit(libc::RLIMIT_NPROC, &limit) != 0 || libc::setuid(user) != 0 {
                libc::_exit(2);
            }
            let pool = Pool::of(&cpus, CONCURRENCY, true);
            let (few, most) = (pool.guaranteed_concurrency(2), pool.guaranteed_concurrency(usize::MAX));
            if few != 2 || most >= CONCURRENCY {
                libc::_exit(OTHERS);
            }
            let here = AtomicUsize::new(0);
            let run = move |_| {
                here.fetch_add(1, Ordering::Relaxed);
                while here.load(Ordering::Relaxed) < most {
                    thread::yield_now();
                }
                Ok(())
            };
            let work = Calls {
                chunks: most as u64,
                execution: Execution::Gang,
                cost: None,
                run,
            };
            let node: Arc<dyn Node> = Task::new(pool, work, false);
            start(&node, &[]);
            libc::_exit(if node.wait() { 7 } else { 1 });
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert!(libc::WIFEXITED(status), "{status:#x}");
        libc::WEXITSTATUS(status)
    };
    // Other processes of the user may start and end threads meanwhile.
    let ending = (0..20).map(|_| ending()).find(|ending| *ending != OTHERS);
    assert_eq!(ending, Some(7));
}

#[test]
fn client_code_may_wait() {
    // More host tasks than the pool has threads. Each submits commands and waits for them.
    let nodes: Vec<_> = (0..20)
        .map(|_| {
            host_task(|| {
                let inner = chunks(100, |_| Ok(()));
                start(&inner, &[]);
                assert!(inner.wait());
            })
        })
        .collect();
    nodes.iter().for_each(|node| start(node, &[]));
    assert!(nodes.iter().all(|node| node.wait()));
}

#[test]
fn calls_come_in_order_and_may_wait() {
    let (first, open) = gate();
    let node = one(|| ());
    let (send, receive) = channel();
    for status in [Status::Over, Status::Running, Status::Submitted] {
        let (send, mut waited) = (send.clone(), Some(node.clone()));
        let call = move |reached: Status| {
            if reached == Status::Over {
                waited.take().unwrap().wait();
                let inner = one(|| ());
                start(&inner, &[]);
                inner.wait();
            }
            send.send(reached).unwrap();
        };
        let mut call = Some(call);
        node.call_at(status, Box::new(move |reached| call.take().unwrap()(reached)));
    }
    start(&first, &[]);
    start(&node, &[&first]);
    open.send(()).unwrap();
    let all: Vec<_> = receive.iter().take(3).collect();
    assert_eq!(all, [Status::Submitted, Status::Running, Status::Over]);
    // The command is over, so the callback runs immediately, on this thread.
    let (at_once, here) = (Arc::new(AtomicBool::new(false)), thread::current().id());
    let seen = at_once.clone();
    // First the callbacks above must have returned, because callbacks do not overlap.
    while Arc::strong_count(&node) > 1 {
        thread::yield_now();
    }
    node.call_at(
        Status::Running,
        Box::new(move |_| seen.store(thread::current().id() == here, Ordering::Relaxed)),
    );
    assert!(at_once.load(Ordering::Relaxed));
}

#[test]
fn twenty_threads() {
    let total = Arc::new(AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                for i in 0..200 {
                    let node = {
                        let total = total.clone();
                        chunks(i % 9, move |range| {
                            total.fetch_add(range.end - range.start, Ordering::Relaxed);
                            Ok(())
                        })
                    };
                    start(&node, &[]);
                    if i % 3 == 0 {
                        assert!(node.wait());
                    }
                }
            });
        }
    });
    // Waits for the commands whose end no thread waited for.
    let expected = 20 * (0..200).map(|i| i % 9).sum::<u64>();
    let since = Instant::now();
    while total.load(Ordering::Relaxed) != expected {
        assert!(since.elapsed() < Duration::from_secs(120));
        thread::yield_now();
    }
}

#[test]
fn short_work_stays_in_one_thread() {
    let threads = Arc::new(std::sync::Mutex::new(std::collections::HashSet::new()));
    let run = {
        let threads = threads.clone();
        move |range: std::ops::Range<u64>| {
            threads.lock().unwrap().insert((thread::current().id(), range));
            Ok(())
        }
    };
    let work = Calls {
        chunks: 1000,
        execution: Execution::Parallel,
        cost: Some(1),
        run,
    };
    let node: Arc<dyn Node> = Task::new(pool(), work, false);
    start(&node, &[]);
    assert!(node.wait());
    assert_eq!(threads.lock().unwrap().len(), 1, "all chunks at once");
}

#[test]
fn a_child_has_its_own_threads() {
    // ThreadSanitizer allows no threads in the child.
    if std::env::var_os("TSAN_OPTIONS").is_some() {
        return;
    }
    let (first, open) = gate();
    let never = one(|| ());
    start(&first, &[]);
    start(&never, &[&first]);
    // SAFETY: the child takes no lock that another thread could have held at the fork, and leaves by `_exit`.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            // A child that hangs is killed.
            libc::alarm(120);
            let parents_are_over = never.is_over() && !never.wait();
            let own = chunks(100, |_| Ok(()));
            start(&own, &[]);
            let later = one(|| ());
            later.wait_for(&never, false);
            submit(later.clone());
            let well = parents_are_over && own.wait() && later.wait();
            libc::_exit(if well { 0 } else { 1 });
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert_eq!(status, 0);
    }
    assert!(!never.is_over());
    open.send(()).unwrap();
    assert!(never.wait());
}

#[test]
fn no_wake_is_lost() {
    // One command at a time, with pauses close to the time after which threads go to sleep.
    for i in 0..2000u32 {
        let node = chunks(u64::from(i % 3) + 1, |_| Ok(()));
        start(&node, &[]);
        assert!(node.wait());
        if i % 4 == 0 {
            thread::sleep(Duration::from_micros(u64::from(i % 16)));
        }
    }
}

#[test]
fn a_process_exits_while_work_runs() {
    const CHILD: &str = "OXUR_TEST_EXITS";
    if std::env::var_os(CHILD).is_some() {
        let running = Arc::new(AtomicBool::new(false));
        let endless = {
            let running = running.clone();
            chunks(4, move |_| {
                running.store(true, Ordering::Relaxed);
                loop {
                    thread::yield_now();
                }
            })
        };
        start(&endless, &[]);
        let (waiting, _open) = gate();
        start(&waiting, &[]);
        while !running.load(Ordering::Relaxed) || waiting.status() != Status::Running {
            thread::yield_now();
        }
        // Runs exit handlers, like a program that returns from `main`.
        std::process::exit(42);
    }
    let name = "exec::tests::a_process_exits_while_work_runs";
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .spawn()
        .unwrap();
    let since = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if since.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(42));
}
