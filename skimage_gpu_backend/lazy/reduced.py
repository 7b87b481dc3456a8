"""Functions that add up over their images: what is made of the sums of their chunks.

The sums are those of ordinary calls of each chunk: histograms, means and mean squared errors. What
is made of them, a few hundred numbers, is scikit-image's own arithmetic, in one task on the host.
"""

import numpy as np

from .._warn import warn_caller
from ..device.dtypes import float_type
from ..functions.exposure.histogram import warn_of_color as warn_of_color_of_histogram
from ..functions.filters.threshold_li import Integers, threshold_of
from ..functions.filters.thresholds import search, triangle, warn_of_color
from ..scikit_image import on_host, private
from ..trouble import Declined
from . import sums
from .chunk import error_of, histogram_of, mean_of

_dtypes = private("util.dtype")

_THRESHOLDS = ["otsu", "yen", "isodata", "minimum", "multiotsu", "triangle"]


class Call:
    """A call of a function that adds up.

    Attributes
    ----------
    name : str
        Public module and function.
    images : list of dask.array.Array
        In the same chunks; where shapes may differ (`joined.ANY_SHAPES`), arrays as they are given.
    options : dict
        All other arguments by name, defaults included.
    task : callable
        Takes the name of a function, its images' parameters and its options, and gives the `Task`
        of a chunk.
    """

    def __init__(self, name, images, options, task):
        self.name, self.images, self.options, self.task = name, images, options, task

    def made(self, function, *arrays, dtype, lengths=(), **options):
        """Dask array of what `function` makes of the values of arrays without axes."""
        import dask.array as da

        axes = tuple(range(len(lengths)))
        pairs = [x for array in arrays for x in (array, ())]
        return da.blockwise(
            function,
            axes,
            *pairs,
            dtype=dtype,
            meta=np.empty((0,) * len(axes), dtype),
            new_axes=dict(zip(axes, lengths, strict=True)),
            token=self.name.rpartition(":")[2],
            **options,
        )

    def bins(self):
        """Counts and centers, and least and largest element but of integers."""
        (image,) = self.images
        task = self.task(
            "skimage.exposure:histogram", ("image",), nbins=self.options.get("nbins", 256)
        )
        if image.dtype.kind in "iu":
            return sums.summed(histogram_of, (image,), sums.add_counts, task=task), ()
        ends = image.min(), image.max()
        return sums.summed(histogram_of, (image, *ends), sums.add_bins, task=task), ends

    def errors(self, images):
        """Sum of squared differences, and the number of elements."""
        task = self.task("skimage.metrics:mean_squared_error", ("image0", "image1"))
        return sums.summed(error_of, images, sums.add_numbers, task=task)


def _centers_type(image):
    if image.dtype.kind in "iu":
        return int
    return (
        np.float64
        if image.dtype.kind == "b"
        else np.histogram(np.zeros(1, image.dtype), 1)[1].dtype
    )


def _threshold(call):
    name = call.name.rpartition(":")[2]
    (image,) = call.images
    if call.options.pop("hist", None) is not None:
        raise Declined("hist is given, after which little is left to compute; nothing to change")
    if name in ("threshold_otsu", "threshold_multiotsu"):
        warn_of_color(name, image)
    bins, ends = call.bins()
    lengths = ()
    if name == "threshold_multiotsu":
        lengths = (call.options["classes"] - 1,)
    elif call.options.get("return_all"):
        lengths = ((np.nan,),)
    options = {"called": call.name, "image_dtype": image.dtype, "options": call.options}
    dtype = _centers_type(image)
    return call.made(_threshold_of, bins, *ends, dtype=dtype, lengths=lengths, **options)


def _threshold_of(bins, *ends, called, image_dtype, options):
    counts, centers = bins
    is_constant = ends[0] == ends[1] if ends else len(counts) == 1
    if is_constant:
        value = ends[0] if ends else centers[0]
        return on_host(called, np.full(2, value, image_dtype), **options)
    options = {key: value for key, value in options.items() if key != "nbins"}
    name = called.rpartition(":")[2]
    if name == "threshold_triangle":
        return triangle(counts, centers)
    if name == "threshold_multiotsu":
        counts = counts / counts.sum()
    return search(name, counts, centers, **options)


def _threshold_li(call):
    (image,) = call.images
    bins, _ = call.bins()
    options = {name: call.options[name] for name in ("tolerance", "initial_guess", "iter_callback")}
    return call.made(_li_of, bins, dtype=float, into=image.dtype, **options)


def _li_of(bins, into, **options):
    return threshold_of(Integers(*bins, into), **options)


def _histogram(call):
    (image,) = call.images
    if call.options["channel_axis"] is not None or call.options["source_range"] != "image":
        raise Declined(
            "channel_axis or source_range of a Dask array is given; give image.compute()"
        )
    warn_of_color_of_histogram(image)
    bins, ends = call.bins()
    lengths = (call.options["nbins"] if ends else (np.nan,),)
    normalize = call.options["normalize"]
    counts = call.made(
        _counts, bins, dtype=float if normalize else int, lengths=lengths, normalize=normalize
    )
    return counts, call.made(_centers, bins, dtype=_centers_type(image), lengths=lengths)


def _counts(bins, normalize):
    return bins[0] / np.sum(bins[0]) if normalize else bins[0]


def _centers(bins):
    return bins[1]


def _cumulative_distribution(call):
    (image,) = call.images
    warn_of_color_of_histogram(image)
    bins, ends = call.bins()
    lengths = (call.options["nbins"] if ends else (np.nan,),)
    dtype = np.dtype(float_type(image.dtype))
    shares = call.made(_shares, bins, dtype=dtype, lengths=lengths, into=dtype)
    return shares, call.made(_centers, bins, dtype=_centers_type(image), lengths=lengths)


def _shares(bins, into):
    sums_of = bins[0].cumsum()
    return (sums_of / float(sums_of[-1])).astype(into, copy=False)


def _threshold_mean(call):
    task = call.task(call.name, ("image",))
    total = sums.summed(mean_of, tuple(call.images), sums.add_numbers, task=task)
    dtype = np.mean(np.zeros(1, call.images[0].dtype)).dtype
    return call.made(_ratio, total, dtype=dtype, into=dtype.type)


def _ratio(total, into=np.float64):
    return into(total[0] / total[1])


def _mean_squared_error(call):
    return call.made(_ratio, call.errors(tuple(call.images)), dtype=float)


def _normalized_root_mse(call):
    import dask.array as da

    true, test = call.images
    kind = call.options["normalization"].lower()
    errors = call.errors((true, test))
    if kind == "euclidean":
        squares = call.errors((true, da.zeros_like(test)))
        return call.made(_per_norm, errors, squares, dtype=float)
    true = true.astype(float_type(true.dtype, test.dtype))
    unit = true.max() - true.min() if kind == "min-max" else true.sum() / true.size
    return call.made(_per_unit, errors, unit, dtype=float)


def _per_norm(errors, squares):
    return np.sqrt(_ratio(errors)) / np.sqrt(_ratio(squares))


def _per_unit(errors, unit):
    return np.sqrt(_ratio(errors)) / unit


def _peak_signal_noise_ratio(call):
    true, test = call.images
    errors = call.errors((true, test))
    data_range = call.options["data_range"]
    if data_range is not None:
        return call.made(_decibels, errors, dtype=float, data_range=data_range)
    if true.dtype != test.dtype:
        warn_caller(
            "Inputs have mismatched dtype.  Setting data_range based on image_true.", UserWarning
        )
    limits = _dtypes.dtype_range[true.dtype.type]
    return call.made(_decibels_in, errors, true.min(), true.max(), dtype=float, limits=limits)


def _decibels(errors, data_range):
    return 10 * np.log10(float(data_range) ** 2 / _ratio(errors))


def _decibels_in(errors, low, high, limits):
    least, most = limits
    if high > most or low < least:
        raise ValueError(
            "image_true has intensity values outside the range expected "
            "for its data type. Please manually specify the data_range."
        )
    return _decibels(errors, most if low >= 0 else most - least)


REDUCED = {
    **dict.fromkeys((f"skimage.filters:threshold_{n}" for n in _THRESHOLDS), _threshold),
    "skimage.filters:threshold_li": _threshold_li,
    "skimage.filters:threshold_mean": _threshold_mean,
    "skimage.exposure:histogram": _histogram,
    "skimage.exposure:cumulative_distribution": _cumulative_distribution,
    "skimage.metrics:mean_squared_error": _mean_squared_error,
    "skimage.metrics:normalized_root_mse": _normalized_root_mse,
    "skimage.metrics:peak_signal_noise_ratio": _peak_signal_noise_ratio,
}
