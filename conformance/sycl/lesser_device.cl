// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual functions of a set that needs double, and of one that does not: as in virtual_functions.cl.

#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

typedef int (*Method)(int size);

//// image choose
int plain_area(int size), precise_area(int size);
static global const Method areas[] = {plain_area, precise_area};

kernel void choose(int class, int size, global int *area) { *area = areas[class](size); }

//// image plain
int plain_area(int size) { return 10 * size; }

//// image precise
int precise_area(int size) { return sqrt((double)size) * 1000; }

//// image precise_dummy
int precise_area(int size) { return -1; }

//// image halve
kernel void halve(global double *number) { *number /= 2; }
