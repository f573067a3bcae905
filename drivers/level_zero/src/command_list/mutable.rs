// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Changes of the commands of a closed list: ZE_experimental_mutable_command_list.

use std::ffi::c_void;

use super::CommandList;
use super::launch::LaunchState;
use super::recording::{Mutable, Recording};
use crate::Kernel;
use crate::command::Events;
use crate::entry::{Error, ZeResult, entry};
use crate::handle::{known, object, out, required, slice};
use level_zero_sys::*;

/// The next number of a command.
fn next_id(list: &CommandList, flags: ze_mutable_command_exp_flags_t) -> ZeResult<u64> {
    known(flags, 0xff)?;
    let recording = &mut *list.recording()?.lock();
    if !recording.is_mutable() {
        return Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "the command list was not created with ze_mutable_command_list_exp_desc_t",
        ));
    }
    recording.check_open()?;
    // The same again if nothing was appended since.
    if let Some(id) = recording.next_id {
        return Ok(id);
    }
    recording.last_id += 1;
    recording.next_id = Some(recording.last_id);
    Ok(recording.last_id)
}

/// Changes the launch of a command.
fn change(recording: &mut Recording, id: u64, change: impl FnOnce(&mut LaunchState) -> ZeResult) -> ZeResult {
    let command = recording.mutable(id)?;
    let Some(Mutable {
        launch: Some(launch),
        changed,
        ..
    }) = &mut command.mutable
    else {
        return Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            format!("command {id} is no launch"),
        ));
    };
    change(launch)?;
    // The work is made when the list is closed: a new kernel may not have all its arguments yet.
    *changed = true;
    recording.reopen();
    Ok(())
}

/// A structure of the chain of changes.
///
/// # Safety
/// The structure must be of this type.
unsafe fn cast<'a, T>(structure: *const c_void) -> &'a T {
    // SAFETY: passed on to the caller.
    unsafe { &*structure.cast() }
}

/// Applies the changes of a chain.
///
/// # Safety
/// `next` must be a chain of structures.
unsafe fn apply(list: &CommandList, mut next: *const c_void) -> ZeResult {
    #[repr(C)]
    struct Head {
        stype: ze_structure_type_t,
        next: *const c_void,
    }
    let mut recording = list.recording()?.lock();
    while !next.is_null() {
        // SAFETY: the caller says that it is a structure with a type; each is read as what its type says.
        unsafe {
            let head: &Head = cast(next);
            match head.stype {
                ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC => {
                    let desc: &ze_mutable_kernel_argument_exp_desc_t = cast(next);
                    change(&mut recording, desc.commandId, |launch| {
                        launch.kernel.set(desc.argIndex as usize, desc.argSize, desc.pArgValue)
                    })?;
                }
                ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC => {
                    let desc: &ze_mutable_group_count_exp_desc_t = cast(next);
                    let count = *required(desc.pGroupCount)?;
                    if [count.groupCountX, count.groupCountY, count.groupCountZ].contains(&0) {
                        return Err(Error::new(
                            ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            format!("a launch cannot become one of {count:?} groups"),
                        ));
                    }
                    change(&mut recording, desc.commandId, |launch| {
                        launch.count = count;
                        Ok(())
                    })?;
                }
                ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC => {
                    let desc: &ze_mutable_group_size_exp_desc_t = cast(next);
                    let size = [desc.groupSizeX, desc.groupSizeY, desc.groupSizeZ];
                    change(&mut recording, desc.commandId, |launch| {
                        launch.kernel.set_group_size(size)
                    })?;
                }
                ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC => {
                    let desc: &ze_mutable_global_offset_exp_desc_t = cast(next);
                    let offset = [desc.offsetX, desc.offsetY, desc.offsetZ];
                    change(&mut recording, desc.commandId, |launch| {
                        launch.kernel.offset = offset;
                        Ok(())
                    })?;
                }
                other => log::debug!("a change of type {other} is skipped"),
            }
            next = head.next;
        }
    }
    Ok(())
}

entry! {
    fn zeCommandListGetNextCommandIdExp(
        list: ze_command_list_handle_t,
        desc: *const ze_mutable_command_id_exp_desc_t,
        id: *mut u64,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let list = object::<CommandList>(list)?;
            *out(id)? = next_id(list, required(desc)?.flags)?;
        }
        Ok(())
    }

    fn zeCommandListGetNextCommandIdWithKernelsExp(
        list: ze_command_list_handle_t,
        desc: *const ze_mutable_command_id_exp_desc_t,
        count: u32,
        kernels: *mut ze_kernel_handle_t,
        id: *mut u64,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let list = object::<CommandList>(list)?;
            // Any kernel can take the place of another.
            slice(kernels.cast_const(), count)?;
            *out(id)? = next_id(list, required(desc)?.flags)?;
        }
        Ok(())
    }

    fn zeCommandListUpdateMutableCommandsExp(
        list: ze_command_list_handle_t,
        desc: *const ze_mutable_commands_exp_desc_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let list = object::<CommandList>(list)?;
            apply(list, required(desc)?.pNext)
        }
    }

    fn zeCommandListUpdateMutableCommandSignalEventExp(
        list: ze_command_list_handle_t,
        id: u64,
        event: ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let list = object::<CommandList>(list)?;
            let Events { signal, .. } = Events::new(&list.context, event, 0, std::ptr::null_mut())?;
            let mut recording = list.recording()?.lock();
            recording.mutable(id)?.events.signal = signal;
            recording.reopen();
        }
        Ok(())
    }

    fn zeCommandListUpdateMutableCommandWaitEventsExp(
        list: ze_command_list_handle_t,
        id: u64,
        count: u32,
        events: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let list = object::<CommandList>(list)?;
            let recording = &mut *list.recording()?.lock();
            let command = recording.mutable(id)?;
            let appended = command.mutable.as_ref().map_or(0, |mutable| mutable.wait_count);
            if count as usize != appended && !events.is_null() {
                return Err(Error::new(
                    ZE_RESULT_ERROR_INVALID_SIZE,
                    format!("the command was appended with {appended} events to wait for, so that it cannot have {count}"),
                ));
            }
            // No event, or no array, is one less to wait for.
            let named = match events.is_null() {
                true => Vec::new(),
                false => slice(events.cast_const(), count)?.iter().copied().filter(|event| !event.is_null()).collect(),
            };
            let named = Events::new(&list.context, std::ptr::null_mut(), named.len() as u32, named.as_ptr().cast_mut())?;
            command.events.waits = named.waits;
            recording.reopen();
        }
        Ok(())
    }

    fn zeCommandListUpdateMutableCommandKernelsExp(
        list: ze_command_list_handle_t,
        count: u32,
        ids: *mut u64,
        kernels: *mut ze_kernel_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let list = object::<CommandList>(list)?;
            let (ids, kernels) = (slice(ids.cast_const(), count)?, slice(kernels.cast_const(), count)?);
            let mut recording = list.recording()?.lock();
            for (id, kernel) in ids.iter().zip(kernels) {
                let kernel = object::<Kernel>(*kernel)?.current();
                change(&mut recording, *id, |launch| {
                    launch.kernel = kernel;
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}
