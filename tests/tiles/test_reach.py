"""Results in tiles are those of the whole image, to the last bit, wherever a plan has a reach."""

import math
import warnings

import numpy as np
import pytest

from skimage_gpu_backend import interface
from skimage_gpu_backend.adapt.call import call_on_device
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.plan import Reach, Slabs
from skimage_gpu_backend.tiles import plan, start
from tests.differential.check import array, by_position, inside
from tests.differential.inputs import Input

from .cases import cases, has_reach, is_cut, reach_of

# Lengths of the tiles' cores along each axis. Odd ones: borders lie anywhere, the last tile is
# short, and tiles are smaller than most halos.
SLABS = (13, 10**9, 10**9, 10**9, 10**9)
BLOCKS = (29, 37, 5, 3, 3)
# Modules with powers and logarithms: the simulator's fast mode rounds them otherwise in vectors of
# the CPU than in the elements that are left over.
LOGARITHMS = ("skimage.color:", "skimage.exposure:")
# Their order is another one, and with it the last bits; as between devices of different sizes.
SUMS_OF_FLOATS = ("skimage.metrics:", "skimage.filters:threshold_mean")
# Its weights depend on the image's standard deviation, such a sum, by exponentials.
BY_SPREAD = "skimage.restoration:denoise_bilateral"
# Larger than the differential tests' images: chunks of running sums begin at multiples of 64.
SIDE = 150
# How often an image may be computed where halos are wide: of each function one call more often.
MOST = 16


def _parameters():
    """All calls; CI takes one of each function, and of each room those in which something comes
    first that decides about tiles: a reach, a mode, axes, layout or kind of dtype of an array.

    The quick run takes one call of each room.
    """
    rooms, seen = set(), set()
    for case in cases():
        room = CATALOG[case.sweep.name].room
        quick = is_cut(case) and room not in rooms
        rooms |= {room} if quick else set()
        reach = reach_of(case)
        reach = getattr(reach, "reach", reach)  # of the second pass
        decides = {(room, type(reach), isinstance(reach, Reach) and _widths(reach))}
        decides |= {(room, _form(argument)) for argument in case.arguments.items()}
        rare = decides <= seen and not is_cut(case)
        seen |= decides
        marks = () if quick else pytest.mark.exhaustive if rare else pytest.mark.thorough
        yield pytest.param(case, id=str(case), marks=marks)


def _widths(reach):
    """A reach with halos of about the same width for the same."""
    widths = tuple(None if n is None else min(4, int(n).bit_length()) for n in reach.halo)
    return reach._replace(halo=widths, arrays=0)


def _form(argument):
    """What of an argument decides about tiles: texts, such as modes; of others no values."""
    name, value = argument
    if isinstance(value, str):
        return argument
    arrays = inside(replace(value, array), np.ndarray)
    return name, type(value), *((a.ndim, a.flags.forc, a.dtype.kind) for a in arrays)


@pytest.fixture
def both_ways(monkeypatch, request):
    """Makes accepted calls run whole and in tiles, and lists the pairs of results."""
    pairs = []

    def run(call):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            expected = call_on_device(call.plan.run, _copy_of(call))
        in_slabs = isinstance(call.plan.reach, Slabs)
        free = 400_000 if in_slabs else 30_000  # pieces of a few rows
        monkeypatch.setattr(start, "available", lambda: free)
        for lengths in (SLABS,) if in_slabs else (SLABS, BLOCKS):
            if _times(call, lengths) > MOST and not is_cut(request.node.callspec.params["case"]):
                break
            with warnings.catch_warnings(record=True) as told_in_tiles:
                warnings.simplefilter("always")
                done = _in_cores(lengths, _copy_of(call))
            if done is None:
                break
            pairs.append((expected, done[0]))
            assert sorted(map(_text, told)) == sorted(map(_text, told_in_tiles))
        return expected

    monkeypatch.setattr(start, "run", run)
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    return pairs


def _times(call, lengths):
    """How often tiles with these cores compute the image, halos included."""
    reach, shape = call.plan.reach, next(iter(call.arguments.values())).shape
    if not isinstance(reach, Reach):
        return 0
    lengths = [min(*axis) for axis in zip(lengths, shape, strict=False)]
    count = math.prod(-(-n // length) for n, length in zip(shape, lengths, strict=True))
    return count * plan.extent(lengths, shape, reach) / math.prod(shape)


def _in_cores(lengths, call):
    def run_cut(cut):
        return (cut.run(lengths[: len(cut.shape)]),)

    return call.plan.reach and start._in_tiles(call, run_cut)


def _copy_of(call):
    """The call with arrays of its own: `out` is written to."""
    fresh = {}

    def copy(value):
        if type(value) is not np.ndarray:
            return value
        return fresh.setdefault(id(value), value.copy())

    return call.with_arrays(replace(call.arguments, copy))


def _text(warning):
    return warning.category.__name__, str(warning.message)


def _run(case):
    arguments = {
        name: replace(value, lambda v: array(v.sized(SIDE)) if isinstance(v, Input) else v)
        for name, value in case.arguments.items()
    }
    args, kwargs = by_position(case.sweep.name, arguments)
    decision = interface.gpu.decide(case.sweep.name, args, kwargs)
    if decision and decision.source == "kernel":
        return decision.run()


@pytest.mark.parametrize("case", list(_parameters()))
def test_a_result_in_tiles_is_equal(both_ways, monkeypatch, case):
    if case.sweep.name.startswith(LOGARITHMS):
        monkeypatch.setenv("CUDA_SIMULATOR_OPTIMIZE", "0")
    try:
        _run(case)
    except Exception as error:  # the images' values are refused, whole or in tiles
        if is_cut(case):
            raise
        pytest.skip(f"{type(error).__name__}")
    assert both_ways or not is_cut(case), "compares nothing"
    for whole, tiled in both_ways:
        if case.sweep.name.startswith(SUMS_OF_FLOATS):
            np.testing.assert_allclose(tiled, whole, rtol=1e-15)
        elif case.sweep.name == BY_SPREAD:
            np.testing.assert_allclose(tiled, whole, rtol=1e-12)
        else:
            assert_equal(whole, tiled)


def assert_equal(whole, tiled):
    """Same types, containers and dtypes; elements to the last bit."""
    assert type(whole) is type(tiled)
    if isinstance(whole, tuple | list):
        assert len(whole) == len(tiled)
        for one, other in zip(whole, tiled, strict=True):
            assert_equal(one, other)
        return
    assert np.asarray(whole).dtype == np.asarray(tiled).dtype
    np.testing.assert_array_equal(whole, tiled)


def test_every_function_with_a_reach_is_compared():
    names = {name for name in CATALOG if has_reach(name)}
    assert names == {case.sweep.name for case in cases() if is_cut(case)}
