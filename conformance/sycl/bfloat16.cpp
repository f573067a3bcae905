// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bfloat16: conversions and arithmetic. Its device functions live in a library image of libsycl's, so that a kernel which
// uses it is a program of two images, compiled apart and linked.
#include "common.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using sycl::ext::oneapi::bfloat16;

const char *const source = R"(
using sycl::ext::oneapi::bfloat16;
ND_RANGE(1) narrow(const float *in, bfloat16 *out) { out[global_id()] = in[global_id()]; }
ND_RANGE(1) widen(const bfloat16 *in, float *out) { out[global_id()] = in[global_id()]; }
ND_RANGE(1) arithmetic(const bfloat16 *in, bfloat16 *out) {
  bfloat16 x = in[global_id()];
  out[global_id()] = x < bfloat16(0.0f) ? -x : x * x + bfloat16(1.5f);
}
)";

int main() {
  // libsycl's persistent cache crashes on a program of two images (PersistentDeviceCodeCache, getSortedImages).
  setenv("SYCL_CACHE_PERSISTENT", "0", 1);
  sycl::queue q{sycl::property::queue::in_order{}};
  auto bundle = compile(q, source);
  auto kernel = [&](const char *name) { return bundle.ext_oneapi_get_kernel(name); };

  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0.0f,   -0.0f,    1.0f,        -2.5f,   1.0f / 3, 65504.0f, 3.4e38f,  -7.0e4f,
                                  1.e-40, infinity, 1.00390625f, 1.0118f, -257.0f,  1.e-30f,  3.14159f, 255.5f};
  const std::size_t n = values.size();
  auto *wide = sycl::malloc_shared<float>(n, q);
  auto *in = sycl::malloc_shared<bfloat16>(n, q), *out = sycl::malloc_shared<bfloat16>(n, q);
  std::copy(values.begin(), values.end(), wide);

  scenario("float to bfloat16 rounds as on the host", [&] {
    launch(q, kernel("narrow"), n, 4, wide, in).wait();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i)
      right = right && sycl::bit_cast<std::uint16_t>(in[i]) == sycl::bit_cast<std::uint16_t>(bfloat16(values[i]));
    CHECK(right);
  });

  scenario("bfloat16 to float is exact", [&] {
    launch(q, kernel("widen"), n, 4, in, wide).wait();
    CHECK(all_equal(wide, n, [&](auto i) { return static_cast<float>(bfloat16(values[i])); }));
  });

  scenario("arithmetic", [&] {
    launch(q, kernel("arithmetic"), n, 4, in, out).wait();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) {
      const bfloat16 x = values[i], expected = x < bfloat16(0.0f) ? -x : x * x + bfloat16(1.5f);
      right = right && sycl::bit_cast<std::uint16_t>(out[i]) == sycl::bit_cast<std::uint16_t>(expected);
    }
    CHECK(right);
  });

  sycl::free(wide, q), sycl::free(in, q), sycl::free(out, q);
  return summary();
}
