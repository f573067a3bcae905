// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What every stack can do: the calls that are measured, in terms that OpenCL and the Unified Runtime share.

use std::error::Error;
use std::ffi::c_void;
use std::time::Duration;

use crate::threads::Shared;

/// Why a stack cannot do something.
pub type Failure = Box<dyn Error>;

/// The two ways to launch a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `urKernelSetArg*` and `urEnqueueKernelLaunch`: clients of 2026.1.
    SetArgs,
    /// `urEnqueueKernelLaunchWithArgsExp`: clients of 2026.2.
    WithArgs,
}

/// A launch of one work-item.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// The function.
    pub call: Call,
    /// Whether an event is asked for.
    pub event: bool,
    /// Whether the local size is given.
    pub local: bool,
    /// Whether the driver does nothing: see `silent.rs`.
    pub silent: bool,
}

/// A launch of a client of 2026.2.
pub const WITH_ARGS: Launch = Launch {
    call: Call::WithArgs,
    event: false,
    local: true,
    silent: false,
};

/// The arguments of `multiply_add`.
#[derive(Clone, Copy, Debug)]
pub struct FourArgs {
    /// Where the result goes.
    pub out: *mut c_void,
    /// What is multiplied.
    pub input: *const c_void,
    /// The factor.
    pub factor: i32,
    /// What is added.
    pub summand: i32,
}

/// Kinds of USM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of the device.
    Device,
    /// Of host and device.
    Shared,
    /// Of the host.
    Host,
}

/// How commands are put together that run again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// A command buffer, to which they are appended.
    CommandBuffer,
    /// A graph, into which a queue captures them.
    Graph,
}

/// The commands of a command buffer, which all stacks have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commands {
    /// Launches of `multiply_add`, whose arguments are set one by one, each with another summand.
    Launches,
    /// Fills of USM.
    Fills,
    /// Copies between USM.
    Copies,
}

/// What a thread submits launches with: a queue and a kernel.
pub trait Line: Send {
    /// Launches `multiply_add`.
    fn launch(&self, args: FourArgs);
    /// Waits for all commands of the queue.
    fn finish(&self);
}

/// A stack with a device, an in-order queue and the program of `kernels.cl`. A call that fails ends the program: a figure
/// of a call that did nothing would be a lie.
pub trait Stack: 'static {
    /// The completion of a command.
    type Event: Copy;
    /// Commands that run again and again.
    type Recording: 'static;
    /// What a thread submits launches with.
    type Line: Line + 'static;

    /// Names it in messages.
    fn title(&self) -> &str;

    /// Launches `count_up`.
    fn launch(&self, launch: Launch) -> Option<Self::Event>;
    /// Launches `multiply_add`.
    fn launch_four(&self, launch: Launch, args: FourArgs) -> Option<Self::Event>;
    /// Launches of `multiply_add` one after the other, ready to run, if there is such a thing.
    fn record(&self, means: Means, count: u32, args: FourArgs) -> Option<Self::Recording>;
    /// A command buffer of so many commands, not finalized, if there is such a thing. Launches end with `args`, fills and
    /// copies are of four bytes: the summand, or what `args` has as input.
    fn append(&self, commands: Commands, count: u32, args: FourArgs) -> Option<Self::Recording>;
    /// Finalizes it.
    fn finalize(&self, recording: &Self::Recording);
    /// As many as there are threads.
    fn lines(&self, threads: usize, shared: Shared) -> Vec<Self::Line>;
    /// Runs them.
    fn replay(&self, recording: &Self::Recording);
    /// Gives the last launch of a command buffer another summand.
    fn update(&self, recording: &Self::Recording, summand: i32);
    /// An event after all commands so far.
    fn barrier(&self) -> Self::Event;
    /// Waits for all commands.
    fn finish(&self);

    /// Waits for an event.
    fn wait(&self, event: Self::Event);
    /// Takes a reference.
    fn retain(&self, event: Self::Event);
    /// Gives a reference back.
    fn release(&self, event: Self::Event);

    /// Copies, and waits.
    fn memcpy(&self, to: *mut c_void, from: *const c_void, size: usize);
    /// Allocates USM, from the pool where `pool` says so.
    fn alloc(&self, kind: Kind, size: usize, pool: bool) -> *mut c_void;
    /// Frees USM.
    fn free(&self, memory: *mut c_void);
    /// Whether allocations can come from a pool.
    fn has_pool(&self) -> bool;

    /// Reads a variable of the program, and waits.
    fn read_global(&self, name: &std::ffi::CStr, to: &mut [i32]);
    /// Writes a variable of the program, and waits.
    fn write_global(&self, name: &std::ffi::CStr, from: &[i32]);

    /// Adapters, platforms, devices; the number of devices.
    fn enumerate(&self) -> usize;
    /// The number of compute units.
    fn compute_units(&self) -> u32;
    /// The name, as long as the buffer has room.
    fn name(&self, buffer: &mut [u8]) -> usize;
}

/// How long something takes.
pub fn timed(work: impl FnOnce()) -> Duration {
    let start = std::time::Instant::now();
    work();
    start.elapsed()
}
