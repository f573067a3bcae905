# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names what the wheel is for and what it is made of. `make wheel` has auditwheel check that the former is true."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-manylinux_2_34_x86_64"
        sboms = sorted((Path(self.root) / "sboms").glob("*.json"))
        build_data["sbom_files"].extend(f"sboms/{path.name}" for path in sboms)
