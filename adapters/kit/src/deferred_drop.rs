// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A thread for the ends of objects.

use std::any::Any;
use std::collections::VecDeque;
use std::mem::forget;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use oxur_fork::LazyLock;

use crate::own_threads::InDriver;

type Object = Box<dyn Any + Send>;

/// An object, and when it may be dropped.
type Deferred = (Instant, Object);

static DROPS: LazyLock<Sender<Deferred>> = LazyLock::new(|| {
    let (send, receive) = channel();
    let drop_all = move || drop_when_due(&receive);
    if let Err(error) = std::thread::Builder::new().name("ur reaper".into()).spawn(drop_all) {
        log::warn!("no thread for the ends of objects: {error}");
    }
    send
});

/// Drops an object in another thread. It may be what kept a queue or a context, whose ends wait for the driver and call the
/// client: nothing for a thread that the driver calls back from.
pub fn defer_drop(object: impl Any + Send) {
    defer_drop_by(Duration::ZERO, object);
}

/// The same, after a while, unless the process ends before.
pub fn defer_drop_by(delay: Duration, object: impl Any + Send) {
    // Without the thread the object comes back, and goes here all the same.
    _ = DROPS.send((Instant::now() + delay, Box::new(object)));
}

fn drop_when_due(receive: &Receiver<Deferred>) {
    // The next one first.
    let mut waiting: VecDeque<Deferred> = VecDeque::new();
    loop {
        let received = match waiting.front() {
            Some((due, _)) => receive.recv_timeout(due.saturating_duration_since(Instant::now())),
            None => receive.recv().map_err(RecvTimeoutError::from),
        };
        match received {
            Ok(deferred) => {
                let place = waiting.partition_point(|(due, _)| *due <= deferred.0);
                waiting.insert(place, deferred);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let now = Instant::now();
        while let Some((_, object)) = waiting.pop_front_if(|(due, _)| *due <= now) {
            match InDriver::enter() {
                None => forget(object),
                Some(_inside) => drop(object),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread::{self, ThreadId};

    use super::*;

    struct Ends(mpsc::Sender<ThreadId>);

    impl Drop for Ends {
        fn drop(&mut self) {
            self.0.send(thread::current().id()).unwrap();
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "the thread stays for ever, and Miri wants all of them to end")]
    fn objects_end_in_another_thread() {
        let (send, receive) = mpsc::channel();
        defer_drop(Ends(send.clone()));
        defer_drop(Ends(send));
        let ended = [receive.recv().unwrap(), receive.recv().unwrap()];
        assert!(ended[0] == ended[1] && ended[0] != thread::current().id());
    }

    #[test]
    #[cfg_attr(miri, ignore = "the thread stays for ever, and Miri wants all of them to end")]
    fn objects_end_after_a_while() {
        struct At(mpsc::Sender<(u32, Instant)>, u32);

        impl Drop for At {
            fn drop(&mut self) {
                self.0.send((self.1, Instant::now())).unwrap();
            }
        }
        const HOUR: u32 = 3_600_000;
        let ((send, receive), start) = (mpsc::channel(), Instant::now());
        for delay in [HOUR, 200, 400] {
            defer_drop_by(Duration::from_millis(delay.into()), At(send.clone(), delay));
        }
        defer_drop(At(send, 0));
        // None of them waits for the one that came first. On a busy machine several are due at once, in any order.
        let mut delays = [0; 3].map(|_| {
            let (delay, ended) = receive.recv_timeout(Duration::from_secs(120)).unwrap();
            assert!(ended.duration_since(start) >= Duration::from_millis(delay.into()));
            delay
        });
        delays.sort_unstable();
        assert_eq!(delays, [0, 200, 400]);
    }
}
