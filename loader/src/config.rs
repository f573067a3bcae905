// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Loader configurations: the settings that a client makes before `urLoaderInit`.
//!
//! A handle is an address that is never dereferenced and never used again: the settings are in a map. So a null,
//! released or foreign handle is an error code.
#![allow(non_snake_case, reason = "functions and parameters have their C names")]

use std::collections::HashMap;
use std::ffi::CStr;

use oxur_api::*;
use oxur_fork::{LazyLock, Mutex};

use crate::layers::{self, CodeLocator, Layers};
use crate::{UrResult, answer, state};

/// The settings of a configuration.
#[derive(Clone, Copy, Default)]
pub(crate) struct Settings {
    pub(crate) layers: Layers,
    pub(crate) locator: Option<CodeLocator>,
}

struct Config {
    references: u32,
    settings: Settings,
}

static CONFIGS: LazyLock<Mutex<HashMap<LoaderConfigHandle, Config>>> = LazyLock::new(Mutex::default);

/// The table that a handle points to, in case a client uses it as another kind of object.
static NO_FUNCTIONS: LazyLock<DdiTable> = LazyLock::new(DdiTable::default);

/// The settings of a configuration; the defaults for the null handle.
pub(crate) fn settings(handle: LoaderConfigHandle) -> UrResult<Settings> {
    if handle.is_null() {
        return Ok(Settings::default());
    }
    with(handle, |config| Ok(config.settings))
}

/// Calls a function with a live configuration.
fn with<T>(handle: LoaderConfigHandle, body: impl FnOnce(&mut Config) -> UrResult<T>) -> UrResult<T> {
    body(live(&mut CONFIGS.lock(), handle)?)
}

/// A configuration that has not been released.
fn live(configs: &mut HashMap<LoaderConfigHandle, Config>, handle: LoaderConfigHandle) -> UrResult<&mut Config> {
    if handle.is_null() {
        return Err(ResultCode::ERROR_INVALID_NULL_HANDLE);
    }
    configs.get_mut(&handle).ok_or(ResultCode::ERROR_INVALID_ARGUMENT)
}

pub(crate) unsafe extern "C-unwind" fn urLoaderConfigCreate(phLoaderConfig: *mut LoaderConfigHandle) -> ResultCode {
    answer(|| {
        if phLoaderConfig.is_null() {
            return Err(ResultCode::ERROR_INVALID_NULL_POINTER);
        }
        // Leaked, so that the address means this configuration forever.
        let first_word = Box::leak(Box::new(&raw const *NO_FUNCTIONS));
        let handle = LoaderConfigHandle::from_ptr(std::ptr::from_mut(first_word).cast());
        CONFIGS.lock().insert(
            handle,
            Config {
                references: 1,
                settings: Settings::default(),
            },
        );
        // SAFETY: not null, and the caller vouches that it is writable.
        unsafe { phLoaderConfig.write(handle) };
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn urLoaderConfigRetain(hLoaderConfig: LoaderConfigHandle) -> ResultCode {
    answer(|| {
        with(hLoaderConfig, |config| {
            config.references += 1;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn urLoaderConfigRelease(hLoaderConfig: LoaderConfigHandle) -> ResultCode {
    answer(|| {
        // Under one lock, so that no thread sees a configuration without references.
        let mut configs = CONFIGS.lock();
        let config = live(&mut configs, hLoaderConfig)?;
        config.references -= 1;
        if config.references == 0 {
            configs.remove(&hLoaderConfig);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn urLoaderConfigGetInfo(
    hLoaderConfig: LoaderConfigHandle,
    propName: LoaderConfigInfo,
    propSize: usize,
    pPropValue: *mut c_void,
    pPropSizeRet: *mut usize,
) -> ResultCode {
    answer(|| {
        let references = with(hLoaderConfig, |config| Ok(config.references))?;
        let value = match propName {
            LoaderConfigInfo::AVAILABLE_LAYERS => {
                [Layers::NAMES.map(|(name, _)| name).join(";").as_bytes(), b"\0"].concat()
            }
            LoaderConfigInfo::REFERENCE_COUNT => references.to_ne_bytes().to_vec(),
            _ => return Err(ResultCode::ERROR_INVALID_ENUMERATION),
        };
        if pPropValue.is_null() && (propSize != 0 || pPropSizeRet.is_null()) {
            return Err(ResultCode::ERROR_INVALID_NULL_POINTER);
        }
        // Unlike other queries, this one requires the exact size.
        if !pPropValue.is_null() && propSize != value.len() {
            return Err(ResultCode::ERROR_INVALID_SIZE);
        }
        // SAFETY: the caller vouches for `propSize` bytes at `pPropValue`, which is the size of the value, and for
        // `pPropSizeRet`, where they are not null.
        unsafe {
            if !pPropValue.is_null() {
                pPropValue
                    .cast::<u8>()
                    .copy_from_nonoverlapping(value.as_ptr(), value.len());
            }
            if !pPropSizeRet.is_null() {
                pPropSizeRet.write(value.len());
            }
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn urLoaderConfigEnableLayer(
    hLoaderConfig: LoaderConfigHandle,
    pLayerName: *const c_char,
) -> ResultCode {
    answer(|| {
        with(hLoaderConfig, |config| {
            if pLayerName.is_null() {
                return Err(ResultCode::ERROR_INVALID_NULL_POINTER);
            }
            // SAFETY: not null, and the caller vouches for a C string.
            let name = unsafe { CStr::from_ptr(pLayerName) }.to_string_lossy();
            config.settings.layers |= layers::named(&name).map_err(|problem| {
                state::start_logging();
                log::warn!("urLoaderConfigEnableLayer: {problem}");
                ResultCode::ERROR_LAYER_NOT_PRESENT
            })?;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn urLoaderConfigSetCodeLocationCallback(
    hLoaderConfig: LoaderConfigHandle,
    pfnCodeloc: CodeLocationCallback,
    pUserData: *mut c_void,
) -> ResultCode {
    answer(|| {
        with(hLoaderConfig, |config| {
            let callback = pfnCodeloc.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
            config.settings.locator = Some(CodeLocator {
                callback,
                user_data: pUserData,
            });
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn urLoaderConfigSetMockingEnabled(
    hLoaderConfig: LoaderConfigHandle,
    enable: Bool,
) -> ResultCode {
    answer(|| {
        with(hLoaderConfig, |_| {
            if enable == 0 {
                return Ok(());
            }
            state::start_logging();
            log::error!("urLoaderConfigSetMockingEnabled: this loader has no mock adapter");
            Err(ResultCode::ERROR_UNSUPPORTED_FEATURE)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create() -> LoaderConfigHandle {
        let mut handle = LoaderConfigHandle::default();
        // SAFETY: the result is written to a local variable.
        assert_eq!(unsafe { urLoaderConfigCreate(&mut handle) }, ResultCode::SUCCESS);
        handle
    }

    fn get(handle: LoaderConfigHandle, what: LoaderConfigInfo, size: usize, buffer: &mut [u8]) -> (ResultCode, usize) {
        let mut needed = 0;
        let value = if buffer.is_empty() {
            std::ptr::null_mut()
        } else {
            buffer.as_mut_ptr().cast()
        };
        // SAFETY: no test passes a size beyond its buffer.
        let code = unsafe { urLoaderConfigGetInfo(handle, what, size, value, &mut needed) };
        (code, needed)
    }

    #[test]
    fn layers_and_references() {
        let handle = create();
        let (code, size) = get(handle, LoaderConfigInfo::AVAILABLE_LAYERS, 0, &mut []);
        assert_eq!(code, ResultCode::SUCCESS);
        let mut buffer = vec![0; size];
        assert_eq!(
            get(handle, LoaderConfigInfo::AVAILABLE_LAYERS, size, &mut buffer).0,
            ResultCode::SUCCESS
        );
        let names = CStr::from_bytes_with_nul(&buffer).unwrap().to_str().unwrap();
        assert!(names.split(';').any(|name| name == "UR_LAYER_TRACING"), "{names}");

        let mut count = [0; 8];
        assert_eq!(
            get(handle, LoaderConfigInfo::REFERENCE_COUNT, 4, &mut count).0,
            ResultCode::SUCCESS
        );
        assert_eq!(count[0], 1);
        for wrong in [0, 3, 8] {
            let code = get(handle, LoaderConfigInfo::REFERENCE_COUNT, wrong, &mut count).0;
            assert_eq!(code, ResultCode::ERROR_INVALID_SIZE);
        }
        assert_eq!(
            get(handle, LoaderConfigInfo(77), 4, &mut count).0,
            ResultCode::ERROR_INVALID_ENUMERATION
        );
        assert_eq!(
            get(handle, LoaderConfigInfo::REFERENCE_COUNT, 4, &mut []).0,
            ResultCode::ERROR_INVALID_NULL_POINTER
        );

        for (name, code) in [
            (c"UR_LAYER_FULL_VALIDATION", ResultCode::SUCCESS),
            (c"UR_LAYER_ASAN", ResultCode::ERROR_LAYER_NOT_PRESENT),
            (c"nonsense", ResultCode::ERROR_LAYER_NOT_PRESENT),
        ] {
            // SAFETY: the name is a C string.
            assert_eq!(unsafe { urLoaderConfigEnableLayer(handle, name.as_ptr()) }, code);
        }
        assert!(settings(handle).unwrap().layers.contains(Layers::VALIDATION));
    }

    #[test]
    fn handles_that_are_none() {
        let stale = create();
        // SAFETY: handles of configurations may be anything.
        unsafe {
            assert_eq!(urLoaderConfigRetain(stale), ResultCode::SUCCESS);
            assert_eq!(urLoaderConfigRelease(stale), ResultCode::SUCCESS);
            assert_eq!(urLoaderConfigRelease(stale), ResultCode::SUCCESS);
            let wild = LoaderConfigHandle::from_ptr(0x10 as *mut c_void);
            for (handle, code) in [
                (LoaderConfigHandle::default(), ResultCode::ERROR_INVALID_NULL_HANDLE),
                (stale, ResultCode::ERROR_INVALID_ARGUMENT),
                (wild, ResultCode::ERROR_INVALID_ARGUMENT),
            ] {
                assert_eq!(urLoaderConfigRetain(handle), code);
                assert_eq!(urLoaderConfigRelease(handle), code);
                assert_eq!(urLoaderConfigEnableLayer(handle, c"UR_LAYER_TRACING".as_ptr()), code);
                assert_eq!(
                    urLoaderConfigSetCodeLocationCallback(handle, None, std::ptr::null_mut()),
                    code
                );
                assert_eq!(urLoaderConfigSetMockingEnabled(handle, 1), code);
            }
        }
        assert_ne!(create(), stale);
    }

    #[test]
    fn releases_at_once() {
        for _ in 0..200 {
            let handle = create();
            // SAFETY: handles of configurations may be anything.
            let release = || unsafe { urLoaderConfigRelease(handle) };
            let codes = std::thread::scope(|scope| {
                let threads = [(); 4].map(|()| scope.spawn(release));
                threads.map(|thread| thread.join().unwrap())
            });
            let released = codes.iter().filter(|code| **code == ResultCode::SUCCESS).count();
            assert_eq!(released, 1, "{codes:?}");
        }
    }
}
