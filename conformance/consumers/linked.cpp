// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C++ program linked to the loader: fills memory on the first CPU device, copies it, and checks every element.
#include <unified-runtime/ur_api.h>

#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(ur_result_t result, const char *call) {
  if (result != UR_RESULT_SUCCESS)
    throw std::runtime_error(std::string(call) + " failed with " + std::to_string(result));
}
#define CHECK(call) check((call), #call)

/// Calls a UR getter twice: for the number, then for that many handles.
template <class Handle, class Get> std::vector<Handle> all(Get get) {
  std::uint32_t count = 0;
  CHECK(get(0, nullptr, &count));
  std::vector<Handle> handles(count);
  if (count > 0)
    CHECK(get(count, handles.data(), nullptr));
  return handles;
}

ur_device_handle_t first_cpu() {
  for (auto adapter : all<ur_adapter_handle_t>(urAdapterGet))
    for (auto platform : all<ur_platform_handle_t>([=](auto... out) { return urPlatformGet(adapter, out...); })) {
      std::uint32_t count = 0;
      ur_device_handle_t device = nullptr;
      CHECK(urDeviceGet(platform, UR_DEVICE_TYPE_CPU, 0, nullptr, &count));
      if (count == 0)
        continue;
      CHECK(urDeviceGet(platform, UR_DEVICE_TYPE_CPU, 1, &device, nullptr));
      return device;
    }
  throw std::runtime_error("no CPU device");
}

void fill_and_copy(ur_device_handle_t device) {
  constexpr std::size_t count = 1024;
  constexpr std::uint32_t pattern = 0xC0FFEE;
  ur_context_handle_t context = nullptr;
  ur_queue_handle_t queue = nullptr;
  void *source = nullptr, *target = nullptr;
  ur_event_handle_t filled = nullptr, copied = nullptr;
  CHECK(urContextCreate(1, &device, nullptr, &context));
  CHECK(urQueueCreate(context, device, nullptr, &queue));
  CHECK(urUSMHostAlloc(context, nullptr, nullptr, count * sizeof pattern, &source));
  CHECK(urUSMHostAlloc(context, nullptr, nullptr, count * sizeof pattern, &target));
  CHECK(urEnqueueUSMFill(queue, source, sizeof pattern, &pattern, count * sizeof pattern, 0, nullptr, &filled));
  CHECK(urEnqueueUSMMemcpy(queue, false, target, source, count * sizeof pattern, 1, &filled, &copied));
  CHECK(urEventWait(1, &copied));

  std::size_t right = 0;
  for (std::size_t i = 0; i < count; ++i)
    right += static_cast<const std::uint32_t *>(target)[i] == pattern;
  std::cout << right << " of " << count << " elements are right\n";

  CHECK(urEventRelease(filled));
  CHECK(urEventRelease(copied));
  CHECK(urUSMFree(context, source));
  CHECK(urUSMFree(context, target));
  CHECK(urQueueRelease(queue));
  CHECK(urContextRelease(context));
  CHECK(urDeviceRelease(device));
  if (right != count)
    throw std::runtime_error("wrong data");
}

} // namespace

int main() try {
  CHECK(urLoaderInit(0, nullptr));
  fill_and_copy(first_cpu());
  CHECK(urLoaderTearDown());
} catch (const std::exception &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
