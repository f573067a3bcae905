#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Looks at the .deb and the tarball of dist/ and unpacks them, without installing anything. test.sh installs them.
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly work=$PWD/target/packages/contents
version=$(sed -n '/^\[workspace\.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
readonly version
deb=$(realpath "dist/oxur_${version}_amd64.deb")
tarball=$(realpath "dist/oxur-$version-linux-x86_64.tar.gz")
readonly deb tarball

source conformance/checks.sh

is_clean_for_lintian() {
  local tags
  tags=$(lintian --fail-on none --allow-root --display-info --pedantic "$deb")
  [[ -z $tags ]] || { echo "$tags"; return 1; }
}
depends_on() { diff <(dpkg-deb -f "$deb" Depends | tr , '\n' | awk '{ print $1 }' | sort) <(printf '%s\n' "$@"); }
has_no_scripts() { diff <(dpkg-deb --ctrl-tarfile "$deb" | tar -t | sort) <(printf './\n./control\n./md5sums\n'); }
# Outside of its own folder the package has links, headers, and what is looked for by name.
has_no_library_outside() { ! find "$work/root" -name '*.so*' ! -path '*/usr/lib/oxur/lib/*' | grep .; }
# All that `make dist` stages is in both.
holds_dist() {
  local missing
  missing=$(comm -13 <(find "$1" ! -type d -printf '%f\n' | sed 's/\.gz$//' | sort -u) \
    <(find dist/{bin,include,lib,share} ! -type d -printf '%f\n' | sort -u))
  [[ -z $missing ]] || { echo "missing: $missing"; return 1; }
}
names_licences() { grep -q 'LLVM Exceptions to the Apache 2.0 License' "$1" && grep -qx Zstandard "${@: -1}"; }
has_manuals() { (($(find "$1" -name 'oxur*.1*' | wc -l) == $(find dist/share/man -type f | wc -l))); }
command_works() {
  [[ $("$1/bin/oxur" --version) == "oxur $version" ]] && grep -q '^  platform oxur CPU ' < <("$1/bin/oxur" info)
}

# cmake_finds PREFIX LIB: find_package takes the library from this folder.
cmake_finds() {
  local found
  mkdir -p find
  # shellcheck disable=SC2016 # CMake expands it.
  printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(find C)' 'find_package(unified-runtime 0.12 REQUIRED)' \
    'get_target_property(library unified-runtime::loader IMPORTED_LOCATION)' 'message("library ${library}")' >find/CMakeLists.txt
  rm -rf find/build
  found=$(cmake -S find -B find/build -DCMAKE_PREFIX_PATH="$1" 2>&1)
  echo "$found"
  grep -qxF "library $2/libur_loader.so" <<<"$found"
}
# pkg_config_finds FOLDER FLAG...: what pkg-config answers.
pkg_config_finds() {
  local flags
  flags=$(PKG_CONFIG_LIBDIR=$1 pkg-config --print-errors --cflags --libs "unified-runtime = $version")
  diff <(xargs -n 1 <<<"$flags" | sort) <(printf '%s\n' "${@:2}" | sort)
}

rm -rf "$work"
mkdir -p "$work/root" "$work/some folder"
dpkg-deb -x "$deb" "$work/root"
tar -C "$work/some folder" -xzf "$tarball"
tree="$work/some folder/oxur-$version-linux-x86_64"

check "the .deb: lintian" is_clean_for_lintian
check "the .deb: depends on the system's libraries alone" depends_on libc6 libgcc-s1 libstdc++6
check "the .deb: has no scripts" has_no_scripts
check "the .deb: has all of dist/" holds_dist "$work/root"
check "the .deb: has man pages" has_manuals "$work/root/usr/share/man/man1"
check "the .deb: names the licences" names_licences "$work/root/usr/share/doc/oxur/copyright"
check "the .deb: no library is outside of its folder" has_no_library_outside
check "the .deb: its command works" command_works "$work/root/usr"
check "the .deb: pkg-config" pkg_config_finds "$work/root/usr/lib/pkgconfig" -I/usr/include/oxur -L/usr/lib/oxur/lib \
  -Wl,-rpath,/usr/lib/oxur/lib -lur_loader
check "the tarball: has all of dist/" holds_dist "$tree"
check "the tarball: names the licences" names_licences "$tree/LICENSE" "$tree/THIRD-PARTY-NOTICES"
check "the tarball: its command works" command_works "$tree"
check "the tarball: pkg-config" pkg_config_finds "$tree/lib/pkgconfig" "-I$tree/lib/pkgconfig/../../include" \
  "-L$tree/lib/pkgconfig/../../lib" -lur_loader
cd "$work"
check "the .deb: CMake" cmake_finds "$work/root/usr" "$work/root/usr/lib/oxur/lib"
check "the tarball: CMake" cmake_finds "$tree" "$tree/lib"

rm -rf "$work"
end_checks
