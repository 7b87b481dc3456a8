"""What a user sees of calls with Dask arrays."""

import contextlib
import importlib
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
import pytest
import skimage as ski

import skimage_gpu_backend
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.scikit_image import function_called

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
IMAGE = np.random.default_rng(0).random((101, 130))


@pytest.fixture
def lazy():
    """`IMAGE` in chunks, of which none may be computed while a graph is built."""
    allowed = threading.Event()

    def part(block):
        assert allowed.is_set(), "computed before somebody asked for it"
        return block

    made = da.from_array(IMAGE, (40, 50)).map_blocks(part, meta=np.empty((0, 0)))
    with use_backends("gpu"):
        yield made, allowed.set


def test_nothing_is_computed_until_somebody_asks(however_small, lazy):
    image, allow = lazy
    with observe() as calls:
        result = ski.filters.sobel(ski.filters.gaussian(image, sigma=1))
        assert [(call.name, call.source) for call in calls] == [
            ("skimage.filters:gaussian", "dask"),
            ("skimage.filters:sobel", "dask"),
        ]
        allow()
        found = result.compute()
    assert {call.source for call in calls[2:]} == {"kernel"}
    assert len(calls) == 2 + 2 * 9
    expected = ski.filters.sobel(ski.filters.gaussian(IMAGE, sigma=1))
    np.testing.assert_array_equal(found, expected)


def test_what_is_selected_when_the_graph_is_built_holds_when_it_runs(however_small, lazy):
    image, allow = lazy
    result = ski.filters.gaussian(image)
    allow()
    with use_backends(), observe() as calls:
        result.compute()
    assert {call.source for call in calls} == {"kernel"}


def test_nothing_selected_is_scikit_image_as_before(however_small):
    image = da.from_array(IMAGE, (40, 50))
    assert isinstance(ski.filters.gaussian(image), np.ndarray)
    with use_backends("gpu", convert=False), observe() as calls:  # NumPy stays on the host
        result = ski.filters.gaussian(image).compute()
    assert {call.source for call in calls[1:]} == {None}
    np.testing.assert_array_equal(result, ski.filters.gaussian(IMAGE))


def test_chunks_of_the_device_stay_there(however_small, lazy):
    import cupy as cp

    image, allow = lazy
    allow()
    on_device = image.map_blocks(cp.asarray, meta=cp.empty((0, 0)))
    result = ski.filters.gaussian(on_device)
    assert isinstance(result._meta, cp.ndarray)
    blocks = dask.compute(*result.to_delayed().ravel(), scheduler="synchronous")
    assert {type(block) for block in blocks} == {cp.ndarray}


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda i: ski.morphology.skeletonize(i > 0), "needs the whole of it at once"),
        (lambda i: ski.metrics.hausdorff_pair(i > 0, i > 0.5), "distance goes by chunks; give im"),
        (lambda i: ski.feature.canny(i, mode="wrap"), "ends of the image meet"),
        (lambda i: ski.filters.gaussian(i[i > 0.5]), "compute_chunk_sizes"),
        (lambda i: ski.filters.gaussian(i.astype(complex)), "give image.real"),
    ],
)
def test_what_cannot_be_lazy_is_told_with_the_remedy(enabled, monkeypatch, call, reason):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    with use_backends("gpu"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with contextlib.suppress(Exception):  # scikit-image's own, which takes few Dask arrays
            call(da.from_array(IMAGE, (40, 50)))
    assert any(reason in str(each.message) for each in told), [str(t.message) for t in told]


def test_two_images_need_not_have_the_same_chunks(however_small):
    one, other = da.from_array(IMAGE, (40, 50)), da.from_array(1 - IMAGE, (70, 33))
    with use_backends("gpu"):
        for second in (other, 1 - IMAGE):
            result = ski.util.compare_images(one, second, method="diff")
            assert isinstance(result, da.Array)
            np.testing.assert_array_equal(result, ski.util.compare_images(IMAGE, 1 - IMAGE))


def test_a_mask_may_be_lazy_and_the_image_not(however_small):
    mask = IMAGE > 0.5
    with use_backends("gpu"):
        result = ski.filters.sobel(IMAGE, mask=da.from_array(mask, (40, 50)))
        assert isinstance(result, da.Array)
        np.testing.assert_array_equal(result, ski.filters.sobel(IMAGE, mask=mask))


@pytest.mark.parametrize("mode", ["reflect", "constant", "nearest", "mirror", "wrap"])
@pytest.mark.parametrize("chunks", [(1, 130), (7, 9), (101, 130), ((90, 1, 10), (4, 126))])
def test_true_borders_are_the_functions_own(however_small, mode, chunks):
    with use_backends("gpu"):
        result = ski.filters.gaussian(da.from_array(IMAGE, chunks), sigma=2, mode=mode, cval=3)
        assert isinstance(result, da.Array)
        expected = ski.filters.gaussian(IMAGE, sigma=2, mode=mode, cval=3)
        np.testing.assert_array_equal(result.compute(scheduler="synchronous"), expected)


def test_tasks_are_named_by_their_function_and_few(however_small):
    with use_backends("gpu"):
        result = ski.filters.gaussian(da.from_array(IMAGE, (20, 20)), sigma=1)
    (graph,) = dask.optimize(result)
    names = {str(key[0] if isinstance(key, tuple) else key) for key in graph.__dask_graph__()}
    assert any(name.startswith("gaussian") for name in names)
    chunks = 6 * 7
    assert len(dict(graph.__dask_graph__())) <= 11 * chunks  # nine parts of neighbours, at most


def test_a_profile_has_rows_of_graphs_and_of_chunks(however_small):
    with skimage_gpu_backend.profile() as profile, use_backends("gpu"):
        ski.filters.gaussian(da.from_array(IMAGE, (60, 70))).compute()
    wheres = {case.where: tally.calls for case, tally in profile.tallies.items()}
    assert wheres == {"dask": 1, "kernel": 4}
    assert "made a Dask graph" in str(profile)


@pytest.mark.parametrize("mode", ["none", "reflect", "wrap"])
def test_apply_parallel_is_lazy_on_the_device_and_has_scikit_images_numbers(however_small, mode):
    computed = []

    def count(block):
        computed.append(block)
        return block

    image = da.from_array(IMAGE, (40, 50)).map_blocks(count, meta=np.empty((0, 0)))
    options = {"depth": 1, "mode": mode, "dtype": float}
    expected = ski.util.apply_parallel(ski.filters.sobel, da.from_array(IMAGE, (40, 50)), **options)
    expected = expected.compute(scheduler="synchronous")
    with use_backends("gpu"), observe() as calls:
        made = ski.util.apply_parallel(ski.filters.sobel, image, **options)
        assert isinstance(made, da.Array)
        assert computed == []
        found = made.compute(scheduler="synchronous")
    assert len(computed) == image.npartitions
    sources = [call.source for call in calls if call.name.endswith("sobel")]
    assert sources.count("kernel") == image.npartitions
    np.testing.assert_array_equal(found, expected)
    # without padding they are those of the function, elsewhere but for the true borders
    inner = (slice(None),) * 2 if mode == "none" else (slice(1, -1),) * 2
    np.testing.assert_array_equal(found[inner], ski.filters.sobel(IMAGE)[inner])


def test_a_thread_waits_for_a_module_that_another_one_imports(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text(
        "import threading\nstarted.set()\ngo_on.wait(20)\ndef function(): pass\n"
    )
    started, go_on = threading.Event(), threading.Event()
    monkeypatch.setattr("builtins.started", started, raising=False)
    monkeypatch.setattr("builtins.go_on", go_on, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with ThreadPoolExecutor(2) as pool:
        pool.submit(importlib.import_module, "slow_to_import")
        assert started.wait(20)
        found = pool.submit(function_called, "slow_to_import:function")
        wait([found], timeout=0.3)
        go_on.set()
        assert found.result(20).__name__ == "function"
