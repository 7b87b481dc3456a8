"""Calls of `skimage.exposure`."""

from ..inputs import COINS, COLOR, PHOTO, SIGNED_PHOTO, VOLUME, Input
from ..sweep import Sweep

# bins for every value: images of more bytes would need as many gigabytes
_SMALL = ("bool", "uint8", "uint16", "int8", "int16", "float16", "float32", "float64")
_BYTES = PHOTO.cast("uint8")
_LEVELS = Input("levels")
_COUNTS = Input("counts")
_FIRST = Input("color", (3, 41, 53))
_RGBA = Input("color", (41, 53, 4))
_WIDE_DTYPES = tuple(
    {"image": (_COUNTS if dtype[0] == "u" else _LEVELS).cast(dtype)}
    for dtype in ("uint32", "uint64", "int32", "int64")
)
_RANGES = ["image", "dtype", "uint8", "uint10", "float", (0.2, 0.7), (10, 200), [0, 1], "no such"]


def _adjustment(function, **vary):
    return Sweep(
        f"skimage.exposure:{function}",
        {"image": PHOTO},
        vary=vary,
        also=(
            {"image": COLOR},
            {"image": VOLUME.cast("float32")},
            {"image": SIGNED_PHOTO},
            {"image": SIGNED_PHOTO.cast("int16")},
            *({"image": PHOTO.cast("uint16"), key: vary[key][1]} for key in vary),
            *({"image": _BYTES, key: vary[key][1]} for key in vary),
        ),
    )


SWEEPS = (
    _adjustment("adjust_gamma", gamma=[0, 0.5, 2, 2.2, -1], gain=[0, 0.7, 2, -1]),
    _adjustment("adjust_log", gain=[0, 0.7, 2, -1], inv=[False, True]),
    _adjustment("adjust_sigmoid", cutoff=[0, 0.3], gain=[0, 5, -3], inv=[False, True]),
    Sweep(
        "skimage.exposure:histogram",
        {"image": PHOTO},
        vary={
            "nbins": [1, 2, 10, 255, 1000, 0, "auto", 7.0],
            "source_range": ["dtype", "no such"],
            "normalize": [True],
        },
        also=(
            {"image": COLOR},
            {"image": COLOR, "channel_axis": -1},
            {"image": COLOR, "channel_axis": -1, "source_range": "dtype"},
            {"image": COLOR.cast("uint8"), "channel_axis": 2, "normalize": True},
            {"image": COLOR.cast("int8"), "channel_axis": -1},
            {"image": COLOR.cast("bool"), "channel_axis": -1},
            {"image": _FIRST, "channel_axis": 0, "nbins": 17, "normalize": True},
            {"image": _FIRST, "channel_axis": -3},
            {"image": SIGNED_PHOTO.cast("float32"), "source_range": "dtype", "nbins": 10},
            {"image": SIGNED_PHOTO.cast("float32"), "nbins": 255},
            {"image": _BYTES, "source_range": "dtype", "normalize": True},
            {"image": SIGNED_PHOTO.cast("int8"), "source_range": "dtype"},
            {"image": Input("constant")},
            {"image": Input("mask", (1, 30)), "nbins": 3},
            {"image": Input("zeros", dtype="bool")},
            {"image": VOLUME},
            *_WIDE_DTYPES,
        ),
        dtypes=_SMALL,
    ),
    Sweep(
        "skimage.exposure:cumulative_distribution",
        {"image": PHOTO},
        vary={"nbins": [1, 10, 255]},
        also=({"image": COLOR}, {"image": VOLUME.cast("float32")}, *_WIDE_DTYPES),
        dtypes=_SMALL,
    ),
    Sweep(
        "skimage.exposure:equalize_hist",
        {"image": PHOTO},
        vary={"nbins": [1, 10, 255], "mask": [Input("mask"), Input("mask", dtype="uint8")]},
        also=(
            {"image": COLOR},
            {"image": VOLUME.cast("float32"), "mask": Input("mask", VOLUME.shape)},
            {"image": _BYTES, "mask": Input("mask")},
            {"image": Input("constant")},
            *_WIDE_DTYPES,
        ),
        dtypes=_SMALL,
    ),
    Sweep(
        "skimage.exposure:match_histograms",
        {"image": PHOTO, "reference": COINS},
        also=(
            {"image": COLOR, "reference": Input("color", (20, 31, 3)), "channel_axis": -1},
            {"image": COLOR, "reference": _FIRST, "channel_axis": -1},
            {"image": _FIRST, "reference": Input("color", (3, 20, 31)), "channel_axis": 0},
            {"image": COLOR.cast("uint8"), "reference": COLOR.cast("uint8"), "channel_axis": 2},
            {
                "image": COLOR.cast("uint8"),
                "reference": Input("color", (20, 31, 3), "uint8"),
                "channel_axis": -2,
            },
            {
                "image": COLOR.cast("int16"),
                "reference": Input("color", (20, 31, 3), "int16"),
                "channel_axis": -1,
            },
            {
                "image": COLOR.cast("uint8"),
                "reference": Input("color", (20, 31, 3), "uint16"),
                "channel_axis": -1,
            },
            {"image": _BYTES, "reference": COINS.cast("uint16")},
            {"image": _BYTES, "reference": COINS},
            {"image": COLOR, "reference": COINS},
            {"image": VOLUME.cast("float32"), "reference": VOLUME},
            {"image": _COUNTS.cast("uint8"), "reference": _BYTES},
            *({**change, "reference": change["image"]} for change in _WIDE_DTYPES),
        ),
        dtypes=_SMALL,
    ),
    Sweep(
        "skimage.exposure:rescale_intensity",
        {"image": Input("coins")},
        vary={"in_range": _RANGES, "out_range": _RANGES},
        also=(
            {"image": _BYTES, "out_range": (0, 127)},
            {"image": _BYTES, "out_range": (0.0, 1.0), "in_range": "dtype"},
            {"image": _BYTES, "out_range": (0, 255), "in_range": (200, 100)},
            {"image": SIGNED_PHOTO.cast("int8"), "out_range": "dtype", "in_range": (0, 100)},
            {"image": SIGNED_PHOTO.cast("int16"), "out_range": (0, 100), "in_range": "dtype"},
            {"image": PHOTO.cast("uint16"), "out_range": "uint12", "in_range": "uint16"},
            {"image": PHOTO.cast("float32"), "out_range": "uint8"},
            {"image": PHOTO.cast("float16"), "out_range": (0, 255)},
            {"image": Input("constant")},
            {"image": Input("constant"), "out_range": (0.5, 1)},
            {"image": COLOR.cast("uint8")},
            {"image": VOLUME.cast("uint16")},
            *_WIDE_DTYPES,
            *({**change, "out_range": (0, 1)} for change in _WIDE_DTYPES),
        ),
    ),
    Sweep(
        "skimage.exposure:is_low_contrast",
        {"image": PHOTO},
        vary={
            "fraction_threshold": [0, 0.3, 0.9, 2],
            "lower_percentile": [0, 40],
            "upper_percentile": [60, 100, 101],
            "method": ["linear", "no such"],
        },
        also=(
            {"image": Input("constant")},
            {"image": Input("zeros", dtype="bool")},
            {"image": COLOR},
            {"image": COLOR.cast("uint8")},
            {"image": _RGBA},
            {"image": _RGBA.cast("uint8")},
            {"image": VOLUME},
            *(
                {"image": image, "fraction_threshold": fraction, "lower_percentile": 3.3}
                for image in (_BYTES, PHOTO.cast("uint16"), SIGNED_PHOTO.cast("int8"))
                for fraction in (0.3, 0.5, 0.7, 0.9)
            ),
            {"image": _BYTES, "upper_percentile": 101},
        ),
    ),
    Sweep(
        "skimage.exposure:equalize_adapthist",
        {"image": PHOTO},
        vary={
            "kernel_size": [7, (9, 13), [20, 5], (3,), 60],
            "clip_limit": [0, 0.03, 1],
            "nbins": [16, 255],
        },
        also=(
            {"image": COLOR},
            {"image": COLOR.cast("uint8")},
            {"image": COLOR.cast("float32")},
            {"image": _RGBA.cast("uint8")},
            {"image": VOLUME},
            {"image": VOLUME, "kernel_size": (5, 6, 7), "clip_limit": 0.1},
            {"image": SIGNED_PHOTO.cast("int8")},
            {"image": Input("smooth", (96, 104), "uint16"), "nbins": 8192},  # levels count
            {"image": Input("constant")},
        ),
    ),
)
