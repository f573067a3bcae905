// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Loads one adapter: returns its functions, or the reason for rejecting the file.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use libloading::os::unix::Library;
use oxur_api::*;

use crate::elf::{self, NotLoadable};
use crate::exports;
use crate::legacy::{self, LegacyTable};

/// A loaded adapter.
#[derive(Clone, Debug)]
pub(crate) struct Adapter {
    /// The file that it was loaded from.
    pub(crate) path: PathBuf,
    pub(crate) get: pfn::urAdapterGet,
    pub(crate) legacy: LegacyTable,
    /// Which of this project's adapters it is.
    pub(crate) identity: Option<Identity>,
}

/// The name and version that an adapter based on this project's kit reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The name of the adapter.
    pub(crate) name: String,
    /// The version of the kit.
    pub(crate) version: String,
}

impl Identity {
    /// Reads it from a library. Adapters from before the release of version 0.12.0 do not report it.
    fn of(library: &Library) -> Option<Self> {
        let text = |symbol: &[u8]| {
            // SAFETY: the kit exports these symbols as NUL-terminated strings, and nobody else uses the names.
            let text = unsafe { CStr::from_ptr(*library.get::<*const c_char>(symbol).ok()?) };
            Some(text.to_string_lossy().into_owned())
        };
        Some(Self {
            name: text(b"oxurAdapter\0")?,
            version: text(b"oxurVersion\0")?,
        })
    }

    /// Whether loader and adapter have the same version, and therefore agree on their private interfaces.
    fn is_own_version(&self) -> bool {
        self.version == env!("CARGO_PKG_VERSION")
    }
}

impl PartialEq for Adapter {
    /// Whether both are the same adapter.
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && std::ptr::fn_addr_eq(self.get, other.get)
    }
}

/// Why a file is not loaded, and what the user can do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    #[error("there is no such file")]
    Missing,
    #[error("it cannot be accessed: {0}")]
    Unreachable(#[source] std::io::Error),
    #[error("{0}")]
    NotLoadable(#[from] NotLoadable),
    #[error("the dynamic linker rejects it: {0}")]
    Linker(#[source] libloading::Error),
    #[error("it is not an adapter: it exports no urGetAdapterProcAddrTable")]
    NoAdapter,
    #[error(
        "it belongs to release 2026.1 or an older one, whose tables have another layout: it exports no \
         urGetEventExpProcAddrTable. Use the adapter of release 2026.2 or newer"
    )]
    OldLayout,
    #[error("its {getter} failed with {code:?}: it needs another version of the API or another environment")]
    Table { getter: &'static str, code: ResultCode },
    #[error("its table has no urAdapterGet")]
    NoAdapterGet,
}

/// Loads the adapter at `path`. The dynamic linker searches for a bare name.
pub(crate) fn load(path: &Path, deep_bind: bool) -> Result<Adapter, Refused> {
    if path.as_os_str().as_bytes().contains(&b'/') {
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) => return Err(Refused::Missing),
            // It may exist in a folder that this user may not search.
            Err(error) => return Err(Refused::Unreachable(error)),
        }
        elf::check(path)?;
    }
    let deep = if deep_bind { libc::RTLD_DEEPBIND } else { 0 };
    let flags: c_int = libc::RTLD_NOW | libc::RTLD_LOCAL | deep;
    // SAFETY: loading runs the library's constructors. The user requested that by putting the file into the path.
    let library = unsafe { Library::open(Some(path), flags) }.map_err(|error| {
        // The linker reports a missing dependency of the adapter in the same way, but with the dependency's name.
        let absent = format!(
            "{}: cannot open shared object file: No such file or directory",
            path.display()
        );
        if error.to_string() == absent {
            Refused::Missing
        } else {
            Refused::Linker(error)
        }
    })?;
    let adapter = adapter(&library)?;
    // Never unloaded: handles, threads and exit handlers of an adapter may outlive every teardown.
    let _ = ManuallyDrop::new(library);
    Ok(adapter)
}

/// Reads a library's functions.
fn adapter(library: &Library) -> Result<Adapter, Refused> {
    let mut table = AdapterDdiTable::default();
    {
        // SAFETY: every adapter's getter has this type.
        let getter = unsafe { library.get::<Getter<AdapterDdiTable>>(b"urGetAdapterProcAddrTable\0") };
        let getter = getter.map_err(|_| Refused::NoAdapter)?;
        // If the library links this loader, the name resolves to the loader's own export.
        if std::ptr::fn_addr_eq(*getter, exports::urGetAdapterProcAddrTable as Getter<AdapterDdiTable>) {
            return Err(Refused::NoAdapter);
        }
        // SAFETY: the symbol's type does not matter here.
        if unsafe { library.get::<*const c_void>(b"urGetEventExpProcAddrTable\0") }.is_err() {
            return Err(Refused::OldLayout);
        }
        fill("urGetAdapterProcAddrTable", *getter, &mut table)?;
    }
    ask_for_every_table(library)?;
    let get = table.pfnGet.ok_or(Refused::NoAdapterGet)?;
    let identity = Identity::of(library);
    let path = file_of(get as *const c_void).unwrap_or_default();
    if let Some(identity) = identity.as_ref().filter(|identity| !identity.is_own_version()) {
        // By default the log is silent about warnings. This one is for users, who have the mixture by accident.
        oxur_environment::warn(&format!(
            "adapter {} belongs to oxur {}, but this loader, {}, to {}. They use only the standard interface with each other. \
             Use both from one installation: `oxur doctor` shows where this one comes from",
            path.display(),
            identity.version,
            file_of(exports::urLoaderInit as *const c_void)
                .unwrap_or_default()
                .display(),
            env!("CARGO_PKG_VERSION")
        ));
    }
    Ok(Adapter {
        path,
        get,
        legacy: match &identity {
            Some(identity) if identity.is_own_version() => legacy_table(library, get),
            _ => legacy::EMULATED,
        },
        identity,
    })
}

type Getter<T> = unsafe extern "C" fn(ApiVersion, *mut T) -> ResultCode;

/// Calls a getter.
fn fill<T>(name: &'static str, getter: Getter<T>, table: &mut T) -> Result<(), Refused> {
    // SAFETY: the getter is called with the version of this loader and a whole table to fill.
    match unsafe { getter(ApiVersion::CURRENT, table) } {
        ResultCode::SUCCESS => Ok(()),
        code => Err(Refused::Table { getter: name, code }),
    }
}

/// Calls all getters that a library exports. They initialize the adapter, and each may fail.
fn ask_for_every_table(library: &Library) -> Result<(), Refused> {
    macro_rules! ask {
        ({} table $member:ident: $table:ident = $getter:ident; $($functions:tt)*) => {
            // SAFETY: every adapter's getter of this name has this type.
            match unsafe { library.get::<Getter<$table>>(concat!(stringify!($getter), "\0").as_bytes()) } {
                Ok(getter) => fill(stringify!($getter), *getter, &mut $table::default())?,
                Err(_) => log::debug!("it exports no {}", stringify!($getter)),
            }
        };
    }
    oxur_api::for_each_table! { ask {} }
    Ok(())
}

/// The adapter's functions for older clients, or their emulation.
fn legacy_table(library: &Library, get: pfn::urAdapterGet) -> LegacyTable {
    let mut table = LegacyDdiTable::default();
    // SAFETY: the symbol is this project's own and has this type wherever it is exported.
    let getter = unsafe { library.get::<Getter<LegacyDdiTable>>(b"oxurGetLegacyProcAddrTable\0") };
    match getter.map(|getter| fill("oxurGetLegacyProcAddrTable", *getter, &mut table)) {
        Ok(Ok(())) => legacy::own(get, table),
        Ok(Err(refused)) => {
            log::warn!("its functions for older clients are emulated: {refused}");
            legacy::EMULATED
        }
        Err(_) => legacy::EMULATED,
    }
}

/// The file that contains the code at `address`.
pub(crate) fn file_of(address: *const c_void) -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr accepts any address and fills the structure, for which zeros are valid, too.
    let (found, info) = unsafe { (libc::dladdr(address, info.as_mut_ptr()), info.assume_init()) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr found a file, so this is its name, which stays as long as the library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(OsStr::from_bytes(name.to_bytes()).into())
}
