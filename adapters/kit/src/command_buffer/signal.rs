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
use super::command_list::Node;
use super::software::{Used, list};
use crate::command::trace::trace;
use crate::handle::handle_of;
use crate::{Backend, EventOut, Queue, SoftwareEvent, UrResult, WaitList};

/// What a command signals, once. A command that is copied into another buffer has the same one as the copy.
pub struct Signal<B>
where
    B: Backend,
    B::Event: SoftwareEvent<B>,
{
    event: Arc<B::Event>,
    given: AtomicBool,
}

impl<B> Signal<B>
where
    B: Backend,
    B::Event: SoftwareEvent<B>,
{
    /// A new one, and its event.
    pub fn new(context: &Arc<B::Context>, command: CommandType) -> UrResult<(Arc<B::Event>, Arc<Self>)> {
        let event = B::Event::create_pending(context, command)?;
        let given = AtomicBool::new(false);
        Ok((event.clone(), Arc::new(Self { event, given })))
    }
}

impl<B> Signal<B>
where
    B: Backend,
    B::Event: SoftwareEvent<B>,
{
    /// Its event, unless a run has given it.
    pub fn pending(&self) -> Option<Arc<B::Event>> {
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
        if node.events.is_empty() && node.signal.is_none() {
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
        let own = node.events.iter().map(handle_of);
        let before: SmallVec<[EventHandle; 8]> = wait.handles().iter().copied().chain(own).collect();
        let wait = list(&before)?;
        // Runs of copies in other buffers may want to give it at the same time.
        let due = node
            .signal
            .as_ref()
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
