// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's functions, called by name, and its handles with their working memory.
#pragma once

#include "cublas.hpp"

namespace oxur {

// A cuSOLVER handle for calls on a stream, in a thread that has its context current. Nobody else has it meanwhile. The working
// memory is the handle's: who uses it waits for the stream before it gives the handle back.
class Solver {
    struct Handle;
    Handle *handle_;
    Function function_;

public:
    Solver(Stream stream, Function function);
    ~Solver();
    Solver(const Solver &) = delete;

    template <Text name, class... A>
    void call(A... arguments) {
        static const auto address = cusolver_library().find(name.text);
        check_cusolver(reinterpret_cast<int (*)(void *, A...)>(address)(raw(), arguments...), function_);
    }

    // Memory of the device of at least this many bytes. A second call may take away what the first gave.
    void *device_memory(std::size_t bytes);
    void *host_memory(std::size_t bytes);

    // Where functions write on the device how they ended.
    int *info_address() const;
    // What the last wrote there. Waits for the stream.
    int info() const;

    void *params() const;
    Stream stream() const;
    Function function() const { return function_; }

private:
    void *raw() const;
};

} // namespace oxur
