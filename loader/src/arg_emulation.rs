// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernel arguments that are set one by one, for adapters that take them only with the launch.
//!
//! Clients of release 2026.1 and before call `urKernelSetArg*` and then launch. Adapters of 2026.2 support only
//! launches that carry their arguments. So this module stores the arguments of each kernel and adds them to each
//! launch.
//!
//! Once the first argument is set, this module intercepts four more functions ([`in_use`]): those that create and
//! release kernels, because arguments end with their kernel, and the one that appends a kernel to a command buffer. No
//! other call is affected.
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use oxur_api::*;
use oxur_fork::{LazyLock, Mutex};

use crate::{UrResult, answer, dispatch};

/// The functions that an adapter lacks.
pub(crate) static TABLE: LegacyDdiTable = LegacyDdiTable {
    pfnKernelSetArgValue: Some(set_value),
    pfnKernelSetArgLocal: Some(set_local),
    pfnKernelSetArgPointer: Some(set_pointer),
    pfnKernelSetArgSampler: Some(set_sampler),
    pfnKernelSetArgMemObj: Some(set_mem_obj),
    pfnEnqueueKernelLaunch: Some(launch),
};

/// An argument as it was set.
enum Argument {
    Value(Box<[u8]>),
    Local(usize),
    Pointer(usize),
    Sampler(SamplerHandle),
    MemObj(ExpKernelArgMemObjTuple),
}

/// A kernel's arguments, each at its index.
type ArgumentList = Arc<Mutex<Vec<Option<Argument>>>>;

static KERNELS: LazyLock<Mutex<HashMap<KernelHandle, ArgumentList>>> = LazyLock::new(Mutex::default);

static IN_USE: AtomicBool = AtomicBool::new(false);

/// Whether arguments were ever set here.
#[inline(always)]
pub(crate) fn in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

/// An upper bound on a kernel's arguments. A larger index is an error instead of a huge list.
const MOST_ARGUMENTS: u32 = 1 << 16;

fn set(kernel: KernelHandle, index: u32, argument: Argument) -> ResultCode {
    answer(|| {
        if index >= MOST_ARGUMENTS {
            return Err(ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
        }
        IN_USE.store(true, Ordering::Relaxed);
        let list = KERNELS.lock().entry(kernel).or_default().clone();
        let mut list = list.lock();
        let index = index as usize;
        if list.len() <= index {
            list.resize_with(index + 1, || None);
        }
        list[index] = Some(argument);
        Ok(())
    })
}

unsafe extern "C-unwind" fn set_value(
    kernel: KernelHandle,
    index: u32,
    size: usize,
    _: *const KernelArgValueProperties,
    value: *const c_void,
) -> ResultCode {
    if value.is_null() {
        return ResultCode::ERROR_INVALID_NULL_POINTER;
    }
    // SAFETY: not null, and the caller vouches for `size` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size) };
    set(kernel, index, Argument::Value(bytes.into()))
}

unsafe extern "C-unwind" fn set_local(
    kernel: KernelHandle,
    index: u32,
    size: usize,
    _: *const KernelArgLocalProperties,
) -> ResultCode {
    set(kernel, index, Argument::Local(size))
}

unsafe extern "C-unwind" fn set_pointer(
    kernel: KernelHandle,
    index: u32,
    _: *const KernelArgPointerProperties,
    pointer: *const c_void,
) -> ResultCode {
    set(kernel, index, Argument::Pointer(pointer.addr()))
}

unsafe extern "C-unwind" fn set_sampler(
    kernel: KernelHandle,
    index: u32,
    _: *const KernelArgSamplerProperties,
    sampler: SamplerHandle,
) -> ResultCode {
    set(kernel, index, Argument::Sampler(sampler))
}

unsafe extern "C-unwind" fn set_mem_obj(
    kernel: KernelHandle,
    index: u32,
    properties: *const KernelArgMemObjProperties,
    mem: MemHandle,
) -> ResultCode {
    // SAFETY: null or the caller's properties.
    let access = unsafe { properties.as_ref() }.map(|properties| properties.memoryAccess);
    let flags = access
        .filter(|access| !access.is_empty())
        .unwrap_or(MemFlags::READ_WRITE);
    set(
        kernel,
        index,
        Argument::MemObj(ExpKernelArgMemObjTuple { hMem: mem, flags }),
    )
}

unsafe extern "C-unwind" fn launch(
    queue: QueueHandle,
    kernel: KernelHandle,
    dimensions: u32,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    properties: *const KernelLaunchExtProperties,
    wait_count: u32,
    wait: *const EventHandle,
    event: *mut EventHandle,
) -> ResultCode {
    if kernel.is_null() {
        return ResultCode::ERROR_INVALID_NULL_HANDLE;
    }
    // SAFETY: the caller vouches for the handle.
    let launch = match unsafe { slot(queue, |table| table.EnqueueExp.pfnKernelLaunchWithArgsExp) } {
        Ok(launch) => launch,
        Err(code) => return code,
    };
    with_arguments(kernel, |count, arguments| {
        // SAFETY: the caller vouches for its own arguments; the kernel's live during the call.
        unsafe {
            launch(
                queue, kernel, dimensions, offset, global, local, count, arguments, properties, wait_count, wait, event,
            )
        }
    })
}

/// A function of the adapter that made `handle`.
///
/// # Safety
/// `handle` is null or a live handle of an adapter.
unsafe fn slot<H: Handle, F>(handle: H, slot: impl FnOnce(&DdiTable) -> Option<F>) -> UrResult<F> {
    // SAFETY: passed on to the caller.
    let table = unsafe { dispatch::table_of(handle) }?;
    slot(table).ok_or(ResultCode::ERROR_UNSUPPORTED_FEATURE)
}

/// Calls `launch` with the arguments that were set for a kernel.
fn with_arguments(
    kernel: KernelHandle,
    launch: impl FnOnce(u32, *const ExpKernelArgProperties) -> ResultCode,
) -> ResultCode {
    let list = KERNELS.lock().get(&kernel).cloned().unwrap_or_default();
    let list = list.lock();
    let described: Vec<_> = (0..)
        .zip(list.iter())
        .filter_map(|(index, argument)| argument.as_ref().map(|argument| describe(index, argument)))
        .collect();
    let arguments = if described.is_empty() {
        std::ptr::null()
    } else {
        described.as_ptr()
    };
    launch(described.len() as u32, arguments)
}

/// An argument in the form for a launch.
fn describe(index: u32, argument: &Argument) -> ExpKernelArgProperties {
    let (kind, size, value) = match argument {
        Argument::Value(bytes) => (
            ExpKernelArgType::VALUE,
            bytes.len(),
            ExpKernelArgValue {
                value: bytes.as_ptr().cast(),
            },
        ),
        Argument::Local(size) => (
            ExpKernelArgType::LOCAL,
            *size,
            ExpKernelArgValue { pointer: null_mut() },
        ),
        Argument::Pointer(address) => {
            let pointer = std::ptr::with_exposed_provenance(*address);
            (
                ExpKernelArgType::POINTER,
                size_of::<usize>(),
                ExpKernelArgValue { pointer },
            )
        }
        Argument::Sampler(sampler) => (
            ExpKernelArgType::SAMPLER,
            size_of::<SamplerHandle>(),
            ExpKernelArgValue { sampler: *sampler },
        ),
        Argument::MemObj(mem) => (
            ExpKernelArgType::MEM_OBJ,
            size_of::<MemHandle>(),
            ExpKernelArgValue { memObjTuple: *mem },
        ),
    };
    ExpKernelArgProperties {
        r#type: kind,
        index,
        size,
        value,
        ..Default::default()
    }
}

/// The intercepted functions while this is [`in_use`], under their C names and with their parameters.
pub(crate) mod seen {
    #![allow(non_snake_case, reason = "functions have their C names")]
    use super::*;

    /// A new kernel has no arguments. An earlier kernel at the same address may have left some: its last reference may
    /// have been released inside of the adapter, or by two threads at once.
    fn created(code: ResultCode, place: *mut KernelHandle) -> ResultCode {
        if code == ResultCode::SUCCESS {
            // SAFETY: null, or filled by the adapter, which was successful.
            let kernel = unsafe { place.as_ref() };
            let _old = kernel.and_then(|kernel| KERNELS.lock().remove(kernel));
        }
        code
    }

    pub(crate) unsafe extern "C-unwind" fn urKernelCreate(
        program: ProgramHandle,
        name: *const c_char,
        place: *mut KernelHandle,
    ) -> ResultCode {
        // SAFETY: the caller vouches for the arguments.
        unsafe {
            match slot(program, |table| table.Kernel.pfnCreate) {
                Ok(create) => created(create(program, name, place), place),
                Err(code) => code,
            }
        }
    }

    pub(crate) unsafe extern "C-unwind" fn urKernelCreateWithNativeHandle(
        native: NativeHandle,
        context: ContextHandle,
        program: ProgramHandle,
        properties: *const KernelNativeProperties,
        place: *mut KernelHandle,
    ) -> ResultCode {
        // SAFETY: the caller vouches for the arguments.
        unsafe {
            match slot(context, |table| table.Kernel.pfnCreateWithNativeHandle) {
                Ok(create) => created(create(native, context, program, properties, place), place),
                Err(code) => code,
            }
        }
    }

    pub(crate) unsafe extern "C-unwind" fn urKernelRelease(kernel: KernelHandle) -> ResultCode {
        // SAFETY: the caller vouches for the handle.
        let release = match unsafe { slot(kernel, |table| table.Kernel.pfnRelease) } {
            Ok(release) => release,
            Err(code) => return code,
        };
        // Removed first: after the release, a new kernel of another thread may have the same address.
        // SAFETY: the kernel is alive until it is released.
        let list = unsafe { is_last_reference(kernel) }
            .then(|| KERNELS.lock().remove(&kernel))
            .flatten();
        // SAFETY: the caller vouches for the handle.
        let code = unsafe { release(kernel) };
        if code != ResultCode::SUCCESS
            && let Some(list) = list
        {
            KERNELS.lock().entry(kernel).or_insert(list);
        }
        code
    }

    pub(crate) unsafe extern "C-unwind" fn urCommandBufferAppendKernelLaunchExp(
        buffer: ExpCommandBufferHandle,
        kernel: KernelHandle,
        dimensions: u32,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
        alternative_count: u32,
        alternatives: *mut KernelHandle,
        point_count: u32,
        points: *const ExpCommandBufferSyncPoint,
        wait_count: u32,
        wait: *const EventHandle,
        point: *mut ExpCommandBufferSyncPoint,
        event: *mut EventHandle,
        command: *mut ExpCommandBufferCommandHandle,
    ) -> ResultCode {
        // SAFETY: the caller vouches for its own arguments; the kernel's live during the call.
        unsafe {
            if !KERNELS.lock().contains_key(&kernel) {
                return match slot(buffer, |table| table.CommandBufferExp.pfnAppendKernelLaunchExp) {
                    Ok(append) => append(
                        buffer,
                        kernel,
                        dimensions,
                        offset,
                        global,
                        local,
                        alternative_count,
                        alternatives,
                        point_count,
                        points,
                        wait_count,
                        wait,
                        point,
                        event,
                        command,
                    ),
                    Err(code) => code,
                };
            }
            match slot(buffer, |table| table.CommandBufferExp.pfnAppendKernelLaunchWithArgsExp) {
                Ok(append) => with_arguments(kernel, |count, arguments| {
                    append(
                        buffer,
                        kernel,
                        dimensions,
                        offset,
                        global,
                        local,
                        count,
                        arguments,
                        alternative_count,
                        alternatives,
                        point_count,
                        points,
                        wait_count,
                        wait,
                        point,
                        event,
                        command,
                    )
                }),
                Err(code) => code,
            }
        }
    }
}

/// Whether the next release destroys a kernel that has arguments here.
///
/// # Safety
/// `kernel` is null or a live handle of an adapter.
unsafe fn is_last_reference(kernel: KernelHandle) -> bool {
    if !KERNELS.lock().contains_key(&kernel) {
        return false;
    }
    // SAFETY: passed on to the caller.
    let Ok(get_info) = (unsafe { slot(kernel, |table| table.Kernel.pfnGetInfo) }) else {
        return false;
    };
    let mut count = 0u32;
    let place = (&raw mut count).cast();
    // SAFETY: the kernel is alive, and the answer is a `u32`.
    let code = unsafe { get_info(kernel, KernelInfo::REFERENCE_COUNT, size_of::<u32>(), place, null_mut()) };
    code == ResultCode::SUCCESS && count == 1
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;
    use std::sync::{Barrier, OnceLock};

    use super::seen::{urKernelCreate, urKernelRelease};
    use super::*;
    use crate::layers;

    /// An adapter with a single address for kernels.
    #[derive(Default)]
    struct World {
        references: AtomicU32,
        fails: AtomicBool,
        /// The threads wait here after they have read the number of references.
        meeting: Option<Barrier>,
    }

    /// The object at a kernel's address. Each test has its own.
    #[repr(C)]
    struct Kernel {
        table: &'static DdiTable,
        world: World,
    }

    /// All objects. They are never freed, because the arguments of a kernel may outlive it.
    static PLACES: Mutex<Vec<&'static Kernel>> = Mutex::new(Vec::new());

    unsafe extern "C-unwind" fn get_info(
        kernel: KernelHandle,
        _: KernelInfo,
        _: usize,
        value: *mut c_void,
        _: *mut usize,
    ) -> ResultCode {
        // SAFETY: the only query is for the number of references, of an object of a test.
        unsafe {
            let world = &(*kernel.as_ptr().cast::<Kernel>()).world;
            value.cast::<u32>().write(world.references.load(Ordering::Relaxed));
            world.meeting.as_ref().map(Barrier::wait);
        }
        ResultCode::SUCCESS
    }

    unsafe extern "C-unwind" fn create(
        program: ProgramHandle,
        _: *const c_char,
        place: *mut KernelHandle,
    ) -> ResultCode {
        // SAFETY: the program is the kernel's object.
        unsafe {
            let world = &(*program.as_ptr().cast::<Kernel>()).world;
            assert_eq!(world.references.swap(1, Ordering::Relaxed), 0);
            place.write(KernelHandle(program.as_ptr()));
        }
        ResultCode::SUCCESS
    }

    unsafe extern "C-unwind" fn release(kernel: KernelHandle) -> ResultCode {
        // SAFETY: an object of a test.
        let world = unsafe { &(*kernel.as_ptr().cast::<Kernel>()).world };
        if world.fails.load(Ordering::Relaxed) {
            return ResultCode::ERROR_OUT_OF_RESOURCES;
        }
        world.references.fetch_sub(1, Ordering::Relaxed);
        ResultCode::SUCCESS
    }

    /// A new address for kernels.
    fn place(meeting: Option<Barrier>) -> (ProgramHandle, &'static World) {
        static TABLE: OnceLock<DdiTable> = OnceLock::new();
        let table = TABLE.get_or_init(|| {
            let mut table = DdiTable::default();
            table.Kernel.pfnGetInfo = Some(get_info);
            table.Kernel.pfnCreate = Some(create);
            table.Kernel.pfnRelease = Some(release);
            table
        });
        let world = World {
            meeting,
            ..World::default()
        };
        let kernel: &'static Kernel = Box::leak(Box::new(Kernel { table, world }));
        PLACES.lock().push(kernel);
        (
            ProgramHandle(std::ptr::from_ref(kernel).cast_mut().cast()),
            &kernel.world,
        )
    }

    fn new(place: ProgramHandle) -> KernelHandle {
        let mut kernel = KernelHandle::default();
        // SAFETY: an object for kernels, and a valid output pointer.
        let code = unsafe { urKernelCreate(place, std::ptr::null(), &mut kernel) };
        assert_eq!(code, ResultCode::SUCCESS);
        kernel
    }

    /// The arguments that are stored for a kernel. All of them are local memory.
    fn sizes(kernel: KernelHandle) -> Vec<usize> {
        let list = KERNELS.lock().get(&kernel).cloned().unwrap_or_default();
        let list = list.lock();
        let size = |argument: &Option<Argument>| match argument {
            Some(Argument::Local(size)) => *size,
            _ => 0,
        };
        list.iter().map(size).collect()
    }

    #[test]
    fn arguments_end_with_their_kernel() {
        let (place, world) = place(None);
        let kernel = new(place);
        set(kernel, 0, Argument::Local(1));
        world.fails.store(true, Ordering::Relaxed);
        // SAFETY: the kernel is alive.
        let failed = unsafe { urKernelRelease(kernel) };
        assert_eq!((failed, sizes(kernel)), (ResultCode::ERROR_OUT_OF_RESOURCES, vec![1]));
        world.fails.store(false, Ordering::Relaxed);
        // SAFETY: as above.
        let done = unsafe { urKernelRelease(kernel) };
        assert_eq!((done, sizes(kernel)), (ResultCode::SUCCESS, vec![]));
    }

    #[test]
    fn a_kernel_at_the_address_of_another_has_no_arguments() {
        let (place, world) = place(None);
        let kernel = new(place);
        set(kernel, 0, Argument::Local(1));
        // The adapter had the last reference, and releases it unobserved.
        world.references.store(0, Ordering::Relaxed);
        assert_eq!(new(place), kernel);
        assert_eq!(sizes(kernel), []);
        set(kernel, 1, Argument::Local(2));
        assert_eq!(sizes(kernel), [0, 2]);
    }

    #[test]
    fn two_threads_release_a_kernel_at_once() {
        let (place, world) = place(Some(Barrier::new(2)));
        let kernel = new(place);
        world.references.store(2, Ordering::Relaxed);
        set(kernel, 0, Argument::Local(1));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                // SAFETY: each thread has a reference.
                scope.spawn(|| unsafe { urKernelRelease(kernel) });
            }
        });
        assert_eq!(world.references.load(Ordering::Relaxed), 0);
        assert_eq!(new(place), kernel);
        assert_eq!(sizes(kernel), []);
    }

    #[test]
    fn other_calls_do_not_notice() {
        set(new(place(None).0), 0, Argument::Local(1));
        assert!(in_use() && !layers::any());
    }
}
