// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels of SPIR-V's text whose results and faults follow from the specification by hand.

#[path = "../../../tests/support/mod.rs"]
mod support;

mod collectives;
mod faults;
mod fuzz;
mod instructions;
mod memory;
mod printf;

use oxur_interpreter::{Argument, Fault, Memory, Module, NdRange, Options, Report, run};

/// A module of a test's lines and the prelude's.
fn module(text: &str) -> Module {
    Module::parse(&assembled(text), &[]).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

fn assembled(text: &str) -> Vec<u8> {
    support::assemble(&support::whole(text), "1.4").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A range in one dimension.
fn line(global: u64, local: u64) -> NdRange {
    NdRange {
        dimensions: 1,
        global: [global, 1, 1],
        local: [local, 1, 1],
        offset: [0; 3],
    }
}

/// Runs the kernel `k` on a buffer of 32-bit words and other arguments.
fn launch(text: &str, range: NdRange, words: &mut [u32], rest: &[Argument]) -> Result<Report, Box<Fault>> {
    launch_with(text, range, words, rest, &Options::default())
}

fn launch_with(
    text: &str,
    range: NdRange,
    words: &mut [u32],
    rest: &[Argument],
    options: &Options,
) -> Result<Report, Box<Fault>> {
    let module = module(text);
    let mut memory = Memory::new(&module)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let address = memory.allocate(&bytes)?;
    let mut arguments = vec![Argument::Pointer(address)];
    arguments.extend(rest.iter().cloned());
    let kernel = module.kernels().iter().find(|k| k.name == "k").expect("the kernel k");
    let report = run(&module, kernel, range, &arguments, &mut memory, options)?;
    let (bytes, _) = memory.bytes(address).expect("the buffer is there");
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    }
    Ok(report)
}

/// The kernel's beginning: a buffer `p`, and `id` and `at` for the item's number and its place in the buffer.
const ITEM: &str = r#"
OpEntryPoint Kernel %kernel "k" %global_id
OpDecorate %global_id BuiltIn GlobalInvocationId
%input_long3 = OpTypePointer Input %long3
%global_id = OpVariable %input_long3 Input
%type = OpTypeFunction %void %global_int
"#;

const BODY: &str = r#"
%kernel = OpFunction %void None %type
%p = OpFunctionParameter %global_int
%start = OpLabel
%ids = OpLoad %long3 %global_id
%id64 = OpCompositeExtract %long %ids 0
%id = OpUConvert %int %id64
%at = OpInBoundsPtrAccessChain %global_int %p %id64
"#;

/// A kernel of one buffer: declarations, and lines behind [`BODY`].
fn kernel(declarations: &str, lines: &str) -> String {
    format!("{ITEM}{declarations}{BODY}{lines}")
}
