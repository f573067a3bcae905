// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sub-devices: splitting a device equally and by counts, what its parts say of themselves, kernels on each of them and on
// all of them in one context.
#include "common.hpp"

using sycl::info::partition_property;

const char *const source = R"(
ND_RANGE(1) fill(int *data, int value) { data[global_id()] = value; }
)";

int main() {
  sycl::queue q;
  const auto root = q.get_device();
  const auto units = root.get_info<sycl::info::device::max_compute_units>();
  fact("compute units", units);
  constexpr std::size_t n = 256;

  // Runs a kernel on every device of this context.
  auto run_on_all = [&](const sycl::context &context) {
    bool right = true;
    for (const auto &device : context.get_devices()) {
      sycl::queue queue{context, device};
      auto fill = compile(queue, source).ext_oneapi_get_kernel("fill");
      int *data = sycl::malloc_shared<int>(n, queue);
      launch(queue, fill, n, 16, data, 7).wait();
      right = right && all_equal(data, n, [](auto) { return 7; });
      sycl::free(data, queue);
    }
    return right;
  };

  scenario("equally, one unit each", [&] {
    const auto parts = root.create_sub_devices<partition_property::partition_equally>(1);
    CHECK(parts.size() == units);
    for (const auto &part : parts) {
      CHECK(part.get_info<sycl::info::device::max_compute_units>() == 1);
      CHECK(part.get_info<sycl::info::device::parent_device>() == root);
      CHECK(part.get_info<sycl::info::device::partition_type_property>() == partition_property::partition_equally);
      CHECK(part.get_info<sycl::info::device::name>() == root.get_info<sycl::info::device::name>());
      CHECK(part.get_platform() == root.get_platform());
      CHECK(part != root);
    }
    CHECK(run_on_all(sycl::context{parts[0]}));
  });

  scenario("by counts", [&] {
    const auto parts = root.create_sub_devices<partition_property::partition_by_counts>({units - 1, 1});
    CHECK(parts.size() == 2);
    CHECK(parts[0].get_info<sycl::info::device::max_compute_units>() == units - 1);
    CHECK(parts[1].get_info<sycl::info::device::max_compute_units>() == 1);
    CHECK(run_on_all(sycl::context{parts}));
  });

  scenario("a part as a queue's device", [&] {
    const auto parts = root.create_sub_devices<partition_property::partition_equally>(1);
    sycl::queue part{parts.back()};
    CHECK(run_on_all(part.get_context()));
  });

  scenario("what is refused", [&] {
    using sycl::info::partition_affinity_domain;
    CHECK(error_of([&] { root.create_sub_devices<partition_property::partition_equally>(units + 1); }) ==
          code(sycl::errc::invalid));
    CHECK(error_of([&] { root.create_sub_devices<partition_property::ext_intel_partition_by_cslice>(); }) ==
          code(sycl::errc::feature_not_supported));
    const auto part = root.create_sub_devices<partition_property::partition_equally>(1)[0];
    CHECK(error_of([&] { sycl::queue outside{q.get_context(), part}; }) == code(sycl::errc::invalid));
  });

  return summary();
}
