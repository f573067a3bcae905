// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_LAYER_LEAK_CHECKING`: counts the references that a client holds, by what the table says of the parameters. What
//! is left at the last teardown, and what is released too often, is told in the log of the component `validation`.

use std::collections::BTreeMap;

use oxur_api::meta::Function;
use parking_lot::Mutex;

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

/// Notes what a successful call did to references.
///
/// # Safety
/// `arguments` are those of `function`, which has succeeded with them.
pub(super) unsafe fn note(function: &'static Function, arguments: &Arguments<'_>) {
    for (index, parameter) in function.params.iter().enumerate() {
        if parameter.has("release") {
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
                given(function, arguments, parameter.count())
            };
            for element in 0..count {
                // SAFETY: the call has written this many handles or addresses.
                take(unsafe { place.add(element).read() }, function);
            }
        }
    }
}

/// How many handles a call has written to a list of at most `room` elements, or to a single place.
fn given(function: &Function, arguments: &Arguments<'_>, room: Option<&str>) -> usize {
    let Some(room) = room.and_then(|name| print::number(function, arguments, name)) else {
        return 1;
    };
    // A list comes with a place for the number of all elements.
    let total = function
        .params
        .iter()
        .position(|parameter| parameter.name.starts_with("pNum"));
    // SAFETY: this parameter is a pointer to a `u32`, null or filled by the call.
    let total = total.and_then(|index| unsafe { arguments.read::<*const u32>(index).as_ref() });
    total.map_or(room, |total| room.min(*total as usize))
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
        None => {
            log::error!(target: TARGET, "{}: {handle:#x} is released, but there is no reference to it", function.name)
        }
    }
}

/// Tells what is left, and forgets it.
pub(super) fn report() {
    for (handle, Held { references, giver }) in std::mem::take(&mut *HELD.lock()) {
        log::error!(target: TARGET, "{references} reference(s) to {handle:#x} are left; {giver} gave the first");
    }
}
