// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Specialization constants: their defaults, values that are set before a build, scalars and structures, bundles of one
// image with different values side by side, and reading a value back. The image is registered by hand: a source
// compiled at run time cannot have any.
#include "device_image.hpp"

struct Pair {
  char small;
  double large;
};
constexpr sycl::specialization_id<int> number{10};
constexpr sycl::specialization_id<double> fraction{2.5};
constexpr sycl::specialization_id<Pair> pair{Pair{1, 7.0}};

// The names of the three in the image, which the compiler's integration footer tells.
namespace sycl::detail {
template <> inline const char *get_spec_constant_symbolic_ID_impl<::number>() { return "number"; }
template <> inline const char *get_spec_constant_symbolic_ID_impl<::fraction>() { return "fraction"; }
template <> inline const char *get_spec_constant_symbolic_ID_impl<::pair>() { return "pair"; }
} // namespace sycl::detail
#include <sycl/detail/spec_const_integration.hpp>

using Values = std::vector<double>;
using Input = sycl::kernel_bundle<sycl::bundle_state::input>;

int main() {
  register_images({DeviceImage("module")
                       .kernel("values")
                       .kernel("sum")
                       .constant("number", 10, {{0, 0, 4}})
                       .constant("fraction", 2.5, {{1, 0, 8}})
                       .constant("pair", Pair{1, 7.0}, {{2, 0, 1}, {3, 8, 8}})});
  sycl::queue q{sycl::property::queue::in_order{}};
  double *out = sycl::malloc_shared<double>(4, q);
  int *sum = sycl::malloc_shared<int>(1, q);

  auto input = [&] { return sycl::get_kernel_bundle<sycl::bundle_state::input>(q.get_context(), {q.get_device()}); };
  auto run = [&](const Executable &bundle, const std::string &name, auto *to) {
    for (const auto &id : bundle.get_kernel_ids())
      if (id.get_name() == name)
        launch(q, bundle.get_kernel(id), 1, 1, to).wait();
  };
  auto values = [&](const Executable &bundle) {
    run(bundle, "values", out);
    return Values(out, out + 4);
  };

  scenario("defaults", [&] {
    auto bundle = input();
    CHECK(bundle.contains_specialization_constants() && bundle.native_specialization_constant());
    CHECK(bundle.has_specialization_constant<number>());
    CHECK(bundle.get_specialization_constant<number>() == 10);
    CHECK(bundle.get_specialization_constant<pair>().large == 7.0);
    CHECK(values(sycl::build(bundle)) == Values{10, 2.5, 1, 7});
  });

  scenario("values that are set, some of them", [&] {
    auto bundle = input();
    bundle.set_specialization_constant<number>(-3);
    bundle.set_specialization_constant<pair>(Pair{'a', 0.125});
    CHECK(bundle.get_specialization_constant<number>() == -3);
    auto built = sycl::build(bundle);
    CHECK(built.get_specialization_constant<pair>().small == 'a');
    CHECK(values(built) == Values{-3, 2.5, 'a', 0.125});
  });

  scenario("bundles with values of their own", [&] {
    std::vector<Executable> bundles;
    for (int i = 0; i < 4; ++i) {
      auto bundle = input();
      bundle.set_specialization_constant<number>(10 * i);
      bundle.set_specialization_constant<fraction>(i / 4.0);
      bundles.push_back(sycl::build(bundle));
    }
    for (int i = 3; i >= 0; --i) {
      CHECK(values(bundles[i]) == Values{10.0 * i, i / 4.0, 1, 7});
      run(bundles[i], "sum", sum);
      CHECK(*sum == 10 * i * (10 * i - 1) / 2);
    }
  });

  scenario("through compile and link", [&] {
    auto bundle = input();
    bundle.set_specialization_constant<number>(5);
    auto compiled = sycl::compile(bundle);
    run(sycl::link(compiled), "sum", sum);
    CHECK(*sum == 10);
  });

  sycl::free(out, q), sycl::free(sum, q);
  return summary();
}
