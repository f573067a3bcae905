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
