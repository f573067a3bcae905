#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the conformance suite on one or more stacks:
#
#   conformance/ur/run.sh [STACK...] [-- NEXTEST OPTIONS]
#
#   ours         our loader and our OpenCL adapter, from dist/ (OXUR_LIB names another folder), on Intel's OpenCL CPU driver
#   ours-cpu     our loader and our CPU adapter, without any OpenCL driver
#   ours-level_zero  our loader and our Level Zero adapter, on our driver, which is the loader as well
#                (OXUR_LEVEL_ZERO names a folder with another libze_loader.so.1)
#   ours-level_zero-intel  the same adapter on Intel's driver for its GPUs, without one: it shows a device, builds modules and
#                refuses what is wrong, but executes nothing. So only the tests run that executes_nothing.txt names.
#   ours-<name>  our loader and another of our adapters, on Intel's OpenCL CPU driver
#   intel        Intel's loader and OpenCL adapter, 2026.1, on that driver
#
# Without a stack: ours, then intel. Needs `make setup dist`, clang-14, llvm-spirv-14 and spirv-as.
set -euo pipefail
cd "$(dirname "$0")/../.."

die() { printf 'conformance/ur/run.sh: %s\n' "$*" >&2; exit 1; }

stacks=()
while (($#)) && [[ $1 != -- ]]; do stacks+=("$1"); shift; done
(($#)) && shift
((${#stacks[@]})) || stacks=(ours intel)

readonly lib=$(realpath "${OXUR_LIB:-dist/lib}") env=$PWD/target/env
readonly level_zero=$(realpath -m "${OXUR_LEVEL_ZERO:-$lib/level-zero}")

# run LOADER ADAPTER DRIVERS: the suite on these files, with what the folder DRIVERS holds; `none` hides every driver,
# `level_zero` all but our own for Level Zero, and `intel_gpu` all but Intel's for it.
run() {
  local loader=$1 adapter=$2 drivers=$3 variables=()
  shift 3
  if [[ $drivers == level_zero ]]; then
    variables=(OCL_ICD_FILENAMES=/nonexistent LD_LIBRARY_PATH="$level_zero")
    [[ -e $level_zero/libze_loader.so.1 ]] || die "$level_zero/libze_loader.so.1 is missing: run \`make dist\`"
  elif [[ $drivers == intel_gpu ]]; then
    local gpu=$env/level-zero/intel-gpu
    # What the driver would have the GPU do goes to a file.
    variables=(OCL_ICD_FILENAMES=/nonexistent LD_LIBRARY_PATH="$env/level-zero/lib:$gpu" NEOReadDebugKeys=1
      ZE_ENABLE_ALT_DRIVERS="$gpu/libze_intel_gpu.so.1" SetCommandStreamReceiver=1 ProductFamilyOverride=skl
      AUBDumpCaptureFileName=/dev/null)
    [[ -e $gpu/libze_intel_gpu.so.1 ]] || die "$gpu/libze_intel_gpu.so.1 is missing: run \`make setup\`"
    set -- -E "$(sed -E 's/#.*//; s/ +$//; /^$/d; s#.*#test(/^&$/)#' conformance/ur/executes_nothing.txt | paste -sd'|')" "$@"
  elif [[ $drivers == none ]]; then
    variables=(-u LD_LIBRARY_PATH OCL_ICD_FILENAMES=/nonexistent)
  else
    variables=(OCL_ICD_FILENAMES="$drivers/libintelocl.so" LD_LIBRARY_PATH="$drivers")
    [[ -e $drivers/libintelocl.so ]] || die "$drivers/libintelocl.so is missing: run \`make setup\`"
  fi
  for file in "$loader" "$adapter"; do [[ -e $file ]] || die "$file is missing: run \`make setup dist\`"; done
  env -u UR_ADAPTERS_SEARCH_PATH -u ONEAPI_DEVICE_SELECTOR "${variables[@]}" OXUR_TEST_LOADER="$loader" \
    UR_ADAPTERS_FORCE_LOAD="$adapter" OCL_ICD_VENDORS=/nonexistent \
    cargo nextest run --workspace --test ur --no-fail-fast "$@"
}

failed=()
for stack in "${stacks[@]}"; do
  printf '\n== %s ==\n' "$stack"
  case $stack in
    ours) arguments=("$lib/libur_loader.so.0" "$lib/libur_adapter_opencl.so.0" "$env/v2026.2/lib") ;;
    ours-cpu) arguments=("$lib/libur_loader.so.0" "$lib/libur_adapter_cpu.so.0" none) ;;
    ours-level_zero)
      arguments=("$lib/libur_loader.so.0" "$lib/adapters/libur_adapter_level_zero.so.0" level_zero) ;;
    ours-level_zero-intel)
      arguments=("$lib/libur_loader.so.0" "$lib/adapters/libur_adapter_level_zero.so.0" intel_gpu) ;;
    ours-*) arguments=("$lib/libur_loader.so.0" "$lib/libur_adapter_${stack#ours-}.so.0" "$env/v2026.2/lib") ;;
    intel) arguments=("$env/v2026.1/lib/"{libur_loader.so.0,libur_adapter_opencl.so.0} "$env/v2026.1/lib") ;;
    *) die "no stack is called $stack" ;;
  esac
  # Intel's driver sometimes crashes when the process ends, behind a test that passed ("Pure virtual function called!"). What
  # is ours has no second try.
  [[ $stack == intel ]] && arguments+=(--retries 2)
  run "${arguments[@]}" "$@" || failed+=("$stack")
done
((${#failed[@]} == 0)) || die "failures on: ${failed[*]}"
