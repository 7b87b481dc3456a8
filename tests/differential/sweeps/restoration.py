"""Calls of `skimage.restoration`."""

from ..inputs import COINS, COLOR, PHOTO, SIGNED_PHOTO, VOLUME, Input
from ..sweep import Bound, Sweep

PSF = Input("psf", (5, 5))
SKEW = Input("skew", (4, 5))
LAPLACIAN = Input("laplacian", (3, 3))

SWEEPS = (
    Sweep(
        "skimage.restoration:rolling_ball",
        {"image": COINS, "radius": 10},
        vary={
            "radius": [1, 2.5, 3**0.5, 50, 0],
            "kernel": [
                Input("paraboloid", (5, 7)),
                Input("paraboloid", (5, 7), "float32"),
                Input("paraboloid", (4, 6)),
                Input("ones", (3, 3), "float64"),
                Input("ones", (3, 3), "uint8"),
                Input("ones", (3, 3, 3), "float64"),
            ],
            "nansafe": [True],
            "workers": [1, 2],
            "num_threads": [1],
        },
        also=(
            {"image": COINS.cast("uint8"), "radius": 7.5},
            {"image": COINS.cast("uint8"), "kernel": Input("paraboloid", (5, 7))},
            {"image": COINS.cast("uint16"), "radius": 50},
            {"image": COINS.cast("float32"), "kernel": Input("paraboloid", (5, 7))},
            {"image": VOLUME, "radius": 3},
            {"image": Input("coins", (1, 53))},
            {"image": Input("coins", (53,)), "radius": 5},
            {"image": PHOTO, "radius": 100},
        ),
    ),
    Sweep(
        "skimage.restoration:denoise_tv_chambolle",
        {"image": PHOTO, "max_num_iter": 20},
        vary={
            "weight": [0.01, 1, 10, -0.1],
            "eps": [1e-2, 1e-6, 0],
            "max_num_iter": [0, 1, 200],
            "channel_axis": [0, -1, 2],
        },
        also=(
            {"image": COLOR, "channel_axis": -1},
            {"image": COLOR.cast("uint8"), "channel_axis": 2, "weight": 0.2},
            {"image": Input("photo", (3, 41, 53)), "channel_axis": 0},
            {"image": Input("photo", (41, 3, 53)), "channel_axis": -2},
            {"image": COLOR},
            {"image": VOLUME, "weight": 0.3},
            {"image": Input("photo", (1, 53))},
            {"image": Input("photo", (53,))},
            {"image": PHOTO.cast("float32"), "weight": 1, "eps": 1e-5},
            {"image": Input("constant")},
            {"image": Input("zeros")},
        ),
    ),
    Sweep(
        "skimage.restoration:richardson_lucy",
        {"image": PHOTO, "psf": PSF},
        vary={
            "psf": [SKEW, PSF.cast("float32"), Input("psf", (41, 53)), Input("psf", (5, 5, 5))],
            "num_iter": [0, 1, 10],
            "clip": [False],
            "filter_epsilon": [1e-3, 0.3],
        },
        also=(
            {"image": COINS, "psf": SKEW, "num_iter": 30},
            {"image": PHOTO.cast("float32"), "psf": PSF.cast("float32"), "num_iter": 10},
            {"image": Input("photo", (150, 130)), "psf": Input("psf", (31, 31)), "num_iter": 10},
            {"image": VOLUME, "psf": Input("psf", (3, 3, 3)), "num_iter": 10},
            {"image": VOLUME, "psf": Input("skew", (3, 4, 5)), "num_iter": 10},
            {"image": Input("photo", (53,)), "psf": Input("psf", (5,)), "num_iter": 10},
            {"image": Input("disk", (41, 53), "float64"), "num_iter": 10},
            {"image": Input("photo", (1, 53)), "psf": Input("psf", (1, 5)), "num_iter": 10},
        ),
    ),
    Sweep(
        "skimage.restoration:wiener",
        {"image": PHOTO, "psf": PSF, "balance": 0.1},
        vary={
            "psf": [SKEW, PSF.cast("float32"), Input("transfer", (41, 27)), Input("psf", (50, 60))],
            "balance": [1, 1e-4, 0, 1000],
            "reg": [LAPLACIAN, Input("transfer", (41, 27)), LAPLACIAN.cast("float32")],
            "is_real": [False],
            "clip": [False],
        },
        also=(
            {"image": PHOTO.cast("float32"), "psf": PSF.cast("float32")},
            {"image": PHOTO.cast("float32"), "clip": False},
            {"image": PHOTO.cast("uint8")},
            {"image": VOLUME, "psf": Input("psf", (3, 3, 3))},
            {"image": Input("photo", (53,)), "psf": Input("psf", (5,))},
            {"image": Input("photo", (40, 52)), "is_real": False, "clip": False},
            {"image": Input("photo", (40, 52)), "clip": False},
            {"image": Input("photo", (1, 53)), "psf": Input("psf", (1, 5))},
        ),
    ),
    Sweep(
        "skimage.restoration:denoise_bilateral",
        {"image": PHOTO, "sigma_color": 0.1},
        vary={
            "win_size": [1, 4, 5, 9, 31],
            "sigma_color": [None, 0, 0.02, 5, -1],
            "sigma_spatial": [0.5, 3, 10, 0],
            "bins": [1, 2, 100, 50_000],
            "mode": ["constant", "edge", "symmetric", "reflect", "wrap"],
            "cval": [0.5, -3, 7],
            "channel_axis": [-1, 0, 2],
        },
        also=(
            {"image": COLOR, "channel_axis": -1},
            {"image": COLOR.cast("uint8"), "channel_axis": 2, "sigma_color": None},
            {
                "image": COLOR.cast("float32"),
                "channel_axis": -1,
                "sigma_spatial": 5,
                "mode": "edge",
            },
            {"image": Input("color", (3, 21, 31)), "channel_axis": 0},
            {"image": Input("color", (17, 4, 23)), "channel_axis": 1, "sigma_color": None},
            {"image": Input("photo", (13, 17, 2)), "channel_axis": -1},
            {"image": Input("photo", (13, 17, 6)), "channel_axis": -1},
            {"image": PHOTO.cast("float32"), "sigma_spatial": 12, "mode": "wrap"},
            {"image": SIGNED_PHOTO, "sigma_color": None, "mode": "symmetric"},
            {"image": Input("photo", (1, 53))},
            {"image": Input("photo", (53,)), "mode": "reflect"},
            {"image": Input("constant")},
            {"image": Input("constant", (13, 17, 3)), "channel_axis": -1},
            {"image": Input("zeros")},
            {"image": Input("zeros", (0, 17))},
            {"image": VOLUME},
        ),
    ),
    Sweep(
        "skimage.restoration:unsupervised_wiener",
        {"image": PHOTO, "psf": PSF, "rng": 1, "user_params": {"max_num_iter": 20, "burnin": 5}},
        vary={
            "psf": [SKEW, PSF.cast("float32"), Input("transfer", (41, 27)), Input("psf", (50, 60))],
            "reg": [LAPLACIAN, Input("transfer", (41, 27))],
            "user_params": [None, {"threshold": 1e-2, "min_num_iter": 5, "burnin": 2}],
            "is_real": [False],
            "clip": [False],
            "rng": [7],
        },
        also=(
            {"image": PHOTO.cast("uint8")},
            {"image": Input("photo", (40, 40))},
            {"image": Input("photo", (26, 50)), "clip": False},
            {"image": VOLUME, "psf": Input("psf", (3, 3, 3))},
        ),
        bound=Bound("sums over spectra in single precision; the device has double", single=1e-4),
    ),
)
