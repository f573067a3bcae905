#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Stages in dist/ what a user installs, from target/release (built by `make build`):
#
#   dist/lib/libur_*.so*                the loader and every adapter, with the usual links of C libraries
#   dist/lib/liboxur_as_gpu_preload.so  preloaded by `oxur run --as-gpu`
#   dist/lib/adapters/libur_adapter_level_zero.so.0  used for devices that no other adapter has
#   dist/lib/adapters/libur_adapter_cuda.so.0  for NVIDIA GPUs, used only by name; in Python environments also by default
#   dist/lib/onemkl/liboxur_onemkl*.so  oneMKL's functions for NVIDIA GPUs, preloaded by `oxur run --adapter cuda`; only where
#                                       Intel's libraries are, whose functions they replace (scripts/setup.sh clients)
#   dist/lib/liboxur_llvm.so            LLVM, which the CPU and CUDA adapters, the driver and oxur-compiler open to compile
#   dist/lib/libze_oxur_cpu.so.1        the Level Zero driver
#   dist/lib/level-zero/libze_loader.so.1  a link to it, for programs that look for a loader of Level Zero
#   dist/lib/opencl/libOpenCL.so.1      for native handles of the CPU adapter, in processes without another libOpenCL
#   dist/include/unified-runtime/       the C headers
#   dist/lib/cmake/unified-runtime/     find_package(unified-runtime)
#   dist/lib/pkgconfig/                 unified-runtime.pc
#   dist/bin/oxur                       the command
#   dist/share/                         man pages and shell completions of the command
#   dist/bin/oxur-compiler              the CPU adapter's compiler as a command
#
# dist/ can be moved as a whole. The script fails if
# - a part is missing, or a library has a wrong soname.
# - a library exports more than the functions of Unified Runtime (and clRetain*, which interoperability needs; libOpenCL those of
#   OpenCL, the Level Zero driver those of Level Zero, the preloaded library those of libsycl, liboxur_llvm.so those of LLVM's C
#   API). LLVM must not conflict with another LLVM in the process.
# - LLVM is in another library than liboxur_llvm.so.
# - a file needs more than every Linux since 2021 has, by the rules of manylinux_2_34.
# Debug information stays in target/release. The symbols of our own code are kept, for backtraces.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n '/^\[workspace\.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
readonly version
readonly release=${CARGO_TARGET_DIR:-target}/release
readonly stage=dist.new
readonly onemkl=target/env/v2026.2/lib/libmkl_sycl_blas.so.6

die() { printf 'dist: %s\n' "$*" >&2; exit 1; }

[[ -n $version ]] || die "Cargo.toml names no version"

# The libraries: the loader, and one for each folder of adapters/ except the kit.
libraries=(ur_loader)
for folder in adapters/*/; do
  adapter=$(basename "$folder")
  [[ $adapter =~ ^(kit|level_zero|cuda)$ || ! -f $folder/Cargo.toml ]] || libraries+=("ur_adapter_$adapter")
done

# What manylinux_2_34 allows: these libraries, and symbols up to these versions.
readonly system_libraries=(ld-linux-x86-64.so.2 libc.so.6 libgcc_s.so.1 libm.so.6 libstdc++.so.6)
readonly newest_symbols=(GLIBC_2.34 GLIBCXX_3.4.29 CXXABI_1.3.13 GCC_12.0.0)

# portable FILE [LIBRARY]: fails if a file needs more than manylinux_2_34 allows, and this library.
portable() {
  local needed symbols newest late
  while read -r needed; do
    [[ " ${system_libraries[*]} ${2-} " == *" $needed "* ]] || die "$1 needs $needed, which not every system has"
  done < <(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  symbols=$(objdump -T "$1" | sed -nE 's/.*\*UND\*.* \(?([A-Z]+_[0-9.]+)\)? +([^ ]+)$/\1 \2/p')
  [[ -n $symbols ]] || die "$1 seems to need no symbol at all"
  for newest in "${newest_symbols[@]}"; do
    late=$(printf '%s\n' "$symbols" "$newest" | grep "^${newest%%_*}_" | sort -V | sed "1,/^$newest\$/d")
    late=$(grep -v "^$newest " <<<"$late" || true)
    [[ -z $late ]] || die "$1 needs symbols newer than $newest: ${late//$'\n'/, }"
  done
}

# ship FILE TARGET [LIBRARY]: copies a program or library without debug information. It may need this library.
ship() {
  portable "$1" "${3-}"
  objcopy --strip-unneeded --remove-section=.comment --wildcard --keep-symbol='*oxur*' --keep-symbol='*ur_adapter_*' \
    --keep-symbol='*ur_loader*' "$1" "$2"
  chmod 755 "$2"
}

# check FILE SONAME EXPORTS: fails unless a library has this soname and exports only functions with this prefix.
check() {
  [[ -f $1 ]] || die "$1 is missing: run \`make build\`"
  local soname foreign
  soname=$(readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
  [[ $soname == "$2" ]] || die "$1 has the soname '$soname', not $2"
  foreign=$(nm -D --defined-only "$1" | awk -v own="^($3)[A-Z]" '$2 != "A" && $3 !~ own { print $3 }' | head -n 3)
  [[ -z $foreign ]] || die "$1 exports what it should not: ${foreign//$'\n'/, }"
}

# slim FILE: fails if LLVM is linked into it.
slim() {
  local functions
  # What it calls without a C API has one function, which jumps there.
  functions=$(nm -C --defined-only "$1" | grep ' llvm::' | grep -vc ' llvm::install_bad_alloc_error_handler(' || true)
  ((functions == 0)) || die "$1 has $functions functions of LLVM, which belongs in liboxur_llvm.so"
}

rm -rf "$stage"
mkdir -p "$stage"/{bin,include/unified-runtime} \
  "$stage"/lib/{adapters,cmake/unified-runtime,level-zero,opencl,pkgconfig}
# In its own folder, where the dynamic linker does not find it before another one.
check "$release/liboxur_libopencl.so" libOpenCL.so.1 cl
ship "$release/liboxur_libopencl.so" "$stage/lib/opencl/libOpenCL.so.1"
check "$release/libze_oxur_cpu.so" libze_oxur_cpu.so.1 'ze[lrstx]?'
for file in lib{ze_oxur_cpu,ur_adapter_cpu,ur_adapter_cuda}.so oxur-compiler; do slim "$release/$file"; done
check "$release/liboxur_llvm.so" liboxur_llvm.so 'LLVM|OXUR_LLVM_|_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbE'
ship "$release/liboxur_llvm.so" "$stage/lib/liboxur_llvm.so"
ship "$release/libze_oxur_cpu.so" "$stage/lib/libze_oxur_cpu.so.1"
# Here, too, the dynamic linker does not find it before another one.
ln -s ../libze_oxur_cpu.so.1 "$stage/lib/level-zero/libze_loader.so.1"
# In a searched folder, their names would hide Intel's adapters, which drive the GPUs of most machines. The CUDA adapter lacks
# too much to be used by default: programs would prefer its GPU to a CPU that runs everything.
for name in level_zero cuda; do
  check "$release/libur_adapter_$name.so" "libur_adapter_$name.so.0" 'ur|oxur'
  ship "$release/libur_adapter_$name.so" "$stage/lib/adapters/libur_adapter_$name.so.0"
done
check "$release/liboxur_as_gpu_preload.so" liboxur_as_gpu_preload.so '_ZNK?4sycl.*'
ship "$release/liboxur_as_gpu_preload.so" "$stage/lib/liboxur_as_gpu_preload.so"
if [[ -e $onemkl ]]; then
  built=target/onemkl/lib
  python3 onemkl/build.py --out "$built"
  mkdir -p "$stage/lib/onemkl"
  check "$built/liboxur_onemkl_preload.so" liboxur_onemkl_preload.so '_ZNK?6oneapi3mkl.*|_ZN4sycl3_V17handler25setKernelLaunchProperties.*'
  ship "$built/liboxur_onemkl_preload.so" "$stage/lib/onemkl/liboxur_onemkl_preload.so"
  ship "$built/liboxur_onemkl.so" "$stage/lib/onemkl/liboxur_onemkl.so" libsycl.so.9
else
  echo "dist: without oneMKL for NVIDIA GPUs: $onemkl is missing (scripts/setup.sh clients)"
fi
for name in "${libraries[@]}"; do
  built=$release/lib$name.so
  file=lib$name.so.$version
  check "$built" "lib$name.so.0" 'ur|oxur|clRetain'
  ship "$built" "$stage/lib/$file"
  ln -s "$file" "$stage/lib/lib$name.so.0"
  ln -s "lib$name.so.0" "$stage/lib/lib$name.so"
done

install -m 644 include/unified-runtime/* "$stage/include/unified-runtime/"
for name in oxur oxur-compiler; do
  [[ -f $release/$name ]] || die "$release/$name is missing: run \`make build\`"
  ship "$release/$name" "$stage/bin/$name"
done
# Generated by the command itself, into the folders where shells and man look below a prefix.
mkdir -p "$stage"/share/{bash-completion/completions,fish/vendor_completions.d,zsh/site-functions}
"$stage/bin/oxur" completions bash >"$stage/share/bash-completion/completions/oxur"
"$stage/bin/oxur" completions fish >"$stage/share/fish/vendor_completions.d/oxur.fish"
"$stage/bin/oxur" completions zsh >"$stage/share/zsh/site-functions/_oxur"
"$stage/bin/oxur" man-pages "$stage/share/man/man1"
install -m 644 cmake/unified-runtime-config.cmake "$stage/lib/cmake/unified-runtime/"
sed "s/@VERSION@/$version/" cmake/unified-runtime-config-version.cmake.in \
  >"$stage/lib/cmake/unified-runtime/unified-runtime-config-version.cmake"
sed "s/@VERSION@/$version/" cmake/unified-runtime.pc.in >"$stage/lib/pkgconfig/unified-runtime.pc"

rm -rf dist
mv "$stage" dist
echo "dist: staged in dist/, in MB:"
find dist/lib dist/bin -type f -size +1M -printf '  %s %P\n' | sort -k2 | awk '{ printf "  %5.1f  %s\n", $1 / 1e6, $2 }'
