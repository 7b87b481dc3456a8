"""Functions of the `cupy` namespace: NumPy's results, CuPy's refusals, views and host copies."""

import cupy as cp
import numpy as np
import pytest

from cuda_simulator import counters

RNG = np.random.default_rng(0)
CUBE = RNG.random((4, 5, 6)).astype(np.float32)
LINE = RNG.random(60)
WHOLE = RNG.integers(0, 9, 50)


def same(ours, expected):
    if isinstance(expected, tuple | list):
        assert len(ours) == len(expected)
        for one, other in zip(ours, expected, strict=True):
            same(one, other)
        return
    assert type(ours) is cp.ndarray
    assert (ours.dtype, ours.shape) == (np.asarray(expected).dtype, np.shape(expected))
    np.testing.assert_allclose(ours.get(), expected, rtol=2e-6, atol=1e-12)


ONE_ARRAY = [
    ("flip", CUBE, (), {}),
    ("flip", CUBE, (), {"axis": (0, 2)}),
    ("fliplr", CUBE, (), {}),
    ("roll", CUBE, (2,), {}),
    ("roll", CUBE, ((1, -2),), {"axis": (0, 2)}),
    ("rot90", CUBE, (3,), {"axes": (1, 2)}),
    ("moveaxis", CUBE, ((0, 1), (-1, 0)), {}),
    ("rollaxis", CUBE, (2,), {}),
    ("transpose", CUBE, ((2, 0, 1),), {}),
    ("reshape", CUBE, ((-1, 6),), {}),
    ("expand_dims", CUBE, ((0, 2),), {}),
    ("tile", CUBE, ((2, 1, 1, 2),), {}),
    ("repeat", CUBE, (2, 1), {}),
    ("broadcast_to", CUBE, ((3, 4, 5, 6),), {}),
    ("atleast_3d", LINE, (), {}),
    ("array_split", LINE, (7,), {}),
    ("delete", CUBE, ([0, 2],), {"axis": 1}),
    ("resize", LINE, ((9, 9),), {}),
    ("pad", CUBE, (((1, 2), (0, 0), (3, 1)),), {"mode": "reflect"}),
    ("pad", WHOLE, (3,), {"mode": "linear_ramp", "end_values": -4}),
    ("diff", CUBE, (2,), {"axis": 0}),
    ("diff", LINE, (), {"prepend": 0.0, "append": 1.0}),
    ("gradient", LINE, (), {}),
    ("ediff1d", LINE, (), {}),
    ("clip", CUBE, (0.25, 0.75), {}),
    ("round", CUBE, (1,), {}),
    ("nan_to_num", np.array([np.nan, np.inf, 1], "f"), (), {"posinf": 7}),
    ("unwrap", LINE * 9, (), {}),
    ("trace", CUBE, (), {"axis1": 1, "axis2": 2}),
    ("trapezoid", LINE, (), {"dx": 0.5}),
    ("cumulative_sum", LINE, (), {"include_initial": True}),
    ("sort", CUBE, (), {"axis": 0}),
    ("argsort", WHOLE, (), {"kind": "stable"}),
    ("unique", WHOLE, (True, True, True), {}),
    ("unique", WHOLE.reshape(25, 2), (), {"axis": 0}),
    ("bincount", WHOLE, (), {"minlength": 20}),
    ("histogram", LINE, (20,), {"range": (0, 1)}),
    ("histogram", WHOLE, (), {}),
    ("histogram", LINE, ([0, 0.1, 0.5, 1],), {"density": True}),
    ("cov", CUBE[0], (), {}),
    ("corrcoef", LINE.reshape(3, 20), (), {}),
    ("packbits", WHOLE > 4, (), {}),
]


@pytest.mark.parametrize("name, host, args, kwargs", ONE_ARRAY)
def test_functions_of_one_array_give_numpys_values(name, host, args, kwargs):
    same(
        getattr(cp, name)(cp.asarray(host), *args, **kwargs),
        getattr(np, name)(host, *args, **kwargs),
    )


SEVERAL_ARRAYS = [
    ("concatenate", lambda xp, a: xp.concatenate([a, a], 1)),
    ("stack", lambda xp, a: xp.stack([a, a], axis=-1)),
    ("dstack", lambda xp, a: xp.dstack([a[0], a[1]])),
    ("column_stack", lambda xp, a: xp.column_stack([a[0, 0], a[1, 0]])),
    ("vstack", lambda xp, a: xp.vstack([a, a])),
    ("append", lambda xp, a: xp.append(a, [1, 2])),
    ("broadcast_arrays", lambda xp, a: xp.broadcast_arrays(a, a[:1])),
    ("searchsorted", lambda xp, a: xp.searchsorted(a[0, 0] ** 0 * xp.arange(6), a[0, 1] * 6)),
    ("digitize", lambda xp, a: xp.digitize(a, a[0, 0, :1].repeat(3))),
    ("isin", lambda xp, a: xp.isin(a, a[0])),
    ("lexsort", lambda xp, a: xp.lexsort(xp.stack([a[0, 0], a[1, 1].round()]))),
    ("interp", lambda xp, a: xp.interp(a, xp.arange(3) / 2, xp.arange(3) * 7)),
    ("convolve", lambda xp, a: xp.convolve(a[0, 0], a[1, 1, :3], "same")),
    ("correlate", lambda xp, a: xp.correlate(a[0, 0], a[1, 1, :3])),
    ("tensordot", lambda xp, a: xp.tensordot(a, a, ((0, 1), (0, 1)))),
    ("einsum", lambda xp, a: xp.einsum("ijk,ljk->il", a, a)),
    ("outer", lambda xp, a: xp.outer(a[0, 0], a[0, 1])),
    ("kron", lambda xp, a: xp.kron(a[0], a[1])),
    ("cross", lambda xp, a: xp.cross(a[..., :3], a[..., 3:])),
    ("histogramdd", lambda xp, a: xp.histogramdd(a[0, :, :2], bins=[3, 4])),
    ("histogram2d", lambda xp, a: xp.histogram2d(a[0, 0], a[0, 1], bins=3)),
    ("apply_along_axis", lambda xp, a: xp.apply_along_axis(lambda v: v[::2] * 2, 1, a)),
    ("apply_along_axis_reduced", lambda xp, a: xp.apply_along_axis(lambda v: v.max(), 0, a)),
    ("piecewise", lambda xp, a: xp.piecewise(a, [a < 0.2, a > 0.7], [1, 2, 3])),
    ("polyval", lambda xp, a: xp.polyval(a[0, 0], a[0, 1])),
]


@pytest.mark.parametrize("call", [c for _, c in SEVERAL_ARRAYS], ids=[n for n, _ in SEVERAL_ARRAYS])
def test_functions_of_several_arrays_give_numpys_values(call):
    same(call(cp, cp.asarray(CUBE)), call(np, CUBE))


REFUSED = [
    lambda: cp.roll(LINE, 1),
    lambda: cp.flip([1, 2]),
    lambda: cp.concatenate([cp.ones(2), np.ones(2)]),
    lambda: cp.column_stack([LINE, LINE]),
    lambda: cp.expand_dims(LINE, 0),
    lambda: cp.tensordot(cp.ones((2, 2)), np.ones((2, 2))),
    lambda: cp.bincount(cp.ones(3)),
    lambda: cp.clip(cp.ones(3), np.zeros(3), 1),
    lambda: cp.pad(LINE, 2),
    lambda: cp.trapezoid(LINE),
]


@pytest.mark.parametrize("call", REFUSED)
def test_host_arrays_are_refused_where_cupy_refuses_them(call):
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize(
    "call, copies",
    [
        (lambda d: cp.allclose(d, LINE), 1),
        (lambda d: cp.atleast_1d([1, 2]), 1),
        (lambda d: cp.diff(LINE), 1),
        (lambda d: cp.hstack([[1], [2]]), 2),
        (lambda d: cp.roll(d, 3), 0),
        (lambda d: cp.histogram(d, range=(0, 1)), 0),
    ],
)
def test_what_cupy_takes_from_the_host_is_counted_as_a_copy(call, copies):
    device = cp.asarray(LINE)
    with counters.counting() as counts:
        call(device)
    assert counts.to_device == copies
    assert counts.to_host == 0


@pytest.mark.parametrize(
    "view",
    [
        lambda d: cp.flip(d, 0),
        lambda d: cp.moveaxis(d, 0, -1),
        lambda d: cp.rot90(d),
        lambda d: cp.expand_dims(d, 0),
        lambda d: cp.split(d, 2)[0],
        lambda d: cp.broadcast_to(d, (2, *d.shape)),
        lambda d: cp.lib.stride_tricks.sliding_window_view(d, (2, 2, 2)),
    ],
)
def test_views_share_the_memory_and_launch_nothing(view):
    device = cp.asarray(CUBE)
    with counters.counting() as counts:
        result = view(device)
    assert counts.launches == counts.allocations == 0
    assert cp.may_share_memory(result, device)


def test_answers_stay_on_the_device():
    device = cp.asarray(CUBE)
    for answer in (cp.allclose(device, device), cp.array_equal(device, device)):
        assert type(answer) is cp.ndarray
        assert answer.shape == ()
        assert bool(answer)
    assert not cp.array_equal(device, device[0])
    assert cp.iscomplexobj(device) is False


def test_pad_calls_a_function_with_views_on_the_device():
    def ends(vector, width, axis, kwargs):
        assert type(vector) is cp.ndarray
        vector[: width[0]] = kwargs["value"]
        vector[vector.size - width[1] :] = axis

    padded = cp.pad(cp.ones((2, 2)), ((1, 1), (2, 0)), ends, value=9)
    host = np.pad(
        np.ones((2, 2)),
        ((1, 1), (2, 0)),
        lambda v, w, a, k: (
            v.__setitem__(slice(0, w[0]), 9),
            v.__setitem__(slice(v.size - w[1], None), a),
        ),
    )
    same(padded, host)


def test_copyto_with_a_mask_changes_the_array_itself():
    target = cp.zeros((3, 3))
    cp.copyto(target, 4, where=cp.eye(3) > 0)
    same(target, np.eye(3) * 4)
    with pytest.raises(ValueError, match="non-scalar"):
        cp.copyto(target, np.ones((3, 3)))


def test_the_last_edge_belongs_to_the_last_bin_and_elements_outside_to_none():
    edges = cp.array([0.0, 1.0, 2.0])
    counts, returned = cp.histogram(cp.array([-1.0, 0.0, 1.0, 2.0, 3.0, np.nan]), edges)
    assert counts.get().tolist() == [1, 2]
    same(returned, np.array([0.0, 1.0, 2.0]))


def test_a_histogram_of_weights_sums_them():
    weights = cp.asarray(LINE[:50])
    same(cp.histogram(cp.asarray(WHOLE), weights=weights), np.histogram(WHOLE, weights=LINE[:50]))
    same(cp.bincount(cp.asarray(WHOLE), weights), np.bincount(WHOLE, LINE[:50]))


def test_files_round_trip(tmp_path):
    device = cp.asarray(CUBE)
    cp.save(tmp_path / "a.npy", device)
    same(cp.load(tmp_path / "a.npy"), CUBE)
    cp.savez(tmp_path / "a.npz", first=device)
    with cp.load(tmp_path / "a.npz") as loaded:
        same(loaded["first"], CUBE)


def test_a_table_of_256_entries_is_looked_up_with_bytes():
    levels = np.arange(256, dtype=np.uint8)
    same(cp.asarray(levels[::-1].copy())[cp.asarray(levels)], levels[::-1])


def test_bounds_of_a_slice_may_lie_on_the_device():
    device = cp.asarray(LINE)
    same(device[cp.searchsorted(cp.arange(9), 4) :], LINE[4:])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.corrcoef(xp.zeros((2, 5))),
        lambda xp: xp.histogram(xp.zeros(0), density=True)[0],
        lambda xp: xp.gradient(xp.asarray([1e308, -1e308, 1e308])),
        lambda xp: xp.tensordot(xp.full((1, 2), 1e200), xp.full((2, 1), 1e200), 1),
        lambda xp: xp.linalg.norm(xp.full((2, 2), 1e200), axis=0),
    ],
)
def test_division_by_zero_and_overflow_give_no_warning(call):
    """A GPU notices neither."""
    assert not cp.isfinite(call(cp)).all()


@pytest.mark.parametrize("dtype", "efdFD")
@pytest.mark.parametrize("name", ["sum", "mean", "std", "cumsum"])
def test_a_column_is_summed_like_an_array_of_its_own(name, dtype):
    columns = cp.asarray(RNG.random((999, 3)).astype(dtype))
    reduced = getattr(columns, name)(axis=0)[..., 1]
    np.testing.assert_array_equal(reduced.get(), getattr(columns[:, 1].copy(), name)().get())
