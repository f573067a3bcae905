// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bindless images (sycl_ext_oneapi_bindless_images) of devices that have all of them: image memory and USM, sampled and not,
// modes by dimension, arrays, mipmaps, copies of parts. Expected values are computed here. The program says so where there are no
// mipmaps, as on Intel's OpenCL driver for CPUs.
#include "common.hpp"

#include <cmath>

using syclx::bindless_image_sampler, syclx::image_descriptor, syclx::image_mem, syclx::image_type;
using sycl::addressing_mode, sycl::filtering_mode, sycl::image_channel_type;
using coordinates = sycl::coordinate_normalization_mode;

const char *const source = R"(
using sycl::int2, sycl::int3, sycl::float2, sycl::float3, sycl::float4, sycl::uint4, sycl::int4, sycl::half4;
using U = syclx::unsampled_image_handle;
using S = syclx::sampled_image_handle;
#define X int(this_item<3>().get_global_id(2))
#define Y int(this_item<3>().get_global_id(1))
#define Z int(this_item<3>().get_global_id(0))
#define AT this_item<3>().get_global_linear_id()

ND_RANGE(3) twice1(unsigned long from, unsigned long to) {
  syclx::write_image(U{to}, X, 2.0f * syclx::fetch_image<float>(U{from}, X));
}
ND_RANGE(3) twice2(unsigned long from, unsigned long to) {
  syclx::write_image(U{to}, int2{X, Y}, 2.0f * syclx::fetch_image<float4>(U{from}, int2{X, Y}));
}
ND_RANGE(3) twice3(unsigned long from, unsigned long to) {
  syclx::write_image(U{to}, int3{X, Y, Z}, 2u * syclx::fetch_image<uint4>(U{from}, int3{X, Y, Z}));
}
ND_RANGE(3) layers(unsigned long from, unsigned long to) {
  syclx::write_image_array(U{to}, int2{X, Y}, Z, 3 * syclx::fetch_image_array<int4>(U{from}, int2{X, Y}, Z));
}
ND_RANGE(3) rows(unsigned long from, unsigned long to) {
  syclx::write_image_array(U{to}, X, Y, 3.0f * syclx::fetch_image_array<float>(U{from}, X, Y));
}
ND_RANGE(3) fractions(unsigned long image, float4 *out) { out[AT] = syclx::fetch_image<float4>(U{image}, int2{X, Y}); }
ND_RANGE(3) sample(unsigned long image, const float2 *where, float *out) {
  out[AT] = syclx::sample_image<float>(S{image}, where[AT]);
}
ND_RANGE(3) sample4(unsigned long image, const float2 *where, float4 *out) {
  out[AT] = syclx::sample_image<float4>(S{image}, where[AT]);
}
ND_RANGE(3) sample_row(unsigned long image, const float *where, float *out) {
  out[AT] = syclx::sample_image<float>(S{image}, where[AT]);
}
ND_RANGE(3) sample_box(unsigned long image, const float3 *where, float *out) {
  out[AT] = syclx::sample_image<float>(S{image}, where[AT]);
}
ND_RANGE(3) sample_layers(unsigned long image, const float2 *where, float *out) {
  out[AT] = syclx::sample_image_array<float>(S{image}, where[AT], int(AT % 3));
}
ND_RANGE(3) fetch_sampled(unsigned long image, float *out) {
  out[AT] = syclx::fetch_image<float>(S{image}, int2{X, Y});
}
ND_RANGE(3) level(unsigned long image, const float2 *where, const float *levels, float *out) {
  out[AT] = syclx::sample_mipmap<float>(S{image}, where[AT], levels[AT]);
}
ND_RANGE(3) gradient(unsigned long image, const float2 *where, const float2 *d, float *out) {
  out[AT] = syclx::sample_mipmap<float>(S{image}, where[AT], d[2 * AT], d[2 * AT + 1]);
}
)";

/// A pixel for one coordinate by OpenCL's formulas: -1 or `size` for the border.
static int nearest(addressing_mode mode, int size, float u) {
  const float w = size;
  switch (mode) {
  case addressing_mode::repeat: {
    const float s = u / w;
    return std::min<int>((s - std::floor(s)) * w, size - 1);
  }
  case addressing_mode::mirrored_repeat: {
    const float s = u / w;
    return std::min<int>(std::fabs(s - 2.0f * std::rint(0.5f * s)) * w, size - 1);
  }
  case addressing_mode::clamp_to_edge:
    return std::min(std::max<int>(std::floor(u), 0), size - 1);
  default:
    return std::min(std::max<int>(std::floor(u), -1), size);
  }
}

static bool near(const float *got, const std::vector<float> &expected, float tolerance) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(std::fabs(got[i] - expected[i]) <= tolerance)) {
      std::cout << "  element " << i << " is " << got[i] << ", expected " << expected[i] << "\n";
      return false;
    }
  return true;
}

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  const auto device = q.get_device();
  if (!device.has(sycl::aspect::ext_oneapi_bindless_images) || !device.has(sycl::aspect::ext_oneapi_mipmap)) {
    std::cout << "there are no bindless images with mipmaps\n";
    return summary();
  }
  auto bundle = compile(q, source);
  auto kernel = [&](const char *name) { return bundle.ext_oneapi_get_kernel(name); };
  auto run = [&](const char *name, sycl::range<3> range, auto... args) {
    q.submit([&](sycl::handler &h) {
       h.set_args(args...);
       h.parallel_for(sycl::nd_range<3>{range, {1, 1, 1}}, kernel(name));
     }).wait();
  };
  auto upload = [&](const auto &values) {
    using T = std::decay_t<decltype(values[0])>;
    T *memory = sycl::malloc_shared<T>(values.size(), q);
    std::copy(values.begin(), values.end(), memory);
    return memory;
  };
  // Two images, a kernel from one to the other, and what becomes of numbers from 0 on.
  auto both = [&](const char *name, const image_descriptor &desc, sycl::range<3> range, auto channel, int channels,
                  int factor) {
    using T = decltype(channel);
    image_mem from{desc, q}, to{desc, q};
    const size_t count = range.size() * channels;
    std::vector<T> in(count), out(count);
    std::iota(in.begin(), in.end(), T{});
    q.ext_oneapi_copy(in.data(), from.get_handle(), desc).wait();
    auto a = syclx::create_image(from, desc, q), b = syclx::create_image(to, desc, q);
    run(name, range, a.raw_handle, b.raw_handle);
    q.ext_oneapi_copy(to.get_handle(), out.data(), desc).wait();
    CHECK(all_equal(out.data(), count, [&](auto i) { return factor * static_cast<T>(i); }));
    syclx::destroy_image_handle(a, q);
    syclx::destroy_image_handle(b, q);
  };

  scenario("a row of floats",
           [&] { both("twice1", {sycl::range{37}, 1, image_channel_type::fp32}, {1, 1, 37}, 0.0f, 1, 2); });
  scenario("a plane of four floats",
           [&] { both("twice2", {sycl::range{9, 5}, 4, image_channel_type::fp32}, {1, 5, 9}, 0.0f, 4, 2); });
  scenario("a plane of four halves", [&] {
    both("twice2", {sycl::range{4, 5}, 4, image_channel_type::fp16}, {1, 5, 4}, sycl::half{}, 4, 2);
  });
  scenario("a box of four integers", [&] {
    both("twice3", {sycl::range{5, 4, 3}, 4, image_channel_type::unsigned_int16}, {3, 4, 5}, std::uint16_t{}, 4, 2);
  });
  scenario("an array of planes", [&] {
    both("layers", {sycl::range{5, 4}, 4, image_channel_type::signed_int32, image_type::array, 1, 3}, {3, 4, 5}, 0, 4,
         3);
  });
  scenario("an array of rows", [&] {
    both("rows", {sycl::range{6}, 1, image_channel_type::fp32, image_type::array, 1, 4}, {1, 4, 6}, 0.0f, 1, 3);
  });

  scenario("fractions", [&] {
    const image_descriptor desc{sycl::range{16, 16}, 4, image_channel_type::unorm_int8};
    image_mem memory{desc, q};
    std::vector<std::uint8_t> in(1024);
    std::iota(in.begin(), in.end(), std::uint8_t{});
    q.ext_oneapi_copy(in.data(), memory.get_handle(), desc).wait();
    auto image = syclx::create_image(memory, desc, q);
    auto *out = sycl::malloc_shared<sycl::float4>(256, q);
    run("fractions", {1, 16, 16}, image.raw_handle, out);
    std::vector<float> expected(1024);
    for (int i = 0; i < 1024; ++i)
      expected[i] = (i % 256) / 255.0f;
    CHECK(near(reinterpret_cast<float *>(out), expected, 1e-7f));
    syclx::destroy_image_handle(image, q);
    sycl::free(out, q);
  });

  // 5 x 4 numbers.
  const image_descriptor plane{sycl::range{5, 4}, 1, image_channel_type::fp32};
  std::vector<float> numbers(20);
  for (int i = 0; i < 20; ++i)
    numbers[i] = 1 + 3 * i;
  image_mem memory{plane, q};
  q.ext_oneapi_copy(numbers.data(), memory.get_handle(), plane).wait();
  // Places that are no edges of pixels, inside and around.
  std::vector<sycl::float2> places;
  for (int y = -6; y < 11; ++y)
    for (int x = -8; x < 14; ++x)
      places.push_back({x + 0.375f, y + 0.625f});
  const size_t count = places.size();
  auto *out = sycl::malloc_shared<float>(count, q);

  for (auto mode : {addressing_mode::clamp_to_edge, addressing_mode::clamp, addressing_mode::repeat,
                    addressing_mode::mirrored_repeat})
    for (bool is_normalized : {false, true})
      for (bool is_linear : {false, true}) {
        // Unnormalized coordinates do not repeat.
        const bool repeats = mode == addressing_mode::repeat || mode == addressing_mode::mirrored_repeat;
        if (repeats && !is_normalized)
          continue;
        const std::string name = "sampled, mode " + std::to_string(static_cast<int>(mode)) +
                                 (is_normalized ? ", normalized" : "") + (is_linear ? ", linear" : "");
        scenario(name.c_str(), [&] {
          const bindless_image_sampler sampler{mode, is_normalized ? coordinates::normalized : coordinates::unnormalized,
                                               is_linear ? filtering_mode::linear : filtering_mode::nearest};
          auto image = syclx::create_image(memory, sampler, plane, q);
          std::vector<sycl::float2> where = places;
          if (is_normalized)
            for (auto &at : where)
              at = {at.x() / 5, at.y() / 4};
          auto *at = upload(where);
          run("sample", {1, 1, count}, image.raw_handle, at, out);
          auto pixel = [&](float x, float y) {
            const int i = nearest(mode, 5, x), j = nearest(mode, 4, y);
            return i < 0 || i >= 5 || j < 0 || j >= 4 ? 0.0f : numbers[j * 5 + i];
          };
          std::vector<float> expected;
          for (auto p : places) {
            const float x = p.x(), y = p.y();
            if (!is_linear) {
              expected.push_back(pixel(x, y));
              continue;
            }
            // The weights are those of the distance to the middles: (u - 0.5) - floor(u - 0.5).
            const float a = 0.875f, b = 0.125f;
            expected.push_back((1 - a) * (1 - b) * pixel(x - 0.5f, y - 0.5f) + a * (1 - b) * pixel(x + 0.5f, y - 0.5f) +
                               (1 - a) * b * pixel(x - 0.5f, y + 0.5f) + a * b * pixel(x + 0.5f, y + 0.5f));
          }
          CHECK(near(out, expected, 1e-3f));
          syclx::destroy_image_handle(image, q);
          sycl::free(at, q);
        });
      }

  scenario("a sampled image without its sampler", [&] {
    const bindless_image_sampler sampler{addressing_mode::clamp_to_edge, coordinates::unnormalized,
                                         filtering_mode::nearest};
    auto image = syclx::create_image(memory, sampler, plane, q);
    run("fetch_sampled", {1, 4, 5}, image.raw_handle, out);
    CHECK(near(out, numbers, 0));
    syclx::destroy_image_handle(image, q);
  });

  scenario("modes by dimension", [&] {
    addressing_mode modes[] = {addressing_mode::repeat, addressing_mode::clamp_to_edge, addressing_mode::clamp};
    const bindless_image_sampler sampler{modes, coordinates::normalized, filtering_mode::nearest};
    auto image = syclx::create_image(memory, sampler, plane, q);
    std::vector<sycl::float2> where;
    std::vector<float> expected;
    for (auto p : places) {
      where.push_back({p.x() / 5, p.y() / 4});
      const int x = nearest(modes[0], 5, p.x()), y = nearest(modes[1], 4, p.y());
      expected.push_back(numbers[y * 5 + x]);
    }
    auto *at = upload(where);
    run("sample", {1, 1, count}, image.raw_handle, at, out);
    CHECK(near(out, expected, 0));
    syclx::destroy_image_handle(image, q);
    sycl::free(at, q);
  });

  scenario("USM, with a pitch", [&] {
    size_t pitch = 0;
    auto *usm = static_cast<char *>(syclx::pitched_alloc_device(&pitch, plane, q));
    CHECK(pitch >= 20);
    q.ext_oneapi_copy(numbers.data(), usm, plane, pitch).wait();
    const bindless_image_sampler sampler{addressing_mode::clamp_to_edge, coordinates::unnormalized,
                                         filtering_mode::linear};
    auto image = syclx::create_image(usm, pitch, sampler, plane, q);
    auto *at = upload(std::vector<sycl::float2>{{0.5f, 0.5f}, {1, 0.5f}, {2.5f, 2}, {4.5f, 3.5f}});
    run("sample", {1, 1, 4}, image.raw_handle, at, out);
    CHECK(near(out, {1, 2.5f, 29.5f, 58}, 1e-4f));
    syclx::destroy_image_handle(image, q);
    sycl::free(at, q);
    sycl::free(usm, q);
  });

  scenario("a row and a box, sampled", [&] {
    const image_descriptor row{sycl::range{6}, 1, image_channel_type::fp32};
    const image_descriptor box{sycl::range{2, 2, 2}, 1, image_channel_type::fp32};
    std::vector<float> in{0, 10, 20, 30, 40, 50, 60, 70};
    image_mem rows{row, q}, boxes{box, q};
    q.ext_oneapi_copy(in.data(), rows.get_handle(), row).wait();
    q.ext_oneapi_copy(in.data(), boxes.get_handle(), box).wait();
    const bindless_image_sampler sampler{addressing_mode::clamp_to_edge, coordinates::unnormalized,
                                         filtering_mode::linear};
    auto a = syclx::create_image(rows, sampler, row, q);
    auto b = syclx::create_image(boxes, sampler, box, q);
    auto *at = upload(std::vector<float>{0.5f, 1.25f, 9});
    run("sample_row", {1, 1, 3}, a.raw_handle, at, out);
    CHECK(near(out, {0, 7.5f, 50}, 1e-4f));
    auto *there = upload(std::vector<sycl::float3>{{0.5f, 0.5f, 0.5f}, {1, 1, 1}, {1, 0.5f, 1.5f}});
    run("sample_box", {1, 1, 3}, b.raw_handle, there, out);
    CHECK(near(out, {0, 35, 45}, 1e-4f));
    syclx::destroy_image_handle(a, q);
    syclx::destroy_image_handle(b, q);
    sycl::free(at, q);
    sycl::free(there, q);
  });

  scenario("an array, sampled", [&] {
    const image_descriptor desc{sycl::range{2, 2}, 1, image_channel_type::fp32, image_type::array, 1, 3};
    std::vector<float> in(12);
    std::iota(in.begin(), in.end(), 0.0f);
    image_mem arrays{desc, q};
    q.ext_oneapi_copy(in.data(), arrays.get_handle(), desc).wait();
    const bindless_image_sampler sampler{addressing_mode::clamp_to_edge, coordinates::normalized,
                                         filtering_mode::linear};
    auto image = syclx::create_image(arrays, sampler, desc, q);
    auto *at = upload(std::vector<sycl::float2>{{0.5f, 0.5f}, {0.25f, 0.25f}, {0.75f, 0.25f}, {0.5f, 0.75f}});
    run("sample_layers", {1, 1, 4}, image.raw_handle, at, out);
    CHECK(near(out, {1.5f, 4, 9, 2.5f}, 1e-4f));
    syclx::destroy_image_handle(image, q);
    sycl::free(at, q);
  });

  scenario("mipmaps", [&] {
    // The pixels of a level are 100 times its number and its x.
    const image_descriptor desc{sycl::range{8, 8}, 1, image_channel_type::fp32, image_type::mipmap, 4};
    image_mem levels{desc, q};
    for (unsigned l = 0; l < 4; ++l) {
      const size_t side = 8 >> l;
      std::vector<float> in(side * side);
      for (size_t i = 0; i < in.size(); ++i)
        in[i] = 100 * l + i % side;
      q.ext_oneapi_copy(in.data(), levels.get_mip_level_mem_handle(l), desc.get_mip_level_desc(l)).wait();
    }
    auto sampled = [&](filtering_mode pixels, filtering_mode mips, float low, float high) {
      const bindless_image_sampler sampler{addressing_mode::clamp_to_edge, coordinates::normalized, pixels, mips, low,
                                           high, 1};
      return syclx::create_image(levels, sampler, desc, q);
    };
    std::vector<sycl::float2> middle(6, {0.5f, 0.5f});
    auto *at = upload(middle);
    auto *which = upload(std::vector<float>{-1, 0, 0.75f, 1.25f, 3, 9});
    auto nearest = sampled(filtering_mode::nearest, filtering_mode::nearest, 0, 3);
    run("level", {1, 1, 6}, nearest.raw_handle, at, which, out);
    CHECK(near(out, {4, 4, 102, 102, 300, 300}, 0));
    auto linear = sampled(filtering_mode::linear, filtering_mode::linear, 0, 3);
    run("level", {1, 1, 6}, linear.raw_handle, at, which, out);
    CHECK(near(out, {3.5f, 3.5f, 0.25f * 3.5f + 0.75f * 101.5f, 0.75f * 101.5f + 0.25f * 200.5f, 300, 300}, 1e-2f));
    auto bounded = sampled(filtering_mode::nearest, filtering_mode::nearest, 1, 2);
    run("level", {1, 1, 6}, bounded.raw_handle, at, which, out);
    CHECK(near(out, {102, 102, 102, 102, 201, 201}, 0));
    // A pixel of a level is as large as the distance: 1/8, 1/4, 1/2, and more or less.
    auto *d = upload(std::vector<sycl::float2>{
        {0.125f, 0}, {0, 0.125f}, {0.25f, 0}, {0, 0.1f}, {0.01f, 0}, {0, 0.5f}, {2, 0}, {0, 0}, {0, 0}, {0, 0}});
    run("gradient", {1, 1, 5}, nearest.raw_handle, at, d, out);
    CHECK(near(out, {4, 102, 201, 300, 4}, 0));
    for (auto *image : {&nearest, &linear, &bounded})
      syclx::destroy_image_handle(*image, q);
    sycl::free(at, q);
    sycl::free(which, q);
    sycl::free(d, q);
  });

  scenario("parts of images", [&] {
    const image_descriptor desc{sycl::range{6, 5}, 1, image_channel_type::signed_int32};
    image_mem from{desc, q}, to{desc, q};
    std::vector<int> in(30), back(30, -1), part(7 * 4, -1);
    std::iota(in.begin(), in.end(), 0);
    q.ext_oneapi_copy(in.data(), from.get_handle(), desc).wait();
    q.ext_oneapi_copy(back.data(), to.get_handle(), desc).wait();
    // 3 x 2 pixels from (1, 2) to (2, 3) of another.
    q.ext_oneapi_copy(from.get_handle(), {1, 2, 0}, desc, to.get_handle(), {2, 3, 0}, desc, {3, 2, 1}).wait();
    q.ext_oneapi_copy(to.get_handle(), back.data(), desc).wait();
    CHECK(all_equal(back.data(), 30, [](int i) {
      const int x = i % 6, y = i / 6;
      return x >= 2 && x < 5 && y >= 3 ? (y - 1) * 6 + x - 1 : -1;
    }));
    // The same to memory of 7 x 4 pixels, at (3, 1).
    q.ext_oneapi_copy(from.get_handle(), {1, 2, 0}, desc, part.data(), {3, 1, 0}, {7, 4, 0}, {3, 2, 1}).wait();
    CHECK(all_equal(part.data(), 28, [](int i) {
      const int x = i % 7, y = i / 7;
      return x >= 3 && x < 6 && y >= 1 && y < 3 ? (y + 1) * 6 + x - 2 : -1;
    }));
  });

  scenario("what is said of image memory", [&] {
    const auto handle = memory.get_handle();
    CHECK(syclx::get_image_range(handle, q)[0] == 5);
    CHECK(syclx::get_image_range(handle, q)[1] == 4);
    CHECK(syclx::get_image_channel_type(handle, q) == image_channel_type::fp32);
    CHECK(syclx::get_image_num_channels(handle, q) == 1);
  });
  sycl::free(out, q);
  return summary();
}
