"""What would lift a reason for which a call did not run on the device.

Reasons are texts for people, from many places. Many say themselves what to write instead, behind a
semicolon; others are known by a part of their text, and the first remedy that has such a part is
taken. The page about fallbacks shows these tables with all reasons that the code has.
"""

import re
from typing import NamedTuple

from .. import availability


class Remedy(NamedTuple):
    """What to do about some reasons.

    Attributes
    ----------
    text : str
        What to do, for a user.
    parts : tuple of str
        A reason with one of these in it is meant.
    """

    text: str
    parts: tuple[str, ...]


SETTINGS = (
    Remedy('SKIMAGE_BACKENDS=gpu, or use_backends("gpu")', ("no backend is selected",)),
    Remedy(
        "name it in SKIMAGE_BACKENDS or use_backends(...)",
        ("backend is not selected", "taken only where it is named"),
    ),
    Remedy(
        "unset SKIMAGE_GPU_CONVERT, or give CuPy arrays",
        ("conversion of NumPy arrays is switched off",),
    ),
    Remedy('use_backends("gpu", output="cupy") makes it there', ("makes a small array",)),
    Remedy("SKIMAGE_GPU_DEVICES=0,1 for two devices, or unset it", ("SKIMAGE_GPU_DEVICES",)),
)
MACHINE = (
    Remedy(
        "pip install cucim-cu12, or cucim-cu13 as CUDA's version is; for the simulator"
        " pip install --no-deps cucim-cu12",
        ("cuCIM is not installed",),
    ),
    Remedy(
        'pip install "skimage-gpu-backend[cuda12]", or [cuda13] as CUDA\'s version is',
        ("CuPy is not installed",),
    ),
    Remedy(
        "install the driver of the GPU; without a GPU SKIMAGE_GPU_SIMULATOR=1 runs the kernels on"
        " the CPU, to try them, slowly",
        ("no NVIDIA driver",),
    ),
    Remedy("a newer driver, or an older CuPy: the extra cuda12", ("this CuPy needs a newer one",)),
    Remedy(
        "install a CuPy that fits the driver's CUDA; `status` shows both",
        ("CuPy cannot be imported",),
    ),
    Remedy(
        "check that `nvidia-smi` lists a GPU and CUDA_VISIBLE_DEVICES does not hide it",
        ("no CUDA device",),
    ),
    Remedy("a GPU of the Volta generation (2017) or a newer one", ("and the kernels need",)),
    Remedy(
        "install the extra cuda12 or cuda13, which brings CUDA's compiler",
        ("NVRTC, CUDA's compiler",),
    ),
    Remedy('multiprocessing.set_start_method("spawn")', ("forked after the GPU",)),
    Remedy("start the program anew; `dmesg` says more", ("lost to this process",)),
    Remedy(
        "smaller images, or end other programs that hold its memory", ("not enough device memory",)
    ),
    Remedy("install the release of cuCIM that the extras ask for", ("cuCIM cannot be used",)),
    Remedy("report it to this package's authors, with the compiler's text", ("does not compile",)),
)
LIMITS = (
    Remedy(
        "an image whose axes and pixels are within what the reason says",
        (
            "or has more than",
            "or has other than",
            "axes or more than",
            ", or more than",
            "very many",
        ),
    ),
    Remedy(
        "images with as many axes as the reason names",
        ("has fewer than 2 axes", "not 2-D", "neither a plane"),
    ),
)
# where it is as it should be, or nobody can change it yet
AS_IT_IS = (
    Remedy("nothing: the CPU is faster at this size", ("pays off on the GPU from",)),
    Remedy("nothing, or a lower SKIMAGE_GPU_MIN_SIZE", ("SKIMAGE_GPU_MIN_SIZE is",)),
    Remedy(
        "nothing: the CPU is faster than the copies; in a chain, arrays that stay on the device",
        ("does not pay off on the GPU",),
    ),
    Remedy(
        "nothing: there is nothing to gain on a device",
        ("need not be moved", "has the wanted dtype already", "the image keeps its shape"),
    ),
    Remedy("nothing yet: no GPU version", ("no GPU version of this function",)),
    Remedy(
        "select the gpu backend, which may have a kernel", ("no cuCIM version of this function",)
    ),
    Remedy(
        "nothing: a device cannot call Python",
        ("is a Python function, which", "Python functions", "calls a Python function"),
    ),
    Remedy(
        "nothing: there is next to nothing to compute",
        (
            "is empty",
            "are empty",
            "has no axes",
            "have no axes",
            "without axes",
            "has no channels",
            "no scale",
            "no sigmas",
            "all pixels",
            "constant image",
            "no background",
            "of length 1",
            "one element is no length",
            "has no elements",
            "has no axes",
            "an image of zeros",
        ),
    ),
    Remedy(
        "nothing: rounding decides here, and a GPU rounds otherwise than scikit-image",
        (
            "rounding decides",
            "is rounded",
            "depends on the machine",
            "how a logarithm",
            "bicubic in scikit-image",
            "mixes in",
        ),
    ),
    Remedy("nothing: cuCIM cannot do it", ("cuCIM raised",)),
)
ARGUMENTS = (
    Remedy("another dtype, as by skimage.util.img_as_float32", ("there is no GPU version for it",)),
    Remedy("numpy.asarray(...) before the call", ("the GPU takes NumPy arrays", "is a subclass")),
    Remedy("numpy.asarray(...) of the images before the call", ("no NumPy or CuPy array among",)),
    Remedy(
        "a transform that has a matrix, as AffineTransform",
        ("transform without a matrix", "not one of the plane"),
    ),
    Remedy(
        "images in single precision: image.astype(numpy.float32)",
        ("float16",),
    ),
    Remedy("images in double precision: image.astype(float)", ("single precision",)),
    Remedy(
        "finite values, as by numpy.nan_to_num(image)",
        ("NaN", "not finite", "elements are not a number", "infinities"),
    ),
    Remedy("the argument as scikit-image documents it", ("the argument",)),
    Remedy(
        "a plain number, as 0.5, for what the reason names",
        ("is an array",),
    ),
    Remedy(
        "an array of the image's own kind: NumPy's with NumPy's, CuPy's with CuPy's",
        ("array of the image's kind", "is no array", "is not an array"),
    ),
    Remedy(
        "a number within the range that the reason says",
        (
            "is less than",
            "shorter than",
            "is not from",
            "negative",
            "outside 0 to 1",
            "positive",
            "outside the range",
            "integer from",
            "no finite number",
            "number above",
            "is not below",
        ),
    ),
    Remedy(
        "a plain number for what the reason names, or a list of them, as 2 or (1, 2)",
        (
            "not a number",
            "plain number",
            "plain integer",
            "no integer",
            "an integer",
            "not an int",
            "not numbers",
            "of numbers",
            "of two numbers",
            "two numbers",
            "no numbers",
            "whole numbers",
            "is no number",
            "no pair",
            "a sequence",
            "neither a number",
            "neither a pair",
            "neither an integer",
        ),
    ),
    Remedy(
        "arrays of the shape that the reason asks for",
        (
            "another shape",
            "in shape",
            "not square",
            "not 3 x 3",
            "lists of one length",
        ),
    ),
    Remedy("an array that can be written, in native byte order", ("read-only",)),
    Remedy(
        "another dtype, as by image.astype or skimage.util.img_as_float",
        (
            "dtype",
            "boolean",
            "integers",
            "not fit a double",
            "wider than the image",
        ),
    ),
    Remedy(
        "a smaller number or image than the reason says",
        (
            "is above",
            "more than",
            "too large",
            "very large",
            "farther than",
            "beyond 2**",
        ),
    ),
    Remedy(
        "images with as many axes as the reason names",
        ("other than 2", "2-D", "volume"),
    ),
)
_ALL = SETTINGS + MACHINE + LIMITS + AS_IT_IS + ARGUMENTS
_OWN = re.compile(r"; ((?:give|leave|use|nothing) [^;]*)")
AS_THE_REASON_SAYS = "what stands behind the semicolon"
UNKNOWN = "another value for what the reason names"


def remedy(reason) -> str:
    """What would lift `reason`, for a user."""
    own = _OWN.search(reason)
    return availability.advice(reason) or (own[1] if own else kind(reason))


def kind(reason) -> str:
    """`remedy` for the page about fallbacks, where reasons stand together that have one kind."""
    if _OWN.search(reason):
        return AS_THE_REASON_SAYS
    found = _known(reason)
    return found.text if found else UNKNOWN


def can_be_changed(reason) -> bool:
    """Whether the user can do something about `reason`."""
    own = _OWN.search(reason)
    return not own[1].startswith("nothing") if own else _known(reason) not in AS_IT_IS


def _known(reason):
    return next((known for known in _ALL if any(part in reason for part in known.parts)), None)
