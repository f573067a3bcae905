// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Attributes of memory.

use std::ffi::{c_uint, c_void};

use level_zero_sys::*;

use crate::entry::{Error, ZeResult, entry, err};
use crate::handle::{object, out};
use crate::{Context, Device};

/// The distance between rows of an image in linear memory is a multiple of this: a cache line.
pub(crate) const PITCH_ALIGNMENT: usize = 64;

/// Checks the parameters of a function on the atomic accesses of shared memory. Returns the allocation's first address.
///
/// # Safety
/// The handles must be what the specification asks for.
unsafe fn shared_range(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    memory: *const c_void,
    size: usize,
) -> ZeResult<(&'static Context, usize)> {
    // SAFETY: passed on to the caller.
    let context = unsafe { object::<Context>(context) }?;
    if !device.is_null() {
        // SAFETY: passed on to the caller.
        context.check_device(unsafe { object::<Device>(device) }?)?;
    }
    if memory.is_null() {
        return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    }
    match context.find(memory as usize) {
        Some(found) if found.kind == ZE_MEMORY_TYPE_SHARED && found.contains(memory as usize, size) => {
            Ok((context, found.base))
        }
        _ => Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            format_args!("{size} bytes at {memory:p} are not in shared memory of the context"),
        )),
    }
}

entry! {
    // All atomic accesses work always, so the attribute is only remembered, for the allocation as a whole.
    fn zeMemSetAtomicAccessAttributeExp(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        memory: *const c_void,
        size: usize,
        attribute: ze_memory_atomic_attr_exp_flags_t,
    ) {
        // SAFETY: passed on to the caller.
        let (context, base) = unsafe { shared_range(context, device, memory, size) }?;
        if attribute > 0x7f {
            return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        if let Some(block) = context.memory.block(base) {
            *block.atomics.lock() = attribute;
        }
        Ok(())
    }

    fn zeMemGetAtomicAccessAttributeExp(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        memory: *const c_void,
        size: usize,
        attribute: *mut ze_memory_atomic_attr_exp_flags_t,
    ) {
        // SAFETY: passed on to the caller.
        let ((context, base), attribute) = unsafe { (shared_range(context, device, memory, size)?, out(attribute)?) };
        *attribute = context.memory.block(base).map_or(0, |block| *block.atomics.lock());
        Ok(())
    }

    fn zeMemGetPitchFor2dImage(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        width: usize,
        height: usize,
        element_size: c_uint,
        pitch: *mut usize,
    ) {
        // SAFETY: passed on to the caller.
        let pitch = unsafe {
            object::<Context>(context)?.check_device(object::<Device>(device)?)?;
            out(pitch)?
        };
        let row = width
            .checked_mul(element_size as usize)
            .and_then(|row| row.checked_next_multiple_of(PITCH_ALIGNMENT))
            .filter(|row| row.checked_mul(height).is_some() && *row != 0);
        let Some(row) = row else {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format_args!("{height} rows of {width} elements of {element_size} bytes are no image"),
            ));
        };
        *pitch = row;
        Ok(())
    }
}
