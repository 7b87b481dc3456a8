"""Calls of `skimage.morphology`: functions that make footprints."""

from ..inputs import Input
from ..sweep import Sweep

_DTYPES = ["uint8", "bool", "float32"]
_SPHERES = (
    {"radius": 1, "decomposition": "sequence"},
    {"radius": 17, "decomposition": "sequence"},
    {"radius": 2.5, "decomposition": "sequence"},
    {"radius": 5, "decomposition": "sequence", "strict_radius": False},
    {"radius": 5, "strict_radius": False},
    {"radius": 300, "decomposition": "sequence"},
)
CROSS = Input("disk", (3, 3))


def _footprint(name, call, decompositions=(), also=(), **more):
    return Sweep(
        f"skimage.morphology:{name}",
        call,
        vary={
            "dtype": _DTYPES,
            **({"decomposition": [None, *decompositions, "no such"]} if decompositions else {}),
            **more,
        },
        also=(
            *(
                {"decomposition": decomposition, "dtype": dtype}
                for decomposition in decompositions
                for dtype in ("uint8", "bool")
            ),
            *also,
        ),
        dtypes=(),
    )


SWEEPS = (
    _footprint(
        "ball",
        {"radius": 4},
        ["sequence"],
        radius=[0, 1, 2, 2.5, -1],
        strict_radius=[False],
        also=_SPHERES,
    ),
    _footprint(
        "disk",
        {"radius": 6},
        ["sequence", "crosses"],
        radius=[0, 1, 2, 2.5, -1],
        strict_radius=[False],
        also=(*_SPHERES, {"radius": 9, "strict_radius": False, "decomposition": "crosses"}),
    ),
    _footprint("diamond", {"radius": 4}, ["sequence"], radius=[0, 1, 2, 2.5, -1]),
    _footprint(
        "ellipse", {"width": 5, "height": 3}, ["crosses"], width=[0, 1, 3, 2.5], height=[0, 1, 7]
    ),
    _footprint("octahedron", {"radius": 3}, ["sequence"], radius=[0, 1, 2, 2.5, -1]),
    _footprint("octagon", {"m": 5, "n": 3}, ["sequence"], m=[0, 1, 2, 4, 6], n=[0, 1, 2]),
    _footprint("star", {"a": 3}, a=[0, 1, 2, 5, 2.5]),
    Sweep(
        "skimage.morphology:footprint_rectangle",
        {"shape": (5, 7)},
        vary={
            "shape": [(3,), (4, 3), (3, 5, 7), (1, 1), (), [3, 5], (0, 3), 3],
            "dtype": _DTYPES,
            "decomposition": [None, "separable", "sequence", "no such"],
        },
        also=(
            {"shape": (4, 3), "decomposition": "separable"},
            {"shape": (4, 3), "decomposition": "sequence"},
            {"shape": (5, 5, 9), "decomposition": "sequence", "dtype": "bool"},
            {"shape": (3, 5, 7), "decomposition": "separable"},
        ),
        dtypes=(),
    ),
    Sweep(
        "skimage.morphology:footprint_from_sequence",
        {"footprints": [(CROSS, 2), (Input("ones", (3, 3)), 1)]},
        vary={
            "footprints": [
                [(CROSS, 1)],
                ((CROSS, 3), (Input("hook", (3, 3)), 1)),
                [(Input("ones", (4, 3)), 1)],
                [(Input("ones", (2, 2)), 3)],
                [(Input("disk", (3, 3, 3)), 2)],
                [(CROSS, 0)],
                [(CROSS.cast("float64"), 1)],
                [((3, 3), 2)],
                CROSS,
                [],
                "no such",
            ],
        },
        dtypes=(),
    ),
)
