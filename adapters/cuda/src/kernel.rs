// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels: a function of CUDA for each device that the program was built for.
//!
//! [`args`] puts arguments into the block of parameters that a launch gives to the driver, [`range`] divides a range
//! into blocks.

mod args;
mod range;

use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kit::groups::padded;
use kit::ur::{KernelGroupInfo, KernelInfo, KernelSubGroupInfo};
use kit::{Arg, ArgObjects, Args, Borrowed, Context as _, ExecInfo, HandleCell, InfoOut, Range, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::{Mutex, OnceLock};

pub(crate) use self::args::Packed;
use self::args::{MovingArgs, Settings, Words};
pub(crate) use self::range::Grid;
use crate::driver::{cu, cu_get};
use crate::lane::OpenLane;
use crate::program::{Executable, Function, Interface, Told};
use crate::{Cuda, Device, Program, Queue};

/// A kernel.
pub(crate) struct Kernel {
    pub(crate) handle_cell: HandleCell,
    name: CString,
    /// At least one. Snapshots have the same.
    on_devices: Arc<[OnDevice]>,
    /// The arguments for launches that do not bring their own.
    settings: Mutex<Settings>,
    /// The objects among the arguments that were set one by one.
    objects: ArgObjects,
    program: Arc<Program>,
}

/// The kernel on a device.
pub(crate) struct OnDevice {
    function: Function,
    device: Arc<Device>,
    max_threads: u32,
    /// Bytes that the kernel has by itself.
    static_shared: u32,
    private_memory: u32,
    registers: u32,
    /// How many bytes of shared memory a launch may ask for, so far.
    dynamic_shared: AtomicU32,
    /// Parameters that it only stores through, a bit for each. Found when one of them is a null pointer.
    write_only: OnceLock<u64>,
    /// The kernel with fewer registers, for work-groups that this one has too many for. Made when a launch needs it.
    wide: OnceLock<Option<Box<OnDevice>>>,
}

/// A node of graphs that launches nothing.
pub(crate) const NO_NODE: CUDA_KERNEL_NODE_PARAMS = CUDA_KERNEL_NODE_PARAMS {
    func: std::ptr::null_mut(),
    gridDimX: 0,
    gridDimY: 0,
    gridDimZ: 0,
    blockDimX: 0,
    blockDimY: 0,
    blockDimZ: 0,
    sharedMemBytes: 0,
    kernelParams: std::ptr::null_mut(),
    extra: std::ptr::null_mut(),
    kern: std::ptr::null_mut(),
    ctx: std::ptr::null_mut(),
};

impl OnDevice {
    fn new(function: Function, device: &Arc<Device>) -> UrResult<Self> {
        let _current = device.primary()?.activate()?;
        let raw = function.raw;
        // SAFETY: a live function and a place for the answer.
        let number = |attribute| unsafe { cu_get!(cuFuncGetAttribute(_, attribute, raw): i32 = 0) };
        let size = |attribute| number(attribute).map(|value| value.max(0) as u32);
        let static_shared = size(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        Ok(Self {
            max_threads: size(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            static_shared,
            private_memory: size(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            registers: size(CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            dynamic_shared: AtomicU32::new((device.facts.shared_memory as u32).saturating_sub(static_shared)),
            device: device.clone(),
            function,
            write_only: OnceLock::new(),
            wide: OnceLock::new(),
        })
    }

    /// The kernel for work-groups of this size, which are too large for [`Self::max_threads`]; `None` if no code of it runs
    /// them.
    #[cold]
    fn widened(&self, local: [usize; 3]) -> UrResult<Option<&Self>> {
        let threads = local.iter().try_fold(1_usize, |all, &size| all.checked_mul(size));
        let most = self.interface().max_size.unwrap_or(u32::MAX) as usize;
        if self.interface().required_size.is_some()
            || threads.is_none_or(|threads| threads > most.min(self.device.facts.max_threads))
        {
            return Ok(None);
        }
        let make = || match self.function.widened()? {
            Some(function) => Self::new(function, &self.device).map(Box::new).map(Some),
            None => Ok(None),
        };
        Ok(self.wide.get_or_try_init(make)?.as_deref())
    }

    /// The kernel for the blocks of a grid, which [`Self::grid`] made.
    #[inline(always)]
    fn for_blocks(&self, [x, y, z]: [u32; 3]) -> &Self {
        match x * y * z <= self.max_threads {
            true => self,
            false => self.wide.get().and_then(Option::as_deref).unwrap_or(self),
        }
    }

    /// What a launch must provide.
    pub(crate) fn interface(&self) -> &Interface {
        &self.function.interface
    }

    /// Has the driver allow launches with this much shared memory. Most need no more than every kernel may have.
    #[inline(always)]
    fn allow_shared(&self, bytes: u32) -> UrResult<()> {
        match bytes <= self.dynamic_shared.load(Ordering::Relaxed) {
            true => Ok(()),
            false => self.raise_shared(bytes),
        }
    }

    #[cold]
    fn raise_shared(&self, bytes: u32) -> UrResult<()> {
        let most = (self.device.facts.shared_memory_optin as u32).saturating_sub(self.static_shared);
        if bytes > most {
            kit::bail!(
                ERROR_OUT_OF_RESOURCES:
                    "a launch asks for {bytes} bytes of local memory, and the kernel can have {most} on this device"
            );
        }
        let (raw, attribute) = (self.function.raw, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
        // SAFETY: a live function.
        unsafe { cu!(cuFuncSetAttribute(raw, attribute, most as i32)) }?;
        self.dynamic_shared.store(most, Ordering::Relaxed);
        Ok(())
    }

    /// The bytes of shared memory of a launch that asks for `asked`: an element of eight bytes more for each work-item and one.
    ///
    /// Kernels of dpnp (`masked_extract`) read an element for each work-item of a local accessor that may have fewer, and use
    /// only those that are there. Other devices let them read what lies behind; here that would be a fault.
    #[inline(always)]
    fn shared_with_margin(&self, asked: u32, local: [u32; 3]) -> u32 {
        match asked {
            0 => 0,
            _ => {
                let [x, y, z] = local;
                let with_margin = asked.saturating_add(8 * (x * y * z + 1));
                with_margin.min(self.dynamic_shared.load(Ordering::Relaxed)).max(asked)
            }
        }
    }

    /// Gives a launch to a lane. The context is current.
    #[inline(always)]
    pub(crate) fn launch(&self, grid: &Grid, packed: &mut Packed, lane: &OpenLane<'_>) -> UrResult<()> {
        self.for_blocks(grid.local).launch_blocks(grid, packed, lane)
    }

    #[inline(always)]
    fn launch_blocks(&self, grid: &Grid, packed: &mut Packed, lane: &OpenLane<'_>) -> UrResult<()> {
        self.allow_shared(packed.shared)?;
        if let Some(told) = self.interface().told {
            let words = Words {
                assertion: Self::assertion(told, lane)?,
                barrier: 0,
            };
            if self.exceeds(&grid.groups) {
                return self.launch_in_parts(grid, packed, words, lane.stream());
            }
            packed.set_range(told, grid, [0; 3], words);
        }
        self.launch_groups(grid.groups, grid.local, packed, lane.stream(), &mut [])
    }

    /// The address of the record that failed assertions of a launch fill.
    #[inline(always)]
    fn assertion(told: Told, lane: &OpenLane<'_>) -> UrResult<u64> {
        match told.has_assertions {
            false => Ok(0),
            true => lane.record_assertion(),
        }
    }

    /// Has the stores of a launch that go through null pointers go to memory that nobody reads, as Intel's GPUs discard them.
    /// Some kernels have such stores where nobody wants a result: oneDAL's for means and variances also store sums. Here
    /// they would end the use of the device. Pointers that a kernel loads through, or looks at, stay as they are.
    #[cold]
    fn discard_null_stores(&self, packed: &mut Packed) -> UrResult<()> {
        let write_only = *self.write_only.get_or_init(|| self.function.write_only_params());
        match packed.nulls & write_only {
            0 => Ok(()),
            params => match self.device.primary()?.discarded(&self.device)? {
                Some(address) => packed.point_to(self.interface(), params, address),
                None => Ok(()),
            },
        }
    }

    /// Has the driver launch work-groups. `cuLaunchKernel` takes 50 ns longer than `cuLaunchKernelEx`, about as long as the
    /// adapter's own part of a launch.
    #[inline(always)]
    fn launch_groups(
        &self,
        groups: [u32; 3],
        local: [u32; 3],
        packed: &mut Packed,
        stream: CUstream,
        attributes: &mut [CUlaunchAttribute],
    ) -> UrResult<()> {
        let config = CUlaunchConfig {
            gridDimX: groups[0],
            gridDimY: groups[1],
            gridDimZ: groups[2],
            blockDimX: local[0],
            blockDimY: local[1],
            blockDimZ: local[2],
            sharedMemBytes: self.shared_with_margin(packed.shared, local),
            hStream: stream,
            attrs: attributes.as_mut_ptr(),
            numAttrs: attributes.len() as u32,
        };
        let (raw, none) = (self.function.raw, std::ptr::null_mut());
        packed.with_params(self.interface(), |params| {
            // SAFETY: a live function and stream; the driver copies the parameters, which are those of the function.
            unsafe { cu!(cuLaunchKernelEx(&config, raw, params, none)) }
        })
    }

    /// Describes a launch as nodes of graphs have it, but for the places of its parameters.
    pub(crate) fn node(&self, grid: &Grid, packed: &mut Packed) -> UrResult<CUDA_KERNEL_NODE_PARAMS> {
        let kernel = self.for_blocks(grid.local);
        kernel.allow_shared(packed.shared)?;
        if let Some(told) = self.interface().told {
            if self.exceeds(&grid.groups) {
                kit::bail!(ERROR_UNSUPPORTED_FEATURE: "a launch of so many work-groups is more than a node");
            }
            packed.set_range(told, grid, [0; 3], Words::default());
        }
        let ([x, y, z], [bx, by, bz]) = (grid.groups, grid.local);
        Ok(CUDA_KERNEL_NODE_PARAMS {
            func: kernel.function.raw,
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: bx,
            blockDimY: by,
            blockDimZ: bz,
            sharedMemBytes: kernel.shared_with_margin(packed.shared, grid.local),
            ..NO_NODE
        })
    }

    /// A launch of more work-groups than the driver takes at once.
    #[cold]
    fn launch_in_parts(&self, grid: &Grid, packed: &mut Packed, words: Words, stream: CUstream) -> UrResult<()> {
        let Some(told) = self.interface().told else {
            return Ok(());
        };
        let most = self.device.facts.max_grid.map(|most| most as u32);
        let firsts = |d: usize| (0..grid.groups[d]).step_by(most[d] as usize);
        for z in firsts(2) {
            for y in firsts(1) {
                let groups = [
                    grid.groups[0],
                    (grid.groups[1] - y).min(most[1]),
                    (grid.groups[2] - z).min(most[2]),
                ];
                packed.set_range(told, grid, [0, y, z], words);
                self.launch_groups(groups, grid.local, packed, stream, &mut [])?;
            }
        }
        Ok(())
    }

    /// Whether all work-groups wait for each other.
    pub(crate) fn has_device_barrier(&self) -> bool {
        self.interface().told.is_some_and(|told| told.has_device_barrier)
    }

    /// Whether assertions may fail.
    pub(crate) fn has_assertions(&self) -> bool {
        self.interface().told.is_some_and(|told| told.has_assertions)
    }

    /// As [`Self::launch`], with all work-groups at once, or in clusters. `barrier` is the address of a word, which the
    /// launch sets to zero, if the work-groups wait for each other.
    #[cold]
    pub(crate) fn launch_with(
        &self,
        grid: &Grid,
        packed: &mut Packed,
        lane: &OpenLane<'_>,
        cooperative: bool,
        cluster: Option<[u32; 3]>,
        barrier: u64,
    ) -> UrResult<()> {
        let kernel = self.for_blocks(grid.local);
        kernel.allow_shared(packed.shared)?;
        if let Some(told) = self.interface().told {
            let assertion = Self::assertion(told, lane)?;
            packed.set_range(told, grid, [0; 3], Words { assertion, barrier });
        }
        let stream = lane.stream();
        if barrier != 0 {
            // SAFETY: memory of the launch, and a live stream.
            unsafe { cu!(cuMemsetD32Async(barrier, 0, 1, stream)) }?;
        }
        let attribute = |id, value| CUlaunchAttribute { id, pad: [0; 4], value };
        let mut attributes = Vec::new();
        if cooperative {
            let value = CUlaunchAttributeValue { cooperative: 1 };
            attributes.push(attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, value));
        }
        if let Some(cluster) = cluster {
            let value = CUlaunchAttributeValue { clusterDim: cluster };
            attributes.push(attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, value));
        }
        kernel.launch_groups(grid.groups, grid.local, packed, stream, &mut attributes)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // What runs needs the functions.
        self.program.context.retire(self.on_devices.clone());
    }
}

impl Kernel {
    fn new(program: &Arc<Program>, name: &CStr, on_devices: Arc<[OnDevice]>) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            name: name.to_owned(),
            settings: Mutex::new(Settings::new(on_devices[0].interface())),
            on_devices,
            objects: ArgObjects::none(),
            program: program.clone(),
        }
    }

    /// The kernel on a device.
    #[inline(always)]
    pub(crate) fn on(&self, device: &Device) -> UrResult<&OnDevice> {
        let first = &self.on_devices[0];
        if first.device.raw == device.raw {
            return Ok(first);
        }
        self.on_other(device)
    }

    #[cold]
    fn on_other(&self, device: &Device) -> UrResult<&OnDevice> {
        let found = self.on_devices.iter().find(|kernel| kernel.device.raw == device.raw);
        found.ok_or_else(kit::groups::no_kernel)
    }

    fn interface(&self) -> &Interface {
        self.on_devices[0].interface()
    }

    /// Lays out the arguments of a launch: `args`, or, if there are none, those that were set before. In a context of several devices
    /// [`Self::locate`] follows.
    #[inline(always)]
    pub(crate) fn pack(
        &self,
        on: &OnDevice,
        args: Args<'_, Cuda>,
        work_group_memory: usize,
        packed: &mut Packed,
    ) -> UrResult<()> {
        let interface = on.interface();
        match args.is_empty() && !interface.params.is_empty() {
            true => self.settings.lock().pack(interface, work_group_memory, packed),
            false => packed.take(interface, args, work_group_memory),
        }?;
        match packed.nulls {
            0 => Ok(()),
            _ => on.discard_null_stores(packed),
        }
    }

    /// Writes where the buffers among them are that move.
    #[cold]
    pub(crate) fn locate(&self, on: &OnDevice, args: Args<'_, Cuda>, packed: &mut Packed) -> UrResult<()> {
        let set_before = match args.is_empty() {
            // The driver may be called, and not under the lock.
            true => self.settings.lock().moving().clone(),
            false => MovingArgs::new(),
        };
        packed.locate(on.interface(), args, &set_before, &on.device)
    }
}

impl kit::Kernel<Cuda> for Kernel {
    fn program(&self) -> &Arc<Program> {
        &self.program
    }

    fn create(program: &Arc<Program>, name: &CStr) -> UrResult<Arc<Self>> {
        let on_device = |(device, code): (_, Executable)| OnDevice::new(code.function(name)?, &device);
        let on_devices = program.map_executables(on_device)?;
        Ok(Arc::new(Self::new(program, name, on_devices.into())))
    }

    fn info(&self, query: KernelInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            KernelInfo::FUNCTION_NAME => out.c_str(&self.name),
            KernelInfo::NUM_ARGS => out.value(self.interface().params.len() as u32),
            KernelInfo::ATTRIBUTES => out.str(&self.interface().attributes()),
            KernelInfo::NUM_REGS => out.value(self.on_devices[0].registers),
            KernelInfo::SPILL_MEM_SIZE => {
                let sizes: Vec<u32> = self.on_devices.iter().map(|kernel| kernel.private_memory).collect();
                out.slice(&sizes)
            }
            _ => out.unsupported(),
        }
    }

    fn group_info(&self, device: &Arc<Device>, query: KernelGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        let kernel = self.on(device)?;
        let f = &device.facts;
        match query {
            KernelGroupInfo::GLOBAL_WORK_SIZE => {
                out.value([0, 1, 2].map(|d| f.max_block[d].saturating_mul(f.max_grid[d])))
            }
            KernelGroupInfo::WORK_GROUP_SIZE => out.value(kernel.max_threads as usize),
            KernelGroupInfo::COMPILE_WORK_GROUP_SIZE => {
                let required = kernel.interface().required_size.unwrap_or_default();
                out.value(required.map(|size| size as usize))
            }
            KernelGroupInfo::LOCAL_MEM_SIZE => {
                out.value(kernel.static_shared as usize + kernel.interface().local_memory)
            }
            KernelGroupInfo::PREFERRED_WORK_GROUP_SIZE_MULTIPLE => out.value(f.warp as usize),
            KernelGroupInfo::PRIVATE_MEM_SIZE => out.value(kernel.private_memory as usize),
            KernelGroupInfo::COMPILE_MAX_LINEAR_WORK_GROUP_SIZE => {
                out.value(kernel.interface().max_size.unwrap_or(0) as usize)
            }
            _ => out.unsupported(),
        }
    }

    fn sub_group_info(&self, device: &Arc<Device>, query: KernelSubGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        let kernel = self.on(device)?;
        let (size, required) = kernel.interface().sub_group_size.unwrap_or((device.facts.warp, false));
        let number = match query {
            KernelSubGroupInfo::MAX_SUB_GROUP_SIZE => size,
            KernelSubGroupInfo::MAX_NUM_SUB_GROUPS => kernel.max_threads.div_ceil(size.max(1)),
            KernelSubGroupInfo::COMPILE_NUM_SUB_GROUPS => kernel.interface().sub_groups.unwrap_or(0),
            KernelSubGroupInfo::SUB_GROUP_SIZE_INTEL if required => size,
            KernelSubGroupInfo::SUB_GROUP_SIZE_INTEL => 0,
            _ => return out.unsupported(),
        };
        out.value(number)
    }

    fn set_arg(&self, arg: Arg<'_, Cuda>) -> UrResult<()> {
        self.settings.lock().set(self.interface(), &arg)?;
        self.objects.set(&arg);
        Ok(())
    }

    // Only those that move.
    fn own_args(&self, to: &mut dyn FnMut(Arg<'_, Cuda>) -> UrResult<()>) -> UrResult<()> {
        let moving = self.settings.lock().moving().clone();
        let buffers = moving.iter().filter_map(|arg| Some((arg, arg.mem.upgrade()?)));
        for (arg, mem) in buffers {
            to(Arg::Mem(arg.index, Some(Borrowed::from(&mem)), arg.access))?;
        }
        Ok(())
    }

    fn snapshot(&self, args: Args<'_, Cuda>) -> UrResult<Arc<Self>> {
        let mut copy = Self::new(&self.program, &self.name, self.on_devices.clone());
        copy.objects = self.objects.keep();
        if args.is_empty() {
            *copy.settings.get_mut() = self.settings.lock().clone();
        }
        for arg in args.iter() {
            kit::Kernel::set_arg(&copy, arg?)?;
        }
        Ok(Arc::new(copy))
    }

    fn set_exec_info(&self, info: ExecInfo<'_>) -> UrResult<()> {
        match info {
            // Kernels reach all memory of their device, and the host's and managed memory.
            ExecInfo::UsmIndirectAccess(_) | ExecInfo::UsmPointers(_) => Ok(()),
            // A hint. The driver chooses by what the kernel needs.
            ExecInfo::CacheConfig(_) => Ok(()),
        }
    }

    fn suggested_local_size(
        &self,
        queue: &Arc<Queue>,
        range: &Range<'_>,
        _args: Args<'_, Cuda>,
    ) -> UrResult<[usize; 3]> {
        let kernel = self.on(&queue.device)?;
        Ok(kernel.suggested_size(range.global).map(|size| size as usize))
    }

    fn max_cooperative_groups(&self, device: &Arc<Device>, local: &[usize], dynamic: usize) -> UrResult<u32> {
        let kernel = self.on(device)?;
        let size = kernel.checked_group(padded(local, 1), padded(local, 1), device)?;
        let (kernel, threads) = (kernel.for_blocks(size), size.iter().product::<u32>());
        let dynamic = dynamic.saturating_add(kernel.interface().local_memory);
        let dynamic = u32::try_from(dynamic).unwrap_or(u32::MAX);
        kernel.allow_shared(dynamic)?;
        let dynamic = kernel.shared_with_margin(dynamic, size) as usize;
        let _current = device.primary()?.activate()?;
        let (raw, threads) = (kernel.function.raw, threads as i32);
        // SAFETY: a live function and a place for the answer.
        let blocks =
            unsafe { cu_get!(cuOccupancyMaxActiveBlocksPerMultiprocessor(_, raw, threads, dynamic): i32 = 0) }?;
        Ok(blocks.max(0) as u32 * device.facts.multiprocessors)
    }

    fn native(self: &Arc<Self>) -> UrResult<kit::ur::NativeHandle> {
        Ok(self.on_devices[0].function.raw as kit::ur::NativeHandle)
    }
}
