// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Buffers, sub-buffers and images.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{ImageDesc, ImageFormat, ImageInfo, MemFlags, NativeHandle};
use kit::{BufferProperties, HandleCell, HostPointer, ImageCreate, InfoOut, NativeRef, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use crate::cl::{self, Ask, MemObject, Plain, Properties, cl_create, query};
use crate::{Context, Device, OpenCl, conv};

/// A buffer or an image.
pub(crate) struct Mem {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: NativeRef<MemObject>,
    /// Bytes.
    size: usize,
    is_image: bool,
    context: Arc<Context>,
}

fn host(pointer: Option<HostPointer>) -> *mut c_void {
    pointer.map_or(std::ptr::null_mut(), |p| p.0)
}

/// Where a buffer is to be, as the driver takes it. A partition that the driver cannot choose is an error, a channel is a hint.
fn placement(context: &Context, properties: &BufferProperties) -> UrResult<Properties> {
    let mut list = Properties::default();
    if properties.location.is_none() && properties.channel.is_none() {
        return Ok(list);
    }
    let has = |extension: &str| {
        let of_devices = context.devices.iter().all(|device| device.has_extension(extension));
        of_devices && context.ext.clCreateBufferWithPropertiesINTEL.is_some()
    };
    match properties.location {
        Some(location) if has("cl_intel_mem_alloc_buffer_location") => {
            list.add(CL_MEM_ALLOC_BUFFER_LOCATION_INTEL, location);
        }
        _ => properties.without_location()?,
    }
    match properties.channel {
        Some(channel) if has("cl_intel_mem_channel_property") => {
            list.add(CL_MEM_CHANNEL_INTEL, channel);
        }
        Some(channel) => log::info!("the driver has no channels of memory, of which a buffer names {channel}"),
        None => {}
    }
    Ok(list)
}

impl Mem {
    fn new(raw: NativeRef<MemObject>, size: usize, is_image: bool, context: &Arc<Context>) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw,
            size,
            is_image,
            context: context.clone(),
        })
    }

    fn wrap(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let native = native as cl_mem;
        // SAFETY: the client vouches for its native handle.
        let mem = unsafe { NativeRef::<MemObject>::borrowed(native) };
        let (size, kind) = (mem.ask(CL_MEM_SIZE)?, mem.ask::<cl_mem_object_type>(CL_MEM_TYPE)?);
        if mem.ask::<*mut c_void>(CL_MEM_CONTEXT)? != *context.raw {
            kit::bail!(ERROR_INVALID_CONTEXT: "the native memory object belongs to another context");
        }
        // SAFETY: as above.
        let raw = unsafe { NativeRef::wrap(native, owned) }?;
        Ok(Self::new(raw, size, kind != CL_MEM_OBJECT_BUFFER, context))
    }

    fn ask_image<T: Plain>(&self, what: cl_image_info) -> UrResult<T> {
        // SAFETY: a live memory object.
        unsafe { cl::value(query!(clGetImageInfo(*self.raw, what))) }
    }
}

impl kit::Mem<OpenCl> for Mem {
    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn size(&self) -> usize {
        self.size
    }

    fn is_image(&self) -> bool {
        self.is_image
    }

    fn create_buffer(
        context: &Arc<Context>,
        flags: MemFlags,
        size: usize,
        properties: BufferProperties,
    ) -> UrResult<Arc<Self>> {
        let flags = conv::MEM_FLAGS.to_cl(flags);
        let pointer = host(properties.host);
        let placement = placement(context, &properties)?;
        // SAFETY: a live context and a list that ends with 0; the client vouches for its memory.
        let raw = unsafe {
            if placement.is_empty() {
                cl_create!(clCreateBuffer(*context.raw, flags, size, pointer))
            } else {
                cl_create!(
                    context.ext,
                    clCreateBufferWithPropertiesINTEL(*context.raw, placement.as_ptr(), flags, size, pointer)
                )
            }
        }?;
        Ok(Self::new(raw, size, false, context))
    }

    fn sub_buffer(self: &Arc<Self>, flags: MemFlags, origin: usize, size: usize) -> UrResult<Arc<Self>> {
        let region = cl_buffer_region { origin, size };
        let flags = conv::MEM_FLAGS.to_cl(flags);
        // SAFETY: a live buffer; for a region OpenCL reads a `cl_buffer_region`.
        let raw = unsafe {
            cl_create!(clCreateSubBuffer(
                *self.raw,
                flags,
                CL_BUFFER_CREATE_TYPE_REGION,
                std::ptr::from_ref(&region).cast()
            ))
        }?;
        Ok(Self::new(raw, size, false, &self.context))
    }

    fn create_image(context: &Arc<Context>, image: ImageCreate<'_>) -> UrResult<Arc<Self>> {
        let format = cl_image_format {
            image_channel_order: conv::CHANNEL_ORDERS.to_cl(image.format.channelOrder)?,
            image_channel_data_type: conv::CHANNEL_TYPES.to_cl(image.format.channelType)?,
        };
        let from = image.desc;
        // SAFETY: a C structure of integers and pointers, for which zero is a value.
        let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
        desc.image_type = conv::IMAGE_TYPES.to_cl(from.r#type)?;
        desc.image_width = from.width;
        desc.image_height = from.height;
        desc.image_depth = from.depth;
        desc.image_array_size = from.arraySize;
        desc.image_row_pitch = from.rowPitch;
        desc.image_slice_pitch = from.slicePitch;
        desc.num_mip_levels = from.numMipLevel;
        desc.num_samples = from.numSamples;
        let flags = conv::MEM_FLAGS.to_cl(image.flags);
        // SAFETY: a live context and structures that live until the call returns; the client vouches for its memory.
        let raw: NativeRef<MemObject> =
            unsafe { cl_create!(clCreateImage(*context.raw, flags, &format, &desc, host(image.host))) }?;
        let size = raw.ask(CL_MEM_SIZE)?;
        Ok(Self::new(raw, size, true, context))
    }

    fn image_info(&self, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            ImageInfo::FORMAT => {
                let format: cl_image_format = self.ask_image(CL_IMAGE_FORMAT)?;
                out.value(ImageFormat {
                    channelOrder: conv::CHANNEL_ORDERS.to_ur(format.image_channel_order)?,
                    channelType: conv::CHANNEL_TYPES.to_ur(format.image_channel_data_type)?,
                })
            }
            ImageInfo::ELEMENT_SIZE => out.value(self.ask_image::<usize>(CL_IMAGE_ELEMENT_SIZE)?),
            ImageInfo::ROW_PITCH => out.value(self.ask_image::<usize>(CL_IMAGE_ROW_PITCH)?),
            ImageInfo::SLICE_PITCH => out.value(self.ask_image::<usize>(CL_IMAGE_SLICE_PITCH)?),
            ImageInfo::WIDTH => out.value(self.ask_image::<usize>(CL_IMAGE_WIDTH)?),
            ImageInfo::HEIGHT => out.value(self.ask_image::<usize>(CL_IMAGE_HEIGHT)?),
            ImageInfo::DEPTH => out.value(self.ask_image::<usize>(CL_IMAGE_DEPTH)?),
            ImageInfo::ARRAY_SIZE => out.value(self.ask_image::<usize>(CL_IMAGE_ARRAY_SIZE)?),
            ImageInfo::NUM_MIP_LEVELS => out.value(self.ask_image::<u32>(CL_IMAGE_NUM_MIP_LEVELS)?),
            ImageInfo::NUM_SAMPLES => out.value(self.ask_image::<u32>(CL_IMAGE_NUM_SAMPLES)?),
            _ => out.unsupported(),
        }
    }

    fn native(self: &Arc<Self>, _device: Option<&Arc<Device>>) -> UrResult<NativeHandle> {
        self.context.share();
        Ok(*self.raw as NativeHandle)
    }

    fn buffer_from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        Self::wrap(context, native, owned)
    }

    fn image_from_native(
        context: &Arc<Context>,
        native: NativeHandle,
        _format: &ImageFormat,
        _desc: &ImageDesc,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        Self::wrap(context, native, owned)
    }
}
