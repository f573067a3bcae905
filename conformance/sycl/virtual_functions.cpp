// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual functions (sycl_ext_oneapi_virtual_functions): objects that one kernel constructs and another calls, whose
// functions are in other images yet. libsycl links all images of a set of virtual functions but those that the device
// is not fit for. First with C++ classes in a source, then with images that are registered by hand, for all else.
//
// What Intel's stack lacks: the dummy images that DPC++'s design has for a set that the device is not fit for. Here one
// is registered as one more image of the set, which libsycl then links on any device.
#include "device_image.hpp"

#include <cmath>

// The set's name is short for a reason: the run-time compiler hands it over without a closing zero, and libsycl reads on
// until there is one. Behind so few letters there is, for malloc clears that place; behind more, at times, and at other
// times libsycl does not find the functions' image.
const char *const source = R"(
struct S;
#define CALLABLE SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclx::indirectly_callable_in<S>)
struct Shape {
  int size;
  Shape(int size) : size(size) {}
  CALLABLE virtual int area() const { return 0; }
  CALLABLE virtual int corners() const { return 0; }
};
struct Square : Shape {
  using Shape::Shape;
  CALLABLE int area() const override { return size * size; }
  CALLABLE int corners() const override { return 4; }
};
struct Frame : Square { // two wide
  using Square::Square;
  CALLABLE int area() const override { return Square::area() - (size - 4) * (size - 4); }
};
struct Disc : Shape {
  using Shape::Shape;
  CALLABLE int area() const override { return 0.78125f * size * size; }
};
union Any { Square square; Frame frame; Disc disc; };

ND_RANGE(1) construct(char *places) {
  int i = global_id();
  char *place = places + i * sizeof(Any);
  if (i % 3 == 0) new (place) Square(i); else if (i % 3 == 1) new (place) Frame(i); else new (place) Disc(i);
}
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclx::nd_range_kernel<1>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclx::assume_indirect_calls_to<S>))
void call(const char *places, int *areas, int *corners) {
  int i = global_id();
  auto &shape = reinterpret_cast<const Shape &>(places[i * sizeof(Any)]);
  areas[i] = shape.area(), corners[i] = shape.corners();
}
)";

int main() {
  setenv("SYCL_CACHE_PERSISTENT", "0", 1); // of a source that comes from the cache, libsycl does not find the image
  const auto missing = sycl::aspect::emulated; // no device of ours has it
  const char *const unnamed = "_ZTSv"; // the set of functions that name none: void, as compilers spell it
  register_images({
      DeviceImage("construct").kernel("construct").calls(unnamed),
      DeviceImage("call").kernel("call").calls(unnamed),
      DeviceImage("squares").defines(unnamed, {"square_area", "square_corners"}),
      DeviceImage("discs").defines(unnamed, {"disc_area", "disc_corners"}),
      DeviceImage("choose").kernel("choose").calls("_ZTS5Plain,_ZTS7Precise,_ZTS6Exotic"),
      DeviceImage("plain").defines("_ZTS5Plain", {"plain_area"}),
      DeviceImage("precise").defines("_ZTS7Precise", {"precise_area"}).needs(sycl::aspect::fp64),
      DeviceImage("exotic").defines("_ZTS6Exotic", {"exotic_area"}).needs(missing),
      DeviceImage("exotic_dummy").defines("_ZTS6Exotic", {"exotic_area"}),
      DeviceImage("strand").kernel("strand").calls("_ZTS8Stranded"),
      DeviceImage("stranded").defines("_ZTS8Stranded", {"stranded_area"}).needs(missing),
  });
  sycl::queue q{sycl::property::queue::in_order{}};
  CHECK(q.get_device().has(sycl::aspect::ext_oneapi_virtual_functions));
  CHECK(q.get_device().has(sycl::aspect::fp64) && !q.get_device().has(missing));

  struct Shape {
    std::uintptr_t methods;
    int size;
  };
  constexpr int n = 96;
  auto *shapes = sycl::malloc_shared<Shape>(n, q);
  int *areas = sycl::malloc_shared<int>(n, q), *corners = sycl::malloc_shared<int>(n, q);
  auto is_disc = [](auto i) { return i % 3 == 0; };

  scenario("classes in a source", [&] {
    auto bundle = compile(q, source);
    launch(q, bundle.ext_oneapi_get_kernel("construct"), n, 32, shapes);
    launch(q, bundle.ext_oneapi_get_kernel("call"), n, 32, shapes, areas, corners).wait();
    CHECK(all_equal(areas, n, [](int i) { return i % 3 == 0 ? i * i : i % 3 == 1 ? 8 * i - 16 : int(0.78125f * i * i); }));
    CHECK(all_equal(corners, n, [](int i) { return i % 3 == 2 ? 0 : 4; }));
  });

  scenario("the unnamed set: kernels and functions in four images", [&] {
    launch(q, registered_kernel(q, "construct"), n, 32, shapes);
    launch(q, registered_kernel(q, "call"), n, 32, shapes, areas, corners).wait();
    CHECK(all_equal(areas, n, [&](auto i) { return (is_disc(i) ? 3 : 1) * i * i; }));
    CHECK(all_equal(corners, n, [&](auto i) { return is_disc(i) ? 0 : 4; }));
  });

  scenario("an object keeps its class when the host copies it and changes it", [&] {
    std::vector<Shape> copies(shapes, shapes + n);
    for (int i = 0; i < n; ++i)
      shapes[i] = {copies[n - 1 - i].methods, 100};
    launch(q, registered_kernel(q, "call"), n, 32, shapes, areas, corners).wait();
    CHECK(all_equal(areas, n, [&](auto i) { return is_disc(n - 1 - i) ? 30000 : 10000; }));
  });

  scenario("named sets, one of which the device is not fit for", [&] {
    auto choose = registered_kernel(q, "choose");
    auto area = [&](int its_class) {
      launch(q, choose, 1, 1, its_class, 50, areas).wait();
      return areas[0];
    };
    CHECK(area(0) == 500);
    CHECK(area(1) == int(std::sqrt(50.0) * 1000)); // needs fp64, which the device has
    CHECK(area(2) == -2);                          // the stand-in
  });

  scenario("a set that has no image for the device: the build says what is missing", [&] {
    std::string said;
    const int error = error_of([&] {
      try {
        registered_kernel(q, "strand");
      } catch (const std::exception &e) {
        said = e.what();
        throw;
      }
    });
    CHECK(error == code(sycl::errc::build));
    CHECK(said.find("stranded_area") != std::string::npos);
  });

  sycl::free(shapes, q), sycl::free(areas, q), sycl::free(corners, q);
  return summary();
}
