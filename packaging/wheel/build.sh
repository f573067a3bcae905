#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the Python packages from dist/ (staged by `make dist`): dist/oxur-<version>-py3-none-manylinux_2_34_x86_64.whl, and
# dist/oxur_cuda-<...>.whl for NVIDIA GPUs, if dist/ has oneMKL for those.
#
# The wheels use few names in the environment's lib folder: those of the CPU and CUDA adapters, that of LLVM, which adapters look
# for in their own folder, and liboxur_onemkl*. Everything else is in the package's folder, where it cannot conflict with Intel's
# packages. The build fails if auditwheel finds that the libraries need a newer system than a wheel's name says, or if a wheel is
# too large.
set -euo pipefail
cd "$(dirname "$0")/../.."
source packaging/common.sh

readonly here=packaging/wheel python=$PWD/target/env/wheel/bin/python stage=target/wheel onemkl=dist/lib/onemkl

# build FOLDER NAME TAG MOST: builds a wheel of at most so many bytes. TAG is what auditwheel has to name manylinux_2_34.
build() {
  local wheel size
  (cd "$1" && "$python" -m hatchling build -t wheel -d "$OLDPWD/dist")
  wheel=$(echo "dist/$2"-*.whl)
  "$python" -m auditwheel show --json "$wheel" >"$1/audit.json"
  grep -q "\"$3\": \"manylinux_2_34_x86_64\"" "$1/audit.json" || die "auditwheel does not agree: $1/audit.json"
  size=$(stat -c %s "$wheel")
  ((size <= $4)) || die "$wheel has $size bytes, more than $4"
  awk -v name="$wheel" -v size="$size" 'BEGIN { printf "wheel: %s, %.1f MB\n", name, size / 1e6 }'
}

rm -rf "$stage" dist/*.whl
mkdir -p "$stage"/{oxur/{bin,tree/lib},cuda/sboms}
cp -r "$here"/{README.md,hatch_build.py,pyproject.toml,src} Cargo.toml LICENSE "$stage/oxur"
# Wheels have no symbolic links.
cp -L dist/bin/oxur "$stage/oxur/bin/"
cp -L dist/lib/{libur_adapter_cpu.so.0,liboxur_llvm.so} "$stage/oxur/"
cp -rL dist/include "$stage/oxur/tree/"
cp -rL dist/lib/{libur_loader.so.0,libur_adapter_opencl.so.0,liboxur_as_gpu_preload.so,cmake,opencl,pkgconfig} "$stage/oxur/tree/lib/"
# Linkers look for this name.
echo 'INPUT(libur_loader.so.0)' >"$stage/oxur/tree/lib/libur_loader.so"
cp -r "$notices/." "$stage/oxur/"
build "$stage/oxur" oxur overall_tag 40000000

if [[ ! -d $onemkl ]]; then
  echo "wheel: without oxur-cuda: $onemkl is missing (scripts/setup.sh clients, make dist)"
  exit
fi
cp "$here"/{hatch_build.py,cuda/README.md} LICENSE "$notices/THIRD-PARTY-NOTICES" dist/lib/adapters/libur_adapter_cuda.so.0 \
  "$onemkl"/*.so "$stage/cuda"
sed "s/@VERSION@/$version/" "$here/cuda/pyproject.toml" >"$stage/cuda/pyproject.toml"
cp "$notices"/sboms/oxur-adapters-cuda.cdx.json "$stage/cuda/sboms"
# oneMKL's functions need libsycl, which is the client's. So only the versions of symbols are compared.
build "$stage/cuda" oxur_cuda sym_tag 10000000
