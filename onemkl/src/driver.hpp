// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's driver and libraries, opened at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace oxur {

using Stream = void *;
using CudaContext = void *;

// A library of CUDA's toolkit: its functions by name.
class Library {
    const char *stem_;
    void *handle_ = nullptr;

public:
    // Opens the newest that there is. Throws if there is none.
    explicit Library(const char *stem);
    // Throws if the library lacks it, as an old one may.
    void *find(const std::string &name) const;
};

// cuBLAS, cuSOLVER and cuFFT, opened when they are first used.
const Library &cublas_library();
const Library &cusolver_library();
const Library &cufft_library();

// A function of the driver by its name; throws if there is none. Its type is that of the arguments.
void *driver_function(const char *name);

template <class... A>
int driver(const char *name, A... arguments) {
    return reinterpret_cast<int (*)(A...)>(driver_function(name))(arguments...);
}

// Keeps the context of a stream current in this thread, as CUDA's libraries need it.
class Current {
    CudaContext before_ = nullptr;
    CudaContext context_ = nullptr;

public:
    explicit Current(Stream stream);
    ~Current();
    Current(const Current &) = delete;
    CudaContext context() const { return context_; }
};

// The stream of the native command that this thread is in: what the CUDA adapter says. Null if the command is another
// adapter's.
Stream native_command_stream();

} // namespace oxur
