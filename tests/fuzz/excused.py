"""What may differ, and why: each is told in ``docs/limits.md``, in the words of `named`."""

import fnmatch
from collections.abc import Callable
from dataclasses import dataclass

from . import grounds
from .not_finite import (
    beside_largest,
    cucims_not_finite,
    infinite_squares,
    not_finite,
    same_places,
    without_contrast,
)
from .rounding import last_bits, lost_digits, nearer, of_spectra, roots


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


_GREY = tuple(
    f"morphology.{name}"
    for name in ("erosion", "dilation", "opening", "closing", "white_tophat", "black_tophat")
)
_REFUSED = ("not raised", "other exception", "other text")
# cuCIM's, whose convolutions, splines and quotients are others
_NOT_FINITE = (
    *(
        "color.deltaE_*",
        "feature.hessian_matrix",
        "feature.multiscale_basic_features",
        "measure.inertia_tensor",
    ),
    *("registration.optical_flow_ilk", "registration.optical_flow_tvl1"),
    *(
        "restoration.richardson_lucy",
        "segmentation.inverse_gaussian_gradient",
        "segmentation.mark_boundaries",
    ),
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
    Excuse(
        "restoration.richardson_lucy",
        ("values",),
        of_spectra,
        "what is divided by is small beside the rounding of a Fourier transform",
        "where estimates of both signs cancel",
    ),
    Excuse(
        "restoration.richardson_lucy",
        ("values",),
        grounds.least_estimate,
        "an estimate that scikit-image has in single precision is compared with a number",
        "an element that just meets it may become 0 on one side only",
    ),
    *(
        Excuse(
            name,
            ("values", "changed"),
            grounds.unordered,
            "NaN compares with nothing: what is smallest depends on the order of comparisons",
            "NaN in erosions, dilations, medians and what is made of them",
        )
        for name in (
            *("filters.median", "registration.optical_flow_*"),
            *("segmentation.morphological_geodesic_active_contour", *_GREY),
        )
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
            beside_largest,
            "weights of 0 make NaN of what is not finite, or are left out",
            "weights of 0 make NaN of them",
        )
        for name in ("pyramid_*", "rescale", "resize")
    ),
    *(
        Excuse(
            f"transform.{name}",
            ("values",),
            not_finite,
            "a weight of 0 or of what rounding leaves makes NaN of what is not finite",
            "an integer but for rounding",
        )
        for name in ("rotate", "swirl", "warp", "warp_polar")
    ),
    Excuse(
        "*",
        ("values",),
        same_places,
        "sums and products of infinities are infinite or NaN by their order",
        "may be NaN where scikit-image's is infinite",
    ),
    Excuse(
        "transform.*",
        ("values",),
        grounds.constant_stands,
        "scikit-image looks for the constant with a minimum that is NaN",
        "is clipped to the image's range in scikit-image",
    ),
    *(
        Excuse(
            f"segmentation.{name}",
            ("values",),
            grounds.single_lab,
            "the last bits of a root decide which of two parents, or segments, is nearer",
            "of images in single precision, in Lab",
        )
        for name in ("quickshift", "slic")
    ),
    Excuse(
        "registration.optical_flow_ilk",
        ("values",),
        grounds.one_direction,
        "its equations have no single solution",
        "that change along one direction only",
    ),
    *(
        Excuse(
            f"filters.{name}",
            ("values",),
            without_contrast,
            "products and quotients of what rounding leaves",
            "constant along an axis, where little but rounding is left",
        )
        for name in ("frangi", "meijering")
    ),
    *(
        Excuse(
            f"filters.{name}",
            ("values",),
            grounds.smoothed_flat,
            "quotients of what rounding leaves",
            "with an axis that is short beside a sigma",
        )
        for name in ("frangi", "meijering")
    ),
    Excuse(
        "filters.meijering",
        ("values",),
        grounds.opposite_ridges,
        "rounding tells which of two curvatures is the larger",
        "curvatures of opposite sign and equal size",
    ),
    Excuse(
        "metrics.variation_of_information",
        ("values",),
        grounds.nothing_left,
        "sums of products of equal images cancel but for rounding",
        "`variation_of_information` of equal images",
    ),
    Excuse(
        "color.deltaE_*",
        ("values",),
        grounds.divided_by_0,
        "0 / 0 and infinity / infinity are NaN, others infinite",
        "weight of 0",
    ),
    Excuse(
        "transform.warp",
        ("values",),
        grounds.no_index,
        "SciPy makes an index of such a coordinate all the same, and reads what lies there",
        "coordinates that no index can have",
    ),
    Excuse(
        "filters.gaussian",
        ("values", "changed"),
        beside_largest,
        "mirrored pixels are added in single precision before they are multiplied",
        "images in single precision (beyond 1e38)",
    ),
    *(
        Excuse(
            functions,
            ("values",),
            infinite_squares,
            "where a sum or a product overflows, to infinity or to NaN, depends on their order",
            "whose sums and products overflow",
        )
        for functions in (
            *("color.*", "exposure.match_histograms", "feature.match_template", "filters.frangi"),
            *("transform.iradon", "transform.resize_local_mean"),
            *("measure.centroid", "measure.inertia_tensor*", "measure.moments*"),
        )
    ),
    Excuse(
        "segmentation.random_walker",
        ("warnings",),
        grounds.singular,
        "NVIDIA's solver does not say that a matrix is singular",
        "does not warn of a singular matrix",
    ),
    Excuse(
        "util.montage",
        ("values",),
        grounds.sum_rounds,
        "the mean of large integers depends on the order of a sum in double",
        "differences of large numbers, and the mean of integers whose sum is beyond 2**53",
    ),
    *(
        Excuse(
            name,
            ("values", "changed"),
            grounds.near_the_end,
            "SciPy rounds them to a double that no such integer is",
            "within 512 of the dtype's end",
        )
        for name in _GREY
    ),
    Excuse(
        "*.flood*",
        ("not raised",),
        grounds.near_the_end,
        "scikit-image adds the tolerance in double, and has no integer for the sum",
        "raise an `OverflowError` in scikit-image",
    ),
    Excuse(
        "morphology.medial_axis",
        ("values",),
        grounds.drawn,
        "pixels are removed in an order that is drawn",
        "so that a seed gives the same numbers",
    ),
    Excuse(
        "restoration.denoise_tv_bregman",
        ("values",),
        grounds.thin,
        "scikit-image reads memory that is not the image's",
        "for whose border it reads what is in memory behind them",
    ),
    Excuse(
        "restoration.unwrap_phase",
        ("values",),
        grounds.not_seeded,
        "random numbers go on from those of other calls in the process",
        "does not seed where a seed is given",
    ),
    *(
        Excuse(
            functions,
            ("warnings",),
            grounds.swapped,
            "the image is planned as the copy that it becomes",
            "may have another layout than scikit-image's, and warnings name it",
        )
        for functions in ("util.img_as_*", "filters.median")
    ),
    *(
        Excuse(
            f"filters.{name}",
            ("values",),
            beside_largest,
            "products of eigenvalues are infinite, of which one is what rounding leaves",
            "leave out what is small beside the largest value",
        )
        for name in ("frangi", "hessian", "meijering", "sato")
    ),
    Excuse(
        "color.rgb2hsv",
        ("values",),
        grounds.unordered,
        "memory that scikit-image has not written is in the result",
        "`rgb2hsv` of a pixel with NaN",
    ),
    *(
        Excuse(
            functions,
            ("values",),
            grounds.small_contrast,
            "scikit-image's rounding takes away a part of the result",
            "squares of sums are subtracted",
        )
        for functions in ("metrics.structural_similarity", "feature.match_template")
    ),
    *(
        Excuse(
            f"filters.threshold_{name}",
            ("values",),
            grounds.equal_pixels,
            "the deviation of equal pixels is the root of what rounding leaves",
            "squares of sums are subtracted",
        )
        for name in ("niblack", "sauvola")
    ),
    *(
        Excuse(
            f"filters.threshold_{name}",
            ("values",),
            grounds.negative_variance,
            "the deviation of one element is the root of what rounding leaves, or NaN",
            "squares of sums are subtracted",
        )
        for name in ("niblack", "sauvola")
    ),
    Excuse(
        "feature.match_template",
        ("values",),
        grounds.constant_image,
        "rounding decides where a window counts as constant",
        "squares of sums are subtracted",
    ),
    Excuse(
        "feature.match_template",
        ("values",),
        grounds.far_constant,
        "nothing of the image is left in sums of squares with the constant beyond its border",
        "a `constant_values` far from all pixels",
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
        grounds.diagonal,
        "cuCIM's objects have the other sign where regions are as high as wide",
        "the other sign where a region is as high as wide",
    ),
    Excuse(
        "measure.regionprops_table",
        ("values",),
        grounds.moments_of_nothing,
        "they are differences of large numbers, and what rounding leaves of these",
        "moments that are 0 but for rounding",
    ),
    Excuse(
        "filters.rank.windowed_histogram",
        ("values",),
        grounds.more_bins_than_values,
        "scikit-image reads memory beyond its histogram",
        "more bins than there are grey values",
    ),
    Excuse(
        "feature.haar_like_feature",
        ("values",),
        grounds.window_outside,
        "scikit-image reads memory that is not the image's",
        "windows outside of the image",
    ),
    Excuse(
        "feature.corner_orientations",
        ("values",),
        grounds.corner_outside,
        "scikit-image reads memory that is not the image's",
        "corners outside of the image",
    ),
    *(
        Excuse(
            functions,
            ("values", "changed"),
            grounds.one_place,
            "SciPy's filters take steps of 0 between elements for the border",
            "elements are all one place in memory",
        )
        for functions in (
            *("filters.laplace", "filters.gabor", "filters.roberts*", "filters.sobel*"),
            *("filters.scharr*", "filters.prewitt*", "filters.farid*"),
            *("segmentation.find_boundaries", "segmentation.mark_boundaries", "filters.median"),
        )
    ),
    Excuse(
        "graph.rag_*",
        ("values", "raised", "not raised", "other exception"),
        grounds.one_place,
        "SciPy's filters take steps of 0 between elements for the border",
        "elements are all one place in memory",
    ),
    Excuse(
        "segmentation.watershed",
        ("values",),
        grounds.compact_floods,
        "scikit-image measures distances by strides of the image that is given, not of its copy",
        "`watershed` with `compactness` and an image that is not C-contiguous",
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
        ("values", "changed"),
        grounds.too_few_values,
        "scikit-image reads memory beyond the values",
        "fewer values than keys",
    ),
    *(
        Excuse(
            f"feature.{functions}",
            ("values",),
            not_finite,
            "LAPACK makes NaN of a matrix with infinities, formulas of some that are made of it",
            "are NaN there or infinite",
        )
        for functions in ("*_eigenvalues", "hessian_matrix_det")
    ),
    Excuse(
        "*",
        ("not raised",),
        grounds.no_eigenvalues,
        "LAPACK gives up on matrices that are not finite; formulas give NaN for them",
        "raises `LinAlgError`",
    ),
    Excuse(
        "filters.unsharp_mask",
        ("values",),
        grounds.negative_channel_axis,
        "memory that scikit-image has not written is in the result, and differs from call to call",
        "a negative `channel_axis`",
    ),
    Excuse(
        "*",
        ("warnings", *_REFUSED),
        grounds.refused_memory,
        "compiled parts of scikit-image declare no buffers that are read-only, strided or swapped",
        "refuse memory that is read-only, in another layout or in the other byte order",
    ),
    *(
        Excuse(
            name,
            ("raised", *_REFUSED),
            grounds.swallowed,
            "scikit-image runs both times; SciPy does not look for the exception that it has set",
            "raises or passes over it",
        )
        for name in _GREY
    ),
    Excuse(
        "*",
        ("raised", "other exception", "other text", "warnings"),
        grounds.two_kinds,
        "whose data is where, the user has to say",
        "arrays of two kinds in one call",
    ),
    Excuse(
        "*",
        ("other exception", "other text"),
        grounds.another_mistake,
        "scikit-image refuses device arrays before their data is looked at",
        "refused for the one that shows without data",
    ),
    Excuse(
        "restoration.denoise_bilateral",
        ("identity",),
        grounds.swapped,
        "results have native byte order, also of an image that is returned as it is",
        "Results have native byte order",
    ),
    *(
        Excuse(
            functions,
            ("identity",),
            grounds.view,
            "scikit-image gives a view of `out`, ours is `out` itself",
            "return a view of `out`",
        )
        for functions in ("filters.rank.*", "filters.median")
    ),
)
