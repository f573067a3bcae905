// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of the `oxur` command, on libraries that the tests build: small ELF files from the C compiler.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with a copy of the command in bin/ and fake libraries in lib/.
struct Place {
    root: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&root);
        for folder in ["bin", "lib", "env/bin", "env/lib"] {
            fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        let root = root.canonicalize().expect("the folder");
        fs::hard_link(env!("CARGO_BIN_EXE_oxur"), root.join("bin/oxur"))
            .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_oxur"), root.join("bin/oxur")).map(|_| ()))
            .expect("the command");
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Compiles a library.
    fn library(&self, name: &str, source: &str, options: &[&str]) {
        let source_file = self.path("source.c");
        fs::write(&source_file, source).expect("the source");
        let path = self.path(name);
        let soname = path.file_name().expect("a name").to_string_lossy().into_owned();
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-nostdlib", "-o"])
            .arg(&path)
            .arg(&source_file)
            .arg(format!("-Wl,-soname,{soname}"))
            .args(options)
            .status()
            .expect("a C compiler");
        assert!(status.success());
    }

    /// Adds the loader and an adapter of the current layout.
    fn with_libraries(self) -> Self {
        let versions = self.path("versions");
        fs::write(&versions, "LIBUR_LOADER_0.12 { global: ur*; local: *; };").expect("the script");
        let script = format!("-Wl,--version-script={}", versions.display());
        self.library("lib/libur_loader.so.0", "int urLoaderInit, urAdapterGet;", &[&script]);
        let adapter = "int urGetAdapterProcAddrTable, urGetEventExpProcAddrTable;";
        self.library("lib/libur_adapter_opencl.so.0", adapter, &[]);
        self
    }

    /// Adds a libsycl of 2026.1, which imports functions from the loader next to it.
    fn with_old_libsycl(self) -> Self {
        fs::copy(
            self.path("lib/libur_loader.so.0"),
            self.path("env/lib/libur_loader.so.0"),
        )
        .expect("a loader");
        let loader = self.path("env/lib/libur_loader.so.0");
        let source = "extern int urAdapterGet; int *f(void) { return &urAdapterGet; }";
        self.library(
            "env/lib/libsycl.so.9",
            source,
            &[&loader.to_string_lossy(), "-Wl,-rpath,$ORIGIN"],
        );
        self
    }

    /// A program that is linked to this libsycl, as `env/bin/program`.
    fn program(&self, libsycl: &str) -> PathBuf {
        let (source, program) = (self.path("main.c"), self.path("env/bin/program"));
        fs::write(&source, "int *f(void); int main(void) { return f() == 0; }").expect("the source");
        let status = Command::new("cc")
            .arg(&source)
            .arg("-o")
            .arg(&program)
            .arg(self.path(libsycl))
            .arg("-Wl,-rpath,$ORIGIN/../lib")
            .status()
            .expect("a C compiler");
        assert!(status.success());
        program
    }

    fn oxur(&self, arguments: &[&str]) -> Output {
        self.oxur_with(&[], arguments)
    }

    fn oxur_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
        Command::new(self.path("bin/oxur"))
            .args(arguments)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .envs(variables.iter().copied())
            .output()
            .expect("the command runs")
    }

    /// A script as in a Python environment, next to the environment's lib folder.
    fn python(&self) -> String {
        let path = self.path("env/bin/python3");
        fs::write(
            &path,
            "#!/bin/sh\necho adapters=$UR_ADAPTERS_FORCE_LOAD path=$LD_LIBRARY_PATH\nexit 7\n",
        )
        .expect("it");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        path.to_string_lossy().into_owned()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

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
    let source = "__attribute__((weak)) extern int urEnqueueCooperativeKernelLaunchExp; \
                  int *f(void) { return &urEnqueueCooperativeKernelLaunchExp; }";
    place.library("env/lib/libsycl.so.8", source, &[]);
    let says = "libsycl.so.8 is libsycl.so.8, of release 2025.2 or older";
    let (sycl, program) = (
        place.path("env/lib/libsycl.so.8"),
        place.program("env/lib/libsycl.so.8"),
    );
    let (sycl, program) = (sycl.to_string_lossy(), program.to_string_lossy());
    fails(&place, &["run", "--libsycl", &sycl, "--", "true"], 1, says);
    fails(&place, &["run", "--", &program], 1, says);
    fails(&place, &["run", "--", &program], 1, "intel-sycl-rt 2025.3 or newer");
    let output = place.oxur(&["doctor", "--", &program]);
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{out}");
    assert!(
        out.contains(&format!("PROBLEM  {}", place.path("env/lib").display())),
        "{out}"
    );
    assert!(out.contains("use intel-sycl-rt 2025.3"), "{out}");
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
fn as_gpu_place(name: &str) -> Place {
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

/// Asserts that a call fails with this code and a message that contains `says`.
fn fails(place: &Place, arguments: &[&str], code: i32, says: &str) {
    let output = place.oxur(arguments);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{err}");
    assert!(err.contains(says), "{err}");
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

/// A program that writes two graph dumps and exits with this code.
fn drawing(place: &Place, code: u8) -> String {
    let path = place.path("env/bin/draws");
    let source = format!(
        "#!/bin/sh\necho adapters=$UR_ADAPTERS_FORCE_LOAD\nfor n in 10 2; do \
         echo 'digraph g {{ 0 [label=\"a\\nb\", shape=box]; 0 -> 1; }}' > $UR_GRAPH_DUMP/graph-1-$n.dot; done\n\
         exit {code}\n"
    );
    fs::write(&path, source).expect("a program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    path.to_string_lossy().into_owned()
}

#[test]
fn graph_runs_a_program_and_draws() {
    let place = Place::new("graph").with_libraries().with_old_libsycl();
    let sycl = place.path("env/lib/libsycl.so.9").to_string_lossy().into_owned();
    let folder = place.path("new/dumps").to_string_lossy().into_owned();
    let command = drawing(&place, 3);
    let arguments = [
        "graph",
        "--svg",
        "-o",
        &folder,
        "--libsycl",
        &sycl,
        "--adapter",
        "opencl",
        "--",
        &command,
    ];
    let output = place.oxur(&arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "ends as its command: {err}");
    let lines: Vec<_> = out.lines().collect();
    assert!(lines[0].ends_with("libur_adapter_opencl.so.0"), "{out}");
    assert_eq!(
        lines[1..],
        [format!("{folder}/graph-1-2.svg"), format!("{folder}/graph-1-10.svg")]
    );
    assert!(err.contains(&format!("UR_GRAPH_DUMP={folder}\n")), "{err}");
    let svg = fs::read_to_string(lines[1]).expect("a drawing");
    assert_eq!(svg.matches("<g class=\"node\">").count(), 2, "{svg}");

    // The command did not write the existing files.
    let output = place.oxur(&["graph", "-o", &folder, "--adapter", "opencl", "--", "true"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()));
    assert!(
        text(&output.stderr).contains("instantiated no graph"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn graph_draws_files() {
    let place = Place::new("files");
    let (good, bad) = (place.path("good.dot"), place.path("bad.dot"));
    fs::write(&good, "digraph { a -> b }").expect("a file");
    fs::write(&bad, "digraph { a -> ").expect("a file");
    let (good, bad) = (good.to_string_lossy(), bad.to_string_lossy());
    let output = place.oxur(&["graph", "--svg", &bad, &good]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout).trim(), place.path("good.svg").to_string_lossy());
    let err = text(&output.stderr);
    assert!(err.starts_with(&format!("oxur: {bad}: not a graph")), "{err}");
    fails(&place, &["graph", "--svg", "/no/such/file"], 1, "/no/such/file");
    fails(&place, &["graph", &good], 2, "--svg");
    fails(
        &place,
        &["graph", "--svg", &good, "--", "true"],
        2,
        "cannot be used with",
    );
    fails(&place, &["graph"], 2, "Usage");
}

/// The Python package's command, in an environment that also has another loader.
fn package(name: &str) -> Place {
    let place = Place::new(name).with_libraries();
    let package = place.path("lib/python3.11/site-packages/oxur/lib");
    fs::create_dir_all(&package).expect("a folder");
    for library in ["libur_loader.so.0", "libur_adapter_opencl.so.0"] {
        fs::copy(place.path("lib").join(library), package.join(library)).expect("a copy");
    }
    fs::write(package.join("../__init__.py"), "").expect("the module");
    place
}

/// A tree with this name that is not the Python package, such as `/usr/lib/oxur` of the Debian package.
#[test]
fn a_tree_called_oxur_is_no_python_package() {
    let place = Place::new("tree/oxur").with_libraries();
    let out = text(&place.oxur(&["doctor"]).stdout);
    let own = place.path("lib");
    assert!(
        out.contains(&format!("oxur's libraries are in {}", own.display())),
        "{out}"
    );
    assert!(!out.contains("the CPU adapter is missing"), "{out}");
}

#[test]
fn the_libraries_of_the_python_package() {
    let place = package("package");
    let doctor = || text(&place.oxur(&["doctor"]).stdout);
    let own = place.path("lib/python3.11/site-packages/oxur/lib");
    assert!(doctor().contains(&format!("oxur's libraries are in {}", own.display())));
    assert!(doctor().contains("PROBLEM  the CPU adapter is missing from the environment's lib folder"));

    let adapter = place.path("lib/libur_adapter_native_cpu.so.0");
    fs::copy(own.join("libur_adapter_opencl.so.0"), &adapter).expect("a copy");
    let out = doctor();
    assert!(
        out.contains(&format!("adapter cpu: {}", adapter.display())),
        "by its own name: {out}"
    );
    assert!(out.contains("this environment has no libsycl"), "{out}");

    place.library("lib/libsycl.so.9", "int piVersion;", &[]);
    let out = doctor();
    assert!(out.contains("libsycl.so.9 finds our CPU adapter next to it"), "{out}");
    let loader = place.path("lib/libur_loader.so.0");
    let source = "extern int urAdapterGet; int *f(void) { return &urAdapterGet; }";
    place.library("lib/libsycl.so.9", source, &[&loader.to_string_lossy()]);
    let out = doctor();
    assert!(
        out.contains("libsycl.so.9 uses our loader in Python programs; in other programs its own loader finds"),
        "{out}"
    );
    fs::remove_file(place.path("lib/libsycl.so.9")).expect("the library is there");
    place.library("lib/libsycl.so.8", source, &[&loader.to_string_lossy()]);
    let out = doctor();
    assert!(
        out.contains("libsycl.so.8 uses our loader in Python programs; other programs need `oxur run`"),
        "{out}"
    );
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

/// The completions that bash offers for these words. The last one is incomplete.
fn completed(place: &Place, words: &[&str]) -> Vec<String> {
    let script = place.path("completions");
    fs::write(&script, place.oxur(&["completions", "bash"]).stdout).expect("the script");
    let [.., before, word] = words else {
        panic!("the command and a word")
    };
    let output = Command::new("bash")
        .args(["--norc", "-c"])
        .arg("source \"$1\"; COMP_WORDS=(\"${@:4}\"); COMP_CWORD=$(($# - 4)); _oxur oxur \"$2\" \"$3\"; printf '%s\\n' \"${COMPREPLY[@]}\"")
        .arg("bash")
        .args([script.as_os_str()])
        .args([word, before])
        .args(words)
        .output()
        .expect("bash");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        text(&output.stderr)
    );
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn completions_offer_what_there_is() {
    let place = Place::new("completions");
    assert_eq!(
        completed(&place, &["oxur", "c"]),
        ["cache", "completions"],
        "the commands"
    );
    assert_eq!(completed(&place, &["oxur", "cache", "i"]), ["info"]);
    assert_eq!(completed(&place, &["oxur", "completions", "z"]), ["zsh"]);
    assert_eq!(completed(&place, &["oxur", "run", "--dr"]), ["--dry-run"]);
    for hidden in [&["oxur", "opencl"][..], &["oxur", "man"], &["oxur", "doctor", "--in"]] {
        assert_eq!(completed(&place, hidden), [""; 1], "{hidden:?} is hidden");
    }
    for (shell, begins) in [("zsh", "#compdef oxur\n"), ("fish", "# Print an optspec")] {
        let output = place.oxur(&["completions", shell]);
        let out = text(&output.stdout);
        assert!(output.status.success() && out.starts_with(begins), "{out}");
        for word in ["cache", "graph", "libsycl", "completions"] {
            assert!(out.contains(word), "{word} for {shell}");
        }
        for hidden in ["opencl-offer", "man-pages", "inside"] {
            assert!(!out.contains(hidden), "{hidden} for {shell}");
        }
    }
}

#[test]
fn man_pages_of_all_commands() {
    let place = Place::new("man");
    let folder = place.path("share/man1");
    let output = place.oxur(&["man-pages", &folder.to_string_lossy()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut names: Vec<_> = fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    let pages = [
        "cache-clear.1",
        "cache-info.1",
        "cache.1",
        "completions.1",
        "doctor.1",
        "graph.1",
        "info.1",
        "run.1",
    ];
    let mut expected = pages.map(|page| format!("oxur-{page}")).to_vec();
    expected.push("oxur.1".into());
    expected.sort();
    assert_eq!(names, expected);
    let page = |name: &str| fs::read_to_string(folder.join(name)).expect("a page");
    let main = page("oxur.1");
    assert!(
        main.contains(".TH oxur 1") && main.contains("oxur\\-cache(1)"),
        "{main}"
    );
    assert!(!main.contains("offer"), "{main}");
    let graph = page("oxur-graph.1");
    for part in ["\\-\\-svg", "\\-\\-libsycl", "Graphviz"] {
        assert!(graph.contains(part), "{part}: {graph}");
    }
    // A file where the folder should be.
    fails(
        &place,
        &["man-pages", &folder.join("oxur.1").to_string_lossy()],
        1,
        "name a folder",
    );
}

#[test]
fn a_reader_may_go() {
    let place = Place::new("a_reader_may_go");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(place.path("bin/oxur"));
    let output = command.args(["completions", "bash"]).stdout(writer).output();
    let output = output.expect("the command runs");
    assert_eq!(output.status.signal(), Some(libc::SIGPIPE), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}
