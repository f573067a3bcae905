#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests the corpus tool itself, without any corpus.
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/setup.sh corpus
exec target/env/corpus/bin/python -m unittest discover -s conformance/corpus "$@"
