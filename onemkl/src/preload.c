// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// liboxur_onemkl_preload.so, which needs nothing but libc, as it is in every process under `oxur run --adapter cuda`.
//
// It has the names of oneMKL's functions. A preloaded library is searched first, so calls of them come here, wherever Intel's
// libraries are. For a queue of the CUDA adapter a call goes on to liboxur_onemkl.so, else to Intel's function. preload.S has an
// entry for each name; this file decides where a call goes on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"

enum library { blas, lapack, dft };
static const char *const prefixes[] = {"libmkl_sycl_blas.so.", "libmkl_sycl_lapack.so.", "libmkl_sycl_dft.so."};

// A function of oneMKL, and where its calls go on: found when they are first needed.
struct function {
    const char *name;
    enum kind kind;
    enum library library;
    _Atomic(void *) ours;
    _Atomic(void *) intel;
};

static struct function functions[] = {
#define FUNCTION(index, kind, library, name) {#name, kind, library, NULL, NULL},
#include "functions.h"
#undef FUNCTION
};

// liboxur_onemkl.so beside this library, and what it has for us (dispatch.cpp). Null where nothing can be a queue of ours: in a
// process without our CUDA adapter. Adapters are loaded before there are queues.
static void *ours;
static int (*takes)(enum kind, void *, void *);
static void *(*refusal)(const char *);

static void load(void) {
    if (!dlopen("libur_adapter_cuda.so.0", RTLD_NOW | RTLD_NOLOAD) || !dlopen("libsycl.so.9", RTLD_NOW | RTLD_NOLOAD)) return;
    Dl_info self;
    char path[4096];
    if (!dladdr((void *)load, &self)) return;
    const char *slash = strrchr(self.dli_fname, '/');
    const int folder = slash ? (int)(slash - self.dli_fname + 1) : 0;
    snprintf(path, sizeof path, "%.*sliboxur_onemkl.so", folder, self.dli_fname);
    ours = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!ours) {
        fprintf(stderr, "oxur: oneMKL is not replaced on NVIDIA GPUs: %s\n", dlerror());
        return;
    }
    takes = (int (*)(enum kind, void *, void *))dlsym(ours, "oxur_onemkl_takes");
    refusal = (void *(*)(const char *))dlsym(ours, "oxur_onemkl_refusal");
}

struct search {
    const char *prefix;
    char path[4096];
};

static int match(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct search *search = data;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    if (strncmp(name, search->prefix, strlen(search->prefix))) return 0;
    snprintf(search->path, sizeof search->path, "%s", info->dlpi_name);
    return 1;
}

// Intel's function. Its library is in the process: the client needs it.
static void *find_intel(const struct function *function) {
    struct search search = {.prefix = prefixes[function->library]};
    if (!dl_iterate_phdr(match, &search)) return NULL;
    void *library = dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
    return library ? dlsym(library, function->name) : NULL;
}

// Where a call of a function goes on, by its first two arguments.
__attribute__((visibility("hidden"))) void *oxur_onemkl_target(unsigned index, void *first, void *second) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    struct function *function = &functions[index];
    const int is_ours = takes && takes(function->kind, first, second);
    _Atomic(void *) *place = is_ours ? &function->ours : &function->intel;
    void *target = atomic_load_explicit(place, memory_order_relaxed);
    if (!target) {
        target = is_ours ? dlsym(ours, function->name) : find_intel(function);
        atomic_store_explicit(place, target, memory_order_relaxed);
    }
    if (target) return target;
    if (refusal) return refusal(is_ours ? function->name : prefixes[function->library]);
    fprintf(stderr, "oxur: no %s* has %s\n", prefixes[function->library], function->name);
    abort();
}
