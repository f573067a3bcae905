// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that read and write images.

kernel void read_1d(read_only image1d_t image, global uint4 *out) {
  int x = get_global_id(0);
  out[x] = read_imageui(image, x);
}
kernel void read_2d(read_only image2d_t image, global uint4 *out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * get_global_size(0) + x] = read_imageui(image, (int2)(x, y));
}
kernel void read_2d_array(read_only image2d_array_t image, global uint4 *out) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  out[(z * get_global_size(1) + y) * get_global_size(0) + x] = read_imageui(image, (int4)(x, y, z, 0));
}
kernel void read_3d(read_only image3d_t image, global uint4 *out) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  out[(z * get_global_size(1) + y) * get_global_size(0) + x] = read_imageui(image, (int4)(x, y, z, 0));
}
kernel void read_float(read_only image2d_t image, global float4 *out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * get_global_size(0) + x] = read_imagef(image, (int2)(x, y));
}
kernel void write_2d(write_only image2d_t image) {
  int x = get_global_id(0), y = get_global_id(1);
  write_imageui(image, (int2)(x, y), (uint4)(x, y, x + y, 7));
}
kernel void sample(read_only image2d_t image, sampler_t how, global const float2 *at, global float4 *out) {
  size_t i = get_global_id(0);
  out[i] = read_imagef(image, how, at[i]);
}
kernel void extents(read_only image2d_t image, global int *out) {
  out[0] = get_image_width(image);
  out[1] = get_image_height(image);
}
