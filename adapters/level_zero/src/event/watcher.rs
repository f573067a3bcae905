// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A thread that calls functions when events are signalled: Level Zero does not call anybody.

use std::sync::mpsc::{Receiver, Sender, channel};

use kit::ur::ResultCode;
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_fork::OnceLock;

use super::EventRef;
use crate::ze;

/// How long the thread waits for one event before it looks at the others, in nanoseconds: the longer, the longer nothing
/// has happened.
const TURNS: std::ops::Range<u64> = 20_000..1_000_000;

struct Watched {
    event: EventRef,
    call: Box<dyn FnOnce() + Send>,
}

static WATCHER: OnceLock<Option<Sender<Watched>>> = OnceLock::new();

/// Has a function called when an event is signalled: at once if it is already.
pub(crate) fn when_over(event: &EventRef, call: impl FnOnce() + Send + 'static) -> UrResult<()> {
    if event.is_over() {
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
        event: event.clone(),
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
    let mut turn = TURNS.start;
    loop {
        if watched.is_empty() {
            match receive.recv() {
                Ok(new) => watched.push(new),
                Err(_) => return,
            }
            turn = TURNS.start;
        }
        let known = watched.len();
        watched.extend(receive.try_iter());
        let over: Vec<Watched> = watched.extract_if(.., |watched| watched.event.is_over()).collect();
        if !over.is_empty() || watched.len() > known {
            turn = TURNS.start;
        }
        if over.is_empty()
            && let Some(first) = watched.first()
        {
            first.event.wait_for(turn);
            turn = (turn * 2).min(TURNS.end);
        }
        if kit::is_closed() || ze::is_lost() {
            return;
        }
        for Watched { event, call } in over {
            call();
            drop(event);
        }
    }
}
