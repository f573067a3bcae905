// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images (SYCL 1.2.1's sycl::image, the kind that a kernel compiled from source can take): reads and writes in one, two
// and three dimensions, four channel types, both ways of addressing and filtering, and data that returns to the host.
//
// What Intel's stack lacks: handler::set_arg takes no SYCL 2020 image accessor (sampled or unsampled), and bindless
// images are not there. It has aspect::ext_intel_legacy_image, not aspect::image, and
// says image_support = false, while its images work.
#include "common.hpp"

#include <algorithm>

using sycl::image_channel_order;
using sycl::image_channel_type;

const char *const source = R"(
template <class T, int dims> using In = sycl::accessor<T, dims, sycl::access_mode::read, sycl::target::image>;
template <class T, int dims> using Out = sycl::accessor<T, dims, sycl::access_mode::write, sycl::target::image>;
using sycl::int4, sycl::uint4, sycl::float4, sycl::int2, sycl::float2;

ND_RANGE(1) read1(In<int4, 1> image, int *out) { out[global_id()] = image.read(int(global_id())).y(); }
ND_RANGE(2) read2(In<float4, 2> image, float *out) {
  int2 at{this_item<2>().get_global_id(1), this_item<2>().get_global_id(0)};
  out[this_item<2>().get_global_linear_id()] = image.read(at).x();
}
ND_RANGE(3) read3(In<uint4, 3> image, unsigned *out) {
  auto id = this_item<3>().get_global_id();
  out[this_item<3>().get_global_linear_id()] = image.read(int4{id[2], id[1], id[0], 0}).w();
}
ND_RANGE(2) write2(Out<float4, 2> image) {
  int2 at{this_item<2>().get_global_id(1), this_item<2>().get_global_id(0)};
  image.write(at, float4{at.x(), at.y(), at.x() * at.y(), 1});
}
ND_RANGE(2) write2u(Out<uint4, 2> image) {
  int2 at{this_item<2>().get_global_id(1), this_item<2>().get_global_id(0)};
  image.write(at, uint4{at.x(), at.y(), 300, 4}); // 300 does not fit 8 bits: it saturates
}
ND_RANGE(1) sample(In<float4, 2> image, sycl::sampler sampler, const float2 *where, float *out) {
  out[global_id()] = image.read(where[global_id()], sampler).x();
}
ND_RANGE(2) size2(In<float4, 2> image, int *out) {
  out[0] = image.get_range()[0];
  out[1] = image.get_range()[1];
}
)";

int main() {
  sycl::queue q;
  auto bundle = compile(q, source);
  auto kernel = [&](const char *name) { return bundle.ext_oneapi_get_kernel(name); };
  fact("aspect::image", q.get_device().has(sycl::aspect::image));

  scenario("read, one dimension, signed 16 bit", [&] {
    std::vector<short> texels(4 * 32);
    std::iota(texels.begin(), texels.end(), -50);
    sycl::image<1> image{texels.data(), image_channel_order::rgba, image_channel_type::signed_int16, sycl::range{32}};
    int *out = sycl::malloc_shared<int>(32, q);
    q.submit([&](sycl::handler &h) {
       h.set_args(image.get_access<sycl::int4, sycl::access_mode::read>(h), out);
       h.parallel_for(sycl::nd_range<1>{32, 8}, kernel("read1"));
     }).wait();
    CHECK(all_equal(out, 32, [](auto i) { return -50 + 4 * static_cast<int>(i) + 1; }));
    sycl::free(out, q);
  });

  scenario("read, two dimensions, float and half", [&] {
    float *out = sycl::malloc_shared<float>(8 * 16, q);
    auto read = [&](auto &image) {
      std::fill_n(out, 8 * 16, -1.0f);
      q.submit([&](sycl::handler &h) {
         h.set_args(image.template get_access<sycl::float4, sycl::access_mode::read>(h), out);
         h.parallel_for(sycl::nd_range<2>{{8, 16}, {4, 4}}, kernel("read2"));
       }).wait();
      return all_equal(out, 8 * 16, [](auto i) { return i / 4.0f; });
    };
    std::vector<sycl::float4> floats(8 * 16);
    std::vector<sycl::half4> halves(8 * 16);
    for (int i = 0; i < 8 * 16; ++i) {
      floats[i] = {i / 4.0f, 0, 0, 0};
      halves[i] = {sycl::half(i / 4.0f), sycl::half(0), sycl::half(0), sycl::half(0)};
    }
    sycl::image<2> wide{floats.data(), image_channel_order::rgba, image_channel_type::fp32, sycl::range{16, 8}};
    sycl::image<2> narrow{halves.data(), image_channel_order::rgba, image_channel_type::fp16, sycl::range{16, 8}};
    CHECK(read(wide));
    CHECK(read(narrow));
    sycl::free(out, q);
  });

  scenario("read, three dimensions, unsigned 32 bit", [&] {
    std::vector<sycl::uint4> texels(4 * 6 * 8);
    for (unsigned i = 0; i < texels.size(); ++i)
      texels[i] = {0, 0, 0, 1000 + i};
    sycl::image<3> image{texels.data(), image_channel_order::rgba, image_channel_type::unsigned_int32,
                         sycl::range{8, 6, 4}};
    unsigned *out = sycl::malloc_shared<unsigned>(4 * 6 * 8, q);
    q.submit([&](sycl::handler &h) {
       h.set_args(image.get_access<sycl::uint4, sycl::access_mode::read>(h), out);
       h.parallel_for(sycl::nd_range<3>{{4, 6, 8}, {2, 3, 4}}, kernel("read3"));
     }).wait();
    CHECK(all_equal(out, 4 * 6 * 8, [](auto i) { return 1000 + i; }));
    sycl::free(out, q);
  });

  scenario("write, and the data returns to the host", [&] {
    std::vector<sycl::float4> texels(8 * 16, sycl::float4{-1});
    {
      sycl::image<2> image{texels.data(), image_channel_order::rgba, image_channel_type::fp32, sycl::range{16, 8}};
      q.submit([&](sycl::handler &h) {
        h.set_args(image.get_access<sycl::float4, sycl::access_mode::write>(h));
        h.parallel_for(sycl::nd_range<2>{{8, 16}, {4, 4}}, kernel("write2"));
      });
    }
    bool right = true;
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 16; ++x) {
        const auto &t = texels[y * 16 + x];
        right = right && t.x() == x && t.y() == y && t.z() == x * y && t.w() == 1;
      }
    CHECK(right);
  });

  scenario("write unsigned 8 bit, saturating", [&] {
    std::vector<std::uint8_t> texels(4 * 8 * 8, 0);
    {
      sycl::image<2> image{texels.data(), image_channel_order::rgba, image_channel_type::unsigned_int8,
                           sycl::range{8, 8}};
      q.submit([&](sycl::handler &h) {
        h.set_args(image.get_access<sycl::uint4, sycl::access_mode::write>(h));
        h.parallel_for(sycl::nd_range<2>{{8, 8}, {4, 4}}, kernel("write2u"));
      });
    }
    CHECK(all_equal(texels.data(), texels.size(), [](auto i) {
      const std::size_t channels[] = {i / 4 % 8, i / 32, 255, 4};
      return channels[i % 4];
    }));
  });

  scenario("one kernel's image is the next kernel's input", [&] {
    sycl::image<2> image{image_channel_order::rgba, image_channel_type::fp32, sycl::range{16, 8}};
    float *out = sycl::malloc_shared<float>(8 * 16, q);
    q.submit([&](sycl::handler &h) {
      h.set_args(image.get_access<sycl::float4, sycl::access_mode::write>(h));
      h.parallel_for(sycl::nd_range<2>{{8, 16}, {4, 4}}, kernel("write2"));
    });
    q.submit([&](sycl::handler &h) {
       h.set_args(image.get_access<sycl::float4, sycl::access_mode::read>(h), out);
       h.parallel_for(sycl::nd_range<2>{{8, 16}, {4, 4}}, kernel("read2"));
     }).wait();
    CHECK(all_equal(out, 8 * 16, [](auto i) { return i % 16; }));
    sycl::free(out, q);
  });

  scenario("samplers", [&] {
    using sycl::addressing_mode, sycl::filtering_mode, sycl::coordinate_normalization_mode;
    std::vector<sycl::float4> texels(4 * 4);
    for (int i = 0; i < 16; ++i)
      texels[i] = {static_cast<float>(i), 0, 0, 0};
    sycl::image<2> image{texels.data(), image_channel_order::rgba, image_channel_type::fp32, sycl::range{4, 4}};
    constexpr std::size_t n = 4;
    auto *where = sycl::malloc_shared<sycl::float2>(n, q);
    float *out = sycl::malloc_shared<float>(n, q);
    auto sample = [&](bool normalized, addressing_mode addressing, filtering_mode filtering) {
      sycl::sampler sampler{normalized ? coordinate_normalization_mode::normalized
                                       : coordinate_normalization_mode::unnormalized,
                            addressing, filtering};
      q.submit([&](sycl::handler &h) {
         h.set_args(image.get_access<sycl::float4, sycl::access_mode::read>(h), sampler, where, out);
         h.parallel_for(sycl::nd_range<1>{n, 1}, kernel("sample"));
       }).wait();
      return std::vector<float>(out, out + n);
    };
    using Values = std::vector<float>;
    // Inside, on a corner between four texels, left of the image, below the image.
    where[0] = {1.5f, 2.5f}, where[1] = {2, 2}, where[2] = {-1.5f, 1.5f}, where[3] = {0.5f, 5.5f};
    CHECK(sample(false, addressing_mode::clamp_to_edge, filtering_mode::nearest) == Values{9, 10, 4, 12});
    CHECK(sample(false, addressing_mode::clamp, filtering_mode::nearest) == Values{9, 10, 0, 0});
    CHECK(sample(false, addressing_mode::clamp_to_edge, filtering_mode::linear) == Values{9, 7.5f, 4, 12});
    CHECK(sample(false, addressing_mode::clamp, filtering_mode::linear) == Values{9, 7.5f, 0, 0});
    for (std::size_t i = 0; i < n; ++i)
      where[i] = where[i] / 4.0f;
    CHECK(sample(true, addressing_mode::repeat, filtering_mode::nearest) == Values{9, 10, 6, 4});
    CHECK(sample(true, addressing_mode::mirrored_repeat, filtering_mode::nearest) == Values{9, 10, 5, 8});
    CHECK(sample(true, addressing_mode::clamp_to_edge, filtering_mode::linear) == Values{9, 7.5f, 4, 12});
    sycl::free(where, q), sycl::free(out, q);
  });

  scenario("an image knows its size", [&] {
    sycl::image<2> image{image_channel_order::rgba, image_channel_type::fp32, sycl::range{17, 9}};
    int *out = sycl::malloc_shared<int>(2, q);
    q.submit([&](sycl::handler &h) {
       h.set_args(image.get_access<sycl::float4, sycl::access_mode::read>(h), out);
       h.parallel_for(sycl::nd_range<2>{{1, 1}, {1, 1}}, kernel("size2"));
     }).wait();
    CHECK(out[0] == 17 && out[1] == 9);
    CHECK(image.get_range() == sycl::range(17, 9));
    CHECK(image.size() == 17 * 9);
    sycl::free(out, q);
  });

  return summary();
}
