// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of commands on queues, inline and as tasks. Closures stand in for kernels.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use kit::BufferRect;
use kit::ur::{Backend, EventHandle, MemFlags, RectOffset, RectRegion, ResultCode};
use kit::{Context as _, Event as _, Mem as _, Queue as _};
use oxur_compiler::{Fault, ThreadContext};
use oxur_device_cpu::exec::{Execution, Work};

use super::*;
use crate::{Event, Platform};

fn context() -> Arc<Context> {
    let platform = Platform::new(Backend::OPENCL);
    Context::create(kit::Platform::devices(&*platform).to_vec(), Default::default()).unwrap()
}

fn queue(context: &Arc<Context>, flags: QueueFlags) -> Arc<Queue> {
    Queue::create(context, &context.devices[0], flags.into()).unwrap()
}

const OUT_OF_ORDER: QueueFlags = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;

fn no_event<'a>() -> Out<'a> {
    // SAFETY: a null pointer means that no event is wanted.
    unsafe { EventOut::new(std::ptr::null_mut()) }
}

/// Submits a command without a wait list and without an event.
fn run(queue: &Arc<Queue>, blocking: bool, command: Command<'_, Cpu>) -> UrResult<()> {
    queue.submit(command, blocking, Wait::empty(), no_event())
}

fn copy<'a>(dst: *mut c_void, src: *const c_void, size: usize) -> Command<'a, Cpu> {
    Command::UsmMemcpy { dst, src, size }
}

/// The event of a command.
fn event(command: impl FnOnce(Out<'_>) -> UrResult<()>) -> Arc<Event> {
    let mut handle = EventHandle::default();
    // SAFETY: `handle` is writable.
    command(unsafe { EventOut::new(&mut handle) }).unwrap();
    // SAFETY: the handle is of an event that was just created.
    let event = unsafe { Wait::new(1, &handle) }.unwrap().iter().next().unwrap().clone();
    let release = kit::table::tables::<Cpu>().ddi.Event.pfnRelease.unwrap();
    // SAFETY: releases the reference that came with the handle.
    assert_eq!(unsafe { release(handle) }, ResultCode::SUCCESS);
    event
}

fn handles(events: &[&Arc<Event>]) -> Vec<EventHandle> {
    events.iter().map(|event| kit::handle_of(event)).collect()
}

/// A wait list of event handles.
fn list(handles: &[EventHandle]) -> Wait<'_> {
    match handles {
        [] => Wait::empty(),
        // SAFETY: the test's events outlive the list.
        _ => unsafe { Wait::new(handles.len() as u32, handles.as_ptr()) }.unwrap(),
    }
}

fn wait(events: &[&Arc<Event>]) -> UrResult<()> {
    Event::wait_all(list(&handles(events)))
}

/// Work that calls a closure.
struct Calls<F> {
    run: F,
    execution: Execution,
}

impl<F: Fn() -> Result<(), Fault> + Send + Sync + 'static> Work for Calls<F> {
    fn execution(&self) -> Execution {
        self.execution
    }

    fn describe(&self) -> String {
        "a test's work".to_owned()
    }

    fn run(&self, _chunks: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        (self.run)()
    }
}

/// A command that calls a closure, like a kernel or like a `host_task`.
fn call(
    queue: &Arc<Queue>,
    host_task: bool,
    after: &[&Arc<Event>],
    run: impl Fn() -> Result<(), Fault> + Send + Sync + 'static,
) -> Arc<Event> {
    let execution = if host_task {
        Execution::Host
    } else {
        Execution::Parallel
    };
    let submission = Submission::of(CommandType::HOST_TASK_EXP);
    event(|out| {
        queue.submit_work(
            submission,
            list(&handles(after)),
            out,
            || unreachable!(),
            || Calls { run, execution },
        )
    })
}

/// A command that ends when the sender sends or is dropped.
fn gate(queue: &Arc<Queue>) -> (Arc<Event>, Sender<()>) {
    let (open, opened) = channel();
    let opened = Mutex::new(opened);
    let run = move || {
        _ = opened.lock().unwrap().recv();
        Ok(())
    };
    (call(queue, true, &[], run), open)
}

/// Submits commands to an idle queue, where they run inline, then behind an unfinished command.
fn both_ways(commands: impl Fn(&Arc<Context>, &Arc<Queue>)) {
    let context = context();
    for flags in [QueueFlags::empty(), QueueFlags::PROFILING_ENABLE] {
        let queue = queue(&context, flags);
        commands(&context, &queue);
        let (_event, open) = gate(&queue);
        let opener = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            drop(open);
        });
        commands(&context, &queue);
        opener.join().unwrap();
    }
}

fn numbers(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 7 + 3) as u8).collect()
}

#[test]
fn copies_and_fills() {
    both_ways(|_, queue| {
        // Less than a block, and several blocks.
        for size in [1, 100, 300_000, 5_000_000] {
            let src = numbers(size);
            let mut bytes = vec![0u8; size];
            let (dst, src_at) = (bytes.as_mut_ptr().cast(), src.as_ptr().cast());
            let copy = Command::UsmMemcpy { dst, src: src_at, size };
            run(queue, true, copy).unwrap();
            assert!(bytes == src);
            let (pattern, whole) = (&[1, 2, 3], size / 3 * 3);
            let fill = Command::UsmFill {
                dst,
                pattern,
                size: whole,
            };
            run(queue, false, fill).unwrap();
            let half = size / 2;
            let fill = Command::UsmFill {
                dst,
                pattern: &[9],
                size: half,
            };
            run(queue, false, fill).unwrap();
            queue.finish().unwrap();
            let expected = |i| if i < half { 9 } else { (i % 3) as u8 + 1 };
            assert!((0..whole).all(|i| bytes[i] == expected(i)));
        }
        let src = numbers(100);
        let mut dst = [0u8; 100];
        let copy = Command::UsmMemcpy2D {
            dst: dst.as_mut_ptr().cast(),
            dst_pitch: 10,
            src: src.as_ptr().cast(),
            src_pitch: 20,
            width: 7,
            height: 5,
        };
        run(queue, true, copy).unwrap();
        let fill = Command::UsmFill2D {
            dst: dst.as_mut_ptr().wrapping_add(50).cast(),
            pitch: 10,
            pattern: &[5, 6],
            width: 3,
            height: 4,
        };
        run(queue, false, fill).unwrap();
        queue.finish().unwrap();
        for (i, byte) in dst.iter().enumerate() {
            let (x, y) = (i % 10, i / 10);
            let expected = match y {
                0..5 if x < 7 => src[y * 20 + x],
                5..9 if x < 3 => 5 + ((y - 5) * 3 + x) as u8 % 2,
                _ => 0,
            };
            assert_eq!(*byte, expected, "at {x}, {y}");
        }
    });
}

#[test]
fn buffers() {
    both_ways(|context, queue| {
        let buffer = |size| Mem::create_buffer(context, MemFlags::READ_WRITE, size, Default::default()).unwrap();
        let (a, b) = (buffer(1000), buffer(1000));
        let copy = |src_offset, dst_offset, size| {
            let (src, dst) = ((&a).into(), (&b).into());
            Command::BufferCopy {
                src,
                dst,
                src_offset,
                dst_offset,
                size,
            }
        };
        fn fill<'a>(buffer: &'a Arc<Mem>, pattern: &'a [u8], offset: usize, size: usize) -> Command<'a, Cpu> {
            let buffer = buffer.into();
            Command::BufferFill {
                buffer,
                pattern,
                offset,
                size,
            }
        }
        let src = numbers(1000);
        let mut dst = vec![0u8; 1000];
        let write = Command::BufferWrite {
            buffer: (&a).into(),
            offset: 0,
            size: 1000,
            src: src.as_ptr().cast(),
        };
        run(queue, false, write).unwrap();
        run(queue, false, copy(100, 0, 900)).unwrap();
        run(queue, false, fill(&b, &[1, 2], 900, 100)).unwrap();
        let read = Command::BufferRead {
            buffer: (&b).into(),
            offset: 0,
            size: 1000,
            dst: dst.as_mut_ptr().cast(),
        };
        run(queue, true, read).unwrap();
        assert!(dst[..900] == src[100..] && dst[900..].chunks(2).all(|pair| pair == [1, 2]));
        let mapped = queue
            .buffer_map(&b, true, MapFlags::READ, 900, 100, Wait::empty(), no_event())
            .unwrap();
        // SAFETY: the bytes are mapped for reading.
        assert_eq!(unsafe { mapped.cast::<[u8; 2]>().read() }, [1, 2]);
        let mem = (&b).into();
        run(queue, false, Command::Unmap { mem, mapped }).unwrap();
        let outside = run(queue, false, copy(0, 500, 501));
        assert_eq!(outside.unwrap_err().code(), ResultCode::ERROR_INVALID_SIZE);
        // A buffer may be released before the command on it runs.
        run(queue, false, fill(&a, &[8], 0, 1000)).unwrap();
        drop(a);
        let rect = BufferRect {
            a_origin: RectOffset { x: 3, y: 1, z: 0 },
            b_origin: RectOffset { x: 0, y: 0, z: 1 },
            region: RectRegion {
                width: 4,
                height: 2,
                depth: 2,
            },
            a_row_pitch: 10,
            a_slice_pitch: 50,
            b_row_pitch: 0,
            b_slice_pitch: 0,
        };
        let mut part = [0u8; 24];
        let read = Command::BufferReadRect {
            buffer: (&b).into(),
            rect,
            dst: part.as_mut_ptr().cast(),
        };
        run(queue, true, read).unwrap();
        for (i, byte) in part.iter().enumerate() {
            let (x, y, z) = (i % 4, i / 4 % 2, i / 8);
            let expected = if z == 0 {
                0
            } else {
                dst[3 + x + (1 + y) * 10 + (z - 1) * 50]
            };
            assert_eq!(*byte, expected, "at {x}, {y}, {z}");
        }
    });
}

#[test]
fn nothing_overtakes_in_order() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let (first, open) = gate(&queue);
    let mut values = [1u8; 2];
    let (a, b) = (values.as_mut_ptr(), values.as_mut_ptr().wrapping_add(1));
    queue
        .submit(
            Command::UsmFill {
                dst: a.cast(),
                pattern: &[2],
                size: 1,
            },
            false,
            Wait::empty(),
            no_event(),
        )
        .unwrap();
    let copy = event(|out| queue.submit(copy(b.cast(), a.cast_const().cast(), 1), false, Wait::empty(), out));
    let marker = event(|out| queue.submit(Command::Wait, false, Wait::empty(), out));
    thread::sleep(Duration::from_millis(5));
    assert!(!first.is_over() && !copy.is_over() && !marker.is_over());
    assert!(!queue.order.is_empty());
    // SAFETY: the commands that write to it have not begun.
    assert_eq!(unsafe { a.read_volatile() }, 1);
    drop(open);
    wait(&[&marker]).unwrap();
    assert!(first.is_over() && copy.is_over());
    assert_eq!(values, [2, 2]);
    queue.finish().unwrap();
    assert!(queue.order.is_empty());
}

#[test]
fn out_of_order_only_barriers_and_lists_hold_up() {
    let context = context();
    let queue = queue(&context, OUT_OF_ORDER);
    let (first, open) = gate(&queue);
    let mut values = [1u8; 4];
    let at = values.as_mut_ptr();
    let set = |i: usize, value: u8, out: Out<'_>| {
        let (dst, pattern, size) = (at.wrapping_add(i).cast(), &[value], 1);
        queue.submit(Command::UsmFill { dst, pattern, size }, false, Wait::empty(), out)
    };
    // SAFETY: no command that writes to it runs now.
    let get = |i: usize| unsafe { at.wrapping_add(i).read_volatile() };
    wait(&[&event(|out| set(0, 2, out))]).unwrap();
    assert_eq!(get(0), 2);
    // `behind` waits for the first command by its wait list, so the barrier does, too.
    let behind = call(&queue, false, &[&first], || Ok(()));
    let barrier = event(|out| queue.submit(Command::barrier(), false, list(&handles(&[&behind])), out));
    let held = event(|out| set(1, 3, out));
    let all = event(|out| queue.submit(Command::Wait, false, Wait::empty(), out));
    thread::sleep(Duration::from_millis(5));
    assert!(!barrier.is_over() && !held.is_over() && !all.is_over() && get(1) == 1);
    // The barrier does not block another queue.
    let other = super::tests::queue(&context, OUT_OF_ORDER);
    wait(&[&call(&other, false, &[], || Ok(()))]).unwrap();
    drop(open);
    wait(&[&all]).unwrap();
    assert!(first.is_over() && behind.is_over() && barrier.is_over() && held.is_over() && get(1) == 3);
    queue.finish().unwrap();
    assert!(queue.order.is_empty());
}

#[test]
fn failures() {
    let context = context();
    for flags in [QueueFlags::empty(), OUT_OF_ORDER] {
        let (queue, other) = (queue(&context, flags), queue(&context, flags));
        let (first, open) = gate(&queue);
        let bad = call(&queue, false, &[&first], || Err(Fault::StackOverflow));
        let after = call(&other, false, &[&bad], || panic!("it must not run"));
        let behind = call(&queue, false, &[], || Ok(()));
        drop(open);
        assert_eq!(
            wait(&[&after]).unwrap_err().code(),
            ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS
        );
        assert!(bad.failed() && after.failed());
        // A failure does not propagate to commands that are merely later in the queue.
        wait(&[&behind]).unwrap();
        let late = queue
            .submit(Command::Wait, false, list(&handles(&[&bad])), no_event())
            .unwrap_err();
        assert_eq!(late.code(), ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS);
        other.finish().unwrap();
        let error = queue.finish().unwrap_err();
        assert_eq!(error.code(), ResultCode::ERROR_ADAPTER_SPECIFIC);
        assert!(
            error.to_string().contains("a test's work failed: stack overflow"),
            "{error}"
        );
        queue.finish().unwrap();
        // A failure that was reported by the event is not reported again.
        let error = wait(&[&call(&queue, false, &[], || Err(Fault::Memory(0)))]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("a test's work failed: invalid memory access"),
            "{error}"
        );
        queue.finish().unwrap();
        // A blocking command whose dependency fails after it was submitted.
        let (first, open) = gate(&queue);
        let bad = call(&other, false, &[&first], || Err(Fault::StackOverflow));
        let opener = thread::spawn(move || {
            thread::sleep(Duration::from_millis(5));
            drop(open);
        });
        let mut byte = 1u8;
        let (to, from) = ((&raw mut byte).cast(), [2u8]);
        let after = handles(&[&bad]);
        let failed = queue
            .submit(copy(to, from.as_ptr().cast(), 1), true, list(&after), no_event())
            .unwrap_err();
        assert_eq!((failed.code(), byte), (ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS, 1));
        opener.join().unwrap();
        wait(&[&bad]).unwrap_err();
    }
}

#[test]
fn client_code_may_submit_and_wait() {
    let context = context();
    let queue = queue(&context, OUT_OF_ORDER);
    let tasks: Vec<_> = (0..10)
        .map(|_| {
            let inner = queue.clone();
            call(&queue, true, &[], move || {
                let deeper = inner.clone();
                let event = call(&inner, true, &[], move || {
                    wait(&[&call(&deeper, false, &[], || Ok(()))]).map_err(|_| Fault::StackOverflow)
                });
                wait(&[&event]).map_err(|_| Fault::StackOverflow)
            })
        })
        .collect();
    wait(&tasks.iter().collect::<Vec<_>>()).unwrap();
    queue.finish().unwrap();
}

#[test]
fn profiling_times() {
    let context = context();
    let profiled = queue(&context, QueueFlags::PROFILING_ENABLE);
    let here = event(|out| profiled.submit(Command::Wait, false, Wait::empty(), out));
    let (_first, open) = gate(&profiled);
    let later = call(&profiled, false, &[], || Ok(()));
    drop(open);
    let plain = queue(&context, QueueFlags::empty());
    let recorded = event(|out| plain.submit(Command::Timestamp, true, Wait::empty(), out));
    wait(&[&here, &later, &recorded]).unwrap();
    for event in [here, later, recorded] {
        let times = event.profiling_times().unwrap();
        assert!(0 < times.queued && times.queued <= times.submitted, "{times:?}");
        assert!(
            times.submitted <= times.started && times.started <= times.ended,
            "{times:?}"
        );
    }
    assert_eq!(
        event(|out| plain.submit(Command::Wait, false, Wait::empty(), out)).profiling_times(),
        Some(Default::default())
    );
}

#[test]
fn a_queue_goes_with_commands_in_it() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let (_first, open) = gate(&queue);
    let done = Arc::new(AtomicBool::new(false));
    let last = {
        let done = done.clone();
        call(&queue, false, &[], move || {
            done.store(true, Ordering::Relaxed);
            Ok(())
        })
    };
    let weak = (Arc::downgrade(&queue), Arc::downgrade(&context));
    drop((queue, context));
    drop(open);
    wait(&[&last]).unwrap();
    assert!(done.load(Ordering::Relaxed));
    assert!(
        weak.0.upgrade().is_some() && weak.1.upgrade().is_some(),
        "an event keeps its queue"
    );
}

#[test]
fn memory_in_the_order_of_a_queue() {
    both_ways(|context, queue| {
        let device = &context.devices[0];
        let memory = queue
            .usm_alloc(UsmKind::Device(device), None, 1000, Wait::empty(), no_event())
            .unwrap();
        queue
            .submit(
                Command::UsmFill {
                    dst: memory,
                    pattern: &[7],
                    size: 1000,
                },
                false,
                Wait::empty(),
                no_event(),
            )
            .unwrap();
        let mut bytes = [0u8; 1000];
        run(queue, true, copy(bytes.as_mut_ptr().cast(), memory, 1000)).unwrap();
        assert_eq!(bytes, [7; 1000]);
        wait(&[&event(|out| {
            queue.submit(Command::UsmFree { pool: None, memory }, false, Wait::empty(), out)
        })])
        .unwrap();
        assert!(kit::UsmAlloc::usm_free(context, memory).is_err(), "it was freed");
    });
}

#[test]
fn twenty_threads() {
    let context = context();
    for flags in [QueueFlags::empty(), OUT_OF_ORDER] {
        let queue = queue(&context, flags);
        let runs = Arc::new(AtomicU64::new(0));
        thread::scope(|scope| {
            for thread in 0..20usize {
                let (queue, runs) = (&queue, &runs);
                scope.spawn(move || {
                    // Each thread has its own bytes, and orders its commands by events.
                    let mut bytes = vec![0u8; 300_000];
                    let at = bytes.as_mut_ptr();
                    let mut last: Option<Arc<Event>> = None;
                    for round in 0..30usize {
                        let size = [10, 300_000][round % 2];
                        let after: Vec<_> = last.iter().map(kit::handle_of).collect();
                        let value = (round + thread) as u8;
                        let filled = event(|out| {
                            queue.submit(
                                Command::UsmFill {
                                    dst: at.cast(),
                                    pattern: &[value],
                                    size,
                                },
                                false,
                                list(&after),
                                out,
                            )
                        });
                        let counted = {
                            let runs = runs.clone();
                            let at = at as usize;
                            call(queue, round % 7 == 3, &[&filled], move || {
                                // SAFETY: the bytes outlive the command, and the next command on them waits for this one.
                                let seen = unsafe { (at as *const u8).wrapping_add(size - 1).read_volatile() };
                                assert_eq!(seen, value);
                                runs.fetch_add(1, Ordering::Relaxed);
                                Ok(())
                            })
                        };
                        if round % 10 == 5 {
                            queue
                                .submit(Command::barrier(), false, Wait::empty(), no_event())
                                .unwrap();
                        }
                        if round % 10 == 7 {
                            queue.finish().unwrap();
                        }
                        last = Some(counted);
                    }
                    wait(&[&last.unwrap()]).unwrap();
                });
            }
        });
        queue.finish().unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 20 * 30);
        assert!(queue.order.is_empty() && context.in_flight.is_idle());
    }
}

#[test]
fn a_child_goes_on_with_a_queue() {
    // ThreadSanitizer allows no threads in the child.
    if std::env::var_os("TSAN_OPTIONS").is_some() {
        return;
    }
    let context = context();
    for flags in [QueueFlags::empty(), OUT_OF_ORDER] {
        let queue = queue(&context, flags);
        let (first, open) = gate(&queue);
        let parents = call(&queue, false, &[&first], || Ok(()));
        // SAFETY: the child calls only functions that support a fork, and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let work = || -> UrResult<bool> {
                queue.finish()?;
                let (mut dst, src) = (vec![0u8; 5_000_000], numbers(5_000_000));
                let (to, from) = (dst.as_mut_ptr().cast(), src.as_ptr().cast());
                queue.submit(
                    Command::UsmMemcpy {
                        dst: to,
                        src: from,
                        size: src.len(),
                    },
                    false,
                    Wait::empty(),
                    no_event(),
                )?;
                wait(&[&call(&queue, true, &[], || Ok(()))])?;
                queue.finish()?;
                Ok(dst == src && parents.failed())
            };
            // SAFETY: `alarm` kills a child that hangs, `_exit` ends the child.
            unsafe {
                libc::alarm(120);
                libc::_exit(if work().is_ok_and(|well| well) { 0 } else { 1 });
            }
        }
        let mut status = 0;
        // SAFETY: waits for the test's own child; `status` is writable.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
        assert!(!parents.is_over());
        drop(open);
        wait(&[&parents]).unwrap();
    }
}
