"""Calls of skimage.draw."""

import numpy as np

from ..inputs import Input
from ..sweep import Sweep

COLOR = Input("color", (41, 53, 3))
TURN = np.linspace(0, 6, 90)
RING = (np.rint(20 + 22 * np.cos(TURN)).astype(int), np.rint(25 + 22 * np.sin(TURN)).astype(int))
PLACES = (np.array([3, -1, 40, 41, 3, 3]), np.array([5, 5, 52, 2, 5, 60]))
COLUMNS = np.array([3, 17, 2, 9, 12, 21, 1])
ALPHAS = np.linspace(0, 1, 90)

SWEEPS = (
    Sweep(
        "skimage.draw:polygon",
        {"r": Input("counts", (7,)), "c": COLUMNS},
        vary={
            "r": [Input("signed", (7,)), Input("constant", (7,))],
            "c": [COLUMNS + 0.25, COLUMNS - 9, Input("constant", (7,))],
            "shape": [(21, 25), [5, 9, 3], (0, 5), (-1, 5), (5.5, 5), np.array([9, 5])],
        },
        also=({"r": Input("zeros", (0,)), "c": Input("zeros", (0,))},),
    ),
    Sweep(
        "skimage.draw:polygon2mask",
        {"image_shape": (21, 25), "polygon": Input("counts", (7, 2))},
        vary={
            "image_shape": [[21, 25], (21, 25, 3), (0, 5), (-1, 5), (5.5, 5), np.array([9, 5])],
            "polygon": [
                Input("noise", (5, 2)),
                Input("signed", (9, 2)),
                Input("counts", (1, 2)),
                Input("constant", (9, 2)),
                Input("counts", (4, 3)),
                Input("counts", (2, 4, 2)),
                Input("zeros", (0, 2)),
            ],
        },
    ),
    Sweep(
        "skimage.draw:set_color",
        {"image": Input("photo"), "coords": RING, "color": 1},
        vary={
            "coords": [
                PLACES,
                tuple(each[::-2] for each in RING),
                np.stack(RING),
                (RING[0].astype(np.int8), RING[1].astype(np.uint16)),
                (RING[0][:0], RING[1][:0]),
                (RING[0], RING[1][1:]),
                (RING[0] / 2, RING[1]),
                (3, 4),
            ],
            "color": [0, 0.25, np.array([1], np.uint8), [1, 0, 0]],
            "alpha": [0, 0.25, 1.0, ALPHAS, ALPHAS.astype(np.float32), ALPHAS > 0.5, ALPHAS[1:]],
        },
        also=(
            {"image": COLOR, "color": (1, 0, 0.5)},
            {"image": COLOR, "color": (1, 0, 0), "alpha": 0.5},
            {"image": COLOR, "color": np.array([0, 1, 0]), "alpha": ALPHAS},
            {"image": COLOR, "coords": PLACES, "color": (0, 0.3, 1), "alpha": 0.1},
        ),
        kinds=("cupy",),
    ),
)
