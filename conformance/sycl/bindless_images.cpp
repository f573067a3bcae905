// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sycl_ext_oneapi_bindless_images: kernels know images by handles, which are plain values. Reads, writes and samples in image
// memory and in USM, one to three dimensions, arrays, formats, copies of parts.
//
// Where the device lacks the aspect, every case is that the runtime says so.
#include "common.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

using syclx::image_descriptor;
using syclx::image_mem;

const char *const source = R"(
using sycl::float4, sycl::float2, sycl::int2, sycl::int3, sycl::uint4, sycl::half;
using Image = syclx::unsampled_image_handle;
using Sampled = syclx::sampled_image_handle;

// out = 2 * in + 1, pixel by pixel.
ND_RANGE(1) line(Image in, Image out) {
  int at = global_id();
  syclx::write_image(out, at, syclx::fetch_image<float4>(in, at) * 2.f + 1.f);
}
ND_RANGE(2) plane(Image in, Image out) {
  auto id = this_item<2>().get_global_id();
  int2 at{id[1], id[0]};
  syclx::write_image(out, at, syclx::fetch_image<float4>(in, at) * 2.f + 1.f);
}
ND_RANGE(3) box(Image in, Image out) {
  auto id = this_item<3>().get_global_id();
  int3 at{id[2], id[1], id[0]};
  syclx::write_image(out, at, syclx::fetch_image<float4>(in, at) * 2.f + 1.f);
}
ND_RANGE(3) planes(Image in, Image out) {
  auto id = this_item<3>().get_global_id();
  int2 at{id[2], id[1]};
  syclx::write_image_array(out, at, int(id[0]), syclx::fetch_image_array<float4>(in, at, int(id[0])) * 2.f + 1.f);
}
ND_RANGE(2) lines(Image in, Image out) {
  auto id = this_item<2>().get_global_id();
  int at = id[1];
  syclx::write_image_array(out, at, int(id[0]), syclx::fetch_image_array<float4>(in, at, int(id[0])) * 2.f + 1.f);
}
// One channel, two, and integers, halves and fractions.
ND_RANGE(1) integers(Image in, unsigned *out) { out[global_id()] = syclx::fetch_image<unsigned>(in, int(global_id())); }
ND_RANGE(1) pairs(Image in, float2 *out) { out[global_id()] = syclx::fetch_image<float2>(in, int(global_id())); }
ND_RANGE(1) halves(Image in, float *out) {
  out[global_id()] = syclx::fetch_image<sycl::vec<half, 4>>(in, int(global_id())).z();
}
ND_RANGE(1) fractions(Image in, float *out) { out[global_id()] = syclx::fetch_image<float4>(in, int(global_id())).y(); }
ND_RANGE(1) bytes(Image out) {
  int at = global_id();
  syclx::write_image(out, at, sycl::vec<unsigned char, 4>(at, 2 * at, 3 * at, 255));
}
ND_RANGE(1) sample(Sampled in, const float2 *where, float *out) {
  out[global_id()] = syclx::sample_image<float>(in, where[global_id()]);
}
ND_RANGE(2) fetch_sampled(Sampled in, float *out) {
  auto id = this_item<2>().get_global_id();
  out[this_item<2>().get_global_linear_id()] = syclx::fetch_image<float>(in, int2{id[1], id[0]});
}
// A list of images in memory.
ND_RANGE(1) sum(const Image *images, int count, float *out) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += syclx::fetch_image<float4>(images[i], int(global_id())).x();
  out[global_id()] = sum;
}
)";

using Pixel = std::array<float, 4>;

/// A number for each place of an image.
static std::vector<Pixel> pixels(std::size_t count) {
  std::vector<Pixel> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = {float(i), float(i) + 0.25f, -float(i), 0.5f};
  return all;
}

/// 2 * x + 1 of each.
static std::vector<Pixel> changed(std::vector<Pixel> all) {
  for (Pixel &pixel : all)
    for (float &channel : pixel)
      channel = 2 * channel + 1;
  return all;
}

/// What linear filtering of rows gives at a place, in pixels, where `at` is a pixel at whole coordinates.
static float blend(float x, float y, const std::function<float(int, int)> &at) {
  x -= 0.5f, y -= 0.5f;
  const int i = std::floor(x), j = std::floor(y);
  const float a = x - i, b = y - j;
  return (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) + b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1));
}

static bool near(float a, float b) { return std::fabs(a - b) <= 1e-3f * (1 + std::fabs(b)); }

int main() {
  sycl::queue q{sycl::property::queue::in_order{}};
  const auto device = q.get_device();
  const bool has_images = device.has(sycl::aspect::ext_oneapi_bindless_images);
  fact("bindless images", has_images);
  std::optional<Executable> bundle;
  if (has_images)
    bundle = compile(q, source);

  auto image_case = [&](const char *name, auto body) {
    scenario(name, [&] {
      const bool holds = has_images ? body() : error_of([&] { image_mem({sycl::range{4}, 4, sycl::image_channel_type::fp32}, q); }) > 0;
      CHECK(holds);
    });
  };
  auto launch = [&](const char *name, auto range, auto... args) {
    q.submit([&](sycl::handler &h) {
      h.set_args(args...);
      h.parallel_for(sycl::nd_range(range, range), bundle->ext_oneapi_get_kernel(name));
    });
  };
  const auto fp32 = sycl::image_channel_type::fp32;

  // Two images of a description, of which a kernel makes one of the other.
  auto run = [&](const image_descriptor &desc, const char *kernel, auto range) {
    const auto from = pixels(range.size());
    std::vector<Pixel> to(from.size());
    image_mem in(desc, q), out(desc, q);
    auto in_handle = syclx::create_image(in, desc, q), out_handle = syclx::create_image(out, desc, q);
    q.ext_oneapi_copy(from.data(), in.get_handle(), desc);
    launch(kernel, range, in_handle, out_handle);
    q.ext_oneapi_copy(out.get_handle(), to.data(), desc);
    q.wait_and_throw();
    syclx::destroy_image_handle(in_handle, q);
    syclx::destroy_image_handle(out_handle, q);
    return to == changed(from);
  };
  image_case("one dimension", [&] { return run({sycl::range{16}, 4, fp32}, "line", sycl::range{16}); });
  image_case("two dimensions", [&] { return run({{16, 8}, 4, fp32}, "plane", sycl::range{8, 16}); });
  image_case("three dimensions", [&] { return run({{8, 4, 2}, 4, fp32}, "box", sycl::range{2, 4, 8}); });
  image_case("an array of planes", [&] {
    return run({{8, 4}, 4, fp32, syclx::image_type::array, 1, 3}, "planes", sycl::range{3, 4, 8});
  });
  image_case("an array of lines", [&] {
    return run({sycl::range{8}, 4, fp32, syclx::image_type::array, 1, 3}, "lines", sycl::range{3, 8});
  });

  // What a kernel reads of 16 pixels in a row.
  auto read = [&](auto values, unsigned channels, sycl::image_channel_type type, const char *kernel, auto *out) {
    const image_descriptor desc{sycl::range{16}, channels, type};
    image_mem memory(desc, q);
    auto handle = syclx::create_image(memory, desc, q);
    q.ext_oneapi_copy(values.data(), memory.get_handle(), desc);
    launch(kernel, sycl::range{16}, handle, out);
    q.wait_and_throw();
    syclx::destroy_image_handle(handle, q);
  };
  image_case("integers of 32 bits", [&] {
    std::vector<unsigned> values(16);
    std::iota(values.begin(), values.end(), 4000000000u);
    auto *out = sycl::malloc_shared<unsigned>(16, q);
    read(values, 1, sycl::image_channel_type::unsigned_int32, "integers", out);
    return all_equal(out, 16, [&](auto i) { return values[i]; });
  });
  image_case("two channels", [&] {
    std::vector<sycl::float2> values(16);
    for (int i = 0; i < 16; ++i)
      values[i] = {i, -i};
    auto *out = sycl::malloc_shared<sycl::float2>(16, q);
    read(values, 2, fp32, "pairs", out);
    bool holds = true;
    for (int i = 0; i < 16; ++i)
      holds &= out[i].x() == i && out[i].y() == -i;
    return holds;
  });
  image_case("halves", [&] {
    std::vector<sycl::vec<sycl::half, 4>> values(16);
    for (int i = 0; i < 16; ++i)
      values[i] = {0, 1, i + 0.5f, 3};
    auto *out = sycl::malloc_shared<float>(16, q);
    read(values, 4, sycl::image_channel_type::fp16, "halves", out);
    return all_equal(out, 16, [](auto i) { return i + 0.5f; });
  });
  image_case("fractions in bytes", [&] {
    std::vector<std::array<unsigned char, 4>> values(16);
    for (int i = 0; i < 16; ++i)
      values[i][1] = 17 * i;
    auto *out = sycl::malloc_shared<float>(16, q);
    read(values, 4, sycl::image_channel_type::unorm_int8, "fractions", out);
    bool holds = true;
    for (int i = 0; i < 16; ++i)
      holds &= near(out[i], i / 15.f);
    return holds;
  });
  image_case("bytes that a kernel writes", [&] {
    const image_descriptor desc{sycl::range{16}, 4, sycl::image_channel_type::unsigned_int8};
    image_mem memory(desc, q);
    auto handle = syclx::create_image(memory, desc, q);
    std::vector<std::array<unsigned char, 4>> values(16);
    launch("bytes", sycl::range{16}, handle);
    q.ext_oneapi_copy(memory.get_handle(), values.data(), desc);
    q.wait_and_throw();
    bool holds = true;
    for (unsigned char i = 0; i < 16; ++i)
      holds &= values[i] == std::array<unsigned char, 4>{i, (unsigned char)(2 * i), (unsigned char)(3 * i), 255};
    return holds;
  });

  // Samples: a plane of 8 x 4 numbers.
  constexpr int width = 8, height = 4;
  std::vector<float> plane(width * height);
  for (int i = 0; i < width * height; ++i)
    plane[i] = i * i % 31;
  const image_descriptor plane_desc{{width, height}, 1, fp32};
  std::vector<sycl::float2> places;
  for (int i = 0; i < 40; ++i)
    places.push_back({-2.f + 0.33f * i, -1.1f + 0.17f * i});
  auto clamped = [&](int x, int y) { return plane[std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1)]; };
  auto repeated = [&](int x, int y) { return plane[((y % height) + height) % height * width + ((x % width) + width) % width]; };
  auto border = [&](int x, int y) { return x < 0 || y < 0 || x >= width || y >= height ? 0.f : plane[y * width + x]; };
  auto samples = [&](syclx::sampled_image_handle handle, std::vector<sycl::float2> where) {
    auto *at = sycl::malloc_shared<sycl::float2>(where.size(), q);
    auto *out = sycl::malloc_shared<float>(where.size(), q);
    std::copy(where.begin(), where.end(), at);
    launch("sample", sycl::range{where.size()}, handle, static_cast<const sycl::float2 *>(at), out);
    q.wait_and_throw();
    return std::vector<float>(out, out + where.size());
  };
  using sycl::addressing_mode, sycl::filtering_mode;
  using normalization = sycl::coordinate_normalization_mode;
  auto compare = [&](syclx::bindless_image_sampler sampler, auto expected) {
    image_mem memory(plane_desc, q);
    q.ext_oneapi_copy(plane.data(), memory.get_handle(), plane_desc);
    auto handle = syclx::create_image(memory, sampler, plane_desc, q);
    auto where = places;
    if (sampler.coordinate == normalization::normalized)
      for (auto &place : where)
        place = {place.x() / width, place.y() / height};
    const auto found = samples(handle, where);
    syclx::destroy_image_handle(handle, q);
    bool holds = true;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (!near(found[i], expected(places[i].x(), places[i].y()))) {
        std::cout << "  sample " << i << " is " << found[i] << "\n";
        holds = false;
      }
    return holds;
  };
  image_case("nearest pixel, clamped to the edge", [&] {
    return compare({addressing_mode::clamp_to_edge, normalization::unnormalized, filtering_mode::nearest},
                   [&](float x, float y) { return clamped(std::floor(x), std::floor(y)); });
  });
  image_case("linear, clamped to the edge", [&] {
    return compare({addressing_mode::clamp_to_edge, normalization::unnormalized, filtering_mode::linear},
                   [&](float x, float y) { return blend(x, y, clamped); });
  });
  image_case("linear, with a border", [&] {
    return compare({addressing_mode::clamp, normalization::unnormalized, filtering_mode::linear},
                   [&](float x, float y) { return blend(x, y, border); });
  });
  image_case("linear, repeated", [&] {
    return compare({addressing_mode::repeat, normalization::normalized, filtering_mode::linear},
                   [&](float x, float y) { return blend(x, y, repeated); });
  });
  const syclx::bindless_image_sampler nearest{addressing_mode::clamp_to_edge, normalization::unnormalized,
                                              filtering_mode::nearest};
  image_case("pixels of a sampled image", [&] {
    image_mem memory(plane_desc, q);
    q.ext_oneapi_copy(plane.data(), memory.get_handle(), plane_desc);
    auto handle = syclx::create_image(memory, nearest, plane_desc, q);
    auto *out = sycl::malloc_shared<float>(plane.size(), q);
    launch("fetch_sampled", sycl::range{height, width}, handle, out);
    q.wait_and_throw();
    syclx::destroy_image_handle(handle, q);
    return all_equal(out, plane.size(), [&](auto i) { return plane[i]; });
  });

  image_case("a plane in USM", [&] {
    std::size_t pitch = 0;
    void *memory = syclx::pitched_alloc_device(&pitch, plane_desc, q);
    q.ext_oneapi_copy(plane.data(), memory, plane_desc, pitch);
    auto handle = syclx::create_image(memory, pitch, nearest, plane_desc, q);
    auto *out = sycl::malloc_shared<float>(plane.size(), q);
    launch("fetch_sampled", sycl::range{height, width}, handle, out);
    std::vector<float> back(plane.size());
    q.ext_oneapi_copy(memory, back.data(), plane_desc, pitch);
    q.wait_and_throw();
    syclx::destroy_image_handle(handle, q);
    sycl::free(memory, q);
    return pitch >= width * sizeof(float) && back == plane &&
           all_equal(out, plane.size(), [&](auto i) { return plane[i]; });
  });
  image_case("a line in USM", [&] {
    const image_descriptor desc{sycl::range{16}, 1, sycl::image_channel_type::unsigned_int32};
    auto *memory = sycl::malloc_device<unsigned>(16, q);
    q.fill(memory, 7u, 16);
    // The only way to a handle of USM without a sampler.
    auto handle = syclx::create_image(syclx::image_mem_handle{reinterpret_cast<std::uintptr_t>(memory)}, desc, q);
    auto *out = sycl::malloc_shared<unsigned>(16, q);
    launch("integers", sycl::range{16}, handle, out);
    q.wait_and_throw();
    syclx::destroy_image_handle(handle, q);
    return all_equal(out, 16, [](auto) { return 7; });
  });

  image_case("copies of parts", [&] {
    image_mem memory(plane_desc, q), other(plane_desc, q);
    const std::vector<float> zeros(plane.size());
    q.ext_oneapi_copy(zeros.data(), memory.get_handle(), plane_desc);
    q.ext_oneapi_copy(zeros.data(), other.get_handle(), plane_desc);
    // 3 x 2 pixels from (1, 1) of the host's plane to (4, 2) of the image, from there to (0, 1) of another, and back to (2, 0).
    q.ext_oneapi_copy(plane.data(), {1, 1, 0}, {width, height, 0}, memory.get_handle(), {4, 2, 0}, plane_desc, {3, 2, 1});
    q.ext_oneapi_copy(memory.get_handle(), {4, 2, 0}, plane_desc, other.get_handle(), {0, 1, 0}, plane_desc, {3, 2, 1});
    std::vector<float> back(plane.size(), -1);
    q.ext_oneapi_copy(other.get_handle(), {0, 1, 0}, plane_desc, back.data(), {2, 0, 0}, {width, height, 0}, {3, 2, 1});
    q.wait_and_throw();
    return all_equal(back.data(), back.size(), [&](int i) {
      const int x = i % width - 2, y = i / width;
      return x >= 0 && x < 3 && y < 2 ? plane[(y + 1) * width + x + 1] : -1.f;
    });
  });

  image_case("handles in memory", [&] {
    const image_descriptor desc{sycl::range{16}, 4, fp32};
    constexpr int count = 5;
    auto *handles = sycl::malloc_shared<syclx::unsampled_image_handle>(count, q);
    auto *out = sycl::malloc_shared<float>(16, q);
    std::vector<image_mem> memory;
    const auto values = pixels(16 * count);
    for (int i = 0; i < count; ++i) {
      memory.emplace_back(desc, q);
      handles[i] = syclx::create_image(memory[i], desc, q);
      q.ext_oneapi_copy(&values[16 * i], memory[i].get_handle(), desc);
    }
    launch("sum", sycl::range{16}, static_cast<const syclx::unsampled_image_handle *>(handles), count, out);
    q.wait_and_throw();
    for (int i = 0; i < count; ++i)
      syclx::destroy_image_handle(handles[i], q);
    return all_equal(out, 16, [](auto i) { return 5 * i + 16 * (1 + 2 + 3 + 4); });
  });

  image_case("what is known of image memory", [&] {
    const image_descriptor desc{{8, 4, 2}, 2, sycl::image_channel_type::signed_int16};
    image_mem memory(desc, q);
    return memory.get_range() == sycl::range<3>{8, 4, 2} && memory.get_num_channels() == 2 &&
           memory.get_channel_type() == sycl::image_channel_type::signed_int16;
  });

  image_case("what is not there is refused", [&] {
    const bool mipmaps = device.has(sycl::aspect::ext_oneapi_mipmap), cubes = device.has(sycl::aspect::ext_oneapi_cubemap);
    return (mipmaps || error_of([&] { image_mem({{8, 8}, 4, fp32, syclx::image_type::mipmap, 3}, q); }) > 0) &&
           (cubes || error_of([&] { image_mem({{8, 8}, 4, fp32, syclx::image_type::cubemap, 1, 6}, q); }) > 0);
  });

  return summary();
}
