// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work-groups that wait for each other, and require that all of them run at the same time: on each device, a few, and more than it can run
// side by side. libsycl's run-time compiler makes the kernel.
#include "../../conformance/sycl/common.hpp"

namespace {
const char *const source = R"(ND_RANGE(1) meet(int *arrived, int count) {
  sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::device> number(*arrived);
  number.fetch_add(1);
  while (number.load() < count) {}
})";

/// Submits the kernel; 0, or the error that libsycl throws.
int launch(sycl::queue &q, const sycl::kernel &kernel, std::size_t groups, int *arrived) {
  using namespace syclx;
  const properties demand{work_group_progress<forward_progress_guarantee::concurrent, execution_scope::root_group>};
  try {
    nd_launch(q, launch_config{sycl::nd_range<1>{groups, 1}, demand}, kernel, arrived, static_cast<int>(groups));
    q.wait_and_throw();
    return 0;
  } catch (const sycl::exception &e) {
    return e.code().value();
  }
}
} // namespace

int main() {
  int devices = 0;
  for (const auto &device : sycl::device::get_devices()) {
    ++devices;
    scenario(device.get_info<sycl::info::device::name>().c_str(), [&] {
      sycl::queue q{device, sycl::property::queue::in_order{}};
      const auto kernel = compile(q, source).ext_oneapi_get_kernel("meet");
      using most_groups = syclx::info::kernel_queue_specific::max_num_work_groups;
      const auto most = kernel.ext_oneapi_get_info<most_groups>(q, sycl::range{1}, 0);
      CHECK(most >= 1);
      int *arrived = sycl::malloc_shared<int>(1, q);
      *arrived = 0;
      // On the driver without a GPU, each takes its time.
      const auto few = std::min<std::size_t>(most, 8);
      CHECK(launch(q, kernel, few, arrived) == 0);
      CHECK(*arrived == static_cast<int>(few));
      *arrived = 0;
      CHECK(launch(q, kernel, most + 1, arrived) != 0);
      CHECK(*arrived == 0);
      sycl::free(arrived, q);
    });
  }
  if (failed || !devices) return 1;
  std::cout << "pass devices " << devices << "\n";
  return 0;
}
