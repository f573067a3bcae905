// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels in the interpreter, which shares no code with the compiler.

use oxur_interpreter::{self as interpreter, Memory, Module, NdRange, Options, Parameter, Schedule};

use crate::launch::Argument;
use crate::range::Range;

/// A module that is parsed.
pub fn parse(spirv: &[u8]) -> Result<Module, String> {
    Module::parse(spirv, &[]).map_err(|fault| fault.to_string())
}

/// Runs a kernel and changes the arguments' memory. Gives what is wrong with the kernel, though it ran to its end.
pub fn run(
    module: &Module,
    kernel: &str,
    range: &Range,
    schedule: Schedule,
    arguments: &mut [Argument<'_>],
) -> Result<Vec<String>, String> {
    let found = module.kernels().iter().find(|k| k.name == kernel);
    let kernel = found.ok_or_else(|| format!("there is no kernel {kernel}"))?;
    let mut memory = Memory::new(module).map_err(|fault| fault.to_string())?;
    let mut given = Vec::new();
    for (argument, parameter) in arguments.iter().zip(&kernel.parameters) {
        given.push(match argument {
            Argument::Memory(words) => {
                let mut bytes = vec![0; 8 * words.len()];
                for (bytes, word) in bytes.chunks_exact_mut(8).zip(words.iter()) {
                    bytes.copy_from_slice(&word.to_ne_bytes());
                }
                interpreter::Argument::Pointer(memory.allocate(&bytes).map_err(|fault| fault.to_string())?)
            }
            Argument::Null => interpreter::Argument::Pointer(0),
            Argument::Value(bytes) if *parameter == Parameter::Pointer => {
                let address: [u8; 8] = (*bytes).try_into().map_err(|_| "a pointer of another size")?;
                interpreter::Argument::Pointer(u64::from_ne_bytes(address))
            }
            Argument::Value(bytes) => interpreter::Argument::Value(bytes.to_vec()),
            Argument::Local(size) => interpreter::Argument::Local(*size),
        });
    }
    let wide = |sizes: [usize; 3]| sizes.map(|n| n as u64);
    let range = NdRange {
        dimensions: range.dimensions as u32,
        global: wide(range.global()),
        local: wide(range.local),
        offset: wide(range.offset),
    };
    let options = Options {
        schedule,
        ..Options::default()
    };
    let report = interpreter::run(module, kernel, range, &given, &mut memory, &options).map_err(|f| f.to_string())?;
    for (argument, given) in arguments.iter_mut().zip(&given) {
        if let (Argument::Memory(words), interpreter::Argument::Pointer(address)) = (argument, given)
            && let Some((bytes, _)) = memory.bytes(*address)
        {
            for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
                *word = u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
            }
        }
    }
    Ok(report.findings.iter().map(ToString::to_string).collect())
}
