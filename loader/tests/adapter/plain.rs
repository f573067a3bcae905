// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The test adapter with only the standard tables, like adapters of other projects.

mod adapter;
