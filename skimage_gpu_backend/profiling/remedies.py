"""What would lift a reason for which a call did not run on the device.

Reasons are texts for people, from many places; they are known by a part of their text. The
first remedy that has such a part is taken; what no remedy knows says itself what to change.
The page about fallbacks shows these tables with all reasons that the code has.
"""

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
    Remedy("set it in that form", ("SKIMAGE_GPU_DEVICES",)),
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
        "an image within the limits that the reason names",
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
        ("has fewer than 2 axes", "not 2-D", "no planes", "neither a plane"),
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
            "channels only",
            "no scale",
            "no sigmas",
            "all pixels",
            "constant image",
            "no background",
            "of length 1",
            "two pixels are not enough",
            "one element is no length",
            "has no elements",
            "has no axes",
            "an image of zeros",
            "have no width",
        ),
    ),
    Remedy(
        "nothing: a device would not give scikit-image's very numbers",
        (
            "rounding decides",
            "rounded otherwise",
            "rounds otherwise",
            "is rounded",
            "last bits",
            "depends on the machine",
            "how a logarithm",
            "overflow",
            "cut to integers",
            "not told apart",
            "scikit-image rounds",
            "bicubic in scikit-image",
            "SciPy's spline",
            "mixes in",
            "pixels otherwise",
            "half of their digits",
            "in its own way",
            "for a negative channel",
            "reads beyond its histogram",
            "differ where the image goes on",
            "in cuCIM, and",
            "otherwise than it",
            "for one pixel depends on its value",
        ),
    ),
    Remedy("nothing: cuCIM cannot do it", ("cuCIM raised", "cuCIM has no nansafe", "no multigrid")),
)
ARGUMENTS = (
    Remedy("another dtype, as by skimage.util.img_as_float32", ("there is no GPU version for it",)),
    Remedy("numpy.asarray(...) before the call", ("the GPU takes NumPy arrays", "is a subclass")),
    Remedy("give images as arrays", ("no NumPy or CuPy array among",)),
    Remedy(
        "a transform that has a matrix, as AffineTransform",
        ("transform without a matrix", "not one of the plane"),
    ),
    Remedy(
        "images in single precision: image.astype(numpy.float32)",
        ("float16", "half precision"),
    ),
    Remedy("images in double precision: image.astype(float)", ("single precision",)),
    Remedy(
        "finite values, as by numpy.nan_to_num(image)",
        ("NaN", "not finite", "elements are not a number", "infinities"),
    ),
    Remedy("an argument of the kind that the reason names", ("the argument",)),
    Remedy(
        "plain numbers, or what else the reason names, on the host",
        ("is an array",),
    ),
    Remedy(
        "plain arrays, NumPy's with NumPy's and a device's with a device's",
        ("array of the image's kind", "is no array", "is not an array"),
    ),
    Remedy(
        "positive and finite numbers within the range that the reason names",
        (
            "is less than",
            "shorter than",
            "is not from",
            "negative",
            "outside 0 to 1",
            "is 0",
            "positive",
            "outside the range",
            "integer from",
            "no finite number",
            "number above",
            "is not below",
        ),
    ),
    Remedy(
        "plain numbers, or sequences of them, of the kind that the reason names",
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
        "arrays whose shapes fit each other",
        (
            "another shape",
            "in shape",
            "another length",
            "other channels",
            "not square",
            "not 3 x 3",
            "broadcast",
            "outside of the image",
            "inside the image",
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
            "booleans",
            "not fit a double",
            "fit 64 bits",
            "has no sign",
            "wider than the image",
        ),
    ),
    Remedy(
        "smaller numbers or images, within the limit that the reason names",
        (
            "is above",
            "more than",
            "too large",
            "very large",
            "farther than",
            "too many",
            "beyond 2**",
            "so small that",
        ),
    ),
    Remedy(
        "images with as many axes as the reason names",
        ("other than 2", "2-D", "volume"),
    ),
    Remedy(
        "the parameter's default, or another mode or method",
        (
            "cuCIM has no parameter",
            "no kernel",
            "for each axis",
            "other than 0",
            "not supported",
            "by keyword",
            "on the GPU",
            "with channels",
        ),
    ),
)
_ALL = SETTINGS + MACHINE + LIMITS + AS_IT_IS + ARGUMENTS
AS_THE_REASON_SAYS = "other arguments, as the reason says"


def remedy(reason) -> str:
    """What would lift `reason`, for a user."""
    found = _known(reason)
    return availability.advice(reason) or (found.text if found else AS_THE_REASON_SAYS)


def can_be_changed(reason) -> bool:
    """Whether the user can do something about `reason`."""
    return _known(reason) not in AS_IT_IS


def _known(reason):
    return next((known for known in _ALL if any(part in reason for part in known.parts)), None)
