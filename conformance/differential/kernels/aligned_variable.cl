// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy of a structure, less aligned than the optimizer makes it, that lanes read under a mask.
kernel void k(PARAMETERS) {
  const int g = (int)((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *
                    (int)get_global_size(0) + (int)(get_global_id(0) - get_global_offset(0));
  float2 x = vload2(0, vf + g);
  const long2 c = (long2)(s.c, s.c);
  x += convert_float2(select(add_sat(c, vload2(0, vl + g)), as_long2(as_ulong2((long2)(0, n)) * as_ulong2(c)), vload2(0, vl + g)));
  if (vi[g] > 3) {
    x = convert_float2(shuffle(select((char2)(2, vc[g]), vload2(0, vc + g), vload2(0, vc + g) < (char2)(s.a, s.a)), (uchar2)(1, 1)));}
  of[g] = x.s1;
}
