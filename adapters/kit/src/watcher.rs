// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What is known of commands by events of a driver that calls nobody back: a thread looks at events that somebody wants to
//! know of, and [`Marker`]s say when several commands are complete.

use std::any::Any;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use oxur_fork::OnceLock;

use crate::own_threads::InDriver;
use crate::{InFlight, TrackedQueue, UrResult, defer_drop};

/// An event of a driver, which anybody may ask.
pub trait Watch: Clone + Send + Sync + 'static {
    /// Whether its command is complete, or failed.
    fn is_over(&self) -> bool;

    /// Waits for it. That the command failed may be an error.
    fn wait(&self) -> UrResult<()>;

    /// Waits for it for so long. `false` where the driver has no such wait: then the thread sleeps.
    fn wait_for(&self, _time: Duration) -> bool {
        false
    }

    /// Whether the driver must not be asked any more, as in a child of `fork`.
    fn is_lost() -> bool;
}

/// Events that are over when commands are complete.
#[derive(Clone)]
pub struct Marker<W>(Arc<[W]>);

impl<W> From<Vec<W>> for Marker<W> {
    fn from(events: Vec<W>) -> Self {
        Self(events.into())
    }
}

impl<W: Watch> Marker<W> {
    /// That of a command.
    pub fn of(event: &W) -> Self {
        Self(Arc::new([event.clone()]))
    }

    /// Whether the commands are complete.
    pub fn is_over(&self) -> bool {
        self.0.iter().all(W::is_over)
    }

    /// Waits for them.
    pub fn wait(&self) -> UrResult<()> {
        self.0.iter().map(W::wait).fold(Ok(()), Result::and)
    }

    /// The events.
    pub fn events(&self) -> &[W] {
        &self.0
    }
}

/// A thread that watches events of a driver: a `static` of the adapter's. The thread starts when there is something to watch.
pub struct Watcher<W>(OnceLock<Option<Sender<Watched<W>>>>);

struct Watched<W> {
    event: W,
    call: Box<dyn FnOnce() + Send>,
}

/// How long the thread waits for one event before it looks at the others: the longer, the longer nothing has happened.
const TURNS: std::ops::Range<Duration> = Duration::from_micros(20)..Duration::from_millis(1);

impl<W: Watch> Watcher<W> {
    /// One that watches nothing yet.
    #[allow(clippy::new_without_default, reason = "a `static` needs a constant function")]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Has a function called when an event is over: at once if it is already.
    pub fn when_over(&'static self, event: &W, call: impl FnOnce() + Send + 'static) -> UrResult<()> {
        if event.is_over() {
            call();
            return Ok(());
        }
        let sender = self.0.get_or_init(|| {
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
        match sender.as_ref().map(|sender| sender.send(watched)) {
            Some(Ok(())) => Ok(()),
            _ => Err(crate::error!(ERROR_OUT_OF_RESOURCES: "no thread watches events")),
        }
    }

    /// Drops what unfinished commands of these queues may use, when they are complete.
    pub fn retire<Q>(&'static self, in_flight: &InFlight<Q>, object: impl Any + Send)
    where
        Q: TrackedQueue<Marker = Marker<W>>,
    {
        if W::is_lost() || in_flight.is_idle() {
            return;
        }
        match in_flight.unfinished() {
            Ok(markers) if markers.is_empty() => drop(object),
            Ok(markers) => {
                let events = markers.iter().flat_map(Marker::events).cloned().collect();
                self.drop_after(events, Deferred(Some(Box::new(object))));
            }
            Err(error) => {
                // Its memory may be in use.
                std::mem::forget(object);
                log::warn!("an object is never freed, because the driver does not say which commands use it: {error}");
            }
        }
    }

    fn drop_after(&'static self, mut events: Vec<W>, object: Deferred) {
        events.retain(|event| !event.is_over());
        let Some(first) = events.first().cloned() else {
            return drop(object);
        };
        if let Err(error) = self.when_over(&first, move || self.drop_after(events, object)) {
            log::warn!("an object may end before the commands that use it: {error}");
        }
    }
}

/// Is dropped in another thread than the one that watches: the ends of objects call the driver, and the client.
struct Deferred(Option<Box<dyn Any + Send>>);

impl Drop for Deferred {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            defer_drop(object);
        }
    }
}

fn watch<W: Watch>(receive: &Receiver<Watched<W>>) {
    let mut watched: Vec<Watched<W>> = Vec::new();
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
        let Some(inside) = InDriver::enter().filter(|_| !W::is_lost()) else {
            return;
        };
        let over: Vec<_> = watched.extract_if(.., |watched| watched.event.is_over()).collect();
        if !over.is_empty() || watched.len() > known {
            turn = TURNS.start;
        }
        if over.is_empty()
            && let Some(first) = watched.first()
        {
            if !first.event.wait_for(turn) {
                drop(inside);
                match receive.recv_timeout(turn) {
                    Ok(new) => {
                        watched.push(new);
                        turn = TURNS.start;
                        continue;
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            turn = (turn * 2).min(TURNS.end);
        }
        for Watched { event, call } in over {
            call();
            drop(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    #[derive(Clone, Default)]
    struct Flag(Arc<AtomicBool>);

    impl Flag {
        fn set(&self) {
            self.0.store(true, Ordering::Release);
        }
    }

    impl Watch for Flag {
        fn is_over(&self) -> bool {
            assert!(!oxur_fork::is_inside(), "a driver is asked without locks");
            self.0.load(Ordering::Acquire)
        }

        fn wait(&self) -> UrResult<()> {
            while !self.is_over() {
                std::thread::yield_now();
            }
            Ok(())
        }

        fn is_lost() -> bool {
            false
        }
    }

    /// A queue with one command.
    struct Queue(Flag);

    impl TrackedQueue for Queue {
        type Marker = Marker<Flag>;

        fn unfinished(&self) -> UrResult<Option<Marker<Flag>>> {
            Ok((!self.0.is_over()).then(|| Marker::of(&self.0)))
        }

        fn is_over(marker: &Marker<Flag>) -> bool {
            marker.is_over()
        }
    }

    struct Ends(mpsc::Sender<()>);

    impl Drop for Ends {
        fn drop(&mut self) {
            _ = self.0.send(());
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "the thread stays for ever, and Miri wants all of them to end")]
    fn functions_are_called_when_their_events_are_over() {
        static WATCHER: Watcher<Flag> = Watcher::new();
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let flags: Vec<Flag> = (0..4).map(|_| Flag::default()).collect();
        let (send, receive) = mpsc::channel();
        flags[0].set();
        for (index, flag) in flags.iter().enumerate() {
            let send = send.clone();
            let call = move || {
                CALLS.fetch_add(1, Ordering::Relaxed);
                _ = send.send(index);
            };
            WATCHER.when_over(flag, call).unwrap();
        }
        assert_eq!(CALLS.load(Ordering::Relaxed), 1, "the first was over before");
        for index in [2, 3, 1] {
            flags[index].set();
        }
        let mut called: Vec<usize> = receive.iter().take(4).collect();
        called.sort_unstable();
        assert_eq!(called, [0, 1, 2, 3]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "the thread stays for ever, and Miri wants all of them to end")]
    fn objects_end_behind_the_commands_that_use_them() {
        static WATCHER: Watcher<Flag> = Watcher::new();
        let in_flight = Arc::new(InFlight::default());
        let queues: Vec<_> = (0..3).map(|_| Arc::new(Queue(Flag::default()))).collect();
        queues.iter().for_each(|queue| in_flight.add(queue));
        let (send, receive) = mpsc::channel();
        WATCHER.retire(&in_flight, Ends(send.clone()));
        receive.recv().unwrap();
        in_flight.mark_busy();
        WATCHER.retire(&in_flight, Ends(send));
        for queue in &queues {
            assert!(receive.try_recv().is_err());
            std::thread::sleep(Duration::from_millis(5));
            assert!(receive.try_recv().is_err(), "a command is unfinished");
            queue.0.set();
        }
        receive.recv().unwrap();
    }

    #[test]
    fn markers_of_queues_that_are_gone() {
        let in_flight = Arc::new(InFlight::default());
        let flag = Flag::default();
        let queue = Arc::new(Queue(flag.clone()));
        in_flight.add(&queue);
        in_flight.leave(&queue, Some(Marker::of(&flag)));
        drop(queue);
        assert_eq!(in_flight.unfinished().unwrap().len(), 1);
        assert!(in_flight.fence().unwrap().is_some());
        flag.set();
        assert!(in_flight.unfinished().unwrap().is_empty() && in_flight.is_idle());
    }
}
