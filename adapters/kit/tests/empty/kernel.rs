// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What is kept of the arguments of kernels.

use kit::{Arg, ArgObjects, Borrowed, ExecInfo, KernelCloneEmulation};

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
