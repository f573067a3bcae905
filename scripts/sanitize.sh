#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the tests of the crates with unsafe code under AddressSanitizer (with leak detection) and ThreadSanitizer, and the
# C API's tests of command buffers, graphs and threads on the CPU adapter under both.
#
# The stable toolchain contains the sanitizers' runtimes; RUSTC_BOOTSTRAP makes it accept their flags. For ThreadSanitizer the
# standard library is built with the sanitizer, which otherwise does not know what its atomics order. That takes the library's
# source, a component of rustup. Without it scripts/tsan.suppressions hides what would be reported of the standard library, and
# with it most races of threads that it started, and the C API's tests do not run under ThreadSanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly target=x86_64-unknown-linux-gnu
readonly packages=(-p oxur-fork -p oxur-loader -p oxur-adapter-kit -p oxur-log -p oxur-device-cpu -p oxur-adapter-cpu)
# Incremental builds would double the folders.
export RUSTC_BOOTSTRAP=1 CARGO_BUILD_TARGET=$target CARGO_INCREMENTAL=0

# run NAME FLAGS [TEST OPTIONS]: the tests with a sanitizer, with `features`, and with `cargo_options` of the toolchain
features=() cargo_options=()
run() {
  echo "sanitize: $1"
  # Loaded libraries find the sanitizer in the program, which exports it because of -rdynamic.
  export RUSTFLAGS="$2 -Clink-arg=-rdynamic" CARGO_TARGET_DIR=$PWD/target/$1
  # Adapters and a client that the tests load and run, and the libraries for the C API's tests.
  cargo "${cargo_options[@]}" build --locked "${packages[@]}" "${features[@]}" --lib --examples
  cargo "${cargo_options[@]}" test --locked "${packages[@]}" "${features[@]}" --lib --tests -- "${@:3}"
}

# c_api [TEST OPTIONS]: the C API's tests with the sanitizer of the last run
c_api() {
  local lib=$CARGO_TARGET_DIR/urlib name
  mkdir -p "$lib"
  for name in loader adapter_cpu; do cp "$CARGO_TARGET_DIR/$target/debug/libur_$name.so" "$lib/libur_$name.so.0"; done
  ln -f "$CARGO_TARGET_DIR/$target/debug/liboxur_llvm.so" "$lib/"
  OXUR_LIB=$lib conformance/ur/run.sh ours-cpu -- "${cargo_options[@]}" command_buffer graph threads:: "$@"
}

export LSAN_OPTIONS="suppressions=$PWD/scripts/lsan.suppressions:print_suppressions=0"
features=(--features oxur-compiler/asan)
# No sanitizer starts under a limit of address space.
run asan -Zsanitizer=address --skip too_little_memory

# Programs that exit while graphs live, such as those of graph_dump, leak memory.
c_api -- --skip graph_dump::

# Tests know by the variable that ThreadSanitizer allows no threads in a child of theirs.
export TSAN_OPTIONS=exitcode=66
features=()
if scripts/setup.sh rust-src; then
  cargo_options=(-Zbuild-std)
  run tsan -Zsanitizer=thread --skip too_little_memory
  c_api event
else
  echo "sanitize: without the source of the standard library ThreadSanitizer sees little"
  TSAN_OPTIONS=suppressions=$PWD/scripts/tsan.suppressions
  # The skipped tests are in dl_iterate_phdr. ThreadSanitizer also calls that for each race that it finds, even a suppressed
  # one, and holds a lock that the instrumented code inside the callback needs. The loader's test runs in its own process, where
  # nothing else races meanwhile.
  run tsan "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer" \
    --skip libraries_by_the_names_in_them --skip twenty_threads --skip too_little_memory
  cargo test --locked "${packages[@]}" --test lifecycle -- twenty_threads
fi
