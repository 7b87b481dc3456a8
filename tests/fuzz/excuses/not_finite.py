"""NaN, infinities, and numbers whose squares are infinite."""

from ..grounds import not_finite as grounds
from .kind import GREY, Excuse

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
    ),
    Excuse(
        ("transform.pyramid_*", "transform.rescale", "transform.resize"),
        ("values",),
        grounds.beside_largest,
        "weights of 0 make NaN of what is not finite, or are left out",
    ),
    Excuse(
        ("transform.rotate", "transform.swirl", "transform.warp", "transform.warp_polar"),
        ("values",),
        grounds.not_finite,
        "a weight of 0 or of what rounding leaves makes NaN of what is not finite",
    ),
    Excuse(
        "*",
        ("values",),
        grounds.same_places,
        "sums and products of infinities are infinite or NaN by their order",
    ),
    Excuse(
        "transform.*",
        ("values",),
        grounds.constant_stands,
        "scikit-image looks for the constant with a minimum that is NaN",
    ),
    Excuse(
        "color.deltaE_*",
        ("values",),
        grounds.divided_by_0,
        "0 / 0 and infinity / infinity are NaN, others infinite",
    ),
    Excuse(
        ("feature.BRIEF.*", "feature.CENSURE.*", "feature.ORB.*", "feature.SIFT.*"),
        ("values", "form", "changed", "raised", "not raised", "other exception"),
        grounds.by_steps,
        "what is not finite spreads by the way in which something is computed",
    ),
    Excuse(
        "transform.warp",
        ("values",),
        grounds.no_index,
        "SciPy makes an index of such a coordinate all the same, and reads what lies there",
    ),
    Excuse(
        ("filters.gaussian", "filters.difference_of_gaussians", "filters.threshold_local"),
        ("values", "changed"),
        grounds.beside_largest,
        "mirrored pixels are added in single precision before they are multiplied",
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
    ),
    Excuse(
        ("filters.frangi", "filters.hessian", "filters.meijering", "filters.sato"),
        ("values",),
        grounds.beside_largest,
        "products of eigenvalues are infinite, of which one is what rounding leaves",
    ),
    Excuse(
        ("color.convert_colorspace", "color.rgb2hsv"),
        ("values",),
        grounds.unordered_hue,
        "memory that scikit-image has not written is in the result",
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
    ),
    Excuse(
        "*",
        ("not raised",),
        grounds.no_eigenvalues,
        "LAPACK gives up on matrices that are not finite; formulas give NaN for them",
    ),
)
