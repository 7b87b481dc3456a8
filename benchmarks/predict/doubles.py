"""Why calls have many operations in double a pixel on cards that are slow in it.

Aimed at are `MOST`, in images of up to 16 bits and of single precision, by kernels for which
`REASONS` stand.
"""

from .rows import by_reason, reason_of

MOST = 8
_SHORT = r"(uint8|uint16)( RGB)?"
_SINGLE = r"float32( RGB)?"
# Patterns of a function and its images, and the reason; the first that fits counts.
REASONS = (
    (
        rf"color\.deltaE_\w+ ({_SHORT}|{_SINGLE})|color\.(lab2lch|lch2lab|lab2rgb|lab2xyz) {_SHORT}"
        rf"|color\.(luv2rgb|luv2xyz|xyz2rgb|rgb2luv|xyz2luv) {_SHORT}",
        "roots, powers, angles and exponentials of doubles, of colours that no table has room for:"
        " each is a series in double, since single precision leaves other last bits",
    ),
    (
        rf"color\.(rgb2lab|xyz2lab) {_SHORT}",
        "three sums of three numbers from a table, and three cube roots that begin in single"
        " precision and end with a step in double",
    ),
    (
        rf"color\.(hed2rgb|rgb2hed|combine_stains|separate_stains) ({_SHORT}|{_SINGLE})",
        "the result is of doubles, also of a float32 image: nine products, and what brings two"
        " floats together",
    ),
    (
        rf"color\.\w+ {_SHORT}",
        "products and sums of doubles with a matrix, or of saturations, each with scikit-image's"
        " rounding",
    ),
    (
        rf"feature\.(corner_\w+|canny|structure_tensor|hessian_matrix|shape_index) {_SHORT}"
        rf"|filters\.(gaussian|difference_of_gaussians|unsharp_mask|threshold_local) {_SHORT}"
        rf"|transform\.(pyramid_\w+|resize|rescale|resize_local_mean) {_SHORT}",
        "smoothing in doubles: each sum and each product has scikit-image's rounding, and a sum in"
        " integers that is rounded once has other last bits",
    ),
    (
        rf"filters\.(farid|prewitt|scharr|sobel|roberts)\w* {_SHORT}",
        "weights that are no short numbers, and of both directions a root and a quotient in double",
    ),
    (
        rf"filters\.threshold_(niblack|sauvola) ({_SHORT}|{_SINGLE})",
        "sums are whole; mean, deviation and threshold are two quotients and a root in double",
    ),
    (
        rf"transform\.(rotate|swirl|warp|warp_polar) ({_SHORT}|{_SINGLE})",
        "coordinates are doubles, and of integers the weights and sums of four neighbours, too;"
        " `swirl` has a sine, a cosine and an exponential for each pixel",
    ),
    (
        rf"transform\.pyramid_expand {_SINGLE}",
        "where two floats leave the rounding open, double decides",
    ),
    (
        rf"feature\.hessian_matrix_det ({_SHORT}|{_SINGLE})",
        "the integral image is of doubles: sums of boxes are differences of large numbers",
    ),
    (
        rf"filters\.frangi {_SHORT}",
        "of values that are nearly nothing all digits count",
    ),
    (
        rf"filters\.(frangi|sato|meijering) ({_SHORT}|{_SINGLE})",
        "derivatives that pass from one axis to the other are doubles, or what eigenvalues are made"
        " of",
    ),
    (
        rf"filters\.(gabor|correlate_sparse) ({_SHORT}|{_SINGLE})",
        "each product and each sum has scikit-image's rounding; double decides where a sum of a"
        " float32 image is small beside its parts, and one of 8 bits near to a whole number",
    ),
    (
        rf"filters\.butterworth {_SHORT}",
        "spectra of integers, and what they are multiplied with, are of doubles",
    ),
    (
        rf"restoration\.richardson_lucy ({_SHORT}|{_SINGLE})",
        "50 iterations of two blurs, product by product: what one rounds the next one enlarges",
    ),
    (
        rf"feature\.hog ({_SHORT}|{_SINGLE})",
        "lengths of slopes are roots of doubles; votes of cells and blocks are added up in"
        " scikit-image's order",
    ),
    (
        rf"feature\.daisy {_SHORT}",
        "an angle, and of each orientation a cosine and an exponential of doubles",
    ),
)


def above(rows) -> dict:
    """Calls with more than `MOST` operations a pixel, as (name, images, operations) by reason.

    Parameters
    ----------
    rows : iterable of dict
        Predictions for one card.
    """
    return by_reason(rows, _why, _count)


def _why(row):
    return reason_of(row, REASONS) if _count(row) > MOST else None


def _count(row):
    return row["gpu"].get("double", 0)
