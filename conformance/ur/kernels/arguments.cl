// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that tell what their arguments are.

#define BYTES(N)                                                                                                      \
  typedef struct { uchar b[N]; } bytes##N;                                                                            \
  void put##N(global uchar *out, bytes##N value) {                                                                    \
    for (uint i = 0; i < N; i++)                                                                                      \
      out[i] = value.b[i];                                                                                            \
  }

BYTES(1)
BYTES(2)
BYTES(4)
BYTES(8)
BYTES(12)
BYTES(16)
BYTES(24)
BYTES(32)
BYTES(40)

// Values of many sizes, one behind the other.
kernel void values(bytes1 a, bytes2 b, bytes4 c, bytes8 d, bytes12 e, bytes16 f, bytes24 g, bytes32 h, bytes40 i,
                   global uchar *out) {
  put1(out, a);
  put2(out + 1, b);
  put4(out + 3, c);
  put8(out + 7, d);
  put12(out + 15, e);
  put16(out + 27, f);
  put24(out + 43, g);
  put32(out + 67, h);
  put40(out + 99, i);
}

// Where two pieces of local memory are.
kernel void local_places(local uchar *a, local uchar *b, global ulong *out) {
  out[0] = (ulong)a;
  out[1] = (ulong)b;
}
