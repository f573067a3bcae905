// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions.
#![allow(
    clippy::missing_safety_doc,
    reason = "the rules are CUDA's: live handles, and places for what is returned"
)]
#![allow(clippy::too_many_arguments, reason = "the driver's API decides")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use oxur_cuda_sys::*;

use crate::device;
use crate::fail::Object;
use crate::memory::{self as pieces, Kind};
use crate::module::{self, Function, Link, Module};
use crate::ptx::Launch;
use crate::stream::{self, Event, Stream};

/// Turns a result into CUDA's.
fn code(result: Result<(), CUresult>) -> CUresult {
    result.err().unwrap_or(CUDA_SUCCESS)
}

/// Writes functions whose body is a block of type `Result<(), CUresult>`.
macro_rules! api {
    ($( fn $name:ident($($p:ident: $ty:ty),* $(,)?) $body:block )*) => { $(
        #[allow(unused_unsafe, clippy::undocumented_unsafe_blocks, reason = "the caller vouches for its pointers")]
        pub unsafe extern "C" fn $name($($p: $ty),*) -> CUresult {
            let body = move || -> Result<(), CUresult> { unsafe { $body } };
            code(body())
        }
    )* };
}

mod graphs;
mod memory;
mod virtual_mem;

pub use self::graphs::*;
pub use self::memory::*;
pub use self::virtual_mem::*;

/// A fact of a device: those of an H100, as far as they matter.
fn fact(attribute: CUdevice_attribute) -> c_int {
    match attribute {
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        | CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X
        | CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y => 1024,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z => 64,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X => i32::MAX,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y | CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z => 65535,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK => 48 << 10,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => module::MOST_SHARED as c_int,
        CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY => 64 << 10,
        CU_DEVICE_ATTRIBUTE_WARP_SIZE => 32,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK => 65536,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => 4,
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE => 1_980_000,
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE => 2_619_000,
        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH => 5120,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE => 50 << 20,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => 9,
        CU_DEVICE_ATTRIBUTE_PCI_BUS_ID => 4,
        CU_DEVICE_ATTRIBUTE_ECC_ENABLED
        | CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY
        | CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS
        | CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH
        | CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH
        | CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED => 1,
        _ => 0,
    }
}

unsafe fn stream<'a>(stream: CUstream) -> Result<&'a Stream, CUresult> {
    device::started()?;
    // SAFETY: a live stream. There is no stream 0 here.
    unsafe { stream.cast::<Stream>().as_ref() }.ok_or(CUDA_ERROR_INVALID_HANDLE)
}

unsafe fn event<'a>(event: CUevent) -> Result<&'a Arc<Event>, CUresult> {
    device::started()?;
    // SAFETY: a live event.
    unsafe { event.cast::<Arc<Event>>().as_ref() }.ok_or(CUDA_ERROR_INVALID_HANDLE)
}

unsafe fn function<'a>(function: CUfunction) -> Result<&'a Function, CUresult> {
    // SAFETY: a live function.
    unsafe { function.cast::<Function>().as_ref() }.ok_or(CUDA_ERROR_INVALID_HANDLE)
}

unsafe fn loaded<'a>(module: CUmodule) -> Result<&'a Module, CUresult> {
    device::current()?;
    // SAFETY: a live module.
    unsafe { module.cast::<Module>().as_ref() }.ok_or(CUDA_ERROR_INVALID_HANDLE)
}

/// The block of a launch's parameters.
unsafe fn parameters(
    function: &Function,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<Vec<u8>, CUresult> {
    let mut block = vec![0; function.entry().params_size];
    // SAFETY: as many pointers as parameters, or a list that ends with null.
    unsafe {
        if !params.is_null() {
            for (at, param) in function.entry().params.iter().enumerate() {
                let from = (*params.add(at)).cast::<u8>();
                block[param.offset..][..param.size].copy_from_slice(std::slice::from_raw_parts(from, param.size));
            }
        } else if !extra.is_null() {
            let (mut from, mut size) = (std::ptr::null::<u8>(), 0);
            let mut at = extra;
            while *at != CU_LAUNCH_PARAM_END {
                match *at {
                    CU_LAUNCH_PARAM_BUFFER_POINTER => from = (*at.add(1)).cast(),
                    CU_LAUNCH_PARAM_BUFFER_SIZE => size = *(*at.add(1)).cast::<usize>(),
                    _ => return Err(CUDA_ERROR_INVALID_VALUE),
                }
                at = at.add(2);
            }
            // The driver takes no fewer bytes than the kernel has.
            if size < block.len() {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            let length = block.len();
            block.copy_from_slice(std::slice::from_raw_parts(from, length));
        } else if !block.is_empty() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
    }
    Ok(block)
}

/// A launch, which is checked.
unsafe fn prepared(
    function: CUfunction,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<Launch, CUresult> {
    // SAFETY: passed on to the caller.
    let function = unsafe { self::function(function)? };
    device::current()?;
    let threads: u32 = block.iter().product();
    let too_many = |most: [u32; 3], sizes: [u32; 3]| (0..3).any(|d| sizes[d] == 0 || sizes[d] > most[d]);
    if too_many([1024, 1024, 64], block) || too_many([i32::MAX as u32, 65535, 65535], grid) || threads > 1024 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let entry = function.entry();
    if entry.required.is_some_and(|required| required != block) || entry.most.is_some_and(|most| threads > most) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if threads > function.most_threads() {
        return Err(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    }
    if shared > function.dynamic.load(Ordering::Relaxed) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    // SAFETY: passed on to the caller.
    let params = unsafe { parameters(function, params, extra) }?;
    let mut launch = Launch {
        code: function.code.clone(),
        entry: function.entry,
        grid,
        block,
        shared: shared as usize,
        params,
        cluster: None,
    };
    launch.set_cluster(None)?;
    Ok(launch)
}

unsafe fn launch(
    function: CUfunction,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    on: CUstream,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
    cluster: Option<[c_uint; 3]>,
) -> Result<(), CUresult> {
    // As a GPU's driver, which computes in the calling thread: this raises the flag for inexact results.
    black_box(black_box(1.0_f32) / black_box(3.0));
    // SAFETY: passed on to the caller.
    let (stream, mut launch) = unsafe { (stream(on)?, prepared(function, grid, block, shared, params, extra)?) };
    launch.set_cluster(cluster)?;
    stream.submit(move |device| launch.run(device.ordinal))
}

api! {
    fn cuInit(_flags: c_uint) { device::start() }

    fn cuDriverGetVersion(version: *mut c_int) {
        version.write(crate::setting("FAKE_CUDA_VERSION", 12040) as c_int);
        Ok(())
    }

    fn cuDeviceGetCount(count: *mut c_int) {
        device::started()?;
        count.write(device::all().len() as c_int);
        Ok(())
    }

    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) {
        device.write(device::get(ordinal)?.ordinal);
        Ok(())
    }

    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice) {
        device::get(device)?;
        let text = c"Fake CUDA device".to_bytes_with_nul();
        let length = text.len().min(length as usize);
        name.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), length);
        Ok(())
    }

    fn cuDeviceGetUuid(uuid: *mut CUuuid, device: CUdevice) {
        device::get(device)?;
        uuid.write(CUuuid { bytes: [device as u8; 16] });
        Ok(())
    }

    fn cuDeviceTotalMem(bytes: *mut usize, device: CUdevice) {
        device::get(device)?;
        bytes.write(crate::setting("FAKE_CUDA_MEMORY", 1 << 30) as usize);
        Ok(())
    }

    fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice) {
        device::get(device)?;
        value.write(fact(attribute));
        Ok(())
    }

    fn cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice) {
        device::get(device)?;
        device::get(peer)?;
        can.write(c_int::from(device::are_peers(device, peer)));
        Ok(())
    }

    fn cuDeviceGetP2PAttribute(value: *mut c_int, _attribute: CUdevice_P2PAttribute, from: CUdevice, to: CUdevice) {
        device::get(from)?;
        device::get(to)?;
        value.write(c_int::from(device::are_peers(from, to)));
        Ok(())
    }

    fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice) {
        let device = device::get(device)?;
        device.retained.fetch_add(1, Ordering::Relaxed);
        context.write(device.context());
        Ok(())
    }

    fn cuDevicePrimaryCtxRelease(device: CUdevice) {
        device::get(device)?.retained.fetch_sub(1, Ordering::Relaxed);
        Ok(())
    }

    fn cuCtxSetCurrent(context: CUcontext) {
        device::started()?;
        if !context.is_null() {
            device::of(context)?;
        }
        device::set_current(context);
        Ok(())
    }

    fn cuCtxGetCurrent(context: *mut CUcontext) {
        device::started()?;
        context.write(device::current_handle());
        Ok(())
    }

    fn cuCtxSynchronize() { stream::wait_all(device::current()?) }

    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        device::current()?;
        least.write(0);
        greatest.write(-5);
        Ok(())
    }

    fn cuCtxEnablePeerAccess(peer: CUcontext, _flags: c_uint) {
        let (own, peer) = (device::current()?.ordinal, device::of(peer)?.ordinal);
        if !device::are_peers(own, peer) {
            return Err(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        }
        pieces::set_peer(own, peer, false, true);
        Ok(())
    }

    fn cuCtxDisablePeerAccess(peer: CUcontext) {
        pieces::set_peer(device::current()?.ordinal, device::of(peer)?.ordinal, false, false);
        Ok(())
    }

    fn cuStreamCreateWithPriority(place: *mut CUstream, _flags: c_uint, _priority: c_int) {
        let stream = Stream::new(device::current()?);
        place.write(Box::into_raw(Box::new(stream)).cast());
        Object::Stream.made();
        Ok(())
    }

    fn cuStreamDestroy(on: CUstream) {
        stream(on)?;
        // Its thread runs what was submitted, and ends.
        drop(Box::from_raw(on.cast::<Stream>()));
        Object::Stream.gone();
        Ok(())
    }

    fn cuStreamSynchronize(on: CUstream) { stream(on)?.wait() }

    fn cuStreamQuery(on: CUstream) {
        let stream = stream(on)?;
        stream.device.check()?;
        if stream.is_idle() { Ok(()) } else { Err(CUDA_ERROR_NOT_READY) }
    }

    fn cuStreamGetCtx(on: CUstream, context: *mut CUcontext) {
        context.write(stream(on)?.device.context());
        Ok(())
    }

    fn cuStreamWaitEvent(on: CUstream, for_event: CUevent, _flags: c_uint) {
        event(for_event)?.hold(stream(on)?)
    }

    fn cuStreamWriteValue32(on: CUstream, address: CUdeviceptr, value: u32, flags: c_uint) {
        match pieces::find(address as usize) {
            Some(piece) if piece.kind == Kind::Host && flags == 0 => {
                stream::write_value(stream(on)?, address as usize, value)
            }
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }

    fn cuStreamWaitValue32(on: CUstream, address: CUdeviceptr, value: u32, flags: c_uint) {
        match pieces::find(address as usize) {
            Some(piece) if piece.kind == Kind::Host && flags == CU_STREAM_WAIT_VALUE_GEQ => {
                stream::wait_value(stream(on)?, address as usize, value)
            }
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }

    fn cuEventCreate(place: *mut CUevent, flags: c_uint) {
        device::current()?;
        let event = Event::new(flags & CU_EVENT_DISABLE_TIMING == 0);
        place.write(Box::into_raw(Box::new(Arc::new(event))).cast());
        Object::Event.made();
        Ok(())
    }

    fn cuEventDestroy(old: CUevent) {
        event(old)?;
        drop(Box::from_raw(old.cast::<Arc<Event>>()));
        Object::Event.gone();
        Ok(())
    }

    fn cuEventRecord(place: CUevent, on: CUstream) { event(place)?.record(stream(on)?) }

    fn cuEventQuery(of: CUevent) {
        device::current()?;
        if event(of)?.is_over() { Ok(()) } else { Err(CUDA_ERROR_NOT_READY) }
    }

    fn cuEventSynchronize(of: CUevent) { event(of)?.wait(device::current()?) }

    fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent) {
        device::current()?;
        milliseconds.write(event(start)?.elapsed(event(end)?)?);
        Ok(())
    }

    fn cuLinkCreate(
        count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void, state: *mut CUlinkState,
    ) {
        device::current()?;
        let (mut log, mut registers) = ((std::ptr::null_mut(), 0), None);
        for at in 0..count as usize {
            match *options.add(at) {
                CU_JIT_ERROR_LOG_BUFFER => log.0 = *values.add(at),
                CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES => log.1 = *values.add(at) as usize,
                CU_JIT_MAX_REGISTERS => registers = Some(*values.add(at) as u32),
                _ => {}
            }
        }
        state.write(Box::into_raw(Box::new(Link::new(log.0 as usize, log.1, registers))).cast());
        Object::Link.made();
        Ok(())
    }

    fn cuLinkAddData(
        state: CUlinkState, kind: CUjitInputType, data: *mut c_void, size: usize, _name: *const c_char, _count: c_uint,
        _options: *mut CUjit_option, _values: *mut *mut c_void,
    ) {
        let link = state.cast::<Link>().as_mut().ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        link.add(kind, std::slice::from_raw_parts(data.cast::<u8>(), size))
    }

    fn cuLinkComplete(state: CUlinkState, cubin: *mut *mut c_void, size: *mut usize) {
        let link = state.cast::<Link>().as_mut().ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        let made = link.complete()?;
        cubin.write(made.as_ptr().cast_mut().cast());
        size.write(made.len());
        Ok(())
    }

    fn cuLinkDestroy(state: CUlinkState) {
        if !state.is_null() {
            drop(Box::from_raw(state.cast::<Link>()));
            Object::Link.gone();
        }
        Ok(())
    }

    fn cuModuleLoadData(place: *mut CUmodule, image: *const c_void) {
        let own = device::current()?.ordinal;
        let module = Module::load(image.cast(), own)?;
        place.write(Box::into_raw(Box::new(module)).cast());
        Object::Module.made();
        Ok(())
    }

    fn cuModuleUnload(old: CUmodule) {
        loaded(old)?;
        drop(Box::from_raw(old.cast::<Module>()));
        Object::Module.gone();
        Ok(())
    }

    fn cuModuleGetFunction(place: *mut CUfunction, of: CUmodule, name: *const c_char) {
        let name = CStr::from_ptr(name).to_string_lossy();
        let found = loaded(of)?.function(&name).ok_or(CUDA_ERROR_NOT_FOUND)?;
        place.write(std::ptr::from_ref(found).cast_mut().cast());
        Ok(())
    }

    fn cuModuleGetFunctionCount(count: *mut c_uint, of: CUmodule) {
        count.write(loaded(of)?.functions.len() as c_uint);
        Ok(())
    }

    fn cuModuleEnumerateFunctions(functions: *mut CUfunction, count: c_uint, of: CUmodule) {
        for (at, function) in loaded(of)?.functions.iter().take(count as usize).enumerate() {
            functions.add(at).write(std::ptr::from_ref(function).cast_mut().cast());
        }
        Ok(())
    }

    fn cuModuleGetGlobal(address: *mut CUdeviceptr, size: *mut usize, of: CUmodule, name: *const c_char) {
        let name = CStr::from_ptr(name).to_string_lossy();
        let (at, bytes) = loaded(of)?.global(&name).ok_or(CUDA_ERROR_NOT_FOUND)?;
        address.write(at);
        size.write(bytes);
        Ok(())
    }

    fn cuFuncGetName(name: *mut *const c_char, of: CUfunction) {
        name.write(function(of)?.name.as_ptr());
        Ok(())
    }

    fn cuFuncGetModule(_module: *mut CUmodule, _of: CUfunction) { Err(CUDA_ERROR_NOT_SUPPORTED) }

    fn cuFuncGetParamInfo(of: CUfunction, index: usize, offset: *mut usize, size: *mut usize) {
        let param = function(of)?.entry().params.get(index).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        offset.write(param.offset);
        size.write(param.size);
        Ok(())
    }

    fn cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, of: CUfunction) {
        let function = function(of)?;
        value.write(match attribute {
            CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => function.most_threads() as c_int,
            CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES => function.code.static_shared as c_int,
            CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES => function.entry().local_size() as c_int,
            CU_FUNC_ATTRIBUTE_NUM_REGS => function.registers as c_int,
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        });
        Ok(())
    }

    fn cuFuncSetAttribute(of: CUfunction, attribute: CUfunction_attribute, value: c_int) {
        let function = function(of)?;
        let most = (module::MOST_SHARED - function.code.static_shared) as c_int;
        if attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || !(0..=most).contains(&value) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        function.dynamic.store(value as u32, Ordering::Relaxed);
        Ok(())
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, of: CUfunction, block_size: c_int, _dynamic: usize,
    ) {
        function(of)?;
        blocks.write(2048 / block_size.max(1));
        Ok(())
    }

    fn cuLaunchKernel(
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, on: CUstream, params: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        launch(function, [grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared, on, params, extra, None)
    }

    fn cuLaunchKernelEx(
        config: *const CUlaunchConfig, function: CUfunction, params: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let c = &*config;
        let (grid, block) = ([c.gridDimX, c.gridDimY, c.gridDimZ], [c.blockDimX, c.blockDimY, c.blockDimZ]);
        let mut cluster = None;
        for at in 0..c.numAttrs as usize {
            let attribute = &*c.attrs.add(at);
            match attribute.id {
                CU_LAUNCH_ATTRIBUTE_COOPERATIVE if attribute.value.cooperative == 0 => {}
                CU_LAUNCH_ATTRIBUTE_COOPERATIVE => {
                    let threads: u32 = block.iter().product();
                    let most = 4 * 2048 / u64::from(threads.max(1));
                    if grid.iter().map(|&size| u64::from(size)).product::<u64>() > most {
                        return Err(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
                    }
                }
                CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => cluster = Some(attribute.value.clusterDim),
                _ => return Err(CUDA_ERROR_INVALID_VALUE),
            }
        }
        launch(function, grid, block, c.sharedMemBytes, c.hStream, params, extra, cluster)
    }
}
