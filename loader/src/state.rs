// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Counted initialization and teardown, and the list of adapters.
#![allow(non_snake_case, reason = "functions and parameters have their C names")]

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use log::LevelFilter;
use oxur_api::*;
use oxur_fork::{Mutex, OnceLock, Turns};
use oxur_log::Component;

use crate::library::Adapter;
use crate::{UrResult, answer, config, discovery, layers, legacy, libsycl_compat, symbols, v2025_3};

/// Serializes initialization and teardown. The holder loads and calls adapters, so a fork does not wait for this lock: a
/// child whose parent was initializing starts again.
static TURNS: Turns = Turns::new();
/// Only the holder of [`TURNS`] changes it.
static STATE: Mutex<State> = Mutex::new(State {
    initialisations: 0,
    lists: Vec::new(),
});
static INITIALIZED: AtomicBool = AtomicBool::new(false);
/// One of the lists of [`State`], or null.
static ADAPTERS: AtomicPtr<Vec<Adapter>> = AtomicPtr::new(null_mut());

struct State {
    /// The number of initializations without a teardown.
    initialisations: usize,
    /// The adapters that were found so far. They are never unloaded, and the lists are leaked, so reading them needs no
    /// lock while adapters are called.
    lists: Vec<&'static Vec<Adapter>>,
}

impl State {
    /// Leaks a list, unless an equal one is known.
    fn keep(&mut self, found: Vec<Adapter>) -> &'static Vec<Adapter> {
        let known = self.lists.iter().find(|known| ***known == found);
        known.copied().unwrap_or_else(|| {
            let list = &*Box::leak(Box::new(found));
            self.lists.push(list);
            list
        })
    }
}

/// Whether the loader may be used.
pub(crate) fn initialized() -> bool {
    INITIALIZED.load(Ordering::Acquire)
}

/// Reads the settings of the loader's logs, once.
pub(crate) fn start_logging() {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        oxur_log::init_all(&[
            Component::new("loader").level(LevelFilter::Error),
            Component::new("tracing").bare(),
            Component::new("validation").level(LevelFilter::Error),
        ]);
    });
}

pub(crate) unsafe extern "C-unwind" fn urLoaderInit(
    device_flags: DeviceInitFlags,
    hLoaderConfig: LoaderConfigHandle,
) -> ResultCode {
    const KNOWN: DeviceInitFlags = DeviceInitFlags::GPU
        .union(DeviceInitFlags::CPU)
        .union(DeviceInitFlags::FPGA)
        .union(DeviceInitFlags::MCA)
        .union(DeviceInitFlags::VPU);
    answer(|| {
        if device_flags.bits() & !KNOWN.bits() != 0 {
            return Err(ResultCode::ERROR_INVALID_ENUMERATION);
        }
        let settings = config::settings(hLoaderConfig)?;
        let _turn = TURNS.take();
        start_logging();
        libsycl_compat::detect()?;
        if STATE.lock().initialisations == 0 {
            let found = discovery::adapters(device_flags);
            let adapters = STATE.lock().keep(found);
            ADAPTERS.store(std::ptr::from_ref(adapters).cast_mut(), Ordering::Release);
            layers::start(settings);
            INITIALIZED.store(true, Ordering::Release);
        }
        STATE.lock().initialisations += 1;
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn urLoaderTearDown() -> ResultCode {
    answer(|| {
        let _turn = TURNS.take();
        let left = {
            let mut state = STATE.lock();
            let left = state.initialisations.checked_sub(1);
            state.initialisations = left.ok_or(ResultCode::ERROR_UNINITIALIZED)?;
            state.initialisations
        };
        if left == 0 {
            INITIALIZED.store(false, Ordering::Release);
            // Otherwise symbols may keep the targets for clients of 2025.
            if symbols::is_bound_direct() {
                symbols::unbind();
            }
            layers::stop();
            ADAPTERS.store(null_mut(), Ordering::Release);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn urAdapterGet(
    NumEntries: u32,
    phAdapters: *mut AdapterHandle,
    pNumAdapters: *mut u32,
) -> ResultCode {
    answer(|| {
        // SAFETY: null, or a leaked list.
        let adapters = unsafe { ADAPTERS.load(Ordering::Acquire).as_ref() }.ok_or(ResultCode::ERROR_UNINITIALIZED)?;
        if !phAdapters.is_null() && NumEntries == 0 {
            return Err(ResultCode::ERROR_INVALID_SIZE);
        }
        let room = if phAdapters.is_null() { 0 } else { NumEntries };
        let (mut given, mut total) = (0, 0);
        for adapter in adapters {
            // SAFETY: the caller vouches for `room` handles, and `given` of them are written.
            let asked = unsafe { handles(adapter, phAdapters.wrapping_add(given as usize), room - given) };
            match asked {
                Ok(count) => {
                    total += count;
                    given += count.min(room - given);
                }
                Err(code) => log::warn!("adapter {} is skipped: urAdapterGet: {code:?}", adapter.path.display()),
            }
        }
        if given == 1 && adapters.len() == 1 {
            // SAFETY: the list has one handle, which its adapter has just returned.
            unsafe { bind_single_adapter(*phAdapters) };
        }
        if !pNumAdapters.is_null() {
            // SAFETY: not null, and the caller vouches that it is writable.
            unsafe { pNumAdapters.write(total) };
        }
        Ok(())
    })
}

/// The number of handles of an adapter. At most `room` of them are written to `place`.
///
/// # Safety
/// `place` is writable for `room` handles.
unsafe fn handles(adapter: &Adapter, place: *mut AdapterHandle, room: u32) -> UrResult<u32> {
    let place = if room == 0 { null_mut() } else { place };
    let mut count = 0;
    // SAFETY: there is room for this many handles. Without room, the call returns only the count.
    match unsafe { (adapter.get)(room, place, &mut count) } {
        ResultCode::SUCCESS => {}
        code => return Err(code),
    }
    for index in 0..count.min(room) as usize {
        // SAFETY: the adapter has just returned the handle.
        unsafe { legacy::register_table(*place.add(index), adapter.legacy) };
    }
    Ok(count)
}

/// Routes calls of dropped functions directly to the adapter, if it is the only one, no layer is enabled, and it validates its arguments.
///
/// # Safety
/// `handle` has just been returned by an adapter.
unsafe fn bind_single_adapter(handle: AdapterHandle) {
    if symbols::is_bound_direct() || handle.is_null() {
        return;
    }
    // If another thread initializes or tears down, it can wait for the next call.
    let Some(_turn) = TURNS.try_take() else { return };
    // SAFETY: null, or a leaked list.
    let Some([adapter]) = unsafe { ADAPTERS.load(Ordering::Acquire).as_ref() }.map(Vec::as_slice) else {
        return;
    };
    // SAFETY: the first word of a live handle points to its adapter's table.
    let table = unsafe { &**handle.as_ptr().cast::<*const DdiTable>() };
    let checks = !legacy::is_emulated(adapter.legacy) && std::ptr::eq(legacy::table_of(table), adapter.legacy);
    if checks && !layers::any() && !v2025_3::serving() {
        symbols::bind_direct(adapter.legacy);
    }
}
