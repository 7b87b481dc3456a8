"""skimage.graph.pixel_graph: the sparse matrix is scikit-image's, to the last bit and type."""

import cupy as cp
import numpy as np
import pytest
from skimage import data, graph, morphology

from skimage_gpu_backend.trouble import Declined
from tests.functions.images import INTEGERS

RNG = np.random.default_rng(37)
MASK = data.horse()[100:150, 100:170] == 0
SHAPES = [
    (50,),
    (1, 9),
    (9, 1),
    (1, 1),
    (20, 31),
    (5, 6, 7),
    (3, 1, 5, 3),
    (2, 1, 3, 1, 2, 2, 1, 2),
]


def same(run, *args, **options):
    expected, theirs = graph.pixel_graph(*args, **options)
    found, ours = run(graph.pixel_graph, *args, **options)
    assert type(found) is type(expected)
    assert found.shape == expected.shape
    for name in ("data", "indices", "indptr"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, err_msg=name)
    assert found.has_canonical_format == expected.has_canonical_format
    assert type(ours) is type(theirs)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
    return found


@pytest.mark.parametrize("connectivity", [0, 1, 1.5, 2, 3, 9])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_and_connectivity(gpu, shape, connectivity):
    mask, image = RNG.random(shape) < 0.6, RNG.random(shape)
    mask.flat[0] = True
    options = {"connectivity": connectivity, "sparse_type": "array"}
    same(gpu, mask, **options)
    same(gpu, image, **options)
    same(gpu, image, mask=mask, **options)
    same(gpu, mask, mask=image > 0, **options)


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool", "float32", "float64"])
def test_differences_wrap_and_round_in_any_dtype(gpu, dtype):
    if np.dtype(dtype).kind in "iu":
        ends = np.iinfo(dtype)
        image = RNG.choice(np.array([ends.min, ends.min + 1, 0, 3, ends.max], dtype), (20, 31))
    else:
        image = (RNG.normal(size=(20, 31)) * 10.0 ** RNG.integers(-9, 9, (20, 31))).astype(dtype)
    same(gpu, image, connectivity=2, spacing=(0.3, 1.7))


@pytest.mark.parametrize("spacing", [(1, 2), [0.1, 3], np.array([2, 5], np.uint8), (-1, 0.5)])
def test_spacing(gpu, spacing):
    same(gpu, MASK, connectivity=2, spacing=spacing)


def test_any_layout(gpu):
    image = RNG.random(MASK.shape)
    for change in (np.asfortranarray, lambda array: array[::-1, ::2]):
        same(gpu, change(image), mask=change(MASK))


def test_device_arrays_give_nodes_there_and_the_matrix_on_the_host(gpu, enabled):
    expected, nodes = graph.pixel_graph(MASK)
    found, ours = gpu._decide(graph.pixel_graph, (cp.asarray(MASK),), {}).run()
    assert type(found) is type(expected)
    assert (found != expected).nnz == 0
    assert type(ours) is cp.ndarray
    np.testing.assert_array_equal(ours.get(), nodes)


def test_a_graph_goes_on_to_the_central_pixel(gpu):
    skeleton = morphology.skeletonize(MASK)
    found, nodes = gpu(graph.pixel_graph, skeleton, connectivity=2)
    expected = graph.central_pixel(*graph.pixel_graph(skeleton, connectivity=2), skeleton.shape)
    result = graph.central_pixel(found, nodes, skeleton.shape)
    assert result[0] == expected[0]
    np.testing.assert_array_equal(result[1], expected[1])


def test_what_is_left_to_scikit_image(gpu):
    image = RNG.random(MASK.shape)
    for word, options in {
        "edge_function": {"edge_function": lambda x, y, distances: distances},
        "mask": {"mask": MASK.astype(int)},
        "another shape": {"mask": MASK[1:]},
        "connectivity": {"connectivity": "1"},
        "spacing": {"spacing": (1, np.nan)},
        "are 0": {"spacing": (0, 1)},
    }.items():
        assert word in gpu.declined(graph.pixel_graph, image, **options)
    assert "float16" in gpu.declined(graph.pixel_graph, image.astype(np.float16))
    assert "elements" in gpu.declined(graph.pixel_graph, image[:0])
    with pytest.raises(ValueError, match="sparse_type"):
        graph.pixel_graph(image, sparse_type="no such")
    assert gpu.invalid(graph.pixel_graph, image, sparse_type="no such")
    with pytest.raises(Declined, match="no pixel"):
        gpu(graph.pixel_graph, MASK & False)
    with pytest.raises(Declined, match="not finite"):
        gpu(graph.pixel_graph, np.where(MASK, np.inf, image))


def test_budget(gpu, counting):
    """2 launches of our own and six of CuPy's, whatever the mask shows."""
    for mask in (MASK, RNG.random(MASK.shape) < 0.5):
        with counting() as counts:
            gpu(graph.pixel_graph, mask, connectivity=2)
        assert counts.launches <= 12


def test_strict(gpu, strict, monkeypatch):
    for order in ("forward", "backward", "shuffled"):
        monkeypatch.setenv("CUDA_SIMULATOR_ORDER", order)
        same(gpu, RNG.random((20, 31)), mask=RNG.random((20, 31)) < 0.6, connectivity=2)
