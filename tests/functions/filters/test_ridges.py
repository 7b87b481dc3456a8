"""Ridge filters on the device: Meijering's, Sato's, Frangi's and the hybrid Hessian."""

import numpy as np
import pytest
from skimage import data
from skimage.draw import disk
from skimage.filters import frangi, hessian, meijering, sato

import cuda_simulator
from skimage_gpu_backend import functions
from skimage_gpu_backend.trouble import Declined
from tests.functions.filter_agreement import MODES
from tests.functions.images import INTEGERS, low_contrast

FILTERS = [meijering, sato, frangi, hessian]
RNG = np.random.default_rng(0)
CAMERA = data.camera()[::5, ::5]
# around tiles of 8 and 16 lines and of 32, 64 and 128 elements
SHAPES = [(1, 1), (1, 40), (40, 1), (7, 31), (8, 33), (17, 64), (65, 15), (129, 5), (9, 260)]


def volume(shape=(11, 20, 33)):
    """A tube through noise: of its ridges no eigenvalue is nearly zero."""
    z, y, x = np.ogrid[tuple(slice(n) for n in shape)]
    tube = np.exp(-((z - shape[0] / 2) ** 2 + (y - x / 2) ** 2) / 6)
    return tube + 0.2 * RNG.random(shape)


VOLUME = volume()


def near(result, expected, bound):
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert np.abs(result - expected).max() <= bound * max(np.abs(expected).max(), 1e-300)


def same(gpu, function, image, *args, bound=1e-10, **kwargs):
    before = image.copy()
    result = gpu(function, image, *args, **kwargs)
    np.testing.assert_array_equal(image, before)
    near(result, function(image, *args, **kwargs), bound)


@pytest.mark.parametrize("function", FILTERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("black_ridges", [True, False])
def test_modes(gpu_of_each_kind, function, mode, black_ridges):
    arguments = {"sigmas": [0.4, 3], "black_ridges": black_ridges, "mode": mode}
    same(gpu_of_each_kind, function, CAMERA, **arguments)


@pytest.mark.thorough
@pytest.mark.parametrize("function", FILTERS)
def test_default_scales_of_a_photograph(gpu, function):
    same(gpu, function, data.camera()[::2, ::2])
    same(gpu, function, data.coins() / 255)


@pytest.mark.parametrize("function", FILTERS)
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float64"])
def test_every_dtype_and_layout(gpu, function, dtype):
    image = CAMERA > 90 if dtype == "bool" else CAMERA // 2
    image = image.astype(dtype)
    for layout in (image, np.asfortranarray(image), image[::-2, 1::3]):
        try:
            same(gpu, function, layout, [2, 1.5])
        except Declined:
            assert function is hessian  # a mask is drawn: flat beside its borders


@pytest.mark.parametrize("function", [meijering, sato, frangi])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("sigmas", [[1], (3, 6)])
def test_single_precision(gpu, function, dtype, sigmas):
    same(gpu, function, (CAMERA / 255).astype(dtype), sigmas, bound=1e-6)


@pytest.mark.parametrize("function", [meijering, sato, frangi])
@pytest.mark.parametrize("sigmas", [[1], (3, 6)])
def test_single_precision_where_cards_are_slow_in_double(gpu, strict, function, sigmas):
    """Sums in two floats."""
    same(gpu, function, (CAMERA[:40, :70] / 255).astype(np.float32), sigmas, bound=1e-6)


@pytest.mark.parametrize("function", [meijering, sato, frangi])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8"])
@pytest.mark.parametrize("mode", ["reflect", "wrap", "constant"])
def test_eight_bits_where_cards_are_slow_in_double(gpu, strict, function, dtype, mode):
    """In fixed point, but for frangi.

    With a sigma of 0.4 eigenvalues of saddles are of equal size in many places, and along the
    edges of what is drawn one of them is of the size of 1e-10, which frangi divides by.
    """
    photo = CAMERA > 90 if dtype == "bool" else (CAMERA // 2).astype(dtype)
    drawn = np.pad(np.full((20, 30), 100), 20).astype(dtype)
    for image in (photo[:50, :70], drawn):
        for sigmas in ([0.4], [1, 3]):
            same(gpu, function, image, sigmas, mode=mode)


@pytest.mark.parametrize("function", [meijering, sato])
@pytest.mark.parametrize("sigmas", [[1], range(1, 10, 2)])
def test_drawings_where_cards_are_slow_in_double(gpu, strict, function, sigmas):
    """Round and thin, on a bright and a dark ground."""
    drawn = np.zeros((64, 64), np.uint8)
    drawn[disk((40, 40), 15)] = 90
    drawn[8:40, 20:23] = 255
    for image in (drawn, 255 - drawn):
        same(gpu, function, image, sigmas)


@pytest.mark.parametrize("function", [meijering, sato, frangi])
@pytest.mark.parametrize("name", low_contrast())
def test_single_precision_of_low_contrast(gpu, function, name):
    """Slopes are small beside the numbers, of which scikit-image's roundings are a part."""
    image = low_contrast()[name]
    same(gpu, function, image, bound=1e-5)
    for mode in ("mirror", "wrap"):
        same(gpu, function, image, [0.5, 2], black_ridges=False, mode=mode, bound=1e-5)


@pytest.mark.parametrize("function", [meijering, sato, frangi])
@pytest.mark.parametrize("offset", [0, 100])
def test_volume_of_single_precision(gpu, function, offset):
    """As far from double precision as scikit-image, which rounds between the axes, is."""
    image = (offset + VOLUME).astype(np.float32)
    expected = function(image.astype(float), [1, 2])
    theirs = np.abs(function(image, [1, 2]) - expected).max()
    assert np.abs(gpu(function, image, [1, 2]) - expected).max() <= 2 * theirs


@pytest.mark.parametrize("function", [meijering, sato, frangi])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("black_ridges", [True, False])
def test_volume(gpu, function, mode, black_ridges):
    # a root is taken where an eigenvalue is rounding
    arguments = {"sigmas": [0.7, 2], "black_ridges": black_ridges, "mode": mode}
    same(gpu, function, volume(), **arguments, bound=1e-7)


@pytest.mark.parametrize("function", [meijering, sato, frangi])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sigma", [0.8, 4, 21])
def test_tiles_and_gaussians_larger_than_the_image(gpu, function, shape, sigma):
    for mode in ("reflect", "mirror", "nearest"):
        image = RNG.random(shape)
        expected = function(image, [sigma], mode=mode)
        if sato(image, [sigma], mode=mode).max() > 1e-6:  # else rounding is all there is
            near(gpu(function, image, [sigma], mode=mode), expected, 1e-9)


@pytest.mark.parametrize("alpha", [None, 0, -0.5, 0.2, np.float32(0.3)])
def test_alpha_of_meijering(gpu, alpha):
    same(gpu, meijering, CAMERA, [1, 2], alpha=alpha)
    same(gpu, meijering, volume(), [1], alpha=alpha)


@pytest.mark.parametrize("gamma", [None, 15, 0.5])
@pytest.mark.parametrize("sigmas", [[2], [1, 3], [3, 1, 2]])
def test_parameters_of_frangi(gpu, gamma, sigmas):
    arguments = {"alpha": 0.3, "beta": 0.8, "gamma": gamma}
    same(gpu, frangi, CAMERA, sigmas, **arguments)
    same(gpu, frangi, volume(), sigmas, **arguments, bound=1e-8)


@pytest.mark.parametrize("function", [meijering, sato, frangi])
def test_flat_image_has_no_ridges(gpu, function):
    for image in (np.zeros((20, 30)), np.full((20, 30), 0.3), np.full((5, 6, 7), 77, np.uint8)):
        same(gpu, function, image, [1, 2])


@pytest.mark.parametrize("function", [meijering, sato, frangi])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, int])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_sigmas_of_any_number_type(gpu, function, kind, dtype):
    sigmas = [kind(1), kind(3)]
    same(gpu, function, CAMERA.astype(dtype), sigmas, bound=1e-10 if dtype == "uint8" else 1e-6)
    if kind is not int:
        same(gpu, function, CAMERA, np.array(sigmas))


def test_hessian_where_rounding_decides_is_left_to_scikit_image(gpu):
    drawn = np.zeros((60, 70))
    drawn[20:40, 30:50] = 1
    with pytest.raises(Declined, match="rounding"):
        gpu(hessian, drawn)
    assert "single" in gpu.declined(hessian, drawn.astype("f4"))
    assert "gamma" in gpu.declined(hessian, drawn, gamma=None)
    same(gpu, hessian, np.zeros((20, 30)))  # ones


@pytest.mark.parametrize("function", FILTERS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_left_to_scikit_image(gpu, function, value):
    image = RNG.random((20, 30))
    image[4, 5] = value
    with pytest.raises(Declined, match=r"finite|NaN"):
        gpu(function, image, [1])


@pytest.mark.parametrize("function", FILTERS)
def test_arguments_that_are_left_to_scikit_image(gpu, function):
    image = np.zeros((5, 6))
    assert "sigmas" in gpu.declined(function, image, [])
    assert "sigmas" in gpu.declined(function, image, [0])
    assert "sigmas" in gpu.declined(function, image, [(1, 2)])
    assert "up to 21" in gpu.declined(function, image, [22])
    assert "constant" in gpu.declined(function, image, mode="constant", cval=0.5)
    assert gpu.invalid(function, image, mode="no such")
    assert gpu.invalid(function, np.zeros((0, 6)))
    assert gpu.declined(function, np.zeros(7))


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize(("function", "folds"), [(meijering, 1), (sato, 0), (frangi, 1)])
@pytest.mark.parametrize("scales", [1, 5])
def test_launches_and_bytes(gpu, counting, function, dtype, folds, scales):
    image = data.camera().astype(dtype)
    with counting() as counts:
        result = gpu(function, image, range(1, 2 * scales, 2))
    assert counts.launches == 2 * scales + folds
    size, derivatives = result.nbytes, 3 * image.size * 8
    small = 40 * scales
    assert counts.kernel_bytes_read <= scales * (image.nbytes + derivatives) + folds * size + small
    # the derivatives, the maximum, and what meijering's or frangi's peaks are for
    beside = scales + {meijering: scales, sato: 0, frangi: 1}[function] + folds
    assert counts.kernel_bytes_written <= scales * derivatives + beside * size + small
    assert counts.to_host <= 2


def test_sigmas_that_widen_the_result_cost_a_launch(gpu, counting):
    image, sigmas = data.camera().astype(np.float32), np.array([1.0, 2.0])
    cost = functions.plan("skimage.filters:sato", (image, sigmas), {}).cost
    with counting() as counts:
        assert gpu(sato, image, sigmas).dtype == np.float64
    assert counts.launches == cost.launches == 5
    assert counts.kernel_bytes_written <= cost.written + 40


@pytest.mark.parametrize("sigmas", [[1], [2, 0.5], [3]])
def test_reach_is_as_far_as_a_point_shows(gpu, sigmas):
    """Of the widest scale, and no farther."""
    image = np.zeros((1, 401))
    image[0, 200] = 1
    reach = functions.plan("skimage.filters:sato", (image, sigmas), {}).reach
    (places,) = np.nonzero(gpu(sato, image, sigmas)[0])
    assert reach.halo[1] == np.abs(places - 200).max()


def test_launches_of_a_volume(gpu, counting):
    with counting() as counts:
        gpu(sato, volume(), [1, 2])
    assert counts.launches == 6


@pytest.mark.parametrize("function", FILTERS)
@pytest.mark.parametrize("image", [CAMERA[:70], volume((9, 11, 20))], ids=["plane", "volume"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, function, image):
    if function is hessian:
        image = (200 * image).astype(np.uint8) if image.ndim == 3 else image
    expected = function(image, [1, 2])
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    found = []
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            found.append(gpu(function, image, [1, 2]))
    near(found[0], expected, 1e-7)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
