// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a SYCL compiler makes of classes with virtual functions: an object starts with the address of its class's table,
// tables are in the images whose kernels construct objects, functions in images of their own, one for each set of virtual
// functions and each set of optional features that they need.

#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

struct Shape;
typedef int (*Method)(const struct Shape *);
typedef struct Shape {
  global const Method *methods; // area, corners
  int size;
} Shape;

//// image construct
int square_area(const Shape *), square_corners(const Shape *), disc_area(const Shape *), disc_corners(const Shape *);
int precise_area(const Shape *), precise_corners(const Shape *);
static global const Method square[] = {square_area, square_corners}, disc[] = {disc_area, disc_corners},
                           precise[] = {precise_area, precise_corners};

// A square, a disc, a precise one, a square, ...
kernel void construct(global Shape *shapes) {
  int i = get_global_id(0);
  shapes[i].methods = i % 3 == 0 ? square : i % 3 == 1 ? disc : precise;
  shapes[i].size = i;
}

//// image call
kernel void call(global Shape *shapes, global int *areas, global int *corners) {
  size_t i = get_global_id(0);
  areas[i] = shapes[i].methods[0](shapes + i);
  corners[i] = shapes[i].methods[1](shapes + i);
}

//// image call_precise
kernel void call_precise(global Shape *shapes, global double *areas) {
  size_t i = get_global_id(0);
  areas[i] = shapes[i].methods[0](shapes + i) / 1000.0;
}

//// image squares
int square_area(const Shape *self) { return self->size * self->size; }
int square_corners(const Shape *self) { return 4; }

//// image discs
int disc_area(const Shape *self) { return 3 * self->size * self->size; }
int disc_corners(const Shape *self) { return 0; }

//// image precise
int precise_area(const Shape *self) { return sqrt((double)self->size) * 1000; }
int precise_corners(const Shape *self) { return 1; }

//// image precise_dummy
int precise_area(const Shape *self) { return -1; }
int precise_corners(const Shape *self) { return -2; }

//// image pointers
int halved(int x) { return x / 2; }
int negated(int x) { return -x; }
typedef int (*Function)(int);
static global const Function kept[] = {halved, negated};

kernel void by_index(global int *data, int which) { data[get_global_id(0)] = kept[which](data[get_global_id(0)]); }
kernel void by_address(global int *data, ulong address) {
  data[get_global_id(0)] = ((Function)address)(data[get_global_id(0)]);
}
