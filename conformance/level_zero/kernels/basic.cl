// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small kernels that most tests launch.

kernel void nothing(void) {}
kernel void add(global int *data, int value) { data[get_global_id(0)] += value; }
kernel void multiply(global int *data, int value) { data[get_global_id(0)] *= value; }
kernel void store(global int *data, int value) { *data = value; }
kernel void count(global int *counter) { atomic_inc(counter); }

// Adds an array to another.
kernel void accumulate(global int *to, global const int *from) { to[get_global_id(0)] += from[get_global_id(0)]; }

// Twelve numbers for each work-item, in the order of their global ids.
kernel void ids(global uint *out) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  size_t z = get_global_id(2) - get_global_offset(2);
  out += 12 * ((z * get_global_size(1) + y) * get_global_size(0) + x);
  for (uint d = 0; d < 3; d++) {
    out[d] = get_global_id(d);
    out[3 + d] = get_local_id(d);
    out[6 + d] = get_group_id(d);
    out[9 + d] = get_local_size(d);
  }
}

// What a launch looks like to its first work-item.
kernel void sizes(global uint *out) {
  if (get_global_id(0) != get_global_offset(0) || get_global_id(1) != get_global_offset(1) ||
      get_global_id(2) != get_global_offset(2))
    return;
  out[0] = get_work_dim();
  for (uint d = 0; d < 3; d++) {
    out[1 + d] = get_global_size(d);
    out[4 + d] = get_num_groups(d);
    out[7 + d] = get_global_offset(d);
  }
}

// Reverses what each group holds, by local memory and a barrier.
kernel void reverse(global int *data, local int *scratch) {
  size_t local_id = get_local_id(0), size = get_local_size(0);
  scratch[local_id] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = scratch[size - 1 - local_id];
}

// Local memory that the kernel declares.
kernel void reverse_64(global int *data) {
  local int scratch[64];
  scratch[get_local_id(0)] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = scratch[63 - get_local_id(0)];
}

// Two pieces of local memory must not overlap.
kernel void two_locals(local int *a, local int *b, global int *out, int size_a, int size_b) {
  if (get_local_id(0) == 0) {
    for (int i = 0; i < size_a; i++)
      a[i] = 1 + i;
    for (int i = 0; i < size_b; i++)
      b[i] = -1 - i;
    int wrong = 0;
    for (int i = 0; i < size_a; i++)
      wrong += a[i] != 1 + i;
    for (int i = 0; i < size_b; i++)
      wrong += b[i] != -1 - i;
    out[get_group_id(0)] = wrong;
  }
}

// Memory that is reached by addresses in memory.
kernel void follow(global ulong *table, int count) {
  for (int i = 0; i < count; i++)
    ((global int *)table[i])[get_global_id(0)] += i + 1;
}

// Whether pointers are null.
kernel void nulls(global int *out, global int *a, constant int *b) {
  out[0] = a == 0;
  out[1] = b == 0;
}

// The sum of all work-items' ids, by sub-groups and atomics. What comes second is the size of the sub-groups.
kernel void sums(global uint *out) {
  uint sum = sub_group_reduce_add((uint)get_global_id(0));
  if (get_sub_group_local_id() == 0)
    atomic_add(out, sum);
  if (get_global_id(0) == 0)
    out[1] = get_sub_group_size();
}

kernel __attribute__((reqd_work_group_size(8, 2, 1))) void required(global uint *out) {
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_id(1) * 8 + get_local_id(0);
}

kernel __attribute__((intel_reqd_sub_group_size(16))) void sub_group_of_16(global uint *out) {
  out[get_global_id(0)] = get_sub_group_local_id();
}
