// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The driver, of which there is one.

pub(crate) mod by_name;
mod extensions;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use level_zero_sys::*;
use oxur_fork::OnceLock;

use crate::Device;
use crate::config::Config;
use crate::context::zeContextCreate;
use crate::entry::{Error, ZeResult, call_for, entry, err};
use crate::handle::{self, Chain, list, none, object, out, required};
use crate::tables::own;

/// The driver.
pub(crate) struct Driver {
    /// The devices that `zeDeviceGet` lists.
    pub(crate) devices: Vec<Arc<Device>>,
}

/// Whether the client has initialized the driver.
static INITIALIZED: AtomicBool = AtomicBool::new(false);

impl Driver {
    /// The driver and its handle, which live as long as the process.
    pub(crate) fn get() -> (&'static Arc<Self>, ze_driver_handle_t) {
        static DRIVER: OnceLock<(Arc<Driver>, usize)> = OnceLock::new();
        let (driver, handle) = DRIVER.get_or_init(|| {
            crate::entry::init();
            let driver = Arc::new(Self {
                devices: Device::listed(),
            });
            let handle = handle::export(driver.clone());
            (driver, handle as usize)
        });
        (driver, *handle as ze_driver_handle_t)
    }

    /// The devices with their sub-devices, in the order of their identifiers for the functions `zer…`.
    pub(crate) fn all_devices(&self) -> impl Iterator<Item = &Arc<Device>> {
        self.devices
            .iter()
            .flat_map(|device| std::iter::once(device).chain(&device.sub_devices))
    }
}

/// The driver that the client names.
unsafe fn check(driver: ze_driver_handle_t) -> ZeResult<&'static Arc<Driver>> {
    // SAFETY: passed on to the caller.
    unsafe { object::<Driver>(driver) }
}

/// The driver's own context, of all its devices. It lives as long as the process.
fn default_context() -> ZeResult<ze_context_handle_t> {
    static DEFAULT: OnceLock<usize> = OnceLock::new();
    let handle = DEFAULT.get_or_init(|| {
        let (desc, mut context) = (ze_context_desc_t::default(), none());
        // SAFETY: the driver is alive, and both variables are.
        unsafe { zeContextCreate(Driver::get().1, &desc, &mut context) };
        context as usize
    });
    match *handle as ze_context_handle_t {
        context if context.is_null() => err(ZE_RESULT_ERROR_UNKNOWN),
        context => Ok(context),
    }
}

fn initialize() -> ze_driver_handle_t {
    let (_, handle) = Driver::get();
    INITIALIZED.store(true, Ordering::Release);
    handle
}

/// The same for the same version of this library.
fn uuid() -> ze_driver_uuid_t {
    let mut id = *b"oxurze..........";
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let len = version.len().min(10);
    id[6..6 + len].copy_from_slice(&version[..len]);
    ze_driver_uuid_t { id }
}

/// What processes can share, as far as the driver has the functions for it.
fn ipc() -> ze_ipc_property_flags_t {
    let mut flags = 0;
    if own("zeMemGetIpcHandle").is_some() {
        flags |= ZE_IPC_PROPERTY_FLAG_MEMORY;
    }
    if own("zeEventPoolGetIpcHandle").is_some() {
        flags |= ZE_IPC_PROPERTY_FLAG_EVENT_POOL;
    }
    flags
}

entry! {
    fn zeInit(flags: ze_init_flags_t) {
        if flags & !(ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY) != 0 {
            return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        // No driver of this kind.
        if flags == ZE_INIT_FLAG_VPU_ONLY {
            return err(ZE_RESULT_ERROR_UNINITIALIZED);
        }
        initialize();
        Ok(())
    }

    fn zeInitDrivers(count: *mut u32, drivers: *mut ze_driver_handle_t, desc: *mut ze_init_driver_type_desc_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            out(count)?;
            let flags = required(desc.cast_const())?.flags;
            if flags == 0 {
                return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
            }
            if flags & ZE_INIT_DRIVER_TYPE_FLAG_GPU == 0 {
                *count = 0;
                return err(ZE_RESULT_ERROR_UNINITIALIZED);
            }
            list(count, drivers, std::iter::once(initialize()))
        }
    }

    fn zeDriverGet(count: *mut u32, drivers: *mut ze_driver_handle_t) {
        if !INITIALIZED.load(Ordering::Acquire) {
            return err(ZE_RESULT_ERROR_UNINITIALIZED);
        }
        let (_, handle) = Driver::get();
        // SAFETY: passed on to the caller.
        unsafe { list(count, drivers, std::iter::once(handle)) }
    }

    fn zeDeviceGet(driver: ze_driver_handle_t, count: *mut u32, devices: *mut ze_device_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            let driver = check(driver)?;
            list(count, devices, driver.devices.iter().map(|device| device.handle()))
        }
    }

    fn zeDriverGetApiVersion(driver: ze_driver_handle_t, version: *mut ze_api_version_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(driver)?;
            *out(version)? = Config::get().api_version;
        }
        Ok(())
    }

    fn zeDriverGetProperties(driver: ze_driver_handle_t, properties: *mut ze_driver_properties_t) {
        // SAFETY: passed on to the caller.
        let (properties, chain) = unsafe {
            check(driver)?;
            let properties = out(properties)?;
            let chain = Chain::new(properties.pNext);
            (properties, chain)
        };
        properties.uuid = uuid();
        properties.driverVersion = Config::get().driver_version;
        if let Some(found) = chain.find_mut::<ze_driver_memory_free_ext_properties_t>() {
            found.freePolicies = match own("zeMemFreeExt") {
                Some(_) => {
                    ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE | ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE
                }
                None => 0,
            };
        }
        if let Some(found) = chain.find_mut::<ze_driver_ddi_handles_ext_properties_t>() {
            // Handles do not begin with a table.
            found.flags = 0;
        }
        Ok(())
    }

    fn zeDriverGetIpcProperties(driver: ze_driver_handle_t, properties: *mut ze_driver_ipc_properties_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(driver)?;
            out(properties)?.flags = ipc();
        }
        Ok(())
    }

    fn zeDriverGetExtensionProperties(
        driver: ze_driver_handle_t,
        count: *mut u32,
        properties: *mut ze_driver_extension_properties_t,
    ) {
        let all = extensions::all();
        // SAFETY: passed on to the caller.
        unsafe {
            check(driver)?;
            list(count, properties, all.iter().copied())
        }
    }

    fn zeDriverGetExtensionFunctionAddress(
        driver: ze_driver_handle_t,
        name: *const std::ffi::c_char,
        address: *mut *mut std::ffi::c_void,
    ) {
        // SAFETY: passed on to the caller.
        let (name, address) = unsafe {
            check(driver)?;
            required(name)?;
            (std::ffi::CStr::from_ptr(name), out(address)?)
        };
        let name = name.to_string_lossy();
        let found = own(&name).filter(|_| !Config::get().hides(&name));
        log::debug!("the function {name} is {}", if found.is_some() { "there" } else { "missing" });
        *address = found.unwrap_or_default().cast_mut();
        found.map(|_| ()).ok_or_else(|| Error::answer(ZE_RESULT_ERROR_INVALID_ARGUMENT))
    }

    fn zeDriverGetLastErrorDescription(driver: ze_driver_handle_t, message: *mut *const std::ffi::c_char) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(driver)?;
            *out(message)? = crate::entry::last_message();
        }
        Ok(())
    }

    fn zerGetLastErrorDescription(message: *mut *const std::ffi::c_char) {
        // SAFETY: passed on to the caller.
        unsafe { *out(message)? = crate::entry::last_message() };
        Ok(())
    }

    // CPUs are no part of a fabric.
    fn zeFabricVertexGetExp(
        driver: ze_driver_handle_t,
        count: *mut u32,
        vertices: *mut ze_fabric_vertex_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(driver)?;
            list(count, vertices, std::iter::empty())
        }
    }
}

/// The context of all devices, or null: the cause is the last error.
///
/// # Safety
/// The handle must be null or that of a driver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetDefaultContext(driver: ze_driver_handle_t) -> ze_context_handle_t {
    call_for("zeDriverGetDefaultContext", none(), || {
        // SAFETY: passed on to the caller.
        unsafe { check(driver) }?;
        default_context()
    })
}

/// The context of all devices, or null: the cause is the last error.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zerGetDefaultContext() -> ze_context_handle_t {
    call_for("zerGetDefaultContext", none(), || {
        match INITIALIZED.load(Ordering::Acquire) {
            true => default_context(),
            false => err(ZE_RESULT_ERROR_UNINITIALIZED),
        }
    })
}

/// The number of a device, or `u32::MAX`: the cause is the last error.
///
/// # Safety
/// The handle must be null or that of a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zerTranslateDeviceHandleToIdentifier(device: ze_device_handle_t) -> u32 {
    call_for("zerTranslateDeviceHandleToIdentifier", u32::MAX, || {
        // SAFETY: passed on to the caller.
        let device = unsafe { object::<Device>(device) }?;
        let place = Driver::get()
            .0
            .all_devices()
            .position(|other| Arc::ptr_eq(other, device));
        place
            .map(|place| place as u32)
            .ok_or_else(|| ZE_RESULT_ERROR_INVALID_ARGUMENT.into())
    })
}

/// The device of a number, or null: the cause is the last error.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zerTranslateIdentifierToDeviceHandle(identifier: u32) -> ze_device_handle_t {
    call_for("zerTranslateIdentifierToDeviceHandle", none(), || {
        let device = Driver::get().0.all_devices().nth(identifier as usize);
        device
            .map(|device| device.handle())
            .ok_or_else(|| ZE_RESULT_ERROR_INVALID_ARGUMENT.into())
    })
}
