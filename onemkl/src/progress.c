// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches whose work-groups wait for each other, as those of oneDAL's random forests.
//
// They require `work_group_progress<concurrent, root_group>`. libsycl makes a cooperative launch of that where it considers the device
// capable, and throws otherwise. It decides by the backend, without asking the adapter: no GPU of the backend OPENCL, as the CUDA
// adapter's are, is capable. So this asks for what libsycl would make of the requirement. On NVIDIA GPUs, cooperative launches do run all
// work-groups at the same time; launches that are too large for that are rejected. as-gpu/preload/src/launch.rs does the same on the CPU.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A `std::optional` of an enumerator.
struct optional {
    uint32_t value;
    uint8_t has_value;
};

// libsycl's properties of a launch (`PropsHolder`). Only the fields that follow are known. A change of its layout changes the mangled name
// of the function.
struct properties {
    unsigned char first[20];
    uint8_t use_root_sync;
    struct optional guarantee;
    struct optional scope;
    unsigned char rest[112];
};

_Static_assert(sizeof(struct properties) == 152, "the size that libsycl's has");

enum { concurrent = 0 };  // forward_progress_guarantee::concurrent
enum { root_group = 3 };  // execution_scope::root_group

// sycl::handler::setKernelLaunchProperties(const PropsHolder<...> &), of 2026.1 and 2026.2
#define NAME                                                                                                                             \
    "_ZN4sycl3_V17handler25setKernelLaunchPropertiesERKNS0_6detail27kernel_launch_properties_v111PropsHolderIJNS0_3ext6oneapi12"         \
    "experimental23work_group_scratch_sizeENS5_5intel12experimental12cache_configENS7_17use_root_sync_keyENS7_23work_group_progress_"    \
    "keyENS7_22sub_group_progress_keyENS7_22work_item_progress_keyENS7_4cuda12cluster_sizeILi1EEENSH_ILi2EEENSH_ILi3EEEEEE"

static void (*next)(void *, const struct properties *);

static int is_libsycl(struct dl_phdr_info *info, size_t size, void *path) {
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/');
    if (strncmp(slash ? slash + 1 : info->dlpi_name, "libsycl.so.", strlen("libsycl.so."))) return 0;
    *(const char **)path = info->dlpi_name;
    return 1;
}

// libsycl's function. RTLD_NEXT would not find it: Python loads libsycl with local scope.
static void find(void) {
    const char *path = NULL;
    void *libsycl = dl_iterate_phdr(is_libsycl, &path) ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    next = libsycl ? (void (*)(void *, const struct properties *))dlsym(libsycl, NAME) : NULL;
}

__attribute__((visibility("default"))) void oxur_set_launch_properties(void *handler, const struct properties *properties) __asm__(NAME);

void oxur_set_launch_properties(void *handler, const struct properties *properties) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    if (!next) {
        // The caller is linked to libsycl, which has always had it.
        fprintf(stderr, "oxur: libsycl's handler::setKernelLaunchProperties is not found\n");
        abort();
    }
    struct properties cooperative = *properties;
    const struct optional guarantee = cooperative.guarantee, scope = cooperative.scope;
    if (guarantee.has_value && guarantee.value == concurrent && scope.has_value && scope.value == root_group) {
        cooperative.use_root_sync = 1;
        cooperative.guarantee.has_value = cooperative.scope.has_value = 0;
        properties = &cooperative;
    }
    next(handler, properties);
}
