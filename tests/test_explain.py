"""`python -m skimage_gpu_backend explain`: what it tells is what a call does."""

import numpy as np
import pytest

from skimage_gpu_backend import functions, interface, use_backends
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.explain import Explanation, parsed, taken

SHAPE = (120, 90)


def explained(text, dtype="uint8", shape=SHAPE):
    return Explanation(*parsed(text, shape, dtype))


@pytest.mark.parametrize(
    "text",
    [
        "filters.gaussian(image, 3)",
        "filters.gaussian(image, sigma=(30, 2), preserve_range=True)",
        "skimage.filters.sobel(image, mask)",
        "ski.color.rgb2lab(image)",
    ],
)
def test_launches_and_bytes_are_those_of_the_call(monkeypatch, counting, text):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    name, args, kwargs = parsed(text, (60, 50, 3) if "rgb" in text else SHAPE, "uint8")
    cost = Explanation(name, args, kwargs).plan.cost
    real = [np.ascontiguousarray(a) if isinstance(a, np.ndarray) else a for a in args]
    with use_backends("gpu"):
        decision = interface.gpu.decide(name, real, kwargs)
        with counting() as counts:
            result = decision.run()
    assert (cost.launches, cost.read) == (counts.launches, counts.kernel_bytes_read)
    assert cost.written - cost.between == result.nbytes


def test_the_command_prints_what_a_call_would_do_without_cupy_and_a_device(python):
    blocked = "import sys; sys.modules['cupy'] = None\n"
    command = "from skimage_gpu_backend.__main__ import main; main()"
    call = "filters.gaussian(image, 30)"
    options = ("--shape", "2048,2048", "--dtype", "uint8")
    told = python("-c", blocked + command, "explain", call, *options, COLUMNS="200").stdout
    assert "image 2048 x 2048 uint8 (4.19 MB)" in told
    assert "2 launches; reads 37.7 MB, writes 67.1 MB, 33.6 MB of it for the next launch" in told
    assert "120 x 120 elements on either side" in told
    assert "4.19 MB cross the bus to the device, 33.6 MB back" in told
    assert "gaussian_rows<double, double>" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "filters.gaussian(image, -1)",
            "scikit-image refuses these arguments: sigma=-1 is negative",
        ),
        ("filters.threshold_otsu(image)", "sums over the image, which is taken in pieces"),
        ("exposure.rescale_intensity(image)", "sums over the image, then on its own place"),
        ("util.img_as_ubyte(image)", "runs on the CPU: image has the wanted dtype already"),
        ("color.gray2rgb(image)", "an element of the result depends on its own place"),
    ],
)
def test_a_reason_or_a_reach_is_told(text, told):
    assert told in "\n".join(explained(text).lines())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("filters.gausian(image)", "did you mean filters.gaussian"),
        ("median(image)", "filters.median, filters.rank.median"),
        ("filters.gaussian[0]", "is no call"),
        ("filters.gaussian(image,", "is no Python expression"),
        ("filters.gausian", "did you mean filters.gaussian"),
        ("median", "filters.median, filters.rank.median"),
        ("segmentation.felzenszwalb(image)", "felzenszwalb has no GPU version; it runs on the CPU"),
    ],
)
def test_what_is_no_such_call_is_told_in_one_line(python, text, told):
    done = python("-m", "skimage_gpu_backend", "explain", text, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("nothing to explain: ")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["filters.gaussian(image, 30)", "feature.daisy(image)"])
def test_each_launch_has_a_row(text):
    found = explained(text)
    assert len(list(found.launches())) == found.plan.cost.launches > 1


def test_no_size_is_large_enough_for_a_call_that_stays_on_the_cpu():
    assert "large enough" in "\n".join(explained("filters.sobel(image)").lines())
    assert "large enough" not in "\n".join(explained("filters.sobel(image)", "complex64").lines())


def test_what_is_taken_is_told_of_each_function():
    for name, row in CATALOG.items():
        call, *lines = taken(name)
        assert call.startswith(name.replace(":", ".").removeprefix("skimage.") + "(")
        assert "----" not in " ".join(lines)  # neither scikit-image's own text nor references
        assert all(image in lines[0] for image in row.images)


def test_the_notes_of_a_function_are_printed_and_no_other_section(monkeypatch):
    sections = "See Also\n--------\nsobel\n\nNotes\n-----\nIt\ndiffers.\n\nMuch.\n\n"
    text = f"Summary.\n\nOne launch.\n\n{sections}References\n----------\n.. [1] A book."
    monkeypatch.setattr(functions.find("skimage.filters:gaussian"), "__doc__", text)
    *_, before, first, second = taken("skimage.filters:gaussian")
    assert (before, first, second) == ("One launch.", "It differs.", "Much.")


def test_a_name_alone_is_told_what_the_function_takes_where(python):
    told = python("-m", "skimage_gpu_backend", "explain", "radon", COLUMNS="300").stdout
    assert told.splitlines()[0] == (
        "transform.radon(image, theta=None, circle=True, *, preserve_range=False)"
    )
    assert "on the device: image: NumPy arrays" in told
    assert "on the host: theta, circle, preserve_range" in told
    assert "1 launch for all angles" in told
