// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose step is an argument. Each tells the counter behind it, too: where it wrapped around.

#define LOOP(NAME, TYPE, ELEMENT, WHILE)                                                                                   \
    kernel void NAME(global ELEMENT *sum, global TYPE *end, global const ELEMENT *x, TYPE first, TYPE bound, TYPE step,    \
                     TYPE mask) {                                                                                          \
        ELEMENT all = 0;                                                                                                   \
        TYPE i = first;                                                                                                    \
        for (; WHILE; i += step) {                                                                                         \
            all = all * 3 + x[i & mask];                                                                                   \
        }                                                                                                                  \
        *sum = all;                                                                                                        \
        *end = i;                                                                                                          \
    }

LOOP(below_ulong, ulong, float, i < bound)
LOOP(up_to_ulong, ulong, float, i <= bound)
LOOP(below_uint, uint, uint, i < bound)
LOOP(up_to_uint, uint, uint, i <= bound)
LOOP(below_int, int, uint, i < bound)
LOOP(up_to_int, int, uint, i <= bound)
LOOP(above_int, int, uint, bound > i)

// At least once, whatever the bound is.
kernel void at_least_once(global uint *sum, global uint *end, global const uint *x, uint first, uint bound, uint step,
                          uint mask) {
    uint all = 0, i = first;
    do {
        all = all * 3 + x[i & mask];
        i += step;
    } while (i < bound);
    *sum = all;
    *end = i;
}

// An inner loop that begins with what the one before it left, and whose last element is kept.
kernel void nested(global uint *sum, global uint *end, global const uint *x, uint first, uint bound, uint step, uint mask) {
    uint all = 0, last = 0;
    for (uint row = 0; row < 3; row++) {
        for (uint i = first + last % 2; i < bound; i += step) {
            last = x[(i + row) & mask];
            all = all * 3 + last;
        }
    }
    *sum = all;
    *end = last;
}
