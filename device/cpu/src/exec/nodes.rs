// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which NUMA node each thread of a pool runs on.
//!
//! A thread takes the [share](super::chunks) of a command that has its number, the same one each time, and Linux places memory on the
//! node whose thread writes to it first. So threads with neighbouring numbers stay on one node, on any of its CPUs: they find again on
//! their node what they wrote there.

use super::client_threads;
use super::system::{self, CpuSet};
use crate::machine::topology::{self, Domain};

/// Machines with several nodes have more CPUs than this. Smaller ones are not asked: that would take longer than some commands.
const SMALL: usize = 8;

/// The CPUs of a pool, by node.
#[derive(Debug)]
pub(super) struct Nodes {
    all: CpuSet,
    /// How many CPUs there are up to the end of each node, and its CPUs. Empty if there is one node.
    each: Vec<(usize, CpuSet)>,
}

impl Nodes {
    pub(super) fn of(cpus: &[usize]) -> Self {
        let parts = match cpus.len() > SMALL {
            true => topology::divide(cpus, Domain::Numa),
            false => None,
        };
        Self::new(cpus, parts.unwrap_or_default())
    }

    fn new(cpus: &[usize], parts: Vec<Vec<usize>>) -> Self {
        let mut end = 0;
        let each = parts.iter().map(|part| {
            end += part.len();
            (end, CpuSet::of(part))
        });
        Self {
            each: each.collect(),
            all: CpuSet::of(cpus),
        }
    }

    /// The CPUs for one of so many threads.
    fn of_thread(&self, index: usize, threads: usize) -> &CpuSet {
        let count = self.each.last().map_or(0, |last| last.0);
        let place = index * count / threads;
        let node = self.each.iter().find(|(end, _)| place < *end);
        node.map_or(&self.all, |(_, cpus)| cpus)
    }

    /// Places the calling thread. Threads that it starts for the client may run on all CPUs.
    pub(super) fn place(&'static self, index: usize, threads: usize) {
        system::set_affinity(system::this_thread(), self.of_thread(index, threads));
        if !self.each.is_empty() {
            client_threads::inherit(&self.all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes of all threads, by their first CPUs.
    fn firsts(nodes: &Nodes, threads: usize) -> Vec<u32> {
        let of = |index| nodes.of_thread(index, threads);
        (0..threads).map(|index| of(index).first().unwrap()).collect()
    }

    #[test]
    fn neighbours_share_a_node() {
        let cpus: Vec<usize> = (0..12).collect();
        let one = Nodes::new(&cpus, Vec::new());
        assert_eq!(firsts(&one, 4), [0; 4]);
        // Where CPUs are numbered in turns, as on machines with two threads a core.
        let two = Nodes::new(&cpus, vec![vec![0, 1, 2, 6, 7, 8], vec![3, 4, 5, 9, 10, 11]]);
        assert_eq!(firsts(&two, 12), [[0; 6], [3; 6]].concat());
        assert_eq!(firsts(&two, 5), [0, 0, 0, 3, 3]);
        assert_eq!(firsts(&two, 1), [0]);
        // A process may have a part of a node.
        let uneven = Nodes::new(&cpus[..9], vec![vec![0, 1, 2, 3, 4, 5, 6], vec![7, 8]]);
        assert_eq!(firsts(&uneven, 9), [[0; 7].as_slice(), &[7; 2]].concat());
    }

    #[test]
    fn a_small_machine_has_one_node() {
        assert!(Nodes::of(&[0, 1]).each.is_empty());
    }
}
