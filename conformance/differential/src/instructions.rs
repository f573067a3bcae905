// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Instructions that the translator does not know: it leaves calls of functions with their names, such as `__spirv_GroupIMulKHR`.
//! Here these become the instructions.

use std::collections::HashMap;

/// An instruction: its name in such calls, its number, whether its second operand is a literal, and what a module with it declares.
struct Known {
    name: &'static str,
    number: u32,
    has_literal: bool,
    declares: &'static Declared,
}

/// A capability, and its extension.
#[derive(PartialEq)]
struct Declared {
    capability: u32,
    extension: &'static str,
}

const ARITHMETIC: Declared = Declared {
    capability: 6400,
    extension: "SPV_KHR_uniform_group_instructions",
};

const ROTATION: Declared = Declared {
    capability: 6026,
    extension: "SPV_KHR_subgroup_rotate",
};

const fn arithmetic(name: &'static str, number: u32) -> Known {
    Known {
        name,
        number,
        has_literal: true,
        declares: &ARITHMETIC,
    }
}

const KNOWN: [Known; 9] = [
    arithmetic("GroupIMulKHR", 6401),
    arithmetic("GroupFMulKHR", 6402),
    arithmetic("GroupBitwiseAndKHR", 6403),
    arithmetic("GroupBitwiseOrKHR", 6404),
    arithmetic("GroupBitwiseXorKHR", 6405),
    arithmetic("GroupLogicalAndKHR", 6406),
    arithmetic("GroupLogicalOrKHR", 6407),
    arithmetic("GroupLogicalXorKHR", 6408),
    Known {
        name: "GroupNonUniformRotateKHR",
        number: 4431,
        has_literal: false,
        declares: &ROTATION,
    },
];

impl Known {
    /// The instruction of a function, by the function's mangled name: `_Z`, the length of the name, the name, and types.
    fn of(mangled: &str) -> Option<&'static Self> {
        let (_, name) = mangled.strip_prefix("_Z")?.split_once("__spirv_")?;
        // Types are lower-case, the last letters of the names are not.
        KNOWN.iter().find(|known| {
            name.strip_prefix(known.name)
                .is_some_and(|types| !types.starts_with(char::is_uppercase))
        })
    }
}

/// Numbers of SPIR-V's instructions.
mod op {
    pub const NAME: u32 = 5;
    pub const EXTENSION: u32 = 10;
    pub const CAPABILITY: u32 = 17;
    pub const CONSTANT: u32 = 43;
    pub const FUNCTION: u32 = 54;
    pub const FUNCTION_PARAMETER: u32 = 55;
    pub const FUNCTION_END: u32 = 56;
    pub const FUNCTION_CALL: u32 = 57;
    pub const DECORATE: u32 = 71;
}

/// `LinkageAttributes`
const LINKAGE: u32 = 41;

/// The words of the header.
const HEADER: usize = 5;

/// The module with instructions in place of calls. None if that is impossible: clang's optimizer may join two of them that differ in
/// what has to be a literal.
pub fn insert(module: &[u8]) -> Option<Vec<u8>> {
    let words: Vec<u32> = module
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect();
    let (header, body) = words.split_at(HEADER.min(words.len()));
    let all = split(body);
    let functions: HashMap<u32, &Known> = all
        .iter()
        .filter_map(|inst| match **inst {
            [first, id, LINKAGE, ..] if first & 0xffff == op::DECORATE => Some((id, Known::of(&text(&inst[3..]))?)),
            _ => None,
        })
        .collect();
    if functions.is_empty() {
        return Some(module.to_vec());
    }
    let constants: HashMap<u32, u32> = all
        .iter()
        .filter_map(|inst| match **inst {
            [first, _, id, value] if first & 0xffff == op::CONSTANT => Some((id, value)),
            _ => None,
        })
        .collect();
    // Functions that go, and their parameters.
    let mut gone: Vec<u32> = functions.keys().copied().collect();
    let mut is_gone = false;
    for inst in &all {
        match (inst[0] & 0xffff, inst.get(2)) {
            (op::FUNCTION, Some(id)) => is_gone = functions.contains_key(id),
            (op::FUNCTION_PARAMETER, Some(id)) if is_gone => gone.push(*id),
            _ => {}
        }
    }
    let mut made = header.to_vec();
    let (mut has_declared, mut is_gone) = (false, false);
    for inst in &all {
        let number = inst[0] & 0xffff;
        if number != op::CAPABILITY && !has_declared {
            has_declared = true;
            declare(&mut made, functions.values().map(|known| known.declares));
        }
        match number {
            op::FUNCTION => is_gone = inst.get(2).is_some_and(|id| functions.contains_key(id)),
            op::NAME | op::DECORATE if gone.contains(&inst[1]) => continue,
            _ => {}
        }
        match inst.get(3).and_then(|function| functions.get(function)) {
            _ if is_gone => is_gone = number != op::FUNCTION_END,
            Some(known) if number == op::FUNCTION_CALL => {
                let mut operands = inst[4..].to_vec();
                if known.has_literal {
                    let operation = operands.get_mut(1)?;
                    *operation = *constants.get(operation)?;
                }
                made.push(((operands.len() as u32 + 3) << 16) | known.number);
                made.extend_from_slice(&inst[1..3]);
                made.extend(operands);
            }
            _ => made.extend_from_slice(inst),
        }
    }
    Some(made.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// The instructions.
fn split(mut words: &[u32]) -> Vec<&[u32]> {
    let mut all = Vec::new();
    while let [first, ..] = words {
        let (inst, rest) = words.split_at(((first >> 16).max(1) as usize).min(words.len()));
        all.push(inst);
        words = rest;
    }
    all
}

/// The text that begins with these words.
fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Adds capabilities and extensions, behind the capabilities.
fn declare<'k>(made: &mut Vec<u32>, used: impl Iterator<Item = &'k Declared> + Clone) {
    let all = [&ARITHMETIC, &ROTATION];
    let used = || all.iter().filter(|&&one| used.clone().any(|other| other == one));
    for declared in used() {
        made.extend([2 << 16 | op::CAPABILITY, declared.capability]);
    }
    for declared in used() {
        let mut bytes = declared.extension.as_bytes().to_vec();
        bytes.resize((bytes.len() + 1).next_multiple_of(4), 0);
        made.push(((bytes.len() as u32 / 4 + 1) << 16) | op::EXTENSION);
        made.extend(bytes.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])));
    }
}
