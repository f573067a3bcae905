// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The same launch in the interpreter.

use oxur_compiler::NdRange;
use oxur_interpreter::{Kind, Memory, Options};

use super::{Argument, Tested};

/// The interpreter is slow: it leaves larger ranges to the tests' own results.
const MAX_ITEMS: u64 = 600;

/// A launch that is to be interpreted: its memory before it.
pub struct Before {
    memory: Memory,
    arguments: Vec<oxur_interpreter::Argument>,
}

/// Copies the memory of a launch, if it is to be interpreted.
pub fn copy(kernel: &Tested, range: &NdRange, arguments: &[Argument<'_>]) -> Option<Before> {
    let module = kernel.oracle.as_ref()?;
    if range.global_size.iter().product::<u64>() > MAX_ITEMS {
        return None;
    }
    let mut memory = Memory::new(module).expect("the module has memory");
    let all = arguments.iter().zip(kernel.info().params.iter());
    let arguments = all.map(|(argument, param)| match argument {
        Argument::Memory(bytes) => oxur_interpreter::Argument::Pointer(memory.allocate(bytes).expect("memory")),
        Argument::Value(value) => oxur_interpreter::Argument::Value(value.to_le_bytes()[..param.size].to_vec()),
        Argument::Bytes(bytes) => oxur_interpreter::Argument::Value(bytes.to_vec()),
    });
    let arguments = arguments.collect();
    Some(Before { memory, arguments })
}

/// Interprets it and compares what is in memory then.
pub fn compare(before: Before, kernel: &Tested, range: &NdRange, arguments: &[Argument<'_>]) {
    let Before {
        mut memory,
        arguments: given,
    } = before;
    let module = kernel.oracle.as_ref().expect("the launch was copied for it");
    let entry = module.kernels().iter().find(|k| k.name == "k").expect("the kernel");
    let oracle_range = oxur_interpreter::NdRange {
        dimensions: range.dimensions as u32,
        global: range.global_size,
        local: range.local_size,
        offset: range.global_offset,
    };
    let report = oxur_interpreter::run(module, entry, oracle_range, &given, &mut memory, &Options::default());
    let report = report.unwrap_or_else(|fault| panic!("the interpreter: {fault}"));
    // Some tests have indices that wrap: items meet at one place, which is right as long as none runs beside another.
    let others: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| finding.kind != Kind::Race)
        .collect();
    assert!(others.is_empty(), "the interpreter: {others:?}");
    if !report.inexact.is_empty() || report.is_relaxed {
        return;
    }
    for (i, (argument, given)) in arguments.iter().zip(&given).enumerate() {
        if let (Argument::Memory(bytes), oxur_interpreter::Argument::Pointer(address)) = (argument, given) {
            let (expected, _) = memory.bytes(*address).expect("it is still there");
            let different = (0..bytes.len()).find(|&at| bytes[at] != expected[at]);
            assert_eq!(
                different, None,
                "argument {i} differs from the interpreter's at this byte"
            );
        }
    }
}
