// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The loader's own functions: initialisation and configuration.

use std::ffi::CString;

use oxur_conformance::api::*;
use oxur_conformance::client::{Config, Loader};
use oxur_conformance::{check, expect, uninitialised_loader, ur};

#[test]
fn tear_down_before_init() {
    // SAFETY: takes nothing.
    let result = unsafe { uninitialised_loader().fns().urLoaderTearDown() };
    expect!(check(result), ERROR_UNINITIALIZED);
}

#[test]
fn init_again_after_the_last_teardown() {
    let path = uninitialised_loader().path();
    for _ in 0..3 {
        let loader = Loader::open(path).expect("urLoaderInit");
        assert!(!loader.adapters().expect("urAdapterGet").is_empty());
    }
}

#[test]
fn counted() {
    let path = uninitialised_loader().path();
    let first = Loader::open(path).expect("urLoaderInit");
    drop(Loader::open(path).expect("urLoaderInit"));
    assert!(!first.adapters().expect("urAdapterGet").is_empty());
}

#[test]
fn twenty_threads_init() {
    let path = uninitialised_loader().path();
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let loader = Loader::open(path).expect("urLoaderInit");
                assert!(!loader.adapters().expect("urAdapterGet").is_empty());
            });
        }
    });
}

#[test]
fn init_with_unknown_flags() {
    let flags = DeviceInitFlags::from_bits_retain(1 << 20);
    expect!(
        ur!(urLoaderInit(flags, LoaderConfigHandle::default())),
        ERROR_INVALID_ENUMERATION
    );
}

#[test]
fn config_info() {
    let config = Config::new(uninitialised_loader()).expect("urLoaderConfigCreate");
    assert_eq!(
        config
            .info::<u32>(LoaderConfigInfo::REFERENCE_COUNT)
            .expect("the count"),
        1
    );
    let second = config.clone();
    assert_eq!(
        config
            .info::<u32>(LoaderConfigInfo::REFERENCE_COUNT)
            .expect("the count"),
        2
    );
    drop(second);
    let layers: String = config.info(LoaderConfigInfo::AVAILABLE_LAYERS).expect("the layers");
    for layer in [
        "UR_LAYER_PARAMETER_VALIDATION",
        "UR_LAYER_LEAK_CHECKING",
        "UR_LAYER_FULL_VALIDATION",
    ] {
        assert!(
            layers.split(';').any(|name| name == layer),
            "{layer} is not in {layers}"
        );
    }
}

#[test]
fn config_info_wants_the_exact_size() {
    let config = Config::new(uninitialised_loader()).expect("urLoaderConfigCreate");
    let (mut value, null) = ([0u32; 4], std::ptr::null_mut());
    for size in [2, 8] {
        let property = LoaderConfigInfo::REFERENCE_COUNT;
        expect!(
            ur!(urLoaderConfigGetInfo(
                config.raw(),
                property,
                size,
                value.as_mut_ptr().cast(),
                null
            )),
            ERROR_INVALID_SIZE
        );
    }
    expect!(
        ur!(urLoaderConfigGetInfo(
            config.raw(),
            LoaderConfigInfo(99),
            4,
            value.as_mut_ptr().cast(),
            null
        )),
        ERROR_INVALID_ENUMERATION
    );
}

#[test]
fn layers() {
    let config = Config::new(uninitialised_loader()).expect("urLoaderConfigCreate");
    expect!(
        check(config.enable_layer("UR_LAYER_OF_NOBODY")),
        ERROR_LAYER_NOT_PRESENT
    );
    expect!(check(config.enable_layer("UR_LAYER_PARAMETER_VALIDATION")), SUCCESS);
    let name = CString::new("UR_LAYER_PARAMETER_VALIDATION").expect("no NUL");
    expect!(
        ur!(urLoaderConfigEnableLayer(LoaderConfigHandle::default(), name.as_ptr())),
        ERROR_INVALID_NULL_HANDLE
    );
    expect!(
        ur!(urLoaderConfigEnableLayer(config.raw(), std::ptr::null())),
        ERROR_INVALID_NULL_POINTER
    );
}

#[test]
fn validation_layer_refuses_null() {
    let path = uninitialised_loader().path();
    let loader = Loader::open_with(path, |config| config.enable_layer("UR_LAYER_FULL_VALIDATION")).expect("init");
    let mut count = 0;
    // SAFETY: a null handle, which the layer is there to refuse.
    let result = unsafe {
        loader
            .fns()
            .urPlatformGet(AdapterHandle::default(), 0, std::ptr::null_mut(), &mut count)
    };
    expect!(check(result), ERROR_INVALID_NULL_HANDLE);
    // SAFETY: as above.
    let result = unsafe { loader.fns().urContextRetain(ContextHandle::default()) };
    expect!(check(result), ERROR_INVALID_NULL_HANDLE);
}
