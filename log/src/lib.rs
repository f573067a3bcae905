// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The logging that users of Unified Runtime know, behind the `log` crate.
//!
//! A library calls [`init`] with the name of its component and logs with `log`'s macros:
//!
//! ```
//! oxur_log::init("opencl"); // the settings are in UR_LOG_OPENCL
//! log::warn!("the driver has no SPIR-V");
//! ```
//!
//! A library with several components ([`init_all`]) chooses another one by the target:
//! `log::info!(target: "tracing", "…")`. The variables have the form `level:info;flush:warning;output:file,PATH`.
//! A client's callback ([`set_callback`]) receives the messages from its own level on, regardless of the variables.
//!
//! A message below all thresholds costs one comparison: its text is never formatted.
#![cfg_attr(test, allow(clippy::disallowed_types, reason = "tests fork by themselves"))]

mod channel;
mod options;

use std::ffi::{CString, c_char, c_void};

use log::{Level, LevelFilter, Log, Metadata, Record};
use oxur_api::LoggerLevel;
use oxur_api::callback::{MayThrow, call_or_abort};
use oxur_fork::{OnceLock, RwLock};

use channel::Channel;

/// A source of messages, with its own variable.
#[derive(Clone, Copy, Debug)]
pub struct Component {
    name: &'static str,
    variable: Option<&'static str>,
    level: LevelFilter,
    prefix: bool,
}

impl Component {
    /// The component whose settings are in `UR_LOG_` and `name` in capitals. It is silent by default.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            variable: None,
            level: LevelFilter::Off,
            prefix: true,
        }
    }

    /// With another default threshold.
    pub const fn level(self, level: LevelFilter) -> Self {
        Self { level, ..self }
    }

    /// With its settings in another variable.
    pub const fn variable(self, name: &'static str) -> Self {
        Self {
            variable: Some(name),
            ..self
        }
    }

    /// Without `<NAME>[LEVEL]: ` in front of each line.
    pub const fn bare(self) -> Self {
        Self { prefix: false, ..self }
    }
}

/// The type of a client's callback for messages.
pub type Callback = unsafe extern "C" fn(LoggerLevel, *const c_char, *mut c_void);

#[derive(Clone, Copy)]
struct Listener {
    callback: Callback,
    user_data: *mut c_void,
    level: LevelFilter,
}

// SAFETY: the client that registered the callback promised that it may be called on any thread, with this pointer.
unsafe impl Send for Listener {}
// SAFETY: as above.
unsafe impl Sync for Listener {}

static CHANNELS: OnceLock<Vec<Channel>> = OnceLock::new();
static LISTENER: RwLock<Option<Listener>> = RwLock::new(None);
static LOGGER: Logger = Logger;

/// Makes this library log as component `name`, by the settings in the environment. Later calls do nothing.
pub fn init(name: &'static str) {
    init_all(&[Component::new(name)]);
}

/// Makes this library log as several components. A message whose target is none of their names belongs to the first.
pub fn init_all(components: &[Component]) {
    CHANNELS.get_or_init(|| components.iter().copied().map(Channel::from_environment).collect());
    // A Rust program that links this library may have its own logger, which then receives the messages.
    let _ = log::set_logger(&LOGGER);
    set_max_level();
}

/// Sends messages from `level` on to a callback of the client, which replaces the one before.
///
/// # Safety
/// `callback` must stay callable with `user_data`, on any thread, until it is replaced.
pub unsafe fn set_callback(callback: Callback, user_data: *mut c_void, level: LoggerLevel) {
    *LISTENER.write() = Some(Listener {
        callback,
        user_data,
        level: filter(level),
    });
    set_max_level();
}

/// Changes the threshold of the client's callback. Returns whether there is one.
pub fn set_callback_level(level: LoggerLevel) -> bool {
    let known = LISTENER
        .write()
        .as_mut()
        .map(|listener| listener.level = filter(level))
        .is_some();
    set_max_level();
    known
}

fn filter(level: LoggerLevel) -> LevelFilter {
    match level {
        LoggerLevel::DEBUG => LevelFilter::Debug,
        LoggerLevel::INFO => LevelFilter::Info,
        LoggerLevel::WARN => LevelFilter::Warn,
        LoggerLevel::ERROR => LevelFilter::Error,
        _ => LevelFilter::Off,
    }
}

fn severity(level: Level) -> LoggerLevel {
    match level {
        Level::Error => LoggerLevel::ERROR,
        Level::Warn => LoggerLevel::WARN,
        Level::Info => LoggerLevel::INFO,
        Level::Debug | Level::Trace => LoggerLevel::DEBUG,
    }
}

/// Tells `log`'s macros the lowest threshold of all channels and the callback.
fn set_max_level() {
    let channels = CHANNELS.get().into_iter().flatten().map(|channel| channel.level);
    let listener = LISTENER.read().map(|listener| listener.level);
    log::set_max_level(channels.chain(listener).max().unwrap_or(LevelFilter::Off));
}

fn channel(target: &str) -> Option<&'static Channel> {
    let channels = CHANNELS.get()?;
    channels
        .iter()
        .find(|channel| channel.component.name == target)
        .or(channels.first())
}

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        channel(metadata.target()).is_some_and(|channel| metadata.level() <= channel.level)
            || LISTENER
                .read()
                .is_some_and(|listener| metadata.level() <= listener.level)
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let message = record.args().to_string();
        if let Some(channel) = channel(record.target()) {
            channel.write(record.level(), &message);
        }
        // Copied, because the client's callback may call functions that log or register.
        let listener = *LISTENER.read();
        if let Some(Listener {
            callback,
            user_data,
            level,
        }) = listener
            && record.level() <= level
        {
            let text = CString::new(message.replace('\0', "\\0")).unwrap_or_default();
            // SAFETY: `set_callback`'s caller vouches for the callback and its pointer. The text lives during the call.
            let call = || unsafe { callback.may_throw()(severity(record.level()), text.as_ptr(), user_data) };
            call_or_abort("the callback of a log", call);
        }
    }

    fn flush(&self) {}
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use oxur_fork::Mutex;

    use super::*;

    type Seen = Mutex<Vec<(LoggerLevel, String)>>;

    unsafe extern "C" fn record(level: LoggerLevel, message: *const c_char, seen: *mut c_void) {
        // SAFETY: the logger passes a C string and the pointer that the test registered.
        let (message, seen) = unsafe { (CStr::from_ptr(message), &*seen.cast::<Seen>()) };
        seen.lock().push((level, message.to_str().unwrap().to_owned()));
    }

    #[test]
    fn a_callback_has_its_own_level() {
        let seen: &'static Seen = Box::leak(Box::default());
        init("nothing_sets_this");
        assert!(!log::log_enabled!(Level::Error));
        assert!(!set_callback_level(LoggerLevel::DEBUG));

        // SAFETY: `record` may be called on any thread, and `seen` is never freed.
        unsafe { set_callback(record, std::ptr::from_ref(seen).cast_mut().cast(), LoggerLevel::WARN) };
        log::info!("not this");
        log::warn!("this\0!");
        assert!(set_callback_level(LoggerLevel::INFO));
        log::info!("now {}", "this");
        assert!(set_callback_level(LoggerLevel::QUIET));
        log::error!("never");

        let wanted = [
            (LoggerLevel::WARN, "this\\0!".to_owned()),
            (LoggerLevel::INFO, "now this".to_owned()),
        ];
        assert_eq!(*seen.lock(), wanted);
    }
}
