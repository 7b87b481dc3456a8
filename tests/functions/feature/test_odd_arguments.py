"""Whatever is given for an argument, a room plans the call or says why it does not."""

import inspect
import itertools

import numpy as np
import pytest

from skimage_gpu_backend import functions
from skimage_gpu_backend.trouble import Declined

IMAGES = [
    np.zeros((40, 41)),
    np.zeros((40, 41), np.float32),
    np.zeros((20, 21, 22), np.uint8),
    np.zeros((0, 3)),
    np.zeros((1, 5)),
    np.zeros((7, 1, 8)),
    np.zeros(()),
    np.zeros((2,) * 6),
]
ODD = [
    *(None, True, -1, 0, 1.5, 10**400, -(10**400), 10**9, 1e300, np.nan, np.inf, -np.inf, 1j),
    *(np.float32(2), np.complex64(1), np.longdouble(1), np.int64(2**62), np.datetime64(1, "s")),
    *("x", b"x", ("a",), ["a", "b"], [], [1], (2,), [1, 2], (1, 2, 3), [[1], [1, 2]]),
    *([np.nan, 1], [np.inf, 1], [10**400, 1], [1j, 1], {}, {1: 2}, {1, 2}, range(2), slice(1)),
    *(np.array(2.0), np.array([1.0, 2.0]), np.zeros((2, 2)), np.array([1j, 2])),
    *(np.array(["a", "b"]), np.array([None, 1]), object(), len),
]
CALLS = {
    "blob_dog": [{}],
    "blob_doh": [{}, {"log_scale": True}],
    "blob_log": [{}, {"log_scale": True}],
    "canny": [{}, {"use_quantiles": True}, {"sigma": 0}],
    "corner_foerstner": [{}],
    "corner_harris": [{}, {"method": "eps"}],
    "corner_kitchen_rosenfeld": [{}],
    "corner_shi_tomasi": [{}],
    "daisy": [{}, {"sigmas": [1, 2, 3, 4]}, {"ring_radii": [2, 4]}],
    "hessian_matrix": [{"use_gaussian_derivatives": way} for way in (True, False)],
    "hessian_matrix_det": [{}, {"approximate": False}],
    "hog": [{}, {"visualize": True}],
    "shape_index": [{}],
    "structure_tensor": [{}],
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("error")
def test_odd_arguments_are_planned_or_told(name):
    function = functions.find(f"skimage.feature:{name}")
    parameters = list(inspect.signature(function).parameters)[1:]
    for image, call, parameter in itertools.product(IMAGES, CALLS[name], parameters):
        for value in ODD:
            try:
                function(image, **{**call, parameter: value})
            except Declined:
                continue
            except Exception as error:
                pytest.fail(f"{parameter}={value!r} of {image.shape}: {error!r}")
