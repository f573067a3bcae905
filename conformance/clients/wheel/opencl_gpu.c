// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An OpenCL driver as NVIDIA's is: a GPU that accepts no SPIR-V, on the platform "NVIDIA CUDA". The GPU is Debian's PoCL.

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int (*get_platforms_t)(unsigned, void **, unsigned *);
typedef int (*get_info_t)(void *, unsigned, size_t, void *, size_t *);

// CL_PLATFORM_NAME, CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU, CL_INVALID_VALUE
enum { platform_name = 0x0902, device_type = 0x1000, device_type_gpu = 4, invalid_value = -30 };
// Where the functions are in the table that OpenCL's objects begin with.
enum { get_platform_info = 1, get_device_info = 3 };

static get_info_t pocls_platform_info, pocls_device_info;

static void *pocl(const char *function) {
  static void *library;
  if (!library)
    library = dlopen("libpocl.so.2", RTLD_NOW | RTLD_LOCAL);
  return dlsym(library, function);
}

static int answer(const void *value, size_t size, size_t room, void *to, size_t *size_ret) {
  if (size_ret)
    *size_ret = size;
  if (to && room < size)
    return invalid_value;
  if (to)
    memcpy(to, value, size);
  return 0;
}

static int platform_info(void *platform, unsigned query, size_t room, void *to, size_t *size_ret) {
  static const char name[] = "NVIDIA CUDA";
  if (query == platform_name)
    return answer(name, sizeof name, room, to, size_ret);
  return pocls_platform_info(platform, query, room, to, size_ret);
}

static int device_info(void *device, unsigned query, size_t room, void *to, size_t *size_ret) {
  uint64_t type = device_type_gpu;
  if (query == device_type)
    return answer(&type, sizeof type, room, to, size_ret);
  return pocls_device_info(device, query, room, to, size_ret);
}

static void *pocls_extension(const char *name) {
  return ((void *(*)(const char *))pocl("clGetExtensionFunctionAddress"))(name);
}

int clIcdGetPlatformIDsKHR(unsigned room, void **platforms, unsigned *count) {
  int result = ((get_platforms_t)pocls_extension("clIcdGetPlatformIDsKHR"))(room, platforms, count);
  if (!result && platforms && room && !pocls_platform_info) {
    void **table = *(void ***)platforms[0];
    uintptr_t page = sysconf(_SC_PAGESIZE), start = (uintptr_t)table / page * page;
    mprotect((void *)start, 2 * page, PROT_READ | PROT_WRITE);
    pocls_platform_info = (get_info_t)table[get_platform_info];
    pocls_device_info = (get_info_t)table[get_device_info];
    table[get_platform_info] = (void *)platform_info;
    table[get_device_info] = (void *)device_info;
  }
  return result;
}

int clGetPlatformInfo(void *platform, unsigned query, size_t room, void *to, size_t *size_ret) {
  return platform_info(platform, query, room, to, size_ret);
}

void *clGetExtensionFunctionAddress(const char *name) {
  if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
    return (void *)clIcdGetPlatformIDsKHR;
  return pocls_extension(name);
}
