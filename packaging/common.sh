# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# Shared by the scripts that build packages. They run at the root of the repository, and package the contents of dist/.

die() { printf '%s: %s\n' "$(basename "$(dirname "$0")")" "$*" >&2; exit 1; }

# All dates are the commit's, so that the same commit gives the same package.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8
umask 022

version=$(sed -n '/^\[workspace\.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
readonly version
[[ -n $version ]] || die "Cargo.toml names no version"
[[ -f dist/lib/libur_loader.so.$version ]] || die "dist/ does not hold version $version: run \`make dist\`"
readonly notices=target/third-party
[[ -f $notices/THIRD-PARTY-NOTICES ]] || die "$notices is missing: run \`make third-party\`"

# The user documentation, and the pages that it links to.
# shellcheck disable=SC2034
readonly pages=(docs/{compiler,cuda,environment,faq,known-issues,level-zero,optimizations,performance,support,users}.md)
