// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Callbacks for the progress of a command. They run one at a time, in the order of the states.

use std::collections::VecDeque;

use super::progress::Progress;

/// A callback, called with the state that the command has reached.
pub(super) type Callback = Box<dyn FnOnce(Progress) + Send>;

/// Callbacks that wait for a state of the command, or for their turn.
#[derive(Default)]
pub(super) struct Callbacks {
    waiting: Vec<(Progress, Callback)>,
    ready: VecDeque<(Callback, Progress)>,
    /// Whether a thread runs callbacks. It will ask for the [`next`](Callbacks::next) one.
    calling: bool,
}

impl Callbacks {
    /// Adds a callback. Returns it if the caller should call it now, because the state is reached and no other callback
    /// runs.
    pub(super) fn add(&mut self, progress: Progress, call: Callback, reached: bool) -> Option<Callback> {
        match reached {
            true if !self.calling => return Some(call),
            true => self.ready.push_back((call, progress)),
            false => self.waiting.push((progress, call)),
        }
        None
    }

    /// Makes the callbacks for a state ready. Returns whether the caller must find a thread to run them, because none does.
    pub(super) fn reach(&mut self, reached: Progress) -> bool {
        let mut ready: Vec<_> = self
            .waiting
            .extract_if(.., |(progress, _)| *progress <= reached)
            .collect();
        ready.sort_by_key(|(progress, _)| *progress);
        self.ready
            .extend(ready.into_iter().map(|(progress, call)| (call, progress)));
        let start = !self.calling && !self.ready.is_empty();
        self.calling |= start;
        start
    }

    /// The next callback to call, with its state.
    pub(super) fn next(&mut self) -> Option<(Callback, Progress)> {
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
            Box::new(move |progress| seen.lock().unwrap().push((name, progress)))
        };
        let mut calls = Callbacks::default();
        assert!(calls.add(Progress::Over, call("last"), false).is_none());
        assert!(calls.add(Progress::Submitted, call("first"), false).is_none());
        assert!(calls.add(Progress::Queued, call("now"), true).is_some());
        assert!(!calls.reach(Progress::Queued));
        assert!(calls.reach(Progress::Submitted));
        assert!(!calls.reach(Progress::Over), "a thread already runs callbacks");
        assert!(calls.add(Progress::Over, call("very last"), true).is_none());
        while let Some((call, progress)) = calls.next() {
            call(progress);
        }
        assert_eq!(
            *seen.lock().unwrap(),
            [
                ("first", Progress::Submitted),
                ("last", Progress::Over),
                ("very last", Progress::Over)
            ]
        );
        assert!(calls.add(Progress::Over, call("late"), true).is_some());
    }
}
