// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of arithmetic.cl in C.

#include "native.h"

// How many work-items are computed together where each has a loop: four vectors, as each waits for its own last result.
#define SIDE 64

KERNEL(nbody) {
  BUFFER(float, out, 0);
  BUFFER(const float, bodies, 1);
  VALUE(uint32_t, count, 2);
  VALUE(float, softening, 3);
#pragma omp parallel for
  for (size_t i = 0; i < range[0]; i += SIDE) {
    float x[SIDE], y[SIDE], z[SIDE], ax[SIDE] = {0}, ay[SIDE] = {0}, az[SIDE] = {0};
    for (size_t l = 0; l < SIDE; ++l) {
      x[l] = bodies[4 * (i + l)];
      y[l] = bodies[4 * (i + l) + 1];
      z[l] = bodies[4 * (i + l) + 2];
    }
    for (uint32_t k = 0; k < count; ++k) {
      const float *other = bodies + 4 * k;
#pragma omp simd
      for (size_t l = 0; l < SIDE; ++l) {
        const float dx = other[0] - x[l], dy = other[1] - y[l], dz = other[2] - z[l];
        const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + softening);
        const float force = other[3] * inverse * inverse * inverse;
        ax[l] += dx * force;
        ay[l] += dy * force;
        az[l] += dz * force;
      }
    }
    for (size_t l = 0; l < SIDE; ++l) {
      float *to = out + 4 * (i + l);
      to[0] = ax[l], to[1] = ay[l], to[2] = az[l], to[3] = 0;
    }
  }
}

KERNEL(mandelbrot) {
  BUFFER(uint32_t, out, 0);
  VALUE(uint32_t, width, 1);
  VALUE(uint32_t, height, 2);
  VALUE(uint32_t, most, 3);
#pragma omp parallel for collapse(2) schedule(dynamic, 16)
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; x += SIDE) {
      float zr[SIDE] = {0}, zi[SIDE] = {0};
      uint32_t n[SIDE] = {0}, inside = 1;
      for (uint32_t round = 0; round < most && inside; ++round) {
        inside = 0;
#pragma omp simd reduction(| : inside)
        for (uint32_t l = 0; l < SIDE; ++l) {
          const float cr = -2.0f + 3.0f * (x + l) / width, ci = -1.5f + 3.0f * y / height;
          const float r = zr[l] * zr[l], i = zi[l] * zi[l];
          const uint32_t one = n[l] == round && r + i < 4.0f;
          zi[l] = 2 * zr[l] * zi[l] + ci;
          zr[l] = r - i + cr;
          n[l] += one;
          inside |= one;
        }
      }
      memcpy(out + y * width + x, n, sizeof n);
    }
}

// The normal distribution by the polynomial of Abramowitz and Stegun, 26.2.17.
static inline float normal(float x) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  const float p =
      k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * expf(-0.5f * x * x) * p;
  return x > 0 ? 1.0f - tail : tail;
}

KERNEL(black_scholes) {
  BUFFER(float, calls, 0);
  BUFFER(float, puts, 1);
  BUFFER(const float, prices, 2);
  BUFFER(const float, strikes, 3);
  BUFFER(const float, years, 4);
  VALUE(float, rate, 5);
  VALUE(float, volatility, 6);
#pragma omp parallel for simd
  for (size_t i = 0; i < range[0]; ++i) {
    const float s = prices[i], x = strikes[i], t = years[i];
    const float root = volatility * sqrtf(t);
    const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / root;
    const float d2 = d1 - root;
    const float discounted = x * expf(-rate * t);
    calls[i] = s * normal(d1) - discounted * normal(d2);
    puts[i] = discounted * normal(-d2) - s * normal(-d1);
  }
}

#define UNARY(name, type, function)                                                                                    \
  KERNEL(name) {                                                                                                       \
    BUFFER(type, out, 0);                                                                                              \
    BUFFER(const type, in, 1);                                                                                         \
    _Pragma("omp parallel for simd") for (size_t i = 0; i < range[0]; ++i) out[i] = function(in[i]);                   \
  }
#define BINARY(name, type, function)                                                                                   \
  KERNEL(name) {                                                                                                       \
    BUFFER(type, out, 0);                                                                                              \
    BUFFER(const type, a, 1);                                                                                          \
    BUFFER(const type, b, 2);                                                                                          \
    _Pragma("omp parallel for simd") for (size_t i = 0; i < range[0]; ++i) out[i] = function(a[i], b[i]);              \
  }

UNARY(sin_f32, float, sinf)
UNARY(exp_f32, float, expf)
BINARY(pow_f32, float, powf)
UNARY(sin_f64, double, sin)
UNARY(exp_f64, double, exp)
BINARY(pow_f64, double, pow)

KERNEL(branchy) {
  BUFFER(uint32_t, out, 0);
  BUFFER(const uint32_t, in, 1);
#pragma omp parallel for simd
  for (size_t i = 0; i < range[0]; ++i) {
    uint32_t x = in[i], score = 0;
#pragma GCC unroll 8
    for (uint32_t round = 0; round < 8; ++round) {
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
}
