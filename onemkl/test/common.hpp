// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the test programs have in common: matrices, what oneMKL should compute from them, and the lines that are printed.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>

#include "../src/types.hpp"

using namespace oneapi::mkl;
using std::int64_t;
using half = sycl::half;
using bfloat16 = sycl::ext::oneapi::bfloat16;
using cfloat = std::complex<float>;
using cdouble = std::complex<double>;
using Events = std::vector<sycl::event>;
using Number = std::complex<double>;

inline int failures = 0;
inline int passed = 0;

inline void report(const std::string &name, bool ok, const std::string &detail = "") {
    if (ok) {
        ++passed;
        return;
    }
    ++failures;
    std::printf("FAIL %s %s\n", name.c_str(), detail.c_str());
}

template <class T>
Number number(T value) {
    if constexpr (requires { value.imag(); }) {
        return {double(value.real()), double(value.imag())};
    } else {
        return static_cast<double>(value);
    }
}

template <class T>
T make(double real, double imag = 0) {
    if constexpr (requires(T t) { t.imag(); }) {
        return T(typename T::value_type(real), typename T::value_type(imag));
    } else {
        (void)imag;
        return static_cast<T>(static_cast<float>(real));
    }
}

// Small integers, so that even half numbers are exact where the result is small.
template <class T>
std::vector<T> random_numbers(int64_t count, int seed = 1) {
    std::mt19937 random(seed);
    std::vector<T> result(count);
    for (auto &element : result) {
        const double real = int(random() % 7) - 3, imag = int(random() % 7) - 3;
        element = make<T>(real, imag);
    }
    return result;
}

inline double epsilon(double) { return 1e-12; }
inline double epsilon(float) { return 1e-5; }
inline double epsilon(half) { return 2e-3; }
inline double epsilon(bfloat16) { return 1e-2; }
inline double epsilon(std::int32_t) { return 0; }
inline double epsilon(std::int8_t) { return 0; }
template <class T>
double epsilon(std::complex<T>) {
    return epsilon(T());
}

// Memory of the device with a copy of a vector, freed at the end.
template <class T>
struct Device {
    sycl::queue &queue;
    T *data;
    std::size_t size;
    Device(sycl::queue &queue, const std::vector<T> &from) : queue(queue), size(from.size()) {
        data = sycl::malloc_device<T>(std::max<std::size_t>(1, size), queue);
        queue.memcpy(data, from.data(), size * sizeof(T)).wait();
    }
    ~Device() { sycl::free(data, queue); }
    Device(const Device &) = delete;
    std::vector<T> read(const Events &after = {}) const {
        std::vector<T> result(size);
        queue.memcpy(result.data(), data, size * sizeof(T), after).wait();
        return result;
    }
};

template <class T>
void compare(const std::string &name, const std::vector<T> &found, const std::vector<Number> &expected) {
    double worst = 0, largest = 1;
    for (std::size_t i = 0; i < found.size(); ++i) {
        largest = std::max(largest, std::abs(expected[i]));
        const auto error = std::abs(number(found[i]) - expected[i]);
        worst = error <= worst ? worst : error; // A NaN is an error.
        if (std::isnan(error)) worst = std::numeric_limits<double>::infinity();
    }
    report(name, found.size() == expected.size() && worst <= epsilon(T()) * largest,
           "differs by " + std::to_string(worst) + " of " + std::to_string(largest));
}

// The index of a matrix's element in memory.
inline int64_t at(bool row_major, int64_t row, int64_t column, int64_t ld) {
    return row_major ? row * ld + column : column * ld + row;
}

template <class T>
Number operand(const std::vector<T> &matrix, bool row_major, transpose trans, int64_t row, int64_t column, int64_t ld,
               int64_t offset = 0) {
    if (trans != transpose::nontrans) std::swap(row, column);
    const auto value = number(matrix[offset + at(row_major, row, column, ld)]);
    return trans == transpose::conjtrans ? std::conj(value) : value;
}

template <class E, class F>
void throws(const std::string &name, F work) {
    try {
        work();
        report(name, false, "nothing is thrown");
    } catch (const E &) {
        report(name, true);
    } catch (const std::exception &error) {
        report(name, false, std::string("throws ") + typeid(error).name() + ": " + error.what());
    }
}

inline std::vector<sycl::queue> queues_of(const sycl::device &device) {
    return {sycl::queue(device), sycl::queue(device, sycl::property::queue::in_order())};
}
