// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command queues.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use kit::Queue as _;
use kit::ur::{QueueFlags, QueueInfo};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;

use super::error::{ClError, ClResult};
use super::handle::{export, object, reference_count};
use super::info::{Out, value};
use super::{call_ur, creation, entry, object_entries};
use crate::{Context, Device, Queue};

const KNOWN: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

/// Properties of OpenCL as flags of UR.
fn flags(properties: cl_command_queue_properties) -> ClResult<QueueFlags> {
    if properties & !conv::QUEUE_FLAGS.known() != 0 {
        return Err(CL_INVALID_VALUE.into());
    }
    if properties & !KNOWN != 0 {
        return Err(ClError::with_message(
            CL_INVALID_QUEUE_PROPERTIES,
            "kernels have no queues",
        ));
    }
    Ok(conv::QUEUE_FLAGS.to_ur(properties))
}

fn create(context: cl_context, device: cl_device_id, bits: cl_command_queue_properties) -> ClResult<*mut c_void> {
    let context = object::<Context>(context)?;
    let device = object::<Device>(device)?;
    Ok(export(&Queue::create(&context, &device, flags(bits)?.into())?))
}

fn info(queue: &Arc<Queue>, query: cl_command_queue_info, out: Out) -> ClResult<()> {
    match query {
        CL_QUEUE_CONTEXT => out.handle(queue.context()),
        CL_QUEUE_DEVICE => out.handle(queue.device()),
        CL_QUEUE_REFERENCE_COUNT => out.value(reference_count(&**queue)),
        CL_QUEUE_PROPERTIES => {
            let flags = value(|out| queue.info(QueueInfo::FLAGS, out))?;
            out.value(conv::QUEUE_FLAGS.to_cl(flags) & KNOWN)
        }
        // Those of a queue that was made without a list of them.
        CL_QUEUE_PROPERTIES_ARRAY => out.slice::<cl_queue_properties>(&[]),
        CL_QUEUE_DEVICE_DEFAULT => out.value(ptr::null_mut::<c_void>()),
        // It is no queue of kernels.
        CL_QUEUE_SIZE => Err(CL_INVALID_COMMAND_QUEUE.into()),
        _ => out.unknown(),
    }
}

creation! {
    fn clCreateCommandQueue(context: cl_context, device: cl_device_id, properties: cl_command_queue_properties) {
        create(context, device, properties)
    }

    fn clCreateCommandQueueWithProperties(
        context: cl_context, device: cl_device_id, list: *const cl_queue_properties,
    ) {
        let mut bits = 0;
        let mut at = list;
        while !at.is_null() && at.read() != 0 {
            match at.read() {
                CL_QUEUE_PROPERTIES_KEY => bits = at.add(1).read(),
                CL_QUEUE_SIZE_KEY => return Err(ClError::with_message(CL_INVALID_QUEUE_PROPERTIES, "kernels have no queues")),
                other => return Err(ClError::with_message(CL_INVALID_VALUE, format!("no property {other:#x}"))),
            }
            at = at.add(2);
        }
        create(context, device, bits)
    }
}

const CL_QUEUE_PROPERTIES_KEY: cl_queue_properties = CL_QUEUE_PROPERTIES as cl_queue_properties;
const CL_QUEUE_SIZE_KEY: cl_queue_properties = CL_QUEUE_SIZE as cl_queue_properties;

object_entries!(Queue as cl_command_queue: clRetainCommandQueue, clReleaseCommandQueue, clGetCommandQueueInfo);

entry! {
    fn clFlush(queue: cl_command_queue) {
        let queue = object::<Queue>(queue)?;
        call_ur!(Queue.pfnFlush(kit::handle_of(&queue)))
    }

    fn clFinish(queue: cl_command_queue) {
        let queue = object::<Queue>(queue)?;
        call_ur!(Queue.pfnFinish(kit::handle_of(&queue)))
    }
}
