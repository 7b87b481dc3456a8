"""Methods of scikit-image's classes are dispatched as functions are; the classes stay theirs."""

import copy
import functools
import importlib
import inspect
import pickle
import pydoc
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor

import cupy as cp
import numpy as np
import pytest
import skimage as ski
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import disable, enable, methods, use_backends
from skimage_gpu_backend.dispatch import hook, registry
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.trouble import DeviceTrouble
from skimage_gpu_backend.upstream.layout import ROOTS

IMAGE = ski.data.camera()[128:256:, 160:320]
POINTS = np.random.default_rng(0).random((9, 2)) * 50
MOVED = POINTS @ [[1.1, 0.2], [-0.1, 0.9]] + [3, 4]
ESTIMATED = ski.transform.AffineTransform.from_estimate(POINTS, MOVED)


def public_methods():
    """Names of all public methods of public classes, those that come from elsewhere left out."""
    for place in hook.PUBLIC:
        module = importlib.import_module(place)
        for kind in (getattr(module, name) for name in module.__all__):
            if not inspect.isclass(kind) or kind is ski.measure.RansacModelProtocol:
                continue
            for name in dir(kind):
                home = next(base for base in kind.__mro__ if name in vars(base))
                member = inspect.getattr_static(kind, name)
                if (not name.startswith("_") or name == "__call__") and (
                    home.__module__.startswith(ROOTS)
                    and callable(getattr(kind, name))
                    and not isinstance(member, property)
                ):
                    yield f"{place}:{kind.__name__}.{name}"


def split(name):
    """Class and name of a method."""
    module, _, rest = name.partition(":")
    kind, _, method = rest.partition(".")
    return getattr(importlib.import_module(module), kind), method


def classes():
    return [split(f"{name}.")[0] for name in methods.DISPATCHED]


def test_the_table_has_every_public_method_once():
    left = [name for names in methods.LEFT.values() for name in names]
    listed = [*methods.ON_CPU, *methods.AS_FUNCTION, *methods.BY_STEPS, *left]
    assert sorted(listed) == sorted(public_methods())


def as_seen(kind, name):
    member = inspect.getattr_static(kind, name)
    function = getattr(member, "__func__", member)
    return {
        "names": (function.__name__, function.__qualname__, function.__module__),
        "doc": function.__doc__,
        "defaults": (function.__defaults__, function.__kwdefaults__),
        "signature": inspect.signature(getattr(kind, name)),
        "abstract": getattr(function, "__isabstractmethod__", False),
        "member": member,
    }


def test_classes_look_as_before_and_are_restored():
    disable()
    names = [f"{kind}.{method}" for kind, found in methods.DISPATCHED.items() for method in found]
    seen = {name: as_seen(*split(name)) for name in names}
    source = {name: source_of(name) for name in names}
    contents = {kind: dict(vars(kind)) for kind in classes()}
    helps = {kind: pydoc.plain(pydoc.render_doc(kind)) for kind in classes()}
    codes = {name: code_of(name) for name in names}
    enable()
    for name in names:
        assert code_of(name) is not codes[name], name
        assert as_seen(*split(name)) == seen[name]
        assert source_of(name) == source[name]
    for kind in classes():
        assert dict(vars(kind)) == contents[kind]
        assert pickle.loads(pickle.dumps(kind)) is kind
        assert pydoc.plain(pydoc.render_doc(kind)) == helps[kind]
    disable()
    assert {name: code_of(name) for name in names} == codes


def source_of(name):
    kind, method = split(name)
    if method == "find_costs":  # compiled
        return None
    return inspect.getsource(getattr(kind, method))


def code_of(name):
    member = inspect.getattr_static(*split(name))
    return getattr(member, "__func__", member).__code__


class Asked:
    """Stands for the ``gpu`` backend, declines all and records what it is asked."""

    trouble = DeviceTrouble
    reason = key = "told to"
    invalid = False

    def __init__(self):
        self.names = []

    def decide(self, name, args, kwargs, selected):
        self.names.append(name)
        return self

    def kept(self, name, image):
        return image

    def __bool__(self):
        return False


@pytest.fixture
def asked(enabled, monkeypatch):
    backend = Asked()
    monkeypatch.setattr(registry, "backend", lambda name: backend)
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    return backend


def _bell(r, c):
    return np.exp(-(r**2 + c**2))


class OwnORB(ski.feature.ORB):
    """A user's class."""

    def detect_and_extract(self, image):
        super().detect_and_extract(image)
        self.seen = image.shape


def test_a_method_called_by_another_is_part_of_it(asked):
    ski.filters.LPIFilter2D(_bell)(IMAGE)
    ski.transform.SimilarityTransform.from_estimate(POINTS, MOVED)
    ESTIMATED.residuals(POINTS, MOVED)
    ski.transform.warp(IMAGE, ESTIMATED)
    assert asked.names == [
        "skimage.filters:LPIFilter2D.__call__",
        "skimage.transform:SimilarityTransform.from_estimate",
        "skimage.transform:AffineTransform.residuals",
        "skimage.transform:warp",
    ]


class OwnLPI(ski.filters.LPIFilter2D):
    """A user's class."""


def test_a_user_s_class_is_told_as_the_one_it_comes_from(asked):
    OwnLPI(_bell)(IMAGE)
    assert asked.names == ["skimage.filters:LPIFilter2D.__call__"]
    found = OwnORB(n_keypoints=20)
    found.detect_and_extract(IMAGE)
    assert "skimage.feature:corner_harris" in asked.names  # a step of it
    assert found.seen == IMAGE.shape
    assert isinstance(found, ski.feature.ORB)
    expected = ski.feature.ORB(n_keypoints=20)
    expected.detect_and_extract(IMAGE)
    np.testing.assert_array_equal(found.descriptors, expected.descriptors)


class Shifted(ski.transform.EuclideanTransform):
    """A user's transform."""

    def __call__(self, coords):
        return super().__call__(coords) + 1


@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
def test_objects_are_copied_and_pickled_as_before(enabled, monkeypatch, move):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    orb = OwnORB(n_keypoints=20)
    orb.detect_and_extract(move(IMAGE))
    for again in (copy.copy(orb), copy.deepcopy(orb), pickle.loads(pickle.dumps(orb))):
        assert type(again) is OwnORB
        np.testing.assert_array_equal(again.keypoints, orb.keypoints)
    shifted = Shifted(rotation=0.3, translation=(1, 2))
    expected = shifted(POINTS)
    for again in (copy.deepcopy(shifted), pickle.loads(pickle.dumps(shifted))):
        np.testing.assert_allclose(cp.asnumpy(again(move(POINTS))), expected, rtol=1e-12)
    bound = pickle.loads(pickle.dumps(shifted.residuals))
    np.testing.assert_array_equal(bound(POINTS, MOVED), shifted.residuals(POINTS, MOVED))
    assert ESTIMATED.residuals == ESTIMATED.residuals


def outcome(make, method, *args):
    """What a method returns, and what it leaves in the object."""
    made = make()
    result = getattr(made, method)(*args)
    return result, {} if inspect.isclass(made) else vars(made)


_FEATURES = {
    "BRIEF": (ski.feature.BRIEF, "extract", IMAGE, np.array([[60, 60], [50, 90]])),
    "CENSURE": (ski.feature.CENSURE, "detect", IMAGE),
    "ORB": (functools.partial(ski.feature.ORB, n_keypoints=30), "detect_and_extract", IMAGE),
    "ORB.extract": (
        functools.partial(ski.feature.ORB, n_keypoints=30),
        "extract",
        IMAGE,
        np.array([[60.0, 60], [50, 90]]),
        np.ones(2),
        np.zeros(2),
    ),
    "SIFT": (ski.feature.SIFT, "detect_and_extract", IMAGE[:64, :64]),
    "LPI": (
        functools.partial(ski.filters.LPIFilter2D, _bell),
        "__call__",
        IMAGE,
    ),
}
_GEOMETRY = {
    **{
        f"{kind.__name__}.{method}": (
            functools.partial(kind.from_estimate, POINTS, MOVED),
            method,
            *args,
        )
        for kind in (
            ski.transform.AffineTransform,
            ski.transform.PiecewiseAffineTransform,
            ski.transform.PolynomialTransform,
            ski.transform.ProjectiveTransform,
        )
        for method, args in {"__call__": (POINTS,), "residuals": (POINTS, MOVED)}.items()
    },
    "fundamental": (ski.transform.FundamentalMatrixTransform, "__call__", POINTS),
    "spline": (
        functools.partial(ski.transform.ThinPlateSplineTransform.from_estimate, POINTS, MOVED),
        "__call__",
        POINTS,
    ),
    "circle": (functools.partial(ski.measure.CircleModel, (1, 2), 3), "predict_xy", POINTS[:, 0]),
    "line": (functools.partial(ski.measure.LineModelND, (1, 2), (0.6, 0.8)), "residuals", POINTS),
}


@pytest.mark.parametrize("case", [*_FEATURES, *_GEOMETRY])
def test_device_arrays_go_through_by_way_of_the_host(enabled, monkeypatch, case):
    """Results are device arrays; what an object keeps is NumPy's, as its other methods want it."""
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    make, method, *args = (_FEATURES | _GEOMETRY)[case]
    expected, kept = outcome(make, method, *args)
    result, found = outcome(make, method, *map(cp.asarray, args))
    assert type(result) is (type(None) if expected is None else cp.ndarray)
    if expected is not None:
        np.testing.assert_allclose(result.get(), expected, rtol=1e-12, atol=1e-12)
    assert found.keys() == kept.keys()
    for name, value in kept.items():
        assert type(found[name]) is type(value), name
        if isinstance(value, np.ndarray):
            np.testing.assert_allclose(found[name], value, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "kind", ["AffineTransform", "PolynomialTransform", "ThinPlateSplineTransform"]
)
def test_a_transform_is_fitted_to_points_on_the_device(enabled, kind, recwarn):
    kind = getattr(ski.transform, kind)
    found = kind.from_estimate(*map(cp.asarray, (POINTS, MOVED)))
    expected = kind.from_estimate(POINTS, MOVED)
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found(POINTS), expected(POINTS))
    assert not [each for each in recwarn if "from_estimate" in str(each.message)]  # a few numbers


_MATRICES = [
    split(name)[0]
    for name, (function, _) in methods.AS_FUNCTION.items()
    if function not in methods.OWN_FUNCTIONS
]


@pytest.mark.parametrize("kind", _MATRICES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
@pytest.mark.parametrize("axes", [2, 3])
def test_transforms_move_points_on_the_device(enabled, counting, kind, dtype, axes):
    source, target = np.random.default_rng(1).random((2, 12, axes))
    moving = kind.from_estimate(source, target)
    points = (np.random.default_rng(2).random((500, axes)) * 200).astype(dtype)
    for each in (moving, moving.inverse, moving + moving):
        expected = each(points)
        given = cp.asarray(points)
        with counting() as counts:
            result = each(given)
        assert counts.to_host == 0  # the matrix goes there, nothing comes back
        assert (type(result), result.dtype) == (cp.ndarray, expected.dtype)
        # a product with a matrix is in no order that all libraries have
        np.testing.assert_allclose(result.get(), expected, rtol=1e-11, atol=1e-9)


def test_large_numpy_points_are_moved_on_the_device_where_it_is_selected(however_small):
    with use_backends("gpu"), observe() as calls:
        result = ESTIMATED(POINTS)
        ESTIMATED(coords=POINTS)
    assert [(call.name, call.source) for call in calls] == [
        ("skimage.transform:AffineTransform.__call__", "kernel")
    ] * 2
    assert type(result) is np.ndarray
    disable()
    np.testing.assert_allclose(result, ESTIMATED(POINTS), rtol=1e-12)


_WRONG = {
    "nothing": lambda moving, points: moving(),
    "axes": lambda moving, points: moving(points[:, :1]),
    "more": lambda moving, points: moving(points, 1),
    "matrix": lambda moving, points: moving(points, matrix=np.eye(3)),
    "no matrix": lambda moving, points: setattr(moving, "params", None) or moving(points),
}


@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
@pytest.mark.parametrize("wrong", _WRONG.values(), ids=_WRONG)
def test_wrong_calls_of_a_transform_raise_what_scikit_image_raises(however_small, wrong, move):
    with use_backends("gpu"), pytest.raises(Exception) as ours:  # whatever it is
        wrong(ski.transform.AffineTransform(), move(POINTS))
    disable()
    with pytest.raises(type(ours.value)) as theirs:
        wrong(ski.transform.AffineTransform(), POINTS)
    assert str(ours.value) == str(theirs.value)


def test_a_method_on_the_cpu_is_told_once_with_its_reason_at_the_user_s_line(enabled):
    with use_backends("gpu"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(2):
            ESTIMATED(POINTS.tolist())
        ski.transform.AffineTransform.from_estimate(POINTS, MOVED)  # right where it is
    (only,) = told
    assert only.category is DispatchNotification
    assert "'skimage.transform:AffineTransform.__call__' was not dispatched: gpu: coords" in str(
        only.message
    )
    assert only.filename == __file__


def deprecated():
    return ski.transform.AffineTransform().estimate(POINTS, MOVED)


@pytest.mark.parametrize("backends", [(), ("gpu",)])
def test_warnings_of_methods_point_where_they_did(backends):
    def caught():
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            deprecated()
        return [(each.category, str(each.message), each.filename, each.lineno) for each in found]

    disable()
    expected = caught()
    assert [place[2] for place in expected] == [__file__]
    with use_backends(*backends):
        assert caught() == expected
    disable()


def test_an_error_in_a_method_comes_with_one_more_frame(enabled):
    with pytest.raises(ValueError, match="must be a 2-dimensional array") as caught:
        ski.feature.ORB().detect(np.ones(3))
    names = [frame.name for frame in traceback.extract_tb(caught.tb)]
    assert names[1:3] == ["detect", "detect"]


def test_threads_that_detect_do_not_hinder_each_other(enabled, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    images = [IMAGE, IMAGE[::-1], IMAGE[:, ::-1], IMAGE.T]

    def found(image):
        orb = ski.feature.ORB(n_keypoints=20)
        orb.detect_and_extract(image)
        return orb.keypoints

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(found, images))
        on_device = list(pool.map(found, map(cp.asarray, images)))
    for image, *keypoints in zip(images, results, on_device, strict=True):
        for each in keypoints:
            np.testing.assert_array_equal(each, found(image))
