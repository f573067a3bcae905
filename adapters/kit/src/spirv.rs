// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! SPIR-V, as far as it is looked at before a driver gets it.

use std::collections::BTreeMap;

use crate::{UrError, UrResult};

/// Checks what every SPIR-V module has: the magic number, in either byte order, and whole instructions up to the end.
/// Drivers crash on modules that are cut off.
pub fn check_spirv(module: &[u8]) -> UrResult<()> {
    const MAGIC: u32 = 0x0723_0203;
    const HEADER: usize = 5;
    if !module.len().is_multiple_of(4) || module.len() < HEADER * 4 {
        return Err(damaged(format!(
            "a SPIR-V module is whole words, {HEADER} at least, and not {} bytes",
            module.len()
        )));
    }
    let word = |index: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| module[index * 4 + i]));
    let swapped = match word(0) {
        MAGIC => false,
        other if other == MAGIC.swap_bytes() => true,
        other => {
            return Err(damaged(format!(
                "a program that starts with {other:#010x} is no SPIR-V"
            )));
        }
    };
    let (mut at, end) = (HEADER, module.len() / 4);
    while at < end {
        let first = if swapped { word(at).swap_bytes() } else { word(at) };
        let length = (first >> 16) as usize;
        if length == 0 || length > end - at {
            return Err(damaged(format!(
                "the SPIR-V module is damaged: the instruction at word {at} has {length} words of {}",
                end - at
            )));
        }
        at += length;
    }
    Ok(())
}

const TYPE_INT: u32 = 21;
const TYPE_FLOAT: u32 = 22;
const SPEC_CONSTANT_TRUE: u32 = 48;
const SPEC_CONSTANT_FALSE: u32 = 49;
const SPEC_CONSTANT: u32 = 50;
const DECORATE: u32 = 71;
const DECORATION_SPEC_ID: u32 = 1;

/// The bytes that the values of a module's constants have, by id. In a module in the other byte order none are found.
fn spirv_constant_sizes(module: &[u8]) -> BTreeMap<u32, usize> {
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

/// Refuses values of specialization constants that have another size than the module's. Drivers read as many bytes as theirs
/// have.
pub fn check_spirv_constants(module: &[u8], constants: &[(u32, &[u8])]) -> UrResult<()> {
    let sizes = spirv_constant_sizes(module);
    for &(id, value) in constants {
        if let Some(&size) = sizes.get(&id).filter(|&&size| size != value.len()) {
            crate::bail!(ERROR_INVALID_VALUE: "the specialization constant {id} has {size} bytes, not {}", value.len());
        }
    }
    Ok(())
}

#[cold]
fn damaged(what: String) -> UrError {
    crate::error!(ERROR_INVALID_BINARY: "{what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn whole_modules_pass_in_either_byte_order() {
        let words = [0x0723_0203, 0x0001_0000, 0, 8, 0, 0x0002_0011, 4, 0x0001_0000];
        assert!(check_spirv(&module(&words)).is_ok());
        assert!(check_spirv(&module(&words.map(u32::swap_bytes))).is_ok());
    }

    #[test]
    fn damaged_modules_do_not() {
        let words = [0x0723_0203, 0x0001_0000, 0, 8, 0, 0x0002_0011, 4];
        let whole = module(&words);
        for end in [0, 3, 4, 16, 19, 24, 27] {
            assert!(check_spirv(&whole[..end]).is_err(), "cut off at {end}");
        }
        assert!(
            check_spirv(&module(&[1, 2, 3, 4, 5, 6])).is_err(),
            "another magic number"
        );
        assert!(
            check_spirv(&module(&[0x0723_0203, 0, 0, 8, 0, 0])).is_err(),
            "an instruction of no words"
        );
    }

    #[test]
    #[rustfmt::skip]
    fn sizes_of_constants() {
        let words = [
            0x0723_0203, 0x0001_0000, 0, 9, 0, // the header
            4 << 16 | DECORATE, 5, DECORATION_SPEC_ID, 17,
            4 << 16 | DECORATE, 6, DECORATION_SPEC_ID, 18,
            4 << 16 | TYPE_INT, 1, 64, 0,
            5 << 16 | SPEC_CONSTANT, 1, 5, 0, 0,
            3 << 16 | SPEC_CONSTANT_TRUE, 2, 6,
        ];
        let module: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        assert_eq!(spirv_constant_sizes(&module), BTreeMap::from([(17, 8), (18, 1)]));
        assert!(spirv_constant_sizes(&module[..22]).is_empty());
    }
}
