// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The memory of lists of commands, used again: a list that grows is moved again and again, and large ones come from the
//! system page by page.

use std::any::Any;
use std::cell::RefCell;

use super::{FEW_COMMANDS, Node};
use crate::Backend;

/// How much memory a thread keeps, in bytes.
const MOST: usize = 1 << 20;

thread_local! {
    /// A list without commands: the longest that the thread has given up. Of one type, because an adapter has one type of
    /// commands.
    static KEPT: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// An empty list.
pub(super) fn take<B: Backend>() -> Vec<Node<B>> {
    let take = |kept: &RefCell<Option<Box<dyn Any>>>| {
        let mut kept = kept.try_borrow_mut().ok()?;
        let list = kept.as_mut()?.downcast_mut::<Vec<Node<B>>>()?;
        (list.capacity() != 0).then(|| std::mem::take(list))
    };
    let kept = KEPT.try_with(take).ok().flatten();
    kept.unwrap_or_else(|| Vec::with_capacity(FEW_COMMANDS))
}

/// Drops commands. Most copies and fills own nothing: a call for each would take as long as all else here.
fn clear<B: Backend>(list: &mut Vec<Node<B>>) {
    let nodes = list.as_mut_ptr_range();
    // SAFETY: the list has none of them any more, whatever happens; each is dropped once.
    unsafe {
        list.set_len(0);
        let mut node = nodes.start;
        while node != nodes.end {
            if (*node).owns() {
                node.drop_in_place();
            }
            node = node.add(1);
        }
    }
}

/// Keeps the memory of a list whose commands are over.
pub(super) fn put<B: Backend>(mut list: Vec<Node<B>>) {
    // The ends of commands may make and end command buffers of the client's.
    clear(&mut list);
    if list.capacity() * size_of::<Node<B>>() > MOST {
        return;
    }
    _ = KEPT.try_with(|kept| {
        let Ok(mut kept) = kept.try_borrow_mut() else { return };
        let known = kept.as_mut().and_then(|known| known.downcast_mut::<Vec<Node<B>>>());
        match known {
            Some(known) if known.capacity() >= list.capacity() => {}
            Some(known) => *known = list,
            None => *kept = Some(Box::new(list)),
        }
    });
}
