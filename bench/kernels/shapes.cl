// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of all shapes, over an array of two dimensions: with a barrier, without one, and without a look at the group.

kernel void barrier_tile(global float *out, global const float *in, ulong width) {
  local float tile[256];
  size_t at = get_global_id(1) * width + get_global_id(0);
  size_t size = get_local_size(0) * get_local_size(1);
  size_t own = get_local_id(1) * get_local_size(0) + get_local_id(0);
  tile[own] = in[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[at] = tile[own] + 0.5f * tile[size - 1 - own];
}

// The sum of what a group reads, `each` numbers an item, as in the reductions of SYCL programs.
kernel void reduction(global float *out, global const float *in, uint each) {
  local float sums[256];
  size_t own = get_local_id(0), size = get_local_size(0);
  global const float *first = in + get_group_id(0) * size * each;
  float sum = 0;
  for (size_t i = own; i < size * each; i += size)
    sum += first[i];
  sums[own] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t half_of = size / 2; half_of > 0; half_of /= 2) {
    if (own < half_of)
      sums[own] += sums[own + half_of];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (own == 0)
    out[get_group_id(0)] = sums[0];
}

// The sum of a group, by a tree of any size.
kernel void barrier_tree(global float *out, global const float *in, ulong width) {
  local float sums[256];
  size_t at = get_global_id(1) * width + get_global_id(0);
  uint size = get_local_size(0) * get_local_size(1);
  uint own = get_local_id(1) * get_local_size(0) + get_local_id(0);
  sums[own] = in[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  while (size > 1) {
    uint half_of = (size + 1) / 2;
    if (own + half_of < size)
      sums[own] += sums[own + half_of];
    barrier(CLK_LOCAL_MEM_FENCE);
    size = half_of;
  }
  out[at] = in[at] - sums[0];
}

kernel void local_ids(global float *out, global const float *in, ulong width) {
  size_t at = get_global_id(1) * width + get_global_id(0);
  float here = (float)(get_local_id(0) + 3 * get_local_id(1));
  out[at] = 0.5f * in[at] + here;
}

kernel void global_ids(global float *out, global const float *in, ulong width) {
  size_t at = get_global_id(1) * width + get_global_id(0);
  out[at] = 0.5f * in[at] + 1.0f;
}

// The largest number of each of 256 classes, in groups of as many.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
maxima_local(global uint *bins, global const uint *in, uint each) {
  local uint own[256];
  uint l = get_local_id(0);
  own[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  size_t first = get_group_id(0) * (size_t)each * 256 + l;
  for (uint n = 0; n < each; ++n) {
    uint x = in[first + n * 256];
    atomic_max(&own[x % 256], x);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_max(&bins[l], own[l]);
}
