// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libcublas.so.13 for tests: the functions that liboxur_onemkl.so calls. Names, types and values are cuBLAS's.
#include "fake_cublas.hpp"

namespace {

// Whether the index of a matrix in column-major order goes by rows, and whether elements are conjugated.
struct Matrix {
    std::vector<Number> elements;
    int64_t ld;
    int operation = 0;
    Number at(int64_t row, int64_t column) const {
        const auto element = operation ? elements[row * ld + column] : elements[column * ld + row];
        return operation == 2 ? std::conj(element) : element;
    }
};

template <class T>
std::vector<Number> numbers(const void *from, int64_t count, Stream stream) {
    std::vector<Number> result;
    for (auto element : load<T>(from, count, stream)) result.push_back(number(element));
    return result;
}

// `work` on the type of a cudaDataType_t.
template <class F>
auto with_type(int type, F work) {
    switch (type) {
    case 0: return work(float());
    case 1: return work(double());
    case 2: return work(half());
    case 3: return work(std::int8_t());
    case 4: return work(std::complex<float>());
    case 5: return work(std::complex<double>());
    case 10: return work(std::int32_t());
    default: return work(bfloat16());
    }
}

int64_t extent(int64_t rows, int64_t columns, int64_t ld) { return rows && columns ? (columns - 1) * ld + rows : 0; }

Matrix matrix(int type, const void *from, int64_t rows, int64_t columns, int64_t ld, int operation, Stream stream) {
    if (operation) std::swap(rows, columns);
    const auto count = extent(rows, columns, ld);
    return {with_type(type, [&](auto t) { return numbers<decltype(t)>(from, count, stream); }), ld, operation};
}

// C = alpha A B + beta C, where `in` says which elements there are. C is not read if beta is 0.
template <class In>
void multiply(const Matrix &a, const Matrix &b, Number alpha, Number beta, void *c, int type, int64_t m, int64_t n, int64_t k,
              int64_t ldc, Stream stream, In in) {
    with_type(type, [&](auto t) {
        using T = decltype(t);
        auto result = load<T>(c, extent(m, n, ldc), stream);
        for (int64_t column = 0; column < n; ++column) {
            for (int64_t row = 0; row < m; ++row) {
                if (!in(row, column)) continue;
                Number sum = 0;
                for (int64_t i = 0; i < k; ++i) sum += a.at(row, i) * b.at(i, column);
                auto &element = result[column * ldc + row];
                sum *= alpha;
                if (beta != 0.0) sum += beta * number(element);
                element = from_number<T>(sum);
            }
        }
        store(c, result, stream);
    });
}

// A vector with BLAS's rule for negative increments.
template <class T>
struct Vector {
    std::vector<T> elements;
    int64_t n, increment;
    Vector(const T *from, int64_t n, int64_t increment, Stream stream)
        : elements(load<T>(from, n > 0 ? (n - 1) * std::abs(increment) + 1 : 0, stream)), n(n), increment(increment) {}
    T &operator[](int64_t i) { return elements[increment > 0 ? i * increment : (i + 1 - n) * increment]; }
};

template <class T>
constexpr int type_of = std::is_same_v<T, float> ? 0 : std::is_same_v<T, double> ? 1 : std::is_same_v<T, std::complex<float>> ? 4 : 5;

template <class T>
int gemv(Handle *handle, int operation, int64_t m, int64_t n, const T *alpha, const T *a, int64_t lda, const T *x, int64_t incx,
         const T *beta, T *y, int64_t incy) {
    const auto stream = handle->stream;
    if (operation) std::swap(m, n);
    const auto matrix_a = matrix(type_of<T>, a, m, n, lda, operation, stream);
    Vector<T> vx(x, n, incx, stream), vy(y, m, incy, stream);
    for (int64_t row = 0; row < m; ++row) {
        Number sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += matrix_a.at(row, i) * number(vx[i]);
        sum *= number(*alpha);
        if (*beta != T(0)) sum += number(*beta) * number(vy[row]);
        vy[row] = from_number<T>(sum);
    }
    store(y, vy.elements, stream);
    return success;
}

template <class T, class S>
int rank_k(Handle *handle, int part, int operation, int64_t n, int64_t k, S alpha, const T *a, int64_t lda, S beta, T *c,
           int64_t ldc, int other) {
    const auto ma = matrix(type_of<T>, a, n, k, lda, operation, handle->stream);
    auto mb = ma;
    // The second factor is the first one's transpose, conjugated or not.
    mb.operation = operation ? 0 : other;
    const auto in = [=](int64_t row, int64_t column) { return part == 1 ? row <= column : row >= column; };
    multiply(ma, mb, number(alpha), number(beta), c, type_of<T>, n, n, k, ldc, handle->stream, in);
    return success;
}

// Solves op(A) X = alpha B or X op(A) = alpha B by substitution.
template <class T>
int trsm(Handle *handle, int where, int part, int operation, int unit, int64_t m, int64_t n, const T *alpha, const T *a, int64_t lda,
         T *b, int64_t ldb) {
    const auto size = where ? n : m;
    const auto ma = matrix(type_of<T>, a, size, size, lda, operation, handle->stream);
    auto result = load<T>(b, extent(m, n, ldb), handle->stream);
    // From the right it is op(A)' X' = alpha B'.
    const auto factor = [&](int64_t i, int64_t j) { return where ? ma.at(j, i) : ma.at(i, j); };
    const auto element = [&](int64_t i, int64_t j) -> T & { return where ? result[i * ldb + j] : result[j * ldb + i]; };
    const bool lower = ((part == 0) != (operation != 0)) != (where != 0);
    for (int64_t column = 0; column < (where ? m : n); ++column) {
        for (int64_t step = 0; step < size; ++step) {
            const auto i = lower ? step : size - 1 - step;
            auto sum = number(*alpha) * number(element(i, column));
            for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : size); ++j) sum -= factor(i, j) * number(element(j, column));
            element(i, column) = from_number<T>(unit ? sum : sum / factor(i, i));
        }
    }
    store(b, result, handle->stream);
    return success;
}

template <class T, class R, class F>
int reduce(Handle *handle, R *result, F sum) {
    if (!handle->mode) return invalid_value; // Results in the host's memory are not needed.
    store(result, std::vector<R>{from_number<R>(sum(handle->stream))}, handle->stream);
    return success;
}

template <class T>
int dot(Handle *handle, int64_t n, const T *x, int64_t incx, const T *y, int64_t incy, T *result, bool conjugate) {
    return reduce<T>(handle, result, [&](Stream stream) {
        Vector<T> vx(x, n, incx, stream), vy(y, n, incy, stream);
        Number sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += (conjugate ? std::conj(number(vx[i])) : number(vx[i])) * number(vy[i]);
        return sum;
    });
}

template <class T, class R>
int norm(Handle *handle, int64_t n, const T *x, int64_t incx, R *result, bool squares) {
    return reduce<T>(handle, result, [&](Stream stream) {
        Vector<T> vx(x, n, incx, stream);
        double sum = 0;
        for (int64_t i = 0; i < n; ++i) {
            const auto value = number(vx[i]);
            sum += squares ? std::norm(value) : std::abs(value.real()) + std::abs(value.imag());
        }
        return Number(squares ? std::sqrt(sum) : sum);
    });
}

// y = work(x, y) for each element.
template <class T, class F>
int each(Handle *handle, int64_t n, const T *x, int64_t incx, T *y, int64_t incy, F work) {
    Vector<T> vx(x, n, incx, handle->stream), vy(y, n, incy, handle->stream);
    for (int64_t i = 0; i < n; ++i) vy[i] = work(vx[i], vy[i]);
    store(y, vy.elements, handle->stream);
    return success;
}

} // namespace

extern "C" {

int cublasCreate_v2(Handle **handle) {
    *handle = new Handle{};
    return success;
}
int cublasSetStream_v2(Handle *handle, Stream stream) {
    handle->stream = stream;
    return success;
}
int cublasSetPointerMode_v2(Handle *handle, int mode) {
    handle->mode = mode;
    return success;
}

int cublasGemmStridedBatchedEx_64(Handle *handle, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, const void *alpha,
                                  const void *a, int type_a, int64_t lda, long long stride_a, const void *b, int type_b, int64_t ldb,
                                  long long stride_b, const void *beta, void *c, int type_c, int64_t ldc, long long stride_c,
                                  int64_t batch, int compute, int) {
    const auto stream = handle->stream;
    const bool is_complex = type_a == 4 || type_a == 5;
    // The types that cuBLAS has for alpha and beta: those of the computation.
    const int scalar = compute == 70 ? (is_complex ? 5 : 1) : compute == 72 ? 10 : is_complex ? 4 : 0;
    const auto value = [&](const void *at) {
        return with_type(scalar, [&](auto t) { return number(*static_cast<const decltype(t) *>(at)); });
    };
    const auto size = [&](int type) { return with_type(type, [](auto t) { return int64_t(sizeof t); }); };
    if (type_a != type_b || compute == 64) return not_supported;
    // As cuBLAS with its integers of 32 bits.
    const auto addresses = reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b);
    const auto strides = batch == 1 ? 0 : stride_a | stride_b;
    if (compute == 72 && (addresses | m | n | k | lda | ldb | ldc | strides) % 4) return not_supported;
    for (int64_t i = 0; i < batch; ++i) {
        const auto at = [&](const void *base, long long stride, int type) { return static_cast<const char *>(base) + i * stride * size(type); };
        const auto ma = matrix(type_a, at(a, stride_a, type_a), m, k, lda, trans_a, stream);
        const auto mb = matrix(type_b, at(b, stride_b, type_b), k, n, ldb, trans_b, stream);
        multiply(ma, mb, value(alpha), value(beta), const_cast<char *>(at(c, stride_c, type_c)), type_c, m, n, k, ldc, stream,
                 [](int64_t, int64_t) { return true; });
    }
    return success;
}

int cublasGemmEx_64(Handle *handle, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                    int type_a, int64_t lda, const void *b, int type_b, int64_t ldb, const void *beta, void *c, int type_c, int64_t ldc,
                    int compute, int algorithm) {
    return cublasGemmStridedBatchedEx_64(handle, trans_a, trans_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c,
                                         ldc, 0, 1, compute, algorithm);
}

#define FUNCTIONS(L, T)                                                                                                    \
    int cublas##L##gemv_v2_64(Handle *handle, int operation, int64_t m, int64_t n, const T *alpha, const T *a, int64_t lda,         \
                              const T *x, int64_t incx, const T *beta, T *y, int64_t incy) {                               \
        return gemv(handle, operation, m, n, alpha, a, lda, x, incx, beta, y, incy);                                       \
    }                                                                                                                      \
    int cublas##L##syrk_v2_64(Handle *handle, int part, int operation, int64_t n, int64_t k, const T *alpha, const T *a,   \
                              int64_t lda, const T *beta, T *c, int64_t ldc) {                                             \
        return rank_k(handle, part, operation, n, k, *alpha, a, lda, *beta, c, ldc, 1);                                    \
    }                                                                                                                      \
    int cublas##L##trsm_v2_64(Handle *handle, int where, int part, int operation, int unit, int64_t m, int64_t n,          \
                              const T *alpha, const T *a, int64_t lda, T *b, int64_t ldb) {                                \
        return trsm(handle, where, part, operation, unit, m, n, alpha, a, lda, b, ldb);                                    \
    }                                                                                                                      \
    int cublas##L##axpy_v2_64(Handle *handle, int64_t n, const T *alpha, const T *x, int64_t incx, T *y, int64_t incy) {   \
        return each(handle, n, x, incx, y, incy, [&](T from, T to) { return *alpha * from + to; });                        \
    }                                                                                                                      \
    int cublas##L##copy_v2_64(Handle *handle, int64_t n, const T *x, int64_t incx, T *y, int64_t incy) {                   \
        return each(handle, n, x, incx, y, incy, [](T from, T) { return from; });                                          \
    }                                                                                                                      \
    int cublas##L##swap_v2_64(Handle *handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy) {                         \
        Vector<T> vx(x, n, incx, handle->stream), vy(y, n, incy, handle->stream);                                          \
        for (int64_t i = 0; i < n; ++i) std::swap(vx[i], vy[i]);                                                           \
        store(x, vx.elements, handle->stream);                                                                             \
        store(y, vy.elements, handle->stream);                                                                             \
        return success;                                                                                                    \
    }                                                                                                                      \
    int cublas##L##scal_v2_64(Handle *handle, int64_t n, const T *alpha, T *x, int64_t incx) {                             \
        return each(handle, n, x, incx, x, incx, [&](T from, T) { return *alpha * from; });                                \
    }
FUNCTIONS(S, float)
FUNCTIONS(D, double)
FUNCTIONS(C, std::complex<float>)
FUNCTIONS(Z, std::complex<double>)

// Of the sum of two matrices only what a transposed copy needs.
#define GEAM(L, T)                                                                                                         \
    int cublas##L##geam_64(Handle *handle, int operation, int, int64_t m, int64_t n, const T *alpha, const T *a, int64_t lda,       \
                           const T *beta, const T *, int64_t, T *c, int64_t ldc) {                                         \
        if (*beta != T(0)) return not_supported;                                                                           \
        const auto ma = matrix(type_of<T>, a, m, n, lda, operation, handle->stream);                                       \
        auto result = load<T>(c, extent(m, n, ldc), handle->stream);                                                       \
        for (int64_t column = 0; column < n; ++column) {                                                                   \
            for (int64_t row = 0; row < m; ++row) result[column * ldc + row] = from_number<T>(number(*alpha) * ma.at(row, column)); \
        }                                                                                                                  \
        store(c, result, handle->stream);                                                                                  \
        return success;                                                                                                    \
    }
GEAM(S, float)
GEAM(D, double)
GEAM(C, std::complex<float>)
GEAM(Z, std::complex<double>)

#define DOT(L, T, name, conjugate)                                                                                         \
    int cublas##L##name##_v2_64(Handle *handle, int64_t n, const T *x, int64_t incx, const T *y, int64_t incy, T *result) { \
        return dot(handle, n, x, incx, y, incy, result, conjugate);                                                        \
    }
DOT(S, float, dot, false)
DOT(D, double, dot, false)
DOT(C, std::complex<float>, dotu, false)
DOT(Z, std::complex<double>, dotu, false)
DOT(C, std::complex<float>, dotc, true)
DOT(Z, std::complex<double>, dotc, true)

#define NORM(L, T, R)                                                                                                      \
    int cublas##L##nrm2_v2_64(Handle *handle, int64_t n, const T *x, int64_t incx, R *result) {                            \
        return norm(handle, n, x, incx, result, true);                                                                     \
    }                                                                                                                      \
    int cublas##L##asum_v2_64(Handle *handle, int64_t n, const T *x, int64_t incx, R *result) {                            \
        return norm(handle, n, x, incx, result, false);                                                                    \
    }
NORM(S, float, float)
NORM(D, double, double)
NORM(Sc, std::complex<float>, float)
NORM(Dz, std::complex<double>, double)

#define HERK(L, T, R)                                                                                                      \
    int cublas##L##herk_v2_64(Handle *handle, int part, int operation, int64_t n, int64_t k, const R *alpha, const T *a,   \
                              int64_t lda, const R *beta, T *c, int64_t ldc) {                                             \
        return rank_k(handle, part, operation, n, k, *alpha, a, lda, *beta, c, ldc, 2);                                    \
    }
HERK(C, std::complex<float>, float)
HERK(Z, std::complex<double>, double)

} // extern "C"
