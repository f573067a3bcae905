// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A branch that all lanes take the same way, where phis on both ways take values of earlier blocks, under a mask.
kernel void k(PARAMETERS) {
  const int g = (int)((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *
                    (int)get_global_size(0) + (int)(get_global_id(0) - get_global_offset(0));
  int a = vi[g], b = vi[g + 1];
  long c = vl[g];
  if (vs[g] > 0) {
    for (int i = 0; i < (vi[g + 2] & 7); i++) {
      if (n & 1) {
        a = (uint)a + (uint)(b ^ i);
        c ^= a;
      } else {
        b = (uint)b - (uint)a;
        c = (ulong)c + (ulong)b;
      }
      if (n > 3 + i) {
        c = (ulong)c - 7;
        ol[g + 1024] = c;
      }
    }
  }
  oi[g] = a;
  oi[g + 1024] = b;
  ol[g] = c;
}
