// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unified shared memory: the three kinds of allocation, every operation that a queue has on them (memcpy, memset, fill,
// prefetch, mem_advise, rectangles), alignment, what a pointer says of itself, and that freed memory may be had again.
#include "common.hpp"

#include <array>
#include <cstring>
#include <memory>

using sycl::usm::alloc;

const char *const source = R"(
ND_RANGE(1) add(int *data, int amount) { data[global_id()] += amount; }
struct Node { Node *next; int value; };
SINGLE_TASK sum_list(Node *node, int *sum) {
  for (*sum = 0; node; node = node->next) *sum += node->value;
}
)";

struct Node {
  Node *next;
  int value;
};

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  const auto device = q.get_device();
  const auto context = q.get_context();
  auto bundle = compile(q, source);
  auto add = bundle.ext_oneapi_get_kernel("add");
  constexpr std::size_t n = 1000;

  for (auto [name, kind] : {std::pair{"device memory", alloc::device}, {"host memory", alloc::host},
                            {"shared memory", alloc::shared}})
    scenario(name, [&, kind = kind] {
      std::vector<int> in(n), out(n, -1);
      std::iota(in.begin(), in.end(), 0);
      int *data = sycl::malloc<int>(n, q, kind);
      CHECK(data != nullptr);
      CHECK(sycl::get_pointer_type(data, context) == kind);
      CHECK(sycl::get_pointer_type(data + n / 2, context) == kind);
      if (kind != alloc::host)
        CHECK(sycl::get_pointer_device(data, context) == device);
      q.memcpy(data, in.data(), n * sizeof(int));
      launch(q, add, n, 10, data, 5);
      q.copy(data, out.data(), n).wait();
      CHECK(all_equal(out.data(), n, [](auto i) { return i + 5; }));
      if (kind != alloc::device) { // the host reads and writes it in place
        CHECK(data[7] == 12);
        data[7] = 100;
        launch(q, add, n, 10, data, 1).wait();
        CHECK(data[7] == 101 && data[8] == 14);
      }
      sycl::free(data, q);
    });

  scenario("a pointer of the host is of no kind", [&] {
    auto heap = std::make_unique<int>(1);
    CHECK(sycl::get_pointer_type(heap.get(), context) == alloc::unknown);
    CHECK(error_of([&] { sycl::get_pointer_device(heap.get(), context); }) == code(sycl::errc::invalid));
  });

  scenario("memory forgets its kind when freed", [&] {
    int *data = sycl::malloc_shared<int>(n, q);
    sycl::free(data, q);
    CHECK(sycl::get_pointer_type(data, context) == alloc::unknown);
    sycl::free(nullptr, q); // nothing happens
  });

  scenario("memcpy between every two kinds", [&] {
    std::vector<int> in(n), out(n);
    std::iota(in.begin(), in.end(), 3);
    for (auto from : {alloc::device, alloc::host, alloc::shared})
      for (auto to : {alloc::device, alloc::host, alloc::shared}) {
        int *a = sycl::malloc<int>(n, q, from), *b = sycl::malloc<int>(n, q, to);
        q.memcpy(a, in.data(), n * sizeof(int));
        q.memcpy(b + 1, a, (n - 1) * sizeof(int)); // off by one element, and not the whole
        q.memset(b, 0, sizeof(int));
        q.memcpy(out.data(), b, n * sizeof(int)).wait();
        CHECK(out[0] == 0 && all_equal(out.data() + 1, n - 1, [](auto i) { return i + 3; }));
        sycl::free(a, q), sycl::free(b, q);
      }
  });

  scenario("memcpy from host to host", [&] {
    std::vector<int> in(n, 4), out(n, 0);
    q.memcpy(out.data(), in.data(), n * sizeof(int)).wait();
    CHECK(out == in);
    q.memcpy(out.data(), in.data(), 0).wait(); // zero bytes is a command too
  });

  scenario("memset and fill", [&] {
    auto fill = [&](auto value, std::size_t offset) {
      using T = decltype(value);
      T *data = sycl::malloc_device<T>(n, q);
      std::vector<T> out(n);
      q.memset(data, 0x11, n * sizeof(T));
      q.fill(data + offset, value, n - 2 * offset);
      q.copy(data, out.data(), n).wait();
      sycl::free(data, q);
      T ones;
      std::memset(&ones, 0x11, sizeof(T));
      bool right = true;
      for (std::size_t i = 0; i < n; ++i)
        right = right && out[i] == (i < offset || i >= n - offset ? ones : value);
      return right;
    };
    for (std::size_t offset : {0, 1, 33}) {
      CHECK(fill(std::uint8_t{0xab}, offset));
      CHECK(fill(std::uint16_t{0xabcd}, offset));
      CHECK(fill(0x01234567u, offset));
      CHECK(fill(0x0123456789abcdefull, offset));
      CHECK(fill(std::array<std::uint64_t, 2>{1, 2}, offset));    // 16 bytes
      CHECK(fill(std::array<std::uint32_t, 3>{1, 2, 3}, offset)); // 12 bytes: not a power of two
      CHECK(fill(std::array<std::uint64_t, 32>{1, 2, 3}, offset)); // 256 bytes
    }
  });

  scenario("rectangles: memcpy2d, copy2d, memset2d, fill2d", [&] {
    constexpr std::size_t pitch = 32, width = 10, height = 8; // in ints
    std::vector<int> in(width * height), out(pitch * height, -1);
    std::iota(in.begin(), in.end(), 0);
    int *data = sycl::malloc_device<int>(pitch * height, q);
    q.memset(data, 0, pitch * height * sizeof(int));
    q.ext_oneapi_memcpy2d(data, pitch * sizeof(int), in.data(), width * sizeof(int), width * sizeof(int), height);
    q.ext_oneapi_copy2d(in.data(), width, data + 16, pitch, width, height);
    q.copy(data, out.data(), out.size()).wait();
    CHECK(all_equal(out.data(), out.size(), [](auto i) {
      const auto y = i / pitch, x = i % pitch;
      return x < width ? y * width + x : x >= 16 && x < 16 + width ? y * width + x - 16 : 0;
    }));
    sycl::free(data, q);
    // memset2d and fill2d need a kernel of libsycl's headers (built by a SYCL compiler) where the device has no native
    // ones; an OpenCL device has none.
  });

  scenario("prefetch and mem_advise change nothing that can be seen", [&] {
    int *data = sycl::malloc_shared<int>(n, q);
    q.fill(data, 1, n);
    q.prefetch(data, n * sizeof(int));
    q.mem_advise(data, n * sizeof(int), 0);
    launch(q, add, n, 10, data, 1);
    q.submit([&](sycl::handler &h) { h.prefetch(data, n * sizeof(int)); });
    q.wait();
    CHECK(all_equal(data, n, [](auto) { return 2; }));
    sycl::free(data, q);
  });

  scenario("alignment", [&] {
    for (std::size_t alignment : {1, 2, 8, 64, 128})
      for (auto kind : {alloc::device, alloc::host, alloc::shared}) {
        void *data = sycl::aligned_alloc(alignment, 100, q, kind);
        CHECK(data && reinterpret_cast<std::uintptr_t>(data) % alignment == 0);
        sycl::free(data, q);
      }
  });

  scenario("sizes at the edge", [&] {
    void *nothing = sycl::malloc_device(0, q);
    sycl::free(nothing, q);
    CHECK(sycl::malloc_device(std::size_t{1} << 60, q) == nullptr);
    CHECK(sycl::malloc_shared(std::size_t{1} << 60, q) == nullptr);
    CHECK(sycl::malloc_host(std::size_t{1} << 60, q) == nullptr);
  });

  scenario("a thousand allocations live at once", [&] {
    std::vector<int *> all(1000);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = sycl::malloc_shared<int>(1 + i % 50, q);
      *all[i] = i;
    }
    bool kept = true;
    for (std::size_t i = 0; i < all.size(); ++i)
      kept = kept && *all[i] == static_cast<int>(i) && sycl::get_pointer_type(all[i], context) == alloc::shared;
    CHECK(kept);
    for (int *data : all)
      sycl::free(data, q);
  });

  scenario("pointers inside memory: the device walks a list", [&] {
    std::vector<Node *> nodes; // nothing but the head is an argument of the kernel
    for (int i = 1; i <= 100; ++i) {
      auto *node = sycl::malloc_shared<Node>(1, q);
      *node = {nodes.empty() ? nullptr : nodes.back(), i};
      nodes.push_back(node);
    }
    int *sum = sycl::malloc_shared<int>(1, q);
    q.submit([&](sycl::handler &h) {
       h.set_args(nodes.back(), sum);
       h.single_task(bundle.ext_oneapi_get_kernel("sum_list"));
     }).wait();
    CHECK(*sum == 5050);
    for (auto *node : nodes)
      sycl::free(node, q);
    sycl::free(sum, q);
  });

  scenario("the allocator feeds a std::vector", [&] {
    std::vector<int, sycl::usm_allocator<int, alloc::shared>> data(n, 1, sycl::usm_allocator<int, alloc::shared>{q});
    launch(q, add, n, 10, data.data(), 2).wait();
    data.resize(2 * n, 9);
    CHECK(all_equal(data.data(), 2 * n, [&](auto i) { return i < n ? 3 : 9; }));
  });

  return summary();
}
