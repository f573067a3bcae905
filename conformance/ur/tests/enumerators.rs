// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Enumerators and flags that the ABI does not define.
//!
//! Every function with a parameter of an enumeration has the rule `INVALID_ENUMERATION` for a value behind the
//! enumeration's last one, and for flags outside of the type's mask. No layer is on here: the adapter has to answer.

use std::ptr::{null, null_mut};

use oxur_conformance::api::meta::Named;
use oxur_conformance::api::*;
use oxur_conformance::client::{CommandBuffer, CommandBufferSettings, Kernel, Sampler, UsmPool};
use oxur_conformance::{Rig, intel, ur};

/// What calls answered otherwise.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    /// Notes the call `what` unless it was refused for its enumerator, or for the lack of all that it asks for.
    fn note(&mut self, what: &str, code: ResultCode) {
        let refused = [
            ResultCode::ERROR_INVALID_ENUMERATION,
            ResultCode::ERROR_UNSUPPORTED_FEATURE,
        ];
        if !refused.contains(&code) {
            self.0.push(format!("{what}: {code:?}"));
        }
    }
}

impl Drop for Wrong {
    fn drop(&mut self) {
        assert!(self.0.is_empty(), "\n{}", self.0.join("\n"));
    }
}

/// One bit that no flag of the type has.
fn no_flag<F: Named>() -> u32 {
    let bit = 1 << F::MASK.trailing_ones().max(F::MASK.ilog2() + 1);
    assert_eq!(bit & F::MASK, 0);
    bit
}

const REASON: &str = "only the validation layer knows the enumerators";

#[test]
fn queries() {
    if intel(REASON) {
        return;
    }
    let rig = Rig::new();
    let program = rig.program("basic");
    let kernel = Kernel::new(&program, "nothing").expect("urKernelCreate");
    let event = rig.queue.marker(&[]).expect("marker");
    let buffer = rig.buffer(&[0u32; 4]);
    let usm = rig.shared(&[0u32; 4]);
    let sampler = Sampler::new(
        &rig.context,
        false,
        SamplerAddressingMode::CLAMP,
        SamplerFilterMode::NEAREST,
    )
    .expect("urSamplerCreate");
    let commands =
        CommandBuffer::new(&rig.context, &rig.device, CommandBufferSettings::default()).expect("a command buffer");
    let mut wrong = Wrong::default();
    // The function, with its arguments in front of the property, and the enumeration.
    macro_rules! queries {
        ($($name:ident($($arg:expr),*) of $ty:ident;)*) => { $(
            for number in [$ty::LAST + 1, 0x7fff_fff0] {
                let (mut size, mut value) = (0, [0u64; 64]);
                let code = ur!($name($($arg,)* $ty(number), 0, null_mut(), &mut size));
                wrong.note(&format!("{} {number:#x}, the size", stringify!($name)), code);
                let place = value.as_mut_ptr().cast();
                let code = ur!($name($($arg,)* $ty(number), size_of_val(&value), place, null_mut()));
                wrong.note(&format!("{} {number:#x}, the value", stringify!($name)), code);
            }
        )* };
    }
    let (context, device) = (rig.context.raw(), rig.device.raw());
    queries! {
        urAdapterGetInfo(rig.adapter.raw()) of AdapterInfo;
        urPlatformGetInfo(rig.platform.raw()) of PlatformInfo;
        urDeviceGetInfo(device) of DeviceInfo;
        urContextGetInfo(context) of ContextInfo;
        urQueueGetInfo(rig.queue.raw()) of QueueInfo;
        urEventGetInfo(event.raw()) of EventInfo;
        urEventGetProfilingInfo(event.raw()) of ProfilingInfo;
        urMemGetInfo(buffer.raw()) of MemInfo;
        urMemImageGetInfo(buffer.raw()) of ImageInfo;
        urSamplerGetInfo(sampler.raw()) of SamplerInfo;
        urProgramGetInfo(program.raw()) of ProgramInfo;
        urProgramGetBuildInfo(program.raw(), device) of ProgramBuildInfo;
        urKernelGetInfo(kernel.raw()) of KernelInfo;
        urKernelGetGroupInfo(kernel.raw(), device) of KernelGroupInfo;
        urKernelGetSubGroupInfo(kernel.raw(), device) of KernelSubGroupInfo;
        urUSMGetMemAllocInfo(context, usm.ptr().cast_const()) of UsmAllocInfo;
        urVirtualMemGranularityGetInfo(context, device, 1) of VirtualMemGranularityInfo;
        urVirtualMemGetInfo(context, usm.ptr().cast_const(), 1) of VirtualMemInfo;
        urCommandBufferGetInfoExp(commands.raw()) of ExpCommandBufferInfo;
    }
    if let Ok(pool) = UsmPool::new(&rig.context, UsmPoolFlags::empty()) {
        queries! { urUSMPoolGetInfo(pool.raw()) of UsmPoolInfo; }
        let (number, mut value) = (UsmPoolInfo(UsmPoolInfo::LAST + 1), 0usize);
        let place = (&raw mut value).cast::<c_void>();
        wrong.note(
            "urUSMPoolGetInfoExp",
            ur!(urUSMPoolGetInfoExp(pool.raw(), number, place, null_mut())),
        );
        wrong.note(
            "urUSMPoolSetInfoExp",
            ur!(urUSMPoolSetInfoExp(pool.raw(), number, place, 8)),
        );
    }
    event.wait().expect("urEventWait");
}

#[test]
fn parameters() {
    if intel(REASON) {
        return;
    }
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "fill");
    let (buffer, usm) = (rig.buffer(&[0u32; 16]), rig.shared(&[0u32; 16]));
    let commands =
        CommandBuffer::new(&rig.context, &rig.device, CommandBufferSettings::default()).expect("a command buffer");
    let (context, device, queue) = (rig.context.raw(), rig.device.raw(), rig.queue.raw());
    let (memory, value) = (usm.ptr(), 0u64);
    let value = (&raw const value).cast::<c_void>();
    let mut wrong = Wrong::default();
    macro_rules! refused {
        ($($name:ident($($arg:expr),* $(,)?);)*) => { $( wrong.note(stringify!($name), ur!($name($($arg),*))); )* };
    }
    unsafe extern "C" fn callback(_: EventHandle, _: ExecutionInfo, _: *mut c_void) {}
    unsafe extern "C" fn logger(_: LoggerLevel, _: *const core::ffi::c_char, _: *mut c_void) {}
    let event = rig.queue.marker(&[]).expect("marker");
    let (mut count, mut mem, mut sampler) = (0u32, MemHandle::default(), SamplerHandle::default());
    let region = BufferRegion {
        origin: 0,
        size: 4,
        ..Default::default()
    };
    let addressing = SamplerDesc {
        addressingMode: SamplerAddressingMode(0x77),
        ..Default::default()
    };
    let filter = SamplerDesc {
        filterMode: SamplerFilterMode(0x77),
        ..Default::default()
    };
    let argument = ExpKernelArgProperties {
        r#type: ExpKernelArgType(0x77),
        ..Default::default()
    };
    let (size, offset) = ([16usize], [0usize]);
    let (size, offset) = (size.as_ptr(), offset.as_ptr());
    let mut suggested = [0usize; 3];
    refused! {
        urDeviceGet(rig.platform.raw(), DeviceType(0x77), 0, null_mut(), &mut count);
        urDeviceGet(rig.platform.raw(), DeviceType(0), 0, null_mut(), &mut count);
        urDeviceGetSelected(rig.platform.raw(), DeviceType(0x77), 0, null_mut(), &mut count);
        urAdapterSetLoggerCallback(rig.adapter.raw(), Some(logger), null_mut(), LoggerLevel(0x77));
        urAdapterSetLoggerCallbackLevel(rig.adapter.raw(), LoggerLevel(0x77));
        urEventSetCallback(event.raw(), ExecutionInfo(0x77), Some(callback), null_mut());
        urMemBufferPartition(buffer.raw(), MemFlags::READ_WRITE, BufferCreateType(0x77), &region, &mut mem);
        urSamplerCreate(context, &addressing, &mut sampler);
        urSamplerCreate(context, &filter, &mut sampler);
        urKernelSetExecInfo(kernel.raw(), KernelExecInfo(0x77), 8, null(), value);
        urKernelGetSuggestedLocalWorkSizeWithArgs(
            kernel.raw(), queue, 1, offset, size, 1, &argument, suggested.as_mut_ptr(),
        );
        urEnqueueKernelLaunchWithArgsExp(
            queue, kernel.raw(), 1, offset, size, null(), 1, &argument, null(), 0, null(), null_mut(),
        );
        urCommandBufferAppendKernelLaunchWithArgsExp(
            commands.raw(), kernel.raw(), 1, offset, size, null(), 1, &argument, 0, null_mut(), 0, null(), 0, null(),
            null_mut(), null_mut(), null_mut(),
        );
    }
    macro_rules! flags {
        ($ty:ident) => {
            $ty::from_bits_retain(no_flag::<$ty>())
        };
        ($desc:ident.$field:ident: $ty:ident) => {
            $desc {
                $field: flags!($ty),
                ..Default::default()
            }
        };
    }
    let context_desc = flags!(ContextProperties.flags: ContextFlags);
    let queue_desc = flags!(QueueProperties.flags: QueueFlags);
    let hints = flags!(UsmDesc.hints: UsmAdviceFlags);
    let mut pool_desc = flags!(UsmPoolDesc.flags: UsmPoolFlags);
    let physical = flags!(PhysicalMemProperties.flags: PhysicalMemFlags);
    let barrier = flags!(ExpEnqueueExtProperties.flags: ExpEnqueueExtFlags);
    let task = flags!(ExpHostTaskProperties.flags: ExpHostTaskFlags);
    let native = flags!(ExpEnqueueNativeCommandProperties.flags: ExpEnqueueNativeCommandFlags);
    let async_alloc = flags!(ExpAsyncUsmAllocProperties.flags: ExpAsyncUsmAllocFlags);
    let launch = flags!(KernelLaunchExtProperties.flags: KernelLaunchFlags);
    let event_desc = flags!(ExpEventDesc.flags: ExpEventFlags);
    let register = flags!(ExpUsmHostAllocRegisterProperties.flags: ExpUsmHostAllocRegisterFlags);
    let program_flags = flags!(ExpProgramFlags);
    let format = ImageFormat {
        channelOrder: ImageChannelOrder::RGBA,
        channelType: ImageChannelType::FLOAT,
    };
    let image = ImageDesc {
        width: 4,
        r#type: MemType::IMAGE1D,
        ..Default::default()
    };
    unsafe extern "C" fn host(_: *mut c_void) {}
    unsafe extern "C" fn submit(_: QueueHandle, _: *mut c_void) {}
    let program = rig.part("basic");
    let (mut devices, programs) = ([device], [program.raw()]);
    let devices = devices.as_mut_ptr();
    let (mut place, mut pitch) = (null_mut(), 0usize);
    let (none, no_pool) = (null_mut(), UsmPoolHandle::default());
    refused! {
        urContextCreate(1, devices, &context_desc, &mut ContextHandle::default());
        urQueueCreate(context, device, &queue_desc, &mut QueueHandle::default());
        urMemBufferCreate(context, flags!(MemFlags), 16, null(), &mut mem);
        urMemImageCreate(context, flags!(MemFlags), &format, &image, null_mut(), &mut mem);
        urMemBufferPartition(buffer.raw(), flags!(MemFlags), BufferCreateType::REGION, &region, &mut mem);
        urUSMHostAlloc(context, &hints, no_pool, 16, &mut place);
        urUSMDeviceAlloc(context, device, &hints, no_pool, 16, &mut place);
        urUSMSharedAlloc(context, device, &hints, no_pool, 16, &mut place);
        urUSMPitchedAllocExp(context, device, &hints, no_pool, 16, 4, 4, &mut place, &mut pitch);
        urUSMPoolCreate(context, &mut pool_desc, &mut UsmPoolHandle::default());
        urUSMPoolCreateExp(context, device, &mut pool_desc, &mut UsmPoolHandle::default());
        urUSMHostAllocRegisterExp(context, memory, 4096, &register);
        urPhysicalMemCreate(context, device, 1 << 21, &physical, &mut PhysicalMemHandle::default());
        urVirtualMemSetAccess(context, memory, 4096, flags!(VirtualMemAccessFlags));
        urEventCreateExp(context, device, &event_desc, &mut EventHandle::default());
        urProgramBuildExp(program.raw(), 1, devices, program_flags, null());
        urProgramCompileExp(program.raw(), 1, devices, program_flags, null());
        urProgramLinkExp(
            context, 1, devices, program_flags, 1, programs.as_ptr(), null(), &mut ProgramHandle::default(),
        );
        urEnqueueMemBufferMap(queue, buffer.raw(), true, flags!(MapFlags), 0, 4, 0, null(), none, &mut place);
        urEnqueueUSMPrefetch(queue, memory, 4, flags!(UsmMigrationFlags), 0, null(), none);
        urEnqueueUSMAdvise(queue, memory, 4, flags!(UsmAdviceFlags), none);
        urEnqueueEventsWaitWithBarrierExt(queue, &barrier, 0, null(), none);
        urEnqueueHostTaskExp(queue, Some(host), null_mut(), &task, 0, null(), none);
        urEnqueueNativeCommandExp(queue, Some(submit), null_mut(), 0, null(), &native, 0, null(), none);
        urEnqueueUSMDeviceAllocExp(queue, no_pool, 16, &async_alloc, 0, null(), &mut place, none);
        urEnqueueUSMSharedAllocExp(queue, no_pool, 16, &async_alloc, 0, null(), &mut place, none);
        urEnqueueUSMHostAllocExp(queue, no_pool, 16, &async_alloc, 0, null(), &mut place, none);
        urEnqueueKernelLaunchWithArgsExp(
            queue, kernel.raw(), 1, offset, size, null(), 0, null(), &launch, 0, null(), none,
        );
        urCommandBufferAppendUSMPrefetchExp(
            commands.raw(), memory, 4, flags!(UsmMigrationFlags), 0, null(), 0, null(), null_mut(), none, null_mut(),
        );
        urCommandBufferAppendUSMAdviseExp(
            commands.raw(), memory, 4, flags!(UsmAdviceFlags), 0, null(), 0, null(), null_mut(), none, null_mut(),
        );
    }
    rig.queue.finish().expect("urQueueFinish");
}

#[test]
fn access_to_virtual_memory() {
    if intel("the adapter has no virtual memory") {
        return;
    }
    let rig = Rig::new();
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let (mut range, mut mem) = (null_mut(), PhysicalMemHandle::default());
    let size = 1 << 21;
    if ur!(urVirtualMemReserve(context, null(), size, &mut range)) == ResultCode::ERROR_UNSUPPORTED_FEATURE {
        return println!("this device has no virtual memory");
    }
    let code = ur!(urPhysicalMemCreate(context, device, size, null(), &mut mem));
    assert_eq!(code, ResultCode::SUCCESS);
    let flags = VirtualMemAccessFlags::from_bits_retain(no_flag::<VirtualMemAccessFlags>());
    {
        let mut wrong = Wrong::default();
        wrong.note(
            "urVirtualMemMap",
            ur!(urVirtualMemMap(context, range, size, mem, 0, flags)),
        );
        let code = ur!(urVirtualMemMap(
            context,
            range,
            size,
            mem,
            0,
            VirtualMemAccessFlags::READ_WRITE
        ));
        assert_eq!(code, ResultCode::SUCCESS);
        wrong.note(
            "urVirtualMemSetAccess",
            ur!(urVirtualMemSetAccess(context, range, size, flags)),
        );
    }
    for code in [
        ur!(urVirtualMemUnmap(context, range, size)),
        ur!(urVirtualMemFree(context, range, size)),
        ur!(urPhysicalMemRelease(mem)),
    ] {
        assert_eq!(code, ResultCode::SUCCESS);
    }
}
