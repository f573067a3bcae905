// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types in the signatures of oneMKL's functions. Names, values and layouts are oneMKL's, as they are part of its ABI.
#pragma once

#include <complex>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include <sycl/sycl.hpp>

namespace oneapi::mkl {

enum class transpose : char { nontrans = 0, trans = 1, conjtrans = 3 };
enum class uplo : char { upper = 0, lower = 1 };
enum class diag : char { nonunit = 0, unit = 1 };
enum class side : char { left = 0, right = 1 };
enum class job : char { novec = 0, vec = 1 };
enum class jobsvd : char { novec = 0, vectors = 1, vectorsina = 2, somevec = 3 };

// A scalar: a value, or where to find it when the command runs.
template <class T>
class value_or_pointer {
    T value_;
    const T *pointer_;

public:
    value_or_pointer(T value) : value_(value), pointer_(nullptr) {}
    static value_or_pointer at(const T *pointer) {
        value_or_pointer scalar{T()};
        scalar.pointer_ = pointer;
        return scalar;
    }
    T value() const { return value_; }
    const T *pointer() const { return pointer_; }
};

class exception : public std::exception {
    std::string message_;

public:
    exception(const std::string &domain, const std::string &function, const std::string &information)
        : message_("oneapi::mkl::" + domain + "::" + function + ": " + information) {}
    const char *what() const noexcept override { return message_.c_str(); }
};

// Exceptions whose message begins with their kind.
#define OXUR_EXCEPTION(name, kind)                                                                                         \
    class name : public exception {                                                                                        \
    public:                                                                                                                \
        name(const std::string &domain, const std::string &function, const std::string &information)                       \
            : exception(domain, function, kind ": " + information) {}                                                      \
    };
OXUR_EXCEPTION(unimplemented, "unimplemented functionality")
OXUR_EXCEPTION(invalid_argument, "invalid argument")
OXUR_EXCEPTION(device_bad_alloc, "cannot allocate memory on the device")
OXUR_EXCEPTION(computation_error, "computation error")
OXUR_EXCEPTION(batch_error, "batch error")
#undef OXUR_EXCEPTION

namespace blas {

enum class compute_mode : std::uint64_t {
    float_to_bf16 = 0x1,
    float_to_tf32 = 0x10,
};

} // namespace blas

namespace lapack {

// The second base of LAPACK's exceptions. It has no virtual functions.
class exception {
    std::int64_t info_;
    std::int64_t detail_;
    mkl::exception *self_;

public:
    exception(mkl::exception *self, std::int64_t info, std::int64_t detail = 0) : info_(info), detail_(detail), self_(self) {}
    std::int64_t info() const { return info_; }
    std::int64_t detail() const { return detail_; }
    const char *what() const { return self_->what(); }
};

class computation_error : public mkl::computation_error, public exception {
public:
    computation_error(const std::string &function, const std::string &information, std::int64_t info)
        : mkl::computation_error("lapack", function, information), lapack::exception(this, info) {}
    using mkl::computation_error::what;
};

class batch_error : public mkl::batch_error, public exception {
    std::vector<std::int64_t> ids_;
    std::vector<std::exception_ptr> exceptions_;

public:
    batch_error(const std::string &function, const std::string &information, std::vector<std::int64_t> ids,
                std::vector<std::exception_ptr> exceptions)
        : mkl::batch_error("lapack", function, information), lapack::exception(this, std::int64_t(ids.size())), ids_(std::move(ids)),
          exceptions_(std::move(exceptions)) {}
    const std::vector<std::int64_t> &ids() const { return ids_; }
    const std::vector<std::exception_ptr> &exceptions() const { return exceptions_; }
    using mkl::batch_error::what;
};

} // namespace lapack
} // namespace oneapi::mkl
