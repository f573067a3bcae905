# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Open3D's searches for neighbours, against its CPU code and all distances by NumPy."""

import numpy as np
from cases import random
from data import Tensor, both, cloud_points, core

Search = core.nns.NearestNeighborSearch
SIZES = [(1, 1), (5, 3), (1000, 100), (10_000, 257)]


def points_of(name, n, dimensions=3, seed=0):
    if dimensions == 3:
        return cloud_points(n, seed).astype(name)
    return random("points", n, dimensions, seed).uniform(-2, 2, (n, dimensions)).astype(name)


def distances(points, queries):
    return ((queries.astype(np.float64)[:, None] - points.astype(np.float64)[None]) ** 2).sum(axis=2)


def knn(cases):
    for name in ("float32", "float64"):
        for n, count in [*SIZES, (50_000, 500)] if cases.full else SIZES:
            for k in (1, 3, 30, 100):
                points, queries = points_of(name, n), points_of(name, count, seed=1)

                def search(d):
                    found = Search(Tensor(points, device=d))
                    found.knn_index()
                    indices, squares = found.knn_search(Tensor(queries, device=d), k)
                    # Which of two at the same distance is found is not said.
                    return [squares, np.sum((points[indices.cpu().numpy()] - queries[:, None]) ** 2, axis=2)]

                def reference():
                    return [np.sort(distances(points, queries))[:, :k]] * 2

                both(
                    cases,
                    f"knn {name} {n} {count} {k}",
                    search,
                    1e-4 if name == "float32" else 1e-9,
                    reference if n * count < 3_000_000 else None,
                )
        for dimensions in (1, 2, 4, 8, 33):
            points, queries = points_of(name, 1000, dimensions), points_of(name, 50, dimensions, 1)

            def search(d):
                found = Search(Tensor(points, device=d))
                found.knn_index()
                return found.knn_search(Tensor(queries, device=d), 5)[1]

            both(
                cases,
                f"knn in {dimensions} dimensions {name}",
                search,
                1e-5,
                lambda: np.sort(distances(points, queries))[:, :5],
            )

        def narrow(d):
            found = Search(Tensor(points_of(name, 500), device=d), core.int32)
            found.knn_index()
            return list(found.knn_search(Tensor(points_of(name, 50), device=d), 4))

        both(cases, f"knn with int32 indices {name}", narrow, 1e-5)


def neighbours(values, splits):
    """The neighbours of each query, in the order of their numbers."""
    values, splits = values.cpu().numpy(), splits.cpu().numpy()
    return [splits] + [np.sort(values[a:b]) for a, b in zip(splits, splits[1:])]


def radius(cases):
    for name in ("float32", "float64"):
        for n, count in [*SIZES, (50_000, 500)] if cases.full else SIZES:
            for distance in (0.05, 0.3, 1.0):
                points, queries = points_of(name, n), points_of(name, count, seed=1)

                def search(d):
                    found = Search(Tensor(points, device=d))
                    found.fixed_radius_index(distance)
                    indices, squares, splits = found.fixed_radius_search(Tensor(queries, device=d), distance, True)
                    return [neighbours(indices, splits), squares]

                def reference():
                    near = distances(points, queries)
                    inside = near <= distance**2
                    splits = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
                    return [
                        splits,
                        *[np.flatnonzero(row) for row in inside],
                        np.concatenate([np.sort(a[i]) for a, i in zip(near, inside)]),
                    ]

                both(
                    cases,
                    f"radius {name} {n} {count} {distance}",
                    search,
                    1e-5,
                    reference if n * count < 2_000_000 else None,
                )

                def unsorted(d):
                    found = Search(Tensor(points, device=d))
                    found.fixed_radius_index(distance)
                    indices, squares, splits = found.fixed_radius_search(Tensor(queries, device=d), distance, False)
                    return [neighbours(indices, splits), neighbours(squares, splits)]

                both(cases, f"radius, unsorted {name} {n} {count} {distance}", unsorted, 1e-5)

        def several(d):
            points = points_of(name, 500)
            found = Search(Tensor(points, device=d))
            found.multi_radius_index()
            radii = np.linspace(0.1, 0.6, 50).astype(name)
            indices, squares, splits = found.multi_radius_search(Tensor(points[:50], device=d), Tensor(radii, device=d))
            return [neighbours(indices, splits), squares]

        both(cases, f"several radii {name}", several, 1e-5)


def hybrid(cases):
    for name in ("float32", "float64"):
        for n, count in [*SIZES, (50_000, 500)] if cases.full else SIZES:
            for distance, most in ((0.1, 1), (0.3, 8), (1.0, 64)):
                points, queries = points_of(name, n), points_of(name, count, seed=1)

                def search(d):
                    found = Search(Tensor(points, device=d))
                    found.hybrid_index(distance)
                    return list(found.hybrid_search(Tensor(queries, device=d), distance, most))[1:]

                def reference():
                    near = np.sort(distances(points, queries))[:, :most]
                    near = np.pad(near, ((0, 0), (0, most - near.shape[1])), constant_values=np.inf)
                    return [np.where(near <= distance**2, near, 0), (near <= distance**2).sum(axis=1)]

                both(
                    cases,
                    f"hybrid {name} {n} {count} {distance} {most}",
                    search,
                    1e-5,
                    reference if n * count < 2_000_000 else None,
                )

        def indices(d):
            points = points_of(name, 2000)
            found = Search(Tensor(points, device=d))
            found.hybrid_index(0.3)
            return found.hybrid_search(Tensor(points, device=d), 0.3, 10)[0]

        both(cases, f"hybrid, indices {name}", indices)


GROUPS = {"knn": knn, "radius": radius, "hybrid": hybrid}
