// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing images.

constant sampler_t exact = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void invert(read_only image2d_t from, write_only image2d_t to) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(to, at, 255u - read_imageui(from, exact, at));
}

kernel void sample(read_only image2d_t from, sampler_t with, global const float2 *at, global float4 *out) {
  size_t i = get_global_id(0);
  out[i] = read_imagef(from, with, at[i]);
}

kernel void sample_int(read_only image2d_t from, sampler_t with, global const float2 *at, global int4 *out) {
  size_t i = get_global_id(0);
  out[i] = read_imagei(from, with, at[i]);
}

kernel void sample_uint(read_only image2d_t from, sampler_t with, global const float2 *at, global uint4 *out) {
  size_t i = get_global_id(0);
  out[i] = read_imageui(from, with, at[i]);
}

// Without a sampler, row by row.

kernel void fetch(read_only image2d_t from, global float4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  out[at.x + at.y * get_image_width(from)] = read_imagef(from, at);
}

kernel void fetch_int(read_only image2d_t from, global int4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  out[at.x + at.y * get_image_width(from)] = read_imagei(from, at);
}

kernel void fetch_uint(read_only image2d_t from, global uint4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  out[at.x + at.y * get_image_width(from)] = read_imageui(from, at);
}

kernel void store(write_only image2d_t to, global const float4 *from) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, at, from[at.x + at.y * get_image_width(to)]);
}

kernel void store_int(write_only image2d_t to, global const int4 *from) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagei(to, at, from[at.x + at.y * get_image_width(to)]);
}

kernel void store_uint(write_only image2d_t to, global const uint4 *from) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(to, at, from[at.x + at.y * get_image_width(to)]);
}

kernel void describe(read_only image2d_t image, global int *out) {
  out[0] = get_image_channel_order(image) - CLK_R;
  out[1] = get_image_channel_data_type(image) - CLK_SNORM_INT8;
}
