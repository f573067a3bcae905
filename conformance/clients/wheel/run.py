#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs the wheel as a user does, into a copy of a client's environment, and checks that SYCL programs find its device
with nothing to configure; that selectors, OXUR_CPU and other drivers have their say; and that nothing is left of it when it
is uninstalled. nvidia.py does the same with the package oxur-cuda.

    run.py --generation 2026.2                  a copy of target/env/v2026.2
    run.py --fresh 2026.0                       a new environment from PyPI, with Intel's packages of this release (3 GB)
    run.py --environment FOLDER                 a copy of any other that has dpnp

Drivers that the machine has registered are hidden by a mount namespace of the test's own, so that no variable is set but
those that a check names. Exit status: 0 when all is as it should be, else 1.
"""

import argparse
import ast
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median

import nvidia

REPO = Path(__file__).resolve().parents[3]
WORK = REPO / "target" / "wheel-test"
DRIVERS = Path("/etc/OpenCL")
OURS, INTELS, POCLS = "oxur CPU", "Intel(R) OpenCL", "Portable Computing Language"
# How much longer listing the devices may take, and how often it is tried.
MOST_MS, TRIES = 5.0, 40

ARANGE = "import dpnp; x = dpnp.arange(10); print(x.sum(), x.device)"
TYPES = "import dpctl; print([(d.is_gpu, d.is_cpu) for d in dpctl.get_devices()])"
PLATFORMS = "import dpctl; print([d.sycl_platform.name for d in dpctl.get_devices()])"
DEFAULT = "import dpctl; print(dpctl.select_default_device().sycl_platform.name)"
MAPPED = "print(sorted({l.split()[-1] for l in open('/proc/self/maps') if '/libur_' in l}))"
DEVICES = "import dpctl; dpctl.get_devices()"
# Looks like a machine with a GPU of Intel's.
LEVEL_ZERO = (
    "import os; real = os.path.exists; "
    "os.path.exists = lambda path: path in ('/dev/dri', '/usr/lib64/libze_loader.so.1') or real(path)"
)
# oneMKL calls OpenCL on native handles for a matrix of this size.
INVERSE = """
import dpnp, numpy
a = numpy.random.default_rng(1).random((300, 300))
print(numpy.allclose(dpnp.asnumpy(dpnp.linalg.inv(dpnp.array(a))), numpy.linalg.inv(a)))
"""

PINNED = ["dpcpp-cpp-rt", "intel-sycl-rt", "intel-cmplr-lib-ur", "intel-opencl-rt", "mkl"]
PINNED += [f"onemkl-sycl-{name}" for name in ("blas", "dft", "lapack", "rng", "vm")]


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def equal(self, what, is_, should):
        if is_ == should:
            self.passed += 1
            print(f"ok   {what}", flush=True)
        else:
            self.failed += 1
            print(f"FAIL {what}\n  is     {is_}\n  should {should}", flush=True)


class Environment:
    """A Python environment."""

    def __init__(self, folder):
        self.folder = folder
        self.python = folder / "bin" / "python"
        self.lib = folder / "lib"
        # Whether it sees what the machine has registered.
        self.sees_drivers = False

    def copy(self, folder):
        """A copy by hard links: pip replaces files and never writes into one. Python may write bytecode there meanwhile, by files that
        get their names once they are complete."""
        incomplete = shutil.ignore_patterns("*.pyc.*")
        shutil.copytree(self.folder.resolve(), folder, symlinks=True, ignore=incomplete, copy_function=os.link, dirs_exist_ok=True)
        return Environment(folder)

    @property
    def packages(self):
        return next(self.lib.glob("python3*/site-packages"))

    @property
    def driver(self):
        return {"OCL_ICD_FILENAMES": str(self.lib / "libintelocl.so")}

    @property
    def has_own_loader(self):
        """Whether libsycl has a loader inside, as from 2026.2 on."""
        return b"libur_loader.so.0\0" not in next(self.lib.glob("libsycl.so.[0-9]")).read_bytes()

    @property
    def has_known_tables(self):
        """Whether our adapters know the tables of its loader, as from 2026.0 on."""
        loader = self.lib / "libur_loader.so.0"
        return self.has_own_loader or b"urGetGraphExpProcAddrTable\0" in loader.read_bytes()

    def pip(self, *arguments):
        command = [self.python, "-m", "pip", "--disable-pip-version-check", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def run(self, *command, **variables):
        """What a command says, or how it fails."""
        steering = ("UR_", "SYCL_", "ONEAPI_", "OCL_", "OXUR_", "LD_", "PYTHON", "VIRTUAL_ENV")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
        result = subprocess.run(
            [*([] if self.sees_drivers else hidden_drivers()), *map(str, command)],
            env=kept | variables,
            check=False,
            capture_output=True,
            text=True,
            timeout=1200,
        )
        said = result.stdout.strip()
        return said if result.returncode == 0 else f"{said} exit {result.returncode}: {result.stderr.strip()[-500:]}"

    def says(self, code, *options, **variables):
        return self.run(self.python, *options, "-c", code, **variables)

    def files(self):
        """All files but what Python compiles, with what tells that they were changed."""
        found = {}
        for path in self.folder.rglob("*"):
            if "__pycache__" not in path.parts:
                status = path.lstat()
                found[path] = "folder" if path.is_dir() else (status.st_ino, status.st_mtime_ns, status.st_size)
        return found


def hidden_drivers():
    if not DRIVERS.exists():
        return []
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", "--mount", *user, "sh", "-c", f'mount -t tmpfs none {DRIVERS} && exec "$@"', "sh"]


def fresh(release):
    print(f"installing dpnp on Intel's packages of {release} from PyPI", flush=True)
    environment = Environment(WORK / "fresh")
    subprocess.run([sys.executable, "-m", "venv", environment.folder], check=True)
    environment.pip("install", "dpnp", *(f"{name}=={release}.*" for name in PINNED))
    return environment


def devices(checks, env):
    """Everything that an environment with the wheel promises."""
    platforms, driver = (lambda *o, **v: env.says(PLATFORMS, *o, **v)), env.driver
    checks.equal("dpnp computes", env.says(ARANGE), "45 Device(opencl:cpu:0)")
    checks.equal("the device is ours", platforms(), str([OURS]))
    for selector in ("opencl:cpu", "opencl:*", "*:cpu", "!level_zero:*"):
        checks.equal(f"{selector} selects it", platforms(ONEAPI_DEVICE_SELECTOR=selector), str([OURS]))
    checks.equal("level_zero:* does not", platforms(ONEAPI_DEVICE_SELECTOR="level_zero:*"), "[]")
    checks.equal("a driver's CPU comes first", platforms(**driver), str([INTELS, OURS]))
    checks.equal("and dpnp computes", env.says(ARANGE, **driver), "45 Device(opencl:cpu:0)")
    checks.equal("OXUR_CPU=fallback", platforms(OXUR_CPU="fallback", **driver), str([INTELS, OURS]))
    checks.equal("OXUR_CPU=prefer", platforms(OXUR_CPU="prefer", **driver), str([OURS, INTELS]))
    checks.equal("OXUR_CPU=prefer without a driver", platforms(OXUR_CPU="prefer"), str([OURS]))
    checks.equal("OXUR_CPU=off", platforms(OXUR_CPU="off", **driver), str([INTELS]))
    checks.equal("OXUR_CPU=off without a driver", platforms(OXUR_CPU="off"), "[]")
    gpu = {"UR_CPU_DEVICE_TYPE": "gpu"}
    checks.equal("a GPU for dpctl", env.says(TYPES, **gpu), str([(True, False)]))
    checks.equal("a GPU for another library", env.says(TYPES, UR_CPU_DEVICE_TYPE="gpu:libother"), str([(False, True)]))
    checks.equal("the CPU of a driver is none", env.says(TYPES, **gpu, **driver), str([(False, True), (True, False)]))
    checks.equal("oneMKL computes on it", env.says(INVERSE, **gpu), "True")
    missing = {"UR_ADAPTERS_FORCE_LOAD": "/nonexistent/libur_adapter_x.so.0"}
    checks.equal("UR_ADAPTERS_FORCE_LOAD decides", platforms(**missing), "[]")
    checks.equal("oneMKL calls OpenCL on it", env.says(INVERSE), "True")

    mapped = ast.literal_eval(env.says(f"{DEVICES}; {MAPPED}"))
    own = {str(env.lib / "libur_adapter_native_cpu.so.0")}
    if not env.has_own_loader:
        own |= {str(env.packages / "oxur/lib" / f"libur_{name}.so.0") for name in ("adapter_opencl", "loader")}
    ours = {path for path in mapped if "native_cpu" in path or "/oxur/" in path}
    checks.equal("what of ours is loaded", ours, own)
    checks.equal("nothing was compiled, so LLVM is not", [path for path in mapped if "liboxur_llvm" in path], [])
    loaders = {path for path in mapped if "libur_loader" in path}
    checks.equal("no other loader is", loaders - own, set())

    # Without the .pth file. A loader before 2026.2 finds the adapter beside itself, too, which knows the tables of 2026.
    code = f"import sys; sys.path.append({str(env.packages)!r}); {PLATFORMS}"
    by_itself = [OURS] if env.has_known_tables else []
    checks.equal("libsycl by itself", env.says(code, "-S"), str(by_itself))
    # Which comes first is the loader's business.
    both = [INTELS, *by_itself] if env.has_own_loader else [*by_itself, INTELS]
    checks.equal("libsycl by itself, with a driver", env.says(code, "-S", **driver), str(both))

    if not env.has_own_loader:
        # A machine with a GPU keeps the loader that can drive it.
        code = f"import sys; sys.path.append({str(env.packages)!r}); {LEVEL_ZERO}; import oxur; {PLATFORMS}"
        checks.equal("a Level Zero driver", env.says(code, "-S", **driver), str(both))
        preferred = env.says(code, "-S", OXUR_CPU="prefer", **driver)
        checks.equal("OXUR_CPU=prefer with one", preferred, str([OURS, INTELS]))

    code = f"import json, sys; print('oxur' in sys.modules); {MAPPED}"
    checks.equal("Python alone loads nothing", env.says(code), "False\n[]")
    checks.equal("oxur doctor", env.run(env.folder / "bin/oxur", "doctor").splitlines()[-1], "nothing is missing")


def useless_driver(checks, env):
    """Debian 12's PoCL, which the machine has registered, exposes the CPU and takes no SPIR-V."""
    env.sees_drivers = True
    platforms, driver = (lambda **v: env.says(PLATFORMS, **v)), env.driver
    checks.equal("PoCL without SPIR-V: it is there", platforms(OXUR_CPU="off"), str([POCLS]))
    checks.equal("PoCL without SPIR-V: ours comes first", platforms(), str([OURS, POCLS]))
    checks.equal("PoCL without SPIR-V: ours is the default", env.says(DEFAULT), OURS)
    checks.equal("PoCL without SPIR-V: dpnp computes", env.says(ARANGE), "45 Device(opencl:cpu:0)")
    checks.equal("PoCL without SPIR-V: oneMKL, too", env.says(INVERSE), "True")
    checks.equal("PoCL without SPIR-V: fallback", platforms(OXUR_CPU="fallback"), str([OURS, POCLS]))
    checks.equal("PoCL without SPIR-V: prefer", platforms(OXUR_CPU="prefer"), str([OURS, POCLS]))
    checks.equal("PoCL without SPIR-V: a selector", platforms(ONEAPI_DEVICE_SELECTOR="opencl:cpu"), str([OURS, POCLS]))
    with_another = ast.literal_eval(platforms(**driver))
    all_three = sorted([INTELS, OURS, POCLS])
    checks.equal("PoCL without SPIR-V: another driver's CPU is there", sorted(with_another), all_three)
    checks.equal("PoCL without SPIR-V: and comes before ours", with_another[-1], OURS)
    said = env.run(env.folder / "bin/oxur", "doctor")
    checks.equal("PoCL without SPIR-V: oxur doctor", "our CPU comes before it" in said, True)
    env.sees_drivers = False


def other_prefixes(checks, env, wheel):
    """The wheel somewhere else than dpctl."""
    target, prefix = WORK / "target", WORK / "prefix"
    env.pip("install", "--no-deps", "--no-index", "--target", str(target), str(wheel))
    # There pip leaves out what belongs into the environment's lib folder.
    code = "import sys; sys.stderr = sys.stdout; import oxur"
    said = env.says(code, PYTHONPATH=str(target))
    checks.equal("--target says what to do", "install oxur into an environment" in said, True)
    said = env.run(target / "bin/oxur", "doctor")
    checks.equal("its command, too", "install oxur into an environment" in said, True)
    # As with --user, whose folder Python reads .pth files of.
    env.pip("install", "--no-deps", "--no-index", "--prefix", str(prefix), str(wheel))
    packages = next(prefix.glob("lib*/python3*/site-packages"))
    code = f"import site; site.addsitedir({str(packages)!r}); {PLATFORMS}"
    checks.equal("--prefix", env.says(code), str([OURS]))
    checks.equal("its command", env.run(prefix / "bin/oxur", "doctor").splitlines()[-1], "nothing is missing")


class SystemPython(Environment):
    """Debian's Python, with packages in a home folder and in /usr/local that are the test's own."""

    def __init__(self, name, without, user, system):
        """user, system: whether the client's packages are there."""
        self.home, self.local = WORK / name / "home", WORK / name / "local"
        self.user = self.home / ".local"
        self.folder = WORK / name
        self.python = Path("/usr/bin/python3")
        self.sees_drivers = False
        self.lib = (self.user if user else self.local) / "lib"
        self.user.mkdir(parents=True)
        self.local.mkdir()
        for prefix, packages, wanted in ((self.user, "site-packages", user), (self.local, "dist-packages", system)):
            if not wanted:
                continue
            subprocess.run(["cp", "-al", f"{without.folder.resolve()}/lib", prefix], check=True)
            (found,) = prefix.glob("lib/python3*/site-packages")
            if f"/{self.version()}/" not in str(found):
                sys.exit(f"run.py: {self.python} is {self.version()}, and cannot use {found}")
            found.rename(found.with_name(packages))

    def version(self):
        return "python" + self.run(self.python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])")

    def run(self, *command, **variables):
        mount = f'mount --bind {self.local} /usr/local && exec "$@"'
        return super().run("sh", "-c", mount, "sh", *command, HOME=str(self.home), PATH="/usr/bin:/bin", **variables)

    def pip(self, *arguments):
        options = ["--disable-pip-version-check", "--no-cache-dir", "--root-user-action=ignore"]
        code = "import os, sysconfig; print(os.path.exists(sysconfig.get_path('stdlib') + '/EXTERNALLY-MANAGED'))"
        if self.says(code) == "True":
            options.append("--break-system-packages")
        said = self.run(self.python, "-m", "pip", "-q", *arguments, *options)
        if said:
            sys.exit(f"run.py: pip {' '.join(arguments)}: {said}")


def system_python(checks, without, wheel):
    """Without an environment: in the home folder (`pip install --user`), for the whole system, and one on the other."""
    install = ["install", "--no-deps", "--no-index", str(wheel)]
    for dpnp_is, oxur_is in (("user", "user"), ("system", "system"), ("system", "user"), ("user", "system")):
        what = f"dpnp for the {dpnp_is}, oxur for the {oxur_is}"
        env = SystemPython(f"{dpnp_is}-{oxur_is}", without, dpnp_is == "user", dpnp_is == "system")
        checks.equal(f"{what}: no device before", env.says(PLATFORMS), "[]")
        before = env.files()
        env.pip(*install, *["--user"] * (oxur_is == "user"))
        checks.equal(f"{what}: dpnp computes", env.says(ARANGE), "45 Device(opencl:cpu:0)")
        checks.equal(f"{what}: the device is ours", env.says(PLATFORMS), str([OURS]))
        driver = env.says(PLATFORMS, **env.driver)
        checks.equal(f"{what}: a driver's CPU comes first", driver, str([INTELS, OURS]))
        preferred = env.says(PLATFORMS, OXUR_CPU="prefer", **env.driver)
        checks.equal(f"{what}: OXUR_CPU=prefer", preferred, str([OURS, INTELS]))
        command = env.user / "bin/oxur" if oxur_is == "user" else "/usr/local/bin/oxur"
        checks.equal(f"{what}: its command", env.run(command, "doctor").splitlines()[-1], "nothing is missing")
        # As when Python starts, but without other packages' .pth files, which may import anything.
        packages = env.user / "lib" / env.version() / "site-packages"
        if oxur_is == "system":
            packages = f"/usr/local/lib/{env.version()}/dist-packages"
        code = f"import sys; sys.path.append('{packages}'); import _oxur_startup, sitecustomize; "
        code += "print('oxur' in sys.modules)"
        checks.equal(f"{what}: Python alone loads nothing", env.says(code, "-S"), "False")
        # `python -s` leaves the user's packages alone.
        if dpnp_is == "system" and oxur_is == "user":
            checks.equal(f"{what}: not with -s", env.says(PLATFORMS, "-s"), "[]")
        env.pip("uninstall", "-y", "oxur")
        # The cache of kernels stays, and pip leaves folders that it made.
        unlike = env.files().keys() ^ before.keys()
        left = [str(path) for path in unlike if path.is_file() and ".cache" not in path.parts]
        checks.equal(f"{what}: nothing is left of it", left, [])
        shutil.rmtree(env.folder)


def listing(env):
    """What it costs to list the devices: milliseconds of processor time, which other programs on the machine make longer, too,
    but not by waiting; and page faults, which they leave alone."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env.says(DEVICES)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds * 1e3, after.ru_minflt - before.ru_minflt


def costs(checks, without, with_it):
    """How much more it costs to list the devices: the median differences of runs in turns."""
    runs = [(listing(without), listing(with_it)) for _ in range(TRIES)]
    bare = median(one[0] for one, _ in runs)
    more, faults = (median(other[i] - one[i] for one, other in runs) for i in range(2))
    print(f"listing the devices takes {bare:.1f} ms without the wheel, and {more:.1f} ms and {faults:.0f} page faults more with it")
    checks.equal(f"at most {MOST_MS:.0f} ms more", more <= MOST_MS, True)


def only_wheel(folder, name):
    wheels = list(folder.glob(f"{name}-*.whl"))
    if len(wheels) != 1:
        sys.exit(f"run.py: one wheel of {name} is wanted, not {len(wheels)}: run `make wheel`")
    return wheels[0].resolve()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--generation", help="a client environment of `make setup`")
    source.add_argument("--fresh", metavar="RELEASE", help="a new one, from PyPI")
    source.add_argument("--environment", type=Path)
    parser.add_argument("--time", action="store_true", help="check what it costs, too (wants a quiet machine)")
    parser.add_argument("--dist", type=Path, default=REPO / "dist", help="the folder of the wheels")
    parser.add_argument("--only-cuda", action="store_true", help="only the package oxur-cuda")
    options = parser.parse_args()
    wheel, cuda_wheel = (only_wheel(options.dist, name) for name in ("oxur", "oxur_cuda"))

    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    if options.fresh:
        without = fresh(options.fresh)
    else:
        without = Environment(options.environment or REPO / "target" / "env" / f"v{options.generation}")
    env = without.copy(WORK / "environment")

    checks = Checks()
    checks.equal("no device before", env.says(PLATFORMS), "[]")
    before = env.files()
    env.pip("install", "--no-deps", "--no-index", str(wheel))
    after = env.files()
    changed = [str(path) for path, state in before.items() if after.get(path) != state]
    checks.equal("no file of another package is changed", changed, [])
    if not options.only_cuda:
        devices(checks, env)
        useless_driver(checks, env)
    if options.time:
        costs(checks, without, env)
    # The driver without a GPU is of the environments that the tests know.
    if options.generation:
        nvidia.check(checks, env, cuda_wheel, WORK, OURS)
    env.pip("uninstall", "-y", "oxur")
    left = [str(path) for path in env.files().keys() ^ before.keys()]
    checks.equal("nothing is left of it", left, [])
    checks.equal("no device without it", env.says(PLATFORMS), "[]")
    checks.equal("but a driver's", env.says(PLATFORMS, **env.driver), str([INTELS]))
    if not options.only_cuda:
        other_prefixes(checks, env, wheel)
        system_python(checks, without, wheel)
    shutil.rmtree(WORK)
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(checks.failed != 0)


if __name__ == "__main__":
    main()
