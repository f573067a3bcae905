// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What brings the arguments of a launch back when an update of them fails.
//!
//! Drivers do not say what the arguments of a kernel are. So the first update that may fail halfway makes a snapshot of the
//! launch's kernel. Later updates only note what the snapshot has missed, and a failed one sets that in it and puts it in
//! the kernel's place.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::kernel::PlainArg;
use crate::{Arg, Args, Backend, Kernel, UrResult};

/// The arguments that a launch had after its last update.
pub(crate) struct ArgRollback<B: Backend>(Option<Box<Snapshot<B>>>);

struct Snapshot<B: Backend> {
    kernel: Arc<B::Kernel>,
    /// The arguments that were set since it was made, each once.
    missed: SmallVec<[(u32, PlainArg); 2]>,
}

impl<B: Backend> Default for ArgRollback<B> {
    fn default() -> Self {
        Self(None)
    }
}

/// A copy of a launch makes a snapshot of its own.
impl<B: Backend> Clone for ArgRollback<B> {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl<B: Backend> ArgRollback<B> {
    /// Whether there is no snapshot, which would have to know of all changes.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Prepares for arguments to be set in `kernel`, the launch's.
    pub(super) fn prepare(&mut self, kernel: &Arc<B::Kernel>) -> UrResult<()> {
        if self.0.is_none() {
            self.0 = Some(Box::new(Snapshot {
                kernel: kernel.snapshot(Args::none())?,
                missed: SmallVec::new(),
            }));
        }
        Ok(())
    }

    /// These arguments were set, and stay.
    pub(super) fn commit(&mut self, args: &[Arg<'_, B>]) {
        let Some(snapshot) = &mut self.0 else { return };
        for arg in args {
            let index = arg.index();
            let known = snapshot.missed.iter_mut().find(|(old, _)| *old == index);
            if known.is_some_and(|(_, known)| known.set(arg)) {
                continue;
            }
            match PlainArg::new(arg) {
                Some(new) => {
                    snapshot.missed.retain(|(old, _)| *old != index);
                    snapshot.missed.push((index, new));
                }
                // At once: the snapshot keeps the object that this one replaces, which the client may want to be gone.
                None => {
                    snapshot.missed.retain(|(old, _)| *old != index);
                    if snapshot.kernel.set_arg(arg.clone()).is_err() {
                        self.0 = None;
                        return;
                    }
                }
            }
        }
    }

    /// A kernel with the arguments of the last commit, once after each [`prepare`](Self::prepare).
    pub(super) fn roll_back(&mut self) -> Option<Arc<B::Kernel>> {
        let snapshot = self.0.take()?;
        for (index, missed) in &snapshot.missed {
            if let Err(error) = snapshot.kernel.set_arg(missed.arg(*index)) {
                log::error!("argument {index} of a launch is lost: {error}");
            }
        }
        Some(snapshot.kernel)
    }
}
