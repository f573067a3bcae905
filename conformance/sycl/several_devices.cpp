// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for several devices: USM and buffers that move between them, events that order the work of one behind that of
// another, a context of all. On a machine with one device it is both; of our CPU adapter the program wants two.
#include "common.hpp"

#include <cstdlib>

const char *const source = R"(
using Data = sycl::accessor<int, 1, sycl::access_mode::read_write>;
ND_RANGE(1) twice(int *data) { data[global_id()] *= 2; }
ND_RANGE(1) twice_in_buffer(Data data) { data[global_id()] *= 2; }
)";

constexpr std::size_t n = 1 << 16;

int main() {
  setenv("UR_CPU_DEVICES", "2", 1);
  const auto devices = sycl::device::get_devices();
  const sycl::device first = devices.front(), second = devices.back();
  fact("devices", devices.size());
  CHECK((devices.size() == 1) == (first == second));

  scenario("a context of all", [&] {
    sycl::context context{devices};
    sycl::queue a{context, first}, b{context, second};
    auto bundle = compile(a, source);
    auto twice = bundle.ext_oneapi_get_kernel("twice");
    int *data = sycl::malloc_device<int>(n, a), *copy = sycl::malloc_device<int>(n, b);
    std::vector<int> host(n);
    std::iota(host.begin(), host.end(), 0);
    auto last = a.copy(host.data(), data, n);
    for (int round = 0; round < 10; ++round) {
      sycl::queue &q = round % 2 ? b : a;
      last = q.submit([&](sycl::handler &h) {
        h.depends_on(last);
        h.set_args(data);
        h.parallel_for(sycl::nd_range<1>{n, 16}, twice);
      });
    }
    last = b.copy(data, copy, n, last);
    a.copy(copy, host.data(), n, last).wait();
    CHECK(all_equal(host.data(), n, [](auto i) { return static_cast<int>(i) << 10; }));
    CHECK(sycl::get_pointer_device(data, context) == first && sycl::get_pointer_device(copy, context) == second);
    sycl::free(data, context);
    sycl::free(copy, context);
  });

  scenario("buffers in a context of all", [&] {
    sycl::context context{devices};
    sycl::queue a{context, first}, b{context, second};
    auto twice = compile(a, source).ext_oneapi_get_kernel("twice_in_buffer");
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 0);
    {
      sycl::buffer<int> buffer{values};
      // Both read the same buffer while nobody writes; then they write in turn.
      sycl::buffer<int> copies[]{sycl::range<1>{n}, sycl::range<1>{n}};
      for (int round = 0; round < 10; ++round) {
        for (int of = 0; of < 2; ++of)
          (of ? a : b).submit([&](sycl::handler &h) {
            sycl::accessor from{buffer, h, sycl::read_only};
            h.copy(from, sycl::accessor{copies[of], h, sycl::write_only, sycl::no_init});
          });
        (round % 2 ? b : a).submit([&](sycl::handler &h) {
          h.set_args(sycl::accessor{buffer, h, sycl::read_write});
          h.parallel_for(sycl::nd_range<1>{n, 16}, twice);
        });
      }
      for (sycl::buffer<int> &copy : copies) {
        sycl::host_accessor result{copy, sycl::read_only};
        CHECK(all_equal(&result[0], n, [](auto i) { return static_cast<int>(i) << 9; }));
      }
    }
    CHECK(all_equal(values.data(), n, [](auto i) { return static_cast<int>(i) << 10; }));
  });

  scenario("a context each", [&] {
    sycl::queue a{sycl::context{first}, first}, b{sycl::context{second}, second};
    std::vector<int> values(n, 7);
    sycl::buffer<int> buffer{values.data(), sycl::range<1>{n}};
    // libsycl moves a buffer from context to context by itself.
    for (sycl::queue *q : {&a, &b, &a})
      q->submit([&](sycl::handler &h) {
        sycl::accessor data{buffer, h, sycl::read_write};
        h.fill(data, q == &a ? 1 : 2);
      });
    sycl::host_accessor result{buffer, sycl::read_only};
    CHECK(all_equal(&result[0], n, [](auto) { return 1; }));
  });
  return summary();
}
