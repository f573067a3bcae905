// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which step of a plan waits for which, and a plan in the making.

use std::sync::Arc;

use super::{Plan, Step};

/// Who waits for whom.
///
/// It grows by a step at a time, so that a plan is made while its commands are appended: those that wait for a step are a
/// linked list, the last one first.
#[derive(Default)]
pub(super) struct DependencyGraph {
    /// For each step how many steps it waits for.
    pub(super) waits: Vec<u32>,
    /// For each step the last of the edges that lead on from it, or [`NO_EDGE`].
    last: Vec<u32>,
    edges: Vec<Edge>,
}

/// From a step to one that waits for it.
#[derive(Clone, Copy)]
struct Edge {
    after: u32,
    /// The edge before it that leads on from the same step, or [`NO_EDGE`].
    before: u32,
}

const NO_EDGE: u32 = u32::MAX;

impl DependencyGraph {
    /// A step that waits for some of those before it.
    fn push(&mut self, before: &[u32]) {
        let step = self.waits.len() as u32;
        for &place in before {
            let edge = self.edges.len() as u32;
            let last = &mut self.last[place as usize];
            self.edges.push(Edge {
                after: step,
                before: *last,
            });
            *last = edge;
        }
        self.waits.push(before.len() as u32);
        self.last.push(NO_EDGE);
    }

    /// Those that wait for a step, the last one first.
    #[inline]
    pub(super) fn after(&self, step: u32) -> impl Iterator<Item = u32> {
        let mut next = self.last[step as usize];
        std::iter::from_fn(move || {
            // There is none at this place.
            let edge = self.edges.get(next as usize)?;
            next = edge.before;
            Some(edge.after)
        })
    }
}

/// A plan to which steps are added.
#[derive(Default)]
pub(crate) struct PlanBuilder {
    graph: DependencyGraph,
    steps: Vec<Step>,
}

impl PlanBuilder {
    /// How many steps there are.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Adds a step. `before` are those that it waits for.
    pub(crate) fn push(&mut self, step: Step, before: &[u32]) {
        self.graph.push(before);
        self.steps.push(step);
    }

    /// The plan of all these steps.
    pub(crate) fn finish(self) -> Plan {
        Plan {
            graph: Arc::new(self.graph),
            steps: Arc::new(self.steps),
            spare: Arc::default(),
            times: None,
        }
    }
}
