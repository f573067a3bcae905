// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of memory.cl in C.

#include "native.h"

KERNEL(copy) {
  BUFFER(floats, out, 0);
  BUFFER(const floats, in, 1);
#pragma omp parallel for
  for (size_t i = 0; i < range[0] / LANES; ++i)
    STREAM(in[i], out + i);
}

KERNEL(triad) {
  BUFFER(floats, out, 0);
  BUFFER(const floats, a, 1);
  BUFFER(const floats, b, 2);
  VALUE(float, factor, 3);
#pragma omp parallel for
  for (size_t i = 0; i < range[0] / LANES; ++i)
    STREAM(a[i] + factor * b[i], out + i);
}

KERNEL(saxpy) {
  BUFFER(float, y, 0);
  BUFFER(const float, x, 1);
  VALUE(float, a, 2);
#pragma omp parallel for simd
  for (size_t i = 0; i < range[0]; ++i)
    y[i] = a * x[i] + y[i];
}

KERNEL(stencil) {
  BUFFER(float, out, 0);
  BUFFER(const float, in, 1);
  VALUE(uint64_t, width, 2);
  VALUE(uint64_t, height, 3);
#pragma omp parallel for
  for (size_t y = 0; y < height; ++y) {
    float *to = out + y * width;
    const float *from = in + y * width;
    if (y == 0 || y == height - 1) {
      memcpy(to, from, width * sizeof *to);
      continue;
    }
    for (size_t x = 0; x < width; x += LANES) {
#define AT(offset) (*(const unaligned *)(from + x + (offset)))
      const floats here = AT(0);
      floats result = 0.5f * here + 0.125f * (AT(-1) + AT(1) + AT(-(ptrdiff_t)width) + AT((ptrdiff_t)width));
      if (x == 0)
        result[0] = here[0];
      if (x == width - LANES)
        result[LANES - 1] = here[LANES - 1];
      STREAM(result, (floats *)(to + x));
    }
  }
}
