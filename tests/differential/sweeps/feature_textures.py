"""Calls of `skimage.feature`: textures, and corners by comparing pixels."""

import numpy as np
from skimage.morphology import octagon

from ..inputs import COLOR, PHOTO, SIGNED, UNSIGNED, VOLUME, Input
from ..sweep import Sweep

BYTES = PHOTO.cast("uint8")
LINE = Input("photo", (1, 37))
PLANE = Input("photo", (1, 31, 27))
CONSTANT = Input("constant")
COUNTS = Input("counts")  # integers from 0 to 20
PROPERTIES = "contrast dissimilarity homogeneity ASM energy mean variance std entropy correlation"
QUARTERS = [0, np.pi / 4, np.pi / 2, 3 * np.pi / 4]
CORNERS = np.array([[8, 9], [20, 30], [0, 0], [40, 52], [33, 2]])
INNER = CORNERS % 38 + 1
MATRICES = Input("noise", (9, 9, 2, 3))


def _corners(name, **vary):
    vary.setdefault("image", []).extend(
        [VOLUME, COLOR, LINE, PLANE, CONSTANT, Input("plateaus"), Input("signed"), Input("noise")]
    )
    return Sweep(name, {"image": PHOTO}, vary=vary)


SWEEPS = (
    Sweep(
        "skimage.feature:local_binary_pattern",
        {"image": BYTES, "P": 8, "R": 1},
        vary={
            "P": [1, 2, 4, 7, 16, 24, 31, 32, 60, 0, 2.0],
            "R": [0, 0.5, 1.7, 2, 3, 5.25, 60, -1],
            "method": ["default", "ror", "uniform", "nri_uniform", "var", "VAR", "no such"],
            "image": [VOLUME, COLOR, LINE, CONSTANT, Input("plateaus"), Input("noise")],
        },
        also=tuple(
            {"P": points, "R": radius, "method": method}
            for points, radius in ((16, 2), (24, 3.5), (5, 1), (1, 1))
            for method in ("ror", "uniform", "nri_uniform", "var")
        ),
    ),
    Sweep(
        "skimage.feature:multiblock_lbp",
        {"int_image": Input("photo", (41, 53), "float64"), "r": 3, "c": 5, "width": 4, "height": 3},
        vary={
            "r": [0, 32, 2.5],
            "c": [0, 41],
            "width": [1, 16],
            "height": [1, 12],
            "int_image": [VOLUME, CONSTANT, Input("noise"), Input("signed")],
        },
        kinds=("cupy",),
    ),
    Sweep(
        "skimage.feature:graycomatrix",
        {"image": BYTES, "distances": [1, 2], "angles": QUARTERS},
        vary={
            "distances": [[0], [5], [1.5, 0.3], np.array([3, 60]), (1,), [], 2],
            "angles": [[0], np.linspace(0, 6, 7), [-1.2], [100.0], []],
            "levels": [256, 300, 100, 0, 256.0],
            "symmetric": [True],
            "normed": [True],
            "image": [VOLUME, COLOR, LINE.cast("uint8"), CONSTANT.cast("uint8"), PHOTO, COUNTS],
        },
        also=(
            {"symmetric": True, "normed": True},
            {"image": COUNTS, "levels": 21},
            {"image": COUNTS, "levels": 21, "symmetric": True, "normed": True},
            {"image": COUNTS, "levels": 20},
            {"image": COUNTS.cast("int32"), "levels": 256},
            {"image": COUNTS.cast("uint64"), "levels": 21, "normed": True},
            {"image": COUNTS.cast("float32"), "levels": 21},
            {"image": Input("levels"), "levels": 21},
            {"image": COUNTS.cast("int8"), "distances": [60], "normed": True},
        ),
        dtypes=(*UNSIGNED, *SIGNED, "bool", "float64"),
    ),
    Sweep(
        "skimage.feature:graycoprops",
        {"P": MATRICES},
        vary={
            "prop": [*PROPERTIES.split(), "no such"],
            "P": [VOLUME, Input("noise", (5, 4, 2, 3)), Input("zeros", (6, 6, 1, 2))],
        },
        also=tuple(
            {"prop": prop, "P": matrices}
            for prop in PROPERTIES.split()
            for matrices in (
                MATRICES.cast("uint32"),
                MATRICES.cast("bool"),
                Input("zeros", (6, 6, 1, 2)),
                np.eye(40)[3, :, None, None, None] * np.ones((1, 40, 2, 1)) / 7,
            )
            # a matrix of one row: what its variance is, the order of a sum decides
            if prop not in ("variance", "std") or isinstance(matrices, Input)
        ),
    ),
    _corners(
        "skimage.feature:corner_fast",
        n=[1, 5, 9, 15, 16, 17, 0, -3, 200, 9.0],
        threshold=[0, 0.01, 0.5, -0.1, np.float32(0.2)],
    ),
    _corners("skimage.feature:corner_moravec", window_size=[2, 3, 0, 30, 1.0]),
    Sweep(
        "skimage.feature:corner_subpix",
        {"image": PHOTO, "corners": INNER},
        vary={
            "corners": [CORNERS, INNER[:0], INNER[:1], INNER.astype(np.int32), INNER.astype(float)],
            "window_size": [1, 2, 5, 8, 31, 90, 91, 0, -3, 5.0],
            "alpha": [0.5, 0.9, 1, 2, np.nan, "high"],
            "image": [VOLUME, COLOR, Input("signed"), Input("noise"), Input("photo", (1, 41, 53))],
        },
        also=(
            {"image": Input("coins"), "window_size": 7, "alpha": 0.8},
            {"image": Input("constant"), "window_size": 5},
        ),
    ),
    Sweep(
        "skimage.feature:haar_like_feature",
        {"int_image": Input("photo"), "r": 3, "c": 5, "width": 8, "height": 6},
        vary={
            "r": [0, 35, 2.0],
            "c": [0, 45, np.uint8(7)],
            "width": [1, 2, 13, 0, -3],
            "height": [1, 2, 13, 0],
            "feature_type": [
                "type-2-x",
                "type-2-y",
                "type-3-x",
                "type-3-y",
                "type-4",
                ["type-4", "type-2-x"],
                [],
                "type-5",
            ],
            "int_image": [VOLUME, COLOR, Input("signed"), Input("noise", (14, 13))],
        },
        also=({"r": 0, "c": 0, "width": 53, "height": 4, "feature_type": "type-3-x"},),
    ),
    Sweep(
        "skimage.feature:match_descriptors",
        {"descriptors1": Input("noise", (30, 37)), "descriptors2": Input("noise", (41, 37))},
        vary={
            "metric": ["cosine", "cityblock", "hamming", "minkowski", "Chebyshev", "yule", "none"],
            "p": [1, 3, "x"],
            "max_distance": [2.4, 0, -1, np.nan, "far"],
            "cross_check": [False],
            "max_ratio": [0.95, 0.5, 0, "half"],
            "descriptors1": [
                Input("mask", (30, 37)),
                Input("noise", (1, 37)),
                Input("noise", (0, 37)),
                Input("noise", (30, 36)),
                Input("photo", (37,)),
            ],
            "descriptors2": [Input("photo", (9, 37), "uint8"), Input("noise", (0, 37))],
        },
        also=(
            {"descriptors1": Input("mask", (30, 37)), "descriptors2": Input("mask", (41, 37))},
            {"descriptors1": Input("noise", (9, 0)), "descriptors2": Input("noise", (8, 0))},
            {"metric": "minkowski", "p": np.inf},
            {"metric": "minkowski", "p": 1, "max_ratio": 0.9},
            {
                "descriptors1": Input("mask", (30, 37)),
                "descriptors2": Input("noise", (41, 37), "int16"),
                "metric": "cosine",
            },
            {"metric": "canberra", "max_ratio": 0.99, "cross_check": False},
            {"metric": "braycurtis", "max_distance": 0.3},
            {"metric": "sqeuclidean", "cross_check": False, "max_distance": 5},
        ),
    ),
    Sweep(
        "skimage.feature:corner_orientations",
        {"image": PHOTO, "corners": CORNERS, "mask": octagon(3, 2)},
        vary={
            "corners": [CORNERS[:0], CORNERS[:1], CORNERS.astype(np.int32), CORNERS.astype(float)],
            "mask": [
                np.ones((1, 1)),
                np.eye(9),
                np.ones((2, 2)),
                np.tri(7),
                np.zeros((3, 3), bool),
            ],
            "image": [VOLUME, COLOR, Input("signed"), Input("noise"), Input("photo", (1, 41, 53))],
        },
    ),
)
