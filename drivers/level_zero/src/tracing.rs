// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tracers, for programs that use the library as the loader: callbacks before and after the functions of Level Zero. Under a
//! loader, its tracing layer has them.
//!
//! While no tracer is enabled, a call costs one comparison more.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use level_zero_sys::*;
use oxur_fork::{Mutex, RwLock};

use crate::entry::{Error, ZeResult, entry, err};
use crate::handle::{destroy, export, object, out, required};

/// A callback, whose first parameter is a structure of pointers to the arguments.
type Callback = unsafe extern "C" fn(*mut *mut c_void, ze_result_t, *mut c_void, *mut *mut c_void);

/// When a callback is called.
#[derive(Clone, Copy)]
enum Side {
    Prologue,
    Epilogue,
}

/// The callbacks of one side, by the numbers of functions.
type Callbacks = Box<[Option<Callback>]>;

/// A tracer.
pub(crate) struct Tracer {
    /// For its callbacks.
    user_data: *mut c_void,
    enabled: AtomicBool,
    /// How many callbacks run now.
    running: AtomicUsize,
    /// Before functions, and after them.
    callbacks: Mutex<[Callbacks; 2]>,
}

// SAFETY: the client that creates it promises that callbacks may be called on any thread with its pointer.
unsafe impl Send for Tracer {}
// SAFETY: as above.
unsafe impl Sync for Tracer {}

/// The tracers that are enabled.
static ENABLED: RwLock<Vec<Arc<Tracer>>> = RwLock::new(Vec::new());
/// Whether there are any.
static ON: AtomicBool = AtomicBool::new(false);

std::thread_local! {
    /// Whether a callback runs on this thread. What it calls is not traced.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Whether calls have callbacks.
#[inline]
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

impl Tracer {
    fn new(user_data: *mut c_void) -> Self {
        let none = || vec![None; numbers::COUNT].into_boxed_slice();
        Self {
            user_data,
            enabled: AtomicBool::new(false),
            running: AtomicUsize::new(0),
            callbacks: Mutex::new([none(), none()]),
        }
    }

    fn call(
        &self,
        side: Side,
        function: usize,
        arguments: *mut *mut c_void,
        result: ze_result_t,
        instance: &mut *mut c_void,
    ) {
        let Some(callback) = self.callbacks.lock()[side as usize][function] else {
            return;
        };
        // Either this thread sees that the tracer is disabled, or `disable` sees that a callback runs.
        self.running.fetch_add(1, Ordering::SeqCst);
        if self.enabled.load(Ordering::SeqCst) {
            // A thread that ends has no flag any more.
            _ = IN_CALLBACK.try_with(|flag| flag.set(true));
            // SAFETY: the client registered it for this function. The arguments live as long as the call.
            unsafe { callback(arguments, result, self.user_data, instance) };
            _ = IN_CALLBACK.try_with(|flag| flag.set(false));
        }
        self.running.fetch_sub(1, Ordering::SeqCst);
    }

    fn enable(self: &Arc<Self>) {
        if !self.enabled.swap(true, Ordering::SeqCst) {
            ENABLED.write().push(self.clone());
            ON.store(true, Ordering::SeqCst);
        }
    }

    /// Callbacks that run are waited for.
    fn disable(&self) {
        if self.enabled.swap(false, Ordering::SeqCst) {
            let mut enabled = ENABLED.write();
            enabled.retain(|other| !std::ptr::eq(&**other, self));
            ON.store(!enabled.is_empty(), Ordering::SeqCst);
        }
        // A callback that disables its tracer must not wait for itself.
        if !IN_CALLBACK.try_with(Cell::get).unwrap_or(false) {
            while self.running.load(Ordering::SeqCst) > 0 {
                std::thread::yield_now();
            }
        }
    }

    /// Callbacks of an enabled tracer cannot be changed.
    fn change(&self, side: Side, change: impl FnOnce(&mut Callbacks)) -> ZeResult {
        if self.enabled.load(Ordering::SeqCst) {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "the tracer is enabled: disable it to change its callbacks",
            ));
        }
        change(&mut self.callbacks.lock()[side as usize]);
        Ok(())
    }
}

/// A function that is called.
pub(crate) struct Call {
    function: usize,
    arguments: *mut *mut c_void,
    /// The tracers, and a pointer of the client for this call and each of them.
    tracers: Vec<(Arc<Tracer>, *mut c_void)>,
}

impl Call {
    /// Calls what is to be called before the function. The arguments must live as long as this.
    pub(crate) fn begin(function: usize, arguments: &mut [*mut c_void]) -> Self {
        let arguments = arguments.as_mut_ptr();
        let mut tracers = Vec::new();
        if !IN_CALLBACK.try_with(Cell::get).unwrap_or(true) {
            tracers.extend(ENABLED.read().iter().map(|tracer| (tracer.clone(), null_mut())));
        }
        for (tracer, instance) in &mut tracers {
            tracer.call(Side::Prologue, function, arguments, ZE_RESULT_SUCCESS, instance);
        }
        Self {
            function,
            arguments,
            tracers,
        }
    }

    /// Calls what is to be called after the function, and returns the function's answer.
    pub(crate) fn end(mut self, result: ze_result_t) -> ze_result_t {
        for (tracer, instance) in &mut self.tracers {
            tracer.call(Side::Epilogue, self.function, self.arguments, result, instance);
        }
        result
    }
}

/// Registers a callback for one function.
///
/// # Safety
/// The handle must be null or that of a tracer; the callback null or one for this function.
unsafe fn register(
    tracer: zel_tracer_handle_t,
    side: zel_tracer_reg_t,
    callback: Option<Callback>,
    function: usize,
) -> ZeResult {
    // SAFETY: passed on to the caller.
    let tracer = unsafe { object::<Tracer>(tracer) }?;
    let side = match side {
        ZEL_REGISTER_PROLOGUE => Side::Prologue,
        ZEL_REGISTER_EPILOGUE => Side::Epilogue,
        _ => return err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
    };
    tracer.change(side, |callbacks| callbacks[function] = callback)
}

/// Sets the callbacks of one side.
///
/// # Safety
/// The handle must be null or that of a tracer; the table null or readable.
unsafe fn set_all(tracer: zel_tracer_handle_t, side: Side, table: *mut zel_core_callbacks_t) -> ZeResult {
    // SAFETY: passed on to the caller.
    let (tracer, table) = unsafe { (object::<Tracer>(tracer)?, required(table.cast_const())?) };
    // SAFETY: all members are callbacks, which are null or functions of this type; there are as many as `CALLBACKS` has.
    let table = unsafe { &*std::ptr::from_ref(table).cast::<[Option<Callback>; CALLBACKS.len()]>() };
    tracer.change(side, |callbacks| {
        for (&function, callback) in CALLBACKS.iter().zip(table) {
            callbacks[function] = *callback;
        }
    })
}

entry! {
    fn zelTracerCreate(desc: *const zel_tracer_desc_t, tracer: *mut zel_tracer_handle_t) {
        // SAFETY: passed on to the caller.
        let (desc, tracer) = unsafe { (required(desc)?, out(tracer)?) };
        let Some(user_data) = NonNull::new(desc.pUserData) else {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        };
        *tracer = export(Arc::new(Tracer::new(user_data.as_ptr())));
        Ok(())
    }

    fn zelTracerDestroy(tracer: zel_tracer_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { destroy::<Tracer>(tracer) }?.disable();
        Ok(())
    }

    fn zelTracerSetPrologues(tracer: zel_tracer_handle_t, callbacks: *mut zel_core_callbacks_t) {
        // SAFETY: passed on to the caller.
        unsafe { set_all(tracer, Side::Prologue, callbacks) }
    }

    fn zelTracerSetEpilogues(tracer: zel_tracer_handle_t, callbacks: *mut zel_core_callbacks_t) {
        // SAFETY: passed on to the caller.
        unsafe { set_all(tracer, Side::Epilogue, callbacks) }
    }

    fn zelTracerSetEnabled(tracer: zel_tracer_handle_t, enable: ze_bool_t) {
        // SAFETY: passed on to the caller.
        let tracer = unsafe { object::<Tracer>(tracer) }?;
        match enable {
            0 => tracer.disable(),
            _ => tracer.enable(),
        }
        Ok(())
    }

    fn zelTracerResetAllCallbacks(tracer: zel_tracer_handle_t) {
        // SAFETY: passed on to the caller.
        let tracer = unsafe { object::<Tracer>(tracer) }?;
        tracer.change(Side::Prologue, |callbacks| callbacks.fill(None))?;
        tracer.change(Side::Epilogue, |callbacks| callbacks.fill(None))
    }

    fn zelGetTracerApiProcAddrTable(version: ze_api_version_t, table: *mut zel_tracer_dditable_t) {
        // SAFETY: passed on to the caller.
        let table = unsafe { out(table) }?;
        if version.major() != 1 {
            return err(ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
        }
        *table = zel_tracer_dditable_t {
            pfnCreate: Some(zelTracerCreate),
            pfnDestroy: Some(zelTracerDestroy),
            pfnSetPrologues: Some(zelTracerSetPrologues),
            pfnSetEpilogues: Some(zelTracerSetEpilogues),
            pfnSetEnabled: Some(zelTracerSetEnabled),
        };
        Ok(())
    }
}

/// Numbers of functions.
macro_rules! numbers {
    ($($name:ident = $number:literal,)*) => {
        /// The numbers of functions.
        #[allow(non_upper_case_globals, reason = "they have the names of the functions")]
        pub(crate) mod numbers {
            $(#[allow(dead_code, reason = "functions that the driver does not have are not called")]
            #[doc(hidden)]
            pub(crate) const $name: usize = $number;)*
            /// How many there are.
            pub(super) const COUNT: usize = [$($number),*].len();
        }
    };
}

/// The members of the table of callbacks.
macro_rules! callbacks {
    ($($name:ident,)*) => {
        /// The functions of the members of `ze_callbacks_t`, in order.
        static CALLBACKS: [usize; [$(stringify!($name)),*].len()] = [$(numbers::$name),*];
        const _: () = assert!(size_of_val(&CALLBACKS) == size_of::<zel_core_callbacks_t>());
    };
}

/// A function that registers a callback.
macro_rules! register {
    ($name:ident: $function:ident) => {
        /// Registers a callback for the function in its name.
        ///
        /// # Safety
        /// The handle must be null or that of a tracer; the callback null or one for this function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            tracer: zel_tracer_handle_t,
            side: zel_tracer_reg_t,
            callback: *const c_void,
        ) -> ze_result_t {
            crate::entry::call(stringify!($name), || {
                // SAFETY: null is no function; the caller says that any other pointer is a callback.
                let callback = unsafe { std::mem::transmute::<*const c_void, Option<Callback>>(callback) };
                // SAFETY: passed on to the caller.
                unsafe { register(tracer, side, callback, numbers::$function) }
            })
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/tracing.rs"));

#[cfg(test)]
mod tests;
