// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Locks for libraries in processes that fork.
//!
//! A child of `fork` has its parent's memory and only the thread that forked. A lock that another thread held would
//! stay locked there forever, and its data might be inconsistent. All locks of this crate are free when the process
//! forks. So the child finds consistent data and may use it: run kernels, or free memory, as the interpreter of a
//! forked worker does.
//!
//! There is no list of locks. Each thread counts the locks that it holds. Before the process forks, no new locks are
//! granted and the fork waits for those that are held ([`section`]). So a lock costs only that count, and none can be
//! forgotten: the lints of the crates that use this one forbid other locks.
//!
//! A fork in another thread waits for threads that hold a lock or are in a section. So these must not wait for a thread
//! that may take a lock, and must not call the client.

mod bias;
mod gate;
mod sync;
mod turns;
#[cfg(miri)]
mod yielding;

pub use bias::this_thread;
pub use gate::{AtFork, Section, generation, is_inside, register, section, stop_for_good, watch};
pub use sync::{LazyLock, MappedMutexGuard, Mutex, MutexGuard, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use turns::{InTurn, InTurnAll, InTurnGuard, Turn, Turns};
