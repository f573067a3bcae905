#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Implements `make lint`: formatting, clippy, and cargo-deny with deny.toml.
set -euo pipefail
cd "$(dirname "$0")/.."

# cargo-deny checks for yanked crates only if it has an advisory database. Without network (see deny.toml) this function
# creates one with a single advisory, for a crate that does not exist. It leaves a real one alone, if it was fetched.
placeholder_database() {
  local database=target/advisory-dbs/advisory-db-3157b0e258782691 # the name that cargo-deny derives for RustSec's
  if [[ -d $database ]] && git -C "$database" remote get-url origin >/dev/null 2>&1; then return; fi
  local advisory=$database/crates/oxur-placeholder/RUSTSEC-2026-9999.md
  rm -rf "$database"
  mkdir -p "${advisory%/*}"
  cat >"$advisory" <<'ADVISORY'
```toml
[advisory]
id = "RUSTSEC-2026-9999"
package = "oxur-placeholder"
date = "2026-01-01"

[versions]
patched = []
```

# Placeholder

Stands in for a database that cannot be fetched.
ADVISORY
  git init -q -b main "$database"
  git -C "$database" add .
  git -C "$database" -c user.name=lint -c user.email=lint@localhost commit -q --no-verify -m placeholder
  touch "$database/.git/FETCH_HEAD"
}

# The fuzz crate of the CPU adapter is built from the adapter's sources, and by nothing in CI. It must list what these depend on.
dependencies() { sed -n '/^\[dependencies\]/,/^\[[^d]/p' "$1" | sed -nE 's/^([a-z0-9_-]+)[ .].*/\1/p' | sort; }
missing=$(comm -23 <(dependencies adapters/cpu/Cargo.toml) <(dependencies adapters/cpu/fuzz/Cargo.toml))
if [[ -n $missing ]]; then
  echo "lint: adapters/cpu/fuzz/Cargo.toml lacks dependencies of the adapter:" $missing >&2
  exit 1
fi

# Faults are edits of the compiler's sources, which have to be there.
python3 conformance/mutations/run.py --list >/dev/null

cargo fmt --all --check
cargo clippy --workspace --all-targets --locked -- -D warnings

# --offline below needs every crate on this machine, including those of other platforms.
cargo fetch --locked
placeholder_database
cargo deny --offline check
