"""Memory-mapped files go to the device as the arrays that they are."""

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import profile, use_backends

pytestmark = pytest.mark.usefixtures("enabled")


@pytest.fixture(autouse=True)
def everything_taken(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")


@pytest.fixture
def mapped(tmp_path):
    """Memory map of a new file with an array's values, read-only unless told."""

    def mapped(values, mode="r"):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.npy"
        np.save(path, values)
        return np.load(path, mmap_mode=mode)

    return mapped


IMAGE = ski.data.camera()[:60, :90]


def on_the_device(function, *args, **kwargs):
    with use_backends("gpu"), profile() as p:
        result = function(*args, **kwargs)
    assert [case.where for case in p.tallies] == ["kernel"], p.reasons
    return result


def test_an_image_in_a_file(mapped):
    result = on_the_device(ski.filters.gaussian, mapped(IMAGE), 2)
    assert type(result) is np.ndarray
    np.testing.assert_allclose(result, ski.filters.gaussian(IMAGE, 2), rtol=1e-10)


def test_a_mask_and_one_of_two_images_in_files(mapped):
    mask = IMAGE > 100
    for given in (mapped(mask), mask):
        result = on_the_device(ski.filters.sobel, mapped(IMAGE), mask=given)
        np.testing.assert_allclose(result, ski.filters.sobel(IMAGE, mask=mask), atol=1e-10)
    result = on_the_device(ski.filters.sobel, IMAGE, mask=mapped(mask))
    np.testing.assert_allclose(result, ski.filters.sobel(IMAGE, mask=mask), atol=1e-10)
    error = on_the_device(ski.metrics.mean_squared_error, IMAGE, mapped(IMAGE.T.reshape(60, 90)))
    assert error == ski.metrics.mean_squared_error(IMAGE, IMAGE.T.reshape(60, 90))


@pytest.mark.parametrize("of_file", [True, False], ids=["image in a file", "image in memory"])
def test_results_are_written_to_the_file_that_out_maps(mapped, of_file):
    out = mapped(np.zeros(IMAGE.shape), "r+")
    image = mapped(IMAGE) if of_file else IMAGE
    assert on_the_device(ski.filters.gaussian, image, 1, out=out) is out
    out.flush()
    written = np.load(out.filename)
    np.testing.assert_allclose(written, ski.filters.gaussian(IMAGE, 1), rtol=1e-10)


def test_a_file_that_is_read_only_is_refused_as_out_by_scikit_image(mapped):
    with use_backends("gpu"), pytest.raises((ValueError, RuntimeError)) as raised:
        ski.filters.gaussian(mapped(IMAGE), 1, out=mapped(np.zeros(IMAGE.shape)))
    with pytest.raises(raised.type, match=str(raised.value)):
        ski.filters.gaussian(IMAGE, 1, out=mapped(np.zeros(IMAGE.shape)))


def test_small_ones_are_declined_with_their_size(mapped, monkeypatch):
    monkeypatch.delenv("SKIMAGE_BACKENDS_MIN_SIZE")
    with use_backends("gpu"), profile() as p:
        ski.filters.gaussian(mapped(IMAGE))
    assert ["image is 5.4 kB" in reason for reason in p.reasons.values()] == [True]
