"""feature.daisy: maps of orientations, smoothed once an axis, the second only where needed."""

import math

import cupy as cp
import numpy as np

from ..accept._daisy import MOST_HISTOGRAMS, MOST_RINGS, NORMALIZATIONS, layout
from ..device import c_name, launch, resident_blocks
from ..device.dtypes import C_NAMES
from ..primitives.gaussian import bell, line, working
from ..primitives.stencils import LEAST_SIGMA

_SOURCE = "feature/daisy.cu"
_BELL = np.dtype([("radius", "i8"), ("exponent", "f8"), ("norm", "f8")])
_SHAPE = np.dtype(
    [(name, "i8") for name in ("rows", "columns", "descriptor_rows", "descriptor_columns")]
    + [
        (name, "i4")
        for name in ("radius", "step", "orientations", "histograms", "histograms_of_ring", "norm")
    ]
    + [(name, "i4", MOST_HISTOGRAMS) for name in ("down", "across")],
    align=True,
)


def daisy(
    image,
    step=4,
    radius=15,
    rings=3,
    histograms=8,
    orientations=8,
    normalization="l1",
    sigmas=None,
    ring_radii=None,
    visualize=False,
):
    """DAISY descriptors: `skimage.feature.daisy`, by Tola et al.

    3 launches: image read once, maps of all orientations written and read, the same for each
    ring written and read, descriptors written once. One more launch makes a strided `image`
    contiguous.
    """
    sigmas, offsets = layout(radius, rings, histograms, sigmas, ring_radii)
    radius = int(radius if ring_radii is None else ring_radii[-1])
    step, orientations = int(step), int(orientations)
    rows, columns = image.shape
    dtype = working(image.dtype)
    across, down = (-(-(size - 2 * radius) // step) for size in (columns, rows))
    result = cp.empty((down, across, len(offsets) * orientations), dtype)
    if not result.size:
        return result

    bells = np.zeros(MOST_RINGS, _BELL)
    for ring, sigma in enumerate(sigmas):
        bells[ring] = bell(sigma, 4.0) if sigma > LEAST_SIGMA else (0, 0.0, 1.0)
    filters = np.array((bells,), [("ring", _BELL, MOST_RINGS)])[()], np.int32(len(sigmas))
    maps = cp.empty((orientations, rows, columns), dtype)
    launch(
        _SOURCE,
        f"daisy_maps<{c_name(image.dtype)}>",
        (cp.ascontiguousarray(image), maps, rows, columns, np.int32(orientations)),
        work=image.size,
    )
    smoothed = cp.empty((len(sigmas), *maps.shape), dtype)
    _smooth(maps, smoothed, filters)

    places = np.zeros((2, MOST_HISTOGRAMS), np.int32)
    places[:, : len(offsets)] = np.transpose(offsets)
    numbers = (orientations, len(offsets), histograms, NORMALIZATIONS.index(normalization))
    shape = np.array((rows, columns, down, across, radius, step, *numbers, *places), _SHAPE)
    length = len(offsets) * (orientations + 1)
    at_once = max(1, min(16, 32 * 1024 // (length * dtype.itemsize)))
    weights = int(bells["radius"].sum()) + len(sigmas)
    launch(
        _SOURCE,
        f"daisy_descriptors<{c_name(dtype)}>",
        (smoothed, result, *filters, shape[()], np.int32(at_once)),
        work=down * -(-across // at_once) * 256,
        shared=(weights + at_once * length) * dtype.itemsize,
    )
    return result


def _smooth(maps, smoothed, filters):
    """Launch daisy_columns, whose blocks take the rings in turn."""
    orientations, rows, columns = maps.shape
    rings = len(smoothed)
    _, _, size = line((orientations, rows, max(columns, 32)), 1, maps.dtype.itemsize)
    tiles = orientations * math.prod(-(-length // 32) for length in (rows, columns))
    blocks = min(tiles, -(-resident_blocks(256) // rings))
    launch(
        _SOURCE,
        f"daisy_columns<{c_name(maps.dtype)}>",
        (maps, smoothed, *filters, orientations, rows, columns),
        **size,
        grid=(blocks * rings,),
    )


def specializations():
    """Every specialization that `daisy` can ask for, as (source, expression)."""
    for dtype, image in C_NAMES.items():
        if dtype != "float16":
            yield _SOURCE, f"daisy_maps<{image}>"
    for dtype in ("float", "double"):
        yield _SOURCE, f"daisy_columns<{dtype}>"
        yield _SOURCE, f"daisy_descriptors<{dtype}>"
