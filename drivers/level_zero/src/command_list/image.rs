// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Copies of images.

use std::ffi::c_void;
use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::bytes::{ByteWork, CopyRows};
use oxur_device_cpu::order::OrderFlags;

use super::CommandList;
use super::append::target;
use crate::Image;
use crate::command::Events;
use crate::entry::{ZeResult, entry, err};
use crate::handle::object;

/// Appends a copy of rows, which keeps its images.
fn append<const N: usize>(list: &CommandList, events: Events, copy: CopyRows, images: [&Arc<Image>; N]) -> ZeResult {
    // SAFETY: the rows are those of regions in the images, which the work keeps. The client guarantees that its memory is
    // accessible until the command is complete, and orders its commands.
    let work = unsafe { ByteWork::new(copy, images.map(Arc::clone)) };
    list.append(work, OrderFlags::default(), events)
}

fn not_null<T>(pointer: *const T) -> ZeResult {
    if pointer.is_null() {
        err(ZE_RESULT_ERROR_INVALID_NULL_POINTER)
    } else {
        Ok(())
    }
}

entry! {
    fn zeCommandListAppendImageCopy(
        list: ze_command_list_handle_t,
        dst: ze_image_handle_t,
        src: ze_image_handle_t,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, count, waits)?;
            let (dst, src) = (object::<Image>(dst)?, object::<Image>(src)?);
            append(list, events, dst.copy_from_image(None, src, None)?, [dst, src])
        }
    }

    fn zeCommandListAppendImageCopyRegion(
        list: ze_command_list_handle_t,
        dst: ze_image_handle_t,
        src: ze_image_handle_t,
        dst_region: *const ze_image_region_t,
        src_region: *const ze_image_region_t,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, count, waits)?;
            let (dst, src) = (object::<Image>(dst)?, object::<Image>(src)?);
            append(list, events, dst.copy_from_image(dst_region.as_ref(), src, src_region.as_ref())?, [dst, src])
        }
    }

    fn zeCommandListAppendImageCopyToMemory(
        list: ze_command_list_handle_t,
        dst: *mut c_void,
        src: ze_image_handle_t,
        region: *const ze_image_region_t,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        not_null(dst)?;
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, count, waits)?;
            let src = object::<Image>(src)?;
            append(list, events, src.copy_to_memory(region.as_ref(), dst, 0, 0)?, [src])
        }
    }

    fn zeCommandListAppendImageCopyFromMemory(
        list: ze_command_list_handle_t,
        dst: ze_image_handle_t,
        src: *const c_void,
        region: *const ze_image_region_t,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        not_null(src)?;
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, count, waits)?;
            let dst = object::<Image>(dst)?;
            append(list, events, dst.copy_from_memory(region.as_ref(), src, 0, 0)?, [dst])
        }
    }

    fn zeCommandListAppendImageCopyToMemoryExt(
        list: ze_command_list_handle_t,
        dst: *mut c_void,
        src: ze_image_handle_t,
        region: *const ze_image_region_t,
        row_pitch: u32,
        slice_pitch: u32,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        not_null(dst)?;
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, count, waits)?;
            let src = object::<Image>(src)?;
            append(list, events, src.copy_to_memory(region.as_ref(), dst, row_pitch, slice_pitch)?, [src])
        }
    }

    fn zeCommandListAppendImageCopyFromMemoryExt(
        list: ze_command_list_handle_t,
        dst: ze_image_handle_t,
        src: *const c_void,
        region: *const ze_image_region_t,
        row_pitch: u32,
        slice_pitch: u32,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        not_null(src)?;
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, count, waits)?;
            let dst = object::<Image>(dst)?;
            append(list, events, dst.copy_from_memory(region.as_ref(), src, row_pitch, slice_pitch)?, [dst])
        }
    }
}
