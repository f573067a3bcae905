// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of CUDA's libraries that nobody uses at present.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "driver.hpp"

namespace oxur {

// Idle handles, by context. They are never destroyed: the driver may be gone when the process ends.
template <class Handle>
class Idle {
    std::mutex mutex_;
    std::multimap<CudaContext, Handle *> handles_;

public:
    static Idle &all() {
        static auto &all = *new Idle;
        return all;
    }

    // One of the context that was on the stream before, since it keeps its working memory. If there is none, any other once
    // `enough` are idle; else null.
    Handle *take(CudaContext context, Stream stream, std::ptrdiff_t enough) {
        std::lock_guard lock(mutex_);
        auto [first, last] = handles_.equal_range(context);
        auto found = std::find_if(first, last, [&](auto &entry) { return entry.second->stream == stream; });
        if (found == last && std::distance(first, last) >= enough) found = first;
        if (found == last) return nullptr;
        auto handle = found->second;
        handles_.erase(found);
        return handle;
    }

    void give(Handle *handle) {
        std::lock_guard lock(mutex_);
        handles_.emplace(handle->context, handle);
    }
};

} // namespace oxur
