// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every program here shares: checks, named cases, facts, and the run-time compiler.
//
// A program's stdout is compared between stacks, so it holds no times, no pointers and no thread ids. A line that starts
// with "# " is a fact about the device (a name, a limit): it is the same on every stack over the same driver only.
#pragma once
#include <sycl/sycl.hpp>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace syclx = sycl::ext::oneapi::experimental;

// On Level Zero, the headers fill memory by kernels, which programs that g++ builds do not have. With this definition in front of
// libsycl's, of which they ask nothing else, they leave fills to the runtime.
namespace sycl {
inline namespace _V1 {
__attribute__((weak)) backend handler::getDeviceBackend() const { return backend::opencl; }
} // namespace _V1
} // namespace sycl

/// The backend that the tests of an adapter select.
inline sycl::backend tested_backend() {
  const char *selector = std::getenv("ONEAPI_DEVICE_SELECTOR");
  const bool level_zero = selector && std::string(selector).rfind("level_zero", 0) == 0;
  return level_zero ? sycl::backend::ext_oneapi_level_zero : sycl::backend::opencl;
}

/// The parts of a device, in a way that it can be divided.
inline std::vector<sycl::device> parts_of(const sycl::device &device) {
  using way = sycl::info::partition_property;
  for (way known : device.get_info<sycl::info::device::partition_properties>())
    if (known == way::partition_equally)
      return device.create_sub_devices<way::partition_equally>(1);
  return device.create_sub_devices<way::partition_by_affinity_domain>(
      sycl::info::partition_affinity_domain::next_partitionable);
}

inline int passed = 0, failed = 0;

/// Counts a condition; a false one prints itself.
#define CHECK(...)                                                                                                     \
  do {                                                                                                                 \
    if (__VA_ARGS__) {                                                                                                 \
      ++passed;                                                                                                        \
    } else {                                                                                                           \
      ++failed;                                                                                                        \
      std::cout << "FAIL line " << __LINE__ << ": " << #__VA_ARGS__ << "\n";                                           \
    }                                                                                                                  \
  } while (0)

/// Runs one named case; an exception that escapes it is a failure, and the next case still runs.
template <class Body> void scenario(const char *name, Body body) {
  const int before = failed;
  try {
    body();
  } catch (const std::exception &e) {
    ++failed;
    std::cout << "EXCEPTION in " << name << ": " << std::string(e.what()).substr(0, 1500) << "\n";
  }
  std::cout << (failed == before ? "ok   " : "BAD  ") << name << std::endl;
}

/// Prints a fact about the device, on one line.
template <class T> void fact(const std::string &name, const T &value) {
  std::ostringstream text;
  text << value;
  std::cout << "# " << name << ": ";
  for (char c : text.str())
    std::cout << (c == '\n' ? ' ' : c);
  std::cout << "\n";
}

/// The closing line, and main's return value.
inline int summary() {
  std::cout << "pass " << passed << " fail " << failed << std::endl;
  return failed != 0;
}

/// True when every element of [first, first + count) equals expected(index).
template <class T, class F> bool all_equal(const T *first, std::size_t count, F expected) {
  for (std::size_t i = 0; i < count; ++i)
    if (!(first[i] == static_cast<T>(expected(i)))) {
      std::cout << "  element " << i << " is " << +first[i] << ", expected " << +static_cast<T>(expected(i)) << "\n";
      return false;
    }
  return true;
}

/// The error code that `body` throws, as a number; -1 when it throws none.
template <class Body> int error_of(Body body) {
  try {
    body();
  } catch (const sycl::exception &e) {
    return e.code().value();
  }
  return -1;
}
inline int code(sycl::errc e) { return static_cast<int>(e); }

/// What every kernel source starts with.
inline const std::string prelude = R"(
#include <sycl/sycl.hpp>
namespace syclx = sycl::ext::oneapi::experimental;
using namespace sycl::ext::oneapi;
#define ND_RANGE(dims) extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclx::nd_range_kernel<dims>)) void
#define SINGLE_TASK extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclx::single_task_kernel)) void
template <int dims = 1> auto this_item() { return this_work_item::get_nd_item<dims>(); }
inline size_t global_id() { return this_item().get_global_linear_id(); }
inline size_t local_id() { return this_item().get_local_linear_id(); }
)";

using Executable = sycl::kernel_bundle<sycl::bundle_state::executable>;

/// Compiles SYCL source (the prelude in front of it) for all devices of the queue's context. An error ends the program.
inline Executable compile(const sycl::queue &q, const std::string &source) {
  try {
    auto bundle =
        syclx::create_kernel_bundle_from_source(q.get_context(), syclx::source_language::sycl, prelude + source);
    return syclx::build(bundle);
  } catch (const std::exception &e) {
    ++failed;
    std::cout << "EXCEPTION in compile: " << e.what() << "\n";
    std::exit(summary());
  }
}

/// Keeps a bundle's images for ever. After a host task, or a command that crossed contexts, libsycl's scheduler drops its
/// last reference to a kernel whenever it likes. When that is while the process exits, the kernel's images are removed
/// from a table that is gone (ProgramManager::removeImages), and the process crashes. Programs with such commands hold on
/// to their images.
inline Executable immortal(Executable bundle) { return *new Executable(std::move(bundle)); }

/// Submits a kernel over an nd-range with these arguments.
template <int Dims, class... Args>
sycl::event launch(sycl::queue &q, const sycl::kernel &kernel, sycl::nd_range<Dims> range, Args... args) {
  return q.submit([&](sycl::handler &h) {
    h.set_args(args...);
    h.parallel_for(range, kernel);
  });
}

/// The same in one dimension: `global` work-items in groups of `local`.
template <class... Args>
sycl::event launch(sycl::queue &q, const sycl::kernel &kernel, std::size_t global, std::size_t local, Args... args) {
  return launch(q, kernel, sycl::nd_range<1>{global, local}, args...);
}
