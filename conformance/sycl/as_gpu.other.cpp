// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library that UR_CPU_DEVICE_TYPE does not name: it sees a CPU everywhere.
#include "as_gpu.hpp"

Answers ask_as_other() { return ask(); }

int launch_as_other(sycl::queue &q, const sycl::kernel &kernel, std::size_t groups, int *arrived) {
  return launch_concurrently(q, kernel, groups, arrived);
}
