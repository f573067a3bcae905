// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Buffers of contexts whose devices have memories of their own.
//!
//! Each memory that a command uses the buffer in has an allocation for it, and for each byte it is known which of these
//! copies are valid. Before a command reads bytes that its memory lacks, they are copied there. A command that writes
//! leaves its copy as the only valid one; reading leaves all.
//!
//! The copy goes to the command's own queue and waits for what the command waits for. So everything that the client has
//! ordered before the command is also before the copy, and no commands need to be remembered but the copies. A later command
//! that reads uses what a copy brings if it may wait for it: commands wait for nothing that the client has not ordered before
//! them, or the host might wait for them in vain. Otherwise it has a copy of its own, which writes the same bytes again.
//!
//! Validity is known of bytes, not of buffers, because commands on several devices may write to different sub-buffers at
//! the same time.
//!
//! A copy goes from memory to memory if the queue's device reaches the source. If not, it takes two steps: a queue of the
//! source's device copies to the host's memory.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, Weak};

use derive_where::derive_where;
use oxur_api::{EventHandle, QueueFlags};
use oxur_fork::InTurn;
use smallvec::SmallVec;

use super::uses::{Use, Uses};
use super::{BufferMemory, Staging, UsmMem, allocate};
use crate::command_buffer::{Used, list};
use crate::emulate::{has_failed, is_over};
use crate::handle::handle_of;
use crate::{
    Backend, Command, Context, Device, Event, MemoryQueue, Node, Objects, Queue, QueueProperties, UrResult, UsmAlloc,
    UsmKind, WaitList,
};

/// The memory of the host, which all devices reach. That of a device has the device's place in the context, plus one.
pub(super) const HOST: usize = 0;

/// The most memories that are told apart.
const MOST: usize = u64::BITS as usize;

fn bit(memory: usize) -> u64 {
    1 << memory
}

/// The number of the memory of a device among those of a context.
pub(super) fn memory_of<B: Backend>(context: &B::Context, device: &B::Device) -> usize
where
    B::Context: BufferMemory<B>,
{
    let devices = Context::devices(context);
    if B::Context::is_integrated(device) || devices.len() > 1 && !B::Context::MOVES {
        return HOST;
    }
    // What has a part of a device has the device's memory, if the context has that, too.
    let is_part = |listed: &B::Device| {
        let mut all = devices.iter();
        all.any(|other| listed.is_in(other) && !other.is_in(listed))
    };
    let place = devices
        .iter()
        .position(|listed| device.is_in(listed) && !is_part(listed));
    place
        .map(|place| place + 1)
        .filter(|memory| *memory < MOST)
        .unwrap_or(HOST)
}

/// Whether buffers of a context move: its devices use several memories.
pub(super) fn has_several<B: Backend>(context: &B::Context) -> bool
where
    B::Context: BufferMemory<B>,
{
    let mut memories = Context::devices(context)
        .iter()
        .map(|device| memory_of::<B>(context, device));
    let first = memories.next();
    memories.any(|memory| Some(memory) != first)
}

/// Where a buffer is.
pub(super) struct Moving<B: Backend>
where
    B::Context: BufferMemory<B>,
{
    size: usize,
    /// Taken while the driver is called.
    state: InTurn<State<B>>,
}

#[derive_where(Default)]
struct State<B: Backend>
where
    B::Context: BufferMemory<B>,
{
    /// By the numbers of their memories.
    copies: SmallVec<[Copy<B>; 3]>,
    /// All bytes, in order; none before the first command.
    spans: Vec<Span<B>>,
    /// Copies for commands that were not submitted in the end. Nobody knows that they are under way, so all that uses the memory
    /// waits for them.
    strays: Vec<Arrival<B>>,
}

/// A copy in a memory.
#[derive_where(Default)]
struct Copy<B: Backend>
where
    B::Context: BufferMemory<B>,
{
    allocation: Option<Staging<B>>,
    /// A queue of the device that has it, for copies to the host's memory.
    queue: Option<Arc<B::Queue>>,
}

/// Bytes up to `end` of which the same is known.
#[derive_where(Clone)]
struct Span<B: Backend> {
    end: usize,
    /// The memories whose copies are valid when the copies that are under way are complete. None: the bytes are anything.
    valid: u64,
    /// The copies that have brought them to a memory since they were written, unless they are known to be complete.
    arrivals: SmallVec<[Arrival<B>; 1]>,
}

/// A copy to a memory.
#[derive_where(Clone)]
struct Arrival<B: Backend> {
    to: usize,
    event: Arc<B::Event>,
    queue: Weak<B::Queue>,
    /// What it waits for.
    after: Arc<[Arc<B::Event>]>,
}

impl<B: Backend> Span<B> {
    /// Whether nothing is known of them that is not known of others.
    fn is_like(&self, other: &Self) -> bool {
        let mut both = self.arrivals.iter().zip(&other.arrivals);
        self.valid == other.valid
            && self.arrivals.len() == other.arrivals.len()
            && both.all(|(one, another)| one.to == another.to && Arc::ptr_eq(&one.event, &another.event))
    }

    /// Whether the copy in a memory is valid.
    fn is_in(&self, memory: usize) -> bool {
        self.valid & bit(memory) != 0
    }

    /// The copy that brings them to a memory.
    fn arrival(&self, memory: usize) -> Option<&Arrival<B>> {
        self.arrivals.iter().find(|arrival| arrival.to == memory)
    }

    /// Forgets copies that are complete. What one was to bring that has failed is not there.
    fn settle(&mut self) {
        let failed = |arrival: &&Arrival<B>| has_failed::<B>(&arrival.event);
        for arrival in self.arrivals.iter().filter(failed) {
            let others = self.valid & !bit(arrival.to);
            if others != 0 {
                self.valid = others;
            }
        }
        self.arrivals.retain(|arrival| !is_over::<B>(&arrival.event));
    }

    /// A copy brings them to a memory.
    fn arrives(&mut self, arrival: Arrival<B>) {
        self.valid |= bit(arrival.to);
        self.arrivals.retain(|other| other.to != arrival.to);
        self.arrivals.push(arrival);
    }
}

impl<B: Backend<Mem = UsmMem<B>>> State<B>
where
    B::Context: BufferMemory<B>,
{
    fn copy(&mut self, memory: usize) -> &mut Copy<B> {
        if self.copies.len() <= memory {
            self.copies.resize_with(memory + 1, Copy::default);
        }
        &mut self.copies[memory]
    }

    /// The address of the copy in a memory, which is allocated if there is none.
    fn address(&mut self, context: &Arc<B::Context>, memory: usize, size: usize) -> UrResult<usize> {
        let copy = self.copy(memory);
        if let Some(allocation) = &copy.allocation {
            return Ok(allocation.address);
        }
        let kind = match memory {
            HOST => UsmKind::Host,
            _ => UsmKind::Device(&Context::devices(&**context)[memory - 1]),
        };
        let address = allocate::<B>(context, kind, size)?;
        let context = context.clone();
        copy.allocation = Some(Staging { address, context });
        Ok(address)
    }

    /// A queue of the device that has a memory.
    fn queue(&mut self, context: &Arc<B::Context>, memory: usize) -> UrResult<Arc<B::Queue>> {
        let copy = self.copy(memory);
        if let Some(queue) = &copy.queue {
            return Ok(queue.clone());
        }
        let properties = QueueProperties {
            flags: QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE,
            ..QueueProperties::default()
        };
        let queue = B::Queue::create(context, &Context::devices(&**context)[memory - 1], properties)?;
        Ok(copy.queue.insert(queue).clone())
    }

    /// The places of the spans that are exactly these bytes.
    fn spans(&mut self, bytes: &Range<usize>, size: usize) -> Range<usize> {
        if self.spans.is_empty() {
            self.spans.push(Span {
                end: size,
                valid: 0,
                arrivals: SmallVec::new(),
            });
        }
        let first = self.split(bytes.start);
        first..self.split(bytes.end)
    }

    /// The place of the span that begins with a byte.
    fn split(&mut self, at: usize) -> usize {
        let place = self.spans.partition_point(|span| span.end <= at);
        if place == self.spans.len() || at == self.start(place) {
            return place;
        }
        let before = Span {
            end: at,
            ..self.spans[place].clone()
        };
        self.spans.insert(place, before);
        place + 1
    }

    fn start(&self, place: usize) -> usize {
        match place {
            0 => 0,
            _ => self.spans[place - 1].end,
        }
    }

    /// The strays to a memory.
    fn strays_to(&self, memory: usize) -> impl Iterator<Item = &Arrival<B>> {
        self.strays.iter().filter(move |stray| stray.to == memory)
    }

    /// Joins spans that are alike.
    fn join(&mut self) {
        self.spans.dedup_by(|later, earlier| {
            let alike = later.is_like(earlier);
            if alike {
                earlier.end = later.end;
            }
            alike
        });
    }
}

/// For whom bytes are brought.
struct Bring<'a, B: Backend> {
    context: &'a Arc<B::Context>,
    /// The queue of the command, and what it waits for.
    queue: &'a Arc<B::Queue>,
    wait: WaitList<'a, B>,
}

impl<B: Backend<Mem = UsmMem<B>>> Bring<'_, B>
where
    B::Context: BufferMemory<B>,
{
    fn memory(&self) -> usize {
        memory_of::<B>(self.context, self.queue.device())
    }

    /// Whether the queue's device reaches a memory.
    fn reaches(&self, memory: usize) -> bool {
        let device = self.queue.device();
        memory == HOST
            || memory == self.memory()
            || B::Context::reaches(device, &Context::devices(&**self.context)[memory - 1])
    }

    /// Whether the command may use the copy in a memory: it is valid, and may be waited for. `writes` says that the command
    /// writes, so that the client has ordered it behind those that read.
    fn may_use(&self, span: &Span<B>, memory: usize, writes: bool) -> bool {
        let is_before = |arrival: &Arrival<B>| {
            let is_in_wait = |event: &Arc<B::Event>| self.wait.iter().any(|other| Arc::ptr_eq(&other, event));
            let mut after = arrival.after.iter();
            writes
                || arrival.queue.as_ptr() == Arc::as_ptr(self.queue)
                    && (self.queue.is_in_order() || after.all(|event| is_in_wait(event) || is_over::<B>(event)))
        };
        span.is_in(memory) && span.arrival(memory).is_none_or(is_before)
    }

    /// Copies bytes of a span to a memory that lacks them.
    fn bring(&self, state: &mut State<B>, place: usize, to: usize, size: usize) -> UrResult<()> {
        let span = &state.spans[place];
        let may_wait = (0..MOST).any(|memory| self.may_use(span, memory, false));
        // Where they were written there is nothing to wait for, unless kernels that only read were said to write.
        let mut sources = (0..MOST).filter(|memory| self.may_use(span, *memory, !may_wait));
        let Some(first) = sources.clone().next() else {
            return Ok(());
        };
        // That of a device is nearer than the host's.
        let near = sources.rfind(|memory| self.reaches(*memory));
        let from = match near {
            Some(memory) => memory,
            None => {
                let ready = self.ready()?;
                let queue = state.queue(self.context, first)?;
                self.copy(state, &queue, place, (first, HOST), size, ready.wait_list()?)?;
                // Without it, the driver may not start before a thread waits.
                queue.flush()?;
                HOST
            }
        };
        match from == to {
            true => Ok(()),
            false => self.copy(state, self.queue, place, (from, to), size, self.wait),
        }
    }

    /// An event of the command's queue that is complete when the command might start.
    fn ready(&self) -> UrResult<Used<B>> {
        let mut ready = Used::new();
        // Without a wait list it would be behind all commands of an out-of-order queue, not only behind barriers.
        let complete = match self.queue.is_in_order() || !self.wait.is_empty() {
            true => None,
            false => Some(B::Event::complete(self.context)?),
        };
        let handles: SmallVec<[EventHandle; 1]> = complete.iter().map(handle_of).collect();
        let wait = if handles.is_empty() { self.wait } else { list(&handles)? };
        self.queue.submit(Command::Wait, false, wait, ready.next())?;
        self.queue.flush()?;
        Ok(ready)
    }

    /// Copies a span from one memory to another, after `wait`.
    fn copy(
        &self,
        state: &mut State<B>,
        queue: &Arc<B::Queue>,
        place: usize,
        (from, to): (usize, usize),
        size: usize,
        wait: WaitList<'_, B>,
    ) -> UrResult<()> {
        let start = state.start(place);
        let src = state.address(self.context, from, size)? + start;
        let dst = state.address(self.context, to, size)? + start;
        let mut after: SmallVec<[EventHandle; 8]> = wait.handles().into();
        let before = state.spans[place].arrival(from).into_iter().chain(state.strays_to(to));
        after.extend(before.map(|arrival| handle_of(&arrival.event)));
        let span = &mut state.spans[place];
        let command = Command::UsmMemcpy {
            dst: dst as *mut c_void,
            src: src as *const c_void,
            size: span.end - start,
        };
        let mut copied = Used::new();
        queue.submit(command, false, list(&after)?, copied.next())?;
        span.arrives(Arrival {
            to,
            event: copied.last()?,
            queue: Arc::downgrade(queue),
            after: self.wait.iter().map(|event| Arc::clone(&event)).collect(),
        });
        Ok(())
    }
}

/// What commands have to wait for.
type After<B> = SmallVec<[Arc<<B as Backend>::Event>; 4]>;

impl<B: Backend<Mem = UsmMem<B>>> Moving<B>
where
    B::Context: BufferMemory<B>,
{
    pub(super) fn new(size: usize) -> Self {
        let state = InTurn::default();
        Self { size, state }
    }

    /// Writes all bytes, before the first command.
    pub(super) fn fill(&self, context: &Arc<B::Context>, from: *const c_void) -> UrResult<()> {
        let state = &mut *self.state.take();
        let address = state.address(context, HOST, self.size)?;
        context.usm_copy(address as *mut c_void, from, self.size)?;
        let all = state.spans(&(0..self.size), self.size);
        state.spans[all.start].valid = bit(HOST);
        Ok(())
    }

    /// The address in the memory of a device.
    pub(super) fn address(&self, context: &Arc<B::Context>, device: &B::Device) -> UrResult<usize> {
        let memory = memory_of::<B>(context, device);
        self.state.take().address(context, memory, self.size)
    }

    /// Makes bytes ready for a command. Adds what that has to wait for, and returns where the buffer is for it.
    fn prepare(&self, bring: &Bring<'_, B>, used: &Use<B>, after: &mut After<B>) -> UrResult<usize> {
        let mut memory = bring.memory();
        let state = &mut *self.state.take();
        let places = state.spans(&used.bytes, self.size);
        state.spans[places.clone()].iter_mut().for_each(Span::settle);
        state.strays.retain(|stray| !is_over::<B>(&stray.event));
        if used.anywhere() {
            let spans = &state.spans[places.clone()];
            let is_in = |memory: &usize| spans.iter().all(|span| bring.may_use(span, *memory, false));
            if !is_in(&memory) {
                let mut others = 0..state.copies.len();
                memory = others
                    .find(|memory| is_in(memory) && bring.reaches(*memory))
                    .unwrap_or(memory);
            }
        }
        let address = state.address(bring.context, memory, self.size)?;
        for place in places {
            if used.reads && !bring.may_use(&state.spans[place], memory, used.writes) {
                bring.bring(state, place, memory, self.size)?;
            }
            if let Some(arrival) = state.spans[place].arrival(memory) {
                after.push(arrival.event.clone());
            }
        }
        after.extend(state.strays_to(memory).map(|stray| stray.event.clone()));
        state.join();
        Ok(address)
    }

    /// A command that writes bytes in a memory was submitted.
    fn written(&self, memory: usize, bytes: &Range<usize>) {
        let state = &mut *self.state.take();
        let places = state.spans(bytes, self.size);
        for span in &mut state.spans[places] {
            span.valid = bit(memory);
            span.arrivals.retain(|arrival| arrival.to == memory);
        }
        state.join();
    }

    /// A command was not submitted for which these bytes were brought to a memory.
    fn given_up(&self, memory: usize, bytes: &Range<usize>) {
        let state = &mut *self.state.take();
        let places = state.spans(bytes, self.size);
        let brought = state.spans[places].iter().filter_map(|span| span.arrival(memory));
        let strays: Vec<_> = brought.cloned().collect();
        state.strays.extend(strays);
        state.join();
    }

    /// Whether all bytes are valid in one memory, and nowhere else, perhaps once copies are complete that are under way.
    fn is_only_in(&self, memory: usize) -> bool {
        let state = self.state.take();
        !state.spans.is_empty() && state.spans.iter().all(|span| span.valid == bit(memory))
    }

    /// Whether a command that uses bytes in a memory needs nothing done: they are valid there, no copy is under way, and, if it
    /// writes, they are valid nowhere else.
    pub(super) fn is_settled(&self, memory: usize, bytes: &Range<usize>, writes: bool) -> bool {
        let state = self.state.take();
        let is_settled = |span: &Span<B>| {
            let is_there = if writes {
                span.valid == bit(memory)
            } else {
                span.is_in(memory)
            };
            is_there && span.arrivals.is_empty()
        };
        if !state.strays.is_empty() {
            return false;
        }
        let first = state.spans.partition_point(|span| span.end <= bytes.start);
        let last = state.spans.partition_point(|span| span.end < bytes.end);
        state
            .spans
            .get(first..=last)
            .is_some_and(|spans| spans.iter().all(is_settled))
    }
}

impl<B: Backend<Mem = UsmMem<B>>> UsmMem<B>
where
    B::Context: BufferMemory<B>,
{
    /// Brings all of a buffer to the memory of a device, for commands of the client's that nobody knows. It is there when
    /// this returns. What the client has ordered before is complete, unless it is in a native command for which the buffer is there.
    pub(super) fn give_out(self: &Arc<Self>, device: &Arc<B::Device>) -> UrResult<()> {
        let context = &self.context;
        let whole = self.moving_whole().and_then(|(whole, _)| whole.moving());
        if whole.is_none_or(|moving| moving.is_only_in(memory_of::<B>(context, device))) {
            return Ok(());
        }
        let mut uses = Uses::<B>::new(device);
        uses.add(self, 0..self.size, (true, true));
        let uses = uses.into_list();
        let queue = B::Queue::create(context, device, QueueProperties::default())?;
        let moved = Moved::new(&queue, WaitList::empty(), uses)?;
        if let Some(wait) = moved.wait_list().ok().filter(|wait| !wait.is_empty()) {
            B::Event::wait_all(wait)?;
        }
        moved.submitted();
        Ok(())
    }
}

/// Commands whose buffers are where they need them.
pub struct Moved<B: Backend<Mem = UsmMem<B>>>
where
    B::Context: BufferMemory<B>,
{
    uses: Vec<Use<B>>,
    /// Where the buffers of the uses are.
    addresses: SmallVec<[usize; 4]>,
    after: After<B>,
    wait: SmallVec<[EventHandle; 8]>,
    is_submitted: bool,
}

impl<B: Backend<Mem = UsmMem<B>>> Drop for Moved<B>
where
    B::Context: BufferMemory<B>,
{
    fn drop(&mut self) {
        for used in self.uses.iter().filter(|_| !self.is_submitted) {
            used.moving().given_up(used.memory, &used.bytes);
        }
    }
}

impl<B: Backend<Mem = UsmMem<B>>> Moved<B>
where
    B::Context: BufferMemory<B>,
{
    /// Brings the bytes that commands need which wait for `wait`.
    fn new(queue: &Arc<B::Queue>, wait: WaitList<'_, B>, uses: Vec<Use<B>>) -> UrResult<Self> {
        let mut moved = Self {
            uses,
            addresses: SmallVec::new(),
            after: After::<B>::new(),
            wait: wait.handles().into(),
            is_submitted: false,
        };
        for used in &moved.uses {
            let context = &used.buffer.context;
            let bring = Bring { context, queue, wait };
            moved
                .addresses
                .push(used.moving().prepare(&bring, used, &mut moved.after)?);
        }
        moved.wait.extend(moved.after.iter().map(handle_of));
        Ok(moved)
    }

    /// The same for a command; `None` if it has no buffers that move.
    pub(crate) fn of_command(
        queue: &Arc<B::Queue>,
        command: &Command<'_, B>,
        wait: WaitList<'_, B>,
    ) -> UrResult<Option<Self>> {
        let uses = Uses::<B>::of_command(queue, command)?;
        match uses.is_empty() {
            true => Ok(None),
            false => Self::new(queue, wait, uses.into_list()).map(Some),
        }
    }

    /// The same for the commands of a list that was recorded for the queue's device.
    pub fn of_list(queue: &Arc<B::Queue>, nodes: &[Node<B>], wait: WaitList<'_, B>) -> UrResult<Option<Self>>
    where
        B::Queue: MemoryQueue<B>,
    {
        if queue.has_one_device() {
            return Ok(None);
        }
        let uses = Uses::<B>::of_list(queue, nodes)?;
        match uses.is_empty() {
            true => Ok(None),
            false => Self::new(queue, wait, uses.into_list()).map(Some),
        }
    }

    /// The same for what a function of the client's submits, of which it is not known what it does.
    pub fn of_native(queue: &Arc<B::Queue>, mems: Objects<'_, UsmMem<B>>, wait: WaitList<'_, B>) -> UrResult<Self> {
        let mut uses = Uses::<B>::new(queue.device());
        for mem in mems.iter() {
            uses.add(&mem, 0..mem.size, (true, true));
        }
        Self::new(queue, wait, uses.into_list())
    }

    /// What the commands wait for: the client's list, and the copies.
    pub fn wait_list(&self) -> UrResult<WaitList<'_, B>> {
        list(&self.wait)
    }

    /// Where the buffers of a command start.
    pub(crate) fn addresses(&self, command: &Command<'_, B>, device: &B::Device) -> UrResult<[usize; 2]> {
        let mut all = command.addresses(device)?;
        for (operand, address) in all.iter_mut().enumerate() {
            if let Some(place) = self.uses.iter().position(|used| used.is_of(operand)) {
                *address = self.addresses[place] + self.uses[place].origin;
            }
        }
        Ok(all)
    }

    /// The commands were submitted.
    pub fn submitted(mut self) {
        self.is_submitted = true;
        for used in self.uses.iter().filter(|used| used.writes) {
            used.moving().written(used.memory, &used.bytes);
        }
    }
}
