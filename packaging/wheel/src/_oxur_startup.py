# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What oxur.pth runs when Python starts: ``import oxur`` just before the first import of a package that is installed.

Python itself starts as fast as without it, and programs that use the standard library alone never pay.
"""

import sys

# Python looks for these at every start; Debian's sitecustomize looks for the last one.
_CUSTOMIZATIONS = {"sitecustomize", "usercustomize", "apport_python_hook"}


class _FirstPackage:
    """Finds no module, but sees which are wanted."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        # Start-up modules of packages, such as ours, begin with an underscore.
        if path is not None or name.startswith("_") or name in sys.stdlib_module_names or name in _CUSTOMIZATIONS:
            return None
        try:
            sys.meta_path.remove(cls)
        except ValueError:
            return None  # Another thread was faster.
        import oxur  # noqa: F401

        return None


sys.meta_path.insert(0, _FirstPackage)
