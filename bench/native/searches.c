// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of searches.cl in C. Compilers vectorise none of these searches.

#include "native.h"

#define CHUNK 4

// The first place from which on no element is less than a key; with `after`, from which on all are greater.
static inline size_t place(const double *in, size_t first, size_t end, double key, int after) {
  size_t count = end - first;
  while (count > 0) {
    size_t half = count / 2, middle = first + half;
    int is_right = after ? in[middle] <= key : in[middle] < key;
    first = is_right ? middle + 1 : first;
    count = is_right ? count - half - 1 : half;
  }
  return first;
}

KERNEL(merge) {
  BUFFER(double, out, 0);
  BUFFER(const double, in, 1);
  VALUE(uint64_t, run, 2);
#pragma omp parallel for
  for (size_t i = 0; i < range[0]; ++i) {
    size_t items = run / CHUNK, pair = i / items * 2 * run, offset = i % items * CHUNK;
#pragma GCC unroll 2
    for (size_t side = 0; side < 2; ++side) {
      const double *own = in + pair + side * run + offset;
      size_t start = pair + (1 - side) * run, end = start + run;
      double *to = out + pair + offset - start;
      size_t low = place(in, start, end, own[0], side);
      size_t high = place(in, low, end, own[CHUNK - 1], side);
      to[low] = own[0];
      to[high + CHUNK - 1] = own[CHUNK - 1];
      for (size_t k = 1; k < CHUNK - 1; ++k) {
        low = place(in, low, high, own[k], side);
        to[low + k] = own[k];
      }
    }
  }
}
