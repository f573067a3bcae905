// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Stream-ordered allocations: urEnqueueUSM*AllocExp and urEnqueueUSMFreeExp.
//!
//! The call gives the address at once. Who uses the memory comes behind the event of the allocation, or behind it in a queue in
//! order, and what is freed is there until the commands before the free are complete.

use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::null_mut;

use oxur_conformance::api::*;
use oxur_conformance::client::{Context, Device, Event, Queue, Result, Usm, UsmRequest};
use oxur_conformance::{Rig, UserEvent, check, expect, is_complete, ur};

const ORDERS: [QueueFlags; 2] = [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE];
const KINDS: [UsmType; 3] = [UsmType::DEVICE, UsmType::SHARED, UsmType::HOST];

/// A rig on a device that has them; without them the functions say so.
fn rig() -> Option<Rig> {
    let rig = Rig::new();
    let is_there = rig.device.info(DeviceInfo::ASYNC_USM_ALLOCATIONS_SUPPORT_EXP);
    if is_there.is_ok_and(|is_there| is_there) {
        return Some(rig);
    }
    let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    assert_ne!(name, "oxur CPU", "our CPU adapter has them");
    expect!(
        check(alloc(&rig.queue, UsmType::DEVICE, 64, &[])),
        ERROR_UNSUPPORTED_FEATURE; intel ERROR_UNINITIALIZED, "the adapter leaves the slot empty"
    );
    println!("this device has no stream-ordered allocations");
    None
}

fn queue(rig: &Rig, flags: QueueFlags) -> Queue {
    Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate")
}

/// Memory, and the event of its allocation.
fn alloc(queue: &Queue, kind: UsmType, size: usize, wait: &[&Event]) -> Result<(*mut c_void, Event)> {
    queue.usm_alloc(kind, UsmPoolHandle::default(), size, wait)
}

fn free(queue: &Queue, memory: *mut c_void, wait: &[&Event]) -> Result<Event> {
    // SAFETY: nothing uses the memory behind the command.
    unsafe { queue.usm_free(memory, wait) }
}

/// The kind of memory that an address is in.
fn kind_at(rig: &Rig, memory: *const c_void) -> UsmType {
    let mut kind = UsmType::UNKNOWN;
    let size = size_of::<UsmType>();
    let context = rig.context.raw();
    let query = UsmAllocInfo::TYPE;
    let place = (&raw mut kind).cast();
    expect!(
        ur!(urUSMGetMemAllocInfo(context, memory, query, size, place, null_mut())),
        SUCCESS
    );
    kind
}

/// Uses memory as a program does: a fill, a copy to the host, a free.
fn use_once(queue: &Queue, kind: UsmType, value: u32, back: &mut [u32], wait: &[&Event]) -> *mut c_void {
    let size = size_of_val(back);
    let (memory, there) = alloc(queue, kind, size, wait).expect("an allocation");
    // SAFETY: the memory is there until the free, and `back` until the queue is waited for.
    let copied = unsafe {
        let filled = queue.memset(memory, &[value], size, &[&there]).expect("a fill");
        queue
            .memcpy(false, back.as_mut_ptr().cast(), memory, size, &[&filled])
            .expect("a copy")
    };
    free(queue, memory, &[&copied]).expect("a free");
    memory
}

#[test]
fn all_kinds() {
    let Some(rig) = rig() else { return };
    for flags in ORDERS {
        let queue = queue(&rig, flags);
        for (kind, size) in KINDS
            .into_iter()
            .flat_map(|kind| [1, 1000, 3 << 20].map(|size| (kind, size)))
        {
            let mut back = vec![0; size / 4 + 1];
            let memory = use_once(&queue, kind, 7, &mut back, &[]);
            queue.finish().expect("urQueueFinish");
            assert!(back.iter().all(|&value| value == 7), "{kind:?}, {flags:?}");
            assert_eq!(kind_at(&rig, memory), UsmType::UNKNOWN, "it was freed");
            let (memory, _) = alloc(&queue, kind, size, &[]).expect("an allocation");
            assert_eq!(kind_at(&rig, memory), kind);
            // Freed as any other.
            expect!(ur!(urUSMFree(rig.context.raw(), memory)), SUCCESS);
            // And the other way round.
            let usm = Usm::device(&rig.context, &rig.device, size, UsmRequest::default()).expect("urUSMDeviceAlloc");
            free(&queue, usm.ptr(), &[]).expect("a free of other memory");
            std::mem::forget(usm);
        }
    }
}

/// What is freed in the order of a queue may be allocated again in it at once, but for no other queue.
#[test]
fn memory_is_used_again_in_order() {
    const ROUNDS: usize = 200;
    let Some(rig) = rig() else { return };
    for kind in KINDS {
        let (busy, other) = (queue(&rig, QueueFlags::empty()), queue(&rig, QueueFlags::empty()));
        let Some(user_event) = UserEvent::new(&busy) else {
            return;
        };
        let mut back = vec![[0u32; 1000]; ROUNDS];
        let first: Vec<_> = (back.iter_mut().zip(1..))
            .map(|(back, value)| use_once(&busy, kind, value, back, &[]))
            .collect();
        user_event.assert_pending();
        let mut others = vec![[0u32; 1000]; 20];
        let second: Vec<_> = (others.iter_mut().zip(1..))
            .map(|(back, value)| use_once(&other, kind, value, back, &[]))
            .collect();
        other.finish().expect("urQueueFinish");
        user_event.assert_pending();
        let busy_memory: HashSet<_> = first.iter().collect();
        assert!(second.iter().all(|memory| !busy_memory.contains(memory)), "{kind:?}");
        assert_eq!(busy_memory.len(), 1, "{kind:?}: {ROUNDS} rounds need the memory of one");
        user_event.complete();
        busy.finish().expect("urQueueFinish");
        let is_right = |(back, value): (&[u32; 1000], u32)| back.iter().all(|&at| at == value);
        assert!(back.iter().zip(1..).all(is_right), "{kind:?}");
        assert!(others.iter().zip(1..).all(is_right), "{kind:?}");
    }
}

/// Memory of another size, or of another kind, is not that which was freed.
#[test]
fn sizes_and_kinds_are_kept_apart() {
    let Some(rig) = rig() else { return };
    let queue = queue(&rig, QueueFlags::empty());
    let Some(user_event) = UserEvent::new(&queue) else {
        return;
    };
    for kind in KINDS {
        let (small, _) = alloc(&queue, kind, 1000, &[]).expect("an allocation");
        free(&queue, small, &[]).expect("a free");
        let (large, _) = alloc(&queue, kind, 100_000, &[]).expect("an allocation");
        assert_ne!(small, large);
        for other in KINDS.into_iter().filter(|other| *other != kind) {
            let (memory, _) = alloc(&queue, other, 1000, &[]).expect("an allocation");
            assert_ne!(memory, small);
            assert_eq!(kind_at(&rig, memory), other);
            free(&queue, memory, &[]).expect("a free");
        }
        free(&queue, large, &[]).expect("a free");
    }
    user_event.complete();
    queue.finish().expect("urQueueFinish");
}

/// A pool of a device, as libsycl makes them.
fn pool(context: &Context, device: &Device) -> UsmPoolHandle {
    let mut desc = UsmPoolDesc {
        flags: UsmPoolFlags::USE_NATIVE_MEMORY_POOL_EXP,
        ..UsmPoolDesc::default()
    };
    let (context, device, mut pool) = (context.raw(), device.raw(), UsmPoolHandle::default());
    expect!(ur!(urUSMPoolCreateExp(context, device, &mut desc, &mut pool)), SUCCESS);
    pool
}

/// How many bytes of a pool are in use.
fn used(pool: UsmPoolHandle) -> usize {
    bytes_of(pool, UsmPoolInfo::USED_CURRENT_EXP)
}

/// How many bytes of the driver's it has.
fn reserved(pool: UsmPoolHandle) -> usize {
    bytes_of(pool, UsmPoolInfo::RESERVED_CURRENT_EXP)
}

fn bytes_of(pool: UsmPoolHandle, query: UsmPoolInfo) -> usize {
    let mut bytes = 0usize;
    let place = (&raw mut bytes).cast();
    expect!(ur!(urUSMPoolGetInfoExp(pool, query, place, null_mut())), SUCCESS);
    bytes
}

#[test]
fn pools() {
    let Some(rig) = rig() else { return };
    let queue = queue(&rig, QueueFlags::empty());
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let (own, mut default, mut current) = (
        pool(&rig.context, &rig.device),
        UsmPoolHandle::default(),
        UsmPoolHandle::default(),
    );
    expect!(
        ur!(urUSMPoolGetDefaultDevicePoolExp(context, device, &mut default)),
        SUCCESS
    );
    let device_memory = UsmType::DEVICE;
    for named in [default, own] {
        let before = used(named);
        let (memory, there) = queue
            .usm_alloc(device_memory, named, 100_000, &[])
            .expect("an allocation");
        there.wait().expect("urEventWait");
        assert!(used(named) >= before + 100_000);
        free(&queue, memory, &[]).expect("a free").wait().expect("urEventWait");
        queue.finish().expect("urQueueFinish");
        assert_eq!(used(named), before);
    }
    // The one that was chosen for the device, where none is named.
    expect!(ur!(urUSMPoolSetDevicePoolExp(context, device, own)), SUCCESS);
    expect!(ur!(urUSMPoolGetDevicePoolExp(context, device, &mut current)), SUCCESS);
    assert_eq!(current, own);
    let before = used(own);
    let (memory, _) = alloc(&queue, device_memory, 1 << 20, &[]).expect("an allocation");
    assert!(used(own) >= before + (1 << 20));
    free(&queue, memory, &[]).expect("a free");
    queue.finish().expect("urQueueFinish");
    expect!(ur!(urUSMPoolSetDevicePoolExp(context, device, default)), SUCCESS);
    assert_eq!(used(own), before);
    expect!(ur!(urUSMPoolTrimToExp(context, device, own, 0)), SUCCESS);
    assert_eq!(reserved(own), 0, "all of it is free");
    expect!(ur!(urUSMPoolDestroyExp(context, device, own)), SUCCESS);
    // Another context's.
    let other = Context::new(&[&rig.device]).expect("urContextCreate");
    let theirs = pool(&other, &rig.device);
    let refused = queue.usm_alloc(device_memory, theirs, 100, &[]);
    expect!(check(refused), ERROR_INVALID_VALUE);
    expect!(ur!(urUSMPoolDestroyExp(other.raw(), device, theirs)), SUCCESS);
}

#[test]
fn events_and_wait_lists() {
    let Some(rig) = rig() else { return };
    let of = |event: &Event| event.info::<CommandType>(EventInfo::COMMAND_TYPE).expect("the command");
    for flags in ORDERS {
        let (first, second) = (queue(&rig, flags), queue(&rig, flags));
        let Some(user_event) = UserEvent::new(&first) else {
            return;
        };
        for (kind, command) in KINDS.into_iter().zip([
            CommandType::ENQUEUE_USM_DEVICE_ALLOC_EXP,
            CommandType::ENQUEUE_USM_SHARED_ALLOC_EXP,
            CommandType::ENQUEUE_USM_HOST_ALLOC_EXP,
        ]) {
            let (memory, there) = alloc(&second, kind, 100, &[&user_event.event]).expect("an allocation");
            assert_eq!(of(&there), command);
            let gone = free(&second, memory, &[&there]).expect("a free");
            assert_eq!(of(&gone), CommandType::ENQUEUE_USM_FREE_EXP);
            for event in [&there, &gone] {
                assert!(!is_complete(event), "{flags:?}, {kind:?}");
            }
        }
        user_event.complete();
        second.finish().expect("urQueueFinish");
    }
}

#[test]
fn refused() {
    let Some(rig) = rig() else { return };
    let queue = queue(&rig, QueueFlags::empty());
    let nothing = alloc(&queue, UsmType::DEVICE, 0, &[]);
    expect!(check(nothing), ERROR_INVALID_USM_SIZE);
    let too_much = alloc(&queue, UsmType::DEVICE, usize::MAX / 2, &[]);
    expect!(
        check(too_much),
        ERROR_INVALID_USM_SIZE | ERROR_OUT_OF_RESOURCES | ERROR_OUT_OF_HOST_MEMORY | ERROR_OUT_OF_DEVICE_MEMORY
    );
    let (memory, _) = alloc(&queue, UsmType::DEVICE, 1000, &[]).expect("an allocation");
    let inside = memory.wrapping_byte_add(8);
    let mut local = 0u64;
    for wrong in [inside, (&raw mut local).cast()] {
        expect!(check(free(&queue, wrong, &[])), ERROR_INVALID_VALUE);
    }
    let Some(user_event) = UserEvent::new(&queue) else {
        return;
    };
    free(&queue, memory, &[]).expect("a free");
    expect!(check(free(&queue, memory, &[])), ERROR_INVALID_VALUE);
    user_event.complete();
    queue.finish().expect("urQueueFinish");
}

/// A context may go while what queues freed in their order is in use.
#[test]
fn a_context_goes_with_frees_under_way() {
    let Some(rig) = rig() else { return };
    for flags in ORDERS {
        let context = Context::new(&[&rig.device]).expect("urContextCreate");
        let queue = Queue::new(&context, &rig.device, flags).expect("urQueueCreate");
        for kind in KINDS {
            for round in 0..20u32 {
                let (memory, there) = alloc(&queue, kind, 64 << 10, &[]).expect("an allocation");
                // SAFETY: the memory is there until the free.
                let filled = unsafe { queue.memset(memory, &[round], 64 << 10, &[&there]) }.expect("a fill");
                free(&queue, memory, &[&filled]).expect("a free");
            }
        }
    }
    // The device does its work, and others have memory.
    let mut back = [0; 100];
    use_once(&rig.queue, UsmType::DEVICE, 5, &mut back, &[]);
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(back, [5; 100]);
}

#[test]
fn threads() {
    let Some(rig) = rig() else { return };
    let queues: Vec<_> = (0..4).map(|number| queue(&rig, ORDERS[number % 2])).collect();
    std::thread::scope(|scope| {
        for (number, queue) in queues.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..20 {
                    let mut back = vec![vec![0u32; 300 + 500 * (round % 3)]; 10];
                    for (place, back) in back.iter_mut().enumerate() {
                        let value = (number * 1000 + round * 10 + place) as u32;
                        use_once(queue, KINDS[place % 3], value, back, &[]);
                    }
                    queue.finish().expect("urQueueFinish");
                    for (place, back) in back.iter().enumerate() {
                        let value = (number * 1000 + round * 10 + place) as u32;
                        assert!(back.iter().all(|&at| at == value), "thread {number}, round {round}");
                    }
                }
            });
        }
    });
}
