# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Open3D's meshes, boxes, blocks of voxels, and rays."""

import tempfile
from pathlib import Path

import numpy as np
import open3d as o3d
from cases import random
from clouds import sorted_cloud
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
    sphere,
)


def meshes(cases):
    def both_normals(mesh):
        return [mesh.compute_triangle_normals().triangle.normals, mesh.compute_vertex_normals().vertex.normals]

    for resolution in (2, 20, 100):
        both(cases, f"normals {resolution}", lambda d: both_normals(sphere(d, resolution)), 1e-3)
        both(
            cases, f"areas {resolution}", lambda d: sphere(d, resolution).compute_triangle_areas().triangle.areas, 1e-4
        )
        both(cases, f"surface {resolution}", lambda d: sphere(d, resolution).get_surface_area(), 1e-4)
        both(cases, f"transform {resolution}", lambda d: sphere(d, resolution).transform(pose(0.3, 0.7).to(d)), 1e-4)
        both(
            cases,
            f"normalize_normals {resolution}",
            lambda d: sphere(d, resolution).compute_vertex_normals().normalize_normals(),
            1e-3,
        )
        both(
            cases,
            f"bounds {resolution}",
            lambda d: [
                sphere(d, resolution).get_min_bound(),
                sphere(d, resolution).get_max_bound(),
                sphere(d, resolution).get_center(),
            ],
            1e-4,
        )
        both(
            cases,
            f"select_by_index {resolution}",
            lambda d: sphere(d, resolution).select_by_index(Tensor(np.arange(0, 3 * resolution // 2), device=d)),
        )
        both(
            cases,
            f"select_faces_by_mask {resolution}",
            lambda d: sphere(d, resolution).select_faces_by_mask(
                Tensor(np.arange(len(sphere(CPU, resolution).triangle.indices)) % 3 != 0, device=d)
            ),
        )

        def loose(d):
            mesh = sphere(d, resolution)
            mesh.triangle.indices = mesh.triangle.indices[::2]
            return mesh.remove_unreferenced_vertices()

        both(cases, f"remove_unreferenced_vertices {resolution}", loose)

        def sampled(d):
            o3d.utility.random.seed(7)
            return np.linalg.norm(
                plain(sphere(d, resolution).sample_points_uniformly(500).point.positions), axis=1
            ).shape

        both(cases, f"sample_points_uniformly {resolution}", sampled)
    t, n = (lambda d: Tensor([0.1, 0, 0], core.float32, d)), (lambda d: Tensor([1.0, 0.2, 0.1], core.float32, d))
    both(cases, "clip_plane", lambda d: ordered(sphere(d).clip_plane(t(d), n(d)).vertex.positions), 1e-4)
    both(cases, "slice_plane", lambda d: ordered(sphere(d).slice_plane(t(d), n(d)).point.positions), 1e-4)
    both(
        cases,
        "simplify_quadric_decimation",
        lambda d: sphere(d).simplify_quadric_decimation(0.5).triangle.indices.shape,
    )
    both(cases, "fill_holes", lambda d: sphere(d).fill_holes().triangle.indices.shape)
    both(cases, "compute_convex_hull", lambda d: ordered(sphere(d).compute_convex_hull().vertex.positions), 1e-4)
    both(cases, "remove_non_manifold_edges", lambda d: sphere(d).remove_non_manifold_edges())
    both(cases, "get_non_manifold_edges", lambda d: sphere(d).get_non_manifold_edges())
    both(cases, "extrude_linear", lambda d: sphere(d).extrude_linear(n(d)).triangle.indices.shape)
    both(cases, "extrude_rotation", lambda d: sphere(d, 5).extrude_rotation(90, n(d)).triangle.indices.shape)
    both(cases, "to legacy", lambda d: np.asarray(sphere(d).to_legacy().vertices))
    both(cases, "from legacy", lambda d: geometry.TriangleMesh.from_legacy(sphere(CPU).to_legacy(), device=d))
    both(cases, "pca_partition", lambda d: sphere(d).pca_partition(50))
    for other in ("boolean_union", "boolean_intersection", "boolean_difference"):
        both(
            cases,
            other,
            lambda d: getattr(sphere(d), other)(geometry.TriangleMesh.create_box(device=d)).triangle.indices.shape,
        )
    for made in (
        "box",
        "cone",
        "cylinder",
        "tetrahedron",
        "octahedron",
        "icosahedron",
        "torus",
        "mobius",
        "arrow",
        "coordinate_frame",
    ):
        both(cases, f"create_{made}", lambda d: getattr(geometry.TriangleMesh, f"create_{made}")(device=d))
    both(cases, "create_text", lambda d: geometry.TriangleMesh.create_text("ur", device=d).vertex.positions)
    volume = np.linalg.norm(np.stack(np.meshgrid(*[np.linspace(-1, 1, 16)] * 3)), axis=0).astype(np.float32)
    both(
        cases,
        "create_isosurfaces",
        lambda d: ordered(geometry.TriangleMesh.create_isosurfaces(Tensor(volume, device=d), [0.7]).vertex.positions),
        1e-3,
    )
    metrics = [geometry.Metric.ChamferDistance, geometry.Metric.HausdorffDistance]
    both(
        cases,
        "compute_metrics",
        lambda d: [len(sphere(d).compute_metrics(sphere(d, 10), metrics, geometry.MetricParameters()))],
    )

    def baked(d):
        mesh = geometry.TriangleMesh.create_box(device=d)
        mesh.compute_uvatlas(64)
        mesh.vertex.albedo = mesh.vertex.positions
        return mesh.bake_vertex_attr_textures(32, {"albedo"})["albedo"].shape

    both(cases, "compute_uvatlas, bake_vertex_attr_textures", baked)


def lines_and_boxes(cases):
    for name in ("float32", "float64"):
        t = getattr(core, name)

        def lines(d):
            made = geometry.LineSet(
                Tensor(cloud_points(20).astype(name), device=d), Tensor(np.arange(20).reshape(10, 2), device=d)
            )
            return made.paint_uniform_color(Tensor([0.1, 0.2, 0.3], core.float32, d))

        both(
            cases,
            f"lines {name}",
            lambda d: [
                lines(d),
                lines(d).transform(pose(0.3, 0.7).to(d).to(t)),
                lines(d).translate(Tensor([1.0, 2, 3], t, d)),
                lines(d).scale(2, Tensor([1.0, 2, 3], t, d)),
            ],
            1e-4,
        )
        both(
            cases,
            f"lines, bounds {name}",
            lambda d: [
                lines(d).get_min_bound(),
                lines(d).get_max_bound(),
                lines(d).get_center(),
                lines(d).get_axis_aligned_bounding_box(),
            ],
            1e-4,
        )
        both(cases, f"lines extruded {name}", lambda d: lines(d).extrude_linear(Tensor([0.0, 0, 1], t, d)), 1e-4)
        points = cloud_points(1000).astype(name)

        def box(d):
            return geometry.AxisAlignedBoundingBox.create_from_points(Tensor(points, device=d))

        both(
            cases,
            f"axis-aligned box {name}",
            lambda d: [
                box(d),
                box(d).get_center(),
                box(d).get_extent(),
                box(d).get_half_extent(),
                box(d).get_max_extent(),
                box(d).get_box_points(),
                box(d).volume(),
                box(d).translate(Tensor([1.0, 2, 3], t, d)),
                box(d).scale(2, Tensor([1.0, 2, 3], t, d)),
                box(d).get_oriented_bounding_box(),
            ],
            1e-4,
        )
        both(
            cases,
            f"points in a box {name}",
            lambda d: geometry.AxisAlignedBoundingBox(
                Tensor([-1.0, -1, -1], t, d), Tensor([3.0, 3, 1], t, d)
            ).get_point_indices_within_bounding_box(Tensor(points, device=d)),
        )
        for way in ("PCA", "MINIMAL_APPROX", "MINIMAL_JYLANKI"):
            both(
                cases,
                f"oriented box {way} {name}",
                lambda d: geometry.OrientedBoundingBox.create_from_points(
                    Tensor(points, device=d), method=getattr(geometry.MethodOBBCreate, way)
                ).volume(),
                1e-3,
            )

        def turned(d):
            return geometry.OrientedBoundingBox(
                Tensor([1.0, 1, 0], t, d), pose(0, 0.4)[:3, :3].to(d).to(t), Tensor([3.0, 2, 1.5], t, d)
            )

        both(
            cases,
            f"turned box {name}",
            lambda d: [
                turned(d),
                turned(d).get_box_points(),
                turned(d).get_min_bound(),
                turned(d).get_max_bound(),
                turned(d).volume(),
                turned(d).translate(Tensor([1.0, 2, 3], t, d)),
                turned(d).rotate(pose(0, 0.7)[:3, :3].to(d).to(t)),
                turned(d).scale(2, Tensor([1.0, 2, 3], t, d)),
                turned(d).transform(pose(0.3, 0.7).to(d).to(t)),
                turned(d).get_axis_aligned_bounding_box(),
            ],
            1e-4,
        )


def voxels(cases):
    sizes = [(33, 17), (160, 120)] + [(640, 480)] * cases.full
    for width, height in sizes:
        k = intrinsics(width, height)
        for depth in ("uint16", "float32"):
            for color in ("uint8", "float32"):
                # Such images only go together with each other.
                if (depth, color) not in (("uint16", "uint8"), ("float32", "float32")):
                    continue

                def grid(d):
                    kinds = (core.float32, core.uint16, core.uint16) if color == "uint8" else (core.float32,) * 3
                    made = geometry.VoxelBlockGrid(
                        ("tsdf", "weight", "color"), kinds, ((1,), (1,), (3,)), 0.02, 8, 2000, d
                    )
                    for shift in (0.0, 0.01, 0.02, 0.03):
                        images = (
                            depth_image(d, width, height, shift, depth),
                            color_image(d, width, height, shift, color),
                        )
                        blocks = made.compute_unique_block_coordinates(images[0], k, pose(shift))
                        made.integrate(blocks, *images, k, k, pose(shift))
                    return made

                size = f"{depth} {color} {width}x{height}"
                both(
                    cases,
                    f"unique blocks of depth {size}",
                    lambda d: ordered(
                        geometry.VoxelBlockGrid(
                            ("tsdf",), (core.float32,), ((1,),), 0.02, 8, 2000, d
                        ).compute_unique_block_coordinates(depth_image(d, width, height, kind=depth), k, pose())
                    ),
                )

                def volumes(d):
                    made = grid(d)
                    there = made.hashmap().active_buf_indices().to(core.int64)
                    return ordered(
                        made.hashmap().key_tensor()[there],
                        *[made.attribute(name)[there] for name in ("tsdf", "weight", "color")],
                    )

                both(cases, f"integrate {size}", volumes, 1e-3)
                both(
                    cases,
                    f"extract_point_cloud {size}",
                    lambda d: sorted_cloud(grid(d).extract_point_cloud(), "colors"),
                    1e-3,
                )
                both(
                    cases,
                    f"extract_triangle_mesh {size}",
                    lambda d: [
                        ordered(grid(d).extract_triangle_mesh().vertex.positions),
                        grid(d).extract_triangle_mesh().triangle.indices.shape,
                    ],
                    1e-3,
                )

                def seen(d):
                    made = grid(d)
                    blocks = made.compute_unique_block_coordinates(depth_image(d, width, height, kind=depth), k, pose())
                    result = made.ray_cast(
                        blocks, k, pose(), width, height, ["depth", "vertex", "color", "normal"], weight_threshold=1.0
                    )
                    return {name: result[name] for name in ("depth", "vertex", "color", "normal")}

                both(cases, f"ray_cast {size}", seen, 1e-2)

                def coordinates(d):
                    made = grid(d)
                    both_of_them, indices = made.voxel_coordinates_and_flattened_indices()
                    return [
                        *ordered(both_of_them, made.attribute("tsdf").reshape((-1,))[indices]),
                        made.voxel_indices().shape,
                        *ordered(made.voxel_coordinates(made.voxel_indices()).T()),
                    ]

                both(cases, f"coordinates {size}", coordinates, 1e-3)

                def saved(d):
                    with tempfile.TemporaryDirectory() as folder:
                        file = str(Path(folder) / "grid.npz")
                        grid(d).save(file)
                        return sorted_cloud(geometry.VoxelBlockGrid.load(file).to(d).extract_point_cloud())

                both(cases, f"save, load {size}", saved, 1e-3)
    both(
        cases,
        "unique blocks of points",
        lambda d: ordered(
            geometry.VoxelBlockGrid(
                ("tsdf",), (core.float32,), ((1,),), 0.05, 16, 20_000, d
            ).compute_unique_block_coordinates(cloud(d, 5000))
        ),
    )


def rays(cases):
    def made(d):
        scene = geometry.RaycastingScene(device=d)
        scene.add_triangles(sphere(d))
        box = geometry.TriangleMesh.create_box(device=d).translate(Tensor([1.5, 0, 0], core.float32, d))
        scene.add_triangles(box.vertex.positions, box.triangle.indices.to(core.uint32))
        return scene

    for n in (1, 1000):
        generator = random("rays", n)
        lines = np.concatenate([generator.uniform(-3, -2, (n, 3)), generator.uniform(0.3, 1, (n, 3))], axis=1).astype(
            np.float32
        )
        points = generator.uniform(-2, 2, (n, 3)).astype(np.float32)
        both(
            cases,
            f"cast_rays {n}",
            lambda d: {
                key: value
                for key, value in made(d).cast_rays(Tensor(lines, device=d)).items()
                if key != "primitive_uvs"
            },
            1e-3,
        )
        for way in ("test_occlusions", "count_intersections"):
            both(cases, f"{way} {n}", lambda d: getattr(made(d), way)(Tensor(lines, device=d)))
        both(
            cases,
            f"list_intersections {n}",
            lambda d: made(d).list_intersections(Tensor(lines, device=d))["ray_splits"],
        )
        for way in ("compute_distance", "compute_signed_distance", "compute_occupancy"):
            both(cases, f"{way} {n}", lambda d: getattr(made(d), way)(Tensor(points, device=d)), 1e-3)
        both(
            cases,
            f"compute_closest_points {n}",
            lambda d: made(d).compute_closest_points(Tensor(points, device=d))["points"],
            1e-3,
        )
    both(
        cases,
        "create_rays_pinhole",
        lambda d: geometry.RaycastingScene.create_rays_pinhole(
            60, Tensor([0.0, 0, 0]), Tensor([0.0, 0, 3]), Tensor([0.0, 1, 0]), 16, 12
        ),
        1e-4,
    )


GROUPS = {"meshes": meshes, "lines": lines_and_boxes, "voxels": voxels, "rays": rays}
