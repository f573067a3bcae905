#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# llama.cpp's SYCL backend on our loader and CPU adapter, against its own CPU backend: test.sh [DIST/lib]
# PYTHON names a Python 3.12 or newer. What it installs takes 3 GB in target/env/llama.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
lib=$(realpath "${1:-$root/dist/lib}")
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
cc -shared -fPIC -O1 -Wall -o "$work/pass_for_gpu.so" pass_for_gpu.c -ldl

for kind in F32 F16; do
  "$env/bin/python" model.py "$work/$kind.gguf" "$kind"
  echo "$kind:"
  env LD_LIBRARY_PATH="$lib:$env/lib" UR_ADAPTERS_FORCE_LOAD="$lib/libur_adapter_cpu.so.0" \
    OCL_ICD_VENDORS=/nonexistent ONEAPI_DEVICE_SELECTOR='opencl:*' LD_PRELOAD="$work/pass_for_gpu.so" \
    "$env/bin/python" infer.py "$work/$kind.gguf" >"$work/$kind.log" 2>&1 || { tail -n 30 "$work/$kind.log"; exit 1; }
  grep 'of .* tokens' "$work/$kind.log"
done
