#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds dist/oxur-<version>-py3-none-manylinux_2_34_x86_64.whl from dist/ (staged by `make dist`).
#
# The wheel uses two names in the environment's lib folder: that of the CPU adapter, and that of LLVM, which the adapter looks for
# in its own folder. Everything else is in the package's folder, where it cannot conflict with Intel's packages. The build fails if
# auditwheel finds that the libraries need a newer system than the wheel's name says, or if the wheel is larger than 40 MB.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly python=target/env/wheel/bin/python stage=target/wheel most=40000000

die() { printf 'wheel: %s\n' "$*" >&2; exit 1; }

[[ -f dist/lib/libur_loader.so.0 ]] || die "dist/ is not staged: run \`make dist\`"
[[ -f target/third-party/THIRD-PARTY-NOTICES ]] || die "target/third-party is missing: run \`make third-party\`"

rm -rf "$stage" dist/*.whl
mkdir -p "$stage"/{bin,tree/lib}
cp -r packaging/wheel/{README.md,hatch_build.py,pyproject.toml,src} Cargo.toml LICENSE "$stage"
# Wheels have no symbolic links.
cp -L dist/bin/oxur "$stage/bin/"
cp -L dist/lib/{libur_adapter_cpu.so.0,liboxur_llvm.so} "$stage/"
cp -rL dist/include "$stage/tree/"
cp -rL dist/lib/{libur_loader.so.0,libur_adapter_opencl.so.0,liboxur_as_gpu_preload.so,cmake,opencl,pkgconfig} "$stage/tree/lib/"
# Linkers look for this name.
echo 'INPUT(libur_loader.so.0)' >"$stage/tree/lib/libur_loader.so"
cp -r target/third-party/. "$stage/"

(cd "$stage" && ../../"$python" -m hatchling build -t wheel -d ../../dist)
wheel=$(echo dist/*.whl)
# It rejects a wheel whose libraries need a newer system than its name says, by printing the name that it should have.
verdict=$("$python" -m auditwheel show "$wheel")
[[ $verdict == *'"manylinux_2_34_x86_64"'* ]] || die "auditwheel does not agree: $verdict"
size=$(stat -c %s "$wheel")
((size <= most)) || die "$wheel has $size bytes, more than $most"
awk -v name="$wheel" -v size="$size" 'BEGIN { printf "wheel: %s, %.1f MB\n", name, size / 1e6 }'
