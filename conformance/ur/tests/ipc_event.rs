// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events that processes share: urIPCGetEventHandleExp makes bytes of a reusable one, urIPCOpenEventHandleExp an event of the
//! bytes in another process, "both sides then see the same state".

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command as Process, Stdio};
use std::ptr::null_mut;
use std::sync::mpsc::channel;

use oxur_conformance::api::*;
use oxur_conformance::client::{Event, Queue};
use oxur_conformance::{PATIENCE, Rig, UserEvent, check, expect, is_complete, loader, ur};

use crate::ipc::{BYTES, bytes, exported, hex, rig};

/// The test again, in another process. Both say when they have come how far.
struct Other {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Other {
    /// Starts a test with the bytes of an event.
    fn start(test: &str, data: &[u8]) -> Self {
        let mut process = Process::new("/proc/self/exe")
            .args(["--exact", test, "--nocapture"])
            .env(BYTES, hex(data))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the test itself");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        Self { process, output }
    }

    /// Waits until the other process says this.
    fn hear(&mut self, word: &str) {
        let mut line = String::new();
        while self.output.read_line(&mut line).expect("text") != 0 {
            if line.trim().ends_with(&format!("says: {word}")) {
                return;
            }
            line.clear();
        }
        panic!("it ended, {:?}, and never said {word}", self.process.wait());
    }

    /// Lets it go on.
    fn go(&mut self) {
        self.process
            .stdin
            .as_mut()
            .expect("a pipe")
            .write_all(b"go\n")
            .expect("it reads");
    }

    /// Waits until it has passed.
    fn end(mut self) {
        let (status, rest) = (self.process.wait().expect("its end"), self.output.lines());
        let rest: Vec<_> = rest.map_while(Result::ok).collect();
        assert!(status.success(), "{rest:#?}");
    }
}

/// For the other process.
fn say(word: &str) {
    println!("says: {word}");
}

/// Waits for [`Other::go`].
fn wait_for_go() {
    let read = std::io::stdin().read_line(&mut String::new());
    assert_ne!(read.expect("text"), 0, "the other process has ended");
}

fn shared(rig: &Rig) -> Event {
    Event::reusable(&rig.context, &rig.device, ExpEventFlags::IPC_EXP).expect("urEventCreateExp")
}

/// The bytes of an event, as the adapter owns them, and a copy.
fn export(event: &Event) -> (*mut c_void, Vec<u8>) {
    exported(|data, size| ur!(urIPCGetEventHandleExp(event.raw(), data, size)))
}

fn open(rig: &Rig, data: &[u8]) -> Result<Event, ResultCode> {
    let mut event = EventHandle::default();
    let code = ur!(urIPCOpenEventHandleExp(
        rig.context.raw(),
        data.as_ptr().cast(),
        data.len(),
        &mut event
    ));
    // SAFETY: a new event comes with one reference.
    (code == ResultCode::SUCCESS)
        .then(|| unsafe { Event::from_raw(loader(), event) })
        .ok_or(code)
}

/// What waits for the event, each in its way, and none of it is complete. The last one tells of a callback.
fn waiting(rig: &Rig, event: &Event) -> (Vec<Event>, std::sync::mpsc::Receiver<()>) {
    let orders = [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE];
    let markers = orders.map(|flags| {
        let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
        queue.marker(&[event]).expect("marker")
    });
    let (send, receive) = channel();
    let notify = move |_| send.send(()).expect("the test waits");
    event.on(ExecutionInfo::COMPLETE, notify).expect("urEventSetCallback");
    let complete: Vec<_> = markers.iter().map(is_complete).collect();
    assert!(!complete[0] && !complete[1], "{complete:?}");
    assert!(receive.try_recv().is_err(), "the callback came");
    assert!(!is_complete(event));
    (markers.into(), receive)
}

/// Both processes signal the event, and both wait for the signals of the other.
#[test]
fn in_two_processes() {
    let Some(rig) = rig(DeviceInfo::IPC_EVENT_SUPPORT_EXP) else {
        return;
    };
    if let Ok(text) = std::env::var(BYTES) {
        let event = open(&rig, &bytes(&text)).expect("urIPCOpenEventHandleExp");
        assert_eq!(event.info::<u32>(EventInfo::REFERENCE_COUNT).expect("the count"), 1);
        assert_eq!(
            event.info::<ContextHandle>(EventInfo::CONTEXT).expect("the context"),
            rig.context.raw()
        );
        assert!(is_complete(&event), "nobody has signalled it");
        event.wait().expect("urEventWait");
        say("opened");

        wait_for_go();
        let (markers, called) = waiting(&rig, &event);
        say("waits");
        event.wait().expect("urEventWait");
        assert!(is_complete(&event));
        markers.iter().for_each(|marker| marker.wait().expect("urEventWait"));
        assert_eq!(called.recv_timeout(PATIENCE), Ok(()));
        say("waited");

        wait_for_go();
        let user_event = UserEvent::new(&rig.queue).expect("a device with host tasks");
        rig.queue.signal(&event, &[]).expect("signal");
        assert!(!is_complete(&event));
        say("signalled");
        wait_for_go();
        user_event.complete();
        return rig.queue.finish().expect("urQueueFinish");
    }
    let event = shared(&rig);
    let (data, copy) = export(&event);
    let mut other = Other::start("ipc_event::in_two_processes", &copy);
    other.hear("opened");
    let user_event = UserEvent::new(&rig.queue).expect("a device with host tasks");
    rig.queue.signal(&event, &[]).expect("signal");
    assert!(!is_complete(&event));
    other.go();
    other.hear("waits");
    user_event.complete();
    other.hear("waited");
    assert!(is_complete(&event));
    event.wait().expect("urEventWait");

    other.go();
    other.hear("signalled");
    let (markers, called) = waiting(&rig, &event);
    // It is of no command of this process.
    expect!(
        check(event.info::<QueueHandle>(EventInfo::COMMAND_QUEUE)),
        ERROR_UNSUPPORTED_ENUMERATION
    );
    other.go();
    event.wait().expect("urEventWait");
    markers.iter().for_each(|marker| marker.wait().expect("urEventWait"));
    assert_eq!(called.recv_timeout(PATIENCE), Ok(()));
    other.end();
    assert!(is_complete(&event), "also when the other process has ended");
    expect!(ur!(urIPCPutEventHandleExp(rig.context.raw(), data)), SUCCESS);
}

/// A signal that will never come is a failed command, for all that wait for it.
#[test]
fn a_process_that_ends_before_its_signal() {
    let Some(rig) = rig(DeviceInfo::IPC_EVENT_SUPPORT_EXP) else {
        return;
    };
    if let Ok(text) = std::env::var(BYTES) {
        let event = open(&rig, &bytes(&text)).expect("urIPCOpenEventHandleExp");
        let _user_event = UserEvent::new(&rig.queue).expect("a device with host tasks");
        rig.queue.signal(&event, &[]).expect("signal");
        say("signalled");
        wait_for_go();
        // Without the end of anything: as by a signal.
        std::process::abort();
    }
    let event = shared(&rig);
    let mut other = Other::start("ipc_event::a_process_that_ends_before_its_signal", &export(&event).1);
    other.hear("signalled");
    assert!(!is_complete(&event));
    let marker = rig.queue.marker(&[&event]).expect("marker");
    other.go();
    expect!(check(event.wait()), ERROR_IN_EVENT_LIST_EXEC_STATUS);
    expect!(check(marker.wait()), ERROR_IN_EVENT_LIST_EXEC_STATUS);
    assert!(!other.process.wait().expect("its end").success());
    // Another signal is another command.
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    queue.signal(&event, &[]).expect("signal");
    event.wait().expect("urEventWait");
}

/// urIPCGetEventHandleExp: INVALID_EVENT for events without UR_EXP_EVENT_FLAG_IPC_EXP and for those of another process,
/// UNSUPPORTED_FEATURE for those with times. urIPCOpenEventHandleExp: INVALID_VALUE for bytes of another number.
#[test]
fn what_is_not_shared() {
    let Some(rig) = rig(DeviceInfo::IPC_EVENT_SUPPORT_EXP) else {
        return;
    };
    let context = rig.context.raw();
    let get = |event: &Event| {
        let (mut data, mut size) = (null_mut(), 0);
        ur!(urIPCGetEventHandleExp(event.raw(), &mut data, &mut size))
    };
    let reusable = |flags| Event::reusable(&rig.context, &rig.device, flags);
    let both = ExpEventFlags::IPC_EXP | ExpEventFlags::ENABLE_PROFILING;
    expect!(check(reusable(both)), ERROR_UNSUPPORTED_FEATURE);
    let plain = reusable(ExpEventFlags::empty()).expect("urEventCreateExp");
    let command = rig.queue.barrier(&[]).expect("barrier");
    for event in [&plain, &command] {
        expect!(get(event), ERROR_INVALID_EVENT);
    }
    let timed = reusable(ExpEventFlags::ENABLE_PROFILING).expect("urEventCreateExp");
    expect!(get(&timed), ERROR_UNSUPPORTED_FEATURE);

    let event = shared(&rig);
    expect!(
        ur!(urIPCGetEventHandleExp(event.raw(), null_mut(), &mut 0)),
        ERROR_INVALID_NULL_POINTER
    );
    let (data, copy) = export(&event);
    // In this process, too.
    let opened = open(&rig, &copy).expect("urIPCOpenEventHandleExp");
    expect!(get(&opened), ERROR_INVALID_EVENT);
    for wrong in [&copy[1..], &[copy.clone(), vec![0]].concat(), &vec![0xa5; copy.len()]] {
        expect!(open(&rig, wrong).err().unwrap_or_default(), ERROR_INVALID_VALUE);
    }
    expect!(ur!(urIPCPutPhysMemHandleExp(context, data)), ERROR_INVALID_VALUE);
    expect!(ur!(urIPCPutEventHandleExp(context, data)), SUCCESS);
    expect!(ur!(urIPCPutEventHandleExp(context, data)), ERROR_INVALID_VALUE);

    // What was opened stays, and cannot be opened any more when it is gone where it was made.
    let Some(user_event) = UserEvent::new(&rig.queue) else {
        return;
    };
    rig.queue.signal(&event, &[]).expect("signal");
    assert!(!is_complete(&opened));
    drop(event);
    user_event.complete();
    opened.wait().expect("urEventWait");
    rig.queue.finish().expect("urQueueFinish");
    expect!(open(&rig, &copy).err().unwrap_or_default(), ERROR_INVALID_VALUE);
    rig.queue.signal(&opened, &[]).expect("signal");
    opened.wait().expect("urEventWait");
}
