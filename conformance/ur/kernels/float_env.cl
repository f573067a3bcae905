// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One operation each, so that the result is rounded once.

kernel void add_multiply(global const float *a, global const float *b, global float *sums, global float *products) {
  size_t i = get_global_id(0);
  sums[i] = a[i] + b[i];
  products[i] = a[i] * b[i];
}
