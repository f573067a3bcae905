// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Adapters.

use std::ffi::CStr;
use std::ptr::null_mut;

use oxur_conformance::api::*;
use oxur_conformance::{Allowed, Rig, check_infos, expect, loader, ur};

#[test]
fn count_then_handles() {
    let mut count = 0;
    expect!(ur!(urAdapterGet(0, null_mut(), &mut count)), SUCCESS);
    assert!(count > 0);
    let mut handles = vec![AdapterHandle::default(); count as usize + 1];
    expect!(ur!(urAdapterGet(count, handles.as_mut_ptr(), null_mut())), SUCCESS);
    assert!(handles[..count as usize].iter().all(|handle| !handle.is_null()));
    assert!(handles[count as usize].is_null());
    for handle in &handles[..count as usize] {
        expect!(ur!(urAdapterRelease(*handle)), SUCCESS);
    }
}

#[test]
fn room_for_none() {
    let mut handle = AdapterHandle::default();
    expect!(ur!(urAdapterGet(0, &mut handle, null_mut())), ERROR_INVALID_SIZE; intel SUCCESS,
        "the loader asks for a size only in its validation layer");
}

#[test]
fn info() {
    let rig = Rig::new();
    let get = |p, size, value, size_ret| {
        ur!(urAdapterGetInfo(
            rig.adapter.raw(),
            AdapterInfo(p),
            size,
            value,
            size_ret
        ))
    };
    check_infos("AdapterInfo", &get, Allowed::default());
    assert_ne!(
        rig.adapter.info::<Backend>(AdapterInfo::BACKEND).expect("the backend"),
        Backend::UNKNOWN
    );
}

#[test]
fn counted() {
    let rig = Rig::new();
    let count = || {
        rig.adapter
            .info::<u32>(AdapterInfo::REFERENCE_COUNT)
            .expect("the count")
    };
    let before = count();
    let second = rig.adapter.clone();
    assert_eq!(count(), before + 1);
    drop(second);
    assert_eq!(count(), before);
}

#[test]
fn the_same_adapters_each_time() {
    let raw = |_| {
        loader()
            .adapters()
            .expect("urAdapterGet")
            .iter()
            .map(|a| a.raw())
            .collect::<Vec<_>>()
    };
    assert_eq!(raw(0), raw(1));
}

#[test]
fn last_error() {
    let rig = Rig::new();
    rig.adapter.last_error().expect("urAdapterGetLastError");
}

#[test]
fn logger_callback() {
    unsafe extern "C" fn log(_: LoggerLevel, message: *const c_char, _: *mut c_void) {
        // SAFETY: a message ends with NUL.
        println!("{}", unsafe { CStr::from_ptr(message) }.to_string_lossy());
    }
    let rig = Rig::new();
    let adapter = rig.adapter.raw();
    expect!(
        ur!(urAdapterSetLoggerCallback(
            adapter,
            Some(log),
            null_mut(),
            LoggerLevel::QUIET
        )),
        SUCCESS
    );
    expect!(
        ur!(urAdapterSetLoggerCallbackLevel(adapter, LoggerLevel::ERROR)),
        SUCCESS
    );
}
