#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the .deb and the tarball of dist/ into fresh systems, runs and builds programs on them, and removes them again.
#
#   conformance/packages/test.sh [SUITE...]     bookworm and trixie (Debian 12 and 13) when none is named
#
# The systems are made by debootstrap from the mirror that apt uses, and kept in target/packages as archives, with the
# packages of compilers in them. It needs root, or sudo. inside.sh has the checks.
set -euo pipefail
((EUID == 0)) || exec sudo -- "$0" "$@"
cd "$(dirname "$0")/../.."
(($#)) || set -- bookworm trixie
readonly store=$PWD/target/packages
version=$(sed -n '/^\[workspace\.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
readonly version
for file in dist/oxur_"$version"_amd64.deb dist/oxur-"$version"-linux-x86_64.tar.gz; do
  [[ -f $file ]] || { echo "$0: $file is missing: run \`make package\`" >&2; exit 1; }
done

# shellcheck disable=SC2016 # apt expands it.
mirror() { apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Identifier: Packages' | grep -m 1 -E '/debian/?$'; }

# The archive of a fresh system. Compilers are not installed yet.
make_system() {
  local suite=$1 root=$2
  echo "$suite: debootstrap"
  debootstrap --variant=minbase "$suite" "$root" "$(mirror)" >"$store/$suite.log" 2>&1 ||
    { tail "$store/$suite.log"; return 1; }
  chroot "$root" apt-get install -q -y --no-install-recommends --download-only g++ make cmake pkg-config \
    >>"$store/$suite.log" 2>&1 || { tail "$store/$suite.log"; return 1; }
  tar -C "$root" -cf - . | zstd -q -1 -o "$store/$suite.tar.zst.new" -f
  mv "$store/$suite.tar.zst.new" "$store/$suite.tar.zst"
}

# Mounts belong to the namespace, which ends with the test.
enter() {
  local suite=$1 root=$2 generation
  mkdir -p "$root"/test/{dist,conformance}
  mount -t proc proc "$root/proc"
  mount -t tmpfs -o mode=1777 none "$root/dev/shm"
  mount --bind dist "$root/test/dist"
  mount --bind conformance "$root/test/conformance"
  for generation in 2026.1 2026.2; do
    mkdir -p "$root/test/sycl-$generation"
    mount --bind "target/env/v$generation" "$root/test/sycl-$generation"
  done
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin suite="$suite" version="$version" \
    chroot "$root" bash /test/conformance/packages/inside.sh
}
if [[ $1 == --inside ]]; then
  enter "$2" "$3"
  exit
fi

mkdir -p "$store"
failed=0
for suite; do
  root=$store/$suite
  rm -rf --one-file-system "$root"
  mkdir "$root"
  if [[ -f $store/$suite.tar.zst ]]; then
    zstd -qdc "$store/$suite.tar.zst" | tar -C "$root" -xf -
  else
    make_system "$suite" "$root"
  fi
  echo "== $suite"
  unshare --mount --pid --fork --kill-child "$0" --inside "$suite" "$root" || failed=1
  rm -rf --one-file-system "$root"
done
exit "$failed"
