// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernel launches.

use std::any::Any;
use std::cell::RefCell;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use kit::ur::{CommandType, KernelLaunchFlags, ResultCode};
use kit::{Arg, Kernel as _, Launch, LaunchProperties, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::{Error, Fault, KernelInfo, NdRange, PreparedRange, ThreadContext};

use super::submit::Submission;
use super::{Out, Queue, Wait};
use crate::device::limits;
use crate::exec::{self, Execution, Pool, Work, clock};
use crate::kernel::Packed;
use crate::program::build_error;
use crate::{Cpu, Device, Kernel};

/// The work of a launch that does not run inline.
struct LaunchWork {
    kernel: Arc<Kernel>,
    /// The index of the queue's device in the context.
    device_index: usize,
    args: Packed,
    range: PreparedRange,
    groups: u64,
    cooperative: bool,
}

impl Work for LaunchWork {
    fn chunks(&self) -> u64 {
        // The compiler's runtime interleaves the groups of a kernel with a device barrier on one thread.
        if self.kernel.wants().has_device_barrier {
            1
        } else {
            self.groups
        }
    }

    fn execution(&self) -> Execution {
        if self.cooperative {
            Execution::Gang
        } else {
            Execution::Parallel
        }
    }

    fn cost(&self, chunks: u64) -> Option<u64> {
        self.kernel.cost().of(chunks)
    }

    fn is_due(&self) -> bool {
        self.kernel.cost().is_due()
    }

    fn learn(&self, chunks: u64, cycles: u64) {
        self.kernel.cost().learn(chunks, cycles);
    }

    fn describe(&self) -> String {
        describe(&self.kernel)
    }

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        let groups = if self.kernel.wants().has_device_barrier {
            0..self.groups
        } else {
            chunks
        };
        // SAFETY: `launch` or `owned_launch` packed the arguments and prepared the range.
        unsafe {
            run(
                self.kernel.compiled(self.device_index),
                &self.args,
                self.range,
                groups,
                worker,
            )
        }
    }
}

/// The work of a command buffer's launch, which owns a copy of the current kernel arguments.
pub(super) fn owned_launch(launch: &Launch<'_, Cpu>, device: &Device, pool: &'static Pool) -> UrResult<Arc<dyn Work>> {
    let kernel = &launch.kernel;
    let range = nd_range(kernel, device, &launch.range);
    let groups = check_range(kernel.wants(), &range)?;
    let cooperative = check_properties(kernel, pool, &launch.properties, groups)?;
    let device_index = kernel.program().context().device_index(device)?;
    let range = prepare(kernel, device_index, range)?;
    let mut work = Arc::new(LaunchWork {
        kernel: Arc::clone(kernel),
        device_index,
        args: Packed::new(),
        range,
        groups,
        cooperative,
    });
    // Packed in place, because moving the block would copy it.
    let own = Arc::get_mut(&mut work).expect("the reference is unique");
    kernel.pack(launch.args, &mut own.args)?;
    Ok(work)
}

/// Sets arguments, which the kernel has already taken, in the work of its launch. Returns false if that is impossible in
/// place.
pub(crate) fn set_args(work: &mut dyn Work, kernel: &Arc<Kernel>, args: &[Arg<'_, Cpu>]) -> bool {
    match (work as &mut dyn Any).downcast_mut::<LaunchWork>() {
        Some(work) if Arc::ptr_eq(&work.kernel, kernel) => work.args.set(kernel.wants(), args),
        _ => false,
    }
}

/// Compiles code for a range if there is none yet. This happens before the launch, so that the time it takes does not
/// count in the cost of the kernel.
#[inline]
fn prepare(kernel: &Kernel, device_index: usize, range: NdRange) -> UrResult<PreparedRange> {
    let prepared = kernel.compiled(device_index).prepare(range);
    prepared.map_err(|error| not_compiled(kernel, &error))
}

#[cold]
fn not_compiled(kernel: &Kernel, error: &Error) -> UrError {
    kernel.program().note(error);
    build_error(error).context(&format!("{} could not be compiled for this range", describe(kernel)))
}

/// Runs work-groups.
///
/// # Safety
/// [`Kernel::pack`] must have packed the arguments for this kernel, and `range` must have been prepared for it.
#[inline]
unsafe fn run(
    kernel: &oxur_compiler::Kernel,
    args: &Packed,
    range: PreparedRange,
    groups: Range<u64>,
    worker: &mut ThreadContext,
) -> Result<(), Fault> {
    let launch = oxur_compiler::Launch {
        args: args.block(),
        range,
        local_memory: args.local_memory(),
    };
    // SAFETY: `Kernel::pack` laid the arguments out for this kernel, and they own references to its memory objects. The
    // client guarantees that its pointers are valid until the command is complete.
    unsafe { kernel.run(&launch, groups, worker) }
}

fn describe(kernel: &Kernel) -> String {
    format!("the kernel {}", kernel.wants().name)
}

impl Queue {
    #[inline(always)]
    pub(super) fn launch(self: &Arc<Self>, launch: Launch<'_, Cpu>, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        // Destructured, so that scalars can stay in registers.
        let Launch {
            kernel,
            range,
            args: given,
            properties,
            ..
        } = launch;
        let kernel: &Arc<Kernel> = &kernel;
        self.check_context(kernel.program().context())?;
        let range = nd_range(kernel, &self.device, &range);
        let groups = check_range(kernel.wants(), &range)?;
        let cooperative = check_properties(kernel, self.pool, &properties, groups)?;
        // Both closures below use the arguments, but only one of them runs. A `RefCell` lets them share the block, which is
        // too large to move for an inline launch.
        let args = RefCell::new(Packed::new());
        kernel.pack(given, &mut args.borrow_mut())?;
        let range = prepare(kernel, self.device_index, range)?;
        let cost = kernel.cost().of(groups);
        let inline = cost.is_some_and(|cost| cost <= self.pool.inline_limit()) && !cooperative;
        let submission = Submission {
            inline,
            ..Submission::of(CommandType::KERNEL_LAUNCH)
        };
        let run_inline = || {
            let result = exec::with_caller_context_measured(|worker, measure| -> Result<(), Fault> {
                let started = if measure { clock::cycles() } else { 0 };
                // SAFETY: packed and prepared above.
                unsafe {
                    run(
                        kernel.compiled(self.device_index),
                        &args.borrow(),
                        range,
                        0..groups,
                        worker,
                    )
                }?;
                if measure {
                    kernel.cost().learn(groups, clock::cycles().wrapping_sub(started));
                }
                Ok(())
            });
            match result {
                Ok(()) => true,
                Err(fault) => self.inline_failed(&describe(kernel), fault),
            }
        };
        let make_work = || LaunchWork {
            kernel: kernel.clone(),
            device_index: self.device_index,
            args: args.replace(Packed::new()),
            range,
            groups,
            cooperative,
        };
        self.submit_work(submission, wait, event, run_inline, make_work)
    }
}

/// The range of a launch. Chooses a work-group size if the client gave none.
#[inline]
fn nd_range(kernel: &Kernel, device: &Device, range: &kit::Range<'_>) -> NdRange {
    let mut found = NdRange {
        dimensions: range.global.len() as u64,
        global_offset: [0; 3],
        global_size: [1; 3],
        local_size: [1; 3],
    };
    let chosen;
    let local = match range.local {
        Some(local) => local,
        None => {
            chosen = kernel.choose_local_size(device, range.global);
            &chosen
        }
    };
    for (d, global) in range.global.iter().enumerate() {
        found.global_size[d] = *global as u64;
        found.local_size[d] = local[d] as u64;
        found.global_offset[d] = range.offset.map_or(0, |offset| offset[d] as u64);
    }
    found
}

/// Checks the launch properties. Returns whether the work-groups must run concurrently, because they may wait for each
/// other.
#[inline]
fn check_properties(
    kernel: &Kernel,
    pool: &'static Pool,
    properties: &LaunchProperties,
    groups: u64,
) -> UrResult<bool> {
    let known = KernelLaunchFlags::OPPORTUNISTIC_QUEUE_SERIALIZE | KernelLaunchFlags::COOPERATIVE;
    if properties.cluster.is_some() || properties.work_group_memory != 0 || !known.contains(properties.flags) {
        return Err(unsupported_properties(properties));
    }
    if kernel.wants().has_device_barrier {
        // The barrier limits the number of groups even if the client did not ask for a cooperative launch.
        let most = u64::from(limits::COOPERATIVE_GROUPS);
        return if groups > most {
            Err(too_many(groups, most))
        } else {
            Ok(false)
        };
    }
    let cooperative = properties.flags.contains(KernelLaunchFlags::COOPERATIVE) && groups > 1;
    // Each group needs its own thread: a group that spins on memory cannot be suspended for another one.
    if cooperative {
        let wanted = usize::try_from(groups).unwrap_or(usize::MAX);
        let most = pool.guaranteed_concurrency(wanted) as u64;
        if groups > most {
            return Err(too_many(groups, most));
        }
    }
    Ok(cooperative)
}

/// Checks that a kernel can run with this range. Returns the number of work-groups.
#[inline]
fn check_range(info: &KernelInfo, range: &NdRange) -> UrResult<u64> {
    let (mut groups, mut size) = (Some(1u64), 1u64);
    for d in 0..range.dimensions as usize {
        let (global, local) = (range.global_size[d], range.local_size[d]);
        if local > limits::WORK_GROUP_SIZE as u64 || !global.is_multiple_of(local) {
            return Err(no_groups(info, range));
        }
        size *= local;
        groups = groups.and_then(|groups| groups.checked_mul(global / local));
    }
    let most = info.max_work_group_size.map_or(limits::WORK_GROUP_SIZE as u64, |size| {
        u64::from(size).min(limits::WORK_GROUP_SIZE as u64)
    });
    let sub_groups = |sub_groups: u32| size.div_ceil(info.sub_group_size.into()) == sub_groups.into();
    let fits = size <= most
        && info
            .required_work_group_size
            .is_none_or(|required| required.map(u64::from) == range.local_size)
        && info.sub_groups_per_work_group.is_none_or(sub_groups);
    match groups {
        // The limit keeps sums of group counts from overflowing.
        Some(groups) if fits && groups <= u64::MAX >> 2 => Ok(groups),
        _ => Err(no_groups(info, range)),
    }
}

#[cold]
fn no_groups(info: &KernelInfo, range: &NdRange) -> UrError {
    let KernelInfo {
        name,
        required_work_group_size: required,
        max_work_group_size: most,
        ..
    } = info;
    let NdRange {
        global_size: global,
        local_size: local,
        ..
    } = range;
    let mut words = format!("cannot launch {global:?} work-items in work-groups of {local:?} for the kernel {name}");
    _ = match (required, most) {
        (Some(required), _) => write!(words, ", which needs work-groups of {required:?}"),
        (None, most) => {
            let most = most.unwrap_or(limits::WORK_GROUP_SIZE as u32);
            write!(
                words,
                ", whose work-groups have up to {most} work-items and divide the range"
            )
        }
    };
    UrError::with_message(ResultCode::ERROR_INVALID_WORK_GROUP_SIZE, words)
}

#[cold]
fn unsupported_properties(properties: &LaunchProperties) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_OPERATION,
        format!("launch properties are not supported: {properties:?}"),
    )
}

#[cold]
fn too_many(groups: u64, most: u64) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_OUT_OF_RESOURCES,
        format!("{groups} work-groups cannot run at the same time: at most {most} can"),
    )
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;
    use std::ptr::null_mut;

    use kit::ur::{Backend, ExpProgramFlags, QueueFlags};
    use kit::{Args, Borrowed, Context as _, EventOut, Program as _, Queue as _, WaitList};

    use super::*;
    use crate::{Context, Platform, Program};

    /// A kernel `k` that does nothing.
    #[rustfmt::skip]
    const NOTHING: &[u32] = &[
        0x0723_0203, 0x0001_0000, 0, 7, 0, // The header, for ids up to 6.
        2 << 16 | 17, 6, // OpCapability Kernel
        3 << 16 | 14, 2, 2, // OpMemoryModel Physical64 OpenCL
        4 << 16 | 15, 6, 3, u32::from_le_bytes(*b"k\0\0\0"), // OpEntryPoint Kernel %3 "k"
        2 << 16 | 19, 1, // %1 = OpTypeVoid
        3 << 16 | 33, 2, 1, // %2 = OpTypeFunction %1
        5 << 16 | 54, 1, 3, 0, 2, // %3 = OpFunction %1 None %2
        2 << 16 | 248, 4, // %4 = OpLabel
        1 << 16 | 253, // OpReturn
        1 << 16 | 56, // OpFunctionEnd
    ];

    #[test]
    fn compile_time_does_not_count_in_the_cost() {
        // SAFETY: no other thread accesses the environment yet.
        unsafe { std::env::set_var("UR_CPU_CACHE", "off") };
        let platform = Platform::new(Backend::OPENCL);
        let context = Context::create(kit::Platform::devices(&*platform).to_vec(), Default::default()).unwrap();
        let queue = Queue::create(&context, &context.devices[0], QueueFlags::empty().into()).unwrap();
        let il: Vec<u8> = NOTHING.iter().flat_map(|word| word.to_le_bytes()).collect();
        // The cost recorded for the first launch, and the duration of the call, which includes compilation. The scalar
        // variant is compiled, because one work-item cannot fill a vector.
        let first_launch = || {
            let program = Program::create_with_il(&context, &il, &[]).unwrap();
            program.build(&[], None::<&CStr>, ExpProgramFlags::empty()).unwrap();
            let kernel = Kernel::create(&program, c"k").unwrap();
            let range = kit::Range {
                global: &[4],
                offset: None,
                local: Some(&[1]),
            };
            let launch = Launch::plain(Borrowed::from(&kernel), range, Args::none());
            let started = clock::cycles();
            // SAFETY: a null pointer means that no event is wanted.
            let event = unsafe { EventOut::new(null_mut()) };
            queue.launch(launch, WaitList::empty(), event).unwrap();
            queue.finish().unwrap();
            let took = clock::cycles() - started;
            (kernel.cost().of(4).unwrap(), took)
        };
        // Preemption may inflate the measured cost, but not in every launch.
        let launches: Vec<_> = (0..5).map(|_| first_launch()).collect();
        assert!(launches.iter().any(|(cost, took)| cost < &(took / 10)), "{launches:?}");
    }
}
