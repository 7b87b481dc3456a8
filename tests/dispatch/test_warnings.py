"""Warnings point at the user's line, whether a call is dispatched or not."""

import contextlib
import warnings

import numpy as np
import pytest
import skimage as ski
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import disable, enable, use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.warned import own

IMAGE = np.eye(8)
FLOATS = np.array([[0.2, 0.4], [0.6, 1.0]])


def caught(call):
    """Category, text, file and line of each warning that a call gives."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    return [
        (w.category, str(w.message), w.filename, w.lineno)
        for w in own(told)
        if w.category is not DispatchNotification
    ]


def rank_of_floats():
    ski.filters.rank.median(np.array([[0.2, 0.4], [0.6, 1.0]]), np.ones((3, 3)))


def old_parameter():
    ski.morphology.remove_small_objects(IMAGE.astype(bool), min_size=2)


def old_function():
    ski.morphology.binary_dilation(IMAGE.astype(bool))


def empty_images():
    ski.metrics.hausdorff_pair(IMAGE > 2, IMAGE)


def lossy_alpha():
    ski.color.gray2rgba(np.zeros((2, 2), np.uint8), alpha=0.5)


WARNING_CALLS = [rank_of_floats, old_parameter, old_function, empty_images, lossy_alpha]


@pytest.mark.parametrize("call", WARNING_CALLS)
@pytest.mark.parametrize("backends", [(), ("gpu",)])
def test_scikit_image_s_warnings_are_as_without_us(call, backends):
    disable()
    expected = caught(call)
    assert expected
    enable()
    with use_backends(*backends):
        assert caught(call) == expected
    disable()


def test_a_shift_that_is_ambiguous_is_told_at_the_caller_s_line(enabled, monkeypatch):
    """By scikit-image, with its own numbers."""
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")

    def empty_reference():
        ski.registration.phase_cross_correlation(IMAGE * 0, IMAGE, disambiguate=True)

    def told():
        return [(category, text, *place) for category, text, *place in caught(empty_reference)]

    expected = told()
    assert len(expected) == 2
    with use_backends("gpu"), observe() as calls:
        assert told() == expected
    assert [call.backend for call in calls] == [None]


def precision_in_theirs():
    ski.morphology.h_maxima(np.array([[170, 149, 170]], np.uint8), 0.2)


def labels_and_an_old_parameter():
    ski.morphology.remove_small_holes(np.array([[1, 0, 2]]), area_threshold=2)


def two_byte_orders():
    ski.metrics.peak_signal_noise_ratio(IMAGE, (IMAGE / 2).astype(">f8"))


def rank_of_the_other_byte_order():
    ski.filters.rank.modal(IMAGE.astype(">u2"), np.ones((3, 3)))


def levels_that_are_nan():
    with np.errstate(invalid="ignore"):
        ski.exposure.rescale_intensity(np.eye(4, dtype=np.uint8), (np.nan, 1))


def walk_on_a_flat_image():
    labels = np.zeros((8, 8), int)
    labels[0, 0], labels[7, 7] = 1, 2
    ski.segmentation.random_walker(np.ones((8, 8)), labels, mode="cg")


def precision_before_theirs_raises():
    with contextlib.suppress(ValueError):
        ski.morphology.h_maxima(np.array([[170, 149, 170]], np.uint8), 0.2, np.ones((2, 2)))


def parameter_before_theirs_raises():
    with contextlib.suppress(ValueError):
        ski.filters.frangi(IMAGE[0], scale_range=(1, 4), scale_step=1)


def dtypes_of_each_channel():
    images = np.zeros((2, 8), bool), np.ones((2, 8), np.uint8)
    ski.metrics.structural_similarity(*images, channel_axis=0)


@pytest.mark.parametrize(
    "call",
    [
        precision_in_theirs,
        precision_before_theirs_raises,
        parameter_before_theirs_raises,
        dtypes_of_each_channel,
        labels_and_an_old_parameter,
        levels_that_are_nan,
        old_parameter,
    ],
)
def test_warnings_of_calls_that_are_declined_are_given_once_here(enabled, monkeypatch, call):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    expected = [told[:2] for told in caught(call)]
    assert expected
    with use_backends("gpu"):
        told = caught(call)
    assert [each[:2] for each in told] == expected
    assert {file for _, _, file, _ in told} == {__file__}


def test_warnings_of_calls_that_our_kernels_give_up_are_told_once_there(enabled, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    expected = [told[:3] for told in caught(walk_on_a_flat_image)]
    assert expected
    with use_backends("gpu"), observe() as calls:
        assert [told[:3] for told in caught(walk_on_a_flat_image)] == expected
    assert [call.backend for call in calls] == [None]


@pytest.mark.parametrize("call", [two_byte_orders, rank_of_the_other_byte_order])
def test_byte_orders_that_scikit_image_warns_of_are_told(enabled, monkeypatch, call):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    expected = caught(call)
    assert expected
    with use_backends("gpu"):
        assert caught(call) == expected


def test_those_warnings_point_here():
    """Guard of the test above: a warning that always points elsewhere would show nothing."""
    disable()
    for call in WARNING_CALLS[1:]:
        assert all(filename == __file__ for _, _, filename, _ in caught(call))


def test_an_implementation_s_warning_points_at_the_user_s_line(enabled, install):
    more = """
    import warnings
    def get_implementation(name):
        def implementation(image):
            warnings.warn("striped", stacklevel=2)
        return implementation
    """
    install("zebra", more=more)
    with use_backends("zebra"), pytest.warns(UserWarning, match="striped") as told:
        ski.filters.sobel(IMAGE)
    assert told[0].filename == __file__


def test_warnings_as_errors_let_start_and_plain_use_pass(python):
    program = python.script(
        "import numpy as np, skimage as ski\n"
        "import skimage.filters, skimage.morphology, skimage.segmentation\n"
        "print(ski.filters.sobel(np.ones((5, 5))).max())\n"
    )
    environment = {"SKIMAGE_BACKENDS": "gpu", "SKIMAGE_BACKENDS_NOTIFY": "none"}
    assert python("-W", "error", program, **environment).stdout == "0.0\n"


NOTIFIED = """import numpy as np, skimage as ski

ski.filters.sobel(np.ones((5, 5)))
print("went on")
"""


def test_where_warnings_are_errors_a_call_that_falls_back_goes_on_and_is_told(python):
    program = python.script(NOTIFIED)
    done = python("-W", "error", program, SKIMAGE_BACKENDS="gpu")
    assert done.stdout == "went on\n"
    assert f"{program}:3: DispatchNotification: Call to 'skimage.filters:sobel'" in done.stderr


def test_where_warnings_are_errors_a_line_is_reported_once(python):
    program = python.script(NOTIFIED.replace("ski.f", "for _ in range(3): ski.f"))
    environment = {"SKIMAGE_BACKENDS": "gpu", "SKIMAGE_BACKENDS_NOTIFY": "all"}
    done = python("-W", "error", program, **environment)
    assert done.stderr.count("DispatchNotification") == 1


IN_PART = """import numpy as np, skimage as ski

table = ski.measure.regionprops_table(
    np.ones((5, 5), int), properties=("area",), extra_properties=[lambda mask: mask.sum()]
)
print("went on")
"""


@pytest.mark.parametrize(
    ("program", "environment", "told"),
    [
        (
            IN_PART,
            {"SKIMAGE_BACKENDS_MIN_SIZE": "0"},
            "runs in scikit-image in part: columns <lambda>",
        ),
        (
            NOTIFIED.replace("5, 5", "128, 128"),
            {
                "SKIMAGE_BACKENDS_MIN_SIZE": "0",
                "SKIMAGE_GPU_RESIDENT": "1",
                "CUDA_SIMULATOR_MEMORY": "300000",
            },
            "Results are copied to the host",
        ),
        (NOTIFIED, {"SKIMAGE_BACKENDS_NOTIFY": "few"}, "SKIMAGE_BACKENDS_NOTIFY is fallback, all"),
        (NOTIFIED, {"SKIMAGE_BACKENDS_MIN_SIZ": "1"}, "SKIMAGE_BACKENDS_MIN_SIZ is no"),
        (NOTIFIED, {"SKIMAGE_BACKENDS": "zebra"}, "backend 'zebra'"),
    ],
    ids=["in part", "results", "value", "variable", "backend"],
)
def test_warnings_as_errors_never_end_a_program_with_a_message_of_ours(
    python, program, environment, told
):
    selected = {"SKIMAGE_BACKENDS": "gpu", "SKIMAGE_GPU_SIMULATOR": "1"}
    done = python("-W", "error", python.script(program), **selected | environment)
    assert done.stdout == "went on\n"
    assert told in done.stderr


@pytest.mark.thorough  # it starts another Python
def test_somebody_s_tests_whose_warnings_are_errors_pass_without_the_plugin_too(python):
    tests = python.script(f"def test():\n    {NOTIFIED.replace(chr(10), chr(10) + '    ')}", "t.py")
    done = python("-m", "pytest", "-W", "error", tests, SKIMAGE_BACKENDS="gpu")
    assert "1 passed, 1 warning" in done.stdout


def test_who_asks_for_notifications_as_errors_gets_them_at_his_line(python):
    program = python.script(NOTIFIED)
    done = python("-W", "error:Call to", program, check=False, SKIMAGE_BACKENDS="gpu")
    assert f'File "{program}", line 3' in done.stderr
    assert "DispatchNotification: Call to 'skimage.filters:sobel' was not" in done.stderr
    ask = "import warnings; from skimage.util._backends import DispatchNotification\n"
    ask += "warnings.simplefilter('error', DispatchNotification)\n"
    done = python("-c", ask + NOTIFIED, check=False, SKIMAGE_BACKENDS="gpu")
    assert "went on" not in done.stdout
