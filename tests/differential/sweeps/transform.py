"""Calls of `skimage.transform`: warping, pyramids, integral images."""

import numpy as np
from skimage.transform import (
    AffineTransform,
    EuclideanTransform,
    PiecewiseAffineTransform,
    PolynomialTransform,
    ProjectiveTransform,
    SimilarityTransform,
)

from ..inputs import COLOR, MASK, PHOTO, SIGNED_PHOTO, VOLUME, Input
from ..sweep import Sweep

ORDERS = [0, 1, 2, 3, 4, 5, 6]
MODES = ["constant", "edge", "symmetric", "reflect", "wrap", "no such"]
BYTES = PHOTO.cast("uint8")
LABELS = Input("labels")
TURN = np.array([[0.9, -0.2, 5.3], [0.25, 1.1, -4.1], [0, 0, 1]])
TILT = np.array([[0.9, -0.2, 5.3], [0.25, 1.1, -4.1], [0.002, 0.001, 1]])
GRID = np.mgrid[0:20, 0:30] * np.array([1.7, 1.4])[:, None, None] - 1.3
BENT = PolynomialTransform(np.array([[0, 1, 0, 0.001, 0, 0], [0, 0, 1, 0, 0.001, 0]]))
CORNERS = np.array([[0, 0], [0, 40], [50, 0], [50, 40], [20, 20]])
PIECES = PiecewiseAffineTransform.from_estimate(CORNERS, CORNERS + ([[0, 0]] * 4 + [[3, 2]]))


def shifted(coordinates, by=3):
    """A map that a user wrote."""
    return coordinates + by


WARPED = (
    {"mode": "constant", "cval": 0.7},
    {"mode": "constant", "cval": 2, "clip": False},
    {"mode": "constant", "cval": -1, "order": 4},
    {"preserve_range": True, "image": BYTES},
    {"preserve_range": True, "image": BYTES, "order": 3},
    {"clip": False, "order": 4},
    {"order": 4, "mode": "edge"},
    {"order": 5, "mode": "reflect", "image": PHOTO.cast("float32")},
    {"order": 0, "image": BYTES},
    {"order": 0, "image": LABELS, "mode": "reflect"},
    {"order": 1, "image": MASK},
    {"order": 0, "image": COLOR},
    {"order": 1, "image": COLOR.cast("float32")},
    {"order": 4, "image": COLOR},
)

SWEEPS = (
    Sweep(
        "skimage.transform:warp",
        {"image": PHOTO, "inverse_map": AffineTransform(TURN)},
        vary={
            "inverse_map": [
                TURN,
                TILT,
                ProjectiveTransform(TILT),
                ProjectiveTransform(TILT).inverse,
                EuclideanTransform(rotation=0.3, translation=(4, -3)),
                SimilarityTransform(scale=0.7, rotation=0.3).inverse,
                SimilarityTransform(translation=(2, 3)),
                PIECES,
                BENT,
                shifted,
                GRID,
                GRID.astype("float32"),
                np.eye(4),
                np.eye(2),
                None,
            ],
            "map_args": [{}, {"by": 2}],
            "output_shape": [(20, 70), [50, 31], np.array([33, 20]), (20, 30, 4), (7,)],
            "order": ORDERS,
            "mode": MODES,
            "clip": [False],
            "preserve_range": [True],
            "image": [COLOR, VOLUME, SIGNED_PHOTO, Input("photo", (0, 5)), Input("photo", (1, 30))],
        },
        also=(
            *WARPED,
            {"inverse_map": TILT, "order": 0},
            {"inverse_map": TILT, "mode": "symmetric"},
            {"inverse_map": GRID, "order": 0, "image": BYTES},
            {"inverse_map": GRID, "order": 3},
            {"inverse_map": GRID, "order": 2},
            {"inverse_map": GRID, "order": 1, "mode": "wrap"},
            {"inverse_map": shifted, "map_args": {"by": 2}},
            {"image": COLOR, "output_shape": (20, 30)},
            {
                "image": Input("smooth", (9, 10, 11)),
                "inverse_map": np.mgrid[0:5, 0:7, 0:9] * 1.2 + 0.1,
            },
        ),
    ),
    Sweep(
        "skimage.transform:rotate",
        {"image": PHOTO, "angle": 30},
        vary={
            "angle": [0, 90, -90, 180, 45.5, 400],
            "resize": [True],
            "center": [(20, 26), (0, 0), np.array([26.0, 20.0]), (26, 20)],
            "order": ORDERS,
            "mode": MODES,
            "clip": [False],
            "preserve_range": [True],
            "image": [COLOR, VOLUME, SIGNED_PHOTO, Input("photo", (1, 30))],
        },
        also=(
            *WARPED,
            {"angle": 90, "order": 0, "image": BYTES},
            {"angle": 90, "resize": True},
            {"angle": 45, "resize": True, "order": 0, "image": BYTES},
            {"resize": True, "image": COLOR},
            {"resize": True, "mode": "edge"},
            {"resize": True, "center": (3, 4)},
            {"center": (3, 4), "order": 0, "image": BYTES},
            {"center": (3, 4), "image": COLOR},
            {"center": (3, 4), "image": PHOTO.cast("float32")},
        ),
    ),
    Sweep(
        "skimage.transform:swirl",
        {"image": PHOTO, "strength": 3, "radius": 30},
        vary={
            "center": [(10, 12), np.array([20.0, 9.0])],
            "strength": [0, -2],
            "radius": [5, 0.5],
            "rotation": [0.7],
            "output_shape": [(20, 70), [50, 31]],
            "order": ORDERS,
            "mode": MODES,
            "clip": [False],
            "preserve_range": [True],
            "image": [COLOR, Input("photo", (1, 30))],
        },
        also=WARPED,
    ),
    Sweep(
        "skimage.transform:warp_polar",
        {"image": PHOTO, "output_shape": (40, 30)},
        vary={
            "center": [(10, 12), np.array([20.0, 9.0])],
            "radius": [10, 50.5],
            "output_shape": [None, [50, 31]],
            "scaling": ["linear", "log", "no such"],
            "order": ORDERS,
            "mode": MODES,
            "clip": [False],
            "preserve_range": [True],
            "image": [COLOR, VOLUME],
        },
        also=(
            *WARPED[:-3],
            {"image": COLOR, "channel_axis": -1},
            {"image": COLOR, "channel_axis": -1, "order": 3},
            {"image": Input("smooth", (3, 40, 50)), "channel_axis": 0},
            {"image": Input("smooth", (40, 2, 50)), "channel_axis": -2, "scaling": "log"},
            {"image": PHOTO, "channel_axis": 0},
        ),
    ),
    Sweep(
        "skimage.transform:matrix_transform",
        {"coords": Input("noise", (20, 2)), "matrix": TURN},
        vary={
            "matrix": [TILT, TILT.astype("float32"), np.eye(4), np.eye(3, dtype=int)],
            "coords": [Input("noise", (20, 3)), Input("noise", (1, 2))],
        },
        also=({"coords": Input("noise", (20, 3)), "matrix": np.diag([1.0, 2, 3, 1])},),
    ),
    Sweep(
        "skimage.transform:warp_coords",
        {"coord_map": AffineTransform(rotation=0.3, scale=(1.2, 0.9)), "shape": (20, 31)},
        vary={
            "coord_map": [ProjectiveTransform(TILT), AffineTransform(), PolynomialTransform()],
            "shape": [(20, 31, 3), [1, 1], (1, 9, 1), [4.0, 5], (20,), 20, (2.5, 3)],
            "dtype": [np.float32, "float32", ">f8", int, "float16", "longdouble", "no such"],
        },
    ),
    Sweep(
        "skimage.transform:integral_image",
        {"image": PHOTO},
        vary={
            "dtype": ["float32", np.float64, "int64"],
            "image": [VOLUME, Input("photo", (1, 30)), Input("photo", (30,))],
        },
    ),
    Sweep(
        "skimage.transform:integrate",
        {"ii": Input("noise", (20, 30), "int32"), "start": (2, 3), "end": (9, 8)},
        vary={
            "start": [(0, 0), [(0, 0), (2, 3)], np.array([[0, 3], [2, 0]]), (2, 9), (-3, -4)],
            "end": [[(3, 4), (8, 9)], (19, 29), (25, 29)],
            "ii": [Input("noise", (20, 30)), Input("noise", (20, 30), "float32")],
        },
        also=(
            {"start": [(0, 0), (2, 3)], "end": [(3, 4), (8, 9)]},
            {"start": (1, 2, 3), "end": (4, 5, 6), "ii": Input("noise", (9, 10, 11), "int16")},
        ),
    ),
)
