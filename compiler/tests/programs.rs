// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How long programs and kernels live, and how long it takes to link them.

use std::sync::Arc;
use std::time::Duration;

use oxur_compiler::{Module, Options, Part, Program};

/// Words of a module, instruction by instruction.
struct Assembler(Vec<u32>);

const CAPABILITY: u32 = 17;
const MEMORY_MODEL: u32 = 14;
const ENTRY_POINT: u32 = 15;
const TYPE_VOID: u32 = 19;
const TYPE_INT: u32 = 21;
const TYPE_FUNCTION: u32 = 33;
const CONSTANT: u32 = 43;
const FUNCTION: u32 = 54;
const FUNCTION_END: u32 = 56;
const FUNCTION_CALL: u32 = 57;
const DECORATE: u32 = 71;
const ADD: u32 = 128;
const LABEL: u32 = 248;
const RETURN: u32 = 253;

/// Ids that all modules of these tests have.
const VOID: u32 = 1;
const PLAIN: u32 = 2;
const INT: u32 = 3;
const ONE: u32 = 4;
const FIRST_FREE: u32 = 5;

impl Assembler {
    fn new() -> Self {
        let mut module = Self(vec![0x0723_0203, 0x0001_0000, 0, 0, 0]);
        module.add(CAPABILITY, &[6]).add(MEMORY_MODEL, &[2, 2]);
        module
    }

    fn add(&mut self, op: u32, operands: &[u32]) -> &mut Self {
        self.0.push((operands.len() as u32 + 1) << 16 | op);
        self.0.extend(operands);
        self
    }

    /// The types and the constant that all have.
    fn types(&mut self) -> &mut Self {
        self.add(TYPE_VOID, &[VOID])
            .add(TYPE_FUNCTION, &[PLAIN, VOID])
            .add(TYPE_INT, &[INT, 32, 0])
            .add(CONSTANT, &[INT, ONE, 1])
    }

    /// A name of less than four characters, with operands before and behind it.
    fn named(&mut self, op: u32, before: &[u32], name: &str, behind: &[u32]) -> &mut Self {
        let mut bytes = [0; 4];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        let bytes = [u32::from_le_bytes(bytes)];
        self.add(op, &[before, &bytes, behind].concat())
    }

    /// Begins a function; its id and that of its block.
    fn function(&mut self, id: u32, label: u32) -> &mut Self {
        self.add(FUNCTION, &[VOID, id, 0, PLAIN]).add(LABEL, &[label])
    }

    fn end(&mut self) -> &mut Self {
        self.add(RETURN, &[]).add(FUNCTION_END, &[])
    }

    fn parse(&mut self, bound: u32) -> Arc<Module> {
        self.0[3] = bound;
        let bytes: Vec<u8> = self.0.iter().flat_map(|word| word.to_le_bytes()).collect();
        Module::parse(&bytes).unwrap()
    }
}

/// A module with a kernel `k` that does nothing.
fn module() -> Arc<Module> {
    let mut module = Assembler::new();
    module
        .named(ENTRY_POINT, &[6, 10], "k", &[])
        .types()
        .function(10, 11)
        .end();
    module.parse(12)
}

/// Three characters for a number.
fn name(number: u32) -> String {
    let digit = |n: u32| char::from_digit(n % 36, 36).unwrap();
    [digit(number / 36 / 36), digit(number / 36), digit(number)]
        .iter()
        .collect()
}

/// The processor time of this process, which waiting for a processor does not make longer.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the time.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(code, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Links a module, which takes a fraction of a second. The best of three times counts.
fn link(module: &Arc<Module>) -> Arc<Program> {
    let mut times = Vec::new();
    for _ in 0..3 {
        let start = processor_time();
        let program = Program::link(&[Part::new(module.clone())], &Options::default()).unwrap();
        times.push(processor_time() - start);
        if times.last().is_some_and(|time| *time < Duration::from_secs(10)) {
            return program;
        }
    }
    panic!("it takes {times:?}");
}

#[test]
fn a_program_goes_when_nobody_has_it_or_a_kernel_of_it() {
    let program = Program::link(&[Part::new(module())], &Options::default()).unwrap();
    let weak = Arc::downgrade(&program);
    let kernel = program.kernel("k").unwrap();
    drop(program);
    assert_eq!(weak.upgrade().unwrap().kernel("k").unwrap().info(), kernel.info());
    drop(kernel);
    assert!(weak.upgrade().is_none());
}

/// The instructions of a function are looked at once, not once for each kernel that calls it.
#[test]
fn many_kernels_share_a_large_function() {
    const KERNELS: u32 = 10_000;
    let shared = FIRST_FREE;
    let first = FIRST_FREE + 2;
    let mut module = Assembler::new();
    for i in 0..KERNELS {
        module.named(ENTRY_POINT, &[6, first + 3 * i], &name(i), &[]);
    }
    module.types();
    let mut next = first + 3 * KERNELS;
    module.function(shared, shared + 1);
    for _ in 0..100_000 {
        module.add(ADD, &[INT, next, ONE, ONE]);
        next += 1;
    }
    module.end();
    for id in (0..KERNELS).map(|i| first + 3 * i) {
        module
            .function(id, id + 1)
            .add(FUNCTION_CALL, &[VOID, id + 2, shared])
            .end();
    }
    assert_eq!(link(&module.parse(next)).kernels().len(), KERNELS as usize);
}

/// What a module imports of itself is found in linear time.
#[test]
fn many_imports_of_a_module_in_itself() {
    const PAIRS: u32 = 30_000;
    const LINKAGE: u32 = 41;
    let first = FIRST_FREE + 2;
    let mut module = Assembler::new();
    module.named(ENTRY_POINT, &[6, FIRST_FREE], "k", &[]);
    for i in 0..PAIRS {
        let import = first + 4 * i;
        module.named(DECORATE, &[import, LINKAGE], &name(i), &[1]);
        module.named(DECORATE, &[import + 1, LINKAGE], &name(i), &[0]);
    }
    module.types();
    for import in (0..PAIRS).map(|i| first + 4 * i) {
        module.add(FUNCTION, &[VOID, import, 0, PLAIN]).add(FUNCTION_END, &[]);
        module.function(import + 1, import + 2).end();
    }
    module.function(FIRST_FREE, FIRST_FREE + 1);
    for import in (0..PAIRS).map(|i| first + 4 * i) {
        module.add(FUNCTION_CALL, &[VOID, import + 3, import]);
    }
    module.end();
    assert_eq!(link(&module.parse(first + 4 * PAIRS)).kernels().len(), 1);
}

/// Of a definition that two modules have there is one variable, which each of them knows by its own names.
#[test]
fn names_of_a_variable_that_two_modules_define() {
    const TYPE_POINTER: u32 = 32;
    const VARIABLE: u32 = 59;
    const LINKAGE: u32 = 41;
    const LINK_ONCE: u32 = 2;
    const HOST_ACCESS: u32 = 6188;
    const CROSS_WORKGROUP: u32 = 5;
    let (pointer, variable) = (FIRST_FREE, FIRST_FREE + 1);
    let part = |host_name: &str| {
        let mut module = Assembler::new();
        module
            .named(DECORATE, &[variable, LINKAGE], "v", &[LINK_ONCE])
            .named(DECORATE, &[variable, HOST_ACCESS, 2], host_name, &[])
            .types()
            .add(TYPE_POINTER, &[pointer, CROSS_WORKGROUP, INT])
            .add(VARIABLE, &[pointer, variable, CROSS_WORKGROUP, ONE]);
        Part::new(module.parse(FIRST_FREE + 2))
    };
    let program = Program::link(&[part("one"), part("two")], &Options::default()).unwrap();
    let all = program.global("v", &(0..2)).unwrap();
    assert_eq!(all.size, 4);
    for (parts, name) in [(0..1, "v"), (1..2, "v"), (0..1, "one"), (1..2, "two"), (0..2, "two")] {
        assert_eq!(program.global(name, &parts), Some(all), "{name} of {parts:?}");
    }
    for (parts, name) in [(0..1, "two"), (1..2, "one"), (0..2, "w"), (2..3, "v")] {
        assert_eq!(program.global(name, &parts), None, "{name} of {parts:?}");
    }
}
