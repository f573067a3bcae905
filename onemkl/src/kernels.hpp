// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of our own for what NVIDIA's libraries want of batches of matrices: addresses, 32-bit pivots, copies.
//
// Matrices are in column-major order, `stride` elements apart. A call is for at most `most_matrices` of them.
#pragma once

#include "cublas.hpp"

namespace oxur {

// The blocks of a grid in its second dimension.
constexpr std::int64_t most_matrices = 65535;
// The elements of a matrix of a call: fewer than 2^32 words of 32 bits.
constexpr std::int64_t most_elements = std::int64_t(1) << 28;

// The kernels on the context that is current, for a stream.
class Kernels {
public:
    // The kernels of a context. They stay loaded.
    struct Loaded;

    explicit Kernels(Stream stream);

    // Writes the addresses of matrices.
    template <class T>
    void addresses(T **to, std::type_identity_t<T> *first, std::int64_t stride, std::int64_t count) const {
        addresses(to, reinterpret_cast<std::uintptr_t>(first), stride * std::int64_t(sizeof(T)), count);
    }

    // Pivots of `n` to a matrix, which in 32 bits are one behind the other.
    void widen(std::int64_t *to, std::int64_t stride, const std::int32_t *from, std::int64_t n, std::int64_t count) const;
    void narrow(std::int32_t *to, const std::int64_t *from, std::int64_t stride, std::int64_t n, std::int64_t count) const;

    enum Elements : std::uint32_t { all, upper, lower };
    template <class T>
    struct Matrices {
        T *data;
        std::int64_t ld, stride;
    };

    // Copies elements of matrices of rows × columns.
    template <class T>
    void copy(Matrices<T> to, Matrices<const T> from, std::int64_t rows, std::int64_t columns, std::int64_t count,
              Elements elements) const {
        copy(Words(to), Words(from), layout<T>(rows), rows * columns, count, elements);
    }

    // Writes identities of rows × columns.
    template <class T>
    void identity(Matrices<T> to, std::int64_t rows, std::int64_t columns, std::int64_t count) const {
        identity(Words(to), layout<T>(rows), rows * columns, count);
    }

    // The vectors of Householder's reflections that geqrf leaves below the diagonals, with their ones and zeros: columns of
    // matrices of rows × columns that are one behind the other. Those of reflections that change nothing are zero.
    template <class T>
    void reflectors(T *to, Matrices<const T> from, const T *tau, std::int64_t stride_tau, std::int64_t rows, std::int64_t columns,
                    std::int64_t count) const {
        reflectors(Words(Matrices<T>{to, rows, rows * columns}), Words(from), Words(Matrices<const T>{tau, 1, stride_tau}),
                   layout<T>(rows), rows * columns, count);
    }

    // Writes 1 / tau to the diagonals of matrices of n × n that are one behind the other; 1 where tau is 0.
    template <class T>
    void reciprocals(T *to, const T *tau, std::int64_t stride_tau, std::int64_t n, std::int64_t count) const {
        reciprocals(letter<T>, to, tau, stride_tau * std::int64_t(sizeof(T)), n, count);
    }

private:
    // Matrices by words of 32 bits, and bytes from one to the next.
    struct Words {
        std::uint64_t data, ld, stride;
        template <class T>
        explicit Words(Matrices<T> of)
            : data(reinterpret_cast<std::uintptr_t>(of.data)), ld(of.ld * sizeof(T) / 4), stride(of.stride * sizeof(T)) {}
    };
    // Elements as words: how many rows of words there are, the logarithm of the words of an element, which of those makes a one,
    // and how.
    struct Layout {
        std::uint32_t rows, shift, one_at, one;
    };
    template <class T>
    static Layout layout(std::int64_t rows) {
        constexpr std::uint32_t words = sizeof(T) / 4;
        constexpr bool is_double = std::is_same_v<T, double> || std::is_same_v<T, cdouble>;
        return {std::uint32_t(rows * words), words == 4 ? 2 : words / 2, is_double ? 1 : 0, is_double ? 0x3FF00000u : 0x3F800000u};
    }

    void addresses(void *to, std::uint64_t first, std::int64_t stride, std::int64_t count) const;
    void copy(Words to, Words from, Layout layout, std::int64_t elements, std::int64_t count, std::uint32_t part) const;
    void identity(Words to, Layout layout, std::int64_t elements, std::int64_t count) const;
    void reflectors(Words to, Words from, Words tau, Layout layout, std::int64_t elements, std::int64_t count) const;
    void reciprocals(char letter, void *to, const void *tau, std::int64_t stride_tau, std::int64_t n, std::int64_t count) const;

    template <class... A>
    void launch(int kernel, std::int64_t threads, std::int64_t count, A... arguments) const;

    const Loaded &loaded_;
    Stream stream_;
};

} // namespace oxur
