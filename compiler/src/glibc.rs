// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions of newer C libraries, so that our libraries run on older ones: packages promise glibc 2.34.
//!
//! LLVM calls what the C library had where LLVM was built. The definitions here come before the C library's, and are
//! hidden: programs do not see them.

use std::arch::global_asm;

/// `arc4random` (glibc 2.36), which LLVM makes names of temporary files with.
extern "C" fn random() -> u32 {
    let mut number = 0u32;
    let place = (&raw mut number).cast();
    loop {
        // SAFETY: a place for as many bytes as the number has.
        let read = unsafe { libc::getrandom(place, size_of::<u32>(), 0) };
        // It gives all of so few bytes, or none when a signal comes before the kernel's generator is ready.
        if read == size_of::<u32>() as isize {
            return number;
        }
    }
}

// By assembly, as rustc has no hidden symbols: a function with a C name is exported by every cdylib that links this crate.
global_asm!(
    ".pushsection .text.arc4random,\"ax\",@progbits",
    ".globl arc4random",
    ".hidden arc4random",
    ".type arc4random,@function",
    "arc4random:",
    "jmp {random}",
    ".size arc4random, . - arc4random",
    ".popsection",
    random = sym random,
);

#[cfg(test)]
mod tests {
    unsafe extern "C" {
        safe fn arc4random() -> u32;
    }

    #[test]
    fn random_numbers_differ() {
        let numbers = [(); 4].map(|()| arc4random());
        assert!(numbers.iter().any(|&number| number != numbers[0]), "{numbers:?}");
    }
}
