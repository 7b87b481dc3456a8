"""Calls of `skimage.color`: differences of colours."""

from ..inputs import COLOR, Input
from ..sweep import Sweep

_LAB = Input("lab", COLOR.shape)
_FEW = ("uint8", "int16", "int64", "float16", "float32", "float64")


def _difference(function, **vary):
    return Sweep(
        f"skimage.color:{function}",
        {"lab1": _LAB, "lab2": Input("far lab", COLOR.shape)},
        vary={**vary, "channel_axis": [0, -1]},
        also=(
            {"lab2": Input("far lab", COLOR.shape, "float32")},
            {"lab2": Input("far lab", (3,))},
            {"lab1": Input("lab", (3,)), "lab2": Input("far lab", (3,))},
            {
                "lab1": Input("lab", (3, 13, 21)),
                "lab2": Input("far lab", (3, 13, 21)),
                "channel_axis": 0,
            },
            {"lab2": Input("far lab", (41, 52, 3))},
        ),
        dtypes=_FEW,
    )


SWEEPS = (
    _difference("deltaE_cie76"),
    _difference("deltaE_ciede94", kH=[2], kC=[0.5], kL=[3], k1=[0.1], k2=[0]),
    _difference("deltaE_ciede2000", kL=[2], kC=[0.5], kH=[3]),
    _difference("deltaE_cmc", kL=[2], kC=[0.5]),
)
