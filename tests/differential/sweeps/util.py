"""Calls of `skimage.util`."""

import numpy as np

from ..inputs import COLOR, FLOATS, NOISE, PHOTO, SIGNED, SIGNED_PHOTO, VOLUME, Input
from ..sweep import Sweep

_BYTES = PHOTO.cast("uint8")
_EVEN = {"image0": Input("photo", (32, 48)), "image1": Input("noise", (32, 48))}
_TILES = Input("color", (5, 9, 11), "uint8")
_COLOR_TILES = Input("color", (5, 9, 11, 3), "uint8")
_STEPS = Input("levels", dtype="int64")
_KEYS = Input("keys", (10,))
_VALUES = Input("noise", (10,))


def _conversion(function, dtype):
    """One of the img_as_ functions; its own dtype stays as it is."""
    return Sweep(
        f"skimage.util:{function}",
        {"image": (PHOTO if dtype == "uint8" else _BYTES)},
        vary={"force_copy": [True]},
        also=(
            *({"image": SIGNED_PHOTO.cast(other)} for other in (*SIGNED, *FLOATS)),
            {"image": VOLUME},
            {"image": Input("counts", dtype="uint16")},  # small values: not scaled, and a warning
            {"image": Input("counts", dtype="int64")},
            {"image": Input("lab", (41, 53, 3))},  # beyond 1
            {"image": PHOTO.cast(dtype), "force_copy": True},
        ),
    )


SWEEPS = (
    _conversion("img_as_bool", "bool"),
    _conversion("img_as_float", "float64"),
    _conversion("img_as_float32", "float32"),
    _conversion("img_as_float64", "float64"),
    _conversion("img_as_int", "int16"),
    _conversion("img_as_ubyte", "uint8"),
    _conversion("img_as_uint", "uint16"),
    Sweep(
        "skimage.util:dtype_limits",
        {"image": PHOTO},
        vary={"clip_negative": [True]},
        kinds=("cupy",),
    ),
    Sweep(
        "skimage.util:invert",
        {"image": PHOTO},
        vary={"signed_float": [True]},
        also=(
            *({"image": SIGNED_PHOTO.cast(dtype)} for dtype in (*SIGNED, *FLOATS)),
            *({"image": SIGNED_PHOTO.cast(dtype), "signed_float": True} for dtype in FLOATS),
            {"image": VOLUME.cast("float32")},
            {"image": COLOR.cast("uint8")},
        ),
    ),
    Sweep(
        "skimage.util:compare_images",
        {"image0": PHOTO, "image1": NOISE},
        vary={"method": ["diff", "blend", "checkerboard", "no such"]},
        also=(
            {**_EVEN, "method": "checkerboard"},
            {**_EVEN, "method": "checkerboard", "n_tiles": (4, 6)},
            {**_EVEN, "method": "checkerboard", "n_tiles": (32, 48)},
            {**_EVEN, "method": "checkerboard", "n_tiles": (64, 6)},
            {**_EVEN, "method": "checkerboard", "n_tiles": (0, 8)},
            {**{key: value.cast("uint8") for key, value in _EVEN.items()}, "method": "blend"},
            {**{k: v.cast("float16") for k, v in _EVEN.items()}, "method": "checkerboard"},
            {**_EVEN, "image1": Input("noise", (32, 48), "float32"), "method": "checkerboard"},
            {**_EVEN, "image0": Input("photo", (32, 48), "float32"), "method": "checkerboard"},
            {"image0": _BYTES, "image1": NOISE.cast("float32")},
            {"image0": PHOTO.cast("float16"), "image1": NOISE.cast("float32"), "method": "blend"},
            {"image0": COLOR, "image1": COLOR.cast("uint8")},
            {"image0": VOLUME, "image1": VOLUME.cast("uint16"), "method": "blend"},
            {"image0": VOLUME, "image1": VOLUME, "method": "checkerboard"},
            {"image0": PHOTO, "image1": Input("noise", (41, 52))},
        ),
    ),
    Sweep(
        "skimage.util:crop",
        {"ar": PHOTO, "crop_width": 3},
        vary={
            "crop_width": [0, (2,), (2, 5), ((1, 2), (3, 4)), [[1, 2]], 30, -1, np.int64(4), 1.5],
            "copy": [True],
            "order": ["C", "F", "A"],
        },
        also=(
            {"ar": VOLUME, "crop_width": ((1, 2), (0, 3), (4, 0)), "copy": True},
            {"crop_width": np.array([[1, 2], [3, 4]])},
            {"crop_width": (1, 2, 3)},
            {"copy": True, "order": "F"},
        ),
        kinds=("cupy",),
    ),
    Sweep(
        "skimage.util:map_array",
        {"input_arr": _STEPS, "input_vals": _KEYS, "output_vals": _VALUES},
        vary={
            "input_arr": [Input("labels", VOLUME.shape), PHOTO],
            "input_vals": [Input("zeros", (10,), "int64"), Input("keys", (9,)), _KEYS.cast("int8")],
            "output_vals": [
                Input("keys", (10,), dtype) for dtype in ("bool", "int16", "uint64", *FLOATS)
            ],
            "out": [
                Input("zeros"),
                Input("zeros", dtype="float32"),
                Input("zeros", dtype="int32"),
                Input("zeros", (41, 52)),
                Input("zeros").strided(),
            ],
        },
        dtypes=("uint8", "uint16", "uint32", "uint64", *SIGNED),
    ),
    Sweep(
        "skimage.util:label_points",
        {"coords": Input("counts", (60, 2)), "output_shape": (21, 25)},
        vary={
            "coords": [
                Input("photo", (40, 2)),
                Input("keys", (40, 2)),  # negative ones
                Input("counts", (60, 3)),
                Input("counts", (60,)),
                Input("zeros", (0, 2)),
            ],
            "output_shape": [(21, 20), (20, 25), [21, 25], (21, 25, 3), (-1, 25), (21.5, 25), 21],
        },
        also=({"coords": Input("counts", (50, 3)), "output_shape": (21, 22, 23)},),
        kinds=("cupy",),
    ),
    Sweep(
        "skimage.util:montage",
        {"arr_in": _TILES},
        vary={
            "fill": ["mean", 0, 7.9, (3,), np.array([5]), "no such"],
            "rescale_intensity": [True],
            "grid_shape": [(1, 5), (2, 3), (5, 2), (1, 2), [2.0, 3.0]],
            "padding_width": [1, 4],
            "arr_in": [
                Input("photo", (4, 8, 8)),
                Input("photo", (1, 8, 9)),
                Input("constant", (3, 20, 20), "uint8"),
                _TILES.cast("bool"),
                _TILES.cast("float32"),
                [Input("photo", (8, 9)), Input("noise", (8, 9))],
                PHOTO,
            ],
        },
        also=(
            {"arr_in": _COLOR_TILES},
            {"arr_in": _COLOR_TILES, "channel_axis": -1},
            {"arr_in": _COLOR_TILES, "channel_axis": -1, "padding_width": 2},
            {"arr_in": _COLOR_TILES, "channel_axis": -1, "fill": (1, 2, 3)},
            {"arr_in": _COLOR_TILES, "channel_axis": -1, "fill": 0},
            {"arr_in": Input("color", (3, 5, 9, 11)), "channel_axis": 0, "padding_width": 1},
            {"arr_in": Input("color", (5, 9, 3, 11)), "channel_axis": -2, "grid_shape": (3, 2)},
            {"arr_in": _COLOR_TILES, "channel_axis": 3, "rescale_intensity": True},
            {"rescale_intensity": True, "padding_width": 1, "fill": "mean"},
        ),
    ),
    Sweep(
        "skimage.util:view_as_blocks",
        {"arr_in": Input("photo", (24, 30)), "block_shape": (4, 5)},
        vary={"block_shape": [(1, 1), (24, 30), (5, 5), (0, 5), [4, 5], (4,), (-1, 5)]},
        also=(
            {"arr_in": Input("smooth", (12, 15, 8)), "block_shape": (3, 5, 4)},
            {"arr_in": Input("noise", (30,)), "block_shape": (6,)},
        ),
        kinds=("cupy",),
    ),
    Sweep(
        "skimage.util:view_as_windows",
        {"arr_in": Input("photo", (12, 15)), "window_shape": (3, 4)},
        vary={
            "window_shape": [1, 5, 0, -2, 20, (3,), [2, 3], (12, 15), (3, 0), 3.7],
            "step": [2, (2, 3), [1, 2], 20, 0, (0, 1), (1,)],
        },
        also=(
            {"arr_in": Input("smooth", (7, 8, 9)), "window_shape": (3, 2, 4), "step": (2, 1, 3)},
            {"arr_in": Input("noise", (30,)), "window_shape": 4},
        ),
        kinds=("cupy",),
    ),
    Sweep(
        "skimage.util:unique_rows",
        {"ar": Input("counts", (90, 2))},
        vary={
            "ar": [
                Input("noise", (40, 3)),
                Input("signed", (30, 5)),
                Input("mask", (60, 4)),
                Input("counts", (3, 4, 2)),
                Input("counts", (9,)),
                Input("zeros", (0, 3)),
                Input("zeros", (5, 0)),
                Input("noise", (9, 70)),
                Input("constant", (9, 2)),
            ]
        },
    ),
)
