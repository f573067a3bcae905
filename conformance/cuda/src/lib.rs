// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of what only the CUDA adapter can do, or do wrong. They are in `tests/`; `run.sh` runs them.
