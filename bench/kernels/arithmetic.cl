// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic: long loops over few data, and the functions of OpenCL.

// Accelerations by gravity; a body is its position and its mass.
kernel void nbody(global float4 *out, global const float4 *bodies, uint count, float softening) {
  size_t i = get_global_id(0);
  float4 here = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (uint k = 0; k < count; ++k) {
    float4 other = bodies[k];
    float dx = other.x - here.x, dy = other.y - here.y, dz = other.z - here.z;
    float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
    float force = other.w * inverse * inverse * inverse;
    ax += dx * force;
    ay += dy * force;
    az += dz * force;
  }
  out[i] = (float4)(ax, ay, az, 0);
}

kernel void mandelbrot(global uint *out, uint width, uint height, uint most) {
  uint x = get_global_id(0), y = get_global_id(1);
  float cr = -2.0f + 3.0f * x / width, ci = -1.5f + 3.0f * y / height, zr = 0, zi = 0;
  uint n = 0;
  while (n < most && zr * zr + zi * zi < 4.0f) {
    float next = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = next;
    ++n;
  }
  out[y * width + x] = n;
}

// The normal distribution by the polynomial of Abramowitz and Stegun, 26.2.17.
float normal(float x) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
  float p = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228f * exp(-0.5f * x * x) * p;
  return x > 0 ? 1.0f - tail : tail;
}

kernel void black_scholes(global float *calls, global float *puts, global const float *prices,
                          global const float *strikes, global const float *years, float rate, float volatility) {
  size_t i = get_global_id(0);
  float s = prices[i], x = strikes[i], t = years[i];
  float root = volatility * sqrt(t);
  float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / root;
  float d2 = d1 - root;
  float discounted = x * exp(-rate * t);
  calls[i] = s * normal(d1) - discounted * normal(d2);
  puts[i] = discounted * normal(-d2) - s * normal(-d1);
}

#define UNARY(name, type, function)                                                                                    \
  kernel void name(global type *out, global const type *in) {                                                          \
    size_t i = get_global_id(0);                                                                                       \
    out[i] = function(in[i]);                                                                                          \
  }
#define BINARY(name, type, function)                                                                                   \
  kernel void name(global type *out, global const type *a, global const type *b) {                                     \
    size_t i = get_global_id(0);                                                                                       \
    out[i] = function(a[i], b[i]);                                                                                     \
  }

UNARY(sin_f32, float, sin)
UNARY(exp_f32, float, exp)
BINARY(pow_f32, float, pow)
UNARY(sin_f64, double, sin)
UNARY(exp_f64, double, exp)
BINARY(pow_f64, double, pow)

// Neighbours go different ways in every round.
kernel void branchy(global uint *out, global const uint *in) {
  size_t i = get_global_id(0);
  uint x = in[i], score = 0;
  for (uint round = 0; round < 8; ++round) {
    if (x & 1) {
      x = x * 3 + 1;
      ++score;
    } else if (x & 2) {
      x = (x >> 2) ^ score;
      score += 3;
    } else {
      if (x < 1000)
        score ^= x;
      x = (x >> 1) + round;
    }
  }
  out[i] = score ^ x;
}
