// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Callbacks for the states of a command. They run one at a time, in the order of the states.

use std::collections::VecDeque;

use super::status::Status;

/// A callback, called with the state that the command has reached.
pub(super) type Callback = Box<dyn FnOnce(Status) + Send>;

/// Callbacks that wait for a state of the command, or for their turn.
#[derive(Default)]
pub(super) struct Callbacks {
    waiting: Vec<(Status, Callback)>,
    ready: VecDeque<(Callback, Status)>,
    /// Whether a thread runs callbacks. It will ask for the [`next`](Callbacks::next) one.
    calling: bool,
}

impl Callbacks {
    /// Adds a callback. Returns it if the caller should call it now, because the state is reached and no other callback
    /// runs.
    pub(super) fn add(&mut self, status: Status, call: Callback, reached: bool) -> Option<Callback> {
        match reached {
            true if !self.calling => return Some(call),
            true => self.ready.push_back((call, status)),
            false => self.waiting.push((status, call)),
        }
        None
    }

    /// Makes the callbacks for a state ready. Returns whether the caller must find a thread to run them, because none does.
    pub(super) fn reach(&mut self, reached: Status) -> bool {
        let mut ready: Vec<_> = self.waiting.extract_if(.., |(status, _)| *status <= reached).collect();
        ready.sort_by_key(|(status, _)| *status);
        self.ready
            .extend(ready.into_iter().map(|(status, call)| (call, status)));
        let start = !self.calling && !self.ready.is_empty();
        self.calling |= start;
        start
    }

    /// The next callback to call, with its state.
    pub(super) fn next(&mut self) -> Option<(Callback, Status)> {
        let next = self.ready.pop_front();
        self.calling = next.is_some();
        next
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn in_order() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let call = |name: &'static str| -> Callback {
            let seen = seen.clone();
            Box::new(move |status| seen.lock().unwrap().push((name, status)))
        };
        let mut calls = Callbacks::default();
        assert!(calls.add(Status::Over, call("last"), false).is_none());
        assert!(calls.add(Status::Submitted, call("first"), false).is_none());
        assert!(calls.add(Status::Queued, call("now"), true).is_some());
        assert!(!calls.reach(Status::Queued));
        assert!(calls.reach(Status::Submitted));
        assert!(!calls.reach(Status::Over), "a thread already runs callbacks");
        assert!(calls.add(Status::Over, call("very last"), true).is_none());
        while let Some((call, status)) = calls.next() {
            call(status);
        }
        assert_eq!(
            *seen.lock().unwrap(),
            [
                ("first", Status::Submitted),
                ("last", Status::Over),
                ("very last", Status::Over)
            ]
        );
        assert!(calls.add(Status::Over, call("late"), true).is_some());
    }
}
