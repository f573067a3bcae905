// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Build, compile and link options: a string of words, as in OpenCL.
//!
//! OpenCL's options are known. Options for compilers of other devices and of source text are accepted and ignored,
//! because SYCL runtimes pass them to every device. Anything else is an error.

use oxur_cache::CacheConfig;
use oxur_cache::environment::FromEnvironment;
use oxur_compiler::{FastMath, Mode, Tier};
use oxur_fork::OnceLock;

/// A word that is no build option.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no build option {0}")]
pub struct UnknownOption(String);

/// The options of a build.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// As the client gave them.
    pub text: String,
    /// The freedoms that the options give floating-point arithmetic.
    pub fast_math: FastMath,
    /// Kernels are compiled without optimizations.
    pub no_optimization: bool,
    /// Imports that no module exports are allowed as long as nothing calls them.
    pub allow_unresolved: bool,
    /// `-create-library`: the result is linked again later.
    pub library: bool,
}

/// Options that are accepted and ignored, and are a single word.
const IGNORED: &[&str] = &[
    // OpenCL's: for its front end, or permissions that the compiler does not use.
    "-cl-single-precision-constant",
    "-cl-denorms-are-zero",
    "-cl-strict-aliasing",
    "-cl-uniform-work-group-size",
    "-cl-no-subgroup-ifp",
    // Contraction is always allowed, unless the module forbids it.
    "-cl-mad-enable",
    "-cl-kernel-arg-info",
    "-enable-link-options",
    "-w",
    "-Werror",
    "-g",
    "-gline-tables-only",
    "-profile",
    // Of other devices.
    "-doubleGRF",
    "-vc-codegen",
    "-library-compilation",
];

/// Prefixes of options that are accepted and ignored.
const IGNORED_BEGINNINGS: &[&str] = &[
    "-cl-std=",
    "-cl-ext=",
    "-cl-intel-",
    "-spir-std=",
    "-O",
    "-ze-",
    "-vc-",
    "-ftarget-",
    "-foffload-",
    "-fsycl-",
    "-fno-sycl-",
    "-fp-model",
    "-auto-prefetch-level=",
];

/// Options whose value is the next word, unless it is part of the same one.
const WITH_VALUE: &[&str] = &[
    "-D",
    "-I",
    "-U",
    "-x",
    "-s",
    "-igc_opts",
    "-Xfinalizer",
    "-Xs",
    "-options",
    "-device",
    "-ze-opt-regular-grf-kernel",
    "-ze-opt-large-grf-kernel",
];

impl BuildOptions {
    /// Parses the client's options.
    pub fn new(text: &str) -> Result<Self, UnknownOption> {
        let mut options = Self::default();
        let mut has_exact_division = false;
        let mut words = split(text).into_iter();
        while let Some(word) = words.next() {
            match &*word {
                "-cl-fast-relaxed-math" => options.fast_math |= FastMath::RELAXED,
                "-cl-unsafe-math-optimizations" => options.fast_math |= FastMath::UNSAFE,
                "-cl-finite-math-only" => options.fast_math |= FastMath::FINITE_ONLY,
                "-cl-no-signed-zeros" => options.fast_math |= FastMath::NO_SIGNED_ZEROS,
                "-cl-fp32-correctly-rounded-divide-sqrt" => has_exact_division = true,
                "-cl-opt-disable" | "-O0" => options.no_optimization = true,
                "-create-library" => options.library = true,
                word if IGNORED.contains(&word) => {}
                word if WITH_VALUE.contains(&word) => _ = words.next(),
                word if IGNORED_BEGINNINGS
                    .iter()
                    .chain(WITH_VALUE)
                    .any(|begin| word.starts_with(begin)) => {}
                word => {
                    return Err(UnknownOption(word.to_owned()));
                }
            }
        }
        if has_exact_division {
            options.fast_math = options.fast_math.without(FastMath::INEXACT_DIVISION);
        }
        options.text = text.to_owned();
        Ok(options)
    }

    /// The options for the compiler.
    pub fn for_compiler(&self) -> oxur_compiler::Options {
        oxur_compiler::Options {
            target: oxur_compiler::Target::default(),
            mode: mode(),
            tier: tier(),
            fast_math: self.fast_math,
            no_optimization: self.no_optimization,
            allow_unresolved: self.allow_unresolved,
            cache: cache().clone(),
        }
    }
}

/// `UR_CPU_MODE`: `scalar` runs one work-item at a time, to find out whether a wrong result is the vectorizer's fault.
fn mode() -> Mode {
    static MODE: OnceLock<Mode> = OnceLock::new();
    *MODE.get_or_init(|| match oxur_environment::CPU_MODE.word() {
        Some("scalar") => Mode::Scalar,
        _ => Mode::Fast,
    })
}

/// `UR_CPU_TIER`: which code kernels begin with, and whether they get better code (docs/compiler.md).
fn tier() -> Tier {
    static TIER: OnceLock<Tier> = OnceLock::new();
    *TIER.get_or_init(|| match oxur_environment::CPU_TIER.word() {
        Some("best") => Tier::Best,
        Some("all") => Tier::All,
        Some("quick") => Tier::Quick,
        _ => Tier::Adaptive,
    })
}

/// Where compiled code is kept, and how much.
fn cache() -> &'static CacheConfig {
    static CACHE: OnceLock<CacheConfig> = OnceLock::new();
    CACHE.get_or_init(|| FromEnvironment::read().config)
}

/// The words of a string; blanks inside of quotes do not separate words.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Result<BuildOptions, UnknownOption> {
        BuildOptions::new(text)
    }

    #[test]
    fn words() {
        assert_eq!(split("  -a \t-b='c d' \"e\"f ''"), ["-a", "-b=c d", "ef", ""]);
        assert!(split(" ").is_empty());
    }

    #[test]
    fn known_options() {
        let none = options("").unwrap();
        assert!(!none.no_optimization && !none.library && !none.allow_unresolved);
        let some = options("-cl-std=CL3.0 -cl-fast-relaxed-math -cl-opt-disable -I /tmp/a -DX=1 -D Y -g").unwrap();
        assert!(some.fast_math == FastMath::RELAXED && some.no_optimization);
        assert!(some.text.starts_with("-cl-std"));
        assert!(options("-create-library -enable-link-options").unwrap().library);
        for foreign in [
            "-ze-opt-large-register-file -ze-intel-enable-auto-large-GRF-mode",
            "-vc-codegen -doubleGRF -Xfinalizer -noLocalSplit",
            "-igc_opts 'PartitionUnit=1,SubroutineThreshold=50000' -O2",
            "-ftarget-register-alloc-mode=pvc:auto -foffload-fp32-prec-div",
            "-ze-opt-regular-grf-kernel one -ze-opt-large-grf-kernel another",
        ] {
            assert!(options(foreign).is_ok(), "{foreign:?}");
        }
    }

    #[test]
    fn floating_point_options() {
        let without_division = FastMath::UNSAFE.without(FastMath::INEXACT_DIVISION);
        for (text, expected) in [
            ("", FastMath::default()),
            // These options do not change code, so the cache has no separate entries for them.
            ("-cl-mad-enable -cl-denorms-are-zero", FastMath::default()),
            ("-cl-single-precision-constant", FastMath::default()),
            ("-cl-fp32-correctly-rounded-divide-sqrt", FastMath::default()),
            ("-cl-no-signed-zeros", FastMath::NO_SIGNED_ZEROS),
            ("-cl-finite-math-only", FastMath::FINITE_ONLY),
            ("-cl-unsafe-math-optimizations", FastMath::UNSAFE),
            ("-cl-fast-relaxed-math", FastMath::RELAXED),
            ("-cl-unsafe-math-optimizations -cl-finite-math-only", FastMath::RELAXED),
            (
                "-cl-fp32-correctly-rounded-divide-sqrt -cl-unsafe-math-optimizations",
                without_division,
            ),
        ] {
            assert_eq!(options(text).unwrap().fast_math, expected, "{text:?}");
        }
    }

    #[test]
    fn unknown_options() {
        for wrong in ["-this-is-no-option", "x", "-cl-no-such-thing", "-cl-opt-disable --help"] {
            assert!(options(wrong).is_err(), "{wrong:?}");
        }
    }
}
