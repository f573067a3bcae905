// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! LLVM's static variables live until the process is gone.
//!
//! A process may exit while a thread compiles, and does not wait for it. LLVM's options and registries are static variables of
//! C++ with destructors. C++ registers these with `__cxa_atexit`, and `exit` would run them under that thread. So a function of
//! that name that registers nothing is linked with LLVM. It is hidden: other libraries of the process, and libstdc++, use that
//! of the C library.

use std::arch::global_asm;

global_asm!(
    ".pushsection .text.oxur_llvm_statics,\"ax\",@progbits",
    ".globl __cxa_atexit",
    ".hidden __cxa_atexit",
    ".type __cxa_atexit, @function",
    "__cxa_atexit:",
    ".globl oxur_llvm_statics",
    ".hidden oxur_llvm_statics",
    ".type oxur_llvm_statics, @function",
    "oxur_llvm_statics:",
    "xor eax, eax",
    "ret",
    ".size __cxa_atexit, . - __cxa_atexit",
    ".size oxur_llvm_statics, . - oxur_llvm_statics",
    ".popsection",
);

unsafe extern "C" {
    fn oxur_llvm_statics() -> i32;
}

/// Has this module linked: LLVM's reference alone may find the C library's function first.
pub(super) fn keep() {
    // SAFETY: it does nothing.
    unsafe { oxur_llvm_statics() };
}
