// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the libraries of CUDA's toolkit for tests have in common: they compute in plain loops on the host, and get at the memory of
// the driver without a GPU (conformance/cuda/fake) by copies on the stream. They wait for their operands, but not for their
// results to be written, so a client that does not wait sees old ones.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include <sycl/sycl.hpp>

using Stream = void *;
using Number = std::complex<double>;
using std::int64_t;
using half = sycl::half;
using bfloat16 = sycl::ext::oneapi::bfloat16;

template <class... A>
int driver(const char *name, A... arguments) {
    using Find = int(const char *, void **, int, std::uint64_t, int *);
    static const auto find = reinterpret_cast<Find *>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGetProcAddress_v2"));
    void *function = nullptr;
    find(name, &function, 12040, 0, nullptr);
    return reinterpret_cast<int (*)(A...)>(function)(arguments...);
}

// Elements from the device, when all before in the stream is done.
template <class T>
std::vector<T> load(const void *from, int64_t count, Stream stream) {
    std::vector<T> elements(count > 0 ? count : 0);
    if (elements.empty()) return elements;
    driver("cuMemcpyAsync", static_cast<void *>(elements.data()), from, elements.size() * sizeof(T), stream);
    driver("cuStreamSynchronize", stream);
    return elements;
}

// Pinned memory, which is kept as a stream may need it at any time.
inline void *pinned(std::size_t bytes) {
    thread_local std::size_t left = 0;
    thread_local char *next = nullptr;
    if (bytes > left) {
        left = std::max<std::size_t>(bytes, 1 << 20);
        void *block = nullptr;
        driver("cuMemHostAlloc", &block, left, 0u);
        next = static_cast<char *>(block);
    }
    const auto size = std::min(left, (bytes + 15) / 16 * 16);
    left -= size;
    return std::exchange(next, next + size);
}

// Writes elements to the device later, from pinned memory.
template <class T>
void store(void *to, const std::vector<T> &elements, Stream stream) {
    if (elements.empty()) return;
    const auto bytes = elements.size() * sizeof(T);
    void *const from = pinned(bytes);
    std::memcpy(from, elements.data(), bytes);
    driver("cuMemcpyAsync", to, static_cast<const void *>(from), bytes, stream);
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
T from_number(Number value) {
    if constexpr (requires(T t) { t.imag(); }) {
        return T(typename T::value_type(value.real()), typename T::value_type(value.imag()));
    } else if constexpr (std::is_integral_v<T>) {
        return T(std::llround(value.real()));
    } else {
        return static_cast<T>(value.real());
    }
}
