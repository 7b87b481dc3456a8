"""SIFT on the device: scikit-image's keypoints, scales, orientations and descriptors."""

import pickle

import cupy as cp
import numpy as np
import pytest
from skimage import data, feature, filters, util
from skimage.feature import SIFT

import cuda_simulator
from skimage_gpu_backend import functions, interface, use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.functions.feature import _sift_patches
from skimage_gpu_backend.methods import IN_ROOMS
from tests.functions.feature.textures import layouts
from tests.functions.images import DTYPES

PHOTO = data.camera()[100:170, 150:240]
COINS = data.coins()[:80, :100]
CHECKS = np.kron(np.indices((7, 8)).sum(axis=0) % 2, np.ones((9, 8)))
PARAMETERS = {
    "as they are": {},
    "enlarged by 4": {"upsampling": 4, "sigma_min": 2.2},
    "not enlarged": {"upsampling": 1, "sigma_in": 0.9, "sigma_min": 1.2},
    "few octaves": {"n_octaves": 2, "n_scales": 5},
    "one scale": {"n_scales": 1, "c_dog": 0.0001},
    "no smoothing first": {"sigma_min": 1.0, "sigma_in": 0.5},
    "faint": {"c_dog": 0.004, "c_edge": 25},
    "every extremum": {"c_dog": 0.0, "c_edge": 1000.0, "n_octaves": 2},
    "few bins": {"n_bins": 6, "n_hist": 1, "n_ori": 1},
    "many bins": {"n_bins": 61, "n_hist": 5, "n_ori": 12},
    "wide": {"lambda_ori": 3, "lambda_descr": 11.5},
    "narrow": {"lambda_ori": 0.5, "lambda_descr": 2, "n_hist": 2, "n_ori": 3},
    "all peaks": {"c_max": 0.1},
    "no peak": {"c_max": 1.5},
}


# Gaussians that reach farther than 16 pixels have the last bits of their weights from the device.
FAR = ("enlarged by 4", "one scale")


def compare(found, expected, descriptors=0, places=0):
    """Everything that an object keeps: to the last bit, but for angles."""
    assert vars(found).keys() == vars(expected).keys()
    for key, value in vars(expected).items():
        if key == "orientations" and value is not None:
            assert found.orientations.dtype == value.dtype
            single = expected.float_dtype is np.float32
            close = {"rtol": 0, "atol": 1e-3 if single else 1e-9}
            np.testing.assert_allclose(found.orientations, value, **close)
        elif key == "descriptors" and value is not None and descriptors:
            np.testing.assert_allclose(found.descriptors.astype(int), value, atol=descriptors)
        elif places and key in ("positions", "sigmas") and value is not None:
            np.testing.assert_allclose(vars(found)[key], value, rtol=0, atol=places)
        elif isinstance(value, np.ndarray):
            np.testing.assert_array_equal(vars(found)[key], value, strict=True, err_msg=key)
        else:
            assert vars(found)[key] == value


def both(image, method="detect_and_extract", make=SIFT, move=np.asarray, **parameters):
    """What is found in a room, and scikit-image's."""
    found, expected = make(**parameters), make(**parameters)
    getattr(expected, method)(image)
    with use_backends("gpu"), observe() as calls:
        assert getattr(found, method)(move(image)) is None
    assert [(call.name, call.source) for call in calls] == [
        (f"skimage.feature:SIFT.{method}", "kernel")
    ]
    return found, expected


@pytest.mark.parametrize("name", PARAMETERS)
def test_every_parameter(however_small, name):
    found, expected = both(PHOTO, **PARAMETERS[name])
    compare(found, expected, places=1e-9 * (name in FAR))
    assert len(expected.keypoints) > 5


@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
@pytest.mark.parametrize("name", ["coins", "checks"])
@pytest.mark.parametrize("method", ["detect", "detect_and_extract"])
def test_methods_and_kinds(however_small, name, method, move):
    image = {"coins": COINS, "checks": CHECKS}[name]
    compare(*both(image, method, move=move))


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(however_small, dtype):
    if dtype in ("float16", "float32"):
        image = (COINS / 255).astype(dtype)
    else:
        image = COINS > 100 if dtype == "bool" else util.img_as_float(COINS)
        if np.dtype(dtype).kind in "iu":
            image = (image * np.iinfo(dtype).max).astype(dtype)
    # arctangents and exponentials in single precision differ between libraries
    compare(*both(image), descriptors=np.dtype(dtype).itemsize < 8 and image.dtype.kind == "f")


@layouts
def test_any_layout(however_small, layout):
    image = layout(util.img_as_float(COINS[:60, :70]))
    compare(*both(image, c_dog=0.002))


def test_faint_extrema_move_to_their_places(however_small):
    """Some of them to the first scale and the first row, where they end."""
    compare(*both(COINS, "detect", n_scales=5, c_dog=1e-5, c_edge=100))


def test_extract_takes_the_keypoints_of_an_object(however_small):
    found, expected = both(PHOTO, "detect")
    other = filters.gaussian(PHOTO, 1)
    expected.extract(other)
    with use_backends("gpu"), observe() as calls:
        found.extract(other)
    assert [call.source for call in calls] == ["kernel"]
    compare(found, expected)
    with use_backends("gpu"), pytest.raises(TypeError):  # nothing was detected before
        SIFT().extract(PHOTO)
    found.octaves = found.octaves + 100  # scikit-image leaves such rows as they are
    with use_backends("gpu"), observe() as calls:
        found.extract(PHOTO)
    assert len(calls) > 1  # its steps


class Mine(SIFT):
    """A user's, with a step of its own."""

    def _fit(self, h):
        return 0.25 * super()._fit(h)


class Named(SIFT):
    """A user's, without one."""

    def detect(self, image):
        super().detect(image)
        self.seen = image.shape


def test_a_users_class(however_small):
    found, expected = both(COINS, "detect", Named)
    assert found.seen == COINS.shape
    compare(found, expected)
    compare(pickle.loads(pickle.dumps(found)), expected)
    assert type(pickle.loads(pickle.dumps(found))) is Named
    found, expected = Mine(), Mine()
    expected.detect(COINS)
    with use_backends("gpu"), observe() as calls:
        found.detect(COINS)
    assert len(calls) > 2  # its steps
    np.testing.assert_allclose(found.orientations, expected.orientations, atol=1e-9)
    found = SIFT()
    found._fit = lambda h: 0
    with use_backends("gpu"), observe() as calls:
        found.detect(COINS)
    assert len(calls) > 2


@pytest.mark.parametrize(
    ("image", "parameters"),
    [
        (np.zeros((60, 60)), {}),  # no keypoint
        (np.eye(60)[None], {}),
        (np.zeros((5, 4)), {}),
        (np.zeros((0, 4)), {}),
        (PHOTO, {"sigma_in": 3}),
        (PHOTO, {"n_bins": 3}),
        (PHOTO, {"n_octaves": 0}),
        (PHOTO, {"n_hist": 0}),
    ],
)
@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_errors_are_scikit_images(however_small, image, parameters, move):
    made = SIFT(), SIFT()
    for each in made:
        vars(each).update(parameters)  # 0.27 refuses some when the object is made
    with pytest.raises(Exception) as theirs:  # whatever it is
        made[0].detect_and_extract(image)
    with use_backends("gpu"), pytest.raises(type(theirs.value)) as ours:
        made[1].detect_and_extract(move(image))
    assert str(ours.value) == str(theirs.value)
    compare(*made[::-1], places=1e-9)  # what has keypoints and no descriptors has gone by steps


def test_what_no_arithmetic_of_ours_tells_is_scikit_images(however_small):
    image = util.img_as_float(COINS)
    image[40, 50] = np.nan
    found, expected = SIFT(), SIFT()
    outcomes = []
    for made, backends in ((expected, ()), (found, ("gpu",))):
        with use_backends(*backends), np.errstate(all="ignore"):
            try:
                outcomes.append(made.detect_and_extract(image))
            except (RuntimeError, ValueError, IndexError) as error:
                outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("parameters", [{"c_dog": np.float64(0.01)}, {"n_ori": 0}])
def test_numpy_s_numbers_and_what_describes_nothing_go_by_steps(however_small, parameters):
    with use_backends("gpu"), observe() as calls:
        SIFT(**parameters).detect(COINS)
    assert len(calls) > 2


@pytest.mark.parametrize("name", ["_orientation_by_numpy", "_descriptor_by_numpy"])
def test_what_is_doubtful_is_computed_on_the_host(however_small, monkeypatch, name):
    """With every keypoint doubtful the device's results are not used."""
    near = (
        {"float64": (1.0, -1.0, -1.0)} if "orientation" in name else {"float64": (-1.0, -1.0, 1.0)}
    )
    used = []
    by_numpy = getattr(_sift_patches.Around, name)
    monkeypatch.setattr(_sift_patches, "_NEAR", near)
    monkeypatch.setattr(_sift_patches.Around, name, lambda *args: used.append(1) or by_numpy(*args))
    found, expected = both(PHOTO)
    compare(found, expected)
    assert len(used) >= 0.9 * len(np.unique(expected.positions, axis=0))
    if "orientation" in name:
        np.testing.assert_allclose(found.orientations, expected.orientations, atol=1e-12)


@pytest.mark.parametrize("as_float", [False, True], ids=["uint8", "float64"])
def test_launches_and_copies(however_small, counting, as_float):
    image = util.img_as_float(PHOTO) if as_float else PHOTO
    made = SIFT()
    with use_backends("gpu"):
        made.detect_and_extract(image)
        with counting() as counts:
            made.detect_and_extract(image)
    octaves, keys = made.n_octaves, len(made.keypoints)
    gaussians = 1 + octaves * 5
    assert counts.launches <= gaussians + 2 + octaves - 1 + octaves + octaves + octaves + 1
    assert counts.bytes_to_device <= image.nbytes + 200 * keys + 1000 * octaves
    found = 4096 * 64 if keys > 4096 else 64 * 4 * keys
    assert counts.bytes_to_host <= found + keys * (36 * 8 + 128 + 8) + 1000


def test_more_extrema_than_there_is_room_for_at_first(however_small, monkeypatch):
    monkeypatch.setattr("skimage_gpu_backend.functions.feature._sift_scales._FEW", 3)
    compare(*both(COINS, "detect"))


@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_nothing_depends_on_the_order_of_threads(however_small, strict, order):
    with cuda_simulator.thread_order(order):
        compare(*both(COINS[:40, :50], n_octaves=1, c_dog=0.004))


def test_the_rooms_methods_are_scikit_images():
    for name in IN_ROOMS:
        assert functions.find(name).__name__ == name.rpartition(".")[2]
    assert all(hasattr(feature.SIFT, name.rpartition(".")[2]) for name in IN_ROOMS)


def test_small_images_are_not_worth_it(enabled, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    monkeypatch.delenv("SKIMAGE_BACKENDS_MIN_SIZE", raising=False)
    outcomes = []
    for image in (COINS[:12, :12], data.camera()):
        with use_backends("gpu"):
            decision = interface.gpu.decide("skimage.feature:SIFT.detect", (SIFT(), image), {})
        outcomes.append(bool(decision))
    assert outcomes == [False, True]
