// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules that need each other.

//// image kernel
int first(int);
kernel void chain(global int *data) { data[get_global_id(0)] = first(data[get_global_id(0)]); }

//// image first
int second(int);
extern global int weight;
int first(int x) { return weight * second(x); }

//// image second
global int weight = 10;
int second(int x) { return x + 1; }

//// image pointers
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
int halved(int x) { return x / 2; }
int negated(int x) { return -x; }
typedef int (*Function)(int);
static global const Function kept[] = {halved, negated};

kernel void by_index(global int *data, int which) { data[get_global_id(0)] = kept[which](data[get_global_id(0)]); }
kernel void by_address(global int *data, ulong address) {
  data[get_global_id(0)] = ((Function)address)(data[get_global_id(0)]);
}
