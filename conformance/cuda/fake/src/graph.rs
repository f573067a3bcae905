// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graphs. A run executes the nodes in a random order that respects their dependencies, so that a missing one shows.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use oxur_cuda_sys::*;

use crate::ptx::Launch;
use crate::stream::{Count, Stream};
use crate::transfer::{Fill, Rows};

/// What a node does.
pub enum Work {
    Empty,
    Kernel(Launch),
    Copy(Rows),
    Fill(Fill),
    Child(Vec<Step>),
}

impl Work {
    fn run(&self, device: i32) -> Result<(), CUresult> {
        match self {
            Self::Empty => Ok(()),
            Self::Kernel(launch) => launch.run(device),
            Self::Copy(rows) => rows.copy(),
            Self::Fill(fill) => fill.fill(),
            Self::Child(steps) => run(steps, steps.len() as u64, device),
        }
    }
}

/// A graph.
pub struct Graph {
    #[allow(clippy::vec_box, reason = "their addresses are handles")]
    nodes: Mutex<Vec<Box<Node>>>,
}

/// A node of a graph.
pub struct Node {
    graph: *const Graph,
    place: usize,
    work: Arc<Work>,
    dependencies: Vec<usize>,
}

/// An executable graph.
pub struct Executable {
    graph: *const Graph,
    steps: Mutex<Vec<Step>>,
    /// How many runs there were, and how many are complete.
    runs: AtomicU64,
    done: Arc<Count>,
}

/// What an executable graph does for a node.
#[derive(Clone)]
pub struct Step {
    work: Arc<Work>,
    dependencies: Vec<usize>,
    enabled: bool,
}

impl Graph {
    pub fn new() -> Self {
        Self {
            nodes: Mutex::default(),
        }
    }

    /// Adds a node behind others.
    ///
    /// # Safety
    /// `after` are `count` live nodes.
    pub unsafe fn add(&self, work: Work, after: *const CUgraphNode, count: usize) -> Result<CUgraphNode, CUresult> {
        let mut nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut places = Vec::new();
        for at in 0..count {
            // SAFETY: the caller vouches for them.
            let node = unsafe { (*after.add(at)).cast::<Node>().as_ref() }.ok_or(CUDA_ERROR_INVALID_VALUE)?;
            // Neither a node of another graph nor one twice.
            if !std::ptr::eq(node.graph, self) || places.contains(&node.place) {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            places.push(node.place);
        }
        let node = Box::new(Node {
            graph: self,
            place: nodes.len(),
            work: Arc::new(work),
            dependencies: places,
        });
        let handle = std::ptr::from_ref(&*node).cast_mut().cast();
        nodes.push(node);
        Ok(handle)
    }

    /// The steps of the nodes so far.
    pub fn steps(&self) -> Vec<Step> {
        let nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        let step = |node: &Node| Step {
            work: node.work.clone(),
            dependencies: node.dependencies.clone(),
            enabled: true,
        };
        nodes.iter().map(|node| step(node)).collect()
    }

    /// The handles of the nodes so far.
    pub fn handles(&self) -> Vec<CUgraphNode> {
        let nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        let handle = |node: &Node| std::ptr::from_ref(node).cast_mut().cast();
        nodes.iter().map(|node| handle(node)).collect()
    }

    /// Another graph with the same nodes.
    pub fn copy(&self) -> Box<Self> {
        let copy = Box::new(Self::new());
        let nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        let node = |node: &Node| {
            Box::new(Node {
                graph: &*copy,
                place: node.place,
                work: node.work.clone(),
                dependencies: node.dependencies.clone(),
            })
        };
        let copies = nodes.iter().map(|old| node(old)).collect();
        *copy.nodes.lock().unwrap_or_else(PoisonError::into_inner) = copies;
        copy
    }

    /// Makes an executable graph of the nodes so far.
    pub fn instantiate(&self) -> Executable {
        Executable {
            graph: self,
            steps: Mutex::new(self.steps()),
            runs: AtomicU64::new(0),
            done: Arc::default(),
        }
    }
}

impl Executable {
    /// Changes the step of a node for later runs.
    pub fn change(
        &self,
        node: &Node,
        change: impl FnOnce(&Work, &mut Arc<Work>, &mut bool) -> Result<(), CUresult>,
    ) -> Result<(), CUresult> {
        if !std::ptr::eq(node.graph, self.graph) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let step = steps.get_mut(node.place).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        change(&node.work, &mut step.work, &mut step.enabled)
    }

    /// Runs all nodes on a stream, after the earlier runs.
    pub fn launch(&self, stream: &Stream) -> Result<(), CUresult> {
        let steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (before, done) = (self.runs.fetch_add(1, Ordering::Relaxed), self.done.clone());
        stream.submit(move |device| {
            done.wait(before, device)?;
            let ran = run(&steps, before, device.ordinal);
            done.raise(before + 1);
            ran
        })
    }
}

fn run(steps: &[Step], seed: u64, device: i32) -> Result<(), CUresult> {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut left: Vec<usize> = steps.iter().map(|step| step.dependencies.len()).collect();
    let mut followers = vec![Vec::new(); steps.len()];
    for (place, step) in steps.iter().enumerate() {
        step.dependencies
            .iter()
            .for_each(|&before| followers[before].push(place));
    }
    let mut ready: Vec<usize> = (0..steps.len()).filter(|&place| left[place] == 0).collect();
    while !ready.is_empty() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let place = ready.swap_remove(random as usize % ready.len());
        if steps[place].enabled {
            steps[place].work.run(device)?;
        }
        for &next in &followers[place] {
            left[next] -= 1;
            if left[next] == 0 {
                ready.push(next);
            }
        }
    }
    Ok(())
}
