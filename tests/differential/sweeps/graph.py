"""Calls of `skimage.graph`: graphs of regions."""

import numpy as np

from ..inputs import (
    COLOR,
    LABELS,
    MASK,
    PHOTO,
    SIGNED,
    UNSIGNED,
    VOLUME,
    VOLUME_LABELS,
    VOLUME_MASK,
    Input,
)
from ..sweep import Sweep


def in_lists(graph):
    """The nodes, edges and neighbours of a graph, in its order, with what they have.

    A graph is on the host, and so are its arrays, of whatever kind the images are: they become
    lists.
    """
    nodes = [
        [node, {key: _in_list(value) for key, value in has.items()}]
        for node, has in graph.nodes(data=True)
    ]
    neighbours = [[node, list(beside)] for node, beside in graph.adjacency()]
    made = [type(graph).__name__, graph.max_id, graph.graph]
    return [*made, nodes, list(graph.edges(data=True)), neighbours]


def _in_list(value):
    if isinstance(value, np.ndarray):
        return [type(value).__name__, value.dtype.name, value.shape, value.tolist()]
    return value


def _of_matrix(result):
    """A sparse matrix, which is on the host, as lists; nodes as they are."""
    matrix, nodes = result
    parts = matrix.data, matrix.indices, matrix.indptr
    return [type(matrix).__name__, matrix.shape, *map(_in_list, parts), nodes]


def _callback(values, others, distances):
    return distances


GRID = Input("grid")
MANY = Input("levels")
NEGATIVE = Input("gaps", dtype="int16")

SWEEPS = (
    Sweep(
        "skimage.graph:pixel_graph",
        {"image": MASK},
        vary={
            "image": [
                PHOTO,
                VOLUME,
                Input("photo", (53,)),
                Input("constant"),
                Input("mask", (9, 1)),
            ],
            "mask": [MASK, Input("mask", (41, 52)), LABELS, Input("zeros", dtype="bool")],
            "edge_function": [_callback],
            "connectivity": [0, 1, 2, 3, 1.5],
            "spacing": [(1, 2), (0.3, 1), [2.5, 0.1], (1, 0), 2, (1, 2, 3)],
            "sparse_type": ["matrix", "array", "no such"],
        },
        also=(
            {"image": PHOTO, "mask": MASK, "connectivity": 2, "spacing": (0.3, 1)},
            {"image": VOLUME, "mask": VOLUME_MASK, "connectivity": 3, "spacing": (2, 1, 0.5)},
            {"image": Input("photo", (5, 6, 4, 3)), "connectivity": 4},
        ),
        view=_of_matrix,
    ),
    Sweep(
        "skimage.graph:rag_mean_color",
        {"image": COLOR, "labels": LABELS},
        vary={
            "labels": [MASK, GRID, MANY, NEGATIVE, Input("zeros"), Input("labels", (41, 52))],
            "connectivity": [0, 1, 2, 3, 1.5],
            "mode": ["distance", "similarity", "no such"],
            "sigma": [1, 0],
        },
        also=(
            {"image": PHOTO},
            {"image": PHOTO.cast("float32"), "labels": GRID},
            {"image": COLOR.cast("float32")},
            {"image": COLOR.cast("float16"), "connectivity": 1},
            {"image": Input("color", (41, 53, 1))},
            {"image": Input("color", (41, 53, 4))},
            {"image": VOLUME, "labels": VOLUME_LABELS},
            {"image": Input("color", (13, 17, 19, 3)), "labels": VOLUME_LABELS, "connectivity": 1},
            {"image": Input("photo", (53,)), "labels": Input("labels", (53,))},
            {"mode": "similarity", "sigma": 0.1},
            {"mode": "similarity", "sigma": 0},
            {"labels": LABELS.cast("float64")},
            {"image": COLOR.cast("bool")},
        ),
        dtypes=(*UNSIGNED, *SIGNED),
        view=in_lists,
    ),
    Sweep(
        "skimage.graph:rag_boundary",
        {"labels": LABELS, "edge_map": PHOTO},
        vary={
            "labels": [
                *map(LABELS.cast, (*UNSIGNED, *SIGNED)),
                *(MASK, GRID, MANY, Input("zeros"), Input("labels", (41, 52))),
            ],
            "edge_map": [PHOTO.cast("float32"), PHOTO.cast("uint8"), MASK, COLOR],
            "connectivity": [0, 1, 2, 3, 1.5],
        },
        also=(
            {"labels": VOLUME_LABELS, "edge_map": VOLUME},
            {"labels": VOLUME_LABELS, "edge_map": VOLUME, "connectivity": 1},
            {"labels": Input("labels", (53,)), "edge_map": Input("photo", (53,))},
            {"edge_map": PHOTO.cast("float16")},
        ),
        dtypes=(),
        view=in_lists,
    ),
)
