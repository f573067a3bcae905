// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that says that it has no double (UR_CPU_DISABLE_ASPECTS=fp64, which our CPU adapter heeds; other stacks have double, and
// run the other half of each scenario): kernels that need it are refused, and a set of virtual functions that needs it
// is left out of a link, so that the stand-ins are called.
//
// DPC++'s design has such stand-ins, which a runtime links where the device is not fit; libsycl knows only that an image is
// not for a device, and so the program registers the stand-ins where they are needed.
#include "device_image.hpp"

#include <cmath>
#include <cstring>

int main() {
  setenv("UR_CPU_DISABLE_ASPECTS", "fp64", 1);
  const sycl::device device;
  const bool has_double = device.has(sycl::aspect::fp64);
  std::cout << "double: " << (has_double ? "yes" : "no") << "\n";
  std::vector<DeviceImage> images = {
      DeviceImage("choose").kernel("choose").calls("_ZTS5Plain,_ZTS7Precise"),
      DeviceImage("plain").defines("_ZTS5Plain", {"plain_area"}),
      DeviceImage("precise").defines("_ZTS7Precise", {"precise_area"}).needs(sycl::aspect::fp64),
      DeviceImage("halve").kernel("halve").needs(sycl::aspect::fp64),
  };
  if (!has_double)
    images.push_back(DeviceImage("precise_dummy").defines("_ZTS7Precise", {"precise_area"}));
  register_images(std::move(images));
  sycl::queue q{device, sycl::property::queue::in_order{}};
  auto *areas = sycl::malloc_shared<int>(1, q);
  auto *number = sycl::malloc_shared<std::uint64_t>(1, q); // the bits of a double

  scenario("what the device says of double", [&] {
    CHECK(device.get_info<sycl::info::device::double_fp_config>().empty() != has_double);
    CHECK((device.get_info<sycl::info::device::native_vector_width_double>() != 0) == has_double);
    CHECK((device.get_info<sycl::info::device::preferred_vector_width_double>() != 0) == has_double);
    CHECK(device.get_platform().has_extension("cl_khr_fp64") == has_double);
  });

  scenario("a named set that the device may not be fit for", [&] {
    auto choose = registered_kernel(q, "choose");
    auto area = [&](int its_class) {
      launch(q, choose, 1, 1, its_class, 50, areas).wait();
      return areas[0];
    };
    CHECK(area(0) == 500);
    CHECK(area(1) == (has_double ? int(std::sqrt(50.0) * 1000) : -1));
  });

  auto four_halved = [&](const sycl::kernel &halve) {
    const double four = 4, two = 2;
    std::memcpy(number, &four, sizeof four);
    launch(q, halve, 1, 1, number).wait();
    return std::memcmp(number, &two, sizeof two) == 0;
  };
  // Refused without double, and right with it.
  auto as_the_device_says = [&](auto body) {
    bool right = false;
    const int error = error_of([&] { right = body(); });
    CHECK(right == has_double && (error == -1) == has_double);
  };
  scenario("a kernel with double in an image", [&] {
    as_the_device_says([&] { return four_halved(registered_kernel(q, "halve")); });
  });
  scenario("a kernel with double in a source", [&] {
    as_the_device_says([&] {
      auto source =
          syclx::create_kernel_bundle_from_source(q.get_context(), syclx::source_language::sycl,
                                                  prelude + "ND_RANGE(1) halve(double *number) { *number /= 2; }");
      return four_halved(syclx::build(source).ext_oneapi_get_kernel("halve"));
    });
  });

  sycl::free(areas, q), sycl::free(number, q);
  return summary();
}
