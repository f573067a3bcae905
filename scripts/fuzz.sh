#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the fuzz targets of the compiler (compiler/fuzz), of the CPU adapter (adapters/cpu/fuzz) and of the Level Zero
# driver (drivers/level_zero/fuzz), with AddressSanitizer for our own code.
#
#   scripts/fuzz.sh [TARGET...]     all targets if none is named
#
#   FUZZ_SECONDS   how long each of them runs (60)
#   FUZZ_OPTIONS   more options for libFuzzer, such as -jobs=4
#
# Findings are in target/fuzz/artifacts; `scripts/fuzz.sh TARGET FILE` runs one of them again. Seeds are the modules of
# the tests, and small ones of the corpus if it was fetched (`make corpus`). The fuzzers' own corpus stays in
# target/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."

export PATH=$PWD/target/tools/bin:$PATH
# cargo-fuzz needs a nightly toolchain for the flags that it passes; the stable one has everything that they need.
export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/fuzz
readonly work=$CARGO_TARGET_DIR targets=(spirv workgroup compile object cache sizes calls)
readonly llvm=${LLVM_SYS_221_PREFIX:-/usr/lib/llvm-22}
# At most 2 GiB of memory and 10 seconds. Leaks are LLVM's: contexts that a panic left behind.
readonly limits=(-rss_limit_mb=2048 -timeout=10 -max_len=16384 -detect_leaks=0 -print_final_stats=1)

folder() { case $1 in sizes) echo adapters/cpu ;; calls) echo drivers/level_zero ;; *) echo compiler ;; esac; }
build() { (cd "$(folder "$1")" && cargo fuzz build "$1"); }
binary() { echo "$work/x86_64-unknown-linux-gnu/release/$1"; }

# The tests' modules, as the tests assemble them, and the smallest modules of each library of the corpus.
modules() {
  local folder=$1 library
  OXUR_KEEP_MODULES=$folder cargo test -q --locked -p oxur-compiler --test filetests >/dev/null
  for library in target/corpus/*/; do
    find "$library" -name '*.spv' -size -8k -printf '%s %p\n' | sort -n |
      awk 'NR % 7 == 1 && n++ < 150 { print $2 }' | xargs -r cp -t "$folder"
  done
}

# Objects from the compiler: files of the cache without their trailer of 112 bytes.
objects() {
  local folder=$1 cache=$work/cache file
  cargo build -q --release --locked -p oxur-compiler
  find "$work/corpus/seeds" -name '*.spv' -size -6k -print0 |
    xargs -0 "$CARGO_TARGET_DIR/release/oxur-compiler" compile --cache "$cache" >/dev/null
  find "$cache" -mindepth 2 -type f -size -6k | while read -r file; do
    head -c -112 "$file" >"$folder/${file##*/}"
  done
}

# The module whose kernels the driver's calls launch.
kernels() {
  local source=conformance/level_zero/kernels/basic.cl
  clang-14 -cc1 -triple spir64-unknown-unknown -cl-std=CL2.0 -finclude-default-header -O1 -emit-llvm-bc "$source" \
    -o "$work/basic.bc"
  llvm-spirv-14 "$work/basic.bc" -o "$work/basic.spv"
}
export OXUR_FUZZ_MODULE=$work/basic.spv

seeds() {
  local seeds=$work/corpus/seeds target
  if [[ ! -d $seeds ]]; then
    echo "fuzz: collecting seeds"
    mkdir -p "$seeds.new"
    CARGO_TARGET_DIR=${work%/fuzz} modules "$seeds.new"
    mv "$seeds.new" "$seeds"
  fi
  for target in "${targets[@]}"; do mkdir -p "$work/corpus/$target" "$work/artifacts/$target"; done
  [[ -f $OXUR_FUZZ_MODULE ]] || kernels
  [[ -n $(ls "$work/corpus/object") ]] || CARGO_TARGET_DIR=${work%/fuzz} objects "$work/corpus/object"
}

if (($# == 2)) && [[ -f $2 ]]; then
  build "$1"
  [[ -f $OXUR_FUZZ_MODULE ]] || kernels
  "$(binary "$1")" "${limits[@]}" "$2"
  exit
fi
(($#)) || set -- "${targets[@]}"
seeds
for target; do
  build "$target"
  extra=()
  case $target in spirv | workgroup | compile) extra=("$work/corpus/seeds") ;; cache) extra=("$work/corpus/object") ;; esac
  echo "fuzz: $target"
  ASAN_SYMBOLIZER_PATH=$llvm/bin/llvm-symbolizer ASAN_OPTIONS=detect_odr_violation=0 nice \
    "$(binary "$target")" "${limits[@]}" -max_total_time="${FUZZ_SECONDS:-60}" -artifact_prefix="$work/artifacts/$target/" \
    ${FUZZ_OPTIONS:-} "$work/corpus/$target" "${extra[@]}"
done
