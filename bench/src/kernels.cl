// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that are launched. Each leaves something by which the host sees how often and with what it ran.

global int counter;
global int table[64];

// Commands of the queue run one after the other: no atomics.
kernel void count_up(void) { counter += 1; }

kernel void multiply_add(global int *out, global const int *in, int factor, int summand) {
  size_t i = get_global_id(0);
  out[i] = in[i] * factor + summand;
}
