// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What liboxur_llvm.so has besides LLVM.

#include <stddef.h>
#include <sys/random.h>

// Tells builds of the library apart: llvm/library.rs wants its own.
__attribute__((visibility("default"))) const char OXUR_LLVM_VERSION[] = VERSION;

// LLVM's options and registries are static variables with destructors. A process may exit while a thread compiles, and does not wait
// for it, so they are never destroyed. The function is hidden: other libraries use that of the C library.
int __cxa_atexit(void (*function)(void *), void *argument, void *library) {
  (void)function;
  (void)argument;
  (void)library;
  return 0;
}

// glibc has it since 2.36, and packages promise 2.34. LLVM makes names of temporary files with it.
unsigned arc4random(void) {
  unsigned number = 0;
  // It gives all of so few bytes, or none when a signal comes before the kernel's generator is ready.
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}
