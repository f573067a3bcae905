// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands on buffers: read, write, copy, fill, boxes, maps.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Pitch, Queue};
use oxur_conformance::{Rig, check, expect, ur};

use crate::known;

fn offset(x: u64, y: u64, z: u64) -> RectOffset {
    RectOffset { x, y, z }
}

fn region(width: u64, height: u64, depth: u64) -> RectRegion {
    RectRegion { width, height, depth }
}

#[test]
fn read_and_write() {
    let rig = Rig::new();
    let buffer = rig.buffer(&[0u32; 8]);
    rig.queue.write(&buffer, 8, &[1u32, 2, 3], &[]).expect("write");
    assert_eq!(rig.contents::<u32>(&buffer), [0, 0, 1, 2, 3, 0, 0, 0]);
    let mut part = [0u32; 2];
    rig.queue.read(&buffer, 12, &mut part, &[]).expect("read");
    assert_eq!(part, [2, 3]);
}

#[test]
fn without_blocking() {
    let rig = Rig::new();
    let source: Vec<u32> = (0..1 << 16).collect();
    let (size, buffer) = (source.len() * 4, rig.buffer(&vec![0u32; source.len()]));
    let mut result = vec![0u32; source.len()];
    // SAFETY: both vectors live until both commands have finished.
    let event = unsafe {
        let written = rig
            .queue
            .write_from(&buffer, false, 0, size, source.as_ptr().cast(), &[])
            .expect("write");
        rig.queue
            .read_to(&buffer, false, 0, size, result.as_mut_ptr().cast(), &[&written])
            .expect("read")
    };
    event.wait().expect("urEventWait");
    assert_eq!(result, source);
}

#[test]
fn copy() {
    let rig = Rig::new();
    let (from, to) = (rig.buffer(&[1u32, 2, 3, 4]), rig.buffer(&[0u32; 4]));
    rig.queue.copy(&from, &to, (4, 8), 8, &[]).expect("copy");
    assert_eq!(rig.contents::<u32>(&to), [0, 0, 2, 3]);
    rig.queue
        .copy(&from, &from, (0, 8), 8, &[])
        .expect("copy within a buffer");
    assert_eq!(rig.contents::<u32>(&from), [1, 2, 1, 2]);
}

#[test]
fn fill_with_patterns_of_all_sizes() {
    let rig = Rig::new();
    for size in [1usize, 2, 4, 8, 16, 32, 64, 128] {
        let pattern: Vec<u8> = (1..=size as u8).collect();
        let buffer = rig.buffer(&[0u8; 512]);
        rig.queue
            .fill(&buffer, &pattern, 128, 256, &[])
            .unwrap_or_else(|e| panic!("pattern of {size}: {e}"));
        let contents: Vec<u8> = rig.contents(&buffer);
        let expected: Vec<u8> = (0..512)
            .map(|i| {
                if (128..384).contains(&i) {
                    pattern[(i - 128) % size]
                } else {
                    0
                }
            })
            .collect();
        assert_eq!(contents, expected, "pattern of {size}");
    }
}

#[test]
fn boxes() {
    let rig = Rig::new();
    // 4 x 3 x 2 bytes in rows of 8 and slices of 32.
    let source: Vec<u8> = (0..64).collect();
    let buffer = rig.buffer(&source);
    let pitch = Pitch { row: 8, slice: 32 };
    let mut small = [0xffu8; 24];
    let (origins, size) = ((offset(2, 1, 0), offset(0, 0, 0)), region(4, 3, 2));
    let tight = Pitch { row: 4, slice: 12 };
    // SAFETY: 24 bytes, as the region needs.
    unsafe {
        rig.queue
            .read_rect(&buffer, origins, size, (pitch, tight), small.as_mut_ptr().cast(), &[])
    }
    .expect("read");
    let at = |x: usize, y: usize, z: usize| (z * 32 + y * 8 + x) as u8;
    let expected: Vec<u8> = (0..24).map(|i| at(2 + i % 4, 1 + i / 4 % 3, i / 12)).collect();
    assert_eq!(small.as_slice(), expected);

    // SAFETY: 24 bytes, as the region needs.
    unsafe {
        rig.queue.write_rect(
            &buffer,
            (offset(0, 1, 0), offset(0, 0, 0)),
            size,
            (pitch, tight),
            small.as_ptr().cast(),
            &[],
        )
    }
    .expect("write");
    let mut model = source.clone();
    for (i, byte) in expected.iter().enumerate() {
        model[i / 12 * 32 + (1 + i / 4 % 3) * 8 + i % 4] = *byte;
    }
    assert_eq!(rig.contents::<u8>(&buffer), model);

    let to = rig.buffer(&[0u8; 64]);
    rig.queue
        .copy_rect(
            &buffer,
            &to,
            (offset(0, 1, 0), offset(4, 0, 0)),
            size,
            (pitch, pitch),
            &[],
        )
        .expect("copy");
    let copied: Vec<u8> = rig.contents(&to);
    for i in 0..24 {
        let (x, y, z) = (i % 4, i / 4 % 3, i / 12);
        assert_eq!(copied[z * 32 + y * 8 + 4 + x], model[z * 32 + (1 + y) * 8 + x]);
    }
}

#[test]
fn boxes_with_pitch_0() {
    let rig = Rig::new();
    let buffer = rig.buffer(&(0..32).collect::<Vec<u8>>());
    let mut result = [0u8; 16];
    let (origins, size) = ((offset(0, 0, 0), offset(0, 0, 0)), region(8, 2, 1));
    // SAFETY: 16 bytes, as the region needs.
    unsafe {
        rig.queue.read_rect(
            &buffer,
            origins,
            size,
            Default::default(),
            result.as_mut_ptr().cast(),
            &[],
        )
    }
    .expect("read");
    assert_eq!(result.as_slice(), (0..16).collect::<Vec<u8>>());
}

#[test]
fn maps() {
    let rig = Rig::new();
    let buffer = rig.buffer(&[1u32, 2, 3, 4]);
    for flags in [
        MapFlags::WRITE,
        MapFlags::READ | MapFlags::WRITE,
        MapFlags::WRITE_INVALIDATE_REGION,
    ] {
        let (pointer, _) = rig.queue.map(&buffer, flags, 4, 8, &[]).expect("urEnqueueMemBufferMap");
        // SAFETY: 8 mapped bytes, aligned as the buffer is, until they are unmapped.
        unsafe {
            let values = std::slice::from_raw_parts_mut(pointer.cast::<u32>(), 2);
            if !flags.contains(MapFlags::WRITE_INVALIDATE_REGION) {
                values[0] += 10;
                values[1] += 10;
            } else {
                values.copy_from_slice(&[7, 8]);
            }
            rig.queue.unmap(&buffer, pointer, &[]).expect("urEnqueueMemUnmap");
        }
        rig.queue.finish().expect("urQueueFinish");
    }
    assert_eq!(rig.contents::<u32>(&buffer), [1, 7, 8, 4]);
}

#[test]
fn several_maps_at_once() {
    let rig = Rig::new();
    let buffer = rig.buffer(&[1u32, 2, 3, 4]);
    let (a, _) = rig.queue.map(&buffer, MapFlags::READ, 0, 8, &[]).expect("map");
    let (b, _) = rig.queue.map(&buffer, MapFlags::READ, 8, 8, &[]).expect("map");
    // SAFETY: both maps are alive and read-only.
    unsafe {
        assert_eq!(a.cast::<u32>().read(), 1);
        assert_eq!(b.cast::<u32>().read(), 3);
        rig.queue.unmap(&buffer, a, &[]).expect("unmap");
        assert_eq!(b.cast::<u32>().add(1).read(), 4);
        rig.queue.unmap(&buffer, b, &[]).expect("unmap");
    }
    rig.queue.finish().expect("urQueueFinish");
}

#[test]
fn out_of_bounds() {
    let rig = Rig::new();
    let buffer = rig.buffer(&[0u32; 4]);
    let mut host = [0u32; 8];
    expect!(check(rig.queue.read(&buffer, 8, &mut host[..4], &[])), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(check(rig.queue.write(&buffer, 0, &host, &[])), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(check(rig.queue.copy(&buffer, &buffer, (0, 16), 8, &[])), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(check(rig.queue.fill(&buffer, &[1u32], 0, 32, &[])), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(check(rig.queue.map(&buffer, MapFlags::READ, 8, 16, &[])), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE, known::PASSED_ON);
    let (start, size) = (offset(0, 0, 0), region(4, 8, 1));
    let pitch = Pitch { row: 4, slice: 0 };
    // SAFETY: 32 bytes on the host, as the region needs; it is the buffer that is too small.
    let result = unsafe {
        rig.queue.read_rect(
            &buffer,
            (start, start),
            size,
            (pitch, pitch),
            host.as_mut_ptr().cast(),
            &[],
        )
    };
    expect!(check(result), ERROR_INVALID_SIZE; intel SUCCESS, "the driver does not check boxes");
}

#[test]
fn refused() {
    let rig = Rig::new();
    let (buffer, queue) = (rig.buffer(&[0u32; 16]), rig.queue.raw());
    let mem = buffer.raw();
    let mut host = [0u32; 16];
    let at = host.as_mut_ptr().cast();
    expect!(ur!(urEnqueueMemBufferRead(queue, mem, true, 0, 64, null_mut(), 0, null(), null_mut())),
        ERROR_INVALID_NULL_POINTER; intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(ur!(urEnqueueMemBufferRead(queue, mem, true, 0, 64, at, 1, null(), null_mut())),
        ERROR_INVALID_EVENT_WAIT_LIST; intel crash, known::UNCHECKED);
    expect!(ur!(urEnqueueMemBufferFill(queue, mem, at, 3, 0, 63, 0, null(), null_mut())), ERROR_INVALID_SIZE;
        intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(ur!(urEnqueueMemBufferFill(queue, mem, at, 0, 0, 64, 0, null(), null_mut())), ERROR_INVALID_SIZE;
        intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(ur!(urEnqueueMemBufferFill(queue, mem, at, 8, 4, 16, 0, null(), null_mut())), ERROR_INVALID_SIZE;
        intel ERROR_INVALID_VALUE, known::PASSED_ON);
    let unknown = MapFlags::from_bits_retain(1 << 20);
    expect!(check(rig.queue.map(&buffer, unknown, 0, 64, &[])), ERROR_INVALID_ENUMERATION;
        intel SUCCESS, known::UNCHECKED);
}

#[test]
fn an_event_of_the_wait_list_orders() {
    let rig = Rig::new();
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE).expect("a queue");
    let (a, b) = (rig.buffer(&vec![0u32; 1 << 16]), rig.buffer(&vec![0u32; 1 << 16]));
    for round in 1..20u32 {
        let filled = queue.fill(&a, &[round], 0, 1 << 18, &[]).expect("fill");
        let copied = queue.copy(&a, &b, (0, 0), 1 << 18, &[&filled]).expect("copy");
        let mut result = vec![0u32; 1 << 16];
        queue.read(&b, 0, &mut result, &[&copied]).expect("read");
        assert!(result.iter().all(|value| *value == round));
    }
}
