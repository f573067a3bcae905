// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A thread for the ends of objects.

use std::any::Any;
use std::sync::mpsc::{Sender, channel};

use oxur_fork::LazyLock;

/// Drops an object in another thread. It may be what kept a queue or a context, whose ends wait for the driver and call the
/// client: nothing for a thread that the driver calls back from.
pub fn defer_drop(object: impl Any + Send) {
    static DROPS: LazyLock<Sender<Box<dyn Any + Send>>> = LazyLock::new(|| {
        let (send, receive) = channel();
        let drop_all = move || receive.into_iter().for_each(drop);
        if let Err(error) = std::thread::Builder::new().name("ur reaper".into()).spawn(drop_all) {
            log::warn!("no thread for the ends of objects: {error}");
        }
        send
    });
    // Without the thread the object comes back, and goes here all the same.
    _ = DROPS.send(Box::new(object));
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
}
