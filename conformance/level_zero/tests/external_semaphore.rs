// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! External semaphores: ZE_extension_external_semaphores, with descriptors of `eventfd`.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::ptr::{null, null_mut};

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{List, Rig, expect, has_extension, loader_is_old, ok, ze};

fn rig() -> Option<Rig> {
    let rig = Rig::executing()?;
    if loader_is_old() {
        println!("not run: the loader is older than external semaphores");
        return None;
    }
    assert!(has_extension(&rig, ZE_EXTERNAL_SEMAPHORES_EXTENSION_NAME));
    Some(rig)
}

/// An `eventfd` that reads do not block on.
fn eventfd() -> File {
    // SAFETY: there is no memory in it.
    let number = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
    assert!(number >= 0);
    // SAFETY: it was just opened.
    unsafe { File::from_raw_fd(number) }
}

fn count(mut file: &File) -> Option<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes).ok().map(|()| u64::from_ne_bytes(bytes))
}

fn import(
    rig: &Rig,
    flags: ze_external_semaphore_ext_flags_t,
    number: RawFd,
) -> Result<ze_external_semaphore_ext_handle_t, ze_result_t> {
    let descriptor = ze_external_semaphore_fd_ext_desc_t {
        fd: number,
        ..Default::default()
    };
    let desc = ze_external_semaphore_ext_desc_t {
        flags,
        pNext: (&raw const descriptor).cast(),
        ..Default::default()
    };
    let mut semaphore = null_mut();
    match ze!(zeDeviceImportExternalSemaphoreExt(rig.device, &desc, &mut semaphore)) {
        ZE_RESULT_SUCCESS => Ok(semaphore),
        code => Err(code),
    }
}

fn opaque(rig: &Rig, file: &File) -> ze_external_semaphore_ext_handle_t {
    let flags = ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD;
    import(rig, flags, file.as_raw_fd()).expect("zeDeviceImportExternalSemaphoreExt")
}

fn signal(list: &List, mut semaphore: ze_external_semaphore_ext_handle_t) {
    let mut params = ze_external_semaphore_signal_params_ext_t::default();
    ok!(zeCommandListAppendSignalExternalSemaphoreExt(
        list.raw(),
        1,
        &mut semaphore,
        &mut params,
        null_mut(),
        0,
        null_mut()
    ));
}

fn wait(list: &List, mut semaphore: ze_external_semaphore_ext_handle_t) {
    let mut params = ze_external_semaphore_wait_params_ext_t::default();
    ok!(zeCommandListAppendWaitExternalSemaphoreExt(
        list.raw(),
        1,
        &mut semaphore,
        &mut params,
        null_mut(),
        0,
        null_mut()
    ));
}

/// A signal comes after all commands before it, on lists of all kinds; a wait holds up all that follow.
#[test]
fn signals_and_waits() {
    let Some(rig) = rig() else { return };
    let data = rig.shared(&[0u32; 4]);
    for list in [rig.in_order(), rig.immediate(0)] {
        let (mut file, gate) = (eventfd(), rig.event());
        let semaphore = opaque(&rig, &file);
        list.fill(data.ptr(), &[1u32], 16, None, &[&gate]);
        signal(&list, semaphore);
        assert_eq!(count(&file), None);
        gate.host_signal();
        list.synchronize();
        assert_eq!(count(&file), Some(1));
        wait(&list, semaphore);
        list.fill(data.ptr(), &[2u32], 16, None, &[]);
        expect!(zeCommandListHostSynchronize(list.raw(), 0), ZE_RESULT_NOT_READY);
        assert_eq!(data.values::<u32>(), [1; 4]);
        file.write_all(&1u64.to_ne_bytes()).expect("an eventfd");
        list.synchronize();
        assert_eq!(data.values::<u32>(), [2; 4]);
        // The wait has taken the signal.
        assert_eq!(count(&file), None);
        ok!(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    }
}

/// One list waits for another by a semaphore, each time that both are executed. The semaphore has its own descriptor.
#[test]
fn regular_lists() {
    let Some(rig) = rig() else { return };
    let (first, second, data) = (rig.list(), rig.list(), rig.shared(&[0u32; 4]));
    let semaphore = opaque(&rig, &eventfd());
    first.fill(data.ptr(), &[5u32], 16, None, &[]);
    signal(&first, semaphore);
    wait(&second, semaphore);
    second.copy(data.at(4), data.at(0), 4, None, &[]);
    first.close();
    second.close();
    let queues = [rig.queue(), rig.queue()];
    for _ in 0..20 {
        queues[1].execute(&[&second]);
        queues[0].execute(&[&first]);
        queues.iter().for_each(|queue| queue.synchronize());
        assert_eq!(data.values::<u32>(), [5; 4]);
    }
    ok!(zeDeviceReleaseExternalSemaphoreExt(semaphore));
}

/// Kinds that the device does not have, descriptors of other things, and a semaphore that was released.
#[test]
fn bad_arguments() {
    let Some(rig) = rig() else { return };
    let file = eventfd();
    let number = file.as_raw_fd();
    for flags in [
        ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_WIN32,
        ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_VK_TIMELINE_SEMAPHORE_FD,
    ] {
        assert_eq!(import(&rig, flags, number), Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE));
    }
    assert_eq!(import(&rig, 1 << 20, number), Err(ZE_RESULT_ERROR_INVALID_ENUMERATION));
    let other = File::open("/dev/null").expect("it is there");
    let flags = ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD;
    for number in [-1, 100_000, other.as_raw_fd()] {
        assert_eq!(import(&rig, flags, number), Err(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    }
    let desc = ze_external_semaphore_ext_desc_t {
        flags,
        pNext: null(),
        ..Default::default()
    };
    expect!(
        zeDeviceImportExternalSemaphoreExt(rig.device, &desc, &mut null_mut()),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    let (list, mut semaphore) = (rig.in_order(), opaque(&rig, &file));
    ok!(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    let mut params = ze_external_semaphore_wait_params_ext_t::default();
    let result = ze!(zeCommandListAppendWaitExternalSemaphoreExt(
        list.raw(),
        1,
        &mut semaphore,
        &mut params,
        null_mut(),
        0,
        null_mut()
    ));
    assert_ne!(result, ZE_RESULT_SUCCESS);
}
