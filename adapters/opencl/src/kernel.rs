// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels.

use std::ffi::{CStr, CString, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::ur::{DeviceType, KernelGroupInfo, KernelInfo, KernelSubGroupInfo, NativeHandle, ResultCode};
use kit::{
    Arg, ArgCache, ArgKey, ArgObjects, Args, ExecInfo, HandleCell, InfoOut, KernelCloneEmulation, NativeRef, Range,
    SnapshotCache, UrResult,
};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{Mutex, OnceLock};

use crate::cl::{self, Ask, KernelObject, Plain, api, cl, cl_create, query};
use crate::functions::Extensions;
use crate::{Context, Device, OpenCl, Program, Queue};

/// A kernel. OpenCL keeps the arguments in it.
pub(crate) struct Kernel {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: NativeRef<KernelObject>,
    program: Arc<Program>,
    /// The functions of its platform, at hand because every pointer argument needs one.
    ext: Arc<Extensions>,
    /// Held while arguments are set and used, so that two threads may launch one kernel with arguments of their own.
    pub(crate) arguments: Mutex<()>,
    /// The objects among the arguments that were set one by one.
    objects: ArgObjects,
    arg_cache: ArgCache,
    /// Whether a device of the context is a CPU.
    is_for_cpu: bool,
    /// Whether the last launch with an event had its addresses set anew.
    was_renewed: AtomicBool,
    /// To clone a kernel and to release the clone takes as long as half a launch.
    snapshots: SnapshotCache<OpenCl>,
    /// What was set in it, where the driver cannot clone it.
    clone_emulation: Option<Box<KernelCloneEmulation<OpenCl>>>,
    /// The work-group size that the source demands on each device of the context; zeros where it demands none, and
    /// nothing if it demands none on any. Snapshots share it.
    required_local_size: Arc<OnceLock<Vec<[usize; 3]>>>,
}

/// For a driver that cannot clone kernels.
fn emulated_clones() -> Option<Box<KernelCloneEmulation<OpenCl>>> {
    api().clCloneKernel.is_none().then(Box::default)
}

impl Kernel {
    fn new(raw: NativeRef<KernelObject>, program: &Arc<Program>) -> UrResult<Self> {
        Ok(Self {
            handle_cell: HandleCell::new(),
            arg_cache: ArgCache::empty(raw.ask(CL_KERNEL_NUM_ARGS)?),
            raw,
            program: program.clone(),
            ext: program.context.ext.clone(),
            arguments: Mutex::new(()),
            objects: ArgObjects::none(),
            is_for_cpu: program
                .context
                .devices
                .iter()
                .any(|device| kit::Device::kind(&**device) == DeviceType::CPU),
            was_renewed: AtomicBool::new(false),
            snapshots: SnapshotCache::default(),
            clone_emulation: emulated_clones(),
            required_local_size: Arc::default(),
        })
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.program.context
    }

    fn ask_group<T: Plain>(&self, device: &Device, what: cl_kernel_work_group_info) -> UrResult<T> {
        // SAFETY: live handles.
        unsafe { cl::value(query!(clGetKernelWorkGroupInfo(*self.raw, device.raw, what))) }
    }

    /// Asks for a number about sub-groups, for a work-group of `local` size where that matters.
    fn ask_sub_group(
        &self,
        device: &Device,
        what: cl_kernel_sub_group_info,
        local: Option<&[usize; 3]>,
    ) -> UrResult<u32> {
        let (input_size, input) = local.map_or((0, std::ptr::null()), |l| (size_of_val(l), l.as_ptr().cast()));
        let (raw, device) = (*self.raw, device.raw);
        // SAFETY: live handles.
        let number: usize = unsafe {
            cl::value(query!(
                self.ext,
                clGetKernelSubGroupInfo(raw, device, what, input_size, input)
            ))
        }?;
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// The work-group size that the source demands, if it does.
    #[inline]
    pub(crate) fn required_local_size(&self, device: &Arc<Device>) -> Option<&[usize; 3]> {
        match self.required_local_size.get() {
            // As most kernels.
            Some(sizes) if sizes.is_empty() => None,
            _ => self.find_required_local_size(device),
        }
    }

    #[inline(never)]
    fn find_required_local_size(&self, device: &Arc<Device>) -> Option<&[usize; 3]> {
        let devices = &self.context().devices;
        let sizes = self.required_local_size.get_or_init(|| {
            let ask = |d: &Arc<Device>| self.ask_group(d, CL_KERNEL_COMPILE_WORK_GROUP_SIZE).unwrap_or([0; 3]);
            let sizes: Vec<_> = devices.iter().map(ask).collect();
            match sizes.iter().all(|size| size[0] == 0) {
                true => Vec::new(),
                false => sizes,
            }
        });
        let index = devices.iter().position(|d| d.raw == device.raw)?;
        sizes.get(index).filter(|size| size[0] != 0)
    }

    /// Takes note of a launch, before its arguments are set if it brings some.
    ///
    /// Intel's driver for CPUs makes an object of each address that is set. Launches with events that share one take up to 20 %
    /// longer where the driver's threads are on other cores. Two may share it at the cost of none, so for every other one
    /// addresses are set although they have not changed.
    #[inline(always)]
    pub(crate) fn note_launch(&self, has_event: bool) {
        if has_event && self.is_for_cpu {
            // Threads that launch at once may both renew them, which does no harm.
            let renew = !self.was_renewed.load(Ordering::Relaxed);
            self.was_renewed.store(renew, Ordering::Relaxed);
            if renew {
                self.arg_cache.forget_addresses();
            }
        }
    }

    /// Sets one argument. The caller holds the lock, or is a client that answers for its own threads. Inlined, so that an
    /// argument whose kind is known stays in registers.
    #[inline(always)]
    pub(crate) fn set(&self, arg: &Arg<'_, OpenCl>) -> UrResult<()> {
        let arg_cache = &self.arg_cache;
        let lasting = || self.context().shared.is_ours();
        match *arg {
            Arg::Value(index, bytes) => {
                let set = || self.set_bytes(index, bytes.len(), bytes.as_ptr().cast());
                arg_cache.value(index, bytes, lasting, set)
            }
            Arg::Pointer(index, pointer) => {
                arg_cache.number(index, ArgKey::address(), pointer.addr() as u64, lasting, || {
                    // SAFETY: a live kernel; what the address is of is for OpenCL to find out.
                    unsafe { cl!(self.ext, clSetKernelArgMemPointerINTEL(*self.raw, index, pointer)) }
                })
            }
            Arg::Local(index, size) => {
                let set = || self.set_bytes(index, size, std::ptr::null());
                arg_cache.number(index, ArgKey::LOCAL, size as u64, || true, set)
            }
            Arg::Mem(index, ref mem, _) => {
                let raw: cl_mem = mem.as_ref().map_or(std::ptr::null_mut(), |m| *m.raw);
                self.set_object(index, raw)
            }
            Arg::Sampler(index, ref sampler) => self.set_object(index, **sampler.raw),
        }
    }

    /// Tells OpenCL of an argument of so many bytes; null stands for local memory.
    #[inline(always)]
    fn set_bytes(&self, index: u32, size: usize, bytes: *const c_void) -> UrResult<()> {
        // SAFETY: a live kernel; OpenCL copies the bytes before it returns.
        unsafe { cl!(clSetKernelArg(*self.raw, index, size, bytes)) }
    }

    fn set_object(&self, index: u32, handle: *mut c_void) -> UrResult<()> {
        self.arg_cache.other(index, || {
            self.set_bytes(index, size_of_val(&handle), std::ptr::from_ref(&handle).cast())
        })
    }

    /// Sets the arguments of a launch. The caller holds the lock.
    pub(crate) fn set_all(&self, args: Args<'_, OpenCl>) -> UrResult<()> {
        for arg in args.iter() {
            self.set(&arg?)?;
        }
        Ok(())
    }

    fn set_exec(&self, what: cl_kernel_exec_info, bytes: &[u8]) -> UrResult<()> {
        // SAFETY: a live kernel; OpenCL copies the bytes before it returns.
        unsafe { cl!(clSetKernelExecInfo(*self.raw, what, bytes.len(), bytes.as_ptr().cast())) }
    }
}

impl kit::Kernel<OpenCl> for Kernel {
    fn program(&self) -> &Arc<Program> {
        &self.program
    }

    fn create(program: &Arc<Program>, name: &CStr) -> UrResult<Arc<Self>> {
        // SAFETY: a live program and a zero-terminated string.
        let raw = unsafe { cl_create!(clCreateKernel(*program.raw, name.as_ptr())) }?;
        Ok(Arc::new(Self::new(raw, program)?))
    }

    fn info(&self, query: KernelInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            KernelInfo::FUNCTION_NAME => out.str(&self.raw.ask_string(CL_KERNEL_FUNCTION_NAME)?),
            KernelInfo::NUM_ARGS => out.value(self.raw.ask::<u32>(CL_KERNEL_NUM_ARGS)?),
            KernelInfo::ATTRIBUTES => out.str(&self.raw.ask_string(CL_KERNEL_ATTRIBUTES)?),
            _ => out.unsupported(),
        }
    }

    fn group_info(&self, device: &Arc<Device>, query: KernelGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            KernelGroupInfo::GLOBAL_WORK_SIZE => {
                // OpenCL answers for custom devices and built-in kernels only.
                match self.ask_group::<[usize; 3]>(device, CL_KERNEL_GLOBAL_WORK_SIZE) {
                    Ok(size) => out.value(size),
                    Err(error) if error.code() == ResultCode::ERROR_INVALID_VALUE => out.unsupported(),
                    Err(error) => Err(error),
                }
            }
            KernelGroupInfo::WORK_GROUP_SIZE => out.value(self.ask_group::<usize>(device, CL_KERNEL_WORK_GROUP_SIZE)?),
            KernelGroupInfo::COMPILE_WORK_GROUP_SIZE => {
                out.value(self.ask_group::<[usize; 3]>(device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE)?)
            }
            KernelGroupInfo::LOCAL_MEM_SIZE => {
                out.value(self.ask_group::<u64>(device, CL_KERNEL_LOCAL_MEM_SIZE)? as usize)
            }
            KernelGroupInfo::PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                out.value(self.ask_group::<usize>(device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)?)
            }
            KernelGroupInfo::PRIVATE_MEM_SIZE => {
                out.value(self.ask_group::<u64>(device, CL_KERNEL_PRIVATE_MEM_SIZE)? as usize)
            }
            _ => out.unsupported(),
        }
    }

    fn sub_group_info(&self, device: &Arc<Device>, query: KernelSubGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        let (what, local) = match query {
            KernelSubGroupInfo::MAX_SUB_GROUP_SIZE => {
                // The largest work-group: one that does not narrow the answer.
                let largest = self.ask_group::<usize>(device, CL_KERNEL_WORK_GROUP_SIZE)?;
                (CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, Some([largest, 1, 1]))
            }
            KernelSubGroupInfo::MAX_NUM_SUB_GROUPS => (CL_KERNEL_MAX_NUM_SUB_GROUPS, None),
            KernelSubGroupInfo::COMPILE_NUM_SUB_GROUPS => (CL_KERNEL_COMPILE_NUM_SUB_GROUPS, None),
            KernelSubGroupInfo::SUB_GROUP_SIZE_INTEL => (CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, None),
            _ => return out.unsupported(),
        };
        out.value(self.ask_sub_group(device, what, local.as_ref())?)
    }

    #[inline(always)]
    fn set_arg(&self, arg: Arg<'_, OpenCl>) -> UrResult<()> {
        self.set(&arg)?;
        self.objects.set(&arg);
        if let Some(clone_emulation) = &self.clone_emulation {
            clone_emulation.argument(&arg);
        }
        Ok(())
    }

    fn snapshot(&self, args: Args<'_, OpenCl>) -> UrResult<Arc<Self>> {
        let _lock = self.arguments.lock();
        let raw = if api().clCloneKernel.is_some() {
            // SAFETY: a live kernel.
            unsafe { cl_create!(clCloneKernel(*self.raw)) }?
        } else {
            let name = self.raw.ask_string(CL_KERNEL_FUNCTION_NAME)?;
            let name = CString::new(name).map_err(|_| ResultCode::ERROR_INVALID_KERNEL_NAME)?;
            // SAFETY: a live program and a zero-terminated string.
            unsafe { cl_create!(clCreateKernel(*self.program.raw, name.as_ptr())) }?
        };
        let copy = Self {
            handle_cell: HandleCell::new(),
            raw,
            program: self.program.clone(),
            ext: self.ext.clone(),
            arguments: Mutex::new(()),
            objects: self.objects.keep(),
            arg_cache: ArgCache::off(self.arg_cache.count()),
            is_for_cpu: self.is_for_cpu,
            was_renewed: AtomicBool::new(false),
            snapshots: SnapshotCache::default(),
            clone_emulation: emulated_clones(),
            required_local_size: self.required_local_size.clone(),
        };
        if let Some(clone_emulation) = &self.clone_emulation {
            clone_emulation.apply_to(&copy, args.is_empty())?;
        }
        for arg in args.iter() {
            kit::Kernel::set_arg(&copy, arg?)?;
        }
        Ok(Arc::new(copy))
    }

    fn fixed_snapshot(&self, args: Args<'_, OpenCl>) -> UrResult<Arc<Self>> {
        // Where the client has the driver's kernel or context, it may change and free what we do not see.
        match self.arg_cache.is_shared() || !self.context().shared.is_ours() {
            true => self.snapshot(args),
            false => self
                .snapshots
                .get_or_make(args, self.arg_cache.count(), || self.snapshot(args)),
        }
    }

    fn set_exec_info(&self, info: ExecInfo<'_>) -> UrResult<()> {
        self.snapshots.clear();
        match info {
            ExecInfo::UsmIndirectAccess(access) => {
                for what in [
                    CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
                    CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                    CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
                ] {
                    self.set_exec(what, &cl_bool::from(access).to_ne_bytes())?;
                }
            }
            ExecInfo::UsmPointers(pointers) => {
                // SAFETY: pointers are bytes without padding.
                let bytes = unsafe { std::slice::from_raw_parts(pointers.as_ptr().cast(), size_of_val(pointers)) };
                self.set_exec(CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, bytes)?;
            }
            // A hint: OpenCL does not let a client split on-chip memory.
            ExecInfo::CacheConfig(_) => {}
        }
        if let Some(clone_emulation) = &self.clone_emulation {
            clone_emulation.exec_info(info);
        }
        Ok(())
    }

    fn suggested_local_size(
        &self,
        queue: &Arc<Queue>,
        range: &Range<'_>,
        args: Args<'_, OpenCl>,
    ) -> UrResult<[usize; 3]> {
        let _lock = self.arguments.lock();
        self.set_all(args)?;
        let mut size = [1; 3];
        let offset = range.offset.map_or(std::ptr::null(), <[usize]>::as_ptr);
        // SAFETY: live handles; the arrays have as many elements as there are dimensions, three at most.
        unsafe {
            cl!(
                self.ext,
                clGetKernelSuggestedLocalWorkSizeKHR(
                    *queue.raw,
                    *self.raw,
                    range.global.len() as cl_uint,
                    offset,
                    range.global.as_ptr(),
                    size.as_mut_ptr()
                )
            )
        }?;
        Ok(size)
    }

    fn max_cooperative_groups(&self, _device: &Arc<Device>, _local: &[usize], _dynamic: usize) -> UrResult<u32> {
        // OpenCL promises no work-group that it runs beside another. Clients (SYCL's max_num_work_groups) ask this of any
        // device and want a number, as Intel's adapter gives.
        Ok(1)
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.arg_cache.share();
        self.context().share();
        Ok(*self.raw as NativeHandle)
    }

    fn from_native(
        context: &Arc<Context>,
        program: Option<&Arc<Program>>,
        native: NativeHandle,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        let native = native as cl_kernel;
        let found = match program {
            Some(program) => program.clone(),
            None => {
                // SAFETY: the client vouches for its native handle.
                let program: cl_program =
                    unsafe { NativeRef::<KernelObject>::borrowed(native) }.ask(CL_KERNEL_PROGRAM)?;
                kit::Program::from_native(context, program as NativeHandle, false)?
            }
        };
        // SAFETY: as above.
        let kernel = Self::new(unsafe { NativeRef::wrap(native, owned) }?, &found)?;
        kernel.arg_cache.share();
        Ok(Arc::new(kernel))
    }
}
