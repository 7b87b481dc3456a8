"""Calls that the op of skimage.feature.match_template takes."""

from ._stencils import NUMBERS
from ._verdict import Invalid

# numpy.pad's modes as numbers of kernels/common/boundary.cuh.
PADDING = {"edge": 0, "wrap": 1, "symmetric": 2, "reflect": 3, "constant": 4}
_OTHERS = ("empty", "linear_ramp", "maximum", "mean", "median", "minimum")
# Elements of a template along the last axis whose windows' sums fit into shared memory.
MOST_ACROSS = 1024


def match_template(image, template, pad_input=False, mode="constant", constant_values=0):
    if image.ndim not in (2, 3):
        return Invalid("image has neither two nor three axes")
    if template.ndim != image.ndim:
        return Invalid("template has other axes than the image")
    if any(large < small for large, small in zip(image.shape, template.shape, strict=True)):
        return Invalid("template is larger than the image")
    if not template.size:
        return "template is empty"
    if image.dtype.char in "ef" or template.dtype.char in "ef":
        return "in single precision most digits of scikit-image's result are lost in sums"
    if template.shape[-1] > MOST_ACROSS:
        return f"a template of {template.shape[-1]} is above {MOST_ACROSS} along the last axis"
    if mode not in PADDING:
        return f"no kernel extends an image by {mode!r}" if mode in _OTHERS else Invalid("mode")
    if mode == "constant" and not isinstance(constant_values, NUMBERS):
        return "constant_values is not a plain number"
    return None
