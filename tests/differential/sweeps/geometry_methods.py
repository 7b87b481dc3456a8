"""Calls of the methods of transforms, curves and shortest ways."""

import numpy as np
import skimage as ski

from ..inputs import Input
from ..sweep import MethodSweep

POINTS = np.random.default_rng(0).random((12, 2)) * 50
MOVED = POINTS @ [[1.1, 0.2], [-0.1, 0.9]] + [3, 4]
BENT = MOVED + np.sin(POINTS / 9)
VOLUME, OF_VOLUME = np.random.default_rng(1).random((2, 12, 3))
_MAKE = "tests.differential.sweeps.geometry_methods"
_TURNED = np.array([[0.9, -0.3, 4], [0.3, 0.9, -2], [0, 0, 1]])
_BENT = np.array([[1.1, 0.1, 3], [-0.2, 0.9, 1], [0.001, -0.002, 1]])
_COORDS = [Input("noise", (7, 2)), POINTS[:1], POINTS[0], np.zeros((0, 2)), VOLUME, POINTS.tolist()]


def transform(kind, inverse=False, **given):
    """A transform of some numbers, or its inverse."""
    made = getattr(ski.transform, kind)(**given)
    return made.inverse if inverse else made


def fitted(kind, src, dst, inverse=False, **given):
    """A transform that is fitted to points, or its inverse."""
    made = getattr(ski.transform, kind).from_estimate(src, dst, **given)
    return made.inverse if inverse else made


def ways(kind, costs, fully_connected=True, sampling=None):
    """What finds the cheapest ways through an array."""
    return getattr(ski.graph, kind)(costs, fully_connected=fully_connected, sampling=sampling)


def _methods(kind, make, call, vary, also=(), estimate=None):
    """Sweeps of what all transforms have."""
    name = f"skimage.transform:{kind}"
    fits = {"src": POINTS, "dst": MOVED}
    others = {"src": [VOLUME, POINTS[:2], np.ones((5, 2)), POINTS[:8]], "dst": [BENT, MOVED[:2]]}
    also_fits = ({"src": VOLUME, "dst": OF_VOLUME}, {"src": POINTS[:4], "dst": BENT[:4]})
    make = {"make": f"{_MAKE}:{make}"}
    yield MethodSweep(
        f"{name}.__call__",
        {"coords": Input("noise", (30, 2)), "self.kind": kind, **call},
        vary={"coords": _COORDS, "self.inverse": [True], **vary},
        also=also,
        images="coords",
        **make,
    )
    yield MethodSweep(
        f"{name}.from_estimate",
        fits,
        vary=others | (estimate or {}),
        also=also_fits,
        images="src dst",
    )
    yield MethodSweep(
        f"{name}.estimate", fits, vary=others | (estimate or {}), also=also_fits, images="src dst"
    )
    if kind != "ThinPlateSplineTransform":
        yield MethodSweep(
            f"{name}.residuals",
            {**fits, "self.kind": kind, **call},
            vary=others | vary,
            images="src dst",
            **make,
        )


def _of_model(name, method, of_object, call, vary=None, images="data"):
    own = {f"self.{key}": value for key, value in of_object.items()}
    name = f"skimage.measure:{name}.{method}"
    return MethodSweep(name, call | own, vary=vary or {}, images=images)


_MATRICES = {
    "AffineTransform": {"self.scale": (2, 3), "self.shear": 0.1, "self.rotation": 0.2},
    "EuclideanTransform": {"self.rotation": 0.4, "self.translation": (1, 2)},
    "ProjectiveTransform": {"self.dimensionality": 2},
    "SimilarityTransform": {"self.scale": 1.5, "self.rotation": -0.4},
}
_CURVES = {
    "CircleModel": ({"center": (2, 3), "radius": 4}, POINTS),
    "EllipseModel": ({"center": (2, 3), "axis_lengths": (4, 7), "theta": 0.3}, POINTS),
    "LineModelND": ({"origin": (1, 2), "direction": (0.6, 0.8)}, POINTS),
}
_DATA = {"data": [BENT, POINTS[:1], np.ones((6, 2)), VOLUME, Input("noise", (9, 2))]}
_CIRCLE = np.stack([4 * np.cos(np.arange(9)) + 2, 4 * np.sin(np.arange(9)) + 3], axis=1)
_WEIGHTS = {"weights": [np.linspace(0.1, 1, 12), np.ones(3)]}
_FROM = np.array([[0, 0], [5, 6]])
METHODS = (
    *(
        sweep
        for kind, parts in _MATRICES.items()
        for sweep in _methods(
            kind,
            "transform",
            {"self.matrix": _TURNED},
            {
                "self.matrix": [np.eye(4), _BENT, np.zeros((3, 3)), _TURNED.astype(np.float32)],
                "self.dimensionality": [2, 3],
            },
            ({"self.matrix": None, **parts}, {"self.matrix": np.eye(4), "coords": VOLUME}),
            {} if kind != "ProjectiveTransform" else _WEIGHTS,
        )
    ),
    *(
        sweep
        for kind in ("EssentialMatrixTransform", "FundamentalMatrixTransform")
        for sweep in _methods(
            kind, "transform", {"self.matrix": _BENT}, {"self.matrix": [_TURNED, np.eye(2)]}
        )
    ),
    *_methods(
        "PiecewiseAffineTransform",
        "fitted",
        {"self.src": POINTS, "self.dst": BENT},
        {"self.dst": [MOVED]},
        ({"coords": POINTS},),
    ),
    *_methods(
        "PolynomialTransform",
        "fitted",
        {"self.src": POINTS, "self.dst": BENT},
        {"self.dst": [MOVED], "self.order": [1, 3]},
        estimate={"order": [1, 3, 0], **_WEIGHTS},
    ),
    *_methods(
        "ThinPlateSplineTransform",
        "fitted",
        {"self.src": POINTS, "self.dst": BENT},
        {"self.dst": [MOVED], "self.src": [POINTS[:3]]},
        ({"coords": POINTS},),
    ),
    *(
        _of_model(kind, method, of_object, {"data": points}, _DATA)
        for kind, (of_object, points) in _CURVES.items()
        for method in ("estimate", "from_estimate", "residuals")
    ),
    *(
        _of_model(
            kind,
            "predict_xy",
            _CURVES[kind][0],
            {"t": POINTS[:, 0]},
            {"t": [Input("noise", (5,)), Input("noise", (3, 4))]},
            "t",
        )
        for kind in ("CircleModel", "EllipseModel")
    ),
    *(
        _of_model("LineModelND", method, _CURVES["LineModelND"][0], {at: POINTS[:, 0]}, None, at)
        for method, at in {"predict": "x", "predict_x": "y", "predict_y": "x"}.items()
    ),
    *(
        MethodSweep(
            f"skimage.graph:{kind}.find_costs",
            {"starts": _FROM, "self.kind": kind, "self.costs": Input("photo", (9, 11))},
            vary={
                "ends": [np.array([[8, 10]]), None],
                "self.fully_connected": [False],
                "find_all_ends": [False],
                "self.sampling": [(1, 2)],
                "starts": [[(0, 0)], np.array([[20, 3]])],
            },
            images="starts",
            make=f"{_MAKE}:ways",
        )
        for kind in ("MCP", "MCP_Connect", "MCP_Flexible", "MCP_Geometric")
    ),
)
