#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Implements `make demo`. For both generations of libsycl, dpnp and a SYCL C++ program that compiles its kernel at run time
# compute on our libraries in dist/. It shows which library serves the calls, and whether the results are right. It exits with 1
# if a result is wrong, a library is not ours, or an OpenCL driver is loaded although it should be hidden.
#
#   scripts/demo.sh [cpu|opencl|intel]
#
#   cpu      our CPU adapter; every OpenCL driver is hidden (the default)
#   opencl   our OpenCL adapter, over Intel's OpenCL CPU driver
#   intel    Intel's libraries, to compare with ours
set -euo pipefail
cd "$(dirname "$0")/.."

readonly work=$PWD/target/demo adapter=${1:-cpu}

die() { echo "demo: $*" >&2; exit 1; }

case $adapter in
  cpu | opencl) stack=(--stack ours --lib dist/lib --adapter "$adapter") ;;
  intel) stack=(--stack intel) ;;
  *) die "no adapter is called $adapter: cpu, opencl" ;;
esac
# on GENERATION COMMAND...: runs the command on the stack; fails unless the mapped libraries are the intended ones. The CPU
# adapter starts with an empty cache, so the demo shows a first run, with all its compilation.
on() {
  python3 conformance/suites/stack.py --generation "$1" "${stack[@]}" -- env UR_CPU_CACHE="$work/kernels" "${@:2}"
}

# The calls that libsycl made, from its own trace: the dozen most frequent, with their counts.
calls() { sed -nE 's/^ *---> (ur[A-Za-z]+).*/\1/p' | sort | uniq -c | sort -k1,1nr -k2 | sed -n '1,12s/^/  /p'; }

# Which files the ur* symbols came from, from the dynamic linker's log (LD_DEBUG=bindings). libsycl binds the functions of a
# loader; a loader binds the tables (ur...ProcAddrTable) of an adapter.
served_by() {
  sed -nE 's/.*binding file ([^ ]*) .* to ([^ ]*libur_[^ ]*) .*symbol `(ur[A-Za-z]+).*/\2 \3/p' "$1" |
    sed "s|$PWD/||" | sort -u |
    awk '{ if (!n[$1]++) first[$1] = $2; else if (n[$1] <= 3) first[$1] = first[$1] ", " $2 }
         END { for (file in n) printf "  %s: %d functions (%s, ...)\n", file, n[file], first[file] }' |
    sort
}

mkdir -p "$work"
for generation in 2026.1 2026.2; do
  rm -rf "$work/kernels"
  env=$PWD/target/env/v$generation
  hello=$work/hello-$generation
  log=$work/$generation.log

  printf '\n=== libsycl %s\n' "$generation"
  on "$generation" env SYCL_UR_TRACE=2 "$env/bin/python" scripts/demo.py >"$log" 2>"$log.trace" ||
    { tail -n 20 "$log" "$log.trace"; die "dpnp on $generation failed"; }
  # A trace may be on either stream.
  grep -vE '^ *(--->|<---)' "$log"
  echo "UR calls that dpnp made, the most frequent:"
  cat "$log" "$log.trace" | calls | grep . || die "SYCL_UR_TRACE=2 traced no call"

  # -w: the headers warn about their own deprecated parts.
  g++ -w -std=c++17 -I"$env/include" conformance/sycl/hello.cpp -o "$hello" -L"$env/lib" -lsycl
  on "$generation" env LD_DEBUG=bindings "$hello" >"$log" 2>"$log.bindings" ||
    { tail -n 20 "$log"; die "hello.cpp on $generation failed"; }
  echo "SYCL C++ (conformance/sycl/hello.cpp), its kernel compiled at run time:"
  grep -vE '^(stack|  )' "$log" | sed 's/^/  /'
  echo "UR functions by the library that serves them:"
  served_by "$log.bindings" | tee "$log.served"
  if [[ $adapter != intel ]]; then
    grep -q "^  dist/lib/libur_adapter_$adapter" "$log.served" || die "our adapter serves nothing"
    ! grep -v '^  dist/lib/' "$log.served" || die "a library that is not ours serves UR calls"
  fi
  rm -f "$log.bindings"
done
printf '\nAll results are right, and every UR library in use is %s.\n' "${stack[3]:-of the wheels}"
[[ $adapter != cpu ]] || echo "No OpenCL driver could be found, and none was loaded."
