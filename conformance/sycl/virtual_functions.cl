// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a SYCL compiler makes of classes with virtual functions: an object starts with the address of its class's table,
// tables lie in the images whose kernels construct objects, and functions in images of their own.

#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

struct Shape;
typedef int (*Method)(const struct Shape *);
typedef struct Shape {
  global const Method *methods; // area, corners
  int size;
} Shape;

//// image construct
int square_area(const Shape *), square_corners(const Shape *), disc_area(const Shape *), disc_corners(const Shape *);
static global const Method square[] = {square_area, square_corners}, disc[] = {disc_area, disc_corners};

kernel void construct(global Shape *shapes) {
  int i = get_global_id(0);
  shapes[i].methods = i % 3 ? square : disc;
  shapes[i].size = i;
}

//// image call
kernel void call(global Shape *shapes, global int *areas, global int *corners) {
  size_t i = get_global_id(0);
  areas[i] = shapes[i].methods[0](shapes + i);
  corners[i] = shapes[i].methods[1](shapes + i);
}

//// image squares
int square_area(const Shape *self) { return self->size * self->size; }
int square_corners(const Shape *self) { return 4; }

//// image discs
int disc_area(const Shape *self) { return 3 * self->size * self->size; }
int disc_corners(const Shape *self) { return 0; }

//// image choose
int plain_area(const Shape *), precise_area(const Shape *), exotic_area(const Shape *);
static global const Method plain[] = {plain_area}, precise[] = {precise_area}, exotic[] = {exotic_area};

kernel void choose(int class, int size, global int *area) {
  Shape shape = {class == 0 ? plain : class == 1 ? precise : exotic, size};
  *area = shape.methods[0](&shape);
}

//// image plain
int plain_area(const Shape *self) { return 10 * self->size; }

//// image precise
int precise_area(const Shape *self) { return sqrt((double)self->size) * 1000; }

//// image exotic
int exotic_area(const Shape *self) { return -1; }

//// image exotic_dummy
int exotic_area(const Shape *self) { return -2; }

//// image strand
int stranded_area(const Shape *);
static global const Method stranded[] = {stranded_area};

kernel void strand(int size, global int *area) {
  Shape shape = {stranded, size};
  *area = shape.methods[0](&shape);
}

//// image stranded
int stranded_area(const Shape *self) { return self->size; }
