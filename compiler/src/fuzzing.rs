// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The entry points of the fuzz targets in `compiler/fuzz`. They exist in fuzzing builds only.

use std::fs;

use oxur_cache::{Compiler, Key, Origin, entry};

use crate::codegen::Object;
use crate::{CacheConfig, Module, Options, Part, Program};

/// Parses and links a module, and lowers its kernels as far as LLVM's verifier; with `widen`, makes work-groups of them,
/// too.
pub fn front_end(bytes: &[u8], widen: bool) {
    let Ok(module) = Module::parse(bytes) else { return };
    _ = module.digest();
    let options = Options {
        allow_unresolved: bytes.len() % 8 == 0,
        ..Options::default()
    };
    let Ok(program) = Program::link(&[Part::new(module)], &options) else {
        return;
    };
    program.lower_all(widen);
}

/// Compiles all kernels of a module, and makes its variables.
pub fn compile(bytes: &[u8]) {
    let Ok(module) = Module::parse(bytes) else { return };
    let Ok(program) = Program::link(&[Part::new(module)], &Options::default()) else {
        return;
    };
    for info in program.kernels().iter().take(4) {
        _ = program.kernel(&info.name);
    }
    _ = program.global("", &(0..usize::MAX));
}

/// Loads an object file.
pub fn object(bytes: &[u8]) {
    let Ok(file) = Object::parse(bytes) else { return };
    let symbols = file.undefined().count();
    // Any address will do, because nothing is called.
    let resolve = |name: &str| (name != "missing").then_some(object as fn(&[u8]) as *const u8);
    if let Ok(loaded) = file.load(resolve) {
        _ = loaded.symbol("oxur.entry.group");
        _ = loaded.numbers::<6>(crate::workgroup::SHAPE);
        assert!(symbols < bytes.len());
    }
}

/// Opens a file of the cache: by itself, and in a folder.
pub fn cache_entry(bytes: &[u8]) {
    let Some((key, file)) = bytes.split_first_chunk::<32>() else {
        return;
    };
    const COMPILER: Compiler = Compiler::new("fuzzing");
    let key = Key(*key);
    if let Ok(object) = entry::open(file.to_vec(), &key) {
        // Only what was written like this is opened.
        let compiler = match entry::origin(&file[object.len()..], file.len() as u64) {
            Origin::Compiler(compiler) => compiler,
            // A file that was made by hand, with a right checksum over a name that is none.
            _ => return,
        };
        assert!([&object[..], &entry::trailer(&object, &compiler, &key)].concat() == file);
    }
    let folder = std::env::temp_dir().join(format!("oxur-fuzz-{}", std::process::id()));
    let cache = CacheConfig::at(&folder);
    let made = || Ok::<_, crate::Error>(b"made".to_vec());
    let load = |object: &[u8]| Ok(object.to_vec());
    cache.get(&COMPILER, || key, made, load).expect("a cache does not fail");
    fs::write(folder.join(key.path()), file).expect("the file was made");
    let (got, cached) = cache.get(&COMPILER, || key, made, load).expect("a cache does not fail");
    assert!(cached || got == b"made");
    let again = cache.get(&COMPILER, || key, made, load).expect("a cache does not fail");
    assert!(again == (got, true), "what was damaged was made anew");
    _ = cache.clear();
}
