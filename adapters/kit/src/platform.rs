// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Platforms.

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use oxur_api::*;

use crate::adapter::adapter;
use crate::chain::decode;
use crate::handle::object;
use crate::table::entry_points;
use crate::{Backend, InfoOut, Object, UrError, UrResult, args, entry, handle, unsupported};

/// A platform: a driver and its devices. It lives as long as the adapter.
pub trait Platform<B: Backend>: Object<Handle = PlatformHandle> {
    /// The root devices, the same at each call. The first is the default one.
    fn devices(&self) -> &[Arc<B::Device>];

    /// Answers `urPlatformGetInfo`; [`PlatformInfo::ADAPTER`] and [`PlatformInfo::BACKEND`] are the kit's.
    fn info(&self, _query: PlatformInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    /// The driver's handle.
    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// What this platform's compiler calls an option of the client's compiler, such as `-O2`.
    fn backend_option(&self, _frontend: &CStr) -> UrResult<Option<&'static CStr>> {
        unsupported()
    }
}

/// Those of a driver's platforms or devices that can be used. What is wrong with the others is in the log.
pub fn usable<T>(found: impl IntoIterator<Item = UrResult<T>>, what: &str) -> Vec<T> {
    let leave_out = |error: &UrError| log::warn!("{what} is left out: {error}");
    found
        .into_iter()
        .filter_map(|made| made.inspect_err(leave_out).ok())
        .collect()
}

entry! {
    fn urPlatformGet<B>(adapter: AdapterHandle, capacity: u32, platforms: *mut PlatformHandle, count: *mut u32) {
        let adapter = object::<B::Adapter>(adapter)?;
        if capacity == 0 && platforms.is_null() && count.is_null() {
            crate::bail!(ERROR_INVALID_VALUE: "there is no place for platforms or their count");
        }
        args::list(crate::Adapter::platforms(&**adapter), false, capacity, platforms, count)
    }

    fn urPlatformGetInfo<B>(
        platform: PlatformHandle, query: PlatformInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let platform = object::<B::Platform>(platform)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            PlatformInfo::BACKEND => out.value(crate::Adapter::backend(&**adapter::<B>()?)),
            PlatformInfo::ADAPTER => out.handle(adapter::<B>()?),
            _ => platform.info(query, out),
        }
    }

    fn urPlatformGetNativeHandle<B>(platform: PlatformHandle, native: *mut NativeHandle) {
        let platform = object::<B::Platform>(platform)?;
        args::out(native)?.write(platform.native()?);
        Ok(())
    }

    fn urPlatformCreateWithNativeHandle<B>(
        native: NativeHandle, adapter: AdapterHandle, properties: *const PlatformNativeProperties,
        platform: *mut PlatformHandle,
    ) {
        let adapter = object::<B::Adapter>(adapter)?;
        let out = args::out(platform)?;
        let properties = properties.as_ref().copied().unwrap_or_default();
        decode!("urPlatformCreateWithNativeHandle", properties.pNext)?;
        let owned = properties.isNativeHandleOwned;
        out.write(handle::handle_of(&crate::Adapter::platform_from_native(&**adapter, native, owned)?));
        Ok(())
    }

    fn urPlatformGetApiVersion<B>(platform: PlatformHandle, version: *mut ApiVersion) {
        object::<B::Platform>(platform)?;
        args::out(version)?.write(ApiVersion::CURRENT);
        Ok(())
    }

    fn urPlatformGetBackendOption<B>(
        platform: PlatformHandle, frontend: *const c_char, option: *mut *const c_char,
    ) {
        let platform = object::<B::Platform>(platform)?;
        let frontend = args::c_str(frontend)?;
        let out = args::out(option)?;
        let Some(found) = platform.backend_option(frontend)? else {
            crate::bail!(ERROR_INVALID_VALUE: "the compilers of this backend have no equivalent of {frontend:?}");
        };
        out.write(found.as_ptr());
        Ok(())
    }
}

oxur_api::platform_functions! { entry_points {} }
