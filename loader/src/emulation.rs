// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernel arguments set one by one, on adapters that take them with the launch only.
//!
//! Clients of release 2026.1 and before call `urKernelSetArg*` and then launch. Adapters of 2026.2 know only launches
//! that carry their arguments. So the arguments are kept here, by kernel, and handed over at each launch.
//!
//! The first argument that is set switches on [`Layers::EMULATION`]: from then on this module sees the calls that it
//! has to change, the release of a kernel and its recording into a command buffer.
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::Arc;

use oxur_api::*;
use oxur_fork::{LazyLock, Mutex};

use crate::layers::{self, Arguments, Layers};
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

/// More arguments than any kernel has. An index beyond is an error instead of a huge list.
const MOST_ARGUMENTS: u32 = 1 << 16;

fn set(kernel: KernelHandle, index: u32, argument: Argument) -> ResultCode {
    answer(|| {
        if index >= MOST_ARGUMENTS {
            return Err(ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
        }
        layers::switch_on(Layers::EMULATION);
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

unsafe extern "C" fn set_value(
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

unsafe extern "C" fn set_local(
    kernel: KernelHandle,
    index: u32,
    size: usize,
    _: *const KernelArgLocalProperties,
) -> ResultCode {
    set(kernel, index, Argument::Local(size))
}

unsafe extern "C" fn set_pointer(
    kernel: KernelHandle,
    index: u32,
    _: *const KernelArgPointerProperties,
    pointer: *const c_void,
) -> ResultCode {
    set(kernel, index, Argument::Pointer(pointer.addr()))
}

unsafe extern "C" fn set_sampler(
    kernel: KernelHandle,
    index: u32,
    _: *const KernelArgSamplerProperties,
    sampler: SamplerHandle,
) -> ResultCode {
    set(kernel, index, Argument::Sampler(sampler))
}

unsafe extern "C" fn set_mem_obj(
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

unsafe extern "C" fn launch(
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
    answer(|| {
        // SAFETY: the caller vouches for the handle.
        let table = unsafe { dispatch::table_of(queue) }?;
        let launch = table
            .EnqueueExp
            .pfnKernelLaunchWithArgsExp
            .ok_or(ResultCode::ERROR_UNSUPPORTED_FEATURE)?;
        with_arguments(kernel, |count, arguments| {
            // SAFETY: the caller vouches for its own arguments; the kernel's live during the call.
            unsafe {
                launch(
                    queue, kernel, dimensions, offset, global, local, count, arguments, properties, wait_count, wait,
                    event,
                )
            }
        })
    })
}

/// Calls `launch` with what was set for a kernel.
fn with_arguments(
    kernel: KernelHandle,
    launch: impl FnOnce(u32, *const ExpKernelArgProperties) -> ResultCode,
) -> UrResult<()> {
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
    match launch(described.len() as u32, arguments) {
        ResultCode::SUCCESS => Ok(()),
        code => Err(code),
    }
}

/// An argument in the form that a launch takes.
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

/// Makes a call of a client fit an adapter that takes arguments with the launch.
///
/// # Safety
/// `arguments` are those of `function`.
pub(crate) unsafe fn around(
    function: &str,
    arguments: &Arguments<'_>,
    dispatch: &mut dyn FnMut() -> ResultCode,
) -> ResultCode {
    match function {
        "urKernelRelease" => {
            // SAFETY: its argument is a kernel.
            let kernel = unsafe { arguments.read::<KernelHandle>(0) };
            // Taken out before: once it is released, another thread's new kernel may have the same address.
            let list = is_last_reference(kernel)
                .then(|| KERNELS.lock().remove(&kernel))
                .flatten();
            let code = dispatch();
            if code != ResultCode::SUCCESS
                && let Some(list) = list
            {
                KERNELS.lock().entry(kernel).or_insert(list);
            }
            code
        }
        "urCommandBufferAppendKernelLaunchExp" => {
            // SAFETY: its second argument is a kernel.
            let kernel = unsafe { arguments.read::<KernelHandle>(1) };
            if KERNELS.lock().contains_key(&kernel) {
                // SAFETY: the arguments are this function's.
                return unsafe { record(kernel, arguments) };
            }
            dispatch()
        }
        _ => dispatch(),
    }
}

/// Whether the next release destroys a kernel that has arguments here.
fn is_last_reference(kernel: KernelHandle) -> bool {
    if !KERNELS.lock().contains_key(&kernel) {
        return false;
    }
    // SAFETY: arguments were set for the kernel, and it was not destroyed since, or it would not be in the map.
    let Ok(table) = (unsafe { dispatch::table_of(kernel) }) else {
        return false;
    };
    let Some(get_info) = table.Kernel.pfnGetInfo else {
        return false;
    };
    let mut count = 0u32;
    let place = (&raw mut count).cast();
    // SAFETY: the kernel is alive, and the answer is a `u32`.
    let code = unsafe { get_info(kernel, KernelInfo::REFERENCE_COUNT, size_of::<u32>(), place, null_mut()) };
    code == ResultCode::SUCCESS && count == 1
}

/// `urCommandBufferAppendKernelLaunchExp` for a kernel that has arguments here.
///
/// # Safety
/// `a` are the arguments of that function.
unsafe fn record(kernel: KernelHandle, a: &Arguments<'_>) -> ResultCode {
    answer(|| {
        // SAFETY: the first argument is a command buffer, and the caller vouches for it.
        let table = unsafe { dispatch::table_of(a.read::<ExpCommandBufferHandle>(0)) }?;
        let append = table.CommandBufferExp.pfnAppendKernelLaunchWithArgsExp;
        let append = append.ok_or(ResultCode::ERROR_UNSUPPORTED_FEATURE)?;
        with_arguments(kernel, |count, arguments| {
            // SAFETY: both functions have the same parameters, but for the two between local size and alternatives.
            unsafe {
                append(
                    a.read(0),
                    kernel,
                    a.read(2),
                    a.read(3),
                    a.read(4),
                    a.read(5),
                    count,
                    arguments,
                    a.read(6),
                    a.read(7),
                    a.read(8),
                    a.read(9),
                    a.read(10),
                    a.read(11),
                    a.read(12),
                    a.read(13),
                    a.read(14),
                )
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_end_with_their_kernel_and_not_with_the_next_of_its_address() {
        unsafe extern "C" fn one_reference(
            _: KernelHandle,
            _: KernelInfo,
            _: usize,
            value: *mut c_void,
            _: *mut usize,
        ) -> ResultCode {
            // SAFETY: only the number of references is asked for.
            unsafe { value.cast::<u32>().write(1) };
            ResultCode::SUCCESS
        }
        let mut table = DdiTable::default();
        table.Kernel.pfnGetInfo = Some(one_reference);
        let first_word = &raw const table;
        let kernel = KernelHandle::from_ptr((&raw const first_word).cast_mut().cast());
        let sizes = || {
            let list = KERNELS.lock().get(&kernel).cloned().unwrap_or_default();
            let list = list.lock();
            list.iter()
                .map(|argument| match argument {
                    Some(Argument::Local(size)) => *size,
                    _ => 0,
                })
                .collect::<Vec<_>>()
        };
        let release = |dispatch: &mut dyn FnMut() -> ResultCode| {
            let arguments = [(&raw const kernel).cast()];
            // SAFETY: the function has this one parameter.
            unsafe { around("urKernelRelease", &Arguments(&arguments), dispatch) }
        };
        set(kernel, 0, Argument::Local(1));
        let failed = release(&mut || ResultCode::ERROR_OUT_OF_RESOURCES);
        assert_eq!(failed, ResultCode::ERROR_OUT_OF_RESOURCES);
        assert_eq!(sizes(), [1]);
        // The adapter frees the kernel, and another thread makes one in its place.
        let done = release(&mut || set(kernel, 1, Argument::Local(2)));
        assert_eq!(done, ResultCode::SUCCESS);
        assert_eq!(sizes(), [0, 2]);
        release(&mut || ResultCode::SUCCESS);
        assert_eq!(sizes(), [0; 0]);
    }
}
