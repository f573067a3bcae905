// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a backend does whenever a call of the client's comes in, such as to make a driver's context current.

use std::marker::PhantomData;

use oxur_api::*;

use crate::handle::{Borrowed, object_if};
use crate::{Backend, BufferCommand, UrResult};

/// A call of the client's, from [`Backend::enter`] to [`Backend::leave`].
pub(crate) struct Entered<B: Backend>(PhantomData<B>);

impl<B: Backend> Drop for Entered<B> {
    #[inline(always)]
    fn drop(&mut self) {
        if B::ENTRY_HOOKS {
            B::leave();
        }
    }
}

/// Enters the backend. Nothing is left of this where there are no hooks.
#[inline(always)]
pub(crate) fn enter<'a, B: Backend>(subject: impl FnOnce() -> Subject<'a, B>) -> UrResult<Entered<B>> {
    if B::ENTRY_HOOKS {
        B::enter(subject())?;
    }
    Ok(Entered(PhantomData))
}

/// A parameter of an entry point.
pub(crate) struct Parameter<'p, B, T>(&'p T, PhantomData<B>);

impl<'p, B: Backend, T> Parameter<'p, B, T> {
    pub(crate) fn new(value: &'p T) -> Self {
        Self(value, PhantomData)
    }
}

/// A handle of an object that a call may be about.
pub(crate) trait SubjectHandle<B: Backend>: Copy {
    /// The object, if it is one.
    ///
    /// # Safety
    /// As [`object`](crate::handle::object).
    unsafe fn subject<'a>(self) -> Option<Subject<'a, B>>;
}

/// Finds the subject that a parameter is. Of this trait and the next one, the compiler takes the first that fits when the
/// method of a `&Parameter` is called, so that entry points need not say which of their parameters are handles.
pub(crate) trait IsSubject<B: Backend> {
    /// # Safety
    /// As [`object`](crate::handle::object).
    unsafe fn subject<'a>(&self) -> Option<Subject<'a, B>>;
}

impl<B: Backend, T: SubjectHandle<B>> IsSubject<B> for Parameter<'_, B, T> {
    unsafe fn subject<'a>(&self) -> Option<Subject<'a, B>> {
        // SAFETY: passed on to the caller.
        unsafe { self.0.subject() }
    }
}

/// Of any other parameter.
pub(crate) trait IsNoSubject<B: Backend> {
    /// # Safety
    /// There is nothing to promise.
    unsafe fn subject<'a>(&self) -> Option<Subject<'a, B>> {
        None
    }
}

impl<B: Backend, T> IsNoSubject<B> for &Parameter<'_, B, T> {}

/// The subject of a call with these parameters: the first object among them.
macro_rules! subject {
    ($b:ident; $($p:ident),*) => {{
        #[allow(unused_imports, reason = "most calls have only handles, or only others, before the first object")]
        use $crate::entry_hook::{IsNoSubject as _, IsSubject as _, Parameter, Subject};
        #[allow(clippy::needless_borrow, reason = "it chooses between two traits")]
        let found = None$(.or_else(|| (&Parameter::<$b, _>::new(&$p)).subject()))*;
        found.unwrap_or(Subject::Nothing)
    }};
}
pub(crate) use subject;

macro_rules! subjects {
    ($( $(#[$doc:meta])* $object:ident = $handle:ident; )*) => {
        /// What a call of the client's is about: the first object among its parameters.
        #[non_exhaustive]
        pub enum Subject<'a, B: Backend> {
            $( $(#[$doc])* $object(Borrowed<'a, B::$object>), )*
            /// A command of a command buffer.
            BufferCommand(Borrowed<'a, BufferCommand<B>>),
            /// No object, or none that lives.
            Nothing,
        }

        $( impl<B: Backend> SubjectHandle<B> for $handle {
            unsafe fn subject<'a>(self) -> Option<Subject<'a, B>> {
                // SAFETY: passed on to the caller.
                unsafe { object_if::<B::$object>(self) }.map(Subject::$object)
            }
        } )*
    };
}

subjects! {
    /// The adapter.
    Adapter = AdapterHandle;
    /// A platform.
    Platform = PlatformHandle;
    /// A device.
    Device = DeviceHandle;
    /// A context.
    Context = ContextHandle;
    /// A queue.
    Queue = QueueHandle;
    /// An event.
    Event = EventHandle;
    /// A buffer or an image.
    Mem = MemHandle;
    /// A sampler.
    Sampler = SamplerHandle;
    /// A program.
    Program = ProgramHandle;
    /// A kernel.
    Kernel = KernelHandle;
    /// A pool of USM.
    UsmPool = UsmPoolHandle;
    /// Physical memory.
    PhysicalMem = PhysicalMemHandle;
    /// A command buffer.
    CommandBuffer = ExpCommandBufferHandle;
    /// A graph.
    Graph = ExpGraphHandle;
    /// What is run of a graph.
    ExecutableGraph = ExpExecutableGraphHandle;
}

impl<B: Backend> SubjectHandle<B> for ExpCommandBufferCommandHandle {
    unsafe fn subject<'a>(self) -> Option<Subject<'a, B>> {
        // SAFETY: passed on to the caller.
        unsafe { object_if::<BufferCommand<B>>(self) }.map(Subject::BufferCommand)
    }
}
