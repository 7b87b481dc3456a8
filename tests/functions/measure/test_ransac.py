"""Models and inliers are scikit-image's to the last bit, and the generator draws on as after it."""

import warnings

import numpy as np
import pytest
from skimage import transform
from skimage.measure import CircleModel, EllipseModel, LineModelND, ransac

import skimage_gpu_backend.functions.measure.ransac as room
from skimage_gpu_backend.functions.measure import _consensus
from skimage_gpu_backend.trouble import Declined

RNG = np.random.default_rng(17)
POINTS = 250


def on_a_line(axes, points=POINTS):
    data = RNG.random((points, 1)) * np.arange(30, 30 + axes) + RNG.normal(0, 0.3, (points, axes))
    data[::3] = RNG.random((len(data[::3]), axes)) * 40
    return data


def on_a_circle():
    angles = RNG.random(POINTS) * 7
    data = np.stack([9 + 30 * np.cos(angles), 3 + 30 * np.sin(angles)], 1)
    data += RNG.normal(0, 0.3, data.shape)
    data[::3] = RNG.random((len(data[::3]), 2)) * 40
    return data


def pairs(axes=2):
    source = RNG.random((POINTS, axes)) * 300
    turned = np.linalg.qr(np.eye(axes) + RNG.normal(0, 0.2, (axes, axes)))[0]
    turned[0] *= np.linalg.det(turned)  # no reflection
    target = source @ turned + 20 + RNG.normal(0, 0.4, source.shape)
    target[::4] = RNG.random((len(target[::4]), axes)) * 300
    return source, target


OF_PAIRS = {
    "EuclideanTransform": 3,
    "SimilarityTransform": 3,
    "AffineTransform": 4,
    "ProjectiveTransform": 5,
    "FundamentalMatrixTransform": 8,
    "EssentialMatrixTransform": 9,
    "PolynomialTransform": 7,
}
CASES = {
    "line": (on_a_line(2), LineModelND, 2),
    "line of a volume": (on_a_line(3), LineModelND, 3),
    "circle": (on_a_circle(), CircleModel, 3),
    **{name: (pairs(), getattr(transform, name), n) for name, n in OF_PAIRS.items()},
    **{
        f"{name} of volumes": (pairs(3), getattr(transform, name), n + 2)
        for name, n in OF_PAIRS.items()
        if name[:4] in ("Eucl", "Simi", "Affi", "Proj")
    },
}


def typed(data, dtype):
    return tuple(x.astype(dtype) for x in data) if type(data) is tuple else data.astype(dtype)


def same(run, data, model_class, *args, seed=0, **options):
    """Compares results and what the generators draw next; returns scikit-image's."""
    first, second = np.random.default_rng(seed), np.random.default_rng(seed)
    model, inliers = ransac(data, model_class, *args, rng=first, **options)
    found, agree = run(ransac, data, model_class, *args, rng=second, **options)
    assert type(found) is type(model)
    assert first.bit_generator.state == second.bit_generator.state
    np.testing.assert_array_equal(agree, inliers)
    for name, value in vars(model).items() if model else ():
        np.testing.assert_array_equal(getattr(found, name), value, strict=True)
    return model, inliers


OF_ALL = [
    pytest.param(case, id=name, marks=[pytest.mark.thorough] * (name not in ("line", "circle")))
    for name, case in CASES.items()
]


@pytest.mark.parametrize("case", OF_ALL)
def test_each_model(gpu_of_each_kind, case):
    data, model_class, least = case
    for seed in range(2):
        same(gpu_of_each_kind, data, model_class, least, 1, seed=seed, max_trials=40)
    for dtype in ("float32", "uint8"):
        if dtype == "float32" or model_class is not transform.PolynomialTransform:
            same(gpu_of_each_kind, typed(data, dtype), model_class, least, 2.5, max_trials=10)


LINE = CASES["line"]
PAIRS = CASES["SimilarityTransform"]


@pytest.mark.parametrize(
    "options",
    [
        {"max_trials": 0},
        {"max_trials": 1},
        {"max_trials": 17.5},
        {"max_trials": np.inf, "stop_probability": 0.999},
        {"stop_probability": 0.9},
        {"stop_probability": 0},
        {"stop_sample_num": 100, "max_trials": 300},
        {"stop_residuals_sum": 6e4, "max_trials": 300},
        {"stop_residuals_sum": np.float32(3e4), "stop_sample_num": np.int64(9)},
        {"initial_inliers": np.arange(POINTS) % 3 > 0},
        {"initial_inliers": np.arange(POINTS) > 3, "max_trials": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("case", [LINE, PAIRS], ids=["line", "pairs"])
def test_each_argument(gpu, case, options):
    if options == {"max_trials": 0}:
        with pytest.warns(UserWarning, match="No inliers"):
            same(gpu, *case, 1.5, **options)
        return
    for seed in range(2):
        same(gpu, *case, 1.5, seed=seed, **options)


def test_other_data(gpu, gpu_of_each_kind):
    data, model_class, _ = LINE
    same(gpu_of_each_kind, [data], model_class, 2, 1)
    same(gpu, np.asfortranarray(data), model_class, 2, 1)
    same(gpu, data[::-2, ::-1], model_class, 2, 1)
    same(gpu, data, model_class, POINTS, 1)
    same(gpu_of_each_kind, data[:2], model_class, 2, 1)
    same(gpu, list(PAIRS[0]), *PAIRS[1:], 1)
    for seed in (7, np.int64(8)):
        first, second = (run(data, model_class, 2, 1, rng=seed)[1] for run in (ransac, _of(gpu)))
        np.testing.assert_array_equal(first, second)


def _of(gpu):
    return lambda *args, **kwargs: gpu(ransac, *args, **kwargs)


@pytest.mark.parametrize("case", OF_ALL)
def test_thresholds_that_residuals_meet(gpu, case):
    """Residuals are compared as NumPy rounds them, for they are NumPy's."""
    data, model_class, least = case
    chosen = np.random.default_rng(3).choice(POINTS, least, replace=False)
    given = data if type(data) is tuple else (data,)
    model = model_class.from_estimate(*(each[chosen] for each in given))
    residuals = np.sort(np.abs(model.residuals(*given)))
    for value in (residuals[POINTS // 2], np.nextafter(residuals[POINTS // 2], np.inf)):
        same(gpu, data, model_class, least, value, seed=3, max_trials=3)


@pytest.mark.parametrize("case", OF_ALL)
def test_no_model_has_more_inliers_than_the_device_tells(gpu, case, monkeypatch):
    data, model_class, least = case
    given = data if type(data) is tuple else (data,)
    asked, told = [], 0

    def watched(*args):
        counts = possible(*args)
        asked.append((args[-1], counts))
        return counts

    possible = room._possible_inliers
    monkeypatch.setattr(room, "_possible_inliers", watched)
    for dtype in ("float64", "float32"):
        gpu(ransac, typed(data, dtype), model_class, least, 1.25, rng=1, max_trials=20)
        there = [typed(each, dtype) for each in given]
        while asked:
            for model, count in zip(*asked.pop(), strict=True):
                residuals = np.abs(model.residuals(*there))
                assert np.count_nonzero(residuals < 1.25) <= count
                near = np.count_nonzero(residuals < (1.25 + 1e-9 if dtype == "float64" else 2))
                told += count > near
    assert told == 0  # and hardly more


def test_scale_of_the_points(gpu):
    for scale in (1e-160, 1e-12, 1e12, 1e150):  # whose squares are finite, as the SVD wants
        for data, model_class, least in (LINE, PAIRS):
            with np.errstate(all="ignore"):
                same(gpu, typed_scaled(data, scale), model_class, least, scale, max_trials=5)


def typed_scaled(data, scale):
    return tuple(x * scale for x in data) if type(data) is tuple else data * scale


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_that_are_not_finite(gpu):
    data = LINE[0].copy()
    data[5] = np.nan
    data[9, 0] = np.inf
    same(gpu, data, LineModelND, 2, 1, max_trials=30, seed=2)
    same(gpu, np.ones((50, 2)), LineModelND, 2, 1)
    for model_class in (CircleModel, transform.AffineTransform):
        ones = np.ones((50, 2))
        with pytest.warns(UserWarning, match="No inliers"):
            same(gpu, ones if model_class is CircleModel else (ones, ones), model_class, 4, 1)


def test_what_scikit_image_raises_leaves_the_generator(gpu):
    data = LINE[0].copy()
    data[:] = np.nan
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    with pytest.raises(Declined, match="LinAlgError"):
        gpu(ransac, data, LineModelND, 3, 1, rng=rng)
    assert rng.bit_generator.state == before


def test_what_models_warn_of_is_told_for_those_that_are_looked_at(gpu, monkeypatch):
    estimate = LineModelND._estimate

    def warning(self, data, **options):
        warnings.warn(f"sample at {data[0]}", RuntimeWarning, stacklevel=1)
        return estimate(self, data, **options)

    monkeypatch.setattr(LineModelND, "_estimate", warning)
    heard = []
    for run in (ransac, _of(gpu)):
        with pytest.warns(RuntimeWarning) as warned:
            run(LINE[0], LineModelND, 2, 1, stop_sample_num=100, rng=5)
        heard.append(sorted(str(each.message) for each in warned))
    assert heard[0] == heard[1]
    assert len(heard[0]) < _consensus.AT_ONCE


def test_arguments_that_scikit_image_refuses(gpu):
    data, model_class, _ = LINE
    for least in (0, -1, POINTS + 1):
        assert gpu.invalid(ransac, data, model_class, least, 1)
    for wrong in (
        {"residual_threshold": -1},
        {"max_trials": -1},
        {"stop_probability": 1.5},
        {"rng": -1},
        {"initial_inliers": np.ones(9, bool)},
    ):
        assert gpu.invalid(ransac, **{**_LINE, **wrong})


_LINE = {"data": LINE[0], "model_class": LineModelND, "min_samples": 2, "residual_threshold": 1}


@pytest.mark.parametrize(
    "name, value",
    [
        ("is_data_valid", lambda points: True),
        ("is_model_valid", lambda model, points: True),
        ("model_class", EllipseModel),
        ("model_class", transform.PiecewiseAffineTransform),
        ("model_class", type("LineModelND", (LineModelND,), {})),
        ("model_class", type("Mine", (), {})),
        ("data", LINE[0].astype("float16")),
        ("data", LINE[0].astype(">f8")[None]),
        ("data", np.ones((9, 5))),
        ("data", PAIRS[0]),
        ("min_samples", True),
        ("min_samples", 2.0),
        ("residual_threshold", np.inf),
        ("residual_threshold", "1"),
        ("max_trials", None),
        ("rng", np.random.SeedSequence(3)),
        ("initial_inliers", [True] * POINTS),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_left_to_scikit_image(gpu, name, value):
    assert name in gpu.declined(ransac, **{**_LINE, name: value})


def test_residuals_are_computed_on_the_host_for_few_models(gpu, counting, monkeypatch):
    data = on_a_line(2, 5000)
    asked = []
    residuals = LineModelND.residuals
    monkeypatch.setattr(LineModelND, "residuals", lambda *a: asked.append(1) or residuals(*a))
    gpu(ransac, data, LineModelND, 2, 1, rng=0, max_trials=200)  # compiles
    asked.clear()
    with counting() as counts:
        gpu(ransac, data, LineModelND, 2, 1, rng=0, max_trials=200)
    assert len(asked) < 25  # of 60 and more
    assert counts.launches <= 5
    assert counts.bytes_to_device < data.nbytes + 200 * 4 * 8 + len(data)
