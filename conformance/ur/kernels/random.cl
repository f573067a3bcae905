// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What random graphs of commands launch.

kernel void add(global int *data, int value) { data[get_global_id(0)] += value; }
kernel void multiply(global int *data, int value) { data[get_global_id(0)] *= value; }

// Adds an array to another.
kernel void accumulate(global int *to, global const int *from) { to[get_global_id(0)] += from[get_global_id(0)]; }
