// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Initialisation and teardown: they are counted, work from any thread, and calls outside them return errors.

mod common;

use std::sync::Barrier;

use common::{legacy_adapter, plain_adapter, probe};
use oxur_client::Loader;
use oxur_client::api::*;

#[test]
fn initialisations_are_counted() {
    // An adapter of this project: loading it again reuses the memory of the first time (LeakSanitizer checks this).
    let adapter = legacy_adapter();
    let seen = probe(
        &[("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap())],
        &[
            "teardown", "adapters", "init", "init", "teardown", "adapters", "teardown", "adapters", "teardown", "init",
            "adapters",
        ],
    );
    let uninitialised = "UR_RESULT_ERROR_UNINITIALIZED";
    let wanted = [
        &format!("teardown: {uninitialised}"),
        &format!("adapters: {uninitialised}"),
        "init: ok",
        "init: ok",
        "teardown: ok",
        "adapters: 1 [UR_BACKEND_OPENCL]",
        "teardown: ok",
        &format!("adapters: {uninitialised}"),
        &format!("teardown: {uninitialised}"),
        "init: ok",
        "adapters: 1 [UR_BACKEND_OPENCL]",
    ];
    assert_eq!(seen.lines, wanted);
    assert_eq!(seen.log, "");
}

#[test]
fn wrong_calls_are_answered() {
    let adapter = plain_adapter();
    let seen = probe(
        &[("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap())],
        &["errors", "init", "errors"],
    );
    let before = "errors: UNINITIALIZED UNINITIALIZED UNINITIALIZED UNINITIALIZED INVALID_EVENT UNINITIALIZED \
                  UNINITIALIZED INVALID_NULL_HANDLE UNINITIALIZED UNINITIALIZED";
    let after = "errors: INVALID_SIZE INVALID_NULL_HANDLE INVALID_NULL_POINTER INVALID_VALUE INVALID_EVENT \
                 INVALID_NULL_POINTER INVALID_SIZE INVALID_NULL_HANDLE INVALID_NULL_HANDLE UNSUPPORTED_FEATURE";
    assert_eq!(seen.lines, [before, "init: ok", after]);
}

#[test]
fn twenty_threads() {
    let loader = Loader::open_uninitialised(&common::loader()).unwrap();
    let (threads, rounds) = (20, 200);
    let together = Barrier::new(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                together.wait();
                for _ in 0..rounds {
                    // SAFETY: each thread undoes its own initialisation and holds no handle then.
                    unsafe {
                        loader
                            .fns()
                            .urLoaderInit(DeviceInitFlags::empty(), LoaderConfigHandle::default())
                            .unwrap();
                        let mut count = 0;
                        loader.fns().urAdapterGet(0, std::ptr::null_mut(), &mut count).unwrap();
                        loader.fns().urLoaderTearDown().unwrap();
                    }
                }
                // ThreadSanitizer reports a false race in the standard library at a thread's end. It must not do so
                // while another thread is in the loader: see scripts/sanitize.sh.
                together.wait();
            });
        }
    });
    // SAFETY: nothing is initialised any more, and nothing is used.
    let after = unsafe { loader.fns().urLoaderTearDown() };
    assert!(after.unwrap_err().to_string().contains("UNINITIALIZED"));
}

#[test]
fn flags_that_do_not_exist() {
    let loader = Loader::open_uninitialised(&common::loader()).unwrap();
    let wrong = DeviceInitFlags::from_bits_retain(1 << 5);
    // SAFETY: the configuration is null.
    let outcome = unsafe { loader.fns().urLoaderInit(wrong, LoaderConfigHandle::default()) };
    assert!(outcome.unwrap_err().to_string().contains("INVALID_ENUMERATION"));
}

#[test]
fn a_configuration_is_no_other_object() {
    let loader = Loader::open_uninitialised(&common::loader()).unwrap();
    let mut config = LoaderConfigHandle::default();
    // SAFETY: the output pointer is valid. The handle's first word is that of every handle, so the wrong use is defined.
    let outcome = unsafe {
        loader.fns().urLoaderConfigCreate(&mut config).unwrap();
        loader.fns().urDeviceRetain(DeviceHandle(config.0))
    };
    assert!(outcome.unwrap_err().to_string().contains("UNSUPPORTED_FEATURE"));
}
