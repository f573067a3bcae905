// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of sgemm.cl in C. Both compute the same sums in the same order, so one function is best for both: a block of
// the result is in registers. It would be faster to copy blocks of `b`, whose rows are far apart, but another algorithm.

#include "native.h"

#define ROWS 8
#define VECTORS 2

static inline void product(float *c, const float *a, const float *b, size_t n) {
#pragma omp parallel for collapse(2)
  for (size_t row = 0; row < n; row += ROWS)
    for (size_t column = 0; column < n; column += VECTORS * LANES) {
      floats sums[ROWS][VECTORS] = {0};
      for (size_t k = 0; k < n; ++k) {
        const floats *right = (const floats *)&b[k * n + column];
#pragma GCC unroll 8
        for (size_t y = 0; y < ROWS; ++y)
#pragma GCC unroll 2
          for (size_t x = 0; x < VECTORS; ++x)
            sums[y][x] += a[(row + y) * n + k] * right[x];
      }
      for (size_t y = 0; y < ROWS; ++y)
        memcpy(&c[(row + y) * n + column], sums[y], sizeof sums[y]);
    }
}

KERNEL(naive) {
  VALUE(uint64_t, n, 3);
  product(args[0], args[1], args[2], n);
}

KERNEL(tiled) {
  VALUE(uint64_t, n, 3);
  product(args[0], args[1], args[2], n);
}
