// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The dependency graph of a plan, and the builder of plans.

use std::sync::Arc;

use super::{Plan, Step};

/// The dependencies between steps.
///
/// The successors of a step are a linked list in one vector of edges, so that steps can be added one at a time while a
/// command buffer is recorded.
#[derive(Default)]
pub(super) struct DependencyGraph {
    /// The number of dependencies of each step.
    pub(super) waits: Vec<u32>,
    /// The head of each step's list of outgoing edges, the edge that was added last, or [`NO_EDGE`].
    last: Vec<u32>,
    edges: Vec<Edge>,
}

/// An edge from a step to one that depends on it.
#[derive(Clone, Copy)]
struct Edge {
    successor: u32,
    /// The next edge in the list of the same step, or [`NO_EDGE`].
    next: u32,
}

const NO_EDGE: u32 = u32::MAX;

impl DependencyGraph {
    /// Adds a step that depends on earlier ones.
    fn push(&mut self, dependencies: &[u32]) {
        let step = self.waits.len() as u32;
        for &dependency in dependencies {
            let edge = self.edges.len() as u32;
            let last = &mut self.last[dependency as usize];
            self.edges.push(Edge {
                successor: step,
                next: *last,
            });
            *last = edge;
        }
        self.waits.push(dependencies.len() as u32);
        self.last.push(NO_EDGE);
    }

    /// The steps that depend on a step, the last one first.
    #[inline]
    pub(super) fn successors(&self, step: u32) -> impl Iterator<Item = u32> {
        let mut next = self.last[step as usize];
        std::iter::from_fn(move || {
            // `NO_EDGE` is out of bounds, which ends the iteration.
            let edge = self.edges.get(next as usize)?;
            next = edge.next;
            Some(edge.successor)
        })
    }
}

/// The number of steps that a plan has room for at first. Few command buffers have more.
const FEW_STEPS: usize = 16;
/// The number of steps that a plan has room for when it has more than a few. To double from step to step costs more than to
/// append them.
const MANY_STEPS: usize = 128;

/// Builds a plan step by step.
#[derive(Default)]
pub struct PlanBuilder {
    graph: DependencyGraph,
    steps: Vec<Step>,
}

impl PlanBuilder {
    /// The number of steps.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    #[cold]
    fn grow(&mut self) {
        let room = match self.steps.len() {
            0 => FEW_STEPS,
            count => MANY_STEPS.max(2 * count),
        };
        let more = room - self.steps.len();
        self.steps.reserve(more);
        self.graph.waits.reserve(more);
        self.graph.last.reserve(more);
        self.graph.edges.reserve(more);
    }

    /// Adds a step with its dependencies, which are earlier steps.
    pub fn push(&mut self, step: Step, dependencies: &[u32]) {
        if self.steps.len() == self.steps.capacity() {
            self.grow();
        }
        self.graph.push(dependencies);
        self.steps.push(step);
    }

    /// The plan of all steps so far.
    pub fn finish(self) -> Plan {
        Plan {
            graph: Arc::new(self.graph),
            steps: Arc::new(self.steps),
            spare: Arc::default(),
            times: None,
        }
    }
}
