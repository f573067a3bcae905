// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels and their arguments.

use std::ffi::{CStr, c_char, c_void};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use level_zero_sys::*;
use oxur_compiler::{KernelInfo, NdRange, ParamKind};
use oxur_device_cpu::exec::Pool;
use oxur_device_cpu::kernel::args::{ArgError, ArgValue, Packed, Settings};
use oxur_device_cpu::kernel::{self, LaunchError, LaunchWork, check_cooperative, check_range};
use oxur_device_cpu::limits;
use oxur_fork::Mutex;

use crate::config::Config;
use crate::entry::{Error, ZeResult, entry, err};
use crate::handle::{Chain, destroy, export, known, object, out, required};
use crate::module::{build_error, text};
use crate::{Image, Module, Sampler};

/// An object that an argument keeps alive.
pub(crate) type ArgObject = Image;

/// A kernel.
pub(crate) struct Kernel {
    code: Arc<kernel::Kernel>,
    module: Arc<Module>,
    state: Mutex<State>,
}

/// What launches take from the kernel when they are appended.
struct State {
    settings: Settings<ArgObject>,
    group_size: [u32; 3],
    offset: [u32; 3],
    indirect_access: ze_kernel_indirect_access_flags_t,
}

/// A kernel with its arguments, as a launch found it.
pub(crate) struct Snapshot {
    code: Arc<kernel::Kernel>,
    /// Keeps the program's memory.
    module: Arc<Module>,
    settings: Settings<ArgObject>,
    group_size: [u32; 3],
    /// The first global id.
    pub(crate) offset: [u32; 3],
}

fn arg_error(info: &KernelInfo, error: &ArgError) -> Error {
    let code = match error {
        ArgError::NoParam(_) => ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
        ArgError::WrongSize(..) | ArgError::WrongKind(..) => ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
        ArgError::NotSet(_) | ArgError::Gone(_) => ZE_RESULT_ERROR_INVALID_ARGUMENT,
        ArgError::TooMuchLocal(_) => ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
    };
    Error::new(code, error.describe(info))
}

/// Sets an argument from a client's memory.
///
/// # Safety
/// `value` must be null or readable for `size` bytes.
unsafe fn set(
    settings: &mut Settings<ArgObject>,
    code: &kernel::Kernel,
    index: usize,
    size: usize,
    value: *const c_void,
) -> ZeResult {
    let info = code.info();
    // SAFETY: passed on to the caller.
    let bytes = (!value.is_null()).then(|| unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size) });
    let zeros;
    let image;
    let param = info.params.get(index);
    let value = match (param.map(|param| param.kind), bytes) {
        (Some(ParamKind::Image), Some(bytes)) => {
            // SAFETY: the client passes the handle of an image.
            image = unsafe { object::<Image>(handle_in(bytes)?) }?;
            ArgValue::Image(image.descriptor(), image)
        }
        (Some(ParamKind::Sampler), Some(bytes)) => {
            // SAFETY: the client passes the handle of a sampler.
            ArgValue::Sampler(unsafe { object::<Sampler>(handle_in(bytes)?) }?.bits())
        }
        (Some(ParamKind::Local), None) => ArgValue::Local(size),
        // As Intel's driver does: oneMKL passes 8 bytes for offsets of 4.
        (Some(ParamKind::Value), Some(bytes)) => {
            let needed = param.map_or(size, |param| param.size);
            ArgValue::Value(bytes.get(..needed).unwrap_or(bytes))
        }
        (_, Some(bytes)) => ArgValue::Value(bytes),
        (Some(ParamKind::Pointer(_)), None) => ArgValue::Null,
        // Adapters pass scalars that are zero without a pointer.
        (_, None) => {
            zeros = vec![0; size];
            ArgValue::Value(&zeros)
        }
    };
    settings
        .set(info, index, code.replace_null(index, value))
        .map_err(|error| arg_error(info, &error))
}

/// The handle whose bytes are the value of an argument.
fn handle_in<T>(bytes: &[u8]) -> ZeResult<*mut T> {
    match bytes.try_into() {
        Ok(bytes) => Ok(usize::from_ne_bytes(bytes) as *mut T),
        Err(_) => err(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE),
    }
}

/// How many items a group of a kernel has at most.
fn max_group_size(code: &kernel::Kernel) -> usize {
    code.max_local_size_within(Config::get().max_group_size())
}

/// Checks that a kernel can have groups of a size.
fn check_group_size(code: &kernel::Kernel, size: [u32; 3]) -> ZeResult {
    let info = code.info();
    let items = size.iter().try_fold(1u32, |product, side| product.checked_mul(*side));
    let wrong = |why: String| {
        Err(Error::new(
            ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
            format!("groups of {size:?} for the kernel {}: {why}", info.name),
        ))
    };
    match (items, info.required_work_group_size) {
        (None | Some(0), _) => wrong("each dimension has one item at least".to_owned()),
        (_, Some(required)) if required != size => wrong(format!("it requires groups of {required:?}")),
        (Some(items), _) if items as usize > max_group_size(code) => {
            wrong(format!("a group has {} items at most", max_group_size(code)))
        }
        _ => Ok(()),
    }
}

impl Kernel {
    /// Tells it from all others of the process: the module, and the name.
    fn uuid(&self) -> ze_kernel_uuid_t {
        let (mut kid, mut mid) = ([0; 16], [0; 16]);
        let mut hasher = std::hash::DefaultHasher::new();
        self.code.info().name.hash(&mut hasher);
        kid[..8].copy_from_slice(&hasher.finish().to_le_bytes());
        mid[..8].copy_from_slice(&(Arc::as_ptr(&self.module) as u64).to_le_bytes());
        ze_kernel_uuid_t { kid, mid }
    }

    /// The kernel as it is now, for a launch.
    pub(crate) fn current(&self) -> Snapshot {
        let state = self.state.lock();
        let mut settings = Settings::kept();
        // An object that is gone is an error of the launch.
        _ = settings.copy(&state.settings);
        Snapshot {
            code: self.code.clone(),
            module: self.module.clone(),
            settings,
            group_size: state.group_size,
            offset: state.offset,
        }
    }

    /// The work of a launch of these groups with the arguments that it has now; `None` if there are none.
    pub(crate) fn work(&self, pool: &'static Pool, count: [u32; 3], cooperative: bool) -> LaunchResult {
        let state = self.state.lock();
        let parameters = Parameters {
            settings: &state.settings,
            group_size: state.group_size,
            offset: state.offset,
        };
        work(&self.code, &self.module, &parameters, pool, count, cooperative)
    }

    /// Sets the size of groups and all arguments: a pointer to the value of each.
    ///
    /// # Safety
    /// `arguments` must have a pointer for each parameter, each null or to as many bytes as the parameter has; for local
    /// memory, to its size.
    pub(crate) unsafe fn set_all(&self, size: [u32; 3], arguments: *mut *mut c_void) -> ZeResult {
        check_group_size(&self.code, size)?;
        let info = self.code.info();
        if arguments.is_null() && !info.params.is_empty() {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        let mut state = self.state.lock();
        for (index, param) in info.params.iter().enumerate() {
            // SAFETY: passed on to the caller.
            let value = unsafe { *arguments.add(index) }.cast_const();
            let (size, value) = match param.kind {
                // SAFETY: passed on to the caller.
                ParamKind::Local => (unsafe { *required(value.cast::<usize>())? }, std::ptr::null()),
                _ => (param.size, value),
            };
            // SAFETY: passed on to the caller.
            unsafe { set(&mut state.settings, &self.code, index, size, value) }?;
        }
        state.group_size = size;
        Ok(())
    }
}

impl Snapshot {
    /// Sets an argument.
    ///
    /// # Safety
    /// `value` must be null or readable for `size` bytes.
    pub(crate) unsafe fn set(&mut self, index: usize, size: usize, value: *const c_void) -> ZeResult {
        // SAFETY: passed on to the caller.
        unsafe { set(&mut self.settings, &self.code, index, size, value) }
    }

    /// Sets the size of groups.
    pub(crate) fn set_group_size(&mut self, size: [u32; 3]) -> ZeResult {
        check_group_size(&self.code, size)?;
        self.group_size = size;
        Ok(())
    }

    /// The work of a launch of these groups; `None` if there are none.
    pub(crate) fn work(&self, pool: &'static Pool, count: [u32; 3], cooperative: bool) -> LaunchResult {
        let parameters = Parameters {
            settings: &self.settings,
            group_size: self.group_size,
            offset: self.offset,
        };
        work(&self.code, &self.module, &parameters, pool, count, cooperative)
    }
}

type LaunchResult = ZeResult<Option<LaunchWork<ArgObject>>>;

/// What a launch takes from a kernel.
struct Parameters<'a> {
    settings: &'a Settings<ArgObject>,
    group_size: [u32; 3],
    offset: [u32; 3],
}

/// The work of a launch of these groups; `None` if there are none.
fn work(
    code: &Arc<kernel::Kernel>,
    module: &Module,
    parameters: &Parameters<'_>,
    pool: &'static Pool,
    count: [u32; 3],
    cooperative: bool,
) -> LaunchResult {
    if count.contains(&0) {
        return Ok(None);
    }
    let info = code.info();
    let local = parameters.group_size.map(u64::from);
    let mut range = NdRange {
        dimensions: 3,
        global_offset: parameters.offset.map(u64::from),
        global_size: std::array::from_fn(|d| u64::from(count[d]) * local[d]),
        local_size: local,
    };
    while range.dimensions > 1 && range.global_size[range.dimensions as usize - 1] == 1 {
        range.dimensions -= 1;
    }
    let groups = check_range(info, &range).map_err(refused)?;
    let gang = check_cooperative(info, pool, cooperative, groups).map_err(refused)?;
    let mut args = Packed::default();
    let packed = parameters.settings.pack(info, &mut args);
    packed.map_err(|error| arg_error(info, &error))?;
    let range = code.compiled(0).prepare(range).map_err(|error| {
        module.note(&error);
        build_error(&error)
    })?;
    // SAFETY: packed and prepared for this kernel. The client guarantees that its pointers are valid until the command is
    // complete.
    let work = unsafe { LaunchWork::new(code.clone(), 0, args, range, groups, gang) };
    Ok(Some(work))
}

/// The error for a launch that the kernel cannot have.
#[cold]
fn refused(error: LaunchError) -> Error {
    let code = match error {
        LaunchError::WorkGroups(_) => ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
        LaunchError::TooManyGroups { .. } => ZE_RESULT_ERROR_INVALID_ARGUMENT,
    };
    Error::new(code, error)
}

/// Writes a string and its zero to memory of a client, by the protocol of two calls.
///
/// # Safety
/// `size` must be null or writable, and `to` null or writable for as many bytes as it says.
unsafe fn give_text(string: &str, size: *mut usize, to: *mut c_char) -> ZeResult {
    // SAFETY: passed on to the caller.
    let size = unsafe { out(size) }?;
    let all = string.len() + 1;
    if !to.is_null() && *size != 0 {
        let count = all.min(*size);
        // SAFETY: the client has room for this many bytes.
        unsafe {
            to.cast::<u8>().copy_from_nonoverlapping(string.as_ptr(), count - 1);
            to.add(count - 1).write(0);
        }
    }
    *size = all;
    Ok(())
}

entry! {
    fn zeKernelCreate(module: ze_module_handle_t, desc: *const ze_kernel_desc_t, kernel: *mut ze_kernel_handle_t) {
        // SAFETY: passed on to the caller.
        let (module, desc, name, kernel) = unsafe {
            let (module, desc) = (object::<Module>(module)?, required(desc)?);
            let kernel = out(kernel)?;
            required(desc.pKernelName)?;
            (module, desc, CStr::from_ptr(desc.pKernelName), kernel)
        };
        known(desc.flags, 0x3)?;
        let unknown = || Error::new(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, format!("the module has no kernel {name:?}"));
        let code = module.code()?;
        let name = name.to_str().ok().filter(|name| code.has_kernel(name)).ok_or_else(unknown)?;
        let mut code = kernel::Kernel::new(&code, name).map_err(|error| {
            module.note(&error);
            build_error(&error)
        })?;
        if Config::get().is_gpu() {
            code.discard_null_stores();
        }
        let settings = Settings::new(code.info());
        *kernel = export(Arc::new(Kernel {
            state: Mutex::new(State {
                settings,
                group_size: code.info().required_work_group_size.unwrap_or([1; 3]),
                offset: [0; 3],
                indirect_access: 0,
            }),
            code: Arc::new(code),
            module: module.clone(),
        }));
        Ok(())
    }

    fn zeKernelDestroy(kernel: ze_kernel_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { destroy::<Kernel>(kernel) }?;
        Ok(())
    }

    fn zeKernelSetArgumentValue(kernel: ze_kernel_handle_t, index: u32, size: usize, value: *const c_void) {
        // SAFETY: passed on to the caller.
        unsafe {
            let kernel = object::<Kernel>(kernel)?;
            set(&mut kernel.state.lock().settings, &kernel.code, index as usize, size, value)
        }
    }

    fn zeKernelSetGroupSize(kernel: ze_kernel_handle_t, x: u32, y: u32, z: u32) {
        // SAFETY: passed on to the caller.
        let kernel = unsafe { object::<Kernel>(kernel) }?;
        check_group_size(&kernel.code, [x, y, z])?;
        kernel.state.lock().group_size = [x, y, z];
        Ok(())
    }

    fn zeKernelSuggestGroupSize(
        kernel: ze_kernel_handle_t,
        global_x: u32,
        global_y: u32,
        global_z: u32,
        x: *mut u32,
        y: *mut u32,
        z: *mut u32,
    ) {
        // SAFETY: passed on to the caller.
        let (kernel, to) = unsafe { (object::<Kernel>(kernel)?, [out(x)?, out(y)?, out(z)?]) };
        let global = [global_x, global_y, global_z].map(|size| size as usize);
        if global.contains(&0) {
            return err(ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
        }
        let threads = kernel.module.device.cpus.len();
        for (to, size) in to.into_iter().zip(kernel.code.choose_local_size(threads, &global)) {
            *to = size as u32;
        }
        Ok(())
    }

    fn zeKernelSuggestMaxCooperativeGroupCount(kernel: ze_kernel_handle_t, count: *mut u32) {
        // SAFETY: passed on to the caller.
        let (kernel, count) = unsafe { (object::<Kernel>(kernel)?, out(count)?) };
        *count = match kernel.code.info().has_device_barrier {
            true => limits::COOPERATIVE_GROUPS,
            false => kernel.module.device.pool().guaranteed_concurrency(usize::MAX) as u32,
        };
        Ok(())
    }

    fn zeKernelSetIndirectAccess(kernel: ze_kernel_handle_t, flags: ze_kernel_indirect_access_flags_t) {
        // Kernels reach all memory of the process.
        known(flags, 0x7)?;
        // SAFETY: passed on to the caller.
        unsafe { object::<Kernel>(kernel) }?.state.lock().indirect_access = flags;
        Ok(())
    }

    fn zeKernelGetIndirectAccess(kernel: ze_kernel_handle_t, flags: *mut ze_kernel_indirect_access_flags_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(flags)? = object::<Kernel>(kernel)?.state.lock().indirect_access };
        Ok(())
    }

    fn zeKernelGetSourceAttributes(kernel: ze_kernel_handle_t, size: *mut u32, string: *mut *mut c_char) {
        // SAFETY: passed on to the caller.
        unsafe {
            let kernel = object::<Kernel>(kernel)?;
            let attributes = kernel.code.attributes();
            let mut room = *out(size)? as usize;
            let to = if string.is_null() { std::ptr::null_mut() } else { *string };
            give_text(&attributes, &mut room, to)?;
            *size = room as u32;
        }
        Ok(())
    }

    fn zeKernelSetCacheConfig(kernel: ze_kernel_handle_t, flags: ze_cache_config_flags_t) {
        known(flags, 0x3)?;
        // A hint, which a CPU has no use for.
        // SAFETY: passed on to the caller.
        unsafe { object::<Kernel>(kernel) }?;
        Ok(())
    }

    fn zeKernelSchedulingHintExp(kernel: ze_kernel_handle_t, hint: *mut ze_scheduling_hint_exp_desc_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            object::<Kernel>(kernel)?;
            known(required(hint)?.flags, 0x7)?;
        }
        Ok(())
    }

    fn zeKernelSetGlobalOffsetExp(kernel: ze_kernel_handle_t, x: u32, y: u32, z: u32) {
        // SAFETY: passed on to the caller.
        unsafe { object::<Kernel>(kernel) }?.state.lock().offset = [x, y, z];
        Ok(())
    }

    fn zeKernelGetName(kernel: ze_kernel_handle_t, size: *mut usize, name: *mut c_char) {
        // SAFETY: passed on to the caller.
        unsafe { give_text(&object::<Kernel>(kernel)?.code.info().name, size, name) }
    }

    fn zeKernelGetProperties(kernel: ze_kernel_handle_t, properties: *mut ze_kernel_properties_t) {
        // SAFETY: passed on to the caller.
        let (kernel, properties) = unsafe { (object::<Kernel>(kernel)?, out(properties)?) };
        let (code, info) = (&kernel.code, kernel.code.info());
        let [x, y, z] = info.required_work_group_size.unwrap_or_default();
        properties.numKernelArgs = info.params.len() as u32;
        properties.requiredGroupSizeX = x;
        properties.requiredGroupSizeY = y;
        properties.requiredGroupSizeZ = z;
        properties.requiredNumSubGroups = info.sub_groups_per_work_group.unwrap_or(0);
        properties.requiredSubgroupSize = if info.sub_group_size_required { info.sub_group_size } else { 0 };
        properties.maxSubgroupSize = info.sub_group_size;
        properties.maxNumSubgroups = max_group_size(code).div_ceil(info.sub_group_size.max(1) as usize) as u32;
        properties.localMemSize = info.local_memory as u32;
        properties.privateMemSize = code.compiled(0).private_memory() as u32;
        properties.spillMemSize = 0;
        properties.uuid = kernel.uuid();
        // SAFETY: passed on to the caller.
        let chain = unsafe { Chain::new(properties.pNext) };
        if let Some(preferred) = chain.find_mut::<ze_kernel_preferred_group_size_properties_t>() {
            preferred.preferredMultiple = info.sub_group_size;
        }
        if let Some(max) = chain.find_mut::<ze_kernel_max_group_size_properties_ext_t>() {
            max.maxGroupSize = max_group_size(code) as u32;
        }
        Ok(())
    }

    // Nothing is allocated for a kernel alone.
    fn zeKernelGetAllocationPropertiesExp(
        kernel: ze_kernel_handle_t,
        count: *mut u32,
        _properties: *mut ze_kernel_allocation_exp_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            object::<Kernel>(kernel)?;
            *out(count)? = 0;
        }
        Ok(())
    }

    fn zeKernelGetBinaryExp(kernel: ze_kernel_handle_t, size: *mut usize, binary: *mut u8) {
        // SAFETY: passed on to the caller.
        unsafe {
            let kernel = object::<Kernel>(kernel)?;
            crate::module::give_bytes(&kernel.module.binary(), size, binary)
        }
    }
}

/// The name of a kernel or a variable that a client passes.
///
/// # Safety
/// `name` must be null or a string.
pub(crate) unsafe fn name<'a>(name: *const c_char) -> ZeResult<&'a CStr> {
    // SAFETY: passed on to the caller.
    unsafe { text(name) }.ok_or_else(|| ZE_RESULT_ERROR_INVALID_NULL_POINTER.into())
}
