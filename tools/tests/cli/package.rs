// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The command of the Python package.

use super::*;

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

/// What the package for NVIDIA GPUs adds to an environment.
#[test]
fn the_package_for_nvidia_gpus() {
    let place = package("package-cuda");
    let adapter = place.path("lib/libur_adapter_cuda.so.0");
    let opencl = place.path("lib/libur_adapter_opencl.so.0");
    let dry_run = |options: &[&str]| {
        let arguments = [&["run", "--dry-run"], options, &["--", "true"]].concat();
        text(&place.oxur(&arguments).stderr)
    };
    assert!(!dry_run(&[]).contains("libur_adapter_cuda"));
    fs::copy(&opencl, &adapter).expect("a copy");
    place.library("lib/liboxur_onemkl_preload.so", "int nothing;", &[]);
    let preload = place.path("lib/liboxur_onemkl_preload.so");
    for options in [&[][..], &["--adapter", "cuda"]] {
        let err = dry_run(options);
        assert!(err.contains(&adapter.display().to_string()), "{err}");
        assert!(
            err.contains(&format!("oxur: LD_PRELOAD={}\n", preload.display())),
            "{err}"
        );
    }
    assert!(!dry_run(&["--adapter", "opencl"]).contains("LD_PRELOAD"));
    let out = text(&place.oxur(&["doctor"]).stdout);
    assert!(out.contains(&format!("adapter cuda: {}", adapter.display())), "{out}");
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
