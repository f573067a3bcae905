// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The arguments of a launch, in the layout that the kernel expects.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Weak};

use kit::ur::ResultCode;
use kit::{Arg, Args, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::{KernelInfo, Param, ParamKind};
use smallvec::SmallVec;

use crate::device::limits;
use crate::{Cpu, Mem, Sampler, opencl};

/// The unit of a block, aligned as most allocators and types are.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Line([u8; 16]);

const ZEROS: Line = Line([0; 16]);

/// The number of lines that a block has without an allocation. Few kernels need more.
const INLINE: usize = 16;

/// A block of arguments.
#[derive(Default)]
struct Block {
    lines: SmallVec<[Line; INLINE]>,
    /// Where the block begins, in lines. This is not 0 only for types with a larger alignment. Then the lines are
    /// allocated, so that they stay in place when the block moves.
    start: usize,
    len: usize,
    align: usize,
}

impl Clone for Block {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        self.clear(other.len, other.align);
        self.bytes_mut().copy_from_slice(other.bytes());
    }
}

impl Block {
    /// Makes it a block of `len` zeros that begins at a multiple of `align`.
    #[inline]
    fn clear(&mut self, len: usize, align: usize) {
        self.lines.clear();
        self.lines.resize(len.div_ceil(size_of::<Line>()), ZEROS);
        (self.start, self.len, self.align) = (0, len, align);
        if align > align_of::<Line>() {
            self.allocate();
        }
    }

    #[cold]
    fn allocate(&mut self) {
        let more = self.align / size_of::<Line>() - 1;
        let count = (self.lines.len() + more).max(INLINE + 1);
        self.lines.resize(count, ZEROS);
        self.start = self.lines.as_ptr().align_offset(self.align);
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        let lines = &self.lines[self.start..];
        debug_assert!(size_of_val(lines) >= self.len);
        // SAFETY: from `start` on there are as many lines as `len` bytes need; a line is bytes without padding.
        unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), self.len) }
    }

    #[inline]
    fn bytes_mut(&mut self) -> &mut [u8] {
        let lines = &mut self.lines[self.start..];
        // SAFETY: as in `bytes`, and nobody else has the block.
        unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), self.len) }
    }

    /// Writes the value of a parameter.
    #[inline]
    fn put(&mut self, param: &Param, value: &[u8]) {
        self.bytes_mut()[param.offset..][..value.len()].copy_from_slice(value);
    }
}

/// Numbers of parameters.
#[derive(Clone, Default)]
struct Indices(SmallVec<[u64; 2]>);

impl Indices {
    #[inline]
    fn clear(&mut self, count: usize) {
        self.0.clear();
        self.0.resize(count.div_ceil(64), 0);
    }

    #[inline]
    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// The first of `count` parameters that is not in the set.
    #[inline]
    fn missing(&self, count: usize) -> Option<usize> {
        let first = self.0.iter().position(|word| *word != u64::MAX)?;
        let index = first * 64 + self.0[first].trailing_ones() as usize;
        (index < count).then_some(index)
    }
}

/// An argument, apart from its bytes in the block.
enum Kept {
    Nothing,
    /// Local memory of this many bytes, whose offset is known only when all sizes are.
    Local(usize),
    /// An object that must live as long as the command.
    Mem(Arc<Mem>),
}

/// Writes an argument to the block, if it fits the parameter.
#[inline]
fn place(wants: &KernelInfo, arg: &Arg<'_, Cpu>, block: &mut Block) -> UrResult<(usize, Kept)> {
    let index = arg.index() as usize;
    let Some(param) = wants.params.get(index) else {
        return Err(no_param(wants, index));
    };
    let kept = match (param.kind, arg) {
        // SYCL passes native memory objects and samplers as values.
        (ParamKind::Pointer(_) | ParamKind::Image | ParamKind::Sampler, Arg::Value(_, bytes))
            if let Some(object) = native_object(bytes) =>
        {
            place_native(wants, index, object, block)?
        }
        (ParamKind::Value | ParamKind::Pointer(_), Arg::Value(_, bytes)) => {
            if bytes.len() != param.size {
                return Err(wrong_size(wants, index, bytes.len()));
            }
            block.put(param, bytes);
            Kept::Nothing
        }
        (ParamKind::Pointer(_), Arg::Pointer(_, pointer)) => {
            block.put(param, &(pointer.addr()).to_ne_bytes());
            Kept::Nothing
        }
        // To the compiler, a structure with an address as its only member is a value.
        (ParamKind::Value, Arg::Pointer(_, pointer)) if param.size == size_of::<usize>() => {
            block.put(param, &(pointer.addr()).to_ne_bytes());
            Kept::Nothing
        }
        (ParamKind::Pointer(_), Arg::Mem(_, Some(mem), _)) if mem.image().is_none() => {
            block.put(param, &(mem.data().addr()).to_ne_bytes());
            Kept::Mem(Arc::clone(mem))
        }
        (ParamKind::Pointer(_), Arg::Mem(_, None, _)) => {
            block.put(param, &0usize.to_ne_bytes());
            Kept::Nothing
        }
        (ParamKind::Image, Arg::Mem(_, Some(mem), _)) => {
            let Some(image) = mem.image() else {
                return Err(wrong_kind(wants, index, arg));
            };
            block.put(param, &(ptr::from_ref(image).addr()).to_ne_bytes());
            Kept::Mem(Arc::clone(mem))
        }
        (ParamKind::Local, Arg::Local(_, size)) => Kept::Local(*size),
        (ParamKind::Sampler, Arg::Sampler(_, sampler)) => {
            block.put(param, &u64::from(sampler.bits().0).to_ne_bytes());
            Kept::Nothing
        }
        _ => return Err(wrong_kind(wants, index, arg)),
    };
    Ok((index, kept))
}

/// Finds an object whose native handle is passed as a value.
enum NativeObject {
    Mem(Arc<Mem>),
    Sampler(Arc<Sampler>),
}

/// The object with the native handle in these bytes.
fn native_object(bytes: &[u8]) -> Option<NativeObject> {
    if !opencl::handle::are_there() {
        return None;
    }
    let handle = usize::from_ne_bytes(bytes.try_into().ok()?) as *mut c_void;
    let mem = opencl::handle::object(handle).map(NativeObject::Mem);
    mem.or_else(|_| opencl::handle::object(handle).map(NativeObject::Sampler))
        .ok()
}

/// Like [`place`], for a native object.
#[cold]
fn place_native(wants: &KernelInfo, index: usize, object: NativeObject, block: &mut Block) -> UrResult<Kept> {
    let param = &wants.params[index];
    let value = match (param.kind, &object) {
        (ParamKind::Pointer(_), NativeObject::Mem(mem)) if mem.image().is_none() => mem.data().addr() as u64,
        (ParamKind::Image, NativeObject::Mem(mem)) if let Some(image) = mem.image() => {
            ptr::from_ref(image).addr() as u64
        }
        (ParamKind::Sampler, NativeObject::Sampler(sampler)) => sampler.bits().0.into(),
        _ => {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE,
                format!("argument {index} of {} is a native object of another type", wants.name),
            ));
        }
    };
    block.put(param, &value.to_ne_bytes());
    Ok(match object {
        NativeObject::Mem(mem) => Kept::Mem(mem),
        NativeObject::Sampler(_) => Kept::Nothing,
    })
}

/// The arguments of a launch: a block of bytes, and the objects that must live as long as the command.
pub(crate) struct Packed {
    block: Block,
    local_memory: usize,
    mems: SmallVec<[Arc<Mem>; 2]>,
}

impl Packed {
    /// An empty one, for [`Kernel::pack`](super::Kernel::pack) to fill.
    pub(crate) fn new() -> Self {
        Self {
            block: Block::default(),
            local_memory: 0,
            mems: SmallVec::new(),
        }
    }

    /// The block, for [`oxur_compiler::Launch::args`].
    #[inline]
    pub(crate) fn block(&self) -> &[u8] {
        self.block.bytes()
    }

    /// How much local memory a work-group has, in bytes, for [`oxur_compiler::Launch::local_memory`].
    #[inline]
    pub(crate) fn local_memory(&self) -> usize {
        self.local_memory
    }

    /// Fills it with arguments, of which there must be one for each parameter.
    #[inline]
    pub(super) fn pack(&mut self, wants: &KernelInfo, args: Args<'_, Cpu>) -> UrResult<()> {
        self.mems.clear();
        self.block.clear(wants.args_size, wants.args_align);
        let mut set = Indices::default();
        set.clear(wants.params.len());
        let mut locals: SmallVec<[(usize, usize); 4]> = SmallVec::new();
        for arg in args.iter() {
            let (index, kept) = place(wants, &arg?, &mut self.block)?;
            set.insert(index);
            match kept {
                Kept::Nothing => {}
                Kept::Local(size) => locals.push((index, size)),
                Kept::Mem(mem) => self.mems.push(mem),
            }
        }
        match set.missing(wants.params.len()) {
            Some(index) => Err(not_set(wants, index)),
            None => self.place_local(wants, &locals),
        }
    }

    /// Sets arguments that the kernel has already taken. Returns false, and changes nothing, if that would change memory
    /// objects or the layout of local memory.
    #[inline]
    pub(crate) fn set(&mut self, wants: &KernelInfo, args: &[Arg<'_, Cpu>]) -> bool {
        let is_plain = |arg: &Arg<'_, Cpu>| match arg {
            Arg::Value(_, bytes) => native_object(bytes).is_none(),
            Arg::Pointer(..) => true,
            Arg::Mem(..) | Arg::Sampler(..) | Arg::Local(..) => false,
        };
        // Which parameter has which memory object is not known here.
        self.mems.is_empty()
            && args.iter().all(is_plain)
            && (args.iter()).all(|arg| place(wants, arg, &mut self.block).is_ok())
    }

    /// Parameters of local memory, with their sizes.
    #[inline]
    fn place_local(&mut self, wants: &KernelInfo, locals: &[(usize, usize)]) -> UrResult<()> {
        let mut params = locals.iter().map(|(index, _)| &wants.params[*index]);
        let block = &mut self.block;
        let placed = wants.place_local(locals.iter().map(|(_, size)| *size), |offset| {
            if let Some(param) = params.next() {
                block.put(param, &offset.to_ne_bytes());
            }
        });
        match placed {
            Some(bytes) if bytes <= limits::LOCAL_MEMORY => {
                self.local_memory = bytes;
                Ok(())
            }
            _ => Err(too_much_local(wants, placed)),
        }
    }
}

/// The arguments that were set one by one.
pub(super) struct Settings {
    block: Block,
    set: Indices,
    /// The sizes of local memory, by the number of the parameter.
    locals: Vec<(usize, usize)>,
    /// The objects, by the number of the parameter.
    mems: Vec<(usize, Held)>,
    keeps: bool,
}

/// An object among the arguments that were set. The client must keep it until the launch, so a kernel holds no
/// reference. The kernel arguments of command buffers do.
#[derive(Clone)]
enum Held {
    ByClient(Weak<Mem>),
    Here(Arc<Mem>),
}

impl Held {
    fn get(&self) -> Option<Arc<Mem>> {
        match self {
            Self::ByClient(mem) => mem.upgrade(),
            Self::Here(mem) => Some(mem.clone()),
        }
    }
}

impl Settings {
    /// None of a kernel's arguments.
    pub(super) fn new(wants: &KernelInfo) -> Self {
        let mut settings = Self {
            keeps: false,
            ..Self::kept()
        };
        settings.clear(wants);
        settings
    }

    /// Arguments without a kernel, which hold references to their objects.
    pub(super) fn kept() -> Self {
        Self {
            block: Block::default(),
            set: Indices::default(),
            locals: Vec::new(),
            mems: Vec::new(),
            keeps: true,
        }
    }

    /// Changes arguments without a kernel into those of a kernel.
    pub(super) fn clear(&mut self, wants: &KernelInfo) {
        self.block.clear(wants.args_size, wants.args_align);
        self.set.clear(wants.params.len());
    }

    /// Copies arguments, with references to their objects.
    pub(super) fn copy(&mut self, wants: &KernelInfo, other: &Self) -> UrResult<()> {
        let keep = |(index, mem): &(usize, Held)| {
            let mem = mem.get().ok_or_else(|| gone(wants, *index))?;
            Ok((*index, Held::Here(mem)))
        };
        self.block.clone_from(&other.block);
        self.set.clone_from(&other.set);
        self.locals.clone_from(&other.locals);
        self.mems = other.mems.iter().map(keep).collect::<UrResult<_>>()?;
        Ok(())
    }

    /// Sets one of them.
    pub(super) fn set(&mut self, wants: &KernelInfo, arg: &Arg<'_, Cpu>) -> UrResult<()> {
        let (index, kept) = place(wants, arg, &mut self.block)?;
        self.set.insert(index);
        self.locals.retain(|(known, _)| *known != index);
        self.mems.retain(|(known, _)| *known != index);
        match kept {
            Kept::Nothing => {}
            Kept::Local(size) => self.locals.push((index, size)),
            Kept::Mem(mem) if self.keeps => self.mems.push((index, Held::Here(mem))),
            Kept::Mem(mem) => self.mems.push((index, Held::ByClient(Arc::downgrade(&mem)))),
        }
        Ok(())
    }

    /// Copies the arguments for a launch.
    pub(super) fn pack(&self, wants: &KernelInfo, into: &mut Packed) -> UrResult<()> {
        if let Some(index) = self.set.missing(wants.params.len()) {
            return Err(not_set(wants, index));
        }
        into.block.clone_from(&self.block);
        into.mems.clear();
        for (index, mem) in &self.mems {
            into.mems.push(mem.get().ok_or_else(|| gone(wants, *index))?);
        }
        into.place_local(wants, &self.locals)
    }
}

/// A parameter, for a message.
fn name(wants: &KernelInfo, index: usize) -> String {
    match wants.params.get(index).map(|param| &*param.name) {
        Some("") | None => format!("argument {index} of the kernel {}", wants.name),
        Some(name) => format!("argument {index} ({name}) of the kernel {}", wants.name),
    }
}

#[cold]
fn no_param(wants: &KernelInfo, index: usize) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
        format!(
            "there is no argument {index}: the kernel {} has {} of them",
            wants.name,
            wants.params.len()
        ),
    )
}

#[cold]
fn wrong_size(wants: &KernelInfo, index: usize, size: usize) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
        format!(
            "{} has {} bytes, and {size} were given",
            name(wants, index),
            wants.params[index].size
        ),
    )
}

#[cold]
fn wrong_kind(wants: &KernelInfo, index: usize, arg: &Arg<'_, Cpu>) -> UrError {
    let given = match arg {
        Arg::Value(..) => "a value",
        Arg::Pointer(..) => "an address",
        Arg::Mem(_, Some(mem), _) if mem.image().is_some() => "an image",
        Arg::Mem(_, Some(_), _) => "a buffer",
        Arg::Mem(_, None, _) => "no memory object",
        Arg::Local(..) => "local memory",
        Arg::Sampler(..) => "a sampler",
    };
    let wanted = match wants.params[index].kind {
        ParamKind::Value => "a value",
        ParamKind::Pointer(_) => "an address or a buffer",
        ParamKind::Local => "local memory",
        ParamKind::Image => "an image",
        ParamKind::Sampler => "a sampler",
    };
    UrError::with_message(
        ResultCode::ERROR_INVALID_KERNEL_ARGS,
        format!("{} is {wanted}, and {given} was given", name(wants, index)),
    )
}

#[cold]
fn not_set(wants: &KernelInfo, index: usize) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_KERNEL_ARGS,
        format!("{} was not given", name(wants, index)),
    )
}

#[cold]
fn gone(wants: &KernelInfo, index: usize) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_MEM_OBJECT,
        format!("{} was released before the launch", name(wants, index)),
    )
}

#[cold]
fn too_much_local(wants: &KernelInfo, bytes: Option<usize>) -> UrError {
    let bytes = bytes.map_or("more than all".to_owned(), |bytes| bytes.to_string());
    UrError::with_message(
        ResultCode::ERROR_OUT_OF_RESOURCES,
        format!(
            "a work-group has {} bytes of local memory at most, and the kernel {} wants {bytes}",
            limits::LOCAL_MEMORY,
            wants.name
        ),
    )
}

#[cfg(test)]
mod tests {
    use oxur_compiler::AddressSpace;

    use super::*;

    fn param(kind: ParamKind, size: usize, offset: usize) -> Param {
        Param {
            kind,
            size,
            offset,
            name: String::new(),
        }
    }

    /// A kernel of an int, a pointer, and two pieces of local memory.
    fn wants() -> KernelInfo {
        KernelInfo {
            name: "kernel".to_owned(),
            params: vec![
                param(ParamKind::Value, 4, 0),
                param(ParamKind::Pointer(AddressSpace::Global), 8, 8),
                param(ParamKind::Local, 8, 16),
                param(ParamKind::Local, 8, 24),
            ],
            args_size: 32,
            args_align: 8,
            local_memory: 100,
            ..KernelInfo::default()
        }
    }

    fn code(result: UrResult<()>) -> Result<(), ResultCode> {
        result.map_err(|error| error.code())
    }

    #[test]
    fn set_one_by_one() {
        let wants = wants();
        let mut settings = Settings::new(&wants);
        let mut packed = Packed::new();
        let somewhere = 0x1234_5678usize as *const std::ffi::c_void;
        let args = [
            Arg::Local(3, 10),
            Arg::Value(0, &[1, 2, 3, 4]),
            Arg::Pointer(1, somewhere),
            Arg::Local(2, 300),
        ];
        for arg in &args {
            assert_eq!(
                code(settings.pack(&wants, &mut packed)),
                Err(ResultCode::ERROR_INVALID_KERNEL_ARGS)
            );
            settings.set(&wants, arg).unwrap();
        }
        settings.set(&wants, &Arg::Local(3, 20)).unwrap();
        settings.pack(&wants, &mut packed).unwrap();
        let number = |offset: usize| u64::from_ne_bytes(packed.block()[offset..offset + 8].try_into().unwrap());
        assert_eq!(packed.block().len(), 32);
        assert!(packed.block().as_ptr().addr().is_multiple_of(16));
        assert_eq!(packed.block()[..4], [1, 2, 3, 4]);
        assert_eq!(number(8), 0x1234_5678);
        // After the kernel's own 100 bytes, in the order in which they were set.
        assert_eq!((number(16), number(24)), (128, 512));
        assert_eq!(packed.local_memory(), 532);
    }

    #[test]
    fn aligned() {
        for (len, align) in [(8, 8), (200, 16), (300, 16), (64, 64), (256, 128), (1000, 128), (0, 0)] {
            let mut block = Block::default();
            block.clear(len, align);
            block
                .bytes_mut()
                .iter_mut()
                .zip(1..)
                .for_each(|(byte, i)| *byte = i as u8);
            let moved = [block];
            let copies = [moved[0].clone(), moved[0].clone()];
            for block in moved.iter().chain(&copies) {
                assert!(align == 0 || block.bytes().as_ptr().addr().is_multiple_of(align));
                assert!(block.bytes().iter().zip(1..).all(|(byte, i)| *byte == i as u8));
                assert_eq!(block.bytes().len(), len);
            }
        }
    }

    #[test]
    fn refused() {
        let wants = wants();
        let mut settings = Settings::new(&wants);
        let mut set = |arg| code(settings.set(&wants, &arg));
        let index = Err(ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
        assert_eq!(set(Arg::Local(4, 1)), index);
        assert_eq!(set(Arg::Value(u32::MAX, &[])), index);
        let size = Err(ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
        assert_eq!(set(Arg::Value(0, &[0; 8])), size);
        assert_eq!(set(Arg::Value(1, &[0; 4])), size);
        let kind = Err(ResultCode::ERROR_INVALID_KERNEL_ARGS);
        assert_eq!(set(Arg::Pointer(0, ptr::null())), kind);
        assert_eq!(set(Arg::Local(1, 64)), kind);
        assert_eq!(set(Arg::Value(2, &[0; 8])), kind);
    }

    #[test]
    fn local_memory_has_an_end() {
        let wants = wants();
        for size in [limits::LOCAL_MEMORY, usize::MAX - 200, usize::MAX] {
            let mut settings = Settings::new(&wants);
            for arg in [
                Arg::Value(0, &[0; 4][..]),
                Arg::Pointer(1, ptr::null()),
                Arg::Local(2, 1),
                Arg::Local(3, size),
            ] {
                settings.set(&wants, &arg).unwrap();
            }
            let refused = code(settings.pack(&wants, &mut Packed::new()));
            assert_eq!(refused, Err(ResultCode::ERROR_OUT_OF_RESOURCES), "{size}");
        }
    }

    #[test]
    fn many_parameters() {
        let wants = KernelInfo {
            params: (0..134).map(|i| param(ParamKind::Value, 8, i * 8)).collect(),
            args_size: 134 * 8,
            args_align: 8,
            ..KernelInfo::default()
        };
        let mut settings = Settings::new(&wants);
        let mut packed = Packed::new();
        for index in (0..134u32).rev() {
            assert!(settings.pack(&wants, &mut packed).is_err());
            settings.set(&wants, &Arg::Value(index, &[index as u8; 8])).unwrap();
        }
        settings.pack(&wants, &mut packed).unwrap();
        assert!(
            packed
                .block()
                .chunks(8)
                .zip(0u8..)
                .all(|(bytes, index)| bytes == [index; 8])
        );
    }
}
