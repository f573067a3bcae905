// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 48 values of a work-item are needed until the end: more registers than 1024 threads can have.
__kernel void mix(__global double *out, __global const double *in, int rounds) {
    double values[48];
#pragma unroll
    for (int k = 0; k < 48; k++)
        values[k] = in[k] + get_local_linear_id();
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int k = 0; k < 48; k++)
            values[k] += values[(k + 7) % 48];
    }
    double sum = 0;
#pragma unroll
    for (int k = 0; k < 48; k++)
        sum += (k + 1) * values[k];
    out[get_global_linear_id()] = sum;
}
