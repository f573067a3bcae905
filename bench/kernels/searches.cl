// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary searches.

#define CHUNK 4

// What is no number comes last.
static bool is_less(double a, double b) { return !isnan(a) && (isnan(b) || a < b); }

// The first place from which on no element is less than a key; with `after`, from which on all are greater.
static ulong place(global const double *in, ulong first, ulong end, double key, bool after) {
  ulong count = end - first;
  while (count > 0) {
    ulong half_of = count / 2, middle = first + half_of;
    bool is_right = after ? !is_less(key, in[middle]) : is_less(in[middle], key);
    first = is_right ? middle + 1 : first;
    count = is_right ? count - half_of - 1 : half_of;
  }
  return first;
}

// Merges sorted runs of this length two by two, as dpnp's sorts do: an item finds the places of some elements of both runs, the first
// and the last by searches in all of the other run.
kernel void merge(global double *out, global const double *in, ulong run) {
  ulong i = get_global_id(0), items = run / CHUNK;
  ulong pair = i / items * 2 * run, offset = i % items * CHUNK;
  for (ulong side = 0; side < 2; ++side) {
    global const double *own = in + pair + side * run + offset;
    ulong start = pair + (1 - side) * run, end = start + run;
    global double *to = out + pair + offset - start;
    ulong low = place(in, start, end, own[0], side);
    ulong high = place(in, low, end, own[CHUNK - 1], side);
    to[low] = own[0];
    to[high + CHUNK - 1] = own[CHUNK - 1];
    for (ulong k = 1; k < CHUNK - 1; ++k) {
      low = place(in, low, high, own[k], side);
      to[low + k] = own[k];
    }
  }
}
