// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A process with libsycl.so.8 calls some functions with the parameters of release 2025.3, or 2025.2.

mod common;

use common::{folder, plain_adapter, probe};

/// Runs commands after opening libraries with these names. They are copies of some library: only their names matter.
fn with_libraries(test: &str, names: &[&str], variables: &[(&str, &str)], commands: &[&str]) -> common::Seen {
    let folder = folder(test);
    let paths: Vec<_> = names.iter().map(|name| folder.join(name)).collect();
    for path in &paths {
        std::fs::copy(plain_adapter(), path).unwrap();
    }
    let opened = paths.iter().flat_map(|path| ["open", path.to_str().unwrap()]);
    let commands: Vec<_> = opened.chain(commands.iter().copied()).collect();
    let adapter = plain_adapter();
    let force = ("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap());
    let seen = probe(&[&[force], variables].concat(), &commands);
    std::fs::remove_dir_all(folder).unwrap();
    seen
}

#[test]
fn calls_have_the_parameters_of_the_process_runtime() {
    for name in ["libsycl.so.8", "libsycl-preview.so.8"] {
        let commands = ["init", "launch2025", "programs2025", "image2025"];
        let seen = with_libraries(&format!("v2025-{name}"), &[name], &[], &commands);
        assert_eq!(seen.lines[1], "init: ok");
        assert_eq!(
            seen.lines[2],
            "launch2025: launch of 1, 7: after 2; \
             launch of 1, 7: with UR_KERNEL_LAUNCH_FLAG_COOPERATIVE memory 64 cluster [2, 3, 4] after 2; \
             UR_RESULT_ERROR_INVALID_ENUMERATION; UR_RESULT_ERROR_INVALID_NULL_POINTER"
        );
        assert_eq!(
            seen.lines[3],
            "programs2025: UR_RESULT_SUCCESS build for 1: flags 0, \"-a\"; \
             UR_RESULT_SUCCESS compile for 1: flags 0, \"-a\"; \
             UR_RESULT_SUCCESS link of 3 for 1: flags 0, \"-b\" true"
        );
        // By direction, by pitch, and by what the adapter has allocated: 0x1000. 0x2000 is an image. Pixels have 8 bytes.
        let expected = [
            "0x3000 to 0x2000, HOST_TO_DEVICE, MEM_TO_IMAGE",
            "0x3000 to 0x2000, HOST_TO_DEVICE, MEM_TO_IMAGE",
            "0x3000 to 0x1000, HOST_TO_DEVICE, MEM_TO_MEM",
            "0x3000 to 0x1000, HOST_TO_DEVICE, MEM_TO_MEM",
            "0x2000 to 0x3000, DEVICE_TO_HOST, IMAGE_TO_MEM",
            "0x3000 to 0x3000, DEVICE_TO_HOST, MEM_TO_MEM",
            "0x2000 to 0x2000, DEVICE_TO_DEVICE, IMAGE_TO_IMAGE",
            "0x1000 to 0x2000, DEVICE_TO_DEVICE, MEM_TO_IMAGE",
            "0x2000 to 0x3000, DEVICE_TO_DEVICE, IMAGE_TO_MEM",
            "0x3000 to 0x3000, HOST_TO_HOST, MEM_TO_MEM",
            "0x0 to 0x2000, DEVICE_TO_DEVICE, IMAGE_TO_IMAGE",
        ];
        let copies = seen.lines[4]
            .replace("UR_EXP_IMAGE_COPY_FLAG_", "")
            .replace("UR_EXP_IMAGE_COPY_INPUT_TYPES_", "");
        assert_eq!(
            copies
                .strip_prefix("image2025: ")
                .unwrap()
                .split("; ")
                .collect::<Vec<_>>(),
            expected.map(|copy| format!("{copy}, 40 x 7 from 8 to 16, after 2"))
        );
    }
}

/// Makes a library that imports what libsycl does in 2025.2.
fn library_of_2025_2(path: &std::path::Path, hash: &str) {
    let source = path.with_extension("c");
    let code = "__attribute__((weak)) extern int urEnqueueKernelLaunchCustomExp; \
                int *f(void) { return &urEnqueueKernelLaunchCustomExp; }";
    std::fs::write(&source, code).unwrap();
    let mut compiler = std::process::Command::new("cc");
    let options = ["-shared", "-fPIC", &format!("-Wl,--hash-style={hash}"), "-o"];
    assert!(compiler.args(options).args([path, &source]).status().unwrap().success());
}

#[test]
fn release_2025_2_has_parameters_of_its_own() {
    for (name, hash) in [("libsycl.so.8", "gnu"), ("libsycl-preview.so.8", "sysv")] {
        let folder = folder(&format!("v2025_2-{hash}"));
        let (library, adapter) = (folder.join(name), plain_adapter());
        library_of_2025_2(&library, hash);
        let variables = [
            ("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap()),
            ("UR_LOG_LOADER", "level:info;output:stderr"),
        ];
        let twice = [
            "init",
            "launches2025_2",
            "others2025_2",
            "teardown",
            "init",
            "launches2025_2",
        ];
        let commands = [&["open", library.to_str().unwrap()], &twice[..]].concat();
        let seen = probe(&variables, &commands);
        std::fs::remove_dir_all(folder).unwrap();
        seen.logged(&[name, "parameters of release 2025.2"]);
        assert_eq!(
            seen.lines[2].split("; ").collect::<Vec<_>>(),
            [
                "launches2025_2: launch of 1, 7: after 2",
                "launch of 1, 7: with UR_KERNEL_LAUNCH_FLAG_COOPERATIVE after 2",
                "launch of 1, 7: with 0x0 memory 64 after 2",
                "1 dimensions, 64 bytes",
            ]
        );
        assert_eq!(seen.lines[6], seen.lines[2]);
        assert_eq!(
            seen.lines[3].split("; ").collect::<Vec<_>>(),
            [
                "others2025_2: UR_RESULT_SUCCESS 3 2",
                "0x10 UR_SAMPLER_ADDRESSING_MODE_REPEAT UR_SAMPLER_FILTER_MODE_LINEAR \
                 UR_STRUCTURE_TYPE_EXP_SAMPLER_CUBEMAP_PROPERTIES UR_STRUCTURE_TYPE_EXP_SAMPLER_MIP_PROPERTIES \
                 UR_STRUCTURE_TYPE_EXP_SAMPLER_ADDR_MODES",
                "UR_RESULT_ERROR_INVALID_SAMPLER",
                "UR_VIRTUAL_MEM_GRANULARITY_INFO_RECOMMENDED of 1 in 8 bytes",
                "64 bytes, UR_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES",
            ]
        );
    }
}

#[test]
fn layers_see_the_parameters_of_today() {
    let layers = [
        ("UR_ENABLE_LAYERS", "UR_LAYER_TRACING"),
        ("UR_LOG_TRACING", "level:info;output:stderr"),
    ];
    let commands = ["init", "launch2025", "teardown", "init", "launch2025"];
    let seen = with_libraries("v2025-layers", &["libsycl.so.8"], &layers, &commands);
    assert!(seen.lines[2].starts_with("launch2025: launch of 1, 7: after 2; "));
    seen.logged(&[
        "urEnqueueKernelLaunch(",
        ".workDim = 1",
        "UR_KERNEL_LAUNCH_FLAG_COOPERATIVE",
    ]);
    // The symbols keep the older parameters, regardless of how often layers start and stop.
    assert_eq!(seen.lines[5], seen.lines[2]);
}

#[test]
fn others_keep_theirs() {
    for names in [&[][..], &["libsycl.so.9"]] {
        let seen = with_libraries("v2025-others", names, &[], &["init", "launch"]);
        assert!(
            seen.lines[names.len() + 1].starts_with("launch: launch of 1, 7:"),
            "{:?}",
            seen.lines
        );
        assert_eq!(seen.log, "");
    }
}

#[test]
fn two_runtimes_with_different_parameters_are_refused() {
    let seen = with_libraries("v2025-both", &["libsycl.so.8", "libsycl.so.9"], &[], &["init"]);
    assert_eq!(seen.lines[2], "init: UR_RESULT_ERROR_UNSUPPORTED_VERSION");
    seen.logged(&["libsycl.so.8 and libsycl.so.9"]);

    // Of 2025.3, as it does not import what 2025.2 does, and of 2025.2.
    let folder = folder("v2025-two");
    let (newer, older) = (folder.join("libsycl-preview.so.8"), folder.join("libsycl.so.8"));
    std::fs::copy(plain_adapter(), &newer).unwrap();
    library_of_2025_2(&older, "gnu");
    let adapter = plain_adapter();
    let variables = [("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap())];
    let commands = ["open", newer.to_str().unwrap(), "open", older.to_str().unwrap(), "init"];
    let seen = probe(&variables, &commands);
    std::fs::remove_dir_all(folder).unwrap();
    assert_eq!(seen.lines[2], "init: UR_RESULT_ERROR_UNSUPPORTED_VERSION");
    seen.logged(&["libsycl-preview.so.8 and libsycl.so.8", "different releases"]);
}
