"""Odd calls that cuCIM once answered otherwise than scikit-image: results, exceptions, warnings."""

import warnings

import cupy as cp
import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import interface, use_backends
from skimage_gpu_backend.adapt.values import replace

from .check import check
from .inputs import LABELS, MASK, PHOTO, Input
from .sweep import Case
from .sweeps import SWEEPS

BYTES = PHOTO.cast("uint8")
OUT, BYTES_OUT = Input("zeros"), Input("zeros", dtype="uint8")
COLOR = np.array([5, 100, 100], np.float32)
LARGE = Input("steps", dtype="int64")
HUGE = 1e300 * np.random.default_rng(0).random((2, 9, 8))
BEYOND = np.arange(12).reshape(3, 4) + 2**24 + 1
ZERO = np.zeros(())
COLORS = Input("color", (17, 3, 19), "uint8")
EMPTY = np.zeros((0, 5), np.uint8)
FLAT = np.random.default_rng(0).integers(0, 3, (7, 8, 1))
PIXELS = np.arange(1, 10).reshape(3, 3)
REG = np.int8([[0, -127, 0], [-127, 127, -127], [0, -127, 0]])
NARROW = Input("photo", (30, 2))
WIDE = ski.morphology.disk(8)
RING = np.ones((3, 3), bool)
RING[1, 1] = False

RESULTS = [
    ("morphology:white_tophat", {"image": PHOTO, "out": OUT}),
    ("morphology:white_tophat", {"image": BYTES, "footprint": np.ones((3, 3)), "out": BYTES_OUT}),
    ("segmentation:find_boundaries", {"label_img": LABELS, "mode": "inner", "background": 1}),
    ("segmentation:find_boundaries", {"label_img": LABELS, "mode": "outer", "background": 2}),
    ("measure:blur_effect", {"image": Input("levels")}),
    ("measure:blur_effect", {"image": Input("counts").cast("uint64"), "reduce_func": None}),
    ("measure:label", {"label_image": FLAT}),
    ("measure:regionprops_table", {"label_image": PIXELS, "properties": ["orientation"]}),
    ("filters:window", {"window_type": "boxcar", "shape": (1, 5)}),
    ("filters:window", {"window_type": "hamming", "shape": (20, 30)}),
    ("filters:butterworth", {"image": PHOTO, "cutoff_frequency_ratio": 1e-300}),
    ("filters:gabor", {"image": PHOTO, "frequency": 0.1, "sigma_x": 1e-300}),
    ("restoration:wiener", {"image": PHOTO, "psf": np.eye(3), "balance": 0.1, "reg": REG}),
    ("measure:label", {"label_image": FLAT[:, :, 0], "background": 2.5}),
    ("measure:perimeter", {"image": np.full((9, 8), -1.5)}),
    ("exposure:match_histograms", {"image": EMPTY, "reference": BYTES}),
    ("exposure:match_histograms", {"image": BYTES, "reference": BYTES, "channel_axis": True}),
    ("exposure:match_histograms", {"image": ZERO, "reference": ZERO}),
    ("transform:warp", {"image": MASK, "inverse_map": np.indices((9, 8)) - 2.0, "cval": 0.5}),
    ("transform:warp", {"image": PHOTO, "inverse_map": np.zeros((3, 3))}),
    ("transform:warp", {"image": PHOTO, "inverse_map": np.array([1.0, 2.0])}),
    ("transform:swirl", {"image": PHOTO, "output_shape": (5, 6, 7)}),
    ("transform:swirl", {"image": MASK, "cval": 0.5, "strength": 9}),
    ("transform:integrate", {"ii": Input("levels"), "start": 1.0, "end": (5, 6)}),
    ("filters:median", {"image": LARGE}),
    ("filters:median", {"image": LARGE.cast("uint64"), "footprint": np.ones((3, 3))}),
    ("filters:median", {"image": PHOTO, "out": Input("zeros", dtype="bool")}),
    ("filters:butterworth", {"image": PHOTO, "order": -1}),
    ("filters:butterworth", {"image": PHOTO, "channel_axis": True}),
    ("filters:frangi", {"image": PHOTO, "alpha": 0}),
    (
        "filters:sato",
        {"image": PHOTO.cast("float32"), "sigmas": np.array([2.0]), "mode": "constant", "cval": 1},
    ),
    ("segmentation:find_boundaries", {"label_img": np.array(1), "mode": "subpixel"}),
    ("filters:rank_order", {"image": ZERO}),
    ("filters:threshold_multiotsu", {"image": EMPTY}),
    ("filters.rank:mean", {"image": EMPTY, "footprint": np.ones((3, 3))}),
    ("feature:corner_shi_tomasi", {"image": PHOTO, "sigma": 0}),
    ("feature:corner_foerstner", {"image": PHOTO, "sigma": 0}),
    ("feature:structure_tensor_eigenvalues", {"A_elems": [*HUGE, HUGE[0]]}),
    ("feature:hessian_matrix_eigvals", {"H_elems": [*HUGE, HUGE[1]]}),
    ("feature:multiscale_basic_features", {"image": PHOTO, "workers": 0}),
    ("color:lab2rgb", {"lab": COLOR}),
    ("color:lab2xyz", {"lab": COLOR.astype("e")}),
    ("color:deltaE_cmc", {"lab1": COLOR, "lab2": COLOR + 1}),
    ("color:deltaE_ciede2000", {"lab1": Input("lab", (5, 6, 3)), "lab2": COLOR, "kC": 0}),
    ("color:label2rgb", {"label": LABELS, "colors": []}),
    ("measure:pearson_corr_coeff", {"image0": HUGE[0], "image1": HUGE[1]}),
    ("measure:pearson_corr_coeff", {"image0": HUGE[0] * 1e-320, "image1": HUGE[1]}),
    ("measure:inertia_tensor_eigvals", {"image": np.zeros((3, 4, 5))}),
    ("measure:inertia_tensor_eigvals", {"image": PHOTO, "T": np.ones((3, 3))}),
    ("morphology:h_maxima", {"image": ZERO, "h": 1}),
    ("morphology:h_minima", {"image": ZERO, "h": 1}),
    ("measure:profile_line", {"image": np.arange(9.0), "src": (0, 0), "dst": (3, 3)}),
    ("measure:profile_line", {"image": BEYOND, "src": (0, 0), "dst": (3, 3), "order": 0}),
    ("measure:regionprops_table", {"label_image": np.arange(9)}),
    ("morphology:dilation", {"image": BEYOND, "mode": "max"}),
    ("morphology:opening", {"image": BEYOND.astype("uint64"), "mode": "max"}),
    ("morphology:opening", {"image": MASK, "mode": "constant", "cval": 0.3}),
    ("util:montage", {"arr_in": np.arange(24.0).reshape(2, 3, 4), "rescale_intensity": True}),
    ("segmentation:clear_border", {"labels": np.ones((3, 4, 5, 3), int)}),
    ("segmentation:mark_boundaries", {"image": PHOTO, "label_img": np.ones((1, 1), int)}),
    ("feature:corner_foerstner", {"image": np.arange(56.0).reshape(7, 8, 1)}),
    *(
        (f"morphology:{name}", {"image": Input("levels"), "footprint": footprint})
        for name in ("local_maxima", "local_minima")
        for footprint in (RING, np.zeros((3, 3), bool))
    ),
    *(
        (f"morphology:{name}", {"image": PHOTO, "out": Input("zeros", dtype="bool")})
        for name in ("erosion", "dilation", "opening", "closing", "black_tophat")
    ),
    ("morphology:remove_small_holes", {"ar": LABELS, "out": Input("zeros", dtype="int32")}),
    ("feature:hessian_matrix", {"image": PHOTO, "mode": "no such"}),
    ("filters:gabor", {"image": NARROW, "frequency": 0.1}),
    ("filters:median", {"image": NARROW, "footprint": WIDE, "mode": "reflect"}),
    ("filters:median", {"image": BYTES, "footprint": WIDE, "mode": "constant", "cval": 2**40}),
    ("morphology:erosion", {"image": NARROW, "footprint": WIDE}),
    ("morphology:opening", {"image": BYTES, "footprint": WIDE, "mode": "constant", "cval": -5}),
    ("feature:blob_doh", {"image": PHOTO, "max_sigma": float("nan"), "log_scale": True}),
]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["numpy", "cupy"])
@pytest.mark.parametrize("name, arguments", RESULTS)
def test_result_or_exception_is_scikit_images(name, arguments, kind):
    (sweep,) = (sweep for sweep in SWEEPS if sweep.name == f"skimage.{name}")
    check(Case(sweep, "odd", arguments), kind)


CHANNELS = np.random.default_rng(0).integers(0, 255, (4, 4, 4), np.uint8)


def test_reference_by_keyword_keeps_its_channels_as_in_scikit_image(however_small):
    call = {"reference": CHANNELS[:, ::-1].copy(), "channel_axis": 0}
    with use_backends("cucim"):
        ours = ski.exposure.match_histograms(CHANNELS, **call)
    np.testing.assert_array_equal(ours, ski.exposure.match_histograms(CHANNELS, **call))


def test_out_of_grey_morphology_is_refused_by_position_as_in_scikit_image(however_small):
    image = np.zeros((9, 8))
    with use_backends("cucim"), pytest.raises(TypeError, match="multiple values"):
        ski.morphology.white_tophat(image, np.ones((3, 3)), image.copy())


def test_out_may_be_the_image(however_small):
    image = ski.data.coins()[:50, :60].copy()
    expected = ski.morphology.white_tophat(image)
    with use_backends("cucim"):
        assert ski.morphology.white_tophat(image, out=image) is image
    np.testing.assert_array_equal(image, expected)


@pytest.mark.parametrize("begin", [0, 1])
@pytest.mark.parametrize(
    "name", ["erosion", "dilation", "opening", "closing", "white_tophat", "black_tophat", "median"]
)
def test_out_may_share_memory_with_the_image(name, begin):
    function = ski.filters.median if name == "median" else getattr(ski.morphology, name)
    rows = ski.data.coins()[:9, :60]
    expected = function(rows[:-1])
    rows = cp.asarray(rows)
    out = rows[begin : begin + 8]
    with use_backends("gpu"):
        assert function(rows[:-1], out=out) is out
    np.testing.assert_array_equal(out.get(), expected)


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
@pytest.mark.parametrize("name", ["ball", "diamond", "disk"])
@pytest.mark.parametrize("decomposition", [None, "sequence"])
def test_footprints_without_a_dtype_are_scikit_images(name, decomposition):
    def made(*backends):
        with use_backends(*backends, output="cupy" if backends else None):
            result = getattr(ski.morphology, name)(4, None, decomposition=decomposition)
        steps = [result] if decomposition is None else [step for step, _ in result]
        return [(step.dtype, step.shape) for step in steps]

    assert made("gpu") == made()


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


@pytest.mark.parametrize("backend", ["gpu", "cucim"])
@pytest.mark.parametrize("call", WARNED)
def test_warnings_are_scikit_images_and_told_once(call, backend, however_small):
    def told():
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                call()
            except Exception as error:
                seen.append(error)
        return [str(getattr(each, "message", each)) for each in seen]

    expected = told()
    with use_backends(backend):
        assert told() == expected


IMAGE = np.random.default_rng(0).random((12, 15))
DISK = ski.morphology.disk(2)
ANSWERED = [
    ("feature:hessian_matrix", (IMAGE, 0, 0), {}),
    ("feature:shape_index", (IMAGE, 0, 0), {}),
    ("transform:resize", (IMAGE, (6, 20)), {"anti_aliasing_sigma": 1j}),
    ("exposure:histogram", (IMAGE > 0.5, [], "dtype"), {}),
    ("filters:median", (PIXELS, np.ones((1, 1))), {"mode": "no such"}),
    ("filters:median", (np.zeros((1, 0), "e"),), {}),
    ("exposure:histogram", (IMAGE, 0), {"channel_axis": -1}),
    ("filters:difference_of_gaussians", (IMAGE[0], 1), {"mode": 0, "channel_axis": -1}),
    ("util:map_array", (PIXELS[:1, ::2], *PIXELS[:2]), {"out": np.zeros((3, 4), int)[:1, ::2]}),
    ("feature:peak_local_max", (np.array(0.7),), {"labels": np.array(0)}),
    ("segmentation:clear_border", (PIXELS.astype("B"), 0, 300), {"out": PIXELS}),
    ("segmentation:clear_border", (np.array(0.0),), {"out": PIXELS}),
    ("segmentation:inverse_gaussian_gradient", (IMAGE.astype("e"), 100, 0), {}),
    ("color:rgb2gray", (), {"rgb": np.dstack([IMAGE] * 3), "channel_axis": []}),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), ANSWERED)
def test_what_scikit_image_answers_is_not_called_invalid(name, args, kwargs, however_small):
    with use_backends("gpu"):
        decision = interface.gpu.decide(f"skimage.{name}", args, kwargs)
    assert not decision.invalid, decision.reason


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
