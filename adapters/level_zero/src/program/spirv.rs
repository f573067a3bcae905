// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The specialization constants of a SPIR-V module, of which Level Zero tells nothing.

use std::collections::BTreeMap;

const TYPE_INT: u32 = 21;
const TYPE_FLOAT: u32 = 22;
const SPEC_CONSTANT_TRUE: u32 = 48;
const SPEC_CONSTANT_FALSE: u32 = 49;
const SPEC_CONSTANT: u32 = 50;
const DECORATE: u32 = 71;
const DECORATION_SPEC_ID: u32 = 1;

/// The bytes that the values of a module's constants have, by id. In a module in the other byte order none are found.
pub(super) fn constant_sizes(module: &[u8]) -> BTreeMap<u32, usize> {
    let words: Vec<u32> = module
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let (mut types, mut results, mut sizes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut rest = words.get(5..).unwrap_or_default();
    while let Some(&first) = rest.first() {
        let length = (first >> 16) as usize;
        let Some((instruction, next)) = rest.split_at_checked(length).filter(|_| length != 0) else {
            break;
        };
        rest = next;
        match (first & 0xffff, &instruction[1..]) {
            (DECORATE, &[target, DECORATION_SPEC_ID, id]) => _ = results.insert(target, id),
            (TYPE_INT | TYPE_FLOAT, &[result, width, ..]) => _ = types.insert(result, width as usize / 8),
            (SPEC_CONSTANT_TRUE | SPEC_CONSTANT_FALSE, &[_, result]) => {
                sizes.extend(results.get(&result).map(|&id| (id, 1)));
            }
            (SPEC_CONSTANT, &[of, result, ..]) => {
                if let (Some(&id), Some(&size)) = (results.get(&result), types.get(&of)) {
                    sizes.insert(id, size);
                }
            }
            _ => {}
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[rustfmt::skip]
    fn sizes() {
        let words = [
            0x0723_0203, 0x0001_0000, 0, 9, 0, // the header
            4 << 16 | DECORATE, 5, DECORATION_SPEC_ID, 17,
            4 << 16 | DECORATE, 6, DECORATION_SPEC_ID, 18,
            4 << 16 | TYPE_INT, 1, 64, 0,
            5 << 16 | SPEC_CONSTANT, 1, 5, 0, 0,
            3 << 16 | SPEC_CONSTANT_TRUE, 2, 6,
        ];
        let module: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        assert_eq!(constant_sizes(&module), BTreeMap::from([(17, 8), (18, 1)]));
        assert!(constant_sizes(&module[..22]).is_empty());
    }
}
