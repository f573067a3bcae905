// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels and their arguments.

mod arg_cache;
mod arg_objects;
mod clone_emulation;
mod own_args;
mod plain_arg;
mod snapshot_cache;

use std::ffi::{CStr, c_char, c_void};
use std::hint::cold_path;
use std::marker::PhantomData;
use std::sync::Arc;

use derive_where::derive_where;
use oxur_api::*;

pub use self::arg_cache::{ArgCache, ArgKey};
pub use self::arg_objects::ArgObjects;
pub use self::clone_emulation::KernelCloneEmulation;
pub use self::own_args::OwnArgs;
pub(crate) use self::plain_arg::PlainArg;
pub use self::snapshot_cache::SnapshotCache;
use crate::chain::decode;
use crate::handle::{self, Borrowed, export, object, optional_object};
use crate::table::entry_points;
use crate::{Backend, InfoOut, Object, Program, Range, UrError, UrResult, args, entry, unsupported};

/// A kernel: an entry point of a program.
pub trait Kernel<B: Backend>: Object<Handle = KernelHandle> {
    /// The program that it is of.
    fn program(&self) -> &Arc<B::Program>;

    /// Finds the kernel of a built program.
    fn create(_program: &Arc<B::Program>, _name: &CStr) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Answers `urKernelGetInfo`, but for the program, the context and the reference count.
    fn info(&self, _query: KernelInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    /// Answers `urKernelGetGroupInfo`.
    fn group_info(&self, _device: &Arc<B::Device>, _query: KernelGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    /// Answers `urKernelGetSubGroupInfo`.
    fn sub_group_info(&self, _device: &Arc<B::Device>, _query: KernelSubGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    /// Sets one argument for the launches to come that bring none of their own: what older clients do.
    fn set_arg(&self, _arg: Arg<'_, B>) -> UrResult<()> {
        unsupported()
    }

    /// Hands the arguments to a function that were set for launches that bring none, or that a snapshot has: for adapters whose
    /// buffers [move](crate::BufferMemory::MOVES).
    fn own_args(&self, _to: &mut dyn FnMut(Arg<'_, B>) -> UrResult<()>) -> UrResult<()> {
        Ok(())
    }

    /// A kernel of the same code with arguments of its own: `args`, or, if there are none, those that were set. Command
    /// buffers keep it.
    fn snapshot(&self, _args: Args<'_, B>) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// The same for a launch that no update changes: it may be a snapshot that other launches have. See [`SnapshotCache`].
    fn fixed_snapshot(&self, args: Args<'_, B>) -> UrResult<Arc<Self>> {
        self.snapshot(args)
    }

    /// What makes a snapshot later as if it were made now, where that cannot fail. Launches that no update changes and whose
    /// arguments are plain then have no snapshot until something asks for it.
    fn late_snapshot(&self) -> Option<LateSnapshot<B>> {
        None
    }

    /// Tells what the kernel will need beyond its arguments.
    fn set_exec_info(&self, _info: ExecInfo<'_>) -> UrResult<()> {
        unsupported()
    }

    /// Sets specialization constants of one kernel: pairs of an id and a value.
    fn set_specialization_constants(&self, _constants: &[(u32, &[u8])]) -> UrResult<()> {
        unsupported()
    }

    /// The work-group size that a launch without one would get.
    fn suggested_local_size(
        &self,
        _queue: &Arc<B::Queue>,
        _range: &Range<'_>,
        _args: Args<'_, B>,
    ) -> UrResult<[usize; 3]> {
        unsupported()
    }

    /// How many work-groups of this size can run at once, so that they may wait for each other.
    fn max_cooperative_groups(
        &self,
        _device: &Arc<B::Device>,
        _local_size: &[usize],
        _dynamic_local_memory: usize,
    ) -> UrResult<u32> {
        unsupported()
    }

    /// The driver's handle.
    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// Wraps a native kernel. `owned` says that the native handle is ours to release.
    fn from_native(
        _context: &Arc<B::Context>,
        _program: Option<&Arc<B::Program>>,
        _native: NativeHandle,
        _owned: bool,
    ) -> UrResult<Arc<Self>> {
        unsupported()
    }
}

/// A snapshot of a kernel that is yet to be made: see [`Kernel::late_snapshot`].
#[derive_where(Clone)]
pub struct LateSnapshot<B: Backend> {
    /// What the kernel has beside its arguments that may change.
    pub state: u32,
    /// Makes it of the kernel, that state and the arguments.
    pub make: MakeSnapshot<B>,
}

/// See [`LateSnapshot`].
pub type MakeSnapshot<B> =
    for<'a> fn(&<B as Backend>::Kernel, u32, &mut dyn Iterator<Item = Arg<'a, B>>) -> Arc<<B as Backend>::Kernel>;

/// What `urKernelSetExecInfo` tells.
#[derive(Clone, Copy, Debug)]
pub enum ExecInfo<'a> {
    /// Whether the kernel reaches USM through pointers that are not its arguments.
    UsmIndirectAccess(bool),
    /// USM that the kernel reaches through other pointers.
    UsmPointers(&'a [*mut c_void]),
    /// How to split on-chip memory.
    CacheConfig(KernelCacheConfig),
}

/// An argument of a kernel.
pub enum Arg<'a, B: Backend> {
    /// Bytes.
    Value(u32, &'a [u8]),
    /// An address in USM or of mapped virtual memory; null is allowed.
    Pointer(u32, *const c_void),
    /// A buffer or image, or none for a null pointer, with the access that the kernel makes of it.
    Mem(u32, Option<Borrowed<'a, B::Mem>>, MemFlags),
    /// Local memory of so many bytes.
    Local(u32, usize),
    /// A sampler.
    Sampler(u32, Borrowed<'a, B::Sampler>),
}

impl<B: Backend> Arg<'_, B> {
    /// Its number among the kernel's arguments.
    pub fn index(&self) -> u32 {
        let (Self::Value(index, _)
        | Self::Pointer(index, _)
        | Self::Mem(index, ..)
        | Self::Local(index, _)
        | Self::Sampler(index, _)) = self;
        *index
    }
}

impl<B: Backend> Clone for Arg<'_, B> {
    fn clone(&self) -> Self {
        match self {
            Self::Value(index, value) => Self::Value(*index, value),
            Self::Pointer(index, pointer) => Self::Pointer(*index, *pointer),
            Self::Mem(index, mem, access) => Self::Mem(*index, mem.as_ref().map(Borrowed::reborrow), *access),
            Self::Local(index, size) => Self::Local(*index, *size),
            Self::Sampler(index, sampler) => Self::Sampler(*index, Borrowed::reborrow(sampler)),
        }
    }
}

/// The arguments of a launch, decoded one by one as they are read.
pub struct Args<'a, B> {
    properties: &'a [ExpKernelArgProperties],
    backend: PhantomData<B>,
}

impl<B> Clone for Args<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Args<'_, B> {}

impl<'a, B: Backend> Args<'a, B> {
    /// Takes `numArgs` and `pArgs`.
    ///
    /// # Safety
    /// `properties`, unless null, must point to `count` structures, and what they point to and hold handles of must stay
    /// valid for `'a`.
    pub unsafe fn new(count: u32, properties: *const ExpKernelArgProperties) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        let properties = unsafe { args::slice(properties, count as usize) }?;
        Ok(Self {
            properties,
            backend: PhantomData,
        })
    }

    /// Checks that nothing is chained to an argument, for a function other than a launch.
    pub(crate) fn check_chains(&self, function: &'static str) -> UrResult<()> {
        self.properties.iter().try_for_each(|properties| {
            // SAFETY: `new`'s caller vouches for what the structures hold.
            unsafe { decode!(function, properties.pNext) }
        })
    }

    /// No arguments.
    pub fn none() -> Self {
        Self {
            properties: &[],
            backend: PhantomData,
        }
    }

    /// How many arguments.
    pub fn len(&self) -> usize {
        self.properties.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// The arguments, or the error of one that is wrong.
    #[inline(always)]
    pub fn iter(&self) -> ArgsIter<'a, B> {
        ArgsIter {
            properties: self.properties.iter(),
            backend: PhantomData,
        }
    }
}

/// See [`Args::iter`]. It is inlined wherever it is used: an argument is large to move.
pub struct ArgsIter<'a, B> {
    properties: std::slice::Iter<'a, ExpKernelArgProperties>,
    backend: PhantomData<B>,
}

impl<'a, B: Backend> Iterator for ArgsIter<'a, B> {
    type Item = UrResult<Arg<'a, B>>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let properties = self.properties.next()?;
        // SAFETY: the caller of `Args::new` vouches for what the structures hold.
        Some(unsafe { Arg::new(properties) })
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.properties.size_hint()
    }
}

impl<B: Backend> ExactSizeIterator for ArgsIter<'_, B> {}

impl<'a, B: Backend> Arg<'a, B> {
    /// Takes the properties of an argument.
    ///
    /// # Safety
    /// What they point to and hold handles of must stay valid for `'a`.
    #[inline(always)]
    unsafe fn new(properties: &'a ExpKernelArgProperties) -> UrResult<Self> {
        let ExpKernelArgProperties { index, size, .. } = *properties;
        if !properties.pNext.is_null() {
            cold_path();
            // SAFETY: passed on to the caller. Other functions have checked it before.
            unsafe { decode!("urEnqueueKernelLaunchWithArgsExp", properties.pNext) }?;
        }
        // SAFETY: the type says which member of the union is set; the rest is passed on to the caller.
        unsafe {
            match properties.r#type {
                ExpKernelArgType::VALUE => match args::slice(properties.value.value.cast::<u8>(), size) {
                    Ok(bytes) => Ok(Self::Value(index, bytes)),
                    Err(_) => Err(no_value(index, size)),
                },
                ExpKernelArgType::POINTER => Ok(Self::Pointer(index, properties.value.pointer)),
                ExpKernelArgType::MEM_OBJ => {
                    let tuple = properties.value.memObjTuple;
                    Ok(Self::Mem(index, optional_object(tuple.hMem)?, tuple.flags))
                }
                ExpKernelArgType::LOCAL => Ok(Self::Local(index, size)),
                ExpKernelArgType::SAMPLER => Ok(Self::Sampler(index, object(properties.value.sampler)?)),
                other => Err(no_type(index, other)),
            }
        }
    }
}

#[cold]
fn no_value(index: u32, size: usize) -> UrError {
    crate::error!(ERROR_INVALID_NULL_POINTER: "argument {index} is a null pointer to a value of {size} bytes")
}

#[cold]
fn no_type(index: u32, other: ExpKernelArgType) -> UrError {
    crate::error!(ERROR_INVALID_ENUMERATION: "argument {index} is of unknown type {other:?}")
}

/// The answer to `urKernelGetSuggestedLocalWorkSize*`.
///
/// # Safety
/// As the C function.
unsafe fn suggest<B: Backend>(
    kernel: KernelHandle,
    queue: QueueHandle,
    dimensions: u32,
    offset: *const usize,
    global: *const usize,
    args: Args<'_, B>,
    suggested: *mut usize,
) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    unsafe {
        let kernel = object::<B::Kernel>(kernel)?;
        let queue = object::<B::Queue>(queue)?;
        args::not_null(offset)?;
        args::not_null(suggested)?;
        // An adapter that has no use for the arguments would not look at them.
        args.iter().try_for_each(|arg| arg.map(drop))?;
        let range = Range::new(dimensions, offset, global, std::ptr::null())?;
        let size = kernel.suggested_local_size(&queue, &range, args)?;
        suggested.copy_from_nonoverlapping(size.as_ptr(), dimensions as usize);
        Ok(())
    }
}

entry! {
    fn urKernelCreate<B>(program: ProgramHandle, name: *const c_char, kernel: *mut KernelHandle) {
        let program = object::<B::Program>(program)?;
        let name = args::c_str(name)?;
        let out = args::out(kernel)?;
        out.write(export(&B::Kernel::create(&program, name)?));
        Ok(())
    }

    fn urKernelGetInfo<B>(
        kernel: KernelHandle, query: KernelInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let kernel = object::<B::Kernel>(kernel)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            KernelInfo::REFERENCE_COUNT => out.references(&**kernel),
            KernelInfo::PROGRAM => out.handle(kernel.program()),
            KernelInfo::CONTEXT => out.handle(kernel.program().context()),
            _ => kernel.info(query, out),
        }
    }

    fn urKernelGetGroupInfo<B>(
        kernel: KernelHandle, device: DeviceHandle, query: KernelGroupInfo, size: usize, value: *mut c_void,
        needed: *mut usize,
    ) {
        let kernel = object::<B::Kernel>(kernel)?;
        let device = object::<B::Device>(device)?;
        kernel.group_info(&device, query, InfoOut::of(query, size, value, needed)?)
    }

    fn urKernelGetSubGroupInfo<B>(
        kernel: KernelHandle, device: DeviceHandle, query: KernelSubGroupInfo, size: usize, value: *mut c_void,
        needed: *mut usize,
    ) {
        let kernel = object::<B::Kernel>(kernel)?;
        let device = object::<B::Device>(device)?;
        kernel.sub_group_info(&device, query, InfoOut::of(query, size, value, needed)?)
    }

    fn urKernelRetain<B>(kernel: KernelHandle) {
        handle::retain::<B::Kernel>(kernel)
    }

    fn urKernelRelease<B>(kernel: KernelHandle) {
        handle::release::<B::Kernel>(kernel)
    }

    fn urKernelGetNativeHandle<B>(kernel: KernelHandle, native: *mut NativeHandle) {
        let kernel = object::<B::Kernel>(kernel)?;
        args::out(native)?.write(kernel.native()?);
        Ok(())
    }

    fn urKernelCreateWithNativeHandle<B>(
        native: NativeHandle, context: ContextHandle, program: ProgramHandle, properties: *const KernelNativeProperties,
        kernel: *mut KernelHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let program = optional_object::<B::Program>(program)?;
        let out = args::out(kernel)?;
        let properties = properties.as_ref().copied().unwrap_or_default();
        decode!("urKernelCreateWithNativeHandle", properties.pNext)?;
        let owned = properties.isNativeHandleOwned;
        out.write(export(&B::Kernel::from_native(&context, program.as_deref(), native, owned)?));
        Ok(())
    }

    fn urKernelGetSuggestedLocalWorkSize<B>(
        kernel: KernelHandle, queue: QueueHandle, dimensions: u32, offset: *const usize, global: *const usize,
        suggested: *mut usize,
    ) {
        suggest::<B>(kernel, queue, dimensions, offset, global, Args::none(), suggested)
    }

    fn urKernelGetSuggestedLocalWorkSizeWithArgs<B>(
        kernel: KernelHandle, queue: QueueHandle, dimensions: u32, offset: *const usize, global: *const usize,
        count: u32, arguments: *const ExpKernelArgProperties, suggested: *mut usize,
    ) {
        let args = Args::new(count, arguments)?;
        args.check_chains("urKernelGetSuggestedLocalWorkSizeWithArgs")?;
        suggest::<B>(kernel, queue, dimensions, offset, global, args, suggested)
    }

    fn urKernelSetExecInfo<B>(
        kernel: KernelHandle, name: KernelExecInfo, size: usize, properties: *const KernelExecInfoProperties,
        value: *const c_void,
    ) {
        let kernel = object::<B::Kernel>(kernel)?;
        args::not_null(value)?;
        if let Some(properties) = properties.as_ref() {
            decode!("urKernelSetExecInfo", properties.pNext)?;
        }
        let wrong_size = || crate::error!(ERROR_INVALID_SIZE: "{name:?} does not have {size} bytes");
        let info = match name {
            KernelExecInfo::USM_INDIRECT_ACCESS if size == size_of::<Bool>() => {
                ExecInfo::UsmIndirectAccess(value.cast::<Bool>().read() != 0)
            }
            KernelExecInfo::USM_PTRS if size.is_multiple_of(size_of::<*mut c_void>()) => {
                ExecInfo::UsmPointers(args::slice(value.cast(), size / size_of::<*mut c_void>())?)
            }
            KernelExecInfo::CACHE_CONFIG if size == size_of::<KernelCacheConfig>() => {
                ExecInfo::CacheConfig(value.cast::<KernelCacheConfig>().read_unaligned())
            }
            KernelExecInfo::USM_INDIRECT_ACCESS | KernelExecInfo::USM_PTRS | KernelExecInfo::CACHE_CONFIG => {
                return Err(wrong_size());
            }
            _ => return Err(ResultCode::ERROR_INVALID_ENUMERATION.into()),
        };
        kernel.set_exec_info(info)
    }

    fn urKernelSetSpecializationConstants<B>(
        kernel: KernelHandle, count: u32, constants: *const SpecializationConstantInfo,
    ) {
        let kernel = object::<B::Kernel>(kernel)?;
        kernel.set_specialization_constants(&args::specialization_constants(constants, count)?)
    }

    fn urKernelSuggestMaxCooperativeGroupCount<B>(
        kernel: KernelHandle, device: DeviceHandle, dimensions: u32, local: *const usize, dynamic: usize, groups: *mut u32,
    ) {
        let kernel = object::<B::Kernel>(kernel)?;
        let device = object::<B::Device>(device)?;
        args::not_null(local)?;
        let out = args::out(groups)?;
        let local = args::slice(local, Range::dimensions(dimensions)?)?;
        out.write(kernel.max_cooperative_groups(&device, local, dynamic)?);
        Ok(())
    }
}

oxur_api::kernel_functions! { entry_points {} }
