// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels: one of Level Zero for each device that the program was built for.

use std::ffi::{CStr, CString, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kit::ur::{KernelCacheConfig, KernelGroupInfo, KernelInfo, KernelSubGroupInfo, NativeHandle, ResultCode};
use kit::{
    Arg, ArgCache, ArgKey, ArgObjects, Args, ExecInfo, HandleCell, InfoOut, KernelCloneEmulation, Range, UrError,
    UrResult,
};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{Turn, Turns};

use crate::program::Module;
use crate::ze::{self, KernelKind, Owned, ze, ze_get};
use crate::{Context, Device, LevelZero, Program, Queue};

/// A kernel.
pub(crate) struct Kernel {
    pub(crate) handle_cell: HandleCell,
    name: CString,
    /// At least one.
    on_devices: Vec<OnDevice>,
    /// The objects among the arguments that were set one by one.
    objects: ArgObjects,
    /// What was set in it: Level Zero cannot clone kernels.
    clone_emulation: KernelCloneEmulation<LevelZero>,
    program: Arc<Program>,
}

/// The kernel on a device.
pub(crate) struct OnDevice {
    raw: Owned<KernelKind>,
    device: Arc<Device>,
    properties: KernelProperties,
    arg_cache: ArgCache,
    /// Taken while arguments and the range are set and used, so that two threads may launch one kernel.
    turns: Turns,
    /// What was set beside arguments. Changed in turn only.
    group: [AtomicU32; 3],
    offset: [AtomicU32; 3],
    /// After the kernel.
    module: Option<Arc<Module>>,
}

/// What the driver says of a kernel, without the pointer.
struct KernelProperties {
    arguments: u32,
    required_size: [u32; 3],
    required_sub_groups: u32,
    required_sub_group_size: u32,
    max_sub_group_size: u32,
    max_sub_groups: u32,
    local_memory: u32,
    private_memory: u32,
    spill_memory: u32,
    preferred_multiple: u32,
    max_group_size: Option<u32>,
}

/// The range of a launch as Level Zero takes it.
#[derive(Clone, Copy)]
pub(crate) struct Groups {
    pub(crate) count: ze_group_count_t,
    pub(crate) size: [u32; 3],
    pub(crate) offset: [u32; 3],
}

/// Whether these are the numbers; else they become them.
#[inline(always)]
fn is_same(known: &[AtomicU32; 3], numbers: [u32; 3]) -> bool {
    std::iter::zip(known, numbers).all(|(known, number)| known.load(Ordering::Relaxed) == number)
}

fn note(known: &[AtomicU32; 3], numbers: [u32; 3]) {
    std::iter::zip(known, numbers).for_each(|(known, number)| known.store(number, Ordering::Relaxed));
}

/// A kernel that is prepared for a launch.
pub(crate) struct Prepared<'a> {
    kernel: &'a OnDevice,
    _turn: Turn<'a>,
}

impl KernelProperties {
    fn ask(kernel: ze_kernel_handle_t, device: &Device) -> UrResult<Self> {
        let mut preferred = ze_kernel_preferred_group_size_properties_t::default();
        let mut largest = ze_kernel_max_group_size_properties_ext_t::default();
        let has_largest = device.driver.has(ZE_KERNEL_MAX_GROUP_SIZE_PROPERTIES_EXT_NAME);
        if has_largest {
            preferred.pNext = (&raw mut largest).cast();
        }
        let mut properties = ze_kernel_properties_t {
            pNext: (&raw mut preferred).cast(),
            ..Default::default()
        };
        // SAFETY: a live kernel and structures to fill.
        unsafe { ze!(zeKernelGetProperties(kernel, &mut properties)) }?;
        let p = &properties;
        Ok(Self {
            arguments: p.numKernelArgs,
            required_size: [p.requiredGroupSizeX, p.requiredGroupSizeY, p.requiredGroupSizeZ],
            required_sub_groups: p.requiredNumSubGroups,
            required_sub_group_size: p.requiredSubgroupSize,
            max_sub_group_size: p.maxSubgroupSize,
            max_sub_groups: p.maxNumSubgroups,
            local_memory: p.localMemSize,
            private_memory: p.privateMemSize,
            spill_memory: p.spillMemSize,
            preferred_multiple: preferred.preferredMultiple.max(1),
            max_group_size: Some(largest.maxGroupSize).filter(|&size| has_largest && size != 0),
        })
    }
}

impl OnDevice {
    /// # Safety
    /// `raw` is a live kernel, which nobody else uses.
    unsafe fn new(raw: Owned<KernelKind>, device: &Arc<Device>, module: Option<&Arc<Module>>) -> UrResult<Self> {
        let properties = KernelProperties::ask(*raw, device)?;
        Ok(Self {
            raw,
            device: device.clone(),
            arg_cache: ArgCache::empty(properties.arguments),
            properties,
            turns: Turns::new(),
            group: Default::default(),
            offset: Default::default(),
            module: module.cloned(),
        })
    }

    /// The kernel of this name in a module.
    fn create(module: &Arc<Module>, device: &Arc<Device>, name: &CStr) -> UrResult<Self> {
        let desc = ze_kernel_desc_t {
            pKernelName: name.as_ptr(),
            ..Default::default()
        };
        // SAFETY: a live module, a name that lives until the call returns, and the kernel that was just made.
        unsafe {
            let raw = Owned::new(ze_get!(zeKernelCreate(***module, &desc))?, true);
            Self::new(raw, device, Some(module))
        }
    }

    /// The driver's handle.
    #[inline(always)]
    pub(crate) fn handle(&self) -> ze_kernel_handle_t {
        *self.raw
    }

    /// Takes it for a launch.
    #[inline(always)]
    pub(crate) fn lock(&self) -> Prepared<'_> {
        Prepared {
            kernel: self,
            _turn: self.turns.take(),
        }
    }

    /// Sets the arguments of a launch. The caller has locked the kernel.
    #[inline(always)]
    pub(crate) fn set_all(&self, args: Args<'_, LevelZero>) -> UrResult<()> {
        args.iter().try_for_each(|arg| self.set(&arg?))
    }

    /// Sets one argument.
    #[inline(always)]
    fn set(&self, arg: &Arg<'_, LevelZero>) -> UrResult<()> {
        let arg_cache = &self.arg_cache;
        match *arg {
            Arg::Value(index, bytes) => {
                let set = || self.set_bytes(index, bytes.len(), bytes.as_ptr().cast());
                if let Ok(&bytes) = <&[u8; 4]>::try_from(bytes) {
                    arg_cache.number(index, ArgKey::value(4), u32::from_ne_bytes(bytes).into(), || true, set)
                } else if let Ok(&bytes) = <&[u8; 8]>::try_from(bytes) {
                    arg_cache.number(index, ArgKey::handle(), u64::from_ne_bytes(bytes), || true, set)
                } else {
                    arg_cache.bytes(index, bytes, set)
                }
            }
            Arg::Pointer(index, pointer) => self.set_address(index, pointer.addr()),
            Arg::Local(index, size) => {
                let set = || self.set_bytes(index, size, std::ptr::null());
                arg_cache.number(index, ArgKey::LOCAL, size as u64, || true, set)
            }
            Arg::Mem(index, Some(ref mem), _) => match mem.image() {
                Ok(image) => self.set_object(index, image.handle() as usize),
                Err(_) => {
                    mem.settle(&self.device)?;
                    self.set_address(index, mem.address())
                }
            },
            Arg::Mem(index, None, _) => self.set_address(index, 0),
            Arg::Sampler(index, ref sampler) => self.set_object(index, sampler.handle() as usize),
        }
    }

    #[inline(always)]
    fn set_address(&self, index: u32, address: usize) -> UrResult<()> {
        self.arg_cache.number(
            index,
            ArgKey::address(),
            address as u64,
            || true,
            || self.set_bytes(index, size_of::<usize>(), (&raw const address).cast()),
        )
    }

    /// Sets a handle of Level Zero, which another object may have later.
    #[cold]
    fn set_object(&self, index: u32, handle: usize) -> UrResult<()> {
        let set = || self.set_bytes(index, size_of::<usize>(), (&raw const handle).cast());
        self.arg_cache.other(index, set)
    }

    /// Tells Level Zero of an argument of so many bytes; null stands for local memory.
    #[inline(always)]
    fn set_bytes(&self, index: u32, size: usize, bytes: *const c_void) -> UrResult<()> {
        // SAFETY: a live kernel; the driver copies the bytes before it returns.
        unsafe { ze!(zeKernelSetArgumentValue(*self.raw, index, size, bytes)) }
    }

    /// The largest work-group.
    fn max_group_size(&self) -> usize {
        let largest = self.properties.max_group_size;
        largest.unwrap_or(self.device.facts.compute.maxTotalGroupSize) as usize
    }

    /// The work-group size of a launch that names none.
    fn suggested_size(&self, global: [usize; 3]) -> UrResult<[u32; 3]> {
        let required = self.properties.required_size;
        if required[0] != 0 {
            return Ok(required.map(|size| size.max(1)));
        }
        let clamped = global.map(|size| u32::try_from(size).unwrap_or(u32::MAX).max(1));
        let [mut x, mut y, mut z] = [1; 3];
        // SAFETY: a live kernel and places for the sizes.
        unsafe {
            ze!(zeKernelSuggestGroupSize(
                *self.raw, clamped[0], clamped[1], clamped[2], &mut x, &mut y, &mut z
            ))
        }?;
        // Drivers need not suggest what divides the range.
        let divisor = |suggested: u32, global: usize| {
            let mut size = suggested.max(1);
            while !global.is_multiple_of(size as usize) {
                size -= 1;
            }
            size
        };
        Ok([divisor(x, global[0]), divisor(y, global[1]), divisor(z, global[2])])
    }
}

/// An array of a range as Level Zero takes it.
#[inline(always)]
fn padded(sizes: &[usize], rest: usize) -> [usize; 3] {
    let mut all = [rest; 3];
    all[..sizes.len()].copy_from_slice(sizes);
    all
}

impl Prepared<'_> {
    /// Sets the range of a launch, and returns its work-groups; `None` for a launch of nothing.
    #[inline(always)]
    pub(crate) fn set_range(&self, range: &Range<'_>, device: &Device) -> UrResult<Option<ze_group_count_t>> {
        let Some(groups) = self.groups(range, device)? else {
            return Ok(None);
        };
        let (kernel, raw) = (self.kernel, *self.kernel.raw);
        if !is_same(&kernel.group, groups.size) {
            let [x, y, z] = groups.size;
            // SAFETY: a live kernel, which is locked.
            unsafe { ze!(zeKernelSetGroupSize(raw, x, y, z)) }?;
            note(&kernel.group, groups.size);
        }
        if !is_same(&kernel.offset, groups.offset) {
            let [x, y, z] = groups.offset;
            // SAFETY: as above.
            unsafe { ze!(zeKernelSetGlobalOffsetExp(raw, x, y, z)) }?;
            note(&kernel.offset, groups.offset);
        }
        Ok(Some(groups.count))
    }

    /// The work-groups of a range; `None` for a launch of nothing.
    #[inline(always)]
    pub(crate) fn groups(&self, range: &Range<'_>, device: &Device) -> UrResult<Option<Groups>> {
        let global = padded(range.global, 1);
        if global.contains(&0) {
            return Ok(None);
        }
        let size = match range.local {
            Some(local) => {
                let local = padded(local, 1);
                self.check_group(local, global, device)?;
                local.map(|size| size as u32)
            }
            None => self.kernel.suggested_size(global)?,
        };
        let mut counts = [0; 3];
        for d in 0..3 {
            let count = global[d] / size[d] as usize;
            if count * size[d] as usize != global[d] {
                return Err(no_whole_groups(global, size));
            }
            counts[d] = u32::try_from(count).map_err(|_| too_many(global))?;
        }
        let offset = range.offset.map_or([0; 3], |offset| padded(offset, 0));
        let [Ok(x), Ok(y), Ok(z)] = offset.map(u32::try_from) else {
            return Err(too_far(offset));
        };
        Ok(Some(Groups {
            count: ze_group_count_t {
                groupCountX: counts[0],
                groupCountY: counts[1],
                groupCountZ: counts[2],
            },
            size,
            offset: [x, y, z],
        }))
    }

    /// Refuses work-groups that the kernel or the device does not run.
    #[inline(always)]
    fn check_group(&self, local: [usize; 3], global: [usize; 3], device: &Device) -> UrResult<()> {
        let required = self.kernel.properties.required_size;
        let fits_kernel = required[0] == 0 || local == required.map(|size| size.max(1) as usize);
        let c = &device.facts.compute;
        let most = [c.maxGroupSizeX, c.maxGroupSizeY, c.maxGroupSizeZ];
        let fits_device = (0..3).all(|d| local[d] <= most[d] as usize);
        if fits_kernel && fits_device && local[0] * local[1] * local[2] <= self.kernel.max_group_size() {
            return Ok(());
        }
        Err(no_group(local, global))
    }
}

#[cold]
fn another_context() -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_CONTEXT,
        "the kernel is of another context than the queue",
    )
}

#[cold]
fn too_far(offset: [usize; 3]) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_VALUE,
        format!("the offset {offset:?} of a range is too large for Level Zero"),
    )
}

#[cold]
fn no_group(local: [usize; 3], global: [usize; 3]) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_WORK_GROUP_SIZE,
        format!("the kernel has no work-groups of {local:?} work-items (of {global:?}) on this device"),
    )
}

#[cold]
fn no_whole_groups(global: [usize; 3], group: [u32; 3]) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_WORK_GROUP_SIZE,
        format!("Level Zero has whole work-groups only: {global:?} is no multiple of {group:?}"),
    )
}

#[cold]
fn too_many(global: [usize; 3]) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_WORK_DIMENSION,
        format!("{global:?} work-items make too many work-groups for Level Zero"),
    )
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.context.retire(std::mem::take(&mut self.on_devices));
    }
}

impl Kernel {
    fn new(program: &Arc<Program>, name: &CStr, on_devices: Vec<OnDevice>) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            name: name.to_owned(),
            on_devices,
            objects: ArgObjects::none(),
            clone_emulation: KernelCloneEmulation::default(),
            program: program.clone(),
        }
    }

    /// The kernel on a device, or on the one that it is a part of.
    #[inline(always)]
    pub(crate) fn on(&self, device: &Device) -> UrResult<&OnDevice> {
        let first = &self.on_devices[0];
        if first.device.raw == device.raw {
            return Ok(first);
        }
        self.on_other(device)
    }

    /// The same for a queue, which is of its context.
    #[inline(always)]
    pub(crate) fn on_queue(&self, queue: &Queue) -> UrResult<&OnDevice> {
        match Arc::ptr_eq(&self.program.context.shared, &queue.context.shared) {
            true => self.on(&queue.device),
            false => Err(another_context()),
        }
    }

    #[cold]
    fn on_other(&self, device: &Device) -> UrResult<&OnDevice> {
        let mut all = self.on_devices.iter();
        let same = all.clone().find(|kernel| kernel.device.raw == device.raw);
        let found = same.or_else(|| all.find(|kernel| device.is_in(&kernel.device)));
        found.ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_KERNEL,
                "the program of the kernel was not built for this device",
            )
        })
    }

    fn first(&self) -> &KernelProperties {
        &self.on_devices[0].properties
    }

    fn set_indirect(&self, access: bool) -> UrResult<()> {
        let all = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST
            | ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE
            | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
        let flags = if access { all } else { 0 };
        self.on_devices.iter().try_for_each(|kernel| {
            let _locked = kernel.lock();
            // SAFETY: a live kernel, which is locked.
            unsafe { ze!(zeKernelSetIndirectAccess(*kernel.raw, flags)) }
        })
    }
}

impl kit::Kernel<LevelZero> for Kernel {
    fn program(&self) -> &Arc<Program> {
        &self.program
    }

    fn create(program: &Arc<Program>, name: &CStr) -> UrResult<Arc<Self>> {
        let on_devices = program.with_modules(|modules| {
            let create = |(device, module): &(_, _)| OnDevice::create(module, device, name);
            modules.iter().map(create).collect::<UrResult<_>>()
        });
        let on_devices = on_devices.map_err(|error| match error.code() {
            // Symbols of other programs are missing.
            ResultCode::ERROR_PROGRAM_UNLINKED => error.with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE),
            _ => error,
        })?;
        Ok(Arc::new(Self::new(program, name, on_devices)))
    }

    fn info(&self, query: KernelInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            KernelInfo::FUNCTION_NAME => out.c_str(&self.name),
            KernelInfo::NUM_ARGS => out.value(self.first().arguments),
            KernelInfo::ATTRIBUTES => {
                let (mut size, mut text) = (0, std::ptr::null_mut());
                let raw = *self.on_devices[0].raw;
                // SAFETY: a live kernel and places for the results. The text is the driver's, and there as long as the kernel.
                unsafe {
                    ze!(zeKernelGetSourceAttributes(raw, &mut size, &mut text))?;
                    match text.is_null() {
                        true => out.str(""),
                        false => out.c_str(CStr::from_ptr(text)),
                    }
                }
            }
            KernelInfo::SPILL_MEM_SIZE => {
                let sizes: Vec<u32> = self.on_devices.iter().map(|k| k.properties.spill_memory).collect();
                out.slice(&sizes)
            }
            _ => out.unsupported(),
        }
    }

    fn group_info(&self, device: &Arc<Device>, query: KernelGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        let kernel = self.on(device)?;
        let p = &kernel.properties;
        match query {
            KernelGroupInfo::GLOBAL_WORK_SIZE => {
                let c = &device.facts.compute;
                let sizes = [
                    (c.maxGroupSizeX, c.maxGroupCountX),
                    (c.maxGroupSizeY, c.maxGroupCountY),
                    (c.maxGroupSizeZ, c.maxGroupCountZ),
                ];
                out.value(sizes.map(|(size, count)| size as usize * count as usize))
            }
            KernelGroupInfo::WORK_GROUP_SIZE => out.value(kernel.max_group_size()),
            KernelGroupInfo::COMPILE_WORK_GROUP_SIZE => out.value(p.required_size.map(|size| size as usize)),
            KernelGroupInfo::LOCAL_MEM_SIZE => out.value(p.local_memory as usize),
            KernelGroupInfo::PREFERRED_WORK_GROUP_SIZE_MULTIPLE => out.value(p.preferred_multiple as usize),
            KernelGroupInfo::PRIVATE_MEM_SIZE => out.value(p.private_memory as usize),
            _ => out.unsupported(),
        }
    }

    fn sub_group_info(&self, device: &Arc<Device>, query: KernelSubGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        let p = &self.on(device)?.properties;
        let number = match query {
            KernelSubGroupInfo::MAX_SUB_GROUP_SIZE => p.max_sub_group_size,
            KernelSubGroupInfo::MAX_NUM_SUB_GROUPS => p.max_sub_groups,
            KernelSubGroupInfo::COMPILE_NUM_SUB_GROUPS => p.required_sub_groups,
            KernelSubGroupInfo::SUB_GROUP_SIZE_INTEL => p.required_sub_group_size,
            _ => return out.unsupported(),
        };
        out.value(number)
    }

    #[inline(always)]
    fn set_arg(&self, arg: Arg<'_, LevelZero>) -> UrResult<()> {
        self.on_devices.iter().try_for_each(|kernel| kernel.set(&arg))?;
        self.objects.set(&arg);
        self.clone_emulation.argument(&arg);
        Ok(())
    }

    fn snapshot(&self, args: Args<'_, LevelZero>) -> UrResult<Arc<Self>> {
        let again = |kernel: &OnDevice| match &kernel.module {
            Some(module) => OnDevice::create(module, &kernel.device, &self.name),
            None => Err(UrError::with_message(
                ResultCode::ERROR_UNSUPPORTED_FEATURE,
                "a native kernel cannot be copied, so command buffers cannot have it",
            )),
        };
        let on_devices = self.on_devices.iter().map(again).collect::<UrResult<_>>()?;
        let mut copy = Self::new(&self.program, &self.name, on_devices);
        copy.objects = self.objects.keep();
        self.clone_emulation.apply_to(&copy, args.is_empty())?;
        for arg in args.iter() {
            kit::Kernel::set_arg(&copy, arg?)?;
        }
        Ok(Arc::new(copy))
    }

    fn set_exec_info(&self, info: ExecInfo<'_>) -> UrResult<()> {
        match info {
            ExecInfo::UsmIndirectAccess(access) => self.set_indirect(access)?,
            // Level Zero knows no single pointers.
            ExecInfo::UsmPointers(pointers) => self.set_indirect(!pointers.is_empty())?,
            ExecInfo::CacheConfig(config) => {
                let flags = match config {
                    KernelCacheConfig::LARGE_SLM => ZE_CACHE_CONFIG_FLAG_LARGE_SLM,
                    KernelCacheConfig::LARGE_DATA => ZE_CACHE_CONFIG_FLAG_LARGE_DATA,
                    _ => 0,
                };
                for kernel in &self.on_devices {
                    let _locked = kernel.lock();
                    // SAFETY: a live kernel, which is locked.
                    if let Err(error) = unsafe { ze!(zeKernelSetCacheConfig(*kernel.raw, flags)) } {
                        log::debug!("the driver does not split on-chip memory: {error}");
                    }
                }
            }
        }
        self.clone_emulation.exec_info(info);
        Ok(())
    }

    fn suggested_local_size(
        &self,
        queue: &Arc<Queue>,
        range: &Range<'_>,
        _args: Args<'_, LevelZero>,
    ) -> UrResult<[usize; 3]> {
        let kernel = self.on(&queue.device)?;
        let _locked = kernel.lock();
        let size = kernel.suggested_size(padded(range.global, 1))?;
        Ok(size.map(|size| size as usize))
    }

    fn max_cooperative_groups(&self, device: &Arc<Device>, local: &[usize], _dynamic: usize) -> UrResult<u32> {
        let kernel = self.on(device)?;
        let local = padded(local, 1);
        let [Ok(x), Ok(y), Ok(z)] = local.map(u32::try_from) else {
            return Err(no_group(local, [0; 3]));
        };
        let _locked = kernel.lock();
        // SAFETY: a live kernel, which is locked.
        unsafe {
            ze!(zeKernelSetGroupSize(*kernel.raw, x, y, z))?;
            note(&kernel.group, [x, y, z]);
            ze_get!(zeKernelSuggestMaxCooperativeGroupCount(*kernel.raw))
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.on_devices.iter().for_each(|kernel| kernel.arg_cache.share());
        Ok(*self.on_devices[0].raw as NativeHandle)
    }

    fn from_native(
        context: &Arc<Context>,
        program: Option<&Arc<Program>>,
        native: NativeHandle,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        let native = native as ze_kernel_handle_t;
        let program = match program {
            Some(program) => program.clone(),
            None => Program::unknown(context),
        };
        // SAFETY: the client vouches for its native handle.
        let name = ze::string(|size, name| unsafe { ze!(zeKernelGetName(native, size, name)) })?;
        let name = CString::new(name).map_err(|_| ResultCode::ERROR_INVALID_KERNEL_NAME)?;
        // SAFETY: as above.
        let kernel = unsafe { OnDevice::new(Owned::new(native, owned), &context.devices[0], None) }?;
        kernel.arg_cache.share();
        Ok(Arc::new(Self::new(&program, &name, vec![kernel])))
    }
}
