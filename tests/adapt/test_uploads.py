"""Arrays that cannot change are copied to the device once; all others each time."""

import gc

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import free_memory, use_backends
from skimage_gpu_backend.adapt import uploads
from skimage_gpu_backend.adapt.call import call_on_device
from tests.adapt.calls import call_of

pytestmark = pytest.mark.usefixtures("enabled")
SHAPE = (120, 90)


@pytest.fixture(autouse=True)
def everything_taken(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")


@pytest.fixture
def values():
    return np.random.default_rng(0).random(SHAPE)


def unchangeable(values):
    return np.frombuffer(values.tobytes(), values.dtype).reshape(values.shape)


@pytest.fixture
def constant(values):
    """An array that nobody can change."""
    return unchangeable(values)


def sobel(image, output="resident"):
    with use_backends("gpu", output=output):
        return ski.filters.sobel(image)


def test_it_is_copied_once_and_kept_as_long_as_it_lives(counting, values):
    constant = unchangeable(values)
    expected = ski.filters.sobel(constant)
    with counting() as c:
        for _ in range(3):
            np.testing.assert_allclose(sobel(constant), expected, atol=1e-10)
    assert c.to_device == 1
    kept = len(uploads._copies)
    del constant
    gc.collect()
    assert len(uploads._copies) == kept - 1


def test_pictures_of_pillow_are_such_arrays(counting):
    image = pytest.importorskip("PIL.Image")
    picture = np.asarray(image.fromarray(ski.data.camera()[:100, :100]))
    sobel(picture)
    with counting() as c:
        sobel(picture)
    assert c.to_device == 0


def test_a_view_of_it_is_another_array(counting, constant):
    sobel(constant)
    part = constant[10:, ::2]
    with counting() as c:
        for _ in range(2):
            found = sobel(part)
    assert c.to_device == 1
    np.testing.assert_allclose(found, ski.filters.sobel(part), atol=1e-10)


@pytest.mark.filterwarnings("ignore:Setting the (shape|dtype):DeprecationWarning")
def test_an_array_whose_shape_was_set_is_another_one(constant):
    sobel(constant)
    constant.shape = SHAPE[::-1]
    np.testing.assert_allclose(sobel(constant), ski.filters.sobel(constant), atol=1e-10)


@pytest.mark.parametrize(
    "given",
    [
        lambda a: a,
        lambda a: a[:],
        lambda a: np.broadcast_to(a, a.shape),
        lambda a: np.frombuffer(bytearray(a.tobytes()), a.dtype).reshape(a.shape),
    ],
    ids=["owner", "view", "broadcast", "bytearray"],
)
def test_what_is_read_only_and_may_yet_be_changed_is_never_kept(counting, values, given):
    image = given(values)
    root = image
    while isinstance(root.base, np.ndarray):
        root = root.base
    for _ in range(3):
        root.flags.writeable = image.flags.writeable = False
        with counting() as c:
            found = sobel(image)
        assert c.to_device == 1
        np.testing.assert_allclose(found, ski.filters.sobel(image), atol=1e-10)
        root.flags.writeable = True
        root[...] = root[::-1].copy() * 2


def test_a_memory_map_is_never_kept(values, tmp_path):
    values.tofile(tmp_path / "file")
    image = np.memmap(tmp_path / "file", float, "r", shape=SHAPE)
    plain = np.asarray(image)
    sobel(plain)
    with open(tmp_path / "file", "r+b") as file:
        file.write((values * 2).tobytes())
    np.testing.assert_allclose(sobel(plain), ski.filters.sobel(values * 2), atol=1e-10)


def test_free_memory_gives_it_up(counting, constant):
    sobel(constant)
    free_memory()
    with counting() as c:
        sobel(constant)
    assert c.to_device == 1


def test_the_ordinary_mode_keeps_nothing(counting, constant):
    sobel(constant, output=None)
    with counting() as c:
        sobel(constant, output=None)
    assert c.to_device == 1


def test_a_result_that_is_a_part_of_it_can_be_changed_and_it_cannot(constant):
    call = (lambda image: image[5:]), call_of(image=constant)
    before = constant.copy()
    for _ in range(2):
        found = call_on_device(*call)
        np.testing.assert_array_equal(found, before[5:])
        found[...] = 7
    np.testing.assert_array_equal(constant, before)
