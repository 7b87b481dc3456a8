"""Calls of `skimage.segmentation`: active contours, random walks and floods."""

import numpy as np

from ..inputs import COINS, COLOR, MASK, PHOTO, VOLUME, VOLUME_MASK, Input
from ..sweep import Bound, Sweep

SEEDS = Input("seeds")
VOLUME_SEEDS = Input("seeds", (13, 17, 19))
SMALL_VOLUME = Input("smooth", (9, 10, 11))


def _callback(level_set):
    """Takes the level set of each iteration."""


def _init(name):
    return [
        *("checkerboard", "disk", "no such"),
        Input("disk", (41, 53), "int8"),
        MASK,
        Input("signed", (41, 53), "float64"),
        Input("disk", (5, 5)),
        Input("disk", (5, 6, 7)),
    ]


def _circle(points, dtype=float):
    """A snake around what is in the middle of images of 41 x 53."""
    turn = np.linspace(0, 2 * np.pi, points, endpoint=False)
    return (np.stack([20 + 15 * np.sin(turn), 26 + 20 * np.cos(turn)], axis=1)).astype(dtype)


SWEEPS = (
    Sweep(
        "skimage.segmentation:active_contour",
        {"image": COINS, "snake": _circle(40), "max_num_iter": 100},
        vary={
            "snake": [_circle(5), _circle(12, "float32"), _circle(30, int), _circle(3), [[1, 2]]],
            "alpha": [0, 0.1, -0.01],
            "beta": [0, 1, 10],
            "w_line": [-5, 0.5, 1],
            "w_edge": [0, -1, 0.3],
            "gamma": [0.001, 0.1, 1],
            "max_px_move": [0.1, 3],
            "max_num_iter": [0, 1, 11, 12, 30.5],
            "convergence": [0, 0.01, 1],
            "boundary_condition": [
                *("periodic", "free", "fixed", "free-fixed", "fixed-free", "fixed-fixed"),
                *("free-free", "no such"),
            ],
        },
        also=(
            {"image": COLOR, "w_line": 0.3},
            {"image": COLOR.cast("uint8"), "w_line": 0.3, "w_edge": 0},
            {"image": PHOTO.cast("float32"), "w_line": 0.3},
            {"image": Input("noise"), "gamma": 0.001},
            {"image": Input("constant")},
            {"image": Input("photo", (3, 4))},
            {"image": Input("photo", (2, 53))},
            {"image": Input("photo", (53,))},
            {"image": VOLUME},
        ),
    ),
    Sweep(
        "skimage.segmentation:chan_vese",
        {"image": COINS, "max_num_iter": 30},
        vary={
            "mu": [0, 0.1, 1],
            "lambda1": [0.5, 2],
            "lambda2": [0.5, 2],
            "tol": [0, 0.1, 10],
            "max_num_iter": [0, 1, 200],
            "dt": [0.1, 1],
            "init_level_set": [
                *("checkerboard", "disk", "small disk", "no such"),
                Input("signed", (41, 53), "float64"),
                Input("signed", (41, 53), "float32"),
                Input("disk", (41, 53), "int8"),
                Input("disk", (5, 5)),
            ],
            "extended_output": [True],
        },
        also=(
            {"image": PHOTO, "extended_output": True},
            {"image": COINS.cast("float32"), "extended_output": True},
            {"image": COINS.cast("uint8"), "extended_output": True, "init_level_set": "disk"},
            {"extended_output": True, "init_level_set": "small disk"},
            {"image": COINS.cast("float32"), "extended_output": True, "init_level_set": "disk"},
            {"image": Input("constant")},
            {"image": Input("zeros")},
            {"image": Input("coins", (1, 53))},
            {"image": VOLUME},
            {"image": COLOR},
        ),
    ),
    Sweep(
        "skimage.segmentation:inverse_gaussian_gradient",
        {"image": PHOTO},
        vary={
            "alpha": [0, 1, 1000.0, -1],
            "sigma": [1, 0.5, 0, (1, 3), [2, 2], -1],
        },
        also=(
            {"image": VOLUME, "sigma": 1.5},
            {"image": VOLUME, "sigma": (1, 2, 3)},
            {"image": PHOTO.cast("float32"), "sigma": 2},
            {"image": COLOR, "sigma": 1},
            {"image": Input("photo", (1, 53))},
            {"image": Input("photo", (53,)), "sigma": 2},
        ),
        bound=Bound(
            "neighbours cancel in a derivative; SciPy rounds after each axis only", single=1e-4
        ),
    ),
    Sweep(
        "skimage.segmentation:morphological_chan_vese",
        {"image": COINS, "num_iter": 6},
        vary={
            "num_iter": [0, 2, 20],
            "init_level_set": _init("checkerboard"),
            "smoothing": [0, 2, 4],
            "lambda1": [0.5, 2, 0],
            "lambda2": [0.5, 2, 0],
            "iter_callback": [_callback],
        },
        also=(
            {"image": PHOTO.cast("float32")},
            {"image": PHOTO.cast("uint8"), "lambda1": 2},
            {"image": PHOTO.cast("uint8"), "lambda2": 0.5},
            {"image": VOLUME},
            {"image": Input("constant")},
            {"image": Input("coins", (1, 53))},
            {"image": Input("coins", (53,))},
        ),
    ),
    Sweep(
        "skimage.segmentation:morphological_geodesic_active_contour",
        {"gimage": COINS, "num_iter": 6},
        vary={
            "num_iter": [0, 2, 20],
            "init_level_set": _init("disk"),
            "smoothing": [0, 2, 4],
            "threshold": ["auto", 0.3, 0.7],
            "balloon": [1, -1, 0.5, 2],
            "iter_callback": [_callback],
        },
        also=(
            {"gimage": PHOTO.cast("float32"), "balloon": 1, "threshold": 0.3},
            {"gimage": PHOTO, "balloon": -1, "threshold": 0.5},
            {"gimage": PHOTO, "balloon": 1},
            {"gimage": VOLUME},
            {"gimage": VOLUME, "balloon": 1, "threshold": 0.4},
            {"gimage": Input("constant")},
            {"gimage": Input("coins", (1, 53))},
            {"gimage": Input("coins", (53,))},
        ),
    ),
    Sweep(
        "skimage.segmentation:random_walker",
        {"data": COINS, "labels": SEEDS},
        vary={
            "labels": [
                SEEDS.cast("uint8"),
                SEEDS.cast("int64"),
                Input("far seeds"),
                Input("walls"),
                Input("zeros", (41, 53), "int32"),
                Input("ones", (41, 53), "int32"),
                Input("seeds", (5, 5)),
            ],
            "beta": [10, 1000, 0],
            "mode": ["cg", "cg_j", "cg_mg", "bf", None, "no such"],
            "tol": [1e-6, 0.1],
            "copy": [False],
            "return_full_prob": [True],
            "spacing": [(1, 2), [1.0, 1.0], (1, 1, 1), np.array([0.5, 2])],
            "prob_tol": [1e-9, 1],
        },
        also=(
            {"return_full_prob": True, "mode": "bf"},
            {"return_full_prob": True, "tol": 1e-6},
            {"data": COINS.cast("float32"), "return_full_prob": True},
            {"data": COINS.cast("uint8"), "return_full_prob": True},
            {"labels": Input("walls"), "return_full_prob": True},
            {"labels": Input("far seeds"), "return_full_prob": True},
            {"labels": Input("ones", (41, 53), "int32"), "return_full_prob": True},
            {"data": COLOR, "channel_axis": -1},
            {"data": Input("color", (41, 53, 3)), "channel_axis": 2, "mode": "bf"},
            {"data": Input("photo", (3, 41, 53)), "channel_axis": 0},
            {"data": Input("photo", (41, 3, 53)), "channel_axis": -2, "return_full_prob": True},
            {"data": SMALL_VOLUME, "labels": Input("seeds", (9, 10, 11))},
            {"data": SMALL_VOLUME, "labels": Input("seeds", (9, 10, 11)), "spacing": (1, 2, 3)},
            {"data": Input("photo", (53,)), "labels": Input("seeds", (53,))},
            {"data": Input("constant")},
            {"labels": Input("walls"), "copy": False},
        ),
        bound=Bound(
            "solved by iteration, which amplifies rounding; it ends within `tol`",
            single=1e-3,
            double=1e-6,
        ),
    ),
    Sweep(
        "skimage.segmentation:watershed",
        {"image": PHOTO, "markers": SEEDS},
        vary={
            "markers": [
                *(None, 5, 12.5, 0, "no such"),
                *(SEEDS.cast(dtype) for dtype in ("uint8", "int64", "bool", "float64")),
                Input("far seeds"),
                Input("seeds", (5, 5)),
            ],
            "connectivity": [
                2,
                0,
                3,
                None,
                np.ones((3, 3)),
                np.tri(3),
                np.ones((2, 3)),
                np.ones(3),
            ],
            "offset": [(1, 1), (2, 1), (1,)],
            "mask": [MASK, MASK.cast("uint8"), Input("mask", (5, 5))],
            "compactness": [0.1, -1],
            "watershed_line": [True],
        },
        also=(
            {"image": Input("smooth"), "markers": None},
            {"image": Input("constant")},
            {"image": MASK.cast("uint8"), "markers": SEEDS, "connectivity": 2, "mask": MASK},
            {"image": Input("smooth"), "markers": None, "mask": MASK, "connectivity": 2},
            {"image": Input("smooth"), "markers": 9, "mask": MASK},
            {"image": VOLUME, "markers": VOLUME_SEEDS},
            {"image": VOLUME, "markers": VOLUME_SEEDS, "connectivity": 3, "mask": VOLUME_MASK},
            {"image": Input("smooth", (5, 7, 6, 5)), "markers": Input("seeds", (5, 7, 6, 5))},
            {"image": Input("smooth", (1, 53)), "markers": Input("seeds", (1, 53))},
            {"image": Input("smooth", (53,)), "markers": Input("seeds", (53,))},
            {"image": COINS, "connectivity": 2},
            {"image": Input("zeros", (0, 5)), "markers": Input("zeros", (0, 5), "int32")},
        ),
    ),
)
