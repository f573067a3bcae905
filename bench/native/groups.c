// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of groups.cl in C: what a work-group does between two barriers is a loop, and a work-group an iteration.

#include "native.h"

#define GROUP 256
#define BINS 256

// For each lane that of another one, whose number differs in one bit.
#define ACROSS_1(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
#define ACROSS_2(v) __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)
#define ACROSS_4(v) __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11)
#define ACROSS_8(v) __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)

// The sum of all lanes, in each.
static inline floats total(floats v) {
  v += ACROSS_8(v);
  v += ACROSS_4(v);
  v += ACROSS_2(v);
  return v + ACROSS_1(v);
}

KERNEL(reduction) {
  BUFFER(float, out, 0);
  BUFFER(const floats, in, 1);
#pragma omp parallel for
  for (size_t group = 0; group < range[0] / GROUP; ++group) {
    floats sums[GROUP / LANES];
    memcpy(sums, in + group * (GROUP / LANES), sizeof sums);
#pragma GCC unroll 4
    for (uint32_t half = GROUP / LANES / 2; half > 0; half /= 2)
#pragma GCC unroll 8
      for (uint32_t l = 0; l < half; ++l)
        sums[l] += sums[l + half];
    out[group] = total(sums[0])[0];
  }
}

KERNEL(histogram_global) {
  BUFFER(uint32_t, bins, 0);
  BUFFER(const uint32_t, in, 1);
  VALUE(uint32_t, each, 2);
#pragma omp parallel for
  for (size_t i = 0; i < range[0] * each; ++i) {
#pragma omp atomic
    ++bins[in[i] % BINS];
  }
}

KERNEL(histogram_local) {
  BUFFER(uint32_t, bins, 0);
  BUFFER(const uint32_t, in, 1);
  VALUE(uint32_t, each, 2);
#pragma omp parallel for
  for (size_t group = 0; group < range[0] / GROUP; ++group) {
    uint32_t own[BINS] = {0};
    const uint32_t *first = in + group * each * GROUP;
    for (size_t i = 0; i < (size_t)each * GROUP; ++i)
      ++own[first[i] % BINS];
    for (size_t bin = 0; bin < BINS; ++bin) {
#pragma omp atomic
      bins[bin] += own[bin];
    }
  }
}

// Pairs within a vector.
#define NEAR(distance)                                                                                                 \
  _Pragma("omp parallel for") for (size_t first = 0; first < range[0]; first += LANES) {                               \
    const words old = data[first / LANES], other = ACROSS_##distance(old);                                             \
    const words most = (words)((lane & distance) == 0) ^ (words)(((lane + (uint32_t)first) & block) == 0);             \
    data[first / LANES] = old ^ ((old ^ other) & ((words)(old > other) ^ most));                                       \
  }                                                                                                                    \
  break

KERNEL(bitonic) {
  BUFFER(words, data, 0);
  VALUE(uint32_t, distance, 1);
  VALUE(uint32_t, block, 2);
  const words lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  switch (distance) {
  case 1:
    NEAR(1);
  case 2:
    NEAR(2);
  case 4:
    NEAR(4);
  case 8:
    NEAR(8);
  default:
#pragma omp parallel for
    for (size_t pair = 0; pair < range[0] / 2; pair += LANES) {
      const size_t first = 2 * pair - (pair & (distance - 1));
      words *low = data + first / LANES, *high = low + distance / LANES;
      const words down = (words){0} - (uint32_t)((first & block) != 0);
      const words a = *low, b = *high, change = (a ^ b) & ((words)(a > b) ^ down);
      *low = a ^ change;
      *high = b ^ change;
    }
  }
}

KERNEL(sub_group_sum) {
  BUFFER(floats, out, 0);
  BUFFER(const floats, in, 1);
#pragma omp parallel for
  for (size_t group = 0; group < range[0] / LANES; ++group)
    STREAM(total(in[group]), out + group);
}

KERNEL(sub_group_scan) {
  BUFFER(floats, out, 0);
  BUFFER(const floats, in, 1);
  const floats zero = {0};
#pragma omp parallel for
  for (size_t group = 0; group < range[0] / LANES; ++group) {
    floats v = in[group];
    v += __builtin_shufflevector(zero, v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
    v += __builtin_shufflevector(zero, v, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
    v += __builtin_shufflevector(zero, v, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
    v += __builtin_shufflevector(zero, v, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    STREAM(v, out + group);
  }
}
