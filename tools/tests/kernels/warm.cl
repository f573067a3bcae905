// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of items that are independent, and one of items that wait for each other.

kernel void add(global const int *a, global const int *b, global int *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}

// The sum of each work-group, as a tree in local memory.
kernel void tree(global const float *in, global float *out, local float *sums) {
  size_t item = get_local_id(0), count = get_local_size(0);
  sums[item] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  while (count > 1) {
    size_t half_size = (count + 1) / 2;
    if (item + half_size < count)
      sums[item] += sums[item + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
    count = half_size;
  }
  if (item == 0)
    out[get_group_id(0)] = sums[0];
}
