#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the conformance suite of Level Zero on one or more stacks:
#
#   conformance/level_zero/run.sh [STACK...] [-- NEXTEST OPTIONS]
#
#   ours         our driver for the CPU, from dist/ (OXUR_LIB names another folder), under the newest loader
#   ours-1.8     our driver under Debian 12's loader
#   ours-alone   our driver as the loader, level-zero/libze_loader.so.1 in that folder
#   intel        Intel's driver under the newest loader and its validation layer. There is no GPU: it executes nothing, and
#                tests that need results end at once. (The validation layer of Debian 12's loader is too old: it refuses
#                what later versions of the specification allow.)
#
# Without a stack: ours, then intel. Needs `make setup dist`, clang-14, llvm-spirv-14 and spirv-as.
set -euo pipefail
cd "$(dirname "$0")/../.."

die() { printf 'conformance/level_zero/run.sh: %s\n' "$*" >&2; exit 1; }

stacks=()
while (($#)) && [[ $1 != -- ]]; do stacks+=("$1"); shift; done
(($#)) && shift
((${#stacks[@]})) || stacks=(ours intel)

readonly lib=$(realpath -m "${OXUR_LIB:-dist/lib}") env=$PWD/target/env/level-zero

# run LOADER DRIVER VARIABLE=VALUE... -- NEXTEST OPTIONS
run() {
  local loader=$1 driver=$2 variables=()
  shift 2
  while [[ $1 != -- ]]; do variables+=("$1"); shift; done
  shift
  for file in "$loader" "$driver"; do [[ -e $file ]] || die "$file is missing: run \`make setup dist\`"; done
  env -u ZE_ENABLE_VALIDATION_LAYER -u ZE_ENABLE_PARAMETER_VALIDATION -u ZE_ENABLE_TRACING_LAYER -u ZE_AFFINITY_MASK \
    "${variables[@]}" OXUR_TEST_ZE_LOADER="$loader" ZE_ENABLE_ALT_DRIVERS="$driver" \
    cargo nextest run --workspace --test level_zero --no-fail-fast "$@"
}

failed=()
for stack in "${stacks[@]}"; do
  printf '\n== %s ==\n' "$stack"
  case $stack in
    *-1.8) loaders=$env/loader-1.8 ;;
    *) loaders=$env/lib ;;
  esac
  # The loader looks for its layers here.
  variables=(LD_LIBRARY_PATH="$loaders")
  loader=$loaders/libze_loader.so.1 driver=$lib/libze_oxur_cpu.so.1
  case $stack in
    ours | ours-1.8) ;;
    ours-alone) loader=$lib/level-zero/libze_loader.so.1 variables=() ;;
    intel)
      driver=$env/intel-gpu/libze_intel_gpu.so.1
      # Null handles and bad values are the validation layer's business: this driver does not look.
      variables=(LD_LIBRARY_PATH="$loaders:$env/intel-gpu" NEOReadDebugKeys=1 SetCommandStreamReceiver=1
        ProductFamilyOverride=skl ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1)
      ;;
    *) die "no stack is called $stack" ;;
  esac
  run "$loader" "$driver" "${variables[@]}" -- "$@" || failed+=("$stack")
done
((${#failed[@]} == 0)) || die "failures on: ${failed[*]}"
