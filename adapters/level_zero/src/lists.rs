// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Regular command lists, and the commands that go into them without a queue. Lists are used again: a driver takes longer to
//! make one than to empty it.

use std::ptr::{from_ref, null};
use std::sync::Arc;

use kit::{Args, Command, EventOut, OwnedCommand, OwnedLaunch, PlainLaunch, UrResult, WaitList};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{Mutex, OnceLock};

use crate::kernel::OnDevice;
use crate::queue::{Deps, append_barrier, append_copy, append_fill, append_launch, fills, is_cooperative, of_launch};
use crate::ze::{self, ListKind, Owned, ze, ze_get};
use crate::{Context, Device, LevelZero, Queue};

/// How many lists a context keeps that nobody uses.
const MOST_IDLE: usize = 16;

/// What a list is made with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListSettings {
    pub(crate) device: ze_device_handle_t,
    pub(crate) in_order: bool,
    /// Whether its launches can be changed.
    pub(crate) updatable: bool,
}

ze::any_thread!(ListSettings);

/// The lists of a context that nobody uses. They are empty.
#[derive(Default)]
pub(crate) struct IdleLists(Mutex<Vec<(ListSettings, Owned<ListKind>)>>);

impl IdleLists {
    /// An empty list.
    fn take(&self, settings: ListSettings, context: &Context, device: &Arc<Device>) -> UrResult<Owned<ListKind>> {
        let idle = {
            let mut idle = self.0.lock();
            let place = idle.iter().rposition(|(of, _)| *of == settings);
            place.map(|place| idle.swap_remove(place))
        };
        if let Some((_, list)) = idle {
            return Ok(list);
        }
        let mutable = ze_mutable_command_list_exp_desc_t::default();
        let desc = ze_command_list_desc_t {
            pNext: match settings.updatable {
                true => from_ref(&mutable).cast(),
                false => null(),
            },
            commandQueueGroupOrdinal: device.facts.ordinal,
            flags: match settings.in_order {
                true => ZE_COMMAND_LIST_FLAG_IN_ORDER,
                false => 0,
            },
            ..Default::default()
        };
        // SAFETY: a live context and device, descriptions that live until the call returns, and the list that was just made.
        unsafe {
            Ok(Owned::new(
                ze_get!(zeCommandListCreate(**context.raw, settings.device, &desc))?,
                true,
            ))
        }
    }

    /// Keeps a list, which does not run.
    fn put(&self, settings: ListSettings, list: Owned<ListKind>) {
        if ze::is_lost() {
            return;
        }
        // SAFETY: a live list, which nobody else has.
        if let Err(error) = unsafe { ze!(zeCommandListReset(*list)) } {
            return log::debug!("a command list is not used again: {error}");
        }
        let mut idle = self.0.lock();
        if idle.len() < MOST_IDLE {
            idle.push((settings, list));
        }
    }
}

/// A list that commands are recorded in. When this is dropped, nobody uses it.
pub(crate) struct Recorder {
    list: Owned<ListKind>,
    settings: ListSettings,
    /// For commands that have no short way: it has the same list.
    queue: OnceLock<Arc<Queue>>,
    pub(crate) device: Arc<Device>,
    context: Arc<Context>,
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.context.shared.lists.put(self.settings, self.list.take());
    }
}

impl Recorder {
    pub(crate) fn new(settings: ListSettings, context: &Arc<Context>, device: &Arc<Device>) -> UrResult<Self> {
        Ok(Self {
            list: context.shared.lists.take(settings, context, device)?,
            settings,
            queue: OnceLock::new(),
            device: device.clone(),
            context: context.clone(),
        })
    }

    /// The command list.
    #[inline(always)]
    pub(crate) fn list(&self) -> ze_command_list_handle_t {
        *self.list
    }

    /// Appends a command. Those that are frequent have ways that are short.
    pub(crate) fn record(&self, command: &OwnedCommand<LevelZero>) -> UrResult<()> {
        if let OwnedCommand::Launch(launch) = command {
            return match launch.plain() {
                Some(launch) => self.record_plain(launch),
                None => self.record_launch(launch),
            };
        }
        match command.as_command() {
            Command::UsmMemcpy { dst, src, size } if size != 0 => {
                append_copy(self.list(), dst, src, size, Deps::none())
            }
            Command::UsmFill { dst, pattern, size } if fills(&self.device, dst.addr(), pattern) => {
                append_fill(self.list(), dst, pattern, size, Deps::none())
            }
            command => self.record_other(command),
        }
    }

    #[inline(never)]
    fn record_other(&self, command: Command<'_, LevelZero>) -> UrResult<()> {
        let queue = self.queue.get_or_init(|| {
            // SAFETY: the list is not the queue's to destroy, and is there as long as anybody uses the queue.
            let list = unsafe { Owned::new(self.list(), false) };
            Queue::recording(list, &self.context, &self.device)
        });
        kit::Queue::submit(queue, command, false, WaitList::empty(), EventOut::none())
    }

    fn append(&self, kernel: &OnDevice, groups: Option<ze_group_count_t>, cooperative: bool) -> UrResult<()> {
        match groups {
            Some(groups) => {
                append_launch(self.list(), kernel.handle(), &groups, cooperative, Deps::none()).map_err(of_launch)
            }
            None => append_barrier(self.list(), Deps::none()),
        }
    }

    fn record_plain(&self, launch: &PlainLaunch<LevelZero>) -> UrResult<()> {
        let kernel = launch.kernel().on(&self.device)?;
        let mut prepared = kernel.lock();
        let groups = prepared.set_plain(launch, &self.device)?;
        self.append(kernel, groups, false)
    }

    fn record_launch(&self, launch: &OwnedLaunch<LevelZero>) -> UrResult<()> {
        let cooperative = is_cooperative(&launch.properties)?;
        let kernel = launch.kernel.on(&self.device)?;
        let mut prepared = kernel.lock();
        prepared.set_state(launch.kernel.state())?;
        prepared.set_args(&launch.kernel, Args::none())?;
        let groups = prepared.set_range(&launch.range.range(), &self.device)?;
        self.append(kernel, groups, cooperative)
    }
}
