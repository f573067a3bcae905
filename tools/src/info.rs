// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur info`: lists adapters, platforms and devices through a loader, as text or JSON.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use oxur_client::api::*;
use oxur_client::{Adapter, Device, FromInfo, Generation, Loader, Platform};
use serde_json::{Map, Value, json};

use crate::{Failure, lib_folder};

/// Lists everything. The exit code is 1 if there is no device.
pub fn main(json: bool, loader: Option<PathBuf>, adapters: &[OsString]) -> Result<ExitCode, Failure> {
    let path = match loader {
        Some(path) => path,
        None => lib_folder::find()?.join(lib_folder::LOADER),
    };
    if !adapters.is_empty() {
        let folder = lib_folder::find().unwrap_or_default();
        set(
            "UR_ADAPTERS_FORCE_LOAD",
            &lib_folder::force_load(&lib_folder::choose(&folder, adapters)?),
        );
    }
    let loader = open(&path)?;
    let report = report(&loader)
        .map_err(|error| Failure::new(error.to_string(), "see UR_LOG_LOADER=level:debug;output:stderr"))?;
    if json {
        println!("{report:#}");
    } else {
        print_text(&report);
    }
    let devices = items(&report, "adapters")
        .flat_map(|a| items(a, "platforms"))
        .flat_map(|p| items(p, "devices"))
        .count();
    if devices == 0 {
        return Err(Failure::new("no device found", "`oxur doctor` reports what is missing"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Sets a variable for the libraries that this process loads.
fn set(name: &str, value: &OsString) {
    // SAFETY: this command has one thread until the loader is loaded.
    unsafe { env::set_var(name, value) };
}

/// Loads a loader.
pub fn open(path: &Path) -> Result<Loader, Failure> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Loader::open(&path).map_err(|error| match error {
        oxur_client::Error::NotExported(name) => Failure::new(
            format!(
                "{} is not a Unified Runtime loader: it does not export {name}",
                path.display()
            ),
            "name a libur_loader.so.0",
        ),
        error => Failure::new(
            error.to_string(),
            "check the path; `ldd` lists the libraries that it lacks",
        ),
    })
}

/// Everything that `info` shows.
pub fn report(loader: &Loader) -> oxur_client::Result<Value> {
    let adapters: Vec<_> = loader
        .adapters()?
        .iter()
        .map(adapter)
        .collect::<oxur_client::Result<_>>()?;
    Ok(json!({
        "loader": loader.path().to_string_lossy(),
        "generation": match loader.generation() {
            Generation::V2026_1 => "2026.1",
            Generation::V2026_2 => "2026.2",
        },
        "adapters": adapters,
    }))
}

fn adapter(adapter: &Adapter) -> oxur_client::Result<Value> {
    let backend: Backend = adapter.info(AdapterInfo::BACKEND)?;
    let platforms: Vec<_> = adapter
        .platforms()?
        .iter()
        .map(platform)
        .collect::<oxur_client::Result<_>>()?;
    Ok(json!({
        "backend": short(&format!("{backend:?}"), "UR_BACKEND_"),
        "version": adapter.info::<u32>(AdapterInfo::VERSION).ok(),
        "platforms": platforms,
    }))
}

fn platform(platform: &Platform) -> oxur_client::Result<Value> {
    let text = |property| platform.info::<String>(property).ok();
    let backend = platform.info::<Backend>(PlatformInfo::BACKEND).ok();
    let devices: Vec<_> = platform.devices()?.iter().map(device).collect();
    Ok(json!({
        "name": text(PlatformInfo::NAME),
        "vendor": text(PlatformInfo::VENDOR_NAME),
        "version": text(PlatformInfo::VERSION),
        "backend": backend.map(|backend| short(&format!("{backend:?}"), "UR_BACKEND_")),
        "devices": devices,
    }))
}

fn device(device: &Device) -> Value {
    fn get<T: FromInfo>(device: &Device, property: DeviceInfo) -> Option<T> {
        device.info(property).ok()
    }
    let text = |property| get::<String>(device, property);
    let number = |property| get::<u32>(device, property);
    let long = |property| get::<u64>(device, property);
    let size = |property| get::<usize>(device, property);
    let yes = |property| get::<bool>(device, property);
    let usm = |property| get::<DeviceUsmAccessCapabilityFlags>(device, property).map(|flags| !flags.is_empty());
    let float = |property| get::<DeviceFpCapabilityFlags>(device, property).map(|flags| !flags.is_empty());
    let kind = get::<DeviceType>(device, DeviceInfo::TYPE).map(|kind| short(&format!("{kind:?}"), "UR_DEVICE_TYPE_"));
    json!({
        "name": text(DeviceInfo::NAME),
        "type": kind,
        "vendor": text(DeviceInfo::VENDOR),
        "version": text(DeviceInfo::VERSION),
        "driver": text(DeviceInfo::DRIVER_VERSION),
        "il": text(DeviceInfo::IL_VERSION),
        "compute_units": number(DeviceInfo::MAX_COMPUTE_UNITS),
        "clock_mhz": number(DeviceInfo::MAX_CLOCK_FREQUENCY),
        "max_work_group_size": size(DeviceInfo::MAX_WORK_GROUP_SIZE),
        "sub_group_sizes": get::<Vec<u32>>(device, DeviceInfo::SUB_GROUP_SIZES_INTEL),
        "global_memory": long(DeviceInfo::GLOBAL_MEM_SIZE),
        "local_memory": long(DeviceInfo::LOCAL_MEM_SIZE),
        "supports": {
            "fp16": float(DeviceInfo::HALF_FP_CONFIG),
            "fp64": float(DeviceInfo::DOUBLE_FP_CONFIG),
            "atomic64": yes(DeviceInfo::ATOMIC_64),
            "usm_host": usm(DeviceInfo::USM_HOST_SUPPORT),
            "usm_device": usm(DeviceInfo::USM_DEVICE_SUPPORT),
            "usm_shared": usm(DeviceInfo::USM_SINGLE_SHARED_SUPPORT),
            "usm_system": usm(DeviceInfo::USM_SYSTEM_SHARED_SUPPORT),
            "usm_pools": yes(DeviceInfo::USM_POOL_SUPPORT),
            "images": yes(DeviceInfo::IMAGE_SUPPORT),
            "device_globals": yes(DeviceInfo::GLOBAL_VARIABLE_SUPPORT),
            "specialization_constants": yes(DeviceInfo::PROGRAM_SET_SPECIALIZATION_CONSTANTS),
            "command_buffers": yes(DeviceInfo::COMMAND_BUFFER_SUPPORT_EXP),
            "virtual_memory": yes(DeviceInfo::VIRTUAL_MEMORY_SUPPORT),
            "bindless_images": yes(DeviceInfo::BINDLESS_IMAGES_SUPPORT_EXP),
            "timestamp_recording": yes(DeviceInfo::TIMESTAMP_RECORDING_SUPPORT_EXP),
            "peer_access": yes(DeviceInfo::USM_P2P_SUPPORT_EXP),
        },
        "extensions": text(DeviceInfo::EXTENSIONS).map(|all| all.split_whitespace().map(String::from).collect::<Vec<_>>()),
    })
}

/// A C name without its prefix, in lower case.
fn short(name: &str, prefix: &str) -> String {
    name.trim_start_matches(prefix).to_lowercase()
}

/// The members of an array of an object.
fn items<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

fn print_text(report: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or("unknown").trim().to_owned();
    println!(
        "loader {} (functions of {})",
        text(&report["loader"]),
        text(&report["generation"])
    );
    for adapter in items(report, "adapters") {
        println!("adapter {}, version {}", text(&adapter["backend"]), adapter["version"]);
        for platform in items(adapter, "platforms") {
            println!(
                "  platform {} [{}], {}",
                text(&platform["name"]),
                text(&platform["backend"]),
                text(&platform["version"])
            );
            for device in items(platform, "devices") {
                print_device(device);
            }
        }
    }
}

fn print_device(device: &Value) {
    let text = |name: &str| device[name].as_str().unwrap_or("unknown").trim().to_owned();
    let mib = |name: &str| {
        device[name]
            .as_u64()
            .map_or("unknown".into(), |bytes| format!("{} KiB", bytes >> 10))
    };
    println!(
        "    {} {} ({}, driver {})",
        text("type"),
        text("name"),
        text("vendor"),
        text("driver")
    );
    println!(
        "      {} compute units, work-groups of up to {}, sub-groups of {}",
        device["compute_units"], device["max_work_group_size"], device["sub_group_sizes"]
    );
    let il = device["il"]
        .as_str()
        .map(str::trim)
        .filter(|il| !il.is_empty())
        .unwrap_or("no SPIR-V");
    println!(
        "      {} global, {} local memory; {}",
        mib("global_memory"),
        mib("local_memory"),
        il
    );
    let empty = Map::new();
    let supports = device["supports"].as_object().unwrap_or(&empty);
    for (word, value) in [("supports", true), ("lacks", false)] {
        let names: Vec<_> = supports
            .iter()
            .filter(|(_, v)| v.as_bool() == Some(value))
            .map(|(name, _)| name.replace('_', " "))
            .collect();
        if !names.is_empty() {
            println!("      {word} {}", names.join(", "));
        }
    }
}
