"""Warnings of a whole call, with what scikit-image's wrappers say of its next version."""

import warnings

import pytest

from skimage_gpu_backend import scikit_image, use_backends
from skimage_gpu_backend.scikit_image import function_called
from skimage_gpu_backend.upstream.layout import past_warnings
from tests.warned import own

from .check import by_position, made
from .sweeps import SWEEPS

# Functions that scikit-image 0.27 wraps.
WRAPPED = {
    "skimage.feature": "canny corner_peaks peak_local_max",
    "skimage.filters": "gaussian",
    "skimage.graph": "pixel_graph",
    "skimage.metrics": "contingency_table structural_similarity",
    "skimage.morphology": "black_tophat closing dilation erosion opening white_tophat",
}
NAMES = [f"{module}:{name}" for module, names in WRAPPED.items() for name in names.split()]
CALLS = {sweep.name: sweep.call for sweep in SWEEPS}


def _warned(name, arguments, *backends):
    args, kwargs = by_position(name, made(arguments))
    with use_backends(*backends), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        function_called(name)(*args, **kwargs)
    return [(w.category, str(w.message), w.filename, w.lineno) for w in own(seen)]


def test_the_list_has_what_the_installed_version_wraps():
    found = [name for name in CALLS if past_warnings(of := function_called(name)) is not of]
    assert sorted(found) == (sorted(NAMES) if scikit_image.version() >= (0, 27) else [])


@pytest.mark.parametrize("name", NAMES)
def test_a_dispatched_call_warns_of_the_next_version_as_scikit_image_does(however_small, name):
    expected = _warned(name, CALLS[name])
    is_wrapped = scikit_image.version() >= (0, 27)
    assert ("PendingSkimage2Change" in {each[0].__name__ for each in expected}) == is_wrapped
    assert _warned(name, CALLS[name], "gpu") == expected
