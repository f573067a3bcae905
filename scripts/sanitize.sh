#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the tests of the crates with unsafe code under AddressSanitizer (with leak detection) and ThreadSanitizer.
#
# The sanitizers' runtimes come with the stable toolchain; RUSTC_BOOTSTRAP lets it accept their flags. The standard
# library is not instrumented, so ThreadSanitizer misses the order that its own atomics make: oxur_tsan has our locks
# taken without it (adapters/kit/src/fork.rs), and scripts/tsan.suppressions names the places of the test harness and of
# std::thread where it shows.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly target=x86_64-unknown-linux-gnu
readonly packages=(-p oxur-adapter-kit -p oxur-log -p oxur-adapter-cpu)

# run NAME FLAGS: the tests with a sanitizer
run() {
  echo "sanitize: $1"
  RUSTC_BOOTSTRAP=1 RUSTFLAGS="$2" CARGO_TARGET_DIR="target/$1" \
    cargo test --locked "${packages[@]}" --lib --tests --target "$target"
}

run asan "-Zsanitizer=address"
TSAN_OPTIONS="suppressions=$PWD/scripts/tsan.suppressions" \
  run tsan "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer --cfg oxur_tsan"
