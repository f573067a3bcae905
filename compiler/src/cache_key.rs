// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The cache keys of a program's code: a hash over everything that determines it.
//!
//! The hash is BLAKE3. It must be cryptographic: whoever could make two modules with the same key could make a program
//! run the code of the other module. BLAKE3 is the fastest of these in software, and each module that is loaded is
//! hashed.

use std::collections::BTreeSet;

use oxur_cache::{Compiler, Key};
use oxur_fork::OnceLock;

use crate::Target;
use crate::code::Variant;
use crate::options::{Options, Part};
use crate::target::host;

/// This compiler, by its version and the stamp of its build.
const NAME: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("OXUR_COMPILER_STAMP"));

/// The same, as files of the cache have it.
pub const COMPILER: Compiler = Compiler::new(NAME);

/// The hash of a program, to which the key of each kernel adds its name and variant.
pub struct ProgramKey(blake3::Hasher);

impl ProgramKey {
    /// Hashes all but the kernel.
    pub fn new(parts: &[Part], options: &Options) -> Self {
        match options.target {
            Target::Host => Self::for_compiler(parts, options, NAME, cpu()),
            other => Self::for_compiler(parts, options, NAME, other.to_string().as_bytes()),
        }
    }

    fn for_compiler(parts: &[Part], options: &Options, compiler: &str, cpu: &[u8]) -> Self {
        // Everything has a fixed size or follows its length, so that different inputs never hash the same bytes.
        let mut hasher = blake3::Hasher::new_derive_key("oxur: compiled code 1");
        bytes(&mut hasher, compiler.as_bytes());
        bytes(&mut hasher, cpu);
        // Destructured, so that a new option does not compile until it is hashed here or ignored.
        let Options {
            target: _,
            mode,
            // Variants of code belong to tiers, and are in the key of a kernel.
            tier: _,
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
        hasher.update(&[variant.number()]);
        if let Variant::WholeGroup(size) | Variant::WholeColumns(size) = variant {
            size.into_iter().for_each(|n| number(&mut hasher, n.into()));
        }
        hasher.update(name.as_bytes());
        Key(hasher.finalize().into())
    }

    /// The key of the variables, but for those of other programs, and of the functions that are called through
    /// pointers.
    pub fn globals(&self, shared: &BTreeSet<usize>) -> Key {
        let mut hasher = self.0.clone();
        hasher.update(b"globals");
        shared.iter().for_each(|index| number(&mut hasher, *index));
        Key(hasher.finalize().into())
    }
}

fn number(hasher: &mut blake3::Hasher, number: usize) {
    hasher.update(&(number as u64).to_le_bytes());
}

fn bytes(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    number(hasher, bytes.len());
    hasher.update(bytes);
}

/// The CPU that code is compiled for.
fn cpu() -> &'static [u8] {
    static CPU: OnceLock<Vec<u8>> = OnceLock::new();
    CPU.get_or_init(host::description)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Mode;
    use crate::{FastMath, Module};
    use oxur_cache::CacheConfig;

    /// The smallest module there is: with an id more than it needs, it is another one.
    fn module(bound: u32) -> std::sync::Arc<Module> {
        let words = [0x0723_0203, 0x0001_0000, 0, bound, 0, 0x0003_000e, 2, 2];
        Module::parse(&words.map(u32::to_le_bytes).concat()).unwrap()
    }

    #[test]
    fn keys_differ_in_all_that_matters() {
        let keys = |parts: &[Part], options: &Options, compiler: &str, cpu: &[u8]| {
            let key = ProgramKey::for_compiler(parts, options, compiler, cpu);
            let kernel = |name| key.kernel(name, Variant::Main);
            [
                key.globals(&BTreeSet::new()),
                key.globals(&BTreeSet::from([0])),
                key.globals(&BTreeSet::from([1])),
                kernel("a"),
                kernel("b"),
                kernel(""),
                key.kernel("a", Variant::Scalar),
                key.kernel("a", Variant::WholeGroup([64, 1, 1])),
                key.kernel("a", Variant::WholeGroup([128, 1, 1])),
                key.kernel("a", Variant::WholeGroup([8, 8, 1])),
                key.kernel("a", Variant::WholeGroup([1, 96, 1])),
                key.kernel("a", Variant::WholeColumns([1, 96, 1])),
                key.kernel("a", Variant::Columns),
            ]
        };
        let plain = Options::default;
        let part = |bound, constants: &[(u32, &[u8])]| Part {
            module: module(bound),
            constants: constants.iter().map(|&(id, value)| (id, value.to_vec())).collect(),
        };
        let mut all = Vec::new();
        for parts in [
            vec![],
            vec![part(1, &[])],
            vec![part(2, &[])],
            vec![part(1, &[]), part(2, &[])],
            vec![part(2, &[]), part(1, &[])],
            vec![part(1, &[(0, &[1])])],
            vec![part(1, &[(0, &[2])])],
            vec![part(1, &[(1, &[1])])],
            vec![part(1, &[(0, &[1, 0])])],
            vec![part(1, &[(0, &[1]), (1, &[2])])],
        ] {
            all.extend(keys(&parts, &plain(), "1", b"cpu"));
        }
        for options in [
            Options {
                mode: Mode::Scalar,
                ..plain()
            },
            Options {
                fast_math: FastMath::UNSAFE,
                ..plain()
            },
            Options {
                fast_math: FastMath::RELAXED,
                ..plain()
            },
            Options {
                fast_math: FastMath::RELAXED.without(FastMath::INEXACT_DIVISION),
                ..plain()
            },
            Options {
                no_optimization: true,
                ..plain()
            },
            Options {
                allow_unresolved: true,
                ..plain()
            },
        ] {
            all.extend(keys(&[part(1, &[])], &options, "1", b"cpu"));
        }
        all.extend(keys(&[part(1, &[])], &plain(), "2", b"cpu"));
        all.extend(keys(&[part(1, &[])], &plain(), "1", b"cpu2"));
        all.extend(keys(&[part(1, &[])], &plain(), "1c", b"pu"));
        let different: std::collections::HashSet<_> = all.iter().map(|key| key.0).collect();
        assert_eq!(different.len(), all.len());
        // Where the code is kept does not matter, and the same is the same.
        let elsewhere = Options {
            cache: CacheConfig::at("/x"),
            ..plain()
        };
        let (one, two) = (
            keys(&[part(1, &[])], &plain(), "1", b"cpu"),
            keys(&[part(1, &[])], &elsewhere, "1", b"cpu"),
        );
        assert!(one == two);
    }

    #[test]
    fn this_cpu_is_described_alike() {
        let key = || ProgramKey::new(&[], &Options::default()).globals(&BTreeSet::new());
        assert!(key() == key());
    }
}
