// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary searches.

#define CHUNK 4

// What is no number comes last.
static bool is_less(double a, double b) { return !isnan(a) && (isnan(b) || a < b); }

#define SEARCH(name, is_before)                                                                   \
  static ulong name(global const double *in, ulong first, ulong end, double key) {               \
    ulong count = end - first;                                                                     \
    while (count > 0) {                                                                            \
      ulong half_of = count / 2, middle = first + half_of;                                         \
      double element = in[middle];                                                                 \
      bool before = is_before;                                                                     \
      first = before ? middle + 1 : first;                                                         \
      count = before ? count - half_of - 1 : half_of;                                              \
    }                                                                                              \
    return first;                                                                                  \
  }

// The first place from which on no element is less than a key, and that from which on all are greater.
SEARCH(lower, is_less(element, key))
SEARCH(upper, !is_less(key, element))

// Merges sorted runs of this length two by two, as dpnp's sorts do: an item finds the places of some elements of both runs, the first
// and the last by searches in all of the other run.
#define MERGE(search, own, start)                                                                  \
  {                                                                                                \
    global double *to = out + pair + offset - (start);                                             \
    ulong low = search(in, start, (start) + run, (own)[0]);                                        \
    ulong high = search(in, low, (start) + run, (own)[CHUNK - 1]);                                 \
    to[low] = (own)[0];                                                                            \
    to[high + CHUNK - 1] = (own)[CHUNK - 1];                                                       \
    for (ulong k = 1; k < CHUNK - 1; ++k) {                                                        \
      low = search(in, low, high, (own)[k]);                                                       \
      to[low + k] = (own)[k];                                                                      \
    }                                                                                              \
  }

kernel void merge(global double *out, global const double *in, ulong run) {
  ulong i = get_global_id(0), items = run / CHUNK;
  // Not by `%`: of both, clang makes an instruction that its translator to SPIR-V does not know.
  ulong quotient = i / items, pair = quotient * 2 * run, offset = (i - quotient * items) * CHUNK;
  global const double *first = in + pair + offset, *second = first + run;
  MERGE(lower, first, pair + run)
  MERGE(upper, second, pair)
}
