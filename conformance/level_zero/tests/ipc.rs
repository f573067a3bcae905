// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory and events that processes share. The other process is this program, which runs one test.

use std::env;
use std::ffi::c_void;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::ptr::null_mut;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Event, Pool, Rig, expect, loader_is_old, ok, ze};

/// Holds the bytes of the handle, in the other process.
const HANDLE: &str = "OXUR_TEST_ZE_IPC_HANDLE";

/// The other process, and how it is spoken to.
struct Other {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Other {
    /// Starts a test of this program that finds a handle in its environment.
    fn start(test: &str, handle: &[std::ffi::c_char]) -> Self {
        let bytes: Vec<_> = handle.iter().map(|byte| format!("{:02x}", *byte as u8)).collect();
        let mut child = Command::new("/proc/self/exe")
            .args(["--exact", test, "--nocapture"])
            .env(HANDLE, bytes.concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program runs");
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Self {
            child,
            input: input.expect("a pipe"),
            output: BufReader::new(output.expect("a pipe")),
        }
    }

    /// Waits until the other says a word.
    fn hear(&mut self, word: &str) {
        loop {
            let mut line = String::new();
            let length = self.output.read_line(&mut line).expect("the other's output");
            assert_ne!(length, 0, "the other process ended before it said {word}");
            if line.trim() == word {
                return;
            }
        }
    }

    fn say(&mut self, word: &str) {
        writeln!(self.input, "{word}").expect("the other's input");
    }

    fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().expect("the other process").success());
    }
}

/// The handle, in the other process.
fn handle() -> Option<[std::ffi::c_char; 64]> {
    let text = env::var(HANDLE).ok()?;
    let byte = |index: usize| u8::from_str_radix(&text[index * 2..][..2], 16).expect("a byte");
    Some(std::array::from_fn(|index| byte(index) as std::ffi::c_char))
}

fn hear(word: &str) {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("the first process");
    assert_eq!(line.trim(), word);
}

/// Says a word on a line of its own, behind whatever the test program has printed.
fn say(word: &str) {
    println!("\n{word}");
}

/// Memory, opened in another process: zeMemGetIpcHandle, zeMemOpenIpcHandle, zeMemCloseIpcHandle, zeMemPutIpcHandle.
/// Both processes see what either writes.
#[test]
fn memory() {
    let Some(rig) = Rig::executing() else { return };
    let context = rig.context.raw();
    let usm = rig.device_values(&(0..1000).collect::<Vec<u32>>());
    let mut handle = ze_ipc_mem_handle_t::default();
    ok!(zeMemGetIpcHandle(context, usm.ptr(), &mut handle));
    let mut other = Other::start("ipc::memory_of_another", &handle.data);
    other.hear("written");
    let got = rig.read::<u32>(&usm);
    assert!(got.iter().enumerate().all(|(index, value)| *value == index as u32 * 2));
    rig.run(|list| list.fill(usm.ptr(), &[7u32], 4000, None, &[]));
    other.say("filled");
    other.end();
    assert_eq!(rig.read::<u32>(&usm)[999], 7);
    ok!(zeMemPutIpcHandle(context, handle));
}

/// The other process of `memory`.
#[test]
fn memory_of_another() {
    let Some(data) = handle() else { return };
    let rig = Rig::new();
    let context = rig.context.raw();
    let handle = ze_ipc_mem_handle_t { data };
    let open = || {
        let mut ptr: *mut c_void = null_mut();
        ok!(zeMemOpenIpcHandle(context, rig.device, handle, 0, &mut ptr));
        assert!(!ptr.is_null());
        ptr
    };
    let ptr = open();
    let mut properties = ze_memory_allocation_properties_t::default();
    ok!(zeMemGetAllocProperties(context, ptr, &mut properties, null_mut()));
    assert_eq!(properties.type_, ZE_MEMORY_TYPE_DEVICE);
    let (kernel, got) = (rig.kernel("basic", "accumulate"), rig.read_at::<u32>(ptr, 1000));
    assert!(got.iter().enumerate().all(|(index, value)| *value == index as u32));
    kernel.group_size([100, 1, 1]);
    kernel.set_ptr(0, ptr);
    kernel.set_ptr(1, ptr);
    rig.run(|list| list.launch(&kernel, [10, 1, 1], None, &[]));
    say("written");
    hear("filled");
    assert_eq!(rig.read_at::<u32>(ptr, 1000), [7; 1000]);
    // "Multiple calls to this function with the same IPC handle will return unique pointers."
    let second = open();
    assert_ne!(second, ptr);
    assert_eq!(rig.read_at::<u32>(second, 1000), [7; 1000]);
    ok!(zeMemCloseIpcHandle(context, second));
    ok!(zeMemCloseIpcHandle(context, ptr));
}

/// zeMemOpenIpcHandle: "The driver must not release the underlying physical memory until all IPC handles referencing
/// it have been closed".
#[test]
fn memory_that_is_freed() {
    let Some(rig) = Rig::executing() else { return };
    let usm = rig.device_values(&[0x55u32; 1000]);
    let mut handle = ze_ipc_mem_handle_t::default();
    ok!(zeMemGetIpcHandle(rig.context.raw(), usm.ptr(), &mut handle));
    let mut other = Other::start("ipc::freed_memory_of_another", &handle.data);
    other.hear("opened");
    drop(usm);
    other.say("freed");
    other.end();
}

/// The other process of `memory_that_is_freed`.
#[test]
fn freed_memory_of_another() {
    let Some(data) = handle() else { return };
    let rig = Rig::new();
    let mut ptr = null_mut();
    let handle = ze_ipc_mem_handle_t { data };
    ok!(zeMemOpenIpcHandle(rig.context.raw(), rig.device, handle, 0, &mut ptr));
    say("opened");
    hear("freed");
    assert_eq!(rig.read_at::<u32>(ptr, 1000), [0x55; 1000]);
    ok!(zeMemCloseIpcHandle(rig.context.raw(), ptr));
}

/// zeEventPoolGetIpcHandle, zeEventPoolOpenIpcHandle, zeEventPoolCloseIpcHandle: signals are seen by both processes.
#[test]
fn events() {
    let Some(rig) = Rig::executing() else { return };
    let pool = rig.pool(3, ZE_EVENT_POOL_FLAG_IPC);
    let events = [0, 1, 2].map(|index| pool.event(index));
    events[2].host_signal();
    let mut handle = ze_ipc_event_pool_handle_t::default();
    ok!(zeEventPoolGetIpcHandle(pool.raw(), &mut handle));
    let other = Other::start("ipc::events_of_another", &handle.data);
    let (list, data) = (rig.in_order(), rig.shared(&[0u32; 4]));
    list.fill(data.ptr(), &[1u32], 16, None, &[&events[0]]);
    list.signal(&events[1]);
    list.synchronize();
    assert_eq!(data.values::<u32>(), [1; 4]);
    other.end();
    let result = ze!(zeEventPoolPutIpcHandle(rig.context.raw(), handle));
    assert!(
        result == ZE_RESULT_SUCCESS || oxur_conformance_level_zero::loader_is_old(),
        "{result}"
    );
}

/// The other process of `events`.
#[test]
fn events_of_another() {
    let Some(data) = handle() else { return };
    let rig = Rig::new();
    let mut pool = null_mut();
    let handle = ze_ipc_event_pool_handle_t { data };
    ok!(zeEventPoolOpenIpcHandle(rig.context.raw(), handle, &mut pool));
    let events = [0, 1, 2].map(|index| {
        let desc = ze_event_desc_t {
            index,
            signal: ZE_EVENT_SCOPE_FLAG_HOST,
            wait: ZE_EVENT_SCOPE_FLAG_HOST,
            ..Default::default()
        };
        let mut event = null_mut();
        ok!(zeEventCreate(pool, &desc, &mut event));
        event
    });
    ok!(zeEventHostSynchronize(events[2], u64::MAX));
    // The second event is signalled by the other process's list, which waits for the first.
    ok!(zeEventHostSignal(events[0]));
    ok!(zeEventHostSynchronize(events[1], u64::MAX));
    for event in events {
        ok!(zeEventDestroy(event));
    }
    ok!(zeEventPoolCloseIpcHandle(pool));
}

/// zeMemGetIpcHandle: of what is no allocation it is an error; zeMemOpenIpcHandle: `0x3 < flags` is an invalid
/// enumeration.
#[test]
fn bad_arguments() {
    let Some(rig) = Rig::executing() else { return };
    let context = rig.context.raw();
    let (local, mut handle, mut ptr) = (0u8, ze_ipc_mem_handle_t::default(), null_mut());
    let result = ze!(zeMemGetIpcHandle(context, (&raw const local).cast(), &mut handle));
    assert_ne!(result, ZE_RESULT_SUCCESS);
    let usm = rig.device_memory(64);
    ok!(zeMemGetIpcHandle(context, usm.ptr(), &mut handle));
    expect!(
        zeMemOpenIpcHandle(context, rig.device, handle, 8, &mut ptr),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
    let nonsense = ze_ipc_mem_handle_t { data: [0x6b; 64] };
    let result = ze!(zeMemOpenIpcHandle(context, rig.device, nonsense, 0, &mut ptr));
    assert_ne!(result, ZE_RESULT_SUCCESS);
    // A pool that was not made for it.
    let pool: Pool = rig.pool(1, 0);
    let mut handle = ze_ipc_event_pool_handle_t::default();
    let result = ze!(zeEventPoolGetIpcHandle(pool.raw(), &mut handle));
    println!("a pool without ZE_EVENT_POOL_FLAG_IPC: {result}");
}

fn counter_based(rig: &Rig, flags: ze_event_counter_based_flags_t) -> Event {
    let desc = ze_event_counter_based_desc_t {
        flags: flags | ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE,
        ..Default::default()
    };
    let mut event = null_mut();
    ok!(zeEventCounterBasedCreate(
        rig.context.raw(),
        rig.device,
        &desc,
        &mut event
    ));
    Event::from_raw(event, None)
}

/// Whether the device shares counter-based events, and the loader passes the functions on.
fn shares_counters(rig: &Rig) -> bool {
    let mut events = ze_device_event_properties_t::default();
    let mut properties = ze_device_properties_t {
        pNext: (&raw mut events).cast(),
        ..Default::default()
    };
    ok!(zeDeviceGetProperties(rig.device, &mut properties));
    let shares = events.flags & ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_IPC != 0;
    if loader_is_old() || !shares {
        println!("not run: counter-based events are not shared");
    }
    shares && !loader_is_old()
}

/// zeEventCounterBasedGetIpcHandle, …Open…, …Close…: the other process waits for commands of this one, on the host and
/// in a list. "Any device of the importing process may signal the opened event. Enqueuing a signal operation
/// overwrites the previous tracking point."
#[test]
fn counters() {
    let Some(rig) = Rig::executing() else { return };
    if !shares_counters(&rig) {
        return;
    }
    let (event, gate, list) = (
        counter_based(&rig, ZE_EVENT_COUNTER_BASED_FLAG_IPC),
        rig.event(),
        rig.in_order(),
    );
    let data = rig.shared(&[0u32; 4]);
    let mut handle = ze_ipc_event_counter_based_handle_t::default();
    ok!(zeEventCounterBasedGetIpcHandle(event.raw(), &mut handle));
    list.fill(data.ptr(), &[1u32], 16, Some(&event), &[&gate]);
    let mut other = Other::start("ipc::counters_of_another", &handle.data);
    other.hear("not complete");
    gate.host_signal();
    // The other's list waited for the fill, and signals now.
    other.hear("complete");
    list.synchronize();
    assert!(!event.is_signalled());
    list.fill(data.ptr(), &[2u32], 16, None, &[&event]);
    expect!(zeCommandListHostSynchronize(list.raw(), 0), ZE_RESULT_NOT_READY);
    other.say("signal");
    list.synchronize();
    assert_eq!(data.values::<u32>(), [2; 4]);
    event.wait();
    other.end();
}

/// The other process of `counters`.
#[test]
fn counters_of_another() {
    let Some(data) = handle() else { return };
    let rig = Rig::new();
    let mut event = null_mut();
    let handle = ze_ipc_event_counter_based_handle_t { data };
    ok!(zeEventCounterBasedOpenIpcHandle(rig.context.raw(), handle, &mut event));
    expect!(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    let (list, gate, data) = (rig.in_order(), rig.event(), rig.shared(&[0u32; 4]));
    let mut wait = [event];
    ok!(zeCommandListAppendWaitOnEvents(list.raw(), 1, wait.as_mut_ptr()));
    list.fill(data.ptr(), &[1u32], 16, None, &[]);
    expect!(zeCommandListHostSynchronize(list.raw(), 0), ZE_RESULT_NOT_READY);
    println!("\nnot complete");
    ok!(zeEventHostSynchronize(event, u64::MAX));
    list.synchronize();
    assert_eq!(data.values::<u32>(), [1; 4]);
    let mut gates = [gate.raw()];
    ok!(zeCommandListAppendBarrier(list.raw(), event, 1, gates.as_mut_ptr()));
    println!("\ncomplete");
    hear("signal");
    gate.host_signal();
    list.synchronize();
    ok!(zeEventHostSynchronize(event, u64::MAX));
    ok!(zeEventCounterBasedCloseIpcHandle(event));
}

/// Events that cannot be shared, and what is no handle.
#[test]
fn bad_counters() {
    let Some(rig) = Rig::executing() else { return };
    if !shares_counters(&rig) {
        return;
    }
    let mut handle = ze_ipc_event_counter_based_handle_t::default();
    for event in [counter_based(&rig, 0), rig.event()] {
        expect!(
            zeEventCounterBasedGetIpcHandle(event.raw(), &mut handle),
            ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT
        );
    }
    let mut event = null_mut();
    let nonsense = ze_ipc_event_counter_based_handle_t { data: [0x6b; 64] };
    expect!(
        zeEventCounterBasedOpenIpcHandle(rig.context.raw(), nonsense, &mut event),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    // The handle of a pool is none of an event.
    let pool = rig.pool(1, ZE_EVENT_POOL_FLAG_IPC);
    let mut of_pool = ze_ipc_event_pool_handle_t::default();
    ok!(zeEventPoolGetIpcHandle(pool.raw(), &mut of_pool));
    let of_pool = ze_ipc_event_counter_based_handle_t { data: of_pool.data };
    expect!(
        zeEventCounterBasedOpenIpcHandle(rig.context.raw(), of_pool, &mut event),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    expect!(
        zeEventCounterBasedCloseIpcHandle(rig.event().raw()),
        ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT
    );
}
