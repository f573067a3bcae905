// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Initialisation and teardown, which are counted, and the adapters that are there in between.
#![allow(non_snake_case, reason = "functions and parameters have their C names")]

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use log::LevelFilter;
use oxur_api::*;
use oxur_fork::{Mutex, OnceLock, Turns};
use oxur_log::Component;

use crate::library::Adapter;
use crate::{UrResult, answer, client, config, discovery, layers, legacy, symbols, v2025};

/// Makes initialisations and teardowns take turns. Adapters are loaded and called meanwhile, so this is no lock over a fork:
/// a child whose parent was about to initialise does so anew.
static TURNS: Turns = Turns::new();
/// Changed by whose turn it is.
static STATE: Mutex<State> = Mutex::new(State {
    initialisations: 0,
    lists: Vec::new(),
});
static INITIALIZED: AtomicBool = AtomicBool::new(false);
/// One of the lists of [`State`], or null.
static ADAPTERS: AtomicPtr<Vec<Adapter>> = AtomicPtr::new(null_mut());

struct State {
    /// How many initialisations no teardown has undone.
    initialisations: usize,
    /// What was found so far. Adapters are never unloaded, so what is known of them stays, too: who looks at it needs no
    /// lock while it calls them.
    lists: Vec<&'static Vec<Adapter>>,
}

impl State {
    /// Makes a list stay, if it is not one that is known.
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
        client::adapt()?;
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
            // Otherwise they may lead where clients of 2025.3 want them.
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
        // SAFETY: null, or a list that stays.
        let adapters = unsafe { ADAPTERS.load(Ordering::Acquire).as_ref() }.ok_or(ResultCode::ERROR_UNINITIALIZED)?;
        if !phAdapters.is_null() && NumEntries == 0 {
            return Err(ResultCode::ERROR_INVALID_SIZE);
        }
        let room = if phAdapters.is_null() { 0 } else { NumEntries };
        let (mut given, mut total) = (0, 0);
        for adapter in adapters {
            // SAFETY: there is place for `room` handles, for which the caller vouches, and there are `given` of them.
            let asked = unsafe { handles(adapter, phAdapters.wrapping_add(given as usize), room - given) };
            match asked {
                Ok(count) => {
                    total += count;
                    given += count.min(room - given);
                }
                Err(code) => log::warn!("adapter {} is left out: urAdapterGet: {code:?}", adapter.path.display()),
            }
        }
        if given == 1 && adapters.len() == 1 {
            // SAFETY: there is one handle in the list, which its adapter has just given out.
            unsafe { bind_single_adapter(*phAdapters) };
        }
        if !pNumAdapters.is_null() {
            // SAFETY: not null, and the caller vouches that it is writable.
            unsafe { pNumAdapters.write(total) };
        }
        Ok(())
    })
}

/// How many handles an adapter has. At most `room` of them go to `place`.
///
/// # Safety
/// `place` is writable for `room` handles.
unsafe fn handles(adapter: &Adapter, place: *mut AdapterHandle, room: u32) -> UrResult<u32> {
    let place = if room == 0 { null_mut() } else { place };
    let mut count = 0;
    // SAFETY: there is room for as many handles; without, an adapter may be asked for the count alone.
    match unsafe { (adapter.get)(room, place, &mut count) } {
        ResultCode::SUCCESS => {}
        code => return Err(code),
    }
    for index in 0..count.min(room) as usize {
        // SAFETY: the adapter has just given the handle out.
        unsafe { legacy::register_table(*place.add(index), adapter.legacy) };
    }
    Ok(count)
}

/// Routes calls straight to the adapter, if it is the only one, no layer is enabled, and it validates its arguments.
///
/// # Safety
/// `handle` is one that an adapter has just given out.
unsafe fn bind_single_adapter(handle: AdapterHandle) {
    if symbols::is_bound_direct() || handle.is_null() {
        return;
    }
    // Where somebody initialises or tears down, it can wait for the next call.
    let Some(_turn) = TURNS.try_take() else { return };
    // SAFETY: null, or a list that stays.
    let Some([adapter]) = unsafe { ADAPTERS.load(Ordering::Acquire).as_ref() }.map(Vec::as_slice) else {
        return;
    };
    // SAFETY: the first word of a live handle points to its adapter's table.
    let table = unsafe { &**handle.as_ptr().cast::<*const DdiTable>() };
    let checks = !legacy::is_emulated(adapter.legacy) && std::ptr::eq(legacy::table_of(table), adapter.legacy);
    if checks && !layers::any() && !v2025::serving() {
        symbols::bind_direct(table, adapter.legacy);
    }
}
