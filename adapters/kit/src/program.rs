// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs.

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use oxur_api::*;

use crate::chain::decode;
use crate::handle::{self, export, object};
use crate::table::entry_points;
use crate::{Backend, Context, InfoOut, Object, UrError, UrResult, args, entry, unsupported};

/// A program: code that kernels come from.
pub trait Program<B: Backend>: Object<Handle = ProgramHandle> {
    /// The context that it is in.
    fn context(&self) -> &Arc<B::Context>;

    /// Makes a program of an intermediate language, SPIR-V as a rule.
    fn create_with_il(_context: &Arc<B::Context>, _il: &[u8], _metadata: &[ProgramMetadata]) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Makes a program of the binaries that [`ProgramInfo::BINARIES`] gave, one a device.
    fn create_with_binaries(
        _context: &Arc<B::Context>,
        _devices: &[Arc<B::Device>],
        _binaries: &[&[u8]],
        _metadata: &[ProgramMetadata],
    ) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Compiles and links for `devices`, or, if there are none, for all devices of the program.
    fn build(&self, _devices: &[Arc<B::Device>], _options: Option<&CStr>, _flags: ExpProgramFlags) -> UrResult<()> {
        unsupported()
    }

    /// Compiles, so that the program may be linked with others.
    fn compile(&self, _devices: &[Arc<B::Device>], _options: Option<&CStr>, _flags: ExpProgramFlags) -> UrResult<()> {
        unsupported()
    }

    /// Links compiled programs, of which there is at least one, into a new one.
    fn link(
        _context: &Arc<B::Context>,
        _devices: &[Arc<B::Device>],
        _programs: &[Arc<Self>],
        _options: Option<&CStr>,
        _flags: ExpProgramFlags,
    ) -> Result<Arc<Self>, LinkFailure<Self>> {
        Err(LinkFailure {
            error: ResultCode::ERROR_UNSUPPORTED_FEATURE.into(),
            program: None,
        })
    }

    /// Resolves symbols between programs that were linked with `ALLOW_UNRESOLVED_SYMBOLS`.
    fn dynamic_link(_context: &Arc<B::Context>, _programs: &[Arc<Self>]) -> UrResult<()> {
        unsupported()
    }

    /// The address of a function on a device.
    fn function_pointer(&self, _device: &Arc<B::Device>, _name: &CStr) -> UrResult<*mut c_void> {
        unsupported()
    }

    /// The address and size, in bytes, of a global variable on a device.
    fn global_variable(&self, _device: &Arc<B::Device>, _name: &CStr) -> UrResult<(*mut c_void, usize)> {
        unsupported()
    }

    /// Answers `urProgramGetInfo`, but for the context and the reference count.
    fn info(&self, _query: ProgramInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    /// Answers `urProgramGetBuildInfo`.
    fn build_info(&self, _device: &Arc<B::Device>, _query: ProgramBuildInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    /// Sets specialization constants: pairs of an id and a value.
    fn set_specialization_constants(&self, _constants: &[(u32, &[u8])]) -> UrResult<()> {
        unsupported()
    }

    /// The driver's handle.
    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// Wraps a native program. `owned` says that the native handle is ours to release.
    fn from_native(_context: &Arc<B::Context>, _native: NativeHandle, _owned: bool) -> UrResult<Arc<Self>> {
        unsupported()
    }
}

/// Why a link failed, and the program that holds the log, if there is one.
#[derive(Debug)]
pub struct LinkFailure<P> {
    /// The error.
    pub error: UrError,
    /// The failed program; the client gets it and must release it.
    pub program: Option<Arc<P>>,
}

impl<P> From<UrError> for LinkFailure<P> {
    fn from(error: UrError) -> Self {
        Self { error, program: None }
    }
}

/// Metadata of a program.
///
/// # Safety
/// As `args::slice`.
unsafe fn metadata<'a>(
    function: &'static str,
    properties: *const ProgramProperties,
) -> UrResult<&'a [ProgramMetadata]> {
    // SAFETY: passed on to the caller.
    unsafe {
        if let Some(properties) = properties.as_ref() {
            decode!(function, properties.pNext)?;
        }
        match properties.as_ref() {
            Some(ProgramProperties {
                count: 0, pMetadatas, ..
            }) if !pMetadatas.is_null() => Err(crate::error!(
                ERROR_INVALID_SIZE: "there is a pointer to a program's metadata, and their count is 0"
            )),
            Some(properties) => args::slice(properties.pMetadatas, properties.count as usize),
            None => Ok(&[]),
        }
    }
}

/// The name of an entry of metadata, and the bytes of its value.
///
/// # Safety
/// The entry is one of a client's, whose call has not returned.
pub(crate) unsafe fn metadata_bytes(entry: &ProgramMetadata) -> Option<(&CStr, &[u8])> {
    // SAFETY: the type says which member is there, and how long the text and the bytes are; the caller vouches for both.
    unsafe {
        if entry.pName.is_null() {
            return None;
        }
        let value: &[u8] = match entry.r#type {
            ProgramMetadataType::STRING if !entry.value.pString.is_null() => {
                CStr::from_ptr(entry.value.pString).to_bytes()
            }
            ProgramMetadataType::BYTE_ARRAY if !entry.value.pData.is_null() => {
                std::slice::from_raw_parts(entry.value.pData.cast(), entry.size)
            }
            ProgramMetadataType::UINT32 => std::slice::from_raw_parts((&raw const entry.value.data32).cast(), 4),
            ProgramMetadataType::UINT64 => std::slice::from_raw_parts((&raw const entry.value.data64).cast(), 8),
            _ => return None,
        };
        Some((CStr::from_ptr(entry.pName), value))
    }
}

/// Programs that are to be linked, all of this context.
fn of_context<B: Backend>(context: &B::Context, programs: Vec<Arc<B::Program>>) -> UrResult<Vec<Arc<B::Program>>> {
    match programs.iter().all(|program| program.context().is_same(context)) {
        true => Ok(programs),
        false => crate::bail!(ERROR_INVALID_PROGRAM: "programs are linked in their own context"),
    }
}

fn link_result<B: Backend>(
    linked: Result<Arc<B::Program>, LinkFailure<B::Program>>,
    out: &mut std::mem::MaybeUninit<ProgramHandle>,
) -> UrResult<()> {
    match linked {
        Ok(program) => {
            out.write(export(&program));
            Ok(())
        }
        Err(LinkFailure { error, program }) => {
            out.write(program.as_ref().map(export).unwrap_or_default());
            Err(error)
        }
    }
}

entry! {
    fn urProgramCreateWithIL<B>(
        context: ContextHandle, il: *const c_void, length: usize, properties: *const ProgramProperties,
        program: *mut ProgramHandle,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(il)?;
        let out = args::out(program)?;
        if length == 0 {
            crate::bail!(ERROR_INVALID_SIZE: "the program is empty");
        }
        let il = args::slice(il.cast::<u8>(), length)?;
        out.write(export(&B::Program::create_with_il(&context, il, metadata("urProgramCreateWithIL", properties)?)?));
        Ok(())
    }

    fn urProgramCreateWithBinary<B>(
        context: ContextHandle, count: u32, devices: *mut DeviceHandle, lengths: *mut usize,
        binaries: *mut *const u8, properties: *const ProgramProperties, program: *mut ProgramHandle,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(devices)?;
        args::not_null(lengths)?;
        args::not_null(binaries)?;
        let out = args::out(program)?;
        if count == 0 {
            crate::bail!(ERROR_INVALID_SIZE: "a program has a binary for at least one device");
        }
        let devices = args::objects::<B::Device>(devices, count)?;
        let lengths = args::slice(lengths, count as usize)?;
        let binaries = args::slice(binaries, count as usize)?;
        let binaries = binaries
            .iter()
            .zip(lengths)
            .map(|(&binary, &length)| {
                args::not_null(binary)?;
                if length == 0 {
                    crate::bail!(ERROR_INVALID_SIZE: "a binary is empty");
                }
                args::slice(binary, length)
            })
            .collect::<UrResult<Vec<_>>>()?;
        let metadata = metadata("urProgramCreateWithBinary", properties)?;
        out.write(export(&B::Program::create_with_binaries(&context, &devices, &binaries, metadata)?));
        Ok(())
    }

    fn urProgramBuild<B>(context: ContextHandle, program: ProgramHandle, options: *const c_char) {
        object::<B::Context>(context)?;
        object::<B::Program>(program)?.build(&[], args::optional_c_str(options), ExpProgramFlags::empty())
    }

    fn urProgramBuildExp<B>(
        program: ProgramHandle, count: u32, devices: *mut DeviceHandle, flags: ExpProgramFlags, options: *const c_char,
    ) {
        let program = object::<B::Program>(program)?;
        args::not_null(devices)?;
        let devices = args::objects::<B::Device>(devices, count)?;
        args::known_flags(flags)?;
        program.build(&devices, args::optional_c_str(options), flags)
    }

    fn urProgramCompile<B>(context: ContextHandle, program: ProgramHandle, options: *const c_char) {
        object::<B::Context>(context)?;
        object::<B::Program>(program)?.compile(&[], args::optional_c_str(options), ExpProgramFlags::empty())
    }

    fn urProgramCompileExp<B>(
        program: ProgramHandle, count: u32, devices: *mut DeviceHandle, flags: ExpProgramFlags, options: *const c_char,
    ) {
        let program = object::<B::Program>(program)?;
        args::not_null(devices)?;
        let devices = args::objects::<B::Device>(devices, count)?;
        args::known_flags(flags)?;
        program.compile(&devices, args::optional_c_str(options), flags)
    }

    fn urProgramLink<B>(
        context: ContextHandle, count: u32, programs: *const ProgramHandle, options: *const c_char,
        linked: *mut ProgramHandle,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(programs)?;
        let out = args::out(linked)?;
        out.write(ProgramHandle::default());
        if count == 0 {
            return Err(ResultCode::ERROR_INVALID_SIZE.into());
        }
        let programs = of_context::<B>(&context, args::objects::<B::Program>(programs, count)?)?;
        let options = args::optional_c_str(options);
        link_result::<B>(B::Program::link(&context, &[], &programs, options, ExpProgramFlags::empty()), out)
    }

    fn urProgramLinkExp<B>(
        context: ContextHandle, num_devices: u32, devices: *mut DeviceHandle, flags: ExpProgramFlags, count: u32,
        programs: *const ProgramHandle, options: *const c_char, linked: *mut ProgramHandle,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(devices)?;
        args::not_null(programs)?;
        let out = args::out(linked)?;
        out.write(ProgramHandle::default());
        if count == 0 {
            return Err(ResultCode::ERROR_INVALID_SIZE.into());
        }
        let devices = args::objects::<B::Device>(devices, num_devices)?;
        let programs = of_context::<B>(&context, args::objects::<B::Program>(programs, count)?)?;
        args::known_flags(flags)?;
        link_result::<B>(B::Program::link(&context, &devices, &programs, args::optional_c_str(options), flags), out)
    }

    fn urProgramDynamicLinkExp<B>(context: ContextHandle, count: u32, programs: *const ProgramHandle) {
        let context = object::<B::Context>(context)?;
        args::not_null(programs)?;
        if count == 0 {
            return Err(ResultCode::ERROR_INVALID_SIZE.into());
        }
        let programs = of_context::<B>(&context, args::objects::<B::Program>(programs, count)?)?;
        B::Program::dynamic_link(&context, &programs)
    }

    fn urProgramRetain<B>(program: ProgramHandle) {
        handle::retain::<B::Program>(program)
    }

    fn urProgramRelease<B>(program: ProgramHandle) {
        handle::release::<B::Program>(program)
    }

    fn urProgramGetFunctionPointer<B>(
        device: DeviceHandle, program: ProgramHandle, name: *const c_char, pointer: *mut *mut c_void,
    ) {
        let device = object::<B::Device>(device)?;
        let program = object::<B::Program>(program)?;
        let name = args::c_str(name)?;
        args::out(pointer)?.write(program.function_pointer(&device, name)?);
        Ok(())
    }

    fn urProgramGetGlobalVariablePointer<B>(
        device: DeviceHandle, program: ProgramHandle, name: *const c_char, size: *mut usize, pointer: *mut *mut c_void,
    ) {
        let device = object::<B::Device>(device)?;
        let program = object::<B::Program>(program)?;
        let name = args::c_str(name)?;
        let out = args::out(pointer)?;
        let (address, bytes) = program.global_variable(&device, name)?;
        out.write(address);
        if !size.is_null() {
            size.write(bytes);
        }
        Ok(())
    }

    fn urProgramGetInfo<B>(
        program: ProgramHandle, query: ProgramInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let program = object::<B::Program>(program)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            ProgramInfo::REFERENCE_COUNT => out.references(&**program),
            ProgramInfo::CONTEXT => out.handle(program.context()),
            _ => program.info(query, out),
        }
    }

    fn urProgramGetBuildInfo<B>(
        program: ProgramHandle, device: DeviceHandle, query: ProgramBuildInfo, size: usize, value: *mut c_void,
        needed: *mut usize,
    ) {
        let program = object::<B::Program>(program)?;
        let device = object::<B::Device>(device)?;
        program.build_info(&device, query, InfoOut::of(query, size, value, needed)?)
    }

    fn urProgramSetSpecializationConstants<B>(
        program: ProgramHandle, count: u32, constants: *const SpecializationConstantInfo,
    ) {
        let program = object::<B::Program>(program)?;
        program.set_specialization_constants(&args::specialization_constants(constants, count)?)
    }

    fn urProgramGetNativeHandle<B>(program: ProgramHandle, native: *mut NativeHandle) {
        let program = object::<B::Program>(program)?;
        args::out(native)?.write(program.native()?);
        Ok(())
    }

    fn urProgramCreateWithNativeHandle<B>(
        native: NativeHandle, context: ContextHandle, properties: *const ProgramNativeProperties,
        program: *mut ProgramHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let out = args::out(program)?;
        let properties = properties.as_ref().copied().unwrap_or_default();
        decode!("urProgramCreateWithNativeHandle", properties.pNext)?;
        let owned = properties.isNativeHandleOwned;
        out.write(export(&B::Program::from_native(&context, native, owned)?));
        Ok(())
    }
}

oxur_api::program_functions! { entry_points {} }
oxur_api::program_exp_functions! { entry_points {} }
