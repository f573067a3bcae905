// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bandwidth: nothing but loads and stores.

kernel void copy(global float *out, global const float *in) {
  size_t i = get_global_id(0);
  out[i] = in[i];
}

kernel void triad(global float *out, global const float *a, global const float *b, float factor) {
  size_t i = get_global_id(0);
  out[i] = a[i] + factor * b[i];
}

kernel void saxpy(global float *y, global const float *x, float a) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}

// Five points; the border stays as it is.
kernel void stencil(global float *out, global const float *in, ulong width, ulong height) {
  size_t x = get_global_id(0), y = get_global_id(1), at = y * width + x;
  float here = in[at];
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
    here = 0.5f * here + 0.125f * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
  out[at] = here;
}
