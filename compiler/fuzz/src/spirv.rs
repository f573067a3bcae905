// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Changes SPIR-V modules so that most of them still are some: instructions keep their lengths, operands become other ids
//! of the module. A change of single bits, as libFuzzer makes it, hardly ever gets beyond the parser.

use std::collections::HashSet;

use libfuzzer_sys::fuzzer_mutate;

/// The header: magic, version, generator, bound of ids, schema.
const HEADER: usize = 5;

/// A small generator of numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Changes the module in `data`, which has `size` bytes and may have `max_size`; gives its new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(seed.into());
    if size < 4 * (HEADER + 1) || random.below(16) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut words: Vec<u32> = data[..size]
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    for _ in 0..=random.below(3) {
        change(&mut words, &mut random);
    }
    words.truncate(max_size / 4);
    for (bytes, word) in data.chunks_exact_mut(4).zip(&words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    words.len() * 4
}

/// Where instructions begin, and how long they are.
fn instructions(words: &[u32]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = HEADER;
    while at < words.len() {
        let count = (words[at] >> 16) as usize;
        if count == 0 || at + count > words.len() {
            break;
        }
        found.push((at, count));
        at += count;
    }
    found
}

/// The numbers of OpTypeVoid and OpTypeForwardPointer, between which all types are that matter, and of OpFunction.
const TYPES: std::ops::Range<u32> = 19..40;
const FUNCTION: u32 = 54;

/// The ids that have a type, with it: what the type of an instruction's second word tells, since most instructions with a
/// result have it in the third.
fn values(words: &[u32], found: &[(usize, usize)]) -> Vec<(u32, u32)> {
    let types: HashSet<u32> = found
        .iter()
        .filter(|&&(at, count)| count > 1 && TYPES.contains(&(words[at] & 0xffff)))
        .map(|&(at, _)| words[at + 1])
        .collect();
    found
        .iter()
        .filter(|&&(at, count)| count > 2 && types.contains(&words[at + 1]))
        .map(|&(at, _)| (words[at + 2], words[at + 1]))
        .collect()
}

fn change(words: &mut Vec<u32>, random: &mut Random) {
    let found = instructions(words);
    if found.is_empty() {
        return;
    }
    // Mostly in functions: what is before them is most of a module, and hardly anything of it may be changed.
    let first = found.iter().position(|&(at, _)| words[at] & 0xffff == FUNCTION);
    let first = first.filter(|_| random.below(4) != 0).unwrap_or(0);
    let (at, count) = found[first + random.below(found.len() - first)];
    let (other, other_count) = found[first + random.below(found.len() - first)];
    let bound = words[3].clamp(1, 1 << 16);
    match random.below(14) {
        // An operand: another id of the same type.
        0..=3 if count > 1 => {
            let operand = at + 1 + random.below(count - 1);
            let values = values(words, &found);
            let Some(&(_, ty)) = values.iter().find(|(id, _)| *id == words[operand]) else {
                return;
            };
            let alike: Vec<u32> = values
                .iter()
                .filter(|value| value.1 == ty)
                .map(|value| value.0)
                .collect();
            words[operand] = alike[random.below(alike.len())];
        }
        // An operand: another id, what another instruction has there, a small or a special number.
        4..=7 if count > 1 => {
            let operand = at + 1 + random.below(count - 1);
            words[operand] = match random.below(8) {
                0..=2 => random.next() as u32 % bound,
                3 => words[operand].wrapping_add(1),
                4 => words[operand].wrapping_sub(1),
                5 if other_count > 1 => words[other + 1 + random.below(other_count - 1)],
                6 => random.below(20) as u32,
                _ => [0, u32::MAX, 1 << 31, 1 << 16, 0x7fff_ffff, 64, 128, 0x100][random.below(8)],
            };
        }
        // Another instruction of the same length.
        8 => {
            let opcode = match random.below(3) {
                0 => words[other] & 0xffff,
                1 => random.below(430) as u32,
                _ => {
                    (words[at] & 0xffff)
                        .wrapping_add(random.below(9) as u32)
                        .wrapping_sub(4)
                        & 0xffff
                }
            };
            words[at] = words[at] & 0xffff_0000 | opcode;
        }
        // A copy elsewhere: with a new id where it has one, else it would be defined twice.
        9 | 10 => {
            let mut copy = words[at..at + count].to_vec();
            let has_result = values(words, &found).iter().any(|value| copy.get(2) == Some(&value.0));
            if has_result {
                copy[2] = words[3];
                words[3] = words[3].wrapping_add(1);
            }
            words.splice(other..other, copy);
        }
        11 => drop(words.drain(at..at + count)),
        // A word more or less.
        12 if count > 1 && random.below(2) == 0 => {
            words.remove(at + 1 + random.below(count - 1));
            words[at] -= 1 << 16;
        }
        12 if count < 0xffff => {
            words.insert(at + 1 + random.below(count), random.next() as u32 % bound);
            words[at] += 1 << 16;
        }
        // Two instructions change places.
        _ if at + count <= other => {
            let second: Vec<u32> = words.drain(other..other + other_count).collect();
            words.splice(at..at, second);
        }
        _ => {}
    }
}
