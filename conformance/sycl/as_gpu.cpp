// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CPU that passes for a GPU to one library, and to no other. On our CPU adapter run.py sets UR_CPU_DEVICE_TYPE to the name
// of one of two libraries, and preloads liboxur_as_gpu_preload.so; elsewhere both see the same CPU. Whichever asks first, the
// other's answers do not change: libsycl remembers most of them. With an argument, the other one asks first.
#include "as_gpu.hpp"
#include "common.hpp"

Answers ask_as_named();
Answers ask_as_other();
int launch_as_named(sycl::queue &q, const sycl::kernel &kernel, std::size_t groups, int *arrived);
int launch_as_other(sycl::queue &q, const sycl::kernel &kernel, std::size_t groups, int *arrived);

namespace {
void check(const Answers &a, bool gpu) {
  CHECK(a.is_gpu == gpu);
  CHECK(a.is_cpu == !gpu);
  CHECK(!a.is_accelerator);
  CHECK(a.type_is_gpu == gpu);
  CHECK(a.has_gpu == gpu);
  CHECK(a.has_cpu == !gpu);
  CHECK(a.aspects_have_gpu == gpu);
  CHECK(a.aspects_have_cpu == !gpu);
  CHECK(a.platform_has_gpu == gpu);
  CHECK(a.gpu_selected == gpu);
  CHECK(a.cpu_selected == !gpu);
  CHECK(a.aspect_selected == gpu);
  CHECK(a.queue_selected == gpu);
  CHECK(a.default_is_gpu == gpu);
  CHECK(a.filter_gpu == gpu);
  CHECK(a.filter_cpu == !gpu);
  CHECK(a.part_is_gpu == gpu);
  CHECK(a.gpus == (gpu ? 1 : 0));
  CHECK(a.cpus == (gpu ? 0 : 1));
  CHECK(a.all == 1);
  CHECK(a.platform_gpus == (gpu ? 1 : 0));
  CHECK(a.platform_cpus == (gpu ? 0 : 1));
  CHECK(a.platform_all == 1);
  CHECK(a.gpu_score_sign == (gpu ? 1 : -1));
  CHECK(a.cpu_score_sign == (gpu ? -1 : 1));
  CHECK(a.accelerator_score_sign == -1);
  CHECK(!gpu || a.compute_units >= 16);
  CHECK(!gpu || a.platform_name.find("OpenCL") != std::string::npos);
}
} // namespace

int main(int count, char **arguments) {
  const bool gpu = std::getenv("UR_CPU_DEVICE_TYPE");
  Answers plain;
  const auto other = [&] {
    plain = ask_as_other();
    check(plain, false);
  };
  if (count > 1)
    scenario("the other library first", other);
  scenario("the named library", [&] {
    const Answers answers = ask_as_named();
    check(answers, gpu);
    fact("platform", answers.platform_name);
  });
  scenario("the other library", other);
  scenario("the program", [&] {
    CHECK(sycl::device{}.is_cpu());
    CHECK(sycl::device{}.get_info<sycl::info::device::max_compute_units>() == plain.compute_units);
  });
  scenario("both again", [&] {
    check(ask_as_named(), gpu);
    other();
  });
  // libsycl refuses it to CPUs of OpenCL without asking. Where it takes the device for a GPU, the launch is a cooperative
  // one, which runs as many work-groups at the same time as there are CPUs.
  scenario("work-groups that wait for each other", [&] {
    sycl::queue q;
    auto bundle = compile(q, R"(ND_RANGE(1) meet(int *arrived, int count) {
      sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::device> number(*arrived);
      number.fetch_add(1);
      while (number.load() < count) {}
    })");
    const auto kernel = bundle.ext_oneapi_get_kernel("meet");
    const std::size_t groups = plain.compute_units;
    int *arrived = sycl::malloc_shared<int>(1, q);
    const auto launched = [&](auto launch) {
      *arrived = 0;
      const int error = launch(q, kernel, groups, arrived);
      CHECK(*arrived == (error ? 0 : static_cast<int>(groups)));
      return error;
    };
    CHECK(launched(launch_as_named) == (gpu ? 0 : code(sycl::errc::feature_not_supported)));
    CHECK(launched(launch_as_other) == code(sycl::errc::feature_not_supported));
    sycl::free(arrived, q);
  });
  if (count == 1)
    scenario("another order", [&] {
      const std::string command = std::string(arguments[0]) + " other-first";
      CHECK(std::system(command.c_str()) == 0);
    });
  return summary();
}
