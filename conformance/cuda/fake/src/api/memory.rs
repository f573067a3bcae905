// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of memory, and of copies and fills.
#![allow(
    clippy::missing_safety_doc,
    reason = "the rules are CUDA's: live handles, and places for what is returned"
)]

use std::ffi::{c_int, c_uint, c_void};

use oxur_cuda_sys::*;

use super::{code, stream};
use crate::device;
use crate::fail::Object;
use crate::memory::{self, Kind};
use crate::stream::Stream;
use crate::transfer::{Fill, Rows};

/// Submits a copy. The caller waits for one of memory that CUDA does not know.
fn copy(stream: &Stream, rows: Rows) -> Result<(), CUresult> {
    device::current()?;
    if !rows.is_in_reach(stream.device.ordinal) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let waits = rows.is_pageable();
    stream.submit(move |_| rows.copy())?;
    if waits { stream.wait() } else { Ok(()) }
}

/// Submits a copy of memory that two devices have, of which neither needs to reach the other's.
fn copy_between(stream: &Stream, rows: Rows, dst: CUcontext, src: CUcontext) -> Result<(), CUresult> {
    device::current()?;
    if !rows.are_of(device::of(dst)?.ordinal, device::of(src)?.ordinal) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    stream.submit(move |_| rows.copy())
}

/// Submits a fill of rows with elements of `T`'s size.
fn fill<T: Into<u32>>(
    stream: &Stream,
    dst: u64,
    pitch: usize,
    value: T,
    width: usize,
    height: usize,
) -> Result<(), CUresult> {
    device::current()?;
    let fill = Fill {
        dst,
        pitch,
        value: value.into(),
        element: size_of::<T>(),
        width,
        height,
    };
    let fill = fill.check(stream.device.ordinal)?;
    stream.submit(move |_| fill.fill())
}

api! {
    fn cuMemGetInfo(free: *mut usize, total: *mut usize) {
        let own = device::current()?.ordinal;
        let all = crate::setting("FAKE_CUDA_MEMORY", 1 << 30) as usize;
        total.write(all);
        free.write(all - memory::used(own));
        Ok(())
    }

    fn cuMemAlloc(address: *mut CUdeviceptr, size: usize) {
        address.write(memory::allocate_shared(size, device::current()?.ordinal)? as u64);
        Ok(())
    }

    fn cuMemFree(address: CUdeviceptr) {
        stream::wait_all(device::current()?)?;
        match memory::free(address as usize, |kind| matches!(kind, Kind::Device | Kind::Managed)) {
            CUDA_SUCCESS => Ok(()),
            other => Err(other),
        }
    }

    fn cuMemPoolCreate(place: *mut CUmemoryPool, properties: *const CUmemPoolProps) {
        device::current()?;
        let p = &*properties;
        if p.allocType != CU_MEM_ALLOCATION_TYPE_PINNED || p.location.kind != CU_MEM_LOCATION_TYPE_DEVICE {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        // The handle of a pool is that of its device.
        place.write(device::get(p.location.id)?.context().cast());
        Object::Pool.made();
        Ok(())
    }

    fn cuMemPoolDestroy(pool: CUmemoryPool) {
        device::of(pool.cast())?;
        Object::Pool.gone();
        Ok(())
    }

    fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: c_int, _value: *mut c_void) {
        device::of(pool.cast())?;
        match attribute {
            CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => Ok(()),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }

    fn cuMemPoolSetAccess(pool: CUmemoryPool, access: *const CUmemAccessDesc, count: usize) {
        let own = device::of(pool.cast())?;
        for at in 0..count {
            let device = device::get((*access.add(at)).location.id)?;
            let may = (*access.add(at)).flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
            match device.ordinal == own.ordinal {
                true if may => {}
                false if device::are_peers(device.ordinal, own.ordinal) => {
                    memory::set_peer(device.ordinal, own.ordinal, true, may);
                }
                _ => return Err(CUDA_ERROR_INVALID_DEVICE),
            }
        }
        Ok(())
    }

    fn cuMemAllocFromPoolAsync(address: *mut CUdeviceptr, size: usize, pool: CUmemoryPool, on: CUstream) {
        device::current()?;
        // What was freed before in the order of the stream is there again.
        stream(on)?.wait()?;
        address.write(memory::allocate_pooled(size, device::of(pool.cast())?.ordinal)? as u64);
        Ok(())
    }

    fn cuMemFreeAsync(address: CUdeviceptr, on: CUstream) {
        device::current()?;
        if memory::find(address as usize).is_none_or(|piece| piece.kind != Kind::Device || piece.base as u64 != address) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        stream(on)?.submit(move |_| match memory::free(address as usize, |kind| kind == Kind::Device) {
            CUDA_SUCCESS => Ok(()),
            other => Err(other),
        })
    }

    fn cuMemHostAlloc(address: *mut *mut c_void, size: usize, _flags: c_uint) {
        address.write(memory::allocate(size, Kind::Host, device::current()?.ordinal)? as *mut c_void);
        Ok(())
    }

    fn cuMemFreeHost(address: *mut c_void) {
        stream::wait_all(device::current()?)?;
        match memory::free(address as usize, |kind| kind == Kind::Host) {
            CUDA_SUCCESS => Ok(()),
            other => Err(other),
        }
    }

    fn cuMemAllocManaged(address: *mut CUdeviceptr, size: usize, flags: c_uint) {
        if flags != CU_MEM_ATTACH_GLOBAL {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        address.write(memory::allocate(size, Kind::Managed, device::current()?.ordinal)? as u64);
        Ok(())
    }

    fn cuMemHostRegister(address: *mut c_void, size: usize, _flags: c_uint) {
        device::current()?;
        match memory::register(address as usize, size) {
            CUDA_SUCCESS => Ok(()),
            other => Err(other),
        }
    }

    fn cuMemHostUnregister(address: *mut c_void) {
        device::current()?;
        match memory::free(address as usize, |kind| kind == Kind::Registered) {
            CUDA_SUCCESS => Ok(()),
            _ => Err(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
        }
    }

    fn cuPointerGetAttributes(
        count: c_uint, attributes: *mut CUpointer_attribute, data: *mut *mut c_void, address: CUdeviceptr,
    ) {
        device::current()?;
        let found = memory::find(address as usize);
        for at in 0..count as usize {
            let place = *data.add(at);
            match *attributes.add(at) {
                CU_POINTER_ATTRIBUTE_CONTEXT => {
                    let context = found.map_or(std::ptr::null_mut(), |piece| device::all()[piece.device as usize].context());
                    place.cast::<CUcontext>().write(context);
                }
                CU_POINTER_ATTRIBUTE_MEMORY_TYPE => place.cast::<u32>().write(match found.map(|piece| piece.kind) {
                    None => 0,
                    Some(Kind::Host | Kind::Registered) => CU_MEMORYTYPE_HOST,
                    Some(_) => CU_MEMORYTYPE_DEVICE,
                }),
                CU_POINTER_ATTRIBUTE_IS_MANAGED => {
                    place.cast::<u8>().write(u8::from(found.is_some_and(|piece| piece.kind == Kind::Managed)));
                }
                CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => place.cast::<c_int>().write(found.map_or(-2, |piece| piece.device)),
                CU_POINTER_ATTRIBUTE_RANGE_START_ADDR => place.cast::<u64>().write(found.map_or(0, |piece| piece.base as u64)),
                CU_POINTER_ATTRIBUTE_RANGE_SIZE => place.cast::<usize>().write(found.map_or(0, |piece| piece.size)),
                _ => return Err(CUDA_ERROR_INVALID_VALUE),
            }
        }
        Ok(())
    }

    fn cuMemAdvise(address: CUdeviceptr, size: usize, advice: CUmem_advise, device: CUdevice) {
        device::current()?;
        match memory::find(address as usize) {
            Some(piece) if piece.kind == Kind::Managed && size != 0 && (1..=6).contains(&advice) && device >= -1 => Ok(()),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }

    fn cuMemPrefetchAsync(address: CUdeviceptr, size: usize, device: CUdevice, on: CUstream) {
        stream(on)?;
        device::current()?;
        match memory::find(address as usize) {
            Some(piece) if piece.kind == Kind::Managed && size != 0 && device >= -1 => Ok(()),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }

    fn cuMemcpyAsync(dst: CUdeviceptr, src: CUdeviceptr, size: usize, on: CUstream) {
        copy(stream(on)?, Rows::plain(dst, src, size))
    }

    fn cuMemcpy3DAsync(description: *const CUDA_MEMCPY3D, on: CUstream) {
        copy(stream(on)?, Rows::new(&*description)?)
    }

    fn cuMemcpyPeerAsync(
        dst: CUdeviceptr, dst_context: CUcontext, src: CUdeviceptr, src_context: CUcontext, size: usize, on: CUstream,
    ) {
        let stream = stream(on)?;
        let rows = Rows::plain(dst, src, size);
        copy_between(stream, rows, dst_context, src_context)
    }

    fn cuMemcpy3DPeerAsync(description: *const CUDA_MEMCPY3D_PEER, on: CUstream) {
        let c = &*description;
        copy_between(stream(on)?, Rows::new(c)?, c.reserved1.cast(), c.reserved0.cast())
    }

    fn cuMemsetD8Async(dst: CUdeviceptr, value: u8, count: usize, on: CUstream) {
        fill(stream(on)?, dst, 0, value, count, 1)
    }

    fn cuMemsetD16Async(dst: CUdeviceptr, value: u16, count: usize, on: CUstream) {
        fill(stream(on)?, dst, 0, value, count, 1)
    }

    fn cuMemsetD32Async(dst: CUdeviceptr, value: u32, count: usize, on: CUstream) {
        fill(stream(on)?, dst, 0, value, count, 1)
    }

    fn cuMemsetD2D8Async(dst: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize, on: CUstream) {
        fill(stream(on)?, dst, pitch, value, width, height)
    }

    fn cuMemsetD2D32Async(dst: CUdeviceptr, pitch: usize, value: u32, width: usize, height: usize, on: CUstream) {
        fill(stream(on)?, dst, pitch, value, width, height)
    }
}
