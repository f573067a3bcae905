# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Open3D's cases compute on: tensors, clouds of points, images, meshes."""

import numpy as np
import open3d as o3d
from cases import random

o3d.utility.set_verbosity_level(o3d.utility.VerbosityLevel.Error)

core, geometry = o3d.core, o3d.t.geometry
Tensor = core.Tensor
CPU = core.Device("CPU:0")
FLOATS = ("float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = (*SIGNED, *UNSIGNED)
NUMBERS = (*FLOATS, *INTEGERS)
TYPES = (*NUMBERS, "bool")


def dtype(name):
    return getattr(core, name)


def plain(value):
    """NumPy arrays of Open3D's objects."""
    if isinstance(value, Tensor):
        return value.cpu().numpy()
    if isinstance(value, (geometry.PointCloud,)):
        return {key: plain(item) for key, item in value.point.items()}
    if isinstance(value, geometry.LineSet):
        return [{key: plain(item) for key, item in part.items()} for part in (value.point, value.line)]
    if isinstance(value, geometry.TriangleMesh):
        return [{key: plain(item) for key, item in part.items()} for part in (value.vertex, value.triangle)]
    if isinstance(value, geometry.Image):
        return plain(value.as_tensor())
    if isinstance(value, geometry.RGBDImage):
        return [plain(value.color), plain(value.depth)]
    if isinstance(value, geometry.AxisAlignedBoundingBox):
        return [plain(value.min_bound), plain(value.max_bound)]
    if isinstance(value, geometry.OrientedBoundingBox):
        return [plain(value.center), plain(value.extent), plain(value.rotation)]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def both(cases, name, function, tolerance=None, reference=None):
    """A case: a function of a device on the SYCL device, and on the CPU."""
    device = core.Device(cases.device)
    cases.case(name, lambda: function(device), lambda: function(CPU), tolerance, reference)


def numbers(name, *shape, seed=0):
    """Numbers of a type whose sums and products with each other are in its range. None is 0."""
    generator = random(name, shape, seed)
    if name == "bool":
        return np.asarray(generator.integers(0, 2, shape), bool)
    if name in FLOATS:
        values = generator.uniform(0.5, 8, shape) * generator.choice([-1, 1], shape)
    elif name in SIGNED:
        values = generator.integers(1, 9, shape) * generator.choice([-1, 1], shape)
    else:
        values = generator.integers(1, 9, shape)
    return np.asarray(values, name)


def cloud_points(n, seed=0):
    """Points near a torus with dents, so that it fits upon itself in one way only."""
    generator = random("cloud", n, seed)
    u, v = generator.uniform(0, 2 * np.pi, (2, n))
    thick = 1 + 0.3 * np.sin(2 * u + 1) + 0.2 * np.cos(3 * v + u)
    points = np.stack(
        [(2.2 + thick * np.cos(v)) * np.cos(u), (2 + thick * np.cos(v)) * np.sin(u), thick * np.sin(v)], axis=1
    )
    return (points + generator.normal(0, 0.02, (n, 3))).astype(np.float32)


def cloud(device, n, attributes=("normals", "colors"), seed=0, name="float32"):
    points = cloud_points(n, seed).astype(name)
    made = geometry.PointCloud(Tensor(points, device=device))
    if "normals" in attributes:
        ring = points.astype(np.float64) * [1, 1, 0]
        ring *= 2 / np.maximum(np.linalg.norm(ring, axis=1, keepdims=True), 1e-9)
        normals = points - ring
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
        made.point.normals = Tensor(normals.astype(name), device=device)
    if "colors" in attributes:
        made.point.colors = Tensor((0.5 + 0.5 * np.sin(3 * points)).astype(name), device=device)
    return made


def intrinsics(width, height):
    # No pixel falls on the border between two others.
    return Tensor(np.array([[width * 0.9, 0, width / 2 - 0.413], [0, width * 0.9, height / 2 - 0.371], [0, 0, 1]]))


def pose(shift=0.0, angle=0.0):
    c, s = np.cos(angle), np.sin(angle)
    return Tensor(np.array([[c, -s, 0, shift], [s, c, 0, shift / 2], [0, 0, 1, -shift], [0, 0, 0, 1]]))


def scene(width, height, shift=0.0):
    """Depth in metres and colours of a wall with waves and a ball in front of it."""
    k = intrinsics(width, height).numpy()
    y, x = np.mgrid[0:height, 0:width]
    rx, ry = (x - k[0, 2]) / k[0, 0], (y - k[1, 2]) / k[1, 1]
    depth = 2 + 0.1 * np.sin(5 * (rx * 2 + shift)) + 0.1 * np.cos(4 * (ry * 2 + shift / 2))
    ball = (rx * 1.5 + shift) ** 2 + (ry * 1.5) ** 2
    depth = np.where(ball < 0.09, 1.5 - np.sqrt(np.maximum(0.09 - ball, 0)), depth) + shift
    color = np.stack(
        [0.5 + 0.5 * np.sin(9 * rx * depth + i + 9 * shift) * np.cos(7 * ry * depth) for i in range(3)], axis=2
    )
    return depth, color


def depth_image(device, width, height, shift=0.0, kind="uint16"):
    depth = scene(width, height, shift)[0]
    values = (
        (depth * 1000).astype(np.uint16)[..., None] if kind == "uint16" else depth.astype(np.float32)[..., None] * 1000
    )
    return geometry.Image(Tensor(np.ascontiguousarray(values), device=device))


def color_image(device, width, height, shift=0.0, kind="uint8"):
    color = scene(width, height, shift)[1]
    values = (color * 255).astype(np.uint8) if kind == "uint8" else color.astype(np.float32)
    return geometry.Image(Tensor(np.ascontiguousarray(values), device=device))


def rgbd(device, width, height, shift=0.0, color="uint8", depth="uint16"):
    return geometry.RGBDImage(
        color_image(device, width, height, shift, color), depth_image(device, width, height, shift, depth)
    )


def sphere(device, resolution=20):
    return geometry.TriangleMesh.create_sphere(radius=1.0, resolution=resolution, device=device)


def ordered(points, *others, key=None):
    """Rows in the order of the points, where a function gives them in any. The key, of the same points, must not
    depend on rounding."""
    points = plain(points)
    key = np.round(points.astype(np.float64), 4) if key is None else key
    order = np.lexsort(key.T[::-1])
    return [plain(array)[order] for array in (points, *others)]
