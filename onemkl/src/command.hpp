// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands of a SYCL queue that are calls of CUDA's libraries on the queue's stream.
#pragma once

#include <functional>

#include "driver.hpp"
#include "types.hpp"

namespace oxur {

using Events = std::vector<sycl::event>;

// Names a function of oneMKL in its exceptions.
struct Function {
    const char *domain;
    const char *name;
};

// Submits `work` behind `dependencies`. The event is complete when what `work` gave to the stream is.
//
// `work` runs in the caller's thread, and its exceptions are the caller's, unless the command has to wait for the host (a host
// task): then libsycl runs it in a thread of its own, and what it throws is only logged.
sycl::event submit(sycl::queue &queue, const Events &dependencies, Function function, std::function<void(Stream)> work);

// Throws the exception of oneMKL for what a call returned, unless that is 0. The numbers are those of the library.
void check_cublas(int status, Function function);
void check_cusolver(int status, Function function);
void check_cufft(int status, Function function);

// Whether a queue's device is one of the CUDA adapter.
bool is_cuda(const sycl::queue &queue);

// Copies between memory of any kinds, in the order of the stream.
inline void copy(void *to, const void *from, std::size_t bytes, Stream stream) {
    const auto status = driver("cuMemcpyAsync", to, from, bytes, stream);
    if (status) throw std::runtime_error("cuMemcpyAsync returned " + std::to_string(status));
}

// Waits for all of a stream.
inline void wait(Stream stream) {
    const auto status = driver("cuStreamSynchronize", stream);
    if (status) throw std::runtime_error("cuStreamSynchronize returned " + std::to_string(status));
}

// A scalar as CUDA's libraries take it: a value in the host's memory when the call is made. One that the client gave as a
// pointer may be what an earlier command computes, so the caller waits for that.
template <class T>
T scalar_value(const oneapi::mkl::value_or_pointer<T> &scalar, Stream stream) {
    if (!scalar.pointer()) return scalar.value();
    T value;
    copy(&value, scalar.pointer(), sizeof value, stream);
    wait(stream);
    return value;
}

} // namespace oxur
