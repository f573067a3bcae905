// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function that link_kernel.cl calls.

int twice(int x) { return 2 * x; }
