"""Booleans of planes, 32 in a word: results are scikit-image's for any width and footprint."""

import itertools

import numpy as np
import pytest
from skimage import morphology
from skimage.morphology import closing, disk, erosion, opening

import cuda_simulator
from skimage_gpu_backend.device.launches import Array
from skimage_gpu_backend.functions.morphology import gray
from skimage_gpu_backend.primitives.footprint_tiles import SHARED
from tests.functions.morphology.test_gray import FOOTPRINTS, FUNCTIONS, HOOK, MODES, NAMES, same

RNG = np.random.default_rng(7)
# around words and tiles of them
WIDTHS = (1, 2, 31, 32, 33, 63, 64, 65, 100, 255, 256, 257, 289, 300)


def plane(*shape):
    """Speckles, and regions that are larger than most footprints."""
    image = RNG.random(shape) < 0.9
    image[: shape[0] // 2] ^= RNG.random((shape[0] // 2, shape[1])) < 0.8
    image[shape[0] // 3 :, shape[1] // 2 :] |= True
    return image


def _steps(function, footprint, shape, **kwargs):
    image = Array(shape, np.dtype(bool))
    return getattr(gray, function.__name__)(image, footprint, **kwargs).run.steps


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
def test_one_launch_of_words_and_each_byte_once(gpu, counting, function):
    for side in (256, 1023):
        image = plane(side, side)
        for footprint in (None, disk(15), [(np.ones((3, 3)), 15)], np.ones((51, 51))):
            (step,) = _steps(function, footprint, image.shape)
            assert step.expression == "flat_bits"
            with counting() as counts:
                gpu(function, image, footprint)
            assert counts.launches == 1
            assert counts.kernel_bytes_read < image.nbytes + 4096
            assert counts.kernel_bytes_written == image.nbytes


@pytest.mark.parametrize("width", WIDTHS)
def test_widths_that_end_within_a_word(gpu, width):
    for mode in ("reflect", "ignore"):
        for function in (erosion, closing):
            same(gpu, function, plane(40, width), HOOK, mode=mode)
    same(gpu, morphology.white_tophat, plane(9, width), np.ones((2, 4)), mode="wrap")


@pytest.mark.thorough
@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_and_footprint(gpu, function, mode):
    small = (16, 17) if mode == "reflect" else (3, 5)  # smaller ones SciPy reads beyond
    for name, shape in itertools.product(
        FOOTPRINTS, [(150, 70), (45, 352), small, (1, 80), (33, 1)]
    ):
        for cval in (0, 1) if mode == "constant" else (0,):
            same(gpu, function, plane(*shape), FOOTPRINTS[name], mode=mode, cval=cval)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "turn",
    [
        pytest.param(n, marks=pytest.mark.exhaustive if n else pytest.mark.thorough)
        for n in range(3)
    ],
)
def test_random_sequences(gpu, mode, turn):
    """Asymmetric ones, of even sides, with gaps; images of less than a word up to several tiles."""
    rng = np.random.default_rng((MODES.index(mode), turn))
    for _ in range(20):
        shape = rng.integers(1, 90, 2) * rng.choice([1, 4], 2)

        def one(shape=shape):
            # SciPy's reflections far beyond an image read memory that is not its own
            most = np.minimum(np.minimum(shape * 3, 9) * rng.choice([1, 8]), shape * 3)
            footprint = rng.random(rng.integers(1, most + 1)) < rng.choice([0.2, 0.7, 1])
            footprint.flat[int(rng.integers(footprint.size))] = True
            return footprint

        footprint = [(one(), int(rng.integers(-1, 4))) for _ in range(rng.integers(1, 4))]
        function = FUNCTIONS[int(rng.integers(len(FUNCTIONS)))]
        image = plane(*shape)
        same(gpu, function, image, footprint, mode=mode, cval=int(rng.integers(2)))


@pytest.mark.thorough
def test_rows_that_begin_anywhere_in_memory(gpu_of_each_kind):
    """Strided images, transposed ones, and such as begin within four bytes; `out` of any layout."""
    whole = plane(130, 264)
    images = [whole[:, k : k + 256] for k in range(4)]
    images += [whole.T, whole[::-1, ::-1], whole[::2, ::3], np.asfortranarray(whole)]
    images += [whole.ravel()[k : k + 40 * 64].reshape(40, 64) for k in range(1, 4)]
    for image in images:
        for function in (opening, morphology.black_tophat):
            same(gpu_of_each_kind, function, image, HOOK)
            for out in (np.zeros(image.shape, bool), np.zeros((*image.shape, 2), bool)[..., 0]):
                same(gpu_of_each_kind, function, image, disk(3), out=out)
            memory = np.zeros(image.size + 3, bool)
            for k in range(4):
                out = memory[k : k + image.size].reshape(image.shape)
                same(gpu_of_each_kind, function, image, disk(3), out=out)


def test_bytes_that_are_neither_0_nor_1_are_true(gpu):
    ones = plane(20, 64)
    image = (ones * RNG.integers(1, 256, ones.shape)).astype(np.uint8).view(bool)
    for given, expected in ((image, ones), (image[:, :61], ones[:, :61])):
        result = gpu(morphology.white_tophat, np.ascontiguousarray(given), HOOK)
        np.testing.assert_array_equal(result, morphology.white_tophat(expected, HOOK))


@pytest.mark.thorough
@pytest.mark.parametrize("shape", [(64, 64), (1000, 1000), (4096, 4096), (3, 20_000), (20_000, 3)])
def test_footprints_that_fit_take_one_launch(shape):
    for footprint in (disk(60), np.ones((121, 121)), [(disk(1), 60)], np.ones((1, 300))):
        for function in (erosion, opening):
            steps = _steps(function, footprint, shape, mode="mirror")
            assert all(step.shared <= SHARED for step in steps)
            assert len(steps) == (1 if function is erosion else len(steps)) <= 3


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    # few blocks: each has several tiles to do, one after the other in the same shared memory
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        for shape in ((40, 300), (45, 71)):
            for mode in ("reflect", "ignore"):
                same(gpu, closing, plane(*shape), [(HOOK, 2), (disk(3), 1)], mode=mode)
        same(gpu, morphology.black_tophat, plane(40, 530), np.ones((9, 35)), mode="mirror")
        same(gpu, erosion, plane(20, 290), np.eye(11), mode="wrap")
