// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The library itself: loading, initialisation, configuration.

use std::ffi::CString;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use oxur_api::*;

use crate::{Adapter, Error, Fns, FromInfo, Result, info};

/// A loaded and initialised `libur_loader.so.0`. It is torn down after the last of its clones and objects.
#[derive(Clone, Debug)]
pub struct Loader(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    fns: Fns,
    path: PathBuf,
    /// Whether `urLoaderInit` was called and needs a teardown.
    initialised: AtomicBool,
    /// Never unloaded: drivers leave threads and exit handlers behind, and their code must stay.
    _library: ManuallyDrop<libloading::Library>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if *self.initialised.get_mut() {
            // SAFETY: undoes the `urLoaderInit` of this loader, which has no more objects.
            if let Err(error) = unsafe { self.fns.urLoaderTearDown() } {
                eprintln!("oxur-client: {error}");
            }
        }
    }
}

/// The releases of the ABI that can be distinguished by the exports of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// 2026.1 and before: some device infos have other numbers, arguments are set one by one.
    V2026_1,
    /// 2026.2.
    V2026_2,
}

impl Loader {
    /// Loads a library and initialises it.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, |_| Ok(()))
    }

    /// Loads a library and initialises it with a configuration that `configure` fills.
    pub fn open_with(path: &Path, configure: impl FnOnce(&Config) -> Result<()>) -> Result<Self> {
        let loader = Self::open_uninitialised(path)?;
        let config = Config::new(&loader)?;
        configure(&config)?;
        // SAFETY: the configuration is alive.
        unsafe { loader.fns().urLoaderInit(DeviceInitFlags::empty(), config.raw()) }?;
        loader.0.initialised.store(true, Ordering::Release);
        drop(config);
        Ok(loader)
    }

    /// Loads a library without calling it. The caller initialises it through [`Loader::fns`].
    pub fn open_uninitialised(path: &Path) -> Result<Self> {
        // SAFETY: loading runs the library's constructors, as the user of a runtime expects.
        let library = unsafe { libloading::Library::new(path) }.map_err(|source| Error::Load {
            path: path.to_owned(),
            source,
        })?;
        let fns = Fns::resolve(&library);
        if fns.other.Loader.pfnLoaderInit.is_none() {
            return Err(Error::NotExported("urLoaderInit"));
        }
        Ok(Self(Arc::new(Inner {
            fns,
            path: path.to_owned(),
            initialised: AtomicBool::new(false),
            _library: ManuallyDrop::new(library),
        })))
    }

    /// All functions of the library.
    pub fn fns(&self) -> &Fns {
        &self.0.fns
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The release that the library belongs to.
    pub fn generation(&self) -> Generation {
        match self.fns().ddi.EventExp.pfnCreateExp {
            Some(_) => Generation::V2026_2,
            None => Generation::V2026_1,
        }
    }

    /// The adapters that the loader found.
    pub fn adapters(&self) -> Result<Vec<Adapter>> {
        let handles = info::list(|count, out, count_ret| {
            // SAFETY: `out` has room for `count` handles.
            unsafe { self.fns().urAdapterGet(count, out, count_ret) }
        })?;
        // SAFETY: `urAdapterGet` returns a reference with each handle.
        Ok(handles
            .into_iter()
            .map(|handle| unsafe { Adapter::from_raw(self, handle) })
            .collect())
    }
}

object! {
    /// Settings for the initialisation of a loader.
    Config(LoaderConfigHandle): urLoaderConfigRetain, urLoaderConfigRelease
}

impl Config {
    /// New settings.
    pub fn new(loader: &Loader) -> Result<Self> {
        let mut handle = LoaderConfigHandle::default();
        // SAFETY: the result pointer is valid.
        unsafe { loader.fns().urLoaderConfigCreate(&mut handle) }?;
        // SAFETY: a new configuration comes with one reference.
        Ok(unsafe { Self::from_raw(loader, handle) })
    }

    /// Queries a property. This function requires the exact size, so it is not queried first.
    pub fn info<T: FromInfo>(&self, property: LoaderConfigInfo) -> Result<T> {
        info::query("urLoaderConfigGetInfo", |size, value, size_ret| {
            // SAFETY: the handle is alive; `query` passes a buffer of `size` bytes, or none.
            unsafe {
                self.fns()
                    .urLoaderConfigGetInfo(self.raw(), property, size, value, size_ret)
            }
        })
    }

    /// Enables a layer by its name, for example `UR_LAYER_TRACING`.
    pub fn enable_layer(&self, name: &str) -> Result<()> {
        let name = CString::new(name)?;
        // SAFETY: the handle is alive, the name ends with NUL.
        unsafe { self.fns().urLoaderConfigEnableLayer(self.raw(), name.as_ptr()) }
    }
}
