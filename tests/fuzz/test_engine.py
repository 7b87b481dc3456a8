"""What the random calls of `tests.fuzz` would tell, and how small they tell it."""

import itertools
import time
import warnings

import numpy as np
import pytest

from skimage_gpu_backend import interface, methods
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.decision import Decision
from skimage_gpu_backend.functions.feature import censure

from . import compare
from .arrays import Array
from .calls import Call, Listed, call
from .choices import built, shrunk
from .compare import KINDS
from .excuses import EXCUSES
from .options import SWEEP
from .program import program
from .run import names, one, plan

NAME = "skimage.util:invert"


def _calls(count, name=NAME):
    return [seed for _, seed in itertools.islice(plan([name], 1), count)]


def _planted(monkeypatch, change):
    """Let each call that is taken end in `change`, which gets the true result and the arguments."""
    true = interface.Backend.decide

    def decide(self, name, args, kwargs, selected=None):
        decision = true(self, name, args, kwargs, selected)
        if not decision:
            return decision
        return change(decision, args) if change is _invalid else _run_by(decision, change, args)

    monkeypatch.setattr(interface.Backend, "decide", decide)


def _run_by(decision, change, args):
    return Decision(run=lambda: change(decision.run(), args), source=decision.source)


def _invalid(decision, args):
    return Decision("planted", invalid=True)


def _other_value(result, args):
    result = result.copy()
    result[..., -1:] = result[..., -1:] == 0
    return result


def _other_dtype(result, args):
    return result.astype("float32" if result.dtype != "float32" else "float64")


def _raises(result, args):
    raise KeyError("planted")


def _warns(result, args):
    warnings.warn("planted", UserWarning, stacklevel=2)
    return result


def _writes(result, args):
    if args and args[0].flags.c_contiguous and getattr(args[0].flags, "writeable", True):
        args[0][...] = 1
    return result


def _argument(result, args):
    return args[0] if args and args[0].dtype == result.dtype else result


@pytest.mark.thorough
@pytest.mark.parametrize(
    "change, kind",
    [
        (_other_value, "values"),
        (_other_dtype, "form"),
        (_raises, "raised"),
        (_warns, "warnings"),
        (_writes, "changed"),
        (_argument, "identity"),
        (_invalid, "invalid"),
    ],
)
def test_what_goes_wrong_is_found_and_told_in_a_small_call(monkeypatch, change, kind):
    _planted(monkeypatch, change)
    known = {(NAME, other) for other in KINDS if other != kind}
    for seed in _calls(60):
        event = one(NAME, seed, known)
        told = [found for found in event.found if found.kind == kind]
        if told:
            assert "ski.util.invert(image" in told[0].program
            assert len(told[0].program.splitlines()) < 40
            assert told[0].seed == seed
            return
    pytest.fail("not found in 60 calls")


def _coefficient(result, args):
    return result * result.dtype.type(1 + 1e-3 if result.dtype.itemsize < 8 else 1 + 1e-6)


def _first_element(result, args):
    result = result.copy()
    result.flat[:1] += result.max() - result.min()
    return result


def _in_single(result, args):
    return result.astype(np.float32).astype(result.dtype)


@pytest.mark.parametrize("change", [_coefficient, _first_element, _in_single])
@pytest.mark.parametrize(
    ("name", "count"),
    [
        pytest.param("filters:gaussian", 40, marks=pytest.mark.thorough),
        pytest.param("filters:sobel", 60, marks=pytest.mark.exhaustive),
        pytest.param("feature:structure_tensor", 60, marks=pytest.mark.exhaustive),
        pytest.param("transform:resize", 60, marks=pytest.mark.exhaustive),
    ],
)
def test_rounding_excuses_no_mistake(monkeypatch, name, count, change):
    def changed(result, args):
        made = [change(x, args) if x.size and x.dtype == "f8" else x for x in _listed(result)]
        return made if isinstance(result, list) else made[0]

    name = f"skimage.{name}"
    calls = _calls(count, name)
    right = sum(
        any(f.kind == "values" for f in one(name, seed, _all_known()).found) for seed in calls
    )
    _planted(monkeypatch, changed)
    wrong = [one(name, seed, _all_known()) for seed in calls]
    reported = sum(any(f.kind == "values" for f in event.found) for event in wrong)
    excused = sum(bool(event.excused) for event in wrong)
    assert right == 0
    assert reported > excused


def _listed(result):
    return result if isinstance(result, list) else [result]


@pytest.mark.thorough
def test_a_result_where_scikit_image_raises_is_found(monkeypatch):
    decided = Decision(run=lambda: np.zeros(3), source="kernel")
    monkeypatch.setattr(interface.Backend, "decide", lambda *_: decided)
    kinds = {found.kind for seed in _calls(30) for found in one(NAME, seed, _all_known()).found}
    assert "not raised" in kinds


def test_an_object_that_keeps_what_calls_make_of_it_is_another_one_each_time():
    name = "skimage.filters:filter_inverse"
    listed = Listed(name, "predefined_filter", 0)
    made = Call(name, {"predefined_filter": listed}, "numpy", 0)
    filters = [made.made()["predefined_filter"] for _ in range(2)]
    assert len({id(each) for each in (*filters, listed.value)}) == 3


def test_results_that_are_too_large_to_compare_end_no_process(monkeypatch):
    def compared(*_):
        raise MemoryError

    monkeypatch.setattr(compare, "compared", compared)
    assert any(one(NAME, seed, _all_known()).too_large for seed in _calls(9))


def test_a_call_in_which_scikit_image_goes_on_and_on_is_left(monkeypatch):
    made, _ = built(lambda pick: call(NAME, pick), 3)
    monkeypatch.setattr(compare, "_MOST", 0.1)
    monkeypatch.setattr(compare, "target", lambda *_: (lambda *_, **__: time.sleep(9), None))
    with pytest.raises(compare.TooLarge, match="more than"):
        compare.differences(made)


def _all_known():
    return {(NAME, kind) for kind in KINDS}


@pytest.mark.parametrize("name", names())
def test_every_function_has_calls_and_a_seed_is_one_call(name):
    for seed in _calls(5, name):
        first, drawn = built(lambda pick: call(name, pick), seed)
        again, _ = built(lambda pick: call(name, pick), seed)
        assert program(first) == program(again)
        assert set(first.arguments) <= {*SWEEP[name].call, *first.classes}
        assert drawn


def test_arrays_beside_images_fit_where_scikit_image_looks_beyond_memory():
    name = "skimage.feature:corner_orientations"
    for seed in _calls(300, name):
        made, _ = built(lambda pick: call(name, pick), seed)
        corners = made.arguments["corners"]
        if isinstance(corners, Array):
            assert corners.shape[1] == 2
            assert corners.values().max(initial=0) < 53
    name = "skimage.filters:median"
    for seed in _calls(300, name):
        made, _ = built(lambda pick: call(name, pick), seed)
        image, out = map(made.arguments.get, ("image", "out"))
        if isinstance(out, Array) and isinstance(image, Array) and len(image.shape) == 1:
            assert out.dtype == image.dtype


def test_hypothesis_makes_a_call_small():
    def arrays(made):
        return [a for a in made.arguments.values() if isinstance(a, Array)]

    def fails(made):
        return any(array.values().size > 5 for array in arrays(made))

    for seed in _calls(50):
        made, drawn = built(lambda pick: call(NAME, pick), seed)
        if fails(made) and arrays(made)[0].layout != "C":
            smallest = shrunk(lambda pick: call(NAME, pick), drawn, fails)
            assert fails(smallest)
            assert arrays(smallest)[0].layout == "C"
            assert arrays(smallest)[0].values().size < 10
            return
    pytest.fail("no such call")


@pytest.mark.parametrize("excuse", EXCUSES, ids=lambda excuse: excuse.why[:40])
def test_excuses_concern_functions_that_exist(excuse):
    assert all(map(names, excuse.patterns))
    assert set(excuse.kinds) <= set(KINDS)


def test_every_function_and_every_dispatched_method_is_called():
    dispatched = [f"{kind}.{each}" for kind, found in methods.DISPATCHED.items() for each in found]
    assert names() == sorted([*CATALOG, *dispatched])
    orb = ("detect", "detect_and_extract", "extract")
    assert names("feature.ORB*") == [f"skimage.feature:ORB.{method}" for method in orb]


@pytest.mark.thorough
def test_what_goes_wrong_in_a_methods_room_is_found(monkeypatch):
    """A kept attribute is another one."""
    detect = censure._detect

    def other(owner, *args, **arrays):
        detect(owner, *args, **arrays)
        owner.scales = owner.scales + 1

    monkeypatch.setattr(censure, "_detect", other)
    name = "skimage.feature:CENSURE.detect"
    for seed in _calls(60, name):
        for found in one(name, seed).found:
            assert "made = ski.feature.CENSURE(" in found.program
            assert "result = made.detect(image" in found.program
            assert "result['scales']" in found.told
            return
    pytest.fail("not found in 60 calls")


@pytest.mark.thorough
@pytest.mark.parametrize("name", [NAME, "skimage.filters:LPIFilter2D.__call__"])
def test_a_program_runs_by_itself_and_shows_both_results(python, name):
    made, _ = built(lambda pick: call(name, pick), 3)
    done = python("-c", program(made))
    assert "scikit-image:" in done.stdout
    assert "on the device:" in done.stdout
