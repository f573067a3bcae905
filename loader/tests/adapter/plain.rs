// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The test adapter as adapters of other projects are: with the standard tables only.

mod adapter;
