"""NaN, infinities, and numbers whose squares are infinite."""

from ..grounds import not_finite as grounds
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
        ("transform.pyramid_*", "transform.rescale", "transform.resize"),
        ("values",),
        grounds.beside_largest,
        "weights of 0 make NaN of what is not finite, or are left out",
        "weights of 0 make NaN of them",
    ),
    Excuse(
        ("transform.rotate", "transform.swirl", "transform.warp", "transform.warp_polar"),
        ("values",),
        grounds.not_finite,
        "a weight of 0 or of what rounding leaves makes NaN of what is not finite",
        "an integer but for rounding",
    ),
    Excuse(
        "*",
        ("values",),
        grounds.same_places,
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
        "color.deltaE_*",
        ("values",),
        grounds.divided_by_0,
        "0 / 0 and infinity / infinity are NaN, others infinite",
        "weight of 0",
    ),
    Excuse(
        ("feature.BRIEF.*", "feature.CENSURE.*", "feature.ORB.*", "feature.SIFT.*"),
        ("values", "form", "changed", "raised", "not raised", "other exception"),
        grounds.by_steps,
        "what is not finite spreads by the way in which something is computed",
        "which keypoints are found depends on where a sum or a product overflows",
    ),
    Excuse(
        "transform.warp",
        ("values",),
        grounds.no_index,
        "SciPy makes an index of such a coordinate all the same, and reads what lies there",
        "coordinates that no index can have",
    ),
    Excuse(
        ("filters.gaussian", "filters.difference_of_gaussians", "filters.threshold_local"),
        ("values", "changed"),
        grounds.beside_largest,
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
        grounds.infinite_squares,
        "where a sum or a product overflows, to infinity or to NaN, depends on their order",
        "whose sums and products overflow",
    ),
    Excuse(
        ("filters.frangi", "filters.hessian", "filters.meijering", "filters.sato"),
        ("values",),
        grounds.beside_largest,
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
        (
            "feature.*_eigenvalues",
            "feature.hessian_matrix_det",
            "feature.hessian_matrix_eigvals",
            "feature.multiscale_basic_features",
        ),
        ("values",),
        grounds.beside_largest,
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
