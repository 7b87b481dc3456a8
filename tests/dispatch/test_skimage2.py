"""What skimage2 changes: scikit-image's warnings of it, and functions that have two forms."""

import inspect
import sys
import warnings

import cupy as cp
import dask.array as da
import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import disable, enable, functions, use_backends
from skimage_gpu_backend.catalog import CATALOG, SKIMAGE2
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.plan import Declined
from skimage_gpu_backend.scikit_image import function_called
from skimage_gpu_backend.upstream.layout import MIGRATION
from tests.dispatch.test_warnings import caught
from tests.upstream import upstream

IMAGE = np.random.default_rng(0).integers(0, 255, (24, 30), np.uint8)
HAS_SKIMAGE2 = upstream("filters").__name__.startswith("_skimage2")
needs_skimage2 = pytest.mark.skipif(
    not HAS_SKIMAGE2, reason="scikit-image 0.26 has no functions of skimage2"
)
GRAY = "black_tophat closing dilation erosion opening white_tophat"
CALLS = {
    "skimage.feature:canny": lambda image: ski.feature.canny(image),
    "skimage.feature:corner_peaks": lambda image: ski.feature.corner_peaks(image),
    "skimage.feature:peak_local_max": lambda image: ski.feature.peak_local_max(image),
    "skimage.filters:gaussian": lambda image: ski.filters.gaussian(image),
    "skimage.graph:pixel_graph": lambda image: ski.graph.pixel_graph(image > 100),
    "skimage.metrics:contingency_table": lambda image: ski.metrics.contingency_table(image, image),
    "skimage.metrics:structural_similarity": lambda image: ski.metrics.structural_similarity(
        image, image
    ),
    **{
        f"skimage.morphology:{name}": lambda image, name=name: getattr(ski.morphology, name)(image)
        for name in GRAY.split()
    },
}


def test_the_calls_below_are_of_all_functions_that_warn():
    found = {name for name in CATALOG if function_called(name).__globals__["__name__"] == MIGRATION}
    assert found <= set(CALLS)
    assert not HAS_SKIMAGE2 or found == set(CALLS)


def declined(*args):
    raise Declined("a test declines it; give more")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
@pytest.mark.parametrize("plan", [functions.plan, declined], ids=["taken", "declined"])
def test_warnings_of_skimage2_are_as_without_us(monkeypatch, call, move, plan):
    disable()
    expected = caught(lambda: call(IMAGE))
    enable()
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    monkeypatch.setattr(functions, "plan", plan)
    with use_backends("gpu"), observe() as calls:
        assert caught(lambda: call(move(IMAGE))) == expected
    assert [each.source for each in calls if each.name in CALLS] == [
        None if plan is declined else "kernel"
    ]
    with use_backends("gpu"), warnings.catch_warnings():
        warnings.simplefilter("error", ski.util.PendingSkimage2Change)
        if not HAS_SKIMAGE2:
            call(move(IMAGE))
            return
        with pytest.raises(ski.util.PendingSkimage2Change) as raised:
            call(move(IMAGE))
    assert (type(raised.value), str(raised.value)) in [each[:2] for each in expected]


def test_a_dask_array_warns_once_and_its_chunks_do_not(however_small):
    image = da.from_array(IMAGE, chunks=(12, 15))

    def smooth():
        ski.filters.gaussian(image).compute(scheduler="sync")

    disable()
    expected = caught(lambda: ski.filters.gaussian(IMAGE))
    enable()
    with use_backends("gpu"), observe() as calls:
        found = caught(smooth)
    assert [each[:2] for each in found] == [each[:2] for each in expected]
    assert {file for _, _, file, _ in found} <= {__file__}
    assert len([call for call in calls if call.source == "kernel"]) == 4


PARTS = {
    "skimage.feature:blob_dog": lambda: ski.feature.blob_dog(IMAGE, max_sigma=4),
    "skimage.feature:canny": lambda: ski.feature.canny(IMAGE),
    "skimage.filters:unsharp_mask": lambda: ski.filters.unsharp_mask(IMAGE),
    "skimage.filters:frangi": lambda: ski.filters.frangi(IMAGE, sigmas=[1]),
    "skimage.exposure:equalize_adapthist": lambda: ski.exposure.equalize_adapthist(IMAGE),
    "skimage.morphology:closing": lambda: ski.morphology.closing(IMAGE),
    "skimage.registration:optical_flow_ilk": lambda: ski.registration.optical_flow_ilk(
        IMAGE, IMAGE, num_warp=1
    ),
    "skimage.segmentation:flood": lambda: ski.segmentation.flood_fill(IMAGE, (0, 0), 3),
    "skimage.segmentation:slic": lambda: ski.segmentation.slic(IMAGE, channel_axis=None),
    "skimage.transform:rescale": lambda: ski.transform.rescale(IMAGE, 0.5, anti_aliasing=True),
}


@pytest.mark.parametrize("call", PARTS.values(), ids=PARTS)
def test_what_scikit_image_calls_itself_is_not_dispatched(enabled, monkeypatch, call):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "1G")
    with use_backends("gpu"), observe() as calls:
        call()
    assert len(calls) == 1
    assert calls[0].backend is None


@needs_skimage2
def test_private_functions_of_skimage2_are_not_dispatched(however_small):
    with use_backends("gpu"), observe() as calls:
        upstream("filters").gaussian(IMAGE)
        upstream("feature").corner_peaks(IMAGE)
        upstream("morphology").closing(IMAGE)
    assert calls == []


_PACKAGE = """
from _skimage2.filters import gaussian, sobel
from skimage._doctest_adapters import _copy_callable

__all__ = ["gaussian", "sobel"]
if {copied}:
    gaussian, sobel = (_copy_callable(each, "Of skimage2.", __name__) for each in (gaussian, sobel))
"""


@pytest.fixture(params=[False, True], ids=["as they are", "copied"])
def skimage2(request, tmp_path, monkeypatch):
    """A package like the one that scikit-image is to have."""
    folder = tmp_path / "skimage2"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "filters.py").write_text(_PACKAGE.format(copied=request.param))
    monkeypatch.syspath_prepend(tmp_path)
    import skimage2.filters

    yield skimage2
    for name in ("skimage2", "skimage2.filters"):
        del sys.modules[name]


@needs_skimage2
@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
def test_a_function_of_skimage2_is_dispatched_with_its_own_behaviour(however_small, skimage2, move):
    gaussian, sobel = skimage2.filters.gaussian, skimage2.filters.sobel
    expected = gaussian(IMAGE, 2), sobel(IMAGE), gaussian(IMAGE, 2, out=np.zeros(IMAGE.shape))
    with use_backends("gpu"), observe() as calls:
        image = move(IMAGE)
        out = move(np.zeros(IMAGE.shape))
        found = gaussian(image, 2), sobel(image), gaussian(image, 2, out=out)
        with pytest.raises(ValueError, match="less than zero"):
            gaussian(image, -1)
        ski.filters.gaussian(image, 2)
    assert [(call.name, call.source) for call in calls] == [
        ("skimage2.filters:gaussian", "kernel"),
        ("skimage.filters:sobel", "kernel"),
        ("skimage2.filters:gaussian", "kernel"),
        ("skimage2.filters:gaussian", None),
        ("skimage.filters:gaussian", "kernel"),
    ]
    assert found[2] is out
    assert expected[0].max() > 1, "the range of integers is preserved"
    for ours, theirs in zip(found, expected, strict=True):
        assert type(ours) is type(image)
        np.testing.assert_allclose(cp.asnumpy(ours), theirs, rtol=1e-12, atol=1e-12)
    disable()
    assert "_importlib_bootstrap" not in gaussian.__code__.co_filename


@needs_skimage2
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"min_distance": 3},
        {"min_distance": 3, "exclude_border": True},
        {"exclude_border": False, "num_peaks": 5},
        {"min_distance": 0},
        {"labels": IMAGE.astype(int) // 50, "num_peaks": 4},
    ],
    ids=str,
)
def test_peaks_of_skimage2_are_as_its_own(options):
    own, image = upstream("feature").corner_peaks, ski.util.img_as_float(IMAGE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = own(image, **options)
    name = "skimage2.feature:corner_peaks"
    if options.keys() & {"labels"} or options.get("min_distance") == 0:
        with pytest.raises(Declined):
            functions.plan(name, (image,), options)
        return
    found = functions.plan(name, (image,), options).run(cp.asarray(image))
    np.testing.assert_array_equal(found.get(), expected)


@needs_skimage2
@pytest.mark.parametrize("name", SKIMAGE2)
def test_planners_of_skimage2_have_its_signatures(name):
    ours, theirs = (inspect.signature(f) for f in (functions.find(name), function_called(name)))
    assert str(ours).replace("inf", "np.inf") == str(theirs).replace("inf", "np.inf")
