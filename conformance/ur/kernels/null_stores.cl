// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that store results which nobody may want.

typedef struct { uint a, b; } pair;

// Both only stored through, one in several ways.
kernel void sums(global const uint *x, global uint *twice, global pair *pairs) {
  size_t at = get_global_id(0);
  twice[at] = 2 * x[at];
  pairs[at].a = x[at];
  pairs[at].b = 3 * x[at];
  if (x[at] & 1)
    *(global ulong *)&pairs[at] = x[at];
}

// Whether `twice` is null decides about `x`.
kernel void asks(global uint *x, global uint *twice) {
  size_t at = get_global_id(0);
  x[at] = twice ? 1 : 2;
  if (twice)
    twice[at] = 3;
}
