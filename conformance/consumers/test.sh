#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds small C and C++ programs against an installed tree, once with CMake and once with pkg-config, runs them and
# checks what they print. The tree is copied first, so this also shows that it can be moved.
#
#   conformance/consumers/test.sh dist
#
# The device under it is Intel's OpenCL CPU driver of target/env/v2026.2.
set -euo pipefail
(($# == 1)) || { echo "usage: $0 TREE" >&2; exit 2; }
readonly tree=$(realpath "$1")
cd "$(dirname "$0")"
readonly here=$PWD work=$PWD/../../target/consumers
readonly env=$(realpath ../../target/env/v2026.2)

source ../checks.sh

# prints PATTERN... -- PROGRAM: runs the program on the moved tree; each pattern must match a line that it prints.
prints() {
  local patterns=() output pattern
  while [[ $1 != -- ]]; do patterns+=("$1") && shift; done
  shift
  output=$(timeout 600 env -u ONEAPI_DEVICE_SELECTOR LD_LIBRARY_PATH="$prefix/lib:$env/lib" \
    OCL_ICD_FILENAMES="$env/lib/libintelocl.so" OCL_ICD_VENDORS=/nonexistent \
    UR_ADAPTERS_FORCE_LOAD="$prefix/lib/libur_adapter_opencl.so.0" "$@" 2>&1) || { echo "$output"; return 1; }
  for pattern in "${patterns[@]}"; do
    grep -qE -- "$pattern" <<<"$output" || { echo "no line matches '$pattern' in: $output"; return 1; }
  done
}

needs_the_soname() { readelf -d "$1" | grep -q 'NEEDED.*\[libur_loader\.so\.0\]'; }
needs_the_symbol_version() { readelf -V "$1" | grep -q 'Name: LIBUR_LOADER_0\.12'; }

# refuses VERSION: find_package must find the tree and not take it for this version.
refuses() {
  local output
  mkdir -p "refuse-$1"
  printf 'cmake_minimum_required(VERSION 3.20)\nproject(refuse NONE)\nfind_package(unified-runtime %s REQUIRED)\n' "$1" \
    >"refuse-$1/CMakeLists.txt"
  ! output=$(cmake -S "refuse-$1" -B "refuse-$1/build" -DCMAKE_PREFIX_PATH="$prefix" 2>&1) &&
    grep -q "moved/.*version: 0\.12\.0" <<<"$output"
}

with_pkg_config() {
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  local cflags libs
  read -ra cflags < <(pkg-config --cflags "unified-runtime >= 0.12")
  read -ra libs < <(pkg-config --libs unified-runtime)
  mkdir -p pkg-config
  cc -std=c11 -Wall -Wextra -Werror "${cflags[@]}" "$here/linked.c" -o pkg-config/linked-c "${libs[@]}" &&
    c++ -std=c++17 -Wall -Wextra -Werror "${cflags[@]}" "$here/linked.cpp" -o pkg-config/linked-cpp "${libs[@]}" &&
    cc -std=c11 -Wall -Wextra -Werror "${cflags[@]}" "$here/opened.c" -o pkg-config/opened -ldl
}

with_cmake() {
  cmake -S "$here" -B cmake -DCMAKE_PREFIX_PATH="$prefix" && cmake --build cmake
}

rm -rf "$work"
mkdir -p "$work"
cd "$work"
readonly prefix=$PWD/moved
cp -a "$tree" "$prefix"

for tool in cmake pkg-config; do
  check "$tool: builds" "with_${tool/-/_}"
  for program in linked-c linked-cpp; do
    check "$tool: $program needs libur_loader.so.0" needs_the_soname "$tool/$program"
    check "$tool: $program needs LIBUR_LOADER_0.12" needs_the_symbol_version "$tool/$program"
  done
  check "$tool: linked-c lists the CPU" prints '^adapter OpenCL$' '^platform Intel' '^device .+, CPU$' -- "$tool/linked-c"
  check "$tool: linked-cpp computes" prints '^1024 of 1024 elements are right$' -- "$tool/linked-cpp"
  check "$tool: opened finds an adapter" prints '^adapters 1$' -- "$tool/opened"
done
check "cmake: 0.13 is refused" refuses 0.13
check "cmake: 0.11 is refused" refuses 0.11

end_checks
