"""Which calls of the Gaussian and edge filters run on the device."""

import contextlib
import warnings

import numpy as np
import pytest
from skimage import filters

VOLUME = np.random.default_rng(0).random((4, 5, 3))
PLANE = VOLUME[..., 0].copy()
MASK = np.ones(PLANE.shape, bool)
GRADIENTS = (filters.sobel, filters.scharr, filters.prewitt, filters.farid)
IN_2D_ONLY = (
    *(filters.sobel_h, filters.sobel_v, filters.scharr_h, filters.scharr_v),
    *(filters.prewitt_h, filters.prewitt_v, filters.farid_h, filters.farid_v),
    *(filters.roberts, filters.roberts_pos_diag, filters.roberts_neg_diag),
)


def fails(function, *args, **kwargs):
    """Whether scikit-image refuses the arguments."""
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function(*args, **kwargs)
        return False
    return True


def refused(gpu, function, *args, **kwargs):
    """scikit-image refuses the arguments, and is left to say so."""
    assert fails(function, *args, **kwargs)
    assert gpu.invalid(function, *args, **kwargs)


SIGMAS = [
    *(
        -1,
        (1, -1, 1),
        np.inf,
        "1",
        None,
        1j,
        (1, 2),
        (1, 2, 3, 4),
        np.ones((1, 3)),
        [[1], [1], [1]],
    ),
    *(1, True, 2.5, np.float16(1), np.array(1.5), np.array([1, 0, 2]), (0, 0, 0), np.nan, range(3)),
]
GAUSSIAN = [
    *({"sigma": sigma} for sigma in SIGMAS),
    *({"sigma": s, "channel_axis": -1} for s in (*SIGMAS, (1,))),
    *({"channel_axis": axis} for axis in (0, 5, -7, 1.0, (0,), "a", True, np.int8(1), np.array(1))),
    *({"truncate": t} for t in (-1, -0.4, np.nan, np.inf, "4", None, 0, np.float32(2), [4])),
    *(
        {"mode": m}
        for m in ("x", None, 1, b"wrap", ["wrap"] * 2, ["wrap"] * 3, ["wrap", "x", "wrap"])
    ),
    {"mode": ["wrap", "x", "wrap"], "sigma": (1, 0, 1)},
    {"mode": "x", "sigma": 0},
    *(
        {"cval": c}
        for c in (None, "1", 1j, np.array(1), np.array([1]), np.array("1"), 10**400, True)
    ),
    {"cval": "1", "sigma": 0},
    *(
        {"out": np.zeros(VOLUME.shape, dtype)}
        for dtype in ("f2", "f4", "f8", "g", "i8", "c16", "?")
    ),
    *({"out": np.zeros(VOLUME.shape, dtype), "sigma": 0} for dtype in ("f2", "g")),
    *({"out": np.zeros(shape)} for shape in ((4, 5), (3, 5, 4))),
    {"out": np.zeros(VOLUME.shape).tolist()},
]


@pytest.mark.parametrize("arguments", GAUSSIAN, ids=str)
def test_gaussian_takes_nothing_that_scikit_image_refuses(gpu, arguments):
    """And says that arguments are bad only where they are."""
    wrong = fails(filters.gaussian, VOLUME, **arguments)
    if gpu.invalid(filters.gaussian, VOLUME, **arguments):
        assert wrong
    elif wrong:
        assert gpu.declined(filters.gaussian, VOLUME, **arguments)


def test_gaussian_refuses_a_read_only_out(gpu):
    out = np.zeros(VOLUME.shape)
    out.flags.writeable = False
    refused(gpu, filters.gaussian, VOLUME, out=out)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"sigma": 1e6}, "sigma=1000000.0, with"),
        ({"out": np.zeros(VOLUME.shape).view(np.recarray)}, "out is of type numpy.rec.recarray"),
        (
            {"out": np.zeros(VOLUME.shape, "f2"), "sigma": 0},
            "out of shape (4, 5, 3) has dtype float16",
        ),
        ({"cval": "1"}, "cval='1' is not a number; give one, as 0"),
        ({"sigma": None}, "sigma=None is neither a number nor"),
    ],
)
def test_gaussian_says_what_it_leaves_to_scikit_image(gpu, arguments, reason):
    assert gpu.declined(filters.gaussian, VOLUME, **arguments).startswith(reason)


@pytest.mark.parametrize("function", [filters.gaussian, *GRADIENTS])
def test_image_without_axes_is_left_to_scikit_image(gpu, function):
    assert gpu.declined(function, np.zeros(())) == "image has no axes; nothing to change"


EDGES = [
    *({"axis": a} for a in (2, -3, (0, 2), 1.0, (0, 1.0), "a", np.array(0), [[0]], (), {0}, None)),
    *({"axis": a} for a in (True, np.int8(-1), (0, 0), (0, -2), range(2), np.array([0, 1]))),
    *({"mode": m} for m in ("x", None, 1, ["wrap", "wrap"], "REFLECT", "grid-wrap")),
    *({"cval": c} for c in (None, "1", 1j, np.array(1), np.array([1]), 10**400, np.True_)),
    *({"mask": MASK.astype(dtype)} for dtype in ("u1", "i8", "f2", "f4", "f8", "g", "c16", "O")),
    *({"mask": mask} for mask in (MASK[0], MASK[:, :2], MASK[None], MASK.tolist(), 1)),
    {"mask": np.ma.masked_array(MASK)},
]


@pytest.mark.parametrize("arguments", EDGES, ids=str)
@pytest.mark.parametrize("function", GRADIENTS)
def test_gradients_take_nothing_that_scikit_image_refuses(gpu, function, arguments):
    wrong = fails(function, PLANE, **arguments)
    if gpu.invalid(function, PLANE, **arguments):
        assert wrong
    elif wrong:
        assert gpu.declined(function, PLANE, **arguments)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"axis": ()}, "axis=() is empty; leave axis out"),
        ({"axis": {0}}, "axis={0} is neither an integer nor a sequence of integers; give one"),
        ({"axis": (0, -2)}, "axis=(0, -2) names an axis twice, from both ends"),
        ({"mask": MASK[0]}, "mask of shape (5,) has another shape than the image; give numpy"),
        ({"mask": np.ma.masked_array(MASK)}, "mask is a masked array"),
    ],
)
def test_gradients_say_what_they_leave_to_scikit_image(gpu, arguments, reason):
    assert gpu.declined(filters.sobel, PLANE, **arguments).startswith(reason)


@pytest.mark.parametrize("function", IN_2D_ONLY)
@pytest.mark.parametrize(
    "image", [PLANE[0], VOLUME, PLANE[:0], PLANE[:, :0], np.zeros(())], ids=np.shape
)
def test_filters_for_2d_images_refuse_others(gpu, function, image):
    refused(gpu, function, image)


@pytest.mark.parametrize("ksize", [2, 1, 0, -3, True])
def test_laplace_refuses_a_bad_ksize(gpu, ksize):
    refused(gpu, filters.laplace, PLANE, ksize)


@pytest.mark.parametrize("ksize", [3.0, "3", None, (3, 3)])
def test_laplace_leaves_a_ksize_of_another_type_to_scikit_image(gpu, ksize):
    reason = gpu.declined(filters.laplace, PLANE, ksize)
    assert reason == f"ksize={ksize!r} is not an integer; give one"


def test_laplace_refuses_an_image_without_axes(gpu):
    refused(gpu, filters.laplace, np.zeros(()))


def test_too_many_axes_are_left_to_scikit_image(gpu):
    image = np.zeros((1,) * 9)
    assert gpu.declined(filters.laplace, image) == "image has 9 axes; give one of at most 8"
