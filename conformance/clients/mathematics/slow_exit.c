// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded: libtcm, which libtbb loads, frees a topology in its exit handler. Here that takes a while, so that libtbb's
// workers end meanwhile.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

void hwloc_topology_destroy(void *topology)
{
    void *hwloc = dlopen("libhwloc.so.15", RTLD_LAZY | RTLD_NOLOAD);
    void (*destroy)(void *) = hwloc ? (void (*)(void *))dlsym(hwloc, "hwloc_topology_destroy") : NULL;
    if (!destroy)
        abort();
    destroy(topology);
    usleep(300 * 1000);
}
