// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Keys: a hash over all that decides what code becomes of a kernel.
//!
//! The hash is BLAKE3. It must be a cryptographic one, since whoever can make two modules of one key can have the code of
//! one run for the other; among those it is the fastest in software, and a key is made for each module that is loaded.

use oxur_fork::OnceLock;

use crate::llvm::Machine;
use crate::program::{Options, Part, Variant};

/// What a piece of compiled code is found by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key(pub [u8; 32]);

/// The keys of a program's kernels: a hash that what tells one from the others is added to.
pub struct ProgramKey(blake3::Hasher);

impl ProgramKey {
    /// Hashes all but the kernel.
    pub fn new(parts: &[Part], options: &Options) -> Self {
        Self::for_compiler(
            parts,
            options,
            concat!(env!("CARGO_PKG_VERSION"), " ", env!("OXUR_COMPILER_STAMP")),
            cpu(),
        )
    }

    pub(super) fn for_compiler(parts: &[Part], options: &Options, compiler: &str, cpu: &str) -> Self {
        // Each thing either has a fixed size or comes behind its length, so that no two lists of things look the same.
        let mut hasher = blake3::Hasher::new_derive_key("oxur: compiled code 1");
        text(&mut hasher, compiler);
        text(&mut hasher, cpu);
        // Named one by one: who adds an option must say here whether it changes code.
        let Options {
            mode,
            fast_math,
            no_optimization,
            allow_unresolved,
            cache: _,
        } = options;
        hasher.update(&[
            *mode as u8,
            fast_math.bits(),
            (*no_optimization).into(),
            (*allow_unresolved).into(),
        ]);
        number(&mut hasher, parts.len());
        for Part { module, constants } in parts {
            hasher.update(module.digest());
            number(&mut hasher, constants.len());
            for (id, value) in constants {
                hasher.update(&id.to_le_bytes());
                number(&mut hasher, value.len());
                hasher.update(value);
            }
        }
        Self(hasher)
    }

    /// The key of a variant of a kernel's code.
    pub fn kernel(&self, name: &str, variant: Variant) -> Key {
        let mut hasher = self.0.clone();
        hasher.update(b"kernel");
        hasher.update(&[variant as u8]);
        hasher.update(name.as_bytes());
        Key(hasher.finalize().into())
    }

    /// The key of the program's variables, and of the functions that are called through pointers.
    pub fn globals(&self) -> Key {
        let mut hasher = self.0.clone();
        hasher.update(b"globals");
        Key(hasher.finalize().into())
    }
}

fn number(hasher: &mut blake3::Hasher, number: usize) {
    hasher.update(&(number as u64).to_le_bytes());
}

fn text(hasher: &mut blake3::Hasher, text: &str) {
    number(hasher, text.len());
    hasher.update(text.as_bytes());
}

/// What LLVM makes code for: asked once, since it takes longer than all the rest of a key.
fn cpu() -> &'static str {
    static CPU: OnceLock<String> = OnceLock::new();
    CPU.get_or_init(Machine::description)
}

impl Key {
    /// Where its file is: a folder of one byte, so that none holds too many, and a name.
    pub fn path(&self) -> String {
        let hex = blake3::Hash::from_bytes(self.0).to_hex();
        format!("{}/{}", &hex[..2], &hex[2..])
    }
}
