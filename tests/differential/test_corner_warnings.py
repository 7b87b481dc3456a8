"""Odd calls of which a backend once warned otherwise than scikit-image, or twice."""

import warnings

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends

from .inputs import PHOTO

BYTES = PHOTO.cast("uint8")


def test_octagons_warn_as_in_scikit_image():
    def warned(*backends):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with use_backends(*backends, output="cupy" if backends else None):
                ski.morphology.octagon(0, 3, decomposition="sequence")
        return [str(each.message) for each in seen if each.category is UserWarning]

    assert warned("gpu") == warned() != []


WARNED = [
    lambda: ski.registration.phase_cross_correlation(
        np.full((1, 1), 0.8), np.full((1, 1), 0.4), disambiguate=True
    ),
    lambda: ski.morphology.remove_small_objects(
        np.ones((1, 1), bool), out=np.broadcast_to(np.uint8(0), (1, 1))
    ),
    lambda: ski.morphology.remove_small_holes(np.eye(9, dtype=int), out=np.zeros((9, 9), int)),
    lambda: ski.morphology.remove_small_holes(np.eye(9, dtype=int), area_threshold="x"),
    lambda: ski.measure.pearson_corr_coeff(np.full((5, 5), 2.0), np.eye(5)),
    lambda: ski.measure.pearson_corr_coeff(1e14 + np.eye(5), np.eye(5)),
    lambda: ski.feature.hessian_matrix(np.eye(9), mode="no such"),
    lambda: ski.morphology.local_minima(np.ones((1, 5)), allow_borders=False),
    lambda: ski.registration.phase_cross_correlation(np.zeros((3, 4)), np.eye(3, 4)),
    lambda: ski.feature.hessian_matrix(np.eye(1, 9)),
    lambda: ski.filters.threshold_multiotsu(np.ones((4, 5, 3), np.uint8)),
    lambda: ski.filters.threshold_otsu(np.eye(3)[None], hist=np.arange(9)),
    lambda: ski.transform.rotate(np.eye(9), 30, order=2),
    lambda: ski.filters.rank.mean(
        BYTES.array(), np.ones((3, 3)), mask=np.ones(BYTES.shape, ">i8"), shift_x=-1
    ),
    lambda: ski.filters.rank.windowed_histogram(
        np.eye(9, dtype=np.uint16) * 4000, np.ones((3, 3)), n_bins=5000
    ),
    lambda: ski.exposure.rescale_intensity(np.array([[0, np.nan], [1, 2]])),
    lambda: ski.registration.phase_cross_correlation(
        *np.random.default_rng(0).random((2, 3, 4)),
        upsample_factor=10,
        space="fourier",
        disambiguate=True,
    ),
]


@pytest.mark.parametrize("call", WARNED)
def test_warnings_are_scikit_images_and_told_once(call, however_small):
    def told():
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                call()
            except Exception as error:
                seen.append(error)
        return [str(getattr(each, "message", each)) for each in seen]

    expected = told()
    with use_backends("gpu"):
        assert told() == expected
