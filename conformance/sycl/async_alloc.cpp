// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous allocation: a device that has the aspect allocates and frees in the order of its queue; one that lacks it
// says so with an exception, and never with a pointer that is none.
//
// Intel's OpenCL adapter lacks it: async_malloc and memory_pool throw errc::runtime (UR_RESULT_ERROR_UNSUPPORTED_FEATURE).
#include "common.hpp"

#include <sycl/ext/oneapi/experimental/async_alloc/async_alloc.hpp>
#include <sycl/ext/oneapi/experimental/async_alloc/memory_pool.hpp>

using sycl::usm::alloc;

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  constexpr std::size_t n = 1024;
  const bool supported = q.get_device().has(sycl::aspect::ext_oneapi_async_memory_alloc);

  // Uses memory from `allocate` as a queue's commands would, or expects the refusal.
  auto allocates = [&](auto allocate) {
    if (!supported)
      return error_of(allocate) == code(sycl::errc::runtime);
    int *data = static_cast<int *>(allocate());
    std::vector<int> out(n, 0);
    q.fill(data, 42, n);
    q.copy(data, out.data(), n);
    syclx::async_free(q, data);
    q.wait();
    return out == std::vector<int>(n, 42);
  };

  scenario("device memory from the default pool", [&] {
    CHECK(allocates([&] { return syclx::async_malloc(q, alloc::device, n * sizeof(int)); }));
  });

  scenario("device memory from a pool of our own", [&] {
    CHECK(allocates([&] {
      syclx::memory_pool pool{q, alloc::device};
      return syclx::async_malloc_from_pool(q, n * sizeof(int), pool);
    }));
  });

  scenario("many rounds in flight", [&] {
    if (!supported)
      return;
    std::vector<std::vector<int>> out(100, std::vector<int>(n, 0));
    for (int round = 0; round < 100; ++round) {
      int *data = static_cast<int *>(syclx::async_malloc(q, alloc::device, n * sizeof(int)));
      q.fill(data, round, n);
      q.copy(data, out[round].data(), n);
      syclx::async_free(q, data);
    }
    q.wait();
    for (int round = 0; round < 100; ++round)
      if (out[round] != std::vector<int>(n, round))
        throw std::runtime_error("round " + std::to_string(round));
  });

  // libsycl reserves addresses for the memory of a graph, so it needs virtual memory, too.
  scenario("in a recorded graph", [&] {
    if (!supported || !q.get_device().has(sycl::aspect::ext_oneapi_virtual_mem))
      return;
    std::vector<int> out(n, 0);
    sycl::queue recorded{q.get_context(), q.get_device(), sycl::property::queue::in_order{}};
    syclx::command_graph graph{q.get_context(), q.get_device()};
    graph.begin_recording(recorded);
    int *data = static_cast<int *>(syclx::async_malloc(recorded, alloc::device, n * sizeof(int)));
    recorded.fill(data, 42, n);
    recorded.copy(data, out.data(), n);
    syclx::async_free(recorded, data);
    graph.end_recording(recorded);
    auto executable = graph.finalize();
    for (int round = 0; round < 3; ++round) {
      out.assign(n, 0);
      q.ext_oneapi_graph(executable).wait();
      if (out != std::vector<int>(n, 42))
        throw std::runtime_error("run " + std::to_string(round));
    }
  });

  scenario("host and shared memory are refused everywhere", [&] {
    for (auto kind : {alloc::host, alloc::shared})
      CHECK(error_of([&] { syclx::async_malloc(q, kind, n); }) == code(sycl::errc::feature_not_supported));
  });

  return summary();
}
