// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers in private variables: to variables, to other pointers, in arrays, and to functions, which differ from item to item.

typedef int (*Function)(int, short);
static int sum(int a, short b) { return (int)((uint)a + (uint)b); }
static int product(int a, short b) { return (int)((uint)a * (uint)b); }
static __attribute__((noinline)) int loop(int a, short b) {
  for (int i = 0; i < (b & 7); i++)
    a = (int)((uint)a * 3 + i);
  return a;
}

kernel void k(PARAMETERS) {
  const size_t g = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *
                       get_global_size(0) + get_global_id(0) - get_global_offset(0);
  int one = vi[g], two = vi[g + 1], three[4] = {1, 2, 3, 4};
  private int *p = one & 1 ? &one : three + (one & 3), *q = two & 1 ? &two : &three[1];
  int *any = one & 2 ? &one : &two;
  private int **both = two & 2 ? &p : &q, *all[2] = {p, &two};
  global const int *in = two & 4 ? vi + 3 : vi + 17;
  ulong fold = 0;
  Function f = one & 4 ? sum : two & 8 ? product : loop, some[2] = {loop, f};
  for (int i = 0; i < 5; i++) {
    **both = f(**both, (short)i);
    *all[i & 1] ^= in[g] ^ i;
    if (in[g + i] & 1)
      *both = three + i % 4;
    *any ^= i;
    p = *p & 1 ? p : &two;
    f = some[*q & 1];
    oi[g] = (p == &two) + 2 * (q == *both);
    fold = fold * 7 + (uint)f(*p, (short)*q);
  }
  ol[g] = fold * 7 + (uint)one + (uint)two * 3ul + (uint)three[0] * 5ul + (uint)three[1] * 7ul + (uint)three[2] * 11ul + (uint)three[3] * 13ul;
}
