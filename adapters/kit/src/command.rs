// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands: what a queue runs, with its operands.
//!
//! A [`Command`] is made of the parameters of a C function, once, and checked by that. It borrows what it can: submitting
//! it takes no reference and allocates nothing. A command that outlives the call, in a command buffer or a graph, is an
//! [`OwnedCommand`]. Both are written from one table in this file, which gives for each command its operands and its type
//! in the ABI; [`enqueue`](crate::enqueue) has the C functions.

pub(crate) mod bounds;
mod boxed_launch;
pub(crate) mod describe;
pub(crate) mod operands;
pub(crate) mod trace;

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::{CommandType, ExpEnqueueExtFlags, RectOffset, RectRegion, UsmAdviceFlags, UsmMigrationFlags};

pub use self::boxed_launch::{BoxedLaunch, PlainLaunch};
use self::operands::Address;
pub use self::operands::{
    BufferRect, DeviceGlobal, HostTask, ImageRect, Launch, LaunchProperties, Objects, OwnedDeviceGlobal, OwnedLaunch,
    OwnedRange, Range,
};
use crate::handle::Borrowed;
use crate::short_list::ShortList;
use crate::{Backend, BindlessCopy, HostPipe, SemaphoreOperation, UrResult, unsupported};

/// The kinds of operands: their types in a [`Command`] (`borrowed`) and in an [`OwnedCommand`] (`owned`), and how one
/// becomes the other (`keep`, `lend`). What is not listed is a plain value of the type that it is called by.
macro_rules! operand {
    (borrowed $a:lifetime $b:ident Mem) => { Borrowed<$a, $b::Mem> };
    (borrowed $a:lifetime $b:ident Pattern) => { &$a [u8] };
    (borrowed $a:lifetime $b:ident Launch) => { Launch<$a, $b> };
    (borrowed $a:lifetime $b:ident DeviceGlobal) => { DeviceGlobal<$a, $b> };
    (borrowed $a:lifetime $b:ident OptionalPool) => { Option<Borrowed<$a, $b::UsmPool>> };
    (borrowed $a:lifetime $b:ident BindlessCopy) => { BindlessCopy<$a> };
    (borrowed $a:lifetime $b:ident SemaphoreOperation) => { SemaphoreOperation<$a, $b> };
    (borrowed $a:lifetime $b:ident HostPipe) => { HostPipe<$a, $b> };
    (borrowed $a:lifetime $b:ident Pointer) => { *mut c_void };
    (borrowed $a:lifetime $b:ident ConstPointer) => { *const c_void };
    (borrowed $a:lifetime $b:ident $plain:ident) => { $plain };

    (owned $b:ident Mem) => { Arc<$b::Mem> };
    (owned $b:ident Pattern) => { ShortList<u8, 14> };
    (owned $b:ident Launch) => { BoxedLaunch<$b> };
    (owned $b:ident DeviceGlobal) => { OwnedDeviceGlobal<$b> };
    (owned $b:ident Pointer) => { Address };
    (owned $b:ident ConstPointer) => { Address };
    (owned $b:ident $plain:ident) => { $plain };

    (keep Mem $value:ident) => { Arc::clone(&$value) };
    (keep Pattern $value:ident) => { ShortList::of_bytes($value) };
    (keep Launch $value:ident) => { BoxedLaunch::of($value)? };
    (keep DeviceGlobal $value:ident) => { $value.into_owned() };
    (keep Pointer $value:ident) => { Address($value) };
    (keep ConstPointer $value:ident) => { Address($value.cast_mut()) };
    (keep $plain:ident $value:ident) => { $value };

    (lend Mem $value:ident) => { Borrowed::from($value) };
    (lend Pattern $value:ident) => { $value };
    (lend Launch $value:ident) => { $value.as_launch() };
    (lend DeviceGlobal $value:ident) => { $value.as_global() };
    (lend Pointer $value:ident) => { $value.0 };
    (lend ConstPointer $value:ident) => { $value.0.cast_const() };
    (lend $plain:ident $value:ident) => { *$value };
}

/// Writes [`Command`], [`OwnedCommand`], and what turns one into the other. Command lists are made of many commands, so owned
/// ones are small: those with many operands, which are rare, have them in a box.
macro_rules! commands {
    (graphs and queues { $( $(#[$doc:meta])* $name:ident $(($tuple:ident: $tuple_kind:ident))? $({ $($field:ident: $kind:ident),* $(,)? })?
            = $type:ident; )* }
        boxed in graphs { $( $(#[$bdoc:meta])* $bname:ident { $($bfield:ident: $bkind:ident),* $(,)? } = $btype:ident; )* }
        queues only { $( $(#[$qdoc:meta])* $qname:ident $(($qtuple:ident: $qtuple_kind:ident))?
            $({ $($qfield:ident: $qkind:ident),* $(,)? })? = $qtype:ident; )* }
    ) => {
        /// A command of a queue, with operands that are the caller's.
        ///
        /// Sizes and offsets are in bytes. Pointers are the client's: it vouches that they are good for the sizes given
        /// until the command is complete.
        #[allow(missing_docs, reason = "operands are called as UR calls them")]
        pub enum Command<'a, B: Backend> {
            $( $(#[$doc])* $name $((operand!(borrowed 'a B $tuple_kind)))?
                $({ $($field: operand!(borrowed 'a B $kind)),* })?, )*
            $( $(#[$bdoc])* $bname { $($bfield: operand!(borrowed 'a B $bkind)),* }, )*
            $( $(#[$qdoc])* $qname $((operand!(borrowed 'a B $qtuple_kind)))?
                $({ $($qfield: operand!(borrowed 'a B $qkind)),* })?, )*
        }

        /// A command of a command buffer or a graph, with operands of its own: see [`Command`].
        #[allow(missing_docs, reason = "operands are called as UR calls them")]
        pub enum OwnedCommand<B: Backend> {
            $( $(#[$doc])* $name $((operand!(owned B $tuple_kind)))? $({ $($field: operand!(owned B $kind)),* })?, )*
            $( $(#[$bdoc])* $bname(Box<($(operand!(owned B $bkind),)*)>), )*
        }

        impl<'a, B: Backend> Command<'a, B> {
            /// What the ABI calls it.
            pub fn command_type(&self) -> CommandType {
                match self {
                    $( Self::$name { .. } => CommandType::$type, )*
                    $( Self::$bname { .. } => CommandType::$btype, )*
                    $( Self::$qname { .. } => CommandType::$qtype, )*
                }
            }

            /// The command with operands of its own. Those of queues only have none. Inlined, because most callers know which
            /// command it is.
            #[inline(always)]
            pub(crate) fn into_owned(self) -> UrResult<OwnedCommand<B>> {
                Ok(match self {
                    $( Self::$name $(($tuple))? $({ $($field),* })? => OwnedCommand::$name
                        $((operand!(keep $tuple_kind $tuple)))? $({ $($field: operand!(keep $kind $field)),* })?, )*
                    $( Self::$bname { $($bfield),* } => OwnedCommand::$bname(Box::new(($(operand!(keep $bkind $bfield),)*))), )*
                    $( Self::$qname { .. } => return self.unsupported(), )*
                })
            }
        }

        impl<B: Backend> OwnedCommand<B> {
            /// What the ABI calls it.
            pub fn command_type(&self) -> CommandType {
                match self {
                    $( Self::$name { .. } => CommandType::$type, )*
                    $( Self::$bname(_) => CommandType::$btype, )*
                }
            }

            /// The command, as a queue takes it.
            pub fn as_command(&self) -> Command<'_, B> {
                match self {
                    $( Self::$name $(($tuple))? $({ $($field),* })? => Command::$name
                        $((operand!(lend $tuple_kind $tuple)))? $({ $($field: operand!(lend $kind $field)),* })?, )*
                    $( Self::$bname(operands) => {
                        let ($($bfield,)*) = &**operands;
                        Command::$bname { $($bfield: operand!(lend $bkind $bfield)),* }
                    } )*
                }
            }
        }

        impl<B: Backend> Clone for OwnedCommand<B> {
            fn clone(&self) -> Self {
                match self {
                    $( Self::$name $(($tuple))? $({ $($field),* })? => Self::$name
                        $(($tuple.clone()))? $({ $($field: $field.clone()),* })?, )*
                    $( Self::$bname(operands) => Self::$bname(operands.clone()), )*
                }
            }
        }
    };
}

commands! {
    graphs and queues {
        /// Completes when the events of its wait list have, or, if there are none, all commands before it. In a command list
        /// it is a node that does nothing.
        Wait = EVENTS_WAIT;
        /// As [`Wait`](Self::Wait), and the commands after it wait for it.
        Barrier { flags: ExpEnqueueExtFlags } = EVENTS_WAIT_WITH_BARRIER;
        /// Runs a kernel.
        Launch(launch: Launch) = KERNEL_LAUNCH;
        /// Copies between any two pieces of memory, USM or the host's.
        UsmMemcpy { dst: Pointer, src: ConstPointer, size: usize } = USM_MEMCPY;
        /// Fills memory, whose size is a multiple of the pattern's.
        UsmFill { dst: Pointer, pattern: Pattern, size: usize } = USM_FILL;
        /// Moves shared memory to where it will be used.
        UsmPrefetch { memory: ConstPointer, size: usize, flags: UsmMigrationFlags } = USM_PREFETCH;
        /// Says how shared memory will be used.
        UsmAdvise { memory: ConstPointer, size: usize, advice: UsmAdviceFlags } = USM_ADVISE;
        /// Copies from a buffer to the host.
        BufferRead { buffer: Mem, offset: usize, size: usize, dst: Pointer } = MEM_BUFFER_READ;
        /// Copies from the host to a buffer.
        BufferWrite { buffer: Mem, offset: usize, size: usize, src: ConstPointer } = MEM_BUFFER_WRITE;
        /// Copies between buffers.
        BufferCopy { src: Mem, dst: Mem, src_offset: usize, dst_offset: usize, size: usize } = MEM_BUFFER_COPY;
        /// Fills a part of a buffer, whose size is a multiple of the pattern's. Outside of command buffers the pattern's size
        /// is a power of two, and the offset a multiple of it.
        BufferFill { buffer: Mem, pattern: Pattern, offset: usize, size: usize } = MEM_BUFFER_FILL;
        /// Calls a function of the client's on the host.
        HostTask(task: HostTask) = HOST_TASK_EXP;
    }

    boxed in graphs {
        /// Copies `height` rows of `width` bytes.
        UsmMemcpy2D {
            dst: Pointer, dst_pitch: usize, src: ConstPointer, src_pitch: usize, width: usize, height: usize,
        } = USM_MEMCPY_2D;
        /// Fills `height` rows of `width` bytes that are `pitch` bytes apart. The pattern runs on from row to row.
        UsmFill2D { dst: Pointer, pitch: usize, pattern: Pattern, width: usize, height: usize } = USM_FILL_2D;
        /// Copies a box from a buffer (`rect.a`) to the host (`rect.b`).
        BufferReadRect { buffer: Mem, rect: BufferRect, dst: Pointer } = MEM_BUFFER_READ_RECT;
        /// Copies a box from the host (`rect.b`) to a buffer (`rect.a`).
        BufferWriteRect { buffer: Mem, rect: BufferRect, src: ConstPointer } = MEM_BUFFER_WRITE_RECT;
        /// Copies a box from one buffer (`rect.a`) to another (`rect.b`).
        BufferCopyRect { src: Mem, dst: Mem, rect: BufferRect } = MEM_BUFFER_COPY_RECT;
        /// Copies from an image to the host.
        ImageRead { image: Mem, rect: ImageRect, dst: Pointer } = MEM_IMAGE_READ;
        /// Copies from the host to an image.
        ImageWrite { image: Mem, rect: ImageRect, src: ConstPointer } = MEM_IMAGE_WRITE;
        /// Copies between images.
        ImageCopy {
            src: Mem, dst: Mem, src_origin: RectOffset, dst_origin: RectOffset, region: RectRegion,
        } = MEM_IMAGE_COPY;
        /// Copies from a device global to the host.
        DeviceGlobalRead { global: DeviceGlobal, dst: Pointer } = DEVICE_GLOBAL_VARIABLE_READ;
        /// Copies from the host to a device global.
        DeviceGlobalWrite { global: DeviceGlobal, src: ConstPointer } = DEVICE_GLOBAL_VARIABLE_WRITE;
    }

    queues only {
        /// Ends a mapping; what the host wrote becomes visible to the device.
        Unmap { mem: Mem, mapped: Pointer } = MEM_UNMAP;
        /// Frees USM in the order of the queue.
        UsmFree { pool: OptionalPool, memory: Pointer } = ENQUEUE_USM_FREE_EXP;
        /// Leaves an event whose profiling information is the time at which the commands before it were complete.
        Timestamp = TIMESTAMP_RECORDING_EXP;
        /// Copies between image memory of bindless images, USM and the host's memory.
        BindlessCopy(copy: BindlessCopy) = MEM_IMAGE_COPY;
        /// Waits for a semaphore of another API.
        SemaphoreWait(operation: SemaphoreOperation) = EXTERNAL_SEMAPHORE_WAIT_EXP;
        /// Signals a semaphore of another API.
        SemaphoreSignal(operation: SemaphoreOperation) = EXTERNAL_SEMAPHORE_SIGNAL_EXP;
        /// Takes bytes from a host pipe.
        HostPipeRead { pipe: HostPipe, dst: Pointer, size: usize } = READ_HOST_PIPE;
        /// Puts bytes into a host pipe.
        HostPipeWrite { pipe: HostPipe, src: ConstPointer, size: usize } = WRITE_HOST_PIPE;
    }
}

impl<B: Backend> Command<'_, B> {
    /// A barrier that asks for nothing else.
    #[inline(always)]
    pub fn barrier() -> Self {
        Self::Barrier {
            flags: ExpEnqueueExtFlags::empty(),
        }
    }

    /// The answer of an adapter that does not have this command.
    #[cold]
    pub fn unsupported<T>(&self) -> UrResult<T> {
        log::debug!("{:?}: there is no such command here", self.command_type());
        unsupported()
    }
}

impl<B: Backend> OwnedCommand<B> {
    /// The command as checks and messages see it: a plain launch lacks its arguments.
    pub(crate) fn outline(&self) -> Command<'_, B> {
        if let Self::Launch(launch) = self
            && let Some(plain) = launch.plain()
        {
            return Command::Launch(plain.outline());
        }
        self.as_command()
    }

    /// A copy that stays as it is when this command is updated.
    pub(crate) fn detached(&self) -> UrResult<Self> {
        match self {
            Self::Launch(launch) => Ok(Self::Launch(BoxedLaunch::new(launch.detached()?))),
            other => Ok(other.clone()),
        }
    }
}
