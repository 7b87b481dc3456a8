"""Images for tests of histograms, and when results are the same."""

import warnings

import numpy as np
from skimage import data, exposure

EQUALIZE, MATCH = exposure.equalize_hist, exposure.match_histograms


DISTRIBUTION = exposure.cumulative_distribution


HISTOGRAM = exposure.histogram


def same(gpu, function, *args, bound=0.0, **kwargs):
    """The device gives the same arrays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(*args, **kwargs)
        result = gpu(function, *args, **kwargs)
    assert type(result) is type(expected)
    pairs = zip(result, expected, strict=True) if type(result) is tuple else [(result, expected)]
    for actual, wanted in pairs:
        assert actual.dtype == wanted.dtype
        assert actual.shape == wanted.shape
        np.testing.assert_allclose(actual, wanted, rtol=0, atol=bound)


def photograph(dtype, crop=np.s_[:]):
    image = (data.camera() // 2)[crop]
    if dtype == "bool":
        return image > 60
    return (image / 128).astype(dtype) if dtype.startswith("float") else image.astype(dtype)


def color(dtype, layout="C"):
    image = (data.astronaut()[100:190, 200:301] // 2).astype(dtype)
    if dtype.startswith("float"):
        image /= 128
    return {
        "C": image,
        "F": np.asfortranarray(image),
        "planes": np.ascontiguousarray(np.moveaxis(image, -1, 0)),
        "middle": np.ascontiguousarray(np.moveaxis(image, -1, 1)),
        "strided": image[::-2, 1::3],
    }[layout]


AXES = {"C": -1, "F": 2, "planes": 0, "middle": 1, "strided": -1}
