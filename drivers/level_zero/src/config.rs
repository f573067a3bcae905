// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `ZE_OXUR_…`: what variables change of the driver and its devices, for programs that accept only what they know, and to try
//! programs on other versions and machines than this one.

use level_zero_sys::*;
use oxur_device_cpu::limits;
use oxur_fork::OnceLock;

/// The version of the driver unless a variable has another: with Intel's numbers, because programs compare it with those.
const DRIVER_VERSION: u32 = driver_version(1, 17, 40000);

/// The most devices or sub-devices that a variable may ask for.
const MOST_DEVICES: usize = 1024;

/// What the variables say.
#[derive(Debug, PartialEq)]
pub(crate) struct Config {
    /// `ZE_OXUR_DEVICE_TYPE`: the type that devices report.
    pub(crate) device_type: ze_device_type_t,
    /// `ZE_OXUR_DRIVER_VERSION`: the version of the driver.
    pub(crate) driver_version: u32,
    /// `ZE_OXUR_API_VERSION`: the version of the API that the driver says it has.
    pub(crate) api_version: ze_api_version_t,
    /// `ZE_OXUR_HIDE_EXTENSIONS`: extensions that are not listed, and functions that are not found by name.
    pub(crate) hidden: Vec<String>,
    /// `ZE_OXUR_DEVICES`: the number of devices.
    pub(crate) devices: usize,
    /// `ZE_OXUR_SUB_DEVICES`: the number of sub-devices of each device, instead of one for each NUMA node.
    pub(crate) sub_devices: Option<usize>,
    /// `ZE_OXUR_MEMORY`: what devices say of their memory.
    pub(crate) memory: Memory,
    /// `ZE_OXUR_VENDOR_ID`: the vendor that devices report.
    pub(crate) vendor_id: Option<u32>,
    /// `ZE_OXUR_DEVICE_NAME`: the name that devices report.
    pub(crate) name: Option<String>,
}

/// What devices say of their memory. It always is the host's: programs choose by this whether they copy data between devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Memory {
    /// That it is the host's.
    #[default]
    Host,
    /// That it is their own, and others reach it.
    Peers,
    /// That it is their own, and only they and their parts reach it.
    Apart,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            device_type: ZE_DEVICE_TYPE_GPU,
            driver_version: DRIVER_VERSION,
            api_version: API_VERSION,
            hidden: Vec::new(),
            devices: 1,
            sub_devices: None,
            memory: Memory::Host,
            vendor_id: None,
            name: None,
        }
    }
}

impl Config {
    /// The configuration of this process.
    pub(crate) fn get() -> &'static Self {
        static CONFIG: OnceLock<Config> = OnceLock::new();
        CONFIG.get_or_init(|| {
            crate::entry::init();
            Self::read(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
        })
    }

    /// Whether devices report themselves as GPUs.
    pub(crate) fn is_gpu(&self) -> bool {
        self.device_type == ZE_DEVICE_TYPE_GPU
    }

    /// How many work-items a group has at most.
    pub(crate) fn max_group_size(&self) -> usize {
        match self.is_gpu() {
            true => limits::GPU_WORK_GROUP_SIZE,
            false => limits::WORK_GROUP_SIZE,
        }
    }

    /// Whether an extension or a function is hidden.
    pub(crate) fn hides(&self, name: &str) -> bool {
        self.hidden.iter().any(|hidden| hidden == name)
    }

    /// Reads the variables. Values that are wrong are logged and ignored.
    fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let variables = Variables(variable);
        let default = Self::default();
        Self {
            device_type: variables
                .parse("DEVICE_TYPE", "it is `gpu` or `cpu`", device_type)
                .unwrap_or(default.device_type),
            driver_version: variables
                .parse(
                    "DRIVER_VERSION",
                    "it is a number, or a version such as 1.6.35005",
                    parse_driver_version,
                )
                .unwrap_or(default.driver_version),
            api_version: variables
                .parse(
                    "API_VERSION",
                    "it is a version of the API that the driver has, from 1.0 on",
                    api_version,
                )
                .unwrap_or(default.api_version),
            hidden: variables
                .parse("HIDE_EXTENSIONS", "it is a list of names", |value| Some(list(value)))
                .unwrap_or_default(),
            devices: variables
                .parse("DEVICES", "it is a number of devices, 1 at least", |value| {
                    count(value).filter(|count| *count > 0)
                })
                .unwrap_or(default.devices),
            sub_devices: variables.parse("SUB_DEVICES", "it is a number of sub-devices", count),
            memory: variables
                .parse("MEMORY", "it is `host`, `peers` or `apart`", memory)
                .unwrap_or_default(),
            vendor_id: variables.parse("VENDOR_ID", "it is a number such as 0x8086", number),
            name: variables.parse("DEVICE_NAME", "it is a name", |value| Some(value.to_owned())),
        }
    }
}

/// The environment.
struct Variables<F>(F);

impl<F: Fn(&str) -> Option<String>> Variables<F> {
    /// The value of `ZE_OXUR_` and `name`; an empty one counts as unset.
    fn parse<T>(&self, name: &str, what: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let name = format!("ZE_OXUR_{name}");
        let value = (self.0)(&name)?;
        let value = value.trim();
        if value.is_empty() {
            return None;
        }
        let parsed = parse(value);
        if parsed.is_none() {
            oxur_environment::warn(&format!("{name}={value} is ignored: {what}"));
        }
        parsed
    }
}

fn device_type(value: &str) -> Option<ze_device_type_t> {
    match &*value.to_ascii_lowercase() {
        "gpu" => Some(ZE_DEVICE_TYPE_GPU),
        "cpu" => Some(ZE_DEVICE_TYPE_CPU),
        _ => None,
    }
}

fn memory(value: &str) -> Option<Memory> {
    match &*value.to_ascii_lowercase() {
        "host" => Some(Memory::Host),
        "peers" => Some(Memory::Peers),
        "apart" => Some(Memory::Apart),
        _ => None,
    }
}

/// A version of Intel's driver as one number.
const fn driver_version(major: u8, minor: u8, build: u16) -> u32 {
    (major as u32) << 24 | (minor as u32) << 16 | build as u32
}

/// `1.6.35005`, `1.6`, or the number that these are.
fn parse_driver_version(value: &str) -> Option<u32> {
    let Some((major, rest)) = value.split_once('.') else {
        // The specification demands another number than zero.
        return number(value).filter(|version| *version != 0);
    };
    let (minor, build) = rest.split_once('.').unwrap_or((rest, "0"));
    Some(driver_version(
        major.parse().ok()?,
        minor.parse().ok()?,
        build.parse().ok()?,
    ))
}

fn api_version(value: &str) -> Option<ze_api_version_t> {
    let (major, minor) = value.split_once('.')?;
    let version = ZE_MAKE_VERSION(major.parse().ok()?, minor.parse::<u16>().ok()?.into());
    (ZE_MAJOR_VERSION(version) == 1 && version <= API_VERSION.0).then_some(ze_api_version_t(version))
}

fn list(value: &str) -> Vec<String> {
    let names = value.split([',', ';', ' ']).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

fn count(value: &str) -> Option<usize> {
    value.parse().ok().filter(|count| *count <= MOST_DEVICES)
}

fn number(value: &str) -> Option<u32> {
    match value.strip_prefix("0x").or_else(|| value.strip_prefix("0X")) {
        // Unlike `parse`, which takes a sign.
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => value.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Config {
        Config::read(|name| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn nothing_is_set() {
        assert_eq!(read(&[]), Config::default());
        assert_eq!(
            read(&[("ZE_OXUR_DEVICES", ""), ("ZE_OXUR_DEVICE_NAME", " ")]),
            Config::default()
        );
    }

    #[test]
    fn everything_is_set() {
        let config = read(&[
            ("ZE_OXUR_DEVICE_TYPE", "CPU"),
            ("ZE_OXUR_DRIVER_VERSION", "1.6.35005"),
            ("ZE_OXUR_API_VERSION", "1.13"),
            ("ZE_OXUR_HIDE_EXTENSIONS", "ZE_a, ZE_b"),
            ("ZE_OXUR_DEVICES", "2"),
            ("ZE_OXUR_SUB_DEVICES", "0"),
            ("ZE_OXUR_MEMORY", "Peers"),
            ("ZE_OXUR_VENDOR_ID", "0x8086"),
            ("ZE_OXUR_DEVICE_NAME", "Ponte Vecchio"),
        ]);
        let expected = Config {
            device_type: ZE_DEVICE_TYPE_CPU,
            driver_version: 0x0106_88bd,
            api_version: ZE_API_VERSION_1_13,
            hidden: vec!["ZE_a".to_owned(), "ZE_b".to_owned()],
            devices: 2,
            sub_devices: Some(0),
            memory: Memory::Peers,
            vendor_id: Some(0x8086),
            name: Some("Ponte Vecchio".to_owned()),
        };
        assert_eq!(config, expected);
        assert!(config.hides("ZE_b") && !config.hides("ZE_"));
    }

    #[test]
    fn driver_versions() {
        assert_eq!(parse_driver_version("1.14"), Some(0x010e_0000));
        assert_eq!(parse_driver_version("17"), Some(17));
        assert_eq!(parse_driver_version("0x10688bd"), Some(0x0106_88bd));
        for wrong in ["0", "-1", "a", "1.", "1.256", "1.6.65536", "1.6.1.1", "0x", "0x+1"] {
            assert_eq!(parse_driver_version(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_wrong_is_ignored() {
        for (name, value) in [
            ("ZE_OXUR_DEVICE_TYPE", "npu"),
            ("ZE_OXUR_API_VERSION", "2.0"),
            ("ZE_OXUR_API_VERSION", "1.99"),
            ("ZE_OXUR_API_VERSION", "1"),
            ("ZE_OXUR_DEVICES", "0"),
            ("ZE_OXUR_DEVICES", "99999999999"),
            ("ZE_OXUR_SUB_DEVICES", "-1"),
            ("ZE_OXUR_MEMORY", "device"),
            ("ZE_OXUR_VENDOR_ID", "Intel"),
        ] {
            assert_eq!(read(&[(name, value)]), Config::default(), "{name}={value}");
        }
    }
}
