// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions by a number that is the same for all items, as in the indices of arrays with several dimensions.

kernel void divided32(global uint *out, global const uint *in, uint divisor) {
  size_t i = get_global_id(0);
  out[i] = in[i] / divisor;
}

// Numbers of 64 bits that are no larger than indices are.
kernel void divided64(global uint *out, global const uint *in, ulong divisor) {
  size_t i = get_global_id(0);
  ulong index = (ulong)in[i] * 5 + i;
  out[i] = index / divisor;
}

// Each number by another one.
kernel void divided_by_each(global uint *out, global const uint *in) {
  size_t i = get_global_id(0), n = get_global_size(0);
  out[i] = in[i] / (in[n - 1 - i] >> 16 | 1);
}
