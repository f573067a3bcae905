#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a part of the conformance suite on the CPU adapter of dist/ (OXUR_LIB names another folder) as processors of each
# level of x86-64 run it, by qemu-user: an instruction that the level lacks ends a test with SIGILL.
#
#   conformance/cpu_levels/test.sh [LEVEL...] [-- NEXTEST OPTIONS]     v1, v2 and v3 when none is named
#
# qemu-user has no AVX-512, so v4 is this machine itself, which must have it.
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly work=$PWD/target/cpu-levels
lib=$(realpath "${OXUR_LIB:-dist/lib}")
compiler=$(realpath "${OXUR_COMPILER:-dist/bin/oxur-compiler}")
readonly lib compiler

# A processor of each level, and the widest registers that kernels use there.
declare -rA models=([v1]=qemu64 [v2]=Nehalem [v3]=Haswell [v4]=native)
declare -rA registers=([v1]=xmm [v2]=xmm [v3]=ymm [v4]=zmm)

die() { printf 'conformance/cpu_levels/test.sh: %s\n' "$*" >&2; exit 1; }

levels=() options=()
while (($#)) && [[ $1 != -- ]]; do levels+=("$1"); shift; done
(($#)) && shift
((${#levels[@]})) || levels=(v1 v2 v3)
# Launches of all kinds, with local memory and barriers, and the rounding of numbers.
options=("$@")
((${#options[@]})) || options=(launch:: float_env::)

mkdir -p "$work"
cat >"$work/kernel.cl" <<'CL'
__kernel void k(__global float *a) {
  size_t i = get_global_id(0);
  a[i] = sin(a[i]) * 2.5f + a[i + 1];
}
CL
clang-22 -c -target spirv64 -cl-std=CL2.0 -O1 -o "$work/kernel.spv" "$work/kernel.cl"

command -v qemu-x86_64 >/dev/null || die "qemu-x86_64 is missing: run \`scripts/setup.sh qemu\`"
failed=0
for level in "${levels[@]}"; do
  model=${models[$level]:-}
  [[ -n $model ]] || die "no level is called $level: there are v1, v2, v3 and v4"
  runner=()
  if [[ $model == native ]]; then
    grep -qw avx512f /proc/cpuinfo || die "this machine has no AVX-512"
  else
    runner=(qemu-x86_64 -cpu "$model")
  fi
  printf '\n== x86-64-%s: %s ==\n' "$level" "$model"
  widest=$("${runner[@]}" "$compiler" print --stage assembly "$work/kernel.spv" 2>/dev/null | grep -owE '%[xyz]mm[0-9]+' |
    tr -d '%0-9' | sort | tail -n 1)
  if [[ $widest == "${registers[$level]}" ]]; then
    echo "ok   kernels use $widest"
  else
    echo "FAIL kernels use '$widest' instead of ${registers[$level]}"
    failed=1
  fi
  variables=(OXUR_LIB="$lib")
  ((${#runner[@]} == 0)) || variables+=(CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="${runner[*]}")
  # Code of one level is not to be found by another one's test, nor kept. Quick code has no vectors.
  env "${variables[@]}" UR_CPU_TIER=best UR_CPU_CACHE=off conformance/ur/run.sh ours-cpu -- "${options[@]}" || failed=1
done
exit "$failed"
