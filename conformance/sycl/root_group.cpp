// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The root group (sycl_ext_oneapi_root_group): a barrier of all work-items of a range, in as many work-groups as the
// device can run side by side; how many these are (one, with OpenCL); and what becomes of a range with more.
#include "common.hpp"

const char *const source = R"(
using syclx::this_work_item::get_root_group;
ND_RANGE(1) describe(int *out) {
  auto root = get_root_group<1>();
  if (!root.leader()) return;
  out[0] = root.get_group_linear_id(), out[1] = root.get_group_linear_range();
  out[2] = root.get_local_linear_range(), out[3] = root.get_local_id()[0];
}
ND_RANGE(1) exchange(int *a, int *b, int rounds) { // each round, every work-item reads what another wrote in the last
  auto root = get_root_group<1>();
  int i = root.get_local_linear_id(), n = root.get_local_linear_range();
  for (int round = 0; round < rounds; ++round) {
    b[i] = a[n - 1 - i] + 1;
    sycl::group_barrier(root);
    a[i] = b[(i + 1) % n] + 1;
    sycl::group_barrier(root);
  }
}
ND_RANGE(2) transpose(int *square) { // in place: everyone has read before anyone writes
  auto root = get_root_group<2>();
  auto i = root.get_local_id();
  size_t n = root.get_local_range()[0];
  int value = square[i[0] * n + i[1]];
  sycl::group_barrier(root);
  square[i[1] * n + i[0]] = value;
}
)";

namespace per_queue = syclx::info::kernel_queue_specific;

/// Submits a kernel that may use barriers of the root group.
template <int Dims, class... Args>
void launch_as_one(sycl::queue &q, const sycl::kernel &kernel, sycl::nd_range<Dims> range, Args... args) {
  const syclx::launch_config config{range, syclx::properties{syclx::use_root_sync}};
  syclx::submit(q, [&](sycl::handler &h) { syclx::nd_launch(h, config, kernel, args...); });
  q.wait();
}

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  auto bundle = compile(q, source);
  auto kernel = [&](const char *name) { return bundle.ext_oneapi_get_kernel(name); };
  auto most_groups = [&](const char *name, auto size) {
    return kernel(name).template ext_oneapi_get_info<per_queue::max_num_work_groups>(q, size, 0);
  };
  constexpr std::size_t local = 32;
  const std::size_t most = most_groups("exchange", sycl::range{local});
  fact("work-groups side by side", most);
  CHECK(most >= 1);

  scenario("what the root group says of itself", [&] {
    int *out = sycl::malloc_shared<int>(4, q);
    const std::size_t n = local * most_groups("describe", sycl::range{local});
    launch_as_one(q, kernel("describe"), sycl::nd_range<1>{n, local}, out);
    CHECK(out[0] == 0 && out[1] == 1 && out[2] == int(n) && out[3] == 0);
    sycl::free(out, q);
  });

  scenario("all work-items of as many groups as there may be wait for each other", [&] {
    for (std::size_t groups : {std::size_t{1}, (most + 1) / 2, most}) {
      const int n = groups * local, rounds = 50;
      int *a = sycl::malloc_shared<int>(n, q), *b = sycl::malloc_shared<int>(n, q);
      std::iota(a, a + n, 0);
      std::vector<int> expected(a, a + n), between(n);
      for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < n; ++i)
          between[i] = expected[n - 1 - i] + 1;
        for (int i = 0; i < n; ++i)
          expected[i] = between[(i + 1) % n] + 1;
      }
      launch_as_one(q, kernel("exchange"), sycl::nd_range<1>{groups * local, local}, a, b, rounds);
      CHECK(all_equal(a, n, [&](auto i) { return expected[i]; }));
      sycl::free(a, q), sycl::free(b, q);
    }
  });

  scenario("two dimensions", [&] {
    const std::size_t tile = 8, groups = most_groups("transpose", sycl::range{tile, tile});
    const std::size_t edge = groups < 4 ? tile : 2 * tile;
    int *square = sycl::malloc_shared<int>(edge * edge, q);
    std::iota(square, square + edge * edge, 0);
    launch_as_one(q, kernel("transpose"), sycl::nd_range<2>{{edge, edge}, {tile, tile}}, square);
    CHECK(all_equal(square, edge * edge, [&](auto i) { return i % edge * edge + i / edge; }));
    sycl::free(square, q);
  });

  scenario("more groups than can run side by side", [&] {
    // Of a kernel without barriers: with them, Intel's driver hangs.
    int *out = sycl::malloc_shared<int>(4, q);
    const int error = error_of([&] { launch_as_one(q, kernel("describe"), sycl::nd_range<1>{1 << 20, local}, out); });
    std::cout << "too many: " << (error == -1 ? "taken" : "refused") << "\n";
    sycl::free(out, q);
  });
  return summary();
}
