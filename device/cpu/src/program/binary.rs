// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The binaries of programs: the modules that they are made of, with their specialization constants.
//!
//! A binary is no machine code, so it fits every CPU and version; machine code is in the compiler's cache on disk.
//!
//! All numbers are little-endian:
//!
//! | bytes | |
//! |---|---|
//! | 8 | `oxur-cpu` |
//! | 4 | the version of this format |
//! | 4 | what it is, as a [`BinaryKind`] |
//! | 4 | 1: no optimization, 2: unresolved names are allowed; from bit 8, [`FastMath::bits`] |
//! | 4 | how many modules |
//! | ... | for each module: the length of its SPIR-V (8), the number of constants (4), for each its id (4), length (4) and value; the SPIR-V |
//! | 8 | a checksum of all of the above |

use std::sync::Arc;

use oxur_compiler::FastMath;

use super::{BuildOptions, Constants};

const MAGIC: &[u8; 8] = b"oxur-cpu";
const VERSION: u32 = 2;

/// Identifies the format: a program takes binaries of the same one.
pub const UUID: [u8; 16] = {
    let mut uuid = [0; 16];
    uuid.split_at_mut(8).0.copy_from_slice(MAGIC);
    uuid.split_at_mut(12).1.copy_from_slice(&VERSION.to_le_bytes());
    uuid
};

/// What a binary is, with its number in the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryKind {
    /// Compiled modules, which are linked later.
    Compiled = 1,
    /// A library, which is linked later.
    Library = 2,
    /// A linked program.
    Executable = 3,
}

impl BinaryKind {
    const ALL: [Self; 3] = [Self::Compiled, Self::Library, Self::Executable];
}

/// A module in a binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The SPIR-V.
    pub il: Arc<[u8]>,
    /// Its specialization constants.
    pub constants: Constants,
}

/// The content of a binary.
#[derive(Debug)]
pub struct Binary {
    /// What it is.
    pub kind: BinaryKind,
    /// The options that it was built with, without their text.
    pub options: BuildOptions,
    /// The modules that it is made of.
    pub modules: Vec<Stored>,
}

/// Whether the bytes claim to be such a binary.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

impl Binary {
    /// Serializes the binary.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let number = |bytes: &mut Vec<u8>, n: u32| bytes.extend(n.to_le_bytes());
        let flags = u32::from(self.options.no_optimization)
            | u32::from(self.options.allow_unresolved) << 1
            | u32::from(self.options.fast_math.bits()) << 8;
        number(&mut bytes, VERSION);
        number(&mut bytes, self.kind as u32);
        number(&mut bytes, flags);
        number(&mut bytes, self.modules.len() as u32);
        for module in &self.modules {
            bytes.extend((module.il.len() as u64).to_le_bytes());
            number(&mut bytes, module.constants.len() as u32);
            for (id, value) in &module.constants {
                number(&mut bytes, *id);
                number(&mut bytes, value.len() as u32);
                bytes.extend(value);
            }
            bytes.extend(&*module.il);
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Parses a binary, or returns what is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        const CUT: &str = "the binary is cut off";
        let (all, sum) = bytes.split_last_chunk().ok_or(CUT)?;
        let mut rest = Reader(all);
        if rest.take(MAGIC.len()).ok_or(CUT)? != MAGIC {
            return Err("the program is neither a binary of this adapter nor SPIR-V");
        }
        if rest.number().ok_or(CUT)? != VERSION {
            return Err("the binary is of another version of this adapter: build the program anew");
        }
        if checksum(all) != u64::from_le_bytes(*sum) {
            return Err("the binary is damaged: its checksum is wrong");
        }
        rest.contents().ok_or("the binary does not hold what it says")
    }
}

/// The rest of the bytes.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    /// Everything after the version.
    fn contents(&mut self) -> Option<Binary> {
        let number = self.number()?;
        let kind = BinaryKind::ALL.into_iter().find(|kind| *kind as u32 == number)?;
        let flags = self.number()?;
        let options = BuildOptions {
            no_optimization: flags & 1 != 0,
            allow_unresolved: flags & 2 != 0,
            fast_math: FastMath::from_bits((flags >> 8) as u8),
            ..BuildOptions::default()
        };
        // No capacity is reserved, because the number may be anything.
        let mut modules = Vec::new();
        for _ in 0..self.number()? {
            let length = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
            let mut constants = Vec::new();
            for _ in 0..self.number()? {
                let (id, size) = (self.number()?, self.number()?);
                constants.push((id, self.take(size as usize)?.to_vec()));
            }
            let il = self.take(usize::try_from(length).ok()?)?.into();
            modules.push(Stored { il, constants });
        }
        self.0.is_empty().then_some(Binary { kind, options, modules })
    }
}

/// Detects damage. It is no protection against malice: SPIR-V is checked when it is parsed.
fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    let mut mix = |word: u64| sum = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    for word in &mut words {
        mix(u64::from_le_bytes(word.try_into().expect("chunks of 8 bytes")));
    }
    let mut last = [0; 8];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    mix(u64::from_le_bytes(last));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Binary {
        Binary {
            kind: BinaryKind::Executable,
            options: BuildOptions {
                fast_math: FastMath::UNSAFE,
                allow_unresolved: true,
                ..BuildOptions::default()
            },
            modules: vec![
                Stored {
                    il: (0..101).collect::<Vec<u8>>().into(),
                    constants: vec![(7, vec![1, 2, 3, 4]), (8, vec![])],
                },
                Stored {
                    il: Arc::new([]),
                    constants: vec![],
                },
            ],
        }
    }

    #[test]
    fn there_and_back() {
        let (before, bytes) = (sample(), sample().write());
        assert!(is_binary(&bytes));
        let after = Binary::read(&bytes).unwrap();
        assert_eq!((after.kind, &after.modules), (before.kind, &before.modules));
        assert_eq!(after.options.fast_math, FastMath::UNSAFE);
        assert!(after.options.allow_unresolved && !after.options.no_optimization);
    }

    #[test]
    fn every_damage_is_found() {
        let bytes = sample().write();
        for length in 0..bytes.len() {
            assert!(Binary::read(&bytes[..length]).is_err(), "cut off at {length}");
        }
        for place in 0..bytes.len() {
            for bit in [1, 0x80] {
                let mut damaged = bytes.clone();
                damaged[place] ^= bit;
                assert!(Binary::read(&damaged).is_err(), "bit {bit:#x} of byte {place}");
            }
        }
        assert!(Binary::read(b"\x03\x02\x23\x07 some SPIR-V, say").is_err());
    }

    #[test]
    fn lies_with_a_right_checksum() {
        // The counts and lengths at these places, each as large as can be.
        for place in [20, 24, 32, 40, 52] {
            let mut bytes = sample().write();
            bytes[place..place + 4].fill(0xff);
            let end = bytes.len() - 8;
            let sum = checksum(&bytes[..end]);
            bytes[end..].copy_from_slice(&sum.to_le_bytes());
            assert!(Binary::read(&bytes).is_err(), "{place}");
        }
    }
}
