// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `assert` of SYCL becomes: the expression, the file, the line, the function, the global id and the local id.
void __devicelib_assert_fail(__constant char *, __constant char *, int, __constant char *, ulong, ulong, ulong, ulong,
                             ulong, ulong);

__kernel void take(__global int *cells, int first) {
    size_t i = get_global_id(0);
    if (cells[i] != 0)
        __devicelib_assert_fail("cells[i] == 0", "assertions.cl", 9, "take", i, 0, 0, get_local_id(0), 0, 0);
    cells[i] = first + i;
}
