// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Arguments of kernels, from UR's to those of `oxur_device_cpu`.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::ResultCode;
use kit::{Arg, Args, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::{KernelInfo, ParamKind};
use oxur_device_cpu::kernel::Kernel;
use oxur_device_cpu::kernel::args::{self, ArgError, ArgValue, Settings};

use crate::{Cpu, Mem, Sampler, opencl};

/// The arguments of a launch.
pub(crate) type Packed = args::Packed<Mem>;

type Value<'a> = ArgValue<'a, Mem>;

/// Calls `put` with an argument for the parameter that it is for.
#[inline]
fn with_value(
    code: &Kernel,
    arg: &Arg<'_, Cpu>,
    put: impl FnOnce(usize, Value<'_>) -> Result<(), ArgError>,
) -> UrResult<()> {
    let (wants, index) = (code.info(), arg.index() as usize);
    let put = |index, value| put(index, code.replace_null(index, value));
    let done = match arg {
        // SYCL passes native memory objects and samplers as values.
        Arg::Value(_, bytes) if let Some(object) = native_object(wants, index, bytes) => match object {
            NativeObject::Mem(mem) => put(index, value_of(&mem)),
            NativeObject::Sampler(sampler) => put(index, ArgValue::Sampler(sampler.bits())),
        },
        Arg::Value(_, bytes) => put(index, ArgValue::Value(bytes)),
        Arg::Pointer(_, pointer) => put(index, ArgValue::Pointer(pointer.addr())),
        Arg::Mem(_, Some(mem), _) => put(index, value_of(mem)),
        Arg::Mem(_, None, _) => put(index, ArgValue::Null),
        Arg::Local(_, size) => put(index, ArgValue::Local(*size)),
        Arg::Sampler(_, sampler) => put(index, ArgValue::Sampler(sampler.bits())),
    };
    done.map_err(|error| self::error(wants, &error))
}

/// A buffer or an image.
#[inline]
fn value_of(mem: &Arc<Mem>) -> Value<'_> {
    match mem.image() {
        Some(image) => ArgValue::Image(image, mem),
        None => ArgValue::Buffer(mem.data().addr(), mem),
    }
}

/// An object whose native handle is passed as a value.
enum NativeObject {
    Mem(Arc<Mem>),
    Sampler(Arc<Sampler>),
}

/// The object with the native handle in these bytes, if the parameter may be one.
#[inline]
fn native_object(wants: &KernelInfo, index: usize, bytes: &[u8]) -> Option<NativeObject> {
    if !opencl::handle::are_there() {
        return None;
    }
    match wants.params.get(index)?.kind {
        ParamKind::Pointer(_) | ParamKind::Image | ParamKind::Sampler => find_native(bytes),
        ParamKind::Value | ParamKind::Local => None,
    }
}

#[cold]
fn find_native(bytes: &[u8]) -> Option<NativeObject> {
    let handle = usize::from_ne_bytes(bytes.try_into().ok()?) as *mut c_void;
    let mem = opencl::handle::object(handle).map(NativeObject::Mem);
    mem.or_else(|_| opencl::handle::object(handle).map(NativeObject::Sampler))
        .ok()
}

/// Packs the arguments of a launch, of which there must be one for each parameter.
#[inline]
pub(super) fn pack(code: &Kernel, args: Args<'_, Cpu>, into: &mut Packed) -> UrResult<()> {
    let wants = code.info();
    into.pack(
        wants,
        |packing| {
            args.iter()
                .try_for_each(|arg| with_value(code, &arg?, |index, value| packing.put(index, value)))
        },
        |error| self::error(wants, error),
    )
}

/// Sets arguments that the kernel has already taken. Returns false, and changes nothing, if that would change memory
/// objects or the layout of local memory.
#[inline]
pub(crate) fn set_packed(packed: &mut Packed, code: &Kernel, args: &[Arg<'_, Cpu>]) -> bool {
    let wants = code.info();
    let is_plain = |arg: &Arg<'_, Cpu>| match arg {
        Arg::Value(index, bytes) => native_object(wants, *index as usize, bytes).is_none(),
        Arg::Pointer(..) => true,
        Arg::Mem(..) | Arg::Sampler(..) | Arg::Local(..) => false,
    };
    packed.has_no_objects()
        && args.iter().all(is_plain)
        && args
            .iter()
            .all(|arg| with_value(code, arg, |index, value| packed.set(wants, index, value)).is_ok())
}

/// Sets one argument of a kernel.
pub(super) fn set(settings: &mut Settings<Mem>, code: &Kernel, arg: &Arg<'_, Cpu>) -> UrResult<()> {
    with_value(code, arg, |index, value| settings.set(code.info(), index, value))
}

/// UR's error.
#[cold]
pub(super) fn error(wants: &KernelInfo, error: &ArgError) -> UrError {
    let code = match error {
        ArgError::NoParam(_) => ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
        ArgError::WrongSize(..) => ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
        ArgError::WrongKind(..) | ArgError::NotSet(_) => ResultCode::ERROR_INVALID_KERNEL_ARGS,
        ArgError::Gone(_) => ResultCode::ERROR_INVALID_MEM_OBJECT,
        ArgError::TooMuchLocal(_) => ResultCode::ERROR_OUT_OF_RESOURCES,
    };
    UrError::with_message(code, error.describe(wants))
}
