#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what the build, the tests and the demo need. It does nothing for parts that are already there.
#
#   scripts/setup.sh [PART...]     all parts if none is named
#
#   system   Debian packages (as root or by sudo), and a look at the Rust toolchain
#   clients  the two client environments target/env/v2026.{1,2}: libsycl, Intel's OpenCL CPU driver, dpctl, dpnp
#   level-zero-clients
#            target/env/level-zero-clients: programs that use Level Zero without SYCL, on top of a client environment
#            (when named only)
#   open3d, cycles, sklearnex, onednn
#            target/env/<name>: real programs that conformance/clients runs (when named only); the last two are on top of
#            a client environment
#   ggml     target/env/ggml: llama.cpp, whisper.cpp and stable-diffusion.cpp, which conformance/clients also runs (when named
#            only; 3 GB; needs Python 3.12 or newer, which PYTHON may name)
#   level-zero  Level Zero's headers, target/env/level-zero/include/level_zero: the build needs them
#   level-zero-runtime  target/env/level-zero: Level Zero loaders for tests (lib/ has the newest, loader-1.8/ that of
#            Debian 12), and Intel's driver (intel-gpu/)
#   headers  the reference's headers, target/env/headers/<version>/ (and the clients, whose pip fetches them)
#   corpus   target/env/corpus: reads the corpus of kernels (conformance/corpus), which fetches the rest itself
#   sycl-spec  target/env/sycl-spec: computes the expected results of SYCL's functions (conformance/sycl/spec)
#   nvptx    target/env/nvptx: NVIDIA's PTX assembler and its mathematical functions, for the tests of the compiler's
#            second target
#   piglit   target/env/piglit: Piglit's tests of OpenCL C, from Debian 12 (when named only)
#   nextest  cargo-nextest, if missing: into target/tools
#   deny     cargo-deny, if missing: into target/tools
#   fuzz     cargo-fuzz, if missing: into target/tools (when named only)
#   third-party  cargo-about and cargo-cyclonedx, if missing: into target/tools (when named only)
#   wheel    target/env/wheel: builds and checks the wheel (when named only)
#   packages Debian packages for the tests of the tarball and the .deb (when named only)
#   qemu     qemu-user, which emulates other processors for tests (when named only)
#   rust-src the source of the standard library, through rustup (when named only)
#   miri     Miri and the nightly toolchain that it needs, through rustup (when named only)
set -euo pipefail
cd "$(dirname "$0")/.."

readonly packages=(build-essential ca-certificates clang clang-14 clang-22 cmake g++ libclang1-22 libstdc++-12-dev llvm-spirv-14
  libpolly-22-dev libxml2-dev libzstd-dev llvm-22-dev llvm-22-tools spirv-tools zlib1g-dev
  ocl-icd-libopencl1 libusb-1.0-0 pkg-config
  pocl-opencl-icd python3 python3-dev python3-pip python3-venv)
readonly tools=$PWD/target/tools
readonly nextest_version=0.9.143 deny_version=0.20.2 fuzz_version=0.13.2 about_version=0.9.3 cyclonedx_version=0.5.9

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# debian NAME...: installs the packages that are missing.
debian() {
  local missing=() name
  for name; do
    dpkg-query -W -f '${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
  done
  ((${#missing[@]})) || return 0
  local root=()
  if ((EUID)); then
    command -v sudo >/dev/null || die "not root, and no sudo. As root: apt-get install ${missing[*]}"
    root=(sudo)
  fi
  say "apt-get install ${missing[*]}"
  "${root[@]}" apt-get update -q
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null
}

system() {
  command -v cargo >/dev/null || die "cargo is missing: install Rust (1.95 or newer) with rustup, with clippy and rustfmt"
  command -v dpkg-query >/dev/null || die "this is no Debian: install by hand what these packages hold: ${packages[*]}"
  debian "${packages[@]}"
}

packages() { debian debootstrap lintian zstd; }
qemu() { debian qemu-user; }

# private_apt SUITE: sets up `suite_apt`, which runs apt on another suite of Debian, in its own folder. The system's package
# lists do not change, and nothing is installed.
private_apt() {
  local suite=$1 mirror
  # The system's mirror of Debian itself, not of security updates or other sources.
  mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
    sed -nE '/^Debian .*\/debian\/?$/{s/^Debian //p;q}')
  suite_root=$PWD/target/env/apt/$suite
  mkdir -p "$suite_root"/{state/lists/partial,cache/archives/partial}
  : >"$suite_root/status"
  printf '%s [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
    deb "${mirror:-https://deb.debian.org/debian}" "$suite" >"$suite_root/sources.list"
  suite_options=(-q -o Dir::State="$suite_root/state" -o Dir::State::status="$suite_root/status"
    -o Dir::Cache="$suite_root/cache" -o Dir::Etc::sourcelist="$suite_root/sources.list" -o Dir::Etc::sourceparts=-
    -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
    -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false -o APT::Sandbox::User=root -o Acquire::Retries=3)
  apt-get "${suite_options[@]}" update >"$suite_root/log" 2>&1 ||
    { cat "$suite_root/log" >&2; die "Debian's $suite cannot be read"; }
}

# unpack TARGET NAME...: downloads packages of private_apt's suite, and unpacks them into a folder.
unpack() {
  local target=$1 archive
  rm -rf "$suite_root/debs"
  mkdir -p "$suite_root/debs" "$target"
  (cd "$suite_root/debs" && apt-get "${suite_options[@]}" download "${@:2}" >../log 2>&1) ||
    { cat "$suite_root/log" >&2; die "packages of Debian cannot be downloaded: ${*:2}"; }
  for archive in "$suite_root"/debs/*.deb; do dpkg-deb -x "$archive" "$target"; done
}

# Only the tests of OpenCL C are kept: those of OpenGL and Vulkan are 2 GB.
piglit() {
  local env=target/env/piglit part
  [[ -f $env/.complete ]] && return
  say "$env: unpacking Piglit's tests of OpenCL C"
  rm -rf "$env"
  private_apt bookworm
  unpack "$env/unpacked" piglit
  for part in tests generated_tests; do
    mkdir "$env/$part"
    mv "$env/unpacked"/usr/lib/*/piglit/"$part"/cl "$env/$part/"
  done
  rm -rf "$env/unpacked" target/env/apt
  touch "$env/.complete"
}

# at_least OLDEST VERSION
at_least() { printf '%s\n%s\n' "$1" "$2" | sort -VC; }

readonly level_zero_api=1.17

# Level Zero's headers, from Debian's sid: those of Debian 12 are four years older.
level-zero() {
  local env=target/env/level-zero stamp=target/env/level-zero/.headers version
  local api_version='s/.*ZE_API_VERSION_CURRENT = ZE_MAKE_VERSION\( *([0-9]+), *([0-9]+) *\).*/\1.\2/p'
  [[ -d $env/include && -f $stamp ]] && at_least "$level_zero_api" "$(<"$stamp")" && return
  say "$env/include: unpacking libze-dev of Debian's sid"
  private_apt sid
  rm -rf "$env/libze-dev"
  unpack "$env/libze-dev" libze-dev
  version=$(sed -nE "$api_version" "$env/libze-dev/usr/include/level_zero/ze_api.h")
  at_least "$level_zero_api" "$version" ||
    die "Debian's sid has headers of Level Zero $version; $level_zero_api is needed"
  rm -rf "$env/include"
  mv "$env/libze-dev/usr/include" "$env/include"
  rm -rf "$env/libze-dev" target/env/apt
  echo "$version" >"$stamp"
}

# Two loaders of Level Zero, and Intel's driver, which runs without a GPU. They are in separate folders: in a shared one, the
# driver's search would find the loader of another version.
level-zero-runtime() {
  local env=target/env/level-zero target
  [[ -f $env/.runtime ]] && return
  [[ $(uname -m) == x86_64 ]] || die "Intel's driver for Level Zero is for x86-64 only"
  say "$env: unpacking loaders and Intel's driver"
  rm -rf "$env"/{lib,loader-1.8,intel-gpu,unpacked}
  private_apt sid
  unpack "$env/unpacked/lib" libze1
  private_apt bookworm
  unpack "$env/unpacked/loader-1.8" libze1
  unpack "$env/unpacked/intel-gpu" intel-opencl-icd libigc1 libigdfcl1 libigdgmm12 libopencl-clang14 libllvmspirvlib14
  for target in lib loader-1.8 intel-gpu; do
    mkdir "$env/$target"
    mv "$env/unpacked/$target"/usr/lib/*/lib*.so* "$env/$target/"
  done
  rm -rf "$env/unpacked" target/env/apt
  # Sid's loader is built for a newer C library than Debian 12 has.
  "$(python)" scripts/older_libc.py "$env"/lib/*.so.1.*
  touch "$env/.runtime"
}

# The Python of the environments: the references were recorded with 3.11, and conformance/ needs at least that.
python() {
  local found
  found=$(command -v python3.11 || command -v python3) || die "python3 is missing"
  "$found" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || die "$found is older than Python 3.11"
  echo "$found"
}

# up_to_date STAMP FILE: whether STAMP was written for this content of FILE.
up_to_date() { [[ -f $1 && $(<"$1") == "$(sha256sum <"$2")" ]]; }
stamp() { sha256sum <"$2" >"$1"; }

clients() {
  local generation requirements env python
  for generation in 2026.1 2026.2; do
    requirements=requirements/v$generation.txt
    env=target/env/v$generation
    up_to_date "$env/.stamp" "$requirements" && continue
    say "$env: installing $requirements (about 3 GB on disk)"
    if ! "$env/bin/python" -m pip --version >/dev/null 2>&1; then
      python=$(python)
      "$python" -m venv --clear "$env"
    fi
    # The file lists every package, so pip need not resolve dependencies.
    "$env/bin/python" -m pip install -q --no-deps --retries 10 --progress-bar off -r "$requirements"
    stamp "$env/.stamp" "$requirements"
  done
}

headers() {
  local requirements=requirements/headers.txt env=target/env/headers requirement version
  up_to_date "$env/.stamp" "$requirements" && return
  clients
  local python=target/env/v2026.2/bin/python wheels
  wheels=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$wheels'" EXIT
  grep -v '^#' "$requirements" | while read -r requirement; do
    version=${requirement#*==}
    say "$env/$version: unpacking $requirement"
    "$python" -m pip download -q --no-deps --only-binary :all: --retries 10 --progress-bar off \
      -d "$wheels/$version" "$requirement"
    "$python" - "$wheels/$version" "$env/$version" <<'PYTHON'
import sys, zipfile
from pathlib import Path

(wheel,), target = Path(sys.argv[1]).glob("*.whl"), Path(sys.argv[2])
target.mkdir(parents=True, exist_ok=True)
with zipfile.ZipFile(wheel) as archive:
    found = [name for name in archive.namelist() if "/include/unified-runtime/" in name and not name.endswith("/")]
    for name in found:
        (target / Path(name).name).write_bytes(archive.read(name))
sys.exit(0 if found else f"{wheel} holds no include/unified-runtime")
PYTHON
    rm -rf "${wheels:?}/$version"
  done
  stamp "$env/.stamp" "$requirements"
}

# small NAME REQUIREMENTS: an environment of a few packages.
small() {
  local requirements=$2 env=target/env/$1
  up_to_date "$env/.stamp" "$requirements" && return
  say "$env: installing $requirements"
  "$env/bin/python" -m pip --version >/dev/null 2>&1 || "$(python)" -m venv --clear "$env"
  "$env/bin/python" -m pip install -q --no-deps --retries 10 --progress-bar off -r "$requirements"
  stamp "$env/.stamp" "$requirements"
}

corpus() { small corpus requirements/corpus-tool.txt; }
nvptx() { small nvptx requirements/nvptx.txt; }
sycl-spec() { small sycl-spec requirements/sycl-spec.txt; }

# over NAME BASE: an environment with a program's packages on top of a client environment, whose packages it sees.
over() {
  clients
  small "$1" "requirements/$1.txt"
  "target/env/$1/bin/python" - "$PWD/target/env/$2" <<'PYTHON'
import sys, sysconfig
from pathlib import Path

(base,) = Path(sys.argv[1]).glob("lib/python3*/site-packages")
Path(sysconfig.get_path("purelib"), "base.pth").write_text(f"{base}\n")
PYTHON
}

open3d() { small open3d requirements/open3d.txt; }
sklearnex() { over sklearnex v2026.2; }
onednn() { over onednn v2026.1; }
level-zero-clients() { over level-zero-clients v2026.2; }
cycles() { small cycles requirements/cycles.txt; }

# Its wheel is for Python 3.12 or newer, which Debian 12 does not have.
ggml() {
  local requirements=requirements/ggml.txt env=target/env/ggml found
  up_to_date "$env/.stamp" "$requirements" && return
  found=$(command -v "${PYTHON:-python3.12}" || command -v python3.13 || command -v python3) || die "python3 is missing"
  "$found" -c 'import sys; sys.exit(sys.version_info < (3, 12))' ||
    die "$found is older than Python 3.12, which llama.cpp's wheel needs: name another in PYTHON"
  say "$env: installing $requirements (about 3 GB on disk)"
  "$found" -m venv --clear "$env"
  "$env/bin/python" -m pip install -q --no-deps --retries 10 --progress-bar off -r "$requirements"
  stamp "$env/.stamp" "$requirements"
}

# cargo_tool NAME VERSION [OPTION...]: any installed version will do; the one that we install is pinned. They run for seconds, so to
# optimize them takes longer than it saves. They share what they are built of.
cargo_tool() {
  PATH=$tools/bin:$PATH cargo "${1#cargo-}" --version >/dev/null 2>&1 && return
  say "cargo install $1 $2 (some minutes)"
  CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
    cargo install -q --locked --root "$tools" --target-dir "$tools/build" --version "$2" "${@:3}" "$1"
}

nextest() { cargo_tool cargo-nextest "$nextest_version"; }
deny() { cargo_tool cargo-deny "$deny_version"; }
fuzz() { cargo_tool cargo-fuzz "$fuzz_version"; }

wheel() { small wheel requirements/wheel.txt; }

third-party() {
  # It compares texts of licences for a minute, with these.
  local crate options=()
  for crate in cargo-about spdx regex-automata unicode-normalization; do
    options+=(--config "profile.release.package.$crate.opt-level=3")
  done
  cargo_tool cargo-about "$about_version" --features cli "${options[@]}"
  cargo_tool cargo-cyclonedx "$cyclonedx_version"
}

rust-src() {
  [[ -e $(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock ]] && return
  say "rustup component add rust-src"
  rustup component add rust-src
}

miri() {
  cargo +nightly miri --version >/dev/null 2>&1 && return
  say "rustup toolchain install nightly, with Miri"
  rustup toolchain install nightly --profile minimal --component miri,rust-src
}

(($#)) || set -- system level-zero level-zero-runtime clients headers corpus sycl-spec nvptx nextest deny
mkdir -p target/env
# One setup at a time: two would write the same folders.
exec 9>target/env/.lock
flock 9
for part; do
  case $part in
    system | level-zero | level-zero-runtime | level-zero-clients | clients | headers | corpus | sycl-spec | nvptx | piglit | nextest | deny | fuzz | third-party | wheel | packages | qemu | rust-src | miri | open3d | sklearnex | onednn | cycles | ggml) "$part" ;;
    *) die "no part is called $part" ;;
  esac
done
