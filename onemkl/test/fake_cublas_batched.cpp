// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS's functions on batches of matrices, for tests: they compute on the host's LAPACK of oneMKL. What NVIDIA's document refuses,
// or says nothing good of, is refused: sizes, and addresses that are not where they have to be.
#include "fake_cublas.hpp"
#include "fake_lapack.hpp"

namespace {

bool all_there(std::initializer_list<std::size_t> counts, int count) {
    return std::all_of(counts.begin(), counts.end(), [&](auto there) { return int(there) == count; });
}

template <class T>
int getrf(Handle *handle, int size, T *const *a, int ld, int *pivots, int *infos, int count) {
    const auto stream = handle->stream;
    if (size < 0 || ld < std::max(1, size) || count < 0 || !is_on_device(infos) || !is_on_device(pivots)) return invalid_value;
    const auto matrices = addresses(a, count, stream);
    if (!all_there({matrices.size()}, count)) return invalid_value;
    const int64_t n = size, lda = ld;
    std::vector<int> all_pivots, all_infos;
    for (auto address : matrices) {
        auto matrix = load<T>(address, extent(n, n, lda), stream);
        std::vector<int64_t> p(n);
        int64_t info = 0;
        PICK(T, getrf_64)(&n, &n, matrix.data(), &lda, p.data(), &info);
        store(address, matrix, stream);
        all_pivots.insert(all_pivots.end(), p.begin(), p.end());
        all_infos.push_back(int(info));
    }
    store(pivots, all_pivots, stream);
    store(infos, all_infos, stream);
    return success;
}

// `info` is the host's.
template <class T>
int getrs(Handle *handle, int operation, int size, int sides, const T *const *a, int ld, const int *pivots, T *const *b, int ld_b,
          int *info, int count) {
    const auto stream = handle->stream;
    if (!info || is_on_device(info)) return invalid_value;
    *info = size < 0 ? -2 : sides < 0 ? -3 : ld < std::max(1, size) ? -5 : ld_b < std::max(1, size) ? -8 : count < 0 ? -10 : 0;
    if (*info || !is_on_device(pivots)) return invalid_value;
    const auto matrices = addresses(a, count, stream);
    const auto rights = addresses(b, count, stream);
    if (!all_there({matrices.size(), rights.size()}, count)) return invalid_value;
    const int64_t n = size, nrhs = sides, lda = ld, ldb = ld_b;
    const auto all_pivots = load<int>(pivots, n * count, stream);
    for (int i = 0; i < count; ++i) {
        const auto matrix = load<T>(matrices[i], extent(n, n, lda), stream);
        auto right = load<T>(rights[i], extent(n, nrhs, ldb), stream);
        const std::vector<int64_t> p(all_pivots.begin() + i * n, all_pivots.begin() + (i + 1) * n);
        int64_t result = 0;
        PICK(T, getrs_64)(operation_of(operation), &n, &nrhs, matrix.data(), &lda, p.data(), right.data(), &ldb, &result);
        store(rights[i], right, stream);
    }
    return success;
}

// The inverses must not be where the factors are.
template <class T>
int getri(Handle *handle, int size, const T *const *a, int ld, const int *pivots, T *const *c, int ld_c, int *infos, int count) {
    const auto stream = handle->stream;
    if (size < 0 || std::min(ld, ld_c) < std::max(1, size) || count < 0 || !is_on_device(infos) ||
        !is_on_device(pivots)) return invalid_value;
    const auto matrices = addresses(a, count, stream);
    const auto inverses = addresses(c, count, stream);
    if (!all_there({matrices.size(), inverses.size()}, count)) return invalid_value;
    const int64_t n = size, lda = ld, ldc = ld_c;
    const auto all_pivots = load<int>(pivots, n * count, stream);
    std::vector<int> all_infos;
    for (int i = 0; i < count; ++i) {
        const auto bytes = std::intptr_t(extent(n, n, std::max(lda, ldc)) * sizeof(T));

            if (std::abs(reinterpret_cast<std::intptr_t>(matrices[i]) - reinterpret_cast<std::intptr_t>(inverses[i])) < bytes) return invalid_value;
        auto matrix = load<T>(matrices[i], extent(n, n, lda), stream);
        auto inverse = load<T>(inverses[i], extent(n, n, ldc), stream);
        const std::vector<int64_t> p(all_pivots.begin() + i * n, all_pivots.begin() + (i + 1) * n);
        auto work = enough<T>();
        int64_t info = 0;
        PICK(T, getri_64)(&n, matrix.data(), &lda, p.data(), work.data(), &much, &info);
        for (int64_t column = 0; column < n; ++column) std::copy_n(&matrix[column * lda], n, &inverse[column * ldc]);
        store(inverses[i], inverse, stream);
        all_infos.push_back(int(info));
    }
    store(infos, all_infos, stream);
    return success;
}

// `info` is the host's.
template <class T>
int geqrf(Handle *handle, int rows, int columns, T *const *a, int ld, T *const *tau, int *info, int count) {
    const auto stream = handle->stream;
    if (!info || is_on_device(info)) return invalid_value;
    *info = rows < 0 ? -1 : columns < 0 ? -2 : ld < std::max(1, rows) ? -4 : count < 0 ? -7 : 0;
    if (*info) return invalid_value;
    const auto matrices = addresses(a, count, stream);
    const auto factors = addresses(tau, count, stream);
    if (!all_there({matrices.size(), factors.size()}, count)) return invalid_value;
    const int64_t m = rows, n = columns, lda = ld;
    for (int i = 0; i < count; ++i) {
        auto matrix = load<T>(matrices[i], extent(m, n, lda), stream);
        std::vector<T> taus(std::min(m, n));
        auto work = enough<T>();
        int64_t result = 0;
        PICK(T, geqrf_64)(&m, &n, matrix.data(), &lda, taus.data(), work.data(), &much, &result);
        store(matrices[i], matrix, stream);
        store(factors[i], taus, stream);
    }
    return success;
}

// `info` is the host's; those of the matrices are the device's.
template <class T>
int gels(Handle *handle, int operation, int rows, int columns, int sides, T *const *a, int ld, T *const *c, int ld_c, int *info,
         int *infos, int count) {
    const auto stream = handle->stream;
    if (!info || is_on_device(info) || !is_on_device(infos)) return invalid_value;
    *info = rows < 0 ? -2 : columns < 0 ? -3 : sides < 0 ? -4 : ld < std::max(1, rows) ? -6 : ld_c < std::max(1, rows) ? -8 : 0;
    if (*info || count < 0) return invalid_value;
    if (operation || rows < columns) return not_supported;
    const auto matrices = addresses(a, count, stream);
    const auto rights = addresses(c, count, stream);
    if (!all_there({matrices.size(), rights.size()}, count)) return invalid_value;
    const int64_t m = rows, n = columns, nrhs = sides, lda = ld, ldc = ld_c;
    std::vector<int> all_infos;
    for (int i = 0; i < count; ++i) {
        auto matrix = load<T>(matrices[i], extent(m, n, lda), stream);
        auto right = load<T>(rights[i], extent(m, nrhs, ldc), stream);
        auto work = enough<T>();
        int64_t result = 0;
        PICK(T, gels_64)("N", &m, &n, &nrhs, matrix.data(), &lda, right.data(), &ldc, work.data(), &much, &result);
        store(matrices[i], matrix, stream);
        store(rights[i], right, stream);
        all_infos.push_back(int(result));
    }
    store(infos, all_infos, stream);
    return success;
}

// alpha is the host's. The other triangle is not read.
template <class T>
int trsm(Handle *handle, int where, int part, int operation, int unit, int rows, int columns, const T *alpha, const T *const *a,
         int ld, T *const *b, int ld_b, int count) {
    const auto stream = handle->stream;
    const int size = where ? columns : rows;
    if (rows < 0 || columns < 0 || count < 0 || ld < std::max(1, size) || ld_b < std::max(1, rows) || handle->mode ||
        is_on_device(alpha)) {
        return invalid_value;
    }
    const auto matrices = addresses(a, count, stream);
    const auto rights = addresses(b, count, stream);
    if (!all_there({matrices.size(), rights.size()}, count)) return invalid_value;
    const int64_t m = rows, n = columns, lda = ld, ldb = ld_b;
    for (int i = 0; i < count; ++i) {
        const auto matrix = load<T>(matrices[i], extent(size, size, lda), stream);
        auto right = load<T>(rights[i], extent(m, n, ldb), stream);
        PICK(T, trsm_64)(where ? "R" : "L", part_of(part), operation_of(operation), unit ? "U" : "N", &m, &n, alpha,
                         matrix.data(), &lda, right.data(), &ldb);
        store(rights[i], right, stream);
    }
    return success;
}

} // namespace

extern "C" {

#define BATCHED(L, T)                                                                                                      \
    int cublas##L##getrfBatched(Handle *handle, int n, T *const *a, int lda, int *pivots, int *infos, int count) {         \
        return getrf(handle, n, a, lda, pivots, infos, count);                                                             \
    }                                                                                                                      \
    int cublas##L##getrsBatched(Handle *handle, int operation, int n, int nrhs, const T *const *a, int lda,                \
                                const int *pivots, T *const *b, int ldb, int *info, int count) {                           \
        return getrs(handle, operation, n, nrhs, a, lda, pivots, b, ldb, info, count);                                     \
    }                                                                                                                      \
    int cublas##L##getriBatched(Handle *handle, int n, const T *const *a, int lda, const int *pivots, T *const *c,         \
                                int ldc, int *infos, int count) {                                                          \
        return getri(handle, n, a, lda, pivots, c, ldc, infos, count);                                                     \
    }                                                                                                                      \
    int cublas##L##geqrfBatched(Handle *handle, int m, int n, T *const *a, int lda, T *const *tau, int *info, int count) { \
        return geqrf(handle, m, n, a, lda, tau, info, count);                                                              \
    }                                                                                                                      \
    int cublas##L##gelsBatched(Handle *handle, int operation, int m, int n, int nrhs, T *const *a, int lda, T *const *c,   \
                               int ldc, int *info, int *infos, int count) {                                                \
        return gels(handle, operation, m, n, nrhs, a, lda, c, ldc, info, infos, count);                                    \
    }                                                                                                                      \
    int cublas##L##trsmBatched(Handle *handle, int where, int part, int operation, int unit, int m, int n, const T *alpha, \
                               const T *const *a, int lda, T *const *b, int ldb, int count) {                              \
        return trsm(handle, where, part, operation, unit, m, n, alpha, a, lda, b, ldb, count);                             \
    }
BATCHED(S, float)
BATCHED(D, double)
BATCHED(C, Complex32)
BATCHED(Z, Complex64)

} // extern "C"
