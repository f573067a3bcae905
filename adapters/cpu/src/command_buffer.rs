// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers: a [plan](oxur_device_cpu::exec::plan) of the engine, built while commands are appended.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kit::ur::CommandType;
use kit::{
    Change, Changed, CommandList, CommandSignal, CommandTimings, HandleCell, Node, OwnedCommand, Span, UrResult,
    WaitList,
};
use oxur_adapter_kit as kit;
use oxur_device_cpu::exec::Pool;
use oxur_device_cpu::exec::plan::{ExternalSync, Plan, PlanBuilder, Signal, Step, StepTimes};
use oxur_device_cpu::order::{Order, unsubmitted};
use oxur_fork::Mutex;
use smallvec::SmallVec;

use crate::queue::{set_args, work};
use crate::{Cpu, Event, Queue};

/// A command buffer.
pub(crate) struct CommandBuffer {
    pub(crate) handle_cell: HandleCell,
    commands: CommandList<Cpu>,
    pool: &'static Pool,
    /// The plan, once it is finalized.
    plan: Mutex<Option<Plan>>,
    /// The order of its runs, which may be on different queues.
    order: Order,
    /// The number of runs so far.
    runs: AtomicU64,
}

impl CommandBuffer {
    /// Translates a command into a step.
    fn step(&self, node: &Node<Cpu>) -> UrResult<Step> {
        let mut dependencies = Vec::new();
        for event in node.events() {
            if let Some(node) = event.node()? {
                dependencies.push(node.clone());
            }
        }
        let signal = node.signal().cloned();
        let external = !dependencies.is_empty() || signal.is_some();
        Ok(Step {
            work: work(&node.command.as_command(), self.commands.device(), self.pool)?,
            external: external.then(|| {
                Arc::new(ExternalSync {
                    dependencies,
                    signal,
                    ..ExternalSync::default()
                })
            }),
        })
    }
}

impl kit::CommandBuffer<Cpu> for CommandBuffer {
    type Signal = Arc<Signal>;
    type Recording = PlanBuilder;

    fn create(commands: CommandList<Cpu>) -> UrResult<Arc<Self>> {
        let pool = commands.device().pool();
        Ok(kit::recycled(Self {
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

    fn append(&self, builder: &mut PlanBuilder, nodes: &[Node<Cpu>]) -> UrResult<()> {
        // Errors are ignored here. `finalize` translates this command and all later ones again, and reports them.
        if let [before @ .., node] = nodes
            && builder.step_count() == before.len()
            && let Ok(step) = self.step(node)
        {
            builder.push(step, node.dependencies());
        }
        Ok(())
    }

    fn finalize(&self, builder: &mut PlanBuilder, nodes: &[Node<Cpu>]) -> UrResult<()> {
        let mut builder = std::mem::take(builder);
        for node in &nodes[builder.step_count()..] {
            builder.push(self.step(node)?, node.dependencies());
        }
        let plan = builder.finish();
        let plan = match self.commands.times() {
            Some(times) => plan.timed(&(Arc::new(Times(times.clone())) as Arc<dyn StepTimes>)),
            None => plan,
        };
        *self.plan.lock() = Some(plan);
        Ok(())
    }

    fn update(&self, _builder: &mut PlanBuilder, nodes: &[Node<Cpu>], changes: &[Change<'_, Cpu>]) -> UrResult<()> {
        let mut plan = self.plan.lock();
        let Some(plan) = &mut *plan else { return Ok(()) };
        if let [
            Change {
                place,
                what: Changed::Launch(change),
            },
        ] = changes
            && change.is_of_args_only()
            && let OwnedCommand::Launch(launch) = &nodes[*place].command
            && plan
                .work_mut(*place)
                .is_some_and(|work| set_args(work, &launch.kernel, change.args))
        {
            return Ok(());
        }
        // All steps are translated before the first is replaced, so that an error leaves the plan unchanged.
        let mut steps = SmallVec::<[_; 1]>::with_capacity(changes.len());
        for Change { place, .. } in changes {
            steps.push((*place, self.step(&nodes[*place])?));
        }
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
            kit::error!(ERROR_INVALID_COMMAND_BUFFER_EXP: "the command buffer must be finalized before it is enqueued")
        })?;
        queue.run_plan(self.commands.command_type(), plan, &self.order, wait, event)
    }
}

impl CommandSignal<Cpu> for Arc<Signal> {
    fn create(buffer: &CommandBuffer, command: CommandType) -> UrResult<(Arc<Event>, Self)> {
        let node = unsubmitted(buffer.pool);
        let event = Event::for_execution(buffer.commands.context(), command, node.clone());
        let runs = buffer.runs.load(Ordering::Relaxed);
        Ok((event, Arc::new(Signal::new(node, runs))))
    }

    fn pending(&self, buffer: &CommandBuffer, command: CommandType) -> Option<Arc<Event>> {
        let node = Signal::pending(self, buffer.runs.load(Ordering::Relaxed))?;
        Some(Event::for_execution(buffer.commands.context(), command, node))
    }
}

/// The times of a command buffer, which its plan records.
struct Times(Arc<CommandTimings>);

impl StepTimes for Times {
    fn begin(&self) {
        self.0.begin();
    }

    fn add(&self, step: usize, began: u64, ended: u64) {
        self.0.add(step, Span { began, ended });
    }

    fn end(&self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::{null, null_mut};

    use kit::Context as _;
    use kit::ur::{Backend, ContextFlags, ExpCommandBufferDesc, ExpCommandBufferHandle, ResultCode};

    use super::*;
    use crate::{Context, Platform};

    /// Finalizing delays the first run, so steps are translated while commands are appended.
    #[test]
    fn steps_are_made_when_commands_are_appended() {
        let platform = Platform::new(Backend::OPENCL);
        let context = Context::create(kit::Platform::devices(&*platform).to_vec(), ContextFlags::empty()).unwrap();
        let functions = &kit::table::tables::<Cpu>().ddi.CommandBufferExp;
        let (desc, mut handle) = (ExpCommandBufferDesc::default(), ExpCommandBufferHandle::default());
        let device = kit::handle_of(&context.devices[0]);
        let create = functions.pfnCreateExp.unwrap();
        // SAFETY: the handles are live, and the pointer for the new one is writable. Its reference is taken over.
        let buffer = unsafe {
            assert_eq!(
                create(kit::handle_of(&context), device, &desc, &mut handle),
                ResultCode::SUCCESS
            );
            kit::take::<CommandBuffer>(handle).unwrap()
        };
        let (mut numbers, append) = ([0u32; 4], functions.pfnAppendUSMFillExp.unwrap());
        for count in 1..=3u32 {
            let pattern = (&raw const count).cast();
            let mut point = 0;
            // SAFETY: the command buffer is live, the memory has 16 bytes, the pattern 4, and the sync point is writable.
            let appended = unsafe {
                append(
                    handle,
                    numbers.as_mut_ptr().cast(),
                    pattern,
                    4,
                    16,
                    0,
                    null(),
                    0,
                    null(),
                    &mut point,
                    null_mut(),
                    null_mut(),
                )
            };
            assert_eq!((appended, point), (ResultCode::SUCCESS, count - 1));
        }
        let finalize = functions.pfnFinalizeExp.unwrap();
        // SAFETY: the command buffer is live.
        assert_eq!(unsafe { finalize(handle) }, ResultCode::SUCCESS);
        assert_eq!(buffer.plan.lock().as_ref().map(Plan::step_count), Some(3));
        let (nodes, mut builder) = (buffer.commands.nodes().unwrap(), PlanBuilder::default());
        for count in 1..=3 {
            kit::CommandBuffer::append(&*buffer, &mut builder, &nodes[..count]).unwrap();
            assert_eq!(builder.step_count(), count);
        }
    }
}
