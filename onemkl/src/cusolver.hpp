// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's functions, called by name, and its handles with their working memory.
#pragma once

#include <tuple>
#include <utility>

#include "cublas.hpp"

namespace oxur {

// A cuSOLVER handle for calls on a stream, in a thread that has its context current. Nobody else has it meanwhile. The working
// memory on the device is the handle's. What the stream still does with it when the handle is given back, the stream that uses it
// next waits for, not the host.
class Solver {
    struct Handle;
    Handle *handle_;
    Function function_;
    std::int64_t matrix_ = 0;

public:
    // Functions on this many matrices may tell how they ended.
    Solver(Stream stream, Function function, std::int64_t matrices = 1);
    ~Solver();
    Solver(const Solver &) = delete;

    template <Text name, class... A>
    void call(A... arguments) {
        static const auto address = cusolver_library().find(name.text);
        check_cusolver(reinterpret_cast<int (*)(void *, A...)>(address)(raw(), arguments...), function_);
    }

    // Calls that of a type, cusolverDn?potrfBatched.
    template <class T, Text stem, class... A>
    void typed(A... arguments) {
        static const auto address = cusolver_library().find(std::string("cusolverDn") + letter<T> + stem.text);
        check_cusolver(reinterpret_cast<int (*)(void *, A...)>(address)(raw(), arguments...), function_);
    }

    // Memory of the device of at least this many bytes, for commands of the stream. A second call may take away what the first gave,
    // when the stream no longer uses it.
    void *device_memory(std::size_t bytes);
    void *host_memory(std::size_t bytes);

    // Arrays in the device's memory, of these many elements each.
    template <class... T, class... N>
    std::tuple<T *...> device_arrays(N... counts) {
        const auto size = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
        auto next = static_cast<char *>(device_memory((size(counts * sizeof(T)) + ...)));
        const auto take = [&](std::size_t bytes) { return std::exchange(next, next + size(bytes)); };
        return std::tuple<T *...>{reinterpret_cast<T *>(take(counts * sizeof(T)))...};
    }

    // The next function is on that matrix, at first the first.
    void matrix(std::int64_t index) { matrix_ = index; }
    // Where functions write on the device how they ended, and there is 0 before.
    int *info_address() const;
    // What they wrote there. These wait for the stream.
    int info() const;
    std::vector<int> infos() const;

    void *params() const;
    Stream stream() const;
    Function function() const { return function_; }

private:
    void expect(std::int64_t count);
    void *raw() const;
};

} // namespace oxur
