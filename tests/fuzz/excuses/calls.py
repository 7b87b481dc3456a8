"""What is drawn, warned of and refused."""

from ..grounds import calls as grounds
from .kind import GREY, Excuse

_REFUSED = ("not raised", "other exception", "other text")
EXCUSES = (
    Excuse(
        "restoration.denoise_wavelet",
        ("warnings",),
        grounds.flat_colours,
        "a channel without a range is passed over, and rounding decides whether it has one",
    ),
    Excuse(
        "morphology.medial_axis",
        ("values",),
        grounds.drawn,
        "pixels are removed in an order that is drawn",
    ),
    Excuse(
        "feature.BRIEF.*",
        ("values", "changed"),
        lambda call, found, theirs, ours: theirs.made.get("self.rng", 1) is None,
        "pairs of pixels are drawn without a seed",
    ),
    Excuse(
        (
            "restoration.calibrate_denoiser",
            "restoration.cycle_spin",
            "restoration.denoise_invariant",
            "restoration.denoise_tv_bregman",
        ),
        ("values",),
        grounds.thin,
        "scikit-image reads memory that is not the image's",
    ),
    Excuse(
        "feature.haar_like_feature",
        ("values",),
        grounds.window_outside,
        "scikit-image reads memory that is not the image's",
    ),
    Excuse(
        "feature.multiscale_basic_features",
        ("warnings",),
        grounds.of_threads,
        "a thread that raises stops others, which have warned by then or not",
    ),
    Excuse(
        GREY,
        ("raised", *_REFUSED),
        grounds.swallowed,
        "scikit-image runs both times; SciPy does not look for the exception that it has set",
    ),
    Excuse(
        GREY,
        ("values", "changed"),
        grounds.no_number,
        "scikit-image runs both times; SciPy writes nothing once it has set an exception",
    ),
    Excuse(
        "*",
        ("raised", "other exception", "other text", "warnings"),
        grounds.two_kinds,
        "whose data is where, the user has to say",
    ),
    Excuse(
        "*",
        ("other exception", "other text"),
        grounds.another_mistake,
        "scikit-image refuses device arrays before their data is looked at",
    ),
)
