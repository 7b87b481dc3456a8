"""Calls of `skimage.measure`: labels, moments, shapes, polygons."""

import numpy as np
from skimage.measure import CircleModel, EllipseModel, LineModelND
from skimage.transform import (
    AffineTransform,
    EssentialMatrixTransform,
    EuclideanTransform,
    FundamentalMatrixTransform,
    PiecewiseAffineTransform,
    PolynomialTransform,
    ProjectiveTransform,
    SimilarityTransform,
)

from ..inputs import COLOR, LABELS, MASK, PHOTO, VOLUME, VOLUME_LABELS, VOLUME_MASK, Input
from ..sweep import Bound, Sweep

BYTES = PHOTO.cast("uint8")
PLATEAUS = Input("plateaus")
FOUR = Input("smooth", (5, 6, 7, 4))
# closed, open, and folded polygons
SQUARE = np.array([[0, 0], [0, 10], [10, 10], [10, 0], [0, 0]])
NOISE = Input("noise", (11, 12, 13))
FACES = np.random.default_rng(3).integers(0, 90, (700, 3))
PATH = np.array([[0, 0], [1, 0.1], [2, -0.1], [3, 5], [4, 6], [5, 7], [6, 8.1], [7, 9], [9, 9.0]])
POINTS = Input("noise", (50, 2))
OTHER_POINTS = Input("photo", (50, 2))
SPACINGS = [1, 0.5, (0.5, 2), np.array([0.5, 2]), (1, 2, 3)]


def no_library_has_this(blocks, axis):
    """A function that a user wrote."""
    return blocks.max(axis) - blocks.min(axis)


def _is_spread(points):
    return np.ptp(points) > 0.1


def _is_steep(model, points):
    return abs(model.direction[1]) > 0.3


SWEEPS = (
    Sweep(
        "skimage.measure:label",
        {"label_image": MASK},
        vary={
            "background": [0, 1, -1, 3],
            "return_num": [True],
            "connectivity": [1, 2, 0, 3, None],
            "label_image": [
                LABELS,
                PLATEAUS.cast("uint8"),
                Input("smooth", (41, 53), "int8"),
                VOLUME_MASK,
                VOLUME_LABELS,
                Input("mask", (40,)),
                Input("mask", (1, 40)),
                Input("labels", (9, 8, 1)),
                Input("mask", (6, 7, 8, 9)),
                Input("noise", (41, 53), "bool"),
                Input("constant", (9, 8), "int32"),
            ],
        },
        also=(
            {"label_image": PLATEAUS.cast("uint8"), "background": 0, "return_num": True},
            {"label_image": LABELS, "background": 2, "connectivity": 1},
            {"label_image": LABELS, "background": -1},
            {"label_image": Input("signed", (41, 53), "int16"), "background": 7},
            {"label_image": VOLUME_MASK, "connectivity": 1, "return_num": True},
            {"label_image": VOLUME_MASK, "connectivity": 2},
        ),
    ),
    Sweep(
        "skimage.measure:marching_cubes",
        {"volume": VOLUME},
        vary={
            "level": [0.25, 0.5, -3, 1, float("nan"), float("inf"), 2],
            "spacing": [(1, 1, 2.5), [1, 1, 1], (2, 3, 4), np.array([0.5, 2, 1]), (1, 2)],
            "gradient_direction": ["ascent", "no such"],
            "step_size": [2, 3, 2.5, 12, 40, 0],
            "allow_degenerate": [False],
            "method": ["lorensen", "no such"],
            "mask": [
                VOLUME_MASK,
                VOLUME_MASK.cast("uint8"),
                VOLUME_MASK.cast("int32"),
                Input("mask", (13, 17, 18)),
                Input("zeros", (13, 17, 19), "bool"),
            ],
            "volume": [
                Input("noise", (9, 8, 7)),
                Input("noise", (2, 2, 2)),
                Input("noise", (2, 40, 2)),
                Input("signed", (12, 13, 14), "float32"),
                Input("mask", (12, 13, 14)),
                Input("labels", (12, 13, 14)),
                Input("constant", (5, 6, 7)),
                Input("noise", (1, 9, 9)),
                Input("noise", (9, 9)),
                Input("noise", (4, 5, 6, 3)),
                VOLUME.strided(),
            ],
        },
        also=(
            {"volume": Input("labels", (12, 13, 14)), "level": 2, "allow_degenerate": False},
            {"volume": Input("plateaus", (12, 13, 14), "uint8"), "allow_degenerate": False},
            {"allow_degenerate": False, "spacing": (1, 1, 3), "gradient_direction": "ascent"},
            {
                "volume": Input("noise", (11, 12, 13)),
                "step_size": 2,
                "mask": Input("mask", (11, 12, 13)),
            },
            {"volume": NOISE, "method": "lorensen", "level": 0.7},
            {"volume": VOLUME.strided(), "mask": VOLUME_MASK.strided()},
        ),
    ),
    Sweep(
        "skimage.measure:mesh_surface_area",
        {"verts": Input("noise", (90, 3)), "faces": FACES},
        vary={
            "verts": [
                Input("noise", (90, 3), "float32"),
                Input("noise", (90, 3), "int32"),
                Input("noise", (90, 3), "float16"),
                Input("noise", (90, 2)),
                Input("noise", (20, 3)),
            ],
            "faces": [
                FACES[::-1],
                FACES[:1],
                FACES[:0],
                FACES - 90,
                FACES.astype("int32"),
                FACES.astype("uint8"),
                FACES.astype("uint64"),
                FACES[:, :2],
                np.hstack([FACES, FACES]),
                np.asfortranarray(FACES),
            ],
        },
        dtypes=("float32", "float64"),
    ),
    Sweep(
        "skimage.measure:ransac",
        {
            "data": POINTS,
            "model_class": LineModelND,
            "min_samples": 2,
            "residual_threshold": 0.1,
            "rng": 1,
        },
        vary={
            "data": [
                POINTS.cast("float32"),
                Input("noise", (50, 3)),
                Input("noise", (50, 4)),
                Input("noise", (50, 1)),
                Input("noise", (0, 2)),
                Input("labels", (50, 2)),
                POINTS.strided(),
            ],
            "model_class": [CircleModel, EllipseModel],
            "min_samples": [5, 50, 0, 51, 2.5],
            "residual_threshold": [0, 0.01, 10, np.float32(0.2), np.inf, -1],
            "is_data_valid": [_is_spread],
            "is_model_valid": [_is_steep],
            "max_trials": [1, 0, 1000, 2.5, -1],
            "stop_sample_num": [5, 0, np.int64(20)],
            "stop_residuals_sum": [3, 1e9],
            "stop_probability": [0.5, 0.99, 0, 2],
            "rng": [5, np.int64(9)],
            "initial_inliers": [np.arange(50) % 3 > 0, np.ones(9, bool)],
            "model_kwargs": [{}, None, {"no_such": 1}, 3],
        },
        also=(
            *(
                {"data": (POINTS, OTHER_POINTS), "model_class": each, "min_samples": 9}
                for each in (
                    EuclideanTransform,
                    SimilarityTransform,
                    AffineTransform,
                    ProjectiveTransform,
                    PiecewiseAffineTransform,
                    PolynomialTransform,
                    FundamentalMatrixTransform,
                    EssentialMatrixTransform,
                )
            ),
            {"model_class": CircleModel, "min_samples": 3, "stop_probability": 0.9},
        ),
    ),
    Sweep(
        "skimage.measure:find_contours",
        {"image": PHOTO, "level": 0.5},
        vary={
            "level": [None, 0.25, 0, 1, -2.5, np.nan, np.inf, np.float32(0.3)],
            "fully_connected": ["low", "high"],
            "positive_orientation": ["low", "high"],
            "mask": [None, Input("mask", (41, 53)), Input("mask", (41, 53), "bool")],
            "image": [
                LABELS,
                MASK,
                VOLUME,
                Input("photo", (1, 40)),
                Input("photo", (2, 2)),
                Input("photo", (2, 40)),
                Input("photo", (40,)),
                Input("noise", (30, 1100)),
                Input("constant", (9, 8), "int32"),
            ],
        },
        also=(
            {"image": BYTES, "level": 100},
            {"image": BYTES, "level": None, "positive_orientation": "high"},
            {"image": PLATEAUS.cast("uint8"), "level": 3, "fully_connected": "high"},
            {"image": LABELS, "level": 2, "mask": Input("mask", (41, 53), "bool")},
            {"image": Input("noise", (41, 53)), "level": 0.5, "fully_connected": "high"},
        ),
    ),
    *(
        Sweep(
            f"skimage.measure:{name}",
            {"image": MASK},
            vary={
                parameter: values,
                "image": [LABELS, PHOTO, VOLUME_MASK, Input("mask", (1, 40)), Input("mask", (40,))],
            },
            also=tuple({"image": VOLUME_MASK, parameter: value} for value in values),
        )
        for name, parameter, values in (
            ("euler_number", "connectivity", [1, 2, 3, 4, None]),
            ("perimeter", "neighborhood", [4, 8, 6]),
            ("perimeter_crofton", "directions", [2, 4, 3]),
        )
    ),
    *(
        Sweep(
            f"skimage.measure:{name}",
            {"image": PHOTO},
            vary={
                **more,
                "spacing": SPACINGS,
                "image": [MASK, VOLUME, FOUR, Input("photo", (1, 40)), Input("photo", (40,))],
            },
            also=({"image": VOLUME, "spacing": (0.5, 1, 2)},),
            bound=Bound("sums of powers of coordinates in single precision", single=1e-4),
        )
        for name, more in (
            ("moments", {"order": [0, 1, 2, 4]}),
            ("moments_central", {"order": [0, 1, 2, 4], "center": [(0, 0), (20, 25.5), (1, 2, 3)]}),
            ("centroid", {}),
            ("inertia_tensor", {"mu": [Input("noise", (4, 4)), Input("noise", (3, 3))]}),
            (
                "inertia_tensor_eigvals",
                {"mu": [Input("noise", (4, 4))], "T": [np.array([[2.0, 0.5], [0.5, 3.0]])]},
            ),
        )
    ),
    Sweep(
        "skimage.measure:moments_coords",
        {"coords": POINTS},
        vary={"order": [0, 1, 2, 4], "coords": [Input("noise", (50, 3)), Input("noise", (1, 2))]},
    ),
    Sweep(
        "skimage.measure:moments_coords_central",
        {"coords": POINTS},
        vary={
            "order": [0, 1, 2, 4],
            "center": [(0, 0), (0.3, 0.4), np.array([0.3, 0.4])],
            "coords": [Input("noise", (50, 3)), Input("noise", (1, 2))],
        },
    ),
    Sweep(
        "skimage.measure:points_in_poly",
        {"points": Input("counts", (60, 2)), "verts": Input("counts", (7, 2))},
        vary={
            "points": [Input("noise", (40, 2)), Input("counts", (60, 3)), Input("zeros", (0, 2))],
            "verts": [
                Input("noise", (5, 2)),
                Input("counts", (4, 3)),
                Input("counts", (1, 2)),
                Input("counts", (4, 1)),
                Input("counts", (4,)),
                Input("constant", (9, 2)),
            ],
        },
    ),
    Sweep(
        "skimage.measure:grid_points_in_poly",
        {"shape": (21, 25), "verts": Input("counts", (7, 2))},
        vary={
            "shape": [[21, 25], np.array([21, 25]), (21, 25, 3), (0, 5), (-1, 5), (5.5, 5), 5],
            "verts": [Input("noise", (5, 2)), Input("counts", (4, 3)), Input("counts", (1, 2))],
            "binarize": [False],
        },
        also=({"verts": Input("noise", (5, 2)), "binarize": False},),
    ),
    Sweep(
        "skimage.measure:block_reduce",
        {"image": PHOTO, "block_size": (2, 3)},
        vary={
            "block_size": [2, [2, 3], (1, 5), (50, 60), (2, 3, 4), (0, 1), (2.5, 2)],
            "func": [
                np.sum,
                np.mean,
                np.max,
                np.min,
                np.median,
                np.std,
                np.var,
                np.prod,
                np.any,
                no_library_has_this,
            ],
            "cval": [0.7, 5],
            "func_kwargs": [{"dtype": "float32"}, {}],
            "image": [VOLUME, COLOR, MASK],
        },
        also=(
            {"image": BYTES, "func": np.mean},
            {"image": BYTES, "func": np.max, "cval": 300},
            {"image": BYTES, "func": np.median},
            {"image": COLOR, "block_size": (2, 3, 1), "func": np.max},
            {"image": PHOTO.cast("float32"), "func": np.std},
        ),
    ),
    Sweep(
        "skimage.measure:profile_line",
        {"image": PHOTO, "src": (5, 8), "dst": (30, 44.5)},
        vary={
            "src": [[5, 8], np.array([5.0, 8.0]), (30, 44.5), (-5, 60)],
            "linewidth": [2, 5, 0],
            "order": [0, 1, 2, 3, 4, 5, 6],
            "mode": ["constant", "nearest", "reflect", "mirror", "wrap", "no such"],
            "cval": [0.7],
            "reduce_func": [np.mean, np.max, np.sum, np.median, None, no_library_has_this],
            "image": [COLOR, BYTES, MASK],
        },
        also=(
            {"linewidth": 3, "reduce_func": np.max},
            {"linewidth": 3, "reduce_func": None},
            {"linewidth": 3, "image": COLOR, "reduce_func": np.max},
            {"src": (-5, 60), "mode": "constant", "cval": 0.7},
            {"src": (-5, 60), "mode": "wrap"},
            {"linewidth": 3, "image": BYTES, "order": 3},
        ),
    ),
)
