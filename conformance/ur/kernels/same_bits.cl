// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose results depend on the order of operations in a work-group, but on nothing else.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// The sum of each work-group, as a tree in local memory. The size of the group may be odd.
kernel void tree(global const float *in, global float *out, local float *sums) {
  size_t item = get_local_id(0), count = get_local_size(0);
  sums[item] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  while (count > 1) {
    size_t upper = (count + 1) / 2;
    if (item + upper < count)
      sums[item] += sums[item + upper];
    barrier(CLK_LOCAL_MEM_FENCE);
    count = upper;
  }
  if (item == 0)
    out[get_group_id(0)] = sums[0];
}

// The work-group's sum and its prefix sums, by the device's own functions.
kernel void group_sums(global const float *in, global float *sums, global float *prefixes) {
  size_t i = get_global_id(0);
  sums[i] = work_group_reduce_add(in[i]);
  prefixes[i] = work_group_scan_inclusive_add(in[i]);
}

// The sub-group's sum and its prefix sums.
kernel void sub_group_sums(global const float *in, global float *sums, global float *prefixes) {
  size_t i = get_global_id(0);
  sums[i] = sub_group_reduce_add(in[i]);
  prefixes[i] = sub_group_scan_inclusive_add(in[i]);
}

kernel void math(global const float *in, global float *out) {
  size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  float x = in[i];
  out[i] = sin(x) * exp(x / 1000) + pow(fabs(x), 0.7f) - cos(x) / (1 + sqrt(fabs(x))) + log(1 + x * x) * tanh(x) + rsqrt(1 + x);
}

kernel void math_double(global const float *in, global double *out) {
  size_t i = get_global_id(0) - get_global_offset(0);
  double x = in[i];
  out[i] = sin(x) * exp(x / 1000) + pow(fabs(x), 0.7) - cos(x) / (1 + sqrt(fabs(x)));
}

// Work-items that take very different times: a sum of 1 to 1000 terms.
kernel void uneven(global const float *in, global float *out) {
  size_t i = get_global_id(0);
  uint terms = 1 + (uint)i * 2654435761u % 1000;
  float sum = 0;
  for (uint term = 0; term < terms; ++term)
    sum += in[term] / (term + 1);
  out[i] = sum;
}

// Counts that all work-items share. Integers have no order.
kernel void counts(global const uint *in, global uint *out) {
  uint value = in[get_global_id(0)];
  atomic_add(out + value % 61, value);
  atomic_xor(out + 61 + value % 7, value);
  atomic_max(out + 68 + value % 11, value);
  atomic_min(out + 79 + value % 3, ~value);
  atomic_inc(out + 82);
}
