// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that the host does: tasks of the client's, and copies of pageable memory.
//!
//! The stream writes a word when the command may begin; a thread sees it and does the work. Nobody asks the driver
//! meanwhile: it may wait for the stream, with a lock that all calls take. What waits for the work is [held](super::hold).

use std::ffi::c_void;
use std::sync::Arc;

use kit::{HostTask, UrResult, emulate};
use oxur_adapter_kit as kit;

use super::commands::How;
use super::{Out, Queue, Wait};
use crate::event::WATCHER;
use crate::primary::Primary;
use crate::signal::{HostSignal, Signal};
use crate::staging::{SMALL_DOWNLOAD, Staged, Way};
use crate::{Event, peers, primary, usm};

impl Queue {
    /// Calls a function of the client's.
    pub(super) fn host_task(self: &Arc<Self>, task: HostTask, how: How<'_>) -> UrResult<()> {
        self.host_work(how, move || {
            task.call();
            Ok(())
        })
    }

    /// A command that a thread of the host does, unless the device fails before.
    fn host_work(self: &Arc<Self>, how: How<'_>, work: impl FnOnce() -> UrResult<()> + Send + 'static) -> UrResult<()> {
        let is_timed = how.event.wanted() && self.is_timed();
        let ready = Arc::new(HostSignal::new(self.primary)?);
        let end = Arc::new(match is_timed {
            true => HostSignal::timed(self.primary)?,
            false => HostSignal::new(self.primary)?,
        });
        let mut parts = Some((ready, end, work));
        self.hold(how, &[], false, move |lane| {
            let Some((ready, end, work)) = parts.take() else {
                return Ok(None);
            };
            ready.reach(lane.stream())?;
            let (signal, begin) = (Signal::Host(end.clone()), Signal::Host(ready.clone()));
            let unstarted = end.clone();
            let run = move || {
                if !ready.is_over() {
                    log::error!("a command of the host fails: the device has failed that it waits for");
                    return end
                        .fail(kit::error!(ERROR_DEVICE_LOST: "the device has failed before a command of the host"));
                }
                let began = primary::host_time();
                if let Err(error) = work() {
                    log::error!("a command of the host fails: {error}");
                    return end.fail(error);
                }
                if is_timed {
                    end.note_times(began, primary::host_time());
                }
                end.signal();
            };
            WATCHER.when_over(&begin, move || {
                if let Err(error) = emulate::run_on_thread(Box::new(run)) {
                    log::error!("a command of the host fails because no thread can be started: {error}");
                    unstarted.fail(kit::error!(ERROR_OUT_OF_RESOURCES: "no thread can be started: {error}"));
                }
            })?;
            Ok(Some(signal))
        })
        .map(drop)
    }

    /// Whether a side of a copy is pageable memory, and whose streams copy it. The context is current.
    fn staged(&self, dst: *mut c_void, src: *const c_void, size: usize) -> Option<(Staged, &'static Primary)> {
        let rest = [dst.cast_const(), src].map(|memory| self.context.usm.rest(memory));
        let is_pageable = |rest, address| rest == usize::MAX && usm::pointer(address).is_none();
        let (to, from) = (dst.addr(), src.addr());
        let is_of_host = |address| {
            let found = self.context.usm.find(&*self.context, address);
            found.is_some_and(|found| found.kind == kit::ur::UsmType::HOST)
        };
        let way = match (is_pageable(rest[0], to), is_pageable(rest[1], from)) {
            (false, false) => return None,
            (true, true) => Way::OnHost,
            (true, false) if is_of_host(from) => Way::OnHost,
            (false, true) if is_of_host(to) => Way::OnHost,
            (true, false) => Way::FromDevice,
            (false, true) => Way::ToDevice,
        };
        // The device that has the memory copies it.
        let owner = match way {
            _ if self.context.devices.len() == 1 => None,
            Way::ToDevice => peers::owner(to as u64),
            Way::FromDevice => peers::owner(from as u64),
            Way::OnHost => None,
        };
        let staged = Staged {
            dst: to,
            src: from,
            size,
            way,
        };
        Some((staged, owner.unwrap_or(self.primary)))
    }

    /// Whether a command with this wait list waits for the host, which the caller may have to do: here, or in a stream into
    /// which commands were forced.
    fn waits_for_host(&self, wait: Wait<'_>) -> bool {
        let waits = |signal: &Signal| matches!(signal.now(), Signal::Point(point) if point.is_held());
        if self.holds(wait) || self.in_order && self.first.is_held() || wait.iter().any(|event| waits(&event.current()))
        {
            return true;
        }
        let barrier = self.order.lock().barrier();
        barrier.is_some_and(|barrier| waits(&barrier))
    }

    /// Does a copy that the driver does slowly, or for which it would have the caller wait. `false` says that the driver may.
    pub(super) fn copy_pageable(
        self: &Arc<Self>,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        how: &mut How<'_>,
    ) -> UrResult<bool> {
        // Most copies are of USM alone.
        if ![dst.cast_const(), src]
            .iter()
            .any(|&memory| self.context.usm.rest(memory) == usize::MAX)
        {
            return Ok(false);
        }
        let is_held = self.waits_for_host(how.wait);
        if size <= SMALL_DOWNLOAD && !is_held {
            return Ok(false);
        }
        let staged = {
            let _current = self.primary.activate()?;
            self.staged(dst, src, size)
        };
        let Some((staged, by)) = staged.filter(|(staged, _)| is_held || staged.is_large()) else {
            return Ok(false);
        };
        let primary = self.primary;
        let How {
            kind, blocking, wait, ..
        } = *how;
        let event = std::mem::replace(&mut how.event, Out::none());
        // The caller waits, as the driver has it, but where it may be the one that has to go on. A stream that waits for the
        // host meanwhile may hold up those that copy: CUDA has few that are independent.
        if !is_held {
            let is_timed = event.wanted() && self.is_timed();
            let submitted = if is_timed { primary::host_time() } else { 0 };
            // What comes before the copy.
            self.enqueue_now(kind, true, wait, Out::none(), |_| Ok(()))?;
            let began = primary::host_time();
            // SAFETY: the client vouches for its memory until the command is complete.
            unsafe { staged.run(by) }?;
            if is_timed {
                let end = Arc::new(HostSignal::timed(primary)?);
                end.note_times(began, primary::host_time());
                end.signal();
                event.set(Event::new(Signal::Host(end), self, kind, submitted));
            } else if event.wanted() {
                self.enqueue_now(kind, false, Wait::empty(), event, |_| Ok(()))?;
            }
            return Ok(true);
        }
        let how = How {
            kind,
            blocking,
            wait,
            event,
        };
        // SAFETY: as above.
        self.host_work(how, move || unsafe { staged.run(by) })?;
        Ok(true)
    }
}
