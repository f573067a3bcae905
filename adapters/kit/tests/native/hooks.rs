// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a backend does when calls come in, when the client goes, and when the process ends.

use std::cell::{Cell, RefCell};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::*;

thread_local! {
    /// What the calls of this thread were about.
    static SUBJECTS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    /// How many calls of this thread are entered.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// Whether the driver refuses to be entered.
    static REFUSES: Cell<bool> = const { Cell::new(false) };
}

pub fn enter(subject: &Subject<'_, Native>) -> UrResult<()> {
    if REFUSES.get() {
        return Err(ResultCode::ERROR_DEVICE_LOST.into());
    }
    let subject = match subject {
        Subject::Adapter(_) => "adapter",
        Subject::Device(_) => "device",
        Subject::Context(_) => "context",
        Subject::Queue(_) => "queue",
        Subject::Event(_) => "event",
        Subject::Program(_) => "program",
        Subject::CommandBuffer(_) => "command buffer",
        Subject::BufferCommand(_) => "command",
        Subject::Nothing => "nothing",
        _ => "other",
    };
    SUBJECTS.with_borrow_mut(|subjects| subjects.push(subject));
    DEPTH.set(DEPTH.get() + 1);
    Ok(())
}

pub fn leave() {
    DEPTH.set(DEPTH.get() - 1);
}

fn subjects() -> Vec<&'static str> {
    assert_eq!(DEPTH.get(), 0, "what was entered was left");
    SUBJECTS.take()
}

/// Says something for a test that has a process of its own.
pub fn note(what: &str) {
    if alone::is_alone() {
        eprintln!("note: {what}");
    }
}

#[test]
fn the_backend_is_entered_for_each_call() {
    let context = context();
    let queue = queue(context);
    subjects();
    let ran = AtomicUsize::new(0);
    let event = count(queue, &ran, &[]);
    assert_eq!(subjects(), ["queue"]);
    // The handle behind a number.
    assert_eq!(call!(Event.pfnWait(1, &event)), SUCCESS);
    assert_eq!(subjects(), ["nothing", "event"]);
    let mut made = EventHandle::default();
    call!(Event.pfnCreateWithNativeHandle(7, context, null(), &mut made));
    assert_eq!(subjects(), ["context"]);
    // A launch, whose way is another one; it fails, as there is no such command.
    let kernel = command_buffer::kernel(context);
    subjects();
    let size = [1usize];
    let launch = |local| {
        let none = null_mut();
        call!(EnqueueExp.pfnKernelLaunchWithArgsExp(
            queue,
            kernel,
            1,
            null(),
            size.as_ptr(),
            local,
            0,
            null(),
            null(),
            0,
            null(),
            none
        ))
    };
    assert_eq!(launch(size.as_ptr()), ResultCode::ERROR_UNSUPPORTED_FEATURE);
    assert_eq!(subjects(), ["queue"]);
    assert_eq!(launch(null()), ResultCode::ERROR_UNSUPPORTED_FEATURE);
    assert_eq!(subjects(), ["queue"]);
    // No object at all, and none that lives.
    assert_eq!(
        call!(Context.pfnRetain(ContextHandle(queue.0))),
        ResultCode::ERROR_INVALID_CONTEXT
    );
    assert_eq!(subjects(), ["nothing"]);
    assert_eq!(
        call!(Context.pfnRetain(ContextHandle::default())),
        ResultCode::ERROR_INVALID_NULL_HANDLE
    );
    assert_eq!(subjects(), ["nothing"]);
}

#[test]
fn calls_nest() {
    unsafe extern "C" fn asks(queue: *mut c_void) {
        assert_eq!(DEPTH.get(), 1);
        assert_eq!(call!(Queue.pfnFlush(QueueHandle(queue))), SUCCESS);
        assert_eq!(DEPTH.get(), 1);
    }
    let queue = queue(context());
    subjects();
    let ran = call!(EnqueueExp.pfnHostTaskExp(queue, Some(asks), queue.0, null(), 0, null(), null_mut()));
    assert_eq!(ran, SUCCESS);
    assert_eq!(subjects(), ["queue", "queue"]);
}

#[test]
fn a_native_command_is_inside_of_its_call() {
    unsafe extern "C" fn asks(_: *mut c_void) {
        assert_eq!(DEPTH.get(), 1);
    }
    let buffer = command_buffer::buffer(context());
    subjects();
    let function = kit::table::tables::<Native>()
        .ddi
        .CommandBufferExp
        .pfnAppendNativeCommandExp;
    let (function, child, none) = (
        function.expect("it is there"),
        ExpCommandBufferHandle::default(),
        null_mut(),
    );
    // SAFETY: live handles; the function takes any pointer.
    let appended = unsafe { function(buffer, Some(asks), none, child, 0, null(), null_mut()) };
    assert_eq!(appended, SUCCESS);
    assert_eq!(subjects(), ["command buffer"]);
}

#[test]
fn a_call_that_cannot_be_entered_fails() {
    let queue = queue(context());
    subjects();
    REFUSES.set(true);
    assert_eq!(call!(Queue.pfnFlush(queue)), ResultCode::ERROR_DEVICE_LOST);
    REFUSES.set(false);
    assert_eq!(call!(Queue.pfnFlush(queue)), SUCCESS);
    assert_eq!(subjects(), ["queue"]);
}

#[test]
fn the_adapter_closes_when_the_process_ends() {
    extern "C" fn before() {
        note(if kit::is_closed() {
            "too late"
        } else {
            "registered later"
        });
    }
    extern "C" fn after() {
        note(if kit::is_closed() {
            "registered before"
        } else {
            "too early"
        });
    }
    if let Some(mut own) = alone::again("hooks::the_adapter_closes_when_the_process_ends") {
        let [_, said] = alone::passes(&mut own);
        let notes: Vec<_> = said.lines().filter_map(|line| line.strip_prefix("note: ")).collect();
        let wanted = [
            "one reference left",
            "released",
            "again",
            "registered later",
            "closed",
            "registered before",
        ];
        assert_eq!(notes, wanted);
        return;
    }
    // SAFETY: functions that may be called when the process ends.
    assert_eq!(unsafe { libc::atexit(after) }, 0);
    let mut adapter = AdapterHandle::default();
    let mut get = || assert_eq!(call!(Adapter.pfnGet(1, &mut adapter, null_mut())), SUCCESS);
    get();
    get();
    assert_eq!(call!(Adapter.pfnRelease(adapter)), SUCCESS);
    note("one reference left");
    assert_eq!(call!(Adapter.pfnRelease(adapter)), SUCCESS);
    // Devices are as good as before, and so is the adapter.
    let mut again = AdapterHandle::default();
    assert_eq!(call!(Adapter.pfnGet(1, &mut again, null_mut())), SUCCESS);
    assert_eq!(adapter, again);
    note("again");
    // SAFETY: as above.
    assert_eq!(unsafe { libc::atexit(before) }, 0);
}

/// Level Zero's loader unloads its drivers once the adapter is closed.
#[test]
fn no_thread_is_in_the_driver_once_the_process_has_ended() {
    static IN_DRIVER: AtomicBool = AtomicBool::new(false);
    static WATCHER: kit::Watcher<Never> = kit::Watcher::new();

    /// An event that is never over, and about which the driver thinks long.
    #[derive(Clone)]
    struct Never;

    impl kit::Watch for Never {
        fn is_over(&self) -> bool {
            IN_DRIVER.store(true, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(20));
            IN_DRIVER.store(false, Ordering::SeqCst);
            false
        }

        fn wait(&self) -> UrResult<()> {
            unreachable!("nobody waits for it")
        }

        fn is_lost() -> bool {
            false
        }
    }

    extern "C" fn after() {
        let is_asked = (0..50).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            IN_DRIVER.load(Ordering::SeqCst)
        });
        note(if is_asked { "asked" } else { "left alone" });
    }

    if let Some(mut own) = alone::again("hooks::no_thread_is_in_the_driver_once_the_process_has_ended") {
        let [_, said] = alone::passes(&mut own);
        assert!(said.contains("note: left alone"), "{said}");
        return;
    }
    // SAFETY: a function that may be called when the process ends.
    assert_eq!(unsafe { libc::atexit(after) }, 0);
    let mut adapter = AdapterHandle::default();
    assert_eq!(call!(Adapter.pfnGet(1, &mut adapter, null_mut())), SUCCESS);
    WATCHER.when_over(&Never, || unreachable!("it is never over")).unwrap();
    // The thread asks nearly all the time.
    while !IN_DRIVER.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
}
