// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel bundles: building with options and include files, templates and overloads by registered names, compiling apart
// and linking, joining; and what a kernel says of itself (arguments, work-group and sub-group sizes, how many groups).
//
// What Intel's stack lacks: a bundle made from source lists no kernel ids, has no SYCLBIN content (errc::invalid:
// "free-function kernels are not yet supported"), and ext_codeplay_num_regs ends in UR_RESULT_ERROR_INVALID_SIZE.
#include "common.hpp"

constexpr bool is_2026_1 = __SYCL_COMPILER_VERSION < 20260901; // its stack cannot link modules that need each other

namespace per_device = sycl::info::kernel_device_specific;
namespace per_queue = syclx::info::kernel_queue_specific;

const char *const source = R"(
#define WITH(property) SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(property)
ND_RANGE(1) plain(int *data, int amount, float) { data[global_id()] += amount; }
ND_RANGE(1) barrier(int *data, sycl::local_accessor<int, 1> tile) {
  tile[local_id()] = data[global_id()];
  sycl::group_barrier(this_work_item::get_work_group<1>());
  data[global_id()] = tile[0];
}
extern "C" WITH((syclx::nd_range_kernel<1>)) WITH((syclx::sub_group_size<8>)) void lanes(int *out) {
  out[global_id()] = this_work_item::get_sub_group().get_local_range()[0];
}
extern "C" WITH((syclx::nd_range_kernel<2>)) WITH((syclx::work_group_size<4, 8>)) void tile(int *out) {
  out[0] = this_item<2>().get_local_range(0) * 100 + this_item<2>().get_local_range(1);
}
template <class T, int n> WITH((syclx::single_task_kernel)) void constant(T *out) { *out = n; }
namespace over {
WITH((syclx::single_task_kernel)) void loaded(int *out) { *out = 1; }
WITH((syclx::single_task_kernel)) void loaded(float *out) { *out = 2; }
}
)";

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  const auto device = q.get_device();
  const auto context = q.get_context();
  auto from = [&](const std::string &text, auto... properties) {
    return syclx::create_kernel_bundle_from_source(context, syclx::source_language::sycl, prelude + text,
                                                   syclx::properties{properties...});
  };
  auto unbuilt = from(source);
  const std::vector<std::string> names{"constant<float, 7>", "(void(*)(int *))over::loaded",
                                       "(void(*)(float *))over::loaded"};
  auto bundle = syclx::build(unbuilt, syclx::properties{syclx::registered_names{names}});
  int *out = sycl::malloc_shared<int>(64, q);
  auto task = [&](Executable &bundle, const std::string &name, auto *to) {
    q.submit([&](sycl::handler &h) {
       h.set_args(to);
       h.single_task(bundle.ext_oneapi_get_kernel(name));
     }).wait();
    return *to;
  };

  scenario("what a bundle holds", [&] {
    for (const char *name : {"plain", "barrier", "lanes", "tile"})
      CHECK(bundle.ext_oneapi_has_kernel(name));
    CHECK(!bundle.ext_oneapi_has_kernel("none"));
    CHECK(!bundle.empty() && bundle.get_context() == context && bundle.get_devices() == std::vector{device});
    CHECK(bundle.get_backend() == tested_backend());
    auto kernel = bundle.ext_oneapi_get_kernel("plain");
    CHECK(kernel.get_context() == context && kernel.get_backend() == tested_backend());
    CHECK(bundle.ext_oneapi_get_raw_kernel_name("constant<float, 7>") == "_Z22__sycl_kernel_constantIfLi7EEvPT_");
  });

  scenario("templates and overloads by registered names", [&] {
    float *real = sycl::malloc_shared<float>(1, q);
    CHECK(task(bundle, names[0], real) == 7.0f);
    CHECK(task(bundle, names[1], out) == 1);
    CHECK(task(bundle, names[2], real) == 2.0f);
    sycl::free(real, q);
  });

  scenario("what a kernel says of itself", [&] {
    for (const char *name : {"plain", "barrier", "lanes", "tile"}) {
      auto kernel = bundle.ext_oneapi_get_kernel(name);
      auto say = [&](const char *what, const auto &value) { fact(std::string(name) + " " + what, value); };
      CHECK(kernel.get_info<sycl::info::kernel::function_name>() == std::string("__sycl_kernel_") + name);
      say("num_args", kernel.get_info<sycl::info::kernel::num_args>());
      say("attributes", kernel.get_info<sycl::info::kernel::attributes>());
      say("work_group_size", kernel.get_info<per_device::work_group_size>(device));
      say("preferred multiple", kernel.get_info<per_device::preferred_work_group_size_multiple>(device));
      say("private_mem_size", kernel.get_info<per_device::private_mem_size>(device));
      say("max_num_sub_groups", kernel.get_info<per_device::max_num_sub_groups>(device));
      say("compile_num_sub_groups", kernel.get_info<per_device::compile_num_sub_groups>(device));
      say("max_sub_group_size", kernel.get_info<per_device::max_sub_group_size>(device));
      say("max_num_work_groups", kernel.ext_oneapi_get_info<per_queue::max_num_work_groups>(q, sycl::range{64}, 0));
      say("the same with local memory",
          kernel.ext_oneapi_get_info<per_queue::max_num_work_groups>(q, sycl::range{64}, 1024));
      say("max_work_group_size", kernel.ext_oneapi_get_info<per_queue::max_work_group_size>(q));
      say("max_sub_group_size for 64", kernel.ext_oneapi_get_info<per_queue::max_sub_group_size>(q, sycl::range{64}));
      say("num_sub_groups for 64", kernel.ext_oneapi_get_info<per_queue::num_sub_groups>(q, sycl::range{64}));
      const bool tiled = name == std::string("tile"), of_eight = name == std::string("lanes");
      CHECK(kernel.get_info<per_device::compile_work_group_size>(device) ==
            (tiled ? sycl::range(8, 4, 1) : sycl::range(0, 0, 0))); // reversed: the fastest dimension comes first
      CHECK(kernel.get_info<per_device::compile_sub_group_size>(device) == (of_eight ? 8 : 0));
      CHECK(error_of([&] { kernel.get_info<per_device::global_work_size>(device); }) == code(sycl::errc::invalid));
    }
  });

  scenario("required sizes are kept", [&] {
    launch(q, bundle.ext_oneapi_get_kernel("lanes"), 64, 32, out).wait();
    CHECK(all_equal(out, 64, [](auto) { return 8; }));
    launch(q, bundle.ext_oneapi_get_kernel("tile"), sycl::nd_range<2>{{8, 8}, {4, 8}}, out).wait();
    CHECK(out[0] == 408);
  });

  scenario("options and include files", [&] {
    auto text = from("#include \"the/answer.hpp\"\nSINGLE_TASK answer(int *out) { *out = ANSWER + PLUS; }",
                     syclx::include_files{"the/answer.hpp", "constexpr int ANSWER = 40;"});
    auto built = syclx::build(text, syclx::properties{syclx::build_options{std::vector<std::string>{"-DPLUS=2", "-O1"}}});
    CHECK(task(built, "answer", out) == 42);
  });

  scenario("compile, then link", [&] {
    auto text = from("SINGLE_TASK twenty(int *out) { *out = 20; }");
    auto compiled = syclx::compile(text); // libsycl needs it for as long as what is linked of it
    auto linked = sycl::link(compiled);
    CHECK(task(linked, "twenty", out) == 20);
  });

  scenario("compile apart, then link", [&] {
    auto caller = from("SYCL_EXTERNAL int twice(int); SINGLE_TASK call(int *out) { *out = twice(21); }");
    auto callee = from("SYCL_EXTERNAL int twice(int x) { return 2 * x; }");
    auto first = syclx::compile(caller);
    auto second = syclx::compile(callee);
    int answer = 0;
    const int error = error_of([&] {
      auto linked = sycl::link({first, second});
      answer = task(linked, "call", out);
    });
    CHECK(answer == 42 || (is_2026_1 && error == code(sycl::errc::build))); // "link() failed"
    const int alone = error_of([&] { sycl::link(first); }); // where is twice()?
    CHECK(alone == code(is_2026_1 ? sycl::errc::build : sycl::errc::invalid));
  });

  scenario("join", [&] {
    auto other = compile(q, "SINGLE_TASK three(int *out) { *out = 3; }");
    auto both = sycl::join(std::vector<Executable>{bundle, other});
    CHECK(both.ext_oneapi_has_kernel("three") && both.ext_oneapi_has_kernel("plain"));
    CHECK(task(both, "three", out) == 3);
  });

  sycl::free(out, q);
  return summary();
}
