"""Calls of `skimage.filters`: ridges."""

import numpy as np

from ..inputs import ALL, COINS, COLOR, SIGNED_PHOTO, Input
from ..sweep import Bound, Sweep

SMALL = Input("smooth", (11, 12, 13))
LINE = Input("noise", (1, 37))
VECTOR = Input("smooth", (57,))
MODES = ["constant", "reflect", "wrap", "nearest", "mirror", "no such"]


def _ridges(name, *also, vary=(), bound=None, dtypes=ALL):
    return Sweep(
        f"skimage.filters:{name}",
        {"image": COINS},
        vary={
            "image": [SMALL, COLOR, VECTOR, LINE, SIGNED_PHOTO, Input("plateaus")],
            "sigmas": [[1], [2, 1], range(1, 4), (0.5,), [0], []],
            "black_ridges": [False],
            "mode": MODES,
            **dict(vary),
        },
        also=(
            {"mode": "constant", "cval": 0.5},
            {"image": SMALL, "black_ridges": False, "sigmas": [1]},
            {"image": COINS.cast("float32"), "sigmas": [1, 3], "mode": "constant", "cval": 1},
            {"image": SMALL.cast("float32"), "sigmas": (1, 2), "mode": "wrap"},
            {"sigmas": np.arange(1, 4), "mode": "constant"},
            {"sigmas": np.array([0.5, 3])},
            *also,
        ),
        bound=bound,
        dtypes=dtypes,
    )


CLOSED_FORMULA = Bound(
    "eigenvalues of volumes come from a closed formula, which keeps half of the digits where two"
    " are nearly equal; a root is taken of their products",
    single=1e-4,
    double=2e-6,
)
# what single precision makes of hessian is left to scikit-image
DOUBLE_DTYPES = tuple(name for name in ALL if name not in ("float16", "float32"))
SWEEPS = (
    _ridges(
        "meijering",
        {"image": SMALL, "alpha": 0.2},
        vary={"alpha": [None, 0, -0.5]},
        bound=CLOSED_FORMULA,
    ),
    _ridges("sato", bound=CLOSED_FORMULA),
    _ridges(
        "frangi",
        {"alpha": 0.2, "beta": 2, "gamma": 0.1, "sigmas": [1, 2]},
        {"scale_range": (1, 4), "scale_step": 1},
        vary={
            "scale_range": [(1, 4)],
            "alpha": [0.1, 2],
            "beta": [0.1, 2],
            "gamma": [None, 0.5, 3, 0],
        },
        bound=Bound(
            "ratios of eigenvalues count that are nearly zero where the image is flat",
            single=1e-4,
            double=1e-6,
        ),
    ),
    _ridges(
        "hessian",
        {"gamma": None},
        {"scale_range": (1, 4), "scale_step": 1},
        {"beta": 2, "gamma": 0.1, "sigmas": [1, 2]},
        vary={"alpha": [0, 2], "beta": [0.1, 0], "gamma": [0.5, 3, 0]},
        dtypes=DOUBLE_DTYPES,
    ),
)
