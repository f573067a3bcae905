// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that calls a function of another module.

int twice(int x);

kernel void call_twice(global int *data) { data[get_global_id(0)] = twice(data[get_global_id(0)]); }
