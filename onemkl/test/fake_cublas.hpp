// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fake_cuda.hpp"

struct Handle {
    Stream stream;
    int mode;
};

enum { success = 0, invalid_value = 7, not_supported = 15 };
