"""filters.meijering, sato, frangi and hessian: ridges by the eigenvalues of the Hessian.

Budget of every function here, for each scale of a 2-D image: 2 launches. The first reads the
image and writes three arrays of derivatives down the columns; the second reads these, makes
eigenvalues and filter, and reads and writes the running maximum. Derivatives of a large
Gaussian need more of an image around each element than fits on the chip in two axes at
once: so the arrays between, in double also for float32, since slopes are small beside what
they are slopes of. A 3-D image takes 3 launches a scale, and six arrays between the
last two. Where the largest value of a whole scale takes part (meijering: of each scale;
frangi without gamma: of the first one) there is 1 more array beside the maximum, and 1 more
launch in all. Of floating images 4 bytes come to the host, since the Gaussians of SciPy carry
NaN and infinities farther than weights that count.
"""

import math

import cupy as cp
import numpy as np

from ..device import c_name, launch
from ..primitives import hessian_lines as _hessian_lines
from ..primitives.gaussian import working
from ..primitives.hessian_lines import (
    AXES,
    NOT_FINITE,
    SOURCE,
    derive,
    filter_lines,
    line_taps,
    stacks_of,
    truncation,
)
from ..primitives.stencils import BOUNDARY
from ..trouble import Declined

_LAST_BITS = "image is not finite, or rounding decides which zeros of the result become ones"

# RidgeKind and the flags of Ridge::order in ridge_formulas.cuh
MEIJERING, SATO, FRANGI, FRANGI_BUT_GAMMA = range(4)
_FIRST, _LAST = 1, 2
_RIDGE = np.dtype(
    [(name, "f8") for name in ("alpha", "scale", "plates", "blobs", "structure")]
    + [(name, "i4") for name in ("kind", "order", "fills", "gamma_is_half_peak")],
    align=True,
)


def meijering(image, sigmas=range(1, 10, 2), alpha=None, black_ridges=True, mode="reflect", cval=0):
    """Neuriteness: `skimage.filters.meijering`. 2-D: 2 launches a scale and 1."""
    alpha = 1 / (image.ndim + 1) if alpha is None else float(alpha)
    return _ridges(image, sigmas, MEIJERING, black_ridges, mode, alpha=alpha)


def sato(image, sigmas=range(1, 10, 2), black_ridges=True, mode="reflect", cval=0):
    """Tubeness: `skimage.filters.sato`. 2-D: 2 launches a scale.

    NumPy sigmas of double precision make a float32 result double: 1 launch more.
    """
    result = _ridges(image, sigmas, SATO, black_ridges, mode)
    types = [s.dtype for s in sigmas if isinstance(s, np.generic)]
    return result.astype(np.result_type(result.dtype, *types), copy=False)


def frangi(
    image,
    sigmas=range(1, 10, 2),
    scale_range=None,
    scale_step=None,
    alpha=0.5,
    beta=0.5,
    gamma=None,
    black_ridges=True,
    mode="reflect",
    cval=0,
):
    """Vesselness: `skimage.filters.frangi`. 2-D: 2 launches a scale, without gamma and 1."""
    return _vesselness(image, sigmas, alpha, beta, gamma, black_ridges, mode)


def hessian(
    image,
    sigmas=range(1, 10, 2),
    scale_range=None,
    scale_step=None,
    alpha=0.5,
    beta=0.5,
    gamma=15,
    black_ridges=True,
    mode="reflect",
    cval=0,
):
    """Hybrid Hessian filter: `skimage.filters.hessian`. 2-D: 2 launches a scale.

    Zeros become ones; 4 bytes that come to the host tell whether rounding decides somewhere
    what is zero. scikit-image then does the work.
    """
    return _vesselness(image, sigmas, alpha, beta, gamma, black_ridges, mode, fills=True)


def _vesselness(image, sigmas, alpha, beta, gamma, black_ridges, mode, *, fills=False):
    divisors = {
        "plates": 2 * float(alpha) ** 2,
        "blobs": 2 * float(beta) ** 2,
        "structure": 0.0 if gamma is None else 2 * float(gamma) ** 2,
    }
    unknown = gamma is None
    return _ridges(
        image,
        sigmas,
        FRANGI,
        black_ridges,
        mode,
        gamma_is_half_peak=unknown,
        fills=fills,
        **divisors,
    )


def _ridges(image, sigmas, kind, black_ridges, mode, **parameters):
    image = cp.ascontiguousarray(image)
    dtype = working(image.dtype)
    result = cp.empty(image.shape, dtype)
    gamma_is_half_peak = parameters.get("gamma_is_half_peak", False)
    beside = cp.empty(image.shape if kind == MEIJERING or gamma_is_half_peak else 1, dtype)
    peaks = cp.zeros(len(sigmas), "uint64")
    odd = cp.zeros(1, "uint32")
    *before, last = AXES["rc", image.ndim]
    stacks = stacks_of(before, image.shape)
    scaling = (1.0 if black_ridges else -1.0, -math.inf)

    for k, sigma in enumerate(sigmas):
        taps = line_taps(sigma, truncation([sigma]))
        weights = [taps] * len(before)
        source = derive(image, scaling, before, stacks, weights, BOUNDARY[mode], odd)
        ridge = np.zeros((), _RIDGE)
        for name, value in parameters.items():
            ridge[name] = value
        folds = k == 0 and gamma_is_half_peak
        ridge["kind"] = FRANGI_BUT_GAMMA if folds else kind
        ridge["scale"] = sigma**2
        ridge["order"] = _FIRST * (k == 0) + _LAST * (k == len(sigmas) - 1)
        # the peak that counts: of the scale before, or of the first one
        known = k - 1 if kind == MEIJERING and k else 0
        here = beside if folds or kind == MEIJERING else beside.ravel()[:1]  # not used
        arrays = (source, result, here, odd, peaks[k : k + 1], peaks[known : known + 1])
        kernel = f"ridge_lines<{c_name(dtype)}, {int(last['count'])}>"
        axis = image.ndim - 1
        filter_lines(
            image.shape, BOUNDARY[mode], kernel, axis, arrays, (), last, taps, (ridge[()],)
        )
        if folds or (kind == MEIJERING and k == len(sigmas) - 1):
            arrays = (result, beside, peaks[k : k + 1])
            fold = f"ridge_fold<{c_name(dtype)}>"
            launch(SOURCE, fold, (*arrays, image.size, ridge[()]), work=image.size)
    fills = parameters.get("fills", False)
    if (image.dtype.kind == "f" or fills) and odd.get()[0]:
        raise Declined(_LAST_BITS if fills else NOT_FINITE)
    return result


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    yield from _hessian_lines.specializations()
    for dtype in ("float", "double"):
        yield SOURCE, f"ridge_fold<{dtype}>"
        for elements in (3, 6):
            yield SOURCE, f"ridge_lines<{dtype}, {elements}>"
