"""Planners follow the installed scikit-image where versions differ in parameters and defaults."""

import inspect

import numpy as np
import pytest
from skimage import feature

from skimage_gpu_backend import functions, scikit_image, use_backends
from skimage_gpu_backend.functions.filters.gaussian import gaussian
from skimage_gpu_backend.trouble import Declined, Invalid

NAME = "skimage.filters:gaussian"
IMAGE = np.zeros((64, 64), np.float32)


@pytest.fixture
def installed(monkeypatch):
    """A function that installs a scikit-image whose `gaussian` has other parameters."""
    caches = functions.find, functions._parameters
    monkeypatch.setattr(gaussian, "__defaults__", gaussian.__defaults__)
    monkeypatch.setattr(gaussian, "__kwdefaults__", gaussian.__kwdefaults__)

    def install(*parameters):
        before = scikit_image.signature(NAME)
        others = {p.name: p for p in parameters}
        kept = [others.pop(p.name, p) for p in before.parameters.values()]
        changed = before.replace(parameters=[*kept, *others.values()])
        monkeypatch.setattr(functions, "signature", lambda name: changed)
        for cache in caches:
            cache.cache_clear()

    yield install
    monkeypatch.undo()
    for cache in caches:
        cache.cache_clear()


def _parameter(name, default, kind=inspect.Parameter.KEYWORD_ONLY):
    return inspect.Parameter(name, kind, default=default)


@pytest.mark.parametrize(
    "parameter",
    [_parameter("sigma", 3.0, inspect.Parameter.POSITIONAL_OR_KEYWORD), _parameter("truncate", 2)],
    ids=lambda p: p.name,
)
def test_a_default_is_that_of_the_installed_version(installed, parameter):
    wanted = functions.plan(NAME, (IMAGE,), {parameter.name: parameter.default}).reach
    assert functions.plan(NAME, (IMAGE,), {}).reach != wanted
    installed(parameter)
    assert functions.plan(NAME, (IMAGE,), {}).reach == wanted


def test_a_keyword_that_the_planner_does_not_know_declines_the_call_by_name(installed):
    installed(_parameter("novel", None))
    assert functions.plan(NAME, (IMAGE,), {})
    with pytest.raises(Declined, match=r"^novel is unknown to its kernels; leave it out"):
        functions.plan(NAME, (IMAGE,), {"novel": None})


def test_a_keyword_of_another_version_is_left_to_scikit_image(however_small):
    image = np.zeros((40, 40))
    if scikit_image.version() >= (0, 27):
        assert functions.plan("skimage.feature:blob_dog", (image,), {"prescale": "none"})
        return
    with pytest.raises(Invalid, match="prescale is not a parameter"):
        functions.plan("skimage.feature:blob_dog", (image,), {"prescale": "none"})
    with use_backends("gpu"), pytest.raises(TypeError, match="prescale"):
        feature.blob_dog(image, prescale="none")
