#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Stages in dist/ what a user installs, from target/release (built by `make build`):
#
#   dist/lib/libur_*.so*                the loader and every adapter, with the links that C libraries have
#   dist/include/unified-runtime/       the C headers
#   dist/lib/cmake/unified-runtime/     find_package(unified-runtime)
#   dist/lib/pkgconfig/                 unified-runtime.pc
#   dist/bin/oxur                       the command
#
# dist/ can be moved as a whole. A part that is missing, or a library with a wrong soname, is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly version=0.12.0
readonly release=${CARGO_TARGET_DIR:-target}/release
readonly stage=dist.new

die() { printf 'dist: %s\n' "$*" >&2; exit 1; }

# The libraries: the loader, and one for each folder of adapters/ but the kit.
libraries=(ur_loader)
for folder in adapters/*/; do
  adapter=$(basename "$folder")
  [[ $adapter == kit || ! -f $folder/Cargo.toml ]] || libraries+=("ur_adapter_$adapter")
done

rm -rf "$stage"
mkdir -p "$stage"/{bin,include/unified-runtime,lib/cmake/unified-runtime,lib/pkgconfig}
for name in "${libraries[@]}"; do
  built=$release/lib$name.so
  file=lib$name.so.$version
  [[ -f $built ]] || die "$built is missing: run \`make build\`"
  soname=$(readelf -d "$built" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
  [[ $soname == "lib$name.so.0" ]] || die "$built has the soname '$soname', not lib$name.so.0"
  install -m 755 "$built" "$stage/lib/$file"
  ln -s "$file" "$stage/lib/lib$name.so.0"
  ln -s "lib$name.so.0" "$stage/lib/lib$name.so"
done

install -m 644 include/unified-runtime/* "$stage/include/unified-runtime/"
install -m 755 "$release/oxur" "$stage/bin/oxur"
install -m 644 cmake/unified-runtime-config.cmake "$stage/lib/cmake/unified-runtime/"
sed "s/@VERSION@/$version/" cmake/unified-runtime-config-version.cmake.in \
  >"$stage/lib/cmake/unified-runtime/unified-runtime-config-version.cmake"
sed "s/@VERSION@/$version/" cmake/unified-runtime.pc.in >"$stage/lib/pkgconfig/unified-runtime.pc"

rm -rf dist
mv "$stage" dist
echo "dist: staged ${libraries[*]/#/lib} in dist/"
