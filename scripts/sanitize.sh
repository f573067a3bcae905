#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the tests of the crates with unsafe code under AddressSanitizer (with leak detection) and ThreadSanitizer, and the
# C API's tests of command buffers, graphs and threads on the CPU adapter under AddressSanitizer.
#
# The sanitizers' runtimes come with the stable toolchain; RUSTC_BOOTSTRAP lets it accept their flags. The standard
# library is not instrumented, so ThreadSanitizer misses the order that its atomics make. Our locks (fork/) are built on
# others, and scripts/tsan.suppressions names the places of the test harness and of std::thread where it shows. The C
# API's tests do not run under ThreadSanitizer: it takes every end of an Arc between threads of the adapter for a race,
# and does not know the stacks that kernels run on.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly target=x86_64-unknown-linux-gnu
readonly packages=(-p oxur-fork -p oxur-loader -p oxur-adapter-kit -p oxur-log -p oxur-device-cpu -p oxur-adapter-cpu)
export RUSTC_BOOTSTRAP=1 CARGO_BUILD_TARGET=$target

# run NAME FLAGS [TEST OPTIONS]: the tests with a sanitizer, and with `features`
features=()
run() {
  echo "sanitize: $1"
  # Libraries that are loaded find the sanitizer in the program: -rdynamic has it export that.
  export RUSTFLAGS="$2 -Clink-arg=-rdynamic" CARGO_TARGET_DIR=$PWD/target/$1
  # Adapters and a client that tests load and run.
  cargo build --locked "${packages[@]}" "${features[@]}" --examples
  cargo test --locked "${packages[@]}" "${features[@]}" --lib --tests -- "${@:3}"
}

export LSAN_OPTIONS="suppressions=$PWD/scripts/lsan.suppressions:print_suppressions=0"
features=(--features oxur-compiler/asan)
# Under a limit of address space no sanitizer starts.
run asan -Zsanitizer=address --skip too_little_memory

cargo build --locked -p oxur-loader -p oxur-adapter-cpu "${features[@]}"
lib=$CARGO_TARGET_DIR/urlib
mkdir -p "$lib"
for name in loader adapter_cpu; do cp "$CARGO_TARGET_DIR/$target/debug/libur_$name.so" "$lib/libur_$name.so.0"; done
# Programs that end while graphs live, as those of graph_dump do, leave memory.
OXUR_LIB=$lib conformance/ur/run.sh ours-cpu -- command_buffer graph threads:: -- --skip graph_dump::

# The skipped tests are in dl_iterate_phdr. ThreadSanitizer calls that, too, for each race that it finds, even one that is
# suppressed, and holds a lock that the instrumented code inside of the callback needs. The loader's runs in a process
# of its own, where nothing else races meanwhile.
export TSAN_OPTIONS="suppressions=$PWD/scripts/tsan.suppressions"
features=()
run tsan "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer" \
  --skip libraries_by_the_names_in_them --skip twenty_threads --skip too_little_memory
cargo test --locked "${packages[@]}" --test lifecycle -- twenty_threads
