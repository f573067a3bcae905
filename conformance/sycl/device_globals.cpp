// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// device_global in kernels compiled from source: it keeps its value between kernels, the host finds it by name and reads
// and writes it through its address, and two bundles of one source have a variable each.
#include "common.hpp"

const char *const source = R"(
syclx::device_global<int> counter;
syclx::device_global<int[4]> table;
syclx::device_global<float, decltype(syclx::properties{syclx::device_image_scope})> of_the_image;
namespace inner { syclx::device_global<long> hidden; }

SINGLE_TASK bump() {
  counter += 1;
  for (int i = 0; i < 4; ++i) table[i] += i;
  of_the_image += 0.5f;
  inner::hidden += 10;
}
SINGLE_TASK read(long *out) {
  out[0] = counter, out[1] = table[3], out[2] = long(of_the_image * 2), out[3] = inner::hidden;
}
)";

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  const auto device = q.get_device();
  auto bundle = compile(q, source);
  long *out = sycl::malloc_shared<long>(4, q);

  auto task = [&](Executable &from, const char *name, auto... args) {
    q.submit([&](sycl::handler &h) {
      h.set_args(args...);
      h.single_task(from.ext_oneapi_get_kernel(name));
    });
  };
  auto values = [&](Executable &from) {
    task(from, "read", out);
    q.wait();
    return std::vector<long>(out, out + 4);
  };
  using Values = std::vector<long>;

  scenario("a new variable is zero", [&] { CHECK(values(bundle) == Values{0, 0, 0, 0}); });

  scenario("values outlive a kernel", [&] {
    task(bundle, "bump");
    task(bundle, "bump");
    CHECK(values(bundle) == Values{2, 6, 2, 20});
  });

  scenario("names and sizes", [&] {
    for (const char *name : {"counter", "table", "of_the_image"})
      CHECK(bundle.ext_oneapi_has_device_global(name));
    CHECK(bundle.ext_oneapi_get_device_global_size("counter") == sizeof(int));
    CHECK(bundle.ext_oneapi_get_device_global_size("table") == 4 * sizeof(int));
    CHECK(bundle.ext_oneapi_get_device_global_size("of_the_image") == sizeof(float));
    CHECK(!bundle.ext_oneapi_has_device_global("nobody"));
    CHECK(error_of([&] { bundle.ext_oneapi_get_device_global_size("nobody"); }) == code(sycl::errc::invalid));
  });

  scenario("the host reads and writes by address", [&] {
    void *counter = bundle.ext_oneapi_get_device_global_address("counter", device);
    void *table = bundle.ext_oneapi_get_device_global_address("table", device);
    CHECK(sycl::get_pointer_type(counter, q.get_context()) == sycl::usm::alloc::device);
    int value = 0;
    q.memcpy(&value, counter, sizeof value).wait();
    CHECK(value == 2);
    value = 100;
    q.memcpy(counter, &value, sizeof value);
    q.fill(static_cast<int *>(table), 7, 4);
    task(bundle, "bump");
    CHECK(values(bundle) == Values{101, 10, 3, 30});
    int row[4];
    q.copy(static_cast<int *>(table), row, 4).wait();
    CHECK(row[0] == 7 && row[1] == 8 && row[2] == 9 && row[3] == 10);
  });

  scenario("one with device_image_scope has no address", [&] {
    CHECK(error_of([&] { bundle.ext_oneapi_get_device_global_address("of_the_image", device); }) ==
          code(sycl::errc::invalid));
  });

  scenario("another bundle of the same source has its own", [&] {
    auto other = compile(q, source);
    CHECK(values(other) == Values{0, 0, 0, 0});
    task(other, "bump");
    CHECK(values(other) == Values{1, 3, 1, 10});
    CHECK(values(bundle) == Values{101, 10, 3, 30});
  });

  sycl::free(out, q);
  return summary();
}
