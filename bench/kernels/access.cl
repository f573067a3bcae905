// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses that are not of consecutive numbers, in the second level of the cache.

typedef struct { float x, y; } pair;
typedef struct { float x, y, z; } triple;

kernel void vectors3(global float3 *out, global const float3 *in, float factor) {
  size_t i = get_global_id(0);
  out[i] = in[i] * factor + in[i];
}

kernel void packed3(global float *out, global const float *in, float factor) {
  size_t i = get_global_id(0);
  vstore3(vload3(i, in) * factor, i, out);
}

kernel void vectors4(global float4 *out, global const float4 *in, float factor) {
  size_t i = get_global_id(0);
  out[i] = in[i] * factor + in[i];
}

kernel void lengths4(global float *out, global const float4 *in) {
  size_t i = get_global_id(0);
  float4 v = in[i];
  out[i] = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}

kernel void vectors16(global float16 *out, global const float16 *in, float factor) {
  size_t i = get_global_id(0);
  out[i] = in[i] * factor + in[i];
}

kernel void stride2(global float *out, global const float *in) {
  size_t i = get_global_id(0);
  out[i] = in[2 * i] * 1.5f;
}

kernel void stride3(global float *out, global const float *in) {
  size_t i = get_global_id(0);
  out[i] = in[3 * i] * 1.5f;
}

kernel void pairs(global pair *out, global const pair *in) {
  size_t i = get_global_id(0);
  pair p = in[i];
  out[i].x = p.x + p.y;
  out[i].y = p.x - p.y;
}

kernel void triples(global triple *out, global const triple *in) {
  size_t i = get_global_id(0);
  triple t = in[i];
  out[i].x = t.x + t.y;
  out[i].y = t.y - t.z;
  out[i].z = t.z + t.x;
}

kernel void reversed_read(global float *out, global const float *in) {
  size_t i = get_global_id(0), n = get_global_size(0);
  out[i] = in[n - 1 - i] * 1.5f;
}

kernel void reversed_write(global float *out, global const float *in) {
  size_t i = get_global_id(0), n = get_global_size(0);
  out[n - 1 - i] = in[i] * 1.5f;
}

kernel void unsigned_index(global float *out, global const float *in, uint first) {
  uint i = (uint)get_global_id(0) + first;
  out[i] = in[i] * 1.5f;
}

kernel void guarded(global float *out, global const float *in, uint count) {
  uint i = (uint)get_global_id(0);
  if (i < count)
    out[i] = in[i] * 1.5f;
}

// As CUDA's programs compute an index.
kernel void grid_int(global float *out, global const float *in, int count) {
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i < count)
    out[i] = in[i] * 1.5f;
}

kernel void grid_uint(global float *out, global const float *in, uint count) {
  uint i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i < count)
    out[i] = in[i] * 1.5f;
}

kernel void grid_of_256(global float *out, global const float *in, uint count) {
  uint i = get_group_id(0) * 256 + get_local_id(0);
  if (i < count)
    out[i] = in[i] * 1.5f;
}

kernel void int_triples(global float *out, global const float *in, int count) {
  int i = get_global_id(0);
  if (i < count) {
    float x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    out[3 * i] = x + y;
    out[3 * i + 1] = y - z;
    out[3 * i + 2] = z + x;
  }
}

kernel void uint_triples(global float *out, global const float *in, uint count) {
  uint i = get_global_id(0);
  if (i < count) {
    float x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    out[3 * i] = x + y;
    out[3 * i + 1] = y - z;
    out[3 * i + 2] = z + x;
  }
}

// Sums of columns: each item goes down one.
kernel void columns(global float *out, global const float *in, ulong rows) {
  size_t column = get_global_id(0), part = get_global_id(1), n = get_global_size(0);
  float sum = 0;
  for (size_t row = part * rows; row < (part + 1) * rows; ++row)
    sum += in[row * n + column];
  out[part * n + column] = sum;
}
