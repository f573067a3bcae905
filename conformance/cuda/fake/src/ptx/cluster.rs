// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Clusters: blocks that wait for each other, and reach each other's shared memory.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use oxur_cuda_sys::*;

use super::Launch;

/// The most blocks of a cluster: what every GPU that has clusters runs.
const MOST_BLOCKS: u32 = 8;

/// In an address of shared memory, where the number of the block in its cluster begins, and 1 is added to it: an address of
/// the thread's own block has 0 there.
const BLOCK_BITS: u32 = 24;

/// The shared memory of a block.
pub type Shared = Rc<[Cell<u8>]>;

/// Shared memory that other blocks may reach, by the numbers of the blocks. Blocks that are over have none.
pub type Reachable = RefCell<HashMap<[u32; 3], Weak<[Cell<u8>]>>>;

impl Launch {
    /// Has blocks run in clusters, if they are asked for or the kernel has them.
    pub fn set_cluster(&mut self, asked: Option<[u32; 3]>) -> Result<(), CUresult> {
        let own = self.code.entries[self.entry].cluster;
        let Some(cluster) = asked.or(own) else {
            return Ok(());
        };
        let fits = (0..3).all(|d| cluster[d] != 0 && self.grid[d].is_multiple_of(cluster[d]));
        let blocks = cluster.iter().try_fold(1_u32, |all, &size| all.checked_mul(size));
        if !fits || blocks.is_none_or(|blocks| blocks > MOST_BLOCKS) || own.is_some_and(|own| own != cluster) {
            return Err(CUDA_ERROR_INVALID_CLUSTER_SIZE);
        }
        self.cluster = Some(cluster);
        Ok(())
    }

    /// The blocks of a cluster; without clusters, each has one for itself.
    fn cluster_size(&self) -> [u32; 3] {
        self.cluster.unwrap_or([1; 3])
    }

    /// What `special` says of a block.
    pub fn of_cluster(&self, special: ClusterFact, block: [u32; 3]) -> u32 {
        let size = self.cluster_size();
        match special {
            ClusterFact::Id(d) => block[d] / size[d],
            ClusterFact::Count(d) => self.grid[d] / size[d],
            ClusterFact::Block(d) => block[d] % size[d],
            ClusterFact::Blocks(d) => size[d],
            ClusterFact::Rank => {
                let [x, y, z] = [0, 1, 2].map(|d| block[d] % size[d]);
                x + size[0] * (y + size[1] * z)
            }
            ClusterFact::Ranks => size.iter().product(),
            ClusterFact::IsExplicit => self.cluster.is_some().into(),
        }
    }

    /// The cluster of a block.
    pub fn cluster_of(&self, block: [u32; 3]) -> [u32; 3] {
        [0, 1, 2].map(|d| self.of_cluster(ClusterFact::Id(d), block))
    }

    /// The block of a cluster that has a rank.
    fn ranked(&self, block: [u32; 3], rank: u32) -> Option<[u32; 3]> {
        let (size, cluster) = (self.cluster_size(), self.cluster_of(block));
        let [x, y, z] = [rank % size[0], rank / size[0] % size[1], rank / size[0] / size[1]];
        let in_cluster = [x, y, z];
        (z < size[2]).then(|| [0, 1, 2].map(|d| cluster[d] * size[d] + in_cluster[d]))
    }

    /// The shared memory that an address is in, and where, for a block.
    pub fn shared_at(&self, block: [u32; 3], own: &Shared, all: &Reachable, address: u64) -> Option<(Shared, usize)> {
        let offset = address as usize & ((1 << BLOCK_BITS) - 1);
        match u32::try_from(address >> BLOCK_BITS).ok()?.checked_sub(1) {
            None => Some((own.clone(), offset)),
            Some(rank) => {
                let other = self.ranked(block, rank)?;
                Some((all.borrow().get(&other)?.upgrade()?, offset))
            }
        }
    }
}

/// The address of what another block of the cluster has at an address of shared memory.
pub fn map_address(address: u64, rank: u64) -> u64 {
    address & !(0xff << BLOCK_BITS) | (rank.min(0x7e) + 1) << BLOCK_BITS
}

/// What threads may ask of clusters.
#[derive(Clone, Copy, Debug)]
pub enum ClusterFact {
    /// Of all clusters, in a dimension.
    Id(usize),
    Count(usize),
    /// Of the blocks in it.
    Block(usize),
    Blocks(usize),
    Rank,
    Ranks,
    IsExplicit,
}
