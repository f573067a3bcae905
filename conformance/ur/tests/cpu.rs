// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What is our CPU adapter's own: its variables, what it says of the machine, its binaries. On other adapters these
//! tests have nothing to do.

use std::fs;

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Buffer, Image, Kernel, Program, Queue, Range, Usm, UsmRequest};
use oxur_conformance::{Rig, check, expect, run_test, spirv, ur, with_variable};

/// A rig on our CPU adapter.
fn rig() -> Option<Rig> {
    let rig = Rig::new();
    let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    if name == "oxur CPU" {
        return Some(rig);
    }
    println!("this is {name}, not our CPU adapter");
    None
}

#[test]
fn as_many_threads_as_the_variable_says() {
    let Some(rig) = rig() else { return };
    if with_variable("cpu::as_many_threads_as_the_variable_says", "UR_CPU_THREADS", "1") {
        return;
    }
    let units: u32 = rig.device.info(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number");
    assert_eq!(units, 1);
    let ways: Vec<DevicePartition> = rig.device.info(DeviceInfo::SUPPORTED_PARTITIONS).expect("the ways");
    assert!(ways.is_empty(), "one CPU has no parts");
    let data = rig.shared(&[1i32; 1000]);
    rig.run(
        &rig.kernel("basic", "increment"),
        &Range::new([1000]),
        &[Arg::Pointer(data.ptr())],
    );
    assert_eq!(oxur_conformance::values::<i32>(&data), [2; 1000]);
}

#[test]
fn the_backend_that_the_variable_says() {
    let Some(rig) = rig() else { return };
    let select = |target: &std::ffi::CStr| {
        let (mut selected, binary) = (
            u32::MAX,
            DeviceBinary {
                pDeviceTargetSpec: target.as_ptr(),
                ..Default::default()
            },
        );
        ur!(urDeviceSelectBinary(rig.device.raw(), &binary, 1, &mut selected))
    };
    let backend: Backend = rig.platform.info(PlatformInfo::BACKEND).expect("the backend");
    expect!(select(DEVICE_BINARY_TARGET_SPIRV64), SUCCESS);
    let test = "cpu::the_backend_that_the_variable_says";
    if with_variable(test, "UR_CPU_BACKEND", "native_cpu") {
        assert_eq!(backend, Backend::OPENCL);
        expect!(select(DEVICE_BINARY_TARGET_NATIVE_CPU), ERROR_INVALID_BINARY);
        return;
    }
    assert_eq!(backend, Backend::NATIVE_CPU);
    expect!(select(DEVICE_BINARY_TARGET_NATIVE_CPU), SUCCESS);
    // Host code is no program.
    let host_code = [0x7fu8, b'E', b'L', b'F', 2, 1, 1, 0];
    expect!(check(Program::with_il(&rig.context, &host_code)), ERROR_INVALID_BINARY);
}

/// Some programs, such as oneDNN, take a platform by its name and a device by its vendor.
#[test]
fn the_platform_is_called_as_the_variable_says() {
    let rig = Rig::new();
    let (name, vendor): (String, String) = (
        rig.platform.info(PlatformInfo::NAME).expect("the name"),
        rig.platform.info(PlatformInfo::VENDOR_NAME).expect("the vendor"),
    );
    if vendor != "oxur" {
        println!("this is {name}, not our CPU adapter");
        return;
    }
    let test = "cpu::the_platform_is_called_as_the_variable_says";
    if with_variable(test, "UR_CPU_PLATFORM_NAME", "oxur CPU (Intel)") {
        assert_eq!(name, "oxur CPU");
        return;
    }
    assert_eq!(name, "oxur CPU (Intel)");
}

#[test]
fn the_device_is_of_the_vendor_that_the_variable_says() {
    let Some(rig) = rig() else { return };
    let vendor: u32 = rig.device.info(DeviceInfo::VENDOR_ID).expect("a number");
    let test = "cpu::the_device_is_of_the_vendor_that_the_variable_says";
    if with_variable(test, "UR_CPU_VENDOR_ID", "0x1234") {
        assert_ne!(vendor, 0x1234);
        return;
    }
    assert_eq!(vendor, 0x1234);
}

/// Users wait for what a variable does, so a value that is not understood must not go unnoticed.
#[test]
fn a_wrong_value_is_told_of() {
    const CHILD: &str = "OXUR_TEST_WRONG_VALUE";
    let Some(rig) = rig() else { return };
    if std::env::var_os(CHILD).is_some() {
        // The default holds, and everything works.
        let vendor: u32 = rig.device.info(DeviceInfo::VENDOR_ID).expect("a number");
        assert_ne!(vendor, 0);
        Usm::device(&rig.context, &rig.device, 1000, UsmRequest::default()).expect("urUSMDeviceAlloc");
        for _ in 0..2 {
            let data = rig.shared(&[1i32; 1000]);
            let increment = rig.kernel("basic", "increment");
            rig.run(&increment, &Range::new([1000]), &[Arg::Pointer(data.ptr())]);
            assert_eq!(oxur_conformance::values::<i32>(&data), [2; 1000]);
        }
        return;
    }
    let told = |name: &str, value: &str, log: &str| {
        let variables = [(CHILD, "1"), (name, value), ("UR_LOG_CPU", log)];
        let ended = run_test("cpu::a_wrong_value_is_told_of", &variables).passed();
        let lines: Vec<_> = ended
            .log
            .lines()
            .filter(|line| line.contains(name))
            .map(str::to_owned)
            .collect();
        let [line] = &*lines else { panic!("{name}: {lines:?}") };
        line.clone()
    };
    // Those of other adapters, and one that is read where the loader has to search for adapters.
    let others = ["UR_CUDA_", "UR_LEVEL_ZERO_", "UR_OPENCL_", "UR_LOADER_"];
    for variable in oxur_environment::ALL {
        let name = variable.name();
        if others.iter().all(|prefix| !name.starts_with(prefix)) {
            let line = told(name, "x86-64-v9", "");
            let begin = format!("oxur: {name}=x86-64-v9 is ignored: it is ");
            assert!(line.starts_with(&begin) && line.len() > begin.len(), "{line}");
        }
    }
    let line = told("UR_CPU_TARGET", "x86-64-v9", "");
    assert!(
        line.ends_with("it is `native`, `x86-64-v2`, `x86-64-v3` or `x86-64-v4`"),
        "{line}"
    );
    let line = told("UR_CPU_DEVICE_TYPE", "npu", "");
    assert_eq!(
        line,
        "oxur: UR_CPU_DEVICE_TYPE=npu is ignored: it is `cpu`, `gpu`, or `gpu:` and a list of libraries"
    );
    let line = told("UR_ENABLE_LAYERS", "UR_LAYER_TRACE", "");
    assert!(
        line.starts_with("oxur: UR_ENABLE_LAYERS: there is no layer `UR_LAYER_TRACE`: there are "),
        "{line}"
    );
    // Who reads the log finds it there.
    let line = told("UR_CPU_MODE", "slow", "level:warning");
    assert_eq!(
        line,
        "<CPU>[WARNING]: UR_CPU_MODE=slow is ignored: it is `fast` or `scalar`"
    );
    // A folder that nobody can make is no wrong value. Kernels are compiled without it.
    let line = told("UR_CPU_CACHE", "/proc/oxur", "level:warning");
    let (begin, end) = (
        "<CPU>[WARNING]: compiled code is not kept in /proc/oxur: ",
        "; UR_CPU_CACHE names another folder, or is `off`",
    );
    assert!(line.starts_with(begin) && line.ends_with(end), "{line}");
}

#[test]
fn hints_of_queues() {
    let Some(rig) = rig() else { return };
    let listed: QueueFlags = rig.device.info(DeviceInfo::QUEUE_PROPERTIES).expect("the flags");
    // By UR's text each of these changes nothing that a client sees.
    for hint in [
        QueueFlags::DISCARD_EVENTS,
        QueueFlags::PRIORITY_LOW,
        QueueFlags::PRIORITY_HIGH,
        QueueFlags::SUBMISSION_BATCHED,
        QueueFlags::SUBMISSION_IMMEDIATE,
        QueueFlags::USE_DEFAULT_STREAM,
        QueueFlags::SYNC_WITH_DEFAULT_STREAM,
    ] {
        assert!(listed.contains(hint), "{hint:?}");
        let queue = Queue::new(&rig.context, &rig.device, hint).expect("urQueueCreate");
        let data = rig.shared(&[1i32; 100]);
        // SAFETY: the kernel adds to 100 values, which live until the command is complete.
        let event = unsafe {
            let increment = rig.kernel("basic", "increment");
            queue.launch(&increment, &Range::new([100]), &[Arg::Pointer(data.ptr())], &[])
        };
        event.expect("launch").wait().expect("urEventWait");
        assert_eq!(oxur_conformance::values::<i32>(&data), [2; 100], "{hint:?}");
    }
    // The device has no low-power events, so the queue does not claim them.
    let low_power = QueueFlags::LOW_POWER_EVENTS_SUPPORT_EXP;
    let supported: bool = rig
        .device
        .info(DeviceInfo::LOW_POWER_EVENTS_SUPPORT_EXP)
        .expect("a truth value");
    let queue = Queue::new(&rig.context, &rig.device, low_power).expect("urQueueCreate");
    let flags: QueueFlags = queue.info(QueueInfo::FLAGS).expect("the flags");
    assert_eq!(flags.contains(low_power), supported);
    assert_eq!(listed.contains(low_power), supported);
}

/// The features that the device can do without: their names, and the modules that need them.
const FEATURES: [(&str, &str); 2] = [("fp64", "double"), ("atomic64", "atomic64")];

/// What the device says of a feature, in all places where it does; and whether a module that needs it can be built.
fn assert_feature(rig: &Rig, (name, module): (&str, &str), there: bool) {
    let device = &rig.device;
    let extensions: String = device.info(DeviceInfo::EXTENSIONS).expect("the extensions");
    let of_platform: String = rig.platform.info(PlatformInfo::EXTENSIONS).expect("the extensions");
    assert_eq!(extensions, of_platform);
    let listed = |name: &str| extensions.split(' ').any(|extension| extension == name);
    let extension = match name {
        "fp64" => {
            let number = |query| device.info::<u32>(query).expect("a number");
            assert_eq!(number(DeviceInfo::DOUBLE_FP_CONFIG) != 0, there);
            assert_eq!(number(DeviceInfo::PREFERRED_VECTOR_WIDTH_DOUBLE) != 0, there);
            assert_eq!(number(DeviceInfo::NATIVE_VECTOR_WIDTH_DOUBLE) != 0, there);
            "cl_khr_fp64"
        }
        _ => {
            assert_eq!(
                device.info::<bool>(DeviceInfo::ATOMIC_64).expect("a truth value"),
                there
            );
            "cl_khr_int64_base_atomics"
        }
    };
    assert_eq!(listed(extension), there, "{extensions}");
    let program = Program::with_il(&rig.context, &spirv(&format!("optional.{module}"))).expect("urProgramCreateWithIL");
    let built = check(program.build(&rig.context, ""));
    if there {
        return expect!(built, SUCCESS);
    }
    expect!(built, ERROR_PROGRAM_BUILD_FAILURE);
    let log: String = program.build_info(device, ProgramBuildInfo::LOG).expect("the log");
    assert!(log.contains("capability") && log.contains(name), "{log}");
}

#[test]
fn a_device_without_an_optional_feature() {
    let Some(rig) = rig() else { return };
    let without = std::env::var("UR_CPU_DISABLE_ASPECTS").unwrap_or_default();
    for feature in FEATURES {
        assert_feature(&rig, feature, !without.split(',').any(|name| name == feature.0));
    }
    if without.split(',').any(|name| name == "fp64") {
        crate::virtual_functions::on_a_device_without_double();
    }
    for list in ["fp64", "atomic64", "atomic64,fp64"] {
        let test = "cpu::a_device_without_an_optional_feature";
        with_variable(test, "UR_CPU_DISABLE_ASPECTS", list);
    }
}

#[test]
fn the_device_is_the_machine() {
    let Some(rig) = rig() else { return };
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").expect("/proc/cpuinfo");
    let field = |name: &str| {
        let line = cpuinfo.lines().find(|line| line.starts_with(name))?;
        Some(
            line.split(':')
                .nth(1)?
                .split_ascii_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        )
    };
    let name: String = rig.device.info(DeviceInfo::NAME).expect("the name");
    assert_eq!(Some(name), field("model name"));
    let id: u32 = rig.device.info(DeviceInfo::DEVICE_ID).expect("the signature");
    let (family, extended) = (id >> 8 & 15, id >> 20 & 255);
    let family = if family == 15 { family + extended } else { family };
    assert_eq!(Some(family.to_string()), field("cpu family"));
    let meminfo = fs::read_to_string("/proc/meminfo").expect("/proc/meminfo");
    let total = meminfo
        .lines()
        .next()
        .and_then(|line| line.split_ascii_whitespace().nth(1));
    let total: u64 = total.and_then(|kib| kib.parse().ok()).expect("MemTotal");
    let said: u64 = rig.device.info(DeviceInfo::GLOBAL_MEM_SIZE).expect("the memory");
    assert!(said > 0 && said <= total << 10);
    let free: u64 = rig.device.info(DeviceInfo::GLOBAL_MEM_FREE).expect("free memory");
    assert!(free > 0 && free < said);
    let online = std::thread::available_parallelism().expect("the CPUs").get();
    let units: u32 = rig.device.info(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number");
    assert!((1..=online as u32).contains(&units));
}

#[test]
fn parts_by_affinity_domain() {
    let Some(rig) = rig() else { return };
    let divide = |domain| {
        rig.device.partition(&[DevicePartitionProperty {
            r#type: DevicePartition::BY_AFFINITY_DOMAIN,
            value: DevicePartitionValue {
                affinity_domain: domain,
            },
        }])
    };
    let domains: DeviceAffinityDomainFlags = rig
        .device
        .info(DeviceInfo::PARTITION_AFFINITY_DOMAIN)
        .expect("the domains");
    let units: u32 = rig.device.info(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number");
    for domain in [
        DeviceAffinityDomainFlags::NUMA,
        DeviceAffinityDomainFlags::L3_CACHE,
        DeviceAffinityDomainFlags::L2_CACHE,
        DeviceAffinityDomainFlags::L1_CACHE,
        DeviceAffinityDomainFlags::NEXT_PARTITIONABLE,
    ] {
        let parts = divide(domain);
        if !domains.contains(domain) {
            expect!(check(parts), ERROR_DEVICE_PARTITION_FAILED);
            continue;
        }
        let parts = parts.expect("the device says that it can be divided so");
        let of = |part: &oxur_conformance::client::Device| {
            part.info::<u32>(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number")
        };
        assert!(parts.len() > 1);
        assert_eq!(parts.iter().map(of).sum::<u32>(), units);
        let made: Vec<DevicePartitionProperty> = parts[0].info(DeviceInfo::PARTITION_TYPE).expect("how it was made");
        assert_eq!(made.len(), 1);
        assert_eq!(made[0].r#type, DevicePartition::BY_AFFINITY_DOMAIN);
    }
}

#[test]
fn damaged_binaries() {
    let Some(rig) = rig() else { return };
    let binary = rig.program("basic").binaries().expect("the binaries").remove(0);
    let load = |bytes: &[u8]| check(Program::with_binaries(&rig.context, &[&rig.device], &[bytes]));
    expect!(load(&binary), SUCCESS);
    for length in [1, 8, 20, binary.len() / 2, binary.len() - 1] {
        expect!(load(&binary[..length]), ERROR_INVALID_BINARY);
    }
    for place in (0..binary.len()).step_by(97) {
        let mut damaged = binary.clone();
        damaged[place] ^= 0x10;
        expect!(load(&damaged), ERROR_INVALID_BINARY);
    }
}

#[test]
fn a_library_by_way_of_its_binary() {
    let Some(rig) = rig() else { return };
    let library = rig
        .link(&[&rig.part("link_function")], c"-create-library")
        .expect("a library");
    let binary = library.binaries().expect("the binaries").remove(0);
    let again = Program::with_binaries(&rig.context, &[&rig.device], &[&binary]).expect("urProgramCreateWithBinary");
    let program = rig
        .link(&[&rig.part("link_kernel"), &again], c"")
        .expect("urProgramLink");
    let data = rig.buffer(&[1i32, 2, 3, 4]);
    let kernel = Kernel::new(&program, "call_twice").expect("urKernelCreate");
    rig.run(&kernel, &Range::new([4]), &[Arg::mem(&data)]);
    assert_eq!(rig.contents::<i32>(&data), [2, 4, 6, 8]);
}

#[test]
fn device_globals_after_a_kernel_that_failed() {
    let Some(rig) = rig() else { return };
    let program = rig.program("globals");
    let nowhere = [Arg::Pointer(std::ptr::null()), Arg::value(&1i32)];
    let failed = rig
        .start(&rig.kernel("basic", "fill"), &Range::new([1]), &nowhere, &[])
        .expect("the launch is right");
    let mut numbers = [-1i32; 8];
    let read = rig.queue.global_read(&program, "numbers", 0, &mut numbers, &[&failed]);
    expect!(check(read), ERROR_IN_EVENT_LIST_EXEC_STATUS);
    let write = rig.queue.global_write(&program, "numbers", 0, &numbers, &[&failed]);
    expect!(check(write), ERROR_IN_EVENT_LIST_EXEC_STATUS);
    assert_eq!(numbers, [-1; 8], "nothing was read");
    rig.queue
        .global_read(&program, "numbers", 0, &mut numbers, &[])
        .expect("read");
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8], "nothing was written");
}

#[test]
fn formats_that_no_image_has() {
    let Some(rig) = rig() else { return };
    let desc = ImageDesc {
        r#type: MemType::IMAGE2D,
        width: 4,
        height: 4,
        ..Default::default()
    };
    for (order, kind) in [
        (ImageChannelOrder::RGB, ImageChannelType::UNORM_SHORT_565),
        (ImageChannelOrder::BGRA, ImageChannelType::FLOAT),
        (ImageChannelOrder::LUMINANCE, ImageChannelType::UNSIGNED_INT8),
    ] {
        let format = ImageFormat {
            channelOrder: order,
            channelType: kind,
        };
        let image = Image::new(&rig.context, MemFlags::READ_WRITE, format, &desc);
        expect!(check(image), ERROR_UNSUPPORTED_IMAGE_FORMAT);
    }
}

#[test]
fn arguments_of_the_wrong_kind() {
    let Some(rig) = rig() else { return };
    let kernel = rig.kernel("basic", "fill");
    let data: Buffer = rig.buffer(&[0i32; 4]);
    let start = |args: &[Arg]| check(rig.start(&kernel, &Range::new([4]), args, &[]));
    expect!(start(&[Arg::Local(16), Arg::value(&1i32)]), ERROR_INVALID_KERNEL_ARGS);
    expect!(
        start(&[Arg::mem(&data), Arg::Pointer(std::ptr::null())]),
        ERROR_INVALID_KERNEL_ARGS
    );
    // An address may come as the bytes that it has.
    let memory = rig.shared(&[0i32; 4]);
    let address = memory.ptr() as u64;
    rig.run(&kernel, &Range::new([4]), &[Arg::value(&address), Arg::value(&5i32)]);
    assert_eq!(oxur_conformance::values::<i32>(&memory), [5; 4]);
}
