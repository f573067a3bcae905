// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Calls of the CUDA adapter in turns with those of the driver that a careful program would make.

use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::time::Instant;

use oxur_client::api::*;
use oxur_client::*;
use oxur_cuda_sys::*;

use super::{Rig, append, command_buffer, ok, row, with_updates};

/// How many rounds each figure has.
const ROUNDS: usize = 401;

/// What the names of the rows have that are measured.
static ONLY: OnceLock<String> = OnceLock::new();

/// What is measured: calls, and what ends a round of them, which is not timed.
type Side<'a> = (&'a dyn Fn(), &'a dyn Fn());

/// Prints the medians of two sides, which take turns: `count` calls a round.
pub(super) fn turns(what: &str, count: usize, ours: Side<'_>, theirs: Side<'_>) {
    if ONLY.get().is_some_and(|part| !what.contains(part)) {
        return;
    }
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS + ROUNDS / 10 {
        for (times, (call, end)) in times.iter_mut().zip([ours, theirs]) {
            let start = Instant::now();
            (0..count).for_each(|_| call());
            let took = start.elapsed().as_secs_f64() * 1e6 / count as f64;
            end();
            if round >= ROUNDS / 10 {
                times.push(took);
            }
        }
    }
    let [ours, theirs] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    });
    row(what, ours, theirs);
}

/// Prints all figures, or those whose names have `only`.
pub(super) fn run(rig: &Rig<'_>, program: &Program, only: Option<&str>) {
    if let Some(part) = only {
        ONLY.get_or_init(|| part.to_owned());
    }
    let Rig { queue, raw, fns, .. } = *rig;
    let cu = &raw.cu;
    // Nothing is there, and nothing looks.
    let pointer = std::ptr::dangling_mut::<c_void>();
    let (argument, size, offset) = (Arg::Pointer(pointer).properties(0), [32_usize], [0_usize]);
    let launch_with = |event: *mut EventHandle| {
        // SAFETY: a kernel that does nothing, with its argument.
        let launched = unsafe {
            fns.urEnqueueKernelLaunchWithArgsExp(
                queue.raw(),
                rig.kernel.raw(),
                1,
                offset.as_ptr(),
                size.as_ptr(),
                size.as_ptr(),
                1,
                &argument,
                null(),
                0,
                null(),
                event,
            )
        };
        launched.expect("launch");
    };
    let launch = || launch_with(null_mut());
    let new_event = || {
        let mut event = EventHandle::default();
        launch_with(&mut event);
        event
    };
    // SAFETY: a live event with one reference.
    let release = |event| unsafe { fns.urEventRelease(event) }.expect("urEventRelease");
    // SAFETY: a live queue.
    let finish = || unsafe { fns.urQueueFinish(queue.raw()) }.expect("urQueueFinish");
    let (raw_launch, raw_wait) = (|| raw.launch(), || raw.wait());
    let nothing = || ();

    turns("launch", 100, (&launch, &finish), (&raw_launch, &raw_wait));
    let set = || {
        // SAFETY: a kernel that does nothing, whose argument is set below.
        let launched = unsafe {
            let (kernel, sizes) = (rig.kernel.raw(), size.as_ptr());
            fns.urEnqueueKernelLaunch(
                queue.raw(),
                kernel,
                1,
                offset.as_ptr(),
                sizes,
                sizes,
                null(),
                0,
                null(),
                null_mut(),
            )
        };
        launched.expect("launch");
    };
    // SAFETY: a live kernel, which does nothing with the pointer.
    unsafe { fns.urKernelSetArgPointer(rig.kernel.raw(), 0, null(), pointer) }.expect("urKernelSetArgPointer");
    turns(
        "launch, arguments set before",
        100,
        (&set, &finish),
        (&raw_launch, &raw_wait),
    );
    turns(
        "launch, 2000 in a row",
        2000,
        (&launch, &finish),
        (&raw_launch, &raw_wait),
    );
    let and_finish = || {
        launch();
        finish();
    };
    let raw_and_wait = || {
        raw.launch();
        raw.wait();
    };
    turns(
        "launch + finish",
        10,
        (&and_finish, &nothing),
        (&raw_and_wait, &nothing),
    );
    turns(
        "launch, event released",
        100,
        (&|| release(new_event()), &finish),
        (&raw_launch, &raw_wait),
    );
    let kept = std::cell::RefCell::new(Vec::with_capacity(100));
    let raw_events: Vec<CUevent> = (0..100)
        .map(|_| {
            let mut event = null_mut();
            // SAFETY: a place for the event.
            ok(unsafe { (cu.cuEventCreate)(&mut event, CU_EVENT_DISABLE_TIMING) });
            event
        })
        .collect();
    let next = std::cell::Cell::new(0);
    let raw_event = || {
        raw.launch();
        // SAFETY: a live event and stream.
        ok(unsafe { (cu.cuEventRecord)(raw_events[next.get() % 100], raw.stream) });
        next.set(next.get() + 1);
    };
    turns(
        "launch, event kept",
        100,
        (&|| kept.borrow_mut().push(new_event()), &|| {
            kept.borrow_mut().drain(..).for_each(release);
            finish();
        }),
        (&raw_event, &raw_wait),
    );
    let and_event_wait = || {
        let event = new_event();
        // SAFETY: a live event with one reference.
        unsafe { fns.urEventWait(1, &event) }.expect("urEventWait");
        release(event);
    };
    turns(
        "launch + event wait",
        10,
        (&and_event_wait, &nothing),
        (&raw_and_wait, &nothing),
    );

    other_thread_waits(rig, &new_event, &finish);

    let pool = raw.pool();
    for (what, size) in [("alloc + free 4 KiB", 4096), ("alloc + free 8 MiB", 8 << 20)] {
        // The two calls alone: `Usm` keeps a reference to its context, too.
        let ours = || {
            let (context, mut address) = (rig.context.raw(), null_mut());
            // SAFETY: live handles and a place for the address; memory that nobody uses.
            unsafe {
                fns.urUSMDeviceAlloc(
                    context,
                    rig.device.raw(),
                    null(),
                    UsmPoolHandle::default(),
                    size,
                    &mut address,
                )
                .expect("urUSMDeviceAlloc");
                fns.urUSMFree(context, address).expect("urUSMFree");
            }
        };
        let theirs = || {
            let mut address = 0;
            // SAFETY: a place for the address, and memory that nobody uses.
            unsafe {
                ok((cu.cuMemAlloc)(&mut address, size));
                ok((cu.cuMemFree)(address));
            }
        };
        // Enough that reading the clock does not count.
        turns(what, 50, (&ours, &nothing), (&theirs, &nothing));
        let by_pool = || raw.take_and_give(pool, size);
        let what = format!("{what} / a pool of the driver's");
        turns(&what, 50, (&ours, &nothing), (&by_pool, &nothing));
    }

    for (what, size) in [("4 KiB", 4096), ("8 MiB", 8 << 20)] {
        stream_ordered(
            rig,
            pool,
            &format!("alloc, launch, free in order, {what}"),
            size,
            &launch,
            &finish,
        );
    }

    let bytes = [7_u8; 256];
    let write = || {
        // SAFETY: the variable has 256 bytes.
        let written = unsafe {
            let (name, from) = (c"variable".as_ptr(), bytes.as_ptr().cast());
            fns.urEnqueueDeviceGlobalVariableWrite(
                queue.raw(),
                program.raw(),
                name,
                true,
                256,
                0,
                from,
                0,
                null(),
                null_mut(),
            )
        };
        written.expect("urEnqueueDeviceGlobalVariableWrite");
    };
    let pinned = Usm::host(rig.context, 4096, UsmRequest::default()).expect("urUSMHostAlloc");
    let near = Usm::device(rig.context, rig.device, 4096, UsmRequest::default()).expect("urUSMDeviceAlloc");
    let through_pinned = || {
        // SAFETY: memory of this size, which no command uses.
        unsafe { pinned.ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), 256) };
        raw.copy(raw.variable, pinned.ptr() as u64, 256);
    };
    let by_driver = || {
        raw.copy(raw.variable, bytes.as_ptr() as u64, 256);
        raw.wait();
    };
    let by_pinned = || {
        through_pinned();
        raw.wait();
    };
    let by_query = || {
        through_pinned();
        // SAFETY: a live stream.
        while unsafe { (cu.cuStreamQuery)(raw.stream) } == CUDA_ERROR_NOT_READY {}
    };
    turns(
        "global write 256 B / pageable + synchronize",
        10,
        (&write, &nothing),
        (&by_driver, &nothing),
    );
    turns(
        "global write 256 B / pinned + synchronize",
        10,
        (&write, &nothing),
        (&by_pinned, &nothing),
    );
    turns(
        "global write 256 B / pinned + queries",
        10,
        (&write, &nothing),
        (&by_query, &nothing),
    );
    let copy = |dst: *mut c_void, src: *mut c_void| {
        // SAFETY: memory of this size.
        unsafe { fns.urEnqueueUSMMemcpy(queue.raw(), true, dst, src, 8, 0, null(), null_mut()) }.expect("copy");
    };
    let raw_copy = |dst: *mut c_void, src: *mut c_void| {
        raw.copy(dst as u64, src as u64, 8);
        raw.wait();
    };
    let pageable = bytes.as_ptr().cast_mut().cast::<c_void>();
    for (what, dst, src) in [
        ("copy 8 B pinned to device, blocking", near.ptr(), pinned.ptr()),
        ("copy 8 B device to pinned, blocking", pinned.ptr(), near.ptr()),
        ("copy 8 B pageable to device, blocking", near.ptr(), pageable),
    ] {
        turns(
            what,
            10,
            (&|| copy(dst, src), &nothing),
            (&|| raw_copy(dst, src), &nothing),
        );
    }
    [10, 100, 1000].into_iter().for_each(|count| graph(rig, count));
    // SAFETY: a live stream, which is idle.
    let query = || ok(unsafe { (cu.cuStreamQuery)(raw.stream) });
    raw_wait();
    turns(
        "cuStreamSynchronize / cuStreamQuery, idle",
        100,
        (&raw_wait, &nothing),
        (&query, &nothing),
    );
    let current = || {
        let mut current = null_mut();
        // SAFETY: a place for the context.
        ok(unsafe { (cu.cuCtxGetCurrent)(&mut current) });
    };
    turns(
        "cuCtxGetCurrent twice / once",
        1000,
        (
            &|| {
                current();
                current();
            },
            &nothing,
        ),
        (&current, &nothing),
    );
}

/// Stream-ordered allocations around launches, which are not waited for.
fn stream_ordered(rig: &Rig<'_>, pool: CUmemoryPool, what: &str, size: usize, launch: &dyn Fn(), finish: &dyn Fn()) {
    let Rig { queue, raw, fns, .. } = *rig;
    let has_them = rig.device.info(DeviceInfo::ASYNC_USM_ALLOCATIONS_SUPPORT_EXP);
    if !has_them.is_ok_and(|has_them| has_them) {
        return;
    }
    let nobody = UsmPoolHandle::default();
    let ours = || {
        let (queue, mut memory) = (queue.raw(), null_mut());
        // SAFETY: a live queue and a place for the address; memory that nobody uses behind the launch.
        unsafe {
            let allocated =
                fns.urEnqueueUSMDeviceAllocExp(queue, nobody, size, null(), 0, null(), &mut memory, null_mut());
            allocated.expect("urEnqueueUSMDeviceAllocExp");
            launch();
            let freed = fns.urEnqueueUSMFreeExp(queue, nobody, memory, 0, null(), null_mut());
            freed.expect("urEnqueueUSMFreeExp");
        }
    };
    let theirs = || {
        let mut address = 0;
        // SAFETY: a place for the address; a live pool and stream, and memory that nobody uses behind the launch.
        unsafe {
            ok((raw.cu.cuMemAllocFromPoolAsync)(&mut address, size, pool, raw.stream));
            raw.launch();
            ok((raw.cu.cuMemFreeAsync)(address, raw.stream));
        }
    };
    let wait = || raw.wait();
    turns(what, 100, (&ours, finish), (&theirs, &wait));
}

/// Launches whose events another thread waits for, as libsycl does for host tasks.
fn other_thread_waits(rig: &Rig<'_>, new_event: &dyn Fn() -> EventHandle, finish: &dyn Fn()) {
    /// What the other thread waits for.
    enum Wait {
        Ours(EventHandle),
        Driver(usize),
        Nothing,
    }
    let (fns, raw) = (rig.fns, rig.raw);
    let (synchronize, record) = (raw.cu.cuEventSynchronize, raw.cu.cuEventRecord);
    std::thread::scope(|scope| {
        let (send, receive) = std::sync::mpsc::channel();
        let (done, all_done) = std::sync::mpsc::channel();
        scope.spawn(move || {
            for wait in receive {
                match wait {
                    // SAFETY: a live event with one reference.
                    Wait::Ours(event) => unsafe {
                        fns.urEventWait(1, &event).expect("urEventWait");
                        fns.urEventRelease(event).expect("urEventRelease");
                    },
                    // SAFETY: a live event.
                    Wait::Driver(event) => ok(unsafe { synchronize(event as CUevent) }),
                    Wait::Nothing => done.send(()).expect("the other thread"),
                }
            }
        });
        let events: Vec<CUevent> = (0..100)
            .map(|_| {
                let mut event = null_mut();
                // SAFETY: a place for the event.
                ok(unsafe { (raw.cu.cuEventCreate)(&mut event, CU_EVENT_DISABLE_TIMING) });
                event
            })
            .collect();
        let next = std::cell::Cell::new(0);
        let ours = || send.send(Wait::Ours(new_event())).expect("the thread");
        let theirs = || {
            raw.launch();
            let event = events[next.replace(next.get() + 1) % events.len()];
            // SAFETY: a live event and stream.
            ok(unsafe { record(event, raw.stream) });
            send.send(Wait::Driver(event as usize)).expect("the thread");
        };
        let all = || {
            send.send(Wait::Nothing).expect("the thread");
            all_done.recv().expect("the thread");
        };
        let (ours_end, theirs_end) = (
            || {
                finish();
                all()
            },
            || {
                raw.wait();
                all()
            },
        );
        turns(
            "launch, another thread waits",
            100,
            (&ours, &ours_end),
            (&theirs, &theirs_end),
        );
        let (ours_all, theirs_all) = (
            || {
                ours();
                ours_end()
            },
            || {
                theirs();
                theirs_end()
            },
        );
        turns(
            "launch + finish, another thread waits",
            10,
            (&ours_all, &|| ()),
            (&theirs_all, &|| ()),
        );
        drop(send);
    });
}

/// Updates and runs of a graph of so many launches.
fn graph(rig: &Rig<'_>, count: usize) {
    let Rig { queue, raw, fns, .. } = *rig;
    let buffer = command_buffer(rig);
    let last = append(rig, &buffer, count);
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let (executable, node) = raw.graph(count);
    // SAFETY: a live queue and command buffer.
    let run =
        || unsafe { fns.urEnqueueCommandBufferExp(queue.raw(), buffer.raw(), 0, null(), null_mut()) }.expect("run");
    let (finish, raw_wait) = (|| queue.finish().expect("urQueueFinish"), || raw.wait());
    with_updates(rig, (&buffer, last), (executable, node), |update, raw_update| {
        turns(
            &format!("graph of {count}: update of one launch"),
            100,
            (update, &|| ()),
            (raw_update, &|| ()),
        );
        turns(
            &format!("graph of {count}: run"),
            10,
            (&run, &finish),
            (&|| raw.launch_graph(executable), &raw_wait),
        );
        // What differs between two graphs of the same launches.
        let (another, _) = raw.graph(count);
        turns(
            &format!("graph of {count}: run, by the driver, twice"),
            10,
            (&|| raw.launch_graph(another), &raw_wait),
            (&|| raw.launch_graph(executable), &raw_wait),
        );
        let updated = || {
            update();
            run();
        };
        let raw_updated = || {
            raw_update();
            raw.launch_graph(executable);
        };
        turns(
            &format!("graph of {count}: update and run"),
            10,
            (&updated, &finish),
            (&raw_updated, &raw_wait),
        );
    });
}
