# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Open3D's pipelines: registration of clouds, odometry, and simultaneous localization and mapping."""

import numpy as np
import open3d as o3d
from data import Tensor, both, cloud, cloud_points, core, depth_image, intrinsics, ordered, pose, rgbd

registration, odometry, slam = (getattr(o3d.t.pipelines, name) for name in ("registration", "odometry", "slam"))


def pair(d, n, name):
    """A cloud, and the same one moved a little."""
    source = cloud(d, n, name=name)
    target = source.clone().transform(pose(0.03, 0.02).to(d).to(getattr(core, name)))
    return source, target


def result(found):
    return [found.transformation, found.fitness, found.inlier_rmse]


def icp(cases):
    ways = {
        "point to point": lambda: registration.TransformationEstimationPointToPoint(),
        "point to plane": lambda: registration.TransformationEstimationPointToPlane(),
        "coloured": lambda: registration.TransformationEstimationForColoredICP(),
        "symmetric": lambda: registration.TransformationEstimationSymmetric(),
    }
    kernel = registration.robust_kernel
    losses = [name for name in dir(kernel.RobustKernelMethod) if name.endswith("Loss") or name in ("L2Loss", "GMLoss")]
    for name in ("float32", "float64"):
        for n in (500, 5000, 20_011) if cases.full else (500, 5000):
            source_to_target = pose(0.01, 0.01)
            both(
                cases,
                f"evaluate_registration {name} {n}",
                lambda d: result(registration.evaluate_registration(*pair(d, n, name), 0.3, source_to_target)),
                1e-3,
            )
            both(
                cases,
                f"get_information_matrix {name} {n}",
                lambda d: registration.get_information_matrix(*pair(d, n, name), 0.3, source_to_target),
                1e-3,
            )
            for way, method in ways.items():
                # Symmetric ICP does not converge: the last digits of one step decide on the next.
                if way == "symmetric" and n < 5000:
                    continue

                def aligned(d):
                    source, target = pair(d, n, name)
                    if way == "coloured":
                        target.estimate_color_gradients(30, 0.5)
                    criteria = registration.ICPConvergenceCriteria(1e-6, 1e-6, 1 if way == "symmetric" else 3)
                    return result(registration.icp(source, target, 0.3, estimation_method=method(), criteria=criteria))

                both(cases, f"icp, {way} {name} {n}", aligned, 5e-3)

            def in_steps(d):
                criteria = [registration.ICPConvergenceCriteria(1e-4, 1e-4, 3) for _ in range(2)]
                double = o3d.utility.DoubleVector
                return result(
                    registration.multi_scale_icp(
                        *pair(d, n, name),
                        double([0.2, 0.1]),
                        criteria,
                        double([0.5, 0.3]),
                        estimation_method=registration.TransformationEstimationPointToPlane(),
                    )
                )

            both(cases, f"multi_scale_icp {name} {n}", in_steps, 1e-2)
        for loss in losses:

            def robust(d):
                method = registration.TransformationEstimationPointToPlane(
                    kernel.RobustKernel(getattr(kernel.RobustKernelMethod, loss), 0.1, 1.0)
                )
                # Where all points fit, weights by the distance are those of rounding.
                criteria = registration.ICPConvergenceCriteria(1e-6, 1e-6, 2)
                return result(registration.icp(*pair(d, 2000, name), 0.3, estimation_method=method, criteria=criteria))

            both(cases, f"icp, {loss} {name}", robust, 5e-3)

        def doppler(d):
            source, target = pair(d, 2000, name)
            points = cloud_points(2000).astype(name)
            source.point.dopplers = Tensor(
                (points @ [0.1, 0.2, 0.3] / np.linalg.norm(points, axis=1)).astype(name)[:, None], device=d
            )
            source.point.directions = Tensor(
                (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(name), device=d
            )
            method = registration.TransformationEstimationForDopplerICP()
            method.period = 0.1
            return result(registration.icp(source, target, 0.3, estimation_method=method))

        both(cases, f"icp, Doppler {name}", doppler, 5e-3)
        both(
            cases,
            f"registration_symmetric_icp {name}",
            lambda d: result(
                registration.registration_symmetric_icp(
                    *pair(d, 5000, name), 0.3, criteria=registration.ICPConvergenceCriteria(1e-6, 1e-6, 1)
                )
            ),
            5e-3,
        )

        def features(d, n=1000, **how):
            return registration.compute_fpfh_feature(cloud(d, n, name=name), **how)

        both(cases, f"compute_fpfh_feature by knn {name}", lambda d: features(d, max_nn=50), 1e-3)
        both(cases, f"compute_fpfh_feature by radius {name}", lambda d: features(d, max_nn=None, radius=0.5), 1e-3)
        both(cases, f"compute_fpfh_feature, hybrid {name}", lambda d: features(d, max_nn=50, radius=0.5), 1e-3)
        both(
            cases,
            f"compute_fpfh_feature of some {name}",
            lambda d: features(d, max_nn=50, indices=Tensor(np.arange(0, 1000, 7), device=d)),
            1e-3,
        )
        for mutual in (False, True):
            both(
                cases,
                f"correspondences_from_features {name} {mutual}",
                lambda d: registration.correspondences_from_features(
                    features(d, 500, max_nn=30), features(d, 500, max_nn=30), mutual
                ),
            )


def frames(cases):
    sizes = [(64, 48), (160, 120)] + [(640, 480)] * cases.full
    for width, height in sizes:
        k = intrinsics(width, height)

        def images(d):
            return rgbd(d, width, height, color="float32", depth="float32"), rgbd(
                d, width, height, 0.01, color="float32", depth="float32"
            )

        for method in ("PointToPlane", "Intensity", "Hybrid"):

            def tracked(d):
                found = odometry.rgbd_odometry_multi_scale(*images(d), k, method=getattr(odometry.Method, method))
                return [found.transformation, found.fitness, found.inlier_rmse]

            both(cases, f"rgbd_odometry_multi_scale {method} {width}x{height}", tracked, 5e-3)
        both(
            cases,
            f"compute_odometry_information_matrix {width}x{height}",
            lambda d: odometry.compute_odometry_information_matrix(
                images(d)[0].depth, images(d)[1].depth, k, pose(), 0.07
            ),
            1e-3,
        )

        def maps(d, shift):
            depth = depth_image(d, width, height, shift, "float32").clip_transform(1000, 0, 3, float("nan"))
            vertices = depth.create_vertex_map(k, float("nan"))
            return vertices.as_tensor(), vertices.create_normal_map(float("nan")).as_tensor()

        def step(d):
            (source, _), (target, normals) = maps(d, 0.0), maps(d, 0.01)
            found = odometry.compute_odometry_result_point_to_plane(source, target, normals, k, pose(), 0.07, 0.05)
            return [found.transformation, found.fitness, found.inlier_rmse]

        both(cases, f"compute_odometry_result_point_to_plane {width}x{height}", step, 1e-3)

        def by_intensity(d, hybrid):
            def parts(shift):
                image = rgbd(d, width, height, shift, color="float32", depth="float32")
                depth = image.depth.clip_transform(1000, 0, 3, float("nan"))
                return depth, image.color.rgb_to_gray()

            (source, gray), (target, other) = parts(0.0), parts(0.01)
            dx, dy = other.filter_sobel(3)
            if hybrid:
                ddx, ddy = target.filter_sobel(3)
                found = odometry.compute_odometry_result_hybrid(
                    *(
                        x.as_tensor()
                        for x in (
                            source,
                            target,
                            gray,
                            other,
                            ddx,
                            ddy,
                            dx,
                            dy,
                            source.create_vertex_map(k, float("nan")),
                        )
                    ),
                    k,
                    pose(),
                    0.07,
                    0.05,
                    0.1,
                )
            else:
                found = odometry.compute_odometry_result_intensity(
                    *(
                        x.as_tensor()
                        for x in (source, target, gray, other, dx, dy, source.create_vertex_map(k, float("nan")))
                    ),
                    k,
                    pose(),
                    0.07,
                    0.1,
                )
            return [found.transformation, found.fitness, found.inlier_rmse]

        both(cases, f"compute_odometry_result_intensity {width}x{height}", lambda d: by_intensity(d, False), 1e-3)
        both(cases, f"compute_odometry_result_hybrid {width}x{height}", lambda d: by_intensity(d, True), 1e-3)

        def walked(d):
            model = slam.Model(0.02, 8, 3000, pose(), d)
            seen, made = (slam.Frame(height, width, k, d) for _ in range(2))
            where = pose()
            for index in range(5):
                image = rgbd(d, width, height, 0.005 * index)
                seen.set_data_from_image("depth", image.depth)
                seen.set_data_from_image("color", image.color)
                if index:
                    where = where @ model.track_frame_to_model(seen, made).transformation.cpu()
                model.update_frame_pose(index, where)
                model.integrate(seen)
                model.synthesize_model_frame(made)
            points = model.extract_pointcloud(1.0)
            return [where, points.get_center(), points.get_max_bound()]

        both(cases, f"slam {width}x{height}", walked, 2e-2)

        def fused(d):
            model = slam.Model(0.02, 8, 3000, pose(), d)
            seen, made = (slam.Frame(height, width, k, d) for _ in range(2))
            for index in range(4):
                image = rgbd(d, width, height, 0.005 * index)
                seen.set_data_from_image("depth", image.depth)
                seen.set_data_from_image("color", image.color)
                model.update_frame_pose(index, pose(0.005 * index))
                model.integrate(seen)
            model.synthesize_model_frame(made, enable_color=True)
            return [
                made.get_data("depth"),
                made.get_data("color"),
                ordered(model.extract_trianglemesh(1.0).vertex.positions),
            ]

        both(cases, f"slam with poses {width}x{height}", fused, 1e-2)


GROUPS = {"icp": icp, "frames": frames}
