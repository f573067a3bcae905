// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the loader adds to a call: ours and Intel's side by side, on an adapter whose functions do nothing.
//!
//! `cargo bench -p oxur-loader`. Intel's loader is measured where `make setup` has installed it.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::time::Instant;

use oxur_client::Loader;
use oxur_client::api::*;

const CALLS: u32 = 100_000;
const ROUNDS: usize = 300;

unsafe extern "C" fn retain(_: AdapterHandle) -> ResultCode {
    ResultCode::SUCCESS
}

unsafe extern "C" fn memcpy(
    _: QueueHandle,
    _: bool,
    _: *mut c_void,
    _: *const c_void,
    _: usize,
    _: u32,
    _: *const EventHandle,
    _: *mut EventHandle,
) -> ResultCode {
    ResultCode::SUCCESS
}

/// The functions that are measured, from a loader or the adapter's own.
struct Subject {
    name: &'static str,
    retain: pfn::urAdapterRetain,
    memcpy: pfn::urEnqueueUSMMemcpy,
    nanoseconds: [Vec<f64>; 2],
}

fn main() {
    // No adapter is loaded: the handle below is all that a call needs.
    // SAFETY: no other thread is there yet.
    unsafe {
        std::env::set_var("UR_ADAPTERS_FORCE_LOAD", "/nonexistent");
        std::env::set_var("UR_LOG_LOADER", "level:quiet");
    }
    let mut table = DdiTable::default();
    table.Adapter.pfnRetain = Some(retain);
    table.Enqueue.pfnUSMMemcpy = Some(memcpy);
    let mut object = &raw const table;
    let handle = (&raw mut object).cast::<c_void>();

    let ours = std::env::current_exe().unwrap().with_file_name("libur_loader.so");
    let intel = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/env/v2026.2/lib/libur_loader.so.0");
    let direct = Subject {
        name: "no loader",
        retain,
        memcpy,
        nanoseconds: Default::default(),
    };
    let mut subjects = vec![direct, loader("ours", ours)];
    if intel.exists() {
        subjects.push(loader("Intel 2026.2", intel));
    }
    for _ in 0..ROUNDS {
        for subject in &mut subjects {
            subject.measure(handle);
        }
    }
    println!(
        "{:14} {:>22} {:>26}",
        "ns per call", "1 argument: min median", "8 arguments: min median"
    );
    for subject in &mut subjects {
        let [(a, b), (c, d)] = subject.nanoseconds.each_mut().map(|times| {
            times.sort_by(f64::total_cmp);
            (times[0], times[times.len() / 2])
        });
        println!("{:14} {a:15.2} {b:6.2} {c:19.2} {d:6.2}", subject.name);
    }
}

fn loader(name: &'static str, path: PathBuf) -> Subject {
    let loader = Loader::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let functions = *loader.fns();
    // Not torn down while it is measured.
    std::mem::forget(loader);
    Subject {
        name,
        retain: functions.ddi.Adapter.pfnRetain.unwrap(),
        memcpy: functions.ddi.Enqueue.pfnUSMMemcpy.unwrap(),
        nanoseconds: Default::default(),
    }
}

impl Subject {
    fn measure(&mut self, handle: *mut c_void) {
        let (retain, memcpy) = (black_box(self.retain), black_box(self.memcpy));
        self.nanoseconds[0].push(time(|| {
            // SAFETY: the handle leads to the table above, whose functions look at nothing.
            black_box(unsafe { retain(AdapterHandle(handle)) });
        }));
        self.nanoseconds[1].push(time(|| {
            // SAFETY: as above.
            black_box(unsafe { memcpy(QueueHandle(handle), false, null_mut(), null(), 8, 0, null(), null_mut()) });
        }));
    }
}

fn time(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    start.elapsed().as_nanos() as f64 / f64::from(CALLS)
}
