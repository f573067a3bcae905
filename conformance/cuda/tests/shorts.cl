// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ptxas makes wrong of 16-bit instructions: the negative of -32768, where something extends, compares, shifts or divides it.

__kernel void negated(__global int *out, __global const short *in) {
    size_t i = get_global_id(0);
    short x = in[2 * i], y = in[2 * i + 1];
    short minus = (short)-x, size = (short)abs(x);
    out += 8 * i;
    out[0] = minus;
    out[1] = minus * y;
    out[2] = minus < y;
    out[3] = minus >> 3;
    out[4] = minus / (short)(y | 1);
    out[5] = size;
    out[6] = size < y;
    out[7] = size * y;
}

// The low bits of floating-point numbers, from the numbers' registers.
__kernel void low_bits(__global short *shorts, __global int *ints, __global const float *in) {
    size_t i = get_global_id(0);
    float x = in[i] + 1.5f;
    double y = in[i] * 3.0;
    shorts[i] = (short)as_int(x);
    ints[i] = (int)as_long(y);
}
