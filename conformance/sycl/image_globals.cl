// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a SYCL compiler makes of device_global variables: a plain one holds the address of its data, which libsycl
// allocates and writes there; one with device_image_scope is the data.

typedef struct {
  global int *data;
  int initial[4];
} DeviceGlobal;
global DeviceGlobal plain;

//// image one
global int scoped[4] = {10, 20, 30, 40};

kernel void add(int amount) {
  for (int i = 0; i < 4; i++) {
    plain.data[i] += amount;
    scoped[i] += amount;
  }
}
kernel void get(global int *plain_values, global int *scoped_values) {
  for (int i = 0; i < 4; i++) {
    plain_values[i] = plain.data[i];
    scoped_values[i] = scoped[i];
  }
}

//// image other
kernel void multiply(int factor) {
  for (int i = 0; i < 4; i++)
    plain.data[i] *= factor;
}
