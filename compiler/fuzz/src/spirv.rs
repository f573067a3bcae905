// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Changes SPIR-V modules so that most of them still are some: instructions keep their lengths, operands become other ids
//! of the module. A change of single bits, as libFuzzer makes it, hardly ever gets beyond the parser.

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
    for _ in 0..=random.below(4) {
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

fn change(words: &mut Vec<u32>, random: &mut Random) {
    let found = instructions(words);
    if found.is_empty() {
        return;
    }
    let (at, count) = found[random.below(found.len())];
    let (other, other_count) = found[random.below(found.len())];
    let bound = words[3].clamp(1, 1 << 16);
    match random.below(12) {
        // An operand: another id, what another instruction has there, a small or a special number.
        0..=5 if count > 1 => {
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
        6 => {
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
        7 | 8 => {
            let mut copy = words[at..at + count].to_vec();
            if count > 2 && random.below(4) != 0 {
                copy[2] = words[3];
                words[3] = words[3].wrapping_add(1);
            }
            words.splice(other..other, copy);
        }
        9 => drop(words.drain(at..at + count)),
        // A word more or less.
        10 if count > 1 && random.below(2) == 0 => {
            words.remove(at + 1 + random.below(count - 1));
            words[at] -= 1 << 16;
        }
        10 if count < 0xffff => {
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
