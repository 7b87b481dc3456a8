"""What arguments of scikit-image's functions are documented to be: numbers, shapes, footprints.

A domain tells its values from others by their types, and of arrays looks at metadata alone. Two
tables say which parameter has which: `BY_NAME`, and `OF_FUNCTIONS` for the few functions where
the name means something else.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..adapt.kinds import kind_of


@dataclass(frozen=True)
class Domain:
    """What a parameter is documented to take.

    Parameters
    ----------
    told : str
        What it is, in words.
    holds : callable
        Takes a value and the lengths of the image's axes, without that of the channels; True
        where the value is one.
    """

    told: str
    holds: Callable[[object, tuple], bool]


def _is_real(value):
    """Whether it is a number as Python computes with it: short and unsigned ones wrap around."""
    return isinstance(value, int | float | np.int64) and not isinstance(value, bool)


def _number(value, axes=()):
    """A number whose square is neither infinite nor, but of 0, nothing, nor wraps around."""
    if isinstance(value, np.int64) and abs(int(value)) >= 2**31:
        return False
    return _is_real(value) and (value == 0 or 1e-150 <= abs(value) <= 1e150)


def _positive(value, axes=()):
    return _number(value) and value > 0


def _integer(value, axes=()):
    return _is_real(value) and not isinstance(value, float) and abs(value) < 2**31


def _at_least(least, of=_number):
    return lambda value, axes: of(value) and value >= least


def _between(least, largest, of=_number):
    return lambda value, axes: of(value) and least <= value <= largest


def _truth(value, axes=()):
    return isinstance(value, bool | np.bool_)


def _text(value, axes):
    return type(value) is str


def _is_type(value, axes):
    return isinstance(value, type | np.dtype)


def _none(value, axes):
    return value is None


def _tuple(value, axes):
    return type(value) is tuple


def _list(value, axes):
    return type(value) is list


def _numbers(value, axes):
    return isinstance(value, list | tuple) and _some(_number)(value, axes)


def _either(*holds):
    return lambda value, axes: any(hold(value, axes) for hold in holds)


def _items(value):
    """The items of a sequence, those of a small array as Python has them."""
    if isinstance(value, list | tuple | range):
        return value
    if type(value) is np.ndarray and value.ndim == 1 and value.dtype.kind in "iuf":
        return value.tolist()
    return ()


def _some(of):
    """A sequence of such values."""

    def hold(value, axes):
        items = _items(value)
        return len(items) > 0 and all(of(item, axes) for item in items)

    return hold


def _several(of, count=None):
    """A sequence of such values: `count` of them, or one for each axis."""
    some = _some(of)

    def hold(value, axes):
        return some(value, axes) and len(value) == (len(axes) if count is None else count)

    return hold


def _pythons(value, axes):
    """Python's numbers, not NumPy's, which have a say in the result's dtype."""
    return not isinstance(value, np.ndarray) and all(type(x) in (int, float) for x in _items(value))


def _for_axes(of):
    return _either(of, _several(of))


def _connectivity(value, axes):
    return _integer(value) and 1 <= value <= len(axes)


def _axis(value, axes):
    return _integer(value) and -len(axes) <= value < len(axes)


def _array(value, axes):
    return kind_of(value) is not None and value.ndim > 0 and 0 not in value.shape


def _window(value, axes):
    return _array(value, axes) and value.ndim == len(axes)


def _tensor(value, axes):
    return kind_of(value) is not None and value.shape == (len(axes), len(axes))


def _moments(value, axes):
    """Central moments up to the second and as many along each axis; no integers are divided."""
    if not (_window(value, axes) and value.dtype.char in "fd"):
        return False
    return min(value.shape) == max(value.shape) > 2


def _like_image(value, axes):
    return kind_of(value) is not None and value.shape == axes


def _planes(value, axes):
    return kind_of(value) is not None and value.shape[: len(axes)] == axes


def _windows(value, axes):
    """Footprints that are applied one after the other, each so many times."""
    return isinstance(value, list | tuple) and all(
        isinstance(item, tuple) and len(item) == 2 and _window(item[0], axes) and _integer(item[1])
        for item in value
    )


def _crops(value, axes):
    """Integers, or pairs of them, to be taken away at the ends of axes."""
    if kind_of(value) is not None:
        return value.dtype.char in "lq" and value.ndim > 0
    return _either(_integer, _some(_integer), _some(_several(_integer, 2)))(value, axes)


def _one_of(*texts):
    return Domain(f"one of {', '.join(texts)}", lambda v, _: type(v) is str and v in texts)


ANYTHING = Domain("", lambda value, axes: True)
TRUTH = Domain("True or False", _truth)
TEXT = Domain("a text", _text)
NUMBER = Domain("a number whose square is finite", _number)
FROM_0 = Domain("a number from 0 whose square is finite", _at_least(0))
POSITIVE = Domain("a number whose square is above 0 and finite", _positive)
SHARE = Domain("a number from 0 to 1", _between(0, 1))
FILL = Domain("a text, a number or a list of numbers", _either(_text, _number, _numbers))
NORM = Domain("a number from 0", lambda value, _: _is_real(value) and value >= 0)
PERCENT = Domain("a number from 0 to 100", _between(0, 100))
INTEGER = Domain("an integer", _integer)
COUNT = Domain("an integer from 0", _at_least(0, _integer))
SIZE = Domain("an integer from 1", _at_least(1, _integer))
SPLINE = Domain("an integer from 0 to 5", _between(0, 5, _integer))
LIMIT = Domain("an integer from 0, or infinity", _either(COUNT.holds, lambda v, _: v is np.inf))
CONNECTIVITY = Domain("an integer from 1 to the number of axes", _connectivity)
AXIS = Domain("one of the image's axes", _axis)
CHANNELS = Domain("one of the image's axes", lambda v, axes: type(v) is int and _axis(v, axes))
AXES = Domain("one or more of the image's axes", _either(_axis, _some(_axis)))
WIDTHS = Domain("a number from 0, or one for each axis", _for_axes(FROM_0.holds))
PYTHONS_SIGMAS = Domain(
    "a list of Python's numbers above 0",
    lambda value, axes: _pythons(value, axes) and _some(POSITIVE.holds)(value, axes),
)
STEPS = Domain("a number above 0, or one for each axis", _for_axes(POSITIVE.holds))
SIZES = Domain("an integer from 1, or one for each axis", _for_axes(SIZE.holds))
MARGINS = Domain("True, False, or integers from 0", _either(_truth, _for_axes(COUNT.holds)))
SHAPE = Domain("an integer from 1 for each axis", _several(SIZE.holds))
LENGTHS = Domain("integers from 1", _some(SIZE.holds))
POINT = Domain("a number for each axis", _several(_number))
PAIR = Domain("two numbers", _several(_number, 2))
COLOR = Domain("a text, three numbers or None", _either(_text, _none, _several(_number, 3)))
OPTIONAL = Domain("a finite number or None", _either(_number, _none))
FUNCTION = Domain("a finite number or a function", _either(_number, lambda v, _: callable(v)))
NUMBERS = Domain("numbers", _some(_number))
SIGMAS = Domain("numbers above 0", _some(POSITIVE.holds))
RANGE = Domain("a range of values", _either(_text, _several(_number, 2), _is_type))
THRESHOLD = Domain("a text or a number", _either(_text, _number))
DTYPE = Domain("a dtype", _either(_text, _is_type))
CROPS = Domain("an integer, or pairs of integers", _crops)
ARRAY = Domain("an array with elements", _array)
LIKE_IMAGE = Domain("an array of the image's shape", _like_image)
VALUES = Domain("a number, or an array of the image's shape", _either(_number, _like_image))
PLANES = Domain("an array of the image's shape, and channels at most", _planes)
LEVELS = Domain("a text, or an array of the image's shape", _either(_text, _like_image))
WINDOW = Domain("an array with as many axes as the image", _window)
KERNEL = Domain("a list or an array, with the image's axes", _either(_window, _some(_list)))
FOOTPRINT = Domain("a footprint with as many axes as the image", _either(_window, _windows))
RGB = Domain("three numbers", _several(_number, 3))
SIDES = Domain("integers from 1", _either(SIZE.holds, LENGTHS.holds))
MOMENTS = Domain("floating moments up to order 2, with the image's axes", _moments)
TENSOR = Domain("a matrix with a row and a column for each axis", _tensor)
NAME = Domain("a text or None", _either(_text, _none))
TAPER = Domain("a text, a finite number or a tuple", _either(_text, _number, _tuple))
CORNERS = Domain("integers for each axis", _either(_several(_integer), _some(_several(_integer))))
PLANE = Domain("two integers from 1", _several(SIZE.holds, 2))
COLORS = Domain("colours", _some(_either(_text, _several(_number, 3))))
ORDER = Domain("a number from 0.01 to 100", _between(0.01, 100))
BORDER = _one_of("reflect", "constant", "nearest", "mirror", "wrap")
PADDING = _one_of("constant", "edge", "symmetric", "reflect", "wrap")
BORDERS = _one_of("reflect", "constant", "nearest", "mirror", "wrap", "max", "min", "ignore")

# By the parameter's name, which nearly always tells what it is.
_NAMES = {
    TRUTH: "allow_borders anti_aliasing approximate black_ridges cache clip clip_negative copy"
    " disambiguate edges extended_output force_copy full gaussian gaussian_weights gradient"
    " grid_mode high_pass include_borders indices intensity inv is_real log_scale nansafe normalize"
    " offset_coordinates pad_input prefilter preserve_ends preserve_range rescale_intensity resize"
    " return_all return_distance return_full_prob return_mapping return_num signed_float"
    " squared_butterworth strict_radius texture use_gaussian_derivatives use_quantiles"
    " use_sample_covariance visualize",
    TEXT: "behavior decomposition fromspace illuminant kind method normalization observer"
    " scaling separator source_range space tospace",
    NUMBER: "K1 K2 alpha amount angle balance balloon beta bgval constant_values cutoff cval"
    " frequency gain gamma high_threshold image_alpha k k1 k2 lambda1 lambda2"
    " low_threshold offset rotation strength theta threshold threshold_abs threshold_rel",
    FROM_0: "area_threshold attachment distance h height m max_size min_size n radius"
    " saturation scale_step tightness tol weight width",
    POSITIVE: "bandwidth base clip_limit cutoff_frequency_ratio data_range dt eps filter_epsilon"
    " kC kH kL"
    " n_stds prob_tol r sigma_max sigma_min sigma_ratio sigma_x sigma_y tolerance truncate",
    SHARE: "fraction_threshold overlap overlap_ratio p0 p1",
    PERCENT: "lower_percentile upper_percentile",
    INTEGER: "background background_label bg_label degree directions max_layer neighborhood s0 s1"
    " shift_x shift_y shift_z",
    COUNT: "a buffer_size max_num_iter min_distance npad num_iter num_warp padding_width smoothing",
    SIZE: "classes h_size histograms ksize linewidth nbins ndim num_sigma orientations rings"
    " square_size upsample_factor win_size workers",
    SPLINE: "order",
    BORDER: "mode",
    COLORS: "colors",
    TAPER: "window_type",
    LIMIT: "num_peaks num_peaks_per_label",
    CONNECTIVITY: "connectivity",
    CHANNELS: "channel_axis",
    AXES: "axis",
    NORM: "p_norm",
    WIDTHS: "anti_aliasing_sigma high_sigma low_sigma max_sigma min_sigma sigma",
    STEPS: "downscale scale spacing upscale",
    SIZES: "block_size factors kernel_size step window_shape window_size",
    MARGINS: "exclude_border",
    SHAPE: "block_shape",
    LENGTHS: "image_shape output_shape shape",
    POINT: "center",
    PAIR: "dst n_tiles scale_range src",
    COLOR: "bg_color color outline_color",
    SIGMAS: "ring_radii sigmas",
    RANGE: "in_range out_range",
    ARRAY: "conv_matrix input_vals kernel matrix output_vals psf reg",
    MOMENTS: "mu",
    TENSOR: "T",
    LIKE_IMAGE: "labels mask moving_mask out reference_mask",
    VALUES: "high low",
    PLANES: "intensity_image",
    LEVELS: "init_level_set",
    FOOTPRINT: "footprint",
    FUNCTION: "initial_guess param",
    FILL: "fill",
    DTYPE: "dtype",
    CROPS: "crop_width",
    ANYTHING: "bins extra_properties footprints func func_kwargs grid_shape hist ignore_labels"
    " inverse_map iter_callback map_args num_threads properties"
    " reduce_func rng table warp_kwargs",
}
# Where a parameter of that name is something else.
_GREY = ("erosion", "dilation", "opening", "closing", "white_tophat", "black_tophat")
OF_FUNCTIONS = {
    **{f"morphology:{name}": {"mode": BORDERS} for name in _GREY},
    **{f"transform:{name}": {"mode": PADDING} for name in ("rescale", "resize")},
    "transform:warp": {"mode": PADDING, "output_shape": PLANE},
    "color:gray2rgb": {"channel_axis": INTEGER},
    "color:gray2rgba": {"channel_axis": INTEGER},
    "color:rgba2rgb": {"background": RGB},
    "feature:blob_dog": {"threshold": OPTIONAL},
    "feature:blob_doh": {"threshold": OPTIONAL},
    "feature:blob_log": {"threshold": OPTIONAL},
    "feature:daisy": {"radius": SIZE, "step": SIZE},
    "feature:corner_foerstner": {"sigma": STEPS},
    "feature:corner_shi_tomasi": {"sigma": STEPS},
    "feature:hessian_matrix": {"order": TEXT},
    "feature:match_template": {"mode": TEXT},
    "feature:structure_tensor": {"order": TEXT},
    "filters:butterworth": {"order": ORDER},
    "filters:correlate_sparse": {"kernel": KERNEL},
    "filters:frangi": {"alpha": POSITIVE, "beta": POSITIVE, "gamma": POSITIVE},
    "filters:sato": {"sigmas": PYTHONS_SIGMAS},
    "filters:unsharp_mask": {"radius": WIDTHS},
    "filters:window": {"shape": SIDES},
    "measure:moments": {"order": COUNT},
    "measure:moments_central": {"order": COUNT},
    "measure:moments_coords": {"order": COUNT},
    "measure:moments_coords_central": {"order": COUNT, "center": NUMBERS},
    "measure:regionprops": {"offset": ANYTHING},
    "morphology:reconstruction": {"offset": ANYTHING},
    "registration:phase_cross_correlation": {"normalization": NAME},
    "registration:optical_flow_ilk": {"radius": SIZE},
    "registration:optical_flow_tvl1": {"tol": NUMBER},
    "restoration:richardson_lucy": {"psf": WINDOW},
    "restoration:rolling_ball": {"kernel": WINDOW},
    "segmentation:chan_vese": {"mu": NUMBER},
    "segmentation:find_boundaries": {"mode": TEXT},
    "segmentation:mark_boundaries": {"mode": TEXT},
    "segmentation:random_walker": {"mode": TEXT},
    "segmentation:morphological_geodesic_active_contour": {"threshold": THRESHOLD},
    "segmentation:relabel_sequential": {"offset": SIZE},
    "transform:integrate": {"start": CORNERS, "end": CORNERS},
    "transform:rotate": {"center": PAIR, "mode": PADDING},
    "transform:swirl": {"center": PAIR, "mode": PADDING, "output_shape": PLANE},
    "transform:warp_polar": {"center": PAIR, "mode": PADDING, "output_shape": PLANE},
    "util:crop": {"order": TEXT},
}
# Numbers of axes of the first image, where cuCIM takes others too.
AXES_OF = {
    "feature:corner_foerstner": (2,),
    "measure:profile_line": (2, 3),
    "measure:regionprops": (2, 3),
    "measure:regionprops_table": (2, 3),
    "segmentation:clear_border": (1, 2, 3),
    "segmentation:mark_boundaries": (2, 3),
}
BY_NAME = {parameter: domain for domain, names in _NAMES.items() for parameter in names.split()}
