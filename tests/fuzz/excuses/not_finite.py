"""NaN, infinities, and numbers whose squares are infinite."""

from .. import grounds
from ..not_finite import (
    beside_largest,
    cucims_not_finite,
    infinite_squares,
    not_finite,
    same_places,
    without_contrast,
)
from .kind import GREY, Excuse

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
        (
            "filters.median",
            "filters.threshold_local",
            "registration.optical_flow_*",
            "segmentation.morphological_geodesic_active_contour",
            *GREY,
        ),
        ("values", "changed"),
        grounds.unordered,
        "NaN compares with nothing: what is smallest depends on the order of comparisons",
        "NaN in erosions, dilations, medians and what is made of them",
    ),
    Excuse(
        _NOT_FINITE,
        ("values",),
        cucims_not_finite,
        "what is not finite spreads by the way in which something is computed",
        "that are not finite, or whose squares are not",
    ),
    Excuse(
        ("transform.pyramid_*", "transform.rescale", "transform.resize"),
        ("values",),
        beside_largest,
        "weights of 0 make NaN of what is not finite, or are left out",
        "weights of 0 make NaN of them",
    ),
    Excuse(
        ("transform.rotate", "transform.swirl", "transform.warp", "transform.warp_polar"),
        ("values",),
        not_finite,
        "a weight of 0 or of what rounding leaves makes NaN of what is not finite",
        "an integer but for rounding",
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
    Excuse(
        ("filters.frangi", "filters.meijering"),
        ("values",),
        without_contrast,
        "products and quotients of what rounding leaves",
        "constant along an axis, where little but rounding is left",
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
    Excuse(
        (
            "color.*",
            "exposure.match_histograms",
            "feature.match_template",
            "filters.frangi",
            "filters.farid*",
            "filters.prewitt*",
            "filters.scharr*",
            "filters.sobel*",
            "transform.iradon",
            "transform.resize_local_mean",
            "measure.centroid",
            "measure.inertia_tensor*",
            "measure.moments*",
        ),
        ("values",),
        infinite_squares,
        "where a sum or a product overflows, to infinity or to NaN, depends on their order",
        "whose sums and products overflow",
    ),
    Excuse(
        ("filters.frangi", "filters.hessian", "filters.meijering", "filters.sato"),
        ("values",),
        beside_largest,
        "products of eigenvalues are infinite, of which one is what rounding leaves",
        "leave out what is small beside the largest value",
    ),
    Excuse(
        ("color.convert_colorspace", "color.rgb2hsv"),
        ("values",),
        grounds.unordered_hue,
        "memory that scikit-image has not written is in the result",
        "`rgb2hsv` of a pixel with NaN",
    ),
    Excuse(
        ("feature.*_eigenvalues", "feature.hessian_matrix_det"),
        ("values",),
        not_finite,
        "LAPACK makes NaN of a matrix with infinities, formulas of some that are made of it",
        "are NaN there or infinite",
    ),
    Excuse(
        "*",
        ("not raised",),
        grounds.no_eigenvalues,
        "LAPACK gives up on matrices that are not finite; formulas give NaN for them",
        "raises `LinAlgError`",
    ),
)
