#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# llama.cpp's SYCL backend on our loader and CPU adapter, by `oxur run --as-gpu`, against its own CPU backend:
# test.sh [DIST/lib]
#
# OXUR names the command, by default that of DIST/bin; PYTHON a Python 3.12 or newer. What is installed takes 3 GB in
# target/env/llama.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
lib=$(realpath "${1:-$root/dist/lib}")
oxur=$(realpath "${OXUR:-$lib/../bin/oxur}")
cd "$root/conformance/llama"
env=$root/target/env/llama
work=$root/target/llama
mkdir -p "$work"

if ! cmp -s requirements.txt "$env/.stamp"; then
  "${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 12))' ||
    { echo "test.sh: the wheel is for Python 3.12 or newer: name one in PYTHON" >&2; exit 1; }
  "${PYTHON:-python3}" -m venv --clear "$env"
  "$env/bin/python" -m pip install -q --no-deps --retries 10 --progress-bar off -r requirements.txt
  cp requirements.txt "$env/.stamp"
fi

for kind in F32 F16; do
  "$env/bin/python" model.py "$work/$kind.gguf" "$kind"
  echo "$kind:"
  env OXUR_LIB="$lib" OCL_ICD_VENDORS=/nonexistent ONEAPI_DEVICE_SELECTOR='opencl:*' \
    "$oxur" run --as-gpu -- "$env/bin/python" infer.py "$work/$kind.gguf" >"$work/$kind.log" 2>&1 ||
    { tail -n 30 "$work/$kind.log"; exit 1; }
  grep -q "LD_PRELOAD=$lib/" "$work/$kind.log" || { echo "test.sh: $oxur has other libraries than $lib" >&2; exit 1; }
  grep 'of .* tokens' "$work/$kind.log"
done
