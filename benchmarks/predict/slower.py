"""Why calls are predicted to take longer than cuCIM's."""

from skimage_gpu_backend.catalog import spoken

from . import cards
from .rows import ratio_of, reason_of

ALIKE = 0.995
_COPIES = (
    "scikit-image gives a number, which is copied to the host; cuCIM leaves it on the device in an"
    " array without axes"
)
_DOUBLE = (
    "operations in double, which make scikit-image's bits; cuCIM's are in single precision, and"
    " other numbers"
)
# Patterns of a function and its images, and the reason, where it is neither of these
REASONS = (
    (
        r"filters\.(butterworth|filter_forward) uint8( RGB)?",
        "Fourier transforms in double, as scikit-image's are of integers; cuCIM's are in single"
        " precision",
    ),
    (
        r"color\.(hed2rgb|combine_stains) float32 RGB|util\.img_as_float as it is",
        "the result is of doubles, as scikit-image's is; cuCIM's is in single precision, half the"
        " bytes",
    ),
    (
        r"feature\.match_descriptors (uint8|float32)",
        "cuCIM's distances are SciPy's, on the host, whose time is in none of the numbers",
    ),
    (
        r"exposure\.adjust_gamma uint8|util\.(img_as_uint as it is|invert uint8)"
        r"|measure\.shannon_entropy float32|morphology\.remove_small_objects as it is",
        "cuCIM's launches are CuPy's own (of `shannon_entropy` the same sort), and count by their"
        " bytes alone",
    ),
    (
        r"filters\.difference_of_gaussians float32|color\.lab2lch uint8",
        "sums in two floats, angles in double, which make scikit-image's last bits",
    ),
)


def why(row) -> str | None:
    """Why a call is predicted to take longer than cuCIM's; "" if that is not known.

    Parameters
    ----------
    row : dict
        A prediction; None is returned if the call does not.
    """
    ours, theirs = row["gpu"], row["cucim"]
    ratio = ratio_of(row)
    if not ratio or ratio >= ALIKE:
        return None
    without = ours["us"] - 1e6 * cards.COPY * (ours["copies"] - theirs["copies"])
    if ratio_of({"gpu": {"us": without}, "cucim": theirs}) >= ALIKE:
        return _COPIES
    return reason_of(row, REASONS) or (_DOUBLE if ours["bound"] == "double" else "")


def by_reason(rows) -> dict:
    """Calls that are predicted to take longer, as (name, images, ratio) by reason.

    Parameters
    ----------
    rows : iterable of dict
        Predictions for one card.
    """
    found = {}
    for row in rows:
        if (reason := why(row)) is not None:
            call = spoken(row["function"]), row["images"], ratio_of(row)
            found.setdefault(reason, []).append(call)
    return found
