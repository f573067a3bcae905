#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The part of test.sh that runs inside a fresh Debian, as root. What it needs is mounted below /test:
#
#   /test/dist            the packages
#   /test/conformance     programs to build
#   /test/sycl-*          client environments, of which libsycl and its headers are used
set -euo pipefail
# shellcheck disable=SC2154 # They come from test.sh.
readonly suite version
readonly work=/tmp/work
export HOME=/tmp/home LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
mkdir -p "$HOME" "$work"
cd "$work"

source /test/conformance/checks.sh

# prints PATTERN COMMAND...: it succeeds, and a line of its output matches.
prints() {
  local pattern=$1 output
  shift
  output=$("$@" 2>&1) || { echo "$output"; return 1; }
  grep -qE -- "$pattern" <<<"$output" || { echo "no line matches '$pattern' in: $output"; return 1; }
}

# Every file of the system with what tells that it was changed, but those that apt and dpkg write.
files() {
  find / -xdev \( -path /proc -o -path /dev -o -path /sys -o -path /tmp -o -path /test -o -path /var/log -o -path /var/cache \
    -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o \( -type d -printf '%p\n' \) -o -printf '%p %s %T@ %m %l\n' | sort
}
is_as_before() { diff <(files) "$work/before"; }
install_deb() { apt-get install -y --no-install-recommends /test/dist/oxur_*_amd64.deb; }
install_tools() { apt-get install -y --no-install-recommends --no-download g++ make cmake pkg-config; }

installs_nothing_else() {
  local before after
  before=$(dpkg-query -W -f '${Package}\n')
  install_deb || return 1
  after=$(dpkg-query -W -f '${Package}\n')
  diff <(sort - <<<"$before"$'\n'oxur) <(sort - <<<"$after")
}
files_are_as_shipped() { [[ -z $(dpkg --verify oxur) ]]; }
is_hidden_from_the_linker() { ! ldconfig -NXv 2>/dev/null | grep -E 'libur_|oxur'; }
completes_in_bash() { bash -c '. /usr/share/bash-completion/completions/oxur && complete -p oxur'; }
has_no_trace_in_dpkg() { ! dpkg-query -W oxur 2>/dev/null && ! ls /var/lib/dpkg/info/oxur.*; }

# command_works PREFIX WHAT TREE: what the commands say of an installation.
command_works() {
  local oxur=$1/bin/oxur
  check "$2: its version" prints "^oxur ${version//./\\.}$" "$oxur" --version
  check "$2: oxur info lists the CPU" prints '^  platform oxur CPU ' "$oxur" info
  check "$2: oxur doctor misses nothing" prints '^nothing is missing$' "$oxur" doctor
  check "$2: oxur-compiler runs" prints '^Usage: oxur-compiler' "$3/bin/oxur-compiler" --help
}

# programs_work LIB WHAT [COMMAND...]: the programs in this folder, run by a command.
programs_work() {
  check "$2: a C program lists the CPU" prints '^device .+, CPU$' "${@:3}" ./linked-c
  check "$2: on our platform" prints '^platform oxur CPU$' "${@:3}" ./linked-c
  check "$2: a C++ program computes" prints '^1024 of 1024 elements are right$' "${@:3}" ./linked-cpp
  check "$2: one that opens the loader" prints '^adapters [1-9]' env LD_LIBRARY_PATH="$1" ./opened
}

build_with_cmake() {
  rm -rf "$work/cmake"
  cmake -S /test/conformance/consumers -B "$work/cmake" "$@" && cmake --build "$work/cmake"
}

build_with_pkg_config() {
  local flags here=/test/conformance/consumers
  mkdir -p "$work/pkg-config"
  # pkg-config quotes for a shell, which has to read that.
  flags=$(pkg-config --cflags --libs "unified-runtime >= 0.12") &&
    eval "cc -std=c11 -Wall -Werror $here/linked.c -o pkg-config/linked-c $flags" &&
    eval "c++ -std=c++17 -Wall -Werror $here/linked.cpp -o pkg-config/linked-cpp $flags" &&
    eval "cc -std=c11 -Wall -Werror $here/opened.c -o pkg-config/opened $flags -ldl"
}

# sycl_works COMMAND WHAT: a SYCL program of each release.
sycl_works() {
  local generation folder
  for folder in /test/sycl-*; do
    generation=${folder#*sycl-}
    g++ -std=c++17 -w -I"$folder/include" /test/conformance/sycl/hello.cpp -o "hello-$generation" -L"$folder/lib" \
      -Wl,-rpath,"$folder/lib" -lsycl
    rm -rf "$HOME/.cache"
    check "$2: SYCL of $generation" prints '^pass [0-9]+ fail 0$' "$1" run --adapter cpu -- "./hello-$generation"
    # Nobody else has compiled its kernel.
    check "$2: SYCL of $generation ran on oxur's CPU" prints '^content:  [1-9]' "$1" cache info
  done
}

# As a user gets it: nothing but the base system.
files >before
check "the .deb brings no other package" installs_nothing_else
check "what is installed is what is in it" files_are_as_shipped
check "no program takes the libraries by chance" is_hidden_from_the_linker
command_works /usr "the .deb" /usr/lib/oxur
check "bash completes the command" completes_in_bash
check "it can be removed" apt-get remove -y oxur
check "then nothing is left" is_as_before
check "nor in dpkg" has_no_trace_in_dpkg

# As a developer gets it.
check "compilers can be installed" install_tools
files >before
check "the .deb can be installed again" install_deb
check "CMake finds it" build_with_cmake
cd "$work/cmake" && programs_work /usr/lib/oxur/lib "the .deb, CMake"
cd "$work"
check "pkg-config finds it" build_with_pkg_config
cd "$work/pkg-config" && programs_work /usr/lib/oxur/lib "the .deb, pkg-config"
cd "$work"
sycl_works oxur "the .deb"
check "it can be purged" apt-get purge -y oxur
check "then nothing is left, either" is_as_before

place="/opt/some folder"
mkdir "$place"
check "the tarball can be unpacked" tar -xzf /test/dist/oxur-*-linux-x86_64.tar.gz -C "$place"
tree=$(echo "$place"/oxur-*)
command_works "$tree" "the tarball" "$tree"
check "CMake finds it" build_with_cmake -DCMAKE_PREFIX_PATH="$tree"
cd "$work/cmake" && programs_work "$tree/lib" "the tarball, CMake"
cd "$work"
PKG_CONFIG_PATH=$tree/lib/pkgconfig check "pkg-config finds it" build_with_pkg_config
cd "$work/pkg-config" && programs_work "$tree/lib" "the tarball, pkg-config" env LD_LIBRARY_PATH="$tree/lib"
cd "$work"
sycl_works "$tree/bin/oxur" "the tarball"
# A name that is not ours to choose, and that of the folder in a Python package.
mv "$tree" /opt/oxur
check "the tarball in /opt/oxur" prints '^nothing is missing$' /opt/oxur/bin/oxur doctor
rm -r "$place" /opt/oxur
check "nothing is left of it" is_as_before

end_checks
