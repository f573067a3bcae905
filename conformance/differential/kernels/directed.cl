// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of all sizes become floating-point numbers, rounded in each direction; at the ends of their ranges, too.
#define ROUND(TYPE, x) \
  (hash_##TYPE(convert_##TYPE##_rtz(x)) * 3 + hash_##TYPE(convert_##TYPE##_rtp(x)) * 5 + \
   hash_##TYPE(convert_##TYPE##_rtn(x)) * 7 + hash_##TYPE(convert_##TYPE##_rte(x)))
#define ALL(x) (ROUND(float, x) * 11 + ROUND(double, x) * 13)

kernel void k(PARAMETERS) {
  const int g = (int)((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *
                    (int)get_global_size(0) + (int)(get_global_id(0) - get_global_offset(0));
  const long x = vl[g], edges[8] = {LONG_MAX, LONG_MIN, LONG_MIN + 1, -1, LONG_MAX - 511, INT_MAX, INT_MIN, 0xffffffff};
  const long edge = edges[g & 7];
  ol[g] = ALL(x) + ALL(edge);
  ol[g + 1024] = ALL((ulong)x) + ALL((ulong)edge);
  ol[g + 2048] = ALL((int)x) + ALL((int)edge) + ALL((uint)x) + ALL((uint)edge);
  ol[g + 3072] = ALL((short)x) + ALL((uchar)edge);
  of[g] = convert_float_rtz(edge);
  of[g + 1024] = convert_float_rtz((ulong)edge);
  oh[g] = convert_half_rtz(edge);
  oh[g + 1024] = convert_half_rtn((ushort)edge);
}
