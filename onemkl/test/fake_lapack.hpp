// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's LAPACK of oneMKL, on which the libraries for tests compute.
#pragma once

#include "fake_cuda.hpp"

using Complex32 = std::complex<float>;
using Complex64 = std::complex<double>;

// The host's LAPACK, with 64-bit integers.
extern "C" {
#define LAPACK(s, T, R)                                                                                                    \
    void s##getrf_64(const int64_t *, const int64_t *, T *, const int64_t *, int64_t *, int64_t *);                        \
    void s##getrs_64(const char *, const int64_t *, const int64_t *, const T *, const int64_t *, const int64_t *, T *,     \
                     const int64_t *, int64_t *);                                                                          \
    void s##getri_64(const int64_t *, T *, const int64_t *, const int64_t *, T *, const int64_t *, int64_t *);             \
    void s##gels_64(const char *, const int64_t *, const int64_t *, const int64_t *, T *, const int64_t *, T *,            \
                    const int64_t *, T *, const int64_t *, int64_t *);                                                     \
    void s##trsm_64(const char *, const char *, const char *, const char *, const int64_t *, const int64_t *, const T *,   \
                    const T *, const int64_t *, T *, const int64_t *);                                                     \
    void s##potrf_64(const char *, const int64_t *, T *, const int64_t *, int64_t *);                                      \
    void s##potrs_64(const char *, const int64_t *, const int64_t *, const T *, const int64_t *, T *, const int64_t *,     \
                     int64_t *);                                                                                           \
    void s##geqrf_64(const int64_t *, const int64_t *, T *, const int64_t *, T *, T *, const int64_t *, int64_t *);
LAPACK(s, float, float)
LAPACK(d, double, double)
LAPACK(c, Complex32, float)
LAPACK(z, Complex64, double)
#define ORGQR(name, T)                                                                                                     \
    void name(const int64_t *, const int64_t *, const int64_t *, T *, const int64_t *, const T *, T *, const int64_t *,    \
              int64_t *);
ORGQR(sorgqr_64, float)
ORGQR(dorgqr_64, double)
ORGQR(cungqr_64, Complex32)
ORGQR(zungqr_64, Complex64)
#define REAL(s, T)                                                                                                         \
    void s##syev_64(const char *, const char *, const int64_t *, T *, const int64_t *, T *, T *, const int64_t *,          \
                    int64_t *);                                                                                            \
    void s##gesvd_64(const char *, const char *, const int64_t *, const int64_t *, T *, const int64_t *, T *, T *,         \
                     const int64_t *, T *, const int64_t *, T *, const int64_t *, int64_t *);
REAL(s, float)
REAL(d, double)
#define COMPLEX(s, T, R)                                                                                                   \
    void s##heev_64(const char *, const char *, const int64_t *, T *, const int64_t *, R *, T *, const int64_t *, R *,     \
                    int64_t *);                                                                                            \
    void s##gesvd_64(const char *, const char *, const int64_t *, const int64_t *, T *, const int64_t *, R *, T *,         \
                     const int64_t *, T *, const int64_t *, T *, const int64_t *, R *, int64_t *);
COMPLEX(c, Complex32, float)
COMPLEX(z, Complex64, double)
}

namespace {

// One of four functions by a type.
template <class T, class S, class D, class C, class Z>
auto pick(S s, D d, C c, Z z) {
    if constexpr (std::is_same_v<T, float>) return s;
    else if constexpr (std::is_same_v<T, double>) return d;
    else if constexpr (std::is_same_v<T, Complex32>) return c;
    else return z;
}
#define PICK(T, name) pick<T>(s##name, d##name, c##name, z##name)

[[maybe_unused]] int64_t extent(int64_t rows, int64_t columns, int64_t ld) { return rows && columns ? (columns - 1) * ld + rows : 0; }

[[maybe_unused]] const char *part_of(int part) { return part == 1 ? "U" : "L"; }
[[maybe_unused]] const char *operation_of(int operation) { return operation == 2 ? "C" : operation ? "T" : "N"; }

// Memory that LAPACK asks for: more than it needs for the small matrices of tests.
template <class T>
std::vector<T> enough() {
    return std::vector<T>(1 << 16);
}
const int64_t much = 1 << 16;

// Whether an address is one of the device's memory, where NVIDIA's documents want it.
[[maybe_unused]] bool is_on_device(const void *address) {
    int attribute = 2; // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
    unsigned type = 0;
    void *place = &type;
    driver("cuPointerGetAttributes", 1u, &attribute, &place, reinterpret_cast<std::uint64_t>(address));
    return type == 2; // CU_MEMORYTYPE_DEVICE
}

// The matrices of a batch, whose addresses are on the device; none if one of them is not of the device's memory.
template <class T>
std::vector<T> addresses(T const *from, int64_t count, Stream stream) {
    if (!is_on_device(from)) return {};
    auto all = load<T>(from, count, stream);
    for (auto address : all) {
        if (!is_on_device(address)) return {};
    }
    return all;
}

} // namespace
