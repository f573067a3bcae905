// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands on USM: copies, fills, rectangles, prefetch, advice.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Queue, Range, Usm, UsmRequest};
use oxur_conformance::{Rig, UserEvent, check, expect, ur, values};

use crate::known;

#[test]
fn memcpy_between_all_kinds() {
    let rig = Rig::new();
    let source: Vec<u32> = (0..1000).collect();
    let size = 4000;
    let request = UsmRequest::default();
    let host = Usm::host(&rig.context, size, request).expect("host");
    let device = Usm::device(&rig.context, &rig.device, size, request).expect("device");
    let shared = Usm::shared(&rig.context, &rig.device, size, request).expect("shared");
    let mut back = vec![0u32; 1000];
    // SAFETY: ranges of 4000 bytes that live until the blocking copy at the end of an in-order queue.
    unsafe {
        rig.queue
            .memcpy(false, host.ptr(), source.as_ptr().cast(), size, &[])
            .expect("to host");
        rig.queue
            .memcpy(false, device.ptr(), host.ptr(), size, &[])
            .expect("to device");
        rig.queue
            .memcpy(false, shared.ptr(), device.ptr(), size, &[])
            .expect("to shared");
        rig.queue
            .memcpy(true, back.as_mut_ptr().cast(), shared.ptr(), size, &[])
            .expect("back");
    }
    assert_eq!(back, source);
}

#[test]
fn memcpy_of_nothing() {
    let rig = Rig::new();
    let usm = rig.shared(&[1u32; 4]);
    // SAFETY: no bytes.
    let result = unsafe {
        rig.queue
            .memcpy(true, usm.ptr(), usm.ptr().wrapping_byte_add(8), 0, &[])
    };
    expect!(check(result), SUCCESS | ERROR_INVALID_SIZE);
}

#[test]
fn memcpy_waits() {
    let rig = Rig::new();
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE).expect("a queue");
    let (data, copy) = (rig.shared(&[1u32; 256]), rig.shared(&[0u32; 256]));
    let slow = rig.kernel("basic", "slow");
    let steps = 100_000u32;
    // SAFETY: both allocations live until the blocking copy returns.
    unsafe {
        let args = [Arg::Pointer(data.ptr()), Arg::value(&steps)];
        let event = queue.launch(&slow, &Range::new([256]), &args, &[]).expect("launch");
        queue
            .memcpy(true, copy.ptr(), data.ptr(), 1024, &[&event])
            .expect("memcpy");
    }
    let expected = (0..steps).fold(1u32, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    assert_eq!(values::<u32>(&copy), [expected; 256]);
}

#[test]
fn memset_with_patterns_of_all_sizes() {
    let rig = Rig::new();
    // SYCL fills with values of any type, so that a size need not be a power of two.
    for size in [1usize, 2, 4, 8, 16, 32, 64, 128, 256, 3, 12, 24, 100] {
        let pattern: Vec<u8> = (0..size).map(|i| (i % 255) as u8 + 1).collect();
        let usm = rig.shared(&vec![0u8; size * 10 + 16]);
        // SAFETY: the range lives until the event is complete.
        unsafe { rig.queue.memset(usm.ptr(), &pattern, size * 10, &[]) }
            .unwrap_or_else(|e| panic!("pattern of {size}: {e}"))
            .wait()
            .expect("urEventWait");
        let filled: &[u8] = values(&usm);
        assert!(
            filled[..size * 10].chunks(size).all(|chunk| chunk == pattern),
            "pattern of {size}"
        );
        assert_eq!(filled[size * 10..], [0; 16], "pattern of {size}");
    }
}

#[test]
fn memset_of_device_memory() {
    let rig = Rig::new();
    let usm = Usm::device(&rig.context, &rig.device, 96, UsmRequest::default()).expect("urUSMDeviceAlloc");
    let mut back = [0u8; 96];
    for size in [4usize, 12] {
        let pattern: Vec<u8> = (0..size).map(|i| (i % 255) as u8 + 1).collect();
        // SAFETY: 96 bytes that live until the blocking copy returns.
        unsafe {
            rig.queue.memset(usm.ptr(), &pattern, 96, &[]).expect("memset");
            rig.queue
                .memcpy(true, back.as_mut_ptr().cast(), usm.ptr(), 96, &[])
                .expect("memcpy");
        }
        assert!(back.chunks(size).all(|chunk| chunk == pattern), "pattern of {size}");
    }
}

#[test]
fn refused() {
    let rig = Rig::new();
    let usm = rig.shared(&[0u32; 16]);
    let (queue, at, pattern) = (rig.queue.raw(), usm.ptr(), [0u8; 64].as_ptr().cast());
    let none = null_mut();
    expect!(ur!(urEnqueueUSMFill(queue, at, 0, pattern, 64, 0, null(), none)), ERROR_INVALID_SIZE;
        intel crash, "the adapter loops for ever");
    expect!(ur!(urEnqueueUSMFill(queue, at, 8, pattern, 63, 0, null(), none)), ERROR_INVALID_SIZE;
        intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(ur!(urEnqueueUSMFill(queue, null_mut(), 4, pattern, 64, 0, null(), none)), ERROR_INVALID_NULL_POINTER;
        intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(ur!(urEnqueueUSMFill(queue, at, 4, null(), 64, 0, null(), none)), ERROR_INVALID_NULL_POINTER;
        intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(ur!(urEnqueueUSMMemcpy(queue, true, null_mut(), at, 64, 0, null(), none)), ERROR_INVALID_NULL_POINTER;
        intel ERROR_INVALID_MEM_OBJECT, known::PASSED_ON);
    expect!(ur!(urEnqueueUSMMemcpy(queue, true, at, null(), 64, 0, null(), none)), ERROR_INVALID_NULL_POINTER;
        intel ERROR_INVALID_MEM_OBJECT, known::PASSED_ON);
    expect!(ur!(urEnqueueUSMMemcpy(queue, true, at, at, 64, 1, null(), none)), ERROR_INVALID_EVENT_WAIT_LIST;
        intel crash, known::UNCHECKED);
}

#[test]
fn memcpy_2d() {
    let rig = Rig::new();
    let supported: bool = rig
        .context
        .info(ContextInfo::USM_MEMCPY2D_SUPPORT)
        .expect("a truth value");
    let from = rig.shared(&(0..64).collect::<Vec<u8>>());
    let to = rig.shared(&[0xffu8; 64]);
    // Three rows of five bytes, from rows of 16 into rows of 8.
    // SAFETY: both allocations have room for all rows, and the call blocks.
    let result = unsafe { rig.queue.memcpy_2d(true, (to.ptr(), 8), (from.ptr(), 16), 5, 3, &[]) };
    if !supported {
        return expect!(check(result), ERROR_UNSUPPORTED_FEATURE | SUCCESS);
    }
    result.expect("urEnqueueUSMMemcpy2D");
    let rows: Vec<u8> = (0..24)
        .map(|i| if i % 8 < 5 { i / 8 * 16 + i % 8 } else { 0xff })
        .collect();
    assert_eq!(&values::<u8>(&to)[..24], rows);
    assert_eq!(values::<u8>(&to)[24..], [0xff; 40]);
    let queue = rig.queue.raw();
    expect!(
        ur!(urEnqueueUSMMemcpy2D(
            queue,
            true,
            to.ptr(),
            4,
            from.ptr(),
            16,
            5,
            3,
            0,
            null(),
            null_mut()
        )),
        ERROR_INVALID_SIZE
    );
}

#[test]
fn memset_2d() {
    let rig = Rig::new();
    let supported: bool = rig
        .context
        .info(ContextInfo::USM_FILL2D_SUPPORT)
        .expect("a truth value");
    let usm = rig.shared(&[0u8; 64]);
    // SAFETY: the allocation has room for all rows and lives to the end of the test.
    let result = unsafe { rig.queue.memset_2d((usm.ptr(), 16), &[1u8, 2], 6, 3, &[]) };
    if !supported {
        return expect!(check(result), ERROR_UNSUPPORTED_FEATURE);
    }
    result.expect("urEnqueueUSMFill2D").wait().expect("urEventWait");
    let rows: Vec<u8> = (0..48).map(|i| if i % 16 < 6 { 1 + i % 2 } else { 0 }).collect();
    assert_eq!(&values::<u8>(&usm)[..48], rows);
}

#[test]
fn memset_of_unaligned_memory() {
    let rig = Rig::new();
    // A structure of 16 bytes, say, may be anywhere in an allocation.
    let pattern: Vec<u8> = (1..=16).collect();
    let usm = rig.shared(&[0u8; 64]);
    // SAFETY: the range lives until the event is complete.
    let event = unsafe { rig.queue.memset(usm.ptr().wrapping_byte_add(4), &pattern, 48, &[]) };
    event.expect("urEnqueueUSMFill").wait().expect("urEventWait");
    let filled: &[u8] = values(&usm);
    assert!(filled[4..52].chunks(16).all(|chunk| chunk == pattern));
    assert_eq!((&filled[..4], &filled[52..]), (&[0; 4][..], &[0; 12][..]));
}

#[test]
fn fills_return_before_what_they_wait_for() {
    let rig = Rig::new();
    let other = Queue::new(&rig.context, &rig.device, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE).expect("a queue");
    let memory: Vec<Usm> = (0..10).map(|_| rig.shared(&[0u8; 64])).collect();
    let pattern = |length: u8| (1..=length).collect::<Vec<u8>>();
    let Some(user_event) = UserEvent::new(&rig.queue) else {
        return;
    };
    for (queue, wait, usm) in [
        (&rig.queue, &[] as &[_], &memory[..5]),
        (&other, &[&user_event.event], &memory[5..]),
    ] {
        // SAFETY: there is room for all rows in allocations that live to the end of the test.
        unsafe {
            queue.memset(usm[0].ptr(), &pattern(3), 30, wait).expect("fill");
            queue.memset(usm[1].ptr(), &pattern(30), 30, wait).expect("fill");
            // Rows that the driver fills, rows of whole patterns, and others.
            for (usm, length, width) in [(&usm[2], 2, 6), (&usm[3], 3, 6), (&usm[4], 3, 5)] {
                queue
                    .memset_2d((usm.ptr(), 16), &pattern(length), width, 3, wait)
                    .expect("2D fill");
            }
        }
        user_event.assert_pending();
    }
    // The same without an event.
    let (queue, to, odd) = (rig.queue.raw(), memory[0].ptr(), pattern(3));
    let at = to.wrapping_byte_add(30);
    expect!(
        ur!(urEnqueueUSMFill(
            queue,
            at,
            3,
            odd.as_ptr().cast(),
            3,
            0,
            null(),
            null_mut()
        )),
        SUCCESS
    );
    drop(odd);
    user_event.complete();
    rig.queue.finish().expect("urQueueFinish");
    other.finish().expect("urQueueFinish");
    assert_eq!(values::<u8>(&memory[0])[30..34], [1, 2, 3, 0]);
    for usm in memory.chunks(5) {
        let filled = |i: usize, n| values::<u8>(&usm[i])[..n].to_vec();
        assert_eq!(filled(0, 30), pattern(3).repeat(10));
        assert_eq!(filled(1, 31), [pattern(30), vec![0]].concat());
        for (i, length, width) in [(2, 2, 6), (3, 3, 6), (4, 3, 5)] {
            let value = |at: usize| match at % 16 {
                x if x < width => ((at / 16 * width + x) % length) as u8 + 1,
                _ => 0,
            };
            assert_eq!(filled(i, 48), (0..48).map(value).collect::<Vec<_>>(), "rows of {width}");
        }
    }
}

#[test]
fn prefetch_and_advice() {
    let rig = Rig::new();
    let usm = rig.shared(&[3u32; 1024]);
    let (to_device, to_host) = (UsmMigrationFlags::HOST_TO_DEVICE, UsmMigrationFlags::DEVICE_TO_HOST);
    // SAFETY: the allocation lives to the end of the test.
    unsafe {
        rig.queue
            .prefetch(usm.ptr(), 4096, to_device, &[])
            .expect("prefetch")
            .wait()
            .expect("urEventWait");
        expect!(
            check(rig.queue.prefetch(usm.ptr(), 4096, to_host, &[])),
            SUCCESS | ERROR_UNSUPPORTED_FEATURE
        );
        rig.queue
            .advise(usm.ptr(), 4096, UsmAdviceFlags::DEFAULT)
            .expect("advise")
            .wait()
            .expect("urEventWait");
        expect!(
            check(
                rig.queue
                    .prefetch(usm.ptr(), 4096, UsmMigrationFlags::from_bits_retain(1 << 9), &[])
            ),
            ERROR_INVALID_ENUMERATION
        );
        expect!(check(rig.queue.advise(usm.ptr(), 4096, UsmAdviceFlags::from_bits_retain(1 << 25))),
            ERROR_INVALID_ENUMERATION; intel SUCCESS, known::UNCHECKED);
    }
    expect!(ur!(urEnqueueUSMPrefetch(rig.queue.raw(), usm.ptr(), 0, to_device, 0, null(), null_mut())),
        ERROR_INVALID_SIZE; intel SUCCESS, known::UNCHECKED);
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(values::<u32>(&usm), [3; 1024]);
}

#[test]
fn context_memcpy() {
    let rig = Rig::new();
    let supported: bool = rig
        .device
        .info(DeviceInfo::USM_CONTEXT_MEMCPY_SUPPORT_EXP)
        .expect("a truth value");
    let (from, to) = (rig.shared(&[9u32; 16]), rig.shared(&[0u32; 16]));
    let result = ur!(urUSMContextMemcpyExp(rig.context.raw(), to.ptr(), from.ptr(), 64));
    if !supported {
        return expect!(result, ERROR_UNSUPPORTED_FEATURE);
    }
    expect!(result, SUCCESS);
    assert_eq!(values::<u32>(&to), [9; 16]);
}
