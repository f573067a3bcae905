// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Changes to commands of a finalized command buffer: what the client asks for, and what the adapter learns of it.

use std::sync::Arc;

use oxur_api::*;

use super::command_list::BufferCommand;
use crate::chain::decode;
use crate::handle::{Borrowed, object, optional_object};
use crate::{Arg, Args, Backend, Kernel, OwnedLaunch, OwnedRange, Range, UrError, UrResult, args};

/// What an update changed of one command. The command already is what it becomes.
pub struct Change<'a, B: Backend> {
    /// The place of the command among all of the buffer.
    pub place: usize,
    /// What is new.
    pub what: Changed<'a, B>,
}

/// What an update changed.
pub enum Changed<'a, B: Backend> {
    /// Parts of a launch.
    Launch(LaunchChange<'a, B>),
    /// The events that the command waits for: as many as before.
    Events,
    /// What the command signals.
    Signal,
}

/// The parts of a launch that an update changed.
pub struct LaunchChange<'a, B: Backend> {
    /// Another of the kernel's alternatives runs: what is not among `args` has no value yet.
    pub kernel: bool,
    /// The arguments that were set, with their indices and kinds.
    pub args: Vec<Arg<'a, B>>,
    /// Where the range begins.
    pub offset: bool,
    /// How many work-items there are.
    pub global: bool,
    /// The work-group size. It goes with the global size: one that fitted the old one may not fit the new one.
    pub local: bool,
}

/// A change of one launch that a client asks for: what is `None` stays.
pub(super) struct Update<'a, B: Backend> {
    pub(super) command: Borrowed<'a, BufferCommand<B>>,
    kernel: Option<Borrowed<'a, B::Kernel>>,
    args: Vec<Arg<'a, B>>,
    dimensions: usize,
    offset: Option<&'a [usize]>,
    global: Option<&'a [usize]>,
    local: Option<&'a [usize]>,
}

impl<'a, B: Backend> Update<'a, B> {
    /// Takes the client's description.
    ///
    /// # Safety
    /// Its pointers and handles must be as `urCommandBufferUpdateKernelLaunchExp` demands, for `'a`.
    pub(super) unsafe fn new(desc: &'a ExpCommandBufferUpdateKernelLaunchDesc) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        unsafe {
            check_chain(desc.pNext)?;
            let command = object::<BufferCommand<B>>(desc.hCommand)?;
            let kernel = optional_object::<B::Kernel>(desc.hNewKernel)?;
            let mems = args::slice(desc.pNewMemObjArgList, desc.numNewMemObjArgs as usize)?;
            let pointers = args::slice(desc.pNewPointerArgList, desc.numNewPointerArgs as usize)?;
            let values = args::slice(desc.pNewValueArgList, desc.numNewValueArgs as usize)?;
            let mut new = Vec::with_capacity(mems.len() + pointers.len() + values.len());
            for mem in mems {
                check_chain(mem.pNext)?;
                if let Some(properties) = mem.pProperties.as_ref() {
                    check_chain(properties.pNext)?;
                }
                let access = mem
                    .pProperties
                    .as_ref()
                    .map_or(MemFlags::READ_WRITE, |p| p.memoryAccess);
                new.push(Arg::Mem(mem.argIndex, optional_object(mem.hNewMemObjArg)?, access));
            }
            for pointer in pointers {
                check_chain(pointer.pNext)?;
                if let Some(properties) = pointer.pProperties.as_ref() {
                    check_chain(properties.pNext)?;
                }
                new.push(Arg::Pointer(pointer.argIndex, pointer_value(pointer.pNewPointerArg)));
            }
            for value in values {
                check_chain(value.pNext)?;
                if let Some(properties) = value.pProperties.as_ref() {
                    check_chain(properties.pNext)?;
                }
                new.push(if value.pNewValueArg.is_null() {
                    Arg::Local(value.argIndex, value.argSize)
                } else {
                    Arg::Value(
                        value.argIndex,
                        args::slice(value.pNewValueArg.cast::<u8>(), value.argSize)?,
                    )
                });
            }
            let resized = [
                desc.pNewGlobalWorkOffset,
                desc.pNewGlobalWorkSize,
                desc.pNewLocalWorkSize,
            ]
            .iter()
            .any(|array| !array.is_null());
            let dimensions = if resized {
                Range::dimensions(desc.newWorkDim)?
            } else {
                0
            };
            let array = |pointer: *const usize| match pointer.is_null() {
                true => Ok(None),
                false => args::slice(pointer, dimensions).map(Some),
            };
            let local = array(desc.pNewLocalWorkSize)?;
            if let Some(local) = local.filter(|local| local.contains(&0)) {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_WORK_GROUP_SIZE,
                    format!("a work-group has at least one work-item in each dimension, not {local:?}"),
                ));
            }
            Ok(Self {
                command,
                kernel,
                args: new,
                dimensions,
                offset: array(desc.pNewGlobalWorkOffset)?,
                global: array(desc.pNewGlobalWorkSize)?,
                local,
            })
        }
    }

    /// The place of the new kernel among those that the launch may choose from. `None` if the kernel stays.
    fn new_kernel(&self, launch: &OwnedLaunch<B>) -> UrResult<Option<usize>> {
        let Some(kernel) = &self.kernel else {
            return Ok(None);
        };
        let place = launch
            .kernel_alternatives
            .iter()
            .position(|known| Arc::ptr_eq(known, kernel));
        let place = place.ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                "the new kernel was not among the alternatives when the launch was appended",
            )
        })?;
        Ok(Some(place).filter(|place| *place != launch.chosen))
    }

    fn check_dimensions(&self, launch: &OwnedLaunch<B>) -> UrResult<()> {
        let bad = |words: &str| Err(UrError::with_message(ResultCode::ERROR_INVALID_VALUE, words));
        if self.dimensions != 0 && self.dimensions != launch.range.dimensions() {
            if self.global.is_none() || (self.offset.is_none() && launch.range.range().offset.is_some()) {
                return bad("with other dimensions than before a launch needs a new global size and offset");
            }
            if self.local.is_none() && launch.range.range().local.is_some() {
                return bad("with other dimensions than before a launch needs a new work-group size");
            }
        }
        Ok(())
    }

    /// The launch with this change, which leaves `launch` as it is, and what is new in it.
    pub(super) fn applied_to(self, launch: &OwnedLaunch<B>) -> UrResult<(OwnedLaunch<B>, LaunchChange<'a, B>)> {
        self.check_dimensions(launch)?;
        let new_kernel = self.new_kernel(launch)?;
        let mut launch = launch.clone();
        if let Some(place) = new_kernel {
            launch.kernel = launch.kernel_alternatives[place].snapshot(Args::none())?;
            launch.chosen = place;
        } else if !self.args.is_empty() {
            launch.kernel = launch.kernel.snapshot(Args::none())?;
        }
        for arg in &self.args {
            launch.kernel.set_arg(arg.clone())?;
        }
        let mut change = LaunchChange {
            kernel: new_kernel.is_some(),
            args: self.args,
            offset: self.offset.is_some(),
            global: self.global.is_some(),
            local: self.local.is_some(),
        };
        if self.dimensions != 0 {
            let old = launch.range.range();
            // The work-group size stays with the global size: one that was chosen for another may not fit.
            let local = if self.global.is_some() {
                self.local
            } else {
                self.local.or(old.local)
            };
            change.local |= local != old.local;
            launch.range = OwnedRange::new(&Range {
                offset: self.offset.or(old.offset),
                global: self.global.unwrap_or(old.global),
                local,
            });
        }
        Ok((launch, change))
    }
}

/// Checks that nothing is chained to a part of the description.
///
/// # Safety
/// As `urCommandBufferUpdateKernelLaunchExp`.
unsafe fn check_chain(next: *const std::ffi::c_void) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    unsafe { decode!("urCommandBufferUpdateKernelLaunchExp", next) }
}

/// The new value of a pointer: what `pNewPointerArg` points to.
///
/// # Safety
/// `at`, unless null, must point to a pointer.
unsafe fn pointer_value(at: *const std::ffi::c_void) -> *const std::ffi::c_void {
    // SAFETY: passed on to the caller.
    unsafe { at.cast::<*const std::ffi::c_void>().as_ref() }.map_or(std::ptr::null(), |pointer| *pointer)
}
