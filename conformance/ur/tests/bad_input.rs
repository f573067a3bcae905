// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Null, mistyped and released handles for every function of the table.
#![allow(non_snake_case, reason = "parameters have their C names")]
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

use std::collections::BTreeMap;

use oxur_conformance::api::*;
use oxur_conformance::client::{Context, Error, Fns, Kernel, Queue, Sampler};
use oxur_conformance::{Ending, Rig, in_child, intel, loader};

/// A live handle of some kinds of object.
struct Objects {
    queue: *mut c_void,
    context: *mut c_void,
}

/// What a bad call passes for a parameter of this type: for a handle one of another kind of object, else zeros.
///
/// # Safety
/// `T` must be a parameter's type: an integer, a pointer, an option of a function pointer, a C structure of such.
unsafe fn bad<T>(parameter: &meta::Field, objects: &Objects) -> T {
    let pointer = match parameter.ty {
        meta::Ty::Named(named) if named.name == "QueueHandle" => objects.context,
        ty if ty.is_handle() => objects.queue,
        // SAFETY: zeros are a value of all those types.
        _ => return unsafe { std::mem::zeroed() },
    };
    // SAFETY: a handle is a pointer and nothing else.
    unsafe { std::mem::transmute_copy(&pointer) }
}

type Call = fn(&Fns, Option<&Objects>) -> Result<(), Error>;

macro_rules! calls {
    ({$calls:ident} table $member:ident: $table:ident = $getter:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident = $slot:ident via $via:tt ($($p:ident: $ty:ty),*);
    )*) => {
        $( $calls.insert(stringify!($name), (|fns, objects| {
            let zeros = Objects { queue: std::ptr::null_mut(), context: std::ptr::null_mut() };
            let _objects = objects.unwrap_or(&zeros);
            let mut _parameters = function(stringify!($name)).params.iter();
            // SAFETY: null and mistyped handles, null pointers, zeros: what the library under test promises to refuse.
            unsafe { fns.$name($(bad::<$ty>(_parameters.next().expect(stringify!($p)), _objects)),*) }
        }) as Call); )*
    };
}

/// The description of a function.
fn function(name: &str) -> &'static meta::Function {
    let mut functions = TABLES
        .iter()
        .copied()
        .chain([LegacyDdiTable::META])
        .flat_map(|table| table.functions);
    functions
        .find(|function| function.name == name)
        .expect("it is in a table")
}

/// All functions that take a handle, by name.
fn calls() -> BTreeMap<&'static str, Call> {
    let mut calls = BTreeMap::new();
    for_each_table! { calls {calls} }
    legacy_functions! { calls {calls} }
    calls.retain(|name, _| function(name).params.iter().any(|parameter| parameter.ty.is_handle()));
    calls
}

/// Calls everything, and names what gives none of these codes.
fn call_all(objects: Option<&Objects>, expected: &[ResultCode]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, call) in calls() {
        match call(loader().fns(), objects) {
            Err(Error::Ur { code, .. }) if expected.contains(&code) => {}
            Err(Error::Ur { code, .. }) => wrong.push(format!("{name}: {code:?}")),
            other => wrong.push(format!("{name}: {other:?}")),
        }
    }
    wrong
}

#[test]
fn null_handles() {
    if intel("the loader reads a handle's first word before anything looks at it") {
        let ending = in_child(|| call_all(None, &[]).len() as u8);
        return assert!(matches!(ending, Ending::Killed(_)), "{ending:?}");
    }
    let _rig = Rig::new();
    let expected = [
        ResultCode::ERROR_INVALID_NULL_HANDLE,
        ResultCode::ERROR_INVALID_NULL_POINTER,
        ResultCode::ERROR_UNSUPPORTED_FEATURE,
    ];
    let wrong = call_all(None, &expected);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mistyped_handles() {
    if intel("the adapter takes any address for the object that it wants") {
        return;
    }
    let rig = Rig::new();
    let objects = Objects {
        queue: rig.queue.raw().as_ptr(),
        context: rig.context.raw().as_ptr(),
    };
    let wrong: Vec<_> = calls()
        .into_iter()
        .filter_map(|(name, call)| match call(loader().fns(), Some(&objects)) {
            Err(Error::Ur { .. }) => None,
            other => Some(format!("{name}: {other:?}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Nothing of it has harmed the objects.
    assert_eq!(rig.queue.info::<u32>(QueueInfo::REFERENCE_COUNT).expect("the count"), 1);
    assert_eq!(
        rig.context
            .info::<u32>(ContextInfo::REFERENCE_COUNT)
            .expect("the count"),
        1
    );
    rig.queue.finish().expect("urQueueFinish");
}

#[test]
fn wrong_objects_in_place() {
    if intel("the adapter takes any address for the object that it wants") {
        return;
    }
    let rig = Rig::new();
    let fns = loader().fns();
    let buffer = rig.buffer(&[0u32; 4]);
    let event = rig.queue.marker(&[]).expect("marker");
    let program = rig.program("basic");
    let kernel = Kernel::new(&program, "nothing").expect("urKernelCreate");
    // SAFETY: handles of other kinds, which must be refused by their type.
    unsafe {
        let handle = EventHandle(buffer.raw().as_ptr());
        assert!(fns.urEventWait(1, &handle).is_err(), "a buffer is no event");
        let handle = MemHandle(event.raw().as_ptr());
        assert!(fns.urMemRetain(handle).is_err(), "an event is no buffer");
        let handle = KernelHandle(program.raw().as_ptr());
        assert!(fns.urKernelRetain(handle).is_err(), "a program is no kernel");
        let handle = ProgramHandle(kernel.raw().as_ptr());
        assert!(fns.urProgramRelease(handle).is_err(), "a kernel is no program");
        let wait = [EventHandle(rig.queue.raw().as_ptr())];
        let none = std::ptr::null_mut();
        assert!(
            fns.urEnqueueEventsWait(rig.queue.raw(), 1, wait.as_ptr(), none)
                .is_err(),
            "a queue is no event"
        );
        let wait = [EventHandle::default()];
        assert!(
            fns.urEnqueueEventsWait(rig.queue.raw(), 1, wait.as_ptr(), none)
                .is_err(),
            "null is no event"
        );
    }
    event.wait().expect("the event is as it was");
}

#[test]
fn released_handles() {
    if intel("a released object is freed memory") {
        return;
    }
    let rig = Rig::new();
    let fns = loader().fns();
    let program = rig.program("basic");
    macro_rules! released {
        ($($object:expr => $retain:ident, $release:ident, $info:ident;)*) => { $(
            let handle = $object.into_raw();
            // SAFETY: our last reference; after that the library promises to know that the handle is dead.
            unsafe {
                fns.$release(handle).expect("the last reference");
                let null = std::ptr::null_mut();
                assert!(fns.$release(handle).is_err(), concat!(stringify!($release), " twice"));
                assert!(fns.$retain(handle).is_err(), concat!(stringify!($retain), " of a released object"));
                let result = fns.$info(handle, Default::default(), 0, null, std::ptr::null_mut());
                assert!(result.is_err(), concat!(stringify!($info), " of a released object"));
            }
        )* };
    }
    let kernel = Kernel::new(&program, "nothing").expect("urKernelCreate");
    let event = rig.queue.marker(&[]).expect("marker");
    event.wait().expect("urEventWait");
    let sampler = Sampler::new(
        &rig.context,
        false,
        SamplerAddressingMode::CLAMP,
        SamplerFilterMode::NEAREST,
    );
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let context = Context::new(&[&rig.device]).expect("urContextCreate");
    released! {
        kernel => urKernelRetain, urKernelRelease, urKernelGetInfo;
        event => urEventRetain, urEventRelease, urEventGetInfo;
        sampler.expect("urSamplerCreate") => urSamplerRetain, urSamplerRelease, urSamplerGetInfo;
        queue => urQueueRetain, urQueueRelease, urQueueGetInfo;
        context => urContextRetain, urContextRelease, urContextGetInfo;
    }
    rig.queue.finish().expect("the others are as they were");
}

#[test]
fn objects_of_another_context() {
    let (rig, other) = (Rig::new(), Rig::new());
    let buffer = other.buffer(&[0u32; 4]);
    let result = rig.queue.fill(&buffer, &[1u32], 0, 16, &[]);
    assert!(result.is_err(), "a buffer of another context");
    let sampler = Sampler::new(
        &other.context,
        false,
        SamplerAddressingMode::CLAMP,
        SamplerFilterMode::NEAREST,
    );
    drop(sampler);
    rig.queue.finish().expect("the queue works on");
}
