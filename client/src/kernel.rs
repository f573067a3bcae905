// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels, their arguments and the ranges that they run over.

use std::ffi::CString;
use std::ptr::null;

use oxur_api::*;

use crate::info::{bytes_of, query};
use crate::{Device, FromInfo, Mem, Plain, Program, Queue, Result, Sampler};

object! {
    /// An entry point of a program.
    Kernel(KernelHandle): urKernelRetain, urKernelRelease, KernelInfo = urKernelGetInfo, native urKernelGetNativeHandle
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// The bytes of a value.
    Value(&'a [u8]),
    /// An address of USM.
    Pointer(*const c_void),
    /// A buffer or image, with the access flags of the kernel.
    Mem(&'a Mem, MemFlags),
    /// Local memory of this many bytes.
    Local(usize),
    /// A sampler.
    Sampler(&'a Sampler),
}

impl<'a> Arg<'a> {
    /// A value.
    pub fn value<T: Plain>(value: &'a T) -> Self {
        Self::Value(bytes_of(core::slice::from_ref(value)))
    }

    /// A buffer or image that the kernel reads and writes.
    pub fn mem(mem: &'a Mem) -> Self {
        Self::Mem(mem, MemFlags::READ_WRITE)
    }

    /// The argument in the form of `urEnqueueKernelLaunchWithArgsExp`.
    pub fn properties(&self, index: u32) -> ExpKernelArgProperties {
        let (r#type, size, value) = match *self {
            Self::Value(bytes) => (
                ExpKernelArgType::VALUE,
                bytes.len(),
                ExpKernelArgValue {
                    value: bytes.as_ptr().cast(),
                },
            ),
            Self::Pointer(pointer) => (
                ExpKernelArgType::POINTER,
                size_of_val(&pointer),
                ExpKernelArgValue { pointer },
            ),
            Self::Mem(mem, flags) => {
                let tuple = ExpKernelArgMemObjTuple { hMem: mem.raw(), flags };
                (
                    ExpKernelArgType::MEM_OBJ,
                    size_of::<MemHandle>(),
                    ExpKernelArgValue { memObjTuple: tuple },
                )
            }
            Self::Local(size) => (ExpKernelArgType::LOCAL, size, ExpKernelArgValue { pointer: null() }),
            Self::Sampler(sampler) => (
                ExpKernelArgType::SAMPLER,
                size_of::<SamplerHandle>(),
                ExpKernelArgValue { sampler: sampler.raw() },
            ),
        };
        ExpKernelArgProperties {
            r#type,
            index,
            size,
            value,
            ..Default::default()
        }
    }
}

/// The range of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// How many elements of the arrays are used.
    pub dimensions: u32,
    /// Work-items.
    pub global: [usize; 3],
    /// Work-items per work-group; `None` leaves the choice to the adapter.
    pub local: Option<[usize; 3]>,
    /// The first global id. `None` makes another call than zeros.
    pub offset: Option<[usize; 3]>,
}

impl Range {
    /// A range with one dimension per size, 1 to 3.
    pub fn new<const N: usize>(global: [usize; N]) -> Self {
        Self {
            dimensions: N as u32,
            global: widen(global, 1),
            local: None,
            offset: None,
        }
    }

    /// The same range in work-groups of this size.
    pub fn local<const N: usize>(self, local: [usize; N]) -> Self {
        Self {
            local: Some(widen(local, 1)),
            ..self
        }
    }

    /// The same range, starting at this global id.
    pub fn offset<const N: usize>(self, offset: [usize; N]) -> Self {
        Self {
            offset: Some(widen(offset, 0)),
            ..self
        }
    }

    /// The three arrays as pointers.
    pub(crate) fn pointers(&self) -> (*const usize, *const usize, *const usize) {
        let optional = |sizes: &Option<[usize; 3]>| sizes.as_ref().map_or(null(), |s| s.as_ptr());
        (optional(&self.offset), self.global.as_ptr(), optional(&self.local))
    }
}

fn widen<const N: usize>(sizes: [usize; N], rest: usize) -> [usize; 3] {
    core::array::from_fn(|i| sizes.get(i).copied().unwrap_or(rest))
}

impl Kernel {
    /// The kernel of this name.
    pub fn new(program: &Program, name: &str) -> Result<Self> {
        let name = CString::new(name)?;
        let mut handle = KernelHandle::default();
        // SAFETY: the program is alive, the name ends with NUL, the result pointer is valid.
        unsafe { program.fns().urKernelCreate(program.raw(), name.as_ptr(), &mut handle) }?;
        // SAFETY: a new kernel comes with one reference.
        Ok(unsafe { Self::from_raw(program.loader(), handle) })
    }

    /// Queries a property of the work-groups on a device.
    pub fn group_info<T: FromInfo>(&self, device: &Device, property: KernelGroupInfo) -> Result<T> {
        query("urKernelGetGroupInfo", |size, value, size_ret| {
            // SAFETY: the handles are alive; `query` passes a buffer of `size` bytes, or none.
            unsafe {
                self.fns()
                    .urKernelGetGroupInfo(self.raw(), device.raw(), property, size, value, size_ret)
            }
        })
    }

    /// Queries a property of the sub-groups on a device.
    pub fn sub_group_info<T: FromInfo>(&self, device: &Device, property: KernelSubGroupInfo) -> Result<T> {
        query("urKernelGetSubGroupInfo", |size, value, size_ret| {
            // SAFETY: the handles are alive; `query` passes a buffer of `size` bytes, or none.
            unsafe {
                self.fns()
                    .urKernelGetSubGroupInfo(self.raw(), device.raw(), property, size, value, size_ret)
            }
        })
    }

    /// Sets an argument as clients before 2026.2 do.
    ///
    /// # Safety
    /// The argument must be what the kernel expects there; a pointer must be valid for what the kernel does with it.
    pub unsafe fn set_arg(&self, index: u32, arg: Arg) -> Result<()> {
        let (fns, kernel) = (self.fns(), self.raw());
        // SAFETY: the handles are alive, the bytes live through the call; the caller vouches for the rest.
        unsafe {
            match arg {
                Arg::Value(bytes) => fns.urKernelSetArgValue(kernel, index, bytes.len(), null(), bytes.as_ptr().cast()),
                Arg::Pointer(pointer) => fns.urKernelSetArgPointer(kernel, index, null(), pointer),
                Arg::Mem(mem, flags) => {
                    let properties = KernelArgMemObjProperties {
                        memoryAccess: flags,
                        ..Default::default()
                    };
                    fns.urKernelSetArgMemObj(kernel, index, &properties, mem.raw())
                }
                Arg::Local(size) => fns.urKernelSetArgLocal(kernel, index, size, null()),
                Arg::Sampler(sampler) => fns.urKernelSetArgSampler(kernel, index, null(), sampler.raw()),
            }
        }
    }

    /// Sets an execution attribute.
    pub fn set_exec_info<T: Plain>(&self, property: KernelExecInfo, values: &[T]) -> Result<()> {
        let bytes = bytes_of(values);
        // SAFETY: the handle is alive, the value has `bytes.len()` bytes.
        unsafe {
            self.fns()
                .urKernelSetExecInfo(self.raw(), property, bytes.len(), null(), bytes.as_ptr().cast())
        }
    }

    /// The local size that the adapter would choose for a range.
    pub fn suggested_local_size(&self, queue: &Queue, range: &Range) -> Result<[usize; 3]> {
        let mut local = [1; 3];
        let offset = range.offset.unwrap_or_default();
        // SAFETY: the handles are alive, all arrays have three elements.
        unsafe {
            self.fns().urKernelGetSuggestedLocalWorkSize(
                self.raw(),
                queue.raw(),
                range.dimensions,
                offset.as_ptr(),
                range.global.as_ptr(),
                local.as_mut_ptr(),
            )
        }?;
        Ok(local)
    }

    /// How many work-groups can run at the same time.
    pub fn max_cooperative_groups(&self, device: &Device, local: &[usize], local_memory: usize) -> Result<u32> {
        let mut count = 0;
        // SAFETY: the handles are alive, `local` has as many elements as dimensions.
        unsafe {
            self.fns().urKernelSuggestMaxCooperativeGroupCount(
                self.raw(),
                device.raw(),
                local.len() as u32,
                local.as_ptr(),
                local_memory,
                &mut count,
            )
        }?;
        Ok(count)
    }
}
