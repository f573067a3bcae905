// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The work-group size of launches that name none.
//!
//! The size always divides the global size. A good one fills sub-groups, spreads the cost of a work-group over many
//! work-items, and gives every thread about the same number of work-groups. Where results may depend on the size, it is the same for
//! any number of threads: a sum over a group of floating-point numbers rounds by its order.

use oxur_compiler::KernelInfo;
use oxur_fork::Mutex;

/// The last choice: programs launch a kernel over one range again and again.
#[derive(Default)]
pub(super) struct Chosen {
    last: Mutex<Option<Choice>>,
}

struct Choice {
    global: [usize; 3],
    threads: usize,
    local: [usize; 3],
}

/// The largest work-group that is chosen. Larger ones gain nothing.
const MOST: usize = 1024;

/// The same for kernels whose work-items wait for each other, which keep a state for each item.
const MOST_WITH_BARRIERS: usize = 256;

/// The number of threads that sizes are chosen for where they must not depend on it: as many as most machines have, or more, so that all
/// get work.
const THREADS: usize = 16;

/// The cost of a work-group, in work-items.
const GROUP: usize = 16;

impl Chosen {
    /// The size for a launch of `wants` on so many threads, with at most `most` work-items.
    #[inline]
    pub(super) fn get(&self, global: &[usize], threads: usize, wants: &KernelInfo, most: usize) -> [usize; 3] {
        let global: [usize; 3] = std::array::from_fn(|d| global.get(d).copied().unwrap_or(1));
        let mut last = self.last.lock();
        match &*last {
            Some(last) if last.global == global && last.threads == threads => last.local,
            _ => {
                let (limit, for_threads) = match wants.has_barriers {
                    true => (MOST_WITH_BARRIERS, THREADS),
                    false => (MOST, threads),
                };
                let most = most.min(limit);
                let local = choose(global, for_threads, wants.collective_width.max(1) as usize, most);
                *last = Some(Choice { global, threads, local });
                local
            }
        }
    }
}

fn choose(global: [usize; 3], threads: usize, sub_group: usize, most: usize) -> [usize; 3] {
    let mut local = [1; 3];
    if global.contains(&0) {
        return local;
    }
    let all = global
        .iter()
        .fold(1, |all: u128, side| all.saturating_mul(*side as u128))
        .min(u64::MAX.into());
    // The cost of a work-item in groups of `size`, in thousandths.
    let cost = |size: usize| {
        let items = size as u128;
        let groups = all / items;
        // The launch takes as long as the threads with one group more than others. With many groups this does not
        // matter.
        let rounds = groups.div_ceil(threads as u128).saturating_mul(threads as u128);
        let lanes = size.next_multiple_of(sub_group) + GROUP;
        (lanes as u128 * 1000 / items).saturating_mul(rounds) / groups.max(1)
    };
    for d in 0..3 {
        let taken: usize = local.iter().product();
        let divisors = (1..=global[d].min(most / taken)).filter(|size| global[d].is_multiple_of(*size));
        // The largest of equally good sizes.
        local[d] = divisors.rev().min_by_key(|size| cost(taken * size)).unwrap_or(1);
    }
    local
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_divides() {
        let mut random = 12345u64;
        let mut number = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as usize % below
        };
        for _ in 0..2000 {
            let global = [1 + number(5000), 1 + number(70), 1 + number(9)];
            let (threads, sub_group, most) = (1 + number(64), [4, 8, 16, 32, 64][number(5)], 1 + number(1024));
            let local = choose(global, threads, sub_group, most);
            for d in 0..3 {
                assert!(local[d] >= 1 && global[d] % local[d] == 0, "{local:?} of {global:?}");
            }
            assert!(local.iter().product::<usize>() <= most);
        }
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        let size = |threads, has_barriers, items| {
            let wants = KernelInfo {
                has_barriers,
                collective_width: 16,
                ..KernelInfo::default()
            };
            Chosen::default().get(&[items], threads, &wants, 1024)
        };
        for items in [64, 640, 1000, 100_000] {
            let all = [1, 2, 3, 7, 64].map(|threads| size(threads, true, items));
            assert!(all.iter().all(|local| *local == all[0]), "{items}: {all:?}");
        }
        assert_ne!(
            size(1, false, 640),
            size(16, false, 640),
            "others spread over all threads"
        );
    }

    #[test]
    fn good_choices() {
        let one = |n| choose([n, 1, 1], 2, 16, 1024)[0];
        assert_eq!(one(1 << 20), 1024);
        // Two threads, each with half of the items in whole sub-groups.
        assert!(one(64) == 32, "{}", one(64));
        assert!(one(1_000_000) % 16 == 0 && one(1_000_000) >= 400, "{}", one(1_000_000));
        // For a prime, one large group is better than groups of one item.
        assert_eq!(one(1009), 1009);
        assert_eq!(one(1_000_003), 1);
        assert_eq!(one(1), 1);
        // The first dimension alone is too small.
        let two = choose([8, 1000, 1], 4, 16, 1024);
        assert!(two[0] == 8 && two[1] > 1, "{two:?}");
        assert_eq!(choose([0, 5, 5], 2, 16, 1024), [1; 3]);
        assert!(choose([usize::MAX, usize::MAX, usize::MAX], 2, 16, 1024)[0] > 1);
    }
}
