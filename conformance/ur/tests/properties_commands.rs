// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Property chains of commands, of their arguments and of command buffers: see [`properties`](crate::properties).

use std::ffi::c_void;
use std::ptr::{from_ref, null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::Arg;
use oxur_conformance::{Rig, expect, intel, ur, values};

use crate::properties::{IGNORED, INVALID_VALUE, SUCCESS, UNSUPPORTED_FEATURE, check_chains, made};

const INVALID_OPERATION: ResultCode = ResultCode::ERROR_INVALID_OPERATION;

/// What the device says that launches may ask for.
fn launch_capabilities(rig: &Rig) -> KernelLaunchPropertiesFlags {
    let asked = rig.device.info(DeviceInfo::KERNEL_LAUNCH_CAPABILITIES);
    asked.unwrap_or(KernelLaunchPropertiesFlags::empty())
}

#[test]
fn launches() {
    let rig = Rig::new();
    let (queue, kernel) = (rig.queue.raw(), rig.kernel("basic", "ids"));
    let (offset, global, local) = ([0usize; 3], [16usize, 1, 1], [8usize, 1, 1]);
    let mut out = rig.shared(&[0u64; 16 * 9]);
    let arg = Arg::Pointer(out.ptr()).properties(0);
    let launch = |next| {
        let properties = KernelLaunchExtProperties {
            pNext: next,
            ..Default::default()
        };
        let result = ur!(urEnqueueKernelLaunchWithArgsExp(
            queue,
            kernel.raw(),
            3,
            offset.as_ptr(),
            global.as_ptr(),
            local.as_ptr(),
            1,
            &arg,
            &properties,
            0,
            null(),
            null_mut()
        ));
        rig.queue.finish().expect("urQueueFinish");
        result
    };
    let name = "urEnqueueKernelLaunchWithArgsExp";
    check_chains(name, INVALID_OPERATION, &[INVALID_OPERATION], launch);
    // No cluster, and no local memory: that is what any launch has.
    let mut memory = KernelLaunchWorkgroupProperty::default();
    expect!(launch((&raw mut memory).cast()), SUCCESS; intel SUCCESS | ERROR_INVALID_OPERATION, IGNORED);
    let plain = values::<u64>(&out).to_vec();
    memory.workgroup_mem_size = 64;
    let mut cluster = KernelLaunchClusterProperty {
        clusterDim: [2, 1, 1],
        ..Default::default()
    };
    let mut both = KernelLaunchClusterProperty {
        pNext: (&raw mut memory).cast(),
        ..cluster
    };
    let takes = launch_capabilities(&rig);
    let needs_memory = KernelLaunchPropertiesFlags::WORK_GROUP_MEMORY;
    let needs_cluster = KernelLaunchPropertiesFlags::CLUSTER_DIMENSION;
    for (next, needs) in [
        ((&raw mut memory).cast(), needs_memory),
        ((&raw mut cluster).cast(), needs_cluster),
        ((&raw mut both).cast(), needs_memory | needs_cluster),
    ] {
        if takes.contains(needs) {
            // SAFETY: no command uses it.
            unsafe { out.as_mut_slice::<u64>() }.fill(0);
            expect!(launch(next), SUCCESS);
            assert_eq!(values::<u64>(&out), plain, "{needs:?}");
        } else {
            expect!(launch(next), ERROR_INVALID_OPERATION; intel SUCCESS | ERROR_INVALID_OPERATION, IGNORED);
        }
    }
}

#[test]
fn arguments() {
    let rig = Rig::new();
    let (queue, kernel) = (rig.queue.raw(), rig.kernel("basic", "ids"));
    let (offset, global, local) = ([0usize; 3], [16usize, 1, 1], [8usize, 1, 1]);
    let out = rig.shared(&[0u64; 16 * 9]);
    let arg = |next| ExpKernelArgProperties {
        pNext: next,
        ..Arg::Pointer(out.ptr()).properties(0)
    };
    for wanted in [false, true] {
        let name = "the arguments of urEnqueueKernelLaunchWithArgsExp";
        check_chains(name, INVALID_OPERATION, &[SUCCESS], |next| {
            let (arg, mut event) = (arg(next), EventHandle::default());
            let place = if wanted { &raw mut event } else { null_mut() };
            let result = ur!(urEnqueueKernelLaunchWithArgsExp(
                queue,
                kernel.raw(),
                3,
                offset.as_ptr(),
                global.as_ptr(),
                local.as_ptr(),
                1,
                &arg,
                null(),
                0,
                null(),
                place
            ));
            rig.queue.finish().expect("urQueueFinish");
            if !event.is_null() {
                assert_eq!(ur!(urEventRelease(event)), SUCCESS);
            }
            result
        });
    }
    if intel("2026.1 does not have it") {
        return;
    }
    let name = "urKernelGetSuggestedLocalWorkSizeWithArgs";
    check_chains(name, UNSUPPORTED_FEATURE, &[SUCCESS], |next| {
        let (arg, mut suggested) = (arg(next), [0usize; 3]);
        ur!(urKernelGetSuggestedLocalWorkSizeWithArgs(
            kernel.raw(),
            queue,
            3,
            offset.as_ptr(),
            global.as_ptr(),
            1,
            &arg,
            suggested.as_mut_ptr()
        ))
    });
}

#[test]
fn command_buffers() {
    let rig = Rig::new();
    let (context, device) = (rig.context.raw(), rig.device.raw());
    if intel("the driver has no command buffers") {
        return;
    }
    let name = "urCommandBufferCreateExp";
    check_chains(name, UNSUPPORTED_FEATURE, &[SUCCESS], |next| {
        let desc = ExpCommandBufferDesc {
            pNext: next,
            ..Default::default()
        };
        made!(ExpCommandBufferHandle, urCommandBufferReleaseExp; new => urCommandBufferCreateExp(context, device, &desc, new))
    });
    let desc = ExpCommandBufferDesc {
        isUpdatable: 1,
        ..Default::default()
    };
    let (mut buffer, mut command) = Default::default();
    expect!(
        ur!(urCommandBufferCreateExp(context, device, &desc, &mut buffer)),
        SUCCESS
    );
    let kernel = rig.kernel("basic", "ids");
    let out = rig.shared(&[0u64; 16 * 9]);
    let (global, local) = ([16usize, 1, 1], [8usize, 1, 1]);
    let mut append = |next| {
        let arg = ExpKernelArgProperties {
            pNext: next,
            ..Arg::Pointer(out.ptr()).properties(0)
        };
        ur!(urCommandBufferAppendKernelLaunchWithArgsExp(
            buffer,
            kernel.raw(),
            3,
            null(),
            global.as_ptr(),
            local.as_ptr(),
            1,
            &arg,
            0,
            null_mut(),
            0,
            null(),
            0,
            null(),
            null_mut(),
            null_mut(),
            &mut command
        ))
    };
    let name = "urCommandBufferAppendKernelLaunchWithArgsExp";
    check_chains(name, INVALID_VALUE, &[SUCCESS], &mut append);
    expect!(append(null_mut()), SUCCESS);
    expect!(ur!(urCommandBufferFinalizeExp(buffer)), SUCCESS);
    let address = out.ptr();
    let name = "urCommandBufferUpdateKernelLaunchExp";
    for place in 0..3 {
        check_chains(name, INVALID_VALUE, &[SUCCESS], |next| {
            let next = |here| if place == here { next } else { null_mut() };
            let properties = KernelArgPointerProperties {
                pNext: next(0),
                ..Default::default()
            };
            let pointer = ExpCommandBufferUpdatePointerArgDesc {
                pNext: next(1),
                pProperties: &properties,
                pNewPointerArg: from_ref(&address).cast(),
                ..Default::default()
            };
            let update = ExpCommandBufferUpdateKernelLaunchDesc {
                pNext: next(2),
                hCommand: command,
                numNewPointerArgs: 1,
                pNewPointerArgList: &pointer,
                newWorkDim: 3,
                ..Default::default()
            };
            ur!(urCommandBufferUpdateKernelLaunchExp(buffer, 1, &update))
        });
    }
    expect!(ur!(urCommandBufferReleaseExp(buffer)), SUCCESS);
}

#[test]
fn events_and_tasks() {
    unsafe extern "C" fn task(_: *mut c_void) {}

    let rig = Rig::new();
    let (context, device, queue) = (rig.context.raw(), rig.device.raw(), rig.queue.raw());
    let name = "urEnqueueEventsWaitWithBarrierExt";
    check_chains(name, INVALID_VALUE, &[SUCCESS], |next| {
        let properties = ExpEnqueueExtProperties {
            pNext: next,
            ..Default::default()
        };
        ur!(urEnqueueEventsWaitWithBarrierExt(
            queue,
            &properties,
            0,
            null(),
            null_mut()
        ))
    });
    if intel("2026.1 has neither host tasks nor reusable events") {
        return;
    }
    let name = "urEnqueueHostTaskExp";
    check_chains(name, UNSUPPORTED_FEATURE, &[SUCCESS], |next| {
        let properties = ExpHostTaskProperties {
            pNext: next,
            ..Default::default()
        };
        let result = ur!(urEnqueueHostTaskExp(
            queue,
            Some(task),
            null_mut(),
            &properties,
            0,
            null(),
            null_mut()
        ));
        rig.queue.finish().expect("urQueueFinish");
        result
    });
    if !rig
        .device
        .info::<bool>(DeviceInfo::REUSABLE_EVENTS_SUPPORT_EXP)
        .unwrap_or_default()
    {
        return println!("this device has no reusable events");
    }
    let name = "urEventCreateExp";
    check_chains(name, UNSUPPORTED_FEATURE, &[SUCCESS], |next| {
        let desc = ExpEventDesc {
            pNext: next,
            ..Default::default()
        };
        made!(EventHandle, urEventRelease; event => urEventCreateExp(
            context, device, &desc, event
        ))
    });
}
