// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that tell where their buffers are.

kernel void increment(global int *data, global ulong *place) {
  size_t i = get_global_id(0);
  data[i] += 1;
  if (i == 0)
    *place = (ulong)data;
}

// For one work-item: the address and the sum of some numbers.
kernel void sum(global const int *data, int count, global ulong *place, global int *out) {
  *place = (ulong)data;
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += data[i];
  *out = sum;
}
