// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest real program: find a device, compile a kernel from source, run it, read the result. Twice, because the
// second build comes out of libsycl's caches.
#include "common.hpp"

const char *const source = R"(
ND_RANGE(1) iota(float start, float *out) { out[global_id()] = start + static_cast<float>(global_id()); }
)";

int main() {
  sycl::queue q;
  fact("device", q.get_device().get_info<sycl::info::device::name>());
  CHECK(q.get_backend() == tested_backend());
  CHECK(q.get_device().ext_oneapi_can_build(syclx::source_language::sycl));
  CHECK(q.get_device().ext_oneapi_can_build(syclx::source_language::spirv));

  for (const char *round : {"first build", "second build"})
    scenario(round, [&] {
      auto iota = compile(q, source).ext_oneapi_get_kernel("iota");
      float *out = sycl::malloc_shared<float>(1024, q);
      launch(q, iota, 1024, 16, 3.5f, out).wait();
      CHECK(all_equal(out, 1024, [](auto i) { return 3.5f + i; }));
      sycl::free(out, q);
    });
  return summary();
}
