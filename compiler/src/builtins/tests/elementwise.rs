// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests that vector forms compute the same as the scalar form for each element.

use spirv::OpenclStd100Op as Op;

use super::jit::Compiled;
use super::reference::FORMATS;
use super::{Function, Random, regular, signature};
use crate::builtins::check::{self, Outcome};
use crate::llvm::Context;

#[test]
fn vectors_give_what_elements_give() {
    let horizontal = [Op::cross, Op::normalize, Op::fast_normalize, Op::select];
    for (bits, float) in [
        (16, true),
        (32, true),
        (64, true),
        (8, false),
        (16, false),
        (32, false),
        (64, false),
    ] {
        for op in regular().filter(|op| !horizontal.contains(op) && check::rules(*op).0 != Outcome::Scalar) {
            let context = Context::new();
            let scalar = |context: &Context| if float { context.float(bits).bits() } else { bits };
            let element = if float { context.float(bits) } else { context.int(bits) };
            let Some(types) = signature(&context, op, element) else {
                continue;
            };
            let single = Function::new(op, scalar(&context), float);
            let (result, operands) = types.split_last().unwrap();
            for lanes in [3u32, 16] {
                let compiled = Compiled::new(
                    op,
                    |context| {
                        let element = if float { context.float(bits) } else { context.int(bits) };
                        signature(context, op, element.vector(lanes)).unwrap()
                    },
                    &[],
                );
                let mut random = Random(op as u64);
                let mut buffers = vec![[0u8; 16 * 8]; types.len()];
                for (buffer, ty) in buffers.iter_mut().zip(operands) {
                    for lane in buffer.chunks_mut(ty.bits() as usize / 8) {
                        // Numbers in the domain of many functions.
                        let number = match ty.is_float() {
                            true => {
                                let format = FORMATS.into_iter().find(|f| f.bits == bits).unwrap();
                                format.encode((random.unit() - 0.3) * 4.0)
                            }
                            false => random.next(),
                        };
                        lane.copy_from_slice(&number.to_le_bytes()[..lane.len()]);
                    }
                }
                let before = buffers.clone();
                let pointers: Vec<_> = buffers.iter_mut().map(|b| b.as_mut_ptr()).collect();
                // SAFETY: each buffer has sixteen elements of eight bytes.
                unsafe { compiled.call(&pointers) };
                let lane_of = |buffer: &[u8], bits: u32, lane: usize| {
                    let bytes = bits as usize / 8;
                    let mut word = [0; 8];
                    word[..bytes].copy_from_slice(&buffer[lane * bytes..][..bytes]);
                    u64::from_le_bytes(word)
                };
                for lane in 0..lanes as usize {
                    let numbers = operands.iter().zip(&before).filter(|(ty, _)| !ty.is_ptr());
                    let args: Vec<_> = numbers.map(|(ty, buffer)| lane_of(buffer, ty.bits(), lane)).collect();
                    let (expected, _) = single.call(&args);
                    let got = lane_of(&buffers[operands.len()], result.bits(), lane);
                    let nan = result.is_float() && {
                        let format = FORMATS.into_iter().find(|f| f.bits == bits).unwrap();
                        format.decode(got).is_nan() && format.decode(expected).is_nan()
                    };
                    assert!(
                        got == expected || nan,
                        "{op:?} {element:?} x {lanes}, {args:x?}: {got:x}, not {expected:x}"
                    );
                }
            }
        }
    }
}
