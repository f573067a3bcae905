// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur run`: which libraries a program gets.

use super::*;

#[test]
fn run_under_a_libsycl_that_takes_a_loader() {
    let place = Place::new("old").with_libraries().with_old_libsycl();
    let sycl = place.path("env/lib/libsycl.so.9");
    let output = place.oxur(&["run", "--libsycl", &sycl.to_string_lossy(), "--", &place.python()]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(7), "ends as its command: {err}");
    let lib = place.path("lib");
    assert!(
        out.contains(&format!("adapters={}", lib.join("libur_adapter_opencl.so.0").display())),
        "{out}"
    );
    assert!(out.contains(&format!("path={}", lib.display())), "{out}");
    assert!(err.contains("imports 1 functions from the loader"), "{err}");
}

#[test]
fn run_under_a_libsycl_with_its_own_loader() {
    let place = Place::new("new").with_libraries();
    place.library("env/lib/libsycl.so.9", "int piVersion;", &[]);
    let sycl = place.path("env/lib/libsycl.so.9");
    let output = place.oxur(&["run", "--libsycl", &sycl.to_string_lossy(), "--", &place.python()]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(
        out.contains("libur_adapter_opencl.so.0 path=\n"),
        "no LD_LIBRARY_PATH: {out}"
    );
    assert!(err.contains("2026.2"), "{err}");
}

#[test]
fn finds_the_libsycl_of_a_linked_program() {
    let place = Place::new("linked").with_libraries().with_old_libsycl();
    let program = place.program("env/lib/libsycl.so.9");
    let output = place.oxur(&["run", "--dry-run", "--", &program.to_string_lossy()]);
    let err = text(&output.stderr);
    assert!(
        err.contains(&format!("libsycl: {}", place.path("env/lib/libsycl.so.9").display())),
        "{err}"
    );
    // And through a link and a script, which start the tools of an environment.
    let (link, script) = (place.path("bin/link"), place.path("bin/script"));
    symlink(&program, &link).expect("a link");
    fs::write(&script, format!("#!{}\n", program.display())).expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("permissions");
    for command in [link, script] {
        let err = text(
            &place
                .oxur(&["run", "--dry-run", "--", &command.to_string_lossy()])
                .stderr,
        );
        assert!(err.contains("imports 1 functions"), "{}: {err}", command.display());
    }
}

#[test]
fn a_libsycl_that_the_loader_refuses() {
    let place = Place::new("refused").with_libraries();
    let source = "__attribute__((weak)) extern int urCommandBufferReleaseCommandExp; \
                  int *f(void) { return &urCommandBufferReleaseCommandExp; }";
    place.library("env/lib/libsycl.so.8", source, &[]);
    let says = "libsycl.so.8 is libsycl.so.8, of release 2025.1 or older";
    let (sycl, program) = (
        place.path("env/lib/libsycl.so.8"),
        place.program("env/lib/libsycl.so.8"),
    );
    let (sycl, program) = (sycl.to_string_lossy(), program.to_string_lossy());
    fails(&place, &["run", "--libsycl", &sycl, "--", "true"], 1, says);
    fails(&place, &["run", "--", &program], 1, says);
    fails(&place, &["run", "--", &program], 1, "intel-sycl-rt 2025.2 or newer");
    let output = place.oxur(&["doctor", "--", &program]);
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{out}");
    assert!(
        out.contains(&format!("PROBLEM  {}", place.path("env/lib").display())),
        "{out}"
    );
    assert!(out.contains("use intel-sycl-rt 2025.2"), "{out}");
}

#[test]
fn the_drivers_of_the_environment_count() {
    let place = Place::new("drivers").with_libraries().with_old_libsycl();
    for name in ["libOpenCL.so.1", "libintelocl.so"] {
        place.library(&format!("env/lib/{name}"), "int nothing;", &[]);
    }
    let sycl = place.path("env/lib/libsycl.so.9");
    let err = text(
        &place
            .oxur(&["run", "--dry-run", "--libsycl", &sycl.to_string_lossy(), "--", "true"])
            .stderr,
    );
    let (lib, beside) = (place.path("lib"), place.path("env/lib"));
    assert!(
        err.contains(&format!("LD_LIBRARY_PATH={}:{}\n", lib.display(), beside.display())),
        "{err}"
    );
    assert!(
        err.contains(&format!(
            "OCL_ICD_FILENAMES={}",
            beside.join("libintelocl.so").display()
        )),
        "{err}"
    );
}

#[test]
fn the_cpu_adapter_is_taken_where_no_driver_is() {
    let place = Place::new("default").with_libraries().with_old_libsycl();
    fs::copy(
        place.path("lib/libur_adapter_opencl.so.0"),
        place.path("lib/libur_adapter_cpu.so.0"),
    )
    .expect("an adapter");
    let hidden = [
        ("OCL_ICD_FILENAMES", "/nonexistent"),
        ("OCL_ICD_VENDORS", "/nonexistent"),
    ];
    let run = |options: &[&str]| {
        let arguments: Vec<_> = ["run", "--dry-run"]
            .iter()
            .chain(options)
            .chain(&["--", "true"])
            .copied()
            .collect();
        text(&place.oxur_with(&hidden, &arguments).stderr)
    };
    let (cpu, opencl) = (
        place.path("lib/libur_adapter_cpu.so.0"),
        place.path("lib/libur_adapter_opencl.so.0"),
    );
    let err = run(&["--validate"]);
    assert!(
        err.contains("oxur: UR_ENABLE_LAYERS=UR_LAYER_FULL_VALIDATION\n"),
        "{err}"
    );
    assert!(err.contains("oxur: UR_LOG_VALIDATION=level:info;"), "{err}");
    let err = run(&[]);
    assert!(!err.contains("LAYER"), "{err}");
    assert!(
        err.contains(&format!("UR_ADAPTERS_FORCE_LOAD={}\n", cpu.display())),
        "{err}"
    );
    assert!(err.contains("no OpenCL driver has a device"), "{err}");
    let err = run(&["--adapter", "opencl", "--adapter", "cpu"]);
    assert!(
        err.contains(&format!("FORCE_LOAD={},{}\n", opencl.display(), cpu.display())),
        "{err}"
    );
    let out = text(&place.oxur_with(&hidden, &["doctor"]).stdout);
    assert!(!out.contains("PROBLEM  there is"), "OpenCL is dispensable: {out}");
    assert!(out.contains("note     there is"), "{out}");
}

/// A place with a CPU adapter and the library that is preloaded for `--as-gpu`.
pub fn as_gpu_place(name: &str) -> Place {
    let place = Place::new(name).with_libraries().with_old_libsycl();
    let adapter = place.path("lib/libur_adapter_opencl.so.0");
    fs::copy(adapter, place.path("lib/libur_adapter_cpu.so.0")).expect("an adapter");
    place.library("lib/liboxur_as_gpu_preload.so", "int nothing;", &[]);
    place
}

#[test]
fn as_gpu_sets_what_shows_the_cpu_as_a_gpu() {
    let place = as_gpu_place("as-gpu");
    let run = |variables: &[(&str, &str)], options: &[&str]| {
        let arguments: Vec<_> = ["run", "--dry-run"]
            .iter()
            .chain(options)
            .chain(&["--", "true"])
            .copied()
            .collect();
        text(&place.oxur_with(variables, &arguments).stderr)
    };
    let (cpu, preload) = (
        place.path("lib/libur_adapter_cpu.so.0"),
        place.path("lib/liboxur_as_gpu_preload.so"),
    );
    let err = run(&[], &["--as-gpu"]);
    for line in [
        // Regardless of the drivers: another adapter's CPU would remain a CPU.
        format!("UR_ADAPTERS_FORCE_LOAD={}\n", cpu.display()),
        format!("LD_PRELOAD={}\n", preload.display()),
        "UR_CPU_DEVICE_TYPE=gpu\n".into(),
    ] {
        assert!(err.contains(&format!("oxur: {line}")), "{line}: {err}");
    }
    assert!(err.contains("the CPU is a GPU for libggml-sycl*, libonedal*"), "{err}");
    let err = run(
        &[("LD_PRELOAD", "/lib/other.so /old/liboxur_as_gpu_preload.so")],
        &["--as-gpu=liba*,libb"],
    );
    assert!(err.contains("oxur: UR_CPU_DEVICE_TYPE=gpu:liba,libb\n"), "{err}");
    assert!(
        err.contains(&format!("LD_PRELOAD={}:/lib/other.so\n", preload.display())),
        "{err}"
    );
    assert!(
        err.contains("a GPU for liba*, libb*, and a CPU for all other libraries"),
        "{err}"
    );
    // The variable alone has the same effect. The option overrides it.
    let variable = [("UR_CPU_DEVICE_TYPE", "gpu:liba")];
    assert!(run(&variable, &[]).contains("UR_CPU_DEVICE_TYPE=gpu:liba\n"));
    assert!(run(&variable, &["--as-gpu=libb"]).contains("UR_CPU_DEVICE_TYPE=gpu:libb\n"));
    assert!(!run(&[("UR_CPU_DEVICE_TYPE", "cpu")], &["--adapter", "cpu"]).contains("LD_PRELOAD"));
}

#[test]
fn the_cuda_adapter_comes_with_onemkl_for_nvidia_gpus() {
    let place = Place::new("onemkl").with_libraries().with_old_libsycl();
    let adapter = place.path("lib/libur_adapter_opencl.so.0");
    fs::copy(adapter, place.path("lib/libur_adapter_cuda.so.0")).expect("an adapter");
    let run = |variables: &[(&str, &str)], adapter: &str| {
        let arguments = ["run", "--dry-run", "--adapter", adapter, "--", "true"];
        text(&place.oxur_with(variables, &arguments).stderr)
    };
    // A build without oneMKL's libraries has none.
    assert!(!run(&[], "cuda").contains("LD_PRELOAD"));
    fs::create_dir(place.path("lib/onemkl")).expect("a folder");
    place.library("lib/onemkl/liboxur_onemkl_preload.so", "int nothing;", &[]);
    let preload = place.path("lib/onemkl/liboxur_onemkl_preload.so");
    let err = run(&[], "cuda");
    assert!(
        err.contains(&format!("oxur: LD_PRELOAD={}\n", preload.display())),
        "{err}"
    );
    let others = [("LD_PRELOAD", "/lib/other.so:/old/liboxur_onemkl_preload.so")];
    let err = run(&others, "cuda");
    assert!(
        err.contains(&format!("oxur: LD_PRELOAD={}:/lib/other.so\n", preload.display())),
        "{err}"
    );
    assert!(!run(&others, "opencl").contains("oxur: LD_PRELOAD"));
}

#[test]
fn failures_of_as_gpu() {
    let place = as_gpu_place("as-gpu-failures");
    let run = |option| ["run", option, "--", "true"];
    fails(&place, &run("--as-gpu="), 1, "names of libraries");
    fails(&place, &run("--as-gpu=/lib/a.so"), 1, "without a folder");
    let opencl = ["run", "--as-gpu", "--adapter", "opencl", "--", "true"];
    fails(&place, &opencl, 1, "add `--adapter cpu`");
    let output = place.oxur_with(&[("UR_CPU_DEVICE_TYPE", "GPU")], &["run", "--", "true"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("UR_CPU_DEVICE_TYPE=GPU is ignored"));
    fs::remove_file(place.path("lib/liboxur_as_gpu_preload.so")).expect("removed");
    fails(&place, &run("--as-gpu"), 1, "liboxur_as_gpu_preload.so is missing");
}

#[test]
fn failures_of_run() {
    let place = Place::new("failures");
    fails(&place, &["run", "--", "true"], 1, "OXUR_LIB");
    fails(&place, &["run"], 2, "Usage");
    let place = place.with_libraries();
    place.library("lib/libur_adapter_old.so.0", "int urGetAdapterProcAddrTable;", &[]);
    fails(
        &place,
        &["run", "--", "no-such-command-anywhere"],
        127,
        "command not found",
    );
    fails(
        &place,
        &["run", "--adapter", "cuda", "--", "true"],
        1,
        "there are: old, opencl",
    );
    fails(
        &place,
        &["run", "--adapter", "old", "--", "true"],
        1,
        "2026.1 or before",
    );
    fails(
        &place,
        &["run", "--adapter", "/no/such/file", "--", "true"],
        1,
        "missing",
    );
    fails(
        &place,
        &["run", "--libsycl", "/bin/true", "--", "true"],
        1,
        "not a libsycl",
    );
    let script = place.path("bin/script");
    fs::write(&script, "#!/no/such/interpreter\n").expect("a file");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("permissions");
    fails(
        &place,
        &["run", "--adapter", "opencl", "--", &script.to_string_lossy()],
        126,
        "script",
    );
}
