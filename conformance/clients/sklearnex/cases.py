# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Estimators of scikit-learn-intelex against scikit-learn's. run.py starts it in the client's Python."""

import ctypes
import logging
import os
import sys
from pathlib import Path

# Before the first import: the estimators that are previews, too, and inputs that are no NumPy arrays.
os.environ["SKLEARNEX_PREVIEW"] = os.environ["SCIPY_ARRAY_API"] = "1"
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))

import dpnp  # noqa: E402
import numpy as np  # noqa: E402
import sklearnex  # noqa: E402
from cases import Cases, random  # noqa: E402

KINDS = ("float32", "float64")
PREVIEWS = ("ElasticNet", "EmpiricalCovariance", "IncrementalPCA", "Lasso", "MaxAbsScaler")


class Log(logging.Handler):
    """Where scikit-learn-intelex says which calls it leaves to scikit-learn."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


LOG = Log()
logging.getLogger("sklearnex").setLevel(logging.INFO)
logging.getLogger("sklearnex").addHandler(LOG)


def plain(value):
    """NumPy arrays of arrays in a device's memory."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return dpnp.asnumpy(value) if hasattr(value, "sycl_queue") else np.asarray(value)


def estimator(library, path, *arguments, **options):
    """An estimator of `sklearnex` or `sklearn`."""
    module, name = path.rsplit(".", 1)
    if library == "sklearnex" and name in PREVIEWS:
        library = "sklearnex.preview"
    return getattr(__import__(f"{library}.{module}", fromlist=[name]), name)(*arguments, **options)


def both(cases, name, path, use, tolerance, original=None, memory=True, **options):
    """Cases: what `use` makes of the estimator, of NumPy arrays and, unless the estimator takes no others, of arrays in
    the device's memory."""

    def ours(convert, **config):
        LOG.lines.clear()
        with sklearnex.config_context(**config):
            result = plain(use(estimator("sklearnex", path, **options), convert))
        left = [line for line in LOG.lines if "fallback" in line.lower()]
        if left:
            raise RuntimeError(f"not by oneDAL: {left[0]}")
        if not LOG.lines:
            raise AssertionError("oneDAL was not called")
        return result

    def theirs():
        return plain(use(estimator("sklearn", original or path, **options), np.asarray))

    cases.case(name, lambda: ours(np.asarray, target_offload=cases.device), theirs, tolerance)
    if memory:
        cases.case(
            f"{name}, in the device's memory", lambda: ours(dpnp.asarray, array_api_dispatch=True), theirs, tolerance
        )


def on_gpu(cases):
    return cases.device.endswith("gpu")


def shapes(cases):
    return [(7, 3), (101, 5), (1000, 17)] + [(20_011, 33)] * cases.full


def table(kind, rows, columns, seed=0):
    """Points around three centres, and numbers and classes that depend on them."""
    generator = random("table", rows, columns, seed)
    group = np.arange(rows) % 3
    values = generator.normal(0, 1, (rows, columns)) + 6 * np.eye(3, columns)[group]
    weights = np.linspace(-1, 2, columns)
    return values.astype(kind), (values @ weights + 3 + generator.normal(0, 0.1, rows)).astype(kind), group


def sized(cases):
    """All kinds and sizes, with the name of a case and the tolerance."""
    for kind in KINDS:
        for rows, columns in shapes(cases):
            yield kind, f"{kind} {rows}x{columns}", 2e-3 if kind == "float32" else 1e-7, table(kind, rows, columns)


def linear(cases):
    for kind, size, tolerance, (x, y, group) in sized(cases):
        two = (group > 0).astype(np.int64)

        def regression(e, to):
            e.fit(to(x), to(y))
            return [e.coef_, e.intercept_, e.predict(to(x))]

        for intercept in (True, False):
            if len(x) > x.shape[1] + 2:
                both(
                    cases,
                    f"LinearRegression {intercept} {size}",
                    "linear_model.LinearRegression",
                    regression,
                    tolerance,
                    fit_intercept=intercept,
                )
            both(
                cases,
                f"Ridge {intercept} {size}",
                "linear_model.Ridge",
                regression,
                tolerance,
                fit_intercept=intercept,
                alpha=0.7,
            )
        loose = max(tolerance, 1e-3)
        both(cases, f"Lasso {size}", "linear_model.Lasso", regression, loose, memory=False, alpha=0.05, tol=1e-8)
        both(
            cases,
            f"ElasticNet {size}",
            "linear_model.ElasticNet",
            regression,
            loose,
            memory=False,
            alpha=0.05,
            tol=1e-8,
        )
        for path, original in (("IncrementalLinearRegression", "LinearRegression"), ("IncrementalRidge", "Ridge")):
            if len(x) > x.shape[1] + 2:
                both(cases, f"{path} {size}", f"linear_model.{path}", regression, tolerance, f"linear_model.{original}")

        def classes(e, to):
            e.fit(to(x), to(two))
            return [e.coef_, e.intercept_, e.predict(to(x)), e.predict_proba(to(x))]

        both(
            cases,
            f"LogisticRegression {size}",
            "linear_model.LogisticRegression",
            classes,
            1e-2,
            solver="newton-cg",
            tol=1e-8,
        )


def decomposition(cases):
    for kind, size, tolerance, (x, _, _) in sized(cases):
        count = 2

        def components(e, to):
            e.fit(to(x))
            # The signs of the components are free.
            return [
                e.mean_,
                e.explained_variance_,
                e.explained_variance_ratio_,
                e.singular_values_,
                np.abs(plain(e.components_)),
                np.abs(plain(e.transform(to(x)))),
            ]

        for solver in ("full", "covariance_eigh"):
            both(
                cases,
                f"PCA {solver} {size}",
                "decomposition.PCA",
                components,
                10 * tolerance,
                n_components=count,
                svd_solver=solver,
            )

        def some(e, to):
            e.fit(to(x))
            return [e.mean_, e.explained_variance_, e.singular_values_, np.abs(plain(e.components_))]

        both(
            cases,
            f"IncrementalPCA {size}",
            "decomposition.IncrementalPCA",
            some,
            max(0.05, tolerance),
            n_components=count,
        )

        def covariance(e, to):
            e.fit(to(x))
            return [e.covariance_, e.location_]

        both(cases, f"EmpiricalCovariance {size}", "covariance.EmpiricalCovariance", covariance, tolerance)
        both(
            cases,
            f"IncrementalEmpiricalCovariance {size}",
            "covariance.IncrementalEmpiricalCovariance",
            covariance,
            tolerance,
            "covariance.EmpiricalCovariance",
        )


def statistics(cases):
    def expected(x):
        double = x.astype(np.float64)
        return [
            double.min(0),
            double.max(0),
            double.sum(0),
            double.mean(0),
            double.var(0, ddof=1),
            double.std(0, ddof=1),
            (double**2).sum(0),
            ((double - double.mean(0)) ** 2).sum(0),
        ]

    names = ["min", "max", "sum", "mean", "variance", "standard_deviation", "sum_squares", "sum_squares_centered"]
    for kind, size, tolerance, (x, _, _) in sized(cases):
        for name in ("BasicStatistics", "IncrementalBasicStatistics"):

            def found():
                with sklearnex.config_context(target_offload=cases.device):
                    made = estimator("sklearnex", f"basic_statistics.{name}", result_options=names)
                    if name.startswith("Incremental"):
                        for part in np.array_split(x, 2):
                            made.partial_fit(part)
                    else:
                        made.fit(x)
                    return plain([getattr(made, f"{option}_") for option in names])

            cases.case(f"{name} {size}", found, lambda: expected(x), tolerance)
        both(
            cases,
            f"MaxAbsScaler {size}",
            "preprocessing.MaxAbsScaler",
            lambda e, to: e.fit(to(x)).transform(to(x)),
            tolerance,
        )


def neighbours(cases):
    for kind, size, tolerance, (x, y, group) in sized(cases):
        queries = table(kind, 50, x.shape[1], 1)[0]
        k = min(5, len(x))
        for metric in ("euclidean", "manhattan", "minkowski", "chebyshev", "cosine"):
            both(
                cases,
                f"NearestNeighbors {metric} {size}",
                "neighbors.NearestNeighbors",
                lambda e, to: list(e.fit(to(x)).kneighbors(to(queries))),
                tolerance,
                n_neighbors=k,
                algorithm="brute",
                metric=metric,
            )
        for weights in ("uniform", "distance"):
            both(
                cases,
                f"KNeighborsClassifier {weights} {size}",
                "neighbors.KNeighborsClassifier",
                lambda e, to: [e.fit(to(x), to(group)).predict(to(queries)), e.predict_proba(to(queries))],
                tolerance,
                n_neighbors=k,
                weights=weights,
                algorithm="brute",
            )
            both(
                cases,
                f"KNeighborsRegressor {weights} {size}",
                "neighbors.KNeighborsRegressor",
                lambda e, to: e.fit(to(x), to(y)).predict(to(queries)),
                # On GPUs the result is float, whatever the points are.
                max(tolerance, 1e-6) if on_gpu(cases) else tolerance,
                n_neighbors=k,
                weights=weights,
                algorithm="brute",
            )
        both(
            cases,
            f"LocalOutlierFactor {size}",
            "neighbors.LocalOutlierFactor",
            lambda e, to: [e.fit_predict(to(x)), e.negative_outlier_factor_],
            max(tolerance, 1e-4),
            n_neighbors=k,
            algorithm="brute",
        )


def clusters(cases):
    for kind, size, tolerance, (x, _, _) in sized(cases):
        start = x[:3]

        def means(e, to):
            e.fit(to(x))
            return [e.labels_, e.cluster_centers_, e.inertia_, e.n_iter_ > 0, e.predict(to(x))]

        both(cases, f"KMeans {size}", "cluster.KMeans", means, tolerance, n_clusters=3, init=start, n_init=1)
        if len(x) > 100:

            def spread(e, to):
                e.fit(to(x))
                return np.round(e.inertia_ / len(x), 1)

            both(
                cases,
                f"KMeans, k-means++ {size}",
                "cluster.KMeans",
                spread,
                0.02,
                n_clusters=3,
                n_init=5,
                random_state=7,
            )
        both(
            cases,
            f"DBSCAN {size}",
            "cluster.DBSCAN",
            lambda e, to: [e.fit(to(x)).labels_, e.core_sample_indices_],
            None,
            eps=1.1 * x.shape[1] ** 0.5,
            min_samples=3,
        )


def vectors(cases):
    for kind, size, _, (x, y, group) in sized(cases):
        if len(x) > 2000 or len(x) < 50:
            continue
        x = (x / 4).astype(kind)
        for kernel in ("linear", "rbf", "poly") if len(x) < 500 or cases.full else ("rbf",):
            options = {"kernel": kernel, "gamma": 0.2, "coef0": 0.1, "tol": 1e-4}
            two = (group > 0).astype(np.int64)
            both(
                cases,
                f"SVC {kernel} {size}",
                "svm.SVC",
                lambda e, to: [e.fit(to(x), to(two)).predict(to(x)), e.decision_function(to(x))],
                2e-2,
                **options,
            )
            both(
                cases,
                f"SVR {kernel} {size}",
                "svm.SVR",
                lambda e, to: e.fit(to(x), to(y / 10)).predict(to(x)),
                2e-2,
                **options,
            )
            both(
                cases,
                f"NuSVC {kernel} {size}",
                "svm.NuSVC",
                lambda e, to: e.fit(to(x), to(two)).predict(to(x)),
                None,
                nu=0.2,
                **options,
            )
            both(
                cases,
                f"NuSVR {kernel} {size}",
                "svm.NuSVR",
                lambda e, to: e.fit(to(x), to(y / 10)).predict(to(x)),
                2e-2,
                **options,
            )
        both(
            cases,
            f"SVC of three {size}",
            "svm.SVC",
            lambda e, to: e.fit(to(x), to(group)).predict(to(x)),
            None,
            gamma=0.2,
        )


def forests(cases):
    """Trees are drawn by other random numbers, so it is how well they fit that is compared."""
    for kind, size, _, (x, y, group) in sized(cases):
        if len(x) < (100 if on_gpu(cases) else 500):
            continue
        # On GPUs oneDAL gives each node work-groups of the largest size, whatever is in it: few and small trees.
        few = {"n_estimators": 5, "max_depth": 4} if on_gpu(cases) else {"n_estimators": 20}
        for name in ("RandomForest", "ExtraTrees"):

            def right(e, to):
                share = np.mean(plain(e.fit(to(x), to(group)).predict(to(x))) == group)
                return share if on_gpu(cases) else share > 0.97

            def unexplained(e, to):
                share = np.mean((plain(e.fit(to(x), to(y)).predict(to(x))) - y) ** 2) / np.var(y)
                return share if on_gpu(cases) else share < 0.1

            most = 0.15 if on_gpu(cases) else None
            for task, quality in (("Classifier", right), ("Regressor", unexplained)):
                both(cases, f"{name}{task} {size}", f"ensemble.{name}{task}", quality, most, random_state=7, **few)


def rest(cases):
    for kind, size, tolerance, (x, y, group) in sized(cases):

        def function(path, *arguments, **options):
            module, name = path.rsplit(".", 1)

            def call(library):
                with sklearnex.config_context(target_offload=cases.device if library == "sklearnex" else "auto"):
                    return plain(
                        getattr(__import__(f"{library}.{module}", fromlist=[name]), name)(*arguments, **options)
                    )

            return lambda: call("sklearnex"), lambda: call("sklearn")

        for metric in ("cosine", "correlation"):
            cases.case(
                f"pairwise_distances {metric} {size}",
                *function("metrics.pairwise_distances", x[:500], metric=metric),
                tolerance,
            )
        cases.case(f"roc_auc_score {size}", *function("metrics.roc_auc_score", group > 0, y), tolerance)
        cases.case(
            f"train_test_split {size}", *function("model_selection.train_test_split", x, y, random_state=7), None
        )
        if len(x) == 101:

            def quality(library):
                with sklearnex.config_context(target_offload=cases.device if library == "sklearnex" else "auto"):
                    made = estimator(library, "manifold.TSNE", init="pca", random_state=7, max_iter=300)
                    from sklearn.manifold import trustworthiness

                    return trustworthiness(x, plain(made.fit_transform(x))) > 0.9

            cases.case(f"TSNE {size}", lambda: quality("sklearnex"), lambda: quality("sklearn"), None)


def memory(cases):
    """What oneDAL computes on the device from memory that it has not written (docs/known-issues.md)."""
    # Where the memory is not the host's, nothing fills it.
    fill = getattr(ctypes.CDLL(None), "fresh_memory_is", None)
    if not on_gpu(cases) or not fill:
        return
    x = table("float32", 101, 5)[0]

    def in_used_memory():
        fill(0xFF)
        try:
            with sklearnex.config_context(target_offload=cases.device):
                return plain(ratio("sklearnex"))
        finally:
            fill(0)

    def ratio(library):
        made = estimator(library, "decomposition.PCA", n_components=2, svd_solver="covariance_eigh")
        return made.fit(x).explained_variance_ratio_

    cases.case("PCA float32 in memory that was in use before", in_used_memory, lambda: ratio("sklearn"), 2e-3)


GROUPS = {
    "linear": linear,
    "decomposition": decomposition,
    "statistics": statistics,
    "neighbours": neighbours,
    "clusters": clusters,
    "vectors": vectors,
    "forests": forests,
    "rest": rest,
    "memory": memory,
}

Cases(GROUPS, "not by oneDAL")
