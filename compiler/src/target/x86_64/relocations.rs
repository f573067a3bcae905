// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Relocatable objects: those of LLVM's position-independent code.

use object::elf::*;

use crate::Error;

/// The machine in the header of an object.
pub const MACHINE: u16 = EM_X86_64;

/// What the place of a relocation refers to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Refers {
    /// To a symbol.
    Symbol,
    /// To the symbol's entry in the table of addresses.
    Entry,
    /// To the symbol, or to a [`jump`] there.
    Jump,
}

/// What a relocation of a type refers to.
pub fn refers(r_type: u32) -> Refers {
    match r_type {
        R_X86_64_GOTPCREL | R_X86_64_GOTPCRELX | R_X86_64_REX_GOTPCRELX => Refers::Entry,
        R_X86_64_PLT32 => Refers::Jump,
        _ => Refers::Symbol,
    }
}

/// What a relocation of a type stores at `place`, whose target with the addend is `value`: bytes, and how many.
pub fn relocated(r_type: u32, value: i64, place: i64) -> Result<([u8; 8], usize), Error> {
    let bad = |what: String| Error::Codegen(format!("the object cannot be loaded: {what}"));
    let distance = value.wrapping_sub(place);
    match r_type {
        R_X86_64_64 => Ok((value.to_le_bytes(), 8)),
        R_X86_64_PC64 => Ok((distance.to_le_bytes(), 8)),
        R_X86_64_PC32 | R_X86_64_PLT32 | R_X86_64_GOTPCREL | R_X86_64_GOTPCRELX | R_X86_64_REX_GOTPCRELX => {
            let near = i32::try_from(distance).map_err(|_| bad("a symbol is too far away".into()))?;
            Ok((i64::from(near).to_le_bytes(), 4))
        }
        other => Err(bad(format!("relocation {other}"))),
    }
}

/// The size of a jump, with padding.
pub const JUMP: usize = 16;

/// A jump to the address that is so far behind the start of the jump.
pub fn jump(distance: i64) -> [u8; 6] {
    // jmp *[rip + distance], counted from its end
    let [a, b, c, d] = ((distance - 6) as i32).to_le_bytes();
    [0xff, 0x25, a, b, c, d]
}
