"""Calls of `skimage.color.label2rgb`."""

from ..inputs import COLOR, LABELS, MASK, PHOTO, SIGNED_PHOTO, VOLUME, VOLUME_LABELS, Input
from ..sweep import Sweep

_LEVELS = Input("levels")
_FIRST = Input("color", (3, 41, 53))
_AVERAGE = {"image": COLOR, "kind": "avg"}

SWEEPS = (
    Sweep(
        "skimage.color:label2rgb",
        {"label": LABELS},
        vary={
            "label": [
                MASK,
                _LEVELS,
                _LEVELS.cast("int8"),
                Input("tiles"),
                Input("lab", (41, 53, 3)),
            ],
            "image": [PHOTO, COLOR, SIGNED_PHOTO, Input("noise", (41, 52)), _FIRST],
            "colors": [["red", "blue"], [(0, 0, 1), (0.5, 1, 0)], ["no such"]],
            "alpha": [0, 1],
            "bg_label": [-1, 3, 99],
            "bg_color": [None, "yellow", (0.2, 0.3, 1)],
            "saturation": [0.5, 2],
            "kind": ["overlay", "avg", "no such"],
        },
        also=(
            *({"image": COLOR.cast(d)} for d in ("uint8", "int16", "float16", "float32", "bool")),
            {"image": PHOTO.cast("float32"), "alpha": 0.7, "image_alpha": 0.5},
            {"image": COLOR, "saturation": 1, "bg_color": None},
            {"image": COLOR, "saturation": 0.4, "image_alpha": 0},
            {"image": _FIRST, "channel_axis": 0},
            {"image": PHOTO, "bg_color": None, "bg_label": 2},
            {"image": PHOTO, "bg_color": None, "bg_label": 99},
            {"label": _LEVELS, "image": PHOTO, "bg_label": -3, "bg_color": None},
            {"label": LABELS.cast("uint8"), "bg_label": -1},
            {"label": VOLUME_LABELS, "image": VOLUME},
            {"label": VOLUME_LABELS, "image": Input("color", (*VOLUME.shape, 3))},
            _AVERAGE,
            *(
                {**_AVERAGE, "image": COLOR.cast(dtype)}
                for dtype in ("uint8", "int16", "uint32", "int64", "float16", "float32", "bool")
            ),
            {**_AVERAGE, "bg_label": 2, "bg_color": (1, 0.5, 0)},
            {**_AVERAGE, "bg_label": 99},
            {**_AVERAGE, "image": _FIRST, "channel_axis": 0},
            {**_AVERAGE, "image": PHOTO},
            {**_AVERAGE, "label": MASK, "image": COLOR.cast("uint8"), "bg_color": (1, 2, 300)},
        ),
        dtypes=("bool", "uint8", "uint16", "uint64", "int8", "int16", "int64", "float32"),
    ),
)
