// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that need what a device may lack.

//// image double
kernel void square(global double *x) { x[get_global_id(0)] *= x[get_global_id(0)]; }

//// image atomic64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void count(global volatile long *x) { atom_add(x, 1L); }
