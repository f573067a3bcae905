// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Assertions of kernels that fail: the text is on standard error, and the command has failed; all else goes on.

use std::path::Path;
use std::ptr::{null, null_mut};

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::{run_test, spirv};

use crate::{Rig, code, loader};

/// How many cells there are, of which each work-item takes one that has to be free.
const CELLS: usize = 64;

/// Runs a test of this file in a process of its own and returns the texts of failed assertions on its standard error; `None`
/// in that process.
fn texts_of(test: &str) -> Option<Vec<String>> {
    const CHILD: &str = "OXUR_CUDA_ASSERTIONS";
    if std::env::var_os(CHILD).is_some() {
        return None;
    }
    let log = run_test(&format!("assertions::{test}"), &[(CHILD, "1")]).passed().log;
    let texts = log.lines().filter(|line| line.contains("Assertion `"));
    Some(texts.map(str::to_owned).collect())
}

/// The text of a work-item in groups of 16.
fn text(global: usize) -> String {
    format!(
        "assertions.cl:9: take: global id: [{global},0,0], local id: [{},0,0] Assertion `cells[i] == 0` failed.",
        global % 16
    )
}

fn kernel(rig: &Rig) -> Kernel {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let code = spirv(
        &here.join("tests"),
        &here.join("../../target/kernels/cuda"),
        "assertions",
    );
    let program = Program::with_il(&rig.context, &code).expect("urProgramCreateWithIL");
    program.build(&rig.context, "").expect("urProgramBuild");
    Kernel::new(&program, "take").expect("urKernelCreate")
}

/// Cells that are free, but for these.
fn cells(rig: &Rig, taken: &[usize]) -> Usm {
    let mut values = [0_i32; CELLS];
    taken.iter().for_each(|&at| values[at] = -1);
    rig.shared(&values)
}

fn take(queue: &Queue, kernel: &Kernel, cells: &Usm, wait: &[&Event]) -> Result<Event> {
    let args = [Arg::Pointer(cells.ptr()), Arg::value(&1_i32)];
    // SAFETY: memory of this size, which lives until the test has waited.
    unsafe { queue.launch(kernel, &Range::new([CELLS]).local([16]), &args, wait) }
}

/// The same without an event.
fn take_without_event(queue: &Queue, kernel: &Kernel, cells: &Usm) {
    let args = [Arg::Pointer(cells.ptr()), Arg::value(&1_i32)];
    let args: Vec<_> = args.iter().zip(0..).map(|(arg, index)| arg.properties(index)).collect();
    let (fns, count) = (loader().fns(), args.len() as u32);
    let (global, local) = ([CELLS], [16_usize]);
    // SAFETY: as above; live handles and arrays.
    let launched = unsafe {
        fns.urEnqueueKernelLaunchWithArgsExp(
            queue.raw(),
            kernel.raw(),
            1,
            null(),
            global.as_ptr(),
            local.as_ptr(),
            count,
            args.as_ptr(),
            null(),
            0,
            null(),
            null_mut(),
        )
    };
    launched.expect("urEnqueueKernelLaunchWithArgsExp");
}

fn status(event: &Event) -> EventStatus {
    event.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("the status")
}

/// All cells but these are taken. The memory is of commands that are complete.
fn assert_taken(cells: &Usm, others: &[usize]) {
    // SAFETY: the commands are complete.
    let values = unsafe { cells.as_slice::<i32>() };
    for (at, value) in values.iter().enumerate() {
        let expected = if others.contains(&at) { -1 } else { 1 + at as i32 };
        assert_eq!(*value, expected, "cell {at}");
    }
}

fn last_error() -> (String, i32) {
    let adapters = loader().adapters().expect("urAdapterGet");
    adapters[0].last_error().expect("urAdapterGetLastError")
}

#[test]
fn the_event_has_failed_and_the_queue_goes_on() {
    if let Some(texts) = texts_of("the_event_has_failed_and_the_queue_goes_on") {
        assert_eq!(texts, [text(13), text(20)]);
        return;
    }
    let rig = Rig::new();
    assert!(
        rig.device
            .info::<bool>(DeviceInfo::USE_NATIVE_ASSERT)
            .expect("a truth value")
    );
    let kernel = kernel(&rig);
    for flags in [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
        let taken = if flags.is_empty() { [13] } else { [20] };
        let (bad, good) = (cells(&rig, &taken), cells(&rig, &[]));
        let first = take(&queue, &kernel, &good, &[]).expect("launch");
        let failed = take(&queue, &kernel, &bad, &[]).expect("launch");
        let free = cells(&rig, &[]);
        let later = take(&queue, &kernel, &free, &[]).expect("launch");
        later.wait().expect("it has not failed");
        while status(&failed) == EventStatus::SUBMITTED {
            std::thread::yield_now();
        }
        assert_eq!(status(&failed), EventStatus::ERROR);
        assert_eq!(code(failed.wait()), ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS);
        assert_eq!(status(&failed), EventStatus::ERROR);
        assert_eq!(status(&later), EventStatus::COMPLETE);
        first.wait().expect("it has not failed");
        assert_taken(&good, &[]);
        assert_taken(&free, &[]);
        assert_taken(&bad, &taken);
        // What waits for it fails; the queue was told.
        let behind = take(&queue, &kernel, &cells(&rig, &[]), &[&failed]);
        assert_eq!(code(behind), ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS);
        queue.finish().expect("urQueueFinish");
    }
}

#[test]
fn a_queue_says_so_once() {
    if let Some(texts) = texts_of("a_queue_says_so_once") {
        assert_eq!(texts, [text(5), text(40)]);
        return;
    }
    let rig = Rig::new();
    let kernel = kernel(&rig);
    let (bad, good) = (cells(&rig, &[5]), cells(&rig, &[]));
    take_without_event(&rig.queue, &kernel, &bad);
    take_without_event(&rig.queue, &kernel, &good);
    assert_eq!(code(rig.queue.finish()), ResultCode::ERROR_ADAPTER_SPECIFIC);
    let (message, number) = last_error();
    assert_eq!(number, 1, "{message}");
    assert!(message.contains("assertions.cl:9: take: cells[i] == 0"), "{message}");
    assert_taken(&bad, &[5]);
    assert_taken(&good, &[]);
    rig.queue.finish().expect("it was said");
    // The event is there, but nobody waits for it.
    let bad = cells(&rig, &[40]);
    let event = take(&rig.queue, &kernel, &bad, &[]).expect("launch");
    assert_eq!(code(rig.queue.finish()), ResultCode::ERROR_ADAPTER_SPECIFIC);
    assert_eq!(status(&event), EventStatus::ERROR);
    assert_eq!(code(event.wait()), ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS);
    rig.queue.finish().expect("it was said");
}

/// Far more launches than there are records at once, of which two fail.
#[test]
fn many_launches() {
    if let Some(texts) = texts_of("many_launches") {
        assert_eq!(texts, [text(1), text(63)]);
        return;
    }
    let rig = Rig::new();
    let kernel = kernel(&rig);
    let mut all = Vec::new();
    for at in 0..1000 {
        let taken: &[usize] = match at {
            300 => &[1],
            900 => &[63],
            _ => &[],
        };
        let cells = cells(&rig, taken);
        take_without_event(&rig.queue, &kernel, &cells);
        all.push((cells, taken));
    }
    assert_eq!(code(rig.queue.finish()), ResultCode::ERROR_ADAPTER_SPECIFIC);
    rig.queue.finish().expect("it was said");
    all.iter().for_each(|(cells, taken)| assert_taken(cells, taken));
}

/// A launch that waits for the host, and what waits for it.
#[test]
fn behind_a_host_task() {
    if let Some(texts) = texts_of("behind_a_host_task") {
        assert_eq!(texts, [text(7)]);
        return;
    }
    unsafe extern "C" fn sleep(_: *mut c_void) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let rig = Rig::new();
    let kernel = kernel(&rig);
    let other = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    // SAFETY: the task takes nothing.
    let task = unsafe { other.host_task(Some(sleep), null_mut(), &[]) }.expect("urEnqueueHostTaskExp");
    let (bad, good) = (cells(&rig, &[7]), cells(&rig, &[]));
    let failed = take(&rig.queue, &kernel, &bad, &[&task]).expect("launch");
    let later = take(&rig.queue, &kernel, &good, &[]).expect("launch");
    assert_eq!(code(failed.wait()), ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS);
    assert_eq!(status(&failed), EventStatus::ERROR);
    later.wait().expect("it has not failed");
    assert_taken(&bad, &[7]);
    assert_taken(&good, &[]);
}

/// Runs of a command buffer, which is submitted one by one.
#[test]
fn in_a_command_buffer() {
    if let Some(texts) = texts_of("in_a_command_buffer") {
        assert_eq!(texts, [text(31)]);
        return;
    }
    let rig = Rig::new();
    let kernel = kernel(&rig);
    let buffer = CommandBuffer::new(&rig.context, &rig.device, CommandBufferSettings::default());
    let buffer = buffer.expect("urCommandBufferCreateExp");
    let taken = cells(&rig, &[]);
    let args = [Arg::Pointer(taken.ptr()), Arg::value(&1_i32)];
    let range = Range::new([CELLS]).local([16]);
    // SAFETY: memory of this size, which lives until the runs are over.
    unsafe { buffer.launch(&kernel, &range, &args, &[], Place::after(&[])) }.expect("launch");
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let run = || rig.queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
    run().wait().expect("all cells were free");
    assert_taken(&taken, &[]);
    let size = size_of::<[i32; CELLS]>();
    // SAFETY: as above.
    let set = |at: usize, values: &[i32], size| unsafe {
        let at = taken.ptr().wrapping_byte_add(4 * at);
        rig.queue.memset(at, values, size, &[]).expect("urEnqueueUSMFill")
    };
    set(0, &[0], size);
    set(31, &[-1], 4);
    assert_eq!(code(run().wait()), ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS);
    assert_taken(&taken, &[31]);
    set(0, &[0], size);
    run().wait().expect("all cells are free");
}
