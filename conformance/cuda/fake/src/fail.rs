// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions that fail when they are told to, and what there is: for tests of what a client does with errors.
//!
//! `FAKE_CUDA_FAIL=NAME[:N[:CODE]]` has the N-th call of a function return a result without doing anything: by default the
//! first, and `CUDA_ERROR_UNKNOWN`. Several have commas between them.

use std::ffi::c_int;
use std::fmt::Write as _;
use std::sync::Once;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU64, Ordering};

use oxur_cuda_sys::*;

/// The calls of a function.
pub struct Calls {
    name: &'static str,
    count: AtomicU64,
    /// The number of the call that fails, or 0.
    fails: AtomicU64,
    code: AtomicI32,
    failed: AtomicU64,
}

impl Calls {
    pub const fn of(name: &'static str) -> Self {
        Self {
            name,
            count: AtomicU64::new(0),
            fails: AtomicU64::new(0),
            code: AtomicI32::new(0),
            failed: AtomicU64::new(0),
        }
    }

    /// Counts one, which is to fail if there is a result.
    pub fn next(&self) -> Option<CUresult> {
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let fails = self.fails.load(Ordering::Acquire) == number;
        fails.then(|| {
            self.failed.fetch_add(1, Ordering::Relaxed);
            CUresult(self.code.load(Ordering::Relaxed))
        })
    }

    /// Has a call fail.
    fn fail(&self, number: u64, code: CUresult) {
        self.code.store(code.0, Ordering::Relaxed);
        self.fails.store(number, Ordering::Release);
    }
}

/// The calls of a function by its name.
fn calls(name: &str) -> Option<&'static Calls> {
    crate::CALLS.iter().copied().find(|calls| calls.name == name)
}

/// Reads the variable, once.
pub fn read_variable() {
    static READ: Once = Once::new();
    READ.call_once(|| {
        let text = std::env::var("FAKE_CUDA_FAIL").unwrap_or_default();
        for one in text.split(',').filter(|one| !one.is_empty()) {
            let mut parts = one.split(':');
            let name = parts.next().unwrap_or_default();
            let mut number = |default| parts.next().map_or(Some(default), |part| part.parse().ok());
            match (calls(name), number(1), number(CUDA_ERROR_UNKNOWN.0)) {
                (Some(calls), Some(call), Some(code)) => calls.fail(call as u64, CUresult(code as c_int)),
                _ => panic!("FAKE_CUDA_FAIL={text}: {one} is no NAME[:N[:CODE]] of a function"),
            }
        }
    });
}

/// Writes what there is, as text: lines `object KIND COUNT`, and `function NAME CALLS FAILED`. Returns how many bytes it has,
/// of which as many are written as there is room for.
///
/// # Safety
/// Room for so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fake_cuda_report(place: *mut u8, room: usize) -> usize {
    let mut text = String::new();
    for (kind, count) in objects() {
        _ = writeln!(text, "object {kind} {count}");
    }
    for calls in crate::CALLS {
        let [count, failed] = [&calls.count, &calls.failed].map(|number| number.load(Ordering::Relaxed));
        _ = writeln!(text, "function {} {count} {failed}", calls.name);
    }
    let length = text.len().min(room);
    // SAFETY: the caller vouches for the room.
    unsafe { place.copy_from_nonoverlapping(text.as_ptr(), length) };
    text.len()
}

/// Kinds of objects that are counted as they come and go.
#[derive(Clone, Copy)]
pub enum Object {
    Stream,
    Event,
    Graph,
    Executable,
    Module,
    Link,
    Pool,
}

const NAMES: [&str; 7] = [
    "streams",
    "events",
    "graphs",
    "executables",
    "modules",
    "links",
    "pools",
];

static LIVE: [AtomicI64; NAMES.len()] = [const { AtomicI64::new(0) }; NAMES.len()];

impl Object {
    /// One more.
    pub fn made(self) {
        LIVE[self as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// One less.
    pub fn gone(self) {
        LIVE[self as usize].fetch_sub(1, Ordering::Relaxed);
    }
}

fn objects() -> Vec<(&'static str, i64)> {
    let live = LIVE.iter().map(|count| count.load(Ordering::Relaxed));
    let mut all: Vec<_> = NAMES.into_iter().zip(live).collect();
    let contexts = crate::device::all()
        .iter()
        .map(|device| device.retained.load(Ordering::Relaxed));
    all.push(("contexts", contexts.map(i64::from).sum()));
    all.extend(crate::memory::counts());
    all.extend(crate::virtual_mem::counts());
    all
}
