// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Locks for libraries in processes that fork.
//!
//! A child of `fork` has its parent's memory and only the thread that forked. A lock that another thread held would stay
//! locked there for good, and what it guards might be half done. The locks of this crate are all free when the process
//! forks, so the child finds everything whole and may go on with it: run kernels, or free memory, as the interpreter of a
//! forked worker does.
//!
//! There is no list of locks. Each thread counts the locks that it holds; before the process forks, new ones are refused
//! and those that are held run out ([`section`]). So a lock costs nothing but that count, and none can be forgotten: the
//! lints of the crates that use this one allow no other locks.
//!
//! What follows for those who hold a lock or are in a section: a fork in another thread waits for them. So they must not
//! wait for a thread that may want to take a lock, and not call the client.

mod gate;
mod sync;

pub use gate::{AtFork, Section, generation, register, section, stop_for_good, watch};
pub use sync::{
    LazyLock, MappedMutexGuard, Mutex, MutexGuard, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard, Turn, Turns,
};
