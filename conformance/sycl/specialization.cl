// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a SYCL compiler makes of specialization_ids: each scalar, also within a structure, has a number in the module.

int __attribute__((overloadable)) __spirv_SpecConstant(int, int);
char __attribute__((overloadable)) __spirv_SpecConstant(int, char);
double __attribute__((overloadable)) __spirv_SpecConstant(int, double);

//// image module
kernel void values(global double *out) {
  out[0] = __spirv_SpecConstant(0, 10);  // number
  out[1] = __spirv_SpecConstant(1, 2.5); // fraction
  out[2] = __spirv_SpecConstant(2, (char)1); // pair.small
  out[3] = __spirv_SpecConstant(3, 7.0);     // pair.large
}

kernel void sum(global int *out) { // an unrolled loop, once the number is known
  int sum = 0;
  for (int i = 0; i < __spirv_SpecConstant(0, 10); i++)
    sum += i;
  *out = sum;
}
