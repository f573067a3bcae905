// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command.hpp"

#include <cstdio>
#include <memory>
#include <mutex>

namespace mkl = oneapi::mkl;

namespace oxur {
namespace {

// What a command failed with, and whether its caller is still there to be told.
struct Outcome {
    std::mutex mutex;
    std::exception_ptr failure;
    bool caller_left = false;
};

void run(const std::function<void(Stream)> &work, Function function) {
    const auto stream = native_command_stream();
    if (!stream) throw mkl::unimplemented(function.domain, function.name, "the command has no stream, as in a graph");
    Current current(stream);
    try {
        work(stream);
    } catch (const mkl::exception &) {
        throw;
    } catch (const std::exception &error) {
        throw mkl::exception(function.domain, function.name, error.what());
    }
}

void log(const std::exception_ptr &failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
}

} // namespace

sycl::event submit(sycl::queue &queue, const Events &dependencies, Function function, std::function<void(Stream)> work) {
    auto outcome = std::make_shared<Outcome>();
    auto event = queue.submit([&](sycl::handler &handler) {
        handler.depends_on(dependencies);
        handler.ext_codeplay_enqueue_native_command([=](sycl::interop_handle) {
            std::exception_ptr failure;
            try {
                run(work, function);
                return;
            } catch (...) {
                failure = std::current_exception();
            }
            std::lock_guard lock(outcome->mutex);
            if (outcome->caller_left) log(failure);
            outcome->failure = failure;
        });
    });
    std::lock_guard lock(outcome->mutex);
    outcome->caller_left = true;
    if (outcome->failure) std::rethrow_exception(outcome->failure);
    return event;
}

namespace {

// The numbers of a library for what oneMKL has exceptions for.
struct Statuses {
    const char *library;
    int alloc_failed, invalid_value, arch_mismatch, not_supported;
};

void check(int status, Function function, const Statuses &of) {
    if (!status) return;
    const auto what = std::string(of.library) + " returned status " + std::to_string(status);
    if (status == of.alloc_failed) throw mkl::device_bad_alloc(function.domain, function.name, what);
    if (status == of.invalid_value) throw mkl::invalid_argument(function.domain, function.name, what);
    if (status == of.arch_mismatch || status == of.not_supported) {
        throw mkl::unimplemented(function.domain, function.name, what);
    }
    throw mkl::exception(function.domain, function.name, what);
}

} // namespace

void check_cublas(int status, Function function) { check(status, function, {"cuBLAS", 3, 7, 8, 15}); }
void check_cusolver(int status, Function function) { check(status, function, {"cuSOLVER", 2, 3, 4, 9}); }
void check_cufft(int status, Function function) { check(status, function, {"cuFFT", 2, 4, 14, 16}); }

bool is_cuda(const sycl::queue &queue) {
    const auto device = queue.get_device();
    // libsycl keeps its devices, so equal ones stay equal. A thread mostly has one.
    thread_local std::vector<std::pair<sycl::device, bool>> known;
    for (const auto &[other, is] : known) {
        if (other == device) return is;
    }
    const auto is = device.get_platform().get_info<sycl::info::platform::name>() == "NVIDIA CUDA";
    known.emplace_back(device, is);
    return is;
}

} // namespace oxur
