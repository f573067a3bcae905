// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels: their arguments, group sizes and properties.

use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Kernel, Rig, expect, intel, ok, or_intel, ze};

/// zeKernelCreate: ZE_RESULT_ERROR_INVALID_KERNEL_NAME; `nullptr == desc->pKernelName`; `0x3 < desc->flags`.
#[test]
fn bad_descriptors() {
    let rig = Rig::new();
    let module = rig.module("basic");
    let desc = |pKernelName, flags| ze_kernel_desc_t {
        pKernelName,
        flags,
        ..Default::default()
    };
    let name = c"add".as_ptr();
    for wrong in [c"no_such_kernel", c"", c"ad"] {
        expect!(
            zeKernelCreate(module.raw(), &desc(wrong.as_ptr(), 0), &mut null_mut()),
            ZE_RESULT_ERROR_INVALID_KERNEL_NAME
        );
    }
    expect!(
        zeKernelCreate(module.raw(), &desc(null(), 0), &mut null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    expect!(
        zeKernelCreate(module.raw(), &desc(name, 4), &mut null_mut()),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
}

/// zeKernelCreate: flags are hints about residency.
#[test]
fn flags() {
    let rig = Rig::new();
    let module = rig.module("basic");
    for flags in [0, ZE_KERNEL_FLAG_FORCE_RESIDENCY, ZE_KERNEL_FLAG_EXPLICIT_RESIDENCY] {
        let desc = ze_kernel_desc_t {
            pKernelName: c"add".as_ptr(),
            flags,
            ..Default::default()
        };
        let mut kernel = null_mut();
        ok!(zeKernelCreate(module.raw(), &desc, &mut kernel));
        Kernel::from_raw(kernel, None);
    }
}

/// zeKernelGetName: the size with NUL, then the name.
#[test]
fn name() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "accumulate");
    let mut size = 0;
    ok!(zeKernelGetName(kernel.raw(), &mut size, null_mut()));
    assert_eq!(size, "accumulate".len() + 1);
    let mut name = vec![1 as c_char; size];
    ok!(zeKernelGetName(kernel.raw(), &mut size, name.as_mut_ptr()));
    assert_eq!(text(&name), Some("accumulate"));
    assert_eq!(name[size - 1], 0);
}

/// zeKernelGetProperties: the number of arguments, the required group size, sub-groups, local memory, uuids.
#[test]
fn properties() {
    let rig = Rig::new();
    let module = rig.module("basic");
    let get = |name| module.kernel(name).properties();
    for (name, arguments) in [("nothing", 0), ("add", 2), ("two_locals", 5)] {
        assert_eq!(get(name).numKernelArgs, arguments, "{name}");
    }
    let plain = get("add");
    assert_eq!(
        (
            plain.requiredGroupSizeX,
            plain.requiredGroupSizeY,
            plain.requiredGroupSizeZ
        ),
        (0, 0, 0)
    );
    assert_eq!((plain.requiredNumSubGroups, plain.requiredSubgroupSize), (0, 0));
    assert!(plain.maxSubgroupSize > 0 && plain.maxNumSubgroups > 0);
    let required = get("required");
    let size = (
        required.requiredGroupSizeX,
        required.requiredGroupSizeY,
        required.requiredGroupSizeZ,
    );
    assert_eq!(size, (8, 2, 1));
    assert_eq!(get("sub_group_of_16").requiredSubgroupSize, 16);
    assert!(get("reverse_64").localMemSize >= 256);
    assert_eq!(plain.localMemSize, 0);
    // "universal unique identifier"
    let other = get("multiply");
    assert_eq!(plain.uuid.mid, other.uuid.mid, "one module");
    let same = or_intel(false, true, "the driver's kernels have no uuids");
    assert_eq!(plain.uuid.kid == other.uuid.kid, same, "two kernels");
    assert_eq!(get("add").uuid.kid, plain.uuid.kid, "the same kernel");
}

/// zeKernelGetProperties: structures that extend it, and one that nobody knows.
#[test]
fn extended_properties() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "add");
    if intel("the driver never returns from a chain of two structures") {
        return;
    }
    let mut preferred = ze_kernel_preferred_group_size_properties_t::default();
    let mut largest = ze_kernel_max_group_size_properties_ext_t {
        pNext: (&raw mut preferred).cast(),
        ..Default::default()
    };
    let mut properties = ze_kernel_properties_t {
        pNext: (&raw mut largest).cast(),
        ..Default::default()
    };
    ok!(zeKernelGetProperties(kernel.raw(), &mut properties));
    assert_eq!(properties.numKernelArgs, 2);
    assert!(preferred.preferredMultiple > 0);
    assert!((1..=rig.compute_properties().maxTotalGroupSize).contains(&largest.maxGroupSize));
}

/// zeKernelSetArgumentValue: ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX behind the last argument.
#[test]
fn argument_index() {
    let rig = Rig::new();
    let (kernel, value) = (rig.kernel("basic", "add"), 0u64);
    for index in [2, 3, 100, u32::MAX] {
        expect!(
            zeKernelSetArgumentValue(kernel.raw(), index, 8, (&raw const value).cast()),
            ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
            intel ZE_RESULT_ERROR_INVALID_ARGUMENT, "another code"
        );
    }
    let nothing = rig.kernel("basic", "nothing");
    expect!(
        zeKernelSetArgumentValue(nothing.raw(), 0, 8, (&raw const value).cast()),
        ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
        intel ZE_RESULT_ERROR_INVALID_ARGUMENT, "another code"
    );
}

/// zeKernelSetArgumentValue: ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE for a scalar that is too small, or for a pointer of
/// another size. Of more bytes than a scalar has, Intel's driver takes the first ones; programs count on it.
#[test]
fn argument_size() {
    let rig = Rig::new();
    let (scalars, value) = (rig.kernel("arguments", "scalars"), [0u64; 4]);
    let value = value.as_ptr().cast();
    // A char, a short, an int, a long.
    for (index, size) in [(0u32, 1usize), (2, 2), (4, 4), (6, 8)] {
        for given in [1, 2, 4, 8, 16] {
            let result = ze!(zeKernelSetArgumentValue(scalars.raw(), index, given, value));
            let expected = if given < size {
                let reason = "the driver leaves the other bytes as they are";
                or_intel(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, ZE_RESULT_SUCCESS, reason)
            } else {
                ZE_RESULT_SUCCESS
            };
            assert_eq!(result, expected, "{given} bytes for argument {index} of {size}");
        }
    }
    let kernel = rig.kernel("basic", "add");
    for wrong in [1, 4, 16] {
        expect!(
            zeKernelSetArgumentValue(kernel.raw(), 0, wrong, value), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
            intel ZE_RESULT_ERROR_INVALID_ARGUMENT, "another code"
        );
    }
}

/// zeKernelSetArgumentValue: of more bytes than a scalar has, the first ones count.
#[test]
fn argument_of_more_bytes() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, out) = (rig.kernel("arguments", "scalars"), rig.shared(&[0i64; 9]));
    let value = 0x1122_3344_5566_7788_u64;
    for index in 0..9 {
        ok!(zeKernelSetArgumentValue(
            kernel.raw(),
            index,
            8,
            (&raw const value).cast()
        ));
    }
    kernel.set_ptr(9, out.ptr());
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    // A char, a short, an int and a long, each signed and unsigned, and a float.
    let (int, long) = (0x5566_7788, 0x1122_3344_5566_7788);
    assert_eq!(
        out.values::<i64>(),
        [-0x78, 0x88, 0x7788, 0x7788, int, int, long, long, int]
    );
}

/// zeKernelSetArgumentValue: "If null then argument value is considered null": a null pointer; zero for a scalar.
#[test]
fn null_arguments() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, out) = (rig.kernel("basic", "nulls"), rig.shared(&[7i32; 2]));
    kernel.set_ptr(0, out.ptr());
    ok!(zeKernelSetArgumentValue(kernel.raw(), 1, 8, null()));
    ok!(zeKernelSetArgumentValue(kernel.raw(), 2, 8, null()));
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(out.values::<i32>(), [1, 1]);
    kernel.set_ptr(1, out.ptr());
    kernel.set_ptr(2, null());
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(out.values::<i32>(), [0, 1], "the address of a null pointer");
    let (kernel, data) = (rig.kernel("basic", "add"), rig.shared(&[7i32; 4]));
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 1i32);
    ok!(zeKernelSetArgumentValue(kernel.raw(), 1, 4, null()));
    kernel.group_size([4, 1, 1]);
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(data.values::<i32>(), [7; 4]);
}

/// zeKernelSetArgumentValue: scalars of all sizes.
#[test]
fn scalars() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, out) = (rig.kernel("arguments", "scalars"), rig.shared(&[0i64; 9]));
    kernel.set(0, -1i8);
    kernel.set(1, 255u8);
    kernel.set(2, -2i16);
    kernel.set(3, 65535u16);
    kernel.set(4, -3i32);
    kernel.set(5, u32::MAX);
    kernel.set(6, i64::MIN);
    kernel.set(7, u64::MAX - 1);
    kernel.set(8, 1.5f32);
    kernel.set_ptr(9, out.ptr());
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    let bits = i64::from(1.5f32.to_bits());
    assert_eq!(
        out.values::<i64>(),
        [-1, 255, -2, 65535, -3, u32::MAX.into(), i64::MIN, -2, bits]
    );
}

/// zeKernelSetArgumentValue: vectors, of which those of three elements have the size of four.
#[test]
fn vectors() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, out) = (rig.kernel("arguments", "vectors"), rig.shared(&[0u32; 10]));
    kernel.set(0, [1u8, 2, 3, 4]);
    kernel.set(1, [5i32, -6]);
    kernel.set(2, [7u32, 8, 9, 0]);
    kernel.set(3, [1.0f32, 2.0, 3.0, 4.0]);
    kernel.set_ptr(4, out.ptr());
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    let floats = [1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits);
    assert_eq!(out.values::<u32>()[..6], [0x0403_0201, 5, -6i32 as u32, 7, 8, 9]);
    assert_eq!(out.values::<u32>()[6..], floats);
}

/// zeKernelSetArgumentValue: structures by value.
#[test]
fn structures() {
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Mixed {
        c: u8,
        i: u32,
        s: u16,
        l: u64,
    }
    let Some(rig) = Rig::executing() else { return };
    let (kernel, out) = (rig.kernel("arguments", "structs"), rig.shared(&[0u64; 37]));
    let large: [u32; 32] = std::array::from_fn(|index| 1000 + index as u32);
    let mixed = Mixed {
        c: 200,
        i: 0x1234_5678,
        s: 0xabcd,
        l: u64::MAX / 3,
    };
    kernel.set(0, [1u8, 2, 3]);
    kernel.set(1, mixed);
    kernel.set(2, large);
    kernel.set_ptr(3, out.ptr());
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(
        out.values::<u64>()[..5],
        [0x03_0201, 200, 0x1234_5678, 0xabcd, u64::MAX / 3]
    );
    assert!(
        out.values::<u64>()[5..]
            .iter()
            .zip(large)
            .all(|(got, value)| *got == u64::from(value))
    );
}

/// zeKernelSetArgumentValue: "If argument is SLM (size), then SLM size in bytes for this resource is provided as argument size
/// and argument value is null".
#[test]
fn local_memory() {
    let Some(rig) = Rig::executing() else { return };
    let kernel = rig.kernel("basic", "reverse");
    for size in [4, 16, 64] {
        let values: Vec<i32> = (0..size * 3).collect();
        let data = rig.shared(&values);
        kernel.group_size([size as u32, 1, 1]);
        kernel.set_ptr(0, data.ptr());
        kernel.set_local(1, size as usize * 4);
        rig.run(|list| list.launch(&kernel, [3, 1, 1], None, &[]));
        let expected: Vec<_> = values
            .chunks(size as usize)
            .flat_map(|group| group.iter().rev().copied())
            .collect();
        assert_eq!(data.values::<i32>(), expected);
    }
}

/// Several arguments of local memory do not overlap, whatever their sizes.
#[test]
fn local_memories() {
    let Some(rig) = Rig::executing() else { return };
    let kernel = rig.kernel("basic", "two_locals");
    kernel.group_size([8, 1, 1]);
    for (a, b) in [(1, 1), (3, 5), (100, 7), (1000, 1000)] {
        let out = rig.shared(&[9i32; 4]);
        kernel.set_local(0, a * 4);
        kernel.set_local(1, b * 4);
        kernel.set_ptr(2, out.ptr());
        kernel.set(3, a as i32);
        kernel.set(4, b as i32);
        rig.run(|list| list.launch(&kernel, [4, 1, 1], None, &[]));
        assert_eq!(out.values::<i32>(), [0; 4], "{a} {b}");
    }
}

/// zeKernelSetGroupSize: ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION for zero, and for more than the device's limits.
#[test]
fn group_size() {
    let rig = Rig::new();
    let (kernel, limits) = (rig.kernel("basic", "add"), rig.compute_properties());
    let largest = limits.maxTotalGroupSize;
    ok!(zeKernelSetGroupSize(kernel.raw(), limits.maxGroupSizeX, 1, 1));
    ok!(zeKernelSetGroupSize(kernel.raw(), 1, limits.maxGroupSizeY, 1));
    ok!(zeKernelSetGroupSize(kernel.raw(), 1, 1, limits.maxGroupSizeZ));
    for [x, y, z] in [
        [largest + 1, 1, 1],
        [largest, 2, 1],
        [limits.maxGroupSizeX.saturating_add(1), 1, 1],
        [1, 1, limits.maxGroupSizeZ.saturating_add(1)],
        [u32::MAX, u32::MAX, u32::MAX],
        [1 << 16, 1 << 16, 1],
    ] {
        expect!(
            zeKernelSetGroupSize(kernel.raw(), x, y, z),
            ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION
        );
    }
    for [x, y, z] in [[0, 1, 1], [1, 0, 1], [1, 1, 0]] {
        expect!(
            zeKernelSetGroupSize(kernel.raw(), x, y, z),
            ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION | ZE_RESULT_ERROR_INVALID_ARGUMENT
        );
    }
}

/// zeKernelSetGroupSize: another than the required size is refused.
#[test]
fn required_group_size() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "required");
    ok!(zeKernelSetGroupSize(kernel.raw(), 8, 2, 1));
    for [x, y, z] in [[16, 1, 1], [8, 1, 1], [8, 2, 2], [2, 8, 1]] {
        expect!(
            zeKernelSetGroupSize(kernel.raw(), x, y, z),
            ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION
        );
    }
    let Some(rig) = Rig::executing() else { return };
    let (kernel, out) = (rig.kernel("basic", "required"), rig.shared(&[99u32; 64]));
    kernel.group_size([8, 2, 1]);
    kernel.set_ptr(0, out.ptr());
    rig.run(|list| list.launch(&kernel, [2, 2, 1], None, &[]));
    let expected: Vec<_> = (0..64).map(|index| index / 16 % 2 * 8 + index % 16 % 8).collect();
    assert_eq!(out.values::<u32>(), expected);
}

fn suggest(kernel: &Kernel, [x, y, z]: [u32; 3]) -> Result<[u32; 3], ze_result_t> {
    let mut size = [0; 3];
    let [a, b, c] = &mut size;
    match ze!(zeKernelSuggestGroupSize(kernel.raw(), x, y, z, a, b, c)) {
        ZE_RESULT_SUCCESS => Ok(size),
        code => Err(code),
    }
}

/// zeKernelSuggestGroupSize: a size that zeKernelSetGroupSize takes, and that divides the global one; the required one, if
/// there is one.
#[test]
fn suggested_group_size() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "add");
    for global in [
        [1, 1, 1],
        [64, 1, 1],
        [1000, 1, 1],
        [1021, 1, 1],
        [64, 64, 1],
        [12, 10, 6],
        [1 << 20, 3, 1],
    ] {
        let size = suggest(&kernel, global).expect("zeKernelSuggestGroupSize");
        for (global, size) in global.into_iter().zip(size) {
            assert!(size > 0 && global % size == 0, "{global} {size}");
        }
        kernel.group_size(size);
    }
    let required = rig.kernel("basic", "required");
    let expected = or_intel([8, 2, 1], [64, 4, 1], "the driver does not look at the required size");
    assert_eq!(suggest(&required, [64, 64, 1]), Ok(expected));
}

/// zeKernelSuggestGroupSize: ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION.
#[test]
fn suggested_for_nothing() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "add");
    for global in [[0, 1, 1], [1, 0, 1], [1, 1, 0]] {
        let result = suggest(&kernel, global);
        if !intel("the driver suggests sizes for nothing") {
            assert_eq!(
                result,
                Err(ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION),
                "{global:?}"
            );
        }
    }
}

/// zeKernelSuggestMaxCooperativeGroupCount: at least one group.
#[test]
fn cooperative_group_count() {
    let rig = Rig::new();
    let (kernel, mut count) = (rig.kernel("basic", "add"), 0);
    kernel.group_size([32, 1, 1]);
    ok!(zeKernelSuggestMaxCooperativeGroupCount(kernel.raw(), &mut count));
    assert!(count > 0);
}

/// zeKernelSetIndirectAccess, zeKernelGetIndirectAccess: `0x7 < flags` is an invalid enumeration.
#[test]
fn indirect_access() {
    let rig = Rig::new();
    let (kernel, mut flags) = (rig.kernel("basic", "follow"), 9);
    ok!(zeKernelGetIndirectAccess(kernel.raw(), &mut flags));
    assert_eq!(flags & !7, 0);
    let mut all = 0;
    for wanted in [0, 1, 2, 4, 7] {
        ok!(zeKernelSetIndirectAccess(kernel.raw(), wanted));
        ok!(zeKernelGetIndirectAccess(kernel.raw(), &mut flags));
        all |= wanted;
        assert_eq!(flags, or_intel(wanted, all, "flags are added to those from before"));
    }
    expect!(
        zeKernelSetIndirectAccess(kernel.raw(), 8),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
}

/// zeKernelSetIndirectAccess: memory that a kernel reaches by addresses in memory.
#[test]
fn indirect_memory() {
    let Some(rig) = Rig::executing() else { return };
    let kernel = rig.kernel("basic", "follow");
    let (host, shared, device) = (
        rig.host(&[1i32; 16]),
        rig.shared(&[2i32; 16]),
        rig.device_values(&[3i32; 16]),
    );
    let table = rig.shared(&[host.ptr() as u64, shared.ptr() as u64, device.ptr() as u64]);
    ok!(zeKernelSetIndirectAccess(kernel.raw(), 7));
    kernel.group_size([16, 1, 1]);
    kernel.set_ptr(0, table.ptr());
    kernel.set(1, 3i32);
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(host.values::<i32>(), [2; 16]);
    assert_eq!(shared.values::<i32>(), [4; 16]);
    assert_eq!(rig.read::<i32>(&device), [6; 16]);
}

/// zeKernelSetCacheConfig: `0x3 < flags` is an invalid enumeration.
#[test]
fn cache_config() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "add");
    for flags in [0, ZE_CACHE_CONFIG_FLAG_LARGE_SLM, ZE_CACHE_CONFIG_FLAG_LARGE_DATA] {
        ok!(zeKernelSetCacheConfig(kernel.raw(), flags));
    }
    expect!(
        zeKernelSetCacheConfig(kernel.raw(), 4),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
}

/// zeKernelGetSourceAttributes: the size with NUL, then "a space-separated list of kernel source attributes".
#[test]
fn source_attributes() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "required");
    let mut size = 0;
    ok!(zeKernelGetSourceAttributes(kernel.raw(), &mut size, null_mut()));
    assert!(size >= 1);
    let mut attributes = vec![1u8; size as usize + 1];
    let mut string = attributes.as_mut_ptr().cast::<c_char>();
    ok!(zeKernelGetSourceAttributes(kernel.raw(), &mut size, &mut string));
    // SAFETY: by the specification it ends with NUL.
    let text = unsafe { CStr::from_ptr(string) }.to_str().expect("UTF-8");
    assert_eq!(text.len() + 1, size as usize);
    assert!(text.contains("reqd_work_group_size(8,2,1)"), "{text}");
}

/// zeKernelGetBinaryExp, zeKernelGetAllocationPropertiesExp: succeed, or are not supported.
#[test]
fn other_queries() {
    if intel("a driver of version 1.3 does not have these functions") {
        return;
    }
    let rig = Rig::new();
    let (kernel, mut size, mut count) = (rig.kernel("basic", "add"), 0, 0);
    expect!(
        zeKernelGetBinaryExp(kernel.raw(), &mut size, null_mut()),
        ZE_RESULT_SUCCESS | ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
    );
    expect!(
        zeKernelGetAllocationPropertiesExp(kernel.raw(), &mut count, null_mut()),
        ZE_RESULT_SUCCESS | ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
    );
}
