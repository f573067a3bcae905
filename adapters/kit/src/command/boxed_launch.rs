// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Launches in command lists, which are made of many: so they are small, and a thread uses their memory again.

use std::any::Any;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::thread::LocalKey;

use derive_where::derive_where;
use oxur_fork::OnceLock;
use smallvec::SmallVec;

use super::operands::{LaunchProperties, OwnedRange};
use crate::command_buffer::ArgRollback;
use crate::handle::Borrowed;
use crate::kernel::LateSnapshot;
use crate::recycle::recycle;
use crate::{Arg, Args, Backend, Kernel, Launch, OwnedLaunch, UrResult};

/// How many places of each kind a thread keeps.
const MOST: usize = 1024;

/// Empty places. They are of one type, because an adapter has one type of launches.
type Places = RefCell<Vec<Box<dyn Any>>>;

thread_local! {
    static PLACES: Places = const { RefCell::new(Vec::new()) };
    static PLAIN_PLACES: Places = const { RefCell::new(Vec::new()) };
}

/// A place that the thread has kept.
#[inline(always)]
fn take<T: 'static>(places: &'static LocalKey<Places>) -> Option<Box<T>> {
    let kept = places.try_with(|places| places.try_borrow_mut().ok()?.pop());
    kept.ok().flatten()?.downcast().ok()
}

/// Keeps an empty place. A thread that is ending has lost its list.
#[inline]
fn keep<T: 'static>(places: &'static LocalKey<Places>, place: Box<T>) {
    _ = places.try_with(|places| {
        if let Ok(mut places) = places.try_borrow_mut()
            && places.len() < MOST
        {
            places.push(place);
        }
    });
}

/// A launch in memory of its own.
pub struct BoxedLaunch<B: Backend>(Place<B>);

enum Place<B: Backend> {
    Plain(Box<PlainLaunch<B>>),
    Owned(Box<Option<OwnedLaunch<B>>>),
    /// At the end.
    None,
}

/// A launch that no update changes, that asks for nothing special and whose arguments are no objects. It is kept as the
/// client made it, without a snapshot of its kernel.
#[derive_where(Clone)]
pub struct PlainLaunch<B: Backend> {
    /// The client's kernel, and what makes a snapshot of it. `None` in a place that is empty.
    kernel: Option<(Arc<B::Kernel>, LateSnapshot<B>)>,
    range: OwnedRange,
    args: PlainArgs,
    /// The same with a snapshot, if anything has asked for it.
    owned: Late<B>,
}

/// A copy makes its own.
struct Late<B: Backend>(OnceLock<Box<OwnedLaunch<B>>>);

/// The arguments of a plain launch, all of them in order.
#[derive(Clone, Default)]
struct PlainArgs {
    /// Four bits for each: a number of bytes, or one of the constants below.
    kinds: u64,
    values: SmallVec<[[u8; 8]; 6]>,
}

const POINTER: u64 = 9;
const LOCAL: u64 = 10;
const BITS: usize = 4;

impl PlainArgs {
    /// Takes arguments; `None` if some are not plain.
    #[inline(always)]
    fn set<B: Backend>(&mut self, args: Args<'_, B>) -> Option<()> {
        self.kinds = 0;
        self.values.clear();
        // Not enumerated: the arguments then never get to memory.
        for arg in args.iter() {
            let place = self.values.len();
            let Ok(arg) = arg else { return None };
            if arg.index() as usize != place {
                return None;
            }
            let (kind, value) = match arg {
                // Numbers of the machine's stay in a register on their way.
                Arg::Value(_, bytes) => match *bytes {
                    [a, b, c, d] => (4, [a, b, c, d, 0, 0, 0, 0]),
                    [a, b, c, d, e, f, g, h] => (8, [a, b, c, d, e, f, g, h]),
                    _ => {
                        let mut value = [0; 8];
                        value.get_mut(..bytes.len())?.copy_from_slice(bytes);
                        (bytes.len() as u64, value)
                    }
                },
                Arg::Pointer(_, pointer) => (POINTER, pointer.expose_provenance().to_ne_bytes()),
                Arg::Local(_, size) => (LOCAL, size.to_ne_bytes()),
                Arg::Mem(..) | Arg::Sampler(..) => return None,
            };
            self.kinds |= kind << (BITS * place);
            self.values.push(value);
        }
        Some(())
    }

    fn iter<B: Backend>(&self) -> impl Iterator<Item = Arg<'_, B>> {
        let mut kinds = self.kinds;
        (0..).zip(&self.values).map(move |(index, value)| {
            let kind = kinds % (1 << BITS);
            kinds >>= BITS;
            match kind {
                POINTER => Arg::Pointer(index, std::ptr::with_exposed_provenance(usize::from_ne_bytes(*value))),
                LOCAL => Arg::Local(index, usize::from_ne_bytes(*value)),
                length => Arg::Value(index, &value[..length as usize]),
            }
        })
    }
}

impl<B: Backend> PlainLaunch<B> {
    /// The launch, if it is a plain one. It is written where it stays: to move it would cost as much.
    #[inline(always)]
    fn place(launch: &Launch<'_, B>) -> Option<Box<Self>> {
        let count = launch.args.len();
        if launch.kernel_alternatives.is_some()
            || !launch.properties.is_nothing()
            || count == 0
            || count > u64::BITS as usize / BITS
        {
            return None;
        }
        let snapshot = launch.kernel.late_snapshot()?;
        let mut place = take(&PLAIN_PLACES).unwrap_or_else(|| Box::new(Self::empty()));
        if place.args.set(launch.args).is_none() {
            keep(&PLAIN_PLACES, place);
            return None;
        }
        place.range = OwnedRange::new(&launch.range);
        place.kernel = Some((Arc::clone(&launch.kernel), snapshot));
        Some(place)
    }

    #[cold]
    fn empty() -> Self {
        Self {
            kernel: None,
            range: OwnedRange::default(),
            args: PlainArgs::default(),
            owned: Late::default(),
        }
    }

    /// The launch without its arguments.
    pub(super) fn outline(&self) -> Launch<'_, B> {
        Launch::plain(Borrowed::from(self.kernel()), self.range.range(), Args::none())
    }

    fn kept(&self) -> &(Arc<B::Kernel>, LateSnapshot<B>) {
        self.kernel.as_ref().expect("only an empty place has none")
    }

    /// The client's kernel.
    pub fn kernel(&self) -> &Arc<B::Kernel> {
        &self.kept().0
    }

    /// What the kernel had beside its arguments: see [`LateSnapshot`].
    pub fn state(&self) -> u32 {
        self.kept().1.state
    }

    /// Its index space.
    pub fn range(&self) -> &OwnedRange {
        &self.range
    }

    /// Its arguments.
    pub fn args(&self) -> impl Iterator<Item = Arg<'_, B>> {
        self.args.iter()
    }

    /// The same with a snapshot of the kernel.
    fn make_owned(&self) -> OwnedLaunch<B> {
        let (kernel, LateSnapshot { state, make }) = self.kept();
        let kernel = make(kernel, *state, &mut self.args());
        OwnedLaunch {
            kernel,
            range: self.range,
            properties: LaunchProperties::default(),
            kernel_alternatives: SmallVec::new(),
            chosen: 0,
            arg_rollback: ArgRollback::default(),
        }
    }
}

impl<B: Backend> BoxedLaunch<B> {
    /// Puts a launch there.
    pub(crate) fn new(launch: OwnedLaunch<B>) -> Self {
        let mut place = take::<Option<OwnedLaunch<B>>>(&PLACES).unwrap_or_default();
        *place = Some(launch);
        Self(Place::Owned(place))
    }

    /// The same for one of a client's call.
    #[inline(always)]
    pub(crate) fn of(launch: Launch<'_, B>) -> UrResult<Self> {
        match PlainLaunch::place(&launch) {
            Some(plain) => Ok(Self(Place::Plain(plain))),
            None => Ok(Self::new(launch.into_owned()?)),
        }
    }

    /// The launch, if it is a plain one.
    #[inline]
    pub fn plain(&self) -> Option<&PlainLaunch<B>> {
        match &self.0 {
            Place::Plain(plain) => Some(plain),
            _ => None,
        }
    }
}

impl<B: Backend> Deref for BoxedLaunch<B> {
    type Target = OwnedLaunch<B>;

    #[inline]
    fn deref(&self) -> &OwnedLaunch<B> {
        let launch = match &self.0 {
            Place::Owned(place) => (**place).as_ref(),
            Place::Plain(plain) => Some(&**plain.owned.0.get_or_init(|| Box::new(plain.make_owned()))),
            Place::None => None,
        };
        launch.expect("only the end takes it")
    }
}

impl<B: Backend> DerefMut for BoxedLaunch<B> {
    #[inline]
    fn deref_mut(&mut self) -> &mut OwnedLaunch<B> {
        if let Some(plain) = self.plain() {
            *self = Self::new(plain.make_owned());
        }
        match &mut self.0 {
            Place::Owned(place) => (**place).as_mut(),
            Place::Plain(_) | Place::None => None,
        }
        .expect("only the end takes it")
    }
}

impl<B: Backend> Clone for BoxedLaunch<B> {
    fn clone(&self) -> Self {
        match self.plain() {
            Some(plain) => Self(Place::Plain(Box::new(plain.clone()))),
            None => Self::new((**self).clone()),
        }
    }
}

impl<B: Backend> Drop for BoxedLaunch<B> {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.0, Place::None) {
            Place::Plain(mut place) => {
                place.kernel = None;
                place.owned = Late::default();
                keep(&PLAIN_PLACES, place);
            }
            Place::Owned(mut place) => {
                if let Some(OwnedLaunch { kernel, .. }) = place.take() {
                    // A snapshot, which most often nobody else has.
                    recycle(kernel);
                }
                keep(&PLACES, place);
            }
            Place::None => {}
        }
    }
}

impl<B: Backend> Default for Late<B> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<B: Backend> Clone for Late<B> {
    fn clone(&self) -> Self {
        Self::default()
    }
}
