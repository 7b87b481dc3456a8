"""Where cuCIM's `util` and scikit-image's differ."""

from numbers import Integral

import numpy as np

from ..trouble import Idle
from .deferred import deferred
from .difference import Difference

LEFT_OUT = {"random_noise": "draws NumPy's random numbers, so that a seed gives the same noise"}


def _of_numpy(parameter, what):
    return Difference(
        Idle(f"{parameter} is a NumPy array and {what}; nothing to change"),
        lambda call: isinstance(getattr(call, parameter), np.ndarray | list | tuple),
    )


_HALF_OVERFLOWS = Difference(
    "image is float16, which cannot hold 16-bit integers; give image.astype(numpy.float32)",
    lambda call: call.image.dtype.char == "e",
)


def _uneven_tiles(call):
    return call.method == "checkerboard" and any(
        not isinstance(tiles, Integral) or tiles < 1 or length % tiles
        for length, tiles in zip(call.image0.shape, call.n_tiles, strict=False)
    )


def _empty_window(call):
    window = call.window_shape
    return any(int(length) == 0 for length in (window if np.ndim(window) else (window,)))


def _few_values(call):
    if call.channel_axis is None or isinstance(call.fill, str):
        return False
    tiles = call.arr_in
    shape = tiles.shape if hasattr(tiles, "shape") else (len(tiles), *tiles[0].shape)
    return np.size(call.fill) < shape[call.channel_axis]


DIFFERENCES = {
    "compare_images": (
        Difference(
            "n_tiles does not divide the shape of the images; give numbers that divide it",
            _uneven_tiles,
            example="""
a, b = np.zeros((10, 8)), np.ones((10, 8))
options = {"method": "checkerboard", "n_tiles": (4, 4)}
theirs = cs.util.compare_images(cp.asarray(a), cp.asarray(b), **options)
not np.array_equal(cp.asnumpy(theirs), ski.util.compare_images(a, b, **options))
""",
            bug="""\
The checkerboard of compare_images goes on beyond the tiles that were asked for.

Expected, as in scikit-image: with sides that are no multiple of n_tiles, the rows and columns
after the last tile show image1.
Observed: the kernel (util/compare.py, _checkerboard_kernel) numbers tiles over the whole image;
where n_tiles is larger than a side, step_x or step_y is 0 and the kernel divides by it.
""",
        ),
    ),
    "crop": (_of_numpy("ar", "the result is a part of it"),),
    "dtype_limits": (_of_numpy("image", "the answer lies in its dtype"),),
    "img_as_int": (_HALF_OVERFLOWS,),
    "img_as_uint": (_HALF_OVERFLOWS,),
    "map_array": (
        Difference(
            "input_vals and output_vals are not two lists of one length; give one output "
            "for each input",
            lambda call: (
                not (
                    np.ndim(call.input_vals) == 1
                    and call.input_vals.shape == call.output_vals.shape
                )
            ),
        ),
        Difference(
            "out is of integers and output_vals is not; give output_vals.astype(out.dtype)",
            lambda call: (
                call.out is not None
                and call.out.dtype.kind in "biu"
                and call.output_vals.dtype.kind == "f"
            ),
        ),
        Difference(
            "scikit-image maps to no float16",
            lambda call: (call.output_vals if call.out is None else call.out).dtype.char == "e",
            invalid=True,
        ),
        Difference(
            "out is not contiguous; give no out, and take the result",
            lambda call: (
                call.out is not None and call.out.ndim > 1 and not call.out.flags.c_contiguous
            ),
        ),
    ),
    "montage": (
        Difference(
            "rescale_intensity=True writes into arr_in, where that is an array; leave it out and"
            " rescale the images before",
            lambda call: bool(call.rescale_intensity) and hasattr(call.arr_in, "shape"),
        ),
        Difference(
            "fill has too few values for the channels",
            _few_values,
            invalid=True,
            example="""
tiles = cp.zeros((3, 4, 5, 3))
cs.util.montage(tiles, fill=0.5, channel_axis=-1)
True
""",
            bug="""\
montage reads beyond its fill values.

Expected, as in scikit-image: IndexError where fill has fewer values than the image channels.
Observed: no error; the kernel (util/_montage.py) reads fill_values[1] and fill_values[2] of an
array with one element.
""",
        ),
    ),
    "view_as_blocks": (_of_numpy("arr_in", "the result is another view of it"),),
    "view_as_windows": (
        _of_numpy("arr_in", "the result is another view of it"),
        Difference(
            "the window is empty",
            _empty_window,
            invalid=True,
            example="""
windows = cs.util.view_as_windows(cp.arange(10), 0)
windows.shape == (11, 0)
""",
            bug="""\
view_as_windows takes an empty window.

Expected, as in scikit-image: ValueError("`window_shape` is too small").
Observed: a view with an axis of length 0. util/shape.py tests `ws < 0`, where scikit-image's
`(window_shape - 1) < 0` means `ws < 1`.
""",
        ),
    ),
}
CORRECTIONS = deferred(
    "_util_arrays", "compare_images crop img_as_float map_array montage view_as_blocks"
)
