// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Modules that import from each other: zeModuleDynamicLink and ZE_experimental_module_program.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Ending, Module, Rig, expect, in_child, intel, require_extension, spirv};

/// Runs `chain`, which gives 10 * (x + 1).
fn check_chain(rig: &Rig, module: &Module) {
    let (kernel, data) = (module.kernel("chain"), rig.shared(&[1i32, 2, 3, 4]));
    kernel.group_size([4, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(data.values::<i32>(), [20, 30, 40, 50]);
}

/// zeModuleDynamicLink: functions and variables, over more than one module.
#[test]
fn dynamic() {
    let Some(rig) = Rig::executing() else { return };
    let [kernel, first, second] = ["linking.kernel", "linking.first", "linking.second"].map(|name| rig.module(name));
    assert_eq!(Module::link(&[&kernel, &first, &second]), Ok(()));
    check_chain(&rig, &kernel);
}

/// zeModuleDynamicLink: the order of modules is of no matter.
#[test]
fn in_any_order() {
    let Some(rig) = Rig::executing() else { return };
    let [kernel, first, second] = ["linking.kernel", "linking.first", "linking.second"].map(|name| rig.module(name));
    assert_eq!(Module::link(&[&second, &kernel, &first]), Ok(()));
    check_chain(&rig, &kernel);
}

/// zeModuleDynamicLink: "A module can be used in multiple link calls if it has exports but its imports will not be re-linked".
#[test]
fn exports_for_several() {
    let Some(rig) = Rig::executing() else { return };
    let [first, second] = ["linking.first", "linking.second"].map(|name| rig.module(name));
    assert_eq!(Module::link(&[&first, &second]), Ok(()));
    for _ in 0..2 {
        let kernel = rig.module("linking.kernel");
        assert_eq!(Module::link(&[&kernel, &first]), Ok(()));
        check_chain(&rig, &kernel);
    }
}

/// Modules that are linked in several calls have one set of variables: what the host writes to one, kernels of all see.
#[test]
fn variables_of_several_links() {
    let Some(rig) = Rig::executing() else { return };
    let [first, second] = ["linking.first", "linking.second"].map(|name| rig.module(name));
    assert_eq!(Module::link(&[&first, &second]), Ok(()));
    let (weight, _) = second.global("weight").expect("the exported variable");
    let later: Vec<_> = (0..3).map(|_| rig.module("linking.kernel")).collect();
    // By the module that exports, by the one that imports, and by a module that was linked with those.
    assert_eq!(Module::link(&[&later[0], &first, &second]), Ok(()));
    assert_eq!(Module::link(&[&later[1], &first]), Ok(()));
    assert_eq!(Module::link(&[&second, &later[2], &first]), Ok(()));
    for (round, kernel) in later.iter().enumerate() {
        let value = 100 + round as i32;
        rig.run(|list| list.copy(weight, (&raw const value).cast(), 4, None, &[]));
        for module in &later[round..] {
            let (kernel, data) = (module.kernel("chain"), rig.shared(&[1i32]));
            kernel.set_ptr(0, data.ptr());
            rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
            assert_eq!(data.values::<i32>(), [2 * value]);
        }
        assert_eq!(kernel.global("weight").map(|found| found.0), Ok(weight));
    }
}

/// zeModuleGetGlobalPointer after linking: an imported variable is the one of the module that exports it.
#[test]
fn imported_variable() {
    let Some(rig) = Rig::executing() else { return };
    let [kernel, first, second] = ["linking.kernel", "linking.first", "linking.second"].map(|name| rig.module(name));
    assert_eq!(Module::link(&[&kernel, &first, &second]), Ok(()));
    let (ptr, size) = second.global("weight").expect("the exported variable");
    assert_eq!(size, 4);
    assert_eq!(first.global("weight"), Ok((ptr, size)));
    let value = 100i32;
    rig.run(|list| list.copy(ptr, (&raw const value).cast(), 4, None, &[]));
    let (kernel, data) = (kernel.kernel("chain"), rig.shared(&[1i32]));
    kernel.set_ptr(0, data.ptr());
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(data.values::<i32>(), [200]);
}

/// zeModuleDynamicLink: native binaries link as their SPIR-V does: "ModuleGetNativeBinary can be called on any module
/// regardless of whether it is linked or not".
#[test]
fn native_binaries() {
    let Some(rig) = Rig::executing() else { return };
    let [kernel, first, second] = ["linking.kernel", "linking.first", "linking.second"].map(|name| {
        let native = rig.module(name).native();
        let desc = ze_module_desc_t {
            format: ZE_MODULE_FORMAT_NATIVE,
            inputSize: native.len(),
            pInputModule: native.as_ptr(),
            ..Default::default()
        };
        Module::new(&rig, &desc).expect("a native binary")
    });
    assert_eq!(Module::link(&[&kernel, &first, &second]), Ok(()));
    check_chain(&rig, &kernel);
}

/// zeModuleDynamicLink: "Unsatisfiable import dependencies … will result in ZE_RESULT_ERROR_MODULE_LINK_FAILURE", and "The link
/// log may contain a list of the unresolved import dependencies".
#[test]
fn missing_exports() {
    let rig = Rig::new();
    let [kernel, first] = ["linking.kernel", "linking.first"].map(|name| rig.module(name));
    let Err((code, log)) = Module::link(&[&kernel, &first]) else {
        panic!("the link succeeded")
    };
    assert_eq!(code, ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    println!("{log}");
    assert!(!log.is_empty());
}

/// zeModuleDynamicLink: "Modules that do not have any imports or exports do not need to be linked", but may be. The log is
/// optional.
#[test]
fn nothing_to_link() {
    let rig = Rig::new();
    let [basic, globals] = ["basic", "globals"].map(|name| rig.module(name));
    assert_eq!(Module::link(&[&basic]), Ok(()));
    let mut handles = [basic.raw(), globals.raw()];
    expect!(
        zeModuleDynamicLink(2, handles.as_mut_ptr(), null_mut()),
        ZE_RESULT_SUCCESS
    );
}

/// zeKernelCreate: ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED before "all module import requirements" are satisfied.
#[test]
fn unlinked() {
    let rig = Rig::new();
    let module = rig.module("linking.kernel");
    let desc = ze_kernel_desc_t {
        pKernelName: c"chain".as_ptr(),
        ..Default::default()
    };
    expect!(
        zeKernelCreate(module.raw(), &desc, &mut null_mut()),
        ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED
    );
}

/// What hangs off the descriptor of a module of several.
struct Program {
    inputs: Vec<Vec<u8>>,
    flags: Vec<&'static CStr>,
}

impl Program {
    fn create(
        &self,
        rig: &Rig,
        constants: Option<&[*const ze_module_constants_t]>,
    ) -> Result<Module, (ze_result_t, String)> {
        let sizes: Vec<_> = self.inputs.iter().map(Vec::len).collect();
        let mut inputs: Vec<_> = self.inputs.iter().map(|input| input.as_ptr()).collect();
        let mut flags: Vec<_> = self.flags.iter().map(|flags| flags.as_ptr()).collect();
        let mut constants = constants.map(<[_]>::to_vec);
        let program = ze_module_program_exp_desc_t {
            count: sizes.len() as u32,
            inputSizes: sizes.as_ptr(),
            pInputModules: inputs.as_mut_ptr(),
            pBuildFlags: if flags.is_empty() {
                null_mut()
            } else {
                flags.as_mut_ptr()
            },
            pConstants: constants.as_mut().map_or(null_mut(), |all| all.as_mut_ptr()),
            ..Default::default()
        };
        // "pInputModules, pBuildFlags, and pConstants from ze_module_desc_t is ignored"; applications set the size to 1, as
        // zero and null are refused.
        let ignored = [0u8];
        let desc = ze_module_desc_t {
            pNext: (&raw const program).cast::<c_void>(),
            format: ZE_MODULE_FORMAT_IL_SPIRV,
            inputSize: 1,
            pInputModule: ignored.as_ptr(),
            ..Default::default()
        };
        Module::new(rig, &desc)
    }
}

/// ZE_experimental_module_program: "Modules support import and export linkage for functions and global variables".
#[test]
fn program() {
    let rig = Rig::new();
    assert!(require_extension(&rig, ZE_MODULE_PROGRAM_EXP_NAME));
    let inputs = ["linking.kernel", "linking.first", "linking.second"]
        .map(spirv)
        .to_vec();
    for flags in [vec![], vec![c"", c"-ze-opt-disable", c""]] {
        let program = Program {
            inputs: inputs.clone(),
            flags,
        };
        let module = program.create(&rig, None).expect("the program");
        module.kernel("chain");
        if let Some(rig) = Rig::executing() {
            check_chain(&rig, &program.create(&rig, None).expect("the program"));
        }
    }
}

/// ZE_experimental_module_program of one module.
#[test]
fn program_of_one() {
    let rig = Rig::new();
    let program = Program {
        inputs: vec![spirv("basic")],
        flags: vec![],
    };
    program.create(&rig, None).expect("the program").kernel("add");
}

/// ZE_experimental_module_program: specialization constants for each module.
#[test]
fn program_with_constants() {
    let rig = Rig::new();
    let program = Program {
        inputs: vec![spirv("basic"), spirv("spec_constants")],
        flags: vec![],
    };
    let (ids, value) = ([1u32], -7i32);
    let mut values: [*const c_void; 1] = [(&raw const value).cast()];
    let none = ze_module_constants_t::default();
    let some = ze_module_constants_t {
        numConstants: 1,
        pConstantIds: ids.as_ptr(),
        pConstantValues: values.as_mut_ptr(),
    };
    let module = program.create(&rig, Some(&[&none, &some])).expect("the program");
    let kernel = module.kernel("constants");
    module.kernel("add");
    let Some(rig) = Rig::executing() else { return };
    let out = rig.shared(&[0i64; 5]);
    kernel.set_ptr(0, out.ptr());
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(out.values::<i64>(), [-7, 20, 30, 40, 50]);
}

/// ZE_experimental_module_program: a program that lacks something is one to be linked, or fails with words.
#[test]
fn program_with_bad_input() {
    let rig = Rig::new();
    let program = Program {
        inputs: vec![spirv("basic"), b"no SPIR-V at all".to_vec()],
        flags: vec![],
    };
    if intel("the compiler ends the process") {
        let ending = in_child(|| u8::from(program.create(&rig, None).is_ok()));
        return assert_eq!(ending, Ending::Returned(1));
    }
    let Err((code, log)) = program.create(&rig, None) else {
        panic!("the build succeeded")
    };
    let errors = [
        ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
        ZE_RESULT_ERROR_MODULE_LINK_FAILURE,
    ];
    assert!(errors.contains(&code), "{code}");
    assert!(!log.is_empty());
}
