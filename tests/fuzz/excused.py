"""What may differ, and why: each is told in ``docs/limits.md``, in the words of `named`."""

import fnmatch
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from skimage_gpu_backend.adapt import values
from tests.differential.check import inside

from .arrays import Array
from .compare import expected, from_device
from .not_finite import (
    alike_where_finite,
    cucims_not_finite,
    infinite_squares,
    not_finite,
    without_contrast,
)
from .options import SWEEP
from .rounding import distance, last_bits, lost_digits, nearer, roots


@dataclass(frozen=True)
class Excuse:
    """A kind of difference that is none of ours.

    Parameters
    ----------
    functions : str
        Pattern of names, as ``"filters.rank.*"``.
    kinds : tuple of str
        Of differences, as `compare.KINDS` has them.
    applies : callable
        Takes the call, the `Difference`, and how scikit-image and ours went.
    why : str
        For a reader of this table.
    named : str
        Words by which ``docs/limits.md`` tells it.
    """

    functions: str
    kinds: tuple[str, ...]
    applies: Callable
    why: str
    named: str


def excuse(call, found, theirs, ours) -> Excuse | None:
    """The excuse for a difference, if there is one."""
    name = call.name.removeprefix("skimage.").replace(":", ".")
    for known in EXCUSES:
        concerns = found.kind in known.kinds and fnmatch.fnmatch(name, known.functions)
        if concerns and known.applies(call, found, theirs, ours):
            return known
    return None


# What Cython says where a buffer is not as a function has declared it, and NumPy of byte orders.
_BUFFERS = re.compile(
    "buffer source array is read-only|is not (C|Fortran)-contiguous|Big-endian buffer|Little-endian"
    "|assignment destination is read-only|output array is read-only"
    "|not details such as the byte order|either contiguous or 1-dimensional"
)


def _refused_memory(call, found, theirs, ours):
    """scikit-image, or we where both refuse, met memory that compiled code does not take."""
    errors = [error for error in (theirs.error, ours.error) if error is not None]
    return theirs.error is not None and any(_BUFFERS.search(str(error)) for error in errors)


def _swallowed(call, found, theirs, ours):
    """SciPy's filters set an exception that the next piece of code raises, or that is lost."""
    return "must be real number" in f"{theirs.error} {ours.error}" and not ours.source


def _two_kinds(call, found, theirs, ours):
    """An array that no device holds (of texts, of objects) beside those on the device."""
    return call.kind == "cupy" and "give arrays of one kind" in str(ours.error)


def _another_mistake(call, found, theirs, ours):
    """Arrays that no data is looked at of are refused as ours are."""
    if call.kind != "cupy" or theirs.error is None or ours.error is None:
        return False

    def zeros(value):
        return replace(value, content="zeros", special=()) if isinstance(value, Array) else value

    arguments = {name: values.replace(value, zeros) for name, value in call.arguments.items()}
    without = expected(replace(call, arguments=arguments)).error
    return type(without) is type(ours.error) and str(without) == str(ours.error)


def _view(call, found, theirs, ours):
    """scikit-image's result is a view of what ours is."""
    return isinstance(theirs.result, np.ndarray) and theirs.result.base is not None


def _small_contrast(call, found, theirs, ours):
    """Squares of sums are subtracted, of an image whose values are large beside its contrast."""
    for array in inside([theirs.made], np.ndarray):
        if array.dtype.kind in "iuf" and array.size and np.isfinite(array).all():
            numbers = array.astype(float)
            if np.abs(numbers).max() > 50 * np.ptp(numbers):
                return distance(ours.result, theirs.result) < 1e-4
    return False


def _negative_variance(call, found, theirs, ours):
    """Of windows of one element, whose variance is what rounding leaves and may be below 0."""
    sizes = np.atleast_1d(theirs.made.get("window_size", 15))
    return sizes.max() == 1 and alike_where_finite(theirs, ours)


def _constant_image(call, found, theirs, ours):
    """Each window's variance is what rounding leaves of a difference that is 0."""
    return theirs.made["image"].dtype.kind == "f" and np.ptp(theirs.made["image"]) == 0


def _unordered(call, found, theirs, ours):
    """NaN in the image of a filter that sorts, or looks for the smallest and largest values."""
    given = [theirs.made.get(name) for name in ("image", "cval")]
    return any(np.isnan(x).any() for x in map(np.asarray, given) if x.dtype.kind == "f")


def _one_place(call, found, theirs, ours):
    """All elements of an image are one place in memory."""
    image = theirs.made["image"]
    steps = [step for n, step in zip(image.shape, image.strides, strict=True) if n > 1]
    return bool(steps) and not any(steps)


def _negative_channel_axis(call, found, theirs, ours):
    return theirs.made.get("channel_axis", 0) < 0


def _no_eigenvalues(call, found, theirs, ours):
    given = [a for a in inside([theirs.made], np.ndarray) if a.dtype.kind == "f"]
    finite = all(np.isfinite(array).all() for array in given)
    return isinstance(theirs.error, np.linalg.LinAlgError) and not finite


def _too_few_values(call, found, theirs, ours):
    return theirs.made["output_vals"].size < theirs.made["input_vals"].size


def _more_bins_than_values(call, found, theirs, ours):
    image = theirs.made["image"]
    values = max(3, image.max()) + 1 if image.dtype == np.uint16 else 256
    return theirs.result.shape[-1] > values


def _swapped(call, found, theirs, ours):
    """An image in the other byte order."""
    return not all(array.dtype.isnative for array in inside([theirs.made], np.ndarray))


def _drawn(call, found, theirs, ours):
    """By random numbers without a seed."""
    return theirs.made.get("rng") is None


def _sum_rounds(call, found, theirs, ours):
    """Integers whose sum is beyond 2**53; results differ by the last bits of a double."""
    images = inside([theirs.made["arr_in"]], np.ndarray)
    largest = max(np.abs(image.astype(float)).sum() for image in images)
    seen, got = (np.asarray(from_device(each.result)) for each in (theirs, ours))
    if seen.dtype.kind not in "iu" or seen.dtype != got.dtype or largest < 2**53:
        return False
    return np.allclose(got.astype(float), seen.astype(float), rtol=1e-13, atol=1)


def _diagonal(call, found, theirs, ours):
    """Regions differ in orientations of 45 degrees, which have the other sign, and no widths."""
    view = SWEEP[call.name].view
    seen, got = (values.replace(view(each.result), from_device) for each in (theirs, ours))
    for a, b in zip(seen, got, strict=True):
        angle, other = a.pop("orientation", 0.0), b.pop("orientation", 0.0)
        is_diagonal = abs(abs(angle) - np.pi / 4) < 1e-6
        if abs(angle + other if is_diagonal else angle - other) > 1e-5:
            return False
        lengths = [region.get("axis_minor_length", 0.0) for region in (a, b)]
        if max(lengths) < 2e-3 * a.get("axis_major_length", 0.0):  # roots of what rounding leaves
            a["axis_minor_length"] = b["axis_minor_length"] = 0.0
    return distance(got, seen) <= 1e-5


def _corner_outside(call, found, theirs, ours):
    image, corners = theirs.made.get("image"), np.asarray(theirs.made.get("corners"))
    return bool((corners < 0).any() or (corners >= image.shape).any())


_GREY = ("erosion", "dilation", "opening", "closing", "white_tophat", "black_tophat")
_REFUSED = ("not raised", "other exception", "other text")
# cuCIM's, whose convolutions, splines and quotients are others
_NOT_FINITE = (
    *("color.deltaE_ciede2000", "feature.multiscale_basic_features", "measure.inertia_tensor"),
    *("registration.optical_flow_ilk", "registration.optical_flow_tvl1"),
    *("restoration.richardson_lucy", "segmentation.mark_boundaries"),
)
EXCUSES = (
    Excuse(
        "*",
        ("values", "changed"),
        lost_digits,
        "what rounding makes of an image, scikit-image's is as far from the exact result",
        "changes as much when the last bits of the image change",
    ),
    Excuse(
        "*",
        ("values",),
        last_bits,
        "a constant result, or nearly so, has no range that its last bits could be small beside",
        "which may be much beside a small contrast",
    ),
    Excuse(
        "*",
        ("values",),
        nearer,
        "scikit-image has lost digits in single precision that the device has",
        "as near to the exact ones as scikit-image's, or nearer",
    ),
    *(
        Excuse(
            name,
            ("values", "changed"),
            _unordered,
            "NaN compares with nothing: what is smallest depends on the order of comparisons",
            "NaN in erosions, dilations, medians and what is made of them",
        )
        for name in ("filters.median", *(f"morphology.{name}" for name in _GREY))
    ),
    *(
        Excuse(
            function,
            ("values",),
            cucims_not_finite,
            "what is not finite spreads by the way in which something is computed",
            "that are not finite, or whose squares are not",
        )
        for function in _NOT_FINITE
    ),
    *(
        Excuse(
            f"transform.{name}",
            ("values",),
            not_finite,
            "weights of 0 make NaN of what is not finite, or are left out",
            "weights of 0 make NaN of them",
        )
        for name in ("pyramid_*", "rescale", "resize")
    ),
    Excuse(
        "filters.frangi",
        ("values",),
        without_contrast,
        "products and quotients of what rounding leaves",
        "numbers, and constant ones, where little but rounding is left",
    ),
    *(
        Excuse(
            functions,
            ("values",),
            infinite_squares,
            "where a sum or a product overflows, to infinity or to NaN, depends on their order",
            "whose sums and products overflow",
        )
        for functions in ("color.*", "exposure.match_histograms", "filters.frangi")
    ),
    Excuse(
        "util.montage",
        ("values",),
        _sum_rounds,
        "the mean of large integers depends on the order of a sum in double",
        "differences of large numbers, and the mean of integers whose sum is beyond 2**53",
    ),
    Excuse(
        "morphology.medial_axis",
        ("values",),
        _drawn,
        "pixels are removed in an order that is drawn",
        "so that a seed gives the same numbers",
    ),
    Excuse(
        "util.img_as_*",
        ("warnings",),
        _swapped,
        "the image is planned as the copy that it becomes",
        "may have another layout than scikit-image's, and warnings name it",
    ),
    Excuse(
        "filters.sato",
        ("values",),
        infinite_squares,
        "products of eigenvalues are infinite, of which one is what rounding leaves",
        "that are not finite, or whose squares are not",
    ),
    *(
        Excuse(
            functions,
            ("values",),
            _small_contrast,
            "scikit-image's rounding takes away a part of the result",
            "squares of sums are subtracted",
        )
        for functions in ("metrics.structural_similarity", "feature.match_template")
    ),
    *(
        Excuse(
            f"filters.threshold_{name}",
            ("values",),
            roots,
            "the deviation of equal pixels is the root of what rounding leaves",
            "squares of sums are subtracted",
        )
        for name in ("niblack", "sauvola")
    ),
    *(
        Excuse(
            f"filters.threshold_{name}",
            ("values",),
            _negative_variance,
            "the deviation of one element is the root of what rounding leaves, or NaN",
            "squares of sums are subtracted",
        )
        for name in ("niblack", "sauvola")
    ),
    Excuse(
        "feature.match_template",
        ("values",),
        _constant_image,
        "rounding decides where a window counts as constant",
        "squares of sums are subtracted",
    ),
    *(
        Excuse(
            f"color.deltaE_{name}",
            ("values",),
            roots,
            "for equal colours, the root of what rounding leaves",
            "colour differences",
        )
        for name in ("ciede94", "cmc")
    ),
    Excuse(
        "measure.regionprops",
        ("values",),
        _diagonal,
        "cuCIM's objects have the other sign where regions are as high as wide",
        "the other sign where a region is as high as wide",
    ),
    Excuse(
        "filters.rank.windowed_histogram",
        ("values",),
        _more_bins_than_values,
        "scikit-image reads memory beyond its histogram",
        "more bins than there are grey values",
    ),
    Excuse(
        "feature.corner_orientations",
        ("values",),
        _corner_outside,
        "scikit-image reads memory that is not the image's",
        "corners outside of the image",
    ),
    *(
        Excuse(
            f"filters.{functions}",
            ("values",),
            _one_place,
            "SciPy's convolution takes steps of 0 between elements for the border",
            "elements are all one place in memory",
        )
        for functions in ("laplace", "gabor", "roberts*", "sobel*", "scharr*", "prewitt*", "farid*")
    ),
    Excuse(
        "measure.profile_line",
        ("values",),
        lambda call, found, theirs, ours: theirs.made["image"].size == 0,
        "SciPy reads memory that is not the image's, which has none",
        "`profile_line` of an image without elements",
    ),
    Excuse(
        "util.map_array",
        ("values",),
        _too_few_values,
        "scikit-image reads memory beyond the values",
        "fewer values than keys",
    ),
    Excuse(
        "*",
        ("not raised",),
        _no_eigenvalues,
        "LAPACK gives up on matrices that are not finite; formulas give NaN for them",
        "raises `LinAlgError`",
    ),
    Excuse(
        "filters.unsharp_mask",
        ("values",),
        _negative_channel_axis,
        "memory that scikit-image has not written is in the result, and differs from call to call",
        "a negative `channel_axis`",
    ),
    Excuse(
        "*",
        _REFUSED,
        _refused_memory,
        "compiled parts of scikit-image declare no buffers that are read-only, strided or swapped",
        "refuse memory that is read-only, in another layout or in the other byte order",
    ),
    *(
        Excuse(
            f"morphology.{name}",
            ("raised", *_REFUSED),
            _swallowed,
            "scikit-image runs both times; SciPy does not look for the exception that it has set",
            "raises or passes over it",
        )
        for name in _GREY
    ),
    Excuse(
        "*",
        ("raised", "other exception", "other text", "warnings"),
        _two_kinds,
        "whose data is where, the user has to say",
        "arrays of two kinds in one call",
    ),
    Excuse(
        "*",
        ("other exception", "other text"),
        _another_mistake,
        "scikit-image refuses device arrays before their data is looked at",
        "refused for the one that shows without data",
    ),
    *(
        Excuse(
            functions,
            ("identity",),
            _view,
            "scikit-image gives a view of `out`, ours is `out` itself",
            "return a view of `out`",
        )
        for functions in ("filters.rank.*", "filters.median")
    ),
)
