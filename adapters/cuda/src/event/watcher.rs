// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A thread that calls functions when signals are there.
//!
//! `cuLaunchHostFunc` would call them as well, but holds up its stream meanwhile, is not called after a fault, and
//! takes 26 µs.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use kit::ur::ResultCode;
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_fork::OnceLock;

use crate::driver;
use crate::signal::Signal;

/// How long the thread sleeps before it looks at the signals again: the longer, the longer nothing has happened.
const PAUSES: std::ops::Range<Duration> = Duration::from_micros(20)..Duration::from_millis(1);

struct Watched {
    signal: Signal,
    call: Box<dyn FnOnce() + Send>,
}

static WATCHER: OnceLock<Option<Sender<Watched>>> = OnceLock::new();

/// Has a function called when a signal is there: at once if it is already.
pub(crate) fn when_over(signal: &Signal, call: impl FnOnce() + Send + 'static) -> UrResult<()> {
    if signal.is_over() {
        call();
        return Ok(());
    }
    let sender = WATCHER.get_or_init(|| {
        let (send, receive) = channel();
        let thread = std::thread::Builder::new().name("ur watcher".into());
        match thread.spawn(move || watch(&receive)) {
            Ok(_) => Some(send),
            Err(error) => {
                log::error!("no thread watches events: {error}");
                None
            }
        }
    });
    let watched = Watched {
        signal: signal.clone(),
        call: Box::new(call),
    };
    let sent = sender.as_ref().map(|sender| sender.send(watched));
    match sent {
        Some(Ok(())) => Ok(()),
        _ => Err(UrError::with_message(
            ResultCode::ERROR_OUT_OF_RESOURCES,
            "no thread watches events",
        )),
    }
}

fn watch(receive: &Receiver<Watched>) {
    let mut watched: Vec<Watched> = Vec::new();
    let mut pause = PAUSES.start;
    loop {
        if watched.is_empty() {
            match receive.recv() {
                Ok(new) => watched.push(new),
                Err(_) => return,
            }
            pause = PAUSES.start;
        }
        watched.extend(receive.try_iter());
        let over: Vec<Watched> = watched.extract_if(.., |watched| watched.signal.is_over()).collect();
        if kit::is_closed() || driver::is_lost() {
            return;
        }
        if over.is_empty() {
            match receive.recv_timeout(pause) {
                Ok(new) => {
                    watched.push(new);
                    pause = PAUSES.start;
                }
                Err(RecvTimeoutError::Timeout) => pause = (pause * 2).min(PAUSES.end),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            continue;
        }
        pause = PAUSES.start;
        for Watched { signal, call } in over {
            call();
            drop(signal);
        }
    }
}
