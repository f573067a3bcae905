// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CUDA adapter is measured by, beside bench/native/gpu.cu: loads, stores, and sums of what has been loaded.

kernel void copy(global float *restrict out, global const float *restrict in) {
  size_t i = get_global_id(0);
  out[i] = in[i];
}

kernel void copy4(global float4 *restrict out, global const float4 *restrict in) {
  size_t i = get_global_id(0);
  out[i] = in[i];
}

kernel void triad(global float *restrict out, global const float *restrict a, global const float *restrict b, float factor) {
  size_t i = get_global_id(0);
  out[i] = a[i] + factor * b[i];
}

kernel void triad4(global float4 *restrict out, global const float4 *restrict a, global const float4 *restrict b,
                   float factor) {
  size_t i = get_global_id(0);
  out[i] = a[i] + factor * b[i];
}

// Adds up a work-group's numbers in local memory.
void tree(global float *out, local float *parts, float sum) {
  uint item = get_local_id(0);
  parts[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_ = get_local_size(0) / 2; half_ > 0; half_ /= 2) {
    if (item < half_)
      parts[item] += parts[item + half_];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0)
    out[get_group_id(0)] = parts[0];
}

kernel void sum(global float *restrict out, global const float *restrict in, ulong count) {
  local float parts[256];
  float sum = 0;
  for (size_t i = get_global_id(0); i < count; i += get_global_size(0))
    sum += in[i];
  tree(out, parts, sum);
}

// As dpnp has its reductions: a work-item has 8 numbers, and there are as many work-groups as that takes.
kernel void groups(global float *restrict out, global const float *restrict in, ulong count) {
  local float parts[1024];
  size_t start = get_group_id(0) * get_local_size(0) * 8 + get_local_id(0);
  size_t end = min(start + get_local_size(0) * 8, count);
  float sum = 0;
  for (size_t i = start; i < end; i += get_local_size(0))
    sum += in[i];
  tree(out, parts, sum);
}

kernel void sum4(global float *restrict out, global const float4 *restrict in, ulong count) {
  local float parts[256];
  float4 sum = 0;
  for (size_t i = get_global_id(0); i < count / 4; i += get_global_size(0))
    sum += in[i];
  tree(out, parts, sum.x + sum.y + sum.z + sum.w);
}

kernel void largest(global float *restrict out, global const float *restrict in, ulong count) {
  local float parts[256];
  float most = 0;
  for (size_t i = get_global_id(0); i < count; i += get_global_size(0))
    most = in[i] > most ? in[i] : most;
  tree(out, parts, most);
}
