// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! The loader, `libze_loader.so.1`, opened at run time.

use core::ffi::{CStr, c_void};
use core::ops::Deref;
use std::path::{Path, PathBuf};

use libloading::Library;

use crate::{
    Functions, ZE_RESULT_SUCCESS, list, ze_driver_handle_t, ze_init_driver_type_desc_t, ze_init_driver_type_flags_t,
    ze_result_t, zel_component_version_t, zel_version_t,
};

/// What the loader is called on this system.
pub const LOADER_NAME: &str = if cfg!(windows) {
    "ze_loader.dll"
} else {
    "libze_loader.so.1"
};

/// A function that the loader does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the Level Zero loader has no function {name}: install a newer loader (libze1, level-zero)")]
pub struct MissingFunction {
    /// The name of the function.
    pub name: &'static str,
}

/// Why a loader cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoaderError {
    /// There is no loader, or it cannot be loaded.
    #[error(
        "the Level Zero loader {} cannot be opened: {source}. Install it (libze1 on Debian and Ubuntu, level-zero on \
         Fedora, level-zero-loader on Arch), or give the path of one.",
        library.display()
    )]
    Open {
        /// The name or the path that was asked for.
        library: PathBuf,
        /// What the dynamic linker says.
        source: libloading::Error,
    },
    /// The library is something else.
    #[error(
        "{} is no Level Zero loader: it has no function zeInit. Give the path of {LOADER_NAME}.",
        library.display()
    )]
    NotALoader {
        /// The library.
        library: PathBuf,
    },
    /// The loader is older than the program wants.
    #[error("the Level Zero loader is {}; {needed} or newer is needed: install a newer one (libze1, level-zero)",
        found.map_or_else(|| "of an old version".to_owned(), |found| format!("version {found}")))]
    TooOld {
        /// The version of the loader; `None` if it is too old to tell.
        found: Option<zel_version_t>,
        /// The version that the program asked for.
        needed: zel_version_t,
    },
    /// The loader lacks a function that is needed.
    #[error(transparent)]
    MissingFunction(#[from] MissingFunction),
    /// A function of the loader failed.
    #[error("{name} returned {result}")]
    Failed {
        /// The name of the function.
        name: &'static str,
        /// What it returned.
        result: ze_result_t,
    },
    /// The driver does not offer a function.
    #[error("the Level Zero driver offers no function {name} ({result}): install a newer driver, or do without")]
    NoExtensionFunction {
        /// The name of the function.
        name: String,
        /// What zeDriverGetExtensionFunctionAddress returned.
        result: ze_result_t,
    },
}

/// A loader and its functions, which are fields and methods of [`Functions`].
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use level_zero_sys::{Loader, ZE_INIT_FLAG_GPU_ONLY};
///
/// let ze = Loader::open()?;
/// // SAFETY: zeInit may be called at any time.
/// unsafe { ze.zeInit(ZE_INIT_FLAG_GPU_ONLY) }?.ok()?;
/// # Ok(())
/// # }
/// ```
pub struct Loader {
    functions: Functions,
    _library: Library,
}

impl Deref for Loader {
    type Target = Functions;

    fn deref(&self) -> &Functions {
        &self.functions
    }
}

impl Loader {
    /// Opens the system's loader, [`LOADER_NAME`].
    pub fn open() -> Result<Self, LoaderError> {
        // SAFETY: the loader's constructors do nothing but prepare it.
        unsafe { Self::open_at(LOADER_NAME) }
    }

    /// Opens a certain library.
    ///
    /// # Safety
    ///
    /// The library's constructors must be harmless, and its functions with names of Level Zero must be those.
    pub unsafe fn open_at(library: impl AsRef<Path>) -> Result<Self, LoaderError> {
        let name = library.as_ref();
        // SAFETY: the caller's promise.
        let library = match unsafe { Library::new(name) } {
            Ok(library) => library,
            Err(source) => {
                return Err(LoaderError::Open {
                    library: name.to_owned(),
                    source,
                });
            }
        };
        // SAFETY: `find` returns null or the function of that name, and `functions` goes before the library does.
        let functions = unsafe {
            Functions::load(|symbol| {
                let found = library.get::<*const c_void>(symbol.to_bytes_with_nul());
                found.map_or(core::ptr::null(), |symbol| *symbol)
            })
        };
        if functions.zeInit.is_none() {
            return Err(LoaderError::NotALoader {
                library: name.to_owned(),
            });
        }
        Ok(Self {
            functions,
            _library: library,
        })
    }

    /// Initialises the drivers of these types, and returns them. A loader without zeInitDrivers, or whose drivers are too old
    /// for it, is asked by zeInit and zeDriverGet: then they are all that there are.
    ///
    /// # Errors
    /// [`LoaderError::Failed`], as where there is no driver, or [`LoaderError::MissingFunction`].
    pub fn drivers(&self, types: ze_init_driver_type_flags_t) -> Result<Vec<ze_driver_handle_t>, LoaderError> {
        let failed = |name| move |result| LoaderError::Failed { name, result };
        let found = list(core::ptr::null_mut(), |count, drivers| {
            let mut desc = ze_init_driver_type_desc_t {
                flags: types,
                ..Default::default()
            };
            // SAFETY: `list` passes room for as many handles as it says, or null; the description lives as long.
            let result = unsafe { self.zeInitDrivers(count, drivers, &mut desc) }?;
            result.ok().map_err(failed("zeInitDrivers"))
        });
        found.or_else(|_| {
            // SAFETY: it may be called at any time.
            unsafe { self.zeInit(0) }?.ok().map_err(failed("zeInit"))?;
            list(core::ptr::null_mut(), |count, drivers| {
                // SAFETY: as above.
                let result = unsafe { self.zeDriverGet(count, drivers) }?;
                result.ok().map_err(failed("zeDriverGet"))
            })
        })
    }

    /// The version of the loader. `None` if it does not tell: loaders without zelGetLoaderVersion do after zeInit only.
    pub fn version(&self) -> Option<zel_version_t> {
        if let Some(get) = self.zelGetLoaderVersion {
            let mut version = zel_component_version_t::default();
            // SAFETY: the function fills the structure, and may be called at any time.
            let result = unsafe { get(&mut version) };
            return (result == ZE_RESULT_SUCCESS).then_some(version.component_lib_version);
        }
        self.component_versions()
            .iter()
            .find(|version| version.name() == Some("loader"))
            .map(|v| v.component_lib_version)
    }

    /// The versions of the loader and its layers. Most loaders answer after zeInit only, with an empty list before.
    pub fn component_versions(&self) -> Vec<zel_component_version_t> {
        let Some(get) = self.zelLoaderGetVersions else {
            return Vec::new();
        };
        // SAFETY: `list` passes room for as many structures as it says, or null.
        let versions = list(zel_component_version_t::default(), |count, versions| unsafe {
            get(count, versions).ok()
        });
        versions.unwrap_or_default()
    }

    /// An error that says what to do unless the loader has at least this version. Call it after zeInit: a loader that
    /// does not tell its version counts as too old.
    pub fn require(&self, major: i32, minor: i32, patch: i32) -> Result<(), LoaderError> {
        let needed = zel_version_t { major, minor, patch };
        let found = self.version();
        match found {
            Some(found) if found >= needed => Ok(()),
            _ => Err(LoaderError::TooOld { found, needed }),
        }
    }

    /// A function that the driver offers by name only: one of the driver's own, or one that the loader is too old for.
    ///
    /// The loader may wrap handles, if it has several drivers or layers. Such functions get the driver's own handles:
    /// see zelLoaderTranslateHandle.
    ///
    /// # Safety
    ///
    /// `F` must be the type of the function, as in `unsafe extern "C" fn(ze_device_handle_t) -> ze_result_t`. The handle
    /// must be one of a driver, and zeInit must have succeeded.
    pub unsafe fn extension_function<F: Copy>(
        &self,
        driver: ze_driver_handle_t,
        name: &CStr,
    ) -> Result<F, LoaderError> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "F is no function pointer") };
        let mut address = core::ptr::null_mut();
        // SAFETY: the caller vouches for the handle; the name ends with zero, and the address has a place to go.
        let result = unsafe { self.zeDriverGetExtensionFunctionAddress(driver, name.as_ptr(), &mut address) }?;
        if result != ZE_RESULT_SUCCESS || address.is_null() {
            return Err(LoaderError::NoExtensionFunction {
                name: name.to_string_lossy().into_owned(),
                result,
            });
        }
        // SAFETY: the pointer is not null, has the size of `F`, and is of that type by the caller's promise.
        Ok(unsafe { core::mem::transmute_copy(&address) })
    }
}
