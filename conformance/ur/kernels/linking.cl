// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules that need each other.

int __attribute__((overloadable)) __spirv_SpecConstant(int, int);

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

//// image second_again
int second(int x) { return x - 1; }

//// image kernel_again
kernel void chain(global int *data) { data[get_global_id(0)] = 0; }

//// image needs_two
int one_function(int), another_function(int);
kernel void needs_two(global int *data) { *data = one_function(*data) + another_function(*data); }

//// image amounts
int amount(void);
kernel void amounts(global int *out) {
  out[0] = __spirv_SpecConstant(1, 10);
  out[1] = amount();
}

//// image amount
int amount(void) { return __spirv_SpecConstant(1, 20); }
