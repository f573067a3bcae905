# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the libraries come from: installed in the client environment, or a wheel that pip fetches."""

import csv
import mmap
import re
import subprocess
import sys
import tomllib
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

HERE = Path(__file__).resolve().parent
REPO = HERE.parents[1]
CORPUS = REPO / "target" / "corpus"
WHEELS = CORPUS / "wheels"
ENVIRONMENTS = REPO / "target" / "env"
PYTHON = "3.11"  # whose wheels are fetched


@dataclass
class Library:
    name: str
    package: str
    group: str
    python: str = PYTHON
    environment: str = "v2026.2"  # the one of target/env that may have the package installed
    slow: tuple = ()  # modules that no sample has
    version: str = ""

    @property
    def stem(self):
        """How the names of the wheel and of the .dist-info folder start."""
        return f"{re.sub(r'[-_.]+', '_', self.package)}-{self.version}"

    @property
    def folder(self):
        return CORPUS / self.name

    @property
    def index(self):
        return self.folder / "index.json"


def configuration():
    """(libraries by name, goals by group, what the compiler leaves out)"""
    content = tomllib.loads((HERE / "libraries.toml").read_text(encoding="utf-8"))
    lines = (REPO / "requirements" / "corpus.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    libraries = {name: Library(name, **entry) for name, entry in content["libraries"].items()}
    for library in libraries.values():
        library.version = pins[library.package]
    return libraries, content["goals"], content["beyond"]


@contextmanager
def shared_objects(library):
    """The library's shared objects, each as (path in the package, function that returns the content)."""
    site = ENVIRONMENTS / library.environment / "lib" / f"python{PYTHON}" / "site-packages"
    record = site / f"{library.stem}.dist-info" / "RECORD"
    if record.is_file():
        with record.open(newline="", encoding="utf-8") as file:
            paths = sorted(row[0] for row in csv.reader(file))
        yield [(_in_package(path), _mapped(site / path)) for path in paths if _is_shared_object(path)]
        return
    wheel = _wheel(library) or _fetch(library)
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(name for name in archive.namelist() if _is_shared_object(name))
        yield [
            (re.sub(r"^[^/]*\.data/(data|platlib|purelib)/", "", name), lambda name=name: archive.read(name))
            for name in names
        ]


def _is_shared_object(path):
    return ".so" in PurePosixPath(path).suffixes


def _in_package(path):
    """The path in the wheel of a file that is installed at `path`, from site-packages; .data/data of it is the root."""
    outside = path.removeprefix("../../../")
    return outside if outside != path else re.sub(r"^\.\./\.\./", "lib/", path)


def _mapped(path):
    def content():
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    return content


def _wheel(library):
    return next(iter(sorted(WHEELS.glob(f"{library.stem}-*.whl"))), None)


def _fetch(library):
    print(f"fetching {library.package} {library.version}", flush=True)
    WHEELS.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "--retries", "10"]
    command += ["--progress-bar", "off", "--python-version", library.python, "-d", str(WHEELS)]
    subprocess.run([*command, f"{library.package}=={library.version}"], check=True)
    if not (wheel := _wheel(library)):
        raise SystemExit(f"pip fetched no wheel of {library.package} {library.version}")
    return wheel
