// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_LAYER_LEAK_CHECKING`: counts the references that a client holds, by what the table says of the parameters. What
//! is left at the last teardown, and what is released too often, is told in the log of the component `validation`.

use std::collections::BTreeMap;

use oxur_api::meta::Function;
use oxur_fork::Mutex;

use super::{Arguments, print};

const TARGET: &str = "validation";

/// Functions whose results carry references, though the table, as the reference's, does not say so.
const GIVERS: [&str; 2] = ["urDeviceGetSelected", "urDevicePartition"];

struct Held {
    references: u64,
    /// The function that gave the first one.
    giver: &'static str,
}

static HELD: Mutex<BTreeMap<usize, Held>> = Mutex::new(BTreeMap::new());

/// Notes what a call did to references: nothing where it failed, but a release may have failed for want of one.
///
/// # Safety
/// `arguments` are those of `function`, which has succeeded with them if `success` says so.
pub(super) unsafe fn note(function: &'static Function, arguments: &Arguments<'_>, success: bool) {
    for (index, parameter) in function.params.iter().enumerate() {
        if !success {
            if parameter.has("release") {
                // SAFETY: what is released is a handle or an address.
                expect(unsafe { arguments.read(index) }, function);
            }
        } else if parameter.has("release") {
            // SAFETY: what is released is a handle or an address.
            give_up(unsafe { arguments.read(index) }, function);
        } else if parameter.has("retain") {
            // SAFETY: what is retained is a handle.
            take(unsafe { arguments.read(index) }, function);
        } else if parameter.has("alloc") || (parameter.count().is_some() && GIVERS.contains(&function.name)) {
            // SAFETY: what is given is written through a pointer.
            let place = unsafe { arguments.read::<*const usize>(index) };
            let count = if place.is_null() {
                0
            } else {
                print::given(function, arguments, parameter.count())
            };
            for element in 0..count {
                // SAFETY: the list has at least this many places, each of a handle or an address.
                take(unsafe { place.add(element).read() }, function);
            }
        }
    }
}

fn take(handle: usize, function: &'static Function) {
    if handle != 0 {
        HELD.lock()
            .entry(handle)
            .or_insert(Held {
                references: 0,
                giver: function.name,
            })
            .references += 1;
    }
}

fn give_up(handle: usize, function: &Function) {
    let mut held = HELD.lock();
    match held.get_mut(&handle) {
        Some(Held { references: 1, .. }) => {
            held.remove(&handle);
        }
        Some(known) => known.references -= 1,
        None => tell_unknown(handle, function),
    }
}

/// Tells of a handle that could not be released because there is no reference to it. Null is an error of its own.
fn expect(handle: usize, function: &Function) {
    if handle != 0 && !HELD.lock().contains_key(&handle) {
        tell_unknown(handle, function);
    }
}

fn tell_unknown(handle: usize, function: &Function) {
    log::error!(target: TARGET, "{}: {handle:#x} is released, but there is no reference to it", function.name);
}

/// Tells what is left, and forgets it.
pub(super) fn report() {
    for (handle, Held { references, giver }) in std::mem::take(&mut *HELD.lock()) {
        log::error!(target: TARGET, "{references} reference(s) to {handle:#x} are left; {giver} gave the first");
    }
}
