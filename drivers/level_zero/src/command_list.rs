// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command lists.
//!
//! A command of an immediate list runs at once if it is short and nothing is before it; else it becomes a task in the order of
//! the list. The commands of a regular list become a plan when the list is closed, which each execution runs ([`recording`]).
//! [`append`] has the functions for commands on memory, [`image`] those for images, [`launch`] those for kernels, [`mutable`] changes of closed lists.

pub(crate) mod append;
pub(crate) mod image;
pub(crate) mod launch;
pub(crate) mod mutable;
pub(crate) mod recording;

use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::exec::{
    Condition, Execution, Gate, Node, Pool, Task, Work, run_short, submit, with_caller_context,
};
use oxur_device_cpu::order::{InlineGuard, Order, OrderFlags};
use oxur_fork::Mutex;

pub(crate) use self::recording::Recording;
use crate::command::{Began, Command, Events};
use crate::device_orders::new_order;
use crate::entry::{Error, ZeResult, entry, err, not_ready};
use crate::event::wait_for;
use crate::graph::capture::{self, Captured};
use crate::handle::{Chain, destroy, export, known, object, objects_of, out, required};
use crate::{Context, Device};

/// A command list.
pub(crate) struct CommandList {
    pub(crate) context: Arc<Context>,
    context_handle: usize,
    pub(crate) device: Arc<Device>,
    ordinal: u32,
    flags: ze_command_list_flags_t,
    kind: Kind,
}

enum Kind {
    Immediate(Immediate),
    Regular(Mutex<Recording>),
}

/// What immediate lists have.
struct Immediate {
    order: Arc<Order>,
    desc: ze_command_queue_desc_t,
}

// SAFETY: the `pNext` of the description is not used.
unsafe impl Send for Immediate {}
// SAFETY: as above.
unsafe impl Sync for Immediate {}

/// A command after all that were appended before.
pub(crate) const AFTER_ALL: OrderFlags = OrderFlags {
    after_all: true,
    barrier: false,
};

/// A command after all that were appended before, and before all that follow.
pub(crate) const BARRIER: OrderFlags = OrderFlags {
    after_all: true,
    barrier: true,
};

/// A command that all that follow wait for.
pub(crate) const BEFORE_ALL: OrderFlags = OrderFlags {
    after_all: false,
    barrier: true,
};

impl CommandList {
    pub(crate) fn pool(&self) -> &'static Pool {
        self.device.pool()
    }

    /// The commands of a regular list. An error for an immediate one.
    pub(crate) fn recording(&self) -> ZeResult<&Mutex<Recording>> {
        match &self.kind {
            Kind::Regular(recording) => Ok(recording),
            Kind::Immediate(_) => Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "an immediate command list is neither closed nor executed by a queue",
            )),
        }
    }

    /// Whether the client can change commands of it.
    fn is_mutable(&self) -> bool {
        match &self.kind {
            Kind::Regular(recording) => recording.lock().is_mutable(),
            Kind::Immediate(_) => false,
        }
    }

    /// Whether the client can change the command that is appended next.
    fn is_next_mutable(&self) -> bool {
        match &self.kind {
            Kind::Regular(recording) => recording.lock().is_next_mutable(),
            Kind::Immediate(_) => false,
        }
    }

    fn immediate(&self) -> ZeResult<&Immediate> {
        match &self.kind {
            Kind::Immediate(immediate) => Ok(immediate),
            Kind::Regular(_) => Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "the command list is not an immediate one",
            )),
        }
    }

    /// Whether it is an immediate one.
    pub(crate) fn is_immediate(&self) -> bool {
        matches!(self.kind, Kind::Immediate(_))
    }

    /// Whether it is an immediate one whose appends do not wait.
    pub(crate) fn is_asynchronous(&self) -> bool {
        let mode = |immediate: &Immediate| immediate.desc.mode != ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
        matches!(&self.kind, Kind::Immediate(immediate) if mode(immediate))
    }

    pub(crate) fn is_in_order(&self) -> bool {
        self.flags & ZE_COMMAND_LIST_FLAG_IN_ORDER != 0
    }

    /// The group of queues that it is for.
    pub(crate) fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Appends a command.
    pub(crate) fn append<W: Work>(&self, work: W, flags: OrderFlags, events: Events) -> ZeResult {
        if capture::is_any() && capture::joins(self, &events)? {
            return capture::record(self, Captured::new(Arc::new(work), flags, events));
        }
        match &self.kind {
            Kind::Immediate(_) => {
                let task = self.submit(work, flags, events)?;
                self.finish(task)
            }
            Kind::Regular(recording) => recording.lock().push(Arc::new(work), flags, events),
        }
    }

    /// Submits a command of an immediate list that is not captured. Returns the task, unless it ran at once.
    pub(crate) fn submit<W: Work>(
        &self,
        work: W,
        flags: OrderFlags,
        events: Events,
    ) -> ZeResult<Option<Arc<dyn Node>>> {
        let order = &self.immediate()?.order;
        Ok(submit_in(order, self.pool(), &self.context, work, flags, events))
    }

    /// Waits for a command of a synchronous list.
    pub(crate) fn finish(&self, task: Option<Arc<dyn Node>>) -> ZeResult {
        match task {
            Some(task) if !self.is_asynchronous() => {
                task.wait();
                self.context.failures.report()
            }
            _ => Ok(()),
        }
    }

    /// Waits until all commands of an immediate list have ended.
    fn synchronize(&self, timeout: u64) -> ZeResult {
        capture::check_list_wait(self)?;
        if let Some(last) = self.immediate()?.order.all()
            && !wait_for(&last, timeout)
        {
            return not_ready();
        }
        self.context.failures.report()
    }
}

/// Runs a command at once, or submits it as a task in an order.
pub(crate) fn submit_in<W: Work>(
    order: &Order,
    pool: &'static Pool,
    context: &Arc<Context>,
    work: W,
    flags: OrderFlags,
    events: Events,
) -> Option<Arc<dyn Node>> {
    let chunks = work.chunks();
    let execution = work.execution();
    let short = execution == Execution::Parallel
        && (chunks == 0 || work.cost(chunks).is_some_and(|cost| cost <= pool.inline_limit()));
    let ready = events.after.is_none() && events.waits.iter().all(|event| event.is_signalled());
    let Events { waits, signal, after } = events;
    let mut command = Command {
        work,
        context: context.clone(),
        signal,
        began: Began::default(),
        mark: None,
    };
    let after_all = flags.after_all && matches!(order, Order::OutOfOrder(_));
    if short && ready && (!after_all || order.is_empty()) && order.begin() {
        let _guard = InlineGuard(order);
        let result = with_caller_context(|worker| run_short(&command, worker));
        if let Some(event) = &command.signal {
            event.follow(None);
        }
        command.complete(result.map_err(Into::into).as_ref().copied());
        return None;
    }
    let signal = command.signal.clone();
    command.mark = Some(context.in_flight.enter());
    let task: Arc<dyn Node> = Task::new(pool, command, false);
    if let Some(after) = after {
        task.wait_for(&after, false);
    }
    let mut conditions = Vec::new();
    for event in waits {
        if !event.is_counter_based() {
            // Looked at when the turn of the command comes: earlier commands may signal or reset the event.
            conditions.push(event as Arc<dyn Condition>);
        } else if let Some(last) = event.last() {
            task.wait_for(&last, false);
        }
    }
    let gate = (!conditions.is_empty()).then(|| Gate::node(pool, conditions));
    if let Some(gate) = &gate {
        order.append(gate, OrderFlags::default(), false);
        task.wait_for(gate, false);
    }
    let brief = short && ready && gate.is_none();
    match execution {
        Execution::Gang => pool.append_gang(&task, || order.append(&task, flags, brief)),
        _ => order.append(&task, flags, brief),
    }
    if let Some(event) = signal {
        event.follow(Some(task.clone()));
    }
    gate.into_iter().for_each(submit);
    submit(task.clone());
    Some(task)
}

/// Checks what a queue or an immediate list is asked to be.
pub(crate) fn check_queue(desc: &ze_command_queue_desc_t) -> ZeResult {
    known(desc.flags, 0x7)?;
    known(desc.mode.0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS.0)?;
    known(desc.priority.0, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH.0)?;
    check_ordinal(desc.ordinal)?;
    match desc.index < crate::device::properties::QUEUES {
        true => Ok(()),
        false => Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            format!(
                "the device has {} queues, so there is no index {}",
                crate::device::properties::QUEUES,
                desc.index
            ),
        )),
    }
}

fn check_ordinal(ordinal: u32) -> ZeResult {
    match ordinal {
        0 => Ok(()),
        _ => Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            format!("the device has one group of queues, so there is no ordinal {ordinal}"),
        )),
    }
}

entry! {
    fn zeCommandListCreate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_command_list_desc_t,
        list: *mut ze_command_list_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (own, device) = (object::<Context>(context)?, object::<Device>(device)?);
            let (desc, list) = (required(desc)?, out(list)?);
            known(desc.flags, 0x3f)?;
            check_ordinal(desc.commandQueueGroupOrdinal)?;
            // SAFETY: passed on to the caller.
            let chain = Chain::new(desc.pNext);
            let mutable = chain.find::<ze_mutable_command_list_exp_desc_t>().is_some();
            let in_order = desc.flags & ZE_COMMAND_LIST_FLAG_IN_ORDER != 0;
            *list = export(Arc::new(CommandList {
                context: own.clone(),
                context_handle: context as usize,
                device: device.clone(),
                ordinal: desc.commandQueueGroupOrdinal,
                flags: desc.flags,
                kind: Kind::Regular(Mutex::new(Recording::new(in_order, mutable))),
            }));
        }
        Ok(())
    }

    fn zeCommandListCreateImmediate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_command_queue_desc_t,
        list: *mut ze_command_list_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (own, device) = (object::<Context>(context)?, object::<Device>(device)?);
            let (desc, list) = (required(desc)?, out(list)?);
            check_queue(desc)?;
            let in_order = desc.flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER != 0;
            *list = export(Arc::new(CommandList {
                context: own.clone(),
                context_handle: context as usize,
                device: device.clone(),
                ordinal: desc.ordinal,
                flags: if in_order { ZE_COMMAND_LIST_FLAG_IN_ORDER } else { 0 },
                kind: Kind::Immediate(Immediate {
                    order: new_order(in_order, device),
                    desc: *desc,
                }),
            }));
        }
        Ok(())
    }

    fn zeCommandListDestroy(list: ze_command_list_handle_t) {
        // SAFETY: passed on to the caller.
        capture::destroyed(&*unsafe { destroy::<CommandList>(list) }?);
        Ok(())
    }

    fn zeCommandListClose(list: ze_command_list_handle_t) {
        // SAFETY: passed on to the caller.
        let list = unsafe { object::<CommandList>(list) }?;
        match &list.kind {
            // There is nothing to close.
            Kind::Immediate(_) => Ok(()),
            Kind::Regular(recording) => recording.lock().close(list),
        }
    }

    fn zeCommandListReset(list: ze_command_list_handle_t) {
        // SAFETY: passed on to the caller.
        let list = unsafe { object::<CommandList>(list) }?;
        list.recording()?.lock().reset();
        Ok(())
    }

    fn zeCommandListCreateCloneExp(list: ze_command_list_handle_t, clone: *mut ze_command_list_handle_t) {
        // SAFETY: passed on to the caller.
        let (list, clone) = unsafe { (object::<CommandList>(list)?, out(clone)?) };
        let recording = list.recording()?.lock().cloned()?;
        *clone = export(Arc::new(CommandList {
            context: list.context.clone(),
            context_handle: list.context_handle,
            device: list.device.clone(),
            ordinal: list.ordinal,
            flags: list.flags,
            kind: Kind::Regular(Mutex::new(recording)),
        }));
        Ok(())
    }

    fn zeCommandListIsMutableExp(list: ze_command_list_handle_t, mutable: *mut ze_bool_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(mutable)? = object::<CommandList>(list)?.is_mutable().into() };
        Ok(())
    }

    fn zeCommandListHostSynchronize(list: ze_command_list_handle_t, timeout: u64) {
        // SAFETY: passed on to the caller.
        unsafe { object::<CommandList>(list) }?.synchronize(timeout)
    }

    fn zeCommandListGetDeviceHandle(list: ze_command_list_handle_t, device: *mut ze_device_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(device)? = object::<CommandList>(list)?.device.handle() };
        Ok(())
    }

    fn zeCommandListGetContextHandle(list: ze_command_list_handle_t, context: *mut ze_context_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(context)? = object::<CommandList>(list)?.context_handle as ze_context_handle_t };
        Ok(())
    }

    fn zeCommandListGetOrdinal(list: ze_command_list_handle_t, ordinal: *mut u32) {
        // SAFETY: passed on to the caller.
        unsafe { *out(ordinal)? = object::<CommandList>(list)?.ordinal };
        Ok(())
    }

    fn zeCommandListImmediateGetIndex(list: ze_command_list_handle_t, index: *mut u32) {
        // SAFETY: passed on to the caller.
        unsafe { *out(index)? = object::<CommandList>(list)?.immediate()?.desc.index };
        Ok(())
    }

    fn zeCommandListIsImmediate(list: ze_command_list_handle_t, immediate: *mut ze_bool_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(immediate)? = object::<CommandList>(list)?.immediate().is_ok().into() };
        Ok(())
    }

    fn zeCommandListGetFlags(list: ze_command_list_handle_t, flags: *mut ze_command_list_flags_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(flags)? = object::<CommandList>(list)?.flags };
        Ok(())
    }

    fn zeCommandListImmediateGetFlags(list: ze_command_list_handle_t, flags: *mut ze_command_queue_flags_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(flags)? = object::<CommandList>(list)?.immediate()?.desc.flags };
        Ok(())
    }

    fn zeCommandListImmediateGetMode(list: ze_command_list_handle_t, mode: *mut ze_command_queue_mode_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(mode)? = object::<CommandList>(list)?.immediate()?.desc.mode };
        Ok(())
    }

    fn zeCommandListImmediateGetPriority(list: ze_command_list_handle_t, priority: *mut ze_command_queue_priority_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(priority)? = object::<CommandList>(list)?.immediate()?.desc.priority };
        Ok(())
    }

    fn zeCommandListImmediateAppendCommandListsExp(
        list: ze_command_list_handle_t,
        count: u32,
        lists: *mut ze_command_list_handle_t,
        signal: ze_event_handle_t,
        wait_count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let list = object::<CommandList>(list)?;
            let lists = objects_of::<CommandList>(lists, count)?;
            let events = Events::new(&list.context, signal, wait_count, waits)?;
            append_lists(list, &lists, events)
        }
    }

    fn zeCommandListImmediateAppendCommandListsWithParameters(
        list: ze_command_list_handle_t,
        count: u32,
        lists: *mut ze_command_list_handle_t,
        _next: *const std::ffi::c_void,
        signal: ze_event_handle_t,
        wait_count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let list = object::<CommandList>(list)?;
            let lists = objects_of::<CommandList>(lists, count)?;
            let events = Events::new(&list.context, signal, wait_count, waits)?;
            append_lists(list, &lists, events)
        }
    }
}

/// Appends closed lists to an immediate one. They run one after the other.
fn append_lists(list: &CommandList, lists: &[Arc<CommandList>], mut events: Events) -> ZeResult {
    list.immediate()?;
    let Some((last, others)) = lists.split_last() else {
        return err(ZE_RESULT_ERROR_INVALID_SIZE);
    };
    for list in lists {
        list.recording()?.lock().plan()?;
    }
    let mut signal = events.signal.take();
    for (index, next) in others.iter().chain([last]).enumerate() {
        let own = Events {
            waits: std::mem::take(&mut events.waits),
            signal: if index == others.len() { signal.take() } else { None },
            after: None,
        };
        let recording = next.recording()?.lock();
        if capture::is_any() && capture::joins(list, &own)? {
            let (plan, signals) = recording.plan()?;
            let contained = signals.to_vec();
            capture::record(
                list,
                Captured {
                    contained,
                    ..Captured::new(Arc::new(plan), BARRIER, own)
                },
            )?;
        } else {
            let execution = recording.execution()?;
            drop(recording);
            list.append(execution, BARRIER, own)?;
        }
    }
    Ok(())
}
