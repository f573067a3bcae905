// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libcusolver.so.12 for tests: the functions that liboxur_onemkl.so calls, on the host's LAPACK of oneMKL. Names, types and
// values are cuSOLVER's. Working memory on the device is asked for, and spoiled, as cuSOLVER's is.
#include "fake_lapack.hpp"

namespace {

enum { success = 0, invalid_value = 3, not_supported = 9 };

struct Handle {
    Stream stream;
};

// `work` on the type of a cudaDataType_t.
template <class F>
auto with_type(int type, F work) {
    switch (type) {
    case 0: return work(float());
    case 1: return work(double());
    case 4: return work(Complex32());
    default: return work(Complex64());
    }
}

template <class T>
struct RealOf {
    using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
    using type = T;
};

constexpr std::size_t workspace = 96;

// Writes all of the working memory, which must be there.
int spoil(Handle *handle, void *device, std::size_t on_device, void *host, std::size_t on_host, std::size_t least_on_host = workspace) {
    if (on_device < workspace || on_host < least_on_host) return invalid_value;
    std::memset(host, 0x5a, on_host);
    store(device, std::vector<char>(on_device, 0x5a), handle->stream);
    return success;
}

void finish(Handle *handle, int *place, int64_t info) { store(place, std::vector<int>{int(info)}, handle->stream); }

template <class T>
int potrf_batched(Handle *handle, int part, int size, T *const *a, int ld, int *infos, int count) {
    if (size < 0 || ld < std::max(1, size) || count < 0 || !is_on_device(infos)) return invalid_value;
    const auto matrices = addresses(a, count, handle->stream);
    if (int(matrices.size()) != count) return invalid_value;
    const int64_t n = size, lda = ld;
    std::vector<int> all;
    for (auto address : matrices) {
        auto matrix = load<T>(address, extent(n, n, lda), handle->stream);
        int64_t info = 0;
        PICK(T, potrf_64)(part_of(part), &n, matrix.data(), &lda, &info);
        for (int64_t c = 0; c < n; ++c) {
            for (int64_t r = 0; r < n; ++r) {
                if (part == 1 ? r > c : r < c) matrix[c * lda + r] = T(std::nanf(""));
            }
        }
        store(address, matrix, handle->stream);
        all.push_back(int(info));
    }
    store(infos, all, handle->stream);
    return success;
}

} // namespace

extern "C" {

int cusolverDnCreate(Handle **handle) {
    *handle = new Handle{};
    return success;
}
int cusolverDnCreateParams(void **params) {
    *params = new int;
    return success;
}
int cusolverDnSetStream(Handle *handle, Stream stream) {
    handle->stream = stream;
    return success;
}

#define SIZES(name, ...)                                                                                                   \
    int cusolverDn##name##_bufferSize(Handle *, void *, __VA_ARGS__, int, std::size_t *device, std::size_t *host) {        \
        *device = *host = workspace;                                                                                       \
        return success;                                                                                                    \
    }
SIZES(Xgetrf, int64_t, int64_t, int, const void *, int64_t)
SIZES(Xpotrf, int, int64_t, int, const void *, int64_t)
// This one needs none on the host, so that nobody waits for it.
int cusolverDnXgeqrf_bufferSize(Handle *, void *, int64_t, int64_t, int, const void *, int64_t, int, const void *, int, std::size_t *device,
                                std::size_t *host) {
    *device = workspace;
    *host = 0;
    return success;
}
SIZES(Xsyevd, int, int, int64_t, int, const void *, int64_t, int, const void *)
SIZES(Xgesvd, signed char, signed char, int64_t, int64_t, int, const void *, int64_t, int, const void *, int, const void *, int64_t,
      int, const void *, int64_t)

int cusolverDnXgetrf(Handle *handle, void *, int64_t m, int64_t n, int type, void *a, int64_t lda, int64_t *pivots, int,
                     void *device, std::size_t on_device, void *host, std::size_t on_host, int *info_at) {
    if (const auto bad = spoil(handle, device, on_device, host, on_host)) return bad;
    return with_type(type, [&](auto t) {
        using T = decltype(t);
        auto matrix = load<T>(a, extent(m, n, lda), handle->stream);
        std::vector<int64_t> p(std::min(m, n));
        int64_t info = 0;
        PICK(T, getrf_64)(&m, &n, matrix.data(), &lda, p.data(), &info);
        store(a, matrix, handle->stream);
        store(pivots, p, handle->stream);
        finish(handle, info_at, info);
        return int(success);
    });
}

int cusolverDnXgetrs(Handle *handle, void *, int operation, int64_t n, int64_t nrhs, int type, const void *a, int64_t lda,
                     const int64_t *pivots, int type_b, void *b, int64_t ldb, int *info_at) {
    if (type != type_b) return not_supported;
    return with_type(type, [&](auto t) {
        using T = decltype(t);
        const auto matrix = load<T>(a, extent(n, n, lda), handle->stream);
        auto right = load<T>(b, extent(n, nrhs, ldb), handle->stream);
        const auto p = load<int64_t>(pivots, n, handle->stream);
        int64_t info = 0;
        PICK(T, getrs_64)(operation_of(operation), &n, &nrhs, matrix.data(), &lda, p.data(), right.data(), &ldb, &info);
        store(b, right, handle->stream);
        finish(handle, info_at, info);
        return int(success);
    });
}

int cusolverDnXpotrf(Handle *handle, void *, int part, int64_t n, int type, void *a, int64_t lda, int, void *device,
                     std::size_t on_device, void *host, std::size_t on_host, int *info_at) {
    if (const auto bad = spoil(handle, device, on_device, host, on_host)) return bad;
    return with_type(type, [&](auto t) {
        using T = decltype(t);
        auto matrix = load<T>(a, extent(n, n, lda), handle->stream);
        int64_t info = 0;
        PICK(T, potrf_64)(part_of(part), &n, matrix.data(), &lda, &info);
        store(a, matrix, handle->stream);
        finish(handle, info_at, info);
        return int(success);
    });
}

int cusolverDnXpotrs(Handle *handle, void *, int part, int64_t n, int64_t nrhs, int type, const void *a, int64_t lda, int, void *b,
                     int64_t ldb, int *info_at) {
    return with_type(type, [&](auto t) {
        using T = decltype(t);
        const auto matrix = load<T>(a, extent(n, n, lda), handle->stream);
        auto right = load<T>(b, extent(n, nrhs, ldb), handle->stream);
        int64_t info = 0;
        PICK(T, potrs_64)(part_of(part), &n, &nrhs, matrix.data(), &lda, right.data(), &ldb, &info);
        store(b, right, handle->stream);
        finish(handle, info_at, info);
        return int(success);
    });
}

int cusolverDnXgeqrf(Handle *handle, void *, int64_t m, int64_t n, int type, void *a, int64_t lda, int, void *tau, int,
                     void *device, std::size_t on_device, void *host, std::size_t on_host, int *info_at) {
    if (const auto bad = spoil(handle, device, on_device, host, on_host, 0)) return bad;
    return with_type(type, [&](auto t) {
        using T = decltype(t);
        auto matrix = load<T>(a, extent(m, n, lda), handle->stream);
        std::vector<T> factors(std::min(m, n));
        auto work = enough<T>();
        int64_t info = 0;
        PICK(T, geqrf_64)(&m, &n, matrix.data(), &lda, factors.data(), work.data(), &much, &info);
        store(a, matrix, handle->stream);
        store(tau, factors, handle->stream);
        store(device, std::vector<char>(on_device, 0x5a), handle->stream); // It is in use until the end.
        finish(handle, info_at, info);
        return int(success);
    });
}

#define ORGQR_OF(name, lapack, T)                                                                                          \
    int cusolverDn##name##_bufferSize(Handle *, int, int, int, const T *, int, const T *, int *count) {                    \
        *count = workspace;                                                                                                \
        return success;                                                                                                    \
    }                                                                                                                      \
    int cusolverDn##name(Handle *handle, int m, int n, int k, T *a, int lda, const T *tau, T *device, int count,           \
                         int *info_at) {                                                                                   \
        if (count < int(workspace)) return invalid_value;                                                                  \
        store(device, std::vector<T>(count, T(7)), handle->stream);                                                        \
        auto matrix = load<T>(a, extent(m, n, lda), handle->stream);                                                       \
        const auto factors = load<T>(tau, k, handle->stream);                                                              \
        auto work = enough<T>();                                                                                           \
        const int64_t wm = m, wn = n, wk = k, wlda = lda;                                                                  \
        int64_t info = 0;                                                                                                  \
        lapack(&wm, &wn, &wk, matrix.data(), &wlda, factors.data(), work.data(), &much, &info);                            \
        store(a, matrix, handle->stream);                                                                                  \
        store(device, std::vector<T>(count, T(7)), handle->stream);                                                        \
        finish(handle, info_at, info);                                                                                     \
        return success;                                                                                                    \
    }
ORGQR_OF(Sorgqr, sorgqr_64, float)
ORGQR_OF(Dorgqr, dorgqr_64, double)
ORGQR_OF(Cungqr, cungqr_64, Complex32)
ORGQR_OF(Zungqr, zungqr_64, Complex64)

int cusolverDnXsyevd(Handle *handle, void *, int vectors, int part, int64_t n, int type, void *a, int64_t lda, int, void *w, int,
                     void *device, std::size_t on_device, void *host, std::size_t on_host, int *info_at) {
    if (const auto bad = spoil(handle, device, on_device, host, on_host)) return bad;
    return with_type(type, [&](auto t) {
        using T = decltype(t);
        using R = typename RealOf<T>::type;
        auto matrix = load<T>(a, extent(n, n, lda), handle->stream);
        std::vector<R> values(n);
        auto work = enough<T>();
        auto real_work = enough<R>();
        int64_t info = 0;
        const auto job = vectors ? "V" : "N";
        if constexpr (std::is_same_v<T, R>) {
            pick<T>(ssyev_64, dsyev_64, nullptr, nullptr)(job, part_of(part), &n, matrix.data(), &lda, values.data(), work.data(),
                                                          &much, &info);
        } else {
            pick<T>(nullptr, nullptr, cheev_64, zheev_64)(job, part_of(part), &n, matrix.data(), &lda, values.data(), work.data(),
                                                          &much, real_work.data(), &info);
        }
        store(a, matrix, handle->stream);
        store(w, values, handle->stream);
        finish(handle, info_at, info);
        return int(success);
    });
}

int cusolverDnXgesvd(Handle *handle, void *, signed char ju, signed char jvt, int64_t m, int64_t n, int type, void *a, int64_t lda,
                     int, void *s, int, void *u, int64_t ldu, int, void *vt, int64_t ldvt, int, void *device,
                     std::size_t on_device, void *host, std::size_t on_host, int *info_at) {
    if (m < n) return invalid_value; // As cuSOLVER's.
    if (const auto bad = spoil(handle, device, on_device, host, on_host)) return bad;
    return with_type(type, [&](auto t) {
        using T = decltype(t);
        using R = typename RealOf<T>::type;
        auto matrix = load<T>(a, extent(m, n, lda), handle->stream);
        std::vector<R> values(n);
        const auto columns = ju == 'A' ? m : ju == 'S' ? n : 0, rows = jvt == 'N' ? 0 : n;
        auto left = load<T>(u, extent(m, columns, ldu), handle->stream), right = load<T>(vt, extent(rows, n, ldvt), handle->stream);
        auto work = enough<T>();
        auto real_work = enough<R>();
        int64_t info = 0;
        const char cu = ju, cvt = jvt;
        if constexpr (std::is_same_v<T, R>) {
            pick<T>(sgesvd_64, dgesvd_64, nullptr, nullptr)(&cu, &cvt, &m, &n, matrix.data(), &lda, values.data(), left.data(), &ldu,
                                                            right.data(), &ldvt, work.data(), &much, &info);
        } else {
            pick<T>(nullptr, nullptr, cgesvd_64, zgesvd_64)(&cu, &cvt, &m, &n, matrix.data(), &lda, values.data(), left.data(), &ldu,
                                                            right.data(), &ldvt, work.data(), &much, real_work.data(), &info);
        }
        store(a, matrix, handle->stream);
        store(s, values, handle->stream);
        store(u, left, handle->stream);
        store(vt, right, handle->stream);
        finish(handle, info_at, info);
        return int(success);
    });
}

// The other triangle is used, as NVIDIA's document says.
#define POTRF_BATCHED(L, T)                                                                                                \
    int cusolverDn##L##potrfBatched(Handle *handle, int part, int n, T *const *a, int lda, int *infos, int count) {        \
        return potrf_batched(handle, part, n, a, lda, infos, count);                                                       \
    }
POTRF_BATCHED(S, float)
POTRF_BATCHED(D, double)
POTRF_BATCHED(C, Complex32)
POTRF_BATCHED(Z, Complex64)

} // extern "C"
