"""scikit-image's gallery as a judge; see `tests.gallery`."""

import json

import numpy as np
import pytest

from tests.conformance import source
from tests.gallery import report
from tests.gallery.run import Outcome, compared, differences
from tests.upstream import need_version_of

# the judges themselves, not what they judge
pytestmark = pytest.mark.thorough

SCRIPT = """
import numpy as np
from skimage.data import camera
from skimage.filters import gaussian
from skimage.measure import approximate_polygon

image = camera()[:40, :40] + np.random.default_rng().random((40, 40))
smooth = gaussian(image, 2)
lines = approximate_polygon(smooth[:, :2], 1)
print(len(lines))
__file__, open  # what is no result is not compared
"""


@pytest.fixture
def script(tmp_path):
    def script(text):
        path = tmp_path / "plot_it.py"
        path.write_text(text)
        return path

    return script


def test_an_example_runs_as_it_is_and_on_the_device_with_the_same_results(script):
    outcome = compared(script(SCRIPT), limit=100)
    assert outcome == Outcome(calls=2, device_calls=1, compared=4)


def test_what_differs_with_the_backend_is_told(script):
    text = f"{SCRIPT}\nimport os\nimage = os.environ.get('SKIMAGE_BACKENDS')\nsmooth = os.getpid()"
    outcome = compared(script(text), limit=100)
    assert list(outcome.differences) == ["image"], "a process number differs from itself"
    assert outcome.compared == 3
    failing = f"{SCRIPT}\nimport os\nassert 'SKIMAGE_BACKENDS' not in os.environ"
    told = {"the script": "ends with AssertionError"}
    assert compared(script(failing), limit=100).differences == told


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import no_such_thing", "ends with ModuleNotFoundError: No module named 'no_such_thing'"),
        ("raise ConnectionError('no network')", "needs a download"),
        ("import time; time.sleep(9)", "takes more than 5 s"),
    ],
)
def test_what_does_not_run_as_it_is_is_not_counted(script, text, why):
    assert compared(script(text), limit=5) == Outcome(stopped=why)


def test_what_is_the_same():
    def left(**variables):
        return {"printed": "", "variables": variables}

    ones = np.ones(5)
    assert differences(left(a=ones, b=[ones]), left(a=ones.copy(), b=[ones])) == {}
    assert list(differences(left(a=ones, b=ones), left(a=ones, b=[ones], c=1))) == ["b", "c"]
    ramp = np.arange(5.0)
    assert list(differences(left(a=ramp + 1e-8), left(a=ramp))) == ["a"]
    assert differences(left(a=ramp + 1e-12), left(a=ramp)) == {}
    single = ramp.astype(np.float32)
    assert differences(left(a=single + np.float32(1e-6)), left(a=single)) == {}


def test_the_page_is_of_the_results():
    need_version_of(report.PAGE)
    assert report.PAGE.read_text() == report.page(json.loads(report.RESULTS.read_text()))


@pytest.mark.usefixtures("scikit_image_source")
@pytest.mark.parametrize(
    "name", ["edges/plot_canny", "filters/plot_entropy", "segmentation/plot_watershed"]
)
def test_examples_give_the_same_results(name):
    outcome = compared(source.examples()[name], limit=300)
    assert outcome.differences == {}
    assert outcome.device_calls > 0
