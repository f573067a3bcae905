// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! LLVM's library: where it is found, what is said if it is not, and that kernels in the cache need none.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[allow(dead_code, reason = "each test uses a part")]
mod support;

const NAME: &str = "liboxur_llvm.so";

const SOURCE: &str = "OpEntryPoint Kernel %kernel \"k\"\n%type = OpTypeFunction %void %global_float\n\
    %kernel = OpFunction %void None %type\n%p = OpFunctionParameter %global_float\n%start = OpLabel\n\
    %x = OpLoad %float %p\n%y = OpFAdd %float %x %x\nOpStore %p %y\nOpReturn\nOpFunctionEnd\n";

/// A copy of the compiler in a folder of its own, without LLVM.
struct Place {
    root: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("llvm-library").join(name);
        _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("bin")).expect("a folder");
        fs::create_dir_all(root.join("lib")).expect("a folder");
        fs::copy(env!("CARGO_BIN_EXE_oxur-compiler"), root.join("bin/oxur-compiler")).expect("the compiler");
        let module = support::assemble(&support::whole(SOURCE), "1.2").expect("a module");
        fs::write(root.join("module.spv"), module).expect("the module");
        Self { root }
    }

    /// Puts LLVM into a folder.
    fn link(&self, folder: &str) {
        let built = Path::new(env!("CARGO_BIN_EXE_oxur-compiler")).with_file_name(NAME);
        symlink(built, self.root.join(folder).join(NAME)).expect("a link");
    }

    /// Compiles the kernel. What the compiler says, and whether the kernel was compiled.
    fn compile(&self, options: &[&str]) -> (String, bool) {
        let text = self.say(self.program().arg("compile").args(options));
        let compiled = !text.contains("failed");
        (text, compiled)
    }

    fn program(&self) -> Command {
        Command::new(self.root.join("bin/oxur-compiler"))
    }

    /// What the compiler says.
    fn say(&self, command: &mut Command) -> String {
        let output = command.arg(self.root.join("module.spv")).output();
        let Output { stdout, stderr, .. } = output.expect("the compiler");
        String::from_utf8([stdout, stderr].concat()).expect("text")
    }
}

#[test]
fn it_is_beside_the_program_or_in_the_folder_of_libraries() {
    for folder in ["bin", "lib", "."] {
        let place = Place::new(&format!("found-{folder}"));
        place.link(folder);
        let (text, compiled) = place.compile(&[]);
        assert!(compiled, "{folder}: {text}");
        // Whoever starts a program says what it was called by.
        let text = place.say(place.program().arg0("/bin/ls").arg("compile"));
        assert!(!text.contains("failed"), "{folder}: {text}");
    }
}

#[test]
fn what_is_missing_is_said() {
    let place = Place::new("missing");
    let (text, compiled) = place.compile(&[]);
    assert!(
        !compiled && text.contains("liboxur_llvm.so, which has LLVM, is missing"),
        "{text}"
    );
    let text = place.say(place.program().arg("print"));
    assert!(
        text.contains("liboxur_llvm.so, which has LLVM, is missing") && !text.contains("panicked"),
        "{text}"
    );
}

#[test]
fn a_library_of_another_version_is_not_used() {
    let place = Place::new("other");
    let (source, library) = (place.root.join("other.c"), place.root.join("lib").join(NAME));
    for (code, reason) in [
        (
            "const char OXUR_LLVM_VERSION[] = \"0123456789abcdef\";",
            "is of another version",
        ),
        ("int nothing;", "is of another version"),
        (
            "int missing(void); int use(void) { return missing(); }",
            "cannot be loaded",
        ),
    ] {
        fs::write(&source, code).expect("a file");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-Wl,-z,now", "-o"])
            .arg(&library)
            .arg(&source)
            .status();
        assert!(built.expect("a C compiler").success());
        let (text, compiled) = place.compile(&[]);
        assert!(!compiled && text.contains(reason), "{code}: {text}");
    }
    fs::write(&library, "no library").expect("a file");
    let (text, compiled) = place.compile(&[]);
    assert!(!compiled && text.contains("cannot be loaded"), "{text}");
}

#[test]
fn kernels_in_the_cache_need_none() {
    let place = Place::new("cached");
    place.link("lib");
    let folder = place.root.join("cache");
    let options = ["--cache", folder.to_str().expect("text")];
    let (text, compiled) = place.compile(&options);
    assert!(compiled, "{text}");
    fs::remove_file(place.root.join("lib").join(NAME)).expect("the link");
    let (text, compiled) = place.compile(&options);
    assert!(compiled, "{text}");
    let (text, compiled) = place.compile(&[]);
    assert!(!compiled, "the test sees a missing library: {text}");
}
