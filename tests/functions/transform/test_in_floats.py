"""Images of single precision brought to another size without double, as cards slow in it do it.

In the simulator's strict mode, since in the fast one they are made in double.
"""

import os

import numpy as np
import pytest
from skimage import data
from skimage.transform import (
    pyramid_expand,
    pyramid_reduce,
    rescale,
    resize,
    resize_local_mean,
)

from tests.functions.filter_agreement import quietly

RNG = np.random.default_rng(7)
Y, X = np.mgrid[:37, :83]
NOISE = RNG.normal(size=Y.shape)
# which a compiler may make 0, if it is asked to
SUBNORMAL = [] if os.environ.get("CUDA_SIMULATOR_ROUNDING") == "flush" else [1e-45, 1e-38]
IMAGES = {
    "photograph": data.camera()[100:137, 90:173] / 255,
    "grey values": data.camera()[100:137, 90:173],
    "odd numbers": 2 * RNG.integers(2**22, 2**23, Y.shape) + 1,
    "signs": RNG.integers(2**22, 2**23, Y.shape) * RNG.choice([-1, 1], Y.shape),
    "noise": NOISE,
    "powers": NOISE * 2.0 ** RNG.integers(-12, 12, Y.shape),
    "wild": NOISE * 10.0 ** RNG.integers(-30, 15, Y.shape),
    "disk": (Y - 18.0) ** 2 + (X - 40) ** 2 < 200,
    "tiny": NOISE * 1e-22,
    "huge": NOISE * 1e18,
    "largest": RNG.choice([-3.4e38, 3.4e38, 0], Y.shape),
    "special": RNG.choice([*SUBNORMAL, 0, -0.0, 3e38, np.inf, np.nan, 1, -1], Y.shape),
}
images = pytest.mark.parametrize("image", IMAGES.values(), ids=IMAGES)
ROUNDED_AS_SCIPYS = {
    "twice": (rescale, 2),
    "coarse": (resize, (74, 332)),
    "another": (resize, (50, 171)),
    "one axis": (resize, (37, 166)),
    "few columns": (resize, (111, 83)),
    "constant": (resize, (74, 166), 1, "constant", 0.3),
    "expanded": (pyramid_expand,),
    "expanded three times": (pyramid_expand, 3),
}
ELSEWHERE = {
    "half": (rescale, 0.5),
    "smoothed": (resize, (20, 30)),
    "smoothed, nearest": (resize, (20, 30), 0, "reflect", 0, True, False, True),
    "smoothed along one axis": (resize, (20, 100)),
    "constant": (resize, (20, 30), 1, "constant", 0.3),
    "reduced": (pyramid_reduce,),
    "means": (resize_local_mean, (12, 31)),
    "means of large boxes": (resize_local_mean, (1, 2)),
}


@images
@pytest.mark.parametrize("call", ROUNDED_AS_SCIPYS.values(), ids=ROUNDED_AS_SCIPYS)
def test_equal_where_scipy_rounds_once(gpu, strict, image, call):
    function, *arguments = call
    image = image.astype("f4")
    if arguments[:1] in ([(37, 166)], [(111, 83)]):
        # NaN spreads along the axes that change alone, as `resize` tells
        image[~np.isfinite(image)] = 0
    ours = quietly(gpu, function, image, *arguments)
    np.testing.assert_array_equal(ours, quietly(function, image, *arguments))


@images
@pytest.mark.parametrize("columns", [100, 166, 332, 70])
def test_an_axis_sampled_beside_a_smoothed_one_is_rounded_as_by_itself(gpu, strict, image, columns):
    image, sigmas = image.astype("f4"), (0.9, 0)
    image[~np.isfinite(image)] = 0
    smoothed = gpu(resize, image, (20, 83), anti_aliasing=True, anti_aliasing_sigma=sigmas)
    ours = gpu(resize, image, (20, columns), anti_aliasing=True, anti_aliasing_sigma=sigmas)
    expected = resize(smoothed, (20, columns), anti_aliasing=False)
    np.testing.assert_array_equal(ours, expected)


def test_lines_and_volumes_are_equal_too(gpu, strict):
    for shape, larger in (((200,), (400,)), ((6, 7, 20), (12, 14, 40)), ((6, 7, 20), (9, 16, 27))):
        for image in (RNG.normal(size=shape), RNG.integers(0, 2**24, shape)):
            image = image.astype("f4")
            np.testing.assert_array_equal(gpu(resize, image, larger), resize(image, larger))


@pytest.mark.parametrize("image", [n for n in IMAGES if n not in ("largest", "special")])
@pytest.mark.parametrize("call", ELSEWHERE.values(), ids=ELSEWHERE)
def test_as_near_as_double_elsewhere(gpu, strict, image, call):
    function, *arguments = call
    image = IMAGES[image].astype("f4")
    ours = quietly(gpu, function, image, *arguments)
    theirs = quietly(function, image, *arguments)
    # scikit-image rounds to single precision after each axis
    bound = 2**-22 * np.abs(image).max()
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=bound)


@pytest.mark.parametrize("call", list(ELSEWHERE.values())[:6], ids=list(ELSEWHERE)[:6])
def test_what_floats_cannot_hold_is_as_in_double(gpu, strict, call):
    function, *arguments = call
    for name in ("largest", "special"):
        image = IMAGES[name].astype("f4")
        ours = quietly(gpu, function, image, *arguments)
        theirs = quietly(function, image, *arguments)
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
        np.testing.assert_array_equal(np.isinf(ours), np.isinf(theirs))
        there = np.isfinite(theirs)
        np.testing.assert_allclose(ours[there], theirs[there], rtol=0, atol=2**-22 * 3.4e38)
