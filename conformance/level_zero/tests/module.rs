// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Modules: their sources, logs, names, variables and functions.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Ending, Module, Rig, expect, in_child, intel, ok, or_intel, spirv, ze};

use crate::count::check_counts_of;

fn desc(format: ze_module_format_t, input: &[u8]) -> ze_module_desc_t {
    ze_module_desc_t {
        format,
        inputSize: input.len(),
        pInputModule: input.as_ptr(),
        ..Default::default()
    }
}

/// The result of zeModuleCreate for what should not become one, and the log.
fn failure(rig: &Rig, format: ze_module_format_t, input: &[u8]) -> (ze_result_t, String) {
    match Module::new(rig, &desc(format, input)) {
        Ok(_) => (ZE_RESULT_SUCCESS, String::new()),
        Err(failure) => failure,
    }
}

/// zeModuleCreate: the build log is optional, and there is one for a build that succeeded, too.
#[test]
fn logs_of_good_modules() {
    let rig = Rig::new();
    let input = spirv("basic");
    let desc = desc(ZE_MODULE_FORMAT_IL_SPIRV, &input);
    let (mut module, mut log) = (null_mut(), null_mut());
    ok!(zeModuleCreate(
        rig.context.raw(),
        rig.device,
        &desc,
        &mut module,
        null_mut()
    ));
    ok!(zeModuleDestroy(module));
    ok!(zeModuleCreate(
        rig.context.raw(),
        rig.device,
        &desc,
        &mut module,
        &mut log
    ));
    assert!(!log.is_null());
    let mut size = 0;
    ok!(zeModuleBuildLogGetString(log, &mut size, null_mut()));
    assert!(size >= 1, "with its NUL");
    let mut text = vec![1u8; size];
    ok!(zeModuleBuildLogGetString(
        log,
        &mut size,
        text.as_mut_ptr().cast::<c_char>()
    ));
    assert_eq!(text[size - 1], 0);
    // A log outlives its module.
    ok!(zeModuleDestroy(module));
    ok!(zeModuleBuildLogGetString(log, &mut size, null_mut()));
    ok!(zeModuleBuildLogDestroy(log));
}

/// zeModuleCreate: ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, with words, for what is no SPIR-V.
#[test]
fn bad_spirv() {
    let rig = Rig::new();
    let good = spirv("basic");
    let mut other_magic = good.clone();
    other_magic[0] ^= 0xff;
    let cut = &good[..good.len() / 2 / 4 * 4];
    for bad in [&other_magic[..], cut, b"no SPIR-V, but some words of text"] {
        if intel("the compiler ends the process") {
            let ending = in_child(|| u8::from(failure(&rig, ZE_MODULE_FORMAT_IL_SPIRV, bad).0 == ZE_RESULT_SUCCESS));
            assert_eq!(ending, Ending::Returned(1));
            continue;
        }
        let (code, log) = failure(&rig, ZE_MODULE_FORMAT_IL_SPIRV, bad);
        assert_eq!(code, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        assert!(!log.is_empty(), "a build that fails has a log");
    }
}

/// zeModuleCreate: `0 == desc->inputSize` is an invalid size, `nullptr == desc->pInputModule` an invalid null pointer,
/// `NATIVE < desc->format` an invalid enumeration.
#[test]
fn bad_descriptors() {
    let rig = Rig::new();
    let input = spirv("globals");
    let good = desc(ZE_MODULE_FORMAT_IL_SPIRV, &input);
    let create = |desc: ze_module_desc_t| {
        ze!(zeModuleCreate(
            rig.context.raw(),
            rig.device,
            &desc,
            &mut null_mut(),
            null_mut()
        ))
    };
    let empty = ze_module_desc_t { inputSize: 0, ..good };
    let nothing = ze_module_desc_t {
        pInputModule: null(),
        ..good
    };
    let format = ze_module_desc_t {
        format: ze_module_format_t(0x77),
        ..good
    };
    assert_eq!(create(empty), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_eq!(create(nothing), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_eq!(create(format), ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

/// zeModuleCreate: the flags of its documentation; "If unsupported, flag is ignored with a warning".
#[test]
fn build_flags() {
    let rig = Rig::new();
    let input = spirv("basic");
    for flags in [
        c"",
        c"-ze-opt-disable",
        c"-ze-opt-level=O0",
        c"-ze-opt-level=O2",
        c"-ze-opt-greater-than-4GB-buffer-required",
        c"-ze-opt-large-register-file",
        c"-ze-opt-has-buffer-offset-arg",
        c"-g",
        c"-ze-opt-disable -g",
    ] {
        rig.build(&input, flags, null());
    }
}

/// zeModuleCreate: "pInputModule" and the descriptor are the application's again when the function returns.
#[test]
fn input_is_copied() {
    let Some(rig) = Rig::executing() else { return };
    let mut input = spirv("basic");
    let module = rig.build(&input, c"", null());
    input.fill(0);
    drop(input);
    let (kernel, data) = (module.kernel("store"), rig.shared(&[0i32]));
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 17i32);
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(data.values::<i32>(), [17]);
}

fn names(module: &Module) -> Vec<String> {
    let names = check_counts_of("zeModuleGetKernelNames", null(), 0, |count, names| {
        ze!(zeModuleGetKernelNames(module.raw(), count, names))
    });
    let mut names: Vec<_> = names
        .into_iter()
        // SAFETY: a string of the module, which is alive.
        .map(|name: *const c_char| unsafe { CStr::from_ptr(name) }.to_str().expect("UTF-8").to_owned())
        .collect();
    names.sort();
    names
}

/// zeModuleGetKernelNames: all kernels, by the rules of counts; no functions.
#[test]
fn kernel_names() {
    let rig = Rig::new();
    assert_eq!(names(&rig.module("globals")), ["bump", "look_up"]);
    let mut names = names(&rig.module("linking.pointers"));
    if intel("a module with pointers to functions has another kernel") {
        assert_eq!(names.remove(0), "Intel_Symbol_Table_Void_Program");
    }
    assert_eq!(names, ["by_address", "by_index"]);
}

/// zeModuleGetProperties: ZE_MODULE_PROPERTY_FLAG_IMPORTS for a module that has imports.
#[test]
fn properties() {
    let rig = Rig::new();
    let flags = |module: &Module| {
        let mut properties = ze_module_properties_t {
            flags: 0xff,
            ..Default::default()
        };
        ok!(zeModuleGetProperties(module.raw(), &mut properties));
        properties.flags
    };
    assert_eq!(flags(&rig.module("basic")), 0);
    assert_eq!(flags(&rig.module("linking.second")), 0, "exports are no imports");
    let expected = or_intel(ZE_MODULE_PROPERTY_FLAG_IMPORTS, 0, "imports are not seen");
    assert_eq!(flags(&rig.module("linking.first")), expected);
}

/// zeModuleGetNativeBinary: the size first, then the bytes; "The module can be copied to other devices and contexts".
#[test]
fn native_binary() {
    let rig = Rig::new();
    let native = rig.module("basic").native();
    assert!(!native.is_empty());
    let other = Rig::new();
    let module = Module::new(&other, &desc(ZE_MODULE_FORMAT_NATIVE, &native)).expect("zeModuleCreate");
    assert!(names(&module).contains(&"add".to_owned()));
    module.kernel("add");
    assert_eq!(module.native().len(), native.len(), "a binary's binary");
    let Some(rig) = Rig::executing() else { return };
    let module = Module::new(&rig, &desc(ZE_MODULE_FORMAT_NATIVE, &native)).expect("zeModuleCreate");
    let (kernel, data) = (module.kernel("add"), rig.shared(&[40i32; 16]));
    kernel.group_size([16, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 2i32);
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(data.values::<i32>(), [42; 16]);
}

/// zeModuleGetNativeBinary with room for the bytes and any size: drivers do not look at it, and Intel's v1 adapter
/// passes one that it did not write.
#[test]
fn native_binary_without_a_size() {
    let rig = Rig::new();
    let module = rig.module("basic");
    let native = module.native();
    for any in [0, 1, usize::MAX] {
        let (mut bytes, mut size) = (vec![0u8; native.len()], any);
        ok!(zeModuleGetNativeBinary(module.raw(), &mut size, bytes.as_mut_ptr()));
        assert_eq!(size, native.len());
        assert!(bytes == native);
    }
}

/// An archive as Intel's compiler makes it ahead of time, with a file for a kind of GPU and one that has SPIR-V in a section of an ELF.
fn archive(spirv: &[u8]) -> Vec<u8> {
    const NAMES: &[u8] = b"\0SPIRV Object\0.shstrtab\0";
    // The header, three sections, their contents.
    let (sections, first) = (64_u64, 64 + 3 * 64_u64);
    let names_at = first + spirv.len() as u64;
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    elf.resize(16, 0);
    for half in [2_u16, 0xff02] {
        elf.extend(half.to_le_bytes());
    }
    elf.extend(1_u32.to_le_bytes());
    for wide in [0, 0, sections] {
        elf.extend(wide.to_le_bytes());
    }
    elf.extend(0_u32.to_le_bytes());
    for half in [64_u16, 0, 0, 64, 3, 2] {
        elf.extend(half.to_le_bytes());
    }
    let mut section = |name: u32, kind: u32, at: u64, size: usize| {
        elf.extend([name, kind].map(u32::to_le_bytes).concat());
        elf.extend([0, 0, at, size as u64].map(u64::to_le_bytes).concat());
        elf.extend([0, 0].map(u32::to_le_bytes).concat());
        elf.extend([1, 0].map(u64::to_le_bytes).concat());
    };
    section(0, 0, 0, 0);
    section(1, 0xff00_0009, first, spirv.len());
    section(14, 3, names_at, NAMES.len());
    elf.extend(spirv);
    elf.extend(NAMES);
    let mut archive = b"!<arch>\n".to_vec();
    for (name, data) in [("64.dg2/", &b"code"[..]), ("generic_ir/", &elf)] {
        archive.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 0, data.len()).bytes());
        archive.extend(data);
        if data.len() % 2 != 0 {
            archive.push(b'\n');
        }
    }
    archive
}

/// zeModuleCreate with code for GPUs that this device is none of: what it was made of is there, too.
#[test]
fn ahead_of_time_code_with_spirv() {
    if intel("the archive is not whole") {
        return;
    }
    let rig = Rig::new();
    let whole = archive(&spirv("basic"));
    let module = Module::new(&rig, &desc(ZE_MODULE_FORMAT_NATIVE, &whole)).expect("zeModuleCreate");
    assert!(names(&module).contains(&"add".to_owned()));
    for bad in [&whole[..whole.len() / 2], &archive(b""), &whole[..100]] {
        let (code, _) = failure(&rig, ZE_MODULE_FORMAT_NATIVE, bad);
        assert!(
            [
                ZE_RESULT_ERROR_INVALID_NATIVE_BINARY,
                ZE_RESULT_ERROR_MODULE_BUILD_FAILURE
            ]
            .contains(&code)
        );
    }
}

/// zeModuleCreate: ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, or a build that fails.
#[test]
fn bad_native_binaries() {
    let rig = Rig::new();
    let good = rig.module("globals").native();
    let mut header = good.clone();
    header[..16].fill(0xff);
    for bad in [&header[..], &good[..good.len() / 2], b"no binary at all"] {
        let (code, _) = failure(&rig, ZE_MODULE_FORMAT_NATIVE, bad);
        let errors = [
            ZE_RESULT_ERROR_INVALID_NATIVE_BINARY,
            ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
        ];
        assert!(
            errors.contains(&code),
            "{code} for {} bytes of {}",
            bad.len(),
            good.len()
        );
    }
}

/// zeModuleGetGlobalPointer: by linkage name, the address that kernels see, and the size; both are optional.
#[test]
fn global_pointer() {
    let rig = Rig::new();
    let module = rig.module("globals");
    if intel("variables have addresses with the flag -ze-take-global-address only") {
        return assert_eq!(module.global("counter"), Err(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    }
    let (ptr, size) = module.global("counter").expect("the variable");
    assert!(!ptr.is_null());
    assert_eq!(size, 4);
    let mut again = null_mut();
    ok!(zeModuleGetGlobalPointer(
        module.raw(),
        c"counter".as_ptr(),
        null_mut(),
        &mut again
    ));
    assert_eq!(again, ptr);
    let mut size = 0;
    ok!(zeModuleGetGlobalPointer(
        module.raw(),
        c"counter".as_ptr(),
        &mut size,
        null_mut()
    ));
    assert_eq!(size, 4);
    let Some(rig) = Rig::executing() else { return };
    let module = rig.module("globals");
    let (ptr, _) = module.global("counter").expect("the variable");
    assert_eq!(rig.read_at::<i32>(ptr, 1), [5], "its initial value");
    let (kernel, out) = (module.kernel("bump"), rig.shared(&[0i32]));
    kernel.set_ptr(0, out.ptr());
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!((out.values::<i32>()[0], rig.read_at::<i32>(ptr, 1)), (6, vec![6]));
    let value = 100i32;
    rig.run(|list| {
        list.copy(ptr, (&raw const value).cast(), 4, None, &[]);
        list.barrier(None, &[]);
        list.launch(&kernel, [1, 1, 1], None, &[]);
    });
    assert_eq!(out.values::<i32>(), [101]);
    // Each module has variables of its own.
    let other = rig.module("globals");
    assert_eq!(
        rig.read_at::<i32>(other.global("counter").expect("the variable").0, 1),
        [5]
    );
}

/// zeModuleGetGlobalPointer: ZE_RESULT_ERROR_INVALID_GLOBAL_NAME.
#[test]
fn no_such_global() {
    let rig = Rig::new();
    let module = rig.module("globals");
    for name in ["no_such_variable", "bump", ""] {
        let (expected, known) = (ZE_RESULT_ERROR_INVALID_GLOBAL_NAME, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        assert_eq!(
            module.global(name),
            Err(or_intel(expected, known, "another code")),
            "{name}"
        );
    }
}

/// The SPIR-V programming guide: a variable's name for the host (HostAccessINTEL) comes before linkage names.
#[test]
fn names_for_the_host() {
    let Some(rig) = Rig::executing() else { return };
    for form in ["host_access.decorations", "host_access.host_access"] {
        let module = rig.module(form);
        let native = Module::new(&rig, &desc(ZE_MODULE_FORMAT_NATIVE, &module.native())).expect("a native binary");
        for module in [module, native] {
            for (name, value) in [("public", 1), ("unique of public", 1), ("unique of hidden", 2)] {
                let (ptr, size) = module
                    .global(name)
                    .unwrap_or_else(|code| panic!("{form} {name}: {code}"));
                assert_eq!(size, 4, "{form} {name}");
                assert_eq!(rig.read_at::<i32>(ptr, 1), [value], "{form} {name}");
            }
        }
    }
}

/// zeModuleGetFunctionPointer: of a function of the module, ZE_RESULT_ERROR_INVALID_FUNCTION_NAME for others.
#[test]
fn function_pointer() {
    let rig = Rig::new();
    let module = rig.module("linking.pointers");
    let mut address = null_mut();
    expect!(
        zeModuleGetFunctionPointer(module.raw(), c"no_such_function".as_ptr(), &mut address),
        ZE_RESULT_ERROR_INVALID_FUNCTION_NAME
    );
    let Some(rig) = Rig::executing() else { return };
    let module = rig.module("linking.pointers");
    let get = |name: &CStr| {
        let mut address: *mut c_void = null_mut();
        ok!(zeModuleGetFunctionPointer(module.raw(), name.as_ptr(), &mut address));
        assert!(!address.is_null());
        address as u64
    };
    let (halved, negated) = (get(c"halved"), get(c"negated"));
    assert_ne!(halved, negated);
    let (kernel, data) = (module.kernel("by_address"), rig.shared(&[10i32]));
    kernel.set_ptr(0, data.ptr());
    for (address, expected) in [(halved, 5), (negated, -5)] {
        kernel.set(1, address);
        rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
        assert_eq!(data.values::<i32>(), [expected]);
    }
    let kernel = module.kernel("by_index");
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 1i32);
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(data.values::<i32>(), [5]);
}

/// ze_module_constants_t: values of specialization constants by their ids; those that are not named keep their
/// defaults.
#[test]
fn specialization_constants() {
    let rig = Rig::new();
    let input = spirv("spec_constants");
    let (int, long, short, byte, float) = (-11i32, -22i64 << 33, -33i16, 44u8, 55.0f32);
    let values: [*const c_void; 5] = [
        (&raw const float).cast(),
        (&raw const int).cast(),
        (&raw const byte).cast(),
        (&raw const long).cast(),
        (&raw const short).cast(),
    ];
    let ids = [12u32, 1, 9, 2, 7];
    let constants = |count: usize| ze_module_constants_t {
        numConstants: count as u32,
        pConstantIds: ids.as_ptr(),
        pConstantValues: values.as_ptr().cast_mut(),
    };
    let modules = [
        (rig.build(&input, c"", null()), [10, 20, 30, 40, 50]),
        (rig.build(&input, c"", &constants(0)), [10, 20, 30, 40, 50]),
        (rig.build(&input, c"", &constants(2)), [-11, 20, 30, 40, 55]),
        (rig.build(&input, c"", &constants(5)), [-11, -22i64 << 33, -33, 44, 55]),
    ];
    let Some(rig) = Rig::executing() else { return };
    for (module, expected) in modules {
        let (kernel, out) = (module.kernel("constants"), rig.shared(&[0i64; 5]));
        kernel.set_ptr(0, out.ptr());
        rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
        assert_eq!(out.values::<i64>(), expected);
    }
}

/// zeModuleCreate: "The implementation of this function must be thread-safe".
#[test]
fn threads() {
    let rig = Rig::new();
    let input = spirv("basic");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    rig.build(&input, c"", null()).kernel("add");
                }
            });
        }
    });
}

/// zeModuleInspectLinkageExt: the names of imports and exports, in a log.
#[test]
fn inspect_linkage() {
    let rig = Rig::new();
    let modules = [rig.module("linking.first"), rig.module("linking.second")];
    let mut handles = [modules[0].raw(), modules[1].raw()];
    let mut inspect = |flags, count: u32| {
        let mut desc = ze_linkage_inspection_ext_desc_t {
            flags,
            ..Default::default()
        };
        let mut log = null_mut();
        let result = ze!(zeModuleInspectLinkageExt(
            &mut desc,
            count,
            handles.as_mut_ptr(),
            &mut log
        ));
        if result != ZE_RESULT_SUCCESS {
            return Err(result);
        }
        let mut size = 0;
        ok!(zeModuleBuildLogGetString(log, &mut size, null_mut()));
        let mut text = vec![0u8; size];
        ok!(zeModuleBuildLogGetString(log, &mut size, text.as_mut_ptr().cast()));
        ok!(zeModuleBuildLogDestroy(log));
        Ok(String::from_utf8_lossy(&text).into_owned())
    };
    if intel("a driver of version 1.3 has no zeModuleInspectLinkageExt") {
        return;
    }
    let imports = inspect(ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS, 1).expect("imports");
    assert!(imports.contains("second") && imports.contains("weight"), "{imports}");
    let exports = inspect(ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS, 1).expect("exports");
    assert!(exports.contains("first"), "{exports}");
    let unresolvable = inspect(ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS, 1).expect("imports");
    assert!(unresolvable.contains("second"), "{unresolvable}");
    let unresolvable = inspect(ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS, 2).expect("imports");
    assert!(
        !unresolvable.contains("second") && !unresolvable.contains("weight"),
        "{unresolvable}"
    );
    assert_eq!(inspect(0x8, 1), Err(ZE_RESULT_ERROR_INVALID_ENUMERATION));
}
