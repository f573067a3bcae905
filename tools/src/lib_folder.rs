// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Finds our own libraries: next to this command, or in the folder that `OXUR_LIB` names.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::elf::Elf;
use crate::{Failure, opencl, search};

/// The loader's file name.
pub const LOADER: &str = "libur_loader.so.0";

/// The symbol that distinguishes an adapter of the 2026.2 layout from an older one.
const NEW_LAYOUT: &str = "urGetEventExpProcAddrTable";

/// The folder of our libraries.
pub fn find() -> Result<PathBuf, Failure> {
    let own = env::current_exe()
        .ok()
        .and_then(|exe| Some(exe.canonicalize().ok()?.parent()?.join("..")));
    // In a Python environment ../lib contains other libraries, and may contain another loader.
    let beside = own
        .iter()
        .flat_map(|own| packages(own).into_iter().chain([own.join("lib")]));
    let named = env::var_os("OXUR_LIB")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from);
    let tried: Vec<_> = beside.chain(named).collect();
    tried
        .iter()
        .find(|folder| folder.join(LOADER).exists())
        .and_then(|folder| folder.canonicalize().ok())
        .ok_or_else(|| {
            let tried: Vec<_> = tried.iter().map(|folder| folder.display().to_string()).collect();
            Failure::new(
                format!(
                    "oxur's libraries are not found: there is no {LOADER} in {}",
                    tried.join(" or ")
                ),
                "build them with `make dist` and run dist/bin/oxur, or set OXUR_LIB to the folder that holds them",
            )
        })
}

/// The folders in which a Python environment may have our package's libraries.
fn packages(environment: &Path) -> Vec<PathBuf> {
    let pythons = ["lib", "lib64"]
        .map(|name| search::entries(&environment.join(name)))
        .concat();
    let is_python = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.as_bytes().starts_with(b"python3"))
    };
    pythons
        .iter()
        .filter(|path| is_python(path))
        .flat_map(|python| ["site-packages", "dist-packages"].map(|packages| python.join(packages)))
        // Packages that are installed with --target are in the folder itself.
        .chain([environment.to_owned()])
        .map(|packages| packages.join("oxur/lib"))
        .filter(|folder| folder.exists())
        .collect()
}

/// Whether the libraries in `folder` belong to the Python package. Other trees may have the name oxur, too: the Debian
/// package's is `/usr/lib/oxur`.
pub fn is_package(folder: &Path) -> bool {
    folder.ends_with("oxur/lib") && folder.with_file_name("__init__.py").exists()
}

/// The adapters that the Python packages install into the environment's lib folder, by the names that libsycl 2026.2 looks
/// for there.
const OF_PACKAGES: [(&str, &str); 2] = [
    ("cpu", "lib/libur_adapter_native_cpu.so.0"),
    ("cuda", "lib/libur_adapter_cuda.so.0"),
];

/// An adapter of the Python packages, of which the other libraries are in `folder`.
pub fn of_package(folder: &Path, name: &str) -> Option<PathBuf> {
    let (_, file) = OF_PACKAGES.iter().find(|(known, _)| *known == name)?;
    if !is_package(folder) {
        return None;
    }
    // <prefix>/lib/python3.x/site-packages/oxur/lib, or <prefix>/oxur/lib.
    let mut prefixes = [5, 2].into_iter().filter_map(|up| folder.ancestors().nth(up));
    prefixes.find_map(|prefix| Some(prefix.join(file)).filter(|path| path.exists()))
}

/// The subfolder with adapters for devices that may have another adapter. They are used only by name.
const BY_NAME: &str = "adapters";

/// The adapters of a folder, by name and file, sorted.
pub fn adapters(folder: &Path) -> Vec<(String, PathBuf)> {
    let name = |path: &Path| {
        Some(
            path.file_name()?
                .to_str()?
                .strip_prefix("libur_adapter_")?
                .strip_suffix(".so.0")?
                .to_owned(),
        )
    };
    let mut found: Vec<_> = [folder.to_owned(), folder.join(BY_NAME)]
        .iter()
        .flat_map(|folder| search::entries(folder))
        .filter_map(|path| Some((name(&path)?, path)))
        .collect();
    for (name, _) in OF_PACKAGES {
        if !found.iter().any(|(other, _)| other == name) {
            found.extend(of_package(folder, name).map(|path| (name.into(), path)));
        }
    }
    found.sort();
    found
}

/// Whether an adapter that compiles kernels finds LLVM: in its own folder, or in the one above, of the file or of a link to it.
pub fn has_llvm(adapter: &Path) -> bool {
    let files = [adapter.canonicalize().ok(), Some(adapter.to_owned())];
    let folders = files.iter().flatten().flat_map(|file| file.ancestors().skip(1).take(2));
    folders
        .map(|folder| folder.join("liboxur_llvm.so"))
        .any(|path| path.exists())
}

/// The files of the adapters that the user names.
pub fn choose(folder: &Path, wanted: &[OsString]) -> Result<Vec<PathBuf>, Failure> {
    let all = adapters(folder);
    wanted.iter().map(|wanted| one(&all, folder, wanted)).collect()
}

/// The adapters for a program, and the reason for a default choice.
#[derive(Debug, Default)]
pub struct Choice {
    /// Their files.
    pub paths: Vec<PathBuf>,
    /// The reason, if there was a choice.
    pub reason: Option<&'static str>,
}

/// Chooses among our adapters, so that no CPU shows up as two devices. An OpenCL driver's CPU takes precedence over our own
/// adapter. `drivers` reports the OpenCL devices, and is called only if they matter.
pub fn by_default(folder: &Path, drivers: impl FnOnce() -> OpenClAvailability) -> Result<Choice, Failure> {
    let mut all = adapters(folder);
    all.retain(|(_, path)| path.parent() == Some(folder) || !path.starts_with(folder));
    if all.is_empty() {
        return Err(Failure::new(
            format!("{} contains no adapter (libur_adapter_*.so.0)", folder.display()),
            "build them with `make dist`, or name one with --adapter",
        ));
    }
    let has = |name: &str| all.iter().any(|(other, _)| other == name);
    let mut reason = None;
    if has("cpu") && has("opencl") {
        let (dropped, why) = match drivers() {
            OpenClAvailability::Nothing => (
                "opencl",
                "no OpenCL driver has a device for SYCL: using oxur's own CPU adapter",
            ),
            OpenClAvailability::Cpu => (
                "cpu",
                "an OpenCL driver has the CPU; `--adapter cpu` selects oxur's own adapter for it",
            ),
            OpenClAvailability::Others => (
                "",
                "using oxur's own adapter for the CPU, and OpenCL drivers for other devices",
            ),
        };
        all.retain(|(name, _)| name != dropped);
        reason = Some(why);
    }
    Ok(Choice {
        paths: all.into_iter().map(|(_, path)| path).collect(),
        reason,
    })
}

/// The devices that OpenCL drivers have for SYCL programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenClAvailability {
    /// No device that accepts SPIR-V.
    Nothing,
    /// A CPU, and perhaps others.
    Cpu,
    /// Other devices than a CPU.
    Others,
}

impl OpenClAvailability {
    /// All values, with the words in which a child `oxur` process reports them.
    pub const ALL: [(Self, &str); 3] = [(Self::Nothing, "nothing"), (Self::Cpu, "cpu"), (Self::Others, "others")];

    /// The devices that this process finds.
    pub fn here() -> Self {
        let devices = opencl::devices().unwrap_or_default();
        let mut kinds = devices
            .iter()
            .filter(|device| device.takes_spirv())
            .map(|device| device.is_cpu);
        match kinds.next() {
            None => Self::Nothing,
            Some(first) if first || kinds.any(|is_cpu| is_cpu) => Self::Cpu,
            Some(_) => Self::Others,
        }
    }
}

/// Whether an adapter is among these, by their file names.
pub fn has(adapters: &[PathBuf], name: &str) -> bool {
    let prefix = format!("libur_adapter_{name}.");
    adapters.iter().any(|path| {
        path.file_name()
            .is_some_and(|file| file.to_string_lossy().starts_with(&prefix))
    })
}

fn one(all: &[(String, PathBuf)], folder: &Path, wanted: &OsStr) -> Result<PathBuf, Failure> {
    let path = if wanted.as_bytes().contains(&b'/') {
        PathBuf::from(wanted)
    } else {
        let names: Vec<_> = all.iter().map(|(name, _)| name.as_str()).collect();
        all.iter()
            .find(|(name, _)| name.as_str() == wanted)
            .map(|(_, path)| path.clone())
            .ok_or_else(|| {
                Failure::new(
                    format!("{} contains no adapter called {}", folder.display(), wanted.display()),
                    format!(
                        "there are: {}; to name a file, include a slash, as in ./libur_adapter_x.so.0",
                        names.join(", ")
                    ),
                )
            })?
    };
    check_adapter(&path)?;
    path.canonicalize()
        .map_err(|error| Failure::new(format!("{}: {error}", path.display()), ""))
}

/// Checks that a file is an adapter that our loader and libsycl 2026.2 accept.
pub fn check_adapter(path: &Path) -> Result<(), Failure> {
    if !path.exists() {
        return Err(Failure::new(
            format!("{} is missing", path.display()),
            "check the path, or run `make dist`",
        ));
    }
    let Some(elf) = Elf::read(path) else {
        return Err(Failure::new(
            format!("{} is not a library", path.display()),
            "name a libur_adapter_*.so.0",
        ));
    };
    if !elf.exports("urGetAdapterProcAddrTable") {
        return Err(Failure::new(
            format!(
                "{} is not a Unified Runtime adapter: it does not export urGetAdapterProcAddrTable",
                path.display()
            ),
            "name a libur_adapter_*.so.0",
        ));
    }
    if !elf.exports(NEW_LAYOUT) {
        return Err(Failure::new(
            format!(
                "{} is an adapter of 2026.1 or before, whose tables have another layout",
                path.display()
            ),
            "use one of 2026.2 or later, or oxur's own (`oxur info` lists them)",
        ));
    }
    Ok(())
}

/// A value of `UR_ADAPTERS_FORCE_LOAD`.
pub fn force_load(paths: &[PathBuf]) -> OsString {
    let mut value = Vec::new();
    for path in paths {
        if !value.is_empty() {
            value.push(b',');
        }
        let bytes = path.as_os_str().as_bytes();
        // Quotes prevent that a comma splits the path.
        let quoted = bytes.contains(&b',');
        value.extend(quoted.then_some(b'\''));
        value.extend(bytes);
        value.extend(quoted.then_some(b'\''));
    }
    OsString::from_vec(value)
}

/// The files in a value of `UR_ADAPTERS_FORCE_LOAD`. As in the loader, commas outside single or double quotes separate them,
/// and quotes, surrounding blanks and empty parts are removed.
pub fn force_loaded(value: &OsStr) -> Vec<PathBuf> {
    let mut parts = vec![Vec::new()];
    let mut quote = None;
    for &byte in value.as_bytes() {
        match quote {
            Some(end) if byte == end => quote = None,
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None if byte == b',' => parts.push(Vec::new()),
            _ => parts.last_mut().expect("there is always a last part").push(byte),
        }
    }
    parts
        .iter()
        .map(|part| part.trim_ascii())
        .filter(|part| !part.is_empty())
        .map(|part| OsStr::from_bytes(part).into())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(force_load(&["/a/b".into(), "/c".into()]), "/a/b,/c");
        assert_eq!(force_load(&["/a,b".into()]), "'/a,b'");
        let read = |value: &str| force_loaded(value.as_ref());
        assert_eq!(read("'/a,b',/c"), [Path::new("/a,b"), Path::new("/c")]);
        assert_eq!(read(" \"/it's\" ,, b.so,"), [Path::new("/it's"), Path::new("b.so")]);
        assert!(read(" , ").is_empty());
    }
}
