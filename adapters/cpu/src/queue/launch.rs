// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Launches of kernels.

use std::any::Any;
use std::cell::RefCell;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use kit::ur::{CommandType, KernelLaunchFlags, ResultCode};
use kit::{Args, Launch, LaunchProperties, OwnedLaunch, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::{Error, Fault, KernelInfo, NdRange, PreparedRange, ThreadContext};

use super::submit::How;
use super::{Out, Queue, Wait};
use crate::device::limits;
use crate::exec::{self, Execution, Pool, Work, clock};
use crate::kernel::Packed;
use crate::program::build_error;
use crate::{Cpu, Device, Kernel};

/// A launch of a kernel that is not run at once.
struct Ready {
    kernel: Arc<Kernel>,
    /// Of the queue's device in the context.
    place: usize,
    args: Packed,
    range: PreparedRange,
    groups: u64,
    together: bool,
}

impl Work for Ready {
    fn chunks(&self) -> u64 {
        // The compiler's runtime runs groups with a barrier of the device side by side, in one thread.
        if self.kernel.wants().has_device_barrier {
            1
        } else {
            self.groups
        }
    }

    fn execution(&self) -> Execution {
        if self.together {
            Execution::Gang
        } else {
            Execution::Parallel
        }
    }

    fn cost(&self, chunks: u64) -> Option<u64> {
        self.kernel.cost.of(chunks)
    }

    fn is_due(&self) -> bool {
        self.kernel.cost.is_due()
    }

    fn learn(&self, chunks: u64, cycles: u64) {
        self.kernel.cost.learn(chunks, cycles);
    }

    fn what(&self) -> String {
        what(&self.kernel)
    }

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        let groups = if self.kernel.wants().has_device_barrier {
            0..self.groups
        } else {
            chunks
        };
        // SAFETY: `launch` or `kept` packed the arguments and prepared the range.
        unsafe { run(self.kernel.compiled(self.place), &self.args, self.range, groups, worker) }
    }
}

/// The launch of a command buffer, with the arguments that its kernel has now.
pub(super) fn kept(launch: &Launch<'_, Cpu>, device: &Device, pool: &'static Pool) -> UrResult<Arc<dyn Work>> {
    let kernel = &launch.kernel;
    let range = nd_range(kernel, device, &launch.range);
    let groups = check_range(kernel.wants(), &range)?;
    let together = check_properties(kernel, pool, &launch.properties, groups)?;
    let place = kernel.program.context().place_of(device)?;
    let range = prepare(kernel, place, range)?;
    pack(kernel, launch.args, || Ready {
        kernel: Arc::clone(kernel),
        place,
        args: Packed::new(),
        range,
        groups,
        together,
    })
}

/// The same launch as `work`, with the arguments that its kernel has now. `None` if `work` is something else.
pub(crate) fn with_new_args(work: &dyn Work, launch: &OwnedLaunch<Cpu>) -> Option<UrResult<Arc<dyn Work>>> {
    let old = (work as &dyn Any).downcast_ref::<Ready>()?;
    let kernel = &launch.kernel;
    Some(pack(kernel, Args::none(), || Ready {
        kernel: Arc::clone(kernel),
        args: Packed::new(),
        ..*old
    }))
}

/// A launch with arguments.
#[inline]
fn pack(kernel: &Kernel, args: Args<'_, Cpu>, ready: impl FnOnce() -> Ready) -> UrResult<Arc<dyn Work>> {
    let mut ready = Arc::new(ready());
    // In their place: they are large, and not worth moving.
    let own = Arc::get_mut(&mut ready).expect("nobody else has it yet");
    kernel.pack(args, &mut own.args)?;
    Ok(ready)
}

/// Has code for a range, before the launch: how long it takes to compile is no cost of the kernel.
#[inline]
fn prepare(kernel: &Kernel, place: usize, range: NdRange) -> UrResult<PreparedRange> {
    let prepared = kernel.compiled(place).prepare(range);
    prepared.map_err(|error| not_compiled(kernel, &error))
}

#[cold]
fn not_compiled(kernel: &Kernel, error: &Error) -> UrError {
    kernel.program.note(error);
    build_error(error).context(&format!("{} has no code for this range", what(kernel)))
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
    // SAFETY: the arguments are laid out as the kernel wants them, and keep the memory objects among them. The client
    // vouches for its pointers until the command is complete.
    unsafe { kernel.run(&launch, groups, worker) }
}

fn what(kernel: &Kernel) -> String {
    format!("the kernel {}", kernel.wants().name)
}

impl Queue {
    #[inline(always)]
    pub(super) fn launch(self: &Arc<Self>, launch: Launch<'_, Cpu>, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        // Apart, so that what is only a value need not be in memory with the others.
        let Launch {
            kernel,
            range,
            args: given,
            properties,
            ..
        } = launch;
        let kernel: &Arc<Kernel> = &kernel;
        self.check_context(kernel.program.context())?;
        let range = nd_range(kernel, &self.device, &range);
        let groups = check_range(kernel.wants(), &range)?;
        let together = check_properties(kernel, self.pool, &properties, groups)?;
        // Two closures below share it, of which one is called, once: it is large, and not worth moving.
        let args = RefCell::new(Packed::new());
        kernel.pack(given, &mut args.borrow_mut())?;
        let range = prepare(kernel, self.place, range)?;
        let cost = kernel.cost.of(groups);
        let here = cost.is_some_and(|cost| cost <= self.pool.short()) && !together;
        let how = How {
            here,
            ..How::of(CommandType::KERNEL_LAUNCH)
        };
        let now = || {
            let result = exec::inline_measured(|worker, measure| -> Result<(), Fault> {
                let started = if measure { clock::cycles() } else { 0 };
                // SAFETY: packed and prepared above.
                unsafe { run(kernel.compiled(self.place), &args.borrow(), range, 0..groups, worker) }?;
                if measure {
                    kernel.cost.learn(groups, clock::cycles().wrapping_sub(started));
                }
                Ok(())
            });
            match result {
                Ok(()) => true,
                Err(fault) => self.failed_here(&what(kernel), fault),
            }
        };
        let later = || Ready {
            kernel: kernel.clone(),
            place: self.place,
            args: args.replace(Packed::new()),
            range,
            groups,
            together,
        };
        self.submit_work(how, wait, event, now, later)
    }
}

/// The range of a launch, with a work-group size.
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

/// Checks what else a launch asks for. Says whether its work-groups may wait for each other.
#[inline]
fn check_properties(
    kernel: &Kernel,
    pool: &'static Pool,
    properties: &LaunchProperties,
    groups: u64,
) -> UrResult<bool> {
    let known = KernelLaunchFlags::OPPORTUNISTIC_QUEUE_SERIALIZE | KernelLaunchFlags::COOPERATIVE;
    if properties.cluster.is_some() || properties.work_group_memory != 0 || !known.contains(properties.flags) {
        return Err(impossible(properties));
    }
    if kernel.wants().has_device_barrier {
        // Whether the client says so or not.
        let most = u64::from(limits::COOPERATIVE_GROUPS);
        return if groups > most {
            Err(too_many(groups, most))
        } else {
            Ok(false)
        };
    }
    let together = properties.flags.contains(KernelLaunchFlags::COOPERATIVE) && groups > 1;
    // Each needs a thread: they may wait for each other in ways that nobody sees.
    if together {
        let wanted = usize::try_from(groups).unwrap_or(usize::MAX);
        let most = pool.together(wanted) as u64;
        if groups > most {
            return Err(too_many(groups, most));
        }
    }
    Ok(together)
}

/// Checks that a kernel can have this range. Gives the number of work-groups.
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
        // So many that nothing overflows that counts them.
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
    let mut words = format!("{global:?} work-items in work-groups of {local:?}, for the kernel {name}");
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
fn impossible(properties: &LaunchProperties) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_OPERATION,
        format!("there is no way to launch a kernel with {properties:?}"),
    )
}

#[cold]
fn too_many(groups: u64, most: u64) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_OUT_OF_RESOURCES,
        format!("{groups} work-groups are not sure to run at the same time: the most is {most}"),
    )
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;
    use std::ptr::null_mut;

    use kit::ur::{Backend, ExpProgramFlags, QueueFlags};
    use kit::{Borrowed, Context as _, EventOut, Kernel as _, Program as _, Queue as _, WaitList};

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
    fn what_it_takes_to_compile_is_no_cost_of_the_kernel() {
        // SAFETY: no other thread runs yet that looks at variables.
        unsafe { std::env::set_var("UR_CPU_CACHE", "off") };
        let platform = Platform::new(Backend::OPENCL);
        let context = Context::create(kit::Platform::devices(&*platform).to_vec(), Default::default()).unwrap();
        let queue = Queue::create(&context, &context.devices[0], QueueFlags::empty().into()).unwrap();
        let il: Vec<u8> = NOTHING.iter().flat_map(|word| word.to_le_bytes()).collect();
        // What the first launch of a kernel is taken to cost, and how long the call takes that compiles code for it: one
        // work-item fills no vector.
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
            // SAFETY: nobody wants the event.
            let event = unsafe { EventOut::new(null_mut()) };
            queue.launch(launch, WaitList::empty(), event).unwrap();
            queue.finish().unwrap();
            let took = clock::cycles() - started;
            (kernel.cost.of(4).unwrap(), took)
        };
        // A thread may lose the CPU while it runs the kernel, but not every time for that long.
        let launches: Vec<_> = (0..5).map(|_| first_launch()).collect();
        assert!(launches.iter().any(|(cost, took)| cost < &(took / 10)), "{launches:?}");
    }
}
