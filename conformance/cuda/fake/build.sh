#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the driver without a GPU, target/fake-cuda/libcuda.so.1.
set -euo pipefail
cd "$(dirname "$0")/../../.."

mkdir -p target/fake-cuda
cargo build --locked -p oxur-fake-cuda
# A process that has the old file open keeps it.
cp "${CARGO_TARGET_DIR:-target}/debug/libfake_cuda.so" "target/fake-cuda/libcuda.so.1.$$"
mv -f "target/fake-cuda/libcuda.so.1.$$" target/fake-cuda/libcuda.so.1
