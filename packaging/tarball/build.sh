#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds dist/oxur-<version>-linux-x86_64.tar.gz from dist/ (staged by `make dist`): the tree, which works in any folder, with
# licences and user documentation. It is gzip because a minimal system can unpack that; xz and zstd would save a quarter.
set -euo pipefail
cd "$(dirname "$0")/../.."
source packaging/common.sh

readonly name=oxur-$version-linux-x86_64 stage=target/tarball
readonly tarball=dist/$name.tar.gz tree=$stage/$name

rm -rf "$stage" dist/oxur-*.tar.gz
mkdir -p "$tree/share/doc/oxur"
cp -a dist/{bin,include,lib,share} "$tree"
install -m 644 LICENSE "$notices/THIRD-PARTY-NOTICES" "$tree"
install -m 644 packaging/tarball/README.md "$tree"
install -m 644 "${pages[@]}" CHANGELOG.md "$tree/share/doc/oxur"
cp -r "$notices/sboms" "$tree/share/doc/oxur"

tar -C "$stage" --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --mode=u+rw,go=rX -cf - "$name" | gzip -9n >"$tarball"
rm -r "$stage"
awk -v name="$tarball" -v size="$(stat -c %s "$tarball")" 'BEGIN { printf "tarball: %s, %.1f MB\n", name, size / 1e6 }'
