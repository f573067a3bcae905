// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// device_global as the host's variable: copies to and from it, whole and in part, in order with the kernels that use
// it; a plain one shared by two images, and one with device_image_scope; what is out of bounds; and instances by
// context. The images are registered by hand, since a source compiled at run time cannot refer to the host's variables.
#include "device_image.hpp"

#include <sycl/detail/device_global_map.hpp>

using Four = int[4];
using Values = std::vector<int>;
syclx::device_global<Four> plain;
syclx::device_global<Four, decltype(syclx::properties{syclx::device_image_scope})> scoped;
syclx::device_global<Four, decltype(syclx::properties{syclx::device_image_scope})> unused; // by any image

int main() {
  sycl::detail::device_global_map::add(&plain, "plain"); // as the compiler's integration footer does
  sycl::detail::device_global_map::add(&scoped, "scoped");
  sycl::detail::device_global_map::add(&unused, "unused");
  register_images({
      DeviceImage("one")
          .kernel("add")
          .kernel("get")
          .global("plain", sizeof(Four), false)
          .global("scoped", sizeof(Four), true),
      DeviceImage("other").kernel("multiply").global("plain", sizeof(Four), false),
  });
  sycl::queue q{sycl::property::queue::in_order{}};
  auto add = registered_kernel(q, "add"), get = registered_kernel(q, "get");
  auto multiply = registered_kernel(q, "multiply");
  int *out = sycl::malloc_shared<int>(8, q);

  // What the kernels see, and what the host sees.
  auto device_sees = [&](const Values &of_plain, const Values &of_scoped) {
    launch(q, get, 1, 1, out, out + 4).wait();
    return Values(out, out + 4) == of_plain && Values(out + 4, out + 8) == of_scoped;
  };
  auto read = [](sycl::queue &q, auto &variable) {
    Values values(4);
    q.memcpy(values.data(), variable).wait();
    return values;
  };

  scenario("before any kernel ran, the host reads the initial values", [&] {
    CHECK(read(q, scoped) == Values{10, 20, 30, 40});
    CHECK(read(q, plain) == Values{0, 0, 0, 0});
  });

  scenario("a plain one is shared by two images", [&] {
    launch(q, add, 1, 1, 2);
    launch(q, multiply, 1, 1, 5);
    launch(q, add, 1, 1, 1);
    CHECK(device_sees({11, 11, 11, 11}, {13, 23, 33, 43}));
    CHECK(read(q, plain) == Values{11, 11, 11, 11});
    CHECK(read(q, scoped) == Values{13, 23, 33, 43});
  });

  auto copies = [&](auto &variable) {
    const Values whole{1, 2, 3, 4}, part{70, 80};
    q.memcpy(variable, whole.data());
    q.memcpy(variable, part.data(), 2 * sizeof(int), sizeof(int)).wait();
    CHECK(read(q, variable) == Values{1, 70, 80, 4});
    q.copy(part.data(), variable, 1, 3).wait(); // one element, from the fourth on
    Values back(2), unaligned(1);
    q.copy(variable, back.data(), 2, 2);
    q.memcpy(unaligned.data(), variable, 4, 5).wait();
    CHECK(back == Values{80, 70});
    CHECK(unaligned[0] == 80 << 24); // 70's three zeros, then 80
    int *device = sycl::malloc_device<int>(4, q);
    q.memcpy(device, variable);
    q.memcpy(variable, device, 2 * sizeof(int), 2 * sizeof(int)).wait(); // the first half over the second
    CHECK(read(q, variable) == Values{1, 70, 1, 70});
    sycl::free(device, q);
  };
  scenario("copies in part: plain", [&] { copies(plain); });
  scenario("copies in part: with device_image_scope", [&] { copies(scoped); });
  scenario("the kernels see them", [&] { CHECK(device_sees({1, 70, 1, 70}, {1, 70, 1, 70})); });

  scenario("copies and kernels keep the order of events", [&] {
    sycl::queue unordered{q.get_context(), q.get_device()};
    const Values ones(4, 1);
    for (int round = 0; round < 20; ++round) {
      auto written = unordered.memcpy(scoped, ones.data(), sizeof(Four), 0);
      written = unordered.memcpy(plain, ones.data(), sizeof(Four), 0, written);
      auto added = unordered.submit([&](sycl::handler &h) {
        h.depends_on(written);
        h.set_args(round);
        h.parallel_for(sycl::nd_range<1>{1, 1}, add);
      });
      Values values(8);
      auto first = unordered.memcpy(values.data(), scoped, sizeof(Four), 0, added);
      unordered.memcpy(values.data() + 4, plain, sizeof(Four), 0, first).wait();
      CHECK(values == Values(8, 1 + round));
    }
  });

  scenario("out of bounds", [&] {
    Values values(8);
    auto refused = [&](auto body) { CHECK(error_of(body) == code(sycl::errc::invalid)); };
    auto both = [&](auto &variable) {
      refused([&] { q.memcpy(variable, values.data(), 17).wait(); });
      refused([&] { q.memcpy(variable, values.data(), 4, 13).wait(); });
      refused([&] { q.memcpy(values.data(), variable, 8, 12).wait(); });
      refused([&] { q.copy(values.data(), variable, 5).wait(); });
      refused([&] { q.copy(variable, values.data(), 1, 4).wait(); });
    };
    both(plain);
    both(scoped);
    CHECK(read(q, plain) == read(q, scoped)); // as they were
  });

  scenario("an offset that wraps around to before the variable", [&] { // libsycl adds before it compares
    Values values(2);
    const int error = error_of([&] { q.memcpy(values.data(), scoped, 8, std::size_t(-4)).wait(); });
    std::cout << "before the variable: " << (error == -1 ? "read" : "refused") << "\n";
    CHECK(error == -1 || error == code(sycl::errc::runtime));
  });

  scenario("one that no image uses is the host's alone", [&] {
    const Values values{1, 2, 3, 4};
    q.memcpy(unused, values.data()).wait();
    CHECK(read(q, unused) == values);
  });

  scenario("another context has its own", [&] {
    sycl::queue other{sycl::context{q.get_device()}, q.get_device()};
    CHECK(read(other, scoped) == Values{10, 20, 30, 40});
    launch(other, registered_kernel(other, "add"), 1, 1, 3).wait();
    CHECK(read(other, scoped) == Values{13, 23, 33, 43});
    CHECK(read(other, plain) == Values{3, 3, 3, 3});
    CHECK(read(q, plain) != read(other, plain));
  });

  scenario("each device of a context has its own", [&] {
    auto parts = parts_of(q.get_device());
    parts.resize(2); // machines have two CPUs at least
    sycl::context both{parts};
    auto add = registered_kernel(both, parts, "add"), get = registered_kernel(both, parts, "get");
    int *seen = sycl::malloc_shared<int>(8, parts[0], both);
    int amount = 1;
    for (auto &part : parts) { // what the first one adds must not show on the second
      sycl::queue own{both, part, sycl::property::queue::in_order{}};
      // If a launch finds the first copy of one variable complete and that of another one not, libsycl seems to release the
      // latter's event, and goes on to wait for it: so it finds them all complete.
      launch(own, add, 1, 1, amount).wait();
      launch(own, get, 1, 1, seen, seen + 4).wait();
      CHECK(Values(seen, seen + 4) == Values(4, amount));
      CHECK(Values(seen + 4, seen + 8) == Values{10 + amount, 20 + amount, 30 + amount, 40 + amount});
      ++amount;
    }
    sycl::free(seen, both);
  });

  sycl::free(out, q);
  return summary();
}
