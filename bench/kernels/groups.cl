// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items that work together: local memory, barriers, atomics, sub-groups.

#define GROUP 256
#define BINS 256

// The sum of each group, by a tree.
kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
reduction(global float *out, global const float *in) {
  local float sums[GROUP];
  uint l = get_local_id(0);
  sums[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_of = GROUP / 2; half_of > 0; half_of /= 2) {
    if (l < half_of)
      sums[l] += sums[l + half_of];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    out[get_group_id(0)] = sums[0];
}

kernel void histogram_global(global uint *bins, global const uint *in, uint each) {
  size_t i = get_global_id(0), step = get_global_size(0);
  for (uint n = 0; n < each; ++n)
    atomic_inc(&bins[in[i + n * step] % BINS]);
}

kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
histogram_local(global uint *bins, global const uint *in, uint each) {
  local uint own[BINS];
  uint l = get_local_id(0);
  own[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  size_t first = get_group_id(0) * (size_t)each * GROUP + l;
  for (uint n = 0; n < each; ++n)
    atomic_inc(&own[in[first + n * GROUP] % BINS]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[l], own[l]);
}

// One step of a bitonic sort: all pairs at this distance, in blocks that go up and down by turns.
kernel void bitonic(global uint *data, uint distance, uint block) {
  uint i = get_global_id(0), other = i ^ distance;
  if (other > i) {
    uint a = data[i], b = data[other];
    bool up = (i & block) == 0;
    if ((a > b) == up) {
      data[i] = b;
      data[other] = a;
    }
  }
}

kernel void __attribute__((intel_reqd_sub_group_size(16)))
sub_group_sum(global float *out, global const float *in) {
  size_t i = get_global_id(0);
  out[i] = sub_group_reduce_add(in[i]);
}

kernel void __attribute__((intel_reqd_sub_group_size(16)))
sub_group_scan(global float *out, global const float *in) {
  size_t i = get_global_id(0);
  out[i] = sub_group_scan_inclusive_add(in[i]);
}
