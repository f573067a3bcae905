// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Layers between a client and the adapters: tracing, validation, leak checking.
//!
//! While no layer is enabled, the cost is at most one read of [`ACTIVE`] per call.

mod leaks;
mod print;
mod tracing;
mod validation;

use std::sync::atomic::{AtomicU32, Ordering};

use oxur_api::meta::{Function, is_same};
use oxur_api::{CodeLocation, ResultCode, c_void};
use oxur_fork::{OnceLock, RwLock};

use crate::config::Settings;
use crate::environment;

/// A set of layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layers(u32);

impl Layers {
    pub(crate) const VALIDATION: Self = Self(1 << 0);
    pub(crate) const TRACING: Self = Self(1 << 1);
    pub(crate) const LEAKS: Self = Self(1 << 2);

    /// The layers by the names that clients use.
    pub(crate) const NAMES: [(&str, Self); 4] = [
        ("UR_LAYER_FULL_VALIDATION", Self(Self::VALIDATION.0 | Self::LEAKS.0)),
        ("UR_LAYER_PARAMETER_VALIDATION", Self::VALIDATION),
        ("UR_LAYER_LEAK_CHECKING", Self::LEAKS),
        ("UR_LAYER_TRACING", Self::TRACING),
    ];

    pub(crate) fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOrAssign for Layers {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// Layers of the reference implementation that this loader lacks.
const LACKING: [&str; 5] = [
    "UR_LAYER_BOUNDS_CHECKING",
    "UR_LAYER_LIFETIME_VALIDATION",
    "UR_LAYER_ASAN",
    "UR_LAYER_MSAN",
    "UR_LAYER_TSAN",
];

/// Why a layer cannot be enabled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotPresent {
    #[error("this loader does not have the layer {0}")]
    Lacking(String),
    #[error("there is no layer `{0}`: there are {names}", names = Layers::NAMES.map(|(name, _)| name).join(", "))]
    Unknown(String),
}

/// The layer with a name.
pub(crate) fn named(name: &str) -> Result<Layers, NotPresent> {
    match Layers::NAMES.iter().find(|(known, _)| *known == name) {
        Some((_, layer)) => Ok(*layer),
        None if LACKING.contains(&name) => Err(NotPresent::Lacking(name.to_owned())),
        None => Err(NotPresent::Unknown(name.to_owned())),
    }
}

/// A client function that returns the source location of the current call.
#[derive(Clone, Copy)]
pub(crate) struct CodeLocator {
    pub(crate) callback: unsafe extern "C" fn(*mut c_void) -> CodeLocation,
    pub(crate) user_data: *mut c_void,
}

// SAFETY: the client that registered the function promised that it may be called on any thread, with this pointer.
unsafe impl Send for CodeLocator {}
// SAFETY: as above.
unsafe impl Sync for CodeLocator {}

static ACTIVE: AtomicU32 = AtomicU32::new(0);
static LOCATOR: RwLock<Option<CodeLocator>> = RwLock::new(None);

/// Whether any layer is enabled.
#[inline(always)]
pub(crate) fn any() -> bool {
    let any = ACTIVE.load(Ordering::Relaxed) != 0;
    if any {
        std::hint::cold_path();
    }
    any
}

/// Enables layers.
pub(crate) fn switch_on(layers: Layers) {
    ACTIVE.fetch_or(layers.0, Ordering::Relaxed);
}

/// Enables the layers that the client's configuration and the environment request.
pub(crate) fn start(settings: Settings) {
    let mut wanted = settings.layers;
    for name in environment::words(environment::ENABLE_LAYERS) {
        match named(&name) {
            Ok(layer) => wanted |= layer,
            Err(problem) => oxur_environment::warn(&format!("{}: {problem}", environment::ENABLE_LAYERS)),
        }
    }
    *LOCATOR.write() = settings.locator;
    switch_on(wanted);
}

/// Disables all layers.
pub(crate) fn stop() {
    ACTIVE.store(0, Ordering::Relaxed);
    leaks::report();
    *LOCATOR.write() = None;
}

/// A function, with the data that the layers need.
pub(crate) struct CallSite {
    pub(crate) function: &'static Function,
    checks: OnceLock<Vec<validation::Check>>,
}

impl CallSite {
    /// The function `name` of a table.
    pub(crate) const fn new(table: &'static [Function], name: &str) -> Self {
        let mut index = 0;
        while !is_same(table[index].name, name) {
            index += 1;
        }
        Self {
            function: &table[index],
            checks: OnceLock::new(),
        }
    }
}

/// The arguments of a call: a pointer to each.
pub(crate) struct Arguments<'a>(pub(crate) &'a [*const c_void]);

impl Arguments<'_> {
    /// The argument at `index`.
    ///
    /// # Safety
    /// It has the type `T`, or a type whose values can all be read as `T`.
    pub(crate) unsafe fn read<T: Copy>(&self, index: usize) -> T {
        // SAFETY: the pointer leads to the argument, whose type the caller knows.
        unsafe { self.0[index].cast::<T>().read() }
    }
}

/// Makes a call, with all enabled layers around it.
///
/// # Safety
/// `arguments` points to the values of the function's parameters, in order.
pub(crate) unsafe fn run(
    call_site: &'static CallSite,
    arguments: &[*const c_void],
    dispatch: &mut dyn FnMut() -> ResultCode,
) -> ResultCode {
    let active = Layers(ACTIVE.load(Ordering::Relaxed));
    let arguments = Arguments(arguments);
    let traced = active.contains(Layers::TRACING) && tracing::wanted(call_site.function);
    if traced {
        // Copied, because the client's function may call the loader, which locks.
        let locator = *LOCATOR.read();
        guard(|| tracing::begin(call_site.function, locator));
    }
    let validate = if active.contains(Layers::VALIDATION) {
        let checks = call_site.checks.get_or_init(|| validation::checks(call_site.function));
        // SAFETY: the checks belong to this function, and these are its arguments.
        guard(|| unsafe { validation::validate(call_site.function, checks, &arguments) }).flatten()
    } else {
        None
    };
    // An exception of a client function that an adapter calls may pass through here, so this call is outside `guard`.
    let unfinished = Unfinished(call_site.function, traced);
    let code = match validate {
        Some(code) => code,
        None => dispatch(),
    };
    std::mem::forget(unfinished);
    if active.contains(Layers::LEAKS) {
        // SAFETY: the arguments are the function's, which has just answered this code.
        guard(|| unsafe { leaks::record_call(call_site.function, &arguments, code) });
    }
    if traced {
        // SAFETY: the arguments are the function's, which has just answered this code.
        guard(|| unsafe { tracing::end(call_site.function, &arguments, code) });
    }
    code
}

/// A call that has not returned. Dropped when a C++ exception passes, which layers treat as a failed call.
struct Unfinished(&'static Function, bool);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.1 {
            guard(|| tracing::unwound(self.0));
        }
    }
}

/// Runs a part of a layer. Its failure must not fail the client's call.
fn guard<T>(body: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_by_name() {
        assert_eq!(named("UR_LAYER_TRACING").unwrap(), Layers::TRACING);
        let full = named("UR_LAYER_FULL_VALIDATION").unwrap();
        assert!(full.contains(Layers::VALIDATION) && full.contains(Layers::LEAKS) && !full.contains(Layers::TRACING));
        assert!(
            named("UR_LAYER_MSAN")
                .unwrap_err()
                .to_string()
                .contains("does not have")
        );
        assert!(named("tracing").unwrap_err().to_string().contains("UR_LAYER_TRACING"));
    }

    #[test]
    fn functions_by_name() {
        let call_site = CallSite::new(oxur_api::DeviceDdiTable::META.functions, "urDeviceGetInfo");
        assert_eq!(call_site.function.slot, "pfnGetInfo");
    }
}
