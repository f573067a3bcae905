#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds dist/oxur_<version>_amd64.deb from dist/ (staged by `make dist`), with Debian's own tools: dpkg-shlibdeps knows
# the dependencies of the files, and dpkg-deb writes the same file for the same input. cargo-deb and nfpm would only add steps
# that are already done: building, and describing a single program.
#
#   /usr/lib/oxur/{bin,lib,include}     the tree of dist/, as Debian keeps each LLVM in a tree
#   /usr/bin/oxur                       a link into it
#   /usr/include/oxur/                  the headers; the tree has a link to them
#   /usr/lib/{cmake,pkgconfig}/         find_package and pkg-config search these after Debian's library folders
#   /usr/share/                         man pages, completions, user documentation
#
# No library is in a folder that the dynamic linker searches: libur_loader.so.0 and the adapters have the names of Intel's,
# and programs that were installed with those would load ours. There are no maintainer scripts.
set -euo pipefail
cd "$(dirname "$0")/../.."
source packaging/common.sh

readonly here=packaging/deb stage=target/deb deb=dist/oxur_${version}_amd64.deb
readonly tree=$stage/usr/lib/oxur doc=$stage/usr/share/doc/oxur
# The variables of Debian's tools.
readonly maintainer="${DEBFULLNAME:-The oxur project} <${DEBEMAIL:-oxur@localhost.invalid}>"

rm -rf "$stage"{,.work} dist/*.deb
mkdir -p "$tree" "$doc" "$stage"/usr/{bin,include/oxur,lib/{cmake,pkgconfig},share/{zsh/vendor-completions,lintian/overrides}}
cp -a dist/{bin,lib} "$tree"
cp -a dist/include/unified-runtime "$stage/usr/include/oxur"
ln -s ../../include/oxur "$tree/include"
ln -s ../lib/oxur/bin/oxur "$stage/usr/bin/oxur"

# CMake searches every folder whose name starts with that of the package. No other package uses this name.
ln -s ../oxur/lib/cmake/unified-runtime "$stage/usr/lib/cmake/unified-runtime-oxur"
# The installed tree does not move, so programs can record the path of the library.
# shellcheck disable=SC2016 # pkg-config expands it.
sed -e '/^# The tree can be moved/d' -e 's|^prefix=.*|prefix=/usr/lib/oxur|' \
  -e 's|^includedir=.*|includedir=/usr/include/oxur|' -e 's|^Libs: .*|& -Wl,-rpath,${libdir}|' \
  dist/lib/pkgconfig/unified-runtime.pc >"$stage/usr/lib/pkgconfig/unified-runtime.pc"
rm -r "$tree/lib/pkgconfig"
ln -s ../../pkgconfig "$tree/lib/pkgconfig"

cp -r dist/share/{bash-completion,fish,man} "$stage/usr/share"
cp dist/share/zsh/site-functions/_oxur "$stage/usr/share/zsh/vendor-completions/"

install -m 644 "${pages[@]}" CHANGELOG.md "$doc"
cp -r "$notices/sboms" "$doc"
{
  printf 'oxur %s\n\nThe oxur project wrote it, and gives it under this licence:\n\n' "$version"
  cat LICENSE
  printf '\n\n%s\n\n' "$(printf '=%.0s' {1..80})"
  cat "$notices/THIRD-PARTY-NOTICES"
} >"$doc/copyright"
printf 'oxur (%s) stable; urgency=medium\n\n  * CHANGELOG.md.gz says what is new.\n\n -- %s  %s\n' \
  "$version" "$maintainer" "$(date -uRd "@$SOURCE_DATE_EPOCH")" >"$doc/changelog"
find "$stage/usr/share/man" "$doc" -type f ! -name copyright ! -name '*.json' -exec gzip -9n {} +
install -m 644 "$here/lintian-overrides" "$stage/usr/share/lintian/overrides/oxur"

# Libraries need not be executable. The modes of all other files may depend on the umask.
find "$stage" -type f -name '*.so*' -exec chmod a-x {} +
chmod -R u+rw,go=rX "$stage"
find "$stage" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +

# dpkg-shlibdeps needs a source package, and one that is about to be built.
mkdir -p "$stage/DEBIAN" "$stage.work/debian"
printf 'Source: oxur\n\nPackage: oxur\nArchitecture: amd64\n' >"$stage.work/debian/control"
# liboxur_onemkl.so needs the libsycl of the program that loads it, which no package of Debian has.
mapfile -t files < <(find "$tree"/{bin,lib} -type f \( -name '*.so*' -o -path '*/bin/*' \) ! -name liboxur_onemkl.so | sort)
depends=$(cd "$stage.work" && dpkg-shlibdeps -O "${files[@]/#/../../}" | sed -n 's/^shlibs:Depends=//p')
[[ -n $depends ]] || die "dpkg-shlibdeps finds no dependency"
rm -r "$stage.work"

size=$(du --apparent-size -sk "$stage/usr" | cut -f 1)
sed -e "s/@VERSION@/$version/" -e "s/@MAINTAINER@/$maintainer/" -e "s/@DEPENDS@/$depends/" -e "s/@SIZE@/$size/" \
  "$here/control.in" >"$stage/DEBIAN/control"
(cd "$stage" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$stage/DEBIAN/md5sums"
# Higher levels take a minute longer to save a sixth. With more threads, the file would depend on the machine's number of CPUs.
dpkg-deb --root-owner-group --threads-max=1 -Zxz -z1 --build "$stage" "$deb" >/dev/null
rm -r "$stage"
awk -v name="$deb" -v size="$(stat -c %s "$deb")" 'BEGIN { printf "deb: %s, %.1f MB\n", name, size / 1e6 }'
