/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preloaded, lets llama.cpp take a CPU. Its SYCL backend wants a GPU (sycl::device::is_gpu), of a platform whose name has
 * "opencl" in it, and divides by a sixteenth of the compute units. It alone gets such answers about the kind: MKL, which asks
 * too, must see the CPU that there is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_SIZE = 4, PLATFORM_NAME = 1, DEVICE_COMPUTE_UNITS = 3 };

/* The function that this library hides. Python opens libsycl for itself alone, so RTLD_NEXT would not find it. */
static void *hidden(const char *library, const char *name) { return dlsym(dlopen(library, RTLD_LAZY | RTLD_NOLOAD), name); }

/* sycl::device::is_gpu() const */
bool _ZNK4sycl3_V16device6is_gpuEv(const void *device) {
    Dl_info caller;
    if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "libggml-sycl")) return true;
    bool (*is_gpu)(const void *) = hidden("libsycl.so.8", "_ZNK4sycl3_V16device6is_gpuEv");
    return is_gpu(device);
}

typedef int (*get_info_t)(void *handle, uint32_t property, size_t size, void *value, size_t *size_ret);

int urPlatformGetInfo(void *platform, uint32_t property, size_t size, void *value, size_t *size_ret) {
    static const char name[] = "OpenCL, as llama.cpp wants it";
    if (property != PLATFORM_NAME)
        return ((get_info_t)hidden("libur_loader.so.0", __func__))(platform, property, size, value, size_ret);
    if (value && size < sizeof name) return INVALID_SIZE;
    if (value) memcpy(value, name, sizeof name);
    if (size_ret) *size_ret = sizeof name;
    return SUCCESS;
}

int urDeviceGetInfo(void *device, uint32_t property, size_t size, void *value, size_t *size_ret) {
    int code = ((get_info_t)hidden("libur_loader.so.0", __func__))(device, property, size, value, size_ret);
    if (code == SUCCESS && property == DEVICE_COMPUTE_UNITS && value && *(uint32_t *)value < 16) *(uint32_t *)value = 16;
    return code;
}
