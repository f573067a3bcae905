// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels: one of Level Zero for each device that the program was built for.
//!
//! A snapshot, which a command buffer has for each launch, is a handle of the same kernels with arguments of its own. Level
//! Zero takes the arguments, the work-group size and the offset when a launch is appended. So they are set right before,
//! in turn, and only what is not set already.

mod with_args;

use std::ffi::{CStr, CString, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use kit::groups::{self, no_group, no_kernel, padded};
use kit::ur::{KernelCacheConfig, KernelGroupInfo, KernelInfo, KernelSubGroupInfo, NativeHandle, ResultCode};
use kit::{
    Arg, ArgCache, ArgKey, Args, Context as _, Device as _, ExecInfo, HandleCell, InfoOut, LateSnapshot, OwnArgs,
    PlainLaunch, Range, UrError, UrResult,
};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{InTurn, InTurnGuard, Mutex};

pub(crate) use self::with_args::WithArgs;
use crate::program::Module;
use crate::ze::{self, KernelKind, Owned, desc, ze, ze_get, ze_list};
use crate::{Context, Device, LevelZero, Program, Queue};

/// A kernel, or a snapshot of one.
pub(crate) struct Kernel {
    pub(crate) handle_cell: HandleCell,
    code: Arc<Code>,
    /// The arguments that were set one by one, or those of a snapshot.
    own_args: Mutex<OwnArgs<LevelZero>>,
    /// The memory that it reaches beside its arguments.
    indirect_access: AtomicU32,
    is_snapshot: bool,
}

/// What a kernel and its snapshots share.
struct Code {
    name: CString,
    /// At least one.
    on_devices: Vec<OnDevice>,
    program: Arc<Program>,
}

/// The kernel on a device.
pub(crate) struct OnDevice {
    raw: Owned<KernelKind>,
    device: Arc<Device>,
    properties: KernelProperties,
    arg_cache: ArgCache,
    /// Taken while arguments and the range are set and used, so that two threads may launch one kernel.
    known: InTurn<Known>,
    /// The address of the handle whose own arguments are set; 0 if they are no handle's. Set in turn only.
    args_of: AtomicUsize,
    /// Whether the client may set arguments past us.
    shared: AtomicBool,
    /// Whether launches can bring their arguments.
    takes_args: bool,
    /// After the kernel.
    _module: Option<Arc<Module>>,
}

/// What was set beside arguments.
#[derive(Default)]
struct Known {
    group: [u32; 3],
    offset: [u32; 3],
    indirect_access: u32,
    /// Whether the last launch with arguments had several new ones.
    several_new: bool,
}

/// What the driver says of a kernel.
struct KernelProperties {
    raw: ze_kernel_properties_t,
    preferred_multiple: u32,
    max_group_size: Option<u32>,
}

ze::any_thread!(KernelProperties);

/// The range of a launch as Level Zero takes it.
#[derive(Clone, Copy)]
pub(crate) struct Groups {
    pub(crate) count: ze_group_count_t,
    pub(crate) size: [u32; 3],
    pub(crate) offset: [u32; 3],
}

impl Groups {
    /// The size of a work-group as Level Zero takes it.
    pub(crate) fn size(&self) -> ze_group_size_t {
        let mut size = ze_group_size_t::default();
        [size.groupSizeX, size.groupSizeY, size.groupSizeZ] = self.size;
        size
    }
}

/// Number by number: to compare all at once has those that are in registers go through memory.
#[inline(always)]
fn is_same(known: &[u32; 3], new: &[u32; 3]) -> bool {
    known[0] == new[0] && known[1] == new[1] && known[2] == new[2]
}

/// A kernel that is prepared for a launch.
pub(crate) struct Prepared<'a> {
    kernel: &'a OnDevice,
    known: InTurnGuard<'a, Known>,
}

impl KernelProperties {
    fn ask(kernel: ze_kernel_handle_t, device: &Device) -> UrResult<Self> {
        let mut preferred = ze_kernel_preferred_group_size_properties_t::default();
        let mut largest = ze_kernel_max_group_size_properties_ext_t::default();
        let has_largest = device.driver.has(ZE_KERNEL_MAX_GROUP_SIZE_PROPERTIES_EXT_NAME);
        if has_largest {
            preferred.pNext = (&raw mut largest).cast();
        }
        let mut raw = desc!(ze_kernel_properties_t: pNext = (&raw mut preferred).cast());
        // SAFETY: a live kernel and structures to fill.
        unsafe { ze!(zeKernelGetProperties(kernel, &mut raw)) }?;
        raw.pNext = std::ptr::null_mut();
        Ok(Self {
            raw,
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
            arg_cache: ArgCache::empty(properties.raw.numKernelArgs),
            properties,
            known: InTurn::default(),
            args_of: AtomicUsize::new(0),
            shared: AtomicBool::new(false),
            takes_args: device.driver.api_version >= ZE_API_VERSION_1_14
                && ze::api().zeCommandListAppendLaunchKernelWithArguments.is_some(),
            _module: module.cloned(),
        })
    }

    /// The kernel of this name in a module.
    fn create(module: &Arc<Module>, device: &Arc<Device>, name: &CStr) -> UrResult<Self> {
        let desc = desc!(ze_kernel_desc_t: pKernelName = name.as_ptr());
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
            known: self.known.take(),
        }
    }

    /// The arguments of this handle are set now, and no others.
    fn note_args_of(&self, of: &Kernel) {
        // Those of a snapshot are what they were, whatever the client does with the driver's kernel.
        if !(of.is_snapshot && self.shared.load(Ordering::Relaxed)) {
            self.args_of.store(of.address(), Ordering::Relaxed);
        }
    }

    /// The client may set arguments past us from now on.
    fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
        self.arg_cache.share();
        self.args_of.store(0, Ordering::Relaxed);
    }

    /// Sets one argument. `new` counts those that the driver does not have yet.
    #[inline(always)]
    fn set(&self, arg: &Arg<'_, LevelZero>, new: &mut u32) -> UrResult<()> {
        let arg_cache = &self.arg_cache;
        match *arg {
            Arg::Value(index, bytes) => {
                let set = || {
                    *new += 1;
                    self.set_bytes(index, bytes.len(), bytes.as_ptr().cast())
                };
                arg_cache.value(index, bytes, || true, set)
            }
            Arg::Pointer(index, pointer) => self.set_address(index, pointer.addr(), new),
            Arg::Local(index, size) => {
                let set = || self.set_bytes(index, size, std::ptr::null());
                arg_cache.number(index, ArgKey::LOCAL, size as u64, || true, set)
            }
            Arg::Mem(index, Some(ref mem), _) => match mem.image() {
                Ok(image) => self.set_object(index, image.handle() as usize),
                Err(_) => self.set_address(index, mem.address_on(&self.device)?, new),
            },
            Arg::Mem(index, None, _) => self.set_address(index, 0, new),
            Arg::Sampler(index, ref sampler) => self.set_object(index, **sampler.raw as usize),
        }
    }

    #[inline(always)]
    fn set_address(&self, index: u32, address: usize, new: &mut u32) -> UrResult<()> {
        let set = || {
            *new += 1;
            self.set_bytes(index, size_of::<usize>(), (&raw const address).cast())
        };
        self.arg_cache
            .number(index, ArgKey::address(), address as u64, || true, set)
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

    /// The size of work-groups, if the kernel has them of one size only.
    fn required_size(&self) -> Option<[u32; 3]> {
        let p = &self.properties.raw;
        let required = [p.requiredGroupSizeX, p.requiredGroupSizeY, p.requiredGroupSizeZ];
        (required[0] != 0).then_some(required)
    }

    /// The largest work-group.
    fn max_group_size(&self) -> usize {
        let largest = self.properties.max_group_size;
        largest.unwrap_or(self.device.facts.compute.maxTotalGroupSize) as usize
    }

    /// The work-group size of a launch that names none.
    fn suggested_size(&self, global: [usize; 3]) -> UrResult<[u32; 3]> {
        if let Some(required) = self.required_size() {
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
        let dividing = |suggested: u32, global| groups::largest_divisor(global, suggested as usize) as u32;
        Ok([dividing(x, global[0]), dividing(y, global[1]), dividing(z, global[2])])
    }
}

impl Prepared<'_> {
    /// Sets the arguments of a launch.
    #[inline(always)]
    fn set_all(&mut self, args: Args<'_, LevelZero>) -> UrResult<()> {
        self.kernel.args_of.store(0, Ordering::Relaxed);
        let mut new = 0;
        for arg in args.iter() {
            self.kernel.set(&arg?, &mut new)?;
        }
        self.known.several_new |= new > 1;
        Ok(())
    }

    /// What was set beside arguments is this.
    #[inline(always)]
    pub(crate) fn set_state(&mut self, indirect_access: u32) -> UrResult<()> {
        match self.known.indirect_access == indirect_access {
            true => Ok(()),
            false => self.set_indirect_access(indirect_access),
        }
    }

    /// Sets the arguments of a launch by a handle: `args`, or, if there are none, its own.
    #[inline(always)]
    pub(crate) fn set_args(&mut self, of: &Kernel, args: Args<'_, LevelZero>) -> UrResult<()> {
        let kernel = self.kernel;
        if !args.is_empty() {
            return self.set_all(args);
        }
        match kernel.args_of.load(Ordering::Relaxed) == of.address() {
            true => Ok(()),
            false => self.set_own_args(of),
        }
    }

    /// Sets the arguments of a plain launch.
    pub(crate) fn set_plain_args(&mut self, launch: &PlainLaunch<LevelZero>) -> UrResult<()> {
        self.kernel.args_of.store(0, Ordering::Relaxed);
        launch.args().try_for_each(|arg| self.kernel.set(&arg, &mut 0))
    }

    #[inline(never)]
    fn set_own_args(&self, of: &Kernel) -> UrResult<()> {
        self.kernel.args_of.store(0, Ordering::Relaxed);
        // A copy, because the driver is called, and not under the lock: see `kit::fork`.
        let args = of.own_args.lock().clone();
        args.give(|arg| self.kernel.set(&arg, &mut 0))?;
        self.kernel.note_args_of(of);
        Ok(())
    }

    #[cold]
    fn set_indirect_access(&mut self, flags: ze_kernel_indirect_access_flags_t) -> UrResult<()> {
        // SAFETY: a live kernel, which is locked.
        unsafe { ze!(zeKernelSetIndirectAccess(*self.kernel.raw, flags)) }?;
        self.known.indirect_access = flags;
        Ok(())
    }

    /// Sets the range of a launch, and returns its work-groups; `None` for a launch of nothing.
    #[inline(always)]
    pub(crate) fn set_range(&mut self, range: &Range<'_>, device: &Device) -> UrResult<Option<ze_group_count_t>> {
        let Some(groups) = self.groups(range, device)? else {
            return Ok(None);
        };
        if !is_same(&self.known.group, &groups.size) {
            let [x, y, z] = groups.size;
            // SAFETY: a live kernel, which is locked.
            unsafe { ze!(zeKernelSetGroupSize(*self.kernel.raw, x, y, z)) }?;
            self.known.group = groups.size;
        }
        self.set_offset(groups.offset)?;
        Ok(Some(groups.count))
    }

    /// Sets the first work-item.
    #[inline(always)]
    pub(crate) fn set_offset(&mut self, offset: [u32; 3]) -> UrResult<()> {
        if !is_same(&self.known.offset, &offset) {
            let [x, y, z] = offset;
            // SAFETY: a live kernel, which is locked.
            unsafe { ze!(zeKernelSetGlobalOffsetExp(*self.kernel.raw, x, y, z)) }?;
            self.known.offset = offset;
        }
        Ok(())
    }

    /// The driver's handle.
    pub(crate) fn handle(&self) -> ze_kernel_handle_t {
        *self.kernel.raw
    }

    /// The work-groups of a range; `None` for a launch of nothing.
    #[inline(always)]
    pub(crate) fn groups(&self, range: &Range<'_>, device: &Device) -> UrResult<Option<Groups>> {
        let global = padded(range.global, 1);
        if global.contains(&0) {
            return Ok(None);
        }
        let kernel = self.kernel;
        let size = match range.local {
            Some(local) => {
                let c = &device.facts.compute;
                let most = [c.maxGroupSizeX, c.maxGroupSizeY, c.maxGroupSizeZ].map(|size| size as usize);
                groups::checked_group(
                    padded(local, 1),
                    global,
                    kernel.required_size(),
                    most,
                    kernel.max_group_size(),
                )?
            }
            None => kernel.suggested_size(global)?,
        };
        let counts = groups::count(global, size, true)?;
        let offset = range.offset.map_or([0; 3], |offset| padded(offset, 0));
        let [Ok(x), Ok(y), Ok(z)] = offset.map(u32::try_from) else {
            return Err(too_far(offset));
        };
        let mut count = ze_group_count_t::default();
        [count.groupCountX, count.groupCountY, count.groupCountZ] = counts;
        let offset = [x, y, z];
        Ok(Some(Groups { count, size, offset }))
    }
}

#[cold]
fn another_context() -> UrError {
    kit::error!(ERROR_INVALID_CONTEXT: "the kernel is of another context than the queue")
}

#[cold]
fn too_far(offset: [usize; 3]) -> UrError {
    kit::error!(ERROR_INVALID_VALUE: "the offset {offset:?} of a range is too large for Level Zero")
}

impl Drop for Code {
    fn drop(&mut self) {
        self.program.context.retire(std::mem::take(&mut self.on_devices));
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // Another may get the address.
        self.forget_args();
    }
}

impl Kernel {
    fn new(program: &Arc<Program>, name: &CStr, on_devices: Vec<OnDevice>) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            code: Arc::new(Code {
                name: name.to_owned(),
                on_devices,
                program: program.clone(),
            }),
            own_args: Mutex::default(),
            indirect_access: AtomicU32::new(0),
            is_snapshot: false,
        }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// What is set in the driver's kernels is not all that it has.
    #[inline]
    fn forget_args(&self) {
        let address = self.address();
        for kernel in &self.code.on_devices {
            if kernel.args_of.load(Ordering::Relaxed) == address {
                // Unless another has set its own meanwhile.
                _ = kernel
                    .args_of
                    .compare_exchange(address, 0, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }

    /// What it has beside arguments.
    #[inline(always)]
    pub(crate) fn state(&self) -> u32 {
        self.indirect_access.load(Ordering::Relaxed)
    }

    /// The kernel on a device, or on the one that it is a part of.
    #[inline(always)]
    pub(crate) fn on(&self, device: &Device) -> UrResult<&OnDevice> {
        let first = &self.code.on_devices[0];
        if first.device.raw == device.raw {
            return Ok(first);
        }
        self.on_other(device)
    }

    /// The same for a queue, which is of its context.
    #[inline(always)]
    pub(crate) fn on_queue(&self, queue: &Queue) -> UrResult<&OnDevice> {
        match Arc::ptr_eq(&self.code.program.context.shared, &queue.context.shared) {
            true => self.on(&queue.device),
            false => Err(another_context()),
        }
    }

    #[cold]
    fn on_other(&self, device: &Device) -> UrResult<&OnDevice> {
        let mut all = self.code.on_devices.iter();
        let same = all.clone().find(|kernel| kernel.device.raw == device.raw);
        let found = same.or_else(|| all.find(|kernel| device.is_in(&kernel.device)));
        found.ok_or_else(no_kernel)
    }

    fn first(&self) -> &OnDevice {
        &self.code.on_devices[0]
    }

    /// A snapshot with these arguments.
    #[inline(always)]
    fn snapshot_with(&self, own: OwnArgs<LevelZero>, indirect_access: u32) -> Arc<Self> {
        kit::recycled(Self {
            handle_cell: HandleCell::new(),
            code: self.code.clone(),
            own_args: Mutex::new(own),
            indirect_access: AtomicU32::new(indirect_access),
            is_snapshot: true,
        })
    }

    /// Hands an argument of its own to a function, if there is one of this number.
    pub(crate) fn own_arg(&self, index: u32, to: impl FnMut(Arg<'_, LevelZero>) -> UrResult<()>) -> UrResult<()> {
        // As in `set_own_args`.
        let arg = self.own_args.lock().one(index);
        arg.give(to)
    }

    /// Sets its own arguments: the driver says what is wrong with them.
    pub(crate) fn check_own_args(&self, device: &Device) -> UrResult<()> {
        self.on(device)?.lock().set_args(self, Args::none())
    }

    fn set_indirect(&self, access: bool) -> UrResult<()> {
        let all = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST
            | ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE
            | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
        let flags = if access { all } else { 0 };
        self.indirect_access.store(flags, Ordering::Relaxed);
        let mut kernels = self.code.on_devices.iter();
        kernels.try_for_each(|kernel| kernel.lock().set_indirect_access(flags))
    }
}

impl kit::Kernel<LevelZero> for Kernel {
    fn program(&self) -> &Arc<Program> {
        &self.code.program
    }

    fn create(program: &Arc<Program>, name: &CStr) -> UrResult<Arc<Self>> {
        let on_devices = program.map_executables(|(device, module)| OnDevice::create(&module, &device, name));
        let on_devices = on_devices.map_err(|error| match error.code() {
            // Symbols of other programs are missing.
            ResultCode::ERROR_PROGRAM_UNLINKED => error.with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE),
            _ => error,
        })?;
        Ok(Arc::new(Self::new(program, name, on_devices)))
    }

    fn info(&self, query: KernelInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            KernelInfo::FUNCTION_NAME => out.c_str(&self.code.name),
            KernelInfo::NUM_ARGS => out.value(self.first().properties.raw.numKernelArgs),
            KernelInfo::ATTRIBUTES => {
                let (mut size, mut text) = (0, std::ptr::null_mut());
                let raw = *self.first().raw;
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
                let kernels = self.code.on_devices.iter();
                out.slice(&kernels.map(|k| k.properties.raw.spillMemSize).collect::<Vec<_>>())
            }
            _ => out.unsupported(),
        }
    }

    fn group_info(&self, device: &Arc<Device>, query: KernelGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        let kernel = self.on(device)?;
        let p = &kernel.properties.raw;
        match query {
            KernelGroupInfo::GLOBAL_WORK_SIZE => {
                let c = &device.facts.compute;
                let sizes = [c.maxGroupSizeX, c.maxGroupSizeY, c.maxGroupSizeZ];
                let counts = [c.maxGroupCountX, c.maxGroupCountY, c.maxGroupCountZ];
                out.value([0, 1, 2].map(|d| sizes[d] as usize * counts[d] as usize))
            }
            KernelGroupInfo::WORK_GROUP_SIZE => out.value(kernel.max_group_size()),
            KernelGroupInfo::COMPILE_WORK_GROUP_SIZE => {
                out.value(kernel.required_size().unwrap_or_default().map(|size| size as usize))
            }
            KernelGroupInfo::LOCAL_MEM_SIZE => out.value(p.localMemSize as usize),
            KernelGroupInfo::PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                out.value(kernel.properties.preferred_multiple as usize)
            }
            KernelGroupInfo::PRIVATE_MEM_SIZE => out.value(p.privateMemSize as usize),
            _ => out.unsupported(),
        }
    }

    fn sub_group_info(&self, device: &Arc<Device>, query: KernelSubGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        let p = &self.on(device)?.properties.raw;
        let number = match query {
            KernelSubGroupInfo::MAX_SUB_GROUP_SIZE => p.maxSubgroupSize,
            KernelSubGroupInfo::MAX_NUM_SUB_GROUPS => p.maxNumSubgroups,
            KernelSubGroupInfo::COMPILE_NUM_SUB_GROUPS => p.requiredNumSubGroups,
            KernelSubGroupInfo::SUB_GROUP_SIZE_INTEL => p.requiredSubgroupSize,
            _ => return out.unsupported(),
        };
        out.value(number)
    }

    fn set_arg(&self, arg: Arg<'_, LevelZero>) -> UrResult<()> {
        for kernel in &self.code.on_devices {
            // The driver says what is wrong with it. Others' arguments are not whole by that.
            let _turn = kernel.lock();
            if kernel.args_of.load(Ordering::Relaxed) != self.address() {
                kernel.args_of.store(0, Ordering::Relaxed);
            }
            kernel.set(&arg, &mut 0)?;
        }
        self.own_args.lock().set(&arg, self.is_snapshot);
        Ok(())
    }

    fn own_args(&self, to: &mut dyn FnMut(Arg<'_, LevelZero>) -> UrResult<()>) -> UrResult<()> {
        // As in `set_own_args`.
        let args = self.own_args.lock().clone();
        args.give(to)
    }

    fn snapshot(&self, args: Args<'_, LevelZero>) -> UrResult<Arc<Self>> {
        let own = match args.is_empty() {
            true => self.own_args.lock().kept(),
            false => OwnArgs::new(args)?,
        };
        Ok(self.snapshot_with(own, self.state()))
    }

    fn late_snapshot(&self) -> Option<LateSnapshot<LevelZero>> {
        Some(LateSnapshot {
            state: self.state(),
            make: |kernel, indirect_access, args| {
                let mut own = OwnArgs::default();
                args.for_each(|arg| own.set(&arg, true));
                kernel.snapshot_with(own, indirect_access)
            },
        })
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
                for kernel in &self.code.on_devices {
                    let _locked = kernel.lock();
                    // SAFETY: a live kernel, which is locked.
                    if let Err(error) = unsafe { ze!(zeKernelSetCacheConfig(*kernel.raw, flags)) } {
                        log::debug!("the driver does not split on-chip memory: {error}");
                    }
                }
            }
        }
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
        let mut locked = kernel.lock();
        // SAFETY: a live kernel, which is locked.
        unsafe {
            ze!(zeKernelSetGroupSize(*kernel.raw, x, y, z))?;
            locked.known.group = [x, y, z];
            ze_get!(zeKernelSuggestMaxCooperativeGroupCount(*kernel.raw))
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.code.on_devices.iter().for_each(OnDevice::share);
        Ok(*self.first().raw as NativeHandle)
    }

    fn from_native(
        context: &Arc<Context>,
        program: Option<&Arc<Program>>,
        native: NativeHandle,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        let native = native as ze_kernel_handle_t;
        let program = program.map_or_else(|| Program::unknown(context), Arc::clone);
        // SAFETY: the client vouches for its native handle.
        let name = unsafe { ze_list!(0, zeKernelGetName(native)) }?;
        let name = text(&name).and_then(|name| CString::new(name).ok());
        let name = name.ok_or(ResultCode::ERROR_INVALID_KERNEL_NAME)?;
        // SAFETY: as above.
        let kernel = unsafe { OnDevice::new(Owned::new(native, owned), &context.devices[0], None) }?;
        kernel.share();
        Ok(Arc::new(Self::new(&program, &name, vec![kernel])))
    }
}
