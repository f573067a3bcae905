// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use kit::Context as _;
use opencl_sys::*;
use oxur_adapter_kit as kit;

use super::error::{ClError, ClResult};
use super::handle::{export, object, objects, reference_count};
use super::info::{Out, list};
use super::{call_ur, creation, entry, object_entries};
use crate::{Context, Device, Platform};

/// What OpenCL calls when something goes wrong in a context; there is nothing that calls do not tell.
type Notify = Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;

/// The properties of a context, as `CL_CONTEXT_PROPERTIES` answers them.
fn check_properties(properties: &[cl_context_properties]) -> ClResult<()> {
    for pair in properties.chunks(2) {
        match *pair {
            [CL_CONTEXT_PLATFORM, platform] => drop(object::<Platform>(platform as cl_platform_id)?),
            // All calls are for all threads, and user events are none of it.
            [CL_CONTEXT_INTEROP_USER_SYNC, _] => {}
            _ => {
                return Err(ClError::with_message(
                    CL_INVALID_PROPERTY,
                    format!("no property {:#x}", pair[0]),
                ));
            }
        }
    }
    Ok(())
}

/// A list of pairs, which a zero ends.
///
/// # Safety
/// `list`, unless null, must be such a list.
unsafe fn pairs<'a>(list: *const cl_context_properties) -> &'a [cl_context_properties] {
    if list.is_null() {
        return &[];
    }
    let mut len = 0;
    // SAFETY: the caller vouches for the list up to the zero.
    unsafe {
        while list.add(len).read() != 0 {
            len += 2;
        }
        std::slice::from_raw_parts(list, len)
    }
}

fn info(context: &Arc<Context>, query: cl_context_info, out: Out) -> ClResult<()> {
    match query {
        CL_CONTEXT_REFERENCE_COUNT => out.value(reference_count(&**context)),
        CL_CONTEXT_NUM_DEVICES => out.value(context.devices().len() as cl_uint),
        CL_CONTEXT_DEVICES => out.handles(context.devices()),
        // Those of a context that was made without any.
        CL_CONTEXT_PROPERTIES => out.slice::<cl_context_properties>(&[]),
        _ => out.unknown(),
    }
}

fn check_notify(notify: Notify, data: *mut c_void) -> ClResult<()> {
    match notify.is_none() && !data.is_null() {
        true => Err(ClError::with_message(
            CL_INVALID_VALUE,
            "there is data for a callback and no callback",
        )),
        false => Ok(()),
    }
}

creation! {
    fn clCreateContext(
        properties: *const cl_context_properties, count: cl_uint, devices: *const cl_device_id, notify: Notify,
        data: *mut c_void,
    ) {
        check_properties(pairs(properties))?;
        check_notify(notify, data)?;
        if count == 0 {
            return Err(ClError::with_message(CL_INVALID_VALUE, "a context has at least one device"));
        }
        let devices = objects::<Device>(list(count as usize, devices)?)?;
        Ok(export(&Context::create(devices, Default::default())?))
    }

    fn clCreateContextFromType(
        properties: *const cl_context_properties, kind: cl_device_type, notify: Notify, data: *mut c_void,
    ) {
        let properties = pairs(properties);
        check_properties(properties)?;
        check_notify(notify, data)?;
        let platform = properties.chunks(2).find(|pair| pair[0] == CL_CONTEXT_PLATFORM);
        let platform = platform.ok_or(CL_INVALID_PLATFORM)?[1] as cl_platform_id;
        if kind & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT) == 0 {
            return Err(CL_DEVICE_NOT_FOUND.into());
        }
        let devices = kit::Platform::devices(&*object::<Platform>(platform)?).to_vec();
        Ok(export(&Context::create(devices, Default::default())?))
    }
}

object_entries!(Context as cl_context: clRetainContext, clReleaseContext, clGetContextInfo);

entry! {
    fn clSetContextDestructorCallback(
        context: cl_context, notify: Option<unsafe extern "C" fn(cl_context, *mut c_void)>, data: *mut c_void,
    ) {
        let object = object::<Context>(context)?;
        let notify = notify.ok_or(CL_INVALID_VALUE)?;
        struct Call(unsafe extern "C" fn(cl_context, *mut c_void), cl_context, *mut c_void);
        /// What UR calls.
        unsafe extern "C" fn call(data: *mut c_void) {
            // SAFETY: the box from below, which is given to this function once.
            let Call(notify, context, data) = *unsafe { Box::from_raw(data.cast::<Call>()) };
            // SAFETY: the client vouches for its function.
            unsafe { notify(context, data) };
        }
        let data = Box::into_raw(Box::new(Call(notify, context, data))).cast();
        call_ur!(Context.pfnSetExtendedDeleter(kit::handle_of(&object), Some(call), data))
    }
}
