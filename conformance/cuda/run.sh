#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs tests on our loader and our CUDA adapter, from dist/ (OXUR_LIB names another folder):
#
#   conformance/cuda/run.sh [own|ur] [-- NEXTEST OPTIONS]
#
#   own   the adapter's own tests (default)
#   ur    UR's conformance suite, but for what known.txt names, with a reason
#
# The driver is the one without a GPU, conformance/cuda/fake; with OXUR_CUDA_SYSTEM=1 it is that of the machine.
set -euo pipefail
cd "$(dirname "$0")/../.."

die() { printf 'conformance/cuda/run.sh: %s\n' "$*" >&2; exit 1; }

suite=own
if (($#)) && [[ $1 != -- ]]; then suite=$1; shift; fi
(($#)) && shift
readonly lib=$(realpath "${OXUR_LIB:-dist/lib}")
for file in libur_loader.so.0 adapters/libur_adapter_cuda.so.0; do
  [[ -e $lib/$file ]] || die "$lib/$file is missing: run \`make dist\`"
done

variables=(OXUR_TEST_LOADER="$lib/libur_loader.so.0" UR_ADAPTERS_FORCE_LOAD="$lib/adapters/libur_adapter_cuda.so.0"
  OCL_ICD_FILENAMES=/nonexistent OCL_ICD_VENDORS=/nonexistent UR_CPU_CACHE="$PWD/target/fake-cuda/cache")
mkdir -p target/fake-cuda
if [[ -z ${OXUR_CUDA_SYSTEM:-} ]]; then
  conformance/cuda/fake/build.sh
  variables+=(LD_LIBRARY_PATH="$PWD/target/fake-cuda")
fi
run() { env -u UR_ADAPTERS_SEARCH_PATH -u ONEAPI_DEVICE_SELECTOR "${variables[@]}" cargo nextest run --no-fail-fast "$@"; }

case $suite in
  own) run --workspace --test cuda "$@" ;;
  ur)
    known=$(sed -E 's/#.*//; s/ +$//; /^$/d' conformance/cuda/known.txt | sed -E 's/.*/test(=&)/' | paste -sd'|')
    run --workspace --test ur -E "not (test(/^(cpu|native_opencl)::/) | $known)" "$@" ;;
  *) die "there is no suite $suite" ;;
esac
