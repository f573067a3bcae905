// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that wait for conditions, which are looked at when the turn of the command comes.
//!
//! The dependencies of a [`Node`] are known when it is submitted. A [`Gate`] is for what may change until then: an event that
//! an earlier command resets, and that another one signals later.

use std::sync::Arc;

use oxur_compiler::{Fault, ThreadContext};

use super::failure::Failure;
use super::node::{Begun, Core, Node, end_later, runs, submit};
use super::pool::Pool;
use super::task::Task;
use super::work::Work;

/// What a command may wait for.
pub trait Condition: Send + Sync {
    /// A command that ends when the condition holds; `None` if it holds now.
    fn pending(&self) -> Option<Arc<dyn Node>>;
}

/// A command that ends when its dependencies are over and then all conditions have held.
pub struct Gate {
    core: Core,
    conditions: Box<[Arc<dyn Condition>]>,
}

impl Gate {
    /// A command that is not yet submitted.
    pub fn node(pool: &'static Pool, conditions: impl IntoIterator<Item = Arc<dyn Condition>>) -> Arc<dyn Node> {
        Arc::new(Self {
            core: Core::new(pool, false),
            conditions: conditions.into_iter().collect(),
        })
    }
}

impl Node for Gate {
    fn core(&self) -> &Core {
        &self.core
    }

    fn begin(self: Arc<Self>) -> Begun {
        let pending = self.conditions.iter().filter_map(|condition| condition.pending());
        let mut rest: Option<Arc<dyn Node>> = None;
        for pending in pending {
            let rest = rest.get_or_insert_with(|| Task::new(self.core.pool(), Rest(self.clone()), false));
            rest.wait_for(&pending, false);
        }
        runs(&(self as Arc<dyn Node>));
        match rest {
            Some(rest) => {
                submit(rest);
                Begun::Elsewhere
            }
            None => Begun::Over,
        }
    }

    fn drop_work(&self) {
        self.core.finish(|_| ());
    }
}

/// Ends the gate when its conditions have held.
struct Rest(Arc<Gate>);

impl Work for Rest {
    fn chunks(&self) -> u64 {
        0
    }

    fn run(&self, _chunks: std::ops::Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        Ok(())
    }

    fn over(&mut self, _result: Result<(), &Failure>) {
        end_later(self.0.clone());
    }
}
