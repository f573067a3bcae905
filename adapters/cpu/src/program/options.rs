// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Build, compile and link options: a string of words, as in OpenCL.
//!
//! OpenCL's options are known. Options for compilers of other devices and of source text are accepted and ignored,
//! because SYCL runtimes pass them to every device. Anything else is an error.

use std::ffi::CStr;

use kit::ur::{ExpProgramFlags, ResultCode};
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_cache::CacheConfig;
use oxur_cache::environment::FromEnvironment;
use oxur_compiler::{FastMath, Mode};
use oxur_fork::OnceLock;

/// The options of a build.
#[derive(Clone, Debug, Default)]
pub(super) struct BuildOptions {
    /// As the client gave them.
    pub(super) text: String,
    pub(super) fast_math: FastMath,
    pub(super) no_optimization: bool,
    pub(super) allow_unresolved: bool,
    /// `-create-library`: the result is linked again later.
    pub(super) library: bool,
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
];

impl BuildOptions {
    /// Parses the client's options.
    pub(super) fn new(text: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<Self> {
        let text = text.map_or_else(String::new, |text| text.to_string_lossy().into_owned());
        let mut options = Self {
            allow_unresolved: flags.contains(ExpProgramFlags::ALLOW_UNRESOLVED_SYMBOLS),
            ..Self::default()
        };
        let mut has_exact_division = false;
        let mut words = split(&text).into_iter();
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
                    return Err(UrError::with_message(
                        ResultCode::ERROR_INVALID_VALUE,
                        format!("there is no build option {word}"),
                    ));
                }
            }
        }
        if has_exact_division {
            options.fast_math = options.fast_math.without(FastMath::INEXACT_DIVISION);
        }
        options.text = text;
        Ok(options)
    }

    /// The options for the compiler.
    pub(super) fn for_compiler(&self) -> oxur_compiler::Options {
        oxur_compiler::Options {
            mode: mode(),
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
    *MODE.get_or_init(|| match std::env::var_os("UR_CPU_MODE") {
        Some(value) if value == "scalar" => Mode::Scalar,
        Some(value) if !value.is_empty() && value != "fast" => {
            log::warn!("UR_CPU_MODE={} is ignored: it is `fast` or `scalar`", value.display());
            Mode::Fast
        }
        _ => Mode::Fast,
    })
}

/// Where compiled code is kept, and how much.
fn cache() -> &'static CacheConfig {
    static CACHE: OnceLock<CacheConfig> = OnceLock::new();
    CACHE.get_or_init(|| {
        let environment = FromEnvironment::read();
        for problem in environment.ignored {
            log::warn!("{problem}");
        }
        environment.config
    })
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

    fn options(text: &CStr) -> Result<BuildOptions, ResultCode> {
        BuildOptions::new(Some(text), ExpProgramFlags::empty()).map_err(|error| error.code())
    }

    #[test]
    fn words() {
        assert_eq!(split("  -a \t-b='c d' \"e\"f ''"), ["-a", "-b=c d", "ef", ""]);
        assert!(split(" ").is_empty());
    }

    #[test]
    fn known_options() {
        let none = options(c"").unwrap();
        assert!(!none.no_optimization && !none.library && !none.allow_unresolved);
        let some = options(c"-cl-std=CL3.0 -cl-fast-relaxed-math -cl-opt-disable -I /tmp/a -DX=1 -D Y -g").unwrap();
        assert!(some.fast_math == FastMath::RELAXED && some.no_optimization);
        assert!(some.text.starts_with("-cl-std"));
        assert!(options(c"-create-library -enable-link-options").unwrap().library);
        for foreign in [
            c"-ze-opt-large-register-file -ze-intel-enable-auto-large-GRF-mode",
            c"-vc-codegen -doubleGRF -Xfinalizer -noLocalSplit",
            c"-igc_opts 'PartitionUnit=1,SubroutineThreshold=50000' -O2",
            c"-ftarget-register-alloc-mode=pvc:auto -foffload-fp32-prec-div",
        ] {
            assert!(options(foreign).is_ok(), "{foreign:?}");
        }
    }

    #[test]
    fn floating_point_options() {
        let without_division = FastMath::UNSAFE.without(FastMath::INEXACT_DIVISION);
        for (text, expected) in [
            (c"", FastMath::default()),
            // These options do not change code, so the cache has no separate entries for them.
            (c"-cl-mad-enable -cl-denorms-are-zero", FastMath::default()),
            (c"-cl-single-precision-constant", FastMath::default()),
            (c"-cl-fp32-correctly-rounded-divide-sqrt", FastMath::default()),
            (c"-cl-no-signed-zeros", FastMath::NO_SIGNED_ZEROS),
            (c"-cl-finite-math-only", FastMath::FINITE_ONLY),
            (c"-cl-unsafe-math-optimizations", FastMath::UNSAFE),
            (c"-cl-fast-relaxed-math", FastMath::RELAXED),
            (c"-cl-unsafe-math-optimizations -cl-finite-math-only", FastMath::RELAXED),
            (
                c"-cl-fp32-correctly-rounded-divide-sqrt -cl-unsafe-math-optimizations",
                without_division,
            ),
        ] {
            assert_eq!(options(text).unwrap().fast_math, expected, "{text:?}");
        }
    }

    #[test]
    fn unknown_options() {
        for wrong in [
            c"-this-is-no-option",
            c"x",
            c"-cl-no-such-thing",
            c"-cl-opt-disable --help",
        ] {
            assert_eq!(
                options(wrong).unwrap_err(),
                ResultCode::ERROR_INVALID_VALUE,
                "{wrong:?}"
            );
        }
    }
}
