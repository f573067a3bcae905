// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What commands do with buffers that [move](super::moving).

use std::ops::Range;
use std::sync::Arc;

use oxur_api::MemFlags;

use super::moving::{Moving, memory_of};
use super::{BufferMemory, UsmMem};
use crate::{Arg, Backend, Command, Kernel, Node, OwnedCommand, Queue, UrResult};

/// What commands do with bytes of a buffer.
pub(super) struct Use<B: Backend>
where
    B::Context: BufferMemory<B>,
{
    /// One that is no part of another.
    pub(super) buffer: Arc<UsmMem<B>>,
    /// That of the commands' device.
    pub(super) memory: usize,
    /// Where the command's buffer starts in it.
    pub(super) origin: usize,
    pub(super) bytes: Range<usize>,
    /// Whether the first command needs what they were before.
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// Its place among the buffers of a copy or a fill. Such a command may read any memory that its device reaches.
    operand: Option<usize>,
}

impl<B: Backend> Use<B>
where
    B::Context: BufferMemory<B>,
{
    pub(super) fn moving(&self) -> &Moving<B> {
        self.buffer.moving().expect("only such buffers are added")
    }

    /// Whether it is of this operand of a command.
    pub(super) fn is_of(&self, operand: usize) -> bool {
        self.operand == Some(operand)
    }

    /// Whether the bytes may be in any memory that the device reaches.
    pub(super) fn anywhere(&self) -> bool {
        self.operand.is_some() && !self.writes
    }
}

/// The uses of commands of a device, in their order. One that needs nothing done is not in the list: its bytes are in the device's
/// memory, and, if the command writes them, nowhere else.
pub(super) struct Uses<'a, B: Backend>
where
    B::Context: BufferMemory<B>,
{
    list: Vec<Use<B>>,
    device: &'a B::Device,
}

const READS: (bool, bool) = (true, false);
const WRITES: (bool, bool) = (false, true);
/// Of a box, between whose rows are other bytes.
const WRITES_PARTS: (bool, bool) = (true, true);

impl<'a, B: Backend<Mem = UsmMem<B>>> Uses<'a, B>
where
    B::Context: BufferMemory<B>,
{
    pub(super) fn new(device: &'a B::Device) -> Self {
        let list = Vec::new();
        Self { list, device }
    }

    pub(super) fn of_command(queue: &'a B::Queue, command: &Command<'_, B>) -> UrResult<Self> {
        let mut uses = Self::new(queue.device());
        uses.add_command(command, true)?;
        Ok(uses)
    }

    /// Of commands in a list, whose buffers are at addresses in the memory of its device.
    pub(super) fn of_list(queue: &'a B::Queue, nodes: &[Node<B>]) -> UrResult<Self> {
        let mut uses = Self::new(queue.device());
        for node in nodes {
            match &node.command {
                // It has no buffers.
                OwnedCommand::Launch(launch) if launch.plain().is_some() => {}
                command => uses.add_command(&command.as_command(), false)?,
            }
        }
        Ok(uses)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn into_list(self) -> Vec<Use<B>> {
        self.list
    }

    /// Adds what is read or written of a buffer, if that moves.
    pub(super) fn add(&mut self, buffer: &Arc<UsmMem<B>>, bytes: Range<usize>, (reads, writes): (bool, bool)) {
        self.add_operand(buffer, bytes, (reads, writes), None);
    }

    fn add_operand(
        &mut self,
        buffer: &Arc<UsmMem<B>>,
        bytes: Range<usize>,
        (reads, writes): (bool, bool),
        operand: Option<usize>,
    ) {
        let Some((whole, origin)) = buffer.moving_whole() else {
            return;
        };
        let bytes = bytes.start + origin..bytes.end + origin;
        // The buffer's context: that of the queue may be a wrapper of its native handle, with other devices.
        let memory = memory_of::<B>(&whole.context, self.device);
        let is_settled = |moving: &Moving<B>| moving.is_settled(memory, &bytes, writes);
        if bytes.is_empty() || whole.moving().is_some_and(is_settled) {
            return;
        }
        let is_same =
            |used: &&mut Use<B>| used.operand.is_none() && used.bytes == bytes && Arc::ptr_eq(&used.buffer, whole);
        if operand.is_none()
            && let Some(known) = self.list.iter_mut().find(is_same)
        {
            // What a command before it has written it finds in the same memory.
            known.writes |= writes;
            return;
        }
        self.list.push(Use {
            buffer: whole.clone(),
            memory,
            origin,
            bytes,
            reads,
            writes,
            operand,
        });
    }

    /// Adds what a kernel does with an argument.
    fn add_arg(&mut self, arg: &Arg<'_, B>) {
        let Arg::Mem(_, Some(mem), access) = arg else { return };
        let writes = !(*access | mem.access).contains(MemFlags::READ_ONLY);
        // A kernel that only writes need not write all bytes.
        self.add(mem, 0..mem.size, (true, writes));
    }

    /// `alone` says that the command is not in a list.
    fn add_command(&mut self, command: &Command<'_, B>, alone: bool) -> UrResult<()> {
        let operand = |place: usize| alone.then_some(place);
        match command {
            Command::Launch(launch) if launch.args.is_empty() => {
                launch.kernel.own_args(&mut |arg| {
                    self.add_arg(&arg);
                    Ok(())
                })?;
            }
            Command::Launch(launch) => {
                for arg in launch.args.iter() {
                    self.add_arg(&arg?);
                }
            }
            Command::BufferRead {
                buffer, offset, size, ..
            } => self.add_operand(buffer, *offset..offset + size, READS, operand(0)),
            Command::BufferWrite {
                buffer, offset, size, ..
            }
            | Command::BufferFill {
                buffer, offset, size, ..
            } => self.add_operand(buffer, *offset..offset + size, WRITES, operand(0)),
            Command::BufferReadRect { buffer, rect, .. } => {
                self.add_operand(buffer, rect.a_start()..rect.a_end()?, READS, operand(0));
            }
            Command::BufferWriteRect { buffer, rect, .. } => {
                self.add_operand(buffer, rect.a_start()..rect.a_end()?, WRITES_PARTS, operand(0));
            }
            Command::BufferCopy {
                src,
                dst,
                src_offset,
                dst_offset,
                size,
            } => {
                self.add_operand(src, *src_offset..src_offset + size, READS, operand(0));
                self.add_operand(dst, *dst_offset..dst_offset + size, WRITES, operand(1));
            }
            Command::BufferCopyRect { src, dst, rect } => {
                self.add_operand(src, rect.a_start()..rect.a_end()?, READS, operand(0));
                self.add_operand(dst, rect.b_start()..rect.b_end()?, WRITES_PARTS, operand(1));
            }
            _ => {}
        }
        Ok(())
    }
}
