// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use oxur_api::*;

use crate::info::{bytes_of, query};
use crate::{Context, Device, FromInfo, Plain, Result};

object! {
    /// Device code.
    Program(ProgramHandle): urProgramRetain, urProgramRelease, ProgramInfo = urProgramGetInfo, native urProgramGetNativeHandle
}

/// Options in the form of the C functions: null for none.
fn options(text: &str) -> Result<Option<CString>> {
    Ok(if text.is_empty() {
        None
    } else {
        Some(CString::new(text)?)
    })
}

fn pointer(text: &Option<CString>) -> *const c_char {
    text.as_deref().map_or(null(), CStr::as_ptr)
}

impl Program {
    /// A program from intermediate code, which is nearly always SPIR-V.
    pub fn with_il(context: &Context, il: &[u8]) -> Result<Self> {
        // SAFETY: no properties.
        unsafe { Self::with_il_and(context, il, null()) }
    }

    /// A program from intermediate code with metadata.
    ///
    /// # Safety
    /// The properties must be null or valid.
    pub unsafe fn with_il_and(context: &Context, il: &[u8], properties: *const ProgramProperties) -> Result<Self> {
        let mut handle = ProgramHandle::default();
        // SAFETY: the context is alive, the code lives through the call; the caller vouches for the properties.
        unsafe {
            let fns = context.fns();
            fns.urProgramCreateWithIL(context.raw(), il.as_ptr().cast(), il.len(), properties, &mut handle)
        }?;
        // SAFETY: a new program comes with one reference.
        Ok(unsafe { Self::from_raw(context.loader(), handle) })
    }

    /// A program from binaries that [`Program::binaries`] returned.
    pub fn with_binaries(context: &Context, devices: &[&Device], binaries: &[&[u8]]) -> Result<Self> {
        assert_eq!(devices.len(), binaries.len(), "a binary for each device");
        let mut devices: Vec<_> = devices.iter().map(|device| device.raw()).collect();
        let mut lengths: Vec<_> = binaries.iter().map(|binary| binary.len()).collect();
        let mut pointers: Vec<_> = binaries.iter().map(|binary| binary.as_ptr()).collect();
        let mut handle = ProgramHandle::default();
        // SAFETY: the handles are alive; three arrays of one length.
        unsafe {
            context.fns().urProgramCreateWithBinary(
                context.raw(),
                devices.len() as u32,
                devices.as_mut_ptr(),
                lengths.as_mut_ptr(),
                pointers.as_mut_ptr(),
                null(),
                &mut handle,
            )
        }?;
        // SAFETY: a new program comes with one reference.
        Ok(unsafe { Self::from_raw(context.loader(), handle) })
    }

    /// Builds it for all devices of its context.
    pub fn build(&self, context: &Context, text: &str) -> Result<()> {
        let text = options(text)?;
        // SAFETY: the handles are alive, the options end with NUL.
        unsafe { self.fns().urProgramBuild(context.raw(), self.raw(), pointer(&text)) }
    }

    /// Builds it for some devices.
    pub fn build_for(&self, devices: &[&Device], flags: ExpProgramFlags, text: &str) -> Result<()> {
        let text = options(text)?;
        let mut devices: Vec<_> = devices.iter().map(|device| device.raw()).collect();
        // SAFETY: the handles are alive, the options end with NUL.
        unsafe {
            let count = devices.len() as u32;
            self.fns()
                .urProgramBuildExp(self.raw(), count, devices.as_mut_ptr(), flags, pointer(&text))
        }
    }

    /// Compiles it for all devices of its context, to be linked later.
    pub fn compile(&self, context: &Context, text: &str) -> Result<()> {
        let text = options(text)?;
        // SAFETY: the handles are alive, the options end with NUL.
        unsafe { self.fns().urProgramCompile(context.raw(), self.raw(), pointer(&text)) }
    }

    /// Compiles it for some devices, to be linked later.
    pub fn compile_for(&self, devices: &[&Device], flags: ExpProgramFlags, text: &str) -> Result<()> {
        let text = options(text)?;
        let mut devices: Vec<_> = devices.iter().map(|device| device.raw()).collect();
        // SAFETY: the handles are alive, the options end with NUL.
        unsafe {
            let count = devices.len() as u32;
            self.fns()
                .urProgramCompileExp(self.raw(), count, devices.as_mut_ptr(), flags, pointer(&text))
        }
    }

    /// Links compiled programs.
    pub fn link(context: &Context, programs: &[&Program], text: &str) -> Result<Self> {
        let text = options(text)?;
        let programs: Vec<_> = programs.iter().map(|program| program.raw()).collect();
        let mut handle = ProgramHandle::default();
        // SAFETY: the handles are alive, the options end with NUL, the result pointer is valid.
        let result = unsafe {
            let (fns, count) = (context.fns(), programs.len() as u32);
            fns.urProgramLink(context.raw(), count, programs.as_ptr(), pointer(&text), &mut handle)
        };
        Self::linked(context, result, handle)
    }

    /// Links compiled programs for some devices.
    pub fn link_for(
        context: &Context,
        devices: &[&Device],
        flags: ExpProgramFlags,
        programs: &[&Program],
        text: &str,
    ) -> Result<Self> {
        let text = options(text)?;
        let programs: Vec<_> = programs.iter().map(|program| program.raw()).collect();
        let mut devices: Vec<_> = devices.iter().map(|device| device.raw()).collect();
        let mut handle = ProgramHandle::default();
        // SAFETY: the handles are alive, the options end with NUL, the result pointer is valid.
        let result = unsafe {
            context.fns().urProgramLinkExp(
                context.raw(),
                devices.len() as u32,
                devices.as_mut_ptr(),
                flags,
                programs.len() as u32,
                programs.as_ptr(),
                pointer(&text),
                &mut handle,
            )
        };
        Self::linked(context, result, handle)
    }

    /// A linked program, or the error. A failed link may also return a program, for its log.
    fn linked(context: &Context, result: Result<()>, handle: ProgramHandle) -> Result<Self> {
        // SAFETY: a new program comes with one reference.
        let program = (!handle.is_null()).then(|| unsafe { Self::from_raw(context.loader(), handle) });
        result?;
        Ok(program.expect("a link that succeeds gives a program"))
    }

    /// Queries a property of the last build.
    pub fn build_info<T: FromInfo>(&self, device: &Device, property: ProgramBuildInfo) -> Result<T> {
        query("urProgramGetBuildInfo", |size, value, size_ret| {
            // SAFETY: the handles are alive; `query` passes a buffer of `size` bytes, or none.
            unsafe {
                self.fns()
                    .urProgramGetBuildInfo(self.raw(), device.raw(), property, size, value, size_ret)
            }
        })
    }

    /// The binary for each device; empty if there is none.
    pub fn binaries(&self) -> Result<Vec<Vec<u8>>> {
        let sizes: Vec<usize> = self.info(ProgramInfo::BINARY_SIZES)?;
        let mut binaries: Vec<_> = sizes.iter().map(|size| vec![0u8; *size]).collect();
        let mut pointers: Vec<_> = binaries
            .iter_mut()
            .map(|b| if b.is_empty() { null_mut() } else { b.as_mut_ptr() })
            .collect();
        // SAFETY: each buffer has the size that BINARY_SIZES returned for it.
        unsafe {
            self.fns().urProgramGetInfo(
                self.raw(),
                ProgramInfo::BINARIES,
                size_of_val(pointers.as_slice()),
                pointers.as_mut_ptr().cast(),
                null_mut(),
            )
        }?;
        Ok(binaries)
    }

    /// Sets specialization constants, before the build.
    pub fn specialize<T: Plain>(&self, constants: &[(u32, T)]) -> Result<()> {
        let constants: Vec<_> = constants
            .iter()
            .map(|(id, value)| SpecializationConstantInfo {
                id: *id,
                size: size_of::<T>(),
                pValue: bytes_of(core::slice::from_ref(value)).as_ptr().cast(),
            })
            .collect();
        // SAFETY: the handle is alive, the values live through the call.
        unsafe {
            let count = constants.len() as u32;
            self.fns()
                .urProgramSetSpecializationConstants(self.raw(), count, constants.as_ptr())
        }
    }

    /// The address of a function on a device, as in function pointers in kernels.
    pub fn function_pointer(&self, device: &Device, name: &str) -> Result<*mut c_void> {
        let (name, mut address) = (CString::new(name)?, null_mut());
        // SAFETY: the handles are alive, the name ends with NUL, the result pointer is valid.
        unsafe {
            let (fns, program) = (self.fns(), self.raw());
            fns.urProgramGetFunctionPointer(device.raw(), program, name.as_ptr(), &mut address)
        }?;
        Ok(address)
    }

    /// Resolves imports between programs that were built with unresolved symbols.
    pub fn link_dynamically(context: &Context, programs: &[&Program]) -> Result<()> {
        let programs: Vec<_> = programs.iter().map(|program| program.raw()).collect();
        // SAFETY: the handles are alive.
        unsafe {
            let (fns, count) = (context.fns(), programs.len() as u32);
            fns.urProgramDynamicLinkExp(context.raw(), count, programs.as_ptr())
        }
    }

    /// The address of a global variable on a device, and its size.
    pub fn global_pointer(&self, device: &Device, name: &str) -> Result<(*mut c_void, usize)> {
        let name = CString::new(name)?;
        let (mut address, mut size) = (null_mut(), 0);
        // SAFETY: the handles are alive, the name ends with NUL, the result pointers are valid.
        unsafe {
            let (fns, program) = (self.fns(), self.raw());
            fns.urProgramGetGlobalVariablePointer(device.raw(), program, name.as_ptr(), &mut size, &mut address)
        }?;
        Ok((address, size))
    }
}
