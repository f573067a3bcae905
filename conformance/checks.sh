# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# Checks of the shell tests, to be sourced.

checks_passed=0 checks_failed=0

# check WHAT COMMAND...: counts whether the command succeeds. When it does not, the end of its output is shown.
check() {
  local what=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "ok   $what"
    checks_passed=$((checks_passed + 1))
  else
    printf 'FAIL %s\n%s\n' "$what" "$(tail -n 30 <<<"$output")"
    checks_failed=$((checks_failed + 1))
  fi
}

# Prints the counts. Fails if a check did.
end_checks() {
  echo "$checks_passed passed, $checks_failed failed"
  ((checks_failed == 0))
}
