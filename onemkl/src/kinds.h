// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a call of oneMKL tells whose it is. A returned event takes the place of the first argument: its address.
#pragma once

enum kind {
    queue_first,       // a queue
    queue_second,      // an event, a queue
    commit,            // a descriptor of a transform, a queue
    descriptor_first,  // a descriptor
    descriptor_second, // an event, a descriptor
    destroy,           // a descriptor, which ends
    intel,             // none: it is Intel's, which ours calls
};
