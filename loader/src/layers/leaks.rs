// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_LAYER_LEAK_CHECKING`: counts the references that a client holds, based on the parameters in the table.
//! References that are left at the last teardown, and releases without a reference, go to the log of the component
//! `validation`.
//!
//! A handle that a function writes is a reference, if another function releases such handles. The table's attribute
//! `alloc` cannot decide that: as in the reference implementation, some of these parameters lack it.

use std::collections::{BTreeMap, BTreeSet};

use oxur_api::meta::{Direction, Field, Function, Reference, Ty};
use oxur_api::{LegacyDdiTable, ResultCode, TABLES};
use oxur_fork::{LazyLock, Mutex};

use super::{Arguments, print};

const TARGET: &str = "validation";

struct TrackedObject {
    references: u64,
    /// The function that returned the first reference.
    created_by: &'static str,
}

static TRACKED: Mutex<BTreeMap<usize, TrackedObject>> = Mutex::new(BTreeMap::new());

/// The kinds of objects that are counted, by the names of their handle types.
struct Counted {
    /// Those that clients release. Commands of command buffers and platforms, for example, are not among them.
    released: BTreeSet<&'static str>,
    /// Those that can have more than one reference.
    retained: BTreeSet<&'static str>,
}

static COUNTED: LazyLock<Counted> = LazyLock::new(|| {
    let handles = |is: fn(&Function, &Field) -> bool| {
        let functions = TABLES
            .iter()
            .chain([&LegacyDdiTable::META])
            .flat_map(|table| table.functions);
        functions
            .flat_map(|function| function.params.iter().filter(move |parameter| is(function, parameter)))
            .filter_map(|parameter| handle(&parameter.ty))
            .collect()
    };
    // A configuration is older than the layers that it enables, so the loader's own table is left out.
    Counted {
        released: handles(releases),
        retained: handles(|_, parameter| parameter.attributes.reference == Some(Reference::Retain)),
    }
});

/// The name of a handle's type.
fn handle(ty: &Ty) -> Option<&'static str> {
    match ty {
        Ty::Named(named) if ty.is_handle() => Some(named.name),
        _ => None,
    }
}

/// Whether a function releases the reference in this parameter. Functions that destroy an object have it as the last
/// one.
fn releases(function: &Function, parameter: &Field) -> bool {
    parameter.attributes.reference == Some(Reference::Release)
        || function.name.contains("Destroy") && function.params.last().is_some_and(|last| last.name == parameter.name)
}

/// Whether a function returns references through this parameter. A function that queries a single object of another object
/// returns no reference.
fn returns_references(function: &Function, parameter: &Field) -> bool {
    let Some(target) = parameter
        .ty
        .pointee()
        .filter(|_| parameter.attributes.direction != Direction::In)
    else {
        return false;
    };
    match handle(target) {
        Some(target) => {
            COUNTED.released.contains(target)
                && (parameter.attributes.count.is_some() || !function.name.contains("Get"))
        }
        None => parameter.attributes.reference == Some(Reference::Alloc),
    }
}

/// Whether a function that failed has created an object nevertheless: links return the program that could not be
/// linked, for its log, and drivers use several error codes for that. After other errors the output may hold anything.
fn returns_object_on_failure(function: &Function, code: ResultCode) -> bool {
    let codes = [
        ResultCode::ERROR_PROGRAM_LINK_FAILURE,
        ResultCode::ERROR_PROGRAM_BUILD_FAILURE,
        ResultCode::ERROR_INVALID_OPERATION,
    ];
    function.errors.contains(&ResultCode::ERROR_PROGRAM_LINK_FAILURE) && codes.contains(&code)
}

/// Records the references that a call added or dropped. A failed call changed nothing, except that a release may have failed
/// for lack of a reference, and a link may have returned a program.
///
/// # Safety
/// `arguments` are those of `function`, which returned `code` for them.
pub(super) unsafe fn record_call(function: &'static Function, arguments: &Arguments<'_>, code: ResultCode) {
    let success = code == ResultCode::SUCCESS;
    for (index, parameter) in function.params.iter().enumerate() {
        if releases(function, parameter) {
            // SAFETY: a released parameter is a handle or an address.
            let object = unsafe { arguments.read(index) };
            let counted = handle(&parameter.ty).is_some_and(|ty| COUNTED.released.contains(ty));
            match success {
                true => remove_reference(object, function, counted),
                false if counted => check_referenced(object, function),
                false => {}
            }
        } else if success && parameter.attributes.reference == Some(Reference::Retain) {
            // SAFETY: a retained parameter is a handle.
            add_reference(unsafe { arguments.read(index) }, function, true);
        } else if (success || returns_object_on_failure(function, code)) && returns_references(function, parameter) {
            // SAFETY: returned objects are written through a pointer.
            let place = unsafe { arguments.read::<*const usize>(index) };
            let count = match place.is_null() {
                true => 0,
                false => print::element_count(function, arguments, parameter.attributes.count),
            };
            let target = parameter.ty.pointee().and_then(handle);
            let shared = target.is_some_and(|target| COUNTED.retained.contains(target));
            for element in 0..count {
                // SAFETY: the list has at least this many places, each of a handle or an address.
                let object = unsafe { place.add(element).read() };
                // The client already owns a reusable event that was signalled.
                let is_owned_already =
                    parameter.attributes.direction == Direction::InOut && TRACKED.lock().contains_key(&object);
                if !is_owned_already {
                    add_reference(object, function, shared);
                }
            }
        }
    }
}

/// Records a reference to an object. An object that is not `shared` has one reference, however often it is returned.
fn add_reference(handle: usize, function: &'static Function, shared: bool) {
    if handle == 0 {
        return;
    }
    let mut tracked = TRACKED.lock();
    let object = tracked.entry(handle).or_insert(TrackedObject {
        references: 0,
        created_by: function.name,
    });
    object.references = if shared { object.references + 1 } else { 1 };
}

/// Records a release. Addresses are not `counted`, because they may come from anywhere.
fn remove_reference(handle: usize, function: &Function, counted: bool) {
    let mut tracked = TRACKED.lock();
    match tracked.get_mut(&handle) {
        Some(TrackedObject { references: 1, .. }) => {
            tracked.remove(&handle);
        }
        Some(known) => known.references -= 1,
        None if counted => report_unreferenced(handle, function),
        None => {}
    }
}

/// Reports a handle that was released without a reference to it. Null is a separate error.
fn check_referenced(handle: usize, function: &Function) {
    if handle != 0 && !TRACKED.lock().contains_key(&handle) {
        report_unreferenced(handle, function);
    }
}

fn report_unreferenced(handle: usize, function: &Function) {
    log::error!(target: TARGET, "{}: {handle:#x} is released, but there is no reference to it", function.name);
}

/// Reports the leaked references, and clears the list.
pub(super) fn report() {
    for (handle, TrackedObject { references, created_by }) in std::mem::take(&mut *TRACKED.lock()) {
        log::error!(target: TARGET, "{references} reference(s) to {handle:#x} are leaked; the first came from {created_by}");
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use oxur_api::*;

    use super::*;

    /// Records a call of a function, with the values of all its parameters.
    macro_rules! record {
        ($table:ident.$function:ident($($value:expr),*) -> $code:ident) => {{
            let function = $table::META.functions.iter().find(|known| known.name == stringify!($function)).unwrap();
            assert_eq!(function.params.len(), [$(stringify!($value)),*].len());
            // SAFETY: these are arguments of the function, with valid output pointers.
            unsafe {
                super::record_call(
                    function,
                    &Arguments(&[$(std::ptr::from_ref(&$value).cast::<c_void>()),*]),
                    ResultCode::$code,
                );
            }
        }};
    }

    fn references(handle: usize) -> u64 {
        TRACKED.lock().get(&handle).map_or(0, |object| object.references)
    }

    const NULL: *mut c_void = null_mut();

    #[test]
    fn functions_without_the_attribute() {
        let (any, part) = (0x1000usize, 0x1010usize);
        record!(MemDdiTable.urMemBufferPartition(any, 0u32, 0u32, NULL, &raw const part) -> SUCCESS);
        assert_eq!(references(part), 1);
        record!(MemDdiTable.urMemRelease(part) -> SUCCESS);
        assert_eq!(references(part), 0);
        let event = 0x1020usize;
        record!(EnqueueExpDdiTable.urEnqueueTimestampRecordingExp(any, false, 0u32, NULL, &raw const event) -> SUCCESS);
        record!(EventExpDdiTable.urEventCreateExp(any, any, NULL, &raw const event) -> SUCCESS);
        assert_eq!(references(event), 2);
        record!(EventExpDdiTable.urEventCreateExp(any, any, NULL, &raw const event) -> ERROR_INVALID_VALUE);
        assert_eq!(references(event), 2);
    }

    #[test]
    fn commands_have_no_references() {
        let (any, event, command) = (0x2000usize, 0x2010usize, 0x2020usize);
        let zero = RectOffset::default();
        record!(CommandBufferExpDdiTable.urCommandBufferAppendMemBufferReadRectExp(
            any, any, zero, zero, RectRegion::default(), 0usize, 0usize, 0usize, 0usize, NULL, 0u32, NULL, 0u32, NULL,
            NULL, &raw const event, &raw const command
        ) -> SUCCESS);
        assert_eq!((references(event), references(command)), (1, 0));
    }

    #[test]
    fn a_failed_link_returns_a_program() {
        let (any, program, none) = (0x3000usize, 0x3010usize, 0usize);
        record!(ProgramDdiTable.urProgramLink(any, 1u32, NULL, NULL, &raw const program) -> ERROR_PROGRAM_LINK_FAILURE);
        assert_eq!(references(program), 1);
        record!(ProgramDdiTable.urProgramLink(any, 1u32, NULL, NULL, &raw const none) -> ERROR_PROGRAM_LINK_FAILURE);
        // After other failures the output is not a handle.
        let garbage = 0x3020usize;
        record!(ProgramDdiTable.urProgramLink(any, 1u32, NULL, NULL, &raw const garbage) -> ERROR_INVALID_PROGRAM);
        assert_eq!(references(garbage), 0);
    }

    #[test]
    fn objects_with_one_owner() {
        let (any, graph, pool) = (0x4000usize, 0x4010usize, 0x4020usize);
        record!(GraphExpDdiTable.urGraphCreateExp(any, &raw const graph) -> SUCCESS);
        // The graph that the capture ends with may belong to the client.
        record!(QueueExpDdiTable.urQueueEndGraphCaptureExp(any, &raw const graph) -> SUCCESS);
        record!(QueueExpDdiTable.urQueueGetGraphExp(any, &raw const graph) -> SUCCESS);
        assert_eq!(references(graph), 1);
        record!(GraphExpDdiTable.urGraphDestroyExp(graph) -> SUCCESS);
        assert_eq!(references(graph), 0);
        record!(UsmExpDdiTable.urUSMPoolGetDefaultDevicePoolExp(any, any, &raw const pool) -> SUCCESS);
        assert_eq!(references(pool), 0);
    }

    #[test]
    fn what_is_counted() {
        for (ty, is) in [
            ("EventHandle", true),
            ("ExpGraphHandle", true),
            ("DeviceHandle", true),
            ("PlatformHandle", false),
            ("LoaderConfigHandle", false),
            ("ExpCommandBufferCommandHandle", false),
        ] {
            assert_eq!(COUNTED.released.contains(ty), is, "{ty}");
        }
        assert!(!COUNTED.retained.contains("ExpGraphHandle") && COUNTED.retained.contains("KernelHandle"));
    }
}
