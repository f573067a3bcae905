// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Snapshots of a kernel that several launches share.
//!
//! A graph often launches a kernel with the same arguments again and again, or with some by turns. Where a driver takes long
//! to clone a kernel, and keeps much for each, such launches have one snapshot, as long as no update can change it.

use std::sync::{Arc, Weak};

use derive_where::derive_where;
use oxur_fork::Mutex;
use smallvec::SmallVec;

use super::PlainArg;
use crate::{Args, Backend, UrResult, usm_generation};

/// The snapshots of a kernel that were made last.
#[derive_where(Default)]
pub struct SnapshotCache<B: Backend>(Mutex<Recent<B>>);

/// How many are known: iterations that exchange buffers take turns with two.
const KNOWN: usize = 4;

#[derive_where(Default)]
struct Recent<B: Backend> {
    /// As it was when they were made: addresses may stand for other allocations since then.
    usm_generation: u64,
    known: SmallVec<[Known<B>; KNOWN]>,
    /// The one to replace.
    oldest: usize,
}

struct Known<B: Backend> {
    args: SmallVec<[PlainArg; 4]>,
    snapshot: Weak<B::Kernel>,
}

/// All arguments of a kernel that has so many, in order and without objects, which may be released.
fn plain_args<B: Backend>(args: Args<'_, B>, count: u32) -> Option<SmallVec<[PlainArg; 4]>> {
    if args.len() != count as usize {
        return None;
    }
    let plain = args.iter().zip(0..).map(|(arg, index)| {
        let arg = arg.ok().filter(|arg| arg.index() == index)?;
        PlainArg::new(&arg)
    });
    plain.collect()
}

impl<B: Backend> SnapshotCache<B> {
    /// The snapshot of a kernel of `count` arguments with these, which `make` makes if there is none yet.
    pub fn get_or_make(
        &self,
        args: Args<'_, B>,
        count: u32,
        make: impl FnOnce() -> UrResult<Arc<B::Kernel>>,
    ) -> UrResult<Arc<B::Kernel>> {
        let Some(args) = plain_args(args, count) else {
            return make();
        };
        let generation = usm_generation();
        let snapshot = |known: &Known<B>| (known.args == args).then(|| known.snapshot.upgrade())?;
        {
            let recent = self.0.lock();
            if recent.usm_generation == generation
                && let Some(snapshot) = recent.known.iter().find_map(snapshot)
            {
                return Ok(snapshot);
            }
        }
        let made = make()?;
        let mut recent = self.0.lock();
        if recent.usm_generation != generation {
            recent.usm_generation = generation;
            recent.known.clear();
            recent.oldest = 0;
        }
        let snapshot = Arc::downgrade(&made);
        let known = Known { args, snapshot };
        let Recent { known: all, oldest, .. } = &mut *recent;
        match all.get_mut(*oldest) {
            Some(place) => *place = known,
            None => all.push(known),
        }
        *oldest = (*oldest + 1) % KNOWN;
        Ok(made)
    }

    /// The kernel is not what it was apart from its arguments.
    pub fn clear(&self) {
        self.0.lock().known.clear();
    }
}
