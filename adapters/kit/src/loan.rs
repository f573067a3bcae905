// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! References of an object that come and go with every command, as those that events have of their queue.
//!
//! Such an object counts its [loans](Loan) apart from its `Arc`s, as long as one thread has all of them: that takes no atomic
//! operation. While the client has the object, or there are loans, the object keeps itself by a reference of its own.
//!
//! What has had a loan may rest with the object until the next such thing is needed, and is the same memory then.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

use derive_where::derive_where;
use oxur_fork::{InTurn, InTurnGuard};

use crate::Object;

/// How much rests with an object at most.
const MOST_RESTING: usize = 128;

/// The loans of an object. Such as `R` may rest with it.
#[derive_where(Default)]
pub struct Loans<T, R>(InTurn<Lent<T, R>>);

#[derive_where(Default)]
struct Lent<T, R> {
    count: usize,
    /// What keeps the object. There is one as long as there are loans.
    own: Option<Arc<T>>,
    /// The only references.
    resting: Vec<Arc<R>>,
}

/// A reference of an object.
pub struct Loan<T: Object, R> {
    object: ManuallyDrop<Arc<T>>,
    /// Where it is counted, unless that is by the `Arc`.
    lent_by: Option<NonNull<Loans<T, R>>>,
}

// SAFETY: it is an `Arc`, and the loans are a part of what is in there.
unsafe impl<T: Object, R: Send + Sync> Send for Loan<T, R> {}
// SAFETY: as above.
unsafe impl<T: Object, R: Send + Sync> Sync for Loan<T, R> {}

impl<T, R> Lent<T, R> {
    #[inline(always)]
    fn lend(&mut self, object: &Arc<T>) -> bool
    where
        T: Object,
    {
        if self.own.is_none() {
            // Nobody would tell that it is to end.
            if object.handle_cell().references() == 0 {
                return false;
            }
            self.own = Some(object.clone());
        }
        self.count += 1;
        true
    }
}

impl<T: Object, R> Loans<T, R> {
    /// Something that rests with an object, of which this is a member, and a loan for it; if the calling thread has the loans for itself.
    #[inline(always)]
    pub(crate) fn resting(&self, object: &Arc<T>) -> Option<(Arc<R>, Loan<T, R>)> {
        if !self.0.claim() {
            return None;
        }
        let lent = &mut *self.0.take();
        let resting = lent.resting.pop()?;
        match lent.lend(object) {
            true => Some((resting, Loan::lent(object, self))),
            false => None,
        }
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

impl<T: Object, R> Loan<T, R> {
    /// A reference of an object, of which `loans` is a member. Without them, or where another thread has some, too, it is counted by
    /// the `Arc`.
    #[inline]
    pub(crate) fn of(object: &Arc<T>, loans: Option<&Loans<T, R>>) -> Self {
        if let Some(loans) = loans
            && loans.0.claim()
            && loans.0.take().lend(object)
        {
            return Self::lent(object, loans);
        }
        let (object, lent_by) = (ManuallyDrop::new(object.clone()), None);
        Self { object, lent_by }
    }

    /// A loan that was counted.
    #[inline(always)]
    fn lent(object: &Arc<T>, loans: &Loans<T, R>) -> Self {
        Self {
            // SAFETY: what keeps the object keeps it as long as there is this loan, which takes no part in the count.
            object: ManuallyDrop::new(unsafe { Arc::from_raw(Arc::as_ptr(object)) }),
            lent_by: Some(NonNull::from(loans)),
        }
    }

    /// A place for what has this loan to rest with the object; if the calling thread has the loans for itself, there is room, and
    /// the object does not end with this loan.
    #[inline(always)]
    pub(crate) fn place<'a>(&self) -> Option<RestingPlace<'a, T, R>> {
        // SAFETY: a member of the object, which is there as long as this loan is counted, and as long as somebody has the turn.
        let loans = unsafe { self.lent_by?.as_ref() };
        if !loans.0.claim() {
            return None;
        }
        let lent = loans.0.take();
        let ends = lent.count <= 1 && self.object.handle_cell().references() == 0;
        (!ends && lent.resting.len() < MOST_RESTING).then_some(RestingPlace(lent))
    }

    /// Ends it without counting.
    #[inline(always)]
    pub(crate) fn forget(self) {
        _ = ManuallyDrop::new(self);
    }
}

/// Where something may rest whose loan is to end.
pub(crate) struct RestingPlace<'a, T, R>(InTurnGuard<'a, Lent<T, R>>);

impl<T, R> RestingPlace<'_, T, R> {
    /// Has it rest. Its loan is counted no more, and the caller [forgets](Loan::forget) it.
    #[inline(always)]
    pub(crate) fn take(mut self, resting: Arc<R>) {
        self.0.count = self.0.count.saturating_sub(1);
        self.0.resting.push(resting);
    }
}

impl<T: Object, R> Deref for Loan<T, R> {
    type Target = Arc<T>;

    #[inline]
    fn deref(&self) -> &Arc<T> {
        &self.object
    }
}

impl<T: Object, R> Drop for Loan<T, R> {
    #[inline(always)]
    fn drop(&mut self) {
        let Some(loans) = self.lent_by else {
            // SAFETY: dropped once.
            return unsafe { ManuallyDrop::drop(&mut self.object) };
        };
        let own = {
            // SAFETY: a member of the object, which is there as long as this loan is counted.
            let mut lent = unsafe { loans.as_ref() }.0.take();
            if !lent.is_owners() {
                // Nobody would use it again. It needs the object, which is there until this is counted.
                drop(std::mem::take(&mut lent.resting));
            }
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
        loans: Loans<Self, u32>,
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

    fn loan(queue: &Arc<Queue>) -> Loan<Queue, u32> {
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
    fn what_had_a_loan_rests_with_the_object() {
        let dropped = Arc::<AtomicUsize>::default();
        let queue = queue(&dropped);
        let handle = export(&queue);
        let rest = |loan: Loan<Queue, u32>, number| {
            let place = loan.place();
            let rests = place.is_some();
            if let Some(place) = place {
                place.take(Arc::new(number));
                loan.forget();
            }
            rests
        };
        assert!(queue.loans.resting(&queue).is_none());
        if cfg!(miri) {
            // No thread has them for itself there.
            assert!(!rest(loan(&queue), 0));
            return release(handle);
        }
        for number in 0..MOST_RESTING as u32 {
            assert!(rest(loan(&queue), number));
        }
        assert!(!rest(loan(&queue), 0), "there is no room");
        let (last, again) = queue.loans.resting(&queue).expect("one rests");
        assert_eq!(*last, MOST_RESTING as u32 - 1);
        let others = loan(&queue);
        release(handle);
        drop(queue);
        assert!(rest(again, 0), "another loan is there");
        assert_eq!(dropped.load(Ordering::Relaxed), 0);
        assert!(!rest(others, 0), "the object ends with this one");
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn what_rests_is_one_threads() {
        let dropped = Arc::<AtomicUsize>::default();
        let queue = queue(&dropped);
        let handle = export(&queue);
        let [first, second] = [loan(&queue), loan(&queue)];
        if let Some(place) = first.place() {
            place.take(Arc::new(1));
            first.forget();
        }
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(second.place().is_none());
                drop(second);
            });
        });
        assert!(queue.loans.resting(&queue).is_none(), "there are two threads");
        assert!(queue.loans.0.take().resting.is_empty(), "nobody would use it again");
        release(handle);
        drop(queue);
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
