// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur doctor`: checks everything between a SYCL program and a device, and reports what is missing.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use oxur_as_gpu::{PRELOAD, VARIABLE};

use crate::elf::Elf;
use crate::lib_folder::{Choice, OpenClAvailability};
use crate::sycl::Entry;
use crate::{Failure, as_gpu, info, lib_folder, opencl, run, search, sycl};

/// The findings so far.
#[derive(Default)]
struct Findings {
    problems: u32,
}

impl Findings {
    fn good(&self, text: impl AsRef<str>) {
        println!("ok       {}", text.as_ref());
    }

    fn note(&self, text: impl AsRef<str>, hint: impl AsRef<str>) {
        println!("note     {}\n         -> {}", text.as_ref(), hint.as_ref());
    }

    fn problem(&mut self, text: impl AsRef<str>, hint: impl AsRef<str>) {
        println!("PROBLEM  {}\n         -> {}", text.as_ref(), hint.as_ref());
        self.problems += 1;
    }

    /// Reports something that only the OpenCL adapter needs. It is not a problem if another adapter makes it `dispensable`.
    fn lack(&mut self, dispensable: bool, text: impl AsRef<str>, hint: &str) {
        if dispensable {
            self.note(text, format!("only the OpenCL adapter needs it: {hint}"));
        } else {
            self.problem(text, hint);
        }
    }

    fn failure(&mut self, failure: &Failure) {
        self.problem(&failure.message, &failure.hint);
    }
}

/// Checks everything. The exit code is 1 if something is missing.
pub fn main(inside: bool, command: &[OsString]) -> Result<ExitCode, Failure> {
    let mut findings = Findings::default();
    let folder = lib_folder::find();
    if let (false, Ok(folder), Some(program)) = (inside, &folder, command.first()) {
        step_inside(folder, program, command)?;
    }
    let folder = match folder {
        Ok(folder) => {
            findings.good(format!("oxur's libraries are in {}", folder.display()));
            Some(folder)
        }
        Err(failure) => {
            findings.failure(&failure);
            None
        }
    };
    if let Some(folder) = &folder {
        adapters(folder, &mut findings);
    }
    variables(&mut findings);
    oxur_cpu(&mut findings);
    device_type(&mut findings);
    if let Some(folder) = folder.as_deref().filter(|folder| lib_folder::is_package(folder)) {
        package(folder, &mut findings);
    }
    // Our own CPU adapter does not need OpenCL.
    let has_cpu = folder
        .as_deref()
        .is_some_and(|folder| lib_folder::adapters(folder).iter().any(|(name, _)| name == "cpu"));
    opencl_drivers(has_cpu, &mut findings);
    if let Some(folder) = &folder {
        devices(folder, &mut findings);
        if let Ok(Choice {
            reason: Some(reason), ..
        }) = lib_folder::by_default(folder, OpenClAvailability::here)
        {
            findings.good(format!("oxur run's default: {reason}"));
        }
    }
    if let Some(program) = command.first() {
        program_of(Path::new(program), folder.as_deref(), &mut findings);
    }
    Ok(match findings.problems {
        0 => {
            println!("nothing is missing");
            ExitCode::SUCCESS
        }
        1 => {
            println!("1 problem");
            ExitCode::FAILURE
        }
        problems => {
            println!("{problems} problems");
            ExitCode::FAILURE
        }
    })
}

/// Restarts in the environment that `oxur run` sets for the command, so that the doctor finds what the program would find.
fn step_inside(folder: &Path, program: &OsStr, command: &[OsString]) -> Result<(), Failure> {
    let sycl = search::program(Path::new(program)).and_then(|program| sycl::of_command(&program));
    let Some(sycl) = sycl else { return Ok(()) };
    let mut variables = run::environment(folder, &[], Some(&sycl));
    // The check uses the caller's own choice of adapters.
    variables.retain(|(name, _)| *name != "UR_ADAPTERS_FORCE_LOAD");
    println!("as under `oxur run -- {} ...`:", program.display());
    let exe = env::current_exe().map_err(|error| Failure::new(error.to_string(), ""))?;
    let error = Command::new(exe)
        .args(["doctor", "--inside", "--"])
        .args(command)
        .envs(variables)
        .exec();
    Err(Failure::new(error.to_string(), ""))
}

fn adapters(folder: &Path, findings: &mut Findings) {
    let all = lib_folder::adapters(folder);
    if all.is_empty() {
        findings.problem(
            format!("{} contains no adapter", folder.display()),
            "build them with `make dist`",
        );
    }
    for (name, path) in all {
        match lib_folder::check_adapter(&path) {
            Ok(()) => findings.good(format!("adapter {name}: {}", path.display())),
            Err(failure) => findings.failure(&failure),
        }
        if ["cpu", "cuda"].contains(&&*name) && !lib_folder::has_llvm(&path) {
            findings.problem(
                format!(
                    "liboxur_llvm.so, which {} compiles kernels with, is missing",
                    path.display()
                ),
                "reinstall oxur; until then only kernels in the cache run",
            );
        }
        if let Some(version) = other_version(&path) {
            findings.problem(
                format!(
                    "{} belongs to oxur {version}, but this command to {OWN_VERSION}",
                    path.display()
                ),
                "reinstall oxur, so that all parts have the same version",
            );
        }
        another_installation(&format!("libur_adapter_{name}.so.0"), &path, findings);
        if name == "cpu" {
            another_installation("libur_adapter_native_cpu.so.0", &path, findings);
        }
    }
}

const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of one of oxur's adapters, if it differs from this command's.
fn other_version(path: &Path) -> Option<String> {
    Elf::read(path)?.oxur_version.filter(|version| version != OWN_VERSION)
}

/// Reports an adapter that the dynamic linker finds by a name that our loader looks for, so that the loader would load it
/// instead of ours.
fn another_installation(name: &str, ours: &Path, findings: &mut Findings) {
    let same = |other: &Path| other.canonicalize().ok() == ours.canonicalize().ok();
    let Some(found) = search::library(name, None).filter(|found| !same(found)) else {
        return;
    };
    // Other projects have adapters with these names, too.
    if Elf::read(&found).is_none_or(|elf| elf.oxur_version.is_none()) {
        return;
    }
    let folder = found.parent().unwrap_or(Path::new("/")).display();
    let Some(version) = other_version(&found) else {
        return findings.note(
            format!("{} comes before {}", found.display(), ours.display()),
            format!("remove {folder} from LD_LIBRARY_PATH, or from the system's search path, to use the latter"),
        );
    };
    findings.problem(
        format!(
            "two versions of oxur: {} belongs to {version} and comes before {} of {OWN_VERSION}",
            found.display(),
            ours.display()
        ),
        format!("remove {folder} from LD_LIBRARY_PATH, or from the system's search path, or uninstall one of the two"),
    );
}

/// Reports how SYCL programs in the Python package's environment find our libraries.
fn package(folder: &Path, findings: &mut Findings) {
    let Some(adapter) = lib_folder::of_package(folder, "cpu") else {
        return findings.problem(
            "the CPU adapter is missing from the environment's lib folder",
            "`pip install --target` does not install it: install oxur into an environment, or as a user",
        );
    };
    let Some(sycl) = adapter.parent().and_then(sycl::in_folder) else {
        return findings.note(
            "this environment has no libsycl",
            "`pip install dpctl` installs one. Python programs with a libsycl of another environment find our CPU adapter if \
             they run in that environment; `oxur run` works for all programs",
        );
    };
    if sycl.entry == Entry::Loader && !oxur_environment::CPU.is("prefer") && has_level_zero() {
        return findings.note(
            format!(
                "{} keeps its own loader, for the GPUs of the Level Zero driver that this machine has",
                sycl.path.display()
            ),
            "with OXUR_CPU=prefer, Python programs use our loader, which has the CPU and OpenCL's devices",
        );
    }
    findings.good(match sycl.entry {
        Entry::Adapters => format!("{} finds our CPU adapter next to it", sycl.path.display()),
        Entry::Loader if sycl.loader_accepts_us() => format!(
            "{} uses our loader in Python programs; in other programs its own loader finds our CPU adapter",
            sycl.path.display()
        ),
        Entry::Loader => format!(
            "{} uses our loader in Python programs; other programs need `oxur run`",
            sycl.path.display()
        ),
    });
}

/// Whether there may be GPUs that need Intel's adapters, which our loader accepts only from release 2026.2 on. The package
/// makes the same check when it is imported.
fn has_level_zero() -> bool {
    let is_there = |folder: &PathBuf| folder.join("libze_loader.so.1").exists();
    Path::new("/dev/dri").exists() && search::system().iter().any(is_there)
}

/// Reports on `OXUR_CPU`. `variables` reports a value that it cannot have.
fn oxur_cpu(findings: &mut Findings) {
    let cpu = &oxur_environment::CPU;
    if cpu.is("fallback") {
        findings.good("OXUR_CPU=fallback: CPUs of OpenCL drivers come before ours, as by default");
    } else if cpu.is("prefer") {
        findings.good("OXUR_CPU=prefer: our CPU comes before those of OpenCL drivers");
    } else if cpu.is("off") {
        findings.note("OXUR_CPU=off: our CPU is hidden", "unset it to see the device");
    }
}

/// Reports on `UR_CPU_DEVICE_TYPE`.
fn device_type(findings: &mut Findings) {
    let libraries = match as_gpu::from_variable() {
        Ok(Some(libraries)) => libraries,
        Ok(None) => return,
        Err(failure) => return findings.failure(&failure),
    };
    findings.good(format!(
        "{VARIABLE}: our CPU is a GPU for {libraries}, and a CPU for all other libraries"
    ));
    if !as_gpu::is_preloaded() {
        findings.note(
            format!("libsycl gives all libraries the same answer unless {PRELOAD} is preloaded"),
            "`oxur run` preloads it, with this variable or with --as-gpu. Python programs in an environment with oxur's package \
             need only the variable",
        );
    }
}

/// Reports the caller's variables that affect the loader, and those with values that are ignored.
fn variables(findings: &mut Findings) {
    for problem in oxur_environment::ALL.iter().filter_map(|variable| variable.problem()) {
        findings.problem(problem, "docs/environment.md describes it");
    }
    if let Some(value) = env::var_os("UR_ADAPTERS_FORCE_LOAD") {
        for path in lib_folder::force_loaded(&value) {
            // The dynamic linker searches for a bare name.
            let bare = path.to_str().filter(|name| !name.contains('/'));
            let found = bare.and_then(|name| search::library(name, None));
            match lib_folder::check_adapter(found.as_deref().unwrap_or(&path)) {
                Ok(()) => match other_version(found.as_deref().unwrap_or(&path)) {
                    None => findings.good(format!("UR_ADAPTERS_FORCE_LOAD: {}", path.display())),
                    Some(version) => findings.problem(
                        format!(
                            "UR_ADAPTERS_FORCE_LOAD: {} belongs to oxur {version}, but this installation to {OWN_VERSION}",
                            path.display()
                        ),
                        "name the adapter of this installation, or use the command and the loader of that one",
                    ),
                },
                Err(failure) => {
                    findings.problem(format!("UR_ADAPTERS_FORCE_LOAD: {}", failure.message), &failure.hint);
                }
            }
        }
    }
    if let Some(value) = env::var_os("ONEAPI_DEVICE_SELECTOR") {
        findings.note(
            format!(
                "ONEAPI_DEVICE_SELECTOR={} limits which adapters and devices are used",
                value.display()
            ),
            "unset it if a device is missing",
        );
    }
}

/// Reports on OpenCL, which the OpenCL adapter needs. If another adapter makes it `dispensable`, its absence is not a problem.
fn opencl_drivers(dispensable: bool, findings: &mut Findings) {
    let devices = match opencl::devices() {
        Ok(devices) => devices,
        Err(error) => {
            return findings.lack(
                dispensable,
                format!("there is no OpenCL library: {error}"),
                "apt-get install ocl-icd-libopencl1",
            );
        }
    };
    if devices.is_empty() {
        return findings.lack(
            dispensable,
            "there is an OpenCL library, but no driver with a device",
            "install a driver: `pip install intel-opencl-rt` installs Intel's for CPUs (of any vendor); then set \
             OCL_ICD_FILENAMES=<environment>/lib/libintelocl.so. GPUs need their vendor's driver",
        );
    }
    for device in &devices {
        if device.takes_spirv() {
            findings.good(format!(
                "OpenCL: {}: {} accepts {}",
                device.platform,
                device.name,
                device.il.trim()
            ));
        } else {
            findings.note(
                format!("OpenCL: {}: {} accepts no SPIR-V", device.platform, device.name),
                if device.platform.contains("Portable Computing Language") {
                    "SYCL programs cannot run on it: this PoCL is built without SPIR-V, as Debian's 3.1 is. With `oxur run`, our \
                     loader or the Python package, our CPU comes before it; OCL_ICD_VENDORS=/nonexistent hides it"
                } else if device.platform.contains("NVIDIA") {
                    "no driver of NVIDIA's does, so our OpenCL adapter leaves the GPU out. The CUDA adapter drives it: in Python \
                     environments, the package oxur-cuda"
                } else {
                    "SYCL programs cannot run on it: install a newer driver"
                },
            );
        }
    }
    if !devices.iter().any(opencl::ClDevice::takes_spirv) {
        findings.lack(
            dispensable,
            "no OpenCL driver accepts SPIR-V",
            "install one that does: `pip install intel-opencl-rt`, then \
             OCL_ICD_FILENAMES=<environment>/lib/libintelocl.so",
        );
    }
}

/// Reports the devices that our loader finds.
fn devices(folder: &Path, findings: &mut Findings) {
    let report = match info::open(&folder.join(lib_folder::LOADER)) {
        Ok(loader) => info::report(&loader).map_err(|error| error.to_string()),
        Err(failure) => Err(failure.message),
    };
    let hint = "UR_LOG_LOADER='level:debug;output:stderr' oxur info shows what the loader does";
    let report = match report {
        Ok(report) => report,
        Err(message) => return findings.problem(message, hint),
    };
    let mut count = 0;
    for adapter in report["adapters"].as_array().into_iter().flatten() {
        for platform in adapter["platforms"].as_array().into_iter().flatten() {
            for device in platform["devices"].as_array().into_iter().flatten() {
                count += 1;
                let text = |value: &serde_json::Value| value.as_str().unwrap_or("unknown").trim().to_owned();
                findings.good(format!(
                    "device {} of the platform {}",
                    text(&device["name"]),
                    text(&platform["name"])
                ));
            }
        }
    }
    if count == 0 {
        findings.problem("oxur finds no device", hint);
    }
}

/// Reports the libsycl of the program, and whether it works with our libraries.
fn program_of(name: &Path, folder: Option<&Path>, findings: &mut Findings) {
    let Some(program) = search::program(name) else {
        return findings.problem(
            format!("{}: command not found", name.display()),
            "check the name and PATH",
        );
    };
    let Some(sycl) = sycl::of_command(&program) else {
        return findings.problem(
            format!("no libsycl found for {}", program.display()),
            "is it a SYCL program? `pip install dpctl` installs a libsycl; `oxur run --libsycl PATH` names one",
        );
    };
    if let Err(failure) = sycl.check() {
        return findings.failure(&failure);
    }
    findings.good(format!("libsycl: {}", sycl.describe()));
    let Some(folder) = folder else { return };
    if sycl.entry == Entry::Adapters {
        return findings.good("oxur run makes it load our adapters, with UR_ADAPTERS_FORCE_LOAD");
    }
    let loader = Elf::read(&folder.join(lib_folder::LOADER)).unwrap_or_default();
    let missing: Vec<_> = sycl
        .imports
        .iter()
        .filter(|name| !loader.exports(name))
        .map(String::as_str)
        .collect();
    if missing.is_empty() {
        findings.good(format!(
            "oxur run puts our loader under it, which has all {} functions that it imports",
            sycl.imports.len()
        ));
    } else {
        findings.problem(
            format!(
                "our loader lacks {} functions of this libsycl: {}",
                missing.len(),
                missing.join(", ")
            ),
            "this release of libsycl is too old or too new: 2025.2 to 2026.2 are known to work",
        );
    }
}
