// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C program linked to the loader: lists every adapter, platform and device, a line each.
#include <unified-runtime/ur_api.h>

#include <stdio.h>
#include <stdlib.h>

#define MAX_HANDLES 16

static void check(ur_result_t result, const char *call) {
  if (result != UR_RESULT_SUCCESS) {
    fprintf(stderr, "%s failed with %#x\n", call, (unsigned)result);
    exit(1);
  }
}
#define CHECK(call) check((call), #call)

static uint32_t at_most(uint32_t count) { return count < MAX_HANDLES ? count : MAX_HANDLES; }

static void list_devices(ur_platform_handle_t platform) {
  uint32_t count = 0;
  ur_device_handle_t devices[MAX_HANDLES];
  CHECK(urDeviceGet(platform, UR_DEVICE_TYPE_ALL, 0, NULL, &count));
  count = at_most(count);
  CHECK(urDeviceGet(platform, UR_DEVICE_TYPE_ALL, count, devices, NULL));
  for (uint32_t i = 0; i < count; ++i) {
    char name[256];
    ur_device_type_t type;
    CHECK(urDeviceGetInfo(devices[i], UR_DEVICE_INFO_NAME, sizeof name, name, NULL));
    CHECK(urDeviceGetInfo(devices[i], UR_DEVICE_INFO_TYPE, sizeof type, &type, NULL));
    printf("device %s, %s\n", name, type == UR_DEVICE_TYPE_CPU ? "CPU" : "other");
    CHECK(urDeviceRelease(devices[i]));
  }
}

int main(void) {
  uint32_t adapter_count = 0;
  ur_adapter_handle_t adapters[MAX_HANDLES];
  CHECK(urLoaderInit(0, NULL));
  CHECK(urAdapterGet(0, NULL, &adapter_count));
  adapter_count = at_most(adapter_count);
  CHECK(urAdapterGet(adapter_count, adapters, NULL));
  for (uint32_t a = 0; a < adapter_count; ++a) {
    ur_backend_t backend;
    uint32_t platform_count = 0;
    ur_platform_handle_t platforms[MAX_HANDLES];
    CHECK(urAdapterGetInfo(adapters[a], UR_ADAPTER_INFO_BACKEND, sizeof backend, &backend, NULL));
    printf("adapter %s\n", backend == UR_BACKEND_OPENCL ? "OpenCL" : "other");
    CHECK(urPlatformGet(adapters[a], 0, NULL, &platform_count));
    platform_count = at_most(platform_count);
    if (platform_count > 0) // An adapter without a driver has none, and zero is no size of an array.
      CHECK(urPlatformGet(adapters[a], platform_count, platforms, NULL));
    for (uint32_t p = 0; p < platform_count; ++p) {
      char name[256];
      CHECK(urPlatformGetInfo(platforms[p], UR_PLATFORM_INFO_NAME, sizeof name, name, NULL));
      printf("platform %s\n", name);
      list_devices(platforms[p]);
    }
    CHECK(urAdapterRelease(adapters[a]));
  }
  CHECK(urLoaderTearDown());
  return 0;
}
