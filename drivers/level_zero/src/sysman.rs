// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The state of the machine, for tools that watch devices: sysman's functions. Its handles of drivers and devices are those of
//! the core. A device has one memory module, one group of engines and, if the machine tells its clock, one frequency domain.
//!
//! Nothing can be changed, and what a machine does not tell is listed as missing.

pub(crate) mod device;
pub(crate) mod nothing;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use level_zero_sys::*;
use oxur_device_cpu::machine::{activity, memory, topology};
use oxur_fork::Mutex;

use crate::entry::{ZeResult, entry, err};
use crate::handle::{export, list, object, out};
use crate::{Device, Driver};

/// Whether the client has initialized sysman.
static INITIALIZED: AtomicBool = AtomicBool::new(false);

/// A memory module.
pub(crate) struct MemoryModule(Arc<Device>);
/// A group of engines: the threads of the device.
pub(crate) struct EngineGroup(Arc<Device>);
/// A frequency domain.
pub(crate) struct FrequencyDomain(Arc<Device>);

/// The handles of the parts of devices. They live as long as the process, like the devices.
struct Handles(Mutex<Vec<(usize, usize)>>);

impl Handles {
    const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The handle of a device's part.
    fn get<T>(&self, device: &Arc<Device>, export: impl FnOnce(Arc<Device>) -> *mut T) -> *mut T {
        let address = Arc::as_ptr(device) as usize;
        let mut handles = self.0.lock();
        if let Some((_, handle)) = handles.iter().find(|(other, _)| *other == address) {
            return *handle as *mut T;
        }
        let handle = export(device.clone());
        handles.push((address, handle as usize));
        handle
    }
}

/// A device that the client names.
///
/// # Safety
/// The handle must be null or that of a device.
unsafe fn check(device: zes_device_handle_t) -> ZeResult<&'static Arc<Device>> {
    // SAFETY: passed on to the caller; sysman has the handles of the core.
    unsafe { object::<Device>(device.cast()) }
}

/// Whether a part of the device belongs to a sub-device, and to which.
fn place(device: &Device) -> (ze_bool_t, u32) {
    match device.visible_parent() {
        Some(_) => (1, device.index()),
        None => (0, 0),
    }
}

entry! {
    fn zesInit(flags: zes_init_flags_t) {
        if flags & !ZES_INIT_FLAG_PLACEHOLDER != 0 {
            return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        Driver::get();
        INITIALIZED.store(true, Ordering::Release);
        Ok(())
    }

    fn zesDriverGet(count: *mut u32, drivers: *mut zes_driver_handle_t) {
        if !INITIALIZED.load(Ordering::Acquire) {
            return err(ZE_RESULT_ERROR_UNINITIALIZED);
        }
        let (_, handle) = Driver::get();
        // SAFETY: passed on to the caller.
        unsafe { list(count, drivers, std::iter::once(handle.cast())) }
    }

    fn zesDriverGetExtensionProperties(
        driver: zes_driver_handle_t,
        count: *mut u32,
        properties: *mut zes_driver_extension_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            object::<Driver>(driver.cast())?;
            list(count, properties, std::iter::empty())
        }
    }

    fn zesDeviceEnumMemoryModules(device: zes_device_handle_t, count: *mut u32, to: *mut zes_mem_handle_t) {
        static HANDLES: Handles = Handles::new();
        // SAFETY: passed on to the caller.
        unsafe {
            let handle = HANDLES.get(check(device)?, |device| export(Arc::new(MemoryModule(device))));
            list(count, to, std::iter::once(handle))
        }
    }

    fn zesMemoryGetProperties(module: zes_mem_handle_t, properties: *mut zes_mem_properties_t) {
        // SAFETY: passed on to the caller.
        let (MemoryModule(device), properties) = unsafe { (&**object::<MemoryModule>(module)?, out(properties)?) };
        properties.type_ = ZES_MEM_TYPE_DDR;
        (properties.onSubdevice, properties.subdeviceId) = place(device);
        properties.location = ZES_MEM_LOC_SYSTEM;
        properties.physicalSize = device.facts.memory;
        // Both are unknown.
        properties.busWidth = -1;
        properties.numChannels = -1;
        Ok(())
    }

    fn zesMemoryGetState(module: zes_mem_handle_t, state: *mut zes_mem_state_t) {
        // SAFETY: passed on to the caller.
        let (MemoryModule(device), state) = unsafe { (&**object::<MemoryModule>(module)?, out(state)?) };
        state.health = ZES_MEM_HEALTH_UNKNOWN;
        state.size = device.facts.memory;
        state.free = memory::available().unwrap_or(state.size);
        Ok(())
    }

    fn zesDeviceEnumEngineGroups(device: zes_device_handle_t, count: *mut u32, to: *mut zes_engine_handle_t) {
        static HANDLES: Handles = Handles::new();
        // SAFETY: passed on to the caller.
        unsafe {
            let handle = HANDLES.get(check(device)?, |device| export(Arc::new(EngineGroup(device))));
            list(count, to, std::iter::once(handle))
        }
    }

    fn zesEngineGetProperties(engine: zes_engine_handle_t, properties: *mut zes_engine_properties_t) {
        // SAFETY: passed on to the caller.
        let (EngineGroup(device), properties) = unsafe { (&**object::<EngineGroup>(engine)?, out(properties)?) };
        properties.type_ = ZES_ENGINE_GROUP_ALL;
        (properties.onSubdevice, properties.subdeviceId) = place(device);
        Ok(())
    }

    fn zesEngineGetActivity(engine: zes_engine_handle_t, stats: *mut zes_engine_stats_t) {
        // SAFETY: passed on to the caller.
        let (EngineGroup(device), stats) = unsafe { (&**object::<EngineGroup>(engine)?, out(stats)?) };
        let Some(activity) = activity::of(&device.cpus) else {
            return err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        };
        stats.activeTime = activity.busy;
        stats.timestamp = activity.total;
        Ok(())
    }

    fn zesDeviceEnumFrequencyDomains(device: zes_device_handle_t, count: *mut u32, to: *mut zes_freq_handle_t) {
        static HANDLES: Handles = Handles::new();
        // SAFETY: passed on to the caller.
        unsafe {
            let device = check(device)?;
            let handle = || HANDLES.get(device, |device| export(Arc::new(FrequencyDomain(device))));
            let handle = (device.facts.clock > 0).then(handle);
            list(count, to, handle.into_iter())
        }
    }

    fn zesFrequencyGetProperties(domain: zes_freq_handle_t, properties: *mut zes_freq_properties_t) {
        // SAFETY: passed on to the caller.
        let (FrequencyDomain(device), properties) =
            unsafe { (&**object::<FrequencyDomain>(domain)?, out(properties)?) };
        properties.type_ = ZES_FREQ_DOMAIN_GPU;
        (properties.onSubdevice, properties.subdeviceId) = place(device);
        properties.canControl = 0;
        properties.isThrottleEventSupported = 0;
        (properties.min, properties.max) = range(device);
        Ok(())
    }

    fn zesFrequencyGetRange(domain: zes_freq_handle_t, limits: *mut zes_freq_range_t) {
        // SAFETY: passed on to the caller.
        let (FrequencyDomain(device), limits) = unsafe { (&**object::<FrequencyDomain>(domain)?, out(limits)?) };
        (limits.min, limits.max) = range(device);
        Ok(())
    }

    fn zesFrequencyGetState(domain: zes_freq_handle_t, state: *mut zes_freq_state_t) {
        // SAFETY: passed on to the caller.
        let (FrequencyDomain(device), state) = unsafe { (&**object::<FrequencyDomain>(domain)?, out(state)?) };
        // A negative number is an unknown one.
        state.currentVoltage = -1.0;
        state.request = -1.0;
        state.tdp = -1.0;
        state.efficient = -1.0;
        state.actual = topology::current_frequency(device.cpus[0]).map_or(-1.0, f64::from);
        state.throttleReasons = 0;
        Ok(())
    }

    fn zesFrequencyGetAvailableClocks(domain: zes_freq_handle_t, count: *mut u32, clocks: *mut f64) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (min, max) = range(&object::<FrequencyDomain>(domain)?.0);
            let all = if min < max { vec![min, max] } else { vec![max] };
            list(count, clocks, all.into_iter())
        }
    }
}

/// The lowest and highest frequency in MHz.
fn range(device: &Device) -> (f64, f64) {
    let max = f64::from(device.facts.clock);
    (topology::lowest_frequency(device.cpus[0]).map_or(max, f64::from), max)
}
