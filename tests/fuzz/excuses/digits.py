"""Last digits, and what is made of them."""

from ..grounds import digits as grounds
from ..rounding import last_bits, lost_digits, nearer, of_spectra, of_windows, roots
from .kind import GREY, Excuse

EXCUSES = (
    Excuse(
        "*",
        ("values", "changed"),
        lost_digits,
        "what rounding makes of an image, scikit-image's is as far from the exact result",
    ),
    Excuse(
        "*",
        ("values",),
        last_bits,
        "a constant result, or nearly so, has no range that its last bits could be small beside",
    ),
    Excuse(
        "*",
        ("values",),
        nearer,
        "scikit-image has lost digits in single precision that the device has",
    ),
    Excuse(
        ("feature.BRIEF.*", "feature.CENSURE.*", "feature.ORB.*"),
        ("values", "form", "raised", "not raised"),
        grounds.equal_keypoints,
        "rounding decides which of equal responses is the larger",
    ),
    Excuse(
        "feature.blob_*",
        ("values", "form"),
        grounds.equal_elements,
        "differences of smoothed images are what rounding leaves, and blobs its peaks",
    ),
    Excuse(
        "restoration.richardson_lucy",
        ("values",),
        of_spectra,
        "what is divided by is small beside the rounding of a Fourier transform",
    ),
    Excuse(
        "restoration.richardson_lucy",
        ("values",),
        grounds.least_estimate,
        "an estimate that scikit-image has in single precision is compared with a number",
    ),
    Excuse(
        ("segmentation.quickshift", "segmentation.slic"),
        ("values",),
        grounds.single_lab,
        "the last bits of a root decide which of two parents, or segments, is nearer",
    ),
    Excuse(
        "registration.optical_flow_ilk",
        ("values",),
        grounds.one_direction,
        "its equations have no single solution",
    ),
    Excuse(
        ("filters.frangi", "filters.hessian", "filters.meijering"),
        ("values",),
        grounds.smoothed_flat,
        "quotients of what rounding leaves",
    ),
    Excuse(
        "filters.meijering",
        ("values",),
        grounds.opposite_ridges,
        "rounding tells which of two curvatures is the larger",
    ),
    Excuse(
        ("filters.frangi", "filters.hessian"),
        ("values",),
        grounds.negative_ridges,
        "a negative curvature counts as 1e-10, which what rounding leaves is divided by",
    ),
    Excuse(
        "filters.sato",
        ("values",),
        grounds.flat_ridges,
        "LAPACK's eigenvalues have an error that is small beside the largest one only",
    ),
    Excuse(
        "filters.sato",
        ("values",),
        grounds.no_ridges,
        "two floats hold curvatures to 2**-44 of an image's numbers",
    ),
    Excuse(
        "metrics.variation_of_information",
        ("values",),
        grounds.nothing_left,
        "sums of products of equal images cancel but for rounding",
    ),
    Excuse(
        "util.montage",
        ("values",),
        grounds.sum_rounds,
        "the mean of large integers depends on the order of a sum in double",
    ),
    Excuse(
        GREY,
        ("values", "changed"),
        grounds.near_the_end,
        "SciPy rounds them to a double that no such integer is",
    ),
    Excuse(
        "*.flood*",
        ("not raised",),
        grounds.near_the_end,
        "scikit-image adds the tolerance in double, and has no integer for the sum",
    ),
    Excuse(
        ("metrics.structural_similarity", "feature.match_template"),
        ("values",),
        grounds.small_contrast,
        "scikit-image's rounding takes away a part of the result",
    ),
    Excuse(
        "metrics.structural_similarity",
        ("values",),
        grounds.equal_images,
        "the gradient is what rounding leaves of 0",
    ),
    Excuse(
        ("filters.threshold_niblack", "filters.threshold_sauvola"),
        ("values",),
        grounds.equal_pixels,
        "the deviation of equal pixels is the root of what rounding leaves",
    ),
    Excuse(
        ("filters.threshold_niblack", "filters.threshold_sauvola"),
        ("values",),
        grounds.negative_variance,
        "the deviation of one element is the root of what rounding leaves, or NaN",
    ),
    Excuse(
        "feature.match_template",
        ("values",),
        of_windows,
        "little but rounding is left of a window that is dark beside the rest of an image",
    ),
    Excuse(
        "feature.match_template",
        ("values",),
        grounds.constant_image,
        "rounding decides where a window counts as constant",
    ),
    Excuse(
        "feature.match_template",
        ("values",),
        grounds.far_constant,
        "nothing of the image is left in sums of squares with the constant beyond its border",
    ),
    Excuse(
        ("color.deltaE_ciede94", "color.deltaE_cmc"),
        ("values",),
        roots,
        "for equal colours, the root of what rounding leaves",
    ),
    Excuse(
        "measure.regionprops_table",
        ("values",),
        grounds.moments_of_nothing,
        "they are differences of large numbers, and what rounding leaves of these",
    ),
    Excuse(
        ("transform.warp", "transform.rotate", "transform.swirl", "transform.warp_polar"),
        ("values",),
        grounds.constant_alone,
        "scikit-image clips to the image's range where no value is exactly the constant",
    ),
    Excuse(
        ("transform.warp", "transform.rotate", "transform.swirl", "transform.warp_polar"),
        ("values",),
        grounds.ends_beyond_doubles,
        "SciPy makes doubles of integers, which scikit-image clips to the image's ends",
    ),
)
