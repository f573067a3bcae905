// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Initialisation and teardown, which are counted, and the adapters that are there in between.
#![allow(non_snake_case, reason = "functions and parameters have their C names")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use log::LevelFilter;
use oxur_api::*;
use oxur_log::Component;
use parking_lot::{Mutex, RwLock};

use crate::library::Adapter;
use crate::{UrResult, answer, client, config, discovery, layers, legacy};

/// How many initialisations no teardown has undone. Its lock makes them take turns.
static INITIALISATIONS: Mutex<usize> = Mutex::new(0);
static INITIALIZED: AtomicBool = AtomicBool::new(false);
static ADAPTERS: RwLock<Option<Arc<[Adapter]>>> = RwLock::new(None);

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

pub(crate) unsafe extern "C" fn urLoaderInit(
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
        let mut initialisations = INITIALISATIONS.lock();
        start_logging();
        client::adapt()?;
        if *initialisations == 0 {
            *ADAPTERS.write() = Some(discovery::adapters(device_flags).into());
            layers::start(settings);
            INITIALIZED.store(true, Ordering::Release);
        }
        *initialisations += 1;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn urLoaderTearDown() -> ResultCode {
    answer(|| {
        let mut initialisations = INITIALISATIONS.lock();
        *initialisations = initialisations.checked_sub(1).ok_or(ResultCode::ERROR_UNINITIALIZED)?;
        if *initialisations == 0 {
            INITIALIZED.store(false, Ordering::Release);
            layers::stop();
            *ADAPTERS.write() = None;
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn urAdapterGet(
    NumEntries: u32,
    phAdapters: *mut AdapterHandle,
    pNumAdapters: *mut u32,
) -> ResultCode {
    answer(|| {
        let adapters = ADAPTERS.read().clone().ok_or(ResultCode::ERROR_UNINITIALIZED)?;
        if !phAdapters.is_null() && NumEntries == 0 {
            return Err(ResultCode::ERROR_INVALID_SIZE);
        }
        let room = if phAdapters.is_null() { 0 } else { NumEntries as usize };
        let (mut found, mut total) = (Vec::new(), 0);
        for adapter in adapters.iter() {
            match handles(adapter, room - found.len()) {
                Ok((count, handles)) => {
                    total += count;
                    found.extend(handles);
                }
                Err(code) => log::warn!("adapter {} is left out: urAdapterGet: {code:?}", adapter.path.display()),
            }
        }
        for (index, handle) in found.into_iter().enumerate() {
            // SAFETY: there are at most `room` handles, for which the caller vouches.
            unsafe { phAdapters.add(index).write(handle) };
        }
        if !pNumAdapters.is_null() {
            // SAFETY: not null, and the caller vouches that it is writable.
            unsafe { pNumAdapters.write(total) };
        }
        Ok(())
    })
}

/// How many handles an adapter has, and at most `room` of them.
fn handles(adapter: &Adapter, room: usize) -> UrResult<(u32, Vec<AdapterHandle>)> {
    let check = |code| if code == ResultCode::SUCCESS { Ok(()) } else { Err(code) };
    let mut count = 0;
    // SAFETY: an adapter may be asked for the count alone.
    check(unsafe { (adapter.get)(0, std::ptr::null_mut(), &mut count) })?;
    let mut handles = vec![AdapterHandle::default(); room.min(count as usize)];
    if !handles.is_empty() {
        // SAFETY: there is room for as many handles.
        check(unsafe { (adapter.get)(handles.len() as u32, handles.as_mut_ptr(), std::ptr::null_mut()) })?;
    }
    for handle in &handles {
        // SAFETY: the adapter has just given the handle out.
        unsafe { legacy::learn(*handle, adapter.legacy) };
    }
    Ok((count, handles))
}
