// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors: each mistake ends in the exception that the program can expect, with its code and the runtime's words; errors
// of host tasks arrive at the asynchronous handler; and a queue that refused a command goes on working.
#include "common.hpp"

#include <algorithm>
#include <stdexcept>

using sycl::errc;

const char *const source = R"(
ND_RANGE(1) add(int *data, int amount) { data[global_id()] += amount; }
ND_RANGE(1) with_local(int *data, sycl::local_accessor<int, 1> tile) {
  tile[local_id()] = 1;
  data[global_id()] = tile[local_id()];
}
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclx::nd_range_kernel<1>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclx::work_group_size<8>))
void groups_of_eight(int *data) { data[global_id()] = this_item().get_local_range(0); }
)";

/// What a body throws: nothing is code -1.
struct Caught {
  int code = -1;
  std::string what;
  bool says(const char *text) const { return what.find(text) != std::string::npos; }
};
template <class Body> Caught catching(Body body) {
  try {
    body();
  } catch (const sycl::exception &e) {
    return {e.code().value(), e.what()};
  }
  return {};
}

int main() {
  setenv("SYCL_CACHE_PERSISTENT", "0", 1); // a source that comes from the cache has no log
  std::vector<std::string> asynchronous;
  sycl::queue q{[&](sycl::exception_list list) {
    for (const auto &pointer : list)
      try {
        std::rethrow_exception(pointer);
      } catch (const std::exception &e) {
        asynchronous.push_back(e.what());
      }
  }};
  const auto device = q.get_device();
  const auto context = q.get_context();
  auto bundle = compile(q, source);
  auto add = bundle.ext_oneapi_get_kernel("add"), with_local = bundle.ext_oneapi_get_kernel("with_local");
  constexpr std::size_t n = 64;
  int *data = sycl::malloc_shared<int>(n, q);

  // The body must throw this code; its words are a fact, since some of them come from the driver.
  auto refused = [&](const char *name, errc expected, auto body) {
    scenario(name, [&] {
      const auto caught = catching(body);
      if (caught.code != code(expected))
        std::cout << "  expected code " << code(expected) << ", got " << caught.code << "\n";
      CHECK(caught.code == code(expected));
      fact(name, caught.what);
    });
  };
  auto from_source = [&](const std::string &text, auto properties) {
    auto bundle =
        syclx::create_kernel_bundle_from_source(context, syclx::source_language::sycl, prelude + text);
    return syclx::build(bundle, properties);
  };

  // --- launches
  refused("a work-group larger than the device's", errc::nd_range,
          [&] { launch(q, add, 1 << 20, 1 << 20, data, 1).wait(); });
  refused("a work-group other than the kernel's own", errc::nd_range, [&] {
    launch(q, bundle.ext_oneapi_get_kernel("groups_of_eight"), n, 16, data).wait();
  });
  refused("more local memory than there is", errc::runtime, [&] {
    q.submit([&](sycl::handler &h) {
       h.set_args(data, sycl::local_accessor<int, 1>{sycl::range{1 << 28}, h});
       h.parallel_for(sycl::nd_range<1>{n, 16}, with_local);
     }).wait();
  });
  scenario("an argument too large", [&] { // Level Zero's drivers take the first bytes of it
    const auto code = error_of([&] { launch(q, add, n, 16, data, 1l).wait(); });
    const bool taken = q.get_backend() == sycl::backend::ext_oneapi_level_zero;
    CHECK(code == (taken ? -1 : ::code(errc::runtime)));
  });
  refused("an argument too small", errc::runtime, [&] { launch(q, add, n, 16, data, '1').wait(); });
  refused("an argument too many", errc::runtime, [&] { launch(q, add, n, 16, data, 1, 2).wait(); });
  refused("two actions in one command", errc::runtime, [&] {
    q.submit([&](sycl::handler &h) {
      h.memset(data, 0, sizeof(int));
      h.memset(data, 0, sizeof(int));
    });
  });
  scenario("a kernel of another context", [&] { // Intel's adapter says UNKNOWN: the words are not compared
    sycl::queue other{sycl::context{device}, device};
    CHECK(error_of([&] { launch(other, add, n, 16, data, 1).wait(); }) == code(errc::runtime));
  });

  // --- kernels from source
  refused("a kernel that is not there", errc::invalid, [&] { bundle.ext_oneapi_get_kernel("subtract"); });
  scenario("a source that does not compile, and its log", [&] {
    const auto caught = catching([&] {
      from_source("ND_RANGE(1) bad(int *p) { p[0] = undeclared; }", syclx::properties{});
    });
    CHECK(caught.code == code(errc::build));
    CHECK(caught.says("Device compilation failed"));
    CHECK(caught.says("error: use of undeclared identifier 'undeclared'"));
  });
  scenario("a source that compiles with a warning", [&] {
    std::string log;
    from_source("#warning careful\nSINGLE_TASK fine(int *p) { *p = 1; }", syclx::properties{syclx::save_log{&log}});
    CHECK(log.find("warning: careful") != std::string::npos);
  });
  refused("an option that the compiler does not know", errc::build, [&] {
    from_source("SINGLE_TASK fine(int *p) { *p = 1; }", syclx::properties{syclx::build_options{"--nonsense"}});
  });
  scenario("a function that nobody defines: the device's linker fails", [&] {
    const auto caught = catching([&] {
      from_source("SYCL_EXTERNAL int nowhere(int); SINGLE_TASK lost(int *p) { *p = nowhere(1); }", syclx::properties{});
    });
    CHECK(caught.code == code(errc::build));
    CHECK(caught.says("The program was built for 1 devices"));
    CHECK(caught.says("Build program log for '"));
    CHECK(caught.says("nowhere"));
  });
  refused("a language that is not there", errc::invalid, [&] {
    syclx::create_kernel_bundle_from_source(context, syclx::source_language::opencl, "kernel void f() {}");
  });
  refused("SPIR-V that is none", errc::runtime, [&] {
    const std::vector<std::byte> junk(64, std::byte{7});
    auto source = syclx::create_kernel_bundle_from_source(context, syclx::source_language::spirv, junk);
    syclx::build(source);
  });

  // --- memory
  refused("memcpy to null", errc::invalid, [&] { q.memcpy(nullptr, data, 4).wait(); });
  refused("memset of null", errc::invalid, [&] { q.memset(nullptr, 0, 4).wait(); });
  refused("fill of null", errc::runtime, [&] { q.fill(static_cast<int *>(nullptr), 0, 4).wait(); });
  refused("free of a pointer of the host's", errc::runtime, [&] {
    int local = 0;
    sycl::free(&local, q);
  });
  refused("a sub-buffer past its parent's end", errc::invalid, [&] {
    sycl::buffer<int> parent{sycl::range{64}}, child{parent, sycl::id{32}, sycl::range{64}};
  });
  refused("an accessor past its buffer's end", errc::invalid, [&] {
    sycl::buffer<int> buffer{sycl::range{64}};
    sycl::host_accessor access{buffer, sycl::range{65}};
  });
  refused("a buffer that no device can hold", errc::runtime, [&] {
    sycl::buffer<char> buffer{sycl::range{std::size_t{1} << 55}};
    q.submit([&](sycl::handler &h) { h.fill(sycl::accessor{buffer, h}, 'x'); }).wait();
  });
  scenario("a sub-buffer that is not aligned", [&] { // Intel's adapter says UNKNOWN
    sycl::buffer<int> parent{sycl::range{64}}, child{parent, sycl::id{1}, sycl::range{8}};
    CHECK(error_of([&] {
            q.submit([&](sycl::handler &h) { h.fill(sycl::accessor{child, h}, 1); }).wait();
          }) == code(errc::runtime));
  });

  // --- devices
  refused("a GPU where there is none", errc::runtime, [&] { sycl::device gpu{sycl::gpu_selector_v}; });
  refused("an aspect that no device has", errc::runtime, [&] {
    sycl::device emulated{sycl::aspect_selector(sycl::aspect::cpu, sycl::aspect::emulated)};
  });
  refused("the parent of a root device", errc::invalid,
          [&] { device.get_info<sycl::info::device::parent_device>(); });
  refused("a query that the device cannot answer", errc::feature_not_supported,
          [&] { device.get_info<sycl::ext::intel::info::device::pci_address>(); });

  // --- asynchronous errors
  scenario("a host task that throws", [&] {
    q.submit([&](sycl::handler &h) { h.host_task([] { throw std::runtime_error{"from a host task"}; }); });
    q.wait_and_throw();
    CHECK(asynchronous == std::vector<std::string>{"from a host task"});
    asynchronous.clear();
    q.wait_and_throw(); // it is reported once
    CHECK(asynchronous.empty());
  });

  scenario("after all of this the queue still works", [&] {
    std::fill_n(data, n, 1);
    launch(q, add, n, 16, data, 41).wait();
    CHECK(all_equal(data, n, [](auto) { return 42; }));
    launch(q, bundle.ext_oneapi_get_kernel("groups_of_eight"), n, 8, data).wait();
    CHECK(all_equal(data, n, [](auto) { return 8; }));
  });

  sycl::free(data, q);
  return summary();
}
