# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collects the notices for third-party code in the packages: THIRD-PARTY-NOTICES and the CycloneDX files of sboms/.

    third_party.py FOLDER

cargo-about and cargo-cyclonedx cover the crates. The other statically linked libraries come from Debian packages, whose
copyright files contain their licences.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TARGET = "x86_64-unknown-linux-gnu"

# The crates whose programs and libraries we ship.
CRATES = (
    "adapters/cpu", "adapters/cuda", "adapters/level_zero", "adapters/opencl", "as-gpu/preload", "compiler",
    "drivers/level_zero", "drivers/libopencl", "loader", "tools",
)

# Static libraries: their Debian packages, and licences as SPDX has them. Polly is part of LLVM's source package.
LIBRARIES = {
    "LLVM": ("llvm-22-dev", "Apache-2.0 WITH LLVM-exception"),
    "zlib": ("zlib1g-dev", "Zlib"),
    "Zstandard": ("libzstd-dev", "BSD-3-Clause"),
}


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def shipped_crates():
    """The crates of others that are linked into what we ship."""
    tree = ["cargo", "tree", "--offline", "--locked", "--edges", "normal", "--target", TARGET, "--prefix", "none"]
    lines = [line for crate in CRATES for line in output(*tree, f"--manifest-path={crate}/Cargo.toml").splitlines()]
    # Name, and version behind a `v`. Ours have a path.
    return {" ".join(line.split()[:2]).replace(" v", " ", 1) for line in lines if line and f"({ROOT}" not in line}


def crate_licences():
    """Texts of licences, and the crates that each is for."""
    texts, shipped = {}, shipped_crates()
    # One run for all crates of the workspace: for each of ours by itself it would read the files of all dependencies again.
    about = ["cargo", "about", "generate", "--workspace", "--fail", "--offline", "--locked", "--format", "json"]
    for licence in json.loads(output(*about, "-c", str(HERE / "about.toml")))["licenses"]:
        names = {f"{use['crate']['name']} {use['crate']['version']}" for use in licence["used_by"]} & shipped
        if names:
            texts.setdefault((licence["name"], licence["text"].strip()), set()).update(names)
    missing = shipped.difference(*texts.values())
    if missing:
        sys.exit(f"third_party: cargo-about has no licence of {', '.join(sorted(missing))}")
    return sorted(texts.items(), key=lambda item: (item[0][0], sorted(item[1])))


def notices():
    parts = ["oxur contains software of others, under the licences below."]
    for name, (package, _) in LIBRARIES.items():
        text = Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
        parts.append(f"{name}\n\n{text.strip()}")
    for (name, text), crates in crate_licences():
        parts.append(f"{name}, for the crates {', '.join(sorted(crates))}\n\n{text}")
    return f"\n\n{'=' * 80}\n\n".join(parts) + "\n"


def sbom_name(crate):
    return f"oxur-{str(crate).replace('/', '-')}.cdx.json"


def sboms():
    """The name and text of each SBOM."""
    options = ["--quiet", "--format", "json", "--spec-version", "1.5", "--target", TARGET]
    output("cargo", "cyclonedx", *options, "--describe", "binaries", "--no-build-deps")
    found = {}
    # It writes one file next to each Cargo.toml, for all crates of the workspace.
    for path in ROOT.glob("**/*.cdx.json"):
        folder = path.parent.relative_to(ROOT)
        if str(folder) in CRATES:
            found[sbom_name(folder)] = path.read_text().replace(f"file://{ROOT}", "file://.")
        if folder.parts[0] != "target":
            path.unlink()
    missing = {sbom_name(crate) for crate in CRATES} - found.keys()
    if missing:
        sys.exit(f"third_party: cargo-cyclonedx wrote no {', '.join(sorted(missing))}")
    components = []
    for name, (package, licence) in LIBRARIES.items():
        source, version = output("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package).split()
        purl = f"pkg:deb/debian/{source}@{version}?arch=source"
        components.append(
            {"type": "library", "name": name, "version": version, "licenses": [{"expression": licence}], "purl": purl}
        )
    rust = output("rustc", "--version").split()[1]
    components.append(
        {"type": "library", "name": "std", "version": rust, "licenses": [{"expression": "MIT OR Apache-2.0"}]}
    )
    linked = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": components}
    found["linked-libraries.cdx.json"] = json.dumps(linked, indent=2)
    return found


def main():
    folder = Path(sys.argv[1])
    # cargo-cyclonedx uses it as the time, and omits its random serial number.
    os.environ.setdefault("SOURCE_DATE_EPOCH", output("git", "log", "-1", "--format=%ct").strip())
    # Both read every crate of Cargo.lock, including those of other platforms.
    output("cargo", "fetch", "--quiet", "--locked")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "sboms").mkdir(parents=True)
    for name, text in sboms().items():
        (folder / "sboms" / name).write_text(text)
    (folder / "THIRD-PARTY-NOTICES").write_text(notices())


if __name__ == "__main__":
    main()
