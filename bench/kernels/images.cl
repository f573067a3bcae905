// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes of images, whose formats only the launch knows.

constant sampler_t linear_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void image_read(global float4 *out, read_only image2d_t image) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * get_global_size(0) + x] = read_imagef(image, (int2)(x, y));
}

kernel void image_linear(global float4 *out, read_only image2d_t image) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * get_global_size(0) + x] = read_imagef(image, linear_sampler, (float2)(x + 0.25f, y + 0.75f));
}

kernel void image_write(write_only image2d_t image) {
  int x = get_global_id(0), y = get_global_id(1);
  write_imagef(image, (int2)(x, y), (float4)(x, y, x + y, 512) / 1024.0f);
}
