// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! SPIR-V, as far as it is looked at before a driver gets it.

use oxur_api::ResultCode;

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

#[cold]
fn damaged(what: String) -> UrError {
    UrError::with_message(ResultCode::ERROR_INVALID_BINARY, what)
}

#[cfg(test)]
mod tests {
    use super::check_spirv;

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
}
