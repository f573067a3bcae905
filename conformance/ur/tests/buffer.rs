// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Buffers as objects: creation, parts, queries.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Buffer, Range};
use oxur_conformance::{Allowed, Rig, check, check_infos, expect, ur};

use crate::known;

#[test]
fn info() {
    let rig = Rig::new();
    let buffer = rig.buffer(&[0u32; 16]);
    let get = |p, size, value, size_ret| ur!(urMemGetInfo(buffer.raw(), MemInfo(p), size, value, size_ret));
    check_infos(
        "MemInfo",
        &get,
        Allowed {
            intel: &[known::LARGER, known::NUMBER],
            ..Allowed::default()
        },
    );
    assert_eq!(buffer.info::<usize>(MemInfo::SIZE).expect("the size"), 64);
    assert_eq!(
        buffer.info::<ContextHandle>(MemInfo::CONTEXT).expect("the context"),
        rig.context.raw()
    );
}

#[test]
fn counted() {
    let buffer = Rig::new().buffer(&[0u32; 16]);
    let count = || buffer.info::<u32>(MemInfo::REFERENCE_COUNT).expect("the count");
    assert_eq!(count(), 1);
    let second = buffer.clone();
    assert_eq!(count(), 2);
    drop(second);
    assert_eq!(count(), 1);
}

#[test]
fn access_flags() {
    let rig = Rig::new();
    let (read, write) = (MemFlags::READ_ONLY, MemFlags::WRITE_ONLY);
    let a = Buffer::with(&rig.context, read, &[1i32, 2, 3, 4]).expect("read-only");
    let b = Buffer::with(&rig.context, read, &[10i32, 20, 30, 40]).expect("read-only");
    let c = Buffer::new(&rig.context, write, 16).expect("write-only");
    let args = [Arg::Mem(&a, read), Arg::Mem(&b, read), Arg::Mem(&c, write)];
    rig.run(&rig.kernel("basic", "add"), &Range::new([4]), &args);
    assert_eq!(rig.contents::<i32>(&c), [11, 22, 33, 44]);
}

#[test]
fn alloc_host_pointer() {
    let rig = Rig::new();
    let flags = MemFlags::READ_WRITE | MemFlags::ALLOC_HOST_POINTER;
    let buffer = Buffer::new(&rig.context, flags, 64).expect("urMemBufferCreate");
    rig.queue.write(&buffer, 0, &[7u32; 16], &[]).expect("write");
    assert_eq!(rig.contents::<u32>(&buffer), [7; 16]);
    let buffer = Buffer::with(&rig.context, flags, &[5u32; 16]).expect("with a copy");
    assert_eq!(rig.contents::<u32>(&buffer), [5; 16]);
}

#[test]
fn use_host_pointer() {
    let rig = Rig::new();
    // Page-aligned, so that a driver can use it as it is.
    #[repr(align(4096))]
    struct Page([i32; 1024]);
    let mut page = Box::new(Page([3; 1024]));
    let (flags, host) = (
        MemFlags::READ_WRITE | MemFlags::USE_HOST_POINTER,
        page.0.as_mut_ptr().cast(),
    );
    // SAFETY: 4096 bytes that outlive the buffer.
    let buffer = unsafe { Buffer::with_host(&rig.context, flags, 4096, host) }.expect("urMemBufferCreate");
    rig.run(
        &rig.kernel("basic", "increment"),
        &Range::new([1024]),
        &[Arg::mem(&buffer)],
    );
    let (pointer, _) = rig.queue.map(&buffer, MapFlags::READ, 0, 4096, &[]).expect("map");
    assert_eq!(pointer, host, "a map of such a buffer gives the host's own address");
    // SAFETY: the mapping above.
    unsafe { rig.queue.unmap(&buffer, pointer, &[]) }.expect("unmap");
    rig.queue.finish().expect("urQueueFinish");
    drop(buffer);
    assert_eq!(page.0, [4; 1024]);
}

#[test]
fn refused() {
    let rig = Rig::new();
    let create = |flags: MemFlags, size, properties: *const BufferProperties| {
        let mut handle = MemHandle::default();
        ur!(urMemBufferCreate(
            rig.context.raw(),
            flags,
            size,
            properties,
            &mut handle
        ))
    };
    let mut host = [0u32; 16];
    let with = BufferProperties {
        pHost: host.as_mut_ptr().cast(),
        ..Default::default()
    };
    let without = BufferProperties::default();
    expect!(create(MemFlags::READ_WRITE, 0, null()), ERROR_INVALID_BUFFER_SIZE);
    expect!(create(MemFlags::from_bits_retain(1 << 20), 64, null()), ERROR_INVALID_ENUMERATION;
        intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(create(MemFlags::READ_WRITE | MemFlags::USE_HOST_POINTER, 64, null()), ERROR_INVALID_HOST_PTR;
        intel ERROR_UNKNOWN, known::UNMAPPED);
    expect!(create(MemFlags::READ_WRITE | MemFlags::ALLOC_COPY_HOST_POINTER, 64, &without), ERROR_INVALID_HOST_PTR;
        intel ERROR_UNKNOWN, known::UNMAPPED);
    let both = MemFlags::USE_HOST_POINTER | MemFlags::ALLOC_COPY_HOST_POINTER;
    expect!(
        create(MemFlags::READ_WRITE | both, 64, &with),
        ERROR_INVALID_HOST_PTR | ERROR_INVALID_VALUE
    );
    expect!(create(MemFlags::READ_WRITE, 64, &with), ERROR_INVALID_HOST_PTR; intel ERROR_UNKNOWN, known::UNMAPPED);
    expect!(
        create(MemFlags::READ_WRITE, usize::MAX / 2, null()),
        ERROR_INVALID_BUFFER_SIZE
            | ERROR_MEM_OBJECT_ALLOCATION_FAILURE
            | ERROR_OUT_OF_HOST_MEMORY
            | ERROR_OUT_OF_DEVICE_MEMORY
    );
    expect!(ur!(urMemBufferCreate(rig.context.raw(), MemFlags::READ_WRITE, 64, null(), null_mut())),
        ERROR_INVALID_NULL_POINTER; intel crash, known::UNCHECKED);
}

#[test]
fn parts() {
    let rig = Rig::new();
    let align: u32 = rig.device.info(DeviceInfo::MEM_BASE_ADDR_ALIGN).expect("the alignment");
    let align = (align / 8) as usize;
    let whole = rig.buffer(&vec![1i32; align]);
    let part = whole
        .part(MemFlags::READ_WRITE, align, align)
        .expect("urMemBufferPartition");
    assert_eq!(part.info::<usize>(MemInfo::SIZE).expect("the size"), align);
    rig.run(
        &rig.kernel("basic", "increment"),
        &Range::new([align / 4]),
        &[Arg::mem(&part)],
    );
    let n = align / 4;
    let expected: Vec<i32> = (0..4 * n)
        .map(|i| if (n..2 * n).contains(&i) { 2 } else { 1 })
        .collect();
    assert_eq!(rig.contents::<i32>(&whole), expected);
    drop(whole);
    assert_eq!(rig.contents::<i32>(&part), vec![2; n], "a part keeps the whole");
}

#[test]
fn parts_that_are_refused() {
    let rig = Rig::new();
    let whole = rig.buffer(&[0u32; 1024]);
    expect!(check(whole.part(MemFlags::READ_WRITE, 0, 0)), ERROR_INVALID_BUFFER_SIZE);
    expect!(
        check(whole.part(MemFlags::READ_WRITE, 2048, 4096)),
        ERROR_INVALID_BUFFER_SIZE | ERROR_INVALID_VALUE
    );
    expect!(check(whole.part(MemFlags::READ_WRITE, 1, 16)), ERROR_MISALIGNED_SUB_BUFFER_OFFSET | SUCCESS;
        intel ERROR_UNKNOWN, known::UNMAPPED);
    let (kind, mut handle) = (BufferCreateType::REGION, MemHandle::default());
    expect!(ur!(urMemBufferPartition(whole.raw(), MemFlags::READ_WRITE, kind, null(), &mut handle)),
        ERROR_INVALID_NULL_POINTER; intel crash, known::UNCHECKED);
    let part = whole.part(MemFlags::READ_WRITE, 0, 1024).expect("a part");
    expect!(check(part.part(MemFlags::READ_WRITE, 0, 512)), ERROR_INVALID_MEM_OBJECT);
    let read_only = Buffer::with(&rig.context, MemFlags::READ_ONLY, &[0u32; 1024]).expect("a buffer");
    expect!(
        check(read_only.part(MemFlags::READ_WRITE, 0, 1024)),
        ERROR_INVALID_VALUE
    );
}
