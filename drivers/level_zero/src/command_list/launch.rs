// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Launches of kernels.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use level_zero_sys::*;
use oxur_compiler::{Fault, ThreadContext};
use oxur_device_cpu::exec::Work;
use oxur_device_cpu::kernel::LaunchWork;
use oxur_device_cpu::order::{Empty, OrderFlags};

use super::CommandList;
use super::append::{Address, target};
use crate::Kernel;
use crate::command::Events;
use crate::entry::{ZeResult, entry, err};
use crate::handle::{Chain, object, objects_of, required};
use crate::kernel::{ArgObject, Snapshot};

/// A launch that the client can change.
pub(super) struct LaunchState {
    pub(super) kernel: Snapshot,
    pub(super) count: ze_group_count_t,
    pub(super) cooperative: bool,
}

impl LaunchState {
    /// The work of the launch as it is now.
    pub(super) fn work(&self, list: &CommandList) -> ZeResult<Arc<dyn Work>> {
        Ok(
            match self.kernel.work(list.pool(), sides(&self.count), self.cooperative)? {
                Some(work) => Arc::new(work),
                None => Arc::new(Empty),
            },
        )
    }
}

fn sides(count: &ze_group_count_t) -> [u32; 3] {
    [count.groupCountX, count.groupCountY, count.groupCountZ]
}

/// Appends a launch of a kernel with the arguments that it has now.
fn launch(
    list: &CommandList,
    events: Events,
    kernel: &Arc<Kernel>,
    count: &ze_group_count_t,
    cooperative: bool,
) -> ZeResult {
    match list.is_next_mutable() {
        true => append_mutable(list, events, kernel.current(), count, cooperative),
        false => append(list, events, kernel.work(list.pool(), sides(count), cooperative)?),
    }
}

fn append(list: &CommandList, events: Events, work: Option<LaunchWork<ArgObject>>) -> ZeResult {
    match work {
        Some(work) => list.append(work, OrderFlags::default(), events),
        None => list.append(Empty, OrderFlags::default(), events),
    }
}

/// Appends a launch that the client can change.
fn append_mutable(
    list: &CommandList,
    events: Events,
    kernel: Snapshot,
    count: &ze_group_count_t,
    cooperative: bool,
) -> ZeResult {
    let count = *count;
    let state = LaunchState {
        kernel,
        count,
        cooperative,
    };
    let work = state.work(list)?;
    let mut recording = list.recording()?.lock();
    recording.push_launch(work, OrderFlags::default(), events, state)
}

/// Launches whose numbers of groups are in memory, which other commands write.
struct Indirect {
    kernels: Vec<Snapshot>,
    /// The number of kernels that are launched, unless it is all.
    count: Option<Address>,
    groups: Address,
    pool: &'static oxur_device_cpu::exec::Pool,
}

impl Work for Indirect {
    fn describe(&self) -> String {
        "an indirect launch".to_owned()
    }

    // On one thread: the number of groups is not known before.
    fn run(&self, _chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        // SAFETY: the client guarantees that the memory is accessible until the command is complete.
        let count = self
            .count
            .map(|count| unsafe { (count.0 as *const u32).read_unaligned() } as usize);
        for (index, kernel) in self.kernels.iter().enumerate().take(count.unwrap_or(usize::MAX)) {
            // SAFETY: as above, for each kernel.
            let groups = unsafe { (self.groups.0 as *const ze_group_count_t).add(index).read_unaligned() };
            match kernel.work(self.pool, sides(&groups), false) {
                Ok(Some(work)) => work.run(0..work.chunks(), worker)?,
                Ok(None) => {}
                Err(error) => log::error!("an indirect launch is left out: {error:?}"),
            }
        }
        Ok(())
    }
}

/// Whether the parameters of a launch ask for groups that run at the same time.
///
/// # Safety
/// `next` must be a chain of structures.
unsafe fn is_cooperative(next: *const c_void) -> bool {
    // SAFETY: passed on to the caller.
    let chain = unsafe { Chain::new(next) };
    chain
        .find::<ze_command_list_append_launch_kernel_param_cooperative_desc_t>()
        .is_some_and(|desc| desc.isCooperative != 0)
}

entry! {
    fn zeCommandListAppendLaunchKernel(
        list: ze_command_list_handle_t,
        kernel: ze_kernel_handle_t,
        count: *const ze_group_count_t,
        signal: ze_event_handle_t,
        wait_count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, wait_count, waits)?;
            launch(list, events, object::<Kernel>(kernel)?, required(count)?, false)
        }
    }

    fn zeCommandListAppendLaunchKernelWithParameters(
        list: ze_command_list_handle_t,
        kernel: ze_kernel_handle_t,
        count: *const ze_group_count_t,
        next: *const c_void,
        signal: ze_event_handle_t,
        wait_count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, wait_count, waits)?;
            launch(list, events, object::<Kernel>(kernel)?, required(count)?, is_cooperative(next))
        }
    }

    fn zeCommandListAppendLaunchKernelWithArguments(
        list: ze_command_list_handle_t,
        kernel: ze_kernel_handle_t,
        count: ze_group_count_t,
        size: ze_group_size_t,
        arguments: *mut *mut c_void,
        next: *const c_void,
        signal: ze_event_handle_t,
        wait_count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, wait_count, waits)?;
            let kernel = object::<Kernel>(kernel)?;
            let size = [size.groupSizeX, size.groupSizeY, size.groupSizeZ];
            let kernel = kernel.with_arguments(size, arguments)?;
            let cooperative = is_cooperative(next);
            match list.is_next_mutable() {
                true => append_mutable(list, events, kernel, &count, cooperative),
                false => append(list, events, kernel.work(list.pool(), sides(&count), cooperative)?),
            }
        }
    }

    fn zeCommandListAppendLaunchCooperativeKernel(
        list: ze_command_list_handle_t,
        kernel: ze_kernel_handle_t,
        count: *const ze_group_count_t,
        signal: ze_event_handle_t,
        wait_count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, wait_count, waits)?;
            launch(list, events, object::<Kernel>(kernel)?, required(count)?, true)
        }
    }

    fn zeCommandListAppendLaunchKernelIndirect(
        list: ze_command_list_handle_t,
        kernel: ze_kernel_handle_t,
        groups: *const ze_group_count_t,
        signal: ze_event_handle_t,
        wait_count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, wait_count, waits)?;
            required(groups)?;
            let indirect = Indirect {
                kernels: vec![object::<Kernel>(kernel)?.current()],
                count: None,
                groups: Address(groups as usize),
                pool: list.pool(),
            };
            list.append(indirect, OrderFlags::default(), events)
        }
    }

    fn zeCommandListAppendLaunchMultipleKernelsIndirect(
        list: ze_command_list_handle_t,
        kernel_count: u32,
        kernels: *mut ze_kernel_handle_t,
        count: *const u32,
        groups: *const ze_group_count_t,
        signal: ze_event_handle_t,
        wait_count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, wait_count, waits)?;
            if kernels.is_null() {
                return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
            }
            required(count)?;
            required(groups)?;
            let kernels = objects_of::<Kernel>(kernels, kernel_count)?;
            let indirect = Indirect {
                kernels: kernels.iter().map(|kernel| kernel.current()).collect(),
                count: Some(Address(count as usize)),
                groups: Address(groups as usize),
                pool: list.pool(),
            };
            list.append(indirect, OrderFlags::default(), events)
        }
    }
}
