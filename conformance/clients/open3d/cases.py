# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Open3D's functions on its SYCL device, against its CPU device and NumPy. run.py starts it in the client's Python."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))

import algebra  # noqa: E402
import clouds  # noqa: E402
import geometry  # noqa: E402
import neighbours  # noqa: E402
import pipelines  # noqa: E402
import tensors  # noqa: E402
from cases import Cases  # noqa: E402
from data import plain  # noqa: E402

UNSUPPORTED = "|".join(
    (
        "[Uu]nimplemented",
        "[Nn]ot implemented",
        "[Nn]ot supported",
        "[Uu]nsupported",
        "only supports",
        "should be CPU",
        "must be CPU",
        "is not CPU",
        "expected CPU",
        "only available",
        "to be CPU",
    )
)
GROUPS = {
    **tensors.GROUPS,
    **algebra.GROUPS,
    **neighbours.GROUPS,
    **clouds.GROUPS,
    **geometry.GROUPS,
    **pipelines.GROUPS,
}

Cases(GROUPS, UNSUPPORTED, plain)
