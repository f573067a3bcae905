// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value that is the same in all lanes of a round, and that lanes take along from different rounds.
kernel void k(PARAMETERS) {
  const int g = (int)((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *
                    (int)get_global_size(0) + (int)(get_global_id(0) - get_global_offset(0));
  int left = vi[g] & 7, sum = n;
  while (true) {
    af[g] = sum;
    if (--left < 0) break;
    sum |= sum * 3 + 5;
  }
  oi[g] = sum;
}
