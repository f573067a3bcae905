// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A small adapter: one platform with a CPU and a GPU, each with two sub-devices, each with two sub-devices again.
//!
//! `urAdapterGetLastError` returns a description of the last launch, and the number of unreleased device references.
//! The devices accept the intermediate language `OXUR_TEST_IL`, if any.
//! With `OXUR_TEST_ADAPTER=fail` in the environment the initialisation fails.
#![allow(non_snake_case, reason = "functions have their C names")]
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use oxur_api::callback::MayThrow;
use oxur_api::*;
use oxur_fork::{LazyLock, Mutex, OnceLock};

const SUCCESS: ResultCode = ResultCode::SUCCESS;

/// The object that a handle points to.
#[repr(C)]
struct Object {
    ddi: &'static DdiTable,
    id: u32,
    kind: DeviceType,
    references: AtomicU32,
}

static DDI: LazyLock<&'static DdiTable> = LazyLock::new(|| Box::leak(Box::new(tables())));
static TOLD: Mutex<Option<CString>> = Mutex::new(None);
static DEVICE_REFERENCES: AtomicI32 = AtomicI32::new(0);
/// All objects and texts. They are never freed.
static OBJECTS: Mutex<Vec<&'static Object>> = Mutex::new(Vec::new());
static TEXTS: Mutex<Vec<&'static CStr>> = Mutex::new(Vec::new());

fn object(id: u32, kind: DeviceType) -> *mut c_void {
    let object = Object {
        ddi: *DDI,
        id,
        kind,
        references: AtomicU32::new(1),
    };
    let object = &*Box::leak(Box::new(object));
    OBJECTS.lock().push(object);
    std::ptr::from_ref(object).cast_mut().cast()
}

/// Stores a text for `urAdapterGetLastError`.
pub fn tell(text: String) {
    *TOLD.lock() = Some(CString::new(text).unwrap());
}

/// The object behind a handle of this adapter.
fn read<H: Handle>(handle: H) -> &'static Object {
    // SAFETY: the tests pass only handles of this adapter, and objects are leaked.
    unsafe { &*handle.as_ptr().cast::<Object>() }
}

unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller vouches for the place.
        unsafe { place.write(value) };
    }
}

/// Answers a query for a list of handles.
unsafe fn list<H: Handle>(made: &[*mut c_void], room: u32, place: *mut H, count: *mut u32) {
    // SAFETY: the caller vouches for the places.
    unsafe {
        put(count, made.len() as u32);
        if !place.is_null() {
            for (index, handle) in made.iter().take(room as usize).enumerate() {
                place.add(index).write(H::from_ptr(*handle));
            }
        }
    }
}

/// Answers a query for a property.
unsafe fn answer<T>(value: T, size: usize, place: *mut c_void, size_ret: *mut usize) -> ResultCode {
    if !place.is_null() && size < size_of::<T>() {
        return ResultCode::ERROR_INVALID_SIZE;
    }
    // SAFETY: the caller vouches for the places.
    unsafe {
        put(place.cast(), value);
        put(size_ret, size_of::<T>());
    }
    SUCCESS
}

unsafe extern "C-unwind" fn adapter_get(room: u32, place: *mut AdapterHandle, count: *mut u32) -> ResultCode {
    static ADAPTER: OnceLock<usize> = OnceLock::new();
    let adapter = *ADAPTER.get_or_init(|| object(0, DeviceType(0)).expose_provenance());
    // SAFETY: the caller's promise.
    unsafe { list(&[std::ptr::with_exposed_provenance_mut(adapter)], room, place, count) };
    SUCCESS
}

unsafe extern "C-unwind" fn adapter_same(_: AdapterHandle) -> ResultCode {
    SUCCESS
}

unsafe extern "C-unwind" fn adapter_last_error(
    _: AdapterHandle,
    text: *mut *const c_char,
    code: *mut i32,
) -> ResultCode {
    // A test may look at it later.
    let told: &'static CStr = Box::leak(TOLD.lock().clone().unwrap_or_default().into_boxed_c_str());
    TEXTS.lock().push(told);
    // SAFETY: the caller's promise.
    unsafe {
        put(text, told.as_ptr());
        put(code, DEVICE_REFERENCES.load(Ordering::Relaxed));
    }
    SUCCESS
}

unsafe extern "C-unwind" fn adapter_info(
    _: AdapterHandle,
    what: AdapterInfo,
    size: usize,
    place: *mut c_void,
    size_ret: *mut usize,
) -> ResultCode {
    match what {
        // SAFETY: the caller's promise.
        AdapterInfo::BACKEND => unsafe { answer(Backend::OPENCL, size, place, size_ret) },
        _ => ResultCode::ERROR_UNSUPPORTED_ENUMERATION,
    }
}

unsafe extern "C-unwind" fn platform_get(
    _: AdapterHandle,
    room: u32,
    place: *mut PlatformHandle,
    count: *mut u32,
) -> ResultCode {
    // SAFETY: the caller's promise.
    unsafe { list(&[object(0, DeviceType(0))], room, place, count) };
    SUCCESS
}

unsafe extern "C-unwind" fn platform_info(
    _: PlatformHandle,
    what: PlatformInfo,
    size: usize,
    place: *mut c_void,
    size_ret: *mut usize,
) -> ResultCode {
    // SAFETY: the caller's promise.
    unsafe {
        match what {
            PlatformInfo::BACKEND => answer(Backend::OPENCL, size, place, size_ret),
            PlatformInfo::NAME => answer(*b"a test\0", size, place, size_ret),
            _ => ResultCode::ERROR_UNSUPPORTED_ENUMERATION,
        }
    }
}

unsafe extern "C-unwind" fn device_get(
    _: PlatformHandle,
    _: DeviceType,
    room: u32,
    place: *mut DeviceHandle,
    count: *mut u32,
) -> ResultCode {
    let devices = [object(1, DeviceType::CPU), object(2, DeviceType::GPU)];
    if !place.is_null() {
        DEVICE_REFERENCES.fetch_add(room.min(2) as i32, Ordering::Relaxed);
    }
    // SAFETY: the caller's promise.
    unsafe { list(&devices, room, place, count) };
    SUCCESS
}

unsafe extern "C-unwind" fn device_partition(
    device: DeviceHandle,
    properties: *const DevicePartitionProperties,
    room: u32,
    place: *mut DeviceHandle,
    count: *mut u32,
) -> ResultCode {
    let Object { id, kind, .. } = read(device);
    // SAFETY: the caller gives one property at least.
    let scheme = unsafe { (*(*properties).pProperties).r#type };
    let wanted = if *id < 10 {
        DevicePartition::BY_AFFINITY_DOMAIN
    } else {
        DevicePartition::BY_CSLICE
    };
    if scheme != wanted {
        return ResultCode::ERROR_INVALID_VALUE;
    }
    let parts = [object(id * 10, *kind), object(id * 10 + 1, *kind)];
    if !place.is_null() {
        DEVICE_REFERENCES.fetch_add(room.min(2) as i32, Ordering::Relaxed);
    }
    // SAFETY: the caller's promise.
    unsafe { list(&parts, room, place, count) };
    SUCCESS
}

unsafe extern "C-unwind" fn device_retain(_: DeviceHandle) -> ResultCode {
    DEVICE_REFERENCES.fetch_add(1, Ordering::Relaxed);
    SUCCESS
}

unsafe extern "C-unwind" fn device_release(_: DeviceHandle) -> ResultCode {
    DEVICE_REFERENCES.fetch_sub(1, Ordering::Relaxed);
    SUCCESS
}

unsafe extern "C-unwind" fn device_info(
    device: DeviceHandle,
    what: DeviceInfo,
    size: usize,
    place: *mut c_void,
    size_ret: *mut usize,
) -> ResultCode {
    let Object { id, kind, .. } = read(device);
    // SAFETY: the caller's promise.
    unsafe {
        match what {
            DeviceInfo::IL_VERSION => {
                let mut text = [0u8; 16];
                let il = std::env::var("OXUR_TEST_IL").unwrap_or_default();
                text[..il.len()].copy_from_slice(il.as_bytes());
                answer(text, size, place, size_ret)
            }
            DeviceInfo::TYPE => answer(*kind, size, place, size_ret),
            DeviceInfo::DEVICE_ID => answer(*id, size, place, size_ret),
            _ => ResultCode::ERROR_UNSUPPORTED_ENUMERATION,
        }
    }
}

unsafe extern "C-unwind" fn context_create(
    _: u32,
    _: *const DeviceHandle,
    _: *const ContextProperties,
    place: *mut ContextHandle,
) -> ResultCode {
    // SAFETY: the caller's promise.
    unsafe { put(place, ContextHandle(object(0, DeviceType(0)))) };
    SUCCESS
}

unsafe extern "C-unwind" fn queue_create(
    _: ContextHandle,
    _: DeviceHandle,
    _: *const QueueProperties,
    place: *mut QueueHandle,
) -> ResultCode {
    // SAFETY: the caller's promise.
    unsafe { put(place, QueueHandle(object(0, DeviceType(0)))) };
    SUCCESS
}

unsafe extern "C-unwind" fn event_wait(count: u32, _: *const EventHandle) -> ResultCode {
    tell(format!("waited for {count}"));
    SUCCESS
}

unsafe extern "C-unwind" fn kernel_create(_: ProgramHandle, _: *const c_char, place: *mut KernelHandle) -> ResultCode {
    // SAFETY: the caller's promise.
    unsafe { put(place, KernelHandle(object(0, DeviceType(0)))) };
    SUCCESS
}

unsafe extern "C-unwind" fn kernel_retain(kernel: KernelHandle) -> ResultCode {
    read(kernel).references.fetch_add(1, Ordering::Relaxed);
    SUCCESS
}

unsafe extern "C-unwind" fn kernel_release(kernel: KernelHandle) -> ResultCode {
    let less = |references: u32| references.checked_sub(1);
    match read(kernel)
        .references
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
    {
        Ok(_) => SUCCESS,
        Err(_) => ResultCode::ERROR_INVALID_KERNEL,
    }
}

unsafe extern "C-unwind" fn kernel_info(
    kernel: KernelHandle,
    what: KernelInfo,
    size: usize,
    place: *mut c_void,
    size_ret: *mut usize,
) -> ResultCode {
    match what {
        KernelInfo::REFERENCE_COUNT => {
            // SAFETY: the caller's promise.
            unsafe { answer(read(kernel).references.load(Ordering::Relaxed), size, place, size_ret) }
        }
        _ => ResultCode::ERROR_UNSUPPORTED_ENUMERATION,
    }
}

/// The arguments of a launch as text.
unsafe fn arguments(count: u32, list: *const ExpKernelArgProperties) -> String {
    let mut text = String::new();
    for index in 0..count as usize {
        // SAFETY: the caller gives that many arguments, whose types say which member of the value is there.
        let told = unsafe {
            let argument = &*list.add(index);
            let value = match argument.r#type {
                ExpKernelArgType::VALUE => {
                    let bytes = std::slice::from_raw_parts(argument.value.value.cast::<u8>(), argument.size);
                    format!("value {bytes:?}")
                }
                ExpKernelArgType::POINTER => format!("pointer {:?}", argument.value.pointer),
                ExpKernelArgType::LOCAL => format!("local {}", argument.size),
                ExpKernelArgType::SAMPLER => format!("sampler {:?}", argument.value.sampler),
                ExpKernelArgType::MEM_OBJ => format!("mem {:?}", argument.value.memObjTuple),
                other => format!("{other:?}"),
            };
            format!(" {}={value}", argument.index)
        };
        text.push_str(&told);
    }
    text
}

unsafe extern "C-unwind" fn launch(
    _: QueueHandle,
    _: KernelHandle,
    dimensions: u32,
    _: *const usize,
    global: *const usize,
    _: *const usize,
    count: u32,
    list: *const ExpKernelArgProperties,
    chain: *const KernelLaunchExtProperties,
    waits: u32,
    _: *const EventHandle,
    _: *mut EventHandle,
) -> ResultCode {
    // SAFETY: the caller's promise.
    unsafe {
        tell(format!(
            "launch of {dimensions}, {}:{}{}{}",
            *global,
            arguments(count, list),
            properties(chain),
            if waits == 0 {
                String::new()
            } else {
                format!(" after {waits}")
            }
        ))
    };
    SUCCESS
}

/// The properties of a launch as text.
unsafe fn properties(chain: *const KernelLaunchExtProperties) -> String {
    // SAFETY: the caller gives a chain of structures, and each begins with its type and the next one.
    unsafe {
        let Some(head) = chain.as_ref() else {
            return String::new();
        };
        let mut text = format!(" with {:?}", head.flags);
        let mut next = head.pNext;
        while !next.is_null() {
            let structure = &*next.cast::<KernelLaunchExtProperties>();
            text += &match structure.stype {
                StructureType::KERNEL_LAUNCH_CLUSTER_PROPERTY => {
                    format!(
                        " cluster {:?}",
                        (*next.cast::<KernelLaunchClusterProperty>()).clusterDim
                    )
                }
                StructureType::KERNEL_LAUNCH_WORKGROUP_PROPERTY => {
                    let property = &*next.cast::<KernelLaunchWorkgroupProperty>();
                    format!(" memory {}", property.workgroup_mem_size)
                }
                other => format!(" {other:?}"),
            };
            next = structure.pNext;
        }
        text
    }
}

/// Stores the parameters of a build.
unsafe fn tell_build(what: &str, devices: u32, flags: ExpProgramFlags, options: *const c_char) -> ResultCode {
    // SAFETY: the caller gives a C string.
    let options = unsafe { CStr::from_ptr(options) };
    tell(format!("{what} for {devices}: flags {}, {options:?}", flags.bits()));
    SUCCESS
}

unsafe extern "C-unwind" fn native_command(
    queue: QueueHandle,
    function: ExpEnqueueNativeCommandFunction,
    data: *mut c_void,
    _: u32,
    _: *const MemHandle,
    _: *const ExpEnqueueNativeCommandProperties,
    _: u32,
    _: *const EventHandle,
    _: *mut EventHandle,
) -> ResultCode {
    tell("the function has not returned".into());
    // SAFETY: the caller's promise.
    unsafe { function.unwrap().may_throw()(queue, data) };
    tell("the function has returned".into());
    SUCCESS
}

unsafe extern "C-unwind" fn program_build(
    _: ProgramHandle,
    devices: u32,
    _: *mut DeviceHandle,
    flags: ExpProgramFlags,
    options: *const c_char,
) -> ResultCode {
    // SAFETY: the caller's promise.
    unsafe { tell_build("build", devices, flags, options) }
}

unsafe extern "C-unwind" fn program_compile(
    _: ProgramHandle,
    devices: u32,
    _: *mut DeviceHandle,
    flags: ExpProgramFlags,
    options: *const c_char,
) -> ResultCode {
    // SAFETY: the caller's promise.
    unsafe { tell_build("compile", devices, flags, options) }
}

unsafe extern "C-unwind" fn program_link(
    _: ContextHandle,
    devices: u32,
    _: *mut DeviceHandle,
    flags: ExpProgramFlags,
    count: u32,
    _: *const ProgramHandle,
    options: *const c_char,
    place: *mut ProgramHandle,
) -> ResultCode {
    // SAFETY: the caller's promise.
    unsafe {
        put(place, ProgramHandle(object(0, DeviceType(0))));
        tell_build(&format!("link of {count}"), devices, flags, options)
    }
}

unsafe extern "C-unwind" fn queue_info(
    _: QueueHandle,
    what: QueueInfo,
    size: usize,
    place: *mut c_void,
    size_ret: *mut usize,
) -> ResultCode {
    match what {
        // SAFETY: the caller's promise.
        QueueInfo::CONTEXT => unsafe { answer(object(0, DeviceType(0)), size, place, size_ret) },
        _ => ResultCode::ERROR_UNSUPPORTED_ENUMERATION,
    }
}

/// There is one allocation, at 0x1000.
unsafe extern "C-unwind" fn memory_info(
    _: ContextHandle,
    address: *const c_void,
    what: UsmAllocInfo,
    size: usize,
    place: *mut c_void,
    size_ret: *mut usize,
) -> ResultCode {
    let kind = match address as usize {
        0x1000 => UsmType::DEVICE,
        _ => UsmType::UNKNOWN,
    };
    match what {
        // SAFETY: the caller's promise.
        UsmAllocInfo::TYPE => unsafe { answer(kind, size, place, size_ret) },
        _ => ResultCode::ERROR_UNSUPPORTED_ENUMERATION,
    }
}

unsafe extern "C-unwind" fn image_copy(
    _: QueueHandle,
    src: *const c_void,
    dst: *mut c_void,
    _: *const ImageDesc,
    _: *const ImageDesc,
    _: *const ImageFormat,
    _: *const ImageFormat,
    region: *mut ExpImageCopyRegion,
    direction: ExpImageCopyFlags,
    sides: ExpImageCopyInputTypes,
    events: u32,
    _: *const EventHandle,
    _: *mut EventHandle,
) -> ResultCode {
    // SAFETY: the caller's promise.
    let ExpImageCopyRegion {
        srcOffset: from,
        dstOffset: to,
        copyExtent: size,
        ..
    } = unsafe { *region };
    let places = format!("{} x {} from {} to {}", size.width, size.height, from.x, to.x);
    tell(format!(
        "{src:?} to {dst:?}, {direction:?}, {sides:?}, {places}, after {events}"
    ));
    SUCCESS
}

unsafe extern "C-unwind" fn sampler_create(
    _: ContextHandle,
    desc: *const SamplerDesc,
    place: *mut SamplerHandle,
) -> ResultCode {
    // SAFETY: the caller's promise.
    unsafe {
        if !(*desc).pNext.is_null() {
            return ResultCode::ERROR_UNSUPPORTED_FEATURE;
        }
        put(place, SamplerHandle(object(0, DeviceType(0))));
    }
    SUCCESS
}

unsafe extern "C-unwind" fn sampler_same(_: SamplerHandle) -> ResultCode {
    SUCCESS
}

unsafe extern "C-unwind" fn sampled_image(
    _: ContextHandle,
    _: DeviceHandle,
    memory: ExpImageMemNativeHandle,
    _: *const ImageFormat,
    _: *const ImageDesc,
    desc: *const SamplerDesc,
    _: *mut ExpImageNativeHandle,
) -> ResultCode {
    // SAFETY: the caller's promise. All structures begin with their type and the next one.
    unsafe {
        let mut text = format!("{memory:#x} {:?} {:?}", (*desc).addressingMode, (*desc).filterMode);
        let mut next = (*desc).pNext;
        while !next.is_null() {
            text.push_str(&format!(" {:?}", next.cast::<StructureType>().read()));
            next = next.cast::<*const c_void>().add(1).read();
        }
        tell(text);
    }
    SUCCESS
}

unsafe extern "C-unwind" fn granularity(
    _: ContextHandle,
    _: DeviceHandle,
    allocation: usize,
    what: VirtualMemGranularityInfo,
    size: usize,
    _: *mut c_void,
    _: *mut usize,
) -> ResultCode {
    tell(format!("{what:?} of {allocation} in {size} bytes"));
    SUCCESS
}

unsafe extern "C-unwind" fn physical_create(
    _: ContextHandle,
    _: DeviceHandle,
    size: usize,
    properties: *const PhysicalMemProperties,
    _: *mut PhysicalMemHandle,
) -> ResultCode {
    // SAFETY: the caller's promise.
    tell(format!("{size} bytes, {:?}", unsafe { (*properties).stype }));
    SUCCESS
}

unsafe extern "C-unwind" fn group_count(
    _: KernelHandle,
    _: DeviceHandle,
    dimensions: u32,
    _: *const usize,
    shared: usize,
    _: *mut u32,
) -> ResultCode {
    tell(format!("{dimensions} dimensions, {shared} bytes"));
    SUCCESS
}

unsafe extern "C-unwind" fn buffer_create(
    _: ContextHandle,
    _: DeviceHandle,
    _: *const ExpCommandBufferDesc,
    place: *mut ExpCommandBufferHandle,
) -> ResultCode {
    // SAFETY: the caller's promise.
    unsafe { put(place, ExpCommandBufferHandle(object(0, DeviceType(0)))) };
    SUCCESS
}

unsafe extern "C-unwind" fn buffer_launch(
    _: ExpCommandBufferHandle,
    _: KernelHandle,
    dimensions: u32,
    _: *const usize,
    global: *const usize,
    _: *const usize,
    count: u32,
    list: *const ExpKernelArgProperties,
    alternatives: u32,
    _: *mut KernelHandle,
    points: u32,
    _: *const ExpCommandBufferSyncPoint,
    events: u32,
    _: *const EventHandle,
    _: *mut ExpCommandBufferSyncPoint,
    _: *mut EventHandle,
    _: *mut ExpCommandBufferCommandHandle,
) -> ResultCode {
    // SAFETY: the caller's promise.
    let text = unsafe { format!("record of {dimensions}, {}:{}", *global, arguments(count, list)) };
    tell(format!("{text} ({alternatives}, {points}, {events})"));
    SUCCESS
}

fn tables() -> DdiTable {
    let mut ddi = DdiTable::default();
    ddi.Adapter.pfnGet = Some(adapter_get);
    ddi.Adapter.pfnRetain = Some(adapter_same);
    ddi.Adapter.pfnRelease = Some(adapter_same);
    ddi.Adapter.pfnGetLastError = Some(adapter_last_error);
    ddi.Adapter.pfnGetInfo = Some(adapter_info);
    ddi.Platform.pfnGet = Some(platform_get);
    ddi.Platform.pfnGetInfo = Some(platform_info);
    ddi.Device.pfnGet = Some(device_get);
    ddi.Device.pfnGetInfo = Some(device_info);
    ddi.Device.pfnPartition = Some(device_partition);
    ddi.Device.pfnRetain = Some(device_retain);
    ddi.Device.pfnRelease = Some(device_release);
    ddi.Context.pfnCreate = Some(context_create);
    ddi.Queue.pfnCreate = Some(queue_create);
    ddi.Event.pfnWait = Some(event_wait);
    ddi.Kernel.pfnCreate = Some(kernel_create);
    ddi.Kernel.pfnRetain = Some(kernel_retain);
    ddi.Kernel.pfnRelease = Some(kernel_release);
    ddi.Kernel.pfnGetInfo = Some(kernel_info);
    ddi.ProgramExp.pfnBuildExp = Some(program_build);
    ddi.ProgramExp.pfnCompileExp = Some(program_compile);
    ddi.ProgramExp.pfnLinkExp = Some(program_link);
    ddi.Sampler.pfnCreate = Some(sampler_create);
    ddi.Sampler.pfnRetain = Some(sampler_same);
    ddi.Sampler.pfnRelease = Some(sampler_same);
    ddi.BindlessImagesExp.pfnSampledImageCreateExp = Some(sampled_image);
    ddi.VirtualMem.pfnGranularityGetInfo = Some(granularity);
    ddi.PhysicalMem.pfnCreate = Some(physical_create);
    ddi.Kernel.pfnSuggestMaxCooperativeGroupCount = Some(group_count);
    ddi.Queue.pfnGetInfo = Some(queue_info);
    ddi.USM.pfnGetMemAllocInfo = Some(memory_info);
    ddi.BindlessImagesExp.pfnImageCopyExp = Some(image_copy);
    ddi.EnqueueExp.pfnKernelLaunchWithArgsExp = Some(launch);
    ddi.EnqueueExp.pfnNativeCommandExp = Some(native_command);
    ddi.CommandBufferExp.pfnCreateExp = Some(buffer_create);
    ddi.CommandBufferExp.pfnAppendKernelLaunchWithArgsExp = Some(buffer_launch);
    ddi
}

macro_rules! getters {
    ({} table $member:ident: $table:ident = $getter:ident; $($functions:tt)*) => {
        /// Returns one of the tables.
        ///
        /// # Safety
        /// `table` must be writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $getter(version: ApiVersion, table: *mut $table) -> ResultCode {
            if version != ApiVersion::CURRENT || std::env::var_os("OXUR_TEST_ADAPTER").is_some_and(|how| how == "fail")
            {
                return ResultCode::ERROR_UNSUPPORTED_VERSION;
            }
            // SAFETY: the caller vouches for it.
            unsafe { table.write(DDI.$member) };
            SUCCESS
        }
    };
}

for_each_table! { getters {} }
