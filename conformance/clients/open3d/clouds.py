# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Open3D's clouds of points, and images."""

import numpy as np
import open3d as o3d
from data import (
    CPU,
    Tensor,
    both,
    cloud,
    color_image,
    core,
    cloud_points,
    depth_image,
    geometry,
    intrinsics,
    ordered,
    plain,
    pose,
    rgbd,
)

SIZES = (1, 7, 1000, 4099)


def sorted_cloud(made, *names, key=None):
    """A cloud whose points come in any order."""
    return ordered(made.point.positions, *[made.point[name] for name in names], key=key)


def seen_from(made, k, where, *names):
    """A cloud of a depth image, in the order of the pixels."""
    points = plain(made.point.positions).astype(np.float64)
    points = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ where.numpy().T @ np.eye(4, 3) @ k.numpy().T
    return sorted_cloud(made, *names, key=np.round(points[:, 1::-1] / points[:, 2:]))


def up_to_sign(vectors):
    """Vectors turned so that their largest coordinate is not negative."""
    vectors = plain(vectors)
    largest = np.abs(vectors).argmax(axis=1)
    return vectors * np.where(vectors[np.arange(len(vectors)), largest] < 0, -1, 1)[:, None]


def cloud_basics(cases):
    rotation = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]])
    whole = np.eye(4)
    whole[:3, :3], whole[:3, 3] = rotation, [1, -2, 3]
    for name in ("float32", "float64"):
        t = getattr(core, name)
        for n in (*SIZES, 100_003) if cases.full else SIZES:

            def made(d):
                return cloud(d, n, name=name)

            both(cases, f"transform {name} {n}", lambda d: made(d).transform(Tensor(whole, t, d)), 1e-5)
            both(
                cases,
                f"rotate {name} {n}",
                lambda d: made(d).rotate(Tensor(rotation, t, d), Tensor([1.0, 2, 3], t, d)),
                1e-5,
            )
            both(cases, f"scale {name} {n}", lambda d: made(d).scale(0.7, Tensor([1.0, 2, 3], t, d)), 1e-5)
            both(
                cases,
                f"translate {name} {n}",
                lambda d: [
                    made(d).translate(Tensor([1.0, 2, 3], t, d)),
                    made(d).translate(Tensor([1.0, 2, 3], t, d), False),
                ],
                1e-4,
            )
            both(
                cases,
                f"bounds {name} {n}",
                lambda d: [made(d).get_min_bound(), made(d).get_max_bound(), made(d).get_center()],
                1e-4,
            )
            both(cases, f"axis-aligned box {name} {n}", lambda d: made(d).get_axis_aligned_bounding_box())
            both(cases, f"append {name} {n}", lambda d: made(d).append(cloud(d, 10, name=name)))
            both(cases, f"clone {name} {n}", lambda d: made(d).clone())
            both(cases, f"to and back {name} {n}", lambda d: made(d).to(CPU).to(d))
            both(cases, f"to legacy {name} {n}", lambda d: np.asarray(made(d).to_legacy().points))
            both(
                cases, f"from legacy {name} {n}", lambda d: geometry.PointCloud.from_legacy(made(CPU).to_legacy(), t, d)
            )
            both(cases, f"paint {name} {n}", lambda d: made(d).paint_uniform_color(Tensor([0.1, 0.2, 0.3], t, d)))
            both(cases, f"normalize_normals {name} {n}", lambda d: made(d).normalize_normals(), 1e-5)
            both(
                cases,
                f"select_by_mask {name} {n}",
                lambda d: [
                    made(d).select_by_mask(Tensor(np.arange(n) % 3 == 0, device=d), invert) for invert in (False, True)
                ],
            )
            both(
                cases,
                f"select_by_index {name} {n}",
                lambda d: [
                    made(d).select_by_index(Tensor(np.arange(0, n, 3), device=d), invert) for invert in (False, True)
                ],
            )
            both(
                cases,
                f"crop {name} {n}",
                lambda d: [
                    made(d).crop(
                        geometry.AxisAlignedBoundingBox(Tensor([-1.0, -1, -1], t, d), Tensor([3.0, 3, 1], t, d)), invert
                    )
                    for invert in (False, True)
                ],
            )

            def turned(d):
                box = geometry.OrientedBoundingBox(
                    Tensor([1.0, 1, 0], t, d), Tensor(rotation, t, d), Tensor([3.0, 2, 1.5], t, d)
                )
                return [made(d).crop(box), box.get_point_indices_within_bounding_box(made(d).point.positions)]

            both(cases, f"crop, turned {name} {n}", turned)

            def pointed(d, way):
                one = made(d)
                getattr(one, way)(Tensor([1.0, 2, 3], t, d))
                return one

            for way in ("orient_normals_to_align_with_direction", "orient_normals_towards_camera_location"):
                both(cases, f"{way} {name} {n}", lambda d: pointed(d, way))
    both(cases, "empty", lambda d: [geometry.PointCloud(d).is_empty(), cloud(d, 3).is_empty()])
    both(cases, "clear", lambda d: cloud(d, 3).clear().is_empty())


def cloud_filters(cases):
    for name in ("float32", "float64"):
        t = getattr(core, name)
        for n in (*SIZES, 10_007) if cases.full else SIZES:

            def made(d):
                return cloud(d, n, name=name)

            for voxel in (0.05, 0.4):
                both(
                    cases,
                    f"voxel_down_sample {name} {n} {voxel}",
                    lambda d: sorted_cloud(made(d).voxel_down_sample(voxel), "normals", "colors"),
                    1e-4,
                )
            both(cases, f"uniform_down_sample {name} {n}", lambda d: made(d).uniform_down_sample(3))

            def drawn(d):
                o3d.utility.random.seed(7)
                return made(d).random_down_sample(0.4)

            both(cases, f"random_down_sample {name} {n}", drawn)
            if n <= 4099:
                both(
                    cases,
                    f"farthest_point_down_sample {name} {n}",
                    lambda d: made(d).farthest_point_down_sample(min(n, 50)),
                )

            def spoilt(d):
                points = cloud_points(n).astype(name)
                points[::7, 1], points[3::11, 2] = np.nan, np.inf
                return geometry.PointCloud(Tensor(points, device=d))

            for nan, infinite in ((True, True), (True, False), (False, True)):
                both(
                    cases,
                    f"remove_non_finite_points {name} {n} {nan} {infinite}",
                    lambda d: list(spoilt(d).remove_non_finite_points(nan, infinite)),
                )

            def doubled(d):
                points = cloud_points(n).astype(name)[np.arange(2 * n) // 2]
                left, mask = geometry.PointCloud(Tensor(points, device=d)).remove_duplicated_points()
                return [*sorted_cloud(left), mask.to(core.int64).sum()]

            both(cases, f"remove_duplicated_points {name} {n}", doubled)
            both(cases, f"remove_radius_outliers {name} {n}", lambda d: list(made(d).remove_radius_outliers(4, 0.3)))
            both(
                cases,
                f"remove_statistical_outliers {name} {n}",
                lambda d: list(made(d).remove_statistical_outliers(8, 1.5)),
            )
            if n > 30:

                def normals(d, **how):
                    one = cloud(d, n, (), name=name)
                    one.estimate_normals(**how)
                    return up_to_sign(one.point.normals)

                both(cases, f"estimate_normals by knn {name} {n}", lambda d: normals(d, max_nn=20, radius=None), 2e-3)
                both(
                    cases, f"estimate_normals by radius {name} {n}", lambda d: normals(d, max_nn=None, radius=0.7), 2e-3
                )
                both(cases, f"estimate_normals, hybrid {name} {n}", lambda d: normals(d, max_nn=20, radius=0.7), 2e-3)

                def gradients(d, **how):
                    one = made(d)
                    one.estimate_color_gradients(**how)
                    return one.point.color_gradients

                both(
                    cases,
                    f"estimate_color_gradients by knn {name} {n}",
                    lambda d: gradients(d, max_nn=20, radius=None),
                    1e-2 if name == "float64" else 0.2,
                )
                both(
                    cases,
                    f"estimate_color_gradients, hybrid {name} {n}",
                    lambda d: gradients(d, max_nn=20, radius=0.7),
                    1e-2 if name == "float64" else 0.2,
                )
                both(
                    cases, f"compute_boundary_points {name} {n}", lambda d: made(d).compute_boundary_points(0.6, 30)[1]
                )
                if n <= 4099:
                    both(cases, f"cluster_dbscan {name} {n}", lambda d: made(d).cluster_dbscan(0.2, 5))
                both(cases, f"smooth_laplacian {name} {n}", lambda d: made(d).smooth_laplacian(3), 1e-3)
                both(cases, f"smooth_taubin {name} {n}", lambda d: made(d).smooth_taubin(3), 1e-3)
                both(cases, f"smooth_mls {name} {n}", lambda d: made(d).smooth_mls(0.5), 1e-2)
                both(cases, f"smooth_bilateral {name} {n}", lambda d: made(d).smooth_bilateral(0.5), 1e-3)
        n = 1000
        both(
            cases,
            f"compute_convex_hull {name}",
            lambda d: ordered(cloud(d, n, name=name).compute_convex_hull().vertex.positions),
        )
        both(
            cases,
            f"hidden_point_removal {name}",
            lambda d: np.sort(plain(cloud(d, n, name=name).hidden_point_removal(Tensor([9.0, 0, 0], t, d), 100)[1])),
        )
        both(cases, f"oriented box {name}", lambda d: cloud(d, n, name=name).get_oriented_bounding_box().volume(), 1e-3)
        both(
            cases,
            f"ellipsoid {name}",
            lambda d: cloud(d, n, name=name).get_oriented_bounding_ellipsoid().volume(),
            1e-3,
        )
        both(cases, f"pca_partition {name}", lambda d: cloud(d, n, name=name).pca_partition(100))
        both(
            cases, f"extrude_linear {name}", lambda d: cloud(d, n, name=name).extrude_linear(Tensor([0.0, 0, 1], t, d))
        )
        both(
            cases,
            f"extrude_rotation {name}",
            lambda d: cloud(d, 20, name=name).extrude_rotation(90, Tensor([0.0, 0, 1], t, d)),
            1e-4,
        )

        def oriented(d):
            one = cloud(d, n, name=name)
            one.orient_normals_consistent_tangent_plane(10)
            return one

        both(cases, f"orient_normals_consistent_tangent_plane {name}", oriented)

        def plane(d):
            o3d.utility.random.seed(7)
            points = cloud_points(n).astype(name)
            points[: n // 2, 2] = 0.25
            model, inside = geometry.PointCloud(Tensor(points, device=d)).segment_plane(0.01, 3, 200)
            return [np.abs(plain(model)), inside.shape]

        both(cases, f"segment_plane {name}", plane, 1e-2)
        metrics = [geometry.Metric.ChamferDistance, geometry.Metric.HausdorffDistance, geometry.Metric.FScore]
        both(
            cases,
            f"compute_metrics {name}",
            lambda d: cloud(d, n, name=name).compute_metrics(
                cloud(d, n, seed=1, name=name), metrics, geometry.MetricParameters()
            ),
            1e-3,
        )


def camera(cases):
    sizes = [(1, 1), (33, 17), (160, 120)] + [(640, 480)] * cases.full
    for width, height in sizes:
        k = intrinsics(width, height)
        for kind in ("uint16", "float32"):
            for normals in (False, True):
                for stride in (1,) if normals and width == 1 else (1, 4):
                    # The points are in the order in which threads found them.
                    both(
                        cases,
                        f"of depth {'with normals ' if normals else ''}{kind} {width}x{height} {stride}",
                        lambda d: seen_from(
                            geometry.PointCloud.create_from_depth_image(
                                depth_image(d, width, height, kind=kind), k, stride=stride, with_normals=normals
                            ),
                            k,
                            pose(),
                            *["normals"] * normals,
                        ),
                        1e-3,
                    )
            both(
                cases,
                f"of depth, moved {kind} {width}x{height}",
                lambda d: seen_from(
                    geometry.PointCloud.create_from_depth_image(
                        depth_image(d, width, height, kind=kind), k, pose(0.2, 0.3)
                    ),
                    k,
                    pose(0.2, 0.3),
                ),
                1e-3,
            )
            for color in ("uint8", "float32"):
                both(
                    cases,
                    f"of RGBD {kind} {color} {width}x{height}",
                    lambda d: seen_from(
                        geometry.PointCloud.create_from_rgbd_image(rgbd(d, width, height, color=color, depth=kind), k),
                        k,
                        pose(),
                        "colors",
                    ),
                    1e-3,
                )

        def cloud_of(d):
            return geometry.PointCloud.create_from_rgbd_image(rgbd(d, width, height, color="float32"), k)

        both(
            cases,
            f"project_to_depth_image {width}x{height}",
            lambda d: cloud_of(d).project_to_depth_image(width, height, k),
            1e-3,
        )
        both(
            cases,
            f"project_to_rgbd_image {width}x{height}",
            lambda d: cloud_of(d).project_to_rgbd_image(width, height, k),
            1e-3,
        )


INTERPOLATIONS = ("Nearest", "Linear", "Cubic", "Super", "Lanczos")


def images(cases):
    sizes = [(1, 1), (33, 17), (160, 120)] + [(641, 479)] * cases.full
    for width, height in sizes:
        k = intrinsics(width, height)
        for kind in ("uint8", "uint16", "float32"):

            def gray(d):
                color = scene_values(width, height)[..., :1]
                scaled = {"uint8": color * 255, "uint16": color * 60_000, "float32": color}[kind].astype(kind)
                return geometry.Image(Tensor(np.ascontiguousarray(scaled), device=d))

            size = f"{kind} {width}x{height}"
            # The CPU's code rounds where the device's truncates.
            loose = 1e-4 if kind == "float32" else 1
            both(cases, f"dilate {size}", lambda d: gray(d).dilate(3), loose)
            for kernel in (3, 5):
                both(cases, f"filter_gaussian {kernel} {size}", lambda d: gray(d).filter_gaussian(kernel, 1.0), loose)
                both(
                    cases,
                    f"filter_bilateral {kernel} {size}",
                    lambda d: gray(d).filter_bilateral(kernel, 20, 10),
                    loose,
                )
                both(cases, f"filter_sobel {kernel} {size}", lambda d: list(gray(d).filter_sobel(kernel)), loose)
            both(
                cases,
                f"filter {size}",
                lambda d: gray(d).filter(Tensor(np.arange(9, dtype=np.float32).reshape(3, 3) / 36, device=d)),
                loose,
            )
            both(cases, f"pyrdown {size}", lambda d: gray(d).pyrdown(), loose)
            for way in INTERPOLATIONS:
                for rate in (0.5, 2.0) if width > 1 else (2.0,):
                    both(
                        cases,
                        f"resize {way} {rate} {size}",
                        lambda d: gray(d).resize(rate, getattr(geometry.InterpType, way)),
                        loose,
                    )
            both(cases, f"linear_transform {size}", lambda d: gray(d).linear_transform(2.0, 3.0), loose)
            for other in ("uint8", "uint16", "float32", "float64"):
                both(
                    cases,
                    f"to {other} {size}",
                    lambda d: gray(d).to(getattr(core, other)),
                    loose if other == "float32" else 1,
                )
                both(
                    cases,
                    f"to {other}, scaled {size}",
                    lambda d: gray(d).to(getattr(core, other), False, 0.5, 1.0),
                    loose if other == "float32" else 1,
                )
            if kind != "uint8":
                both(cases, f"clip_transform {size}", lambda d: gray(d).clip_transform(0.01, 0.1, 300.0, -1.0), loose)
            both(cases, f"to legacy {size}", lambda d: np.asarray(gray(d).to_legacy()))
            both(cases, f"clone {size}", lambda d: gray(d).clone())
        for kind in ("uint8", "float32"):
            both(
                cases,
                f"rgb_to_gray {kind} {width}x{height}",
                lambda d: color_image(d, width, height, kind=kind).rgb_to_gray(),
                1e-4 if kind == "float32" else 1,
            )
            both(
                cases,
                f"filter_gaussian of colours {kind} {width}x{height}",
                lambda d: color_image(d, width, height, kind=kind).filter_gaussian(3, 1.0),
                1e-4 if kind == "float32" else 1,
            )
        for kind in ("uint16", "float32"):
            both(
                cases,
                f"colorize_depth {kind} {width}x{height}",
                lambda d: depth_image(d, width, height, kind=kind).colorize_depth(1000, 0.5, 3),
            )
            both(
                cases,
                f"clip_transform of depth {kind} {width}x{height}",
                lambda d: depth_image(d, width, height, kind=kind).clip_transform(1000, 0, 2, float("nan")),
                1e-4,
            )

        def vertices(d):
            return (
                depth_image(d, width, height)
                .clip_transform(1000, 0, 3, float("nan"))
                .create_vertex_map(k, float("nan"))
            )

        both(cases, f"create_vertex_map {width}x{height}", vertices, 1e-4)
        both(cases, f"create_normal_map {width}x{height}", lambda d: vertices(d).create_normal_map(float("nan")), 1e-2)


def scene_values(width, height):
    from data import scene

    return scene(width, height)[1]


GROUPS = {"cloud": cloud_basics, "filters": cloud_filters, "camera": camera, "images": images}
