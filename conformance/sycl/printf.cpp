// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// printf in a kernel: every conversion, and that the text of a kernel is on stdout once the kernel was waited for.
#include "common.hpp"

const char *const source = R"(
#define PRINT(format, ...) do { static const __attribute__((opencl_constant)) char f[] = format; \
  syclx::printf(f, ##__VA_ARGS__); } while (0)
SINGLE_TASK greet(int answer, float third, double tenth, unsigned long big) {
  PRINT("plain\n");
  PRINT("%d %i %u %x %X %o %c %%\n", answer, -answer, 7u, 255, 255, 8, 'z');
  PRINT("[%5d] [%-5d] [%05d] [%+d]\n", answer, answer, answer, answer);
  PRINT("%f %.3f %e %g\n", third, third, tenth, tenth);
  PRINT("%ld %lx %hhd %hd\n", big, big, 300, 70000);
  PRINT("%s\n", "a literal");
}
SINGLE_TASK repeat(int times) {
  for (int i = 0; i < times; ++i) PRINT("line %d of %d\n", i, times);
}
ND_RANGE(1) one_of_many(unsigned who) {
  if (global_id() == who) PRINT("work-item %u of %u\n", unsigned(global_id()), unsigned(this_item().get_global_range(0)));
}
)";

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  auto bundle = compile(q, source);
  auto kernel = [&](const char *name) { return bundle.ext_oneapi_get_kernel(name); };
  auto task = [&](const char *name, auto... args) {
    q.submit([&](sycl::handler &h) {
       h.set_args(args...);
       h.single_task(kernel(name));
     }).wait();
  };

  std::cout << std::flush; // the kernel writes to the same stdout
  scenario("conversions", [&] { task("greet", 42, 1.0f / 3, 0.1, 0x123456789abul); });
  scenario("many lines stay in order", [&] { task("repeat", 20); });
  scenario("one work-item of many", [&] { launch(q, kernel("one_of_many"), 1024, 64, 777u).wait(); });
  CHECK(failed == 0);
  return summary();
}
