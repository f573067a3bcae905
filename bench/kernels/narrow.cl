// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of 8 and 16 bits, of which a register holds more than lanes of 32 bits, and kernels that keep many of 64 bits.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// A mix of two images, rounded.
kernel void blend(global uchar *out, global const uchar *a, global const uchar *b, uint weight) {
  size_t i = get_global_id(0);
  uchar w = (uchar)weight;
  ushort t = (ushort)((ushort)a[i] * w + (ushort)b[i] * (ushort)(255 - w) + 128);
  out[i] = (uchar)((ushort)(t + (t >> 8)) >> 8);
}

// Saturated sums where two images differ, averages elsewhere.
kernel void threshold(global uchar *out, global const uchar *a, global const uchar *b, uint limit) {
  size_t i = get_global_id(0);
  uchar x = a[i], y = b[i];
  out[i] = abs_diff(x, y) > (uchar)limit ? add_sat(x, y) : rhadd(x, y);
}

// A median of three rows' neighbours, by minima and maxima.
kernel void median(global uchar *out, global const uchar *in, ulong width) {
  size_t i = get_global_id(0);
  uchar a = in[i], b = in[i + width], c = in[i + 2 * width];
  out[i] = max(min(a, b), min(max(a, b), c));
}

// An image of three bytes a pixel.
kernel void grey(global uchar *out, global const uchar *in, int count) {
  int i = get_global_id(0);
  if (i < count)
    out[i] = (in[3 * i] * 77 + in[3 * i + 1] * 151 + in[3 * i + 2] * 28) >> 8;
}

// Arithmetic of bytes alone.
kernel void hash8(global uchar *out, global const uchar *in, uint rounds) {
  size_t i = get_global_id(0);
  uchar x = in[i], y = (uchar)(x + 77);
  for (uint round = 0; round < rounds; ++round) {
    x = (uchar)((x ^ y) + (uchar)(y << 1));
    y = (uchar)(rotate(y, (uchar)3) ^ x);
  }
  out[i] = x;
}

// The same of 16 bits.
kernel void hash16(global ushort *out, global const ushort *in, uint rounds) {
  size_t i = get_global_id(0);
  ushort x = in[i], y = (ushort)(x + 77);
  for (uint round = 0; round < rounds; ++round) {
    x = (ushort)((x ^ y) * (ushort)31);
    y = (ushort)(rotate(y, (ushort)3) + x);
  }
  out[i] = x;
}

// A filter of samples of 16 bits with 8 taps, a loop that loads.
kernel void filter16(global short *out, global const short *in, global const short *taps) {
  size_t i = get_global_id(0);
  short sum = 0;
  for (uint tap = 0; tap < 8; ++tap)
    sum = add_sat(sum, mul_hi((short)(in[i + tap] * 2), taps[tap]));
  out[i] = sum;
}

// Bytes to floats and back.
kernel void gain8(global uchar *out, global const uchar *in, float factor) {
  size_t i = get_global_id(0);
  out[i] = convert_uchar_sat(in[i] * factor + 3.5f);
}

// Halfs.
kernel void polynomial16(global half *out, global const half *in) {
  size_t i = get_global_id(0);
  half x = in[i], y = x;
  for (uint round = 0; round < 8; ++round)
    y = fma(y, x, (half)0.25h) * (half)0.5h;
  out[i] = y;
}

// Products of 4 x 4 matrices: 32 numbers of 64 bits for each item.
kernel void powers(global double *out, global const double *in, uint rounds) {
  size_t i = get_global_id(0), n = get_global_size(0);
  double a[16], b[16];
  for (int k = 0; k < 16; ++k)
    a[k] = b[k] = in[i + k];
  for (uint round = 0; round < rounds; ++round) {
    double c[16];
#pragma unroll
    for (int row = 0; row < 4; ++row)
#pragma unroll
      for (int column = 0; column < 4; ++column)
        c[4 * row + column] = 0.25 * (a[4 * row] * b[column] + a[4 * row + 1] * b[4 + column] +
                                      a[4 * row + 2] * b[8 + column] + a[4 * row + 3] * b[12 + column]);
#pragma unroll
    for (int k = 0; k < 16; ++k)
      a[k] = c[k];
  }
  double sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += a[k];
  out[i] = sum;
}

// Sixteen recurrences of 64 bits.
kernel void recurrences(global double *out, global const double *in, uint rounds) {
  size_t i = get_global_id(0);
  double x[16], sum = 0;
  for (int k = 0; k < 16; ++k)
    x[k] = in[i] + k;
  for (uint round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < 16; ++k)
      x[k] = x[k] * x[(k + 1) % 16] * 0.01 + 0.5;
  for (int k = 0; k < 16; ++k)
    sum += x[k];
  out[i] = sum;
}
