// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! References of an object that come and go with every command, as those that events have of their queue.
//!
//! Such an object counts its [loans](Loan) apart from its `Arc`s, as long as one thread has all of them: that takes no atomic
//! operation. While the client has the object, or there are loans, the object keeps itself by a reference of its own.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

use derive_where::derive_where;
use oxur_fork::InTurn;

use crate::Object;

/// The loans of an object.
#[derive_where(Default)]
pub struct Loans<T>(InTurn<Lent<T>>);

#[derive_where(Default)]
struct Lent<T> {
    count: usize,
    /// What keeps the object. There is one as long as there are loans.
    own: Option<Arc<T>>,
}

/// A reference of an object.
pub struct Loan<T: Object> {
    object: ManuallyDrop<Arc<T>>,
    /// Where it is counted, unless that is by the `Arc`.
    lent_by: Option<NonNull<Loans<T>>>,
}

// SAFETY: it is an `Arc`, and the loans are a part of what is in there.
unsafe impl<T: Object> Send for Loan<T> {}
// SAFETY: as above.
unsafe impl<T: Object> Sync for Loan<T> {}

impl<T: Object> Loans<T> {
    #[inline]
    fn lend(&self, object: &Arc<T>) -> bool {
        let lent = &mut *self.0.take();
        if lent.own.is_none() {
            // Nobody would tell that it is to end.
            if object.handle_cell().references() == 0 {
                return false;
            }
            lent.own = Some(object.clone());
        }
        lent.count += 1;
        true
    }

    /// The client has given its last reference of the object back.
    pub(crate) fn end(&self) {
        let own = {
            let lent = &mut *self.0.take();
            if lent.count == 0 { lent.own.take() } else { None }
        };
        // The object may go with it: not in turn.
        drop(own);
    }
}

impl<T: Object> Loan<T> {
    /// A reference of an object, of which `loans` is a member. Without them, or where another thread has some, too, it is counted by
    /// the `Arc`.
    #[inline]
    pub(crate) fn of(object: &Arc<T>, loans: Option<&Loans<T>>) -> Self {
        if let Some(loans) = loans
            && loans.0.claim()
            && loans.lend(object)
        {
            // SAFETY: what keeps the object keeps it as long as there is this loan, which takes no part in the count.
            let object = ManuallyDrop::new(unsafe { Arc::from_raw(Arc::as_ptr(object)) });
            let lent_by = Some(NonNull::from(loans));
            return Self { object, lent_by };
        }
        let (object, lent_by) = (ManuallyDrop::new(object.clone()), None);
        Self { object, lent_by }
    }
}

impl<T: Object> Deref for Loan<T> {
    type Target = Arc<T>;

    #[inline]
    fn deref(&self) -> &Arc<T> {
        &self.object
    }
}

impl<T: Object> Drop for Loan<T> {
    #[inline(always)]
    fn drop(&mut self) {
        let Some(loans) = self.lent_by else {
            // SAFETY: dropped once.
            return unsafe { ManuallyDrop::drop(&mut self.object) };
        };
        let own = {
            // SAFETY: a member of the object, which is there as long as this loan is counted.
            let lent = &mut *unsafe { loans.as_ref() }.0.take();
            // A child of `fork` may have lost count: then the object stays.
            lent.count = lent.count.saturating_sub(1);
            match lent.count == 0 && self.object.handle_cell().references() == 0 {
                true => lent.own.take(),
                false => None,
            }
        };
        // As above.
        drop(own);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use oxur_api::QueueHandle;

    use super::*;
    use crate::HandleCell;
    use crate::handle::{self, export};

    struct Queue {
        handle_cell: HandleCell,
        loans: Loans<Self>,
        dropped: Arc<AtomicUsize>,
    }

    impl Object for Queue {
        type Handle = QueueHandle;

        fn handle_cell(&self) -> &HandleCell {
            &self.handle_cell
        }
    }

    impl Drop for Queue {
        fn drop(&mut self) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn queue(dropped: &Arc<AtomicUsize>) -> Arc<Queue> {
        // Whether locks have owners shows after many turns.
        let turns = InTurn::new(0);
        (0..20_000).for_each(|_| *turns.take() += 1);
        Arc::new(Queue {
            handle_cell: HandleCell::new(),
            loans: Loans::default(),
            dropped: dropped.clone(),
        })
    }

    fn loan(queue: &Arc<Queue>) -> Loan<Queue> {
        Loan::of(queue, Some(&queue.loans))
    }

    /// What `urQueueRelease` does.
    fn release(handle: QueueHandle) {
        let end = |queue: Arc<Queue>| queue.loans.end();
        // SAFETY: a live handle.
        unsafe { handle::release_to::<Queue>(handle, end) }.unwrap();
    }

    #[test]
    fn the_object_goes_with_the_last_of_the_client_and_loans() {
        for client_first in [true, false] {
            let dropped = Arc::<AtomicUsize>::default();
            let queue = queue(&dropped);
            let handle = export(&queue);
            let loans: Vec<_> = (0..3).map(|_| loan(&queue)).collect();
            assert_eq!(loans[0].lent_by.is_some(), cfg!(not(miri)), "one thread has them");
            assert!(loans.iter().all(|loan| Arc::ptr_eq(loan, &queue)));
            drop(queue);
            if client_first {
                release(handle);
                assert_eq!(dropped.load(Ordering::Relaxed), 0);
                drop(loans);
            } else {
                drop(loans);
                assert_eq!(dropped.load(Ordering::Relaxed), 0);
                release(handle);
            }
            assert_eq!(dropped.load(Ordering::Relaxed), 1);
        }
    }

    #[test]
    fn loans_may_end_in_other_threads() {
        let dropped = Arc::<AtomicUsize>::default();
        let queue = queue(&dropped);
        let handle = export(&queue);
        let loans: Vec<_> = (0..100).map(|_| loan(&queue)).collect();
        assert!(loans.iter().all(|loan| loan.lent_by.is_some() == cfg!(not(miri))));
        std::thread::scope(|scope| {
            let mut first = loans;
            let second = first.split_off(50);
            scope.spawn(move || drop(first));
            scope.spawn(move || drop(second));
        });
        assert!(loan(&queue).lent_by.is_none(), "two threads count by the `Arc`");
        let last = loan(&queue);
        drop(queue);
        release(handle);
        assert_eq!(dropped.load(Ordering::Relaxed), 0);
        drop(last);
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn there_are_none_of_an_object_that_no_client_has() {
        let dropped = Arc::<AtomicUsize>::default();
        let queue = queue(&dropped);
        let loan = loan(&queue);
        assert!(loan.lent_by.is_none());
        drop(queue);
        drop(loan);
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
    }
}
