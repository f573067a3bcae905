// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded: what oneDAL allocates on the device is full of zeros, as the pages that a GPU's driver has just got, or of
// another byte. oneDAL reads some of it before it writes there (docs/known-issues.md).
#include <cstddef>
#include <cstring>
#include <dlfcn.h>

// sycl::malloc_device(size_t, const queue &, const code_location &)
#define MALLOC_DEVICE _ZN4sycl3_V113malloc_deviceEmRKNS0_5queueERKNS0_6detail13code_locationE
// sycl::malloc(size_t, const queue &, usm::alloc, const code_location &)
#define MALLOC _ZN4sycl3_V16mallocEmRKNS0_5queueENS0_3usm5allocERKNS0_6detail13code_locationE
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

static int byte = 0;

extern "C" void fresh_memory_is(int value) { byte = value; }

template <class Function> static Function in_libsycl(const char *name) {
  return reinterpret_cast<Function>(dlsym(dlopen("libsycl.so.9", RTLD_NOW | RTLD_NOLOAD), name));
}

// The memory of the CPU adapter's device is the host's.
static void *fresh(void *memory, size_t size) { return memory ? memset(memory, byte, size) : nullptr; }

extern "C" void *MALLOC_DEVICE(size_t size, const void *queue, const void *location) {
  static auto original = in_libsycl<void *(*)(size_t, const void *, const void *)>(TEXT(MALLOC_DEVICE));
  return fresh(original(size, queue, location), size);
}

extern "C" void *MALLOC(size_t size, const void *queue, int kind, const void *location) {
  static auto original = in_libsycl<void *(*)(size_t, const void *, int, const void *)>(TEXT(MALLOC));
  return fresh(original(size, queue, kind, location), size);
}
