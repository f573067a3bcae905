// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The input of the compiler besides the modules themselves: specialization constants, and what the user may choose.

use std::sync::Arc;

use crate::{FastMath, Module, Target};
use oxur_cache::CacheConfig;

/// A module with values for its specialization constants.
#[derive(Clone, Debug)]
pub struct Part {
    /// The module.
    pub module: Arc<Module>,
    /// Values by `SpecId`, as many bytes as the constant has. Others keep their defaults.
    pub constants: Vec<(u32, Vec<u8>)>,
}

impl Part {
    /// A module as it is.
    pub fn new(module: Arc<Module>) -> Self {
        Self {
            module,
            constants: Vec::new(),
        }
    }
}

/// How kernels are compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Vectorized, and optimized for this CPU.
    #[default]
    Fast,
    /// One work-item at a time, each on a stack of its own: the reference that [`Mode::Fast`] is tested against.
    Scalar,
}

/// How much time goes into the code of a kernel in [`Mode::Fast`]. All tiers compute the same: see `docs/compiler.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tier {
    /// The best code, from the first launch on.
    #[default]
    Best,
    /// The same, with the code that hot kernels would get before the first launch, too: for programs that fill the cache.
    All,
    /// Scalar code that is compiled in a few milliseconds.
    Quick,
    /// Quick code first, and the best code from threads in the background: at once for a kernel that has run for about as long
    /// as that takes to compile, later for others.
    Adaptive,
}

/// The user's choices.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What code is compiled for.
    pub target: Target,
    /// How kernels are compiled for the CPU.
    pub mode: Mode,
    /// How much time that may take.
    pub tier: Tier,
    /// How floating-point results may differ from what the precision demands.
    pub fast_math: FastMath,
    /// `-cl-opt-disable`.
    pub no_optimization: bool,
    /// Names that no module exports are no error at link, but when a kernel that calls them is compiled.
    pub allow_unresolved: bool,
    /// Where compiled code is kept. Nowhere by default.
    pub cache: CacheConfig,
}
