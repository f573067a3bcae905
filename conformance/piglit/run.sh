#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs Piglit's tests of OpenCL C on our loader and adapters, from dist/ (OXUR_LIB names another folder):
#
#   conformance/piglit/run.sh [-s STACK]... [WORD...]     the files with one of the words in their names, or all
#
#   cpu          the CPU adapter
#   level_zero   the Level Zero adapter on our driver
#   cuda         the CUDA adapter on the driver without a GPU; with OXUR_CUDA_SYSTEM=1 on that of the machine
#   intel        Intel's loader and OpenCL adapter, which fail some
#
# CLANG_OPTIONS has more options for clang, such as -O0. Without a stack: ours. Needs `make setup dist`, clang-14 and llvm-spirv-14.
set -euo pipefail
cd "$(dirname "$0")/../.."

die() { printf 'conformance/piglit/run.sh: %s\n' "$*" >&2; exit 1; }

stacks=()
while getopts s: option; do
  case $option in s) stacks+=("$OPTARG") ;; *) exit 2 ;; esac
done
shift $((OPTIND - 1))
((${#stacks[@]})) || stacks=(cpu level_zero cuda)

readonly lib=$(realpath "${OXUR_LIB:-dist/lib}") intel=$PWD/target/env/v2026.1/lib
cargo build --release --locked --workspace --bin piglit
failed=()
for stack in "${stacks[@]}"; do
  printf '\n== %s ==\n' "$stack"
  loader=$lib/libur_loader.so.0 variables=(OCL_ICD_FILENAMES=/nonexistent)
  case $stack in
    cpu) adapter=$lib/libur_adapter_cpu.so.0 ;;
    level_zero)
      adapter=$lib/adapters/libur_adapter_level_zero.so.0
      variables+=(LD_LIBRARY_PATH="$lib/level-zero") ;;
    cuda)
      adapter=$lib/adapters/libur_adapter_cuda.so.0
      if [[ -z ${OXUR_CUDA_SYSTEM:-} ]]; then
        scripts/setup.sh nvptx
        conformance/cuda/fake/build.sh
        variables+=(LD_LIBRARY_PATH="$PWD/target/fake-cuda"
          UR_CUDA_LIBDEVICE="$(realpath target/env/nvptx/lib/python3.*/site-packages/nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc)")
      fi ;;
    intel)
      loader=$intel/libur_loader.so.0 adapter=$intel/libur_adapter_opencl.so.0
      variables=(OCL_ICD_FILENAMES="$intel/libintelocl.so" LD_LIBRARY_PATH="$intel") ;;
    *) die "no stack is called $stack" ;;
  esac
  for file in "$loader" "$adapter"; do [[ -e $file ]] || die "$file is missing: run \`make setup dist\`"; done
  env -u UR_ADAPTERS_SEARCH_PATH -u ONEAPI_DEVICE_SELECTOR "${variables[@]}" OXUR_TEST_LOADER="$loader" \
    UR_ADAPTERS_FORCE_LOAD="$adapter" OCL_ICD_VENDORS=/nonexistent UR_CPU_CACHE=off \
    "${CARGO_TARGET_DIR:-target}/release/piglit" "$@" || failed+=("$stack")
done
((${#failed[@]} == 0)) || die "failures on: ${failed[*]}"
