"""Mistakes of cuCIM in `color` and `util`."""

from ..difference import Mistake

CORRECTED = {
    "skimage.color:label2rgb": (
        Mistake(
            "bg_color=None reads colours that are not there",
            """\
label2rgb(bg_color=None) paints the background with what lies beyond an empty array.

Expected, as documented: the background is not painted; without an image it is black.
Observed: `bg_color = cp.zeros((0,) * 3)` in color/colorlabel.py has no element (`(0,) * 3` is
its shape), and the kernels read three. With an image, `remove_background = ... and bg_color is
None` comes after that line and is never true, so the background is always painted.
No example, since the read out of bounds ends the simulator's process.
""",
        ),
        Mistake(
            "a label is painted as background where it is not bg_label",
            """\
label2rgb takes another label for the background.

Expected, as in scikit-image: the label that equals bg_label is the background, and no other.
Observed: labels are numbered anew, bg_label is not. _label2rgb_overlay in color/colorlabel.py
gives unique labels the numbers from -offset on, or from 0 where some lie below bg_label: the
lowest label becomes bg_label where no pixel is background, and of 1, 3 and 9 the 9 does where
bg_label is 3.
""",
            """
background = []
for labels, bg_label in (([[1, 2, 3]], 0), ([[1, 3, 9]], 3)):
    theirs = cs.color.label2rgb(cp.asarray(labels), bg_label=bg_label)
    ours = ski.color.label2rgb(np.asarray(labels), bg_label=bg_label)
    for image in (cp.asnumpy(theirs), ours):
        background.append(np.flatnonzero((image == 0).all(axis=-1)).tolist())
background == [[0], [], [2], [1]]
""",
        ),
        Mistake(
            "single precision where no image is given",
            """\
label2rgb without an image gives float32.

Expected, as in scikit-image: float64, the dtype of the colours.
Observed: `cp.zeros(label.shape + (3,), dtype=cp.float32)` in color/colorlabel.py.
""",
            """
theirs = cs.color.label2rgb(cp.asarray([[0, 1]]))
theirs.dtype == np.float32 and ski.color.label2rgb(np.array([[0, 1]])).dtype == np.float64
""",
        ),
    ),
    "skimage.color:ycbcr2rgb": (
        Mistake(
            "offsets are taken off integers that have been scaled",
            """\
ycbcr2rgb of integers is of no use.

Expected, as in scikit-image: 16, 128 and 128 are taken off the integers, and the rest is scaled.
Observed: _convert in color/colorconv.py scales to 0..1 first, and the kernel then takes 16, 128 and
128 off; the result is far out of 0..1.
""",
            """
image = np.array([[[100, 128, 128]]], np.uint8)
theirs = cs.color.ycbcr2rgb(cp.asarray(image))
not np.allclose(cp.asnumpy(theirs), ski.color.ycbcr2rgb(image), atol=0.1)
""",
        ),
    ),
    "skimage.color:rgb2xyz": (
        Mistake(
            "channel_axis does not hold for an image given by keyword",
            """\
Decorated functions do not move the channels of an image that is given by keyword.

Expected: rgb2xyz(rgb=image, channel_axis=0) is rgb2xyz(image, channel_axis=0).
Observed: channel_as_last_axis in _shared/utils.py looks among positional arguments only, sets
channel_axis to -1 all the same, and moves the result. scikit-image has the same mistake. We give
cuCIM images by position, and leave such calls of users to scikit-image.
""",
            """
image = cp.asarray(np.random.default_rng(0).random((3, 3, 3)))
by_name = cs.color.rgb2xyz(rgb=image, channel_axis=0)
bool((by_name != cs.color.rgb2xyz(image, channel_axis=0)).any())
""",
        ),
    ),
    "skimage.measure:blur_effect": (
        Mistake(
            "images of small values, and those without edges, have no measure of blur",
            """\
blur_effect lacks the smallest edges that scikit-image 0.26 gives each pixel.

Expected, as in scikit-image: `im_sharp = np.maximum(_EPSILON, im_sharp)`, and so for im_blur, where
_EPSILON is `np.spacing(np.float64(1))`. The measure of an image without edges is then 1.
Observed: ZeroDivisionError for such an image; another measure for integers of 64 bits with ordinary
values, whose edges are small after img_as_float.
""",
            """
image = ski.data.coins()[:50, :60].astype(np.int64)
theirs = cs.measure.blur_effect(cp.asarray(image))
abs(float(theirs) - ski.measure.blur_effect(image)) > 0.5
""",
        ),
    ),
    "skimage.util:map_array": (
        Mistake(
            "of two values for one key, the first counts",
            """\
map_array takes the first of several values for one key.

Expected, as in scikit-image: the last, as in a dictionary.
Observed: the loop of _map_array in util/_map_array.py breaks at the first.
""",
            """
image, keys, values = np.array([1]), np.array([1, 1]), np.array([5, 6])
theirs = cs.util.map_array(*map(cp.asarray, (image, keys, values)))
int(theirs[0]) == 5 and int(ski.util.map_array(image, keys, values)[0]) == 6
""",
        ),
    ),
    "skimage.util:montage": (
        Mistake(
            "the mean of integers is rounded up",
            """\
montage fills with the mean of integers in single precision.

Expected, as in scikit-image: the mean in double precision, cut off to an integer.
Observed: `cp.promote_types(arr_in.dtype, cp.float32)` in util/_montage.py is float32 for integers
of 8 and 16 bits; a mean just below an integer becomes that integer.
""",
            """
tiles = np.full((3, 64, 64), 60000, np.uint16)
tiles[0, 0, 0] -= 1
theirs = cs.util.montage(cp.asarray(tiles))
int(theirs[-1, -1]) == 60000 and int(ski.util.montage(tiles)[-1, -1]) == 59999
""",
        ),
    ),
    "skimage.util:img_as_float": (
        Mistake(
            "single precision for small integers",
            """\
img_as_float, and all that is built on it, computes small integers in single precision.

Expected, as in scikit-image: float64 for all integers and booleans.
Observed: float32 for booleans and integers of 8 and 16 bits, by new_float_type in
_shared/utils.py. This looks meant, for speed; the docstring does not tell, and results of many
functions differ from scikit-image in dtype and after six digits.
""",
            """
image = np.array([1], np.uint8)
theirs = cs.util.img_as_float(cp.asarray(image))
theirs.dtype == np.float32 and ski.util.img_as_float(image).dtype == np.float64
""",
        ),
    ),
    "skimage.util:view_as_blocks": (
        Mistake(
            "arrays that are not C-contiguous are copied, with a warning",
            """\
view_as_blocks copies where a view is possible.

Expected, as in scikit-image: a view, which every array has: only strides change.
Observed: RuntimeWarning and a copy, so that what is written into the blocks is lost. A comment in
util/shape.py already asks whether `cp.ascontiguousarray` should go.
""",
            """
image = np.asfortranarray(np.arange(16).reshape(4, 4))
on_device = cp.asarray(image, order="F")
cs.util.view_as_blocks(on_device, (2, 2))[...] = 0
ski.util.view_as_blocks(image, (2, 2))[...] = 0
bool(on_device.any()) and not image.any()
""",
        ),
    ),
}
