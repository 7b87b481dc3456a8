"""Graphs of regions are scikit-image's: nodes, edges, what they have, and their order."""

import cupy as cp
import numpy as np
import pytest
from skimage import data, graph, measure

from skimage_gpu_backend.trouble import Declined
from tests.differential.compare import difference
from tests.differential.sweeps.graph import in_lists
from tests.functions.images import INTEGERS

RNG = np.random.default_rng(31)
COLORS = data.astronaut()[100:140, 200:270]
LABELS = measure.label(data.coins()[40:80, 20:90] // 16)
EDGES = RNG.random(LABELS.shape)


def same(run, function, *args, **options):
    expected = in_lists(function(*args, **options))
    result = run(function, *args, **options)
    assert type(result) is graph.RAG
    assert difference(in_lists(result), expected) == 0
    return result


def labelled(kind, shape):
    """Labels of an image: few and scattered, one for each pixel, few in runs, of either sign."""
    if kind == "scattered":
        return RNG.integers(0, 3, shape)
    if kind == "all":
        return RNG.permutation(np.prod(shape)).reshape(shape) * 7
    return np.sort(RNG.integers(-3 if kind == "signed" else 0, 6, shape), axis=-1)


@pytest.mark.parametrize("connectivity", [0, 1, 1.5, 2, 3, 9])
@pytest.mark.parametrize("shape", [(50,), (1, 9), (20, 31), (5, 6, 7), (3, 1, 5, 3)], ids=str)
@pytest.mark.parametrize("kind", ["scattered", "all", "runs", "signed"])
def test_any_shape_and_connectivity(gpu, kind, shape, connectivity):
    labels, image = labelled(kind, shape), RNG.random((*shape, 3))
    same(gpu, graph.rag_mean_color, image, labels, connectivity)
    same(gpu, graph.rag_mean_color, image[..., 0], labels, connectivity)
    if kind != "signed":
        same(gpu, graph.rag_boundary, labels, image[..., 1], connectivity)


def test_eight_axes(gpu):
    shape = (2, 1, 3, 1, 2, 2, 1, 2)
    labels, image = labelled("scattered", shape), RNG.random(shape)
    same(gpu, graph.rag_mean_color, image, labels)
    same(gpu, graph.rag_boundary, labels, image, 5)
    for args in ((image[np.newaxis], labels[np.newaxis]), (labels[np.newaxis], image[np.newaxis])):
        function = graph.rag_mean_color if args[1].dtype.kind == "i" else graph.rag_boundary
        assert "axes" in gpu.declined(function, *args)


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool"])
def test_labels_of_any_dtype(gpu, dtype):
    labels = (LABELS % 90).astype(dtype)
    same(gpu, graph.rag_mean_color, COLORS, labels)
    if dtype != "bool":
        same(gpu, graph.rag_boundary, labels, EDGES)


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool", "float16", "float32", "float64"])
def test_images_of_any_dtype(gpu, dtype):
    image = (RNG.random((*LABELS.shape, 3)) * (100 if dtype != "bool" else 1.9)).astype(dtype)
    same(gpu, graph.rag_mean_color, image, LABELS)
    if dtype in ("float32", "float64"):
        same(gpu, graph.rag_boundary, LABELS, image[..., 0])


def test_sums_of_floats_are_added_in_scikit_images_order(gpu):
    """A region of many tiles, in which any other order rounds otherwise."""
    image = RNG.normal(size=(60, 70, 3)) * 10.0 ** RNG.integers(-12, 12, (60, 70, 3))
    labels = (np.arange(4200).reshape(60, 70) > 4000).astype(int)
    same(gpu, graph.rag_mean_color, image, labels)


@pytest.mark.parametrize("options", [{"mode": "similarity"}, {"mode": "similarity", "sigma": 3}])
def test_similarity(gpu, options):
    same(gpu, graph.rag_mean_color, COLORS, LABELS, **options)


def test_any_layout(gpu):
    for change in (np.asfortranarray, lambda array: array[::-1, ::2]):
        same(gpu, graph.rag_mean_color, change(COLORS), change(LABELS))
        same(gpu, graph.rag_boundary, change(LABELS), change(EDGES))


def test_device_arrays_give_the_same_graph(gpu):
    expected = in_lists(graph.rag_mean_color(COLORS, LABELS))
    result = gpu.cupy(graph.rag_mean_color, cp.asarray(COLORS), cp.asarray(LABELS))
    assert difference(in_lists(result), expected) == 0
    expected = in_lists(graph.rag_boundary(LABELS, EDGES))
    result = gpu.cupy(graph.rag_boundary, cp.asarray(LABELS), cp.asarray(EDGES))
    assert difference(in_lists(result), expected) == 0


def test_a_graph_works_on_as_scikit_images(gpu):
    """Regions are merged, and the graph copied, as one that scikit-image has made."""
    merged = [
        graph.cut_threshold(LABELS, run(graph.rag_mean_color, COLORS, LABELS), 40)
        for run in (lambda function, *args: function(*args), gpu)
    ]
    np.testing.assert_array_equal(*merged)
    result = gpu(graph.rag_mean_color, COLORS, LABELS)
    first, second = next(iter(result.edges))
    result.nodes[first]["total color"] += 1  # not another node's
    assert result.copy().next_id() == LABELS.max() + 1
    assert result.merge_nodes(first, second, in_place=False) == LABELS.max() + 1


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    for args in (
        (np.zeros((40, 70, 4)), LABELS),
        (np.zeros((40, 70, 2)), LABELS),
        (COLORS, LABELS, 2, "no such"),
    ):
        with pytest.raises(ValueError):
            graph.rag_mean_color(*args)
        assert gpu.invalid(graph.rag_mean_color, *args)
    for edges in (EDGES[1:], LABELS, EDGES > 0.5):
        with pytest.raises((TypeError, IndexError)):
            graph.rag_boundary(LABELS, edges)
        assert gpu.invalid(graph.rag_boundary, LABELS, edges)


def test_a_number_of_labels_that_overflows_is_as_in_scikit_image(gpu):
    labels = np.where(LABELS > 3, 255, LABELS).astype(np.uint8)
    for run in (lambda function, *args: function(*args), gpu):
        with (
            pytest.warns(RuntimeWarning, match="overflow"),
            pytest.raises(ValueError, match="exceeds matrix dimension"),
        ):
            run(graph.rag_boundary, labels, EDGES)


@pytest.mark.parametrize("labels", [np.zeros_like(LABELS), LABELS.astype(np.int64) + 2**53])
def test_labels_that_are_left_to_scikit_image(gpu, labels):
    word = "beyond" if labels.max() else "all the same"
    with pytest.raises(Declined, match=word):
        gpu(graph.rag_mean_color, COLORS, labels)
    with pytest.raises(Declined, match=word):
        gpu(graph.rag_boundary, labels, EDGES)


def test_values_that_are_left_to_scikit_image(gpu):
    with pytest.raises(Declined, match="below 0"):
        gpu(graph.rag_boundary, LABELS - 2, EDGES)
    infinite = np.where(EDGES > 0.5, np.inf, EDGES)
    with pytest.raises(Declined, match="not finite"):
        gpu(graph.rag_mean_color, infinite, LABELS)
    same(gpu, graph.rag_boundary, LABELS, infinite)


def test_arguments_that_are_left_to_scikit_image(gpu):
    for labels, word in ((LABELS.astype(float), "integers"), (LABELS[:0], "elements")):
        rows = len(labels)
        assert word in gpu.declined(graph.rag_mean_color, COLORS[:rows], labels)
        assert word in gpu.declined(graph.rag_boundary, labels, EDGES[:rows])
    assert "booleans" in gpu.declined(graph.rag_boundary, LABELS > 1, EDGES)
    assert "sigma" in gpu.declined(graph.rag_mean_color, COLORS, LABELS, 2, "similarity", "1")
    for connectivity in ("1", None, np.nan):
        assert "connectivity" in gpu.declined(graph.rag_boundary, LABELS, EDGES, connectivity)


def test_the_number_of_regions_does_not_decide_about_launches(gpu, counting):
    def launched(function, *args):
        with counting() as counts:
            gpu(function, *args)
        return counts.launches

    many = np.arange(LABELS.size).reshape(LABELS.shape)
    few = (many > 50).astype(many.dtype)
    found = [launched(graph.rag_mean_color, COLORS, labels) for labels in (few, many)]
    assert found[0] == found[1]
    found = [launched(graph.rag_boundary, labels, EDGES) for labels in (few, many)]
    assert found[0] == found[1]


def test_strict(gpu, strict, monkeypatch):
    """Threads that share a table and a tile, in several orders."""
    image = RNG.random((30, 41))
    for order in ("forward", "backward", "shuffled"):
        monkeypatch.setenv("CUDA_SIMULATOR_ORDER", order)
        for labels in (labelled("scattered", image.shape), labelled("runs", image.shape)):
            same(gpu, graph.rag_mean_color, image, labels)
            same(gpu, graph.rag_boundary, labels, image)
