// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global variables of a program.

global int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
global long counter;

kernel void sum_numbers(global int *out) {
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum += numbers[i];
  *out = sum;
}

kernel void count_up(void) { counter += 1; }
