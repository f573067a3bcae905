// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Null and mistyped handles for every function of the table.
