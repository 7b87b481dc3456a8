"""`cupy.ndarray`: layout, memory, protocols, and what it refuses."""

import copy
import operator
import pickle

import cupy as cp
import numpy as np
import pytest

from cuda_simulator import counters

HOST = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.fixture
def device():
    return cp.asarray(HOST)


def test_flags_tell_layout_and_owner(device):
    flags = device.flags
    assert (flags.c_contiguous, flags.f_contiguous, flags.owndata) == (True, False, True)
    assert flags["C_CONTIGUOUS"] and not flags["F_CONTIGUOUS"] and flags["OWNDATA"]
    assert device.T.flags.fnc and device.T.flags.forc and not device.T.flags.owndata
    assert not device[:, ::2].flags.forc
    assert "OWNDATA : True" in str(flags)
    with pytest.raises(KeyError, match="WRITEABLE is not defined"):
        flags["WRITEABLE"]


def test_the_base_of_a_view_is_the_owner_of_the_memory(device):
    assert device.base is None
    assert device[1:].base is device
    assert device[1:].T.reshape(-1, 2)[0].copy().base is None
    assert device[1:][0].base is device


def test_an_array_over_memory_that_somebody_else_owns():
    owner = np.arange(12.0)
    memory = cp.cuda.UnownedMemory(owner.ctypes.data, owner.nbytes, owner, 0)
    pointer = cp.cuda.MemoryPointer(memory, 16)
    array = cp.ndarray((2, 3), float, pointer, strides=(8, 16))
    np.testing.assert_array_equal(array.get(), [[2, 4, 6], [3, 5, 7]])
    array[0, 1] = -1
    assert owner[4] == -1
    assert array.data.ptr == owner.ctypes.data + 16
    fortran = cp.ndarray((2, 3), float, pointer, order="F")
    assert fortran.strides == (8, 16)
    assert cp.ndarray((2, 3), float, pointer).strides == (24, 8)


def test_objects_with_the_cuda_array_interface_share_their_memory(device):
    class Foreign:
        __cuda_array_interface__ = device[:, 1].__cuda_array_interface__

    shared = cp.asarray(Foreign())
    np.testing.assert_array_equal(shared.get(), HOST[:, 1])
    shared[...] = 5
    assert (device[:, 1] == 5).all()
    assert (cp.asarray(Foreign()) + Foreign()).get()[0, 0] == 10


def test_dlpack_shares_the_memory_of_device_arrays_and_refuses_the_host(device):
    shared = cp.from_dlpack(device)
    shared[0] = 3
    assert (device[0] == 3).all()
    with pytest.raises(TypeError, match="CPU arrays cannot be directly imported"):
        cp.from_dlpack(HOST)


def test_shape_real_and_imaginary_parts_can_be_set():
    array = cp.zeros((2, 3), np.complex64)
    array.shape = (3, 2)
    array.real = 1
    array.imag = cp.arange(6).reshape(3, 2)
    np.testing.assert_array_equal(array.get(), (1 + 1j * np.arange(6)).reshape(3, 2))
    with pytest.raises(TypeError, match="does not have imaginary part to set"):
        cp.zeros(3).imag = 1
    real = cp.ones(3)
    assert real.real is real
    assert (real.imag == 0).all()


def test_copies_are_independent_and_keep_their_order(device):
    for other in (copy.copy(device), copy.deepcopy(device), pickle.loads(pickle.dumps(device))):
        other[...] = 0
        np.testing.assert_array_equal(device.get(), HOST)
    assert device.T.copy().flags.c_contiguous
    assert device.T.copy("F").flags.f_contiguous
    assert device.T.astype(float).flags.f_contiguous
    kept = device.transpose(1, 0, 2).astype(float)
    assert kept.strides == HOST.transpose(1, 0, 2).astype(float).strides
    assert device.astype(np.float32, copy=False) is device
    assert device.astype(np.float32, "F", copy=False) is not device


def test_none_and_strings_are_compared_as_in_cupy(device):
    assert not (device == None).any()  # noqa: E711
    assert (device != None).all()  # noqa: E711
    for compare in (operator.eq, operator.lt, operator.add):
        with pytest.raises(TypeError, match="Unsupported type <class 'str'>"):
            compare(device, "x")
    with pytest.raises(TypeError):
        device < None  # noqa: B015


def test_operands_with_precedence_answer_themselves(device):
    class Sparse:
        __array_priority__ = 101

        def __radd__(self, other):
            return "sparse"

        __rmatmul__ = __radd__

    class Opaque(Sparse):
        __array_ufunc__ = None
        __array_priority__ = 0

    for other in (Sparse(), Opaque()):
        assert device + other == "sparse"
        assert device @ other == "sparse"


def test_what_numpy_arrays_can_and_device_arrays_cannot(device):
    with pytest.raises(TypeError):
        range(cp.asarray(3))
    with pytest.raises(TypeError, match="positional argument"):
        device.item(0)
    with pytest.raises(TypeError, match="casting is not supported yet"):
        device.astype(int, casting="safe")
    with pytest.raises(TypeError, match="unhashable"):
        hash(device)
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(device[0, 0, 0])
    with pytest.raises(ValueError, match="ambiguous"):
        bool(device)
    with pytest.raises(ValueError, match="Unable to avoid creating a copy"):
        device.T.reshape(-1, copy=False)


@pytest.mark.parametrize("value", [HOST[0], [1, 2, 3, 4], (1, 2, 3, 4)])
@pytest.mark.parametrize("index", [np.s_[...], np.s_[0], np.s_[0, 1:]])
def test_slices_take_scalars_and_device_arrays_only(device, index, value):
    with pytest.raises(ValueError, match=r"non-scalar numpy\.ndarray cannot be used for fill"):
        device[index] = value


def test_copies_to_the_host_are_counted_and_their_target_checked(device):
    target = np.empty_like(HOST)
    with counters.counting() as counts:
        assert device.get(out=target) is target
        float(device[0, 0, 1])
    assert (counts.to_host, counts.bytes_to_host) == (2, HOST.nbytes + 4)
    with pytest.raises(TypeError, match="float64 array cannot be obtained from float32 array"):
        device.get(out=np.empty(HOST.shape))
    with pytest.raises(ValueError, match="Shape mismatch"):
        device.get(out=np.empty(3, np.float32))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("f4", "u1", [0, 44, 255, 0, 255, 0]),
        ("f4", "i1", [-1, 44, -1, 0, -1, 0]),
        ("f4", "i4", [-1, 300, 2**31 - 1, -(2**31), 2**31 - 1, 0]),
        ("f4", "u4", [0, 300, 2**32 - 1, 0, 2**32 - 1, 0]),
        ("f8", "i8", [-1, 300, 2**63 - 1, -(2**63), 2**63 - 1, -(2**63)]),
        ("f8", "u8", [0, 300, 2**64 - 1, 0, 2**64 - 1, 2**63]),
    ],
)
def test_floats_out_of_range_become_integers_as_on_a_gpu(source, target, expected):
    values = np.array([-1.5, 300.7, 1e30, -1e30, np.inf, np.nan], source)
    array = cp.asarray(values)
    converted = np.array(expected, object).astype(target)
    np.testing.assert_array_equal(array.astype(target).get(), converted)
    assigned = cp.zeros(6, target)
    assigned[...] = array
    np.testing.assert_array_equal(assigned.get(), converted)


def test_methods_that_change_the_array_itself():
    array = cp.asarray([3, 1, 2])
    assert array.sort() is None
    assert array.tolist() == [1, 2, 3]
    array.put([0, -1], cp.asarray([7, 8]))
    assert array.tolist() == [7, 2, 8]
    array.partition(0)
    assert array.tolist()[0] == 2
    array.scatter_add(cp.asarray([1, 1]), cp.asarray([5, 6]))
    array.fill(cp.asarray(4))
    assert array.tolist() == [4, 4, 4]
    with pytest.raises(ValueError, match="kind can only be None or 'stable'"):
        array.sort(kind="quicksort")
    with pytest.raises(ValueError, match="non-scalar"):
        array.fill(np.ones(3))


def test_scattered_additions_all_arrive():
    array = cp.zeros(3, int)
    array.scatter_add(cp.asarray([1, 1, 2]), 5)
    cp.add.at(array, cp.asarray([2, 2]), cp.asarray([1, 2]))
    assert array.tolist() == [0, 10, 8]
    cp.maximum.at(array, cp.asarray([0, 0]), cp.asarray([9, 4]))
    assert array.tolist() == [9, 10, 8]


def test_flat_reads_and_writes_in_c_order(device):
    flipped = device[:, ::-1]
    expected = HOST[:, ::-1].copy()
    assert float(flipped.flat[5]) == expected.flat[5]
    flipped.flat[::5] = -1
    expected.flat[::5] = -1
    np.testing.assert_array_equal(flipped.get(), expected)
    assert [float(x) for x in flipped.flat] == expected.ravel().tolist()
    with pytest.raises(IndexError, match="unsupported iterator index"):
        flipped.flat[[0]]


@pytest.mark.parametrize(
    "call",
    [
        lambda a: a.take([3, -1]),
        lambda a: a.take(np.array([[0, 2]]), axis=1),
        lambda a: a.compress([True, False, True], axis=1),
        lambda a: a.repeat(2, axis=0),
        lambda a: a.clip(3, 7),
        lambda a: a.clip(3),
        lambda a: a.diagonal(axis1=1, axis2=2),
        lambda a: a.trace(axis1=1, axis2=2),
        lambda a: a.argsort(axis=1),
        lambda a: (a / 7).round(1),
        lambda a: a.squeeze(),
        lambda a: a.mT,
        lambda a: a.view(np.int16),
        lambda a: a.byteswap(),
        lambda a: a.ptp(axis=0) if hasattr(a, "ptp") else np.ptp(a, axis=0),
        lambda a: a.conj(),
    ],
)
def test_methods_give_what_numpys_give(device, call):
    result, expected = call(device), call(HOST)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.get(), expected)
