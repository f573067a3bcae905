// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `ZE_FLAT_DEVICE_HIERARCHY`, which the specification defines: what clients see of sub-devices.

use oxur_fork::OnceLock;

/// How devices and their parts are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Hierarchy {
    /// `zeDeviceGet` lists devices, which list their sub-devices.
    Composite,
    /// `zeDeviceGet` lists sub-devices, as if they were devices.
    Flat,
    /// `zeDeviceGet` lists sub-devices, which name the devices that they are a part of.
    Combined,
}

impl Hierarchy {
    /// That of this process.
    pub(super) fn get() -> Self {
        static HIERARCHY: OnceLock<Hierarchy> = OnceLock::new();
        *HIERARCHY.get_or_init(|| {
            let value = std::env::var_os("ZE_FLAT_DEVICE_HIERARCHY").unwrap_or_default();
            let value = value.to_string_lossy();
            Self::parse(value.trim()).unwrap_or_else(|| {
                let name = "ZE_FLAT_DEVICE_HIERARCHY";
                oxur_environment::warn(&format!("{name}={value} is ignored: it is COMPOSITE, FLAT or COMBINED"));
                Self::Composite
            })
        })
    }

    fn parse(value: &str) -> Option<Self> {
        match &*value.to_ascii_uppercase() {
            "" | "COMPOSITE" => Some(Self::Composite),
            "FLAT" => Some(Self::Flat),
            "COMBINED" => Some(Self::Combined),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(Hierarchy::parse(""), Some(Hierarchy::Composite));
        assert_eq!(Hierarchy::parse("flat"), Some(Hierarchy::Flat));
        assert_eq!(Hierarchy::parse("COMBINED"), Some(Hierarchy::Combined));
        assert_eq!(Hierarchy::parse("1"), None);
    }
}
