// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! LLVM's static variables are there from the first compilation on, and live until the process is gone.
//!
//! LLVM has some 400 static constructors, of options and registries, which take a millisecond and 460 pages. A process that
//! only lists devices, or finds its kernels in the cache, does not need them. So `compiler/llvm_statics.ld` has the linker put
//! them into a section of their own, which the dynamic linker does not know, and [`construct`] calls them. Programs that are
//! linked without that script, such as tests, have no such section, and their constructors run when they start.
//!
//! A process may exit while a thread compiles, and does not wait for it. LLVM's options and registries are static variables of
//! C++ with destructors. C++ registers these with `__cxa_atexit`, and `exit` would run them under that thread. So a function of
//! that name that registers nothing is linked with LLVM. It is hidden: other libraries of the process, and libstdc++, use that
//! of the C library.

use std::arch::global_asm;

use oxur_fork::OnceLock;

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
    // The linker defines these two for a section of that name. Where there is none they are null.
    ".weak __start_oxur_llvm_init",
    ".hidden __start_oxur_llvm_init",
    ".weak __stop_oxur_llvm_init",
    ".hidden __stop_oxur_llvm_init",
    ".globl oxur_llvm_constructors",
    ".hidden oxur_llvm_constructors",
    ".type oxur_llvm_constructors, @function",
    "oxur_llvm_constructors:",
    "mov rax, qword ptr [rip + __start_oxur_llvm_init@GOTPCREL]",
    "mov rdx, qword ptr [rip + __stop_oxur_llvm_init@GOTPCREL]",
    "ret",
    ".size oxur_llvm_constructors, . - oxur_llvm_constructors",
    ".popsection",
);

/// The section of the constructors. The C ABI returns the two in `rax` and `rdx`.
#[repr(C)]
struct Constructors {
    start: *const unsafe extern "C" fn(),
    stop: *const unsafe extern "C" fn(),
}

unsafe extern "C" {
    fn oxur_llvm_statics() -> i32;
    fn oxur_llvm_constructors() -> Constructors;
}

/// Constructs them, once. To be called before anything else of LLVM but its questions for the name and features of the CPU.
#[inline]
pub(super) fn construct() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        // SAFETY: it does nothing, and has this module linked: LLVM's reference alone may find the C library's function first.
        unsafe { oxur_llvm_statics() };
        // SAFETY: it reads two addresses.
        let Constructors { start, stop } = unsafe { oxur_llvm_constructors() };
        let mut constructor = start;
        while constructor != stop {
            // SAFETY: the section holds the functions that the compiler of LLVM emitted, in the order in which the dynamic
            // linker would call them. They take nothing, and this is the only call of each.
            unsafe {
                (*constructor)();
                constructor = constructor.add(1);
            }
        }
    });
}
