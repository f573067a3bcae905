// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Chooses which adapters to load, and from which files.
//!
//! If `UR_ADAPTERS_FORCE_LOAD` names files, the loader loads only these. Otherwise it searches each adapter that it knows in
//! the folders of `UR_ADAPTERS_SEARCH_PATH`, with the dynamic linker's search, and next to itself; the first usable file
//! wins. An adapter in the folder `adapters` next to the loader is for devices without another adapter. The device selector
//! excludes adapters whose devices it does not select.

use std::path::{Path, PathBuf};

use oxur_api::{Backend, DeviceInitFlags};

use crate::device_selector::Selector;
use crate::library::{self, Adapter, Refused};
use crate::{environment, exports, opencl_cpus};

/// An adapter that the loader knows by name.
struct Known {
    /// The adapter's part of its file name.
    name: &'static str,
    /// The backend of its devices.
    backend: Backend,
    /// The types of its devices.
    devices: DeviceInitFlags,
}

/// This project's adapter for Level Zero, relative to the loader's folder. It is only loaded if Intel's are not installed, so
/// that Intel's adapters keep driving the GPUs.
const LEVEL_ZERO_FALLBACK: &str = "adapters/libur_adapter_level_zero.so.0";

/// The names of adapters for Level Zero.
const LEVEL_ZERO: &str = "level_zero";
const LEVEL_ZERO_V2: &str = "level_zero_v2";

/// The name of this project's adapter for the CPU.
const CPU: &str = "cpu";

/// The name of adapters for NVIDIA GPUs.
const CUDA: &str = "cuda";

/// The name of adapters for OpenCL drivers.
const OPENCL: &str = "opencl";

/// Every adapter that the loader looks for, in the order in which clients see them.
const KNOWN: [Known; 8] = {
    const ANY: DeviceInitFlags = DeviceInitFlags::all();
    const GPU: DeviceInitFlags = DeviceInitFlags::GPU;
    const CPUS: DeviceInitFlags = DeviceInitFlags::CPU;
    [
        Known {
            name: CUDA,
            backend: Backend::CUDA,
            devices: GPU,
        },
        Known {
            name: "hip",
            backend: Backend::HIP,
            devices: GPU,
        },
        Known {
            name: LEVEL_ZERO,
            backend: Backend::LEVEL_ZERO,
            devices: ANY,
        },
        // Both Level Zero adapters are loaded: each decides by itself whether it shows a device.
        Known {
            name: LEVEL_ZERO_V2,
            backend: Backend::LEVEL_ZERO,
            devices: ANY,
        },
        Known {
            name: "native_cpu",
            backend: Backend::NATIVE_CPU,
            devices: CPUS,
        },
        Known {
            name: "offload",
            backend: Backend::OFFLOAD,
            devices: ANY,
        },
        Known {
            name: OPENCL,
            backend: Backend::OPENCL,
            devices: ANY,
        },
        // It reports the backend OpenCL, because it accepts OpenCL's device code.
        Known {
            name: CPU,
            backend: Backend::OPENCL,
            devices: CPUS,
        },
    ]
};

/// An adapter of the Python packages, of which the other libraries are in a folder `oxur/lib`. Adapters are in the
/// environment's lib folder, by the names that libsycl 2026.2 looks for there.
fn of_package(folder: &Path, name: &str) -> Option<PathBuf> {
    let file = match name {
        CPU => "lib/libur_adapter_native_cpu.so.0",
        CUDA => "lib/libur_adapter_cuda.so.0",
        _ => return None,
    };
    if !folder.ends_with("oxur/lib") {
        return None;
    }
    // <prefix>/lib/python3.x/site-packages/oxur/lib; with `pip install --target`, <prefix>/oxur/lib.
    let mut prefixes = [5, 2].into_iter().filter_map(|up| folder.ancestors().nth(up));
    prefixes.find_map(|prefix| Some(prefix.join(file)).filter(|path| path.exists()))
}

/// Loads the adapters that the environment requests. An adapter that cannot be loaded is skipped, with the reason in
/// the log.
pub(crate) fn adapters(device_flags: DeviceInitFlags) -> Vec<Adapter> {
    let deep_bind = oxur_environment::ADAPTERS_DEEP_BIND.switch().unwrap_or(false);
    // Handles are never wrapped.
    if oxur_environment::ENABLE_LOADER_INTERCEPT.switch() == Some(true) {
        log::info!(
            "{}: no effect, because with several adapters calls always go through the handle's own table",
            oxur_environment::ENABLE_LOADER_INTERCEPT.name()
        );
    }
    let mut found = Found {
        adapters: Vec::new(),
        deep_bind,
    };
    match environment::paths(environment::FORCE_LOAD, b",") {
        Some(paths) => found.forced(&paths),
        None => found.slow_path(device_flags),
    }
    if found.adapters.is_empty() {
        log::error!(
            "no adapter was loaded, so there are no devices. UR_LOG_LOADER='level:info;output:stderr' shows the reason"
        );
    }
    found.adapters
}

/// Whether to load an adapter of this project that was already loaded from another installation.
#[derive(Clone, Copy)]
enum Repeated {
    /// The user has named both.
    Allowed,
    Skipped,
}

struct Found {
    adapters: Vec<Adapter>,
    deep_bind: bool,
}

impl Found {
    /// Loads the files that the user names.
    fn forced(&mut self, paths: &[PathBuf]) {
        for path in paths {
            if let Err(refused) = self.try_load(path, Repeated::Allowed) {
                log::error!("{}: {} is skipped: {refused}", environment::FORCE_LOAD, path.display());
            }
        }
    }

    /// Searches each adapter that the selector does not exclude.
    fn slow_path(&mut self, device_flags: DeviceInitFlags) {
        let folders = environment::paths(environment::SEARCH_PATH, b",:").unwrap_or_default();
        let beside =
            library::file_of(exports::urLoaderInit as *const _).and_then(|file| Some(file.parent()?.to_owned()));
        let selector = selector();
        // Of two CPUs that look alike, programs take the first.
        let prefers_cpu = oxur_environment::CPU.is("prefer");
        let mut order: Vec<_> = KNOWN.iter().collect();
        order.sort_by_key(|known| !(prefers_cpu && known.name == CPU));
        let (mut opencl, mut cpu) = (None, None);
        let mut has_level_zero = false;
        for known in order {
            let count = self.adapters.len();
            let wanted = device_flags.is_empty() || device_flags.intersects(known.devices);
            if !wanted
                || selector
                    .as_ref()
                    .is_some_and(|selector| !selector.wants_backend(known.backend))
            {
                log::debug!(
                    "the adapter {} is excluded by the selector or by the caller's device flags",
                    known.name
                );
                continue;
            }
            let name = PathBuf::from(format!("libur_adapter_{}.so.0", known.name));
            let places = folders.iter().map(|folder| folder.join(&name)).chain([name.clone()]);
            let own = beside
                .iter()
                .flat_map(|folder| [folder.join(&name)].into_iter().chain(of_package(folder, known.name)));
            for place in places.chain(own) {
                match self.try_load(&place, Repeated::Skipped) {
                    Ok(()) => break,
                    Err(Refused::Missing) => log::info!("no adapter {}", place.display()),
                    Err(refused) => log::warn!("adapter {} is skipped: {refused}", place.display()),
                }
            }
            if self.adapters.len() > count {
                match known.name {
                    OPENCL => opencl = Some(count),
                    CPU => cpu = Some(count),
                    LEVEL_ZERO | LEVEL_ZERO_V2 => has_level_zero = true,
                    _ => {}
                }
            }
            if known.name == LEVEL_ZERO_V2 && !has_level_zero {
                let fallback = beside.as_ref().map(|folder| folder.join(LEVEL_ZERO_FALLBACK));
                if let Some(file) = fallback.filter(|file| file.exists())
                    && let Err(refused) = self.try_load(&file, Repeated::Skipped)
                {
                    log::warn!("adapter {} is skipped: {refused}", file.display());
                }
            }
        }
        if let (Some(opencl), Some(cpu)) = (opencl, cpu)
            && opencl < cpu
            && opencl_cpus::are_useless(&self.adapters[opencl])
        {
            log::info!("no OpenCL driver's CPU accepts SPIR-V: the CPU adapter comes before the OpenCL adapter");
            self.adapters[opencl..=cpu].rotate_right(1);
        }
    }

    fn try_load(&mut self, path: &Path, repeated: Repeated) -> Result<(), Refused> {
        log::debug!("trying adapter {}", path.display());
        let adapter = library::load(path, self.deep_bind)?;
        let name = |adapter: &Adapter| adapter.identity.as_ref().map(|identity| identity.name.clone());
        let same_name = self
            .adapters
            .iter()
            .find(|known| known.path != adapter.path && name(known).is_some() && name(known) == name(&adapter));
        if let (Repeated::Skipped, Some(known)) = (repeated, same_name) {
            let version = |adapter: &Adapter| adapter.identity.as_ref().map(|identity| identity.version.clone());
            log::warn!(
                "adapter {} of oxur {} is skipped: {} of oxur {} is loaded already, and would show the same devices. Two \
                 installations of oxur are on the search path; `oxur doctor` names them",
                adapter.path.display(),
                version(&adapter).unwrap_or_default(),
                known.path.display(),
                version(known).unwrap_or_default()
            );
            return Ok(());
        }
        if self
            .adapters
            .iter()
            .any(|known| std::ptr::fn_addr_eq(known.get, adapter.get))
        {
            log::info!("adapter {} is loaded already", adapter.path.display());
        } else {
            log::info!("loaded adapter {}", adapter.path.display());
            self.adapters.push(adapter);
        }
        Ok(())
    }
}

/// The device selector as a filter on adapters, if there is one. A malformed selector is an error when devices are
/// queried, and excludes no adapter here.
fn selector() -> Option<Selector> {
    if oxur_environment::LOADER_PRELOAD_FILTER.switch() == Some(false) {
        return None;
    }
    Selector::from_environment()
        .inspect_err(|problem| log::error!("{problem}"))
        .ok()
}
