// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::fmt;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::types::*;

/// Why there are no functions.
#[derive(Debug)]
pub enum OpenError {
    /// There is no library of this name, or it cannot be loaded.
    Library(libloading::Error),
    /// It is too old to have `cuGetProcAddress_v2`, which came with CUDA 12.0.
    TooOld,
    /// It lacks a function, or does not give it.
    Function(&'static str),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(error) => write!(f, "{error}"),
            Self::TooOld => f.write_str("libcuda is older than CUDA 12.0"),
            Self::Function(name) => write!(f, "libcuda has no {name}"),
        }
    }
}

/// Calls a macro with all functions: for who implements them.
#[macro_export]
macro_rules! functions {
    ($with:path) => {
        $with! {
            cuInit(flags: c_uint);
            cuDriverGetVersion(version: *mut c_int);
            cuDeviceGetCount(count: *mut c_int);
            cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
            cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice);
            cuDeviceGetUuid(uuid: *mut CUuuid, device: CUdevice);
            cuDeviceTotalMem(bytes: *mut usize, device: CUdevice);
            cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
            cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
            cuDeviceGetP2PAttribute(value: *mut c_int, attribute: CUdevice_P2PAttribute, from: CUdevice, to: CUdevice);
            cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
            cuDevicePrimaryCtxRelease(device: CUdevice);
            cuCtxSetCurrent(context: CUcontext);
            cuCtxGetCurrent(context: *mut CUcontext);
            cuCtxSynchronize();
            cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
            cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
            cuCtxDisablePeerAccess(peer: CUcontext);

            cuMemGetInfo(free: *mut usize, total: *mut usize);
            cuMemAlloc(address: *mut CUdeviceptr, size: usize);
            cuMemFree(address: CUdeviceptr);
            cuMemHostAlloc(address: *mut *mut c_void, size: usize, flags: c_uint);
            cuMemFreeHost(address: *mut c_void);
            cuMemPoolCreate(pool: *mut CUmemoryPool, properties: *const CUmemPoolProps);
            cuMemPoolDestroy(pool: CUmemoryPool);
            cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void);
            cuMemPoolSetAccess(pool: CUmemoryPool, access: *const CUmemAccessDesc, count: usize);
            cuMemAllocFromPoolAsync(address: *mut CUdeviceptr, size: usize, pool: CUmemoryPool, stream: CUstream);
            cuMemFreeAsync(address: CUdeviceptr, stream: CUstream);
            cuMemAllocManaged(address: *mut CUdeviceptr, size: usize, flags: c_uint);
            cuMemGetAllocationGranularity(
                granularity: *mut usize, properties: *const CUmemAllocationProp, option: c_int,
            );
            cuMemAddressReserve(
                address: *mut CUdeviceptr, size: usize, alignment: usize, start: CUdeviceptr, flags: u64,
            );
            cuMemAddressFree(address: CUdeviceptr, size: usize);
            cuMemCreate(
                handle: *mut CUmemGenericAllocationHandle, size: usize, properties: *const CUmemAllocationProp,
                flags: u64,
            );
            cuMemRelease(handle: CUmemGenericAllocationHandle);
            cuMemMap(
                address: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: u64,
            );
            cuMemUnmap(address: CUdeviceptr, size: usize);
            cuMemSetAccess(address: CUdeviceptr, size: usize, access: *const CUmemAccessDesc, count: usize);
            cuMemGetAccess(flags: *mut u64, location: *const CUmemLocation, address: CUdeviceptr);
            cuIpcGetMemHandle(handle: *mut CUipcMemHandle, address: CUdeviceptr);
            cuIpcOpenMemHandle(address: *mut CUdeviceptr, handle: CUipcMemHandle, flags: c_uint);
            cuIpcCloseMemHandle(address: CUdeviceptr);
            cuMemHostRegister(address: *mut c_void, size: usize, flags: c_uint);
            cuMemHostUnregister(address: *mut c_void);
            cuPointerGetAttributes(
                count: c_uint, attributes: *mut CUpointer_attribute, data: *mut *mut c_void, address: CUdeviceptr,
            );
            cuMemAdvise(address: CUdeviceptr, size: usize, advice: CUmem_advise, device: CUdevice);
            cuMemPrefetchAsync(address: CUdeviceptr, size: usize, device: CUdevice, stream: CUstream);
            cuMemcpyAsync(dst: CUdeviceptr, src: CUdeviceptr, size: usize, stream: CUstream);
            cuMemcpy3DAsync(copy: *const CUDA_MEMCPY3D, stream: CUstream);
            cuMemcpyPeerAsync(
                dst: CUdeviceptr, dst_context: CUcontext, src: CUdeviceptr, src_context: CUcontext, size: usize,
                stream: CUstream,
            );
            cuMemcpy3DPeerAsync(copy: *const CUDA_MEMCPY3D_PEER, stream: CUstream);
            cuMemsetD8Async(dst: CUdeviceptr, value: u8, count: usize, stream: CUstream);
            cuMemsetD16Async(dst: CUdeviceptr, value: u16, count: usize, stream: CUstream);
            cuMemsetD32Async(dst: CUdeviceptr, value: u32, count: usize, stream: CUstream);
            cuMemsetD2D8Async(
                dst: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize, stream: CUstream,
            );
            cuMemsetD2D32Async(
                dst: CUdeviceptr, pitch: usize, value: u32, width: usize, height: usize, stream: CUstream,
            );

            cuStreamCreateWithPriority(stream: *mut CUstream, flags: c_uint, priority: c_int);
            cuStreamDestroy(stream: CUstream);
            cuStreamSynchronize(stream: CUstream);
            cuStreamQuery(stream: CUstream);
            cuStreamGetCtx(stream: CUstream, context: *mut CUcontext);
            cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
            cuStreamWriteValue32(stream: CUstream, address: CUdeviceptr, value: u32, flags: c_uint);
            cuStreamWaitValue32(stream: CUstream, address: CUdeviceptr, value: u32, flags: c_uint);
            cuEventCreate(event: *mut CUevent, flags: c_uint);
            cuEventDestroy(event: CUevent);
            cuEventRecord(event: CUevent, stream: CUstream);
            cuEventQuery(event: CUevent);
            cuEventSynchronize(event: CUevent);
            cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);

            cuGraphCreate(graph: *mut CUgraph, flags: c_uint);
            cuGraphDestroy(graph: CUgraph);
            cuGraphAddEmptyNode(node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize);
            cuGraphAddKernelNode(
                node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
                params: *const CUDA_KERNEL_NODE_PARAMS,
            );
            cuGraphAddMemcpyNode(
                node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
                copy: *const CUDA_MEMCPY3D, context: CUcontext,
            );
            cuGraphAddMemsetNode(
                node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
                fill: *const CUDA_MEMSET_NODE_PARAMS, context: CUcontext,
            );
            cuGraphAddChildGraphNode(
                node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, child: CUgraph,
            );
            cuGraphClone(clone: *mut CUgraph, graph: CUgraph);
            cuGraphGetNodes(graph: CUgraph, nodes: *mut CUgraphNode, count: *mut usize);
            cuGraphInstantiateWithFlags(executable: *mut CUgraphExec, graph: CUgraph, flags: u64);
            cuGraphUpload(executable: CUgraphExec, stream: CUstream);
            cuGraphLaunch(executable: CUgraphExec, stream: CUstream);
            cuGraphExecDestroy(executable: CUgraphExec);
            cuGraphExecKernelNodeSetParams(
                executable: CUgraphExec, node: CUgraphNode, params: *const CUDA_KERNEL_NODE_PARAMS,
            );
            cuGraphNodeSetEnabled(executable: CUgraphExec, node: CUgraphNode, enabled: c_uint);

            cuLinkCreate(
                count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void, state: *mut CUlinkState,
            );
            cuLinkAddData(
                state: CUlinkState, kind: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char,
                count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void,
            );
            cuLinkComplete(state: CUlinkState, cubin: *mut *mut c_void, size: *mut usize);
            cuLinkDestroy(state: CUlinkState);
            cuModuleLoadData(module: *mut CUmodule, image: *const c_void);
            cuModuleUnload(module: CUmodule);
            cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
            cuModuleGetFunctionCount(count: *mut c_uint, module: CUmodule);
            cuModuleEnumerateFunctions(functions: *mut CUfunction, count: c_uint, module: CUmodule);
            cuModuleGetGlobal(address: *mut CUdeviceptr, size: *mut usize, module: CUmodule, name: *const c_char);
            cuFuncGetName(name: *mut *const c_char, function: CUfunction);
            cuFuncGetModule(module: *mut CUmodule, function: CUfunction);
            cuFuncGetParamInfo(function: CUfunction, index: usize, offset: *mut usize, size: *mut usize);
            cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
            cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
            cuOccupancyMaxActiveBlocksPerMultiprocessor(
                blocks: *mut c_int, function: CUfunction, block_size: c_int, dynamic: usize,
            );
            cuLaunchKernel(
                function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint,
                block_y: c_uint, block_z: c_uint, shared: c_uint, stream: CUstream, params: *mut *mut c_void,
                extra: *mut *mut c_void,
            );
            cuLaunchKernelEx(
                config: *const CUlaunchConfig, function: CUfunction, params: *mut *mut c_void,
                extra: *mut *mut c_void,
            );
        }
    };
}

macro_rules! table {
    ($( $name:ident($($p:ident: $ty:ty),* $(,)?); )*) => {
        /// The functions of a driver.
        pub struct Functions {
            $( pub $name: unsafe extern "C" fn($($ty),*) -> CUresult, )*
            /// Stays open as long as the functions are called.
            _library: Library,
        }

        impl Functions {
            /// Opens a driver's library and asks for all functions.
            pub fn open(name: &str) -> Result<Self, OpenError> {
                // SAFETY: to load a driver runs its initialisers, which is what the caller wants.
                let library = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) }.map_err(OpenError::Library)?;
                // SAFETY: the function has this type since CUDA 12.0, from which on it exists.
                let get = unsafe { library.get::<PFN_cuGetProcAddress>(b"cuGetProcAddress_v2\0") };
                let get = *get.map_err(|_| OpenError::TooOld)?;
                let find = |name: &'static str| {
                    let symbol = CString::new(name).map_err(|_| OpenError::Function(name))?;
                    let (mut function, mut status) = (std::ptr::null_mut(), 0);
                    // SAFETY: a name that ends with zero, and places for the results.
                    let found = unsafe {
                        get(symbol.as_ptr(), &mut function, crate::API_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &mut status)
                    };
                    match found {
                        CUDA_SUCCESS if !function.is_null() => Ok(function),
                        _ => Err(OpenError::Function(name)),
                    }
                };
                Ok(Self {
                    // SAFETY: the driver gives each function in the form of `API_VERSION`, which has this type.
                    $( $name: unsafe {
                        std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($ty),*) -> CUresult>(find(stringify!($name))?)
                    }, )*
                    _library: library,
                })
            }
        }
    };
}

functions!(table);
