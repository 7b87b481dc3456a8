"""`cupy.ndarray` and functions: NumPy's results, and CuPy's refusals."""

import operator
import pickle

import cupy as cp
import numpy as np
import pytest
import skimage

HOST = np.random.default_rng(0).random((4, 5, 6)).astype(np.float32)


@pytest.fixture
def device():
    return cp.asarray(HOST)


def same(ours, expected):
    assert type(ours) is cp.ndarray
    assert ours.dtype == np.asarray(expected).dtype
    assert ours.shape == np.shape(expected)
    np.testing.assert_array_equal(ours.get(), expected)


@pytest.mark.parametrize("convert", [np.asarray, np.array, np.asanyarray, skimage.img_as_float])
def test_an_implicit_conversion_is_refused(device, convert, monkeypatch):
    monkeypatch.setenv("SKIMAGE_NO_DISPATCHING", "1")  # scikit-image itself is asked
    with pytest.raises(TypeError, match="Implicit conversion to a NumPy array is not allowed"):
        convert(device)


BINARY = [operator.add, operator.mul, operator.lt, operator.eq, operator.pow, operator.truediv]


@pytest.mark.parametrize("function", [*BINARY, np.add, np.hypot])
@pytest.mark.parametrize("other", [HOST, [1, 2, 3, 4, 5, 6]])
def test_numpy_arrays_and_lists_are_no_operands(device, function, other):
    with pytest.raises(TypeError, match="Unsupported type"):
        function(device, other)
    if isinstance(other, np.ndarray):
        with pytest.raises(TypeError, match=r"Unsupported type <class 'numpy\.ndarray'>"):
            function(other, device)


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("other", [2, 0.5, True, np.float32(3), np.float64(3), np.int8(2)])
def test_operators_with_scalars_give_numpys_values_and_dtypes(device, function, other):
    same(function(device, other), function(HOST, other))
    same(function(other, device), function(other, HOST))


@pytest.mark.parametrize("function", BINARY)
def test_operators_between_arrays(device, function):
    same(function(device, device[:1] * 2), function(HOST, HOST[:1] * 2))


def test_in_place_operators_change_the_array_itself(device):
    pointer, expected = device.data.ptr, HOST.copy()
    device += 1
    device *= device
    expected += 1
    expected *= expected
    same(device, expected)
    assert device.data.ptr == pointer


def test_zero_dimensional_results_stay_on_the_device(device):
    for ours, expected in (
        (device.sum(), HOST.sum()),
        (device[1, 2, 3], HOST[1, 2, 3]),
        (device.max(), HOST.max()),
        (cp.sqrt(device.mean()), np.sqrt(HOST.mean())),
    ):
        same(ours, expected)
        assert ours.ndim == 0
    assert float(device[0, 0, 0]) == HOST[0, 0, 0]
    assert isinstance(device.any().item(), bool)
    assert bool(device.any()) and not bool(device[0, 0, 0] < 0)


INDICES = [
    np.s_[1],
    np.s_[1:3, ::-1],
    np.s_[..., 2],
    np.s_[None, :, 3],
    np.s_[[0, 2]],
    np.s_[1, 2, 3],
    np.s_[::2, 1:4:2, ::-2],
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indices_read_and_write_as_numpys(device, index):
    same(device[index], HOST[index])
    expected = HOST.copy()
    expected[index] = 7
    device[index] = 7
    same(device, expected)


def test_device_arrays_are_indices(device):
    same(device[device > 0.5], HOST[HOST > 0.5])
    same(device[cp.asarray(np.array([2, 0]))], HOST[[2, 0]])


def test_slices_are_views_of_the_same_memory(device):
    part = device[1:, 2]
    part[...] = -1
    assert (device.get()[1:, 2] == -1).all()
    assert cp.may_share_memory(part, device)
    assert cp.shares_memory(part, device)
    assert not cp.may_share_memory(part, device.copy())
    assert part.data.ptr - device.data.ptr == HOST[1:, 2].ctypes.data - HOST.ctypes.data
    assert part.strides == HOST[1:, 2].strides


def test_numpy_values_are_not_assigned_by_accident(device):
    with pytest.raises(ValueError, match=r"non-scalar numpy\.ndarray cannot be used for fill"):
        device[...] = HOST
    device.set(HOST + 1)
    same(device, HOST + 1)


FUNCTIONS = [
    lambda xp, a: xp.moveaxis(a, 0, -1),
    lambda xp, a: xp.stack([a, a], axis=1),
    lambda xp, a: xp.concatenate((a, a[:1])),
    lambda xp, a: xp.where(a > 0.5, a, 0),
    lambda xp, a: xp.minimum(a, 0.5),
    lambda xp, a: xp.maximum(a, a[::-1]),
    lambda xp, a: xp.clip(a, 0.2, 0.7),
    lambda xp, a: xp.abs(-a),
    lambda xp, a: xp.isnan(a),
    lambda xp, a: xp.sqrt(a),
    lambda xp, a: xp.nonzero(a > 0.9)[2],
    lambda xp, a: xp.argmax(a, axis=1),
    lambda xp, a: xp.zeros_like(a),
    lambda xp, a: xp.full_like(a, 3, dtype=np.uint8),
    lambda xp, a: xp.ones((2, 3), np.int16),
    lambda xp, a: xp.arange(2, 20, 3),
    lambda xp, a: xp.linspace(0, 1, 7),
    lambda xp, a: xp.full((2, 2), 7.5),
    lambda xp, a: a.astype(np.float64).T.ravel(),
    lambda xp, a: a.reshape(2, -1).cumsum(axis=1),
    lambda xp, a: a.swapaxes(0, 2)[::-1].copy(),
    lambda xp, a: xp.unique(xp.round(a, 1)),
    lambda xp, a: xp.histogram(a, bins=5)[0],
    lambda xp, a: xp.ascontiguousarray(a.T),
    lambda xp, a: xp.allclose(a, a),
    lambda xp, a: xp.array_equal(a, a + 1),
    lambda xp, a: xp.asarray([1.5, 2.5]),
    lambda xp, a: a.view(np.uint32),
    lambda xp, a: abs(-a) // 0.1 % 3,
    lambda xp, a: ~(a > 0.5) & (a < 0.9),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_give_what_numpys_give(device, function):
    same(function(cp, device), function(np, HOST))


def test_numpys_functions_go_to_the_device_ones(device):
    same(np.sqrt(device), np.sqrt(HOST))
    same(np.concatenate([device, device]), np.concatenate([HOST, HOST]))
    same(np.float64(2) * device, np.float64(2) * HOST)
    assert (np.float64(0.5) > device).dtype == bool


def test_copies_between_host_and_device(device):
    assert cp.get_array_module(device) is cp
    assert cp.get_array_module(HOST) is np
    fetched = device.get()
    fetched[...] = 0
    same(device, HOST)
    np.testing.assert_array_equal(cp.asnumpy(device), HOST)
    assert cp.asarray(device) is device
    assert cp.array(device) is not device
    same(pickle.loads(pickle.dumps(device)), HOST)
    assert repr(device) == repr(HOST)
    assert device.__cuda_array_interface__["shape"] == (4, 5, 6)
    assert [float(row[0, 0]) for row in device] == HOST[:, 0, 0].tolist()
    assert len(device) == 4


@pytest.mark.parametrize(
    "array", [HOST.T, HOST[::-1], HOST[:, 1:3], HOST[:0], HOST[0, 0, 0], HOST[..., ::-2]]
)
def test_any_layout_comes_to_the_device(array):
    same(cp.asarray(array), array)
    same(cp.ascontiguousarray(cp.asarray(array)), np.ascontiguousarray(array))


@pytest.mark.parametrize(
    "array", [np.array(["a"]), np.zeros(2, object), np.zeros(2, np.longdouble)]
)
def test_dtypes_that_no_device_has_are_refused(array):
    with pytest.raises(ValueError, match="Unsupported dtype"):
        cp.asarray(array)


def test_big_endian_arrays_come_to_the_device_in_the_order_that_it_has():
    same(cp.asarray(HOST.astype(">f4")), HOST)
    with pytest.raises(ValueError, match="Unsupported dtype >f4 with big-endian byte-order"):
        cp.empty(3, ">f4")


def test_random_arrays():
    generator = cp.random.default_rng(0)
    assert generator.random((2, 3)).shape == (2, 3)
    assert cp.random.randint(0, 5, (100,)).get().max() < 5
    assert type(cp.random.random(3)) is cp.ndarray


def test_records_have_memory_but_no_arithmetic():
    pairs = np.dtype([("x", "i2"), ("y", "i2")])
    device = cp.zeros((3, 2), np.int16).view(pairs)
    assert cp.zeros_like(device).dtype == cp.empty(4, pairs).dtype == pairs
    with pytest.raises(ValueError, match="Unsupported dtype"):
        cp.asarray(np.zeros(3, pairs))
