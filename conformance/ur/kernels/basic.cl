// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small kernels whose results are easy to foretell.

kernel void nothing(void) {}

kernel void fill(global int *out, int value) { out[get_global_id(0)] = value; }

kernel void add(global const int *a, global const int *b, global int *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}

// c[i] += 1, for chains of launches.
kernel void increment(global int *c) { c[get_global_id(0)] += 1; }

// For each work-item, in the order of its place in the range: its global id, group id and local size, x, y, z.
kernel void ids(global ulong *out) {
  size_t place = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) -
                  get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0);
  global ulong *mine = out + place * 9;
  for (uint d = 0; d < 3; d++) {
    mine[d] = get_global_id(d);
    mine[3 + d] = get_group_id(d);
    mine[6 + d] = get_local_size(d);
  }
}

// The values of each group in reverse order, by way of local memory.
kernel void reverse_groups(global int *data, local int *scratch) {
  size_t l = get_local_id(0);
  scratch[l] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = scratch[get_local_size(0) - 1 - l];
}

// A fixed amount of local memory, declared in the kernel.
kernel void static_local(global int *data) {
  local int scratch[64];
  scratch[get_local_id(0)] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = scratch[get_local_id(0) ^ 1];
}

typedef struct { int a; double b; char c[5]; } record;

// Every kind of value.
kernel void all_values(char a, short b, int c, long d, float e, double f, int4 g, record h, global double *out) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
  out[5] = f;
  out[6] = g.x * 1000 + g.y * 100 + g.z * 10 + g.w;
  out[7] = h.a + h.b + h.c[0] + h.c[4];
}

// A list in memory: each node is the address of the next and a value.
typedef struct node { global struct node *next; ulong value; } node;

kernel void sum_list(global node *first, global ulong *out) {
  ulong sum = 0;
  for (global node *n = first; n; n = n->next)
    sum += n->value;
  *out = sum;
}

// Two optional pointers: says which are null.
kernel void which_null(global int *a, global int *b, global int *out) {
  out[0] = a == 0;
  out[1] = b == 0;
}

kernel __attribute__((reqd_work_group_size(8, 4, 2))) void fixed_group(global int *out) {
  out[(get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)] =
      get_local_size(0) * 100 + get_local_size(1) * 10 + get_local_size(2);
}

kernel __attribute__((intel_reqd_sub_group_size(16))) void sub_group_16(global int *out) {
  out[get_global_id(0)] = get_sub_group_size();
}

// Takes a while: n dependent steps.
kernel void slow(global uint *out, uint n) {
  uint x = out[get_global_id(0)];
  for (uint i = 0; i < n; i++)
    x = x * 1664525u + 1013904223u;
  out[get_global_id(0)] = x;
}

kernel void count(global volatile int *counter) { atomic_inc(counter); }
