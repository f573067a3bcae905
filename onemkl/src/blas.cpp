// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneMKL's BLAS on cuBLAS: the functions on USM that clients import. blas_functions.hpp has each once; it is read once a layout.
// A row-major matrix is its transpose in column-major order, which is all that cuBLAS knows.
#include "cublas.hpp"
#include "padded.hpp"

namespace oxur {
namespace {

using oneapi::mkl::value_or_pointer;
using oneapi::mkl::blas::compute_mode;
using std::int64_t;

// The type in which cuBLAS takes alpha and beta of a product, and its cublasComputeType_t.
template <class Ta, class Tc>
struct Compute {
    using Scalar = float;
    static constexpr int type = 68; // 32F
};
template <>
struct Compute<double, double> {
    using Scalar = double;
    static constexpr int type = 70; // 64F
};
template <>
struct Compute<cfloat, cfloat> {
    using Scalar = cfloat;
    static constexpr int type = 68;
};
template <>
struct Compute<cdouble, cdouble> {
    using Scalar = cdouble;
    static constexpr int type = 70;
};
template <>
struct Compute<std::int8_t, std::int32_t> {
    using Scalar = std::int32_t;
    static constexpr int type = 72; // 32I
};

bool has(compute_mode mode, compute_mode flag) { return std::uint64_t(mode) & std::uint64_t(flag); }

// cublasComputeType_t of a product. The modes allow less precise ones for floats.
template <class Ta, class Tc>
int compute_type(compute_mode mode) {
    if constexpr (std::is_same_v<Ta, float> || std::is_same_v<Ta, cfloat>) {
        if (has(mode, compute_mode::float_to_tf32)) return 77; // 32F_FAST_TF32
        if (has(mode, compute_mode::float_to_bf16)) return 75; // 32F_FAST_16BF
    }
    return Compute<Ta, Tc>::type;
}

// A scalar in the type that cuBLAS takes.
template <class To, class Ts>
To scalar_as(const value_or_pointer<Ts> &scalar, Stream stream, Function function) {
    const Ts value = scalar_value(scalar, stream);
    const To converted = static_cast<To>(value);
    if constexpr (std::is_same_v<To, std::int32_t>) {
        if (static_cast<Ts>(converted) != value) {
            throw oneapi::mkl::unimplemented(function.domain, function.name, "a product of integers times a fraction");
        }
    }
    return converted;
}

void require(bool condition, Function function, const char *what) {
    if (!condition) throw oneapi::mkl::invalid_argument(function.domain, function.name, what);
}

// A matrix operand: rows × columns in column-major order as it is stored.
void require_matrix(int64_t rows, int64_t columns, int64_t ld, Function function, const char *what) {
    require(rows >= 0 && columns >= 0 && ld >= std::max<int64_t>(1, rows), function, what);
}

// The operands of a product, in column-major order. `batch` of them, `stride` elements apart; one without strides for gemm.
template <class Ta, class Tb, class Tc, class Ts>
struct Product {
    transpose trans_a, trans_b;
    int64_t m, n, k;
    value_or_pointer<Ts> alpha;
    const Ta *a;
    int64_t lda, stride_a;
    const Tb *b;
    int64_t ldb, stride_b;
    value_or_pointer<Ts> beta;
    Tc *c;
    int64_t ldc, stride_c;
    int64_t batch;
    compute_mode mode;

    // The same in row-major order: C' = op(B)' op(A)'.
    Product<Tb, Ta, Tc, Ts> row_major() const {
        return {trans_b, trans_a, n, m, k, alpha, b, ldb, stride_b, a, lda, stride_a, beta, c, ldc, stride_c, batch, mode};
    }

    void check_sizes(Function function) const {
        require(m >= 0 && n >= 0 && k >= 0, function, "a size is negative");
        require(batch >= 0, function, "the number of matrices is negative");
        require(lda >= std::max<int64_t>(1, trans_a == transpose::nontrans ? m : k), function, "lda is too small");
        require(ldb >= std::max<int64_t>(1, trans_b == transpose::nontrans ? k : n), function, "ldb is too small");
        require(ldc >= std::max<int64_t>(1, m), function, "ldc is too small");
    }
};

// Calls cuBLAS.
template <class Ta, class Tb, class Tc, class Ts, class Scalar>
void call(Stream stream, Function function, const Product<Ta, Tb, Tc, Ts> &p, const Scalar &alpha, const Scalar &beta) {
    const auto a = static_cast<const void *>(p.a), b = static_cast<const void *>(p.b);
    const auto c = static_cast<void *>(p.c);
    const auto *const scale = static_cast<const void *>(&alpha), *const old = static_cast<const void *>(&beta);
    const auto compute = compute_type<Ta, Tc>(p.mode);
    const auto trans_a = native(p.trans_a), trans_b = native(p.trans_b);
    Cublas cublas(stream);
    if (p.batch == 1) {
        cublas.call<"cublasGemmEx_64">(function, trans_a, trans_b, p.m, p.n, p.k, scale, a, data_type<Ta>, p.lda, b,
                                       data_type<Tb>, p.ldb, old, c, data_type<Tc>, p.ldc, compute, -1);
        return;
    }
    const auto stride = [](int64_t elements) { return static_cast<long long>(elements); };
    cublas.call<"cublasGemmStridedBatchedEx_64">(function, trans_a, trans_b, p.m, p.n, p.k, scale, a, data_type<Ta>, p.lda,
                                                 stride(p.stride_a), b, data_type<Tb>, p.ldb, stride(p.stride_b), old, c,
                                                 data_type<Tc>, p.ldc, stride(p.stride_c), p.batch, compute, -1);
}

// A product of 8-bit integers to 32-bit ones, of which cuBLAS takes none but with sizes and addresses that are multiples of 4. Others
// are those of larger matrices with zeros. The caller waits for them.
template <class Ts>
void call_padded(Stream stream, Function function, const Product<std::int8_t, std::int8_t, std::int32_t, Ts> &p, std::int32_t alpha,
                 std::int32_t beta) {
    const bool plain_a = p.trans_a == transpose::nontrans, plain_b = p.trans_b == transpose::nontrans;
    const auto rows_a = plain_a ? p.m : p.k, columns_a = plain_a ? p.k : p.m;
    const auto rows_b = plain_b ? p.k : p.n, columns_b = plain_b ? p.n : p.k;
    const Padded<std::int8_t> a(rows_a, columns_a, p.batch, stream, function), b(rows_b, columns_b, p.batch, stream, function);
    const Padded<std::int32_t> c(p.m, p.n, p.batch, stream, function);
    a.read(p.a, rows_a, columns_a, p.lda, p.stride_a);
    b.read(p.b, rows_b, columns_b, p.ldb, p.stride_b);
    if (beta) c.read(p.c, p.m, p.n, p.ldc, p.stride_c);
    auto larger = p;
    larger.m = padded(p.m), larger.n = padded(p.n), larger.k = padded(p.k);
    larger.a = a.data(), larger.lda = a.ld(), larger.stride_a = a.stride();
    larger.b = b.data(), larger.ldb = b.ld(), larger.stride_b = b.stride();
    larger.c = c.data(), larger.ldc = c.ld(), larger.stride_c = c.stride();
    call(stream, function, larger, alpha, beta);
    c.write(p.c, p.m, p.n, p.ldc, p.stride_c);
}

template <class Ta, class Tb, class Tc, class Ts>
sycl::event multiply(sycl::queue &queue, const Events &dependencies, Function function, Product<Ta, Tb, Tc, Ts> p) {
    p.check_sizes(function);
    return submit(queue, dependencies, function, [=](Stream stream) {
        if (p.m == 0 || p.n == 0 || p.batch == 0) return;
        using Scalar = typename Compute<Ta, Tc>::Scalar;
        const auto alpha = scalar_as<Scalar>(p.alpha, stream, function);
        const auto beta = scalar_as<Scalar>(p.beta, stream, function);
        if constexpr (std::is_same_v<Ta, std::int8_t> && std::is_same_v<Tc, std::int32_t>) {
            const auto addresses = reinterpret_cast<std::uintptr_t>(p.a) | reinterpret_cast<std::uintptr_t>(p.b);
            const auto strides = p.batch == 1 ? 0 : p.stride_a | p.stride_b;
            if ((addresses | p.m | p.n | p.k | p.lda | p.ldb | p.ldc | strides) % 4) {
                return call_padded(stream, function, p, alpha, beta);
            }
        }
        call(stream, function, p, alpha, beta);
    });
}

// Calls cublas?STEM with these arguments, in which scalars become addresses of their values. A result is in the device's
// memory; then there are no scalars.
template <class T, Text stem, Text letters = "", bool to_device = false, class... A>
sycl::event plain(sycl::queue &queue, const Events &dependencies, Function function, A... arguments) {
    const auto convert = [](const auto &argument, Stream stream) {
        if constexpr (requires { argument.pointer(); }) {
            return scalar_value(argument, stream);
        } else {
            return native(argument);
        }
    };
    return submit(queue, dependencies, function, [=](Stream stream) {
        const std::tuple converted{convert(arguments, stream)...};
        const auto pass = [](const auto &original, const auto &value) {
            if constexpr (requires { original.pointer(); }) {
                return &value;
            } else {
                return value;
            }
        };
        Cublas cublas(stream);
        if (to_device) cublas.point_to_device(true);
        // The handle goes back as it came, also if the call fails.
        struct Restore {
            Cublas &cublas;
            ~Restore() {
                if (to_device) cublas.point_to_device(false);
            }
        } restore{cublas};
        std::apply(
            [&](const auto &...values) {
                cublas.typed<T, stem, letters>(function, pass(arguments, values)...);
            },
            converted);
    });
}

uplo other(uplo value) { return value == uplo::upper ? uplo::lower : uplo::upper; }
side other(side value) { return value == side::left ? side::right : side::left; }

// A transpose of a row-major matrix whose elements need no conjugation.
transpose other(transpose value) { return value == transpose::nontrans ? transpose::trans : transpose::nontrans; }

} // namespace
} // namespace oxur

#define FOR_REALS(F) F(float) F(double)
#define FOR_COMPLEX(F) F(std::complex<float>) F(std::complex<double>)
#define FOR_ALL(F) FOR_REALS(F) FOR_COMPLEX(F)

namespace oneapi::mkl::blas {

using namespace oxur;
using std::int64_t;

namespace column_major {
constexpr bool row = false;
#include "blas_functions.hpp"
} // namespace column_major

namespace row_major {
constexpr bool row = true;
#include "blas_functions.hpp"
} // namespace row_major

} // namespace oneapi::mkl::blas
