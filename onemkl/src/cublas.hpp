// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS's functions for 64-bit sizes, called by name, and its handles.
#pragma once

#include <algorithm>
#include <type_traits>

#include "command.hpp"

namespace oxur {

using oneapi::mkl::diag;
using oneapi::mkl::side;
using oneapi::mkl::transpose;
using oneapi::mkl::uplo;

using half = sycl::half;
using bfloat16 = sycl::ext::oneapi::bfloat16;
using cfloat = std::complex<float>;
using cdouble = std::complex<double>;

// The letter of a type in the names of BLAS's and LAPACK's functions.
template <class T>
constexpr char letter = std::is_same_v<T, float>    ? 'S'
                        : std::is_same_v<T, double> ? 'D'
                        : std::is_same_v<T, cfloat> ? 'C'
                                                    : 'Z';

template <class T>
constexpr bool is_complex = std::is_same_v<T, cfloat> || std::is_same_v<T, cdouble>;

// cudaDataType_t.
template <class T>
constexpr int data_type = std::is_same_v<T, float>           ? 0
                          : std::is_same_v<T, double>        ? 1
                          : std::is_same_v<T, half>          ? 2
                          : std::is_same_v<T, std::int8_t>   ? 3
                          : std::is_same_v<T, cfloat>        ? 4
                          : std::is_same_v<T, cdouble>       ? 5
                          : std::is_same_v<T, std::int32_t>  ? 10
                                                             : 14; // bfloat16

// oneMKL's enumerators as cublasOperation_t, cublasFillMode_t, cublasSideMode_t and cublasDiagType_t. Other arguments stay.
inline int native(transpose value) { return value == transpose::conjtrans ? 2 : int(value); }
inline int native(uplo value) { return value == uplo::upper ? 1 : 0; }
inline int native(side value) { return int(value); }
inline int native(diag value) { return int(value); }
template <class T>
T native(T value) {
    return value;
}

// A string as a template's argument.
template <std::size_t N>
struct Text {
    char text[N];
    constexpr Text(const char (&from)[N]) { std::copy_n(from, N, text); }
};

// A cuBLAS handle for calls on a stream, in a thread that has its context current. Nobody else has it meanwhile.
class Cublas {
    struct Handle;
    Handle *handle_;

public:
    explicit Cublas(Stream stream);
    ~Cublas();
    Cublas(const Cublas &) = delete;

    // Whether scalars and results are in the device's memory. They are in the host's by default.
    void point_to_device(bool device);

    // Calls a function of cuBLAS by its whole name.
    template <Text name, class... A>
    void call(Function function, A... arguments) {
        static const auto address = cublas_library().find(name.text);
        check_cublas(reinterpret_cast<int (*)(void *, A...)>(address)(raw(), arguments...), function);
    }

    // Calls that of a type, cublas?axpy_v2_64: the letters are those of the type unless they are given. Functions that are newer
    // than cuBLAS's second version have no v2.
    template <class T, Text stem, Text letters = "", bool v2 = true, class... A>
    void typed(Function function, A... arguments) {
        const auto name = [] {
            const auto types = *letters.text ? std::string(letters.text) : std::string(1, letter<T>);
            return "cublas" + types + stem.text + (v2 ? "_v2_64" : "_64");
        };
        static const auto address = cublas_library().find(name());
        check_cublas(reinterpret_cast<int (*)(void *, A...)>(address)(raw(), arguments...), function);
    }

    // Calls that of a type for a batch of matrices, cublas?getrfBatched, which has 32-bit sizes only.
    template <class T, Text stem, class... A>
    void batched(Function function, A... arguments) {
        static const auto address = cublas_library().find(std::string("cublas") + letter<T> + stem.text);
        check_cublas(reinterpret_cast<int (*)(void *, A...)>(address)(raw(), arguments...), function);
    }

private:
    void *raw() const;
};

} // namespace oxur
