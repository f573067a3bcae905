// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of gpu.cl in CUDA C++, as one would write them for nvcc. Numbers are `int`: nvcc unrolls no loop whose counter
// may wrap around.

#define KERNEL extern "C" __global__ void

static __device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ int all_threads() { return gridDim.x * blockDim.x; }

KERNEL copy(float *__restrict__ out, const float *__restrict__ in, int count) {
  int i = thread();
  if (i < count)
    out[i] = in[i];
}

KERNEL copy4(float4 *__restrict__ out, const float4 *__restrict__ in, int count) {
  int i = thread();
  if (i < count)
    out[i] = in[i];
}

KERNEL triad(float *__restrict__ out, const float *__restrict__ a, const float *__restrict__ b, float factor, int count) {
  int i = thread();
  if (i < count)
    out[i] = a[i] + factor * b[i];
}

KERNEL triad4(float4 *__restrict__ out, const float4 *__restrict__ a, const float4 *__restrict__ b, float factor, int count) {
  int i = thread();
  if (i < count) {
    float4 x = a[i], y = b[i];
    out[i] = make_float4(x.x + factor * y.x, x.y + factor * y.y, x.z + factor * y.z, x.w + factor * y.w);
  }
}

// Adds up a block's numbers in shared memory, of `threads` at most.
template <int threads> static __device__ void tree(float *out, float sum) {
  __shared__ float parts[threads];
  int item = threadIdx.x;
  parts[item] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (item < half)
      parts[item] += parts[item + half];
    __syncthreads();
  }
  if (item == 0)
    out[blockIdx.x] = parts[0];
}

KERNEL sum(float *__restrict__ out, const float *__restrict__ in, int count) {
  float sum = 0;
  for (int i = thread(); i < count; i += all_threads())
    sum += in[i];
  tree<256>(out, sum);
}

KERNEL groups(float *__restrict__ out, const float *__restrict__ in, int count) {
  int start = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  int end = min(start + (int)blockDim.x * 8, count);
  float sum = 0;
  for (int i = start; i < end; i += blockDim.x)
    sum += in[i];
  tree<1024>(out, sum);
}

KERNEL sum4(float *__restrict__ out, const float4 *__restrict__ in, int count) {
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = thread(); i < count / 4; i += all_threads()) {
    float4 x = in[i];
    sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
  }
  tree<256>(out, sum.x + sum.y + sum.z + sum.w);
}

KERNEL largest(float *__restrict__ out, const float *__restrict__ in, int count) {
  float most = 0;
  for (int i = thread(); i < count; i += all_threads())
    most = in[i] > most ? in[i] : most;
  tree<256>(out, most);
}
