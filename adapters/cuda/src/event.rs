// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events: the kit's, each with the [signal](crate::signal) of its command. A thread watches those that have callbacks.
//!
//! `cuLaunchHostFunc` would call functions as well, but holds up its stream meanwhile, is not called after a fault, and
//! takes 26 µs.

use std::sync::Arc;

use kit::ur::{CommandType, NativeHandle, ResultCode};
use kit::{EventSignal, UrResult, Watch, Watcher};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::CUevent;

use crate::signal::{HostSignal, NativeEvent, Signal};
use crate::{Context, Cuda, Device, driver};

/// An event.
pub(crate) type Event = kit::DriverEvent<Cuda, Signal>;

/// The thread that watches signals.
pub(crate) static WATCHER: Watcher<Signal> = Watcher::new();

impl Watch for Signal {
    fn is_over(&self) -> bool {
        self.is_over()
    }

    fn wait(&self) -> UrResult<()> {
        if driver::is_lost() {
            return Err(driver::forked("cuEventSynchronize"));
        }
        self.wait()
    }

    fn is_lost() -> bool {
        driver::is_lost()
    }
}

impl EventSignal<Cuda> for Signal {
    const HAS_TIMESTAMPS: bool = true;

    fn watcher() -> &'static Watcher<Self> {
        &WATCHER
    }

    fn of_host(context: &Arc<Context>) -> UrResult<Self> {
        Ok(Self::Host(Arc::new(HostSignal::new(context.primary())?)))
    }

    fn complete(_context: &Arc<Context>) -> UrResult<Self> {
        Ok(Self::Complete)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Self> {
        // SAFETY: the client vouches for its native handle.
        let event = unsafe { NativeEvent::new(native as CUevent, owned, context.primary()) };
        Ok(Self::Native(Arc::new(event)))
    }

    fn native(&self) -> UrResult<NativeHandle> {
        match self.now() {
            Self::Point(point) => Ok(point.exact_event()? as NativeHandle),
            Self::Native(event) => Ok(event.raw as NativeHandle),
            Self::Host(_) | Self::Held(_) | Self::Complete => Err(kit::error!(
                ERROR_UNSUPPORTED_FEATURE: "an event of the host, or of a command that waits for it, has none of CUDA"
            )),
        }
    }

    fn give(&self) {
        if let Self::Host(signal) = self {
            signal.signal_only();
        }
    }

    fn has_failed(&self) -> bool {
        match self.now() {
            Self::Point(point) => point.has_failed(),
            Self::Native(event) => !driver::is_lost() && event.has_failed(),
            _ => Signal::has_failed(self),
        }
    }

    fn is_timed(&self) -> bool {
        match self {
            Self::Point(point) => point.is_timed(),
            Self::Host(host) => host.is_timed(),
            Self::Held(held) => held.is_timed(),
            Self::Native(_) | Self::Complete => false,
        }
    }

    fn times(&self, _device: &Device) -> UrResult<(u64, u64)> {
        match self.now() {
            Self::Point(point) => point.times(),
            Self::Host(host) => host.times().map(Ok),
            Self::Native(_) | Self::Held(_) | Self::Complete => None,
        }
        .unwrap_or_else(|| Err(ResultCode::ERROR_PROFILING_INFO_NOT_AVAILABLE.into()))
    }

    fn told_times((mut start, end): (u64, u64), command: CommandType, submitted: u64) -> (u64, u64) {
        if command == CommandType::TIMESTAMP_RECORDING_EXP {
            start = end;
        }
        // The clocks of host and device differ by some microseconds.
        let start = start.max(submitted);
        (start, end.max(start))
    }
}
