// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of modules.

global int counter = 5;
constant int table[4] = {1, 2, 3, 4};

kernel void bump(global int *out) { out[get_global_id(0)] = ++counter; }
kernel void look_up(global int *out) { out[get_global_id(0)] = table[get_global_id(0) & 3]; }
