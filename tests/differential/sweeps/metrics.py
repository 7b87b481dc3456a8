"""Calls of `skimage.metrics`."""

import numpy as np

from ..inputs import COINS, COLOR, LABELS, MASK, NOISE, PHOTO, SIGNED, UNSIGNED, VOLUME, Input
from ..sweep import Bound, Sweep

_BYTES = PHOTO.cast("uint8")
_NOISE_BYTES = NOISE.cast("uint8")
_OTHER_LABELS = Input("tiles", dtype="int32")
_NOISY_COLOR = Input("noise", COLOR.shape)
_NOISY_VOLUME = Input("noise", VOLUME.shape)
_FIRST = {"im1": Input("color", (3, 41, 53)), "im2": Input("noise", (3, 41, 53))}
_SPARSE_LABELS = Input("counts", dtype="int64")
_SEEDS = Input("seeds")
# Point sets: other dtypes, several nearest points, volumes, one row, and empty sets.
_POINT_SETS = (
    {"image0": MASK, "image1": LABELS},
    {"image0": Input("disk"), "image1": MASK},
    {"image0": Input("ring"), "image1": Input("hook")},
    {"image0": NOISE, "image1": Input("hook", dtype="float32")},
    {"image0": Input("mask", VOLUME.shape), "image1": Input("seeds", VOLUME.shape)},
    {"image0": Input("disk", VOLUME.shape), "image1": Input("hook", VOLUME.shape)},
    {"image0": Input("mask", (1, 53)), "image1": Input("grid", (1, 53))},
    {"image0": Input("mask", (53,)), "image1": Input("grid", (53,))},
    {"image0": MASK, "image1": Input("zeros")},
    {"image0": Input("zeros"), "image1": MASK},
    {"image0": Input("zeros"), "image1": Input("zeros")},
    {"image0": MASK, "image1": Input("mask", (40, 53))},
)


def _pairs(first, second):
    """Images of other kinds than a photograph in double precision."""
    return (
        {first: COLOR, second: _NOISY_COLOR},
        {first: VOLUME, second: _NOISY_VOLUME},
        {first: _BYTES, second: NOISE.cast("float32")},
        {first: PHOTO.cast("float32"), second: NOISE.cast("float16")},
        {first: PHOTO, second: PHOTO},
        {first: PHOTO, second: Input("noise", (41, 52))},
    )


def _in_lists(table):
    """A sparse table's kind and shape, and what is in it."""
    if isinstance(table, np.ndarray):  # as the tests of all functions have it
        return table
    there = table.data, table.indices, table.indptr
    kinds = [each.dtype.name for each in there]
    return type(table).__name__, table.shape, kinds, [each.tolist() for each in there]


SWEEPS = (
    Sweep(
        "skimage.metrics:mean_squared_error",
        {"image0": PHOTO, "image1": NOISE},
        also=_pairs("image0", "image1"),
    ),
    Sweep(
        "skimage.metrics:normalized_root_mse",
        {"image_true": PHOTO, "image_test": NOISE},
        vary={"normalization": ["euclidean", "min-max", "mean", "Mean", "no such"]},
        also=(
            *_pairs("image_true", "image_test"),
            {"image_true": _BYTES, "image_test": _NOISE_BYTES, "normalization": "mean"},
            {"image_true": _BYTES, "image_test": _NOISE_BYTES, "normalization": "min-max"},
        ),
    ),
    Sweep(
        "skimage.metrics:peak_signal_noise_ratio",
        {"image_true": PHOTO, "image_test": NOISE},
        vary={"data_range": [1, 2.5, 0]},
        also=(
            *_pairs("image_true", "image_test"),
            {"image_true": Input("signed"), "image_test": NOISE},
            {"image_true": Input("lab", COLOR.shape), "image_test": COLOR},
            {"image_true": _BYTES, "image_test": _NOISE_BYTES, "data_range": 255},
            {"image_true": _BYTES, "image_test": NOISE.cast("uint16")},
        ),
    ),
    Sweep(
        "skimage.metrics:normalized_mutual_information",
        {"image0": PHOTO, "image1": COINS},
        vary={"bins": [1, 10, 255, (5, 7), [3, 4, 5], 0, 4.5]},
        also=(
            *_pairs("image0", "image1"),
            {"image0": _BYTES, "image1": COINS.cast("uint8"), "bins": 15},
            {"image0": Input("constant"), "image1": PHOTO},
            {"image0": PHOTO, "image1": VOLUME},
        ),
    ),
    Sweep(
        "skimage.metrics:structural_similarity",
        {"im1": PHOTO, "im2": NOISE, "data_range": 1},
        vary={
            "win_size": [3, 11, 4, 43, 1],
            "gradient": [True],
            "full": [True],
            "gaussian_weights": [True],
            "data_range": [None, 2.5],
            "channel_axis": [0],
            "use_sample_covariance": [False],
            "K1": [0.02, -1],
            "K2": [0.1, -1],
            "sigma": [-1],
            "im2": [Input("noise", (41, 52)), PHOTO],
        },
        also=(
            {"im1": _BYTES, "im2": _NOISE_BYTES, "data_range": None},
            {"im1": _BYTES, "im2": _NOISE_BYTES, "data_range": None, "full": True},
            *(
                {"im1": PHOTO.cast(dtype), "im2": NOISE.cast(dtype), "data_range": None}
                for dtype in ("bool", "uint16", "int8", "int32", "uint64")
            ),
            {"im1": _BYTES, "im2": NOISE.cast("uint16"), "data_range": None},
            {"im1": PHOTO.cast("float32"), "im2": NOISE, "full": True},
            {"im1": COLOR, "im2": _NOISY_COLOR, "channel_axis": -1},
            {"im1": COLOR, "im2": _NOISY_COLOR, "channel_axis": 2, "full": True},
            {"im1": COLOR, "im2": _NOISY_COLOR, "channel_axis": -1, "gradient": True},
            {**_FIRST, "channel_axis": 0, "full": True, "gradient": True},
            {"im1": VOLUME, "im2": _NOISY_VOLUME, "full": True},
            {"gradient": True, "full": True, "win_size": 5},
            {"gaussian_weights": True, "sigma": 2.5, "use_sample_covariance": False, "full": True},
            {"gaussian_weights": True, "gradient": True, "win_size": 9},
            {
                "gaussian_weights": True,
                "full": True,
                "win_size": 10,
                "data_range": None,
                "im1": _BYTES,
            },
            {"im1": PHOTO.cast("float32"), "im2": _BYTES, "data_range": 255},
            {**_FIRST, "channel_axis": 0, "data_range": 200, "im1": _FIRST["im1"].cast("uint8")},
            {"no_such": 1},
            {"im1": VOLUME, "im2": _NOISY_VOLUME, "gaussian_weights": True, "sigma": 1},
        ),
        bound=Bound(
            "variances are differences of rounded means, in flat parts of nearly equal ones",
            single=1e-3,
        ),
    ),
    Sweep(
        "skimage.metrics:hausdorff_distance",
        {"image0": MASK, "image1": _SEEDS},
        vary={"method": ["standard", "modified", "no such"]},
        also=(*_POINT_SETS, *({**sets, "method": "modified"} for sets in _POINT_SETS)),
    ),
    Sweep(
        "skimage.metrics:hausdorff_pair",
        {"image0": MASK, "image1": _SEEDS},
        also=_POINT_SETS,
    ),
    Sweep(
        "skimage.metrics:contingency_table",
        {"im_true": LABELS, "im_test": _OTHER_LABELS},
        vary={
            "ignore_labels": [(0,), (1, 2), [0, 3], None],
            "normalize": [True],
            "sparse_type": ["array", "no such"],
        },
        also=(
            {"im_true": LABELS, "im_test": LABELS},
            {"im_true": MASK, "im_test": LABELS},
            {"im_true": _SPARSE_LABELS, "im_test": _SPARSE_LABELS.cast("uint8")},
            {"im_true": LABELS, "im_test": Input("labels", (41, 52))},
            {"im_true": Input("levels"), "im_test": LABELS},
        ),
        dtypes=(*UNSIGNED, *SIGNED),
        view=_in_lists,
    ),
    Sweep(
        "skimage.metrics:adapted_rand_error",
        {"image_true": LABELS, "image_test": _OTHER_LABELS},
        vary={
            "ignore_labels": [(), (1, 2), [0, 3], None],
            "alpha": [0, 0.3, 1, 2],
            "table": [Input("noise", (3, 3))],
        },
        also=(
            {"image_true": LABELS, "image_test": LABELS},
            {"image_true": MASK, "image_test": LABELS},
            {"image_true": _SPARSE_LABELS, "image_test": _SPARSE_LABELS.cast("uint8")},
            {"image_true": LABELS, "image_test": Input("labels", (41, 52))},
            {"image_true": Input("levels"), "image_test": LABELS},
        ),
        dtypes=("bool", *UNSIGNED, *SIGNED, "float64"),
    ),
    Sweep(
        "skimage.metrics:variation_of_information",
        {"image0": LABELS, "image1": _OTHER_LABELS},
        vary={
            "ignore_labels": [(0,), (1, 2), [0, 3], None],
            "table": [Input("noise", (3, 3))],
        },
        also=(
            {"image0": LABELS, "image1": LABELS},
            {"image0": MASK, "image1": LABELS},
            {"image0": _SPARSE_LABELS, "image1": _SPARSE_LABELS.cast("uint8")},
            {"image0": LABELS, "image1": Input("labels", (41, 52))},
        ),
        dtypes=("bool", *UNSIGNED, *SIGNED, "float64"),
    ),
)
