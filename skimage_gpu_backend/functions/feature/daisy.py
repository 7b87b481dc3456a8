"""skimage.feature.daisy: maps of orientations, smoothed once an axis, the second only where needed.

By Tola et al., "DAISY: An efficient dense descriptor applied to wide-baseline stereo", 2010.
"""

import functools
import math

import numpy as np

from ...device import c_name, resident_blocks
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import truth
from ...primitives.gaussian import bell, line, working
from ...primitives.stencils import LEAST_SIGMA, NUMBERS
from ...primitives.stencils import radius as reach

NORMALIZATIONS = ("off", "l1", "l2", "daisy")
# DAISY_RINGS and DAISY_HISTOGRAMS of daisy.cu; elements of shared memory
MOST_RINGS = 8
MOST_HISTOGRAMS = 128
MOST_VALUES = 4096
MOST_WEIGHTS = 1024
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
    """DAISY descriptors: `skimage.feature.daisy`.

    3 launches: image read once, maps of all orientations written and read, the same for each
    ring written and read, descriptors written once. One more launch makes a strided `image`
    contiguous.
    """
    if image.ndim != 2:
        raise Invalid("image has another number of axes than two")
    if truth("visualize", visualize):
        raise Declined(
            "visualize=True draws a picture, on the CPU; leave visualize out for the features alone"
        )
    if image.dtype.char == "e":
        raise Declined(
            "image is float16, which is rounded at every step; give image.astype(numpy.float32)"
        )
    if not isinstance(normalization, str) or normalization not in NORMALIZATIONS:
        raise Invalid("normalization is unknown")
    if sigmas is not None and not (isinstance(sigmas, list) and sigmas and _plain(sigmas)):
        raise Declined("sigmas is no list of numbers; give one, as [1, 2, 3]")
    if ring_radii is not None:
        if not isinstance(ring_radii, list | tuple | range | np.ndarray):
            raise Declined("ring_radii is no sequence of numbers; give one, as [5, 10, 15]")
        ring_radii = np.atleast_1d(ring_radii) if isinstance(ring_radii, np.ndarray) else ring_radii
        if not (len(ring_radii) and _plain(ring_radii)):
            raise Declined("ring_radii is not of numbers; give them, as [5, 10, 15]")
    if sigmas is not None and ring_radii is not None and len(sigmas) - 1 != len(ring_radii):
        raise Invalid("there are not as many ring_radii as sigmas but one")
    radius = radius if ring_radii is None else ring_radii[-1]
    for value in (step, radius, rings, histograms, orientations):
        if not isinstance(value, int | np.integer) or value < 1:
            raise Declined(
                "step, radius, rings, histograms or orientations is no positive integer; "
                "give integers from 1 on"
            )
    if isinstance(orientations, bool) or isinstance(radius, np.unsignedinteger):
        raise Declined("orientations is boolean, or radius unsigned; give integers of Python")
    radius, histograms, orientations = int(radius), int(histograms), int(orientations)
    step = min(int(step), 1 << 30)
    if min(image.shape) < 2 * radius:
        raise Invalid("image is smaller than one descriptor")
    if ring_radii is not None:
        rings = len(ring_radii)
    if sigmas is not None:
        rings = len(sigmas) - 1
    if max(rings, 1) > MOST_RINGS or 1 + rings * histograms > MOST_HISTOGRAMS:
        raise Declined(
            f"rings or histograms make more than {MOST_RINGS} rings or {MOST_HISTOGRAMS} "
            "histograms; give smaller numbers"
        )
    sigmas, offsets = _layout(radius, int(rings), histograms, sigmas, ring_radii)
    _refuse_large(sigmas, offsets, radius, orientations)
    numbers = step, radius, histograms, orientations, normalization
    return _planned(image.shape, image.dtype, *numbers, offsets, *sigmas)


def _plain(values):
    return all(
        isinstance(v, NUMBERS)
        and not isinstance(v, np.complexfloating)
        and abs(v) < 2**53  # neither NaN nor infinite
        for v in values
    )


def _refuse_large(sigmas, offsets, radius, orientations):
    if any(sigma < 0 for sigma in sigmas):
        raise Invalid("a sigma is negative")
    if len(offsets) * (orientations + 1) > MOST_VALUES:
        raise Declined(
            "rings, histograms and orientations make descriptors of more than "
            f"{MOST_VALUES} values; give smaller numbers"
        )
    if sum(reach(sigma, 4.0) + 1 for sigma in sigmas) > MOST_WEIGHTS:
        raise Declined(
            f"sigmas, or radius, together reach farther than {MOST_WEIGHTS} pixels; give "
            "smaller numbers"
        )
    if any(abs(down) > radius or abs(across) > radius for down, across in offsets):
        raise Declined(
            "ring_radii does not grow, or goes beyond radius; give growing numbers up to radius"
        )


def _layout(radius, rings, histograms, sigmas, ring_radii):
    """Sigma of each ring, and rows and columns from the centre to each histogram.

    The centre is the first histogram; it has the sigma of the first ring.
    """
    if sigmas is None:
        sigmas = [radius * (i + 1) / float(2 * rings) for i in range(rings)]
    if ring_radii is None:
        ring_radii = [radius * (i + 1) / float(rings) for i in range(rings)]
    angles = [2 * math.pi * j / histograms for j in range(histograms)]
    offsets = [
        (round(r * math.sin(angle)), round(r * math.cos(angle)))
        for r in ring_radii[:rings]
        for angle in angles
    ]
    return sigmas[: max(rings, 1)], ((0, 0), *offsets)


# Typed: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def _planned(
    shape, source, step, radius, histograms, orientations, normalization, offsets, *sigmas
):
    rows, columns = shape
    dtype = working(source)
    across, down = (-(-(size - 2 * radius) // step) for size in (columns, rows))
    result = Array((down, across, len(offsets) * orientations), dtype)
    if not result.size:
        return Plan(Launches([], result))
    bells = np.zeros(MOST_RINGS, _BELL)
    for ring, sigma in enumerate(sigmas):
        bells[ring] = bell(sigma, 4.0) if sigma > LEAST_SIGMA else (0, 0.0, 1.0)
    filters = np.array((bells,), [("ring", _BELL, MOST_RINGS)])[()], np.int32(len(sigmas))
    image, maps = Array(shape, source, "image"), Array((orientations, rows, columns), dtype)
    smoothed = Array((len(sigmas), *maps.shape), dtype)

    places = np.zeros((2, MOST_HISTOGRAMS), np.int32)
    places[:, : len(offsets)] = np.transpose(offsets)
    numbers = (orientations, len(offsets), histograms, NORMALIZATIONS.index(normalization))
    struct = np.array((rows, columns, down, across, radius, step, *numbers, *places), _SHAPE)[()]
    length = len(offsets) * (orientations + 1)
    at_once = max(1, min(16, 32 * 1024 // (length * dtype.itemsize)))
    weights = int(bells["radius"].sum()) + len(sigmas)
    steps = [
        Launch(
            _SOURCE,
            f"daisy_maps<{c_name(source)}>",
            (image, maps, rows, columns, np.int32(orientations)),
            image.size,
            shared=orientations * dtype.itemsize,
        ),
        _smooth(maps, smoothed, filters),
        Launch(
            _SOURCE,
            f"daisy_descriptors<{c_name(dtype)}>",
            (smoothed, result, *filters, struct, np.int32(at_once)),
            down * -(-across // at_once) * 256,
            shared=(weights + at_once * length) * dtype.itemsize,
        ),
    ]
    return Plan(Launches(steps, result))


def _smooth(maps, smoothed, filters):
    """The launch of daisy_columns, whose blocks take the rings in turn."""
    orientations, rows, columns = maps.shape
    rings = smoothed.shape[0]
    _, _, size = line((orientations, rows, max(columns, 32)), 1, maps.dtype.itemsize)
    tiles = orientations * math.prod(-(-length // 32) for length in (rows, columns))

    def grid():
        return (min(tiles, -(-resident_blocks(256) // rings)) * rings,)

    arguments = (maps, smoothed, *filters, orientations, rows, columns)
    return Launch(_SOURCE, f"daisy_columns<{c_name(maps.dtype)}>", arguments, **size, grid=grid)


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        if dtype != "float16":
            yield daisy(Array((31, 31), np.dtype(dtype)))
