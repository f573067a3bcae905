// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of the `oxur` command, on libraries that the tests build: small ELF files from the C compiler.

mod doctor;
mod graph;
mod package;
mod run;
mod shell;
mod warm;

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

/// Asserts that a call fails with this code and a message that contains `says`.
fn fails(place: &Place, arguments: &[&str], code: i32, says: &str) {
    let output = place.oxur(arguments);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{err}");
    assert!(err.contains(says), "{err}");
}
