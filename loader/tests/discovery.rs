// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of which adapters are loaded, and of the messages about those that are not.

mod common;

use std::path::{Path, PathBuf};

use common::{client_file, folder, legacy_adapter, loader, plain_adapter, probe, probe_with};

const INFO: (&str, &str) = ("UR_LOG_LOADER", "level:info;output:stderr");

fn install(from: &Path, folder: &Path, name: &str) -> String {
    let to = folder.join(name);
    std::fs::copy(from, &to).unwrap();
    to.to_str().unwrap().to_owned()
}

#[test]
fn several_adapters_in_the_order_of_the_list() {
    let folder = folder("several");
    let copies: Vec<_> = (0..3)
        .map(|index| install(&plain_adapter(), &folder, &format!("copy, {index}.so")))
        .collect();
    for count in 1..=3 {
        let quoted: Vec<_> = copies[..count].iter().map(|path| format!("\"{path}\"")).collect();
        // The first is named twice, but loaded once.
        let list = format!("{},'{}'", quoted.join(","), copies[0]);
        let seen = probe(&[("UR_ADAPTERS_FORCE_LOAD", &list), INFO], &["init", "adapters"]);
        let backends = vec!["UR_BACKEND_OPENCL"; count].join(", ");
        assert_eq!(seen.lines, ["init: ok", &format!("adapters: {count} [{backends}]")]);
        let loaded: Vec<_> = seen
            .log
            .lines()
            .filter(|line| line.contains("loaded adapter"))
            .collect();
        assert!(
            loaded
                .iter()
                .zip(&copies)
                .all(|(line, path)| line.ends_with(path.as_str())),
            "{loaded:?}"
        );
        seen.logged(&["is loaded already"]);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_no_adapter_is_skipped_with_the_reason() {
    let folder = folder("skipped");
    let adapter = std::fs::read(plain_adapter()).unwrap();
    let text = folder.join("text.so");
    std::fs::write(&text, "this is text\n").unwrap();
    let short = folder.join("short.so");
    std::fs::write(&short, &adapter[..100_000]).unwrap();
    let empty = folder.join("empty.so");
    std::fs::write(&empty, "").unwrap();
    let circle = folder.join("circle.so");
    std::os::unix::fs::symlink(&circle, &circle).unwrap();
    let inside = text.join("adapter.so");
    let cases = [
        (circle.to_str().unwrap(), "cannot be accessed: Too many levels"),
        (inside.to_str().unwrap(), "cannot be accessed: Not a directory"),
        ("/nonexistent/adapter.so", "no such file"),
        ("libur_adapter_nonexistent.so.0", "no such file"),
        (text.to_str().unwrap(), "not a shared object"),
        (empty.to_str().unwrap(), "not a shared object"),
        (short.to_str().unwrap(), "truncated"),
        ("libm.so.6", "exports no urGetAdapterProcAddrTable"),
        (loader().to_str().unwrap(), "exports no urGetAdapterProcAddrTable"),
    ]
    .map(|(path, reason)| (path.to_owned(), reason));
    for (path, reason) in &cases {
        let list = format!("{path},{}", plain_adapter().display());
        // Files that the user names are reported by default.
        let seen = probe(&[("UR_ADAPTERS_FORCE_LOAD", &list)], &["init", "adapters"]);
        assert_eq!(seen.lines, ["init: ok", "adapters: 1 [UR_BACKEND_OPENCL]"], "{path}");
        seen.logged(&["<LOADER>[ERROR]", path, reason]);
    }
    let seen = probe(
        &[("UR_ADAPTERS_FORCE_LOAD", &cases[0].0)],
        &["init", "adapters", "teardown"],
    );
    assert_eq!(seen.lines, ["init: ok", "adapters: 0 []", "teardown: ok"]);
    seen.logged(&["no adapter was loaded"]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_adapter_whose_initialisation_fails_is_skipped() {
    let adapter = plain_adapter();
    let variables = [
        ("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap()),
        ("OXUR_TEST_ADAPTER", "fail"),
    ];
    let seen = probe(&variables, &["init", "adapters"]);
    assert_eq!(seen.lines, ["init: ok", "adapters: 0 []"]);
    seen.logged(&["urGetAdapterProcAddrTable failed with UR_RESULT_ERROR_UNSUPPORTED_VERSION"]);
}

#[test]
fn folders_are_searched_in_order_and_beside_the_loader_last() {
    let (first, second, beside) = (folder("first"), folder("second"), folder("beside"));
    let own_loader = install(&loader(), &beside, "libur_loader.so.0");
    let own_loader = Path::new(&own_loader);
    let beside_opencl = install(&plain_adapter(), &beside, "libur_adapter_opencl.so.0");
    let beside_cpu = install(&plain_adapter(), &beside, "libur_adapter_cpu.so.0");
    let second_opencl = install(&legacy_adapter(), &second, "libur_adapter_opencl.so.0");

    let seen = probe_with(own_loader, &[INFO], &["init", "adapters"]);
    assert_eq!(seen.lines[1], "adapters: 2 [UR_BACKEND_OPENCL, UR_BACKEND_OPENCL]");
    seen.logged(&["loaded adapter", &beside_opencl]);
    seen.logged(&["loaded adapter", &beside_cpu]);

    for separator in [':', ','] {
        let path = format!("{}{separator}{}", first.display(), second.display());
        let seen = probe_with(
            own_loader,
            &[INFO, ("UR_ADAPTERS_SEARCH_PATH", &path)],
            &["init", "adapters"],
        );
        assert_eq!(seen.lines[1], "adapters: 2 [UR_BACKEND_OPENCL, UR_BACKEND_OPENCL]");
        seen.logged(&["loaded adapter", &second_opencl]);
        seen.logged(&["loaded adapter", &beside_cpu]);
    }

    // If a file is unusable, the loader tries the next folder.
    std::fs::write(first.join("libur_adapter_opencl.so.0"), "text").unwrap();
    let path = first.to_str().unwrap();
    let seen = probe_with(
        own_loader,
        &[INFO, ("UR_ADAPTERS_SEARCH_PATH", path)],
        &["init", "adapters"],
    );
    seen.logged(&["<LOADER>[WARNING]", path, "is skipped", "not a shared object"]);
    seen.logged(&["loaded adapter", &beside_opencl]);

    // And LD_LIBRARY_PATH comes before the loader's folder.
    let seen = probe_with(
        own_loader,
        &[INFO, ("LD_LIBRARY_PATH", second.to_str().unwrap())],
        &["init", "adapters"],
    );
    seen.logged(&["loaded adapter", &second_opencl]);
    for folder in [first, second, beside] {
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn an_adapter_for_devices_that_have_no_other() {
    let (folder, beside) = (folder("others"), folder("fallback"));
    let own_loader = install(&loader(), &beside, "libur_loader.so.0");
    std::fs::create_dir(beside.join("adapters")).unwrap();
    let fallback = install(&plain_adapter(), &beside, "adapters/libur_adapter_level_zero.so.0");
    // Adapters of other names are not searched there.
    install(&plain_adapter(), &beside, "adapters/libur_adapter_opencl.so.0");
    let path = folder.to_str().unwrap();
    let load = |selector: &str| {
        let variables = [
            INFO,
            ("UR_ADAPTERS_SEARCH_PATH", path),
            ("ONEAPI_DEVICE_SELECTOR", selector),
        ];
        probe_with(Path::new(&own_loader), &variables, &["init", "adapters"])
    };
    let seen = load("*:*");
    assert_eq!(seen.lines[1], "adapters: 1 [UR_BACKEND_OPENCL]");
    seen.logged(&["loaded adapter", &fallback]);
    assert_eq!(load("opencl:*").lines[1], "adapters: 0 []");
    // Either of Intel's names counts.
    for name in ["level_zero_v2", "level_zero"] {
        let other = install(&plain_adapter(), &folder, &format!("libur_adapter_{name}.so.0"));
        let seen = load("*:*");
        assert_eq!(seen.lines[1], "adapters: 1 [UR_BACKEND_OPENCL]");
        seen.logged(&["loaded adapter", &other]);
        std::fs::remove_file(other).unwrap();
    }
    for folder in [folder, beside] {
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn the_device_selector_decides_what_is_loaded() {
    let folder = folder("filter");
    for name in ["opencl", "level_zero", "cuda", "cpu"] {
        install(&plain_adapter(), &folder, &format!("libur_adapter_{name}.so.0"));
    }
    let path = folder.to_str().unwrap();
    for (selector, wanted) in [
        ("*:*", "cuda level_zero opencl cpu"),
        ("opencl:*", "opencl cpu"),
        ("level_zero:gpu", "level_zero"),
        ("!opencl:*", "cuda level_zero"),
        ("!opencl:0", "cuda level_zero opencl cpu"),
        ("cuda:0;level_zero:*", "cuda level_zero"),
        ("hip:*", ""),
        ("nonsense", "cuda level_zero opencl cpu"),
    ] {
        for (filter, wanted) in [("1", wanted), ("0", "cuda level_zero opencl cpu")] {
            let variables = [
                INFO,
                ("UR_ADAPTERS_SEARCH_PATH", path),
                ("ONEAPI_DEVICE_SELECTOR", selector),
                ("UR_LOADER_PRELOAD_FILTER", filter),
            ];
            let seen = probe(&variables, &["init"]);
            let loaded: Vec<_> = seen
                .log
                .lines()
                .filter_map(|line| line.split_once("loaded adapter ")?.1.rsplit_once("libur_adapter_"))
                .map(|(_, name)| name.trim_end_matches(".so.0"))
                .collect();
            assert_eq!(loaded.join(" "), wanted, "{selector} {filter}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn intels_adapters() {
    let (Some(new), Some(old)) = (client_file("v2026.2/lib"), client_file("v2026.1/lib")) else {
        return;
    };
    for name in ["libur_adapter_level_zero.so.0", "libur_adapter_level_zero_v2.so.0"] {
        let path = new.join(name);
        let seen = probe(
            &[INFO, ("UR_ADAPTERS_FORCE_LOAD", path.to_str().unwrap())],
            &["init", "adapters", "select"],
        );
        seen.logged(&["loaded adapter", name]);
        assert_eq!(seen.lines[1], "adapters: 0 []", "without a driver");
    }
    for name in ["libur_adapter_opencl.so.0", "libur_adapter_level_zero.so.0"] {
        let path = old.join(name);
        let seen = probe(
            &[("UR_ADAPTERS_FORCE_LOAD", path.to_str().unwrap())],
            &["init", "adapters"],
        );
        assert_eq!(seen.lines[1], "adapters: 0 []");
        seen.logged(&[
            "<LOADER>[ERROR]",
            "release 2026.1 or an older one",
            "Use the adapter of release 2026.2",
        ]);
    }
}

/// An environment with the libraries of the Python package. Returns its folder and the path of the loader.
fn python_environment(name: &str) -> (PathBuf, PathBuf) {
    let environment = folder(name);
    let package = environment.join("lib/python3.11/site-packages/oxur/lib");
    std::fs::create_dir_all(&package).unwrap();
    let own = install(&loader(), &package, "libur_loader.so.0");
    install(&plain_adapter(), &package, "libur_adapter_opencl.so.0");
    install(
        &plain_adapter(),
        &environment.join("lib"),
        "libur_adapter_native_cpu.so.0",
    );
    (environment, own.into())
}

#[test]
fn the_cpu_adapter_of_the_python_package() {
    let (environment, own) = python_environment("package");
    for (wish, order) in [
        ("", ["opencl", "native_cpu"]),
        ("fallback", ["opencl", "native_cpu"]),
        ("prefer", ["native_cpu", "opencl"]),
    ] {
        // It belongs to the backend opencl, whatever its file name says.
        let variables = [("OXUR_CPU", wish), ("ONEAPI_DEVICE_SELECTOR", "opencl:*"), INFO];
        let seen = probe_with(&own, &variables, &["init", "adapters"]);
        assert_eq!(
            seen.lines[1], "adapters: 2 [UR_BACKEND_OPENCL, UR_BACKEND_OPENCL]",
            "{wish}"
        );
        let loaded = seen.log.lines().filter(|line| line.contains("loaded adapter"));
        for (line, name) in loaded.zip(order) {
            assert!(
                line.ends_with(&format!("libur_adapter_{name}.so.0")),
                "{wish}: {line} is not {name}"
            );
        }
    }
    std::fs::remove_dir_all(environment).unwrap();
}

#[test]
fn the_cuda_adapter_of_the_python_packages() {
    let (environment, own) = python_environment("package-cuda");
    let cuda = install(&plain_adapter(), &environment.join("lib"), "libur_adapter_cuda.so.0");
    let seen = probe_with(&own, &[INFO], &["init", "adapters"]);
    assert!(seen.lines[1].starts_with("adapters: 3 "), "{:?}", seen.lines);
    let first = seen.log.lines().find(|line| line.contains("loaded adapter"));
    assert!(first.is_some_and(|line| line.ends_with(&cuda)), "{}", seen.log);
    std::fs::remove_dir_all(environment).unwrap();
}

#[test]
fn opencl_drivers_whose_cpus_take_no_spirv_come_later() {
    let (environment, own) = python_environment("useless");
    let package = own.parent().unwrap();
    const LATER: &str = "the CPU adapter comes before the OpenCL adapter";
    // Only adapters of this project are queried.
    let seen = probe_with(&own, &[INFO], &["init", "adapters"]);
    assert!(!seen.log.contains(LATER), "{}", seen.log);
    install(&legacy_adapter(), package, "libur_adapter_opencl.so.0");
    for (wish, il, later) in [
        ("", "SPIR-V_1.2", false),
        ("", "", true),
        ("fallback", "", true),
        ("prefer", "", false),
    ] {
        let seen = probe_with(
            &own,
            &[("OXUR_CPU", wish), ("OXUR_TEST_IL", il), INFO],
            &["init", "adapters"],
        );
        assert!(seen.lines[1].starts_with("adapters: 2 "), "{:?}", seen.lines);
        assert_eq!(seen.log.contains(LATER), later, "{wish} {il}: {}", seen.log);
    }
    std::fs::remove_dir_all(environment).unwrap();
}

/// Installs a copy of the test adapter that reports version 0.11.0.
fn install_older(folder: &Path, name: &str) -> String {
    let path = install(&legacy_adapter(), folder, name);
    let mut bytes = std::fs::read(&path).unwrap();
    let own = concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes();
    let older = format!("{:<1$}", "0.11.0\0", own.len());
    let mut patched = 0;
    for at in 0..bytes.len() - own.len() {
        if bytes[at..].starts_with(own) {
            bytes[at..at + own.len()].copy_from_slice(older.as_bytes());
            patched += 1;
        }
    }
    assert!(patched > 0);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Whoever sets a variable is told that its value is ignored, without a log.
#[test]
fn a_switch_that_is_neither_on_nor_off() {
    let folder = folder("switch");
    install(&plain_adapter(), &folder, "libur_adapter_opencl.so.0");
    let path = ("UR_ADAPTERS_SEARCH_PATH", folder.to_str().unwrap());
    for name in [
        "UR_LOADER_PRELOAD_FILTER",
        "UR_ADAPTERS_DEEP_BIND",
        "UR_ENABLE_LOADER_INTERCEPT",
    ] {
        let seen = probe(&[path, (name, "perhaps")], &["init", "adapters"]);
        assert_eq!(seen.lines, ["init: ok", "adapters: 1 [UR_BACKEND_OPENCL]"]);
        let line = format!("oxur: {name}=perhaps is ignored: it is `1` or `0`");
        assert_eq!(
            seen.log.lines().filter(|other| *other == line).count(),
            1,
            "{}",
            seen.log
        );
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_adapter_of_another_version_is_told_of() {
    let folder = folder("versions");
    let (own, older) = (
        install(&legacy_adapter(), &folder, "own.so"),
        install_older(&folder, "older.so"),
    );
    let seen = probe(&[("UR_ADAPTERS_FORCE_LOAD", &older), INFO], &["init", "launch"]);
    seen.logged(&["<LOADER>[WARNING]", &older, "oxur 0.11.0", env!("CARGO_PKG_VERSION")]);
    // The message appears without a log, too.
    let without_log = probe(&[("UR_ADAPTERS_FORCE_LOAD", &older)], &["init"]);
    without_log.logged(&[
        "oxur: adapter ",
        &older,
        "belongs to oxur 0.11.0",
        "Use both from one installation",
    ]);
    // Interfaces that need equal versions of loader and adapter are not used.
    assert!(seen.lines[1].starts_with("launch: launch of 1"), "{:?}", seen.lines);
    let seen = probe(&[("UR_ADAPTERS_FORCE_LOAD", &own), INFO], &["init", "launch"]);
    assert!(!seen.log.contains("[WARNING]"), "{}", seen.log);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn one_adapter_of_two_installations_is_loaded_once() {
    let folder = folder("installations");
    let first = install_older(&folder, "libur_adapter_native_cpu.so.0");
    let second = install(&legacy_adapter(), &folder, "libur_adapter_cpu.so.0");
    let path = ("UR_ADAPTERS_SEARCH_PATH", folder.to_str().unwrap());
    let seen = probe(&[path, INFO], &["init", "adapters"]);
    assert_eq!(seen.lines, ["init: ok", "adapters: 1 [UR_BACKEND_OPENCL]"]);
    seen.logged(&["<LOADER>[WARNING]", &second, "skipped", &first, "oxur 0.11.0"]);
    // A user who names both gets both.
    let list = format!("{first},{second}");
    let seen = probe(&[("UR_ADAPTERS_FORCE_LOAD", &list), INFO], &["init", "adapters"]);
    assert!(seen.lines[1].starts_with("adapters: 2 "), "{:?}", seen.lines);
    std::fs::remove_dir_all(folder).unwrap();
}
