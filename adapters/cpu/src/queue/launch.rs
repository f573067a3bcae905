// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernel launches.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

use kit::ur::{CommandType, KernelLaunchFlags, ResultCode};
use kit::{Arg, Kernel as _, Launch, LaunchProperties, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::{Error, Fault, NdRange, PreparedRange};
use oxur_device_cpu::exec::{self, Pool, Work, clock};
use oxur_device_cpu::kernel::{self, LaunchError, LaunchWork, check_cooperative, check_range};

use super::submit::Submission;
use super::{Out, Queue, Wait};
use crate::kernel::{Packed, set_packed};
use crate::program::build_error;
use crate::{Cpu, Device, Kernel, Mem};

/// The work of a command buffer's launch, which owns a copy of the current kernel arguments.
pub(super) fn owned_launch(launch: &Launch<'_, Cpu>, device: &Device, pool: &'static Pool) -> UrResult<Arc<dyn Work>> {
    let kernel = &launch.kernel;
    let range = nd_range(kernel, device, &launch.range);
    let groups = check_range(kernel.wants(), &range).map_err(refused)?;
    let cooperative = check_properties(kernel, pool, &launch.properties, groups)?;
    let device_index = kernel.program().context().device_index(device)?;
    let range = prepare(kernel, device_index, range)?;
    // SAFETY: the arguments are packed below. The client guarantees that its pointers are valid until the command is complete.
    let work = unsafe {
        LaunchWork::new(
            kernel.code().clone(),
            device_index,
            Packed::default(),
            range,
            groups,
            cooperative,
        )
    };
    let mut work = Arc::new(work);
    // Packed in place, because moving the block would copy it.
    let own = Arc::get_mut(&mut work).expect("the reference is unique");
    kernel.pack(launch.args, own.args_mut())?;
    Ok(work)
}

/// Sets arguments, which the kernel has already taken, in the work of its launch. Returns false if that is impossible in
/// place.
pub(crate) fn set_args(work: &mut dyn Work, kernel: &Arc<Kernel>, args: &[Arg<'_, Cpu>]) -> bool {
    match (work as &mut dyn Any).downcast_mut::<LaunchWork<Mem>>() {
        Some(work) if Arc::ptr_eq(work.kernel(), kernel.code()) => set_packed(work.args_mut(), kernel.code(), args),
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
    build_error(error).context(&format!(
        "{} could not be compiled for this range",
        kernel.code().describe()
    ))
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
        let groups = check_range(kernel.wants(), &range).map_err(refused)?;
        let cooperative = check_properties(kernel, self.pool, &properties, groups)?;
        // Both closures below use the arguments, but only one of them runs. A `RefCell` lets them share the block, which is
        // too large to move for an inline launch.
        let args = RefCell::new(Packed::default());
        kernel.pack(given, &mut args.borrow_mut())?;
        let range = prepare(kernel, self.device_index, range)?;
        let cost = kernel.cost(self.device_index, &range);
        let inline = cost.of(groups).is_some_and(|cost| cost <= self.pool.inline_limit()) && !cooperative;
        let submission = Submission {
            inline,
            ..Submission::of(CommandType::KERNEL_LAUNCH)
        };
        let run_inline = || {
            let result = exec::with_caller_context_measured(|worker, measure| -> Result<(), Fault> {
                let started = if measure { clock::cycles() } else { 0 };
                // SAFETY: packed and prepared above. The client guarantees that its pointers are valid until the command is
                // complete.
                unsafe {
                    kernel::run(
                        kernel.compiled(self.device_index),
                        &args.borrow(),
                        range,
                        0..groups,
                        worker,
                    )
                }?;
                if measure {
                    cost.learn(groups, clock::cycles().wrapping_sub(started));
                }
                Ok(())
            });
            match result {
                Ok(()) => true,
                Err(fault) => self.inline_failed(&kernel.code().describe(), fault),
            }
        };
        let make_work = || {
            let (code, args) = (kernel.code().clone(), args.take());
            // SAFETY: as above.
            unsafe { LaunchWork::new(code, self.device_index, args, range, groups, cooperative) }
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
    let cooperative = properties.flags.contains(KernelLaunchFlags::COOPERATIVE);
    check_cooperative(kernel.wants(), pool, cooperative, groups).map_err(refused)
}

/// UR's error for a launch that the kernel cannot have.
#[cold]
fn refused(error: LaunchError) -> UrError {
    let code = match error {
        LaunchError::WorkGroups(_) => ResultCode::ERROR_INVALID_WORK_GROUP_SIZE,
        LaunchError::TooManyGroups { .. } => ResultCode::ERROR_OUT_OF_RESOURCES,
    };
    UrError::with_message(code, error.to_string())
}

#[cold]
fn unsupported_properties(properties: &LaunchProperties) -> UrError {
    kit::error!(ERROR_INVALID_OPERATION: "launch properties are not supported: {properties:?}")
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
        // SAFETY: as above. Quick code suits every range, so that a launch would compile nothing.
        unsafe { std::env::set_var("UR_CPU_TIER", "best") };
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
            let range = nd_range(&kernel, &queue.device, &range);
            let range = kernel.compiled(0).prepare(range).unwrap();
            (kernel.cost(0, &range).of(4).unwrap(), took)
        };
        // Preemption may inflate the measured cost, but not in every launch.
        let launches: Vec<_> = (0..5).map(|_| first_launch()).collect();
        assert!(launches.iter().any(|(cost, took)| cost < &(took / 10)), "{launches:?}");
    }
}
