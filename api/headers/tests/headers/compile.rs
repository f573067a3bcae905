// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Checks that the headers are clean C99 and C++17 for every installed compiler.

use crate::{our_include, run};
use std::process::Command;

/// Uses the declarations that compilers check only on use.
const PROGRAM: &str = r#"
#include "unified-runtime/ur_ddi.h"
#define STATIC_ASSERT(condition) typedef char CONCAT(assertion_, __LINE__)[(condition) ? 1 : -1]
#define CONCAT(a, b) CONCAT_(a, b)
#define CONCAT_(a, b) a##b
STATIC_ASSERT(UR_BIT(5) == 32);
STATIC_ASSERT(UR_MAKE_VERSION(3, 7) == 0x30007);
STATIC_ASSERT(UR_MAJOR_VERSION(0x30007) == 3);
STATIC_ASSERT(UR_MINOR_VERSION(0x30007) == 7);
STATIC_ASSERT(UR_API_VERSION_CURRENT == UR_MAKE_VERSION(0, 12));
STATIC_ASSERT(sizeof UR_DEVICE_BINARY_TARGET_SPIRV64 == 7);
UR_APIEXPORT ur_result_t UR_APICALL urTest(uint32_t bits);
UR_APIEXPORT ur_result_t UR_APICALL urTest(uint32_t bits) {
    return bits & UR_MEM_FLAGS_MASK ? UR_RESULT_ERROR_INVALID_ENUMERATION : UR_RESULT_SUCCESS;
}
UR_DLLEXPORT ur_result_t UR_APICALL urGetDeviceProcAddrTable(ur_api_version_t version, ur_device_dditable_t *table) {
    table->pfnGet = urDeviceGet;
    return version == UR_API_VERSION_CURRENT ? UR_RESULT_SUCCESS : UR_RESULT_ERROR_UNSUPPORTED_VERSION;
}
#define _UR_API(f) typedef char f##_has_an_address[sizeof(&f) == sizeof(void *) ? 1 : -1];
#include "unified-runtime/ur_api_funcs.def"
"#;

fn compile(compiler: &str, language: &str, standard: &str) {
    for legacy in ["-DUR_OXUR_LEGACY_API", "-UUR_OXUR_LEGACY_API"] {
        let mut command = Command::new(compiler);
        command
            .args(["-x", language, standard, legacy, "-fsyntax-only", "-I"])
            .arg(our_include());
        run(command.args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-"]), PROGRAM);
    }
}

#[test]
fn gcc_c99() {
    compile("gcc", "c", "-std=c99");
}

#[test]
fn clang_c99() {
    compile("clang", "c", "-std=c99");
}

#[test]
fn gcc_cpp17() {
    compile("g++", "c++", "-std=c++17");
}

#[test]
fn clang_cpp17() {
    compile("clang++", "c++", "-std=c++17");
}
