// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_CUDA_BACKEND`: what the adapter says that it is of, and programs as a compiler for CUDA makes them. Each test of
//! `UR_CUDA_BACKEND=cuda` is in a process of its own.

use std::ffi::CStr;
use std::path::Path;
use std::ptr::{null, null_mut};

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::{run_test, spirv};

use crate::{Rig, code, loader};

const BACKEND: &str = "UR_CUDA_BACKEND";

/// Whether this process is of the backend cuda. If it is not, the test runs in one that is.
fn is_of_cuda(test: &str) -> bool {
    match std::env::var(BACKEND) {
        Ok(backend) => backend == "cuda",
        Err(_) => {
            run_test(test, &[(BACKEND, "cuda")]).passed();
            false
        }
    }
}

/// The answer of `urDeviceSelectBinary` for these targets.
fn selected(device: &Device, targets: &[&CStr]) -> std::result::Result<u32, ResultCode> {
    let binaries: Vec<_> = targets
        .iter()
        .map(|target| DeviceBinary {
            pDeviceTargetSpec: target.as_ptr(),
            ..Default::default()
        })
        .collect();
    let mut chosen = u32::MAX;
    // SAFETY: a live device, so many binaries, and a place for the answer.
    let answer = unsafe {
        let (count, fns) = (binaries.len() as u32, loader().fns());
        fns.urDeviceSelectBinary(device.raw(), binaries.as_ptr(), count, &mut chosen)
    };
    answer
        .map(|()| chosen)
        .map_err(|error| error.code().expect("an error of Unified Runtime"))
}

/// Compares what depends on the backend.
#[track_caller]
fn check_answers(backend: Backend, platform: &str, device: &str, sub_groups: &[u32], own: &CStr, other: &CStr) {
    let adapters = loader().adapters().expect("urAdapterGet");
    let said: Backend = adapters[0].info(AdapterInfo::BACKEND).expect("BACKEND");
    assert_eq!(said, backend);
    let platforms = adapters[0].platforms().expect("urPlatformGet");
    assert_eq!(platforms.len(), 1);
    let said: Backend = platforms[0].info(PlatformInfo::BACKEND).expect("BACKEND");
    assert_eq!(said, backend);
    let version: String = platforms[0].info(PlatformInfo::VERSION).expect("VERSION");
    assert!(version.starts_with(platform), "{version}");
    let rig = Rig::new();
    let version: String = rig.device.info(DeviceInfo::VERSION).expect("VERSION");
    assert!(version.starts_with(device), "{version}");
    let runtime: String = rig.device.info(DeviceInfo::BACKEND_RUNTIME_VERSION).expect("a version");
    assert!(
        version.replace("OpenCL 3.0 sm_", "").replace('.', "") == runtime.replace('.', ""),
        "{version} {runtime}"
    );
    let sizes: Vec<u32> = rig.device.info(DeviceInfo::SUB_GROUP_SIZES_INTEL).expect("sizes");
    assert_eq!(sizes, sub_groups);
    let most: u32 = rig.device.info(DeviceInfo::MAX_NUM_SUB_GROUPS).expect("a number");
    assert_eq!(most, 1024 / sub_groups[0]);
    // An image of its own code, wherever it is in the list, and none of the other.
    assert_eq!(selected(&rig.device, &[own]), Ok(0));
    assert_eq!(selected(&rig.device, &[other, own]), Ok(1));
    assert_eq!(selected(&rig.device, &[other]), Err(ResultCode::ERROR_INVALID_BINARY));
}

#[test]
fn of_opencl() {
    let (own, other) = (DEVICE_BINARY_TARGET_SPIRV64, DEVICE_BINARY_TARGET_NVPTX64);
    check_answers(
        Backend::OPENCL,
        "OpenCL 3.0 CUDA ",
        "OpenCL 3.0 sm_",
        &[8, 16, 32],
        own,
        other,
    );
    // The driver without a GPU has 4 multiprocessors.
    let units: u32 = Rig::new().device.info(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number");
    assert!(
        units >= 16,
        "{units} compute units: programs for Intel's GPUs divide them by 8 or 16"
    );
}

#[test]
fn of_cuda() {
    if is_of_cuda("backend::of_cuda") {
        let (own, other) = (DEVICE_BINARY_TARGET_NVPTX64, DEVICE_BINARY_TARGET_SPIRV64);
        check_answers(Backend::CUDA, "CUDA ", "", &[32], own, other);
    }
}

/// `ONEAPI_DEVICE_SELECTOR` finds the device by the backend.
#[test]
fn selectors() {
    const WANTED: &str = "OXUR_CUDA_SELECTED";
    if let Ok(wanted) = std::env::var(WANTED) {
        let adapters = loader().adapters().expect("urAdapterGet");
        let platforms = adapters
            .iter()
            .flat_map(|adapter| adapter.platforms().expect("urPlatformGet"));
        let selected = |platform: Platform| {
            let mut count = 0;
            // SAFETY: a live platform, no array, and a place for the number.
            let asked = unsafe {
                let (raw, fns) = (platform.raw(), loader().fns());
                fns.urDeviceGetSelected(raw, DeviceType::ALL, 0, null_mut(), &mut count)
            };
            asked.map_or(0, |()| count)
        };
        return assert_eq!(platforms.map(selected).sum::<u32>().to_string(), wanted);
    }
    for (backend, selector, wanted) in [
        ("cuda", "cuda:gpu", "1"),
        ("cuda", "cuda:*", "1"),
        ("cuda", "*:gpu", "1"),
        ("cuda", "opencl:*", "0"),
        ("opencl", "cuda:*", "0"),
        ("opencl", "opencl:gpu", "1"),
    ] {
        let variables = [
            (BACKEND, backend),
            ("ONEAPI_DEVICE_SELECTOR", selector),
            (WANTED, wanted),
        ];
        run_test("backend::selectors", &variables).passed();
    }
}

/// A value of metadata in bytes, as images of SYCL have them: the number of its bits comes first.
fn with_length(value: &[u8]) -> Vec<u8> {
    [&(8 * value.len() as u64).to_le_bytes(), value].concat()
}

/// A program with metadata: names, and values in bytes.
fn with_metadata(rig: &Rig, binary: &[u8], metadata: &[(&CStr, Vec<u8>)]) -> Program {
    let entries: Vec<_> = metadata
        .iter()
        .map(|(name, value)| ProgramMetadata {
            pName: name.as_ptr(),
            r#type: ProgramMetadataType::BYTE_ARRAY,
            size: value.len(),
            value: ProgramMetadataValue {
                pData: value.as_ptr().cast_mut().cast(),
            },
        })
        .collect();
    let properties = ProgramProperties {
        count: entries.len() as u32,
        pMetadatas: match entries.is_empty() {
            true => null(),
            false => entries.as_ptr(),
        },
        ..Default::default()
    };
    let (mut device, mut length, mut bytes) = (rig.device.raw(), binary.len(), binary.as_ptr());
    let mut handle = ProgramHandle::default();
    // SAFETY: a live context and device, a binary of that length, and whole properties.
    let program = unsafe {
        let (context, fns) = (rig.context.raw(), loader().fns());
        fns.urProgramCreateWithBinary(
            context,
            1,
            &mut device,
            &mut length,
            &mut bytes,
            &properties,
            &mut handle,
        )
        .expect("urProgramCreateWithBinary");
        Program::from_raw(loader(), handle)
    };
    program.build(&rig.context, "").expect("urProgramBuild");
    program
}

/// What is said of `backend.ptx`, and of what is not in it.
fn metadata() -> [(&'static CStr, Vec<u8>); 4] {
    let size: Vec<u8> = [8_u32, 4, 1].iter().flat_map(|size| size.to_le_bytes()).collect();
    [
        (c"_ZTS6Groups@reqd_work_group_size", with_length(&size)),
        (c"uid1234@global_id_mapping", with_length(b"_ZL7counter")),
        (c"none@reqd_work_group_size", with_length(&[1])),
        (c"_ZTS6Groups@what_nobody_knows", with_length(&[1, 2, 3])),
    ]
}

const PTX: &[u8] = include_bytes!("backend.ptx");

#[test]
fn programs_of_clang() {
    if !is_of_cuda("backend::programs_of_clang") {
        return;
    }
    let rig = Rig::new();
    let first = with_metadata(&rig, PTX, &metadata());
    // The cubin that it was made into, as from the cache of the client, with what is said of it.
    let cubin = first.binaries().expect("BINARIES").remove(0);
    assert_eq!(&cubin[..4], b"\x7fELF");
    for program in [first, with_metadata(&rig, &cubin, &metadata())] {
        let names: String = program.info(ProgramInfo::KERNEL_NAMES).expect("KERNEL_NAMES");
        assert_eq!(names, "_ZTS6Groups");
        let kernel = Kernel::new(&program, "_ZTS6Groups").expect("urKernelCreate");
        let required: [usize; 3] = kernel
            .group_info(&rig.device, KernelGroupInfo::COMPILE_WORK_GROUP_SIZE)
            .expect("a size");
        assert_eq!(required, [8, 4, 1]);
        let attributes: String = kernel.info(KernelInfo::ATTRIBUTES).expect("ATTRIBUTES");
        assert_eq!(attributes, "reqd_work_group_size(8,4,1)");
        // The global that the client knows by a name of its own.
        for (name, value) in [("uid1234", 100_u32), ("_ZL7counter", 200)] {
            let event = rig.queue.global_write(&program, name, 0, &[value], &[]);
            event.expect("write").wait().expect("urEventWait");
            let out = rig.shared(&[u32::MAX; 16 * 8]);
            let args = [Arg::Pointer(out.ptr())];
            // Groups of that size, whether the client asks for them or not.
            for range in [Range::new([16, 8]), Range::new([16, 8]).local([8, 4])] {
                let event = rig.launch(&kernel, &range, &args).expect("launch");
                event.wait().expect("urEventWait");
                // SAFETY: the kernel is complete.
                let found = unsafe { out.as_slice::<u32>() };
                assert!(
                    found.iter().zip(value..).all(|(found, expected)| *found == expected),
                    "{found:?}"
                );
            }
        }
        assert_eq!(
            code(rig.queue.global_write(&program, "uid", 0, &[1_u32], &[])),
            ResultCode::ERROR_INVALID_VALUE
        );
        // Other groups, ranges that they do not divide, and offsets, of which the kernel would not know.
        let out = rig.shared(&[u32::MAX; 16 * 8]);
        let refused = |range: &Range| code(rig.launch(&kernel, range, &[Arg::Pointer(out.ptr())]));
        for range in [
            Range::new([16, 8]).local([4, 8]),
            Range::new([16, 8]).local([16, 4]),
            Range::new([16, 6]),
            Range::new([12, 8]),
            Range::new([12, 8]).local([8, 4]),
        ] {
            assert_eq!(refused(&range), ResultCode::ERROR_INVALID_WORK_GROUP_SIZE);
        }
        assert_ne!(refused(&Range::new([16, 8]).offset([8, 0])), ResultCode::SUCCESS);
        rig.queue.finish().expect("urQueueFinish");
        // SAFETY: nothing has run.
        assert!(unsafe { out.as_slice::<u32>() }.iter().all(|found| *found == u32::MAX));
    }
}

/// Without metadata the driver refuses other groups than those of the kernel.
#[test]
fn programs_without_metadata() {
    if !is_of_cuda("backend::programs_without_metadata") {
        return;
    }
    let rig = Rig::new();
    let program = with_metadata(&rig, PTX, &[]);
    let kernel = Kernel::new(&program, "_ZTS6Groups").expect("urKernelCreate");
    let out = rig.shared(&[u32::MAX; 16 * 8]);
    let args = [Arg::Pointer(out.ptr())];
    let event = rig.launch(&kernel, &Range::new([16, 8]).local([8, 4]), &args);
    event.expect("launch").wait().expect("urEventWait");
    // SAFETY: the kernel is complete.
    assert_eq!(unsafe { out.as_slice::<u32>() }[..3], [7, 8, 9]);
    let refused = rig.launch(&kernel, &Range::new([16, 8]).local([4, 8]), &args);
    assert_ne!(code(refused), ResultCode::SUCCESS);
    assert_eq!(
        code(rig.queue.global_write(&program, "uid1234", 0, &[1_u32], &[])),
        ResultCode::ERROR_INVALID_VALUE
    );
    rig.queue.finish().expect("urQueueFinish");
}

/// Programs of SPIR-V are compiled, whatever the adapter says that it is of; they are not linked with PTX.
#[test]
fn spirv_beside_ptx() {
    if !is_of_cuda("backend::spirv_beside_ptx") {
        return;
    }
    let rig = Rig::new();
    let il: String = rig.device.info(DeviceInfo::IL_VERSION).expect("IL_VERSION");
    assert!(il.starts_with("SPIR-V"), "{il}");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let il = spirv(&here.join("tests"), &here.join("../../target/kernels/cuda"), "clusters");
    let program = Program::with_il(&rig.context, &il).expect("urProgramCreateWithIL");
    program.build(&rig.context, "").expect("urProgramBuild");
    let numbers = Kernel::new(&program, "numbers").expect("urKernelCreate");
    let out = rig.shared(&[u32::MAX; 2 * 32]);
    let event = rig.launch(&numbers, &Range::new([8, 4]).local([4, 2]), &[Arg::Pointer(out.ptr())]);
    event.expect("launch").wait().expect("urEventWait");
    // SAFETY: the kernel is complete.
    let items = unsafe { out.as_slice::<u32>() };
    for (at, found) in items.chunks(2).enumerate() {
        assert_eq!(found, [at as u32, (at / 8 / 2 * 2 + at % 8 / 4) as u32]);
    }
    let other = Program::with_il(&rig.context, &il).expect("urProgramCreateWithIL");
    let ptx = Program::with_binaries(&rig.context, &[&rig.device], &[PTX]).expect("urProgramCreateWithBinary");
    other.compile(&rig.context, "").expect("urProgramCompile");
    ptx.compile(&rig.context, "").expect("urProgramCompile");
    let linked = Program::link(&rig.context, &[&other, &ptx], "");
    assert_eq!(code(linked), ResultCode::ERROR_PROGRAM_LINK_FAILURE);
    // PTX has no specialization constants.
    assert_eq!(code(ptx.specialize(&[(1, 1_u32)])), ResultCode::ERROR_INVALID_OPERATION);
}

/// PTX is linked with PTX: each image is one of a program's.
#[test]
fn images_that_are_linked() {
    if !is_of_cuda("backend::images_that_are_linked") {
        return;
    }
    let rig = Rig::new();
    let other = include_bytes!("kernels.ptx");
    let parts = [PTX, other].map(|ptx| {
        let part = Program::with_binaries(&rig.context, &[&rig.device], &[ptx]).expect("urProgramCreateWithBinary");
        part.compile(&rig.context, "").expect("urProgramCompile");
        part
    });
    let linked = Program::link(&rig.context, &[&parts[0], &parts[1]], "").expect("urProgramLink");
    for name in ["_ZTS6Groups", "add", "reverse"] {
        Kernel::new(&linked, name).expect("urKernelCreate");
    }
}
