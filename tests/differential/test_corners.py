"""Odd calls: results, exceptions and warnings are scikit-image's."""

import cupy as cp
import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import interface, use_backends

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
IMAGE = np.random.default_rng(0).random((12, 15))
PIXELS = np.arange(1, 10).reshape(3, 3)
REG = np.int8([[0, -127, 0], [-127, 127, -127], [0, -127, 0]])
NARROW = Input("photo", (30, 2))
WIDE = ski.morphology.disk(8)
SUBNORMAL = np.float32([[7, 0, 1, 2], [1, 7, 7, 5]]).reshape(2, 2, 1, 1, 2) * np.float32(1e-45)
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
    (
        "feature:blob_dog",
        {"image": SUBNORMAL, "max_sigma": 9, "threshold": None, "threshold_rel": 0.2},
    ),
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
    with use_backends("gpu"):
        ours = ski.exposure.match_histograms(CHANNELS, **call)
    np.testing.assert_array_equal(ours, ski.exposure.match_histograms(CHANNELS, **call))


def test_out_of_grey_morphology_is_refused_by_position_as_in_scikit_image(however_small):
    image = np.zeros((9, 8))
    with use_backends("gpu"), pytest.raises(TypeError, match="multiple values"):
        ski.morphology.white_tophat(image, np.ones((3, 3)), image.copy())


def test_out_may_be_the_image(however_small):
    image = ski.data.coins()[:50, :60].copy()
    expected = ski.morphology.white_tophat(image)
    with use_backends("gpu"):
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
    ("morphology:max_tree", (PIXELS[0, :1], (1,)), {}),
    ("morphology:max_tree", (PIXELS[:1], [[1, 1, 1]]), {}),
    ("segmentation:chan_vese", (IMAGE,), {"dt": 10**400, "max_num_iter": 0}),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), ANSWERED)
def test_what_scikit_image_answers_is_not_called_invalid(name, args, kwargs, however_small):
    with use_backends("gpu"):
        decision = interface.gpu.decide(f"skimage.{name}", args, kwargs)
    assert not decision.invalid, decision.reason
