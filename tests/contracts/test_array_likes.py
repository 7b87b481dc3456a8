"""An array-like that is not a plain array gives scikit-image's result, or the call is declined.

Every parameter of every function gets each kind of array-like: images, masks and `out`, and
numbers and sequences, too. An iterator is not read before scikit-image reads it.
"""

import functools
import itertools
from array import array as Buffer

import cupy as cp
import dask.array
import h5py
import numpy as np
import pytest
import skimage as ski
import xarray
import zarr

from skimage_gpu_backend import interface, use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.scikit_image import signature
from skimage_gpu_backend.trouble import Declined
from tests.differential.check import array, bound_for, by_position, expected_of, listed, made
from tests.differential.compare import difference
from tests.differential.inputs import Input
from tests.differential.sweeps import SWEEPS

pytestmark = pytest.mark.usefixtures("however_small")


class Tagged(np.ndarray):
    """The least that carries metadata."""

    def __array_finalize__(self, other):
        self.meta = getattr(other, "meta", None)


class Preferred(np.ndarray):
    """One whose class NumPy prefers where it joins arrays."""

    __array_priority__ = 10


class Overriding(np.ndarray):
    """A subclass with a method of its own."""

    def astype(self, *args, **kwargs):
        return super().astype(*args, **kwargs) * 1


class Convertible:
    """What NumPy converts, and nothing else."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype)


class Tensor(Convertible):
    """An array of another library, on the CPU."""

    shape = property(lambda self: self.values.shape)
    dtype = property(lambda self: self.values.dtype)
    ndim = property(lambda self: self.values.ndim)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, key):
        return self.values[key]

    def __bool__(self):
        return bool(self.values)


def masked(values):
    """A masked array, of which one element is masked."""
    mask = np.zeros(values.shape, bool)
    mask.flat[: values.ndim] = True
    return np.ma.array(values, mask=mask)


def memory_map(values):
    mapped = np.memmap(_file("values.bin"), values.dtype, "w+", shape=values.shape or (1,))
    mapped[...] = values
    return mapped


def dataset(values):
    file = h5py.File.in_memory()
    return file.create_dataset("values", data=values)


def zarr_array(values):
    return zarr.array(values)


def buffer(values):
    """Python's own array of numbers."""
    code = "b" if values.dtype == bool else values.dtype.char
    return Buffer(code, values.tolist())


KINDS = {
    "masked array": (masked, None),
    "unmasked array": (np.ma.array, None),
    "matrix": (lambda values: values.view(np.matrix), 2),
    "overriding": (lambda values: values.view(Overriding), None),
    "metadata": (lambda values: values.view(Tagged), None),
    "priority": (lambda values: values.view(Preferred), None),
    "memory map": (memory_map, None),
    "convertible": (Convertible, None),
    "tensor": (Tensor, None),
    "h5py": (dataset, None),
    "zarr": (zarr_array, None),
    "DataArray": (xarray.DataArray, None),
    "list": (np.ndarray.tolist, None),
    "list of rows": (list, 2),
    "records": (lambda values: values.view([("value", values.dtype)]), None),
    "objects": (lambda values: values.astype(object), None),
    "durations": (lambda values: values.astype("int64").view("m8[s]"), None),
    "long double": (lambda values: values.astype(np.longdouble), None),
    "memoryview": (memoryview, None),
    "buffer": (buffer, 1),
}


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def _file(name):
    """The name of a new file."""
    return f"{next(_numbers)}-{name}"


_numbers = itertools.count()


def arrays_of(sweep):
    """For each parameter a call that gives an array, a number or a sequence of numbers for it.

    Yields
    ------
    parameter : str
    arguments : dict
        The call's, as the sweep has them.
    values : array
        The parameter's.
    """
    cases = [case.arguments for case in sweep.cases()]
    for name, parameter in signature(sweep.name).parameters.items():
        given = [call for call in cases if name in call]
        calls = given or [{**sweep.call, name: parameter.default}]
        of_arrays = [call for call in calls if isinstance(call[name], Input)]
        for call in (*of_arrays, *calls):
            values = _numeric(array(call[name]))
            if values is not None:
                yield name, call, values
                break
        else:
            if name == "out":
                yield name, sweep.call, expected_of(sweep.name, made(sweep.call))[0]


def _numeric(value):
    if value is None or isinstance(value, str | bytes | dict) or callable(value):
        return None
    try:
        values = np.asarray(value)
    except (TypeError, ValueError):
        return None
    return values if values.dtype.kind in "biuf" and values.dtype.itemsize <= 8 else None


def difference_of(sweep, call, parameter, make, on_device):
    """What differs from scikit-image, or None."""
    theirs, ours = ({**made(call), parameter: make()} for _ in range(2))
    images = CATALOG[sweep.name].images
    if on_device:
        ours |= {name: replace(ours[name], _to_device) for name in images if name in ours}
    with use_backends("gpu", output=None if images else "cupy"):
        args, kwargs = by_position(sweep.name, ours)
        decision = interface.gpu.decide(sweep.name, args, kwargs)
        if not decision:
            return None if decision.reason else "declined without a reason"
        try:
            result = sweep.view(listed(decision.run()))
        except Declined:
            return None
        except Exception as error:
            result = error
    expected, error, _ = expected_of(sweep.name, theirs)
    if error is not None:
        same = type(error) is type(result)
        return None if same else f"gives {result!r:.200}, scikit-image raises {error!r}"
    if isinstance(result, Exception):
        return f"raises {result!r}"
    pairs = [(result, sweep.view(expected))]
    if parameter == "out":
        pairs.append((np.asarray(ours["out"]), np.asarray(theirs["out"])))
    try:
        largest = max(difference(_plain(a), _plain(b)) for a, b in pairs)
    except AssertionError as problem:
        return str(problem)
    bound = bound_for(sweep.bound, made(call), expected)
    return None if largest <= bound else f"differs by {largest:.2e} of the range"


def _to_device(value):
    return cp.asarray(value) if type(value) is np.ndarray else value


def _plain(result):
    """A result on the host, without memory maps: results from files are documented as plain."""

    def plain(value):
        if isinstance(value, cp.ndarray):
            return cp.asnumpy(value)
        return np.asarray(value) if type(value) is np.memmap else value

    return replace(result, plain)


def _problems(sweep, on_device=False):
    """Calls that give another result than scikit-image, in words."""
    for parameter, call, values in arrays_of(sweep):
        if on_device and parameter in (*CATALOG[sweep.name].images, "out"):
            continue  # arrays of two kinds, which are refused
        for kind, (make, ndim) in KINDS.items():
            if ndim in (None, values.ndim):
                wrapped = functools.partial(_wrapped, make, values)
                if problem := difference_of(sweep, call, parameter, wrapped, on_device):
                    yield f"{parameter} as {kind}: {problem}"


def _wrapped(make, values):
    return make(values.copy())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda sweep: sweep.name)
def test_an_array_like_gives_the_same_result_or_is_declined(sweep):
    assert not [*_problems(sweep)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "sweep", [each for each in SWEEPS if "cupy" in each.kinds], ids=lambda sweep: sweep.name
)
def test_an_array_like_with_cupy_images_gives_the_same_result_or_is_declined(sweep):
    assert not [*_problems(sweep, on_device=True)]


def iterators_of(sweep):
    """A call for each parameter that takes a sequence, and the sequence's items."""
    parameters = signature(sweep.name).parameters
    calls = [case.arguments for case in sweep.cases()]
    calls.append({n: p.default for n, p in parameters.items()} | sweep.call)
    for name in parameters:
        items = (call[name] for call in calls if isinstance(call.get(name), list | tuple))
        if (found := next(items, None)) is not None:
            yield name, [array(item) for item in found]


@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda sweep: sweep.name)
def test_an_iterator_is_declined_and_not_read(sweep):
    for name, items in iterators_of(sweep):
        for wrap in (lambda iterator: iterator, lambda iterator: [iterator]):
            iterator = iter(items)
            args, kwargs = by_position(sweep.name, {**made(sweep.call), name: wrap(iterator)})
            with use_backends("gpu", output=None if CATALOG[sweep.name].images else "cupy"):
                decision = interface.gpu.decide(sweep.name, args, kwargs)
            assert not decision, name
            assert len(list(iterator)) == len(items), name


def test_a_table_of_the_properties_of_a_generator():
    labels = np.kron(np.arange(4).reshape(2, 2), np.ones((9, 9), int))
    names = ("label", "area", "bbox")
    expected = ski.measure.regionprops_table(labels, properties=names)
    with use_backends("gpu"):
        table = ski.measure.regionprops_table(labels, properties=(name for name in names))
    assert difference(table, expected) == 0


IMAGE = np.random.default_rng(0).random((40, 40))
MASK = np.zeros((40, 40), bool)
MASK[5:30, 5:30] = True


@pytest.mark.parametrize(
    "call",
    [
        lambda mask: ski.segmentation.slic(IMAGE, 9, mask=mask, channel_axis=None),
        lambda mask: ski.measure.pearson_corr_coeff(IMAGE, IMAGE.T.copy(), mask),
        lambda mask: ski.measure.find_contours(IMAGE, 0.5, mask=mask),
        lambda mask: ski.segmentation.watershed(IMAGE, mask=mask),
        lambda mask: ski.filters.sobel(IMAGE, mask=mask),
    ],
    ids=["slic", "pearson_corr_coeff", "find_contours", "watershed", "sobel"],
)
@pytest.mark.parametrize("kind", ["masked array", "convertible", "h5py", "zarr", "tensor"])
def test_a_mask_of_another_kind_counts(call, kind):
    make, _ = KINDS[kind]
    try:
        with use_backends():
            expected = call(make(MASK))
    except Exception as error:
        with use_backends("gpu"), pytest.raises(type(error)):
            call(make(MASK))
        return
    with use_backends("gpu"):
        assert difference(call(make(MASK)), expected) == 0


def test_an_image_of_dask_with_a_mask_of_another_kind():
    lazy = dask.array.from_array(IMAGE, 20)
    for make in (np.ma.array, zarr_array, memory_map):
        with use_backends():
            expected = ski.filters.sobel(IMAGE, mask=np.asarray(make(MASK)))
        with use_backends("gpu"):
            np.testing.assert_allclose(ski.filters.sobel(lazy, mask=make(MASK)), expected)


def test_out_of_another_kind_is_written():
    small = IMAGE > 0.5
    expected = ski.morphology.remove_small_objects(small, max_size=9)
    out = np.ma.masked_array(np.ones_like(small))
    with use_backends("gpu"):
        ski.morphology.remove_small_objects(small, max_size=9, out=out)
    np.testing.assert_array_equal(np.asarray(out), expected)
