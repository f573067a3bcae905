// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace oxur {

// Whether a descriptor was committed to a queue of the CUDA adapter.
bool has_descriptor(const void *descriptor);

// Drops what commit made for a descriptor, if anything.
void forget_descriptor(const void *descriptor);

} // namespace oxur
