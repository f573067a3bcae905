// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of matrices whose sizes are multiples of 4, as cuBLAS wants them for products of 8-bit integers.
#pragma once

#include "command.hpp"

namespace oxur {

// CUDA_MEMCPY3D of the driver, for a copy of rows in the device's memory.
struct Copy3D {
    struct Side {
        std::size_t x = 0, y = 0, z = 0, lod = 0;
        int memory_type = 2; // CU_MEMORYTYPE_DEVICE
        const void *host = nullptr;
        std::uint64_t device = 0;
        void *array = nullptr, *reserved = nullptr;
        std::size_t pitch = 0, height = 0;
    } from, to;
    std::size_t width, height, depth = 1;
};

// A size that is a multiple of 4.
inline std::int64_t padded(std::int64_t size) { return (size + 3) / 4 * 4; }

// A batch of matrices of padded sizes in column-major order, in memory of its own, zero at first.
template <class T>
class Padded {
    Stream stream_;
    void *address_ = nullptr;
    std::int64_t rows_, columns_, batch_;

    void move(const T *from, std::int64_t ld_from, std::int64_t stride_from, T *to, std::int64_t ld_to, std::int64_t stride_to,
              std::int64_t rows, std::int64_t columns) const {
        for (std::int64_t i = 0; i < batch_; ++i) {
            Copy3D copy{};
            copy.from.device = reinterpret_cast<std::uintptr_t>(from + i * stride_from);
            copy.from.pitch = ld_from * sizeof(T);
            copy.to.device = reinterpret_cast<std::uintptr_t>(to + i * stride_to);
            copy.to.pitch = ld_to * sizeof(T);
            copy.from.height = copy.to.height = copy.height = columns;
            copy.width = rows * sizeof(T);
            const auto status = driver("cuMemcpy3DAsync", &copy, stream_);
            if (status) throw std::runtime_error("cuMemcpy3DAsync returned " + std::to_string(status));
        }
    }

public:
    Padded(std::int64_t rows, std::int64_t columns, std::int64_t batch, Stream stream, Function function)
        : stream_(stream), rows_(padded(rows)), columns_(padded(columns)), batch_(batch) {
        const std::size_t bytes = std::max<std::int64_t>(1, batch * stride()) * sizeof(T);
        if (const auto status = driver("cuMemAlloc", &address_, bytes)) {
            throw oneapi::mkl::device_bad_alloc(function.domain, function.name, "cuMemAlloc returned " + std::to_string(status));
        }
        if (const auto status = driver("cuMemsetD8Async", address_, static_cast<unsigned char>(0), bytes, stream)) {
            driver("cuMemFree", address_);
            throw std::runtime_error("cuMemsetD8Async returned " + std::to_string(status));
        }
    }
    // The memory is in use until the stream is through.
    ~Padded() {
        driver("cuStreamSynchronize", stream_);
        driver("cuMemFree", address_);
    }
    Padded(const Padded &) = delete;

    T *data() const { return static_cast<T *>(address_); }
    std::int64_t ld() const { return std::max<std::int64_t>(4, rows_); }
    std::int64_t stride() const { return ld() * columns_; }

    void read(const T *from, std::int64_t rows, std::int64_t columns, std::int64_t ld_from, std::int64_t stride_from) const {
        if (rows && columns) move(from, ld_from, stride_from, data(), ld(), stride(), rows, columns);
    }
    void write(T *to, std::int64_t rows, std::int64_t columns, std::int64_t ld_to, std::int64_t stride_to) const {
        if (rows && columns) move(data(), ld(), stride(), to, ld_to, stride_to, rows, columns);
    }
};

} // namespace oxur
