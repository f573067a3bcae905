// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The arguments of a launch, in the layout that the kernel expects.

use std::ptr;
use std::sync::{Arc, Weak};

use oxur_compiler::{Image, KernelInfo, Param, ParamKind, SamplerBits};
use smallvec::SmallVec;

use crate::limits;

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
        if other.align <= align_of::<Line>() {
            self.lines.clear();
            self.lines.extend_from_slice(&other.lines);
            (self.start, self.len, self.align) = (0, other.len, other.align);
        } else {
            self.clear(other.len, other.align);
            self.bytes_mut().copy_from_slice(other.bytes());
        }
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
        let place = &mut self.bytes_mut()[param.offset..][..value.len()];
        // Most values have one of these sizes, for which a copy needs no call.
        match value.len() {
            4 => place[..4].copy_from_slice(&value[..4]),
            8 => place[..8].copy_from_slice(&value[..8]),
            _ => place.copy_from_slice(value),
        }
    }
}

/// Numbers of parameters.
#[derive(Clone, Default)]
struct Indices(SmallVec<[u64; 2]>);

impl Indices {
    /// Whether it has had no [`clear`](Self::clear), or one for no parameters.
    #[inline]
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

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
        let first = self.0.iter().take_while(|word| **word == u64::MAX).count();
        let index = first * 64 + self.0.get(first).map_or(0, |word| word.trailing_ones() as usize);
        (index < count).then_some(index)
    }
}

/// An argument for a parameter. `M` are the client's memory objects.
pub enum ArgValue<'a, M> {
    /// The bytes of a value. For a pointer these are an address.
    Value(&'a [u8]),
    /// An address.
    Pointer(usize),
    /// No memory object: a null pointer.
    Null,
    /// The address of a buffer's memory, and the buffer.
    Buffer(usize, &'a Arc<M>),
    /// The descriptor of an image, and the object that has it.
    Image(&'a Image, &'a Arc<M>),
    /// A sampler.
    Sampler(SamplerBits),
    /// Local memory of this many bytes.
    Local(usize),
}

impl<M> ArgValue<'_, M> {
    /// What it is, for a message.
    fn kind(&self) -> &'static str {
        match self {
            Self::Value(_) => "a value",
            Self::Pointer(_) => "an address",
            Self::Null => "no memory object",
            Self::Buffer(..) => "a buffer",
            Self::Image(..) => "an image",
            Self::Sampler(_) => "a sampler",
            Self::Local(_) => "local memory",
        }
    }
}

/// What is wrong with an argument, or with all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgError {
    /// The kernel has no parameter of this number.
    NoParam(usize),
    /// The value has this many bytes, which is not the size of the parameter.
    WrongSize(usize, usize),
    /// The parameter takes something else than what was given.
    WrongKind(usize, &'static str),
    /// There is no argument for the parameter.
    NotSet(usize),
    /// The memory object was destroyed before the launch.
    Gone(usize),
    /// All local memory together has this many bytes, or too many to count.
    TooMuchLocal(Option<usize>),
}

impl ArgError {
    /// A message about an argument of a kernel.
    pub fn describe(&self, info: &KernelInfo) -> String {
        let name = |index: usize| match info.params.get(index).map(|param| &*param.name) {
            Some("") | None => format!("argument {index} of the kernel {}", info.name),
            Some(name) => format!("argument {index} ({name}) of the kernel {}", info.name),
        };
        match *self {
            Self::NoParam(index) => format!(
                "there is no argument {index}: the kernel {} has {} of them",
                info.name,
                info.params.len()
            ),
            Self::WrongSize(index, given) => format!(
                "{} has {} bytes, and {given} were given",
                name(index),
                info.params[index].size
            ),
            Self::WrongKind(index, given) => {
                let wanted = match info.params[index].kind {
                    ParamKind::Value => "a value",
                    ParamKind::Pointer(_) => "an address or a buffer",
                    ParamKind::Local => "local memory",
                    ParamKind::Image => "an image",
                    ParamKind::Sampler => "a sampler",
                };
                format!("{} is {wanted}, and {given} was given", name(index))
            }
            Self::NotSet(index) => format!("{} was not given", name(index)),
            Self::Gone(index) => format!("{} was released before the launch", name(index)),
            Self::TooMuchLocal(bytes) => format!(
                "a work-group has {} bytes of local memory at most, and the kernel {} wants {}",
                limits::LOCAL_MEMORY,
                info.name,
                bytes.map_or("more than all".to_owned(), |bytes| bytes.to_string())
            ),
        }
    }
}

/// An argument, apart from its bytes in the block.
enum Kept<'a, M> {
    Nothing,
    /// Local memory of this many bytes, whose offset is known only when all sizes are.
    Local(usize),
    /// An object that must live as long as the command.
    Object(&'a Arc<M>),
}

/// Writes an argument to the block, if it fits the parameter.
#[inline]
fn place<'a, M>(
    info: &KernelInfo,
    index: usize,
    arg: ArgValue<'a, M>,
    block: &mut Block,
) -> Result<Kept<'a, M>, ArgError> {
    let Some(param) = info.params.get(index) else {
        return Err(ArgError::NoParam(index));
    };
    let kept = match (param.kind, arg) {
        (ParamKind::Value | ParamKind::Pointer(_), ArgValue::Value(bytes)) => {
            if bytes.len() != param.size {
                return Err(ArgError::WrongSize(index, bytes.len()));
            }
            block.put(param, bytes);
            Kept::Nothing
        }
        (ParamKind::Pointer(_), ArgValue::Pointer(address)) => {
            block.put(param, &address.to_ne_bytes());
            Kept::Nothing
        }
        // To the compiler, a structure with an address as its only member is a value.
        (ParamKind::Value, ArgValue::Pointer(address)) if param.size == size_of::<usize>() => {
            block.put(param, &address.to_ne_bytes());
            Kept::Nothing
        }
        (ParamKind::Pointer(_), ArgValue::Null) => {
            block.put(param, &0usize.to_ne_bytes());
            Kept::Nothing
        }
        (ParamKind::Pointer(_), ArgValue::Buffer(address, owner)) => {
            block.put(param, &address.to_ne_bytes());
            Kept::Object(owner)
        }
        (ParamKind::Image, ArgValue::Image(image, owner)) => {
            block.put(param, &(ptr::from_ref(image).addr()).to_ne_bytes());
            Kept::Object(owner)
        }
        (ParamKind::Local, ArgValue::Local(size)) => Kept::Local(size),
        (ParamKind::Sampler, ArgValue::Sampler(bits)) => {
            block.put(param, &u64::from(bits.0).to_ne_bytes());
            Kept::Nothing
        }
        (_, arg) => return Err(ArgError::WrongKind(index, arg.kind())),
    };
    Ok(kept)
}

/// The arguments of a launch: a block of bytes, and the objects that must live as long as the command.
pub struct Packed<M> {
    block: Block,
    local_memory: usize,
    objects: SmallVec<[Arc<M>; 2]>,
}

impl<M> Default for Packed<M> {
    fn default() -> Self {
        Self {
            block: Block::default(),
            local_memory: 0,
            objects: SmallVec::new(),
        }
    }
}

impl<M> Packed<M> {
    /// The block, for [`oxur_compiler::Launch::args`].
    #[inline]
    pub fn block(&self) -> &[u8] {
        self.block.bytes()
    }

    /// How much local memory a work-group has, in bytes, for [`oxur_compiler::Launch::local_memory`].
    #[inline]
    pub fn local_memory(&self) -> usize {
        self.local_memory
    }

    /// Replaces what it has by the arguments that `put_all` puts, of which there must be one for each parameter. `to_error` is
    /// for the error if one is missing.
    #[inline(always)]
    pub fn pack<E>(
        &mut self,
        info: &KernelInfo,
        put_all: impl FnOnce(&mut Packing<'_, M>) -> Result<(), E>,
        to_error: impl FnOnce(&ArgError) -> E,
    ) -> Result<(), E> {
        self.objects.clear();
        self.block.clear(info.args_size, info.args_align);
        let mut packing = Packing {
            packed: self,
            info,
            in_order: 0,
            others: Indices::default(),
            locals: SmallVec::new(),
        };
        put_all(&mut packing)?;
        packing.finish().map_err(|error| to_error(&error))
    }

    /// Whether [`set`](Self::set) can change arguments: which parameter has which memory object is not known here.
    #[inline]
    pub fn has_no_objects(&self) -> bool {
        self.objects.is_empty()
    }

    /// Sets an argument that the kernel has already taken: a value or an address. It may [have no
    /// objects](Self::has_no_objects).
    #[inline]
    pub fn set(&mut self, info: &KernelInfo, index: usize, arg: ArgValue<'_, M>) -> Result<(), ArgError> {
        debug_assert!(matches!(arg, ArgValue::Value(_) | ArgValue::Pointer(_)));
        place(info, index, arg, &mut self.block).map(drop)
    }

    /// Parameters of local memory, with their sizes, in the order of the kernel's.
    #[inline]
    fn place_local(&mut self, info: &KernelInfo, locals: &[(usize, usize)]) -> Result<(), ArgError> {
        let mut params = locals.iter().map(|(index, _)| &info.params[*index]);
        let block = &mut self.block;
        let placed = info.place_local(locals.iter().map(|(_, size)| *size), |offset| {
            if let Some(param) = params.next() {
                block.put(param, &offset.to_ne_bytes());
            }
        });
        match placed {
            Some(bytes) if bytes <= limits::LOCAL_MEMORY => {
                self.local_memory = bytes;
                Ok(())
            }
            _ => Err(ArgError::TooMuchLocal(placed)),
        }
    }
}

/// Arguments that are being packed.
pub struct Packing<'a, M> {
    packed: &'a mut Packed<M>,
    info: &'a KernelInfo,
    /// So many parameters, from the first on, have an argument. Clients pass arguments in order.
    in_order: usize,
    /// Those that came in another order. Empty if there was none.
    others: Indices,
    /// Parameters of local memory, with their sizes.
    locals: Locals,
}

/// Parameters of local memory, with their sizes, in the order of the kernel's: code knows where the first one is.
type Locals = SmallVec<[(usize, usize); 4]>;

#[inline]
fn insert(locals: &mut Locals, index: usize, size: usize) {
    // Clients mostly pass arguments in order.
    if locals.last().is_some_and(|(last, _)| *last >= index) {
        locals.retain(|(known, _)| *known != index);
    }
    let at = locals.partition_point(|(known, _)| *known < index);
    locals.insert(at, (index, size));
}

impl<M> Packing<'_, M> {
    /// Packs an argument.
    #[inline(always)]
    pub fn put(&mut self, index: usize, arg: ArgValue<'_, M>) -> Result<(), ArgError> {
        let kept = place(self.info, index, arg, &mut self.packed.block)?;
        if index == self.in_order {
            self.in_order += 1;
        } else {
            self.put_out_of_order(index);
        }
        match kept {
            Kept::Nothing => {}
            Kept::Local(size) => insert(&mut self.locals, index, size),
            Kept::Object(object) => self.packed.objects.push(object.clone()),
        }
        Ok(())
    }

    #[inline(never)]
    fn put_out_of_order(&mut self, index: usize) {
        if self.others.is_empty() {
            self.others.clear(self.info.params.len());
        }
        self.others.insert(index);
    }

    /// Checks that there is an argument for each parameter.
    #[inline(always)]
    fn finish(&mut self) -> Result<(), ArgError> {
        if self.in_order != self.info.params.len() {
            self.finish_out_of_order()?;
        }
        self.packed.place_local(self.info, &self.locals)
    }

    #[inline(never)]
    fn finish_out_of_order(&mut self) -> Result<(), ArgError> {
        for index in 0..self.in_order {
            self.put_out_of_order(index);
        }
        match self.others.missing(self.info.params.len()) {
            Some(index) => Err(ArgError::NotSet(index)),
            None => Ok(()),
        }
    }
}

/// The arguments that were set one by one.
pub struct Settings<M> {
    block: Block,
    set: Indices,
    /// The sizes of local memory, by the number of the parameter.
    locals: Locals,
    /// The objects, by the number of the parameter.
    objects: Vec<(usize, Held<M>)>,
    keeps: bool,
}

/// An object among the arguments that were set. The client must keep it until the launch, so a kernel holds no
/// reference. The kernel arguments of command buffers do.
enum Held<M> {
    ByClient(Weak<M>),
    Here(Arc<M>),
}

impl<M> Held<M> {
    fn get(&self) -> Option<Arc<M>> {
        match self {
            Self::ByClient(object) => object.upgrade(),
            Self::Here(object) => Some(object.clone()),
        }
    }
}

impl<M> Settings<M> {
    /// None of a kernel's arguments.
    pub fn new(info: &KernelInfo) -> Self {
        let mut settings = Self {
            keeps: false,
            ..Self::kept()
        };
        settings.clear(info);
        settings
    }

    /// Arguments without a kernel, which hold references to their objects.
    pub fn kept() -> Self {
        Self {
            block: Block::default(),
            set: Indices::default(),
            locals: Locals::new(),
            objects: Vec::new(),
            keeps: true,
        }
    }

    /// Changes arguments without a kernel into those of a kernel.
    pub fn clear(&mut self, info: &KernelInfo) {
        self.block.clear(info.args_size, info.args_align);
        self.set.clear(info.params.len());
    }

    /// Copies arguments, with references to their objects.
    pub fn copy(&mut self, other: &Self) -> Result<(), ArgError> {
        let keep = |(index, object): &(usize, Held<M>)| {
            let object = object.get().ok_or(ArgError::Gone(*index))?;
            Ok((*index, Held::Here(object)))
        };
        self.block.clone_from(&other.block);
        self.set.clone_from(&other.set);
        self.locals.clone_from(&other.locals);
        self.objects = other.objects.iter().map(keep).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Sets one of them.
    pub fn set(&mut self, info: &KernelInfo, index: usize, arg: ArgValue<'_, M>) -> Result<(), ArgError> {
        let kept = place(info, index, arg, &mut self.block)?;
        self.set.insert(index);
        self.objects.retain(|(known, _)| *known != index);
        match kept {
            Kept::Nothing => {}
            Kept::Local(size) => insert(&mut self.locals, index, size),
            Kept::Object(object) if self.keeps => self.objects.push((index, Held::Here(object.clone()))),
            Kept::Object(object) => self.objects.push((index, Held::ByClient(Arc::downgrade(object)))),
        }
        Ok(())
    }

    /// Copies the arguments for a launch.
    pub fn pack(&self, info: &KernelInfo, into: &mut Packed<M>) -> Result<(), ArgError> {
        if let Some(index) = self.set.missing(info.params.len()) {
            return Err(ArgError::NotSet(index));
        }
        into.block.clone_from(&self.block);
        into.objects.clear();
        for (index, object) in &self.objects {
            into.objects.push(object.get().ok_or(ArgError::Gone(*index))?);
        }
        into.place_local(info, &self.locals)
    }
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
    fn info() -> KernelInfo {
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

    type Arg<'a> = ArgValue<'a, ()>;

    #[test]
    fn set_one_by_one() {
        let info = info();
        let mut settings = Settings::new(&info);
        let mut packed = Packed::default();
        let args = [
            (3, Arg::Local(20)),
            (0, Arg::Value(&[1, 2, 3, 4])),
            (1, Arg::Pointer(0x1234_5678)),
            (2, Arg::Local(10)),
        ];
        for (missing, (index, arg)) in [0, 0, 1, 2].into_iter().zip(args) {
            assert_eq!(settings.pack(&info, &mut packed), Err(ArgError::NotSet(missing)));
            settings.set(&info, index, arg).unwrap();
        }
        settings.set(&info, 2, Arg::Local(300)).unwrap();
        settings.pack(&info, &mut packed).unwrap();
        let number = |offset: usize| u64::from_ne_bytes(packed.block()[offset..offset + 8].try_into().unwrap());
        assert_eq!(packed.block().len(), 32);
        assert!(packed.block().as_ptr().addr().is_multiple_of(16));
        assert_eq!(packed.block()[..4], [1, 2, 3, 4]);
        assert_eq!(number(8), 0x1234_5678);
        // After the kernel's own 100 bytes, in the order of the parameters.
        assert_eq!((number(16), number(24)), (128, 512));
        assert_eq!(packed.local_memory(), 532);
    }

    /// All arguments of kernels with up to 130 parameters, in order, backwards, some twice, and with one missing.
    #[test]
    fn packed_in_any_order() {
        for count in [0, 1, 2, 63, 64, 65, 130] {
            let info = KernelInfo {
                params: (0..count).map(|i| param(ParamKind::Value, 4, 4 * i)).collect(),
                args_size: 4 * count,
                args_align: 4,
                ..KernelInfo::default()
            };
            let pack = |order: &[usize]| {
                let mut packed = Packed::<()>::default();
                let put_all = |packing: &mut Packing<'_, ()>| {
                    order.iter().try_for_each(|index| {
                        let value = (*index as u32 + 7).to_ne_bytes();
                        packing.put(*index, Arg::Value(&value))
                    })
                };
                packed
                    .pack(&info, put_all, Clone::clone)
                    .map(|()| packed.block().to_vec())
            };
            let in_order: Vec<usize> = (0..count).collect();
            let expected: Vec<u8> = (0..count as u32).flat_map(|i| (i + 7).to_ne_bytes()).collect();
            assert_eq!(pack(&in_order).as_ref(), Ok(&expected));
            let backwards: Vec<usize> = (0..count).rev().collect();
            assert_eq!(pack(&backwards).as_ref(), Ok(&expected));
            let twice: Vec<usize> = in_order.iter().chain(&backwards).copied().collect();
            assert_eq!(pack(&twice).as_ref(), Ok(&expected));
            for missing in 0..count {
                for order in [&in_order, &backwards, &twice] {
                    let order: Vec<usize> = order.iter().copied().filter(|index| *index != missing).collect();
                    assert_eq!(pack(&order), Err(ArgError::NotSet(missing)));
                }
            }
            assert_eq!(pack(&[count]), Err(ArgError::NoParam(count)));
        }
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
        let info = info();
        let mut settings = Settings::new(&info);
        let mut set = |index, arg: Arg<'_>| settings.set(&info, index, arg);
        assert_eq!(set(4, Arg::Local(1)), Err(ArgError::NoParam(4)));
        assert_eq!(set(usize::MAX, Arg::Value(&[])), Err(ArgError::NoParam(usize::MAX)));
        assert_eq!(set(0, Arg::Value(&[0; 8])), Err(ArgError::WrongSize(0, 8)));
        assert_eq!(set(1, Arg::Value(&[0; 4])), Err(ArgError::WrongSize(1, 4)));
        for (index, wrong) in [
            (0, Arg::Pointer(0)),
            (1, Arg::Local(64)),
            (2, Arg::Value(&[0; 8])),
            (1, Arg::Sampler(SamplerBits(0))),
        ] {
            let refused = set(index, wrong).unwrap_err();
            assert!(matches!(refused, ArgError::WrongKind(at, _) if at == index));
            let words = refused.describe(&info);
            assert!(
                words.contains(&format!("argument {index} of the kernel kernel is ")),
                "{words}"
            );
        }
    }

    #[test]
    fn local_memory_has_an_end() {
        let info = info();
        for size in [limits::LOCAL_MEMORY, usize::MAX - 200, usize::MAX] {
            let mut settings = Settings::new(&info);
            let args = [
                Arg::Value(&[0; 4][..]),
                Arg::Pointer(0),
                Arg::Local(1),
                Arg::Local(size),
            ];
            for (index, arg) in args.into_iter().enumerate() {
                settings.set(&info, index, arg).unwrap();
            }
            let refused = settings.pack(&info, &mut Packed::default());
            assert!(matches!(refused, Err(ArgError::TooMuchLocal(_))), "{size}");
        }
    }

    #[test]
    fn many_parameters() {
        let info = KernelInfo {
            params: (0..134).map(|i| param(ParamKind::Value, 8, i * 8)).collect(),
            args_size: 134 * 8,
            args_align: 8,
            ..KernelInfo::default()
        };
        let mut settings = Settings::new(&info);
        let mut packed = Packed::default();
        for index in (0..134).rev() {
            assert!(settings.pack(&info, &mut packed).is_err());
            settings.set(&info, index, Arg::Value(&[index as u8; 8])).unwrap();
        }
        settings.pack(&info, &mut packed).unwrap();
        assert!(
            packed
                .block()
                .chunks(8)
                .zip(0u8..)
                .all(|(bytes, index)| bytes == [index; 8])
        );
    }
}
