// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Objects that are right are loaded; those that are damaged are refused, and nothing is written outside of their memory.

use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

use super::Object;
use crate::Error;
use crate::llvm::{Context, Machine, Module, isolated};

/// An object with code, data, a constant that needs a relocation, and a function that is elsewhere.
fn sample() -> Vec<u8> {
    let text = "
        @numbers = global [3 x i64] [i64 1, i64 2, i64 3]
        @pointer = global ptr @numbers
        declare i64 @outside(i64)
        define i64 @test(i64 %x) {
          %y = call i64 @outside(i64 %x)
          %place = load ptr, ptr @pointer
          %second = getelementptr i64, ptr %place, i64 1
          %number = load i64, ptr %second
          %sum = add i64 %y, %number
          ret i64 %sum
        }";
    let context = Context::new();
    let module = Module::parse(&context, text).unwrap();
    let machine = Machine::host().unwrap();
    machine.set_target(&module);
    machine.emit(&module, false).unwrap()
}

extern "C" fn outside(x: u64) -> u64 {
    x * 10
}

fn load(object: &[u8]) -> Result<super::Loaded, String> {
    let resolve = |name: &str| (name == "outside").then_some(outside as extern "C" fn(u64) -> u64 as *const u8);
    Object::parse(object)
        .and_then(|object| object.load(resolve))
        .map_err(|error| error.to_string())
}

/// Changes eight bytes of the entry of a symbol.
fn with_symbol(name: &str, member: usize, value: u64) -> Vec<u8> {
    let mut bytes = sample();
    let file = object::File::parse(&*bytes).unwrap();
    let index = file.symbols().find(|s| s.name() == Ok(name)).unwrap().index().0;
    let table = file.section_by_name(".symtab").unwrap().file_range().unwrap().0 as usize;
    let at = table + index * 24 + member;
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    bytes
}

#[test]
fn code_runs() {
    let loaded = load(&sample()).unwrap();
    let test = loaded.symbol("test").unwrap();
    // SAFETY: the function was compiled with this type.
    let test: extern "C" fn(u64) -> u64 = unsafe { std::mem::transmute(test) };
    assert_eq!(test(4), 42);
    assert_eq!(loaded.numbers::<3>("numbers"), Some([1, 2, 3]));
    assert_eq!(loaded.numbers::<3>("nothing"), None);
    assert_eq!(loaded.numbers::<100_000>("numbers"), None);
}

#[test]
fn symbols_are_in_their_sections() {
    const VALUE: usize = 8;
    const SIZE: usize = 16;
    assert!(load(&with_symbol("test", VALUE, 0)).is_ok());
    for (member, value) in [
        (VALUE, 1 << 20),
        (VALUE, u64::MAX),
        (VALUE, u64::MAX - 100),
        (SIZE, 1 << 40),
        (SIZE, u64::MAX),
    ] {
        let error = load(&with_symbol("test", member, value)).unwrap_err();
        assert!(error.contains("a symbol outside of its section"), "{error}");
    }
}

#[test]
fn relocations_are_in_their_sections() {
    let whole = sample();
    let file = object::File::parse(&*whole).unwrap();
    for name in [".rela.text", ".rela.data"] {
        let (start, size) = file.section_by_name(name).unwrap().file_range().unwrap();
        for at in (start..start + size).step_by(24) {
            for offset in [1 << 20, u64::MAX, u64::MAX - 4096] {
                let mut bytes = whole.clone();
                bytes[at as usize..at as usize + 8].copy_from_slice(&offset.to_le_bytes());
                let error = load(&bytes).unwrap_err();
                assert!(error.contains("a relocation outside of its section"), "{error}");
            }
        }
    }
}

#[test]
fn what_is_no_object_is_refused() {
    let whole = sample();
    assert!(load(&[]).is_err());
    assert!(load(b"\x7fELF").is_err());
    // Without its end it has no sections, or not all of them.
    for size in (0..whole.len()).step_by(7) {
        assert!(load(&whole[..size]).is_err(), "{size} bytes of {}", whole.len());
    }
    let mut other = whole;
    // Another machine's.
    other[18] = 183;
    assert!(load(&other).unwrap_err().contains("no relocatable object for this CPU"));
}

/// Compiles a module, as kernels are.
fn compile(text: &'static str) -> Result<Vec<u8>, Error> {
    isolated("a test", || {
        let context = Context::new();
        let module = Module::parse(&context, text).unwrap();
        let machine = Machine::host().unwrap();
        machine.set_target(&module);
        super::emit(&machine, &module)
    })
}

const RIGHT: &str = "define i32 @f() { ret i32 1 }";

#[test]
fn an_error_that_llvm_ends_the_process_for_is_one_of_the_kernel() {
    // Of another machine.
    let error = compile(
        "declare i32 @llvm.amdgcn.workitem.id.x()
         define i32 @f() {
           %x = call i32 @llvm.amdgcn.workitem.id.x()
           ret i32 %x
         }",
    );
    let text = error.unwrap_err().to_string();
    assert!(text.contains("Cannot select") && text.contains("a test"), "{text}");
    assert!(compile(RIGHT).is_ok(), "others are compiled as before");
    // The thread that stands still is in nobody's way when the process forks.
    // SAFETY: the child leaves by `_exit`, or is killed.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::alarm(120);
            libc::_exit(if compile(RIGHT).is_ok() { 7 } else { 1 });
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 7, "{status:#x}");
    }
}

#[test]
fn an_error_in_assembly_is_one_of_the_kernel() {
    let error = compile("define i32 @f() { %x = call i32 asm \"nop\", \"={nothing}\"() ret i32 %x }");
    let text = error.unwrap_err().to_string();
    assert!(text.contains("constraint"), "{text}");
    let error = compile("define void @f() { call void asm \"no such instruction\", \"\"() ret void }");
    assert!(error.is_err());
    assert!(compile(RIGHT).is_ok());
}

#[test]
fn a_panic_goes_to_the_caller() {
    let caught = std::panic::catch_unwind(|| isolated("a test", || -> Result<(), Error> { panic!("a test's") }));
    assert!(caught.is_err());
}
