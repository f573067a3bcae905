// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory objects. Buffers are made and used; images are those that UR made, and can be asked what they are.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use kit::Mem as _;
use kit::ur::{BufferCreateType, BufferProperties, BufferRegion, ImageInfo, MemFlags, MemHandle};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;

use super::error::{ClError, ClResult};
use super::handle::{export, object, reference_count};
use super::info::{Out, not_null, value};
use super::{call_ur, creation, entry, object_entries};
use crate::{Context, Mem};

/// What the host promises not to do, which nothing is made of.
const HOST: cl_mem_flags = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// Flags of OpenCL as UR's.
fn flags(bits: cl_mem_flags) -> ClResult<MemFlags> {
    if bits & !(conv::MEM_FLAGS.known() | HOST) != 0 || (bits & HOST).count_ones() > 1 {
        return Err(ClError::with_message(
            CL_INVALID_VALUE,
            format!("no memory has the flags {bits:#x}"),
        ));
    }
    Ok(conv::MEM_FLAGS.to_ur(bits))
}

/// Flags of UR as OpenCL's, where memory is for reading and writing unless it says otherwise.
fn bits(flags: MemFlags) -> cl_mem_flags {
    let bits = conv::MEM_FLAGS.to_cl(flags);
    match bits & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY) {
        0 => bits | CL_MEM_READ_WRITE,
        _ => bits,
    }
}

fn kind(mem: &Mem) -> ClResult<cl_mem_object_type> {
    match mem.image_type() {
        Some(kind) => conv::IMAGE_TYPES.to_cl(kind).map_err(|_| CL_INVALID_MEM_OBJECT.into()),
        None => Ok(CL_MEM_OBJECT_BUFFER),
    }
}

fn info(mem: &Arc<Mem>, query: cl_mem_info, out: Out) -> ClResult<()> {
    match query {
        CL_MEM_TYPE => out.value(kind(mem)?),
        CL_MEM_FLAGS => out.value(bits(mem.flags())),
        CL_MEM_SIZE => out.value(mem.size()),
        CL_MEM_HOST_PTR => out.value(match mem.flags().contains(MemFlags::USE_HOST_POINTER) {
            true => mem.data().cast::<c_void>(),
            false => ptr::null_mut(),
        }),
        // The host's memory is the device's, so maps are not counted.
        CL_MEM_MAP_COUNT => out.value::<cl_uint>(0),
        CL_MEM_REFERENCE_COUNT => out.value(reference_count(&**mem)),
        CL_MEM_CONTEXT => out.handle(mem.context()),
        CL_MEM_ASSOCIATED_MEMOBJECT => match mem.whole() {
            Some((whole, _)) => out.handle(whole),
            None => out.value(ptr::null_mut::<c_void>()),
        },
        CL_MEM_OFFSET => out.value(mem.whole().map_or(0, |(_, origin)| origin)),
        CL_MEM_USES_SVM_POINTER => out.bool(false),
        CL_MEM_PROPERTIES => out.slice::<cl_mem_properties>(&[]),
        _ => out.unknown(),
    }
}

fn image_info(image: &Mem, query: cl_image_info, out: Out) -> ClResult<()> {
    let ask = |query| move |out: kit::InfoOut<'_>| image.image_info(query, out);
    let kind = kind(image)?;
    let size = |query, has: bool| -> ClResult<usize> { Ok(if has { value(ask(query))? } else { 0 }) };
    let is = |kinds: &[cl_mem_object_type]| kinds.contains(&kind);
    match query {
        // The compiler has the numbers of OpenCL.
        CL_IMAGE_FORMAT => match image.image() {
            Some(image) => out.value([image.channel_order, image.channel_type]),
            None => Err(CL_INVALID_MEM_OBJECT.into()),
        },
        CL_IMAGE_ELEMENT_SIZE => out.value(size(ImageInfo::ELEMENT_SIZE, true)?),
        CL_IMAGE_ROW_PITCH => out.value(size(ImageInfo::ROW_PITCH, true)?),
        CL_IMAGE_SLICE_PITCH => out.value(size(ImageInfo::SLICE_PITCH, true)?),
        CL_IMAGE_WIDTH => out.value(size(ImageInfo::WIDTH, true)?),
        CL_IMAGE_HEIGHT => {
            let flat = is(&[CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY]);
            out.value(size(ImageInfo::HEIGHT, !flat)?)
        }
        CL_IMAGE_DEPTH => out.value(size(ImageInfo::DEPTH, is(&[CL_MEM_OBJECT_IMAGE3D]))?),
        CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => out.value::<cl_uint>(0),
        _ => out.unknown(),
    }
}

/// A buffer.
///
/// # Safety
/// `host`, unless null, must point to `size` bytes.
unsafe fn buffer(context: cl_context, bits: cl_mem_flags, size: usize, host: *mut c_void) -> ClResult<*mut c_void> {
    let context = object::<Context>(context)?;
    let properties = BufferProperties {
        pHost: host,
        ..Default::default()
    };
    let mut made = MemHandle::default();
    // SAFETY: live handles and places; the caller vouches for the host's memory.
    unsafe {
        call_ur!(Mem.pfnBufferCreate(kit::handle_of(&context), flags(bits)?, size, &properties, &mut made))?;
        Ok(export(&kit::take::<Mem>(made)?))
    }
}

creation! {
    fn clCreateBuffer(context: cl_context, flags: cl_mem_flags, size: usize, host: *mut c_void) {
        buffer(context, flags, size, host)
    }

    fn clCreateBufferWithProperties(
        context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, size: usize, host: *mut c_void,
    ) {
        if !properties.is_null() && properties.read() != 0 {
            let what = format!("no property {:#x}", properties.read());
            return Err(ClError::with_message(CL_INVALID_PROPERTY, what));
        }
        buffer(context, flags, size, host)
    }

    fn clCreateSubBuffer(buffer: cl_mem, bits: cl_mem_flags, kind: cl_buffer_create_type, region: *const c_void) {
        let buffer = object::<Mem>(buffer)?;
        if kind != CL_BUFFER_CREATE_TYPE_REGION {
            return Err(CL_INVALID_VALUE.into());
        }
        not_null(region, "the region")?;
        let cl_buffer_region { origin, size } = region.cast::<cl_buffer_region>().read();
        let region = BufferRegion { origin, size, ..Default::default() };
        let mut made = MemHandle::default();
        let flags = flags(bits)?;
        call_ur!(Mem.pfnBufferPartition(kit::handle_of(&buffer), flags, BufferCreateType::REGION, &region, &mut made))?;
        Ok(export(&kit::take::<Mem>(made)?))
    }
}

object_entries!(Mem as cl_mem: clRetainMemObject, clReleaseMemObject, clGetMemObjectInfo);

entry! {
    fn clGetImageInfo(image: cl_mem, query: cl_image_info, size: usize, value: *mut c_void, needed: *mut usize) {
        let image = object::<Mem>(image)?;
        if image.image_type().is_none() {
            return Err(ClError::with_message(CL_INVALID_MEM_OBJECT, "it is a buffer"));
        }
        image_info(&image, query, Out::new(size, value, needed))
    }
}
