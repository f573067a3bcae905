// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events of single commands where runs submit the commands one by one.
//!
//! The client has such an event before its command is submitted: it is pending, and the next run of the command resolves
//! it. If there is none any more, the event fails, so that nobody waits for good.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use oxur_api::{CommandType, EventHandle};
use smallvec::SmallVec;

use super::CommandBuffer;
use super::command_list::{Node, SignalOf};
use super::software::{Used, list};
use crate::command::trace::trace;
use crate::handle::handle_of;
use crate::{Backend, Event as _, EventOut, Queue, SoftwareEvent, UrResult, WaitList, unsupported};

/// What a command of a command buffer signals when it is complete, once. That is an event, which fails if nobody has this any
/// more and it was not signalled.
pub trait CommandSignal<B: Backend>: Clone + Send + Sync + 'static {
    /// Whether single commands signal events and wait for some.
    const SUPPORTED: bool = true;

    /// A new one for a command of this kind, which the next run is to signal, and its event.
    fn create(buffer: &B::CommandBuffer, command: CommandType) -> UrResult<(Arc<B::Event>, Self)>;

    /// Its event, for a command of this kind, if no run has begun to give it.
    fn pending(&self, buffer: &B::CommandBuffer, command: CommandType) -> Option<Arc<B::Event>>;
}

impl<B: Backend> CommandSignal<B> for () {
    const SUPPORTED: bool = false;

    fn create(_: &B::CommandBuffer, _: CommandType) -> UrResult<(Arc<B::Event>, Self)> {
        unsupported()
    }

    fn pending(&self, _: &B::CommandBuffer, _: CommandType) -> Option<Arc<B::Event>> {
        None
    }
}

/// Whether single commands can signal events and wait for some, and for these.
pub(super) fn check_events<B: Backend>(events: WaitList<'_, B>) -> UrResult<()> {
    if !SignalOf::<B>::SUPPORTED {
        return unsupported();
    }
    match events.iter().any(|event| event.is_reusable()) {
        // What they stand for changes, and what a command waits for is fixed.
        true => crate::bail!(ERROR_UNSUPPORTED_FEATURE: "commands of command buffers cannot wait for reusable events"),
        false => Ok(()),
    }
}

/// What a command signals where runs submit the commands one by one. A command that is copied into another buffer has the same one as the copy.
pub struct Signal<B>
where
    B: Backend,
    B::Event: SoftwareEvent<B>,
{
    event: Arc<B::Event>,
    given: AtomicBool,
}

impl<B> CommandSignal<B> for Arc<Signal<B>>
where
    B: Backend,
    B::Event: SoftwareEvent<B>,
{
    fn create(buffer: &B::CommandBuffer, command: CommandType) -> UrResult<(Arc<B::Event>, Self)> {
        let event = B::Event::create_pending(buffer.commands().context(), command)?;
        let given = AtomicBool::new(false);
        Ok((event.clone(), Arc::new(Signal { event, given })))
    }

    fn pending(&self, _: &B::CommandBuffer, _: CommandType) -> Option<Arc<B::Event>> {
        (!self.given.load(Ordering::Acquire)).then(|| self.event.clone())
    }
}

impl<B> Drop for Signal<B>
where
    B: Backend,
    B::Event: SoftwareEvent<B>,
{
    fn drop(&mut self) {
        if !*self.given.get_mut() {
            self.event.resolve(None);
        }
    }
}

/// A pending event, and that of the command that was submitted.
type Due<B> = (Arc<Signal<B>>, Arc<<B as Backend>::Event>);

/// The pending events that a run has to resolve. It does so when this is dropped, where it must have no lock: the driver may
/// call the client.
pub(super) struct Signals<'a, B>
where
    B: Backend,
    B::Event: SoftwareEvent<B>,
{
    queue: &'a Arc<B::Queue>,
    due: SmallVec<[Due<B>; 4]>,
}

impl<'a, B> Signals<'a, B>
where
    B: Backend,
    B::Event: SoftwareEvent<B>,
    B::CommandBuffer: CommandBuffer<B, Signal = Arc<Signal<B>>>,
{
    pub(super) fn new(queue: &'a Arc<B::Queue>) -> Self {
        let due = SmallVec::new();
        Self { queue, due }
    }

    /// Submits a command after the events of `wait` and those of its own. Its event goes to `used` if it is `wanted`.
    pub(super) fn submit(
        &mut self,
        node: &Node<B>,
        wait: WaitList<'_, B>,
        used: &mut Used<B>,
        wanted: bool,
    ) -> UrResult<()> {
        if node.is_common() {
            return self.submit_command(node, wait, used.next_if(wanted));
        }
        self.submit_with_events(node, wait, used, wanted)
    }

    fn submit_command(&self, node: &Node<B>, wait: WaitList<'_, B>, event: EventOut<'_, B>) -> UrResult<()> {
        let command = node.command.as_command();
        trace("replays", self.queue, &command);
        let submitted = self.queue.submit(command, false, wait, event);
        submitted.map_err(|error| error.context("a command of a command buffer or graph could not be submitted"))
    }

    #[cold]
    fn submit_with_events(
        &mut self,
        node: &Node<B>,
        wait: WaitList<'_, B>,
        used: &mut Used<B>,
        wanted: bool,
    ) -> UrResult<()> {
        let own = node.events().iter().map(handle_of);
        let before: SmallVec<[EventHandle; 8]> = wait.handles().iter().copied().chain(own).collect();
        let wait = list(&before)?;
        // Runs of copies in other buffers may want to give it at the same time.
        let due = node
            .signal()
            .filter(|signal| !signal.given.swap(true, Ordering::AcqRel));
        let Some(signal) = due else {
            return self.submit_command(node, wait, used.next_if(wanted));
        };
        let mut mine = Used::new();
        let used = if wanted { used } else { &mut mine };
        let submitted = self.submit_command(node, wait, used.next());
        match submitted.and_then(|()| used.last()) {
            Ok(event) => self.due.push((signal.clone(), event)),
            Err(error) => {
                // A later run may do better.
                signal.given.store(false, Ordering::Release);
                return Err(error);
            }
        }
        Ok(())
    }
}

impl<B> Drop for Signals<'_, B>
where
    B: Backend,
    B::Event: SoftwareEvent<B>,
{
    fn drop(&mut self) {
        if self.due.is_empty() {
            return;
        }
        for (signal, event) in &self.due {
            signal.event.resolve(Some(event));
        }
        // To wait for a pending event is not to wait for a command of the queue, which could be a reason to begin with it.
        if let Err(error) = self.queue.flush() {
            log::warn!("commands that others wait for may be late: {error}");
        }
    }
}
