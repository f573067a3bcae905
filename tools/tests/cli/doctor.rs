// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur doctor` and `oxur info`.

use super::*;
use crate::run::as_gpu_place;

#[test]
fn doctor_knows_the_type_of_the_cpu() {
    let place = as_gpu_place("as-gpu-doctor");
    let doctor = |variables: &[(&str, &str)]| text(&place.oxur_with(variables, &["doctor"]).stdout);
    let out = doctor(&[("UR_CPU_DEVICE_TYPE", "gpu:liba")]);
    assert!(
        out.contains("ok       UR_CPU_DEVICE_TYPE: our CPU is a GPU for liba*"),
        "{out}"
    );
    assert!(
        out.contains("note     libsycl gives all libraries the same answer unless"),
        "{out}"
    );
    let preload = place
        .path("lib/liboxur_as_gpu_preload.so")
        .to_string_lossy()
        .into_owned();
    let out = doctor(&[("UR_CPU_DEVICE_TYPE", "gpu"), ("LD_PRELOAD", &preload)]);
    assert!(
        out.contains("a GPU for libggml-sycl*") && !out.contains("the same answer"),
        "{out}"
    );
    let out = doctor(&[("UR_CPU_DEVICE_TYPE", "tpu")]);
    assert!(out.contains("PROBLEM  UR_CPU_DEVICE_TYPE=tpu"), "{out}");
    assert!(!doctor(&[]).contains("UR_CPU_DEVICE_TYPE"));
}

#[test]
fn doctor_looks_for_llvm() {
    let place = as_gpu_place("llvm");
    let doctor = || text(&place.oxur(&["doctor"]).stdout);
    let problem = format!(
        "PROBLEM  liboxur_llvm.so, which {} compiles kernels with, is missing",
        place.path("lib/libur_adapter_cpu.so.0").display()
    );
    let out = doctor();
    assert!(out.contains(&problem), "{out}");
    // The OpenCL adapter leaves compiling to the driver.
    assert_eq!(out.matches("liboxur_llvm.so").count(), 1, "{out}");
    fs::write(place.path("lib/liboxur_llvm.so"), "").expect("a file");
    assert!(!doctor().contains("liboxur_llvm.so"), "{}", doctor());
}

#[test]
fn failures_of_info() {
    let place = Place::new("info").with_libraries();
    let adapter = place.path("lib/libur_adapter_opencl.so.0");
    let output = place.oxur(&["info", "--loader", &adapter.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("not a Unified Runtime loader"),
        "{}",
        text(&output.stderr)
    );
    let output = place.oxur(&["info", "--loader", "/no/such/file"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("cannot load /no/such/file"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn doctor_names_what_is_missing() {
    let place = Place::new("doctor");
    let output = place.oxur(&["doctor", "--", "no-such-command-anywhere"]);
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{out}");
    for part in ["libraries are not found", "no-such-command-anywhere: command not found"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    // Every problem comes with a next step.
    let lines: Vec<_> = out.lines().collect();
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("PROBLEM")) {
        assert!(
            lines
                .get(i + 1)
                .is_some_and(|next| next.trim_start().starts_with("-> ")),
            "{line}"
        );
    }
}

#[test]
fn doctor_reads_forced_adapters_as_the_loader_does() {
    let place = Place::new("forced").with_libraries();
    let adapter = place.path("a,b/adapter.so");
    fs::create_dir(place.path("a,b")).expect("a folder");
    fs::copy(place.path("lib/libur_adapter_opencl.so.0"), &adapter).expect("an adapter");
    let value = format!("'{}', /no/such/file,", adapter.display());
    let out = text(
        &place
            .oxur_with(&[("UR_ADAPTERS_FORCE_LOAD", &value)], &["doctor"])
            .stdout,
    );
    assert!(
        out.contains(&format!("ok       UR_ADAPTERS_FORCE_LOAD: {}\n", adapter.display())),
        "{out}"
    );
    assert!(
        out.contains("PROBLEM  UR_ADAPTERS_FORCE_LOAD: /no/such/file is missing"),
        "{out}"
    );
    assert_eq!(out.matches("UR_ADAPTERS_FORCE_LOAD").count(), 2, "{out}");
}

/// Adapters of two versions of oxur. The linker finds the older one first.
#[test]
fn doctor_finds_two_versions() {
    let place = Place::new("versions").with_libraries();
    let adapter = |name: &str, version: &str| {
        let source = format!(
            "int urGetAdapterProcAddrTable, urGetEventExpProcAddrTable; const char oxurVersion[] = \"{version}\";"
        );
        place.library(name, &source, &[]);
    };
    let name = "libur_adapter_opencl.so.0";
    let (own, old) = (place.path("lib").join(name), place.path("env/lib").join(name));
    adapter(&format!("lib/{name}"), env!("CARGO_PKG_VERSION"));
    adapter(&format!("env/lib/{name}"), "0.11.0");
    let folder = place.path("env/lib").to_string_lossy().into_owned();
    let path = [("LD_LIBRARY_PATH", folder.as_str())];
    let says = |variables: &[(&str, &str)]| text(&place.oxur_with(variables, &["doctor"]).stdout);
    assert!(!says(&[]).contains("0.11.0"));
    let out = says(&path);
    let problem = format!(
        "PROBLEM  two versions of oxur: {} belongs to 0.11.0 and comes before {}",
        old.display(),
        own.display()
    );
    assert!(
        out.contains(&problem) && out.contains(&format!("remove {folder} from LD_LIBRARY_PATH")),
        "{out}"
    );
    let old = old.to_string_lossy();
    let out = says(&[("UR_ADAPTERS_FORCE_LOAD", &*old)]);
    assert!(
        out.contains(&format!(
            "PROBLEM  UR_ADAPTERS_FORCE_LOAD: {old} belongs to oxur 0.11.0"
        )),
        "{out}"
    );

    // Another copy of the same version gets a note.
    adapter(&format!("env/lib/{name}"), env!("CARGO_PKG_VERSION"));
    assert!(says(&path).contains(&format!("note     {old} comes before")));
    // A folder with files of two versions.
    adapter(&format!("lib/{name}"), "0.11.0");
    assert!(says(&[]).contains("belongs to oxur 0.11.0, but this command to"));
}

#[test]
fn doctor_says_what_oxur_cpu_does() {
    let place = Place::new("wish").with_libraries();
    let says = |value| text(&place.oxur_with(&[("OXUR_CPU", value)], &["doctor"]).stdout);
    assert!(says("prefer").contains("ok       OXUR_CPU=prefer: our CPU comes before"));
    assert!(says("off").contains("note     OXUR_CPU=off: our CPU is hidden"));
    assert!(says("on").contains("PROBLEM  OXUR_CPU=on is ignored: it is `fallback`, `prefer` or `off`"));
    assert!(!says("").contains("OXUR_CPU"), "empty is unset");
    let out = text(&place.oxur_with(&[("UR_CPU_TARGET", "x86-64-v9")], &["doctor"]).stdout);
    let line = "PROBLEM  UR_CPU_TARGET=x86-64-v9 is ignored: it is `native`, `x86-64-v2`, `x86-64-v3` or `x86-64-v4`\n";
    assert!(out.contains(line), "{out}");
}
