// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Chooses which adapters to load, and from which files.
//!
//! `UR_ADAPTERS_FORCE_LOAD` names the files, and nothing else is loaded. Otherwise the loader searches each adapter
//! that it knows in the folders of `UR_ADAPTERS_SEARCH_PATH`, by the system's search, and beside itself; the first
//! usable file wins. An adapter in the folder `adapters` beside the loader is for devices that have no other. The device
//! selector excludes adapters whose devices it does not select.

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

/// This project's adapter for Level Zero, from the folder of the loader. It is only loaded where Intel's are not installed:
/// GPUs keep the adapter that they have.
const LEVEL_ZERO_FALLBACK: &str = "adapters/libur_adapter_level_zero.so.0";

/// The names of adapters for Level Zero.
const LEVEL_ZERO: &str = "level_zero";
const LEVEL_ZERO_V2: &str = "level_zero_v2";

/// The name of this project's adapter for the CPU.
const CPU: &str = "cpu";

/// The name of adapters for OpenCL drivers.
const OPENCL: &str = "opencl";

/// Every adapter that the loader looks for, in the order in which clients see them.
const KNOWN: [Known; 8] = {
    const ANY: DeviceInitFlags = DeviceInitFlags::all();
    const GPU: DeviceInitFlags = DeviceInitFlags::GPU;
    const CPUS: DeviceInitFlags = DeviceInitFlags::CPU;
    [
        Known {
            name: "cuda",
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
        // Both Level Zero adapters are loaded: they agree between themselves which of them shows a device.
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
        // It reports the backend OpenCL, whose device code it takes.
        Known {
            name: CPU,
            backend: Backend::OPENCL,
            devices: CPUS,
        },
    ]
};

/// The CPU adapter of the Python package, whose folder `oxur/lib` has the other libraries. It is in the environment's lib
/// folder and has another name: libsycl 2026.2 finds it there by itself.
fn of_package(folder: &Path) -> Option<PathBuf> {
    const NAME: &str = "lib/libur_adapter_native_cpu.so.0";
    if !folder.ends_with("oxur/lib") {
        return None;
    }
    // <prefix>/lib/python3.x/site-packages/oxur/lib; where packages are installed by --target, <prefix>/oxur/lib.
    let mut prefixes = [5, 2].into_iter().filter_map(|up| folder.ancestors().nth(up));
    prefixes.find_map(|prefix| Some(prefix.join(NAME)).filter(|path| path.exists()))
}

/// Loads the adapters that the environment requests. An adapter that cannot be loaded is skipped, with the reason in
/// the log.
pub(crate) fn adapters(device_flags: DeviceInitFlags) -> Vec<Adapter> {
    let deep_bind = environment::switch(environment::DEEP_BIND, false);
    if environment::switch(environment::INTERCEPT, false) {
        log::info!(
            "{}: nothing to do, for calls go through the handle's own table where there are several adapters",
            environment::INTERCEPT
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
            "no adapter was loaded, so there are no devices. UR_LOG_LOADER='level:info;output:stderr' tells why"
        );
    }
    found.adapters
}

/// What becomes of an adapter of this project that another installation has brought already.
#[derive(Clone, Copy)]
enum Repeated {
    /// The user names both.
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
        let prefers_cpu = environment::text(environment::CPU).is_some_and(|value| value == "prefer");
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
                log::debug!("the adapter {} is not asked for", known.name);
                continue;
            }
            let name = PathBuf::from(format!("libur_adapter_{}.so.0", known.name));
            let places = folders.iter().map(|folder| folder.join(&name)).chain([name.clone()]);
            let own = beside.iter().flat_map(|folder| {
                let packaged = (known.name == CPU).then(|| of_package(folder));
                [folder.join(&name)].into_iter().chain(packaged.flatten())
            });
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
            log::info!("no CPU of OpenCL drivers takes SPIR-V: the CPU adapter comes before the OpenCL adapter");
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
    if !environment::switch(environment::PRELOAD_FILTER, true) {
        return None;
    }
    Selector::from_environment()
        .inspect_err(|problem| log::error!("{problem}"))
        .ok()
}
