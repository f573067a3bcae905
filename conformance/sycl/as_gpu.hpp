// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ways to ask libsycl whether a device is a GPU. Two libraries ask (as_gpu.named.cpp, as_gpu.other.cpp), each of the
// first device.
#pragma once
#include <sycl/sycl.hpp>

#include <ostream>
#include <string>
#include <vector>

/// What a library was told.
struct Answers {
  bool is_gpu, is_cpu, is_accelerator, type_is_gpu, has_gpu, has_cpu, aspects_have_gpu, aspects_have_cpu, platform_has_gpu;
  bool gpu_selected, cpu_selected, aspect_selected, queue_selected, default_is_gpu, filter_gpu, filter_cpu, part_is_gpu;
  std::size_t gpus, cpus, all, platform_gpus, platform_cpus, platform_all;
  int gpu_score_sign, cpu_score_sign, accelerator_score_sign;
  unsigned compute_units;
  std::string platform_name;
};

/// Asks in the library that includes this: nothing of it may be shared with the other.
namespace {
template <class Body> bool works(Body body) {
  try {
    body();
    return true;
  } catch (const sycl::exception &) {
    return false;
  }
}

[[maybe_unused]] Answers ask() {
  using namespace sycl;
  using type = info::device_type;
  const device d = device::get_devices().at(0);
  const platform p = d.get_platform();
  const device part = d.get_info<info::device::partition_max_sub_devices>() > 1
                          ? d.create_sub_devices<info::partition_property::partition_equally>(1).at(0)
                          : d;
  const auto aspects = d.get_info<info::device::aspects>();
  const auto lists = [&](aspect wanted) { return std::find(aspects.begin(), aspects.end(), wanted) != aspects.end(); };
  const auto sign = [](int score) { return (score > 0) - (score < 0); };
  return {
      d.is_gpu(),
      d.is_cpu(),
      d.is_accelerator(),
      d.get_info<info::device::device_type>() == type::gpu,
      d.has(aspect::gpu),
      d.has(aspect::cpu),
      lists(aspect::gpu),
      lists(aspect::cpu),
      p.has(aspect::gpu),
      works([] { device{gpu_selector_v}; }),
      works([] { device{cpu_selector_v}; }),
      works([] { device{aspect_selector(std::vector<aspect>{aspect::gpu})}; }),
      works([] { queue{gpu_selector_v}; }),
      device{default_selector_v}.is_gpu(),
      works([] { ext::oneapi::filter_selector("opencl:gpu:0").select_device(); }),
      works([] { ext::oneapi::filter_selector("cpu").select_device(); }),
      part.is_gpu() && !part.is_cpu(),
      device::get_devices(type::gpu).size(),
      device::get_devices(type::cpu).size(),
      device::get_devices(type::all).size(),
      p.get_devices(type::gpu).size(),
      p.get_devices(type::cpu).size(),
      p.get_devices().size(),
      sign(gpu_selector_v(d)),
      sign(cpu_selector_v(d)),
      sign(accelerator_selector_v(d)),
      d.get_info<info::device::max_compute_units>(),
      p.get_info<info::platform::name>(),
  };
}

/// Launches a kernel whose work-groups wait for each other, and demands that they run at the same time.
[[maybe_unused]] int launch_concurrently(sycl::queue &q, const sycl::kernel &kernel, std::size_t groups, int *arrived) {
  using namespace sycl::ext::oneapi::experimental;
  // A type of this library alone. The linker would take a template of plain types from one library for both.
  struct Arrived;
  const properties demand{work_group_progress<forward_progress_guarantee::concurrent, execution_scope::root_group>};
  try {
    nd_launch(q, launch_config{sycl::nd_range<1>{groups, 1}, demand}, kernel, reinterpret_cast<Arrived *>(arrived),
              static_cast<int>(groups));
    q.wait_and_throw();
    return 0;
  } catch (const sycl::exception &e) {
    return e.code().value();
  }
}
} // namespace
