// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `urDeviceGetSelected` on the test adapter: a CPU (1) and a GPU (2), with sub-devices (10, 11, 20, 21), which have
//! sub-devices, too.

mod common;

use common::{plain_adapter, probe};

#[test]
fn selectors() {
    let adapter = plain_adapter();
    for (selector, all, gpus) in [
        ("*:*", "[1, 2]", "[2]"),
        ("", "[1, 2]", "[2]"),
        ("opencl:gpu", "[2]", "[2]"),
        ("opencl:gpu,cpu", "[2, 1]", "[2]"),
        ("opencl:1,0,*", "[2, 1]", "[2]"),
        ("opencl:7", "[]", "[]"),
        ("cuda:*", "[]", "[]"),
        ("!opencl:cpu", "[2]", "[2]"),
        ("!opencl:0;*:*", "[2]", "[2]"),
        ("opencl:0.1", "[11]", "[]"),
        ("opencl:1.*", "[20, 21]", "[20, 21]"),
        ("opencl:*.*;!opencl:0.0", "[11, 20, 21]", "[20, 21]"),
        ("opencl:1,1.0", "[2, 20]", "[2, 20]"),
        ("opencl:1.1.0", "[210]", "[210]"),
        (
            "opencl:*.*.*",
            "[100, 101, 110, 111, 200, 201, 210, 211]",
            "[200, 201, 210, 211]",
        ),
    ] {
        // If no device can be selected, the preload filter would exclude the adapter.
        let variables = [
            ("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap()),
            ("ONEAPI_DEVICE_SELECTOR", selector),
        ];
        let seen = probe(&variables, &["init", "select"]);
        assert_eq!(
            seen.lines[1],
            format!("select: {all} {gpus} references 0"),
            "{selector}"
        );
        assert_eq!(seen.log, "");
    }
}

#[test]
fn malformed_selectors_are_invalid_values() {
    let adapter = plain_adapter();
    for selector in ["opencl", "foo:*", ";", "opencl:0.0.0.0", "opencl:*.0"] {
        let variables = [
            ("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap()),
            ("ONEAPI_DEVICE_SELECTOR", selector),
        ];
        let seen = probe(&variables, &["init", "select"]);
        assert_eq!(seen.lines[1], "select: UR_RESULT_ERROR_INVALID_VALUE", "{selector}");
        seen.logged(&["ONEAPI_DEVICE_SELECTOR", "The form is"]);
    }
}
