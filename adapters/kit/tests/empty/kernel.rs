// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What is kept of the arguments of kernels.

use kit::{Arg, ArgObjects, Args, Borrowed, ExecInfo, KernelCloneEmulation, SnapshotCache};

use super::*;

fn mem() -> Arc<Mem> {
    let handle_cell = HandleCell::new();
    Arc::new(Mem { handle_cell })
}

#[test]
fn a_clone_has_what_was_set_last() {
    let (emulation, lasting, gone) = (KernelCloneEmulation::<Empty>::default(), mem(), mem());
    let read_write = MemFlags::READ_WRITE;
    emulation.argument(&Arg::Value(1, &[1, 2, 3]));
    emulation.argument(&Arg::Pointer(0, 64 as *const c_void));
    emulation.argument(&Arg::Local(1, 64));
    emulation.argument(&Arg::Value(5, &[4]));
    emulation.argument(&Arg::Mem(2, None, read_write));
    emulation.argument(&Arg::Mem(3, Some(Borrowed::from(&lasting)), read_write));
    emulation.argument(&Arg::Mem(4, Some(Borrowed::from(&gone)), read_write));
    emulation.exec_info(ExecInfo::UsmIndirectAccess(true));
    emulation.exec_info(ExecInfo::UsmIndirectAccess(false));
    emulation.exec_info(ExecInfo::UsmPointers(&[16 as *mut c_void]));
    drop(gone);
    let (all, exec) = (Kernel::default(), Kernel::default());
    emulation.apply_to(&all, true).unwrap();
    emulation.apply_to(&exec, false).unwrap();
    let exec = exec.told.into_inner();
    assert_eq!(exec, ["UsmIndirectAccess(false)", "UsmPointers([0x10])"]);
    let all = all.told.into_inner();
    let arguments = ["0: 0x40", "1: 64 bytes", "2: none", "3: memory", "5: [4]"];
    assert_eq!(all[..5], arguments, "what is gone is not set");
    assert_eq!(all[5..], exec);
}

#[test]
fn a_snapshot_keeps_its_objects() {
    let (objects, first, second) = (ArgObjects::none(), mem(), mem());
    let set = |objects: &ArgObjects, index, mem: Option<&Arc<Mem>>| {
        let arg = Arg::<Empty>::Mem(index, mem.map(Borrowed::from), MemFlags::READ_WRITE);
        objects.set(&arg);
    };
    set(&objects, 0, Some(&first));
    set(&objects, 1, Some(&second));
    let weak = Arc::downgrade(&first);
    let counts = || (Arc::strong_count(&second), weak.strong_count());
    assert_eq!(counts(), (1, 1), "a client's kernel keeps nothing");
    let snapshot = objects.keep();
    assert_eq!(counts(), (2, 2));
    drop(first);
    assert_eq!(counts(), (2, 1));
    set(&snapshot, 0, Some(&second));
    assert_eq!(counts(), (3, 0), "another one took its place");
    set(&snapshot, 0, None);
    set(&snapshot, 1, Some(&second));
    assert_eq!(counts(), (2, 0));
    drop(snapshot);
    assert_eq!(counts(), (1, 0));
}

#[test]
fn launches_with_equal_arguments_share_a_snapshot() {
    let arg = |r#type, index, size, value| ExpKernelArgProperties {
        r#type,
        index,
        size,
        value,
        ..Default::default()
    };
    let pointer = |index, address: usize| {
        let value = ExpKernelArgValue {
            pointer: address as *const c_void,
        };
        arg(ExpKernelArgType::POINTER, index, size_of::<usize>(), value)
    };
    let value = |index, of: &i32| {
        let value = ExpKernelArgValue {
            value: std::ptr::from_ref(of).cast(),
        };
        arg(ExpKernelArgType::VALUE, index, size_of::<i32>(), value)
    };
    let cache = SnapshotCache::<Empty>::default();
    // The snapshot for these arguments of a kernel of two.
    let get = |args: [ExpKernelArgProperties; 2], count| {
        // SAFETY: so many structures, with pointers to numbers that live.
        let args = unsafe { Args::new(count, args.as_ptr()) }.unwrap();
        cache.get_or_make(args, 2, || Ok(Arc::new(Kernel::default()))).unwrap()
    };
    let (one, also_one, two) = (1, 1, 2);
    let by_turns = [
        [pointer(0, 64), value(1, &one)],
        [pointer(0, 128), value(1, &one)],
        [pointer(0, 64), value(1, &two)],
        [value(0, &one), pointer(1, 64)],
    ];
    let first = by_turns.map(|args| get(args, 2));
    let again = by_turns.map(|args| get(args, 2));
    for (place, kernel) in first.iter().enumerate() {
        let same = again.iter().map(|again| Arc::ptr_eq(kernel, again));
        assert!(same.enumerate().all(|(at, same)| same == (at == place)), "{place}");
    }
    let copied = get([pointer(0, 64), value(1, &also_one)], 2);
    assert!(Arc::ptr_eq(&copied, &first[0]), "the value counts, and not where it is");
    // Where not all is known to be the same, each has its own: objects may be released.
    let no_mem = arg(
        ExpKernelArgType::MEM_OBJ,
        1,
        0,
        ExpKernelArgValue {
            memObjTuple: Default::default(),
        },
    );
    for (args, count) in [
        ([pointer(0, 64), value(1, &one)], 1),
        ([value(1, &one), pointer(0, 64)], 2),
        ([pointer(0, 64), pointer(0, 64)], 2),
        ([pointer(0, 64), no_mem], 2),
    ] {
        assert!(!Arc::ptr_eq(&get(args, count), &get(args, count)));
    }
    assert!(Arc::ptr_eq(&get(by_turns[0], 2), &first[0]));
    kit::note_usm_change();
    let after = get(by_turns[0], 2);
    assert!(
        !Arc::ptr_eq(&after, &first[0]),
        "the address may be another allocation's"
    );
    cache.clear();
    assert!(!Arc::ptr_eq(&after, &get(by_turns[0], 2)), "the kernel is another");
}
