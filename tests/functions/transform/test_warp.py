"""Warps on the device: matrices, transforms, functions and coordinates."""

import itertools

import cupy as cp
import numpy as np
import pytest
from skimage import data
from skimage.transform import (
    AffineTransform,
    EuclideanTransform,
    ProjectiveTransform,
    rotate,
    swirl,
    warp,
    warp_polar,
)

import cuda_simulator
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.functions.transform import warp as room
from tests.functions.filter_agreement import agree, same
from tests.functions.images import DTYPES, INTEGERS

MODES = ("constant", "edge", "symmetric", "reflect", "wrap")
ORDERS = range(6)
RNG = np.random.default_rng(0)
PHOTO = data.camera()[::7, ::9] / 255
BYTES = data.camera()[::7, ::9]
TURN = np.array([[0.9, -0.21, 5.3], [0.25, 1.13, -4.1], [0, 0, 1]])
TILT = np.array([[0.9, -0.21, 5.3], [0.25, 1.13, -4.1], [0.003, -0.002, 1]])


def shift(columns, rows=0.0):
    return np.array([[1, 0, columns], [0, 1, rows], [0, 0, 1]], float)


def bent(coordinates, by=0.02):
    """A map that a user wrote."""
    return coordinates + by * coordinates[:, ::-1] ** 1.5


@pytest.mark.parametrize("matrix", [TURN, TILT, shift(0.5), shift(-300, 70)])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.filterwarnings("ignore:Bi-quadratic")
def test_matrices(gpu_of_each_kind, matrix, order, mode):
    same(gpu_of_each_kind, warp, PHOTO, matrix, order=order, mode=mode, cval=0.3)
    same(gpu_of_each_kind, warp, PHOTO, ProjectiveTransform(matrix), order=order, mode=mode)


def test_coordinates_that_rounding_has_left_just_below_0(gpu):
    """What is reflected stays inside of the image, where the constant is not seen."""
    grid = np.stack(np.meshgrid([-5e-17, -1e-15, -2e-15, 0.0, 3], [-3e-17, 2.5], indexing="ij"))
    for order in (0, 1, 3):
        same(gpu, warp, PHOTO, grid, order=order, mode="symmetric", cval=9.0)


@pytest.mark.parametrize("dtype", ["uint8", "int64", "uint64"])
def test_the_ends_of_integers_are_limits_that_clip_nothing(gpu_of_each_kind, dtype):
    ends = np.iinfo(dtype)
    image = np.resize(np.array([ends.min, 1, 5, 1, ends.max], dtype), (9, 11))
    expected = warp(image, TURN, order=0, cval=-1)
    # the largest integers have no double: SciPy makes of them what the processor does
    seen = warp((image == ends.max).astype("uint8"), TURN, order=0) == 0
    actual = gpu_of_each_kind(warp, image, TURN, order=0, cval=-1)
    np.testing.assert_array_equal(actual[seen], expected[seen])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.filterwarnings("ignore:Bi-quadratic")
def test_a_constant_stays_what_it_is_to_the_last_bits(gpu, order):
    row = np.ones((1, 5))
    turned = gpu(swirl, row, strength=0, order=order, mode="constant", cval=0, clip=False)
    np.testing.assert_allclose(turned[:, 1:-1], 1, rtol=16 * np.finfo(float).eps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [0, 1, 3, 4])
def test_every_dtype_and_layout(gpu_of_each_kind, dtype, order):
    if (dtype == "bool" and order) or (dtype == "float16" and not order):
        return  # refused: test_arguments_that_are_left_to_scikit_image
    image = (BYTES > 99) if dtype == "bool" else BYTES // 3
    for each in (image, np.asfortranarray(image), image[::-2, ::3]):
        each = each.astype(dtype, order="K")
        for keep in (False, True):
            same(gpu_of_each_kind, warp, each, TURN, order=order, preserve_range=keep)
            same(gpu_of_each_kind, swirl, each, order=order, preserve_range=keep)


@pytest.mark.parametrize("dtype", [name for name in INTEGERS if "64" in name])
def test_nearest_large_integers_round_as_in_scipy(gpu, dtype):
    limits = np.iinfo(dtype)
    image = RNG.integers(limits.min, limits.max, (20, 30), dtype, endpoint=True)
    image[0, :3] = limits.max, limits.min, 2**53 + 1
    same(gpu, warp, image, shift(1), order=0, mode="wrap", clip=False)


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (40, 1), (2, 3), (31, 65)])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.filterwarnings("ignore:Bi-quadratic")
def test_small_images_and_far_coordinates(gpu, size, order, mode):
    image = RNG.random(size)
    same(gpu, warp, image, shift(-70.3, 33.7), output_shape=(60, 90), order=order, mode=mode)
    same(gpu, warp, image, bent, {"by": 0.3}, (30, 20), order=order, mode=mode)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.filterwarnings("ignore:Bi-quadratic")
def test_coordinates_of_volumes_and_lines(gpu_of_each_kind, order, mode):
    volume = RNG.random((9, 13, 16))
    grid = np.mgrid[0:5, 0:7, 0:9] * 2.3 - 3.7
    same(gpu_of_each_kind, warp, volume, grid, order=order, mode=mode, cval=0.2)
    line = np.linspace(-30, 50, 77)[None]
    same(gpu_of_each_kind, warp, volume[0, 0], line, order=order, mode=mode)
    picks = RNG.uniform(-5, 20, (2, 50)).astype("float32")
    same(gpu_of_each_kind, warp, volume[0], picks, order=order, mode=mode)


@pytest.mark.parametrize("order", [0, 1, 3, 5])
def test_colors(gpu_of_each_kind, order):
    image = data.astronaut()[::9, ::11]
    for how in (TURN, bent):
        same(gpu_of_each_kind, warp, image, how, order=order)
    same(gpu_of_each_kind, rotate, image, 30, True, order=order)
    same(gpu_of_each_kind, warp_polar, image, order=order, channel_axis=-1)
    same(gpu_of_each_kind, warp_polar, image.transpose(2, 0, 1), order=order, channel_axis=0)
    same(gpu_of_each_kind, swirl, image, strength=7, order=order)


@pytest.mark.parametrize("angle", [0, 30, 45, 90, 180, -270])
@pytest.mark.parametrize("shape", [(40, 53), (41, 52), (40, 40), (41, 53)])
def test_nearest_pixels_where_roundings_decide(gpu, angle, shape):
    """Rotated pixels fall in the middle between two: scikit-image's roundings choose."""
    labels = RNG.integers(0, 99, shape)
    same(gpu, rotate, labels, angle, order=0)
    same(gpu, rotate, labels, angle, True, order=0)
    same(gpu, warp_polar, labels, order=0)
    same(gpu, swirl, labels, strength=0, order=0)
    same(gpu, warp, labels, shift(0.5, 1.5), order=0)


@pytest.mark.parametrize("order", [1, 3, 4])
@pytest.mark.parametrize("cval", [0, 0.3, 2, -1, np.nan])
@pytest.mark.parametrize("clip", [True, False])
def test_constant_beyond_the_border_widens_the_range_if_it_is_seen(gpu, order, cval, clip):
    """A pixel that is wholly beyond the border keeps the constant for all others."""
    if np.isnan(cval) and order > 1:
        return  # declined: test_arguments_that_are_left_to_scikit_image
    image = 0.2 + 0.5 * PHOTO
    for matrix in (
        shift(0.5),
        shift(0.5, 3),
        shift(-0.25, 0.25),
        shift(-70),
        TURN,
        TILT,
        np.eye(3),
    ):
        for each in (image, image.astype("float32")):
            same(gpu, warp, each, matrix, order=order, cval=cval, clip=clip)
    same(gpu, warp, image, bent, order=order, cval=cval, clip=clip)


@pytest.mark.parametrize("cval", [0, 3, 0.7, -2, 300])
def test_constant_beside_integers(gpu, cval):
    image = BYTES // 4 + 7
    for matrix in (shift(0.25), shift(1), np.eye(3)):
        same(gpu, warp, image, matrix, order=0, cval=cval, preserve_range=True)


@pytest.mark.parametrize("order", [0, 1, 3])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_reach_as_far_as_in_scikit_image(gpu, order, value):
    image = PHOTO.copy()
    image[10, 12] = value
    # with infinity, NaN among the values keeps the constant from being seen
    for mode in ("constant", "reflect") if np.isnan(value) else ("reflect", "edge"):
        same(gpu, warp, image, shift(3, 2), order=order, mode=mode)
        same(gpu, warp, image, TURN, order=order, mode=mode)


def test_coordinates_that_are_no_numbers(gpu):
    grid = np.mgrid[0:9, 0:8] * 1.3
    grid[0, 2, 3] = np.nan
    for order in (0, 1, 3):
        for mode in MODES:
            same(gpu, warp, PHOTO, grid, order=order, mode=mode, cval=0.25)


@pytest.mark.parametrize("scaling", ["linear", "log"])
@pytest.mark.parametrize("mode", MODES)
def test_polar(gpu_of_each_kind, scaling, mode):
    for arguments in ({}, {"radius": 12.5, "output_shape": (33, 50), "center": (3, 40.5)}):
        for order in (0, 1, 3):
            same(
                gpu_of_each_kind,
                warp_polar,
                PHOTO,
                scaling=scaling,
                mode=mode,
                order=order,
                **arguments,
            )


def test_errors_of_a_function_are_the_callers(gpu):
    def refuses(coordinates):
        raise LookupError("no map here")

    with pytest.raises(LookupError, match="no map"):
        gpu(warp, PHOTO, refuses)
    with pytest.raises(TypeError):
        gpu(warp, PHOTO, ProjectiveTransform(TURN), {"unknown": 1})


def test_arguments_that_are_left_to_scikit_image(gpu):
    for arguments in (
        {"order": 6},
        {"mode": "nearest"},
        {"output_shape": (2.5, 3)},
        {"inverse_map": None},
        {"inverse_map": np.eye(4)},
        {"inverse_map": bent, "output_shape": (5, 6, 7)},
        {"image": np.zeros((0, 5))},
        {"image": np.zeros(5)},
        {"image": PHOTO > 0.5, "order": 1},
        {"image": PHOTO.astype("float16"), "order": 0},
    ):
        assert gpu.invalid(warp, **{"image": PHOTO, "inverse_map": TURN, **arguments})
    volume = np.zeros((2, 3, 4, 5))
    assert "at most 3" in gpu.declined(warp, volume, np.zeros((4, 7)))
    assert "channels" in gpu.declined(warp, np.zeros((4, 5, 3)), bent, output_shape=(4, 5, 2))
    assert "SciPy's spline" in gpu.declined(
        warp, np.zeros((9, 8, 3)), bent, None, None, 3, "symmetric"
    )
    assert "not finite" in gpu.declined(warp, PHOTO, TURN, order=4, cval=np.nan)
    assert "neither 0 nor 1" in gpu.declined(warp, PHOTO > 0.5, TURN, cval=0.5)
    assert "not finite" in gpu.declined(warp, BYTES, TURN, order=0, cval=np.nan)


@pytest.mark.parametrize("order", [2, 4, 5])
def test_few_channels_that_are_reflected_are_left_to_others(gpu, order):
    color = RNG.random((20, 30, 3))
    assert "SciPy's spline" in gpu.declined(rotate, color, 30, order=order, mode="symmetric")
    assert "SciPy's spline" in gpu.declined(swirl, color, order=order, mode="symmetric")
    polar = {"order": order, "mode": "symmetric", "channel_axis": 0}
    assert "SciPy's spline" in gpu.declined(warp_polar, color.transpose(2, 0, 1), **polar)


def test_numbers_in_single_precision_are_not_those_in_double(gpu):
    for kind in (int, float, np.float32, float):
        same(gpu, rotate, PHOTO, kind(30))
        same(gpu, swirl, PHOTO, radius=kind(31))
        same(gpu, warp_polar, PHOTO, radius=kind(31), scaling="log")


class Odd:
    """Neither true nor false, and no number."""

    def __bool__(self):
        raise TypeError

    def __array__(self, dtype=None, copy=None):
        raise ValueError

    def __repr__(self):
        return "odd"


@pytest.mark.parametrize(
    "value",
    ["x", 1j, 10**400, np.inf, np.nan, np.complex64(1), [], [[1], [2, 3]], None, Odd()],
    ids=repr,
)
def test_odd_arguments_are_answered(gpu, value):
    """Whatever they are, the call is taken or left to others (see `mistakes`)."""
    color = RNG.random((20, 30, 3))
    names = ["output_shape", "order", "mode", "cval", "clip", "preserve_range"]
    for name in (*names, "inverse_map", "map_args"):
        gpu._decide(warp, (), {"image": PHOTO, "inverse_map": TURN, name: value})
        gpu._decide(warp, (), {"image": PHOTO, "inverse_map": bent, name: value})
    for name in ("angle", "resize", "center", *names[1:]):
        gpu._decide(rotate, (), {"image": color, "angle": 3, name: value})
    gpu._decide(rotate, (PHOTO, 30, True, (value, value)), {})
    for name in ("center", "strength", "radius", "rotation", *names):
        gpu._decide(swirl, (PHOTO,), {name: value})
    for name in ("center", "radius", "scaling", "channel_axis", *names):
        gpu._decide(warp_polar, (PHOTO,), {name: value})
        gpu._decide(warp_polar, (color,), {"channel_axis": -1, name: value})


affine = AffineTransform(TURN)
LAUNCHES = {
    "matrix": (warp, (affine,), {}, 1),
    "projection": (warp, (ProjectiveTransform(TILT),), {}, 1),
    "bicubic": (warp, (AffineTransform(TURN),), {"order": 3, "mode": "reflect"}, 2),
    "bicubic, not clipped": (warp, (AffineTransform(TURN),), {"order": 3, "clip": False}, 1),
    "nearest": (warp, (EuclideanTransform(rotation=0.3),), {"order": 0}, 1),
    "function": (warp, (bent,), {}, 1),
    "spline": (warp, (bent,), {"order": 3, "mode": "reflect", "clip": False}, 3),
    "rotate": (rotate, (30,), {}, 1),
    "swirl": (swirl, (), {}, 1),
    "polar": (warp_polar, (), {}, 1),
}


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize(
    ("function", "arguments", "named", "launches"), LAUNCHES.values(), ids=LAUNCHES
)
def test_launches_and_bytes(gpu, counting, dtype, function, arguments, named, launches):
    image = data.camera().astype(dtype)
    with counting() as counts:
        result = gpu(function, image, *arguments, **named)
    fills = dtype == "float32" and (function is rotate or (affine in arguments and not named))
    assert counts.launches == launches + fills
    read = image.nbytes + (16 * result.size if bent in arguments else 0)
    if named.get("clip", True) and named.get("order") == 3:
        read += image.nbytes
    if bent in arguments and named:
        read += 16 * result.size
    assert counts.kernel_bytes_read <= read + fills * image.nbytes + 50_000
    written = (1 + fills) * result.nbytes + (16 * result.size if bent in arguments and named else 0)
    assert counts.kernel_bytes_written <= written + 20_000


def test_nothing_but_the_result_comes_to_the_host_for_an_affine_map(gpu, counting):
    with counting() as counts:
        gpu(warp, PHOTO, AffineTransform(TURN))
        gpu(rotate, PHOTO, 10, resize=True)
        gpu(warp, PHOTO, AffineTransform(TURN), order=3, mode="edge")
        gpu(swirl, PHOTO)
        gpu(warp, PHOTO, AffineTransform(translation=(7, 9)), order=0, cval=0.5)
    assert counts.to_host == 5


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("order", "cval"), [*itertools.product((0, 1, 3, 4), (0, 0.5)), (0, np.nan), (1, np.nan)]
)
@pytest.mark.filterwarnings("ignore:All-NaN slice encountered")
def test_an_image_of_nan_alone_makes_nan_of_the_constant(gpu_of_each_kind, order, cval, dtype):
    """The range to which values are clipped is NaN then."""
    calls = [(rotate, 30), (warp, AffineTransform(TURN)), (warp, bent), (warp_polar,), (swirl,)]
    for shape in ((8, 8), (1, 40), (13, 30)):
        image = np.full(shape, np.nan, dtype)
        for function, *args in calls:
            options = {"order": order, "cval": cval}
            same(gpu_of_each_kind, function, image, *args, **options)


@pytest.mark.parametrize("order", [0, 1])
def test_an_image_without_a_number_fits_what_is_announced(counting, order):
    image = cp.full((300, 400), np.nan)
    plan = room.warp(image, AffineTransform(translation=(7, 9)), order=order)
    with counting() as counts:
        result = plan.run(image=image)
    assert np.isnan(result.get()).all()
    assert counts.launches == plan.cost.launches == 2
    assert counts.kernel_bytes_read <= plan.cost.read
    assert counts.kernel_bytes_written <= plan.cost.written + 64


def test_numpy_warns_where_the_range_comes_to_the_host(gpu):
    image = np.full((8, 8), np.nan)
    for how, options in ((TURN, {"cval": 0.5}), (TURN, {"order": 3}), (bent, {})):
        with pytest.warns(RuntimeWarning, match="All-NaN slice encountered"):
            gpu(warp, image, how, **options)


@pytest.mark.parametrize("order", [0, 1])
def test_the_constant_stays_where_an_image_has_a_number(gpu_of_each_kind, order):
    """The number is wherever, also where nothing is taken from."""
    for place in ((0, 0), (4, 4), (7, 3)):
        image = np.full((8, 8), np.nan)
        image[place] = 0.25
        for far in (0, 3, 7):
            how = AffineTransform(translation=(far, 0))
            same(gpu_of_each_kind, warp, image, how, order=order, cval=0.5)
            same(gpu_of_each_kind, warp, image, how, order=order)


@pytest.mark.parametrize("order", [0, 1, 3, 4])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    image = RNG.random((37, 70))
    for how in (TURN, bent):
        expected = warp(image, how, order=order, cval=5)
        for thread_order in ("forward", "backward", "shuffled"):
            with cuda_simulator.thread_order(thread_order):
                agree(gpu(warp, image, how, order=order, cval=5), expected)


@pytest.mark.parametrize(("function", "arguments"), [(swirl, ()), (warp, (TURN,)), (warp, (bent,))])
@pytest.mark.parametrize("order", [0, 1])
def test_no_shape_at_all_is_refused(however_small, function, arguments, order):
    for selected in ((), ("gpu",)):
        with use_backends(*selected), pytest.raises(IndexError):
            function(PHOTO, *arguments, output_shape=(), order=order)


@pytest.mark.parametrize("cval", [0.5, 1.7, -0.7, -1.6, 20.7, 300.5])
def test_a_constant_beside_the_range_of_integers_is_cut_and_not_rounded(gpu, cval):
    for image in (np.zeros((5, 13), np.int16), BYTES[:9, :9] // 30):
        for function, arguments in ((rotate, (30,)), (warp, (TURN,)), (swirl, ())):
            options = {"order": 0, "mode": "constant", "cval": cval}
            expected = function(image, *arguments, **options)
            np.testing.assert_array_equal(gpu(function, image, *arguments, **options), expected)
