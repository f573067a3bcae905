// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What preload.c asks of this library.
#include <cxxabi.h>

#include "command.hpp"
#include "dft.hpp"
#include "kinds.h"

namespace {

bool takes(kind kind, void *first, void *second) {
    switch (kind) {
    case queue_first: return oxur::is_cuda(*static_cast<sycl::queue *>(first));
    case queue_second: return oxur::is_cuda(*static_cast<sycl::queue *>(second));
    case commit:
        if (oxur::is_cuda(*static_cast<sycl::queue *>(second))) return true;
        oxur::forget_descriptor(first);
        return false;
    case descriptor_first: return oxur::has_descriptor(first);
    case descriptor_second: return oxur::has_descriptor(second);
    case destroy: oxur::forget_descriptor(first); return false;
    case intel: return false;
    }
    return false;
}

thread_local std::string refused;

// Entered in place of the function that is refused, with its arguments.
void refuse() {
    if (!refused.starts_with("_Z")) {
        throw oneapi::mkl::exception("", "", "there is no " + refused + "* for this device in the process");
    }
    int status = 0;
    auto text = abi::__cxa_demangle(refused.c_str(), nullptr, nullptr, &status);
    const std::string signature = text ? text : refused;
    std::free(text);
    throw oneapi::mkl::unimplemented("", "", signature + " on NVIDIA GPUs");
}

} // namespace

// Whether a call is for a device of the CUDA adapter.
extern "C" int oxur_onemkl_takes(kind kind, void *first, void *second) noexcept {
    try {
        return takes(kind, first, second);
    } catch (const std::exception &) {
        return false; // Intel's function finds what is wrong with the queue.
    }
}

// A function that throws: nothing of this name is there.
extern "C" void *oxur_onemkl_refusal(const char *name) noexcept {
    refused = name;
    return reinterpret_cast<void *>(refuse);
}
