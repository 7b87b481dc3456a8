"""Erosions, dilations and what is made of them are scikit-image's, to the last bit."""

import warnings

import numpy as np
import pytest
from skimage import morphology
from skimage.morphology import ball, closing, dilation, disk, erosion, opening

import cuda_simulator
from skimage_gpu_backend.device.launches import Array
from skimage_gpu_backend.functions.morphology import gray
from skimage_gpu_backend.primitives.footprint_tiles import SHARED
from tests.functions.filter_agreement import BORDERS
from tests.functions.images import DTYPES

NAMES = ("erosion", "dilation", "opening", "closing", "white_tophat", "black_tophat")
FUNCTIONS = [getattr(morphology, name) for name in NAMES]
MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "max", "min", "ignore")
RNG = np.random.default_rng(11)
PLANE = RNG.integers(-1000, 1000, (45, 71))
HOOK = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 0]])
# one of each kind: searches at once, lines, runs in a tile; lines, runs of their own launch
FOOTPRINTS = {
    "cross": None,
    "box": np.ones((5, 4)),
    "hook": HOOK,
    "disk": disk(4),
    "large box": np.ones((61, 45)),
    "large disk": disk(21),
    "diagonal": np.eye(41),
    "beside": np.pad([[1.0]], ((0, 60), (31, 0))),
    "sequence": [(np.ones((3, 3)), 3), (HOOK, 1), (np.ones((1, 70)), 1), (disk(1), 2)],
}


def same(run, function, image, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(image, *args, **kwargs)
        result = run(function, image, *args, **kwargs)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def of(dtype, shape=PLANE.shape):
    """Integers over their whole range, floats of every magnitude and of both signs."""
    if dtype == "bool":
        return RNG.random(shape) < 0.8
    if np.dtype(dtype).kind == "f":
        image = (RNG.normal(size=shape) * 10.0 ** RNG.integers(-30, 30, shape)).astype(dtype)
        image.flat[::37] = np.inf
        image.flat[::41] = -np.inf
        image.flat[::5] = -0.0
        return image
    limits = np.iinfo(dtype)
    # the largest as a double is no integer of 64 bits any more
    high = min(limits.max, 2**62) if limits.min else min(limits.max, 2**63)
    return RNG.integers(limits.min, high, shape, dtype, endpoint=True)


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "float16"])
@pytest.mark.parametrize("name", ["cross", "sequence", "large disk"])
def test_any_dtype(gpu_of_each_kind, dtype, name):
    with np.errstate(invalid="ignore"):
        for function in (erosion, closing, morphology.white_tophat):
            if dtype == "bool" and name == "large disk" and function is not erosion:
                continue
            same(gpu_of_each_kind, function, of(dtype), FOOTPRINTS[name])


@pytest.mark.thorough
@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@pytest.mark.parametrize("name", FOOTPRINTS)
def test_every_mode_and_shape(gpu, function, name):
    """Images that are smaller than the footprint are continued many times."""
    for mode in MODES:
        # SciPy's reflection of smaller ones reads memory that is not theirs
        small = (16, 17) if mode == "reflect" else (3, 5)
        for shape in [(45, 71), small, (1, 80), (33, 1)]:
            same(gpu, function, of("int16", shape), FOOTPRINTS[name], mode=mode, cval=77)


@pytest.mark.thorough
@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
def test_constants_and_ends_of_dtypes(gpu, function):
    for mode in MODES:
        same(gpu, function, of("bool"), HOOK, mode=mode, cval=1)
        same(gpu, function, of("float32", (9, 70)), HOOK, mode=mode, cval=-0.3)
    same(gpu, function, of("uint8"), mode="constant", cval=2.7)
    same(gpu, function, of("float64"), mode="constant", cval=np.inf)
    same(gpu, function, of("bool"), mode="constant", cval=0.3)


@pytest.mark.thorough
@pytest.mark.parametrize("length", BORDERS)
def test_where_tiles_end(gpu, length):
    for footprint in (HOOK, disk(3), np.ones((2, 9))):
        for image in (PLANE[:5].repeat(2, 1)[:, :length], PLANE[:5].repeat(2, 1)[:, :length].T):
            same(gpu, opening, image, footprint)


@pytest.mark.thorough
@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
def test_lines_volumes_and_more_axes(gpu_of_each_kind, function):
    run = gpu_of_each_kind
    for footprint in (None, np.ones(41), np.array([1, 0, 0, 1]), np.ones(3001), np.eye(1, 1500)[0]):
        same(run, function, PLANE.ravel().astype(np.int16), footprint)
    volume = of("uint8", (11, 13, 40))
    footprints = (None, np.ones((2, 5, 4)), ball(2), ball(7)[1:], np.ones((15, 20, 30)))
    for footprint in footprints:
        same(run, function, volume, footprint, mode="mirror")
    same(run, function, of("uint8", (20, 30, 3)), disk(3)[..., None])
    many = of("uint16", (3, 4, 2, 5, 6))
    for shape in [(3, 1, 3, 2, 5), (1, 3, 1, 1, 3), (1, 1, 1, 1, 1)]:
        same(run, function, many, np.ones(shape), mode="wrap")
    same(run, function, many)


@pytest.mark.thorough
def test_random_footprints_one_after_another(gpu):
    """Asymmetric ones, of even sides, with gaps, in all modes."""
    rng = np.random.default_rng(5)
    for _ in range(150):
        ndim = int(rng.integers(1, 4))
        shape = rng.integers(1, 60 if ndim < 3 else 20, ndim)

        def one(ndim=ndim):
            footprint = rng.random(rng.integers(1, 9, ndim)) < rng.choice([0.2, 0.7, 1])
            footprint.flat[int(rng.integers(footprint.size))] = True
            return footprint

        footprint = [(one(), int(rng.integers(-1, 4))) for _ in range(rng.integers(1, 4))]
        function = FUNCTIONS[int(rng.integers(len(FUNCTIONS)))]
        image = rng.integers(0, 255, shape).astype(rng.choice(["uint8", "float64"]))
        same(gpu, function, image, footprint, mode=str(rng.choice(MODES)), cval=9)


@pytest.mark.parametrize("image", [PLANE.T, PLANE[::-1, ::-1], PLANE[::2, ::3]])
def test_strided_images(gpu_of_each_kind, image):
    for function in (erosion, morphology.black_tophat):
        same(gpu_of_each_kind, function, image, HOOK)


@pytest.mark.thorough
@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
def test_result_is_written_into_out(gpu_of_each_kind, function):
    image = PLANE.astype(np.int16)
    for footprint in (HOOK, np.ones((60, 60))):
        for out in (np.zeros_like(image), np.zeros((45, 142), np.int16)[:, ::2]):
            same(gpu_of_each_kind, function, image, footprint, out=out)


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
def test_the_image_may_be_out(gpu, function):
    for dtype in ("int16", "bool"):
        image = of(dtype)
        ours, theirs = image.copy(), image.copy()
        result = gpu(function, ours, HOOK, out=ours)
        assert result is ours
        function(theirs, HOOK, out=theirs)
        np.testing.assert_array_equal(ours, theirs)


def test_out_may_have_a_wider_dtype(gpu):
    for dtype, wider in (("uint8", "float32"), ("bool", "uint8"), ("float32", "float64")):
        image = of(dtype)
        same(gpu, opening, image, HOOK, out=np.zeros(image.shape, wider), mode="constant", cval=1)


def test_a_wider_out_takes_one_launch_more_which_the_plan_knows(gpu, counting):
    import cupy as cp

    image = cp.asarray(of("float32"))
    plain = gray.erosion(image).cost
    out = cp.zeros(image.shape)
    cost = gray.erosion(image, out=out).cost
    with counting() as counts:
        gpu(erosion, image, out=out)
    assert counts.launches == cost.launches == plain.launches + 1
    assert counts.kernel_bytes_written <= cost.written


def test_long_integers_stand_beyond_the_border_where_no_double_shows(gpu):
    image = of("int64")
    for mode in ("max", "ignore"):
        same(gpu, erosion, image, np.ones((3, 5)), mode=mode)
        assert gpu.declined(erosion, image, mode=mode)
    same(gpu, dilation, image, mode="ignore")
    assert gpu.declined(dilation, image, mode="max")


def test_what_is_left_to_others(gpu):
    image = PLANE.astype(np.uint8)
    for cval in (300, -1, np.nan, "1", 1j, 10**400):
        assert gpu.declined(erosion, image, mode="constant", cval=cval)
    assert gpu.declined(erosion, image * 1.0, mode="constant", cval=np.nan)
    assert gpu.declined(dilation, image, np.arange(45_000)[None] % 2)
    assert gpu.declined(dilation, image[:3, :3], disk(12))
    assert gpu.declined(dilation, image, [(HOOK, 2000)])
    assert gpu.declined(dilation, image.astype(np.float16))
    assert gpu.declined(dilation, np.uint8(3)[...])
    assert gpu.declined(dilation, image[:0])
    assert gpu.declined(dilation, image, HOOK.astype(complex))
    assert gpu.declined(dilation, image, out=np.zeros(image.shape, np.int8))
    assert gpu.declined(morphology.white_tophat, image, out=np.zeros(image.shape, np.int16))
    for kind in (np.asarray, pytest.importorskip("cupy").asarray):
        given = kind(image)
        assert gpu.declined(morphology.white_tophat, given, out=given[:])
    assert gpu.invalid(erosion, image, HOOK[0])
    assert gpu.invalid(erosion, image, np.zeros((3, 3)))
    assert gpu.invalid(erosion, image, np.zeros((0, 3)))
    for footprint in ((3, 3), [[1, 1], [1, 0]], [], 3, "ab", [(HOOK, 1.5)], [(3, 1)]):
        assert gpu.invalid(erosion, image, footprint)
    for out in (None, np.zeros_like(image)):
        assert gpu.invalid(erosion, image, HOOK, out)  # by its position
    assert gpu.invalid(erosion, image, mode="no such")
    assert gpu.invalid(erosion, image, mode=["reflect", "wrap"])
    assert gpu.invalid(erosion, image, out=np.zeros((3, 3), np.uint8))


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@pytest.mark.parametrize("footprint", [None, disk(3), np.ones((9, 9)), [(np.ones((3, 3)), 4)]])
def test_one_launch_and_each_byte_once(gpu, counting, function, footprint):
    image = (RNG.random((256, 256)) * 255).astype(np.float32)
    with counting() as counts:
        gpu(function, image, footprint)
    assert counts.launches == 1
    assert counts.kernel_bytes_read < image.nbytes + 4096
    assert counts.kernel_bytes_written == image.nbytes


def _steps(function, footprint, dtype="uint8", shape=(4096, 4096)):
    image = Array(shape, np.dtype(dtype))
    return getattr(gray, function.__name__)(image, footprint).run.steps


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", ["bool", "uint16", "float32", "float64"])
def test_large_footprints_need_no_more_than_a_block_has(dtype):
    sides = [1, 2, 3, 7, 15, 31, 33, 64, 101, 257, 600]
    for side in sides:
        boxes = np.ones((side, side)), np.ones((1, side)), np.ones((side, 1))
        for footprint in (*boxes, np.eye(side), disk(side // 2)):
            for function in (erosion, opening):
                steps = _steps(function, footprint, dtype)
                assert all(step.shared <= SHARED for step in steps)
                assert len(steps) <= 4
    for side in (3, 8, 15, 31):
        for footprint in (np.ones((side,) * 3), ball(side // 2)):
            steps = _steps(opening, footprint, dtype, (256,) * 3)
            assert all(step.shared <= SHARED for step in steps)


def test_what_a_pixel_looks_at_does_not_grow_with_the_area():
    """Numbers of a footprint that go to the device, of which a pixel sees each once."""

    def numbers(footprint):
        steps = _steps(erosion, footprint)
        values = [a.values for s in steps for a in s.arguments if type(a) is Array]
        return sum(v.size for v in values if v is not None)

    assert numbers(disk(50)) < 4 * 101
    assert numbers(disk(100)) < 2.2 * numbers(disk(50))
    assert numbers(np.ones((101, 101))) == 0  # lines that share what they find
    assert numbers(np.ones((15, 15))) < 100


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    # few blocks: each has several tiles to do, one after the other in the same shared memory
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        same(gpu, closing, PLANE.astype(np.uint8), disk(2))
        for footprint in (np.ones((31, 33)), np.eye(35)):
            same(gpu, erosion, PLANE, footprint, mode="constant", cval=9)
