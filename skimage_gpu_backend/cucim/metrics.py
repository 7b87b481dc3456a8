"""Where cuCIM's `metrics` and scikit-image's differ."""

from numbers import Integral

import numpy as np

from .deferred import deferred
from .difference import Difference, set_by_caller

_TABLE = set_by_caller(
    "table", reason="table is a sparse matrix, which stays on the CPU; leave table out"
)


def _not_counts(call):
    bins = call.bins if isinstance(call.bins, list | tuple) else (call.bins,)
    return not all(isinstance(count, Integral) for count in bins)


DIFFERENCES = {
    "adapted_rand_error": (_TABLE,),
    "normalized_mutual_information": (
        Difference("bins is no number of bins; give an integer, as 100", _not_counts),
        Difference(
            "images are float16; give image.astype(numpy.float32) of both",
            lambda call: np.result_type(call.image0.dtype, call.image1.dtype).char == "e",
        ),
    ),
    "variation_of_information": (_TABLE,),
}
CORRECTIONS = deferred(
    "_metrics_images",
    "mean_squared_error normalized_mutual_information normalized_root_mse"
    " peak_signal_noise_ratio structural_similarity",
)
