// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The words of a module as instructions.

use std::collections::HashMap;
use std::ops::Range;

use rspirv::grammar::{INSTRUCTION_TABLE, Instruction, OperandKind};
use spirv::Op;

use crate::fault::{Result, malformed, unsupported};

/// An instruction: its operands are words of the module.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub op: Op,
    /// Where it begins.
    pub word: usize,
    /// The id of its type, or 0.
    pub ty: u32,
    /// The id of its result, or 0.
    pub result: u32,
    /// The other operands.
    pub operands: Range<usize>,
}

/// The largest bound of ids that the universal limits of SPIR-V name.
pub(crate) const MAX_BOUND: u32 = 4_194_303;

const MAGIC: u32 = 0x0723_0203;

/// The words of a module in the byte order of this machine.
pub(crate) fn words(bytes: &[u8]) -> Result<Vec<u32>> {
    if bytes.len() < 20 || !bytes.len().is_multiple_of(4) {
        return malformed("the module is no whole number of words, or too short");
    }
    let word = |c: &[u8]| u32::from_le_bytes([c[0], c[1], c[2], c[3]]);
    let mut words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
    if words[0] == MAGIC.swap_bytes() {
        words.iter_mut().for_each(|word| *word = word.swap_bytes());
    }
    Ok(words)
}

/// The instructions of a module, and its bound of ids.
pub(crate) fn instructions(words: &[u32]) -> Result<(Vec<Raw>, u32)> {
    let [MAGIC, version, _, bound, _, ..] = *words else {
        return malformed("there is no header of SPIR-V");
    };
    if version >> 16 != 1 || version >> 8 & 0xff > 6 {
        return unsupported(format!("version {}.{} of SPIR-V", version >> 16, version >> 8 & 0xff));
    }
    if bound > MAX_BOUND {
        return unsupported(format!("{bound} ids"));
    }
    let grammar: HashMap<u32, &Instruction<'_>> = INSTRUCTION_TABLE.iter().map(|i| (i.opcode as u32, i)).collect();
    let mut all = Vec::new();
    let mut at = 5;
    while at < words.len() {
        let (opcode, count) = (words[at] & 0xffff, (words[at] >> 16) as usize);
        if count == 0 || at + count > words.len() {
            return malformed(format!("the instruction at word {at} has a wrong length"));
        }
        let Some(grammar) = grammar.get(&opcode) else {
            return unsupported(format!("opcode {opcode} at word {at}"));
        };
        let has = |kind: OperandKind| grammar.operands.iter().any(|operand| operand.kind == kind);
        let (has_type, has_result) = (has(OperandKind::IdResultType), has(OperandKind::IdResult));
        let first = at + 1 + usize::from(has_type) + usize::from(has_result);
        if first > at + count {
            return malformed(format!("Op{} at word {at} has too few operands", grammar.opname));
        }
        let ty = if has_type { words[at + 1] } else { 0 };
        let result = if has_result { words[first - 1] } else { 0 };
        if ty >= bound && has_type || has_result && (result >= bound || result == 0) {
            return malformed(format!("the id of Op{} at word {at} is out of bounds", grammar.opname));
        }
        all.push(Raw {
            op: grammar.opcode,
            word: at,
            ty,
            result,
            operands: first..at + count,
        });
        at += count;
    }
    Ok((all, bound))
}

/// The text of a literal, and how many words it takes.
pub(crate) fn string(words: &[u32]) -> (String, usize) {
    let bytes: Vec<u8> = words
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .take_while(|&byte| byte != 0)
        .collect();
    let taken = (bytes.len() / 4 + 1).min(words.len());
    (String::from_utf8_lossy(&bytes).into_owned(), taken)
}
