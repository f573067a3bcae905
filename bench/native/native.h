// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the benchmark calls native code, and vectors for what compilers do not make of loops.

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// `args` are the kernel's arguments in their order: addresses of buffers and of values. `range` is the global size. Buffers
// are aligned to lines of the cache. Sizes are multiples of work-groups.
#define KERNEL(name) void name(void *const *args, const size_t *range __attribute__((unused)))
#define BUFFER(type, name, at) type *restrict name = args[at]
#define VALUE(type, name, at) const type name = *(const type *)args[at]

#define LANES 16
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
// Anywhere in an array.
typedef float unaligned __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

// A store past the caches. `omp simd nontemporal` makes none, as compilers do not see that addresses are aligned.
#define STREAM(value, to) __builtin_nontemporal_store(value, to)
