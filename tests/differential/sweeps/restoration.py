"""Calls of `skimage.restoration`."""

import functools

import numpy as np
from skimage import filters, restoration

from ..inputs import COINS, COLOR, MASK, PHOTO, SIGNED_PHOTO, VOLUME, VOLUME_MASK, Input
from ..sweep import Bound, Sweep

PSF = Input("psf", (5, 5))
SMALL = Input("photo", (16, 20))
SMALL_COLOR = Input("color", (16, 20, 3))
TV = restoration.denoise_tv_chambolle
WAVES = functools.partial(restoration.denoise_wavelet, wavelet="db2")
SKEW = Input("skew", (4, 5))
LAPLACIAN = Input("laplacian", (3, 3))


def _calibrated(result):
    """What was calibrated, as lists; losses are numbers of the host for arrays of any kind."""
    best, *tested = result if isinstance(result, tuple) else (result,)
    keywords = {name: value for name, value in best.keywords.items() if name != "denoise_function"}
    return [best.func.__name__, keywords, [[list(each) for each in part] for part in tested]]


SWEEPS = (
    Sweep(
        "skimage.restoration:cycle_spin",
        {"x": SMALL, "func": TV, "max_shifts": 2},
        vary={
            "func": [filters.gaussian, filters.sobel, WAVES, restoration.denoise_tv_bregman, abs],
            "max_shifts": [0, (0, 3), (30, 1), (1, 1, 1), -1],
            "shift_steps": [2, (1, 2), 0],
            "num_workers": [1],
            "workers": [1, 2],
            "func_kw": [{"weight": 0.3}, {"max_num_iter": 5}, {"no_such": 1}],
            "channel_axis": [0, -1],
        },
        also=(
            {"x": SMALL_COLOR, "channel_axis": -1, "func_kw": {"channel_axis": -1}},
            {"x": Input("color", (3, 15, 11)), "channel_axis": 0, "max_shifts": (1, 2)},
            {"x": SMALL_COLOR, "channel_axis": -1, "max_shifts": (1, 1, 1)},
            {"x": SMALL.cast("float32"), "func": WAVES, "max_shifts": (3, 0), "workers": 1},
            {"x": SMALL.cast("uint8"), "func": filters.gaussian, "func_kw": {"sigma": 2}},
            {"x": Input("smooth", (7, 8, 6)), "max_shifts": (1, 0, 1)},
            {"x": Input("photo", (53,)), "max_shifts": 5, "shift_steps": 2},
        ),
    ),
    Sweep(
        "skimage.restoration:denoise_invariant",
        {"image": SMALL, "denoise_function": TV},
        vary={
            "denoise_function": [filters.gaussian, WAVES, restoration.denoise_tv_bregman, abs],
            "stride": [1, 2, 3, 0],
            "masks": [
                [Input("mask", (16, 20)), Input("disk", (16, 20), "bool")],
                (Input("mask", (16,)),),
                [Input("mask", (16, 21))],
                [],
            ],
            "denoiser_kwargs": [{"weight": 0.3}, {"no_such": 1}],
        },
        also=(
            {"image": SMALL_COLOR, "stride": 2, "denoiser_kwargs": {"channel_axis": -1}},
            {"image": SMALL_COLOR, "stride": 2, "denoise_function": filters.gaussian},
            {"image": SMALL.cast("uint8"), "denoise_function": filters.gaussian, "stride": 2},
            {"image": Input("smooth", (5, 6, 7)), "stride": 2},
            {"image": Input("photo", (53,)), "denoiser_kwargs": {"weight": 0.3}},
        ),
    ),
    Sweep(
        "skimage.restoration:calibrate_denoiser",
        {"image": SMALL, "denoise_function": TV, "denoise_parameters": {"weight": [0.1, 0.5]}},
        vary={
            "denoise_function": [restoration.denoise_tv_bregman, abs],
            "denoise_parameters": [{}, {"weight": []}, {"no_such": [1]}, {"eps": (1e-3, 1e-4)}],
            "stride": [2, 3, 40],
            "approximate_loss": [False],
            "extra_output": [True],
        },
        also=(
            {
                "denoise_function": WAVES,
                "denoise_parameters": {"sigma": [0.1, 0.3], "mode": ["hard", "soft"]},
            },
            {"image": SMALL_COLOR, "denoise_parameters": {"channel_axis": [-1, None]}},
            {"image": Input("smooth", (5, 6, 7)), "stride": 2, "approximate_loss": False},
        ),
        view=_calibrated,
    ),
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
                np.array([[0.1, np.nan, 0.1]]),
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
        "skimage.restoration:denoise_tv_bregman",
        {"image": PHOTO},
        vary={
            "weight": [0.01, 1, 50, -0.1],
            "eps": [1e-2, 1e-4, 0],
            "max_num_iter": [0, 1, 40],
            "isotropic": [False, 1],
            "channel_axis": [0, -1, 2],
        },
        also=(
            {"image": COLOR, "channel_axis": -1},
            {"image": COLOR.cast("uint8"), "channel_axis": 2, "isotropic": False},
            {"image": Input("photo", (3, 41, 53)), "channel_axis": 0},
            {"image": Input("photo", (41, 3, 53)), "channel_axis": -2},
            {"image": COLOR, "max_num_iter": 20, "eps": 0},
            {"image": Input("photo", (2, 53))},
            {"image": PHOTO.cast("float32"), "weight": 1, "eps": 1e-5},
            {"image": Input("constant")},
            {"image": Input("zeros")},
        ),
    ),
    Sweep(
        "skimage.restoration:unwrap_phase",
        {"image": SIGNED_PHOTO},
        vary={"wrap_around": [True, [True, False], (False, False)]},
        view=lambda result: np.exp(1j * result),  # multiples of 2 pi depend on an unstable sort
        dtypes=("bool", "uint8", "int8", "uint16", "int16", "float16", "float32", "float64"),
        also=(
            {"image": Input("noise", (40, 31), "float64")},
            {"image": COINS},
            {"image": COINS.cast("uint8"), "wrap_around": [True, False]},
            {"image": VOLUME},
            {"image": VOLUME, "wrap_around": True},
            {"image": VOLUME.cast("float32"), "wrap_around": [True, False, True]},
            {"image": Input("photo", (1, 53))},
            {"image": Input("photo", (2, 2))},
            {"image": Input("photo", (53,))},
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
    Sweep(
        "skimage.restoration:denoise_nl_means",
        {"image": PHOTO, "patch_size": 5, "patch_distance": 3},
        vary={
            "patch_size": [1, 3, 4, 7],
            "patch_distance": [0, 1, 2],
            "h": [0.01, 0.5, 5, 0],
            "fast_mode": [True, False],
            "sigma": [0.05, 0.3, 0],
            "preserve_range": [True, False],
            "channel_axis": [-1, 0, 2],
        },
        also=(
            {"patch_size": 7, "h": 0.2},
            {"fast_mode": False, "patch_distance": 3, "sigma": 0.1},
            {"fast_mode": False, "image": PHOTO.cast("float32"), "patch_distance": 2},
            {"image": PHOTO.cast("float32"), "sigma": 0.1, "h": 0.05},
            {"image": PHOTO.cast("uint8"), "preserve_range": True, "h": 10, "patch_distance": 3},
            {"image": COLOR, "channel_axis": -1, "patch_distance": 2},
            {"image": COLOR, "channel_axis": -1, "patch_distance": 2, "fast_mode": False},
            {"image": Input("color", (3, 21, 31)), "channel_axis": 0, "patch_distance": 2},
            {"image": VOLUME, "patch_size": 3, "patch_distance": 2},
            {"image": VOLUME, "patch_size": 3, "patch_distance": 2, "fast_mode": False},
            {"image": Input("smooth", (7, 8, 9, 3)), "channel_axis": -1, "patch_distance": 1},
            {"image": Input("smooth", (4, 5, 6, 5)), "patch_size": 3, "patch_distance": 1},
            {"image": Input("photo", (1, 53)), "patch_distance": 2},
            {"image": Input("photo", (53,))},
            {"image": Input("constant"), "patch_distance": 2},
            {"image": Input("zeros", (0, 17))},
        ),
    ),
    Sweep(
        "skimage.restoration:estimate_sigma",
        {"image": PHOTO},
        vary={"average_sigmas": [True], "channel_axis": [-1, 0, 1, 5]},
        also=(
            {"image": COLOR, "channel_axis": -1},
            {"image": COLOR, "channel_axis": -1, "average_sigmas": True},
            {"image": COLOR},
            {"image": COLOR.cast("uint8"), "channel_axis": 2},
            {"image": Input("color", (3, 21, 31)), "channel_axis": 0},
            {"image": Input("photo", (21, 3, 31)), "channel_axis": 1},
            {"image": VOLUME},
            {"image": VOLUME.cast("float32"), "channel_axis": 1},
            {"image": Input("smooth", (7, 8, 9, 3)), "channel_axis": -1},
            {"image": Input("smooth", (4, 5, 6, 5))},
            {"image": Input("photo", (1, 53))},
            {"image": Input("photo", (53,))},
            {"image": Input("disk", (41, 53), "bool")},
            {"image": Input("constant")},
            {"image": Input("zeros")},
        ),
    ),
    Sweep(
        "skimage.restoration:denoise_wavelet",
        {"image": PHOTO},
        vary={
            "sigma": [0.05, 0.5, 1],
            "wavelet": ["haar", "db2", "sym9", "bior2.2"],
            "mode": ["hard", "garrote", "greater", "less"],
            "wavelet_levels": [1, 2, 3],
            "convert2ycbcr": [True],
            "method": ["VisuShrink"],
            "rescale_sigma": [False],
            "channel_axis": [-1, 0, 1],
        },
        also=(
            {"image": Input("noise", (41, 53, 3)), "channel_axis": -1, "convert2ycbcr": True},
            {"image": COLOR.cast("uint8"), "channel_axis": -1, "convert2ycbcr": True, "sigma": 9},
            {"image": COLOR, "channel_axis": -1, "sigma": [0.1, 0.2, 0.3]},
            {"image": Input("color", (3, 21, 31)), "channel_axis": 0, "sigma": 0.1},
            {"image": PHOTO.cast("float32"), "sigma": 0.1, "wavelet": "db3"},
            {"image": VOLUME, "wavelet": "db2", "method": "VisuShrink"},
            {"image": Input("photo", (53,)), "mode": "hard"},
            {"image": Input("photo", (1, 53))},
            {"image": Input("disk", (41, 53), "bool"), "rescale_sigma": False},
        ),
    ),
    Sweep(
        "skimage.restoration:inpaint_biharmonic",
        {"image": PHOTO, "mask": Input("grid")},
        vary={
            "mask": [Input(name) for name in ("mask", "hook", "disk", "labels", "zeros", "ring")],
            "split_into_regions": [True],
            "channel_axis": [-1, 0, 1],
        },
        also=(
            {"image": COLOR, "mask": Input("mask", (41, 53)), "channel_axis": -1},
            {"image": COLOR.cast("uint8"), "mask": Input("grid", (41, 53)), "channel_axis": 2},
            {"image": Input("color", (3, 21, 31)), "mask": Input("disk", (21, 31))}
            | {"channel_axis": 0, "split_into_regions": True},
            {"image": PHOTO, "mask": MASK.cast("float32")},
            {"image": PHOTO.cast("float32"), "mask": Input("grid").cast("uint8")},
            {"image": VOLUME, "mask": VOLUME_MASK},
            {"image": Input("photo", (270, 270)), "mask": Input("checks", (270, 270))},
            {"image": Input("smooth", (4, 5, 6, 5)), "mask": Input("hook", (4, 5, 6, 5))},
            {"image": Input("photo", (53,)), "mask": Input("mask", (53,))},
            {"image": Input("photo", (1, 53)), "mask": Input("mask", (1, 53))},
            {"image": Input("disk", (41, 53), "bool"), "mask": Input("grid", (41, 53))},
            {"image": PHOTO, "mask": Input("ones")},
            {"image": Input("zeros", (0, 17)), "mask": Input("zeros", (0, 17))},
        ),
        bound=Bound(
            "equations in double precision, which scikit-image solves in single for such images; "
            "rounding grows with the fourth power of a hole's width",
            single=1e-2,
            double=1e-7,
        ),
    ),
)
