// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Specialization constants: (id, default).

uchar __attribute__((overloadable)) __spirv_SpecConstant(int, uchar);
short __attribute__((overloadable)) __spirv_SpecConstant(int, short);
int __attribute__((overloadable)) __spirv_SpecConstant(int, int);
long __attribute__((overloadable)) __spirv_SpecConstant(int, long);
float __attribute__((overloadable)) __spirv_SpecConstant(int, float);

kernel void constants(global long *out) {
  out[0] = __spirv_SpecConstant(1, 10);
  out[1] = __spirv_SpecConstant(2, 20L);
  out[2] = __spirv_SpecConstant(7, (short)30);
  out[3] = __spirv_SpecConstant(9, (uchar)40);
  out[4] = __spirv_SpecConstant(12, 50.0f);
}
