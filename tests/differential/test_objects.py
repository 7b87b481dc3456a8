"""Results that are objects, and state that outlasts a call."""

import cupy as cp
import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.upstream.layout import as_public

from .inputs import COINS, Input


@pytest.fixture(autouse=True)
def any_size(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")


@pytest.mark.parametrize("to_caller, to_host", [(np.asarray, np.asarray), (cp.asarray, cp.asnumpy)])
def test_maps_of_labels_take_arrays_of_the_callers_kind(to_caller, to_host):
    labels = Input("gaps").array()
    ours = to_caller(labels)
    with use_backends("gpu"):
        relabelled, forward, inverse = ski.segmentation.relabel_sequential(ours, offset=5)
        joined, _, to_second = ski.segmentation.join_segmentations(
            ours, relabelled, return_mapping=True
        )
    assert type(forward[ours]) is type(relabelled) is type(ours)
    np.testing.assert_array_equal(to_host(forward[ours]), to_host(relabelled))
    np.testing.assert_array_equal(to_host(inverse[relabelled]), labels)
    np.testing.assert_array_equal(to_host(to_second[joined]), to_host(relabelled))


def test_maps_of_numpy_labels_are_scikit_images():
    with use_backends("gpu"):
        _, forward, _ = ski.segmentation.relabel_sequential(Input("gaps").array())
    assert as_public(type(forward).__module__).startswith("skimage.")


@pytest.mark.parametrize("on_gpu", [(True, True), (True, False), (False, True)])
def test_contours_take_turns_across_calls_whoever_runs_them(on_gpu):
    image = COINS.array()

    def two_contours(*backends):
        for backend in backends:
            with use_backends(*backend):
                yield ski.segmentation.morphological_chan_vese(image, 3)

    expected = list(two_contours((), ()))
    again = list(two_contours(*(("gpu",) if taken else () for taken in on_gpu)))
    for contour, wanted in zip(again, expected, strict=True):
        np.testing.assert_array_equal(contour, wanted)
    assert (expected[0] != expected[1]).any()


def test_a_skeleton_without_a_seed_is_taken():
    with use_backends("gpu"):
        skeleton = ski.morphology.medial_axis(cp.asarray(Input("disk").array()))
    assert type(skeleton) is cp.ndarray
    assert skeleton.any()
