"""A call's launches are followed as its card has them: what kernels write is what they do write."""

from unittest import mock

import cupy as cp
import numpy as np
import pytest

import cuda_simulator
from benchmarks.predict import cards, launches, model, separable
from benchmarks.ways import Call
from cuda_simulator.counters import counting
from skimage_gpu_backend.device import kernels
from tests.differential.sweeps import SWEEPS

from .test_sass import is_installed
from .test_sass import pytestmark as needs_compiler

pytestmark = [
    needs_compiler,
    pytest.mark.skipif(not cuda_simulator.active(), reason="launches are watched on the simulator"),
]
CALLS = {sweep.name: sweep.call for sweep in SWEEPS}


def _watched(name, way, card):
    """Launches of the standard call, and pairs of memory that was followed and that is there."""
    call = Call(name, CALLS[name])
    pieces, real = [], launches.follow

    def follow(*args):
        before = {key: data.copy() for key, data in args[6].items()}
        seen = real(*args, 1 << 14)
        for key, live in args[6].items():
            pieces.append((seen.arena.contents(key), before[key], live))
        return seen

    with (
        mock.patch.object(launches, "follow", follow),
        launches.watched(cards.CARDS[card], way == "gpu") as seen,
    ):
        result = call.run(way)
    return seen, pieces, result


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("skimage.filters:gaussian", "rtx3060"),
        ("skimage.color:rgb2lab", "t4"),
        pytest.param("skimage.morphology:opening", "h100", marks=pytest.mark.thorough),
    ],
)
def test_what_was_followed_writes_what_the_kernels_write(name, card):
    seen, pieces, _ = _watched(name, "gpu", card)
    assert [work.followed for work in seen.works] == [""] * len(seen.works)
    assert any((followed != before).any() for followed, before, _ in pieces)
    for followed, before, there in pieces:
        changed = followed != before
        if (followed[changed] != there[changed]).any():  # fused operations may differ in a bit
            kind = np.float32 if len(there) % 8 or name.endswith("gaussian") else np.float64
            size = len(there) // np.dtype(kind).itemsize * np.dtype(kind).itemsize
            given, wanted = followed[:size].view(kind), there[:size].view(kind)
            places = changed[:size].reshape(-1, np.dtype(kind).itemsize).any(1)
            assert np.allclose(given[places], wanted[places], rtol=1e-5, equal_nan=True)


@pytest.mark.thorough  # compiles what CuPy has around a body
@pytest.mark.skipif(not is_installed("cupy-cuda12x"), reason="CuPy's headers are not installed")
def test_cucims_kernels_are_followed_alike():
    card = cards.CARDS["h100"]
    seen, _, _ = _watched("skimage.filters:sobel_h", "cucim", "h100")
    of_cucim = [work for work in seen.works if work.name]
    assert of_cucim and not any(work.followed for work in of_cucim)
    told = model.predicted(seen, card)
    assert told.seconds >= len(seen.works) * cards.LAUNCH


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("mode", ["reflect", "constant", "mirror", "nearest", "wrap"])
def test_scipy_writes_what_cucims_correlations_would(dtype, mode):
    from cucim.skimage._vendored import ndimage

    image = cp.asarray(np.random.default_rng(0).integers(0, 200, (40, 50)).astype(dtype))
    calls = [
        lambda: ndimage.gaussian_filter(image, (3, 1), mode=mode, cval=7),
        lambda: ndimage.correlate1d(image, cp.arange(4.0) / 8, 0, mode=mode, origin=1),
        lambda: ndimage.convolve1d(image, cp.arange(5.0) / 16, mode=mode, output="f4"),
        lambda: ndimage.uniform_filter1d(image, 5, output=image.copy(), mode=mode),
    ]
    for call in calls:
        with counting() as counts:
            wanted = call().get()
        with separable.by_scipy(), counting() as sooner:
            given = call().get()
        assert given.dtype == wanted.dtype
        # of integers the fraction is cut off, which rounding may decide
        np.testing.assert_allclose(given, wanted, 1e-5, 1 if wanted.dtype.kind == "u" else 1e-4)
        assert (sooner.launches, sooner.to_host) == (counts.launches, counts.to_host)


def test_grids_are_those_of_the_card():
    for card, blocks in (("t4", 40 * 4), ("h100", 132 * 8)):
        with launches.watched(cards.CARDS[card]):
            assert kernels.resident_blocks(256) == blocks


def test_repeated_launches_are_followed_now_and_then():
    following, followed = launches._Following("9.0"), []
    following._follow = lambda work, *_: followed.append(work)
    for number in range(40):
        following.work(None, "step", (9, 1, 1), (256, 1, 1), [b"%d" % number], 0)
    assert len(followed) == 7  # 1st, 2nd, 3rd, 5th, 9th, 17th, 33rd
    assert following.work(None, "step", (8, 1, 1), (256, 1, 1), [], 0) is followed[-1]


def test_a_block_that_takes_shares_until_there_are_no_more_does_all():
    image = np.pad(np.ones((110, 120), bool), 5)
    with launches.watched(cards.CARDS["h100"]) as seen:
        Call("skimage.morphology:medial_axis", {"image": image, "rng": 0}).run("gpu")
    (thin,) = (work for work in seen.works if work.name == "thin")
    assert thin.grid[0] > 20
    # the pixels around each, 32 at a time, and some waiting
    assert sum(thin.instructions.values()) < 10_000 * image.size / 32


def _bytes_of_a_sort(values, sort):
    with launches.watched(cards.CARDS["h100"]) as seen:
        sort(values)
    moved = [(r, w) for work in seen.works for _, r, w in work.moved]
    return len(seen.works), sum(r + w for r, w in moved)


def test_a_sort_takes_a_launch_for_each_digit_or_for_each_time_that_blocks_are_merged():
    n = 1 << 14
    keys = cp.zeros(n, np.int16)
    assert _bytes_of_a_sort(keys, cp.sort) == (1 + 2, 2 * n + 2 * 2 * 2 * n)
    assert _bytes_of_a_sort(keys, cp.argsort) == (1 + 2, 2 * n + 2 * 2 * (2 + 8) * n)
    assert _bytes_of_a_sort(keys.reshape(2, -1), cp.sort) == (1 + 3, 4 * 2 * (2 + 8) * n)
    assert _bytes_of_a_sort(keys[:1024], cp.sort) == (1, 2 * 2 * 1024)
