// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that say what their arguments are.

typedef struct { uchar b[3]; } bytes3;
typedef struct { uchar c; uint i; ushort s; ulong l; } mixed;
typedef struct { uint v[32]; } large;

kernel void scalars(char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i, global long *out) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
  out[5] = f;
  out[6] = g;
  out[7] = h;
  out[8] = as_int(i);
}

kernel void vectors(uchar4 a, int2 b, uint3 c, float4 d, global uint *out) {
  out[0] = as_uint(a);
  vstore2(as_uint2(b), 0, out + 1);
  vstore3(c, 0, out + 3);
  vstore4(as_uint4(d), 0, out + 6);
}

kernel void structs(bytes3 a, mixed b, large c, global ulong *out) {
  out[0] = a.b[0] | a.b[1] << 8 | a.b[2] << 16;
  out[1] = b.c;
  out[2] = b.i;
  out[3] = b.s;
  out[4] = b.l;
  for (uint i = 0; i < 32; i++)
    out[5 + i] = c.v[i];
}
