"""Odd calls that once ended in another result or exception than scikit-image's."""

import cupy as cp
import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt.values import replace

from .inputs import PHOTO

BYTES = PHOTO.cast("uint8")
IMAGE = np.random.default_rng(0).random((12, 15))
DISK = ski.morphology.disk(2)
BACKWARDS = slice(None, None, -1), slice(None, None, -1)
ENDS = [
    lambda xp: ski.restoration.rolling_ball(xp.asarray(IMAGE[:1, :1])[BACKWARDS], radius=10),
    lambda xp: ski.color.label2rgb(xp.asarray(np.int8([[126, 126, 0, 1, -128]]))),
    lambda xp: ski.color.label2rgb(xp.zeros((1, 1), np.int32), colors=["no such"]),
    *(
        lambda xp, cval=cval: ski.transform.warp_polar(
            xp.asarray(IMAGE.astype("f")), (100, 120), radius=5, order=3, cval=cval
        )
        for cval in (1.7, -0.7)
    ),
    lambda xp: ski.transform.warp_polar(xp.asarray(IMAGE), output_shape=[]),
    lambda xp: ski.transform.warp(
        xp.asarray(IMAGE), ski.transform.AffineTransform(rotation=0.1), 0, order=0
    ),
    lambda xp: ski.filters.threshold_sauvola(xp.full((9, 8), 0.3), 3, r=0),
    lambda xp: ski.feature.canny(
        xp.asarray(
            np.float32([[2.2e35, 9e34, 1e34], [6e33, 2.8e35, 3.1e35], [2.1e35, 2.5e35, 1.8e35]])
        ),
        cval=0.7,
    ),
    lambda xp: ski.feature.blob_doh(xp.asarray(IMAGE), max_sigma=np.longdouble(5)),
    lambda xp: ski.filters.frangi(xp.asarray(IMAGE[:1, :1]), beta=np.int64(2**62)),
    lambda xp: ski.morphology.local_maxima(
        xp.asarray(np.array([[0.6], [0.6], [np.nan], [0.6], [0.5]]))
    ),
    lambda xp: ski.measure.regionprops_table(
        xp.asarray(np.array([[1, 1, 3, 3, 3, 3]])),
        xp.asarray(np.uint32([[3570717908, 3570717908, 10, 11, 12, 4000000000]])),
        ["intensity_std"],
    ),
    lambda xp: ski.measure.regionprops_table(
        xp.ones((1, 2), np.int32), xp.full((1, 2), 2**62 + 2**61), ["intensity_mean"]
    ),
    lambda xp: ski.morphology.closing(xp.asarray(IMAGE), [(DISK.astype(np.longdouble), 2)]),
    lambda xp: ski.morphology.closing(xp.asarray(IMAGE), DISK.astype(np.longdouble)),
    lambda xp: ski.filters.rank.autolevel(
        BYTES.array(), DISK, mask=np.ones(BYTES.shape, np.longdouble)
    ),
    lambda xp: ski.measure.moments_coords_central(xp.asarray(IMAGE[:, :1]), np.longdouble(1)),
    lambda xp: ski.measure.inertia_tensor(xp.asarray(IMAGE), xp.zeros((3, 3), np.int64)),
    lambda xp: ski.measure.inertia_tensor(xp.asarray(IMAGE), xp.ones((4, 4), bool)),
    lambda xp: list(
        ski.transform.pyramid_gaussian(IMAGE[..., None], 1, 2, range(2), channel_axis=2)
    ),
    lambda xp: ski.feature.corner_shi_tomasi(xp.asarray(IMAGE), xp.asarray(2.0)),
    lambda xp: ski.transform.downscale_local_mean(xp.asarray(IMAGE), True),
    lambda xp: ski.filters.threshold_isodata(xp.asarray(DISK), xp.asarray(2.0)),
    lambda xp: ski.segmentation.mark_boundaries(
        xp.asarray(IMAGE[..., None]), xp.ones((12, 15), int)
    ),
    lambda xp: ski.util.montage(xp.asarray(IMAGE[None]), fill=np.ones((2, 2))),
    lambda xp: ski.morphology.black_tophat(xp.asarray(IMAGE), out=xp.zeros(IMAGE.shape, "e")),
    lambda xp: ski.morphology.convex_hull_image(np.kron(xp.asarray(IMAGE), xp.ones((60, 60)))),
    lambda xp: ski.util.crop(xp.asarray(IMAGE), xp.zeros((2, 2))),
    lambda xp: ski.util.crop(xp.asarray(IMAGE), 2.0),
    lambda xp: ski.exposure.histogram(xp.asarray(IMAGE > 0.5), 3, "dtype"),
    lambda xp: ski.feature.corner_peaks(xp.asarray(IMAGE > 0.5)),
    lambda xp: ski.filters.median(xp.asarray(IMAGE), out=xp.zeros(IMAGE.shape, "e")),
    lambda xp: ski.filters.median(xp.asarray(IMAGE), DISK, out=xp.zeros(IMAGE.shape, "e")),
    lambda xp: ski.filters.median(xp.asarray(IMAGE[0].astype("e"))),
    lambda xp: ski.filters.median(
        xp.asarray([[2**32 - 5]], dtype="u4"), out=xp.zeros((1, 1), "u1")
    ),
    lambda xp: ski.filters.prewitt(xp.zeros((2, 0, 3), "e"), xp.zeros((2, 0, 3), "e"), axis=0),
    lambda xp: ski.filters.hessian(xp.asarray(IMAGE), [], alpha=0),
    lambda xp: ski.feature.blob_doh(xp.asarray(IMAGE), max_sigma=np.float32(5), num_sigma=3),
    lambda xp: ski.restoration.rolling_ball(
        xp.asarray((9 * IMAGE).astype("B")), kernel=xp.asarray(np.arange(35.0).reshape(5, 7))
    ),
    *(
        lambda xp, dtype=dtype: ski.morphology.local_minima(xp.asarray((9 * IMAGE).astype(dtype)))
        for dtype in ("uint64", "int64", "uint32")
    ),
    lambda xp: [
        # sums are made in another order
        [float(f"{float(place):.10g}") for place in region.centroid_weighted]
        for region in ski.measure.regionprops(
            xp.asarray(np.pad(IMAGE > 0.5, 2) * 1), xp.asarray(np.pad(IMAGE, 2)), spacing=(2, 3)
        )
    ],
    *(
        lambda xp, name=name: [
            float(f"{float(values[0]):.10g}")  # sums are made in another order
            for values in ski.measure.regionprops_table(
                xp.asarray(np.pad(IMAGE > 0.5, 2) * 1),
                xp.asarray(np.pad(IMAGE, 2)),
                [name],
                spacing=(2, 3),
            ).values()
        ]
        for name in ("centroid", "centroid_weighted", "area_bbox", "solidity")
    ),
    *(
        lambda xp, number=number: ski.exposure.histogram(
            xp.full((2, 3, 4), number), 17, normalize=True, channel_axis=0
        )
        for number in (1e17, 1e305, np.inf, np.nan)
    ),
    lambda xp: ski.registration.phase_cross_correlation(
        *2 * [xp.asarray(IMAGE.astype("e"))], disambiguate=True
    ),
    lambda xp: ski.filters.median(xp.asarray(IMAGE), behavior=np.array([1.0, 2.0])),
    lambda xp: ski.filters.gaussian(xp.asarray(IMAGE[0]), -1, channel_axis=-1),
    *(
        lambda xp, dtype=dtype, tol=tol: len(
            ski.segmentation.chan_vese(
                xp.asarray(IMAGE.astype(dtype)), tol=tol, max_num_iter=3, extended_output=True
            )[2]
        )
        for dtype, tol in (("d", 2**63), ("f", 2**25), ("d", 0.1))
    ),
    *(
        lambda xp, dtype=dtype: ski.restoration.rolling_ball(
            xp.asarray([[np.iinfo(dtype).max - 1]], dtype=dtype), radius=10
        )
        for dtype in ("uint64", "int64")
    ),
    lambda xp: ski.filters.rank.sum_bilateral(xp.asarray(BYTES.array()), DISK, s0=-(2**63)),
    lambda xp: ski.filters.rank.sum_bilateral(xp.asarray(BYTES.array()), DISK, s1=2**63 - 1),
    lambda xp: ski.morphology.closing(xp.asarray(IMAGE), DISK, cval=10**400),
    lambda xp: ski.feature.hog(xp.asarray(np.kron(IMAGE, np.ones((3, 3)))), True),
    *(
        lambda xp, dtype=dtype: ski.feature.multiscale_basic_features(
            xp.asarray((9 * IMAGE[0]).astype(dtype)), texture=False, sigma_max=2, channel_axis=-1
        )
        for dtype in ("int8", "float64")
    ),
    *(
        lambda xp, most=most: ski.feature.peak_local_max(xp.zeros((3, 4)), num_peaks=most)
        for most in (-0.5, -np.inf, -1)
    ),
    *(
        lambda xp, image=image, ends=ends: ski.exposure.rescale_intensity(
            xp.asarray(image), out_range=ends
        )
        for image in (np.full((3, 4), 0.5), np.full((3, 4), 7, np.uint8), IMAGE)
        for ends in ((np.nan, 1), (0, np.nan))
    ),
    *(
        lambda xp, function=function, options=options: function(xp.asarray(IMAGE), **options)
        for function, options in (
            (ski.feature.corner_peaks, {"min_distance": np.uint8(3)}),
            (ski.feature.peak_local_max, {"min_distance": np.uint8(3)}),
            (ski.transform.iradon, {"output_size": np.uint8(3), "circle": False}),
            (ski.transform.iradon, {"output_size": np.int8(20)}),
        )
    ),
]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("call", ENDS)
@pytest.mark.parametrize("kind", [np, cp])
def test_odd_calls_end_as_in_scikit_image(call, kind, however_small):
    def ended(xp, *backends):
        with use_backends(*backends):
            try:
                return replace(call(xp), lambda value: cp.asnumpy(value))
            except Exception as error:
                return repr(error)

    np.testing.assert_equal(ended(kind, "gpu"), ended(np))
