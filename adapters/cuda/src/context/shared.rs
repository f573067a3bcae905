// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a context has in common with those that wrap its native handle.
//!
//! All contexts of a device have the same context of CUDA, the primary one. So a native handle does not tell which context
//! it was asked of; it is taken for that of which it was asked last.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use kit::ur::UsmType;
use kit::{InFlight, UniqueId};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::CUcontext;
use oxur_fork::Mutex;

use crate::image::bindless;
use crate::seldom::Seldom;
use crate::{Context, Queue};

/// What the wrappers share.
pub(crate) struct SharedContext {
    pub(crate) number: UniqueId,
    pub(crate) usm: kit::ContextUsm<Context>,
    /// By address: where the driver's memory begins of which an allocation is an aligned part.
    pub(crate) shifted: Seldom<BTreeMap<usize, usize>>,
    /// Host and managed memory that goes back to the driver when no command is unfinished, for which the driver would wait.
    pub(crate) later: Seldom<Vec<(UsmType, usize)>>,
    /// Memory of other processes.
    pub(crate) foreign: kit::ForeignMemory<Context>,
    pub(crate) bindless: Mutex<bindless::Registry>,
    /// What may use memory that is freed.
    pub(crate) in_flight: Arc<InFlight<Queue>>,
    contexts: AtomicUsize,
    /// Whether a wrapper has several devices: its buffers move, and those of all may be arguments of a launch.
    has_several_devices: AtomicBool,
}

/// All that there are.
static ALL: Mutex<Vec<Weak<SharedContext>>> = Mutex::new(Vec::new());

/// By native handle: of which it was asked last.
static NATIVE: Mutex<BTreeMap<usize, Weak<SharedContext>>> = Mutex::new(BTreeMap::new());

impl SharedContext {
    /// For a new context.
    pub(super) fn new() -> Arc<Self> {
        let shared = Arc::new(Self {
            number: UniqueId::new(),
            usm: kit::ContextUsm::default(),
            shifted: Seldom::default(),
            later: Seldom::default(),
            foreign: kit::ForeignMemory::default(),
            bindless: Mutex::default(),
            in_flight: Arc::default(),
            contexts: AtomicUsize::new(1),
            has_several_devices: AtomicBool::new(false),
        });
        let mut all = ALL.lock();
        all.retain(|known| known.strong_count() != 0);
        all.push(Arc::downgrade(&shared));
        shared
    }

    /// For a new wrapper with so many devices.
    pub(super) fn note_devices(&self, count: usize) {
        if count > 1 {
            self.has_several_devices.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn has_several_devices(&self) -> bool {
        self.has_several_devices.load(Ordering::Relaxed)
    }

    /// A client asks for the native handle.
    pub(super) fn note_native(self: &Arc<Self>, native: CUcontext) {
        NATIVE.lock().insert(native as usize, Arc::downgrade(self));
    }

    /// For a new wrapper of a native handle.
    pub(super) fn of_native(native: CUcontext) -> Arc<Self> {
        let known = NATIVE.lock().get(&(native as usize)).and_then(Weak::upgrade);
        let enter = |count| (count != 0).then_some(count + 1);
        match known {
            Some(shared)
                if shared
                    .contexts
                    .fetch_update(Ordering::AcqRel, Ordering::Acquire, enter)
                    .is_ok() =>
            {
                shared
            }
            _ => Self::new(),
        }
    }

    /// A context ends. Whether it is the last.
    pub(super) fn leave(&self) -> bool {
        self.contexts.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Whether memory is another context's.
    pub(crate) fn is_of_another(&self, address: usize) -> bool {
        let all: Vec<_> = ALL.lock().iter().filter_map(Weak::upgrade).collect();
        let mut others = all.iter().filter(|other| !std::ptr::eq(&***other, self));
        others.any(|other| other.usm.rest(address as *const c_void) != usize::MAX)
    }
}
