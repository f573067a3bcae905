// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of square matrices, by rows.

#define TILE 16

kernel void naive(global float *c, global const float *a, global const float *b, ulong n) {
  size_t column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (size_t k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

kernel void __attribute__((reqd_work_group_size(TILE, TILE, 1)))
tiled(global float *c, global const float *a, global const float *b, ulong n) {
  local float left[TILE][TILE], right[TILE][TILE];
  size_t x = get_local_id(0), y = get_local_id(1);
  size_t column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (size_t tile = 0; tile < n; tile += TILE) {
    left[y][x] = a[row * n + tile + x];
    right[y][x] = b[(tile + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = 0; k < TILE; ++k)
      sum += left[y][k] * right[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
