// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Property chains: what a function knows has an effect, or an error where the device has no use for it; what it does not
//! know is the error that the function documents for that, or, where it documents none, nothing.
//!
//! The specification has a `pNext` in every description, lists the structures that may follow, and says nothing of others.
//! Of its errors, INVALID_VALUE fits them best, then INVALID_QUEUE_PROPERTIES and UNSUPPORTED_FEATURE; a launch gives
//! INVALID_OPERATION "if any property is not supported by the device".

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{from_ref, null, null_mut};
use std::sync::Mutex;

use oxur_conformance::api::*;
use oxur_conformance::client::{Buffer, Kernel};
use oxur_conformance::{Known, Rig, expect, expect_code, intel, spirv, ur};

use crate::known;

pub(crate) const IGNORED: &str = "the adapter skips structures that it does not know, or reads no chain";
pub(crate) const SUCCESS: ResultCode = ResultCode::SUCCESS;
pub(crate) const UNSUPPORTED_FEATURE: ResultCode = ResultCode::ERROR_UNSUPPORTED_FEATURE;
pub(crate) const INVALID_VALUE: ResultCode = ResultCode::ERROR_INVALID_VALUE;
const INVALID_QUEUE_PROPERTIES: ResultCode = ResultCode::ERROR_INVALID_QUEUE_PROPERTIES;

/// Calls a function with these structures behind its description.
///
/// The chain is null; one that nobody knows; one of another function; one that leads back into itself. `refused` is the
/// answer to all but the first.
pub(crate) fn check_chains(
    name: &str,
    refused: ResultCode,
    on_intel: &'static [ResultCode],
    mut call: impl FnMut(*mut c_void) -> ResultCode,
) {
    println!("{name}");
    expect_code(name, || call(null_mut()), &[SUCCESS], None);
    let known = Some(Known::Codes(on_intel, IGNORED));
    let stranger = BaseProperties {
        stype: StructureType(0x7777),
        pNext: null_mut(),
    };
    let next = from_ref(&stranger).cast_mut().cast();
    expect_code(&format!("{name}, unknown"), || call(next), &[refused], known);
    let foreign = PhysicalMemProperties::default();
    let next = from_ref(&foreign).cast_mut().cast();
    expect_code(&format!("{name}, another function's"), || call(next), &[refused], known);
    if intel("the adapter follows a cycle without end") {
        return;
    }
    // Each knows at most one of them: the first is refused, or the second time.
    for stype in [StructureType::QUEUE_INDEX_PROPERTIES, StructureType::USM_DEVICE_DESC] {
        // As large as any structure.
        let mut cycle = [
            BaseProperties {
                stype,
                pNext: null_mut(),
            },
            BaseProperties::default(),
        ];
        let next: *mut c_void = cycle.as_mut_ptr().cast();
        // SAFETY: a member of the array, through the pointer that the library reads it by.
        unsafe { (*next.cast::<BaseProperties>()).pNext = next };
        expect_code(&format!("{name}, cycle of {stype:?}"), || call(next), &[refused], None);
    }
}

/// The result of a function that makes an object, which is released.
macro_rules! made {
    ($handle:ident, $release:ident; $object:ident => $create:ident($($arg:expr),* $(,)?)) => {{
        let mut object = $handle::default();
        let $object = &mut object;
        let result = ur!($create($($arg),*));
        if result == SUCCESS {
            assert_eq!(ur!($release(object)), SUCCESS);
        }
        result
    }};
}
pub(crate) use made;

#[test]
fn usm() {
    let rig = Rig::new();
    let (context, device, pool) = (rig.context.raw(), rig.device.raw(), UsmPoolHandle::default());
    let alloc = |kind: u32, desc: &UsmDesc| {
        let mut memory = null_mut();
        let result = match kind {
            0 => ur!(urUSMHostAlloc(context, desc, pool, 64, &mut memory)),
            1 => ur!(urUSMDeviceAlloc(context, device, desc, pool, 64, &mut memory)),
            _ => ur!(urUSMSharedAlloc(context, device, desc, pool, 64, &mut memory)),
        };
        if result == SUCCESS {
            assert_eq!(ur!(urUSMFree(context, memory)), SUCCESS);
        }
        result
    };
    for (kind, name) in (0..).zip(["urUSMHostAlloc", "urUSMDeviceAlloc", "urUSMSharedAlloc"]) {
        check_chains(name, INVALID_VALUE, &[INVALID_VALUE], |next| {
            let desc = UsmDesc {
                pNext: next,
                ..Default::default()
            };
            alloc(kind, &desc)
        });
        // A partition of the memory, which only boards with FPGAs have.
        let location = UsmAllocLocationDesc {
            location: 1,
            ..Default::default()
        };
        let desc = UsmDesc {
            pNext: from_ref(&location).cast(),
            ..Default::default()
        };
        let extensions: String = rig.device.info(DeviceInfo::EXTENSIONS).expect("the extensions");
        if !extensions.contains("cl_intel_mem_alloc_buffer_location") {
            expect!(alloc(kind, &desc), ERROR_UNSUPPORTED_FEATURE; intel ERROR_UNKNOWN, known::UNMAPPED);
        }
        // What all know.
        let host = UsmHostDesc::default();
        let device = UsmDeviceDesc {
            pNext: from_ref(&host).cast(),
            ..Default::default()
        };
        let desc = UsmDesc {
            pNext: from_ref(&device).cast(),
            ..Default::default()
        };
        expect!(alloc(kind, &desc), SUCCESS);
        // A flag that does not exist is found behind another structure, too.
        let host = UsmHostDesc {
            flags: UsmHostMemFlags::from_bits_retain(1 << 20),
            ..Default::default()
        };
        let device = UsmDeviceDesc {
            pNext: from_ref(&host).cast(),
            ..Default::default()
        };
        let desc = UsmDesc {
            pNext: from_ref(&device).cast(),
            ..Default::default()
        };
        expect!(alloc(kind, &desc), ERROR_INVALID_ENUMERATION);
    }
}

#[test]
fn usm_pools() {
    let rig = Rig::new();
    if !rig.supports(DeviceInfo::USM_POOL_SUPPORT, "pools") {
        return;
    }
    let context = rig.context.raw();
    let create = |next: *const c_void| {
        let mut desc = UsmPoolDesc {
            pNext: next,
            ..Default::default()
        };
        made!(UsmPoolHandle, urUSMPoolRelease; pool => urUSMPoolCreate(
            context, &mut desc, pool
        ))
    };
    check_chains("urUSMPoolCreate", INVALID_VALUE, &[SUCCESS], |next| create(next));
    let limits = UsmPoolLimitsDesc::default();
    expect!(create(from_ref(&limits).cast()), SUCCESS);
    // Memory of the client's in place of the driver's.
    let memory = rig.shared(&[0u8; 4096]);
    let buffer = UsmPoolBufferDesc {
        pMem: memory.ptr(),
        size: 4096,
        memType: UsmType::SHARED,
        device: rig.device.raw(),
        ..Default::default()
    };
    expect!(create(from_ref(&buffer).cast()), ERROR_UNSUPPORTED_FEATURE);
}

#[test]
fn queues() {
    let rig = Rig::new();
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let create = |next| {
        let properties = QueueProperties {
            pNext: next,
            ..Default::default()
        };
        made!(QueueHandle, urQueueRelease; queue => urQueueCreate(
            context,
            device,
            &properties,
            queue
        ))
    };
    let invalid = INVALID_QUEUE_PROPERTIES;
    check_chains("urQueueCreate", invalid, &[SUCCESS], create);
    // The engines of the device, and one more.
    let count: u32 = rig.device.info(DeviceInfo::MAX_COMPUTE_QUEUE_INDICES).expect("a count");
    for index in 0..=count {
        let mut properties = QueueIndexProperties {
            computeIndex: index,
            ..Default::default()
        };
        let next = (&raw mut properties).cast();
        match index < count {
            true => expect!(create(next), SUCCESS),
            false => expect!(create(next), ERROR_INVALID_QUEUE_PROPERTIES; intel SUCCESS, IGNORED),
        }
    }
}

#[test]
fn buffers() {
    let rig = Rig::new();
    let context = rig.context.raw();
    let create = |next| {
        let properties = BufferProperties {
            pNext: next,
            ..Default::default()
        };
        made!(MemHandle, urMemRelease; mem => urMemBufferCreate(
            context,
            MemFlags::READ_WRITE,
            64,
            &properties,
            mem
        ))
    };
    check_chains("urMemBufferCreate", INVALID_VALUE, &[SUCCESS], create);
    let mut location = BufferAllocLocationProperties::default();
    let extensions: String = rig.device.info(DeviceInfo::EXTENSIONS).expect("the extensions");
    if !extensions.contains("cl_intel_mem_alloc_buffer_location") {
        expect!(create((&raw mut location).cast()), ERROR_INVALID_VALUE; intel SUCCESS, IGNORED);
    }
    // SYCL's extension for it, sycl_ext_intel_mem_channel_property, calls it a hint that may be ignored.
    let mut channel = BufferChannelProperties {
        channel: 1,
        ..Default::default()
    };
    expect!(create((&raw mut channel).cast()), SUCCESS);

    let buffer = Buffer::new(&rig.context, MemFlags::READ_WRITE, 64).expect("urMemBufferCreate");
    check_chains("urMemBufferPartition", INVALID_VALUE, &[SUCCESS], |next| {
        let region = BufferRegion {
            pNext: next,
            size: 32,
            ..Default::default()
        };
        let (flags, kind) = (MemFlags::READ_WRITE, BufferCreateType::REGION);
        made!(MemHandle, urMemRelease; mem => urMemBufferPartition(
            buffer.raw(),
            flags,
            kind,
            &region,
            mem
        ))
    });
}

#[test]
fn images_and_samplers() {
    let rig = Rig::new();
    if !rig.supports(DeviceInfo::IMAGE_SUPPORT, "images") {
        return;
    }
    let context = rig.context.raw();
    let format = ImageFormat {
        channelOrder: ImageChannelOrder::RGBA,
        channelType: ImageChannelType::UNSIGNED_INT8,
    };
    check_chains("urMemImageCreate", INVALID_VALUE, &[SUCCESS], |next| {
        let desc = ImageDesc {
            pNext: next,
            r#type: MemType::IMAGE2D,
            width: 4,
            height: 4,
            depth: 1,
            ..Default::default()
        };
        made!(MemHandle, urMemRelease; mem => urMemImageCreate(
            context,
            MemFlags::READ_WRITE,
            &format,
            &desc,
            null_mut(),
            mem
        ))
    });
    let create = |next: *mut c_void| {
        let desc = SamplerDesc {
            pNext: next,
            addressingMode: SamplerAddressingMode::CLAMP,
            ..Default::default()
        };
        made!(SamplerHandle, urSamplerRelease; sampler => urSamplerCreate(
            context, &desc, sampler
        ))
    };
    check_chains("urSamplerCreate", INVALID_VALUE, &[SUCCESS], create);
    // These are for bindless images.
    let mut mip = ExpSamplerMipProperties::default();
    let mut modes = ExpSamplerAddrModes::default();
    let mut cubemap = ExpSamplerCubemapProperties::default();
    for next in [
        (&raw mut mip).cast(),
        (&raw mut modes).cast(),
        (&raw mut cubemap).cast(),
    ] {
        expect!(create(next), ERROR_UNSUPPORTED_FEATURE; intel SUCCESS, IGNORED);
    }
}

/// These document no error that fits: they do without what they do not know, and say so in the log.
#[test]
fn functions_that_must_not_fail() {
    static LOG: Mutex<String> = Mutex::new(String::new());
    unsafe extern "C" fn log(_: LoggerLevel, message: *const c_char, _: *mut c_void) {
        // SAFETY: a message ends with NUL.
        let message = unsafe { CStr::from_ptr(message) };
        *LOG.lock().expect("the log") += &format!("{}\n", message.to_string_lossy());
    }
    let rig = Rig::new();
    let (adapter, level) = (rig.adapter.raw(), LoggerLevel::WARN);
    expect!(
        ur!(urAdapterSetLoggerCallback(adapter, Some(log), null_mut(), level)),
        SUCCESS
    );
    let check_chains = |name: &str, refused, on_intel, call: &mut dyn FnMut(*mut c_void) -> ResultCode| {
        check_chains(name, refused, on_intel, call);
        let log = std::mem::take(&mut *LOG.lock().expect("the log"));
        if intel("it does not say so") {
            return;
        }
        for what in ["0x7777", "UR_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES", "leads back"] {
            let line = log.lines().find(|line| line.contains(what));
            assert!(line.is_some_and(|line| line.contains(name)), "{name}, {what}: {log}");
        }
    };
    let (context, device) = (rig.context.raw(), rig.device.raw());
    check_chains("urContextCreate", SUCCESS, &[SUCCESS], &mut |next| {
        let properties = ContextProperties {
            pNext: next,
            ..Default::default()
        };
        made!(ContextHandle, urContextRelease; made => urContextCreate(
            1,
            &device,
            &properties,
            made
        ))
    });
    let il = spirv("basic");
    check_chains("urProgramCreateWithIL", SUCCESS, &[SUCCESS], &mut |next| {
        let properties = ProgramProperties {
            pNext: next,
            ..Default::default()
        };
        made!(ProgramHandle, urProgramRelease; program => urProgramCreateWithIL(
            context,
            il.as_ptr().cast(),
            il.len(),
            &properties,
            program
        ))
    });
    let kernel = rig.kernel("basic", "nothing");
    check_chains("urKernelSetExecInfo", SUCCESS, &[SUCCESS], &mut |next| {
        let properties = KernelExecInfoProperties {
            pNext: next,
            ..Default::default()
        };
        let (info, yes): (_, Bool) = (KernelExecInfo::USM_INDIRECT_ACCESS, 1);
        ur!(urKernelSetExecInfo(
            kernel.raw(),
            info,
            1,
            &properties,
            from_ref(&yes).cast()
        ))
    });
    check_chains("urDeviceSelectBinary", SUCCESS, &[SUCCESS], &mut |next| {
        let binary = DeviceBinary {
            pNext: next,
            pDeviceTargetSpec: DEVICE_BINARY_TARGET_SPIRV64.as_ptr(),
            ..Default::default()
        };
        let mut selected = 7;
        ur!(urDeviceSelectBinary(device, &binary, 1, &mut selected))
    });
    let with_arguments = rig.kernel("basic", "ids");
    check_chains("urKernelSetArgPointer", SUCCESS, &[SUCCESS], &mut |next| {
        let properties = KernelArgPointerProperties {
            pNext: next,
            ..Default::default()
        };
        ur!(urKernelSetArgPointer(with_arguments.raw(), 0, &properties, null()))
    });
    let part = DevicePartitionProperty {
        r#type: DevicePartition::EQUALLY,
        value: DevicePartitionValue { equally: 1 },
    };
    if rig.device.partition(&[part]).is_err() {
        return println!("this device has no parts");
    }
    check_chains("urDevicePartition", SUCCESS, &[SUCCESS], &mut |next| {
        let properties = DevicePartitionProperties {
            pNext: next,
            pProperties: &part,
            PropCount: 1,
            ..Default::default()
        };
        let mut count = 0;
        ur!(urDevicePartition(device, &properties, 0, null_mut(), &mut count))
    });
}

#[test]
fn physical_memory() {
    let rig = Rig::new();
    if !rig.supports(DeviceInfo::VIRTUAL_MEMORY_SUPPORT, "physical memory") {
        return;
    }
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let stranger = BaseProperties {
        stype: StructureType(0x7777),
        pNext: null_mut(),
    };
    let properties = PhysicalMemProperties {
        pNext: from_ref(&stranger).cast_mut().cast(),
        ..Default::default()
    };
    let mut mem = PhysicalMemHandle::default();
    // It documents no error for this.
    expect!(
        ur!(urPhysicalMemCreate(context, device, 1 << 21, &properties, &mut mem)),
        SUCCESS
    );
    expect!(ur!(urPhysicalMemRelease(mem)), SUCCESS);
}

/// A native queue comes with properties of a queue, its index, and what kind of native handle it is.
#[test]
fn native_queues() {
    let rig = Rig::new();
    let (context, device, queue) = (rig.context.raw(), rig.device.raw(), rig.queue.raw());
    let mut data = 0i32;
    let mut native = 0;
    let mut desc = QueueNativeDesc {
        pNativeData: (&raw mut data).cast(),
        ..Default::default()
    };
    let got = ur!(urQueueGetNativeHandle(queue, &mut desc, &mut native));
    if got == UNSUPPORTED_FEATURE {
        return println!("this device has no native queues");
    }
    assert_eq!(got, SUCCESS);
    let create = |next| {
        let properties = QueueNativeProperties {
            pNext: next,
            ..Default::default()
        };
        made!(QueueHandle, urQueueRelease; made => urQueueCreateWithNativeHandle(
            native,
            context,
            device,
            &properties,
            made
        ))
    };
    let name = "urQueueCreateWithNativeHandle";
    check_chains(name, UNSUPPORTED_FEATURE, &[SUCCESS], create);
    let mut index = QueueIndexProperties {
        pNext: (&raw mut desc).cast(),
        ..Default::default()
    };
    let mut properties = QueueProperties {
        pNext: (&raw mut index).cast(),
        flags: QueueFlags::PROFILING_ENABLE,
        ..Default::default()
    };
    expect!(create((&raw mut properties).cast()), SUCCESS);
    let name = "urQueueGetNativeHandle";
    check_chains(name, UNSUPPORTED_FEATURE, &[SUCCESS], |next| {
        let mut desc = QueueNativeDesc {
            pNext: next,
            ..Default::default()
        };
        ur!(urQueueGetNativeHandle(queue, &mut desc, &mut native))
    });
}

#[test]
fn native_handles() {
    let rig = Rig::new();
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let mut native = 0;
    if ur!(urContextGetNativeHandle(context, &mut native)) == UNSUPPORTED_FEATURE {
        return println!("this device has no native handles");
    }
    let unknown = UNSUPPORTED_FEATURE;
    macro_rules! check_native {
        ($create:ident($($before:expr),*), $properties:ident, $handle:ident, $release:ident, $native:expr) => {{
            let native: NativeHandle = $native;
            check_chains(stringify!($create), unknown, &[SUCCESS], |next| {
                let properties = $properties { pNext: next, ..Default::default() };
                made!($handle, $release; made => $create(native, $($before,)* &properties, made))
            });
        }};
    }
    let devices = &raw const device;
    check_native!(
        urContextCreateWithNativeHandle(rig.adapter.raw(), 1, devices),
        ContextNativeProperties,
        ContextHandle,
        urContextRelease,
        native
    );
    let buffer = Buffer::new(&rig.context, MemFlags::READ_WRITE, 64).expect("urMemBufferCreate");
    expect!(ur!(urMemGetNativeHandle(buffer.raw(), device, &mut native)), SUCCESS);
    check_native!(
        urMemBufferCreateWithNativeHandle(context),
        MemNativeProperties,
        MemHandle,
        urMemRelease,
        native
    );
    let program = rig.program("basic");
    expect!(ur!(urProgramGetNativeHandle(program.raw(), &mut native)), SUCCESS);
    check_native!(
        urProgramCreateWithNativeHandle(context),
        ProgramNativeProperties,
        ProgramHandle,
        urProgramRelease,
        native
    );
    let kernel = Kernel::new(&program, "nothing").expect("urKernelCreate");
    expect!(ur!(urKernelGetNativeHandle(kernel.raw(), &mut native)), SUCCESS);
    check_native!(
        urKernelCreateWithNativeHandle(context, program.raw()),
        KernelNativeProperties,
        KernelHandle,
        urKernelRelease,
        native
    );
    let event = rig.queue.marker(&[]).expect("urEnqueueEventsWait");
    expect!(ur!(urEventGetNativeHandle(event.raw(), &mut native)), SUCCESS);
    check_native!(
        urEventCreateWithNativeHandle(context),
        EventNativeProperties,
        EventHandle,
        urEventRelease,
        native
    );
    // Roots, which nobody counts.
    expect!(ur!(urDeviceGetNativeHandle(device, &mut native)), SUCCESS);
    check_native!(
        urDeviceCreateWithNativeHandle(rig.adapter.raw()),
        DeviceNativeProperties,
        DeviceHandle,
        urDeviceRelease,
        native
    );
    expect!(ur!(urPlatformGetNativeHandle(rig.platform.raw(), &mut native)), SUCCESS);
    check_chains("urPlatformCreateWithNativeHandle", unknown, &[SUCCESS], |next| {
        let properties = PlatformNativeProperties {
            pNext: next,
            ..Default::default()
        };
        let mut platform = PlatformHandle::default();
        ur!(urPlatformCreateWithNativeHandle(
            native,
            rig.adapter.raw(),
            &properties,
            &mut platform
        ))
    });
    rig.queue.finish().expect("urQueueFinish");
}
