// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_CPU_DISABLE_ASPECTS`: optional features that the user disables, to try a program on a device with less than a
//! CPU has. The device reports none of them, and refuses modules that need one.

use oxur_fork::OnceLock;

use oxur_compiler::{Error, Module};

/// An optional feature.
struct Feature {
    /// Its name in the variable, which is that of SYCL's aspect.
    name: &'static str,
    /// The extensions of OpenCL that say it is there.
    extensions: &'static [&'static str],
    /// The number and name of the SPIR-V capability that modules declare to use it.
    capability: (u32, &'static str),
}

/// fp16 is not among them: modules that only convert halves, which every OpenCL device supports, declare the same
/// capability as those that compute with them.
const FEATURES: [Feature; 2] = [
    Feature {
        name: "fp64",
        extensions: &["cl_khr_fp64"],
        capability: (10, "Float64"),
    },
    Feature {
        name: "atomic64",
        extensions: &["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"],
        capability: (12, "Int64Atomics"),
    },
];

/// The disabled features.
fn features() -> &'static [&'static Feature] {
    static WITHOUT: OnceLock<Vec<&'static Feature>> = OnceLock::new();
    WITHOUT.get_or_init(|| {
        let names = oxur_environment::CPU_DISABLE_ASPECTS.words();
        FEATURES
            .iter()
            .filter(|feature| names.contains(&feature.name))
            .collect()
    })
}

/// Whether the feature of this name is disabled.
pub fn is(name: &str) -> bool {
    features().iter().any(|feature| feature.name == name)
}

/// The extensions of a list without those that are disabled.
pub fn extensions(all: &str) -> String {
    let left = |name: &&str| !features().iter().any(|feature| feature.extensions.contains(name));
    all.split_ascii_whitespace().filter(left).collect::<Vec<_>>().join(" ")
}

/// Refuses a module that needs a disabled feature.
pub fn check(module: &Module) -> Result<(), Error> {
    let needs = |feature: &&&Feature| module.capabilities().contains(&feature.capability.0);
    match features().iter().find(needs) {
        None => Ok(()),
        Some(feature) => Err(Error::Unsupported {
            feature: format!("capability {}", feature.capability.1),
            what: format!("UR_CPU_DISABLE_ASPECTS has {}", feature.name),
        }),
    }
}

/// The extensions of OpenCL that say that one of the features is there.
pub fn all_extensions() -> impl Iterator<Item = &'static str> {
    FEATURES.iter().flat_map(|feature| feature.extensions).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name that the variable takes is a feature, and the other way round.
    #[test]
    fn names() {
        let oxur_environment::Values::Words(names) = oxur_environment::CPU_DISABLE_ASPECTS.values() else {
            panic!("they are words");
        };
        assert_eq!(FEATURES.map(|feature| feature.name), *names);
    }
}
