// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the user wants the device to do without: `UR_CPU_DISABLE_ASPECTS`, a list of optional features. The device then says that
//! it has none of them, and refuses modules that need one, so that a program can be tried on lesser devices than a CPU.

use oxur_fork::OnceLock;

use oxur_compiler::{Error, Module};

/// An optional feature.
struct Feature {
    /// Its name in the variable, which is that of SYCL's aspect.
    name: &'static str,
    /// The extensions of OpenCL that say it is there.
    extensions: &'static [&'static str],
    /// The capability that modules declare to use it, by its number and name in SPIR-V.
    capability: (u32, &'static str),
}

/// Half is none of them: modules declare the same capability whether they compute with it or only convert it, which every
/// device of OpenCL can.
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

/// The features that the device does without.
fn features() -> &'static [&'static Feature] {
    static WITHOUT: OnceLock<Vec<&'static Feature>> = OnceLock::new();
    WITHOUT.get_or_init(|| {
        let value = std::env::var_os("UR_CPU_DISABLE_ASPECTS").unwrap_or_default();
        parse(&value.to_string_lossy())
    })
}

fn parse(value: &str) -> Vec<&'static Feature> {
    let mut found = Vec::new();
    for name in value.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match FEATURES.iter().find(|feature| feature.name == name) {
            Some(feature) => found.push(feature),
            None => {
                log::warn!("UR_CPU_DISABLE_ASPECTS: {name} is ignored: the device can do without fp64 and atomic64")
            }
        }
    }
    found
}

/// Whether the device does without the feature of this name.
pub(super) fn is(name: &str) -> bool {
    features().iter().any(|feature| feature.name == name)
}

/// The extensions in a list that are left.
pub(super) fn extensions(all: &str) -> String {
    let left = |name: &&str| !features().iter().any(|feature| feature.extensions.contains(name));
    all.split_ascii_whitespace().filter(left).collect::<Vec<_>>().join(" ")
}

/// Refuses a module that needs a feature that the device does without.
pub(crate) fn check(module: &Module) -> Result<(), Error> {
    let needs = |feature: &&&Feature| module.capabilities().contains(&feature.capability.0);
    match features().iter().find(needs) {
        None => Ok(()),
        Some(feature) => Err(Error::Unsupported {
            feature: format!("capability {}", feature.capability.1),
            what: format!("UR_CPU_DISABLE_ASPECTS has {}", feature.name),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let names = |value| parse(value).iter().map(|feature| feature.name).collect::<Vec<_>>();
        assert!(names("").is_empty());
        assert_eq!(names("fp64"), ["fp64"]);
        assert_eq!(names(" atomic64 ,fp64,"), ["atomic64", "fp64"]);
        assert_eq!(names("fp64,fp16"), ["fp64"]);
    }

    #[test]
    fn each_feature_has_its_extensions() {
        for extension in FEATURES.iter().flat_map(|feature| feature.extensions) {
            let listed = super::super::info::EXTENSIONS.split(' ').any(|name| name == *extension);
            assert!(listed, "{extension}");
        }
    }
}
