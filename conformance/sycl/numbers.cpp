// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number types in kernels: half, float, double, 64-bit integers and vectors, each against values worked out
// on the host, and the device's built-in mathematics within its allowed error.
#include "common.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

const char *const source = R"(
ND_RANGE(1) halves(const sycl::half *a, const sycl::half *b, sycl::half *out) {
  auto i = global_id();
  out[i] = a[i] * b[i] + sycl::half(0.5f);
}
ND_RANGE(1) to_half(const float *in, sycl::half *out) { out[global_id()] = in[global_id()]; }
ND_RANGE(1) from_half(const sycl::half *in, float *out) { out[global_id()] = in[global_id()]; }
ND_RANGE(1) doubles(const double *in, double *out) {
  double x = in[global_id()];
  out[global_id()] = sycl::fma(x, x, 1.0) / 3.0;
}
ND_RANGE(1) functions(const double *in, double *out) { // ten results per work-item
  double x = in[global_id()], *o = out + 10 * global_id();
  o[0] = sycl::sin(x), o[1] = sycl::cos(x), o[2] = sycl::exp(x), o[3] = sycl::log(x), o[4] = sycl::sqrt(x);
  o[5] = sycl::pow(x, 1.5), o[6] = sycl::atan2(x, 2.0), o[7] = sycl::tgamma(x), o[8] = sycl::cbrt(x), o[9] = sycl::erf(x);
}
ND_RANGE(1) functions_f(const float *in, float *out) {
  float x = in[global_id()], *o = out + 10 * global_id();
  o[0] = sycl::sin(x), o[1] = sycl::cos(x), o[2] = sycl::exp(x), o[3] = sycl::log(x), o[4] = sycl::sqrt(x);
  o[5] = sycl::pow(x, 1.5f), o[6] = sycl::atan2(x, 2.0f), o[7] = sycl::tgamma(x), o[8] = sycl::cbrt(x), o[9] = sycl::erf(x);
}
ND_RANGE(1) integers(const unsigned long *in, unsigned long *out) {
  unsigned long x = in[global_id()], *o = out + 8 * global_id();
  o[0] = sycl::popcount(x), o[1] = sycl::clz(x), o[2] = sycl::ctz(x), o[3] = sycl::mul_hi(x, x);
  o[4] = sycl::rotate(x, 13ul), o[5] = sycl::add_sat(x, x), o[6] = x / 7 + x % 7, o[7] = long(x) / -7;
}
SINGLE_TASK vectors(const sycl::float4 *in, sycl::float4 *out) {
  sycl::float4 a = in[0], b = in[1];
  out[0] = a + b * 2.0f;
  out[1] = a.swizzle<3, 2, 1, 0>();
  out[2] = sycl::float4(sycl::dot(a, b), sycl::length(a), sycl::max(a.x(), b.x()), sycl::clamp(a.w(), 0.0f, 2.0f));
  out[3] = sycl::select(a, b, a < b);
  out[4] = a.as<sycl::int4>().convert<float>();
  sycl::vec<signed char, 16> bytes{1};
  bytes.s7() = -100;
  out[5] = bytes.hi().convert<float>().lo() + bytes.lo().convert<float>().hi();
}
)";

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  auto bundle = compile(q, source);
  auto kernel = [&](const char *name) { return bundle.ext_oneapi_get_kernel(name); };
  const auto device = q.get_device();
  CHECK(device.has(sycl::aspect::fp16));
  CHECK(device.has(sycl::aspect::fp64));

  // Runs a kernel of (in, out) over `in` and returns out, `per` results for each element.
  auto map = [&](const char *name, const auto &in, auto zero, std::size_t per = 1) {
    using In = typename std::decay_t<decltype(in)>::value_type;
    using Out = decltype(zero);
    auto *from = sycl::malloc_shared<In>(in.size(), q);
    auto *to = sycl::malloc_shared<Out>(in.size() * per, q);
    std::copy(in.begin(), in.end(), from);
    launch(q, kernel(name), in.size(), 1, from, to).wait();
    std::vector<Out> out(to, to + in.size() * per);
    sycl::free(from, q), sycl::free(to, q);
    return out;
  };
  // The worst relative error of a result.
  auto worst = [](const auto &results, const auto &expected) {
    double error = 0;
    for (std::size_t i = 0; i < results.size(); ++i)
      error = std::max(error, std::abs((results[i] - expected[i]) / expected[i]));
    return error;
  };

  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> floats{0.0f,    -0.0f,    1.0f,     -2.5f,    1.0f / 3,  65504.0f, 65520.0f,      -70000.0f,
                                  6.0e-8f, 5.97e-8f, 1.0e-10f, infinity, -infinity, 2049.0f,  1.0009765625f, 3.14159265f};

  scenario("half: conversion rounds to nearest even", [&] {
    auto halves = map("to_half", floats, sycl::half{});
    bool right = true;
    for (std::size_t i = 0; i < floats.size(); ++i)
      right = right && sycl::bit_cast<std::uint16_t>(halves[i]) == sycl::bit_cast<std::uint16_t>(sycl::half(floats[i]));
    CHECK(right);
    CHECK(std::isinf(static_cast<float>(halves[6])) && static_cast<float>(halves[5]) == 65504.0f);
    auto back = map("from_half", halves, 0.0f);
    CHECK(all_equal(back.data(), back.size(), [&](auto i) { return static_cast<float>(halves[i]); }));
  });

  scenario("half: arithmetic", [&] {
    constexpr std::size_t n = 64;
    auto *a = sycl::malloc_shared<sycl::half>(n, q), *b = sycl::malloc_shared<sycl::half>(n, q),
         *out = sycl::malloc_shared<sycl::half>(n, q);
    for (std::size_t i = 0; i < n; ++i)
      a[i] = i / 8.0f, b[i] = 2.0f;
    launch(q, kernel("halves"), n, 8, a, b, out).wait();
    CHECK(all_equal(out, n, [](auto i) { return sycl::half(i / 4.0f + 0.5f); }));
    for (auto *p : {a, b, out})
      sycl::free(p, q);
  });

  std::vector<double> samples;
  for (int i = 0; i < 64; ++i)
    samples.push_back(0.1 + i * 0.17);
  std::vector<double> expected;
  for (double x : samples)
    for (double y : {std::sin(x), std::cos(x), std::exp(x), std::log(x), std::sqrt(x), std::pow(x, 1.5),
                     std::atan2(x, 2.0), std::tgamma(x), std::cbrt(x), std::erf(x)})
      expected.push_back(y);

  scenario("double: fma and division are exact", [&] {
    auto out = map("doubles", samples, 0.0);
    CHECK(all_equal(out.data(), out.size(), [&](auto i) { return std::fma(samples[i], samples[i], 1.0) / 3.0; }));
  });

  scenario("double: functions", [&] { CHECK(worst(map("functions", samples, 0.0, 10), expected) < 1e-13); });

  scenario("float: functions", [&] {
    std::vector<float> in(samples.begin(), samples.end());
    std::vector<double> wide;
    for (double x : in)
      for (double y : {std::sin(x), std::cos(x), std::exp(x), std::log(x), std::sqrt(x), std::pow(x, 1.5),
                       std::atan2(x, 2.0), std::tgamma(x), std::cbrt(x), std::erf(x)})
        wide.push_back(y);
    CHECK(worst(map("functions_f", in, 0.0f, 10), wide) < 2e-5);
  });

  scenario("64-bit integers", [&] {
    const std::vector<unsigned long> in{1, 2, 255, 0x8000000000000000ul, ~0ul, 0x0123456789abcdeful, 1ul << 40};
    auto out = map("integers", in, 0ul, 8);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const unsigned long x = in[i], *o = &out[8 * i];
      CHECK(o[0] == static_cast<unsigned long>(__builtin_popcountl(x)));
      CHECK(o[1] == static_cast<unsigned long>(__builtin_clzl(x)));
      CHECK(o[2] == static_cast<unsigned long>(__builtin_ctzl(x)));
      CHECK(o[3] == static_cast<unsigned long>((static_cast<unsigned __int128>(x) * x) >> 64));
      CHECK(o[4] == (x << 13 | x >> 51));
      CHECK(o[5] == (x >> 63 ? ~0ul : 2 * x));
      CHECK(o[6] == x / 7 + x % 7);
      CHECK(static_cast<long>(o[7]) == static_cast<long>(x) / -7);
    }
  });

  scenario("vectors", [&] {
    auto *in = sycl::malloc_shared<sycl::float4>(2, q), *out = sycl::malloc_shared<sycl::float4>(6, q);
    in[0] = {1, 2, 2, 4}, in[1] = {5, -6, 7, 0};
    q.submit([&](sycl::handler &h) {
       h.set_args(in, out);
       h.single_task(kernel("vectors"));
     }).wait();
    auto is = [&](int i, float x, float y, float z, float w) {
      return out[i].x() == x && out[i].y() == y && out[i].z() == z && out[i].w() == w;
    };
    CHECK(is(0, 11, -10, 16, 4));
    CHECK(is(1, 4, 2, 2, 1));
    CHECK(is(2, 7, 5, 5, 2));
    CHECK(is(3, 5, 2, 7, 4));
    CHECK(is(4, 0x3f800000, 0x40000000, 0x40000000, 0x40800000));
    CHECK(is(5, 2, 2, 2, -99));
    sycl::free(in, q), sycl::free(out, q);
  });

  return summary();
}
