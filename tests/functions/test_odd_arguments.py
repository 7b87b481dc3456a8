"""Whatever is given for an argument, a room plans the call or says why it does not."""

import copy
import inspect
import itertools

import numpy as np
import pytest

from skimage_gpu_backend import functions, interface, methods, use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.scikit_image import function_called
from skimage_gpu_backend.trouble import Declined
from tests.differential.check import array
from tests.differential.sweeps import METHODS, SWEEPS
from tests.fuzz.odd import ODD
from tests.fuzz.of_methods import maker, parameters

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
# Arguments with which further parts of a room are reached.
ALSO = {
    "skimage.feature:blob_doh": {"log_scale": True},
    "skimage.feature:blob_log": {"log_scale": True},
    "skimage.feature:canny": {"use_quantiles": True},
    "skimage.feature:corner_harris": {"method": "eps"},
    "skimage.feature:daisy": {"sigmas": [1, 2, 3, 4]},
    "skimage.feature:hessian_matrix": {"use_gaussian_derivatives": True},
    "skimage.feature:hessian_matrix_det": {"approximate": False},
    "skimage.feature:hog": {"visualize": True},
}


@pytest.mark.parametrize("name", sorted(CATALOG))
@pytest.mark.filterwarnings("error")
def test_odd_arguments_are_planned_or_told(name):
    function, row = functions.find(name), CATALOG[name]
    (sweep,) = (sweep for sweep in SWEEPS if sweep.name == name)
    usual = {key: replace(value, array) for key, value in sweep.call.items()}
    parameters = list(inspect.signature(function).parameters)
    others = [p for p in parameters if p not in row.images]
    calls = [usual] + [usual | dict.fromkeys(row.images, image) for image in IMAGES]
    if name in ALSO:
        calls += [call | ALSO[name] for call in calls]
    for call, parameter in itertools.product(calls, others):
        for value in ODD:
            arguments = {**call, parameter: value}
            # images that lead by position, as users call
            given = itertools.takewhile({*row.images}.intersection(call).__contains__, parameters)
            images = [arguments.pop(image) for image in given]
            try:
                function(*images, **arguments)
            except Declined:
                continue
            except Exception as error:
                shapes = [image.shape for image in images]
                pytest.fail(f"{parameter}={value!r} of {shapes}: {error!r}")


@pytest.mark.parametrize(
    "sweep",
    [each for each in METHODS if each.name in (*methods.IN_ROOMS, *methods.AS_FUNCTION)],
    ids=lambda sweep: sweep.name,
)
@pytest.mark.filterwarnings("ignore")  # of what makes an object
def test_odd_objects_are_planned_or_told(however_small, mistakes, sweep):
    """Whatever an object is made with, or has got since, a call of its method is decided."""
    usual = {key: replace(value, array) for key, value in sweep.call.items()}
    given = {key: value for key, value in usual.items() if not key.startswith("self.")}
    own = {key.removeprefix("self."): usual[key] for key in usual.keys() - given.keys()}
    method = sweep.name.rpartition(".")[2]
    make = function_called(maker(sweep.name))
    usual, objects = make(**own), []
    if not sweep.make:  # else it makes one of a class that another sweep is of
        places = [each for each in parameters(sweep.name) if each.startswith("self.")]
        for name, value in itertools.product(places, ODD):
            objects += _made(make, {**own, name.removeprefix("self."): value})
    for name, value in itertools.product(vars(usual), ODD):
        objects.append(copy.copy(usual))
        setattr(objects[-1], name, value)
    for made in objects:
        if hasattr(made, method):
            with use_backends("gpu"):
                interface.gpu.decide(sweep.name, (made, *given.values()), {})


def _made(make, own):
    """What is made of arguments, if scikit-image makes anything of them."""
    try:
        return [make(**own)]
    except Exception:  # scikit-image's
        return []
