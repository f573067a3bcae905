// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events: the kit's, each with an event of Level Zero from the context's [`pool`]s. A thread watches those that have
//! callbacks: Level Zero does not call anybody.

pub(crate) mod pool;

use std::sync::Arc;
use std::time::Duration;

use kit::ur::NativeHandle;
use kit::{EventSignal, UrResult, Watch, Watcher};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

pub(crate) use self::pool::{EventRef, EventType};
use crate::ze::{self, ze};
use crate::{Context, Device, LevelZero};

/// An event.
pub(crate) type Event = kit::DriverEvent<LevelZero, EventRef>;
pub(crate) type NewEvent = kit::NewEvent<LevelZero, EventRef>;

/// The thread that watches events.
pub(crate) static WATCHER: Watcher<EventRef> = Watcher::new();

impl Watch for EventRef {
    fn is_over(&self) -> bool {
        self.is_signalled()
    }

    fn wait(&self) -> UrResult<()> {
        // SAFETY: a live event.
        unsafe { ze!(zeEventHostSynchronize(self.handle(), u64::MAX)) }
    }

    fn wait_for(&self, time: Duration) -> bool {
        // SAFETY: as above.
        _ = unsafe { ze!(zeEventHostSynchronize(self.handle(), time.as_nanos() as u64)) };
        true
    }

    fn is_lost() -> bool {
        ze::is_lost()
    }
}

impl EventSignal<LevelZero> for EventRef {
    const HAS_TIMESTAMPS: bool = false;

    fn watcher() -> &'static Watcher<Self> {
        &WATCHER
    }

    fn of_host(context: &Arc<Context>) -> UrResult<Self> {
        context.shared.events.take(EventType::default())
    }

    fn complete(context: &Arc<Context>) -> UrResult<Self> {
        let event = Self::of_host(context)?;
        event.signal();
        Ok(event)
    }

    fn from_native(_context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Self> {
        // SAFETY: the client vouches for its native handle.
        Ok(unsafe { Self::from_native(native as ze_event_handle_t, owned) })
    }

    fn native(&self) -> UrResult<NativeHandle> {
        Ok(self.handle() as NativeHandle)
    }

    fn give(&self) {
        self.signal();
    }

    #[inline(always)]
    fn can_rest(&self) -> bool {
        self.is_own_and_counts()
    }

    fn is_timed(&self) -> bool {
        self.kind().timed
    }

    fn times(&self, device: &Device) -> UrResult<(u64, u64)> {
        let mut times = ze_kernel_timestamp_result_t::default();
        // SAFETY: a live event and a structure to fill.
        unsafe { ze!(zeEventQueryKernelTimestamp(self.handle(), &mut times)) }?;
        Ok(device.facts.kernel_times(&times.global))
    }
}
