"""CENSURE on the device: scikit-image's keypoints and scales."""

import pickle

import cupy as cp
import numpy as np
import pytest
from skimage import data, feature, util
from skimage.feature import CENSURE

import cuda_simulator
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.functions.feature import censure
from skimage_gpu_backend.plan import Declined
from tests.functions.feature.textures import layouts
from tests.functions.images import DTYPES

COINS = data.coins()[:90, :103]
MODES = ("DoB", "Octagon", "STAR")
FAINT = {"non_max_threshold": 0.02, "line_threshold": 20}
PARAMETERS = {
    "as they are": {},
    "faint": FAINT,
    "one scale": {**FAINT, "max_scale": 3},
    "coarse": {**FAINT, "min_scale": 4, "max_scale": 9},
    "every extremum": {"non_max_threshold": -5, "line_threshold": 1e9},
    "none is on a line": {**FAINT, "line_threshold": -1.5},
    "all are on lines": {**FAINT, "line_threshold": 0},
    "nothing is flat": {"non_max_threshold": 0.0},
}
MANY = ("every extremum", "nothing is flat")  # by boxes more than are worth their windows


def compare(found, expected):
    """Everything that an object keeps, to the last bit."""
    assert vars(found).keys() == vars(expected).keys()
    for key, value in vars(expected).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(vars(found)[key], value, strict=True, err_msg=key)
        else:
            assert repr(vars(found)[key]) == repr(value)  # NaN too


def both(image, make=CENSURE, move=np.asarray, in_room=True, **parameters):
    """What is found in the room, and scikit-image's."""
    found, expected = make(**parameters), make(**parameters)
    expected.detect(image)
    with use_backends("gpu"), observe() as calls:
        assert found.detect(move(image)) is None
    if in_room:
        assert [(call.name, call.source) for call in calls] == [
            ("skimage.feature:CENSURE.detect", "kernel")
        ]
    elif in_room is not None:  # its steps
        assert len(calls) > 2
    return found, expected


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PARAMETERS)
def test_every_parameter(however_small, mode, name):
    in_room = None if name in MANY else True
    compare(*both(COINS, mode=mode, in_room=in_room, **PARAMETERS[name]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(however_small, mode, dtype):
    if dtype == "bool":
        image = COINS > 100
    elif np.dtype(dtype).kind == "f":
        image = (COINS / 200 - 0.3).astype(dtype)
    else:
        image = ((COINS / 255) * np.iinfo(dtype).max).astype(dtype)
        image[:3, :3] = np.iinfo(dtype).min
    found, expected = both(image, mode=mode, max_scale=5, **FAINT)
    compare(found, expected)
    assert len(expected.keypoints) > 2


@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
@pytest.mark.parametrize("mode", MODES)
@layouts
def test_any_layout_and_kind(however_small, move, mode, layout):
    image = layout(data.coins()[60:200, :150] / 255)
    compare(*both(image, move=move, mode=mode, **FAINT))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(2, 2), (2, 50), (13, 14), (14, 13), (16, 33), (33, 17)])
def test_small_images(however_small, mode, shape):
    """Filters that are larger than the image, and tiles that are not full."""
    image = data.coins()[50 : 50 + shape[0], 50 : 50 + shape[1]]
    in_room = mode != "DoB" or min(shape) > 12
    parameters = {"mode": mode, "non_max_threshold": -1.0, "line_threshold": 50, "max_scale": 3}
    if in_room:
        compare(*both(image, **parameters))
    else:  # scikit-image looks beyond its memory
        with pytest.raises(Declined, match="largest box"):
            censure.CENSURE.detect(CENSURE(**parameters), image)


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", ["Octagon", "STAR"])
def test_the_largest_filters(however_small, mode):
    most = {"Octagon": 11, "STAR": 12}[mode]
    compare(*both(COINS[:20, :30], mode=mode, min_scale=most - 2, max_scale=most, **FAINT))


def test_many_boxes_and_wide_gaussians(however_small):
    image = data.camera()[:390, :400]
    compare(*both(image, min_scale=90, max_scale=95, non_max_threshold=1e-3, line_threshold=50))
    compare(*both(COINS, min_scale=1, max_scale=22, **FAINT))
    with pytest.raises(Declined, match="above 95"):
        censure.CENSURE.detect(CENSURE(max_scale=96), image)


@pytest.mark.parametrize("mode", ["DoB", "Octagon"])
def test_flat_images_go_by_steps(however_small, mode):
    """Every pixel is an extremum."""
    image = np.zeros((100, 100))
    compare(*both(image, mode=mode, in_room=False, non_max_threshold=0))


class Named(CENSURE):
    """A user's."""

    def detect(self, image):
        super().detect(image)
        self.seen = image.shape


def test_a_users_class(however_small):
    found, expected = both(COINS, Named)
    assert found.seen == COINS.shape
    compare(pickle.loads(pickle.dumps(found)), expected)


@pytest.mark.parametrize(
    ("image", "parameters"),
    [
        (np.eye(60)[None], {}),
        (np.zeros((1, 60)), {}),
        (np.zeros((0, 40)), {}),
        (np.zeros(40), {}),
        (COINS, {"mode": "Octagon", "max_scale": 12}),
        (COINS[:9, :9], {"mode": "STAR", "max_scale": 13, "min_scale": 11}),
        (COINS, {"line_threshold": 10**400}),
        (COINS, {"non_max_threshold": "0.15"}),
    ],
)
@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
def test_errors_are_scikit_images(however_small, image, parameters, move):
    made = CENSURE(**parameters), CENSURE(**parameters)
    with pytest.raises(Exception) as theirs:  # whatever it is
        made[0].detect(image)
    with use_backends("gpu"), pytest.raises(type(theirs.value)) as ours:
        made[1].detect(move(image))
    assert str(ours.value) == str(theirs.value)
    compare(*made)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
@pytest.mark.parametrize("mode", ["DoB", "Octagon"])
def test_values_of_which_numpy_may_warn_go_by_steps(however_small, value, mode):
    image = COINS / 255
    image[40, 50] = value
    with np.errstate(all="ignore"):
        compare(*both(image, mode=mode, in_room=False))


@pytest.mark.parametrize(
    "parameters",
    [
        {"non_max_threshold": np.float64(0.1)},
        {"line_threshold": np.inf},
        {"line_threshold": np.nan},
        {"min_scale": np.int32(2)},
        {"min_scale": True},
        {"max_scale": np.uint8(6)},
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_odd_numbers_go_by_steps(however_small, parameters):
    compare(*both(COINS, in_room=False, **parameters))


def test_single_precision_compares_as_numpy_does(however_small):
    image = (COINS / 255).astype(np.float32)
    for line_threshold in (10.000000001, 2**24 + 1, 3):
        compare(*both(image, non_max_threshold=0.02, line_threshold=line_threshold))
    huge = image * np.float32(1e7)
    compare(*both(huge, non_max_threshold=0.02))
    with np.errstate(all="ignore"):
        compare(*both(huge * 100, non_max_threshold=0.02, in_room=False))


@pytest.mark.parametrize(
    ("mode", "as_float", "launches"),
    [("DoB", True, 4), ("DoB", False, 4), ("Octagon", True, 3), ("Octagon", False, 4)],
)
def test_launches_and_copies(however_small, counting, mode, as_float, launches):
    image = util.img_as_float(COINS) if as_float else COINS
    made = CENSURE(mode=mode, **FAINT)
    with use_backends("gpu"):
        made.detect(image)
        with counting() as counts:
            made.detect(image)
    assert counts.launches == launches
    assert counts.bytes_to_device <= image.nbytes + (2_000 if mode == "DoB" else 15_000)
    assert counts.bytes_to_host == 24 + 8 * len(made.keypoints)


@pytest.mark.parametrize("order", ["backward", "shuffled"])
@pytest.mark.parametrize("mode", MODES)
def test_nothing_depends_on_the_order_of_threads(however_small, strict, order, mode):
    with cuda_simulator.thread_order(order):
        compare(*both(COINS[:20, :40], mode=mode, max_scale=3, **FAINT))


def test_an_image_that_is_not_there_is_scikit_images(however_small):
    with use_backends("gpu"), pytest.raises(TypeError):
        feature.CENSURE().detect()
