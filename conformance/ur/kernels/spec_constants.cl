// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Specialization constants: (id, default).

int __attribute__((overloadable)) __spirv_SpecConstant(int, int);
short __attribute__((overloadable)) __spirv_SpecConstant(int, short);
double __attribute__((overloadable)) __spirv_SpecConstant(int, double);

kernel void constants(global double *out) {
  out[0] = __spirv_SpecConstant(1, 10);
  out[1] = __spirv_SpecConstant(2, 20.5);
  out[2] = __spirv_SpecConstant(7, (short)30);
}
