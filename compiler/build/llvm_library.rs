// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Links LLVM into a library of its own, `liboxur_llvm.so`, and writes the functions through which the compiler calls it.
//!
//! The library exports what the sources name of LLVM, and hides all else: a process may have other LLVMs. Each function gets a jump
//! through a table here, which `llvm/library.rs` fills when it opens the library.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const NAME: &str = "liboxur_llvm.so";

/// The libraries that LLVM calls and that not every system has, or not in the same version: they are linked statically.
const LLVM_NEEDS: [&str; 2] = ["z", "zstd"];

/// Libraries of LLVM whose size and time identify its build.
const IDENTIFY: [&str; 2] = ["libLLVMCore.a", "libLLVMX86CodeGen.a"];

/// Where the beginnings of names come from: LLVM's C API, and what we call of LLVM and of libstdc++ without one.
const PREFIXES: [&str; 3] = ["LLVM", "_ZN4llvm", "_ZSt15set_new_handler"];

/// LLVM as it is installed.
pub struct Llvm {
    config: PathBuf,
    folder: PathBuf,
}

impl Llvm {
    pub fn find() -> Self {
        println!("cargo::rerun-if-env-changed=LLVM_SYS_221_PREFIX");
        let config = match env::var_os("LLVM_SYS_221_PREFIX") {
            Some(prefix) => Path::new(&prefix).join("bin/llvm-config"),
            None => "llvm-config".into(),
        };
        let folder = output(Command::new(&config).args(["--link-static", "--libdir"]));
        Self {
            config,
            folder: folder.trim().into(),
        }
    }

    /// Hashes what tells this build of LLVM from others.
    pub fn identify(&self, hasher: &mut DefaultHasher) {
        for name in IDENTIFY {
            let path = self.folder.join(name);
            println!("cargo::rerun-if-changed={}", path.display());
            let metadata = path.metadata();
            let metadata = metadata.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            metadata.len().hash(hasher);
            metadata.modified().ok().hash(hasher);
        }
    }
}

/// Makes the library, unless it is there already, and the stubs for it in `llvm_stubs.s`.
pub fn build(llvm: &Llvm, sources: &[PathBuf]) {
    println!("cargo::rerun-if-env-changed=CC");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let support = Path::new("build/llvm_support.c");
    let mut names = BTreeSet::new();
    for path in sources {
        find_names(&fs::read_to_string(path).unwrap_or_default(), &mut names);
    }
    let mut hasher = DefaultHasher::new();
    // How it is linked, too: by this file, and the compiler.
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    (
        env!("CARGO_PKG_VERSION"),
        include_str!("llvm_library.rs"),
        &names,
        &compiler,
    )
        .hash(&mut hasher);
    fs::read(support).expect("it is here").hash(&mut hasher);
    llvm.identify(&mut hasher);
    let version = format!("{:016x}", hasher.finish());
    println!("cargo::rustc-env=OXUR_LLVM_VERSION={version}");

    let library = out.join(NAME);
    let made = out.join("llvm_version");
    if fs::read_to_string(&made).is_ok_and(|made| made == version) && library.exists() {
        return publish(&out, &library);
    }
    let exports: String = names.iter().fold(String::new(), |all, name| all + name + ";");
    let map = out.join("llvm_exports.map");
    fs::write(&map, format!("{{ global: OXUR_LLVM_VERSION; {exports} local: *; }};")).expect("the folder is writable");
    let mut arguments = String::new();
    for name in &names {
        _ = writeln!(arguments, "-Wl,-u,{name}");
    }
    let archives = output(Command::new(&llvm.config).args(["--link-static", "--libfiles"]));
    arguments += "-Wl,--start-group\n";
    archives
        .split_whitespace()
        .for_each(|archive| _ = writeln!(arguments, "{archive}"));
    arguments += "-Wl,--end-group\n";
    LLVM_NEEDS
        .iter()
        .for_each(|needed| _ = writeln!(arguments, "-l:lib{needed}.a"));
    let list = out.join("llvm_arguments");
    fs::write(&list, arguments).expect("the folder is writable");
    output(
        Command::new(compiler)
            .args(["-shared", "-fPIC", "-O2", "-fvisibility=hidden", "-o"])
            .arg(&library)
            .arg(format!("-DVERSION=\"{version}\""))
            .arg(support)
            .arg(format!("@{}", list.display()))
            .arg(format!("-Wl,--version-script={}", map.display()))
            // Its calls of the C API are not for another LLVM in the process.
            .args(["-Wl,-Bsymbolic-functions", "-Wl,--gc-sections", "-Wl,--as-needed"])
            .args(["-Wl,-z,nodelete", "-Wl,-z,now"])
            .arg(format!("-Wl,-soname,{NAME}"))
            .args(["-lstdc++", "-lm"]),
    );
    let defined = output(Command::new("nm").args(["-D", "--defined-only"]).arg(&library));
    let defined: BTreeSet<_> = defined.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    names.retain(|name| defined.contains(&**name) || name.starts_with("_ZSt"));
    fs::write(out.join("llvm_stubs.s"), stubs(&names)).expect("the folder is writable");
    publish(&out, &library);
    fs::write(made, version).expect("the folder is writable");
}

/// Puts the library where programs and libraries of this build look for it: target/PROFILE, from target/PROFILE/build/CRATE/out.
fn publish(out: &Path, library: &Path) {
    let profile = out.ancestors().nth(3).expect("cargo's folders");
    let (new, place) = (
        profile.join(format!(".{NAME}.{}", std::process::id())),
        profile.join(NAME),
    );
    fs::hard_link(library, &new)
        .or_else(|_| fs::copy(library, &new).map(drop))
        .and_then(|()| fs::rename(&new, &place))
        .unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    // Renaming does nothing where both are the same file.
    _ = fs::remove_file(&new);
}

/// The identifiers that begin as functions of LLVM do. Types and constants are among them, which no library defines.
fn find_names(text: &str, names: &mut BTreeSet<String>) {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    for prefix in PREFIXES {
        for (at, _) in text.match_indices(prefix) {
            let rest = &text[at..];
            let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
            let begins = at == 0 || !is_part(text.as_bytes()[at - 1]);
            if begins && end > prefix.len() + 1 {
                names.insert(rest[..end].to_owned());
            }
        }
    }
}

/// A jump for each name, the table of addresses, and the names in its order.
fn stubs(names: &BTreeSet<String>) -> String {
    let mut code = String::from(".pushsection .text.oxur_llvm,\"ax\",@progbits\n");
    for (index, name) in names.iter().enumerate() {
        _ = writeln!(
            code,
            ".globl {name}\n.hidden {name}\n.type {name}, @function\n.balign 8\n{name}:"
        );
        _ = writeln!(
            code,
            "jmp qword ptr [rip + oxur_llvm_functions + {}]\n.size {name}, . - {name}",
            8 * index
        );
    }
    code += ".popsection\n.pushsection .bss.oxur_llvm_functions,\"aw\",@nobits\n.balign 8\n";
    _ = writeln!(
        code,
        ".globl oxur_llvm_functions\n.hidden oxur_llvm_functions\noxur_llvm_functions:\n.zero {}",
        8 * names.len()
    );
    code += ".popsection\n.pushsection .rodata.oxur_llvm_names,\"a\",@progbits\n";
    code += ".globl oxur_llvm_names\n.hidden oxur_llvm_names\noxur_llvm_names:\n";
    names.iter().for_each(|name| _ = writeln!(code, ".asciz \"{name}\""));
    code += ".byte 0\n.popsection\n";
    code
}

/// What a program prints.
fn output(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} does not run: {error}"));
    assert!(
        output.status.success(),
        "{command:?}:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}
