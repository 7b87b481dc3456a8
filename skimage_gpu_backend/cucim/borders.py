"""Where SciPy's filters go on beyond an image's border otherwise than cuCIM's."""

import numpy as np

from ..primitives.stencils import FAR_MIRRORED, is_far_mirrored
from ..scikit_image import on_host
from .difference import Difference


def _does_not_fit(call):
    # without a mode, as in `block_reduce`, cval always stands beyond the border
    if call.image.dtype.kind not in "iu" or getattr(call, "mode", "constant") != "constant":
        return False
    limits = np.iinfo(call.image.dtype)
    return not limits.min <= call.cval <= limits.max


CVAL_OUTSIDE = Difference(
    "cval does not fit into the image's dtype; give a number that does, as 0", _does_not_fit
)


def _far_mirrored(sides):
    def applies(call):
        before = ([side // 2 for side in shape] for shape in sides(call))
        return any(is_far_mirrored(call.mode, each, call.image.shape) for each in before)

    return applies


def far_mirrored(sides, name, arguments) -> Difference:
    """Something reaches over a mirrored image four times.

    Parameters
    ----------
    sides : callable
        Takes the call and gives the shapes of its footprints or kernels.
    name, arguments : str
        The function, and those beside the image, for the example.
    """
    return Difference(
        FAR_MIRRORED,
        _far_mirrored(sides),
        example=f"""
image, given = np.random.default_rng(0).random((30, 2)), dict({arguments})
there = {{n: cp.asarray(v) if isinstance(v, np.ndarray) else v for n, v in given.items()}}
theirs = cp.asarray(cs.{name}(cp.asarray(image), **there)).get()
not np.allclose(theirs, ski.{name}(image, **given))
""",
    )


def footprint(call):
    """The shapes of a footprint, or of those in a sequence of them with their numbers."""
    given = call.footprint
    for item in given if isinstance(given, list | tuple) else [(given, 1)]:
        yield getattr(item[0], "shape", ())


def gabor_kernel(call):
    """The shape of Gabor's kernel; none where scikit-image refuses to make one."""
    names = "frequency theta bandwidth sigma_x sigma_y n_stds offset"
    try:
        yield on_host(
            "skimage.filters:gabor_kernel", **{name: getattr(call, name) for name in names.split()}
        ).shape
    except Exception:
        return
