"""Layouts and byte orders, and what lies beyond an array."""

from ..grounds import memory as grounds
from .kind import GREY, Excuse

_REFUSED = ("not raised", "other exception", "other text")
EXCUSES = (
    Excuse(
        ("util.img_as_*", "filters.median", "exposure.equalize_adapthist"),
        ("warnings",),
        grounds.swapped,
        "the image is planned as the copy that it becomes",
    ),
    Excuse(
        "filters.rank.windowed_histogram",
        ("values",),
        grounds.more_bins_than_values,
        "scikit-image reads memory beyond its histogram",
    ),
    Excuse(
        "feature.SIFT.*",
        ("changed", "values"),
        grounds.unwritten_descriptors,
        "descriptors are made one after the other in memory that is not cleared",
    ),
    Excuse(
        "filters.median",
        ("values",),
        grounds.over_line,
        "SciPy reads memory that is not the image's",
    ),
    Excuse(
        "feature.corner_orientations",
        ("values",),
        grounds.corner_outside,
        "scikit-image reads memory that is not the image's",
    ),
    Excuse(
        (
            "filters.laplace",
            *GREY,
            "filters.gabor",
            "filters.roberts*",
            "filters.sobel*",
            "filters.scharr*",
            "filters.prewitt*",
            "filters.farid*",
            "segmentation.find_boundaries",
            "segmentation.mark_boundaries",
            "filters.median",
            "restoration.denoise_invariant",
        ),
        ("values", "changed"),
        grounds.one_place,
        "SciPy's filters take steps of 0 between elements for the border",
    ),
    Excuse(
        "graph.rag_*",
        ("values", "raised", "not raised", "other exception"),
        grounds.one_place,
        "SciPy's filters take steps of 0 between elements for the border",
    ),
    Excuse(
        "segmentation.watershed",
        ("values",),
        grounds.compact_floods,
        "scikit-image measures distances by strides of the image that is given, not of its copy",
    ),
    Excuse(
        "measure.profile_line",
        ("values",),
        lambda call, found, theirs, ours: theirs.made["image"].size == 0,
        "SciPy reads memory that is not the image's, which has none",
    ),
    Excuse(
        "util.map_array",
        ("values", "changed"),
        grounds.too_few_values,
        "scikit-image reads memory beyond the values",
    ),
    Excuse(
        "filters.unsharp_mask",
        ("values",),
        grounds.negative_channel_axis,
        "memory that scikit-image has not written is in the result, and differs from call to call",
    ),
    Excuse(
        "*",
        ("warnings", *_REFUSED),
        grounds.refused_memory,
        "compiled parts of scikit-image declare no buffers that are read-only, strided or swapped",
    ),
    Excuse(
        "restoration.denoise_bilateral",
        ("identity",),
        grounds.swapped,
        "results have native byte order, also of an image that is returned as it is",
    ),
    Excuse(
        ("filters.rank.*", "filters.median"),
        ("identity",),
        grounds.view,
        "scikit-image gives a view of `out`, ours is `out` itself",
    ),
    Excuse(
        "filters.gabor",
        ("values",),
        grounds.on_the_host,
        "SciPy reads memory beside an image that a kernel reaches over several times",
    ),
    Excuse(
        "filters.median",
        ("values", "changed"),
        grounds.swapped_out,
        "SciPy writes into such an array as if its byte order were the machine's",
    ),
)
