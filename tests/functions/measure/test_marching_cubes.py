"""Surfaces are scikit-image's: places, faces and values to the last bit, normals too.

Normals are scaled by a power of 0.5 in scikit-image, which its C library need not round as a root.
"""

import itertools
import os

import numpy as np
import pytest
from skimage import data
from skimage.measure import marching_cubes

import cuda_simulator
from skimage_gpu_backend.functions.measure import _cube_tables
from skimage_gpu_backend.functions.measure import marching_cubes as room
from tests.functions.images import DTYPES, noise
from tests.upstream import upstream

luts = upstream("measure._marching_cubes_lewiner_luts")

RNG = np.random.default_rng(41)
KEEPS_SUBNORMAL = cuda_simulator.active() and "flush" not in os.environ.get(
    "CUDA_SIMULATOR_ROUNDING", ""
)
CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=8))).reshape(-1, 2, 2, 2)
ALL, HARD = range(256), (0b01011010, 0b10100101, 0b01101001, 0b10010110)  # four corners above
TIES = np.array([-1, 0, 0, 0.5, 1])
SPECIAL = np.array([-np.inf, -1, 0, 0.5, 1, 1e-30, np.inf, np.nan])
SHAPES = [(2, 2, 2), (2, 2, 40), (40, 2, 3), (3, 33, 2), (9, 13, 21)]
METHODS = "lewiner", "lorensen"


def same(run, volume, *args, **kwargs):
    with np.errstate(all="ignore"):
        expected = marching_cubes(volume, *args, **kwargs)
        result = run(marching_cubes, volume, *args, **kwargs)
    assert [array.dtype for array in result] == [array.dtype for array in expected]
    for place, (ours, theirs) in enumerate(zip(result, expected, strict=True)):
        if place == 2:
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)
        else:
            np.testing.assert_array_equal(ours, theirs)
    return result


def cells(values):
    """Volumes of one cell each, side by side, apart from each other."""
    count = len(values)
    apart = np.full((3, 3, 3 * count), -1.0)
    apart[:2, :2].reshape(2, 2, count, 3)[..., :2] = np.moveaxis(values, 0, 2)
    return apart


def test_each_kind_of_cell_and_nearly_each_outcome_of_its_tests(gpu, monkeypatch):
    seen, emit, rng = set(), room._Surface.vertices, np.random.default_rng(1)

    def told(surface):
        seen.update(np.unique(surface._found.get()).tolist())
        return emit(surface)

    monkeypatch.setattr(room._Surface, "vertices", told)
    for choice in (ALL, ALL, HARD):
        values = CORNERS[rng.choice(choice, 10_000)]
        same(gpu, cells(values * 10 ** rng.uniform(-2, 0, values.shape)), 0)
    same(gpu, cells(rng.choice(TIES, (10_000, 2, 2, 2))), 0)
    assert len(seen) > 620  # of 730, of which 73 were not seen in a hundred thousand cells
    same(gpu, cells(CORNERS), 0, method="lorensen")


def test_all_tilings_of_scikit_image_are_known():
    tables, tilings = _cube_tables.tables(False)
    made = tables[tilings:].view(_cube_tables._TILING)
    rows = sum(
        np.prod(getattr(luts, name)[0][:-1]) for name in dir(luts) if name.startswith("TILING")
    )
    outcomes = tables[256 * 8 : tilings].view(_cube_tables._OUTCOME)
    named = np.unique(np.r_[outcomes["yes"], outcomes["no"]])
    assert rows <= len(made) - 2
    assert set(range(len(made))) == set(named)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_and_step(gpu, shape):
    volume = noise(RNG, shape)
    for step in {1, 2, min(shape) - 1} & set(range(1, min(shape))):
        seen = volume[::step, ::step, ::step]
        level = (seen[0, 0, 0] + seen[1, 1, 1]) / 2
        for method in METHODS:
            same(gpu, volume, step_size=step, method=method, level=level)


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_layout(gpu_of_each_kind, dtype):
    volume = noise(RNG, (8, 9, 10), dtype)
    for each in (volume, volume.T[::2, ::-1], np.asfortranarray(volume)):
        same(gpu_of_each_kind, each)
        mask = noise(RNG, each.shape, "bool").T.copy().T
        same(gpu_of_each_kind, each, mask=mask, allow_degenerate=False)


@pytest.mark.parametrize("mask_dtype", ["bool", "uint8", "int8"])
def test_masks(gpu_of_each_kind, mask_dtype):
    volume = noise(RNG, (12, 13, 14))
    mask = RNG.integers(0, 3, volume.shape).astype(mask_dtype)
    for step in (1, 2):
        same(gpu_of_each_kind, volume, mask=mask, step_size=step)


def test_spacing_of_any_type(gpu_of_each_kind):
    volume = noise(RNG, (6, 7, 8))
    spacings = [(1, 1, 2), [0.5, 1, 1e-3], np.array([1, 2, 3]), np.float32([0.1, 1, 2])]
    spacings += [(True, True, True), (1, 1, 1), (np.float32(0.1),) * 3, (0, -1, np.inf)]
    for spacing, direction in itertools.product(spacings, ("descent", "ascent")):
        same(gpu_of_each_kind, volume, spacing=spacing, gradient_direction=direction)
        same(gpu_of_each_kind, volume, spacing=spacing, allow_degenerate=False)


@pytest.mark.parametrize("case", range(8))
def test_triangles_without_an_area(gpu, case):
    """Their vertices are made one in the order of triangles, around each corner at the level."""
    volume = RNG.choice(TIES, (11, 9, 10)) if case % 2 else RNG.integers(0, 4, (9, 10, 11))
    method, direction = METHODS[case // 2 % 2], ("descent", "ascent")[case // 4]
    level = 0 if case % 2 else 2
    options = {"method": method, "gradient_direction": direction, "allow_degenerate": False}
    vertices, *_ = same(gpu, volume, level, **options)
    assert len(vertices) < len(marching_cubes(volume, level, method=method)[0])
    same(gpu, volume + 0.25, level, **options)  # none
    same(gpu, volume, level, **options, spacing=(1e-10, 1, 1e30))


def test_values_that_are_not_finite_or_far_apart(gpu):
    for level in (None, 0, 0.5, -1, np.inf):
        for _ in range(5):
            volume = RNG.choice(SPECIAL, (7, 8, 9))
            volume[0, 0, 0] = 0 if level is None else np.nan
            try:
                marching_cubes(volume, level)
            except RuntimeError as error:
                with pytest.raises(RuntimeError, match=str(error)):
                    gpu(marching_cubes, volume, level)
            else:
                same(gpu, volume, level)
    for scale in (1e-30, 1e-20, 1e37):
        same(gpu, np.float32(RNG.random((7, 8, 9)) - 0.5) * np.float32(scale), 0)


def test_subnormal_numbers(gpu):
    volume = np.float32(RNG.random((7, 8, 9)) - 0.5)
    for options in ({}, {"allow_degenerate": False}):
        same(gpu, volume * np.float32(1e-40), 0, **options)
    same(gpu, volume, 0, spacing=(1e-40, 1, 1))


@pytest.mark.skipif(not KEEPS_SUBNORMAL, reason="CuPy's own kernels take them for 0")
def test_subnormal_numbers_that_are_single_again(gpu):
    volume = np.float32(RNG.random((7, 8, 9)) - 0.5)
    same(gpu, volume, 0, spacing=(1e-40, 1, 1), allow_degenerate=False)


def test_cells_of_which_scikit_image_prints_that_they_are_impossible(gpu, capsys):
    rng = np.random.default_rng(2)
    for far in (np.inf, 1e20):
        values = CORNERS[rng.choice(HARD[2:], 10_000)]
        above = rng.choice([1, far, 1e-20], values.shape)
        below = rng.choice([-1, -far, -1e-20, 0], values.shape)
        volume = cells(np.where(values > 0, above, below))
        same(gpu, volume, 0)
        capsys.readouterr()
        marching_cubes(volume, 0)
        expected = capsys.readouterr().out
        assert "Impossible" in expected
        gpu(marching_cubes, volume, 0)
        assert capsys.readouterr().out == expected


def test_levels_of_the_range_s_ends(gpu):
    volume = RNG.random((7, 8, 9), "float32")
    low, high = volume.min(), volume.max()
    same(gpu, volume, low)
    same(gpu, volume, 0.1 + float(low), method="lorensen")
    for level in (np.nextafter(low, -1), 2.0, 1e300, -np.inf):
        with pytest.raises(ValueError, match="within volume data range"):
            gpu(marching_cubes, volume, level)
    for level in (high, np.nan):
        with pytest.raises(RuntimeError, match="No surface found"):
            gpu(marching_cubes, volume, level)
    with pytest.raises(RuntimeError, match="No surface found"):
        gpu(marching_cubes, volume, step_size=9)
    same(gpu, np.int64(RNG.random((7, 8, 9)) * 2**62), float(np.nextafter(2.0**61, 0)))


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    volume = noise(RNG, (5, 6, 7))
    fixed = np.float32(volume)
    fixed.flags.writeable = False
    refused = [(volume[0], {}), (volume[:1], {}), (fixed, {})]
    options = {"method": "no"}, {"gradient_direction": 3}, {"step_size": 0}, {"spacing": (1, 2)}
    options += {"mask": volume[:3] > 0}, {"mask": volume}, {"mask": [1]}, {"step_size": 10**40}
    refused += [(volume, each) for each in options]
    for wrong, arguments in refused:
        with pytest.raises((ValueError, AttributeError, OverflowError)):
            marching_cubes(wrong, **arguments)
        assert gpu.invalid(marching_cubes, wrong, **arguments)
    assert "level" in gpu.declined(marching_cubes, volume, "0.5")
    assert "spacing" in gpu.declined(marching_cubes, volume, spacing=(1, 2, "3"))


def test_launches_and_bytes(gpu, counting):
    smooth = data.binary_blobs(32, n_dim=3, rng=1).astype("float32")
    for volume, times in ((smooth, 16), (noise(RNG, (32, 32, 32), "float32"), 20)):
        for options, launches in (({}, 7), ({"spacing": (1, 1, 2)}, 8)):
            gpu(marching_cubes, volume, **options)
            with counting() as counts:
                vertices, faces, *_ = gpu(marching_cubes, volume, **options)
            assert counts.launches == launches
            if not options:
                made = 28 * len(vertices) + 12 * len(faces)
                assert counts.kernel_bytes_written <= made + 22 * volume.size
                assert counts.kernel_bytes_read <= times * volume.nbytes


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        for volume in (noise(RNG, (9, 13, 21)), RNG.choice(TIES, (9, 13, 21))):
            for flat in (True, False):
                same(gpu, volume, allow_degenerate=flat)
