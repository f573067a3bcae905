// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of `oxur run --level-zero`, on files that have only the names of our libraries.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PRINT: &str = "echo path=$LD_LIBRARY_PATH drivers=$ZE_ENABLE_ALT_DRIVERS adapters=$UR_ADAPTERS_FORCE_LOAD \
                     selector=$ONEAPI_DEVICE_SELECTOR layers=$UR_ENABLE_LAYERS; exit 7";

/// A folder with a copy of the command in bin/ and libraries in lib/.
fn place(name: &str, libraries: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&root);
    for folder in ["bin", "lib/level-zero"] {
        fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    let root = root.canonicalize().expect("the folder");
    fs::copy(env!("CARGO_BIN_EXE_oxur"), root.join("bin/oxur")).expect("the command");
    for library in libraries {
        fs::write(root.join("lib").join(library), "").expect("a file");
    }
    root
}

fn whole(name: &str) -> PathBuf {
    let root = place(name, &["libur_loader.so.0", "libze_oxur_cpu.so.1"]);
    symlink("../libze_oxur_cpu.so.1", root.join("lib/level-zero/libze_loader.so.1")).expect("a link");
    root
}

fn oxur(root: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    Command::new(root.join("bin/oxur"))
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .envs(variables.iter().copied())
        .output()
        .expect("the command runs")
}

#[test]
fn a_program_gets_the_driver_and_nothing_else() {
    let root = whole("level-zero");
    let lib = root.join("lib");
    let expected = |rest: &str| {
        format!(
            "path={0}/level-zero{rest} drivers={0}/libze_oxur_cpu.so.1 adapters= selector=level_zero:* layers=",
            lib.display()
        )
    };
    let selector = ("ONEAPI_DEVICE_SELECTOR", "level_zero:*");
    let run = ["run", "--level-zero", "--", "sh", "-c", PRINT];
    let output = oxur(&root, &[selector], &run);
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected(""));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("ZE_ENABLE_ALT_DRIVERS=") && said.contains("LD_LIBRARY_PATH="),
        "{said}"
    );

    // The user's folders stay, after ours, and ours appears once.
    let path = format!("/a:{}/level-zero:/b", lib.display());
    let output = oxur(&root, &[selector, ("LD_LIBRARY_PATH", &path)], &run);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected(":/a:/b"));

    let output = oxur(
        &root,
        &[selector],
        &["run", "--level-zero", "--validate", "--", "sh", "-c", PRINT],
    );
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.trim().ends_with("layers=UR_LAYER_FULL_VALIDATION"), "{out}");
}

#[test]
fn failures() {
    let fails = |root: &Path, arguments: &[&str], code, says: &str| {
        let output = oxur(root, &[], arguments);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{err}");
        assert!(err.contains(says), "{err}");
    };
    let run = ["run", "--level-zero", "--", "true"];
    let root = place("no-level-zero", &["libur_loader.so.0"]);
    fails(&root, &run, 1, "libze_oxur_cpu.so.1 is missing");
    let root = place("no-level-zero-loader", &["libur_loader.so.0", "libze_oxur_cpu.so.1"]);
    fails(&root, &run, 1, "libze_loader.so.1 is missing");
    let root = whole("level-zero-as-gpu");
    fails(
        &root,
        &["run", "--level-zero", "--as-gpu", "--", "true"],
        2,
        "cannot be used with",
    );
    fails(
        &root,
        &["run", "--level-zero", "--", "no-such-command"],
        127,
        "command not found",
    );
}
