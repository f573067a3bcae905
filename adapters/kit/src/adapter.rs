// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The adapter: what a loader finds in the library, and what becomes of it.
//!
//! The client gives objects back in any order: each keeps what it depends on, so a context goes after its queues, and these
//! after their events. Platforms and root devices are the adapter's, which lives as long as the process:
//!
//! 1. With the client's last reference of the adapter comes [`Adapter::released`]. Platforms and devices stay good, and the
//!    client may ask for the adapter again.
//! 2. When the process ends, pictures of graphs are written, and then comes [`Adapter::close`], once. It ends the threads
//!    that may call the driver. From then on [`is_closed`], and the kit's own threads are not in the driver, either.
//! 3. What the client still has is not dropped. What it releases later, in destructors of its own, is: their `Drop` leaves
//!    a driver alone that may be gone, by asking [`is_closed`].

use std::any::Any;
use std::ffi::c_char;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use oxur_api::*;
use oxur_fork::{Mutex, OnceLock};

use crate::at_exit::at_exit;
use crate::entry_hook::enter;
use crate::error::guard;
use crate::handle::{self, Borrowed, object};
use crate::table::entry_points;
use crate::tbb::keep_tcm;
use crate::{
    Backend, Device as _, InfoOut, Object, Platform as _, Subject, UrResult, args, entry, own_threads, unsupported,
};

/// The adapter object. It is opened when it is first asked for and lives as long as the process.
pub trait Adapter<B: Backend>: Object<Handle = AdapterHandle> {
    /// Looks for drivers. No driver is no error but an adapter without platforms, and a line in the log.
    fn open() -> UrResult<Arc<Self>>;

    /// The client has given its last reference back, and may ask for another one at any time, on any thread. Memory that is
    /// only kept for later belongs given back here.
    fn released(&self) {}

    /// The process ends: the last time that the driver may be called. Threads that call it end here. Not called in a forked
    /// child, which has none of the threads.
    fn close(&self) {}

    /// The kind of backend. SYCL runtimes decide by it what program images they offer.
    fn backend(&self) -> oxur_api::Backend;

    /// Its version: raised when the behaviour changes in a way that clients may want to know.
    fn version(&self) -> u32 {
        1
    }

    /// The platforms, the same at each call.
    fn platforms(&self) -> &[Arc<B::Platform>];

    /// Finds the platform of a native handle. `owned` says that the native handle is ours to release.
    ///
    /// By default it is one of the adapter's platforms: few drivers count references of them.
    fn platform_from_native(&self, native: NativeHandle, _owned: bool) -> UrResult<Arc<B::Platform>> {
        find_native(self.platforms(), native, |platform| platform.native()).ok_or_else(|| {
            crate::error!(
                ERROR_INVALID_PLATFORM: "the native handle {native:#x} is no platform of this adapter's drivers"
            )
        })
    }

    /// Finds the device of a native handle. `owned` says that the native handle is ours to release.
    ///
    /// By default it is one of the platforms' devices.
    fn device_from_native(&self, native: NativeHandle, _owned: bool) -> UrResult<Arc<B::Device>> {
        let mut all = self.platforms().iter();
        let found = all.find_map(|platform| find_native(platform.devices(), native, |device| device.native()));
        found.ok_or_else(|| {
            crate::error!(ERROR_INVALID_DEVICE: "the native handle {native:#x} is no device of this adapter's drivers")
        })
    }

    /// Wraps a native context. `owned` says that the native handle is ours to release.
    fn context_from_native(
        &self,
        _native: NativeHandle,
        _devices: Vec<Arc<B::Device>>,
        _owned: bool,
    ) -> UrResult<Arc<B::Context>> {
        unsupported()
    }
}

/// The object whose native handle this is.
fn find_native<T>(
    objects: &[Arc<T>],
    native: NativeHandle,
    of: impl Fn(&Arc<T>) -> UrResult<NativeHandle>,
) -> Option<Arc<T>> {
    let is_it = |object: &&Arc<T>| of(object).is_ok_and(|known| known == native);
    objects.iter().find(is_it).cloned()
}

/// The adapter, an `Arc<B::Adapter>`, once it is open: `Any` because a static cannot be generic.
static ADAPTER: OnceLock<Box<dyn Any + Send + Sync>> = OnceLock::new();

pub(crate) fn adapter<B: Backend>() -> UrResult<&'static Arc<B::Adapter>> {
    static OPENING: Mutex<()> = Mutex::new(());
    if ADAPTER.get().is_none() {
        let _one_at_a_time = OPENING.lock();
        if ADAPTER.get().is_none() {
            // An adapter that fails to open is tried again at the next call.
            let opened = B::Adapter::open()?;
            ADAPTER.get_or_init(|| Box::new(opened));
            close_at_exit::<B>();
            keep_tcm();
        }
    }
    let open = ADAPTER.get().expect("it was opened above");
    Ok(open.downcast_ref().expect("a library has one backend"))
}

/// Has the adapter closed when the process ends: after all that registers later, as that which writes pictures of graphs.
fn close_at_exit<B: Backend>() {
    /// The process that has opened the adapter.
    static PROCESS: AtomicU32 = AtomicU32::new(0);

    extern "C" fn end<B: Backend>(_: *mut c_void) {
        if PROCESS.load(Ordering::Relaxed) != std::process::id() {
            return own_threads::close_in_child();
        }
        guard("the end of the process", || {
            let adapter = adapter::<B>()?;
            let _entered = enter::<B>(|| Subject::Adapter(Borrowed::from(adapter)))?;
            adapter.close();
            Ok(())
        });
        own_threads::close();
    }

    PROCESS.store(std::process::id(), Ordering::Relaxed);
    if !at_exit(end::<B>) {
        log::warn!("the adapter cannot be closed in order when the process ends");
    }
}

entry! {
    fn urAdapterGet<B>(capacity: u32, handles: *mut AdapterHandle, count: *mut u32) {
        // Intel's loaders ask each adapter for one handle even when they only count, without a place for it.
        let capacity = if handles.is_null() { 0 } else { capacity };
        args::list(&[adapter::<B>()?], true, capacity, handles, count)
    }

    fn urAdapterRetain<B>(adapter: AdapterHandle) {
        handle::retain::<B::Adapter>(adapter)
    }

    fn urAdapterRelease<B>(adapter: AdapterHandle) {
        handle::release_to::<B::Adapter>(adapter, |adapter| adapter.released())
    }

    fn urAdapterGetLastError<B>(adapter: AdapterHandle, message: *mut *const c_char, code: *mut i32) {
        object::<B::Adapter>(adapter)?;
        let (last_message, last_code) = crate::error::last();
        args::out(message)?.write(last_message);
        args::out(code)?.write(last_code);
        Ok(())
    }

    fn urAdapterGetInfo<B>(
        adapter: AdapterHandle, query: AdapterInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let adapter = object::<B::Adapter>(adapter)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            AdapterInfo::BACKEND => out.value(adapter.backend()),
            AdapterInfo::REFERENCE_COUNT => out.references(&**adapter),
            AdapterInfo::VERSION => out.value(adapter.version()),
            _ => out.unsupported(),
        }
    }

    fn urAdapterSetLoggerCallback<B>(
        adapter: AdapterHandle, callback: LoggerCallback, user_data: *mut c_void, level: LoggerLevel,
    ) {
        object::<B::Adapter>(adapter)?;
        let callback = callback.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
        args::known(level)?;
        oxur_log::set_callback(callback, user_data, level);
        Ok(())
    }

    fn urAdapterSetLoggerCallbackLevel<B>(adapter: AdapterHandle, level: LoggerLevel) {
        object::<B::Adapter>(adapter)?;
        args::known(level)?;
        oxur_log::set_callback_level(level);
        Ok(())
    }
}

oxur_api::adapter_functions! { entry_points {} }
