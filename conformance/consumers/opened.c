// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C program that opens the loader at run time, as libur_loader.so.0, by the symbol version that libsycl asks for.
#define _GNU_SOURCE
#include <unified-runtime/ur_api.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *loader;

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void *symbol(const char *name) {
  void *found = dlvsym(loader, name, "LIBUR_LOADER_0.12");
  if (!found)
    fail(dlerror());
  return found;
}

int main(void) {
  loader = dlopen("libur_loader.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!loader)
    fail(dlerror());

  // POSIX lets a data pointer hold a function; ISO C has no cast for it, so the bits are copied.
  ur_result_t (*init)(ur_device_init_flags_t, ur_loader_config_handle_t);
  ur_result_t (*tear_down)(void);
  ur_result_t (*adapter_get)(uint32_t, ur_adapter_handle_t *, uint32_t *);
  *(void **)&init = symbol("urLoaderInit");
  *(void **)&tear_down = symbol("urLoaderTearDown");
  *(void **)&adapter_get = symbol("urAdapterGet");

  uint32_t adapters = 0;
  if (tear_down() != UR_RESULT_ERROR_UNINITIALIZED)
    fail("urLoaderTearDown before urLoaderInit is not refused");
  if (init(0, NULL) != UR_RESULT_SUCCESS || adapter_get(0, NULL, &adapters) != UR_RESULT_SUCCESS)
    fail("urLoaderInit or urAdapterGet failed");
  if (tear_down() != UR_RESULT_SUCCESS)
    fail("urLoaderTearDown failed");
  printf("adapters %u\n", adapters);
  return 0;
}
