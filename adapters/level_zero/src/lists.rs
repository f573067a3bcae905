// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Regular command lists, and the commands that go into them without a queue. Lists are used again: a driver takes longer to
//! make one than to empty it.

use std::ptr::{from_ref, null};
use std::sync::Arc;

use kit::{Command, CommandList, EventOut, OwnedCommand, Range, UrResult, WaitList};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{InTurn, OnceLock};

use crate::kernel::{Kernel, Prepared};
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
pub(crate) struct IdleLists(InTurn<Vec<(ListSettings, Owned<ListKind>)>>);

impl IdleLists {
    /// An empty list.
    fn take(&self, settings: ListSettings, context: &Context, device: &Arc<Device>) -> UrResult<Owned<ListKind>> {
        let idle = {
            let mut idle = self.0.take();
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
        let mut idle = self.0.take();
        if idle.len() < MOST_IDLE {
            idle.push((settings, list));
        }
    }
}

/// A list that commands are recorded in.
pub(crate) struct Recorder {
    list: Owned<ListKind>,
    settings: ListSettings,
    /// For commands that have no short way: it has the same list.
    queue: OnceLock<Arc<Queue>>,
}

/// A list that nobody uses when this is dropped.
pub(crate) struct Retired(pub(crate) Recorder, pub(crate) Arc<Context>);

impl Drop for Retired {
    fn drop(&mut self) {
        let Recorder { list, settings, .. } = &mut self.0;
        self.1.shared.lists.put(*settings, list.take());
    }
}

impl Recorder {
    pub(crate) fn new(settings: ListSettings, of: &CommandList<LevelZero>) -> UrResult<Self> {
        Ok(Self {
            list: of.context().shared.lists.take(settings, of.context(), of.device())?,
            settings,
            queue: OnceLock::new(),
        })
    }

    /// The end of one whose list does not run.
    pub(crate) fn give_up(self, context: &Context) {
        context.shared.lists.put(self.settings, self.list);
    }

    /// The command list.
    #[inline(always)]
    pub(crate) fn list(&self) -> ze_command_list_handle_t {
        *self.list
    }

    /// Appends a command that is frequent, and `None` for all others.
    #[inline(always)]
    pub(crate) fn record_frequent(&self, device: &Device, command: &Command<'_, LevelZero>) -> Option<UrResult<()>> {
        match *command {
            Command::Launch(ref launch) => {
                let set = |kernel: &mut Prepared<'_>| kernel.set_args(&launch.kernel, launch.args);
                let cooperative = is_cooperative(&launch.properties);
                let of = (&**launch.kernel, launch.kernel.state());
                Some(cooperative.and_then(|cooperative| self.launch(device, of, &launch.range, cooperative, set)))
            }
            Command::UsmMemcpy { dst, src, size } if size != 0 => {
                Some(append_copy(self.list(), dst, src, size, Deps::none()))
            }
            Command::UsmFill { dst, pattern, size } if fills(device, dst.addr(), pattern) => {
                Some(append_fill(self.list(), dst, pattern, size, Deps::none()))
            }
            _ => None,
        }
    }

    /// Appends a command.
    pub(crate) fn record(&self, of: &CommandList<LevelZero>, command: &OwnedCommand<LevelZero>) -> UrResult<()> {
        let device = of.device();
        if let OwnedCommand::Launch(launch) = command
            && let Some(plain) = launch.plain()
        {
            let set = |kernel: &mut Prepared<'_>| kernel.set_plain_args(plain);
            let (of, range) = ((&**plain.kernel(), plain.state()), plain.range().range());
            return self.launch(device, of, &range, false, set);
        }
        let command = command.as_command();
        match self.record_frequent(device, &command) {
            Some(recorded) => recorded,
            None => self.record_other(of, command),
        }
    }

    #[inline(never)]
    fn record_other(&self, of: &CommandList<LevelZero>, command: Command<'_, LevelZero>) -> UrResult<()> {
        let queue = self.queue.get_or_init(|| {
            // SAFETY: the list is not the queue's to destroy, and is there as long as anybody uses the queue.
            let list = unsafe { Owned::new(self.list(), false) };
            Queue::recording(list, of.context(), of.device())
        });
        kit::Queue::submit(queue, command, false, WaitList::empty(), EventOut::none())
    }

    /// Appends a launch of a kernel in a state, whose arguments `set` sets.
    #[inline(always)]
    fn launch(
        &self,
        device: &Device,
        (kernel, state): (&Kernel, u32),
        range: &Range<'_>,
        cooperative: bool,
        set: impl FnOnce(&mut Prepared<'_>) -> UrResult<()>,
    ) -> UrResult<()> {
        let kernel = kernel.on(device)?;
        let mut prepared = kernel.lock();
        prepared.set_state(state)?;
        set(&mut prepared)?;
        match prepared.set_range(range, device)? {
            Some(groups) => {
                append_launch(self.list(), kernel.handle(), &groups, cooperative, Deps::none()).map_err(of_launch)
            }
            None => append_barrier(self.list(), Deps::none()),
        }
    }
}
