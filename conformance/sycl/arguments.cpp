// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel arguments: structures by value (nested, packed, over-aligned, empty, with pointers and arrays, a kilobyte
// large), many arguments of mixed sizes, and that a command keeps the values that it was given.
#include "common.hpp"

/// The structures, for the host's compiler and the device's.
#define STRUCTURES                                                                                                     \
  struct Inner { char tag; double weight; };                                                                           \
  struct Nested {                                                                                                      \
    int first; short five[5]; Inner inners[2]; float *data; const Inner *list; unsigned bits : 5, more : 11;           \
  };                                                                                                                   \
  struct __attribute__((packed)) Packed { char a; long b; short c; double d; int *out; };                              \
  struct alignas(64) Aligned { int value; };                                                                           \
  struct Empty {};                                                                                                     \
  struct Large { int values[350]; };                                                                                   \
  template <class T> struct Pair { T low, high; T sum() const { return low + high; } };
#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define TEXT_OF(...) #__VA_ARGS__
STRUCTURES

const std::string source = TEXT(STRUCTURES) R"(
SINGLE_TASK nested(Nested s, double *out) {
  double sum = s.first + s.inners[0].tag + s.inners[0].weight + s.inners[1].tag + s.inners[1].weight;
  for (short x : s.five) sum += x;
  *out = sum + s.data[2] + s.list[1].weight + s.bits * s.more;
}
SINGLE_TASK packed(Packed s, double *out) { *s.out = s.c; *out = s.a + s.b + s.d; }
ND_RANGE(1) spread(Empty, char a, Aligned b, bool negative, Large c, sycl::half d, Pair<long> e, sycl::float3 f,
                   sycl::id<2> g, unsigned char h, double *out) {
  double sum = a + b.value + c.values[global_id()] + double(float(d)) + e.sum() + f.z() + g[1] + h;
  out[global_id()] = negative ? -sum : sum;
}
SINGLE_TASK change(Large s, int *out) { // its copy is its own
  for (int &value : s.values) value *= 2;
  *out = s.values[0] + s.values[349];
}
)";

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  auto bundle = compile(q, source);
  auto task = [&](const char *name, auto... args) {
    return q.submit([&](sycl::handler &h) {
      h.set_args(args...);
      h.single_task(bundle.ext_oneapi_get_kernel(name));
    });
  };
  double *out = sycl::malloc_shared<double>(350, q);
  int *number = sycl::malloc_shared<int>(1, q);

  scenario("nested, with arrays, pointers and bit-fields", [&] {
    float *data = sycl::malloc_shared<float>(3, q);
    Inner *list = sycl::malloc_shared<Inner>(2, q);
    data[2] = 0.25f, list[1] = {0, 1000};
    task("nested", Nested{1, {10, 20, 30, 40, -50}, {{2, 0.5}, {3, 1e6}}, data, list, 31, 2047}, out).wait();
    CHECK(*out == 1 + 50 + 5 + 0.5 + 1e6 + 0.25 + 1000 + 31 * 2047);
    sycl::free(data, q), sycl::free(list, q);
  });

  scenario("packed", [&] {
    task("packed", Packed{'\1', 1l << 40, -7, 0.5, number}, out).wait();
    CHECK(*out == 1 + (1l << 40) + 0.5 && *number == -7);
  });

  scenario("many, of mixed sizes and alignments", [&] {
    Large large;
    std::iota(large.values, large.values + 350, 0);
    for (bool negative : {false, true}) {
      launch(q, bundle.ext_oneapi_get_kernel("spread"), 350, 50, Empty{}, char{-1}, Aligned{100}, negative, large,
             sycl::half{0.5f}, Pair<long>{1l << 40, 3}, sycl::float3{0, 0, 2000}, sycl::id{7, 9},
             static_cast<unsigned char>(255), out)
          .wait();
      const double rest = -1 + 100 + 0.5 + (1l << 40) + 3 + 2000 + 9 + 255;
      CHECK(all_equal(out, 350, [&](auto i) { return negative ? -(rest + i) : rest + i; }));
    }
  });

  scenario("a command keeps its values", [&] {
    int *results = sycl::malloc_shared<int>(100, q);
    for (int i = 0; i < 100; ++i) {
      Large large{};
      large.values[0] = i, large.values[349] = 1000;
      task("change", large, results + i); // `large` is gone when the command runs
    }
    q.wait();
    CHECK(all_equal(results, 100, [](auto i) { return 2 * i + 2000; }));
    sycl::free(results, q);
  });

  sycl::free(out, q), sycl::free(number, q);
  return summary();
}
