// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Layers, enabled by the environment and by a configuration.

mod common;

use common::{plain_adapter, probe};

#[test]
fn tracing() {
    let adapter = plain_adapter();
    let force = ("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap());
    let log = ("UR_LOG_TRACING", "level:info;output:stderr");
    let by_environment = probe(
        &[force, log, ("UR_ENABLE_LAYERS", "UR_LAYER_TRACING")],
        &["init", "adapters"],
    );
    let by_config = probe(
        &[force, log],
        &["layer", "UR_LAYER_TRACING", "init", "adapters", "teardown"],
    );
    for seen in [&by_environment, &by_config] {
        seen.logged(&["   ---> urAdapterGet"]);
        seen.logged(&[
            "   <--- urAdapterGet(.NumEntries = 0, .phAdapters = nullptr, .pNumAdapters = 0x",
            " (1)) -> UR_RESULT_SUCCESS;",
        ]);
        seen.logged(&[
            "   <--- urAdapterGet(.NumEntries = 1, .phAdapters = 0x",
            "}, .pNumAdapters = nullptr) -> UR_RESULT_SUCCESS;",
        ]);
        seen.logged(&[
            ".propName = UR_ADAPTER_INFO_BACKEND, .propSize = 4, .pPropValue = 0x",
            "(UR_BACKEND_OPENCL), .pPropSizeRet",
        ]);
        assert_eq!(seen.log.matches("--->").count(), seen.log.matches("<---").count());
        assert!(seen.log.lines().all(|line| line.starts_with("   ")), "{}", seen.log);
    }
    let silent = probe(
        &[force, ("UR_ENABLE_LAYERS", "UR_LAYER_TRACING")],
        &["init", "adapters"],
    );
    assert_eq!(silent.log, "");
}

#[test]
fn parameter_validation() {
    let adapter = plain_adapter();
    let force = ("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap());
    for layer in ["UR_LAYER_PARAMETER_VALIDATION", "UR_LAYER_FULL_VALIDATION"] {
        let seen = probe(
            &[force, ("UR_ENABLE_LAYERS", layer)],
            &["init", "adapters", "select", "errors", "launch"],
        );
        assert_eq!(seen.lines[1], "adapters: 1 [UR_BACKEND_OPENCL]");
        assert_eq!(seen.lines[2], "select: [1, 2] [2] references 0");
        assert!(seen.lines[4].contains("launch of 1"), "{:?}", seen.lines);
        seen.logged(&["<VALIDATION>[ERROR]: urPlatformGet: hAdapter is null: UR_RESULT_ERROR_INVALID_NULL_HANDLE"]);
        seen.logged(&["urContextCreate: phDevices is null: UR_RESULT_ERROR_INVALID_NULL_POINTER"]);
    }
}

#[test]
fn leak_checking() {
    let adapter = plain_adapter();
    let force = ("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap());
    let layer = ("UR_ENABLE_LAYERS", "UR_LAYER_LEAK_CHECKING");
    let seen = probe(
        &[force, layer],
        &["init", "select", "launch", "teardown", "init", "teardown"],
    );
    // The probe keeps the adapter (twice), a context, a queue and its devices, and releases its kernel and the selected devices.
    for part in [
        "2 reference(s) to",
        "came from urContextCreate",
        "came from urQueueCreate",
        "came from urAdapterGet",
    ] {
        seen.logged(&["<VALIDATION>[ERROR]", part]);
    }
    assert!(
        !seen.log.contains("urKernelCreate") && !seen.log.contains("urDeviceGetSelected"),
        "{}",
        seen.log
    );
    assert_eq!(seen.log.matches("came from urContextCreate").count(), 1);
}

#[test]
fn releasing_too_often() {
    let adapter = plain_adapter();
    let variables = [
        ("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap()),
        ("UR_ENABLE_LAYERS", "UR_LAYER_LEAK_CHECKING"),
    ];
    let seen = probe(&variables, &["init", "overrelease"]);
    assert_eq!(seen.lines[1], "overrelease: ok UR_RESULT_ERROR_INVALID_KERNEL");
    assert_eq!(seen.log.matches("is released, but there is no reference").count(), 1);
    seen.logged(&["<VALIDATION>[ERROR]", "urKernelRelease: 0x"]);
}

#[test]
fn layers_that_are_not_there() {
    let adapter = plain_adapter();
    let variables = [
        ("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap()),
        ("UR_ENABLE_LAYERS", "UR_LAYER_ASAN,UR_LAYER_NONSENSE"),
        ("UR_LOG_LOADER", "level:warning"),
    ];
    let seen = probe(
        &variables,
        &[
            "layer",
            "UR_LAYER_BOUNDS_CHECKING",
            "layer",
            "tracing",
            "init",
            "adapters",
        ],
    );
    let missing = "layer: UR_RESULT_ERROR_LAYER_NOT_PRESENT";
    assert_eq!(
        seen.lines,
        [missing, missing, "init: ok", "adapters: 1 [UR_BACKEND_OPENCL]"]
    );
    seen.logged(&["UR_ENABLE_LAYERS", "does not have the layer UR_LAYER_ASAN"]);
    seen.logged(&["UR_ENABLE_LAYERS", "no layer `UR_LAYER_NONSENSE`"]);
    seen.logged(&["urLoaderConfigEnableLayer", "UR_LAYER_BOUNDS_CHECKING"]);
}

/// A client's function may throw through a call of the loader, with any layers in between.
#[test]
fn exceptions_pass() {
    let adapter = plain_adapter();
    let force = ("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap());
    let log = ("UR_LOG_TRACING", "level:info;output:stderr");
    for layers in [
        "",
        "UR_LAYER_TRACING",
        "UR_LAYER_FULL_VALIDATION",
        "UR_LAYER_TRACING,UR_LAYER_FULL_VALIDATION",
    ] {
        // The emulation is in use after the first launch.
        for before in [&[][..], &["launch"]] {
            let commands: Vec<_> = ["init"]
                .iter()
                .chain(before)
                .chain(&["throw", "adapters"])
                .copied()
                .collect();
            let seen = probe(&[force, log, ("UR_ENABLE_LAYERS", layers)], &commands);
            assert_eq!(
                seen.lines[1 + before.len()],
                "throw: ok, the function has returned; thrown, the function has not returned; ok, the function has returned"
            );
            assert_eq!(seen.lines[2 + before.len()], "adapters: 1 [UR_BACKEND_OPENCL]");
            if layers.contains("TRACING") {
                seen.logged(&["   <--- urEnqueueNativeCommandExp threw an exception"]);
            }
        }
    }
}
