// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The commands of a regular list.

use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::exec::Condition;
use oxur_device_cpu::exec::Work;
use oxur_device_cpu::exec::plan::{ExternalSync, Plan, PlanBuilder, Step, StepEnd};
use oxur_device_cpu::order::OrderFlags;
use oxur_fork::Mutex;
use smallvec::SmallVec;

use super::CommandList;
use super::launch::LaunchState;
use crate::command::{Began, Events, SignalAtEnd, Timed};
use crate::entry::{Error, ZeResult};

/// The commands of a regular list, and the plan of them when it is closed.
pub(crate) struct Recording {
    in_order: bool,
    /// Whether the client may ask for numbers of commands that it changes later.
    mutable: bool,
    commands: Vec<Recorded>,
    closed: Option<Closed>,
    /// The number of the command that is appended next, if the client can change it.
    pub(super) next_id: Option<u64>,
    /// The last number that the client got.
    pub(super) last_id: u64,
}

/// A command of a list, or of a graph.
pub(crate) struct Recorded {
    pub(crate) work: Arc<dyn Work>,
    flags: OrderFlags,
    pub(crate) events: Events,
    /// What the client can change.
    pub(super) mutable: Option<Mutable>,
}

impl Recorded {
    /// A command that the client cannot change.
    pub(crate) fn new(work: Arc<dyn Work>, flags: OrderFlags, events: Events) -> Self {
        Self {
            work,
            flags,
            events,
            mutable: None,
        }
    }
}

/// The order of the commands of a list, by their numbers.
pub(crate) struct ListOrder {
    in_order: bool,
    /// The last command.
    last: Option<u32>,
    /// What later commands wait for: the last barrier,
    barrier: Option<u32>,
    /// or all commands since the last one that waited for all.
    unordered: Vec<u32>,
}

impl ListOrder {
    pub(crate) fn new(in_order: bool) -> Self {
        Self {
            in_order,
            last: None,
            barrier: None,
            unordered: Vec::new(),
        }
    }

    /// Adds a command. Returns those that it depends on.
    pub(crate) fn push(&mut self, number: u32, flags: OrderFlags) -> SmallVec<[u32; 4]> {
        let last = self.last.replace(number);
        if self.in_order {
            return last.into_iter().collect();
        }
        let dependencies = match flags.after_all {
            true => std::mem::take(&mut self.unordered).into(),
            false => self.barrier.into_iter().collect(),
        };
        self.unordered.push(number);
        if flags.barrier {
            self.barrier = Some(number);
        }
        dependencies
    }
}

/// A command that the client can change.
pub(super) struct Mutable {
    pub(super) id: u64,
    /// The launch, if it is one.
    pub(super) launch: Option<LaunchState>,
    /// Whether the launch was changed since the list was closed.
    pub(super) changed: bool,
    /// The number of events that it waited for when it was appended.
    pub(super) wait_count: usize,
}

/// A closed list.
struct Closed {
    plan: Plan,
    /// What signals events when steps end.
    signals: Vec<Arc<SignalAtEnd>>,
}

impl Recording {
    pub(super) fn new(in_order: bool, mutable: bool) -> Self {
        Self {
            in_order,
            mutable,
            commands: Vec::new(),
            closed: None,
            next_id: None,
            last_id: 0,
        }
    }

    /// Whether the client can change commands of it.
    pub(super) fn is_mutable(&self) -> bool {
        self.mutable
    }

    pub(super) fn check_open(&self) -> ZeResult {
        match self.closed {
            None => Ok(()),
            Some(_) => Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "the command list is closed: reset it before anything is appended",
            )),
        }
    }

    /// Adds a command.
    pub(super) fn push(&mut self, work: Arc<dyn Work>, flags: OrderFlags, events: Events) -> ZeResult {
        self.push_command(work, flags, events, None)
    }

    /// Adds a launch that the client can change.
    pub(super) fn push_launch(
        &mut self,
        work: Arc<dyn Work>,
        flags: OrderFlags,
        events: Events,
        launch: LaunchState,
    ) -> ZeResult {
        self.push_command(work, flags, events, Some(launch))
    }

    fn push_command(
        &mut self,
        work: Arc<dyn Work>,
        flags: OrderFlags,
        events: Events,
        launch: Option<LaunchState>,
    ) -> ZeResult {
        self.check_open()?;
        let mutable = self.next_id.take().map(|id| Mutable {
            id,
            launch,
            changed: false,
            wait_count: events.waits.len(),
        });
        self.commands.push(Recorded {
            work,
            flags,
            events,
            mutable,
        });
        Ok(())
    }

    /// Whether the client can change the command that is appended next.
    pub(super) fn is_next_mutable(&self) -> bool {
        self.next_id.is_some()
    }

    /// The command of a number.
    pub(super) fn mutable(&mut self, id: u64) -> ZeResult<&mut Recorded> {
        let found = self
            .commands
            .iter_mut()
            .find(|command| command.mutable.as_ref().is_some_and(|mutable| mutable.id == id));
        found.ok_or_else(|| {
            Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format!("the command list has no command {id} that can be changed"),
            )
        })
    }

    /// Opens a closed list for changes of its commands, which the client closes again.
    pub(super) fn reopen(&mut self) {
        self.closed = None;
    }

    /// Makes the plan.
    pub(super) fn close(&mut self, list: &CommandList) -> ZeResult {
        if self.closed.is_some() {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "the command list is closed already",
            ));
        }
        for command in &mut self.commands {
            if let Some(Mutable {
                launch: Some(launch),
                changed: changed @ true,
                ..
            }) = &mut command.mutable
            {
                command.work = launch.work(list)?;
                *changed = false;
            }
        }
        let mut builder = PlanBuilder::default();
        let mut signals = Vec::new();
        let mut order = ListOrder::new(self.in_order);
        for (index, command) in (0u32..).zip(&self.commands) {
            builder.push(step(command, &mut signals), &order.push(index, command.flags));
        }
        let plan = builder.finish();
        self.closed = Some(Closed { plan, signals });
        Ok(())
    }

    /// A copy of a closed list, which is open. The client cannot change its commands.
    pub(super) fn cloned(&self) -> ZeResult<Self> {
        if self.closed.is_none() {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "a command list must be closed before it is cloned",
            ));
        }
        let copy = |command: &Recorded| Recorded::new(command.work.clone(), command.flags, command.events.clone());
        let mut clone = Self::new(self.in_order, self.mutable);
        clone.commands = self.commands.iter().map(copy).collect();
        Ok(clone)
    }

    /// Forgets all commands. The memory for them stays.
    pub(super) fn reset(&mut self) {
        let mut commands = std::mem::take(&mut self.commands);
        commands.clear();
        *self = Self {
            commands,
            ..Self::new(self.in_order, self.mutable)
        };
    }

    /// One more execution of a closed list.
    pub(crate) fn execution(&self) -> ZeResult<Plan> {
        let (plan, signals) = self.plan()?;
        signals.iter().for_each(|signal| signal.submitted());
        Ok(plan)
    }

    /// The plan of a closed list, and the signals that each execution has to announce.
    pub(crate) fn plan(&self) -> ZeResult<(Plan, &[Arc<SignalAtEnd>])> {
        match &self.closed {
            Some(closed) => Ok((closed.plan.clone(), &closed.signals)),
            None => Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "a command list must be closed before it is executed",
            )),
        }
    }
}

/// The step of a command. Adds what signals its event to `signals`.
pub(crate) fn step(command: &Recorded, signals: &mut Vec<Arc<SignalAtEnd>>) -> Step {
    let Events { waits, signal, .. } = &command.events;
    let mut work = command.work.clone();
    let ended = signal.as_ref().map(|event| {
        let began = Arc::new(Began::default());
        if event.is_timed() {
            let began = began.clone();
            work = Arc::new(Timed {
                work: work.clone(),
                began,
            });
        }
        let signal = Arc::new(SignalAtEnd {
            event: event.clone(),
            began,
            executions: Mutex::default(),
        });
        signals.push(signal.clone());
        signal as Arc<dyn StepEnd>
    });
    let conditions: Vec<_> = waits.iter().map(|event| event.clone() as Arc<dyn Condition>).collect();
    let external = (ended.is_some() || !conditions.is_empty()).then(|| {
        Arc::new(ExternalSync {
            conditions,
            ended,
            ..ExternalSync::default()
        })
    });
    Step { work, external }
}
