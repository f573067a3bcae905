// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers: a [plan](crate::exec::plan) of the engine's, made when all commands are there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kit::ur::ResultCode;
use kit::{Change, CommandList, HandleCell, Node, UrError, UrResult, WaitList};
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use crate::exec::Pool;
use crate::exec::plan::{Outside, Plan, Signal, Step};
use crate::queue::{Order, unsubmitted, work};
use crate::{Cpu, Event, Queue};

/// A command buffer.
pub(crate) struct CommandBuffer {
    pub(crate) handle_cell: HandleCell,
    commands: CommandList<Cpu>,
    pool: &'static Pool,
    /// What runs, once it is finalized.
    plan: Mutex<Option<Plan>>,
    /// The order of its runs, on whatever queues they are.
    order: Order,
    /// How many runs there were.
    runs: AtomicU64,
}

impl CommandBuffer {
    /// The step that a command is.
    fn step(&self, node: &Node<Cpu>) -> UrResult<Step> {
        let before = node
            .events
            .iter()
            .filter_map(|event| event.node().map(|node| node.cloned()).transpose())
            .collect::<UrResult<Vec<_>>>()?;
        let signal = node.signal.clone();
        let outside = !before.is_empty() || signal.is_some();
        Ok(Step {
            work: work(&node.command.as_command(), self.commands.device(), self.pool)?,
            outside: outside.then(|| Arc::new(Outside { before, signal })),
        })
    }
}

impl kit::CommandBuffer<Cpu> for CommandBuffer {
    type Signal = Arc<Signal>;

    fn create(commands: CommandList<Cpu>) -> UrResult<Arc<Self>> {
        let pool = commands.device().pool();
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            commands,
            pool,
            plan: Mutex::default(),
            order: Order::new(true, pool),
            runs: AtomicU64::new(0),
        }))
    }

    fn commands(&self) -> &CommandList<Cpu> {
        &self.commands
    }

    fn finalize(&self, nodes: &[Node<Cpu>]) -> UrResult<()> {
        let steps = nodes.iter().map(|node| self.step(node)).collect::<UrResult<Vec<_>>>()?;
        let plan = Plan::new(steps, nodes.iter().map(|node| &*node.dependencies));
        let plan = match self.commands.times() {
            Some(times) => plan.timed(times),
            None => plan,
        };
        *self.plan.lock() = Some(plan);
        Ok(())
    }

    fn update(&self, nodes: &[Node<Cpu>], changes: &[Change<'_, Cpu>]) -> UrResult<()> {
        let mut plan = self.plan.lock();
        let Some(plan) = &mut *plan else { return Ok(()) };
        // All of them are made before the first is put in: after an error the plan is what it was.
        let step = |Change { place, .. }: &Change<'_, Cpu>| Ok((*place, self.step(&nodes[*place])?));
        let steps = changes.iter().map(step).collect::<UrResult<Vec<_>>>()?;
        for (place, step) in steps {
            plan.change(place, step);
        }
        Ok(())
    }

    fn enqueue(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        wait: WaitList<'_, Cpu>,
        event: kit::EventOut<'_, Cpu>,
    ) -> UrResult<()> {
        let plan = {
            let plan = self.plan.lock();
            self.runs.fetch_add(1, Ordering::Relaxed);
            plan.clone()
        };
        let plan = plan.ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_COMMAND_BUFFER_EXP,
                "the command buffer must be finalized before it is enqueued",
            )
        })?;
        queue.run_plan(self.commands.command_type(), plan, &self.order, wait, event)
    }

    fn signal(&self, command: kit::ur::CommandType) -> UrResult<(Arc<Event>, Arc<Signal>)> {
        let node = unsubmitted(self.pool);
        let event = Event::for_execution(self.commands.context(), command, node.clone());
        let runs = self.runs.load(Ordering::Relaxed);
        Ok((event, Arc::new(Signal::new(node, runs))))
    }

    fn pending(&self, command: kit::ur::CommandType, signal: &Self::Signal) -> Option<Arc<Event>> {
        let node = signal.pending(self.runs.load(Ordering::Relaxed))?;
        Some(Event::for_execution(self.commands.context(), command, node))
    }

    fn check_events(&self) -> UrResult<()> {
        Ok(())
    }
}
