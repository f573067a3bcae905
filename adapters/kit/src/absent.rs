// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kinds of objects that a backend does not have.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;

use oxur_api::*;

use crate::handle::HandleKind;
use crate::{
    Backend, Change, CommandBuffer, CommandList, EventOut, HandleCell, Kernel, Mem, Node, Object, PhysicalMem, Program,
    Sampler, UrResult, UsmPool, WaitList, unsupported,
};

/// The type of an object that a backend does not have: there is none of it. The functions that would make one answer
/// `ERROR_UNSUPPORTED_FEATURE`.
pub struct Absent<H>(Infallible, PhantomData<H>);

impl<H> Absent<H> {
    /// What any method of an object that does not exist returns.
    pub(crate) fn absurd(&self) -> ! {
        match self.0 {}
    }
}

impl<H: HandleKind> Object for Absent<H> {
    type Handle = H;

    fn handle_cell(&self) -> &HandleCell {
        self.absurd()
    }
}

macro_rules! absent {
    ($( $(#[$doc:meta])* $name:ident $(: $object:ident)? = $handle:ident; )*) => { $(
        $(#[$doc])*
        pub type $name = Absent<$handle>;
        $( impl<B: Backend> $object<B> for $name {} )?
    )* };
}

absent! {
    /// For backends without buffers and images.
    NoMem = MemHandle;
    /// For backends without samplers.
    NoSampler: Sampler = SamplerHandle;
    /// For backends without programs.
    NoProgram = ProgramHandle;
    /// For backends without kernels.
    NoKernel = KernelHandle;
    /// For backends without pools of USM.
    NoUsmPool: UsmPool = UsmPoolHandle;
    /// For backends without physical memory.
    NoPhysicalMem: PhysicalMem = PhysicalMemHandle;
    /// For backends that import no memory of other APIs.
    NoExternalMem = ExpExternalMemHandle;
    /// For backends that import no semaphores of other APIs.
    NoExternalSemaphore = ExpExternalSemaphoreHandle;
    /// For backends without command buffers.
    NoCommandBuffer = ExpCommandBufferHandle;
    /// For backends without graphs.
    NoGraph = ExpGraphHandle;
    /// For backends without graphs.
    NoExecutableGraph = ExpExecutableGraphHandle;
}

impl<B: Backend> Mem<B> for NoMem {
    fn context(&self) -> &Arc<B::Context> {
        self.absurd()
    }

    fn size(&self) -> usize {
        self.absurd()
    }

    fn is_image(&self) -> bool {
        self.absurd()
    }
}

impl<B: Backend> Program<B> for NoProgram {
    fn context(&self) -> &Arc<B::Context> {
        self.absurd()
    }
}

impl<B: Backend> Kernel<B> for NoKernel {
    fn program(&self) -> &Arc<B::Program> {
        self.absurd()
    }
}

impl<B: Backend> CommandBuffer<B> for NoCommandBuffer {
    type Signal = ();
    type Recording = ();

    const SUPPORTED: bool = false;

    fn create(_: CommandList<B>) -> UrResult<Arc<Self>> {
        unsupported()
    }

    fn commands(&self) -> &CommandList<B> {
        self.absurd()
    }

    fn finalize(&self, _: &mut (), _: &[Node<B>]) -> UrResult<()> {
        self.absurd()
    }

    fn update(&self, _: &mut (), _: &[Node<B>], _: &[Change<'_, B>]) -> UrResult<()> {
        self.absurd()
    }

    fn enqueue(self: &Arc<Self>, _: &Arc<B::Queue>, _: WaitList<'_, B>, _: EventOut<'_, B>) -> UrResult<()> {
        self.absurd()
    }
}
