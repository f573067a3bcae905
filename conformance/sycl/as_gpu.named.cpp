// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library that UR_CPU_DEVICE_TYPE names: on our CPU adapter it sees a GPU.
#include "as_gpu.hpp"

Answers ask_as_named() { return ask(); }

int launch_as_named(sycl::queue &q, const sycl::kernel &kernel, std::size_t groups, int *arrived) {
  return launch_concurrently(q, kernel, groups, arrived);
}
